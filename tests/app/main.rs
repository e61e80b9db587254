//! The app suite: the window as people and screen readers meet it, without a screen, and the command line.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod backlog;
mod cli;
mod drawing;
mod icons;
mod intake;
#[cfg(unix)]
mod isolation;
mod journeys;
mod layout;
mod locales;
mod loras;
mod model;
mod studio;
mod support;
