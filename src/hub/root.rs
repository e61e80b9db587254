//! Where the files of one model lie: a folder on disk, or a table inside the program.

use crate::model::FileRef;
use std::path::{Path, PathBuf};

pub(super) type EmbeddedFile = (&'static str, &'static [u8]);

pub(super) enum Root {
    Folder(PathBuf),
    Embedded(&'static [EmbeddedFile]),
}

impl Root {
    /// The file at `inside`, written with `/`; `None` where there is none.
    pub(super) fn file(&self, inside: &str) -> Option<FileRef> {
        match self {
            Self::Folder(folder) => {
                let path = join(folder, inside);
                path.exists().then_some(FileRef::Path(path))
            }
            Self::Embedded(files) => {
                files.iter().find(|(name, _)| *name == inside).map(|&(name, bytes)| FileRef::Embedded { name, bytes })
            }
        }
    }

    /// For messages.
    pub(super) fn display(&self, inside: &str) -> PathBuf {
        match self {
            Self::Folder(folder) => join(folder, inside),
            Self::Embedded(_) => PathBuf::from(format!("(built in) {inside}")),
        }
    }

    /// Names of the safetensors files right in a folder, sorted; hidden ones (`._x` of macOS) are not seen.
    pub(super) fn weight_names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Self::Folder(root) => std::fs::read_dir(join(root, folder))
                .into_iter()
                .flatten()
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .collect(),
            Self::Embedded(files) => files
                .iter()
                .filter_map(|(name, _)| Some(name.strip_prefix(folder)?.strip_prefix('/')?.to_owned()))
                .collect(),
        };
        names.retain(|name| !name.starts_with('.') && is_safetensors(name));
        names.sort();
        names
    }
}

fn is_safetensors(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("safetensors"))
}

fn join(folder: &Path, inside: &str) -> PathBuf {
    inside.split('/').filter(|part| !part.is_empty()).fold(folder.to_owned(), |path, part| path.join(part))
}
