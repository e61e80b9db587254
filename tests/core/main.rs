//! The core suite: no window, no candle. What needs an edge is gated by its feature.

mod architecture;
mod headers;
#[cfg(feature = "edges")]
mod hub;
mod json;
#[cfg(feature = "edges")]
mod ledger;
mod planner;
mod queue;
mod recipe;
#[cfg(feature = "edges")]
mod store;
mod support;
mod units;
