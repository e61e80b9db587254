//! `models get` and `models catalogue`: what can be fetched, how large it is, whether it fits, and the fetching.

use super::args::{ModelsCatalogueArgs, ModelsGetArgs};
use super::error::{CliError, Exit};
use super::interrupt;
use super::json::PlanJson;
use super::progress::Progress;
use super::{here, out, output, text};
use crate::hub::download::{self, Access, DownloadError, Hub, Listed, RepoFile, Survey, Trouble, Wanted};
use crate::hub::{CatalogueModel, CataloguePart, catalogue};
use crate::job::Cancel;
use crate::planner::{Answer, Device, Policy, plan};
use crate::probe;
use crate::recipe::{Draft, Vocabulary};
use crate::store;
use crate::units::Bytes;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// Files of a repository that are offered by name.
const MOST_OFFERED: usize = 24;

#[derive(Serialize)]
struct FileJson<'a> {
    repo: &'a str,
    path: &'a str,
    bytes: u64,
    sha256: Option<&'a str>,
    file: &'a Path,
}

#[derive(Serialize)]
struct GetJson<'a> {
    files: Vec<FileJson<'a>>,
    bytes: u64,
    /// What was not here yet.
    fetched: u64,
    dry_run: bool,
    /// Of a picture at the model's own size; `null` for parts and where it could not be told.
    plan: Option<PlanJson>,
}

fn files_json(survey: &Survey) -> Vec<FileJson<'_>> {
    let mut files = Vec::with_capacity(survey.files.len());
    for (wanted, remote) in &survey.files {
        let (repo, path) = (wanted.file.repo.as_str(), wanted.file.path.as_str());
        files.push(FileJson {
            repo,
            path,
            bytes: remote.bytes,
            sha256: remote.sha256.as_deref(),
            file: &wanted.target,
        });
    }
    files
}

pub(super) fn run(arguments: &ModelsGetArgs) -> Result<Exit, CliError> {
    let hub = Hub::new(Access::from_environment());
    let root = arguments.to.clone().unwrap_or_else(store::models_folder);
    let wanted = wanted(&hub, &arguments.what, &root)?;
    let survey = download::survey(&hub, &wanted).map_err(|error| CliError::download(&error))?;
    let answer = if is_model(&arguments.what) { answer(&hub, &survey)? } else { None };
    if !arguments.json {
        for (wanted, remote) in &survey.files {
            out::note(format_args!("{}  {}", Bytes(remote.bytes), wanted.target.display()));
        }
        out::note(format_args!("{} in all, {} of it to be fetched", survey.total, survey.missing));
        if let Some(answer) = &answer {
            out::note(text::summary(answer));
        }
    }
    survey.check_room(probe::disk_free(&root).known(), &root).map_err(|error| CliError::download(&error))?;
    if !arguments.dry_run {
        fetch(&hub, &survey)?;
    }
    if arguments.json {
        let plan = answer.as_ref().map(PlanJson::from);
        let (bytes, fetched) = (survey.total.get(), survey.missing.get());
        out::json(&GetJson { files: files_json(&survey), bytes, fetched, dry_run: arguments.dry_run, plan })?;
    } else if !arguments.dry_run {
        for (wanted, _) in &survey.files {
            out::result(wanted.target.display())?;
        }
        if let (Some((denoiser, _)), true) = (survey.files.first(), is_model(&arguments.what)) {
            out::note(format_args!("draw with `--model \"{}\"`", denoiser.target.display()));
        }
    }
    Ok(Exit::Done)
}

fn is_model(name: &str) -> bool {
    catalogue().models.iter().any(|model| model.name == name)
}

/// The files that a name stands for, each with its place.
fn wanted(hub: &Hub, name: &str, root: &Path) -> Result<Vec<Wanted>, CliError> {
    if let Some(parts) = catalogue().find(name) {
        return Ok(parts.into_iter().map(|part| part.wanted(root)).collect());
    }
    if let Some(file) = RepoFile::parse(name) {
        let target = root.join(file.name());
        return Ok(vec![Wanted { file, target }]);
    }
    if download::is_repo(name) {
        let listed = hub.list(name).map_err(|error| CliError::download(&error))?;
        return Err(which(name, &listed));
    }
    let known: Vec<&str> = catalogue().models.iter().map(|model| model.name.as_str()).collect();
    let error = CliError::usage(format!("no model has the name `{name}`"));
    Err(error.hint(format!("known: {}; or name a file like `OWNER/NAME:PATH`", known.join(", "))))
}

fn which(repo: &str, listed: &[Listed]) -> CliError {
    let is_weights = |file: &&Listed| {
        let extension = Path::new(&file.path).extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|known| ["safetensors", "gguf", "sft", "ckpt", "pth"].contains(&known))
    };
    let weights: Vec<&Listed> = listed.iter().filter(is_weights).collect();
    if weights.is_empty() {
        return CliError::usage(format!("there are no weight files in {repo}"));
    }
    let mut error = CliError::usage(format!("which file of {repo}?"));
    for file in weights.iter().take(MOST_OFFERED) {
        error = error.hint(format!("`headroom models get \"{repo}:{}\"`  {}", file.path, Bytes(file.size)));
    }
    if weights.len() > MOST_OFFERED {
        error = error.hint(format!("and {} more", weights.len() - MOST_OFFERED));
    }
    error
}

fn fetch(hub: &Hub, survey: &Survey) -> Result<(), CliError> {
    let cancel = Cancel::default();
    let token = cancel.token();
    interrupt::connect(&cancel);
    let mut progress = Progress::new(0);
    for (wanted, _) in &survey.files {
        let fetched = download::fetch(hub, wanted, &token, &mut |told| progress.hear_download(told));
        progress.clear();
        fetched.map_err(|error| CliError::download(&error))?;
    }
    Ok(())
}

/// The verdict on a picture of the model's own size, told from the headers of its files. `None` where they do not tell.
fn answer(hub: &Hub, survey: &Survey) -> Result<Option<Answer>, CliError> {
    let scratch = match tempfile::TempDir::new() {
        Ok(scratch) => scratch,
        Err(error) => {
            tracing::info!(%error, "no temporary folder can be made");
            return Ok(None);
        }
    };
    let model = match download::preview(hub, survey, scratch.path()) {
        Ok(Ok(files)) => files.inventory,
        Ok(Err(error)) => {
            tracing::info!(%error, "the headers do not make a model");
            return Ok(None);
        }
        Err(error) => {
            tracing::info!(%error, "the headers cannot be fetched");
            return Ok(None);
        }
    };
    let vocabulary = Vocabulary::of(&model);
    let Ok((recipe, _)) = Draft::new(&vocabulary).parse(&vocabulary) else { return Ok(None) };
    let mut policy = Policy::new(Device::Cpu);
    policy.runtime = here::runtime();
    let machine = here::machine(output::place(None)?.folder());
    Ok(Some(plan(&machine, &model, &recipe, &policy)))
}

#[derive(Serialize)]
struct ModelJson<'a> {
    name: &'a str,
    title: &'a str,
    licences: Vec<&'a str>,
    gated: bool,
    parts: Vec<PartJson<'a>>,
    /// All files; `null` where the hub did not say.
    bytes: Option<u64>,
    missing: Option<u64>,
    plan: Option<PlanJson>,
    trouble: Option<String>,
}

#[derive(Serialize)]
struct PartJson<'a> {
    name: &'a str,
    repo: &'a str,
    path: &'a str,
    bytes: Option<u64>,
}

/// What is known of a model that was asked for.
struct Entry {
    model: &'static CatalogueModel,
    parts: Vec<&'static CataloguePart>,
    survey: Result<Survey, DownloadError>,
    answer: Option<Answer>,
}

impl Entry {
    fn licences(&self) -> Vec<&'static str> {
        self.parts.iter().map(|part| part.licence.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn json(&self) -> ModelJson<'_> {
        let survey = self.survey.as_ref().ok();
        let part = |(index, part): (usize, &&'static CataloguePart)| PartJson {
            name: &part.name,
            repo: &part.repo,
            path: &part.path,
            bytes: survey.and_then(|survey| survey.files.get(index)).map(|(_, remote)| remote.bytes),
        };
        ModelJson {
            name: &self.model.name,
            title: &self.model.title,
            licences: self.licences(),
            gated: self.parts.iter().any(|part| part.gated),
            parts: self.parts.iter().enumerate().map(part).collect(),
            bytes: survey.map(|survey| survey.total.get()),
            missing: survey.map(|survey| survey.missing.get()),
            plan: self.answer.as_ref().map(PlanJson::from),
            trouble: self.survey.as_ref().err().map(ToString::to_string),
        }
    }

    fn text(&self) -> String {
        let (size, verdict) = match &self.survey {
            Ok(survey) => {
                let here = if survey.missing == Bytes::ZERO { ", all here" } else { "" };
                let verdict =
                    self.answer.as_ref().map_or_else(|| "cannot tell whether it fits".to_owned(), text::summary);
                (format!("{} in {} files{here}", survey.total, survey.files.len()), verdict)
            }
            Err(error) => ("size unknown".to_owned(), format!("{}; {}", error.trouble, error.hint())),
        };
        let CatalogueModel { name, title, .. } = self.model;
        format!("{name:<24}{size}\n  {title}; licence {}\n  {verdict}", self.licences().join(", "))
    }
}

pub(super) fn list(arguments: &ModelsCatalogueArgs) -> Result<Exit, CliError> {
    let all = &catalogue().models;
    if let Some(unknown) = arguments.names.iter().find(|name| !is_model(name)) {
        let known: Vec<&str> = all.iter().map(|model| model.name.as_str()).collect();
        return Err(super::request::unknown("model of the catalogue", unknown, &known));
    }
    let hub = Hub::new(Access::from_environment());
    let root = store::models_folder();
    let mut unreachable: Option<DownloadError> = None;
    let mut entries = Vec::new();
    for model in all.iter().filter(|model| arguments.names.is_empty() || arguments.names.contains(&model.name)) {
        let parts = model.parts();
        let wanted: Vec<Wanted> = parts.iter().map(|part| part.wanted(&root)).collect();
        // One that cannot be reached is not asked again for each model.
        let survey = unreachable.clone().map_or_else(|| download::survey(&hub, &wanted), Err);
        if let Err(error) = &survey
            && matches!(error.trouble, Trouble::Unreachable(_))
        {
            unreachable = Some(error.clone());
        }
        let answer = survey.as_ref().ok().map(|survey| answer(&hub, survey)).transpose()?.flatten();
        entries.push(Entry { model, parts, survey, answer });
    }
    if arguments.json {
        out::json(&entries.iter().map(Entry::json).collect::<Vec<_>>())?;
    } else {
        out::result(entries.iter().map(Entry::text).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::Done)
}
