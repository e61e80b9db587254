//! Well-known models by name: which files they are, and where these are published.

use super::download::{RepoFile, Wanted};
use serde::Deserialize;
use std::path::Path;
use std::sync::LazyLock;

/// One published file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CataloguePart {
    pub name: String,
    pub repo: String,
    /// Inside the repository, with `/`.
    pub path: String,
    /// Where such files are kept, as in `ComfyUI`.
    pub folder: String,
    pub licence: String,
    /// Whether the licence must be accepted on the hub first.
    #[serde(default)]
    pub gated: bool,
}

impl CataloguePart {
    /// The file and its place under `root`.
    #[must_use]
    pub fn wanted(&self, root: &Path) -> Wanted {
        let file = RepoFile::new(&self.repo, &self.path);
        let target = root.join(&self.folder).join(file.name());
        Wanted { file, target }
    }
}

/// A model that is drawn with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueModel {
    pub name: String,
    pub title: String,
    /// Names of parts, the denoiser's first.
    parts: Vec<String>,
}

impl CatalogueModel {
    /// Everything that drawing needs, the denoiser first.
    #[must_use]
    pub fn parts(&self) -> Vec<&'static CataloguePart> {
        self.parts.iter().filter_map(|name| catalogue().parts.iter().find(|part| part.name == *name)).collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    #[serde(rename = "part")]
    pub parts: Vec<CataloguePart>,
    #[serde(rename = "model")]
    pub models: Vec<CatalogueModel>,
}

impl Catalogue {
    /// The parts that a name stands for: of a model, or the one part that is called so.
    #[must_use]
    pub fn find(&'static self, name: &str) -> Option<Vec<&'static CataloguePart>> {
        let model = self.models.iter().find(|model| model.name == name);
        let part = || self.parts.iter().find(|part| part.name == name).map(|part| vec![part]);
        model.map(CatalogueModel::parts).or_else(part)
    }
}

/// The catalogue of this version of the program (`assets/models.toml`).
#[must_use]
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models.toml"));
        toml::from_str(text).unwrap_or_else(|error| {
            // A test reads it: a program that was built cannot meet this.
            tracing::error!(%error, "the catalogue is damaged");
            Catalogue { parts: Vec::new(), models: Vec::new() }
        })
    });
    &CATALOGUE
}
