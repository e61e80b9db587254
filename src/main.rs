//! The window.

#[expect(clippy::print_stderr, reason = "the last word of a window that could not be opened")]
fn main() -> std::process::ExitCode {
    match headroom::app::start() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("headroom: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
