//! The app suite.
