//! Z-Image as single files hold it: fused products and shorter names.
//!
//! Canonical: diffusers `ZImageTransformer2DModel`. Single files know one patch size, two by two in one frame.

use super::rule::{Rule, To};

pub(super) const ORIGINAL: &[Rule] = &[
    ("x_embedder.*", To::One("all_x_embedder.2-1.*")),
    ("final_layer.*", To::One("all_final_layer.2-1.*")),
    (
        "{}.{}.attention.qkv.*",
        To::Thirds(["{}.{}.attention.to_q.*", "{}.{}.attention.to_k.*", "{}.{}.attention.to_v.*"]),
    ),
    ("{}.{}.attention.out.*", To::One("{}.{}.attention.to_out.0.*")),
    ("{}.{}.attention.q_norm.*", To::One("{}.{}.attention.norm_q.*")),
    ("{}.{}.attention.k_norm.*", To::One("{}.{}.attention.norm_k.*")),
    ("x_pad_token", To::Rank("x_pad_token", 2)),
    ("cap_pad_token", To::Rank("cap_pad_token", 2)),
    ("norm_final.*", To::Nothing),
    ("*", To::One("*")),
];
