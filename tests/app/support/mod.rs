//! A window without a world: models and machines as literals, and a worker that says what a test tells it to say.

#[path = "../../core/support.rs"]
#[expect(dead_code, reason = "shared with the core suite, which uses more of it")]
mod core;

pub(crate) use self::core::z_image_turbo;

use headroom::app::{App, Backend, Backlog, Found, Host, JobBook, LatentFiles, ModelEntry, RunBook, Source, Standing};
use headroom::job::{Command, Event, Job, JobId, Preview};
use headroom::machine::{Cpu, Machine, Os, Ram, Reading};
use headroom::model::noise::{Flow, Noise};
use headroom::model::shapes::{DenoiserShape, Qwen3Shape, TextEncoderShape, VaeShape, ZImageShape};
use headroom::model::{Component, ComponentKind, Family, Inventory, Precision, TextEncoder, Unit};
use headroom::pixels::Pixels;
use headroom::planner::{Device, Learned, Policy};
use headroom::ui::{Settings, ThemeChoice};
use headroom::units::{Bytes, PixelSize};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

fn component(kind: ComponentKind, precision: Precision, fixed: u64, blocks: usize, block: u64) -> Component {
    let unit =
        |bytes: u64| Unit { bytes: Bytes(bytes), largest_tensor: Bytes(bytes / 3), tensors: 12, loras: Bytes::ZERO };
    Component {
        kind,
        precision,
        parameters: u64::midpoint(fixed, blocks as u64 * block),
        fixed: unit(fixed),
        blocks: vec![unit(block); blocks],
    }
}

/// The size of the model that ships inside the program.
pub(crate) fn builtin() -> Inventory {
    let mut vae = VaeShape::new(8, &[16, 32, 64, 96]).unwrap();
    vae.groups = 8;
    Inventory {
        name: "builtin".to_owned(),
        family: Family::Builtin,
        text_encoders: vec![TextEncoder {
            component: component(ComponentKind::TextEncoder, Precision::Bf16, 800_000, 3, 900_000),
            shape: TextEncoderShape::Qwen3(Qwen3Shape {
                vocabulary: 2048,
                hidden: 192,
                layers: 4,
                heads: 6,
                kv_heads: 3,
                head_dim: 32,
                feed_forward: 512,
                norm_eps: 1e-6,
                rope_theta: 1e6,
                max_tokens: 128,
            }),
            tokenizer: Bytes::mib(1),
        }],
        denoiser: component(ComponentKind::Denoiser, Precision::Bf16, 1_600_000, 8, 3_000_000),
        denoiser_shape: DenoiserShape::ZImage(ZImageShape {
            channels: 8,
            patch: 2,
            dim: 320,
            heads: 5,
            layers: 6,
            refiner_layers: 1,
            feed_forward: 853,
            caption_dim: 192,
            modulation_dim: 256,
            norm_eps: 1e-5,
            rope_theta: 256.0,
            rope_axes: [16, 24, 24],
            time_scale: 1000.0,
        }),
        vae: component(ComponentKind::Vae, Precision::F16, 3_400_000, 0, 0),
        vae_encoder: Some(component(ComponentKind::Vae, Precision::F16, 2_400_000, 0, 0)),
        vae_shape: vae,
        native: PixelSize::new(128, 128),
        noise: Noise::Flow(Flow::fixed(3.0)),
    }
}

/// A machine that computes on its processor.
pub(crate) fn laptop(total_gib: u64, available: Bytes) -> Machine {
    Machine {
        name: format!("{total_gib} GiB laptop"),
        os: Os::Linux,
        ram: Ram { total: Reading::Known(Bytes::gib(total_gib)), available: Reading::Known(available) },
        commit: None,
        cgroup: None,
        disk_free: Reading::Known(Bytes::gib(100)),
        cpu: Cpu { threads: 8, gflops: Some(60.0) },
        gpus: Vec::new(),
        held: Bytes::ZERO,
    }
}

/// A queue as it was kept, and how many jobs had been sent by then.
type Kept = (Vec<Standing>, usize);

/// What the window said to the worker, and what the worker will say to the window.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) sent: Rc<RefCell<Vec<Command>>>,
    pub(crate) events: Rc<RefCell<VecDeque<Event>>>,
    pub(crate) preview: Rc<RefCell<Option<Preview>>>,
    pub(crate) cancelled: Rc<Cell<u32>>,
    pub(crate) full: Rc<Cell<bool>>,
    pub(crate) spread: Rc<Cell<Option<(usize, f64, f64)>>>,
    pub(crate) adopted: Rc<RefCell<Vec<(PathBuf, JobId)>>>,
    /// What an earlier window left, `None` while that is not known.
    pub(crate) backlog: Rc<RefCell<Option<Backlog>>>,
    /// The queue as it was kept, with how many orders had gone out by then.
    pub(crate) kept: Rc<RefCell<Vec<Kept>>>,
    pub(crate) forgotten: Rc<RefCell<Vec<JobId>>>,
    pub(crate) settings: Rc<RefCell<Vec<Settings>>>,
    pub(crate) saved: Arc<Mutex<Vec<(PixelSize, u64, String)>>>,
    /// What a file of this name turns out to be.
    pub(crate) files: Arc<Mutex<BTreeMap<String, Found>>>,
    /// What the file dialog will answer.
    pub(crate) picked: Arc<Mutex<Vec<PathBuf>>>,
    pub(crate) machines: Rc<RefCell<Vec<PathBuf>>>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            backlog: Rc::new(RefCell::new(Some(Backlog::default()))),
            sent: Rc::default(),
            events: Rc::default(),
            preview: Rc::default(),
            cancelled: Rc::default(),
            full: Rc::default(),
            spread: Rc::default(),
            adopted: Rc::default(),
            kept: Rc::default(),
            forgotten: Rc::default(),
            settings: Rc::default(),
            saved: Arc::default(),
            files: Arc::default(),
            picked: Arc::default(),
            machines: Rc::default(),
        }
    }
}

impl Script {
    pub(crate) fn say(&self, event: Event) {
        self.events.borrow_mut().push_back(event);
    }

    /// The jobs that were sent so far.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        self.sent
            .borrow()
            .iter()
            .filter_map(|command| match command {
                Command::Run(job) => Some((**job).clone()),
                _ => None,
            })
            .collect()
    }
}

struct FakeBackend(Script);

impl RunBook for Script {
    fn learned(&self, _: &Inventory) -> Learned {
        Learned::default()
    }

    fn spread(&self) -> Option<(usize, f64, f64)> {
        self.spread.get()
    }
}

impl LatentFiles for Script {
    fn adopt(&self, path: &Path, job: JobId) {
        self.adopted.borrow_mut().push((path.to_owned(), job));
    }

    fn forget(&self, job: JobId) {
        self.forgotten.borrow_mut().push(job);
    }
}

impl JobBook for Script {
    fn found(&self) -> Option<Backlog> {
        self.backlog.borrow_mut().take()
    }

    fn adopt(&self, _: u64, _: JobId) {}

    fn keep(&self, queue: Vec<Standing>) {
        self.kept.borrow_mut().push((queue, self.jobs().len()));
    }
}

impl Backend for FakeBackend {
    fn send(&self, command: Command) -> bool {
        if self.0.full.get() {
            return false;
        }
        self.0.sent.borrow_mut().push(command);
        true
    }

    fn poll(&self) -> Option<Event> {
        self.0.events.borrow_mut().pop_front()
    }

    fn preview(&self) -> Option<Preview> {
        self.0.preview.borrow_mut().take()
    }

    fn cancel(&self) {
        self.0.cancelled.set(self.0.cancelled.get() + 1);
    }

    fn set_wake(&self, _wake: Arc<dyn Fn() + Send + Sync>) {}
}

/// A plain picture of one colour.
pub(crate) fn pixels(size: PixelSize, color: [u8; 3]) -> Arc<Pixels> {
    Arc::new(Pixels::new(size, color.repeat(size.pixels() as usize)).unwrap())
}

pub(crate) fn host(machine: Machine, script: &Script) -> Host {
    let saved = Arc::clone(&script.saved);
    let settings = Rc::clone(&script.settings);
    let (files, picked, machines) =
        (Arc::clone(&script.files), Arc::clone(&script.picked), Rc::clone(&script.machines));
    Host {
        models: [builtin(), z_image_turbo()]
            .map(|model| ModelEntry { name: model.name.clone(), inventory: Arc::new(model) })
            .into(),
        machines: vec![laptop(8, Bytes::gib(5)), laptop(64, Bytes::gib(60))],
        survey: Box::new(move || machine.clone()),
        live: Arc::new(|| Bytes::mib(150)),
        left: Vec::new(),
        latents: Box::new(script.clone()),
        jobs: Box::new(script.clone()),
        book: Box::new(script.clone()),
        worker: Box::new(FakeBackend(script.clone())),
        save: Arc::new(move |pixels, recipe, model| {
            saved.lock().unwrap().push((pixels.size(), recipe.seed(), model.to_owned()));
            Ok(PathBuf::from(format!("/pictures/{}.png", recipe.seed())))
        }),
        inspect: Arc::new(move |source| {
            let name = match source {
                Source::File(path) => path.file_name().unwrap().to_string_lossy().into_owned(),
                Source::Text(text) => text.clone(),
            };
            files.lock().unwrap().get(&name).cloned().unwrap_or(Found::Unknown)
        }),
        pick: Arc::new(move || picked.lock().unwrap().clone()),
        keep_machine: Box::new(move |path| machines.borrow_mut().push(path.to_owned())),
        policy: Policy::new(Device::Cpu),
        settings: Settings { theme: ThemeChoice::Dark, ..Settings::default() },
        save_settings: Box::new(move |changed| settings.borrow_mut().push(changed.clone())),
        locale: "en".to_owned(),
        opened: Vec::new(),
        shown: Box::new(|| {}),
    }
}

pub(crate) type Harness<'a> = egui_kittest::Harness<'a, App>;

/// The window on `machine`, first frames drawn.
pub(crate) fn window(machine: Machine, script: &Script) -> Harness<'static> {
    window_of(host(machine, script), [1280.0, 800.0])
}

pub(crate) fn window_of(host: Host, size: [f32; 2]) -> Harness<'static> {
    egui_kittest::Harness::builder().with_size(size).with_max_steps(12).build_eframe(move |cc| {
        let mut app = App::new(&cc.egui_ctx, host).unwrap();
        app.state.entropy = || 4242;
        app
    })
}
