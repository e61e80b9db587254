//! The library brought in line with the files: after it was lost, or when pictures came and went without the program.

use super::pictures::{insert, put_thumbnail};
use super::{Library, NewPicture, path_bytes, path_from};
use crate::store::error::StoreError;
use crate::store::{image_file, picture};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    pub added: usize,
    /// Rows whose file is gone.
    pub gone: usize,
    /// Files and folders that could not be read. One bad folder does not stop the others.
    pub unreadable: Vec<PathBuf>,
}

/// Folders within folders that are followed.
const MAX_DEPTH: usize = 8;
/// Pictures that are written in one transaction.
const AT_ONCE: usize = 200;

impl Library {
    /// Adds every picture of this program in and below `root` that the library does not have, and takes out those whose
    /// file is gone. `go_on` hears how many files were looked at of how many, and stops the work by saying `false`; what
    /// was done until then stays.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn sync(&mut self, root: &Path, go_on: &mut dyn FnMut(usize, usize) -> bool) -> Result<Synced, StoreError> {
        let mut synced = Synced::default();
        let known =
            self.rows("SELECT path FROM pictures WHERE deleted IS NULL", Vec::new(), |row| row.get::<_, Vec<u8>>(0))?;
        let mut files = Vec::new();
        walk(root, MAX_DEPTH, &mut files, &mut synced.unreadable);
        files.sort();
        let known: HashSet<Vec<u8>> = known.into_iter().collect();
        let new: Vec<PathBuf> = files.into_iter().filter(|file| !known.contains(&path_bytes(file))).collect();
        let total = new.len();
        for (at, chunk) in new.chunks(AT_ONCE).enumerate() {
            if !go_on(at * AT_ONCE, total) {
                return Ok(synced);
            }
            self.add_files(chunk, &mut synced)?;
        }
        go_on(total, total);
        // Only what lay below this folder can be missed: another disk may just not be there.
        if root.is_dir() {
            for path in known.into_iter().map(path_from).filter(|path| path.starts_with(root)) {
                let missing =
                    std::fs::symlink_metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
                if missing && let Some(id) = self.by_path(&path)? {
                    self.forget(id.0 as i64)?;
                    synced.gone += 1;
                }
            }
        }
        Ok(synced)
    }

    fn add_files(&mut self, files: &[PathBuf], synced: &mut Synced) -> Result<(), StoreError> {
        let file = self.file.clone();
        let failed = |error: rusqlite::Error| super::trouble(&error, &file);
        let transaction = self.connection.transaction().map_err(failed)?;
        for path in files {
            let remembered = match picture::read_recipe(path) {
                Ok(remembered) => remembered,
                // A picture of another program is none of ours; only what cannot be read is worth a word.
                Err(error) if error.is_foreign() => continue,
                Err(_) => {
                    synced.unreadable.push(path.clone());
                    continue;
                }
            };
            let Ok(pixels) = image_file::open(path) else {
                synced.unreadable.push(path.clone());
                continue;
            };
            let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
            let created =
                modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|time| time.as_secs() as i64);
            let picture = NewPicture {
                path: path.clone(),
                model: remembered.model,
                draft: remembered.draft,
                size: pixels.size(),
                created,
            };
            let id = insert(&transaction, &picture).map_err(failed)?;
            if let Some(jpeg) = image_file::thumbnail(&pixels) {
                put_thumbnail(&transaction, id, &jpeg).map_err(failed)?;
            }
            synced.added += 1;
        }
        transaction.commit().map_err(failed)
    }
}

/// Every PNG file in and below a folder; hidden folders, the trash among them, are left alone. Links are not followed,
/// so there are no circles.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>, unreadable: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        if folder.exists() {
            unreadable.push(folder.to_owned());
        }
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && !hidden && depth > 0 {
            walk(&path, depth - 1, files, unreadable);
        } else if kind.is_file() && !hidden && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
        {
            files.push(path);
        }
    }
}
