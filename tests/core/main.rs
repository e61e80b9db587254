//! The core suite: no window, no candle, no file system needed by what it tests.

mod architecture;
mod headers;
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
