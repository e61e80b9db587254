//! LoRA files, told apart by their names and brought to the modules of a model.
//!
//! Every program that trains them names modules its own way. [`Modules`] writes down all the names that a model's
//! modules go by; [`read`] looks each module of a file up there and says how many were found, so that a file for
//! another family says "0 of 264" and never changes a picture a little.
//!
//! Formulas: LoRA (arXiv 2106.09685), `LoHa` and `LoKr` (arXiv 2108.06098 and the `LyCORIS` library), `DoRA` (arXiv
//! 2402.09353).

mod halves;
mod names;

pub use halves::{Halves, NotApplied};
pub use names::{Modules, Place};

use super::header::{TensorInfo, TensorTable};
use std::collections::BTreeMap;

/// A change of a weight matrix, as the tensors that it is computed from; all are seen as (outputs, inputs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// `up` x `down`, with a small convolution between them where there is one.
    LowRank { down: TensorInfo, up: TensorInfo, mid: Option<TensorInfo> },
    /// The element-wise product of two low-rank products, each with a core where the weight is a convolution.
    Hadamard { first: [TensorInfo; 2], second: [TensorInfo; 2], cores: Option<[TensorInfo; 2]> },
    /// The Kronecker product of two matrices.
    Kronecker { left: Factor, right: Factor },
    /// The change itself.
    Whole(TensorInfo),
}

/// A factor of a Kronecker product: `a` alone, or `a` x `b`, with a core between them for convolutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    pub a: TensorInfo,
    pub b: Option<TensorInfo>,
    pub core: Option<TensorInfo>,
}

/// The change of one canonical module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    pub place: Place,
    /// Canonical name without `.weight`.
    pub module: String,
    pub update: Update,
    /// Rows of the update that belong to this module, where the file changes a fused product: first and count.
    pub rows: Option<(usize, usize)>,
    /// A single number; the update is scaled by it over [`Patch::rank`]. Without it the scale is one.
    pub alpha: Option<TensorInfo>,
    pub rank: usize,
    /// Lengths of the changed weight's rows (`DoRA`): the sum of weight and update is brought to them.
    pub magnitude: Option<TensorInfo>,
}

/// What a LoRA file changes in a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lora {
    pub patches: Vec<Patch>,
    /// Modules of the file that were found in the model, and all of them.
    pub applied: usize,
    pub total: usize,
    /// Modules of the file that the model does not have, or has in another size.
    pub unmatched: Vec<String>,
    /// What the file seems to be made for, where nothing of it was found.
    pub made_for: Option<&'static str>,
}

impl Lora {
    /// `264 of 264`, or what it was made for where nothing was found.
    #[must_use]
    pub fn report(&self) -> String {
        let count = format!("{} of {}", self.applied, self.total);
        match self.made_for {
            Some(family) if self.applied == 0 => format!("{count}: made for {family}"),
            _ => count,
        }
    }
}

/// Why a file is no LoRA that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoraError {
    #[error("this file holds no LoRA")]
    None,
    #[error("module {module} lacks {lacks}")]
    Incomplete { module: String, lacks: &'static str },
    #[error("module {module} has parts whose shapes do not fit: {shapes:?}")]
    OddShape { module: String, shapes: Vec<Vec<usize>> },
}

/// The role of a tensor in its module, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Down,
    Up,
    Mid,
    Alpha,
    Magnitude,
    Hada1A,
    Hada1B,
    Hada2A,
    Hada2B,
    HadaCore1,
    HadaCore2,
    Kron1,
    Kron1A,
    Kron1B,
    KronCore1,
    Kron2,
    Kron2A,
    Kron2B,
    KronCore2,
    Whole,
    /// Changes of biases and norms, which no program needs to read: counted, not applied.
    Bias,
}

const ROLES: [(&str, Role); 41] = [
    (".lora_down.weight", Role::Down),
    (".lora_up.weight", Role::Up),
    (".lora_mid.weight", Role::Mid),
    (".lora_A.weight", Role::Down),
    (".lora_B.weight", Role::Up),
    (".lora_A.default.weight", Role::Down),
    (".lora_B.default.weight", Role::Up),
    (".lora_A.default_0.weight", Role::Down),
    (".lora_B.default_0.weight", Role::Up),
    (".lora_A", Role::Down),
    (".lora_B", Role::Up),
    (".lora.down.weight", Role::Down),
    (".lora.up.weight", Role::Up),
    (".lora_linear_layer.down.weight", Role::Down),
    (".lora_linear_layer.up.weight", Role::Up),
    ("_lora.down.weight", Role::Down),
    ("_lora.up.weight", Role::Up),
    // XLabs write what the LoRA is of before its number and its half.
    (".down.weight", Role::Down),
    (".up.weight", Role::Up),
    (".alpha", Role::Alpha),
    (".lora_alpha", Role::Alpha),
    (".dora_scale", Role::Magnitude),
    (".lora_magnitude_vector.weight", Role::Magnitude),
    (".lora_magnitude_vector.default.weight", Role::Magnitude),
    (".lora_magnitude_vector", Role::Magnitude),
    (".hada_w1_a", Role::Hada1A),
    (".hada_w1_b", Role::Hada1B),
    (".hada_w2_a", Role::Hada2A),
    (".hada_w2_b", Role::Hada2B),
    (".hada_t1", Role::HadaCore1),
    (".hada_t2", Role::HadaCore2),
    (".lokr_w1", Role::Kron1),
    (".lokr_w1_a", Role::Kron1A),
    (".lokr_w1_b", Role::Kron1B),
    (".lokr_t1", Role::KronCore1),
    (".lokr_w2", Role::Kron2),
    (".lokr_w2_a", Role::Kron2A),
    (".lokr_w2_b", Role::Kron2B),
    (".lokr_t2", Role::KronCore2),
    (".diff", Role::Whole),
    (".diff_b", Role::Bias),
];

/// Reads what a LoRA file changes in a model whose modules have these names.
///
/// # Errors
/// Where the file holds no LoRA, or a module is not whole.
pub fn read(table: &TensorTable, modules: &Modules) -> Result<Lora, LoraError> {
    let mut found: BTreeMap<&str, BTreeMap<Role, &TensorInfo>> = BTreeMap::new();
    for tensor in &table.tensors {
        let role = ROLES.iter().filter_map(|(end, role)| Some((tensor.name.strip_suffix(end)?, *role)));
        // The longest end says most: what is left of the name is the shortest.
        if let Some((module, role)) = role.min_by_key(|(module, _)| module.len()) {
            found.entry(module).or_default().insert(role, tensor);
        }
    }
    found.retain(|_, roles| roles.keys().any(|role| !matches!(role, Role::Alpha | Role::Bias)));
    if found.is_empty() {
        return Err(LoraError::None);
    }
    let mut lora = Lora { total: found.len(), ..Lora::default() };
    for (module, roles) in &found {
        let (update, rank) = update(module, roles)?;
        let outputs = rows_of(&update).zip(columns_of(&update));
        let mut patches = Vec::new();
        for target in modules.find(module) {
            let rows = outputs.and_then(|(rows, columns)| target.rows(rows, columns));
            let Some(rows) = rows else { continue };
            patches.push(Patch {
                place: target.place,
                module: target.module.clone(),
                update: update.clone(),
                rows,
                alpha: roles.get(&Role::Alpha).map(|&alpha| alpha.clone()),
                rank,
                magnitude: roles.get(&Role::Magnitude).map(|&magnitude| magnitude.clone()),
            });
        }
        if patches.is_empty() {
            lora.unmatched.push((*module).to_owned());
        } else {
            lora.applied += 1;
            lora.patches.extend(patches);
        }
    }
    // Families share text encoders: a file that changes them and nothing of this denoiser is for another one.
    let of_denoiser = |module: &&String| !module.starts_with("lora_te") && !module.starts_with("text_encoder");
    let none_of_it = lora.patches.iter().all(|patch| patch.place != Place::Denoiser);
    if none_of_it && lora.unmatched.iter().any(|module| of_denoiser(&module)) {
        lora.patches.clear();
        lora.applied = 0;
        lora.unmatched = found.keys().map(|&module| module.to_owned()).collect();
    }
    if lora.applied == 0 {
        lora.made_for = made_for(found.keys().copied());
    }
    Ok(lora)
}

fn update(module: &str, roles: &BTreeMap<Role, &TensorInfo>) -> Result<(Update, usize), LoraError> {
    let get = |role: Role| roles.get(&role).map(|&tensor| tensor.clone());
    let need = |role: Role, lacks: &'static str| {
        get(role).ok_or_else(|| LoraError::Incomplete { module: module.to_owned(), lacks })
    };
    let odd = |tensors: &[&TensorInfo]| LoraError::OddShape {
        module: module.to_owned(),
        shapes: tensors.iter().map(|tensor| tensor.shape.clone()).collect(),
    };
    let first = |tensor: &TensorInfo| tensor.shape.first().copied().unwrap_or(0);
    let second = |tensor: &TensorInfo| tensor.shape.get(1).copied().unwrap_or(0);
    if roles.contains_key(&Role::Down) || roles.contains_key(&Role::Up) {
        let (down, up) = (need(Role::Down, "the half that goes down")?, need(Role::Up, "the half that goes up")?);
        let rank = first(&down);
        if rank == 0 || second(&up) != rank || down.shape.len() < 2 {
            return Err(odd(&[&down, &up]));
        }
        return Ok((Update::LowRank { down, up, mid: get(Role::Mid) }, rank));
    }
    if roles.contains_key(&Role::Hada1A) {
        let a = [need(Role::Hada1A, "hada_w1_a")?, need(Role::Hada1B, "hada_w1_b")?];
        let b = [need(Role::Hada2A, "hada_w2_a")?, need(Role::Hada2B, "hada_w2_b")?];
        let cores = get(Role::HadaCore1).zip(get(Role::HadaCore2)).map(|(one, two)| [one, two]);
        let rank = first(&a[1]);
        // With a core the halves are (rank, outputs) and (rank, inputs), without it (outputs, rank) and (rank, inputs).
        let inner = |pair: &[TensorInfo; 2]| if cores.is_some() { first(&pair[0]) } else { second(&pair[0]) };
        if rank == 0 || inner(&a) != rank || inner(&b) != first(&b[1]) {
            return Err(odd(&[&a[0], &a[1], &b[0], &b[1]]));
        }
        return Ok((Update::Hadamard { first: a, second: b, cores }, rank));
    }
    if roles.keys().any(|role| (Role::Kron1..=Role::KronCore2).contains(role)) {
        let factor = |whole: Role, a: Role, b: Role, core: Role, lacks: &'static str| {
            if let Some(a) = get(whole) {
                return Ok((Factor { a, b: None, core: None }, None));
            }
            let (a, b, core) = (need(a, lacks)?, need(b, lacks)?, get(core));
            let rank = first(&b);
            let inner = if core.is_some() { first(&a) } else { second(&a) };
            if rank == 0 || inner != rank {
                return Err(odd(&[&a, &b]));
            }
            Ok((Factor { a, b: Some(b), core }, Some(rank)))
        };
        let (left, left_rank) = factor(Role::Kron1, Role::Kron1A, Role::Kron1B, Role::KronCore1, "lokr_w1")?;
        let (right, right_rank) = factor(Role::Kron2, Role::Kron2A, Role::Kron2B, Role::KronCore2, "lokr_w2")?;
        // Two whole factors are taken as they are: rank zero says that alpha does not count.
        return Ok((Update::Kronecker { left, right }, left_rank.or(right_rank).unwrap_or(0)));
    }
    Ok((Update::Whole(need(Role::Whole, "its weights")?), 0))
}

fn volume(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |all, &n| all.checked_mul(n))
}

/// Outputs of the whole update.
fn rows_of(update: &Update) -> Option<usize> {
    match update {
        Update::LowRank { up, .. } => up.shape.first().copied(),
        Update::Hadamard { first: [a, _], cores, .. } => {
            if cores.is_some() {
                a.shape.get(1).copied()
            } else {
                a.shape.first().copied()
            }
        }
        Update::Kronecker { left, right } => factor_size(left)?.0.checked_mul(factor_size(right)?.0),
        Update::Whole(tensor) => tensor.shape.first().copied(),
    }
}

/// Inputs of the whole update, kernel positions included.
fn columns_of(update: &Update) -> Option<usize> {
    let kernel = |core: &TensorInfo| volume(core.shape.get(2..).unwrap_or_default());
    match update {
        Update::LowRank { down, mid, .. } => {
            let own = volume(down.shape.get(1..)?)?;
            mid.as_ref().map_or(Some(own), |mid| own.checked_mul(kernel(mid)?))
        }
        Update::Hadamard { first: [_, b], cores, .. } => {
            let own = volume(b.shape.get(1..)?)?;
            cores.as_ref().map_or(Some(own), |[core, _]| own.checked_mul(kernel(core)?))
        }
        Update::Kronecker { left, right } => factor_size(left)?.1.checked_mul(factor_size(right)?.1),
        Update::Whole(tensor) => volume(tensor.shape.get(1..)?),
    }
}

fn factor_size(factor: &Factor) -> Option<(usize, usize)> {
    let own = |tensor: &TensorInfo| volume(tensor.shape.get(1..)?);
    match (&factor.a, &factor.b, &factor.core) {
        (a, None, _) => Some((*a.shape.first()?, own(a)?)),
        (a, Some(b), None) => Some((*a.shape.first()?, own(b)?)),
        (a, Some(b), Some(core)) => {
            let kernel = volume(core.shape.get(2..)?)?;
            Some((*a.shape.get(1)?, b.shape.get(1)?.checked_mul(kernel)?))
        }
    }
}

/// A family, from the names of modules that only it has.
fn made_for<'a>(modules: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    let flat: Vec<String> = modules.map(|module| module.replace('.', "_")).collect();
    let has = |part: &str| flat.iter().any(|module| module.contains(part));
    Some(if has("double_blocks") || has("single_transformer_blocks") || has("single_blocks") {
        "FLUX"
    } else if has("joint_blocks") || has("attn_add_q_proj") || has("attn_add_k_proj") {
        "Stable Diffusion 3"
    } else if has("layers_0_attention") || has("noise_refiner") || has("context_refiner") {
        "Z-Image"
    } else if has("lora_te2") || has("text_encoder_2") || has("transformer_blocks_9") || has("input_blocks_8_1") {
        "SDXL"
    } else if has("down_blocks") || has("input_blocks") || has("mid_block") {
        "Stable Diffusion 1 or 2"
    } else {
        return None;
    })
}
