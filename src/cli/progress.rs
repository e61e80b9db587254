//! What a person at a terminal sees while a picture is drawn or a file fetched: one line that is written over.

use super::out;
use super::text::duration;
use crate::hub::download;
use crate::job::Event;
use crate::units::{Bytes, Secs};
use std::io::{self, IsTerminal as _};
use std::path::Path;

pub(super) struct Progress {
    shown: bool,
    length: usize,
    last: String,
    pictures: u32,
}

impl Progress {
    pub(super) fn new(pictures: u32) -> Self {
        Self { shown: io::stderr().is_terminal(), length: 0, last: String::new(), pictures }
    }

    pub(super) fn hear(&mut self, event: &Event) {
        match event {
            Event::Phase { phase, .. } => self.line(&phase.name().replace('_', " ")),
            Event::Loading { done, total, .. } => self.line(&format!("loading {done} of {total}")),
            Event::Step { picture, step, steps, elapsed, .. } => {
                let which = if self.pictures > 1 {
                    format!("picture {} of {}, ", picture + 1, self.pictures)
                } else {
                    String::new()
                };
                let done = f64::from(picture * steps + step);
                let left = f64::from(self.pictures * steps) - done;
                let eta = Secs(elapsed.0 / done.max(1.0) * left);
                self.line(&format!("{which}step {step} of {steps}, {} left", duration(eta)));
            }
            _ => {}
        }
    }

    pub(super) fn hear_download(&mut self, told: download::Progress<'_>) {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match told {
            download::Progress::Checking { path } => self.line(&format!("{}: checking what is here", name(path))),
            download::Progress::Arrived { path, bytes, total } => {
                self.line(&format!("{}: {} of {}", name(path), Bytes(bytes), Bytes(total)));
            }
            download::Progress::Waiting { error, pause } => {
                self.clear();
                out::note(format_args!("{error}; again in {}", duration(Secs(pause.as_secs_f64()))));
            }
        }
    }

    fn line(&mut self, text: &str) {
        if self.shown && text != self.last {
            text.clone_into(&mut self.last);
            let length = text.chars().count();
            let blanks = self.length.saturating_sub(length);
            out::stderr(format_args!("\r{text}{:blanks$}", ""));
            self.length = length;
        }
    }

    /// Leaves a clean line behind.
    pub(super) fn clear(&mut self) {
        if self.shown && self.length > 0 {
            out::stderr(format_args!("\r{:width$}\r", "", width = self.length));
            self.length = 0;
            self.last.clear();
        }
    }
}
