//! The core suite: no window, no candle, no file system needed by what it tests.

mod architecture;
mod headers;
mod json;
mod planner;
mod queue;
mod recipe;
mod support;
mod units;
