//! Weight files that belong together: one, or the numbered parts of one that was split.

use super::error::{Cause, HubError};
use super::reader;
use crate::model::{FileRef, Part, Shard, TensorTable};
use std::path::{Path, PathBuf};

/// The files of one published model file and their tables.
#[derive(Clone, Debug)]
pub(super) struct FileSet {
    pub files: Vec<PathBuf>,
    /// Of all files; each tensor says in which it is.
    pub table: TensorTable,
}

impl FileSet {
    /// The set that a file belongs to.
    ///
    /// # Errors
    /// Where a part is missing or one of the files cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self, HubError> {
        let files = parts_of(path)?;
        let mut tables = Vec::with_capacity(files.len());
        for file in &files {
            tables.push(reader::read(&FileRef::Path(file.clone()))?.1);
        }
        Ok(Self { files, table: TensorTable::merged(tables) })
    }

    /// The canonical tensors of one network, each with the file that it is in.
    pub(super) fn shards(&self, part: &Part) -> Vec<Shard> {
        let tables = part.table.clone().by_file();
        let shard = |(file, table): (usize, TensorTable)| {
            let path = self.files.get(file)?.clone();
            Some(Shard { file: FileRef::Path(path), table })
        };
        tables.into_iter().filter_map(shard).collect()
    }
}

/// `name-00002-of-00003.gguf` gives the base, its number and the count of parts, as digits.
pub(super) fn split_name(name: &str) -> Option<(&str, &str, &str, &str)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let (rest, count) = stem.rsplit_once("-of-")?;
    let (base, number) = rest.rsplit_once('-')?;
    let digits = |text: &str| (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(number) && digits(count) && number.len() == count.len()).then_some((base, number, count, extension))
}

/// All parts of the file that `path` is one part of, in order; `path` alone where it is whole.
fn parts_of(path: &Path) -> Result<Vec<PathBuf>, HubError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let Some((base, _, count, extension)) = name.and_then(split_name) else { return Ok(vec![path.to_owned()]) };
    let total: usize = count.parse().unwrap_or(0);
    let mut files = Vec::new();
    for number in 1..=total.min(4096) {
        let name = format!("{base}-{number:0width$}-of-{count}.{extension}", width = count.len());
        let part = path.with_file_name(&name);
        if !part.exists() {
            return Err(HubError::new(Cause::MissingPart(name), path));
        }
        files.push(part);
    }
    Ok(if files.is_empty() { vec![path.to_owned()] } else { files })
}
