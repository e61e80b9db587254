//! Names of core values: each enum has one place where its message ids are listed, exhaustively.

use super::{Catalog, Language};
use crate::job::{Cause, Death, Failure, Status};
use crate::machine::Unknown;
use crate::model::Family;
use crate::planner::{
    Answer, CellVerdict, Choice, Concession, Decode, Phase, Pool, Remedy, Shortage, Term, Tier, Verdict,
};
use crate::recipe::{Fault, Field, Issue};

/// What is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub what: String,
    pub hint: String,
}

impl Catalog {
    /// A language by its own name.
    #[must_use]
    pub fn language_name(language: Language) -> String {
        Self::new(language).get("language-name")
    }

    #[must_use]
    pub fn family(&self, family: Family) -> String {
        self.get(match family {
            Family::Builtin => "family-builtin",
            Family::ZImageTurbo => "family-z-image-turbo",
            Family::ZImage => "family-z-image",
            Family::StableDiffusion1 => "family-sd1",
            Family::StableDiffusion2 => "family-sd2",
            Family::StableDiffusionTurbo => "family-sd-turbo",
            Family::StableDiffusionXl => "family-sdxl",
            Family::StableDiffusionXlTurbo => "family-sdxl-turbo",
            Family::StableDiffusionXlRefiner => "family-sdxl-refiner",
            Family::Flux1Dev => "family-flux1-dev",
            Family::Flux1Schnell => "family-flux1-schnell",
        })
    }

    #[must_use]
    pub fn field(&self, field: Field) -> String {
        self.get(match field {
            Field::Prompt => "prompt-label",
            Field::Negative => "negative-label",
            Field::Width => "width-label",
            Field::Height => "height-label",
            Field::Steps => "steps-label",
            Field::Guidance => "guidance-label",
            Field::Distilled => "distilled-label",
            Field::Batch => "batch-label",
            Field::Sampler => "sampler-label",
            Field::Schedule => "schedule-label",
            Field::Denoise => "denoise-label",
        })
    }

    #[must_use]
    pub fn issue(&self, issue: &Issue) -> String {
        let field = self.field(issue.field);
        match issue.fault {
            Fault::OutOfRange { min, max } => self.with(
                "issue-out-of-range",
                &[("field", field.into()), ("min", self.bound(min).into()), ("max", self.bound(max).into())],
            ),
            Fault::NotANumber => self.with("issue-not-a-number", &[("field", field.into())]),
            Fault::TooLong { max } => {
                self.with("issue-too-long", &[("field", field.into()), ("max", max.to_string().into())])
            }
            Fault::NotOffered => self.with("issue-not-offered", &[("field", field.into())]),
            Fault::ControlCharacter => self.with("issue-control", &[("field", field.into())]),
        }
    }

    #[must_use]
    pub fn tier(&self, tier: Tier) -> String {
        self.get(match tier {
            Tier::Resident => "tier-resident",
            Tier::Phased => "tier-phased",
            Tier::Streamed => "tier-streamed",
        })
    }

    #[must_use]
    pub fn tier_tip(&self, tier: Tier) -> String {
        self.get(match tier {
            Tier::Resident => "tier-resident-tip",
            Tier::Phased => "tier-phased-tip",
            Tier::Streamed => "tier-streamed-tip",
        })
    }

    #[must_use]
    pub fn decode(&self, decode: Decode) -> String {
        self.get(match decode {
            Decode::Whole => "decode-whole",
            Decode::Banded => "decode-banded",
            Decode::Tiled => "decode-tiled",
        })
    }

    /// The tier, and the decode where it is not the usual one.
    #[must_use]
    pub fn choice(&self, choice: Choice) -> String {
        let tier = self.tier(choice.tier);
        match choice.decode {
            Decode::Whole => tier,
            Decode::Banded | Decode::Tiled => {
                self.with("choice-both", &[("tier", tier.into()), ("decode", self.decode(choice.decode).into())])
            }
        }
    }

    #[must_use]
    pub fn concession(&self, concession: Concession) -> String {
        self.get(match concession {
            Concession::Phased => "concession-phased",
            Concession::Streamed => "concession-streamed",
            Concession::Banded => "concession-banded",
            Concession::Tiled => "concession-tiled",
        })
    }

    /// A pool within a sentence.
    #[must_use]
    pub fn pool(&self, pool: Pool) -> String {
        self.get(match pool {
            Pool::Device => "pool-device",
            Pool::Host => "pool-host",
            Pool::Commit => "pool-commit",
        })
    }

    /// A pool as a heading.
    #[must_use]
    pub fn pool_title(&self, pool: Pool) -> String {
        self.get(match pool {
            Pool::Device => "pool-device-title",
            Pool::Host => "pool-host-title",
            Pool::Commit => "pool-commit-title",
        })
    }

    #[must_use]
    pub fn unknown(&self, unknown: Unknown) -> String {
        self.get(match unknown {
            Unknown::Missing => "unknown-missing",
            Unknown::Unreadable => "unknown-unreadable",
            Unknown::Zero => "unknown-zero",
            Unknown::AboveTotal => "unknown-above-total",
            Unknown::FreeEqualsTotal => "unknown-free-equals-total",
        })
    }

    /// What happens in a phase, within a sentence.
    #[must_use]
    pub fn phase(&self, phase: Phase) -> String {
        self.get(match phase {
            Phase::LoadTextEncoder => "phase-load-text-encoder",
            Phase::Encode => "phase-encode",
            Phase::LoadDenoiser => "phase-load-denoiser",
            Phase::Denoise => "phase-denoise",
            Phase::LoadVae => "phase-load-vae",
            Phase::Decode => "phase-decode",
            Phase::Save => "phase-save",
        })
    }

    /// A phase in a word or two.
    #[must_use]
    pub fn phase_short(&self, phase: Phase) -> String {
        self.get(match phase {
            Phase::LoadTextEncoder => "phase-load-text-encoder-short",
            Phase::Encode => "phase-encode-short",
            Phase::LoadDenoiser => "phase-load-denoiser-short",
            Phase::Denoise => "phase-denoise-short",
            Phase::LoadVae => "phase-load-vae-short",
            Phase::Decode => "phase-decode-short",
            Phase::Save => "phase-save-short",
        })
    }

    #[must_use]
    pub fn term(&self, term: Term) -> String {
        self.get(match term {
            Term::TextEncoderWeights => "term-text-encoder-weights",
            Term::TextEncoder2Weights => "term-text-encoder-2-weights",
            Term::TextEncoder3Weights => "term-text-encoder-3-weights",
            Term::DenoiserWeights => "term-denoiser-weights",
            Term::VaeWeights => "term-vae-weights",
            Term::Loras => "term-loras",
            Term::Activations => "term-activations",
            Term::Workspace => "term-workspace",
            Term::Embeddings => "term-embeddings",
            Term::Latents => "term-latents",
            Term::Pixels => "term-pixels",
            Term::Staging => "term-staging",
            Term::Runtime => "term-runtime",
        })
    }

    #[must_use]
    pub fn verdict(&self, verdict: &Verdict) -> String {
        self.get(match verdict {
            Verdict::Fits => "verdict-fits",
            Verdict::FitsWith(_) => "verdict-fits-with",
            Verdict::Short(_) => "verdict-short",
            Verdict::CannotTell(_) => "verdict-cannot-tell",
        })
    }

    /// The verdict of one cell of a map, with its tier.
    #[must_use]
    pub fn cell(&self, cell: CellVerdict) -> String {
        match cell {
            CellVerdict::Fits(choice) => self.with(
                "list-join",
                &[("first", self.get("verdict-fits").into()), ("second", self.choice(choice).into())],
            ),
            CellVerdict::Short => self.get("verdict-short"),
            CellVerdict::CannotTell => self.get("verdict-cannot-tell"),
        }
    }

    #[must_use]
    pub fn shortage(&self, shortage: &Shortage) -> String {
        let (by, phase) = (self.bytes(shortage.by), self.phase(shortage.phase));
        if shortage.hard {
            return self.with("verdict-short-hard", &[("by", by.into()), ("phase", phase.into())]);
        }
        let args = [("by", by.into()), ("pool", self.pool(shortage.pool).into()), ("phase", phase.into())];
        self.with("verdict-short-by", &args)
    }

    /// What a plan takes, after the verdict's own word: `resident · peak 5.21 of 13.80 GiB · about 40 s`.
    #[must_use]
    pub fn plan_parts(&self, answer: &Answer) -> Vec<String> {
        use crate::machine::Reading;
        use crate::units::Bytes;
        let plan = &answer.plan;
        let pool = plan.main_pool();
        let peak = plan.peak(pool);
        let budget = plan.budget(pool).map(|budget| budget.budget);
        let tenth = Bytes(Bytes::gib(1).0 / 10);
        let peak = match budget {
            Some(Reading::Known(room)) if peak >= tenth && room >= tenth => {
                self.with("verdict-peak", &[("peak", self.gib(peak).into()), ("budget", self.gib(room).into())])
            }
            Some(Reading::Known(room)) => self
                .with("verdict-peak-mixed", &[("peak", self.bytes(peak).into()), ("budget", self.bytes(room).into())]),
            _ => self.with("verdict-peak-only", &[("peak", self.bytes(peak).into())]),
        };
        let time = plan.total_secs().map_or_else(|| self.get("verdict-time-unknown"), |secs| self.about(secs));
        vec![self.choice(plan.choice), peak, time]
    }

    /// The whole verdict in one line.
    #[must_use]
    pub fn verdict_line(&self, answer: &Answer) -> String {
        let mut parts = vec![self.verdict(&answer.verdict).to_lowercase()];
        parts.extend(self.plan_parts(answer));
        parts.join(" · ")
    }

    #[must_use]
    pub fn remedy(&self, remedy: &Remedy) -> String {
        match *remedy {
            Remedy::Size(size) => self.with("remedy-size", &[("size", self.size(size).into())]),
            Remedy::Single => self.get("remedy-single"),
            Remedy::Choice(choice) => self.with("remedy-choice", &[("choice", self.choice(choice).into())]),
            Remedy::RaiseLimit(bytes) => self.with("remedy-raise-limit", &[("bytes", self.bytes(bytes).into())]),
            Remedy::CloseOthers(bytes) => self.with("remedy-close-others", &[("bytes", self.bytes(bytes).into())]),
            Remedy::GrowPagefile(bytes) => self.with("remedy-grow-pagefile", &[("bytes", self.bytes(bytes).into())]),
        }
    }

    #[must_use]
    pub fn status(&self, status: Status) -> String {
        self.get(match status {
            Status::Waiting => "queue-waiting",
            Status::Running => "queue-running",
            Status::Held => "verdict-short",
        })
    }

    #[must_use]
    pub fn failure(&self, failure: &Failure) -> Told {
        let plain = |what: &str, hint: &str| Told { what: self.get(what), hint: self.get(hint) };
        match failure {
            Failure::Cancelled => plain("failure-cancelled", "failure-cancelled-hint"),
            Failure::Guard { phase, live, planned, .. } => Told {
                what: self.with("failure-guard", &[("phase", self.phase(*phase).into())]),
                hint: self.with(
                    "failure-guard-hint",
                    &[("live", self.bytes(*live).into()), ("planned", self.bytes(*planned).into())],
                ),
            },
            Failure::OutOfMemory { phase, bytes, .. } => Told {
                what: self.with("failure-out-of-memory", &[("phase", self.phase(*phase).into())]),
                hint: self.with("failure-out-of-memory-hint", &[("bytes", self.bytes(*bytes).into())]),
            },
            Failure::Spilled { phase, shared } => Told {
                what: self.with("failure-spilled", &[("phase", self.phase(*phase).into())]),
                hint: self.with("failure-spilled-hint", &[("shared", self.bytes(*shared).into())]),
            },
            Failure::Died(death) => self.death(death),
            Failure::Refused => plain("failure-refused", "failure-refused-hint"),
            Failure::Model { reason, path } => Told {
                what: self.with("failure-model", &[("reason", reason.into())]),
                hint: self.with("failure-model-hint", &[("path", path.display().to_string().into())]),
            },
            Failure::Device { device } => Told {
                what: self.with("failure-device", &[("device", device.into())]),
                hint: self.get("failure-device-hint"),
            },
            Failure::NotANumber { phase } => Told {
                what: self.with("failure-nan", &[("phase", self.phase(*phase).into())]),
                hint: self.get("failure-nan-hint"),
            },
            Failure::Write { reason, path } => Told {
                what: self.with("failure-write", &[("reason", reason.into())]),
                hint: self.with("failure-write-hint", &[("path", path.display().to_string().into())]),
            },
            Failure::Crash { what } => Told {
                what: self.get("failure-crash"),
                hint: self.with("failure-crash-hint", &[("what", what.into())]),
            },
        }
    }

    /// How the drawing process ended, in plain words, with what it held and what was planned.
    fn death(&self, death: &Death) -> Told {
        let cause = match death.cause {
            Cause::Killed => self.get("death-killed"),
            Cause::Allocation(bytes) => self.with("death-allocation", &[("bytes", self.bytes(bytes).into())]),
            Cause::Commit => self.get("death-commit"),
            Cause::Fault => self.get("death-fault"),
            Cause::Aborted => self.get("death-aborted"),
            Cause::Signal(number) | Cause::Code(number) => {
                self.with("death-code", &[("code", number.to_string().into())])
            }
        };
        let what = match death.phase {
            Some(phase) => self.with("failure-died", &[("phase", self.phase(phase).into())]),
            None => self.get("failure-died-start"),
        };
        let numbers = self.with(
            "failure-died-hint",
            &[("live", self.bytes(death.live).into()), ("planned", self.bytes(death.planned).into())],
        );
        Told { what, hint: format!("{cause} {numbers}") }
    }
}
