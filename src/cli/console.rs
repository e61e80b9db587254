//! Windows: a program with a window gets no console, so that none flashes up at a double click. Started from one, it
//! joins that console to speak there.

#![expect(unsafe_code, reason = "the system's own functions")]

use windows::Win32::System::Console::{
    ATTACH_PARENT_PROCESS, AttachConsole, GetStdHandle, STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE,
    STD_OUTPUT_HANDLE, SetStdHandle,
};
use windows::Win32::UI::WindowsAndMessaging::{MB_ICONERROR, MB_OK, MESSAGEBOX_STYLE, MessageBoxW};
use windows::core::{HSTRING, w};

const STYLE: MESSAGEBOX_STYLE = MESSAGEBOX_STYLE(MB_OK.0 | MB_ICONERROR.0);
const STANDARD: [STD_HANDLE; 3] = [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE];

/// Joins the console of the program that started this one, where it has one. What was redirected to a file or a pipe
/// stays so.
pub(super) fn attach() {
    // SAFETY: asking for a handle has no conditions.
    let given = STANDARD.map(|which| unsafe { GetStdHandle(which) }.ok().filter(|handle| !handle.is_invalid()));
    // SAFETY: as above; without a console to join nothing changes.
    if unsafe { AttachConsole(ATTACH_PARENT_PROCESS) }.is_err() {
        return;
    }
    for (which, handle) in STANDARD.into_iter().zip(given) {
        if let Some(handle) = handle {
            // SAFETY: the handle was this process's own standard handle a moment ago.
            if let Err(error) = unsafe { SetStdHandle(which, handle) } {
                tracing::debug!(%error, "a redirection was lost");
            }
        }
    }
}

/// A box with an error, for when there is no window to show it in. Waits until it is closed.
pub(super) fn alert(text: &str) {
    // SAFETY: both texts end in zero and live until the box is closed; no window owns it.
    unsafe {
        MessageBoxW(None, &HSTRING::from(text), w!("Headroom"), STYLE);
    }
}
