//! The U-Net of Stable Diffusion as LDM code writes it: numbered blocks, whose place follows from what came before.
//!
//! Canonical: diffusers `UNet2DConditionModel`.

use super::rule::{Rule, To};
use crate::model::header::TensorTable;

const OUTER: &[Rule] = &[
    ("time_embed.0.*", To::One("time_embedding.linear_1.*")),
    ("time_embed.2.*", To::One("time_embedding.linear_2.*")),
    ("label_emb.0.0.*", To::One("add_embedding.linear_1.*")),
    ("label_emb.0.2.*", To::One("add_embedding.linear_2.*")),
    ("input_blocks.0.0.*", To::One("conv_in.*")),
    ("out.0.*", To::One("conv_norm_out.*")),
    ("out.2.*", To::One("conv_out.*")),
];

pub(super) const fn outer() -> &'static [Rule] {
    OUTER
}

/// Names of a residual block: published, canonical.
const RESIDUAL: [(&str, &str); 6] = [
    ("in_layers.0", "norm1"),
    ("in_layers.2", "conv1"),
    ("emb_layers.1", "time_emb_proj"),
    ("out_layers.0", "norm2"),
    ("out_layers.3", "conv2"),
    ("skip_connection", "conv_shortcut"),
];

/// A module of a numbered block: its published and its canonical name, each with the dot at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    published: String,
    canonical: String,
    residual: bool,
}

impl Numbered {
    fn new(published: String, canonical: String, residual: bool) -> Self {
        Self { published, canonical, residual }
    }

    fn canonical_name(&self, name: &str) -> Option<String> {
        self.exchange(name, &self.published, &self.canonical, |(published, canonical)| (published, canonical))
    }

    /// The published name of a canonical tensor or module in this place.
    #[must_use]
    pub fn published_name(&self, name: &str) -> Option<String> {
        self.exchange(name, &self.canonical, &self.published, |(published, canonical)| (canonical, published))
    }

    fn exchange(
        &self,
        name: &str,
        from: &str,
        to: &str,
        order: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str),
    ) -> Option<String> {
        let inner = match name.strip_prefix(from) {
            Some(inner) => inner,
            // The module itself, of which the dot is not part.
            None if Some(name) == from.strip_suffix('.') => return to.strip_suffix('.').map(str::to_owned),
            None => return None,
        };
        if !self.residual {
            return Some(format!("{to}{inner}"));
        }
        RESIDUAL.into_iter().map(order).find_map(|(from, into)| {
            let rest = inner.strip_prefix(from).filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
            Some(format!("{to}{into}{rest}"))
        })
    }
}

/// The places of a published U-Net, from the names that it has.
pub(super) fn places(table: &TensorTable) -> Vec<Numbered> {
    let has = |module: &str| {
        let module = format!("{module}.");
        table.tensors.iter().any(|tensor| tensor.name.starts_with(&module))
    };
    let blocks = |prefix: &str| {
        let numbers = table.tensors.iter().filter_map(|tensor| {
            let (number, _) = tensor.name.strip_prefix(prefix)?.split_once('.')?;
            number.parse::<usize>().ok().filter(|&number| number < 256)
        });
        numbers.max().map_or(0, |last| last + 1)
    };
    let mut places = Vec::new();
    let mut level = 0;
    let mut index = 0;
    for n in 1..blocks("input_blocks.") {
        let block = format!("input_blocks.{n}");
        if has(&format!("{block}.0.op")) {
            places.push(Numbered::new(
                format!("{block}.0.op."),
                format!("down_blocks.{level}.downsamplers.0.conv."),
                false,
            ));
            level += 1;
            index = 0;
            continue;
        }
        places.push(Numbered::new(format!("{block}.0."), format!("down_blocks.{level}.resnets.{index}."), true));
        if has(&format!("{block}.1")) {
            places.push(Numbered::new(
                format!("{block}.1."),
                format!("down_blocks.{level}.attentions.{index}."),
                false,
            ));
        }
        index += 1;
    }
    for n in 0..blocks("middle_block.") {
        let residual = has(&format!("middle_block.{n}.in_layers"));
        let kind = if residual { "resnets" } else { "attentions" };
        places.push(Numbered::new(format!("middle_block.{n}."), format!("mid_block.{kind}.{}.", n / 2), residual));
    }
    level = 0;
    index = 0;
    for n in 0..blocks("output_blocks.") {
        let block = format!("output_blocks.{n}");
        places.push(Numbered::new(format!("{block}.0."), format!("up_blocks.{level}.resnets.{index}."), true));
        index += 1;
        for part in 1..3 {
            if has(&format!("{block}.{part}.conv")) {
                let canonical = format!("up_blocks.{level}.upsamplers.0.conv.");
                places.push(Numbered::new(format!("{block}.{part}.conv."), canonical, false));
                level += 1;
                index = 0;
            } else if has(&format!("{block}.{part}")) {
                let canonical = format!("up_blocks.{level}.attentions.{}.", index - 1);
                places.push(Numbered::new(format!("{block}.{part}."), canonical, false));
            }
        }
    }
    places
}

/// The canonical name of a published tensor in one of the numbered blocks.
pub(super) fn canonical_name(places: &[Numbered], name: &str) -> Option<String> {
    places.iter().find_map(|place| place.canonical_name(name))
}

/// The numbered blocks of a U-Net in canonical names, as LDM code would number them.
pub(super) fn places_of_canonical(table: &TensorTable) -> Vec<Numbered> {
    let has = |module: &str| table.tensors.iter().any(|tensor| tensor.name.starts_with(module));
    let mut places = Vec::new();
    let mut n = 1;
    for level in (0..64).take_while(|level| has(&format!("down_blocks.{level}."))) {
        let block = format!("down_blocks.{level}.");
        for index in (0..64).take_while(|index| has(&format!("{block}resnets.{index}."))) {
            places.push(Numbered::new(format!("input_blocks.{n}.0."), format!("{block}resnets.{index}."), true));
            let attention = format!("{block}attentions.{index}.");
            if has(&attention) {
                places.push(Numbered::new(format!("input_blocks.{n}.1."), attention, false));
            }
            n += 1;
        }
        let down = format!("{block}downsamplers.0.conv.");
        if has(&down) {
            places.push(Numbered::new(format!("input_blocks.{n}.0.op."), down, false));
            n += 1;
        }
    }
    for (n, canonical, residual) in
        [(0, "mid_block.resnets.0.", true), (1, "mid_block.attentions.0.", false), (2, "mid_block.resnets.1.", true)]
    {
        places.push(Numbered::new(format!("middle_block.{n}."), canonical.to_owned(), residual));
    }
    n = 0;
    for level in (0..64).take_while(|level| has(&format!("up_blocks.{level}."))) {
        let block = format!("up_blocks.{level}.");
        let attended = has(&format!("{block}attentions."));
        for index in (0..64).take_while(|index| has(&format!("{block}resnets.{index}."))) {
            places.push(Numbered::new(format!("output_blocks.{n}.0."), format!("{block}resnets.{index}."), true));
            let attention = format!("{block}attentions.{index}.");
            if has(&attention) {
                places.push(Numbered::new(format!("output_blocks.{n}.1."), attention, false));
            }
            n += 1;
        }
        let up = format!("{block}upsamplers.0.conv.");
        if has(&up) {
            let place = if attended { 2 } else { 1 };
            places.push(Numbered::new(format!("output_blocks.{}.{place}.conv.", n - 1), up, false));
        }
    }
    places
}
