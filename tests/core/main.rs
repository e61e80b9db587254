//! The core suite: no window, no candle, no file system needed by what it tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod architecture;
mod headers;
#[cfg(feature = "edges")]
mod hub;
mod import;
mod json;
#[cfg(feature = "edges")]
mod ledger;
mod planner;
#[cfg(feature = "edges")]
mod probe;
mod queue;
mod recipe;
#[cfg(feature = "edges")]
mod store;
mod support;
mod units;
#[cfg(feature = "edges")]
mod worker;
