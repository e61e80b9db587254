/// The denoiser of Stable Diffusion 1, 2 and XL (Rombach et al., 2022; diffusers `UNet2DConditionModel`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnetShape {
    /// The latent's, and for inpainting models those of the mask and the masked picture's latent behind them.
    pub channels_in: usize,
    pub channels_out: usize,
    pub levels: UnetLevels,
    /// Residual blocks of a level on the way down; on the way up there is one more.
    pub layers_per_block: usize,
    /// Transformer layers in the middle.
    pub mid_depth: usize,
    /// Width of the features that it attends to.
    pub context: usize,
    pub time_width: usize,
    pub added: Option<AddedConditions>,
    pub groups: usize,
}

/// The resolutions from the latent's own to the coarsest, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnetLevels {
    all: [UnetLevel; UnetShape::MAX_LEVELS],
    count: usize,
}

/// One resolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnetLevel {
    pub width: usize,
    /// Transformer layers behind each residual block.
    pub depth: usize,
    pub heads: usize,
}

/// What the XL models are told beside the prompt: a pooled vector and a few numbers, each as sinusoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedConditions {
    pub pooled: usize,
    /// Sizes and crop for the base, sizes, crop and a score for the refiner.
    pub numbers: usize,
    /// Sinusoids of one number.
    pub number_width: usize,
}

impl AddedConditions {
    #[must_use]
    pub const fn width(&self) -> usize {
        self.pooled + self.numbers * self.number_width
    }
}

/// Which part of the network a piece belongs to; levels count in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnetPlace {
    Down(usize),
    Mid,
    Up(usize),
}

/// One piece of weights: what is loaded, streamed and run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnetPiece {
    pub place: UnetPlace,
    /// Which of the place's residual blocks it belongs to.
    pub index: usize,
    pub kind: UnetPieceKind,
    /// Its result comes back on the way up.
    pub pushes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnetPieceKind {
    Resnet {
        from: usize,
        to: usize,
        /// Channels of `from` that come from the way down.
        skip: usize,
        /// Its input comes back on the way up and must stay as it is.
        keeps: bool,
    },
    /// Norm and projection before transformer layers.
    Enter {
        width: usize,
    },
    Layer {
        layer: usize,
        width: usize,
        heads: usize,
    },
    /// Projection behind them.
    Leave {
        width: usize,
    },
    Downsample {
        width: usize,
    },
    Upsample {
        width: usize,
    },
}

impl UnetShape {
    pub const MAX_LEVELS: usize = 6;

    /// `None` where there is no level or more than [`Self::MAX_LEVELS`]. The rest is that of Stable Diffusion 1.
    #[must_use]
    pub fn new(levels: &[UnetLevel]) -> Option<Self> {
        if levels.is_empty() || levels.len() > Self::MAX_LEVELS {
            return None;
        }
        let mut all = [UnetLevel::default(); Self::MAX_LEVELS];
        all[..levels.len()].copy_from_slice(levels);
        Some(Self {
            channels_in: 4,
            channels_out: 4,
            levels: UnetLevels { all, count: levels.len() },
            layers_per_block: 2,
            mid_depth: 1,
            context: 768,
            time_width: 4 * levels[0].width,
            added: None,
            groups: 32,
        })
    }

    #[must_use]
    pub fn levels(&self) -> &[UnetLevel] {
        &self.levels.all[..self.levels.count]
    }

    /// All pieces in the order in which they run.
    #[must_use]
    pub fn pieces(&self) -> Vec<UnetPiece> {
        let mut walk = Walk { pieces: Vec::with_capacity(64), skips: Vec::with_capacity(16) };
        let levels = self.levels();
        let mut channels = levels[0].width;
        walk.skips.push(channels);
        for (l, level) in levels.iter().enumerate() {
            let place = UnetPlace::Down(l);
            for index in 0..self.layers_per_block {
                walk.resnet(place, index, channels, level.width, true);
                channels = level.width;
                walk.transformer(place, index, level.depth, channels, level.heads);
                walk.push(channels);
            }
            if l + 1 < levels.len() {
                walk.add(place, 0, UnetPieceKind::Downsample { width: channels });
                walk.push(channels);
            }
        }
        let deepest = levels[levels.len() - 1];
        walk.resnet(UnetPlace::Mid, 0, channels, channels, true);
        walk.transformer(UnetPlace::Mid, 0, self.mid_depth, channels, deepest.heads);
        walk.resnet(UnetPlace::Mid, 1, channels, channels, false);
        for (l, level) in levels.iter().rev().enumerate() {
            let place = UnetPlace::Up(l);
            for index in 0..=self.layers_per_block {
                let skip = walk.skips.pop().unwrap_or_default();
                let kind = UnetPieceKind::Resnet { from: channels + skip, to: level.width, skip, keeps: false };
                walk.add(place, index, kind);
                channels = level.width;
                walk.transformer(place, index, level.depth, channels, level.heads);
            }
            if l + 1 < levels.len() {
                walk.add(place, 0, UnetPieceKind::Upsample { width: channels });
            }
        }
        walk.pieces
    }
}

struct Walk {
    pieces: Vec<UnetPiece>,
    /// Channels of what waits for the way up.
    skips: Vec<usize>,
}

impl Walk {
    fn add(&mut self, place: UnetPlace, index: usize, kind: UnetPieceKind) {
        self.pieces.push(UnetPiece { place, index, kind, pushes: false });
    }

    fn resnet(&mut self, place: UnetPlace, index: usize, from: usize, to: usize, keeps: bool) {
        self.add(place, index, UnetPieceKind::Resnet { from, to, skip: 0, keeps });
    }

    fn transformer(&mut self, place: UnetPlace, index: usize, depth: usize, width: usize, heads: usize) {
        if depth == 0 {
            return;
        }
        self.add(place, index, UnetPieceKind::Enter { width });
        for layer in 0..depth {
            self.add(place, index, UnetPieceKind::Layer { layer, width, heads });
        }
        self.add(place, index, UnetPieceKind::Leave { width });
    }

    fn push(&mut self, channels: usize) {
        self.skips.push(channels);
        if let Some(last) = self.pieces.last_mut() {
            last.pushes = true;
        }
    }
}

impl UnetPiece {
    /// What its tensors' names begin with, dot included.
    #[must_use]
    pub fn prefixes(&self) -> Vec<String> {
        let place = match self.place {
            UnetPlace::Down(level) => format!("down_blocks.{level}"),
            UnetPlace::Mid => "mid_block".to_owned(),
            UnetPlace::Up(level) => format!("up_blocks.{level}"),
        };
        let index = self.index;
        match self.kind {
            UnetPieceKind::Resnet { .. } => vec![format!("{place}.resnets.{index}.")],
            UnetPieceKind::Enter { .. } => {
                vec![format!("{place}.attentions.{index}.norm."), format!("{place}.attentions.{index}.proj_in.")]
            }
            UnetPieceKind::Layer { layer, .. } => {
                vec![format!("{place}.attentions.{index}.transformer_blocks.{layer}.")]
            }
            UnetPieceKind::Leave { .. } => vec![format!("{place}.attentions.{index}.proj_out.")],
            UnetPieceKind::Downsample { .. } => vec![format!("{place}.downsamplers.0.conv.")],
            UnetPieceKind::Upsample { .. } => vec![format!("{place}.upsamplers.0.conv.")],
        }
    }
}
