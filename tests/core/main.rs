//! The core suite.
