//! The JSON shapes that programs read. Bytes are whole numbers, names are `snake_case`, an unknown is `null`.

use crate::job::Measured;
use crate::machine::{Reading, Unknown};
use crate::planner::{Answer, Choice, Concession, Phase, PhaseNeed, Plan, Pool, Remedy, Rung, Verdict};
use crate::recipe::Recipe;
use crate::units::{Bytes, Secs};
use serde::Serialize;
use std::collections::BTreeMap;

type ByPool<T> = BTreeMap<&'static str, T>;

#[derive(Serialize)]
pub(super) struct PlanJson {
    verdict: &'static str,
    tier: &'static str,
    decode: &'static str,
    concessions: Vec<&'static str>,
    phases: Vec<PhaseJson>,
    peak: Peaks,
    seconds: Option<f64>,
    short: Option<ShortJson>,
    /// Readings that are missing or implausible, where they leave the verdict open.
    unknown: Vec<UnknownJson>,
    remedies: Vec<RemedyJson>,
    ladder: Vec<RungJson>,
}

#[derive(Serialize)]
struct PhaseJson {
    name: &'static str,
    seconds: Option<f64>,
    pools: ByPool<PoolJson>,
}

#[derive(Serialize)]
struct PoolJson {
    bytes: u64,
    budget: Option<u64>,
    terms: Vec<TermJson>,
}

#[derive(Serialize)]
struct TermJson {
    what: &'static str,
    bytes: u64,
}

/// `commit` is `null` where the machine has no commit limit.
#[derive(Serialize)]
struct Peaks {
    host: u64,
    device: u64,
    commit: Option<u64>,
}

#[derive(Serialize)]
struct ShortJson {
    pool: &'static str,
    phase: &'static str,
    by: u64,
}

#[derive(Serialize)]
struct UnknownJson {
    pool: &'static str,
    reason: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum RemedyJson {
    Size { width: u32, height: u32 },
    Single,
    Choice { tier: &'static str, decode: &'static str },
    RaiseLimit { bytes: u64 },
    CloseOthers { bytes: u64 },
    GrowPagefile { bytes: u64 },
}

#[derive(Serialize)]
struct RungJson {
    tier: &'static str,
    decode: &'static str,
    peak: Peaks,
    fits: Option<bool>,
    seconds: Option<f64>,
}

/// Milliseconds are as exact as a prediction gets.
fn seconds(secs: Option<Secs>) -> Option<f64> {
    secs.map(|Secs(secs)| (secs * 1000.0).round() / 1000.0)
}

pub(super) const fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Fits => "fits",
        Verdict::FitsWith(_) => "fits_with",
        Verdict::Short(_) => "short",
        Verdict::CannotTell(_) => "cannot_tell",
    }
}

pub(super) const fn unknown_name(unknown: Unknown) -> &'static str {
    match unknown {
        Unknown::Missing => "missing",
        Unknown::Unreadable => "unreadable",
        Unknown::Zero => "zero",
        Unknown::AboveTotal => "above_total",
        Unknown::FreeEqualsTotal => "free_equals_total",
    }
}

pub(super) const fn concession_name(concession: Concession) -> &'static str {
    match concession {
        Concession::Phased => "phased",
        Concession::Streamed => "streamed",
        Concession::Banded => "banded",
        Concession::Tiled => "tiled",
    }
}

impl From<&Answer> for PlanJson {
    fn from(answer: &Answer) -> Self {
        let Answer { verdict, plan, ladder, remedies } = answer;
        let Choice { tier, decode } = plan.choice;
        Self {
            verdict: verdict_name(verdict),
            tier: tier.name(),
            decode: decode.name(),
            concessions: match verdict {
                Verdict::FitsWith(concessions) => concessions.iter().copied().map(concession_name).collect(),
                _ => Vec::new(),
            },
            phases: plan.phases.iter().map(|need| phase(plan, need)).collect(),
            peak: peaks(plan.budgets.iter().map(|budget| (budget.pool, plan.peak(budget.pool)))),
            seconds: seconds(plan.total_secs()),
            short: match verdict {
                Verdict::Short(short) => {
                    Some(ShortJson { pool: short.pool.name(), phase: short.phase.name(), by: short.by.get() })
                }
                _ => None,
            },
            unknown: match verdict {
                Verdict::CannotTell(unknown) => unknown
                    .iter()
                    .map(|(pool, why)| UnknownJson { pool: pool.name(), reason: unknown_name(*why) })
                    .collect(),
                _ => Vec::new(),
            },
            remedies: remedies.iter().map(remedy).collect(),
            ladder: ladder.iter().map(rung).collect(),
        }
    }
}

fn phase(plan: &Plan, need: &PhaseNeed) -> PhaseJson {
    let pool = |pool: Pool, budget: Reading| {
        let terms = plan.pool_terms(need, pool);
        let named = terms.iter().map(|(term, bytes)| TermJson { what: term.name(), bytes: bytes.get() });
        let budget = budget.known().map(Bytes::get);
        PoolJson { bytes: terms.total().get(), budget, terms: named.collect() }
    };
    PhaseJson {
        name: need.phase.name(),
        seconds: seconds(plan.phase_secs(need.phase)),
        pools: plan.budgets.iter().map(|known| (known.pool.name(), pool(known.pool, known.budget))).collect(),
    }
}

fn peaks(pools: impl Iterator<Item = (Pool, Bytes)>) -> Peaks {
    let mut peaks = Peaks { host: 0, device: 0, commit: None };
    for (pool, bytes) in pools {
        match pool {
            Pool::Host => peaks.host = bytes.get(),
            Pool::Device => peaks.device = bytes.get(),
            Pool::Commit => peaks.commit = Some(bytes.get()),
        }
    }
    peaks
}

fn remedy(remedy: &Remedy) -> RemedyJson {
    match *remedy {
        Remedy::Size(size) => RemedyJson::Size { width: size.width, height: size.height },
        Remedy::Single => RemedyJson::Single,
        Remedy::Choice(Choice { tier, decode }) => RemedyJson::Choice { tier: tier.name(), decode: decode.name() },
        Remedy::RaiseLimit(bytes) => RemedyJson::RaiseLimit { bytes: bytes.get() },
        Remedy::CloseOthers(bytes) => RemedyJson::CloseOthers { bytes: bytes.get() },
        Remedy::GrowPagefile(bytes) => RemedyJson::GrowPagefile { bytes: bytes.get() },
    }
}

fn rung(rung: &Rung) -> RungJson {
    RungJson {
        tier: rung.choice.tier.name(),
        decode: rung.choice.decode.name(),
        peak: peaks(rung.peaks.iter().copied()),
        fits: rung.fits,
        seconds: seconds(rung.secs),
    }
}

#[derive(Serialize)]
pub(super) struct RecipeJson {
    prompt: String,
    negative: String,
    width: u32,
    height: u32,
    steps: u32,
    guidance: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    distilled: Option<f32>,
    seed: u64,
    batch: u32,
    sampler: &'static str,
    schedule: &'static str,
    rng: &'static str,
    /// Where the picture was made from another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    denoise: Option<f32>,
}

impl From<&Recipe> for RecipeJson {
    fn from(recipe: &Recipe) -> Self {
        Self {
            prompt: recipe.prompt().to_owned(),
            negative: recipe.negative().to_owned(),
            width: recipe.size().width,
            height: recipe.size().height,
            steps: recipe.steps(),
            guidance: recipe.guidance(),
            distilled: recipe.distilled(),
            seed: recipe.seed(),
            batch: recipe.batch(),
            sampler: recipe.sampler().name(),
            schedule: recipe.schedule().name(),
            rng: recipe.rng().name(),
            denoise: recipe.denoise(),
        }
    }
}

/// What `generate --json` prints; without files and measurement where nothing was drawn.
#[derive(Serialize)]
pub(super) struct GenerateJson {
    pub files: Vec<String>,
    pub seed: u64,
    pub recipe: RecipeJson,
    pub plan: Option<PlanJson>,
    pub measured: Option<MeasuredJson>,
}

#[derive(Serialize)]
pub(super) struct MeasuredJson {
    phases: Vec<MeasuredPhaseJson>,
    ledger_peak: u64,
    rss_peak: Option<u64>,
}

#[derive(Serialize)]
struct MeasuredPhaseJson {
    name: &'static str,
    seconds: Option<f64>,
    pools: ByPool<u64>,
}

impl From<&Measured> for MeasuredJson {
    fn from(measured: &Measured) -> Self {
        let phases = measured.phases.iter().map(|phase| MeasuredPhaseJson {
            name: Phase::name(phase.phase),
            seconds: seconds(Some(phase.elapsed)),
            pools: ByPool::from([
                (Pool::Host.name(), phase.host_peak.get()),
                (Pool::Device.name(), phase.device_peak.get()),
            ]),
        });
        Self {
            phases: phases.collect(),
            ledger_peak: measured.ledger_peak.get(),
            rss_peak: measured.rss_peak.map(Bytes::get),
        }
    }
}
