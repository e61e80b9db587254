//! The app suite.
mod cli;
