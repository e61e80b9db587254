/// A text tower of CLIP (Radford et al., 2021; `OpenCLIP` has the same): learned positions, causal attention, layer norms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipShape {
    pub vocabulary: usize,
    pub hidden: usize,
    /// Layers that count; a file may hold one more, which nothing reads.
    pub layers: usize,
    pub heads: usize,
    pub feed_forward: usize,
    /// Tokens of one chunk of a prompt, its two ends included.
    pub positions: usize,
    pub activation: ClipActivation,
    pub output: ClipOutput,
    pub pooled: ClipPooled,
    /// What a chunk is filled up with behind its end.
    pub padding: u32,
    pub norm_eps: f64,
}

/// The gate of the feed-forward layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClipActivation {
    /// `x * sigmoid(1.702 x)`: `OpenAI`'s towers.
    QuickGelu,
    /// By the error function: `OpenCLIP`'s.
    Gelu,
}

/// Where the features of the tokens are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClipOutput {
    /// Behind the last layer and the final norm.
    Last,
    /// Before the last layer, without a norm.
    Penultimate,
}

/// The one vector for a whole prompt: the final norm's answer at the end token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClipPooled {
    Unused,
    Plain,
    /// Through a projection of this width.
    Projected(usize),
}

impl ClipShape {
    #[must_use]
    pub const fn head_dim(&self) -> usize {
        self.hidden / self.heads
    }

    /// Layers that run.
    #[must_use]
    pub const fn used_layers(&self) -> usize {
        match (self.output, self.pooled) {
            (ClipOutput::Penultimate, ClipPooled::Unused) => self.layers.saturating_sub(1),
            _ => self.layers,
        }
    }

    /// Tokens of a prompt that fit into one chunk.
    #[must_use]
    pub const fn chunk(&self) -> usize {
        self.positions.saturating_sub(2)
    }

    /// The token that begins a chunk; the one that ends it follows in the vocabulary.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.vocabulary.saturating_sub(2) as u32
    }

    #[must_use]
    pub const fn end(&self) -> u32 {
        self.vocabulary.saturating_sub(1) as u32
    }

    /// Width of the pooled vector, 0 without one.
    #[must_use]
    pub const fn pooled_width(&self) -> usize {
        match self.pooled {
            ClipPooled::Unused => 0,
            ClipPooled::Plain => self.hidden,
            ClipPooled::Projected(width) => width,
        }
    }
}
