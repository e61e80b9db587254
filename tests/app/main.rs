//! The app suite: the window as people and screen readers meet it, without a screen.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod journeys;
mod locales;
mod model;
mod support;
