//! The hidden subcommand behind which pictures are drawn: it hears orders on stdin and answers on stdout.

use super::args::WorkerArgs;
use super::error::{CliError, Exit};
use crate::engine::Engine;
use crate::hub;
use crate::job::{self, Failure};
use crate::probe::{self, confine};
use crate::recipe::{Recipe, Vocabulary};
use crate::store;
use crate::worker::{Broken, ChildHost, serve};
use std::io;

pub(super) fn run(arguments: WorkerArgs) -> Result<Exit, CliError> {
    confine::volunteer();
    let WorkerArgs { threads } = arguments;
    let host = ChildHost {
        make_engine: Box::new(move || engine(threads)),
        recipe,
        confine: confine::cap,
        rss: probe::rss,
        rss_peak: probe::rss_peak,
        reset_rss_peak: probe::reset_rss_peak,
    };
    serve(io::stdin(), io::stdout(), host).map_err(|error| CliError::output(&error))?;
    Ok(Exit::Done)
}

/// An engine in this process.
pub(crate) fn engine(threads: usize) -> Box<dyn job::Engine> {
    let resolve = |reference: &str| hub::open(reference).map_err(Failure::from);
    match Engine::new(threads, Box::new(resolve)) {
        Ok(engine) => Box::new(engine),
        Err(failure) => Box::new(Broken(failure)),
    }
}

fn recipe(model: &str, text: &str) -> Result<Recipe, Failure> {
    let odd = |what: String| Failure::Crash { what: format!("an order that cannot be read: {what}") };
    let draft = store::recipe_from_text(text).map_err(odd)?;
    let model = hub::open(model).map_err(Failure::from)?.inventory;
    let parsed = draft.parse(&Vocabulary::of(&model)).map_err(|issues| odd(format!("{issues:?}")))?;
    Ok(parsed.0)
}
