//! The app suite: the window as people and screen readers meet it, without a screen.

mod support;
