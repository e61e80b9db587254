//! The app suite: the window as people and screen readers meet it, without a screen.

mod journeys;
mod locales;
mod model;
mod support;
