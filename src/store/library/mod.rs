//! The library: an `SQLite` file with the pictures, their stars, tags and small images, and the queue of jobs.
//!
//! The PNG files are the truth about pictures: a library that is lost or damaged is made anew from them by
//! [`Library::sync`]. A damaged file is set aside, never deleted. The queue lives here because one transaction of
//! `SQLite` either happened or did not, whatever kills the process.
//!
//! A library belongs to one thread at a time (it is `Send`); its calls take milliseconds, except [`Library::sync`].

mod pictures;
mod query;
mod queue;
mod sync;
mod trash;

pub use pictures::NewPicture;
pub use queue::{JobState, NewJob, StoredJob};
pub use sync::Synced;
pub use trash::Deleted;

use super::error::{StoreError, Trouble};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Each step brings a database from the version of its index to the next one.
const MIGRATIONS: &[&str] = &[include_str!("schema_1.sql")];
/// Rows that other threads of this process may hold up for so long.
const BUSY: Duration = Duration::from_secs(5);

pub struct Library {
    connection: Connection,
    file: PathBuf,
    /// Held while this process has the library open; `None` where another one has.
    lock: Option<File>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Library({})", self.file.display())
    }
}

/// A library that was opened, and what was found on the way.
#[derive(Debug)]
pub struct Opened {
    pub library: Library,
    /// There was none, or a damaged one: call [`Library::sync`] to fill it from the files.
    pub fresh: bool,
    /// Where a damaged file was put aside.
    pub set_aside: Option<PathBuf>,
    /// Another process has it open: pictures can be looked at and added, the queue is the other one's.
    pub shared: bool,
    /// Jobs that ran when the program died. They are marked, and never run again by themselves.
    pub interrupted: Vec<StoredJob>,
}

impl Library {
    /// Opens the library in `file`, making it and its folder where they are missing.
    ///
    /// # Errors
    /// Where the folder cannot be written, or a newer version of the program made the file. A damaged file is no error:
    /// it is set aside and a fresh one made.
    pub fn open(file: &Path) -> Result<Opened, StoreError> {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| StoreError::io(&error, folder))?;
        let lock = lock(file)?;
        let ((connection, fresh), set_aside) = match connect(file) {
            Ok(connected) => (connected, None),
            // What another process has open is not taken away from under it.
            Err(error) if error.trouble == Trouble::DamagedLibrary && lock.is_some() => {
                let aside = set_aside(file)?;
                (connect(file)?, Some(aside))
            }
            Err(error) => return Err(error),
        };
        let shared = lock.is_none();
        let mut library = Self { connection, file: file.to_owned(), lock };
        let interrupted = if shared { Vec::new() } else { library.mark_interrupted()? };
        Ok(Opened { library, fresh, set_aside, shared, interrupted })
    }

    /// A library that is gone with the process: where the real one cannot be opened, the program goes on with this.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        let file = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory().and_then(|connection| prepared(connection, false));
        let connection = connection.map_err(|error| trouble(&error, &file))?;
        let library = Self { connection, file, lock: None };
        migrate(&library.connection, &library.file)?;
        Ok(library)
    }

    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
        |error| trouble(&error, &self.file)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // Only whether the next start checks the whole file hangs on this.
        if self.lock.is_some()
            && let Err(error) = self.connection.execute("UPDATE state SET clean = 1", [])
        {
            tracing::debug!(%error, "the library was not closed cleanly");
        }
    }
}

/// Locks the library for this process; `None` where another one has it. The lock goes with the process, however it ends.
fn lock(file: &Path) -> Result<Option<File>, StoreError> {
    let path = file.with_extension("lock");
    let lock = File::options().create(true).truncate(false).write(true).open(&path);
    let lock = lock.map_err(|error| StoreError::io(&error, &path))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => {
            // Some network file systems know no locks; a single user is the rule there.
            tracing::warn!(%error, "the library cannot be locked");
            Ok(Some(lock))
        }
    }
}

/// Opens the file and says whether there was nothing in it. The whole of it is checked where the last end was no proper
/// one, or where damage was met.
fn connect(file: &Path) -> Result<(Connection, bool), StoreError> {
    let failed = |error: rusqlite::Error| trouble(&error, file);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(failed)?;
    let connection = prepared(connection, true).map_err(failed)?;
    let fresh = migrate(&connection, file)?;
    let suspected = std::fs::remove_file(suspicion(file)).is_ok();
    let clean = connection.query_row("SELECT clean FROM state", [], |row| row.get::<_, bool>(0)).optional();
    if suspected || !clean.map_err(failed)?.unwrap_or(false) {
        let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
        if verdict != "ok" {
            return Err(StoreError::new(Trouble::DamagedLibrary, file));
        }
    }
    connection
        .execute("INSERT INTO state (id, clean) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET clean = 0", [])
        .map_err(failed)?;
    Ok((connection, fresh))
}

/// The file that says, beside a library, that damage was met in it.
fn suspicion(file: &Path) -> PathBuf {
    file.with_extension("damaged")
}

fn prepared(connection: Connection, on_disk: bool) -> rusqlite::Result<Connection> {
    connection.busy_timeout(BUSY)?;
    if on_disk {
        connection.pragma_update(None, "journal_mode", "wal")?;
    }
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Brings a database to the newest version. Returns whether it was empty.
fn migrate(connection: &Connection, file: &Path) -> Result<bool, StoreError> {
    let failed = |error: rusqlite::Error| trouble(&error, file);
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    let known = MIGRATIONS.len() as i64;
    if version > known {
        return Err(StoreError::new(Trouble::NewerLibrary(version), file));
    }
    let from = usize::try_from(version).unwrap_or(0);
    for (number, migration) in MIGRATIONS.iter().enumerate().skip(from) {
        let step = format!("BEGIN IMMEDIATE;\n{migration}\nPRAGMA user_version = {};\nCOMMIT;", number + 1);
        connection.execute_batch(&step).map_err(failed)?;
    }
    Ok(version == 0)
}

fn trouble(error: &rusqlite::Error, file: &Path) -> StoreError {
    let trouble = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Trouble::DamagedLibrary,
        Some(ErrorCode::DiskFull) => Trouble::Full,
        Some(ErrorCode::ReadOnly) => Trouble::ReadOnly,
        Some(ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => Trouble::Denied,
        _ => Trouble::Other(error.to_string()),
    };
    // The next start checks the whole file and sets it aside.
    if trouble == Trouble::DamagedLibrary
        && let Err(error) = std::fs::write(suspicion(file), "")
    {
        tracing::warn!(%error, "the library is damaged, and that could not be noted");
    }
    StoreError::new(trouble, file)
}

/// Moves a damaged library out of the way, with the journals that belong to it.
fn set_aside(file: &Path) -> Result<PathBuf, StoreError> {
    let named = |number: u32, tail: &str| {
        let stem = file.file_stem().unwrap_or_default();
        let mut name = OsString::from(stem);
        name.push(if number == 1 { ".damaged.db".to_owned() } else { format!(".damaged-{number}.db") });
        name.push(tail);
        file.with_file_name(name)
    };
    let number =
        (1_u32..u32::MAX).find(|number| std::fs::symlink_metadata(named(*number, "")).is_err()).unwrap_or(u32::MAX);
    for tail in ["-wal", "-shm"] {
        let mut journal = file.as_os_str().to_owned();
        journal.push(tail);
        if Path::new(&journal).exists() {
            std::fs::rename(&journal, named(number, tail)).map_err(|error| StoreError::io(&error, file))?;
        }
    }
    drop(std::fs::remove_file(suspicion(file)));
    let aside = named(number, "");
    std::fs::rename(file, &aside).map_err(|error| StoreError::io(&error, file))?;
    Ok(aside)
}

/// A path as bytes: names that are no Unicode keep theirs on Unix.
fn path_bytes(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        path.as_os_str().as_bytes().to_vec()
    }
    #[cfg(not(unix))]
    {
        path.to_string_lossy().into_owned().into_bytes()
    }
}

fn path_from(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        OsString::from_vec(bytes).into()
    }
    #[cfg(not(unix))]
    {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}
