//! The search: the fastest choice that fits, with every other one priced beside it.

use super::placement::{PhaseNeed, Pool, Terms, Work};
use super::policy::{Device, Policy};
use super::remedies::{self, Remedy};
use super::{Choice, Decode, Phase, Tier, timeline};
use crate::machine::{GpuKind, Machine, Reading, Unknown};
use crate::model::Inventory;
use crate::recipe::Recipe;
use crate::units::{Bytes, Secs};

/// What a plan answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Fits,
    /// Fits, with something slower or a little different from the best.
    FitsWith(Vec<Concession>),
    Short(Shortage),
    /// A reading that matters is missing or implausible. Never blocks.
    CannotTell(Vec<(Pool, Unknown)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concession {
    Phased,
    Streamed,
    Banded,
    Tiled,
}

/// Where a request is too large, and by how much at the choice that comes closest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    pub pool: Pool,
    pub phase: Phase,
    pub by: Bytes,
    /// Against a limit that the user set: no second click overrides it.
    pub hard: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolBudget {
    pub pool: Pool,
    pub budget: Reading,
    /// The budget is the user's own limit.
    pub hard: bool,
}

/// One choice with its needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub choice: Choice,
    pub phases: [PhaseNeed; Phase::ALL.len()],
    pub secs: [Option<Secs>; Phase::ALL.len()],
    pub budgets: Vec<PoolBudget>,
    /// Added to each need before it is compared with a budget.
    pub margin: Bytes,
    /// What was learned of each phase's pace, in `secs` already.
    pub pace: [f64; Phase::ALL.len()],
    layout: Layout,
}

/// One rung of the ladder: a choice, what it takes, whether it fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    pub choice: Choice,
    pub peaks: Vec<(Pool, Bytes)>,
    /// `None` where a reading that matters is missing.
    pub fits: Option<bool>,
    pub secs: Option<Secs>,
}

/// The whole answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub verdict: Verdict,
    /// The plan that would run: the one that fits, else the one that comes closest.
    pub plan: Plan,
    pub ladder: Vec<Rung>,
    pub remedies: Vec<Remedy>,
}

impl Answer {
    /// Whether a run may start without a second click.
    #[must_use]
    pub const fn admits(&self) -> bool {
        !matches!(self.verdict, Verdict::Short(_))
    }
}

/// How the two sides of a need fall into pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// The processor computes: one pool holds both.
    Host,
    Discrete,
    Unified,
}

impl Layout {
    fn terms(self, need: &PhaseNeed, pool: Pool) -> Terms {
        match (pool, self) {
            (Pool::Device, Self::Host) => Terms::default(),
            (Pool::Device, _) => need.device,
            (Pool::Host, Self::Discrete) => need.host,
            (Pool::Host | Pool::Commit, _) => need.device.plus(&need.host),
        }
    }
}

impl Plan {
    #[must_use]
    pub fn phase(&self, phase: Phase) -> Option<&PhaseNeed> {
        self.phases.iter().find(|need| need.phase == phase)
    }

    /// The named terms of a phase in a pool.
    #[must_use]
    pub fn pool_terms(&self, need: &PhaseNeed, pool: Pool) -> Terms {
        self.layout.terms(need, pool)
    }

    #[must_use]
    pub fn need(&self, phase: Phase, pool: Pool) -> Bytes {
        self.phase(phase).map(|need| self.layout.terms(need, pool).total()).unwrap_or_default()
    }

    /// The largest phase in a pool.
    #[must_use]
    pub fn peak(&self, pool: Pool) -> Bytes {
        self.phases.iter().map(|need| self.layout.terms(need, pool).total()).max().unwrap_or_default()
    }

    #[must_use]
    pub fn budget(&self, pool: Pool) -> Option<PoolBudget> {
        self.budgets.iter().copied().find(|budget| budget.pool == pool)
    }

    #[must_use]
    pub fn phase_secs(&self, phase: Phase) -> Option<Secs> {
        self.secs[phase as usize]
    }

    /// All phases together, `None` where the machine's speed is unknown.
    #[must_use]
    pub fn total_secs(&self) -> Option<Secs> {
        self.secs.iter().copied().sum()
    }

    /// The pool that the networks fill: what a one-line summary talks about.
    #[must_use]
    pub const fn main_pool(&self) -> Pool {
        match self.layout {
            Layout::Host => Pool::Host,
            Layout::Discrete | Layout::Unified => Pool::Device,
        }
    }
}

/// Plans `recipe` with `model` on `machine` under `policy`.
#[must_use]
pub fn plan(machine: &Machine, model: &Inventory, recipe: &Recipe, policy: &Policy) -> Answer {
    let search = Search::new(machine, model, recipe, policy);
    let (verdict, choice) = search.decide();
    let mut ladder = Vec::with_capacity(6);
    for choice in search.choices() {
        ladder.push(Rung {
            choice,
            peaks: search.budgets.iter().map(|b| (b.pool, search.peak(choice, b.pool))).collect(),
            fits: match search.try_choice(choice) {
                Trial::Fits => Some(true),
                Trial::Short(_) => Some(false),
                Trial::Unknown => None,
            },
            secs: Phase::ALL.into_iter().map(|phase| search.secs(phase, choice)).sum(),
        });
    }
    let remedies = if let Verdict::Short(shortage) = &verdict {
        remedies::find(machine, model, recipe, policy, shortage)
    } else {
        Vec::new()
    };
    let plan = Plan {
        choice,
        phases: search.work.needs(choice),
        secs: Phase::ALL.map(|phase| search.secs(phase, choice)),
        budgets: search.budgets.clone(),
        margin: policy.margin_of(choice.tier),
        pace: policy.learned.pace,
        layout: search.layout,
    };
    Answer { verdict, plan, ladder, remedies }
}

/// What a fit map shows of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellVerdict {
    Fits(Choice),
    Short,
    CannotTell,
}

/// The verdict alone, without plan, ladder and remedies.
#[must_use]
pub fn fit_cell(machine: &Machine, model: &Inventory, recipe: &Recipe, policy: &Policy) -> CellVerdict {
    match Search::new(machine, model, recipe, policy).decide() {
        (Verdict::Fits | Verdict::FitsWith(_), choice) => CellVerdict::Fits(choice),
        (Verdict::Short(_), _) => CellVerdict::Short,
        (Verdict::CannotTell(_), _) => CellVerdict::CannotTell,
    }
}

enum Trial {
    Fits,
    Short(Shortage),
    Unknown,
}

struct Search<'a> {
    work: Work<'a>,
    machine: &'a Machine,
    policy: &'a Policy,
    layout: Layout,
    budgets: Vec<PoolBudget>,
    /// What the user's limit leaves beside code and stacks.
    limit: Option<Bytes>,
}

impl<'a> Search<'a> {
    fn new(machine: &'a Machine, model: &'a Inventory, recipe: &'a Recipe, policy: &'a Policy) -> Self {
        let layout = match policy.device {
            Device::Cpu => Layout::Host,
            Device::Gpu(index) => match machine.gpus.get(index).map(|gpu| gpu.kind) {
                Some(GpuKind::Unified) => Layout::Unified,
                _ => Layout::Discrete,
            },
        };
        Self {
            work: Work::new(model, recipe, machine.cpu.threads, policy),
            machine,
            policy,
            layout,
            budgets: budgets(machine, policy, layout),
            limit: policy.memory_limit.map(|limit| limit - policy.image),
        }
    }

    /// Exact decodes before blended ones; among them faster ones before slower ones. Bands cost a decode more, reading
    /// the denoiser once a step usually more than that.
    fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        const ORDER: [(Tier, Decode); 9] = [
            (Tier::Resident, Decode::Whole),
            (Tier::Phased, Decode::Whole),
            (Tier::Resident, Decode::Banded),
            (Tier::Phased, Decode::Banded),
            (Tier::Streamed, Decode::Whole),
            (Tier::Streamed, Decode::Banded),
            (Tier::Resident, Decode::Tiled),
            (Tier::Phased, Decode::Tiled),
            (Tier::Streamed, Decode::Tiled),
        ];
        let Policy { tiers, decodes, .. } = self.policy;
        ORDER
            .into_iter()
            .filter(|(tier, decode)| tiers.contains(tier) && decodes.contains(decode))
            .map(|(tier, decode)| Choice { tier, decode })
    }

    fn decide(&self) -> (Verdict, Choice) {
        let mut closest: Option<(Shortage, Choice)> = None;
        let mut unknown: Option<Choice> = None;
        let mut first = None;
        for choice in self.choices() {
            let best = *first.get_or_insert(choice);
            match self.try_choice(choice) {
                Trial::Fits => {
                    let concessions = concessions(best, choice);
                    let verdict = if concessions.is_empty() { Verdict::Fits } else { Verdict::FitsWith(concessions) };
                    return (verdict, choice);
                }
                Trial::Short(shortage) => {
                    if closest.is_none_or(|(known, _)| shortage.by < known.by) {
                        closest = Some((shortage, choice));
                    }
                }
                // Where nothing can be told, hold as little at a time as costs no speed worth naming.
                Trial::Unknown => {
                    if unknown.is_none_or(|known| known.tier == Tier::Resident && choice.decode == known.decode) {
                        unknown = Some(choice);
                    }
                }
            }
        }
        if let Some(choice) = unknown {
            let missing = self.budgets.iter().filter_map(|b| match b.budget {
                Reading::Unknown(why) => Some((b.pool, why)),
                Reading::Known(_) => None,
            });
            return (Verdict::CannotTell(missing.collect()), choice);
        }
        let fallback = Choice { tier: Tier::Phased, decode: Decode::Whole };
        closest.map_or((Verdict::CannotTell(Vec::new()), fallback), |(shortage, choice)| {
            (Verdict::Short(shortage), choice)
        })
    }

    fn try_choice(&self, choice: Choice) -> Trial {
        let needs = self.work.needs(choice);
        let mut worst: Option<Shortage> = None;
        let mut unknown = false;
        for budget in &self.budgets {
            let Reading::Known(room) = budget.budget else {
                unknown = true;
                continue;
            };
            for need in &needs {
                let wanted = self.layout.terms(need, budget.pool).total() + self.policy.margin_of(choice.tier);
                let by = wanted - room;
                if by > Bytes::ZERO && worst.is_none_or(|known| by > known.by) {
                    // A limit stays one where the system has still less.
                    let limit = self.limit.filter(|_| budget.pool == Pool::Host);
                    let hard = limit.is_some_and(|limit| wanted > limit);
                    worst = Some(Shortage { pool: budget.pool, phase: need.phase, by, hard });
                }
            }
        }
        match worst {
            Some(shortage) => Trial::Short(shortage),
            None if unknown => Trial::Unknown,
            None => Trial::Fits,
        }
    }

    fn peak(&self, choice: Choice, pool: Pool) -> Bytes {
        self.work.needs(choice).iter().map(|need| self.layout.terms(need, pool).total()).max().unwrap_or_default()
    }

    fn secs(&self, phase: Phase, choice: Choice) -> Option<Secs> {
        let secs = timeline::phase_secs(&self.work, self.machine, self.policy.device, phase, choice)?;
        Some(Secs(secs.0 * self.policy.learned.pace[phase as usize]))
    }
}

fn concessions(best: Choice, choice: Choice) -> Vec<Concession> {
    let mut all = Vec::new();
    match choice.tier {
        tier if tier == best.tier => {}
        Tier::Phased => all.push(Concession::Phased),
        Tier::Streamed => all.push(Concession::Streamed),
        Tier::Resident => {}
    }
    match choice.decode {
        decode if decode == best.decode => {}
        Decode::Banded => all.push(Concession::Banded),
        Decode::Tiled => all.push(Concession::Tiled),
        Decode::Whole => {}
    }
    all
}

fn budgets(machine: &Machine, policy: &Policy, layout: Layout) -> Vec<PoolBudget> {
    let mut all = Vec::with_capacity(3);
    if let Device::Gpu(index) = policy.device {
        let free = machine.gpus.get(index).map_or(Reading::MISSING, |gpu| match (gpu.free, gpu.total) {
            (Reading::Known(free), total) => Reading::plausible_free(free, total),
            (unknown, _) => unknown,
        });
        // Unified memory is the host's, whose reserve is already taken there.
        let reserve = if layout == Layout::Unified { Bytes::ZERO } else { policy.device_reserve };
        all.push(PoolBudget { pool: Pool::Device, budget: free.map(|bytes| bytes - reserve), hard: false });
    }
    let system = machine.host_room().map(|room| room - policy.host_reserve);
    let limit = policy.memory_limit.map(|limit| limit - policy.image);
    let (budget, hard) = match (system, limit) {
        (Reading::Known(room), Some(limit)) if room < limit => (system, false),
        (_, Some(limit)) => (Reading::Known(limit), true),
        (_, None) => (system, false),
    };
    all.push(PoolBudget { pool: Pool::Host, budget, hard });
    if let Some(room) = machine.commit_room() {
        all.push(PoolBudget { pool: Pool::Commit, budget: room.map(|room| room - policy.commit_reserve), hard: false });
    }
    all
}
