//! All the names that the modules of a model go by in `LoRA` files.

use crate::model::header::TensorTable;
use crate::model::layout::{self, Network, Share};
use std::collections::HashMap;

/// A network of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Denoiser,
    /// By its number among the text encoders.
    TextEncoder(usize),
}

/// A module that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub place: Place,
    pub module: String,
    share: Share,
    outputs: usize,
    inputs: usize,
}

impl Target {
    /// The rows of an update of this size that belong to the module, `Some(None)` being all of them. `None` where it
    /// does not fit: made for another size, or fused in a way that the name does not tell.
    #[expect(clippy::option_option, reason = "all rows, some rows and no fit are three answers")]
    pub(super) fn rows(&self, rows: usize, columns: usize) -> Option<Option<(usize, usize)>> {
        if columns != self.inputs {
            return None;
        }
        match self.share {
            // Only weights are swapped in halves; an update of the module follows them by whoever applies it.
            Share::Whole | Share::HalvesSwapped => (rows == self.outputs).then_some(None),
            Share::Third(third) => {
                (rows == 3 * self.outputs).then_some(Some((usize::from(third) * self.outputs, self.outputs)))
            }
            Share::Width(third) => {
                let from = usize::from(third) * self.outputs;
                (rows >= 3 * self.outputs).then_some(Some((from, self.outputs)))
            }
            Share::Rest => {
                let from = rows.checked_sub(self.outputs)?;
                (from > 0).then_some(Some((from, self.outputs)))
            }
        }
    }
}

/// The modules of a model by every name that they go by.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    by_name: HashMap<String, Vec<Target>>,
}

/// What stands before a denoiser's module in dotted names, then in those with underscores only.
const DENOISER_DOTTED: [&str; 8] = [
    "",
    "transformer.",
    "unet.",
    "diffusion_model.",
    "model.diffusion_model.",
    "base_model.model.",
    "base_model.model.transformer.",
    "base_model.model.unet.",
];
const DENOISER_FLAT: [&str; 3] = ["lora_unet_", "lora_transformer_", "lycoris_"];

impl Modules {
    /// Adds the modules of a denoiser, from its canonical tensors.
    pub fn add_denoiser(&mut self, network: Network, table: &TensorTable) {
        let places = if network == Network::Unet { layout::unet_blocks(table) } else { Vec::new() };
        for (module, outputs, inputs) in modules(table) {
            let target = |share| Target { place: Place::Denoiser, module: module.to_owned(), share, outputs, inputs };
            self.add_dotted_and_flat(module, &target(Share::Whole));
            let published = places
                .iter()
                .find_map(|place| place.published_name(module))
                .map(|name| vec![(name, Share::Whole)])
                .unwrap_or_else(|| {
                    let names = layout::published(network, &format!("{module}.weight"), last(network, table));
                    let module =
                        |(name, share): (String, Share)| Some((name.strip_suffix(".weight")?.to_owned(), share));
                    names.into_iter().filter_map(module).collect()
                });
            for (name, share) in published {
                // Halves that are swapped in the file are swapped in an update for it too: no program trains them.
                if name != module && share != Share::HalvesSwapped {
                    self.add_dotted_and_flat(&name, &target(share));
                    if network == Network::Flux {
                        self.add_xlabs(&name, &target(share));
                    }
                }
            }
            // Before diffusers used PEFT, a layer's LoRA hung on the attention's processor.
            if let Some((attention, layer)) = split_attention(module) {
                let processor = format!("{attention}.processor.{layer}");
                for prefix in ["", "unet.", "transformer."] {
                    self.add(format!("{prefix}{processor}"), target(Share::Whole));
                }
            }
        }
    }

    /// Adds the modules of text encoder number `index`.
    pub fn add_text_encoder(&mut self, index: usize, table: &TensorTable) {
        let number = index + 1;
        let (dotted, mut flat) = match index {
            0 => ("text_encoder.".to_owned(), vec!["lora_te_".to_owned(), "lora_te1_".to_owned()]),
            _ => (format!("text_encoder_{number}."), vec![format!("lora_te{number}_")]),
        };
        // Trainers of FLUX count T5 as the second or the third encoder.
        if index == 1 {
            flat.push("lora_te3_".to_owned());
        }
        for (module, outputs, inputs) in modules(table) {
            let place = Place::TextEncoder(index);
            let target = Target { place, module: module.to_owned(), share: Share::Whole, outputs, inputs };
            // What CLIP's own class is called stands before its modules in some files, and not in others.
            let other = match module.strip_prefix("text_model.") {
                Some(inner) => Some(inner.to_owned()),
                None => module.starts_with("encoder.layers.").then(|| format!("text_model.{module}")),
            };
            for module in [Some(module.to_owned()), other].into_iter().flatten() {
                for dotted in [dotted.clone(), format!("base_model.model.{dotted}")] {
                    self.add(format!("{dotted}{module}"), target.clone());
                }
                for (now, before) in
                    [("q_proj", "to_q"), ("k_proj", "to_k"), ("v_proj", "to_v"), ("out_proj", "to_out")]
                {
                    if let Some(attention) = module.strip_suffix(now) {
                        self.add(format!("{dotted}{attention}{before}"), target.clone());
                    }
                }
                for flat in &flat {
                    self.add(format!("{flat}{}", module.replace('.', "_")), target.clone());
                }
            }
        }
    }

    fn add_dotted_and_flat(&mut self, name: &str, target: &Target) {
        for prefix in DENOISER_DOTTED {
            self.add(format!("{prefix}{name}"), target.clone());
        }
        let flat = name.replace('.', "_");
        for prefix in DENOISER_FLAT {
            self.add(format!("{prefix}{flat}"), target.clone());
        }
    }

    /// XLabs name the processor of a block: number 1 is the picture's, number 2 the text's. Single blocks have no number,
    /// so that `_lora` is read as part of the end.
    fn add_xlabs(&mut self, published: &str, target: &Target) {
        let ends = [
            (".img_attn.qkv", ".processor.qkv_lora1"),
            (".img_attn.proj", ".processor.proj_lora1"),
            (".txt_attn.qkv", ".processor.qkv_lora2"),
            (".txt_attn.proj", ".processor.proj_lora2"),
            (".linear1", ".processor.qkv"),
            (".linear2", ".processor.proj"),
        ];
        for (end, processor) in ends {
            if let Some(block) = published.strip_suffix(end) {
                for prefix in ["", "diffusion_model.", "model.diffusion_model."] {
                    self.add(format!("{prefix}{block}{processor}"), target.clone());
                }
            }
        }
    }

    fn add(&mut self, name: String, target: Target) {
        let targets = self.by_name.entry(name).or_default();
        if !targets.contains(&target) {
            targets.push(target);
        }
    }

    pub(super) fn find(&self, name: &str) -> &[Target] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Modules with a matrix or a convolution: name, outputs, inputs times kernel positions.
fn modules(table: &TensorTable) -> impl Iterator<Item = (&str, usize, usize)> {
    table.tensors.iter().filter_map(|tensor| {
        let module = tensor.name.strip_suffix(".weight")?;
        let (&outputs, inputs) = tensor.shape.split_first()?;
        let inputs = inputs.iter().try_fold(1_usize, |all, &n| all.checked_mul(n))?;
        (tensor.shape.len() > 1).then_some((module, outputs, inputs))
    })
}

/// `....attn1.to_out.0` gives the attention and `to_out`.
fn split_attention(module: &str) -> Option<(&str, &str)> {
    let module = module.strip_suffix(".0").unwrap_or(module);
    let (attention, layer) = module.rsplit_once('.')?;
    matches!(layer, "to_q" | "to_k" | "to_v" | "to_out" | "add_q_proj" | "add_k_proj" | "add_v_proj" | "to_add_out")
        .then_some((attention, layer))
}

/// The number that rules of a network count from.
fn last(network: Network, table: &TensorTable) -> usize {
    let prefix = match network {
        Network::Sd3 => "transformer_blocks.",
        Network::Vae => "decoder.up_blocks.",
        _ => return 0,
    };
    let number = |name: &str| name.strip_prefix(prefix)?.split_once('.')?.0.parse::<usize>().ok();
    table.tensors.iter().filter_map(|tensor| number(&tensor.name)).max().unwrap_or(0)
}
