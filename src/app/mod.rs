//! The window's shell: it drains the worker, keeps the state, and hands the panels what they show.
//!
//! `logic` runs before every frame and while the window is hidden; `view` paints. Both only see [`State`], which
//! changes in two places: [`reduce`] for what is reported, [`apply`] for what is asked.

mod apply;
mod backlog;
mod command;
mod dialogs;
mod host;
mod inspect;
mod intake;
mod io;
mod logic;
mod map_work;
mod outlook;
mod progress;
mod reduce;
mod start;
mod state;
mod undo;
mod view;

pub use apply::apply;
pub use backlog::Shelf;
pub use command::{AppCommand, shortcut_of};
pub use host::{
    Backend, Backlog, Found, Host, Inspect, JobBook, LatentFiles, LeftJob, LeftOver, ModelEntry, Pick, Restored,
    RunBook, Save, Source, Standing, Unkept,
};
pub use intake::{Hovered, take};
pub use io::SaveTask;
pub use logic::App;
pub use progress::Run;
pub use reduce::{Effect, reduce, saved, unsent};
pub use start::{start, told};
pub use state::{News, State};
pub use undo::Undo;

use crate::ui;

/// Fits a screen of 1366 x 768 with a title bar and a taskbar.
const FIRST_SIZE: [f32; 2] = [1280.0, 690.0];

/// Opens the window and stays until it is closed.
///
/// # Errors
/// What the window system said, where no window could be opened.
pub fn run(host: Host) -> Result<(), String> {
    let size = host.settings.window.map_or(FIRST_SIZE, |(width, height)| [width, height]);
    let viewport = egui::ViewportBuilder::default()
        .with_title("Headroom")
        .with_app_id("headroom")
        .with_inner_size(size)
        .with_min_inner_size([640.0, 400.0])
        .with_icon(icon());
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    let start = move |context: &eframe::CreationContext<'_>| {
        let app = App::new(&context.egui_ctx, host)?;
        Ok(Box::new(app) as Box<dyn eframe::App>)
    };
    eframe::run_native("headroom", options, Box::new(start)).map_err(|error| error.to_string())
}

/// The mark of the program as the window's icon, drawn here so that no file can be missing.
fn icon() -> egui::IconData {
    const SIDE: u32 = 64;
    let rgba = (0..SIDE * SIDE).flat_map(|at| ui::icon::mark_pixel(at % SIDE, at / SIDE, SIDE)).collect();
    egui::IconData { rgba, width: SIDE, height: SIDE }
}
