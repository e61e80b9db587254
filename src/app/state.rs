//! Everything that the window knows, without a window: models, form, plan, queue, pictures, messages.

use super::host::{Backlog, LeftJob, ModelEntry, Standing, Unkept};
use super::intake::Hovered;
use super::map_work::MapWork;
use super::outlook::{Outlook, Question};
use super::progress::Run;
use super::undo::Undo;
use crate::gallery::{Gallery, PictureId};
use crate::i18n::Language;
use crate::job::{Failure, Job, JobId, Latents, Queue, Status};
use crate::machine::{Machine, Reading};
use crate::pixels::Pixels;
use crate::planner::{Choice, Learned, Policy, Shortage};
use crate::recipe::{Draft, Recipe, Vocabulary};
use crate::store::{JobState, NewJob};
use crate::ui::trace::Trace;
use crate::ui::{Dialog, Form, Pane, Settings};
use crate::units::Bytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Pictures of this session that are kept whole in memory; older ones keep their small image only.
const KEPT_PIXELS: Bytes = Bytes::mib(96);
/// A machine that changed by less is the same machine to the planner.
const MACHINE_STEP: Bytes = Bytes::mib(8);
/// More messages than anybody reads at once.
const MAX_NOTICES: usize = 4;

/// Something to be told, in no language yet.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    Failed(Failure),
    Refused(Shortage),
    Replanned {
        was: Choice,
        now: Choice,
    },
    SaveFailed(String),
    Busy,
    /// Settings were taken from a file or, where it has no name, from text.
    Restored {
        name: String,
        left: Vec<String>,
    },
    ModelAbsent {
        model: String,
    },
    MachineAdded {
        name: String,
    },
    ModelAdded {
        name: String,
    },
    /// `None` where too much came at once.
    NotTaken {
        name: String,
        why: Option<String>,
    },
    /// Of no kind that can be taken.
    NotKnown {
        name: String,
    },
    TooMany(u64),
    /// The program ended while it drew.
    Interrupted,
    QueueUnkept(Unkept),
}

impl News {
    /// Whether something went wrong, rather than as it should.
    #[must_use]
    pub const fn is_bad(&self) -> bool {
        match self {
            Self::Replanned { .. }
            | Self::Busy
            | Self::Restored { .. }
            | Self::MachineAdded { .. }
            | Self::ModelAdded { .. } => false,
            Self::Failed(_)
            | Self::Refused(_)
            | Self::SaveFailed(_)
            | Self::ModelAbsent { .. }
            | Self::NotTaken { .. }
            | Self::NotKnown { .. }
            | Self::TooMany(_)
            | Self::Interrupted
            | Self::QueueUnkept(_) => true,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Notice {
    pub id: u64,
    pub news: News,
}

/// The run before the form changed: its plan and what was measured.
pub struct PastRun {
    pub recipe: Recipe,
    pub model: usize,
    pub trace: Trace,
}

pub struct State {
    pub models: Vec<ModelEntry>,
    pub model: usize,
    pub vocabulary: Vocabulary,
    pub machines: Vec<Machine>,
    /// This machine as last read; gauges show it.
    pub own: Machine,
    /// This machine as the planner was last told of it.
    pub planned_own: Machine,
    /// The machine that is planned for instead.
    pub elsewhere: Option<usize>,
    pub base_policy: Policy,
    /// What runs taught of each model, in the order of `models`.
    pub learned: Vec<Learned>,
    /// Runs that are remembered, and how far their predictions were off in percent.
    pub spread: Option<(usize, f64, f64)>,
    /// The only way to draw that is allowed, where the user chose one.
    pub pinned: Option<Choice>,
    /// Weights that the worker kept after its last run.
    pub kept: Bytes,
    /// Heap of the program beside them while nothing ran, `None` before the first reading.
    resting: Option<Bytes>,
    pub settings: Settings,
    pub system_language: Language,
    pub form: Form,
    pub undo: Undo,
    /// Prompts that were ordered, newest last.
    pub prompts: Vec<String>,
    /// How far back the prompt in the form was fetched from, and what had been typed before.
    pub recalled: Option<(usize, String)>,
    /// Start nothing more.
    pub paused: bool,
    /// What an earlier window left is not known yet: nothing starts before it.
    pub looking: bool,
    pub outlook: Outlook,
    pub queue: Queue,
    pub held: BTreeMap<JobId, Shortage>,
    pub planned: BTreeMap<JobId, Choice>,
    /// Jobs that memory stopped, and how they ran: they go on one tier lower.
    pub stopped: BTreeMap<JobId, Choice>,
    /// Jobs that ran when the program died: only a click runs them again.
    pub interrupted: BTreeSet<JobId>,
    pub gallery: Gallery,
    pub saving: BTreeSet<PictureId>,
    pixels: VecDeque<(PictureId, Arc<Pixels>)>,
    pub run: Option<Run>,
    pub past: Option<PastRun>,
    /// Files over the window.
    pub hovered: Vec<Hovered>,
    pub notices: Vec<Notice>,
    last_notice: u64,
    pub dialog: Option<Dialog>,
    /// What a window too small for everything shows.
    pub pane: Pane,
    /// The draft for which "run anyway" was clicked once.
    pub armed: Option<Draft>,
    pub map: Option<MapWork>,
    machine_rev: u64,
    /// Seconds of the window's clock.
    pub now: f64,
    /// Seeds come from here; tests put their own in.
    pub entropy: fn() -> u64,
    /// Show the picture at work rather than the selected one.
    pub follow: bool,
}

impl State {
    /// `None` without a single model.
    #[must_use]
    pub fn new(
        models: Vec<ModelEntry>,
        machines: Vec<Machine>,
        own: Machine,
        base_policy: Policy,
        settings: Settings,
        locale: &str,
    ) -> Option<Self> {
        let chosen = settings.model.as_ref().and_then(|name| models.iter().position(|model| model.name == *name));
        let model = chosen.unwrap_or_default();
        let first = models.get(model)?;
        let vocabulary = Vocabulary::of(&first.inventory);
        let form = Form::new(&vocabulary);
        let policy = with_limit(&base_policy, &settings);
        let question = Question { draft: form.draft.clone(), model, policy, machine_rev: 0 };
        let outlook = Outlook::new(question, &own, first, &vocabulary);
        Some(Self {
            models,
            model,
            vocabulary,
            machines,
            planned_own: own.clone(),
            own,
            elsewhere: None,
            base_policy,
            learned: Vec::new(),
            spread: None,
            pinned: None,
            kept: Bytes::ZERO,
            resting: None,
            settings,
            system_language: Language::from_tag(locale),
            undo: Undo::new(&form),
            prompts: Vec::new(),
            recalled: None,
            paused: false,
            looking: false,
            form,
            outlook,
            queue: Queue::default(),
            held: BTreeMap::new(),
            planned: BTreeMap::new(),
            stopped: BTreeMap::new(),
            interrupted: BTreeSet::new(),
            gallery: Gallery::default(),
            saving: BTreeSet::new(),
            pixels: VecDeque::new(),
            run: None,
            past: None,
            hovered: Vec::new(),
            notices: Vec::new(),
            last_notice: 0,
            dialog: None,
            pane: Pane::default(),
            armed: None,
            map: None,
            machine_rev: 0,
            now: 0.0,
            entropy: random_seed,
            follow: true,
        })
    }

    #[must_use]
    pub fn language(&self) -> Language {
        self.settings.language.unwrap_or(self.system_language)
    }

    #[must_use]
    pub fn policy(&self) -> Policy {
        let learned = self.learned.get(self.model).copied().unwrap_or_default();
        let policy = Policy { learned, ..with_limit(&self.base_policy, &self.settings) };
        match self.pinned {
            Some(Choice { tier, decode }) => Policy { tiers: vec![tier], decodes: vec![decode], ..policy },
            None => policy,
        }
    }

    /// The policy with the heap that this program had when it last rested.
    fn own_policy(&self) -> Policy {
        let policy = self.policy();
        Policy { runtime: self.resting.unwrap_or(policy.runtime), ..policy }
    }

    /// The machine that the form is planned for.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        self.elsewhere.and_then(|index| self.machines.get(index)).unwrap_or(&self.planned_own)
    }

    #[must_use]
    pub fn model_entry(&self) -> &ModelEntry {
        &self.models[self.model]
    }

    /// The policy that the form is planned with: another machine computes where it would compute.
    #[must_use]
    pub fn planning_policy(&self) -> Policy {
        use crate::planner::Device;
        let Some(machine) = self.elsewhere.and_then(|index| self.machines.get(index)) else { return self.own_policy() };
        let policy = self.policy();
        let device = if machine.gpus.is_empty() { Device::Cpu } else { Device::Gpu(0) };
        // What this machine taught says nothing of another.
        Policy { device, learned: Learned::default(), ..policy }
    }

    /// Plans anew where form, model, policy or machine have changed. Cheap enough for every frame.
    pub fn refresh(&mut self) {
        let question = self.question();
        if self.outlook.question != question {
            if self.armed.as_ref().is_some_and(|armed| *armed != question.draft) {
                self.armed = None;
            }
            self.outlook = Outlook::new(question, self.machine(), self.model_entry(), &self.vocabulary);
        }
    }

    fn question(&self) -> Question {
        Question {
            draft: self.form.draft.clone(),
            model: self.model,
            policy: self.planning_policy(),
            machine_rev: self.machine_rev,
        }
    }

    /// A new reading of this machine.
    pub fn see_machine(&mut self, machine: Machine) {
        // A machine that knows no ledger, as in tests, says nothing of this program.
        if self.run.is_none() && machine.held > Bytes::ZERO {
            self.resting = Some(Policy::runtime_of(machine.held - self.kept));
        }
        if self.elsewhere.is_none() && differs(&self.planned_own, &machine) {
            self.machine_rev += 1;
            self.planned_own = machine.clone();
        }
        self.own = machine;
    }

    /// Puts a picture that was not done back into the queue, to go on at a click. `None` where its model is not here or
    /// the two do not belong together any more.
    pub fn restore(&mut self, model: &str, draft: &Draft, latents: Latents) -> Option<JobId> {
        let entry = self.models.iter().find(|entry| entry.name == model)?.clone();
        let (recipe, _) = draft.parse(&Vocabulary::of(&entry.inventory)).ok()?;
        let resume = Some(Arc::new(latents));
        // A queue that was restored as well knows the same job already.
        let known = self.queue.iter().find(|known| known.job.recipe == recipe && known.job.model_ref == entry.name);
        if let Some(id) = known.map(|known| known.job.id) {
            self.queue.amend(id, |job| job.resume = resume);
            return Some(id);
        }
        let id = self.queue.next_id();
        let (model_ref, model, policy) = (entry.name, entry.inventory, self.policy());
        self.queue.push(Job { id, model_ref, model, recipe, policy, force: false, resume, start: None });
        self.queue.hold(id);
        Some(id)
    }

    /// Takes over the queue of an earlier window, in front of what was ordered since. After a run that took the program
    /// along, nothing goes on by itself. Answers with what each job is called now.
    pub fn rejoin(&mut self, backlog: Backlog) -> Vec<(u64, JobId)> {
        self.looking = false;
        for model in backlog.absent {
            self.tell(News::ModelAbsent { model });
        }
        if let Some(why) = backlog.unkept {
            self.tell(News::QueueUnkept(why));
        }
        let mut names = Vec::new();
        for left in backlog.jobs.into_iter().rev() {
            let row = left.row;
            if let Some(id) = self.rejoin_one(left) {
                names.push((row, id));
            }
        }
        if !self.interrupted.is_empty() {
            self.paused = true;
            self.tell(News::Interrupted);
        }
        names
    }

    /// `None` where the model of that name is another one now and does not take such settings.
    fn rejoin_one(&mut self, left: LeftJob) -> Option<JobId> {
        let LeftJob { job: NewJob { model_ref, draft, forced }, model, state, row: _ } = left;
        let (recipe, _) = draft.parse(&Vocabulary::of(&model)).ok()?;
        let id = self.queue.next_id();
        let policy = self.policy();
        self.queue.push_front(Job { id, model_ref, model, recipe, policy, force: forced, resume: None, start: None });
        if state != JobState::Queued {
            self.queue.hold(id);
        }
        if matches!(state, JobState::Running | JobState::Interrupted) {
            self.interrupted.insert(id);
        }
        Some(id)
    }

    /// The queue as it is kept.
    #[must_use]
    pub fn standing(&self) -> Vec<Standing> {
        let standing = self.queue.iter().map(|entry| {
            let job = &entry.job;
            let state = match entry.status {
                Status::Waiting => JobState::Queued,
                Status::Running => JobState::Running,
                Status::Held if self.interrupted.contains(&job.id) => JobState::Interrupted,
                Status::Held => JobState::Held,
            };
            let new = NewJob { model_ref: job.model_ref.clone(), draft: Draft::from(&job.recipe), forced: job.force };
            Standing { id: job.id, job: new, state }
        });
        standing.collect()
    }

    pub fn plan_for(&mut self, elsewhere: Option<usize>) {
        self.elsewhere = elsewhere.filter(|index| *index < self.machines.len());
        self.planned_own = self.own.clone();
        self.machine_rev += 1;
    }

    /// Some more of the fit map, while it is open.
    pub fn advance_map(&mut self) {
        if self.dialog != Some(Dialog::FitMap) {
            return;
        }
        let question = self.question();
        let Some(recipe) = self.outlook.recipe.clone() else { return };
        let mut map = self.map.take().unwrap_or_else(|| MapWork::new(question.clone(), &self.vocabulary));
        map.advance(&question, self.machine(), self.model_entry(), &self.vocabulary, &recipe);
        self.map = Some(map);
    }

    pub fn tell(&mut self, news: News) {
        if self.notices.last().is_some_and(|last| last.news == news) {
            return;
        }
        self.last_notice += 1;
        self.notices.push(Notice { id: self.last_notice, news });
        if self.notices.len() > MAX_NOTICES {
            self.notices.remove(0);
        }
    }

    #[must_use]
    pub fn pixels(&self, id: PictureId) -> Option<&Arc<Pixels>> {
        self.pixels.iter().find(|(known, _)| *known == id).map(|(_, pixels)| pixels)
    }

    /// Keeps a picture in memory, and lets go of the oldest ones beyond the budget once they are on disk.
    pub fn keep_pixels(&mut self, id: PictureId, pixels: Arc<Pixels>) {
        self.pixels.push_back((id, pixels));
        let size = |pixels: &Pixels| Bytes(pixels.rgb().len() as u64);
        let mut held: Bytes = self.pixels.iter().map(|(_, pixels)| size(pixels)).sum();
        while held > KEPT_PIXELS && self.pixels.len() > 1 {
            let oldest = self.pixels.front().map(|(id, _)| *id);
            if oldest.and_then(|id| self.gallery.get(id)).is_some_and(|picture| picture.path.is_none()) {
                break;
            }
            if let Some((_, gone)) = self.pixels.pop_front() {
                held = held - size(&gone);
            }
        }
    }
}

fn with_limit(base: &Policy, settings: &Settings) -> Policy {
    Policy { memory_limit: settings.memory_limit.or(base.memory_limit), ..base.clone() }
}

/// Whether a plan could come out differently. Free memory flickers all the time; a flicker is no news.
pub(super) fn differs(old: &Machine, new: &Machine) -> bool {
    let moved = |a: Reading, b: Reading| match (a, b) {
        (Reading::Known(a), Reading::Known(b)) => a.minus(b).max(b.minus(a)) > MACHINE_STEP,
        (a, b) => a != b,
    };
    let room = |machine: &Machine| (machine.host_room(), machine.commit_room().unwrap_or(Reading::MISSING));
    let ((old_host, old_commit), (new_host, new_commit)) = (room(old), room(new));
    moved(old_host, new_host)
        || moved(old_commit, new_commit)
        || old.cpu != new.cpu
        || old.gpus.len() != new.gpus.len()
        || old
            .gpus
            .iter()
            .zip(&new.gpus)
            .any(|(a, b)| moved(a.free, b.free) || a.total != b.total || a.gflops != b.gflops)
}

/// 32 random bits: a seed that other programs can take, too.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 32
}
