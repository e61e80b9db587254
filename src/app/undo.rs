//! Every change of the form can be taken back: not only words, sliders and switches, too.

use crate::ui::Form;

/// More steps than anybody walks back.
const MOST: usize = 200;
/// Words typed within this many seconds are one change.
const PAUSE: f64 = 1.0;

pub struct Undo {
    past: Vec<Form>,
    future: Vec<Form>,
    now: Form,
    changed_at: f64,
}

impl Undo {
    #[must_use]
    pub fn new(form: &Form) -> Self {
        Self { past: Vec::new(), future: Vec::new(), now: form.clone(), changed_at: f64::NEG_INFINITY }
    }

    /// Notes the form as it is at `time`. Call it while nothing is being dragged.
    pub fn observe(&mut self, form: &Form, time: f64) {
        if same(&self.now, form) {
            return;
        }
        let typed = {
            let mut words = self.now.clone();
            words.draft.prompt.clone_from(&form.draft.prompt);
            words.draft.negative.clone_from(&form.draft.negative);
            same(&words, form)
        };
        let continued = typed && time - self.changed_at < PAUSE && !self.past.is_empty();
        if !continued {
            self.past.push(self.now.clone());
            if self.past.len() > MOST {
                self.past.remove(0);
            }
        }
        // Only a run of typing can be continued.
        self.changed_at = if typed { time } else { f64::NEG_INFINITY };
        self.future.clear();
        self.now = form.clone();
    }

    pub fn undo(&mut self) -> Option<Form> {
        let before = self.past.pop()?;
        self.future.push(std::mem::replace(&mut self.now, before));
        self.changed_at = f64::NEG_INFINITY;
        Some(self.now.clone())
    }

    pub fn redo(&mut self) -> Option<Form> {
        let after = self.future.pop()?;
        self.past.push(std::mem::replace(&mut self.now, after));
        Some(self.now.clone())
    }
}

/// A seed that is rolled for each picture is no change of the user's.
fn same(a: &Form, b: &Form) -> bool {
    let rolled = |form: &Form| {
        let mut form = form.clone();
        if form.seeds != crate::ui::Seeds::Fixed {
            form.draft.seed = 0;
        }
        form
    };
    rolled(a) == rolled(b)
}
