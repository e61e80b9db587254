//! What the form means on a machine: the plan and the verdict of every slider position, kept until a question changes.

use super::host::ModelEntry;
use crate::machine::Machine;
use crate::planner::{Answer, CellVerdict, Decode, Policy, Rung, Tier, fit_cell, plan};
use crate::recipe::{Adjustment, Draft, Issue, Recipe, Vocabulary};
use crate::ui::scale::{SideScale, TRACK_CELLS, Track};
use crate::units::PixelSize;

/// Everything that the answers depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub draft: Draft,
    pub model: usize,
    pub policy: Policy,
    /// Counts changes of the machine that matter.
    pub machine_rev: u64,
}

pub struct Outlook {
    pub question: Question,
    pub recipe: Option<Recipe>,
    pub adjustments: Vec<Adjustment>,
    pub issues: Vec<Issue>,
    pub answer: Option<Answer>,
    /// Every tier and decode, also those that the policy rules out.
    pub ladder: Vec<Rung>,
    pub width_track: Track,
    pub height_track: Track,
}

impl Outlook {
    #[must_use]
    pub fn new(question: Question, machine: &Machine, model: &ModelEntry, vocabulary: &Vocabulary) -> Self {
        let (recipe, adjustments, issues) = match question.draft.parse(vocabulary) {
            Ok((recipe, adjustments)) => (Some(recipe), adjustments, Vec::new()),
            Err(issues) => (None, Vec::new(), issues),
        };
        let inventory = &*model.inventory;
        let answer = recipe.as_ref().map(|recipe| plan(machine, inventory, recipe, &question.policy));
        let open = Policy { tiers: Tier::ALL.to_vec(), decodes: Decode::ALL.to_vec(), ..question.policy };
        let ladder = match (&answer, &recipe) {
            (Some(answer), _) if open == question.policy => answer.ladder.clone(),
            (Some(_), Some(recipe)) => plan(machine, inventory, recipe, &open).ladder,
            _ => Vec::new(),
        };
        let (width_track, height_track) = drawable(&question.draft, vocabulary).map_or_else(Default::default, |base| {
            let scale = SideScale::of(vocabulary);
            let size = base.size();
            let track = |size_at: &dyn Fn(u32) -> PixelSize| -> Track {
                let cell = |index| {
                    let recipe = base.with_size(size_at(scale.cell_side(index)), vocabulary);
                    fit_cell(machine, inventory, &recipe, &question.policy)
                };
                (0..TRACK_CELLS).map(cell).collect()
            };
            (track(&|width| PixelSize::new(width, size.height)), track(&|height| PixelSize::new(size.width, height)))
        });
        Self { question, recipe, adjustments, issues, answer, ladder, width_track, height_track }
    }

    /// The verdict of the size in the form, as the tracks tell it.
    #[must_use]
    pub fn cell(&self) -> Option<CellVerdict> {
        use crate::planner::Verdict;
        let answer = self.answer.as_ref()?;
        Some(match answer.verdict {
            Verdict::Fits | Verdict::FitsWith(_) => CellVerdict::Fits(answer.plan.choice),
            Verdict::Short(_) => CellVerdict::Short,
            Verdict::CannotTell(_) => CellVerdict::CannotTell,
        })
    }
}

/// The draft with its size pulled into range, so that tracks stay painted while a side is being typed.
fn drawable(draft: &Draft, vocabulary: &Vocabulary) -> Option<Recipe> {
    let size = vocabulary.snap(draft.width, draft.height);
    let draft = Draft { width: i64::from(size.width), height: i64::from(size.height), ..draft.clone() };
    draft.parse(vocabulary).ok().map(|(recipe, _)| recipe)
}

/// The largest size of the draft's ratio that fits, found by halving along the range of sides.
#[must_use]
pub(super) fn largest_that_fits(
    draft: &Draft,
    machine: &Machine,
    model: &ModelEntry,
    policy: &Policy,
    vocabulary: &Vocabulary,
) -> Option<PixelSize> {
    let base = drawable(draft, vocabulary)?;
    let ratio = (draft.width.max(1) as f64 / draft.height.max(1) as f64).clamp(0.02, 50.0);
    let size_of = |longer: u32| {
        let (width, height) = if ratio >= 1.0 {
            (f64::from(longer), f64::from(longer) / ratio)
        } else {
            (f64::from(longer) * ratio, f64::from(longer))
        };
        vocabulary.snap(width.round() as i64, height.round() as i64)
    };
    let fits = |size| {
        let recipe = base.with_size(size, vocabulary);
        matches!(fit_cell(machine, &model.inventory, &recipe, policy), CellVerdict::Fits(_))
    };
    let multiple = vocabulary.multiple;
    let (mut low, mut high) = (vocabulary.side.min / multiple, vocabulary.side.max / multiple);
    if fits(size_of(high * multiple)) {
        return Some(size_of(high * multiple));
    }
    if !fits(size_of(low * multiple)) {
        return None;
    }
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if fits(size_of(middle * multiple)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(size_of(low * multiple))
}
