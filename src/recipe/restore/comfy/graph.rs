//! Both shapes of a ComfyUI graph as one: nodes whose inputs are values or links.
//!
//! The API graph is `{"3": {"class_type": ..., "inputs": {...}}}`, a link is `["4", 0]`. The editor's graph is `{"nodes":
//! [...], "links": [...]}`; there the values stand in a list without names, so the order of the widgets of the common
//! nodes is a table here. A node that is muted is none; one that is bypassed passes its first input on.

use crate::model::json::Value;

#[derive(Clone, Debug)]
pub(super) enum Input {
    Value(Value),
    /// Another node's output.
    Link(String),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub id: String,
    pub kind: String,
    inputs: Vec<(String, Input)>,
    /// Only passes on what comes in: a reroute, a bypassed node.
    passes: bool,
}

impl Node {
    pub(super) fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|(known, _)| known == name).map(|(_, input)| input)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
}

/// Values of the common nodes in the order in which the editor keeps them. `*` is a value without a say.
const WIDGETS: &[(&str, &[&str])] = &[
    ("KSampler", &["seed", "*control", "steps", "cfg", "sampler_name", "scheduler", "denoise"]),
    (
        "KSamplerAdvanced",
        &["add_noise", "noise_seed", "*control", "steps", "cfg", "sampler_name", "scheduler", "start", "end", "*"],
    ),
    ("SamplerCustom", &["add_noise", "noise_seed", "*control", "cfg"]),
    ("CLIPTextEncode", &["text"]),
    ("CLIPTextEncodeSDXL", &["*", "*", "*", "*", "*", "*", "text_g", "text_l"]),
    ("CLIPTextEncodeFlux", &["clip_l", "t5xxl", "guidance"]),
    ("EmptyLatentImage", &["width", "height", "batch_size"]),
    ("EmptySD3LatentImage", &["width", "height", "batch_size"]),
    ("EmptyFlux2LatentImage", &["width", "height", "batch_size"]),
    ("CheckpointLoaderSimple", &["ckpt_name"]),
    ("CheckpointLoader", &["*", "ckpt_name"]),
    ("UNETLoader", &["unet_name", "*"]),
    ("UnetLoaderGGUF", &["unet_name"]),
    ("LoraLoader", &["lora_name", "strength_model", "strength_clip"]),
    ("LoraLoaderModelOnly", &["lora_name", "strength_model"]),
    ("FluxGuidance", &["guidance"]),
    ("ModelSamplingSD3", &["shift"]),
    ("ModelSamplingAuraFlow", &["shift"]),
    ("ModelSamplingFlux", &["max_shift", "*", "*", "*"]),
    ("RandomNoise", &["noise_seed", "*control"]),
    ("KSamplerSelect", &["sampler_name"]),
    ("BasicScheduler", &["scheduler", "steps", "denoise"]),
    ("CFGGuider", &["cfg"]),
    ("PrimitiveNode", &["value"]),
    ("PrimitiveInt", &["value"]),
    ("PrimitiveFloat", &["value"]),
    ("PrimitiveString", &["value"]),
    ("PrimitiveStringMultiline", &["value"]),
];
/// Inputs under which small nodes keep the one value that they are for.
const ONE_VALUE: &[&str] = &["value", "seed", "text", "string", "int", "float", "number", "prompt", "Value", "Text"];
const MAX_WAY: usize = 64;

pub(crate) fn is_api_graph(value: &Value) -> bool {
    let Value::Object(entries) = value else { return false };
    entries.iter().any(|(_, node)| node.get("class_type").is_some_and(|kind| kind.as_str().is_some()))
}

impl Graph {
    /// The graph, and for the editor's shape each subgraph that it defines. `None` where it is neither shape.
    pub(super) fn all(value: &Value) -> Option<Vec<Self>> {
        if is_api_graph(value) {
            return Some(vec![Self::from_api(value)]);
        }
        let mut graphs = vec![Self::from_editor(value)?];
        let subgraphs = value.get("definitions").and_then(|of| of.get("subgraphs")).and_then(Value::as_array);
        graphs.extend(subgraphs.unwrap_or_default().iter().filter_map(Self::from_editor));
        Some(graphs)
    }

    fn from_api(value: &Value) -> Self {
        let Value::Object(entries) = value else { return Self::default() };
        let nodes = entries.iter().filter_map(|(id, node)| {
            let kind = node.get("class_type")?.as_str()?.to_owned();
            let Some(Value::Object(inputs)) = node.get("inputs") else {
                return Some(Node { id: id.clone(), passes: false, kind, inputs: Vec::new() });
            };
            let inputs = inputs.iter().map(|(name, value)| (name.clone(), api_input(value)));
            Some(Node { id: id.clone(), passes: kind == "Reroute", kind, inputs: inputs.collect() })
        });
        Self { nodes: nodes.collect() }
    }

    fn from_editor(value: &Value) -> Option<Self> {
        let links = value.get("links").and_then(Value::as_array).unwrap_or_default();
        let nodes = value.get("nodes")?.as_array()?;
        let nodes = nodes.iter().filter_map(|node| editor_node(node, links));
        Some(Self { nodes: nodes.collect() })
    }

    /// The names of all nodes, each once.
    pub(super) fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for node in &self.nodes {
            if !kinds.contains(&node.kind.as_str()) {
                kinds.push(&node.kind);
            }
        }
        kinds
    }

    fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The node that feeds an input, past whatever only passes it on. An empty name stands for the one input of a node
    /// that passes on.
    pub(super) fn link(&self, node: &Node, name: &str) -> Option<&Node> {
        let first = || node.inputs.iter().map(|(_, input)| input).find(|input| matches!(input, Input::Link(_)));
        let input = if name.is_empty() { first().filter(|_| node.passes) } else { node.input(name) };
        let Some(Input::Link(id)) = input else { return None };
        let mut next = self.node(id)?;
        for _ in 0..MAX_WAY {
            if !next.passes {
                return Some(next);
            }
            let link = next.inputs.iter().find_map(|(_, input)| match input {
                Input::Link(id) => Some(id),
                Input::Value(_) => None,
            });
            next = self.node(link?)?;
        }
        None
    }

    /// An input's value: its own, or that of a small node that holds just one.
    pub(super) fn value<'a>(&'a self, node: &'a Node, name: &str) -> Option<&'a Value> {
        let (mut node, mut name) = (node, name);
        for _ in 0..MAX_WAY {
            if let Input::Value(value) = node.input(name)? {
                return Some(value);
            }
            node = self.link(node, name)?;
            name = ONE_VALUE.iter().copied().find(|name| node.input(name).is_some())?;
        }
        None
    }
}

fn api_input(value: &Value) -> Input {
    match value.as_array() {
        Some([id @ (Value::String(_) | Value::Integer(_)), Value::Integer(_)]) => Input::Link(id_of(id)),
        _ => Input::Value(value.clone()),
    }
}

fn id_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// `None` for a node that is muted or malformed.
fn editor_node(node: &Value, links: &[Value]) -> Option<Node> {
    const MUTED: u64 = 2;
    const BYPASSED: u64 = 4;
    let kind = node.get("type")?.as_str()?.to_owned();
    let mode = node.get("mode").and_then(Value::as_u64).unwrap_or(0);
    if mode == MUTED {
        return None;
    }
    let mut inputs = Vec::new();
    for input in node.get("inputs").and_then(Value::as_array).unwrap_or_default() {
        let name = input.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(origin) = input.get("link").and_then(|link| origin(link, links)) {
            inputs.push((name, Input::Link(origin)));
        }
    }
    match node.get("widgets_values") {
        Some(Value::Object(values)) => {
            let values = values.iter().map(|(name, value)| (name.clone(), Input::Value(value.clone())));
            inputs.extend(values.collect::<Vec<_>>());
        }
        Some(Value::Array(values)) => {
            for (name, value) in named(&kind, node, values) {
                if inputs.iter().all(|(known, _)| *known != name) {
                    inputs.push((name, Input::Value(value)));
                }
            }
        }
        _ => {}
    }
    Some(Node { id: id_of(node.get("id")?), passes: mode == BYPASSED || kind == "Reroute", kind, inputs })
}

/// The node at the start of a link, which is a list `[id, node, slot, node, slot, type]` or an object.
fn origin(link: &Value, links: &[Value]) -> Option<String> {
    let id = link.as_u64()?;
    links.iter().find_map(|link| match link {
        Value::Array(parts) if parts.first()?.as_u64()? == id => parts.get(1).map(id_of),
        Value::Object(_) if link.get("id")?.as_u64()? == id => link.get("origin_id").map(id_of),
        _ => None,
    })
}

/// The widgets' values with their names: by the table, or by the inputs that the node itself lists as widgets.
fn named(kind: &str, node: &Value, values: &[Value]) -> Vec<(String, Value)> {
    let listed: Vec<String> = node
        .get("inputs")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(|input| Some(input.get("widget")?.get("name")?.as_str()?.to_owned()))
        .collect();
    let table = WIDGETS.iter().find(|(name, _)| *name == kind).map(|(_, names)| *names);
    let names: Vec<String> = match table {
        Some(names) => names.iter().map(|name| (*name).to_owned()).collect(),
        None => listed,
    };
    let is_control = |value: &Value| matches!(value.as_str(), Some("fixed" | "increment" | "decrement" | "randomize"));
    let mut named = Vec::new();
    let mut names = names.into_iter().peekable();
    for value in values {
        let expects_control = names.peek().is_some_and(|name| name == "*control");
        if is_control(value) && !expects_control {
            continue;
        }
        // Old versions of the editor had no such widget.
        if !is_control(value) && expects_control {
            names.next();
        }
        let Some(name) = names.next() else { break };
        if !name.starts_with('*') {
            named.push((name, value.clone()));
        }
    }
    named
}
