//! What a person at a terminal sees while a picture is drawn: one line that is written over.

use super::out;
use super::text::duration;
use crate::job::Event;
use crate::units::Secs;
use std::io::{self, IsTerminal as _};

pub(super) struct Progress {
    shown: bool,
    length: usize,
    pictures: u32,
}

impl Progress {
    pub(super) fn new(pictures: u32) -> Self {
        Self { shown: io::stderr().is_terminal(), length: 0, pictures }
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

    fn line(&mut self, text: &str) {
        if self.shown {
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
        }
    }
}
