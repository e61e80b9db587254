//! The core suite: no window, no candle, no file system needed by what it tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod architecture;
#[cfg(feature = "edges")]
mod downloads;
mod endings;
#[cfg(feature = "edges")]
mod files;
#[cfg(feature = "edges")]
mod flux;
mod headers;
#[cfg(feature = "edges")]
mod hub;
#[cfg(feature = "edges")]
mod hub_server;
mod import;
mod json;
#[cfg(feature = "edges")]
mod kept;
mod layouts;
mod learned;
#[cfg(feature = "edges")]
mod ledger;
#[cfg(feature = "edges")]
mod library;
mod loras;
mod noise;
mod packaging;
mod planner;
#[cfg(feature = "edges")]
mod probe;
mod prompt;
mod queue;
mod recipe;
mod sampling;
mod scenarios;
#[cfg(feature = "edges")]
mod stable_diffusion;
#[cfg(feature = "edges")]
mod store;
mod support;
mod units;
#[cfg(feature = "edges")]
mod worker;
