#![doc = include_str!("../ARCHITECTURE.md")]

// Core: pure values and arithmetic.
pub mod gallery;
pub mod job;
pub mod machine;
pub mod model;
pub mod pixels;
pub mod planner;
pub mod recipe;
pub mod units;

// Edges: each imports core only.
#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "edges")]
pub mod hub;
#[cfg(feature = "edges")]
pub mod i18n;
#[cfg(feature = "edges")]
pub mod ledger;
#[cfg(feature = "edges")]
pub mod probe;
#[cfg(feature = "edges")]
pub mod store;
#[cfg(feature = "gui")]
pub mod ui;
#[cfg(feature = "edges")]
pub mod worker;

// Shell: wires the edges together.
#[cfg(all(feature = "gui", feature = "engine"))]
pub mod app;
#[cfg(feature = "engine")]
pub mod cli;
