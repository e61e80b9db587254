//! Ctrl+C: the first one cancels, the second one ends the program at once.

use super::error::Exit;
use crate::job::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(20);

/// Lets signals reach `cancel`. Where the system does not, the program ends on them as usual.
pub(super) fn connect(cancel: &Cancel) {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let hard = flag::register_conditional_shutdown(signal, Exit::Cancelled as i32, Arc::clone(&asked));
        let soft = flag::register(signal, Arc::clone(&asked));
        if let Err(error) = hard.and(soft) {
            tracing::info!(%error, signal, "cannot be heard");
        }
    }
    // A handler may only set a flag; this thread ends with the process.
    let cancel = cancel.clone();
    let watcher = Builder::new().name("headroom-interrupt".to_owned()).spawn(move || {
        while !asked.load(Ordering::Relaxed) {
            std::thread::sleep(PERIOD);
        }
        cancel.cancel();
    });
    if let Err(error) = watcher {
        tracing::info!(%error, "Ctrl+C ends the program at once");
    }
}
