//! Settings out of a ComfyUI graph: from the sampler back to what feeds it.
//!
//! Both shapes are one [`Graph`] here: the API graph, which is what ran, and the graph of the editor. Nodes that are not
//! known are listed by their names; where no sampler is known, that is said instead of guessing.

mod graph;

pub(super) use graph::is_api_graph;

use super::{Gather, Left, Program, Restored, Slot, Why, text_of};
use crate::model::json::Value;
use crate::recipe::Partial;
use graph::{Graph, Input, Node};

/// Nodes on the way whose work is understood, or that have no say in the settings.
const KNOWN: &[&str] = &[
    "KSampler",
    "KSamplerAdvanced",
    "SamplerCustom",
    "SamplerCustomAdvanced",
    "CLIPTextEncode",
    "CLIPTextEncodeSDXL",
    "CLIPTextEncodeFlux",
    "CLIPTextEncodeSD3",
    "EmptyLatentImage",
    "EmptySD3LatentImage",
    "EmptyFlux2LatentImage",
    "CheckpointLoaderSimple",
    "CheckpointLoader",
    "UNETLoader",
    "UnetLoaderGGUF",
    "UnetLoaderGGUFAdvanced",
    "CLIPLoader",
    "CLIPLoaderGGUF",
    "DualCLIPLoader",
    "DualCLIPLoaderGGUF",
    "TripleCLIPLoader",
    "QuadrupleCLIPLoader",
    "VAELoader",
    "VAEDecode",
    "VAEDecodeTiled",
    "SaveImage",
    "SaveImageWebsocket",
    "PreviewImage",
    "LoraLoader",
    "LoraLoaderModelOnly",
    "FluxGuidance",
    "ModelSamplingSD3",
    "ModelSamplingAuraFlow",
    "ModelSamplingFlux",
    "RandomNoise",
    "KSamplerSelect",
    "BasicScheduler",
    "BasicGuider",
    "CFGGuider",
    "CLIPSetLastLayer",
    "ConditioningZeroOut",
    "LoadImage",
    "VAEEncode",
    "Reroute",
    "PrimitiveNode",
    "PrimitiveInt",
    "PrimitiveFloat",
    "PrimitiveString",
    "PrimitiveStringMultiline",
    "Note",
    "MarkdownNote",
];
/// Longest way back; a graph with a circle ends here.
const MAX_WAY: usize = 64;

/// Reads a graph in either shape. `None` where it is no graph at all.
pub(super) fn read(value: &Value) -> Option<Restored> {
    let graphs = Graph::all(value)?;
    let best = graphs.iter().filter_map(settings).max_by_key(|restored| restored.settings.count());
    best.or_else(|| {
        let what = "no sampler node that this program knows".to_owned();
        let value = graphs.first().map(|graph| graph.kinds().join(", ")).unwrap_or_default();
        let left = vec![Left { what, value, why: Why::NotHere }];
        let (version, settings) = (String::new(), Partial::default());
        Some(Restored { program: Program::ComfyUi, version, settings, model: None, left })
    })
}

fn settings(graph: &Graph) -> Option<Restored> {
    let samplers: Vec<&Node> = graph.nodes.iter().filter(|node| is_sampler(graph, node)).collect();
    // Of several the one that starts from an empty latent: the others refine what it drew.
    let first = samplers.iter().find(|node| latent(graph, node).is_some_and(|latent| latent.kind.starts_with("Empty")));
    let sampler = *first.or_else(|| samplers.first())?;
    let mut gather = Gather::new(Program::ComfyUi);
    for other in samplers.iter().filter(|node| node.id != sampler.id) {
        gather.leave("another sampler", &other.kind, Why::NotHere);
    }
    let mut way = Way { graph, gather };
    // Its noise comes from the processor, whatever draws.
    way.gather.text(Slot::Noise, "noise", "cpu");
    way.sampler(sampler);
    for kind in graph.kinds().into_iter().filter(|kind| !KNOWN.contains(kind) && *kind != sampler.kind) {
        way.gather.leave("node", kind, Why::NotHere);
    }
    way.gather.done()
}

/// A node that steps: by its name, or by what any sampler of that shape must be told.
fn is_sampler(graph: &Graph, node: &Node) -> bool {
    let has = |name: &str| node.input(name).is_some();
    let plain = has("steps") && has("sampler_name") && (has("positive") || has("model"));
    plain
        || node.kind == "SamplerCustomAdvanced"
        || node.kind == "SamplerCustom" && graph.link(node, "sigmas").is_some()
}

/// The node that the latent comes from.
fn latent<'a>(graph: &'a Graph, sampler: &Node) -> Option<&'a Node> {
    let mut node = graph.link(sampler, "latent_image").or_else(|| graph.link(sampler, "latent"))?;
    for _ in 0..MAX_WAY {
        if node.input("width").is_some() && node.input("height").is_some() {
            return Some(node);
        }
        let Some(next) = ["samples", "latent_image", "latent", "pixels", "image", "images", ""]
            .into_iter()
            .find_map(|name| graph.link(node, name))
        else {
            return Some(node);
        };
        node = next;
    }
    None
}

struct Way<'a> {
    graph: &'a Graph,
    gather: Gather,
}

impl Way<'_> {
    /// Takes an input that is a value, or a link to a node that holds just a value.
    fn take(&mut self, node: &Node, name: &str, slot: Slot) {
        if let Some(value) = self.graph.value(node, name) {
            let value = value.clone();
            self.gather.value(slot, name, &value);
        } else if node.input(name).is_some() {
            self.gather.leave(name, "computed by other nodes", Why::Unreadable);
        }
    }

    fn sampler(&mut self, node: &Node) {
        let graph = self.graph;
        for (name, slot) in [
            ("seed", Slot::Seed),
            ("noise_seed", Slot::Seed),
            ("steps", Slot::Steps),
            ("cfg", Slot::Guidance),
            ("sampler_name", Slot::Sampler),
            ("scheduler", Slot::Schedule),
        ] {
            if node.input(name).is_some() {
                self.take(node, name, slot);
            }
        }
        self.strength(node);
        if let Some(noise) = graph.link(node, "noise") {
            self.take(noise, "noise_seed", Slot::Seed);
        }
        if let Some(select) = graph.link(node, "sampler") {
            self.take(select, "sampler_name", Slot::Sampler);
        }
        if let Some(sigmas) = graph.link(node, "sigmas") {
            self.take(sigmas, "steps", Slot::Steps);
            self.take(sigmas, "scheduler", Slot::Schedule);
            self.strength(sigmas);
        }
        let guide = graph.link(node, "guider").unwrap_or(node);
        if guide.id != node.id {
            self.take(guide, "cfg", Slot::Guidance);
            if guide.input("cfg").is_none() && guide.input("conditioning").is_some() {
                self.gather.text(Slot::Guidance, "cfg", "1");
            }
        }
        for (names, slot) in [(&["positive", "conditioning"][..], Slot::Prompt), (&["negative"], Slot::Negative)] {
            if let Some(start) = names.iter().find_map(|name| graph.link(guide, name)) {
                self.words(start, slot);
            }
        }
        if let Some(start) = graph.link(guide, "model") {
            self.model(start);
        }
        match latent(graph, node) {
            Some(latent) if latent.kind.starts_with("Empty") || latent.input("width").is_some() => {
                self.take(latent, "width", Slot::Width);
                self.take(latent, "height", Slot::Height);
                self.take(latent, "batch_size", Slot::Batch);
            }
            Some(latent) => self.gather.leave("input picture", &latent.kind, Why::NotHere),
            None => {}
        }
    }

    /// Less than all of the noise: an image to image run.
    fn strength(&mut self, node: &Node) {
        if let Some(value) = self.graph.value(node, "denoise")
            && value.as_f64().is_some_and(|denoise| denoise < 1.0)
        {
            let value = text_of(value);
            self.gather.leave("denoise", &value, Why::NotHere);
        }
    }

    /// Back to the node that encodes the text.
    fn words(&mut self, start: &Node, slot: Slot) {
        let mut node = start;
        for _ in 0..MAX_WAY {
            if node.input("guidance").is_some() {
                self.take(node, "guidance", Slot::Distilled);
            }
            match node.kind.as_str() {
                "ConditioningZeroOut" => return,
                "ConditioningCombine" | "ConditioningConcat" | "ConditioningAverage" => {
                    self.gather.leave("second prompt", &node.kind, Why::NotHere);
                }
                kind if kind.starts_with("ControlNetApply") => self.gather.leave("ControlNet", kind, Why::NotHere),
                _ => {}
            }
            for name in ["text", "text_g", "t5xxl", "prompt", "positive_prompt"] {
                if node.input(name).is_some() {
                    self.take(node, name, slot);
                    let second = self.graph.value(node, "text_l").or_else(|| self.graph.value(node, "clip_l"));
                    let second = second.map(text_of).filter(|text| !text.is_empty());
                    let first = self.graph.value(node, name).map(text_of);
                    if let Some(second) = second.filter(|second| first.as_ref() != Some(second)) {
                        self.gather.leave("second prompt", &second, Why::NotHere);
                    }
                    return;
                }
            }
            let side = if slot == Slot::Negative { "negative" } else { "positive" };
            let names = ["conditioning", side, "conditioning_1", "conditioning_to", "cond", "clip", ""];
            let Some(next) = names.into_iter().find_map(|name| self.graph.link(node, name)) else { return };
            node = next;
        }
    }

    /// Back to the loader, past `LoRAs` and shifts.
    fn model(&mut self, start: &Node) {
        let mut node = start;
        for _ in 0..MAX_WAY {
            if let Some(lora) = self.graph.value(node, "lora_name") {
                let weight = self.graph.value(node, "strength_model").map(text_of).unwrap_or_default();
                let lora = format!("{} {weight}", text_of(lora));
                self.gather.leave("LoRA", &lora, Why::NotHere);
            }
            for name in ["shift", "max_shift"] {
                if let Some(shift) = self.graph.value(node, name) {
                    let shift = text_of(shift);
                    self.gather.leave(name, &shift, Why::NotHere);
                }
            }
            for name in ["ckpt_name", "unet_name", "model_name", "diffusion_name", "gguf_name"] {
                if let Some(Input::Value(_)) = node.input(name) {
                    self.take(node, name, Slot::Model);
                    return;
                }
            }
            let Some(next) = ["model", "MODEL", ""].into_iter().find_map(|name| self.graph.link(node, name)) else {
                return;
            };
            node = next;
        }
    }
}
