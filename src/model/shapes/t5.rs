/// The encoder of T5 1.1 (Raffel et al., 2020): biases by distance instead of positions, gated feed-forward layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct T5Shape {
    pub vocabulary: usize,
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub head_dim: usize,
    pub feed_forward: usize,
    /// Kinds of distances: half of them for keys behind the query, half for keys before it.
    pub buckets: usize,
    /// From this distance on all are alike.
    pub farthest: usize,
    /// A prompt is cut or filled up to this many tokens, its end included.
    pub tokens: usize,
    pub norm_eps: f64,
}

impl T5Shape {
    /// Width of all heads.
    #[must_use]
    pub const fn inner(&self) -> usize {
        self.heads * self.head_dim
    }

    /// The kind of a distance from query to key: near ones are told apart, farther ones by the logarithm.
    #[must_use]
    pub fn bucket(&self, distance: i64) -> usize {
        let half = self.buckets / 2;
        let behind = if distance > 0 { half } else { 0 };
        let away = usize::try_from(distance.unsigned_abs()).unwrap_or(usize::MAX);
        let near = half / 2;
        if away < near {
            return behind + away;
        }
        // In f32, as the reference rounds it.
        let ratio = (away as f32 / near as f32).ln() / (self.farthest as f64 / near as f64).ln() as f32;
        let far = near + (ratio * (half - near) as f32) as usize;
        behind + far.min(half - 1)
    }
}
