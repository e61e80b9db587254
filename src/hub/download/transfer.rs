//! Brings files onto the disk: whole, checked, or not at all.

use super::Wanted;
use super::error::{DownloadError, Trouble};
use super::hub::{Hub, Remote};
use crate::job::CancelToken;
use crate::units::Bytes;
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use ureq::Body;
use ureq::http::Response;
use ureq::http::header::{CONTENT_LENGTH, CONTENT_RANGE};

const CHUNK: usize = 256 << 10;
/// A stop is seen at least so often while nothing arrives.
const BEAT: Duration = Duration::from_millis(50);
/// Room beside the files themselves: what a file system keeps for its books.
const SPARE: Bytes = Bytes::mib(64);
/// Characters of a version in the name of a part file.
const VERSION: usize = 16;

/// How far one file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// A file that is there already, or its rest, is checked.
    Checking {
        path: &'a Path,
    },
    Arrived {
        path: &'a Path,
        bytes: u64,
        total: u64,
    },
    /// The connection was lost or the hub is busy: tried again after a pause.
    Waiting {
        error: &'a DownloadError,
        pause: Duration,
    },
}

/// What the hub says of the files that are wanted, and what of them is here.
#[derive(Clone, Debug)]
pub struct Survey {
    /// In the order in which they were asked for.
    pub files: Vec<(Wanted, Remote)>,
    /// All files together.
    pub total: Bytes,
    /// What has to come yet.
    pub missing: Bytes,
}

impl Survey {
    /// Whether the files find room where `free` is free; `None` where that is not known, which stops nobody.
    ///
    /// # Errors
    /// Where they do not.
    pub fn check_room(&self, free: Option<Bytes>, folder: &Path) -> Result<(), DownloadError> {
        let need = self.missing + SPARE;
        match free {
            Some(free) if self.missing > Bytes::ZERO && free < need => {
                Err(DownloadError::new(Trouble::Disk { free, need }, folder.display().to_string()))
            }
            _ => Ok(()),
        }
    }
}

/// Asks the hub for every file, and looks what is here already.
///
/// # Errors
/// As [`Hub::look`], of the first file that fails.
pub fn survey(hub: &Hub, wanted: &[Wanted]) -> Result<Survey, DownloadError> {
    let mut survey = Survey { files: Vec::with_capacity(wanted.len()), total: Bytes::ZERO, missing: Bytes::ZERO };
    for wanted in wanted {
        let remote = hub.look(&wanted.file)?;
        let here = if length(&wanted.target) == Some(remote.bytes) {
            remote.bytes
        } else {
            length(&part_file(&wanted.target, &remote)).unwrap_or(0).min(remote.bytes)
        };
        survey.total += Bytes(remote.bytes);
        survey.missing += Bytes(remote.bytes - here);
        survey.files.push((wanted.clone(), remote));
    }
    Ok(survey)
}

fn length(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len())
}

/// `.NAME.VERSION.part` beside the target: bytes of another version are never mixed in.
fn part_file(target: &Path, remote: &Remote) -> PathBuf {
    let version: String = remote.etag.chars().filter(char::is_ascii_alphanumeric).take(VERSION).collect();
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or(OsStr::new("file")));
    name.push(format!(".{version}.part"));
    target.with_file_name(name)
}

/// Brings one file to its place, going on from what is there. Lost connections and busy hubs are tried again.
///
/// # Errors
/// What went wrong, and what to do. What has arrived is kept unless it is wrong; a file whose SHA-256 is not the hub's
/// is set aside as `NAME.damaged`.
pub fn fetch(
    hub: &Hub,
    wanted: &Wanted,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<(), DownloadError> {
    let pace = hub.access.pace;
    let (mut failures, mut most) = (0, 0);
    loop {
        let mut arrived = 0;
        let error = match attempt(hub, wanted, cancel, &mut |bytes| arrived = bytes, tell) {
            Err(error) if error.passes() => error,
            ended => return ended,
        };
        // Whoever brings something may lose the connection as often as it likes.
        failures = if arrived > most { 1 } else { failures + 1 };
        most = most.max(arrived);
        if failures >= pace.tries {
            return Err(error);
        }
        let asked = if let Trouble::Busy { retry_after, .. } = error.trouble { retry_after } else { None };
        let pause = asked.unwrap_or(pace.first_pause * 2_u32.pow(failures - 1)).min(pace.longest_pause);
        tell(Progress::Waiting { error: &error, pause });
        let until = Instant::now() + pause;
        while Instant::now() < until {
            stopped(cancel, &wanted.target)?;
            std::thread::sleep(BEAT.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

fn stopped(cancel: &CancelToken, target: &Path) -> Result<(), DownloadError> {
    if cancel.is_cancelled() {
        return Err(DownloadError::new(Trouble::Stopped, target.display().to_string()));
    }
    Ok(())
}

fn attempt(
    hub: &Hub,
    wanted: &Wanted,
    cancel: &CancelToken,
    arrived: &mut dyn FnMut(u64),
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<(), DownloadError> {
    let target = wanted.target.as_path();
    stopped(cancel, target)?;
    // Asked anew at each try: the file may have changed meanwhile.
    let remote = hub.look(&wanted.file)?;
    if length(target) == Some(remote.bytes) {
        let Some(sha256) = &remote.sha256 else { return Ok(()) };
        tell(Progress::Checking { path: target });
        if checksum_of(target, cancel)? == *sha256 {
            return Ok(());
        }
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| DownloadError::write(&error, folder))?;
    let path = part_file(target, &remote);
    forget_others(target, &path);
    let mut part = Part::open(path, &remote, cancel, tell)?;
    while part.length < remote.bytes {
        let answer = hub.open(&wanted.file, part.length, remote.condition().as_deref())?;
        let address = hub.address(&wanted.file);
        if part.take(&answer, &remote, &address)? {
            let result = part.fill(answer, &remote, &address, cancel, &mut |bytes| {
                arrived(bytes);
                tell(Progress::Arrived { path: target, bytes, total: remote.bytes });
            });
            result?;
        }
    }
    part.finish(&remote, target)
}

/// Part files of versions that the hub no longer has.
fn forget_others(target: &Path, kept: &Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else { return };
    let start = format!(".{}.", name.to_string_lossy());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let version = name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(".part"));
        let ours = version.is_some_and(|version| version.chars().all(|c| c.is_ascii_alphanumeric()));
        if ours && entry.path() != kept {
            // What stays is hidden, and harms nobody.
            drop(fs::remove_file(entry.path()));
        }
    }
}

fn checksum_of(path: &Path, cancel: &CancelToken) -> Result<String, DownloadError> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path).map_err(|error| DownloadError::write(&error, path))?;
    add_all(&mut file, &mut hasher, path, cancel)?;
    Ok(hex(hasher))
}

/// Hashes a file from where it is to its end. Returns how much that was.
fn add_all(file: &mut File, hasher: &mut Sha256, path: &Path, cancel: &CancelToken) -> Result<u64, DownloadError> {
    let mut buffer = vec![0; CHUNK];
    let mut length = 0;
    loop {
        stopped(cancel, path)?;
        let read = file.read(&mut buffer).map_err(|error| DownloadError::write(&error, path))?;
        if read == 0 {
            return Ok(length);
        }
        hasher.update(&buffer[..read]);
        length += read as u64;
    }
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// A file that is not whole yet.
struct Part {
    path: PathBuf,
    file: File,
    length: u64,
    hasher: Sha256,
}

impl Part {
    fn open(
        path: PathBuf,
        remote: &Remote,
        cancel: &CancelToken,
        tell: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Self, DownloadError> {
        let failed = |error: io::Error| DownloadError::write(&error, &path);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        let mut hasher = Sha256::new();
        let kept = file.metadata().map_err(failed)?.len();
        let mut length = 0;
        // Where nothing names the version, nothing tells whether what is there belongs to it.
        if kept > 0 && kept <= remote.bytes && !remote.etag.is_empty() {
            tell(Progress::Checking { path: &path });
            length = add_all(&mut file, &mut hasher, &path, cancel)?;
        }
        let mut part = Self { path, file, length, hasher };
        if length == 0 {
            part.start_anew()?;
        }
        Ok(part)
    }

    fn start_anew(&mut self) -> Result<(), DownloadError> {
        let emptied = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        emptied.map_err(|error| DownloadError::write(&error, &self.path))?;
        (self.length, self.hasher) = (0, Sha256::new());
        Ok(())
    }

    /// Makes ready for what an answer brings. `false` where it brings nothing that can be used, and the next one will.
    fn take(&mut self, answer: &Response<Body>, remote: &Remote, address: &str) -> Result<bool, DownloadError> {
        let header = |name| answer.headers().get(name).and_then(|value| value.to_str().ok());
        let said = match answer.status().as_u16() {
            206 => {
                // `bytes 100-199/200`
                let range = header(CONTENT_RANGE).and_then(|text| text.strip_prefix("bytes ")?.split_once('-'));
                let from: Option<u64> = range.and_then(|(from, _)| from.trim().parse().ok());
                let total = range.and_then(|(_, rest)| rest.rsplit('/').next()?.trim().parse().ok());
                if from != Some(self.length) {
                    if self.length == 0 {
                        return Err(DownloadError::new(Trouble::Answer, address));
                    }
                    self.start_anew()?;
                    return Ok(false);
                }
                total
            }
            416 if self.length > 0 => {
                self.start_anew()?;
                return Ok(false);
            }
            416 => return Err(DownloadError::new(Trouble::Refused(416), address)),
            _ => {
                // The whole file, whether or not a range was asked for.
                if self.length > 0 {
                    self.start_anew()?;
                }
                header(CONTENT_LENGTH).and_then(|text| text.parse().ok())
            }
        };
        if let Some(sent) = said.filter(|&said| said != remote.bytes) {
            return Err(DownloadError::new(Trouble::Length { said: remote.bytes, sent }, address));
        }
        Ok(true)
    }

    /// Writes what arrives.
    fn fill(
        &mut self,
        answer: Response<Body>,
        remote: &Remote,
        address: &str,
        cancel: &CancelToken,
        arrived: &mut dyn FnMut(u64),
    ) -> Result<(), DownloadError> {
        let mut reader = answer.into_body().into_reader();
        let mut buffer = vec![0; CHUNK];
        loop {
            stopped(cancel, &self.path)?;
            let lost = |length| DownloadError::new(Trouble::Dropped(Bytes(length)), address);
            let read = match reader.read(&mut buffer) {
                Ok(0) if self.length == remote.bytes => return Ok(()),
                Ok(0) | Err(_) => return Err(lost(self.length)),
                Ok(read) => read,
            };
            let length = self.length + read as u64;
            if length > remote.bytes {
                self.start_anew()?;
                return Err(DownloadError::new(Trouble::Length { said: remote.bytes, sent: length }, address));
            }
            self.file.write_all(&buffer[..read]).map_err(|error| DownloadError::write(&error, &self.path))?;
            self.hasher.update(&buffer[..read]);
            self.length = length;
            arrived(length);
        }
    }

    /// Gives the file its name where it is right.
    fn finish(self, remote: &Remote, target: &Path) -> Result<(), DownloadError> {
        let failed = |error: io::Error| DownloadError::write(&error, target);
        self.file.sync_all().map_err(failed)?;
        drop(self.file);
        let found = hex(self.hasher);
        if let Some(wanted) = remote.sha256.clone().filter(|wanted| *wanted != found) {
            let mut name = target.file_name().unwrap_or(OsStr::new("file")).to_owned();
            name.push(".damaged");
            let aside = target.with_file_name(name);
            fs::rename(&self.path, &aside).map_err(failed)?;
            return Err(DownloadError::new(Trouble::Checksum { wanted, found }, aside.display().to_string()));
        }
        fs::rename(&self.path, target).map_err(failed)
    }
}
