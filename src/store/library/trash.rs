//! Deleting with undo: the file moves into a trash folder beside it, on the same disk, under a name of its own.

use super::{Library, now, path_bytes, path_from};
use crate::gallery::PictureId;
use crate::store::error::StoreError;
use rusqlite::{OptionalExtension as _, params};
use std::path::{Path, PathBuf};

/// The folder for deleted pictures inside each folder of pictures.
const TRASH: &str = ".headroom-trash";

/// What was deleted together, to be brought back together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    pub pictures: Vec<PictureId>,
    /// Those whose file could not be moved, and why; they are still there.
    pub kept: Vec<(PictureId, StoreError)>,
}

impl Library {
    /// Moves pictures into the trash: exactly their files, nothing else in the folder. One that cannot be moved stays and
    /// does not stop the others. A file that is gone already takes its row along.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn delete(&mut self, ids: &[PictureId]) -> Result<Deleted, StoreError> {
        let mut deleted = Deleted::default();
        for id in ids {
            let Some(record) = self.get(*id)? else { continue };
            let place = trash_place(&record.path, *id);
            // The row first: if the process dies in between, it still says where the file may be.
            self.mark(*id, &place, Some(&record.path))?;
            match moved(&record.path, &place) {
                Ok(_) => deleted.pictures.push(*id),
                Err(error) => {
                    self.mark(*id, &record.path, None)?;
                    deleted.kept.push((*id, error));
                }
            }
        }
        Ok(deleted)
    }

    /// Brings deleted pictures back, each under its old name or, where that is taken, one beside it. Returns those that
    /// are back.
    ///
    /// # Errors
    /// Where the library cannot be written, or a file cannot be moved back.
    pub fn undelete(&mut self, ids: &[PictureId]) -> Result<Vec<PictureId>, StoreError> {
        let mut back = Vec::new();
        for id in ids {
            let sql = "SELECT path, home FROM pictures WHERE id = ?1 AND deleted IS NOT NULL";
            let found = self.connection.query_row(sql, [id.0 as i64], |row| {
                Ok((path_from(row.get(0)?), row.get::<_, Option<Vec<u8>>>(1)?.map(path_from)))
            });
            let Some((trash, Some(home))) = found.optional().map_err(self.failed())? else { continue };
            let target = if trash.exists() { free_name(&home) } else { home };
            if !moved(&trash, &target)? && !target.exists() {
                continue;
            }
            self.mark(*id, &target, None)?;
            if let Some(folder) = trash.parent() {
                // Only an empty folder goes.
                drop(std::fs::remove_dir(folder));
            }
            back.push(*id);
        }
        Ok(back)
    }

    /// Pictures in the trash, last deleted first.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn trash(&self) -> Result<Vec<PictureId>, StoreError> {
        let sql = "SELECT id FROM pictures WHERE deleted IS NOT NULL ORDER BY deleted DESC, id DESC";
        self.rows(sql, Vec::new(), |row| Ok(PictureId(row.get::<_, i64>(0)? as u64)))
    }

    /// Deletes for good what has been in the trash for longer than `seconds`. Returns how many.
    ///
    /// # Errors
    /// Where the library cannot be written. A file that cannot be deleted is kept for the next time.
    pub fn empty_trash(&mut self, seconds: i64) -> Result<usize, StoreError> {
        let sql = "SELECT id, path FROM pictures WHERE deleted IS NOT NULL AND deleted <= ?1";
        let old =
            self.rows(sql, vec![(now() - seconds).into()], |row| Ok((row.get::<_, i64>(0)?, path_from(row.get(1)?))))?;
        let mut gone = 0;
        for (id, file) in old {
            if let Err(error) = std::fs::remove_file(&file)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(%error, "a deleted picture could not be removed: {}", file.display());
                continue;
            }
            self.forget(id)?;
            gone += 1;
        }
        Ok(gone)
    }

    /// Takes a row out with its words; tags and small image go along.
    pub(super) fn forget(&self, id: i64) -> Result<(), StoreError> {
        self.connection.execute("DELETE FROM words WHERE rowid = ?1", [id]).map_err(self.failed())?;
        self.connection.execute("DELETE FROM pictures WHERE id = ?1", [id]).map_err(self.failed())?;
        Ok(())
    }

    /// Notes where a file lies. With `home`, that is the trash.
    fn mark(&self, id: PictureId, path: &Path, home: Option<&Path>) -> Result<(), StoreError> {
        let sql = "UPDATE pictures SET path = ?2, home = ?3, deleted = ?4 WHERE id = ?1";
        let values = params![id.0 as i64, path_bytes(path), home.map(path_bytes), home.map(|_| now())];
        self.connection.execute(sql, values).map(|_rows| ()).map_err(self.failed())
    }
}

fn trash_place(path: &Path, id: PictureId) -> PathBuf {
    let mut name = std::ffi::OsString::from(format!("{}-", id.0));
    name.push(path.file_name().unwrap_or_default());
    path.parent().unwrap_or(Path::new(".")).join(TRASH).join(name)
}

/// Moves a file. `false` where there is none to move.
fn moved(from: &Path, to: &Path) -> Result<bool, StoreError> {
    if std::fs::symlink_metadata(from).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(false);
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(|error| StoreError::io(&error, folder))?;
    }
    std::fs::rename(from, to).map(|()| true).map_err(|error| StoreError::io(&error, from))
}

/// `path`, or the first free name beside it.
fn free_name(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    let names = (2_u32..).map(|number| path.with_file_name(format!("{stem} ({number}){ending}")));
    std::iter::once(path.to_owned()).chain(names).find(|name| !name.exists()).unwrap_or_else(|| path.to_owned())
}
