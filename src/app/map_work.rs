//! The fit map as it is computed: a few cells a frame, coarse ones first, so that no frame is late.

use super::host::ModelEntry;
use super::outlook::Question;
use crate::machine::Machine;
use crate::planner::{CellVerdict, fit_cell};
use crate::recipe::{Recipe, Vocabulary};
use crate::units::PixelSize;

/// Sides along each axis.
pub(super) const SIDES: usize = 64;
/// A cell takes some tens of microseconds at worst: these stay well under a frame.
const CELLS_A_FRAME: usize = 160;

pub struct MapWork {
    question: Question,
    pub sides: Vec<u32>,
    pub cells: Vec<Option<CellVerdict>>,
    order: Vec<(usize, usize)>,
    done: usize,
}

impl MapWork {
    #[must_use]
    pub fn new(question: Question, vocabulary: &Vocabulary) -> Self {
        let step = 32_u32.next_multiple_of(vocabulary.multiple);
        let first = vocabulary.side.min.div_ceil(step).max(1);
        let sides = (0..SIDES as u32).map(|index| (first + index) * step).collect();
        Self { question, sides, cells: vec![None; SIDES * SIDES], order: coarse_first(), done: 0 }
    }

    #[must_use]
    pub const fn finished(&self) -> bool {
        self.done >= self.order.len()
    }

    /// Computes some more. Starts over, over the old cells, where the question has changed meanwhile.
    pub fn advance(
        &mut self,
        question: &Question,
        machine: &Machine,
        model: &ModelEntry,
        vocabulary: &Vocabulary,
        recipe: &Recipe,
    ) {
        if self.finished() && self.question != *question {
            if self.question.model == question.model {
                self.question = question.clone();
                self.done = 0;
            } else {
                *self = Self::new(question.clone(), vocabulary);
            }
        }
        for &(x, y) in self.order.iter().skip(self.done).take(CELLS_A_FRAME) {
            let size = PixelSize::new(self.sides[x], self.sides[y]);
            let verdict =
                fit_cell(machine, &model.inventory, &recipe.with_size(size, vocabulary), &self.question.policy);
            self.cells[y * SIDES + x] = Some(verdict);
        }
        self.done = (self.done + CELLS_A_FRAME).min(self.order.len());
    }
}

/// Every eighth cell of every eighth row, then every fourth, and so on.
fn coarse_first() -> Vec<(usize, usize)> {
    let mut order = Vec::with_capacity(SIDES * SIDES);
    for stride in [8, 4, 2, 1] {
        for y in (0..SIDES).step_by(stride) {
            for x in (0..SIDES).step_by(stride) {
                let known = stride < 8 && x % (stride * 2) == 0 && y % (stride * 2) == 0;
                if !known {
                    order.push((x, y));
                }
            }
        }
    }
    order
}
