//! What a model is before it is fetched: only the headers of its files come.

use super::error::{DownloadError, Trouble};
use super::hub::{Hub, Remote};
use super::{RepoFile, Survey};
use crate::hub::{self, HubError};
use crate::model::{self, HeaderError, ModelFiles};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// First read of a header; it grows while the header asks for more.
const START: u64 = 128 << 10;
/// No header is longer.
const MOST: u64 = 64 << 20;

/// The model that the files make, the denoiser's first, told from their headers. They stand in `scratch` at their true
/// length with nothing behind the header, which most file systems keep in no room at all.
///
/// # Errors
/// Where a header cannot be fetched or written; the inner result is what [`hub::open`] says of the model.
pub fn preview(hub: &Hub, survey: &Survey, scratch: &Path) -> Result<Result<ModelFiles, HubError>, DownloadError> {
    let mut files = Vec::with_capacity(survey.files.len());
    for (index, (wanted, remote)) in survey.files.iter().enumerate() {
        // A folder each: nothing is found but what is named.
        let path = scratch.join(index.to_string()).join(wanted.file.name());
        let header = header(hub, &wanted.file, remote)?;
        stand_in(&path, &header, remote).map_err(|error| DownloadError::write(&error, &path))?;
        files.push(path);
    }
    let names: Vec<String> = files.iter().map(|path: &PathBuf| path.display().to_string()).collect();
    Ok(hub::open(&names.join("+")))
}

fn stand_in(path: &Path, header: &[u8], remote: &Remote) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut file = File::create(path)?;
    file.write_all(header)?;
    file.set_len(remote.bytes)
}

/// As much of a file's start as its header says that it takes.
fn header(hub: &Hub, file: &RepoFile, remote: &Remote) -> Result<Vec<u8>, DownloadError> {
    let mut start = hub.range(file, 0, START.min(remote.bytes))?;
    loop {
        let have = start.len() as u64;
        let wanted = wanted(&start, remote.bytes).min(remote.bytes);
        if wanted <= have {
            return Ok(start);
        }
        if wanted > MOST {
            return Err(DownloadError::new(Trouble::Answer, hub.address(file)));
        }
        start.extend(hub.range(file, have, wanted - have)?);
        if start.len() as u64 <= have {
            return Err(DownloadError::new(Trouble::Answer, hub.address(file)));
        }
    }
}

/// Bytes of the header, or a step on the way where it does not say yet. What is wrong with it is told when it is read.
fn wanted(start: &[u8], length: u64) -> u64 {
    let have = start.len() as u64;
    if start.starts_with(b"GGUF") {
        return match model::gguf(start, length).err().or_else(|| model::gguf_tokens(start, length).err()) {
            Some(HeaderError::NeedMore(more)) => more.max(have * 2),
            _ => have,
        };
    }
    model::header_length(start, length).map_or(have, |header| header + 8)
}
