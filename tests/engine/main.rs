//! The engine suite.
