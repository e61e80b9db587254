//! The files that complete a denoiser: text encoder, VAE and tokenizer, found where people keep them.
//!
//! Looked through in this order: files that the user named, the denoiser's own folder, the folders of ComfyUI, Forge
//! and `SwarmUI` around it, the cache of the Hugging Face libraries. What a file is for is told from its tensors.

use super::reader;
use super::set::{FileSet, split_name};
use crate::model::{FileRef, Part, TokenList, layout};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders beside a denoiser's, or beside one above it, in which its companions are kept.
const FOLDERS: [&str; 11] = [
    "text_encoders",
    "text_encoder",
    "text_encoder_2",
    "text_encoder_3",
    "clip",
    "vae",
    "VAE",
    "tokenizer",
    "tokenizer_2",
    "tokenizer_3",
    "split_files",
];
/// Levels above the denoiser's folder in which those folders are looked for.
const LEVELS: usize = 3;
/// Entries of one folder, and files in all, that are looked at: a folder of thousands must not hold up a plan.
const MOST_ENTRIES: usize = 512;
const MOST_FILES: usize = 256;
const MOST_FOLDERS: usize = 256;
/// Longest tokenizer that is believed.
const MAX_TOKENIZER: u64 = 64 << 20;

/// A companion that was found: its files and the network in them.
pub(super) struct Found {
    pub set: FileSet,
    pub part: Part,
}

/// Where companions are looked for.
pub(super) struct Places {
    named: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// Networks of the files seen so far: each is read once.
    seen: Vec<(FileSet, Vec<Part>)>,
    queue: Vec<PathBuf>,
}

impl Places {
    pub(super) fn new(model: &Path, named: &[PathBuf]) -> Self {
        let folders = folders_around(model);
        let mut queue: Vec<PathBuf> = named.to_vec();
        for folder in &folders {
            queue.extend(weight_files(folder));
        }
        queue.truncate(MOST_FILES);
        queue.reverse();
        Self { named: named.to_vec(), folders, seen: Vec::new(), queue }
    }

    /// Folders that were looked through, for messages.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        self.folders.clone()
    }

    /// The first network that fits. Files that cannot be read are passed over: they belong to something else.
    pub(super) fn network(&mut self, fits: impl Fn(&Part) -> bool) -> Option<Found> {
        let mut at = 0;
        loop {
            while at < self.seen.len() {
                let (set, parts) = &self.seen[at];
                if let Some(part) = parts.iter().find(|part| fits(part)) {
                    return Some(Found { set: set.clone(), part: part.clone() });
                }
                at += 1;
            }
            let path = self.queue.pop()?;
            if let Ok(set) = FileSet::open(&path)
                && let Ok(parts) = layout::parts(&set.table)
            {
                self.seen.push((set, parts));
            }
        }
    }

    /// The tokenizer of a text encoder: the file's own, or one that lies beside it or among the companions.
    pub(super) fn tokenizer(&self, encoder: &FileSet, wanted: &Vocabulary) -> Option<FileRef> {
        let mut candidates: Vec<PathBuf> = encoder.files.clone();
        candidates.extend(self.named.iter().cloned());
        if let Some(folder) = encoder.files.first().and_then(|file| file.parent()) {
            candidates.extend(tokenizer_files(folder));
            for beside in ["tokenizer", "../tokenizer", "../tokenizer_2", "../tokenizer_3"] {
                candidates.extend(tokenizer_files(&folder.join(beside)));
            }
        }
        for folder in &self.folders {
            candidates.extend(tokenizer_files(folder));
        }
        candidates.truncate(MOST_FILES);
        candidates.into_iter().map(FileRef::Path).find(|file| wanted.is_in(file))
    }
}

/// How the words of a text encoder are known, whatever file they are in.
pub(super) struct Vocabulary {
    /// One of them that no other vocabulary has.
    pub word: &'static str,
    /// The kind that GGUF metadata calls it.
    pub kind: &'static str,
    /// Whether it is published as a sentencepiece model too.
    pub sentencepiece: bool,
}

impl Vocabulary {
    fn is_in(&self, file: &FileRef) -> bool {
        let Ok(start) = reader::start(file, 4) else { return false };
        if start == b"GGUF" {
            return reader::tokens_kind(file).is_some_and(|kind| kind == self.kind);
        }
        let is_json = start.first() == Some(&b'{');
        let is_sentencepiece = self.sentencepiece && TokenList::is_sentencepiece(&start);
        if !is_json && !is_sentencepiece {
            return false;
        }
        let word = self.word.as_bytes();
        let has_word = |bytes: Vec<u8>| bytes.windows(word.len()).any(|part| part == word);
        !is_json || reader::read_small(file, MAX_TOKENIZER).is_ok_and(has_word)
    }
}

fn extension_is(path: &Path, wanted: &[&str]) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| wanted.iter().any(|wanted| extension.eq_ignore_ascii_case(wanted)))
}

/// Visible entries of a folder, sorted; none where it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<PathBuf> = listing
        .take(MOST_ENTRIES)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')))
        .collect();
    all.sort();
    all
}

fn is_weight_file(path: &Path) -> bool {
    // Later parts of a split file come with the first.
    let name = path.file_name().and_then(OsStr::to_str);
    let later = name.and_then(split_name).is_some_and(|(_, number, _, _)| number.trim_start_matches('0') != "1");
    extension_is(path, &["safetensors", "sft", "gguf", "ckpt", "pt", "pth", "bin"]) && !later
}

/// Weight files in a folder, then those in the folders right below it.
fn weight_files(folder: &Path) -> Vec<PathBuf> {
    let all = entries(folder);
    let mut files: Vec<PathBuf> = all.iter().filter(|path| is_weight_file(path)).cloned().collect();
    let holds_companions = folder.file_name().is_some_and(|name| FOLDERS.iter().any(|known| name == *known));
    if holds_companions {
        for below in all.iter().filter(|path| path.is_dir()) {
            files.extend(entries(below).into_iter().filter(|path| is_weight_file(path)));
        }
    }
    files
}

fn tokenizer_files(folder: &Path) -> Vec<PathBuf> {
    let is_tokenizer = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        name.ends_with("tokenizer.json") || name.ends_with("spiece.model")
    };
    entries(folder).into_iter().filter(is_tokenizer).collect()
}

/// The folders in which companions of `model` may be, nearest first, each once.
fn folders_around(model: &Path) -> Vec<PathBuf> {
    let whole = std::path::absolute(model).unwrap_or_else(|_| model.to_owned());
    let mut all: Vec<PathBuf> = Vec::new();
    let mut add = |folder: PathBuf| {
        if all.len() < MOST_FOLDERS && !all.contains(&folder) && folder.is_dir() {
            all.push(folder);
        }
    };
    for (level, above) in whole.ancestors().skip(1).take(LEVELS + 1).enumerate() {
        if level == 0 {
            add(above.to_owned());
        }
        for name in FOLDERS {
            add(above.join(name));
        }
    }
    for snapshot in cached_snapshots() {
        add(snapshot.clone());
        for name in FOLDERS {
            add(snapshot.join(name));
            add(snapshot.join("split_files").join(name));
        }
    }
    all
}

/// Models in the cache of the Hugging Face libraries, by the variables and the place that they use.
fn cached_snapshots() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || directories::BaseDirs::new().map(|folders| folders.home_dir().join(".cache").join("huggingface"));
    let cache = variable("HF_HUB_CACHE").or_else(|| variable("HF_HOME").or_else(home).map(|home| home.join("hub")));
    let Some(cache) = cache else { return Vec::new() };
    let is_model = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("models--"));
    entries(&cache).into_iter().filter(is_model).flat_map(|model| entries(&model.join("snapshots"))).collect()
}
