//! The repeated blocks of a network: all loaded, or read one ahead of the one that runs.

use super::weights::{Progress, Weights};
use crate::job::Failure;
use crate::ledger;
use crate::model::Unit;
use crossbeam_channel::bounded;
use std::ops::Range;

/// Blocks of type `B`, made by `load` where they are not kept.
pub(crate) enum Blocks<B> {
    Loaded(Vec<B>),
    Streamed(Box<dyn Fn(usize) -> Result<B, Failure> + Send + Sync>),
}

impl<B: Send> Blocks<B> {
    /// The blocks that `units` count, each made by `load` from its weights and its index: all now, or where `streamed`,
    /// each when it is its turn.
    pub(crate) fn load(
        weights: Weights,
        units: &[Unit],
        streamed: bool,
        progress: &mut Progress<'_>,
        load: impl Fn(&Weights, usize) -> Result<B, Failure> + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        if streamed {
            return Ok(Self::Streamed(Box::new(move |index| load(&weights, index))));
        }
        let mut blocks = Vec::with_capacity(units.len());
        for (index, unit) in units.iter().enumerate() {
            blocks.push(load(&weights, index)?);
            progress.add(unit.bytes)?;
        }
        Ok(Self::Loaded(blocks))
    }

    /// Runs `each` for the blocks of `range` in order; with streamed blocks at most two are alive at a time.
    pub(crate) fn run(
        &self,
        range: Range<usize>,
        mut each: impl FnMut(&B) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::Loaded(blocks) => blocks[range].iter().try_for_each(each),
            Self::Streamed(load) => std::thread::scope(|scope| {
                // A channel without room: the reader holds one block while the one before it runs.
                let (sender, receiver) = bounded::<Result<B, Failure>>(0);
                let reader = std::thread::Builder::new().name("headroom-read-ahead".to_owned());
                let pool = ledger::current();
                let spawned = reader.spawn_scoped(scope, move || {
                    let _books = ledger::Settles;
                    ledger::enter(pool);
                    for index in range {
                        let block = load(index);
                        let failed = block.is_err();
                        if sender.send(block).is_err() || failed {
                            return;
                        }
                    }
                });
                spawned.map_err(|e| Failure::Crash { what: format!("no thread to read ahead: {e}") })?;
                // Dropping the receiver on an early return lets the reader end.
                let receiver = receiver;
                while let Ok(block) = receiver.recv() {
                    let block = block?;
                    each(&block)?;
                }
                Ok(())
            }),
        }
    }
}
