//! The core suite.

#[cfg(feature = "edges")]
mod ledger;
#[cfg(feature = "edges")]
mod probe;
