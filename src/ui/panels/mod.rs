//! The parts of the window, from left to right and top to bottom.

pub mod action;
pub mod drop;
pub mod fit_map;
pub mod gallery;
pub mod header;
pub mod memory;
pub mod notices;
pub mod parameters;
pub mod queue;
pub mod settings;
pub mod size;
pub mod viewer;
pub mod ways;
