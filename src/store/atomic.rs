//! Whole files or none: written beside their place, synced, then renamed.

use super::error::{StoreError, Trouble};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// What fills a file.
pub(super) type Fill<'a> = dyn FnMut(&mut BufWriter<&mut File>) -> io::Result<()> + 'a;

/// A finished temporary file, waiting for its name.
pub(super) struct Pending {
    file: NamedTempFile,
}

/// Writes a temporary file in `folder`. It is gone again unless it gets a name.
pub(super) fn write(folder: &Path, fill: &mut Fill<'_>) -> Result<Pending, StoreError> {
    let failed = |error: io::Error| StoreError::io(&error, folder);
    let mut file = temporary(folder).map_err(failed)?;
    let mut writer = BufWriter::new(file.as_file_mut());
    fill(&mut writer).and_then(|()| writer.flush()).map_err(failed)?;
    drop(writer);
    file.as_file().sync_all().map_err(failed)?;
    Ok(Pending { file })
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".headroom-").suffix(".part");
    #[cfg(unix)]
    {
        // As the user's own files, not as secrets: the umask still takes its share.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

impl Pending {
    /// Takes the name `path`, replacing what has it.
    pub(super) fn replace(self, path: &Path) -> Result<(), StoreError> {
        if path.is_dir() {
            return Err(StoreError::new(Trouble::IsAFolder, path));
        }
        self.file.persist(path).map_err(|error| StoreError::io(&error.error, path))?;
        sync_folder(path);
        Ok(())
    }

    /// Takes the name `path` unless something has it: then the file comes back to try another.
    pub(super) fn claim(self, path: &Path) -> Result<Option<Self>, StoreError> {
        match self.file.persist_noclobber(path) {
            Ok(_) => {
                sync_folder(path);
                Ok(None)
            }
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(Some(Self { file: error.file })),
            Err(error) => Err(StoreError::io(&error.error, path)),
        }
    }
}

/// Makes the rename itself last. Not every file system lets a folder be synced, and the file is whole without it.
fn sync_folder(path: &Path) {
    if cfg!(unix)
        && let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
        && let Err(error) = folder.sync_all()
    {
        tracing::debug!(%error, "the folder could not be synced");
    }
}

/// Makes `folder` and proves that a file can be made in it.
pub(super) fn check_folder(folder: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| StoreError::io(&error, folder);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut probe = temporary(folder).map_err(failed)?;
    // A full disk often still makes empty files.
    probe.write_all(&[0; 4096]).and_then(|()| probe.as_file().sync_data()).map_err(failed)?;
    probe.close().map_err(failed)
}
