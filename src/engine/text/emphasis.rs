//! Prompts in chunks of CLIP's length, with what their tokens count.
//!
//! As A1111 does it: pieces of a prompt are split into tokens one by one, `BREAK` fills a chunk up, and features are
//! multiplied by the weights of their tokens and then scaled so that the mean of a chunk stays what it was. Unlike
//! there, a chunk does not end early at a comma.

use super::bpe::{self, Bpe};
use super::words::Chunk;
use crate::job::Failure;
use crate::model::shapes::{ClipPooled, ClipShape};
use crate::recipe::prompt::{Piece, pieces};

/// The chunks of a prompt, at least one, each as long as the tower's positions with ends and filling. A tower that only gives one vector for the whole prompt takes it literally:
/// its companion, which reads the words, does so too.
pub(crate) fn weighted_chunks(tokenizer: &Bpe, prompt: &str, shape: &ClipShape) -> Result<Vec<Chunk>, Failure> {
    let pieces = match shape.pooled {
        ClipPooled::Plain => vec![Piece::Text { text: prompt.to_owned(), weight: 1.0 }],
        ClipPooled::Unused | ClipPooled::Projected(_) => pieces(prompt),
    };
    // Tokens of each chunk with their weights; the last one is being filled.
    let mut chunks: Vec<Vec<(u32, f32)>> = vec![Vec::new()];
    for piece in pieces {
        match piece {
            Piece::Break => chunks.push(Vec::new()),
            Piece::Text { text, weight } => {
                for id in tokenizer.ids(&text, shape.vocabulary)? {
                    match chunks.last_mut() {
                        Some(last) if last.len() < shape.chunk().max(1) => last.push((id, weight)),
                        _ => chunks.push(vec![(id, weight)]),
                    }
                }
            }
        }
    }
    // A break at the end opens no chunk.
    if chunks.len() > 1 && chunks.last().is_some_and(Vec::is_empty) {
        chunks.pop();
    }
    let framed = chunks.into_iter().map(|tokens| {
        let (ids, weights): (Vec<u32>, Vec<f32>) = tokens.into_iter().unzip();
        let mut all = vec![1.0];
        all.extend(weights);
        all.resize(shape.positions, 1.0);
        Chunk { ids: bpe::framed(&ids, shape), weights: all }
    });
    Ok(framed.collect())
}

/// Multiplies the features of each token, `width` values a token, and keeps the mean of all.
pub(crate) fn weigh(features: &mut [f32], weights: &[f32], width: usize) {
    if weights.iter().all(|weight| *weight == 1.0) {
        return;
    }
    let sum = |features: &[f32]| features.iter().map(|&x| f64::from(x)).sum::<f64>();
    let before = sum(features);
    for (row, &weight) in features.chunks_exact_mut(width).zip(weights) {
        for x in row {
            *x *= weight;
        }
    }
    let factor = (before / sum(features)) as f32;
    if factor.is_finite() {
        for x in features {
            *x *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::family::TextEncoder as _;
    use crate::engine::ops::{self, books::TURN};
    use crate::engine::parity::close;
    use crate::engine::stable_diffusion::parity::tiny;
    use crate::engine::text::{Clip, chunks, split};
    use crate::engine::weights::Weights;
    use crate::job::Unwatched;
    use crate::model::shapes::TextEncoderShape;

    /// nataili #119 and its kind: prompts of any length, with and without weights, become whole chunks.
    #[test]
    fn weights_stand_at_their_tokens() {
        let files = tiny("sd1_tiny");
        let TextEncoderShape::Clip(shape) = files.inventory.text_encoders[0].shape else { panic!("no CLIP") };
        let tokenizer = Bpe::load(&files.text_encoders[0].tokenizer).unwrap();
        for prompt in ["", "a fox", &"a fox in the snow ".repeat(40)] {
            let plain: Vec<Vec<u32>> = chunks(&tokenizer, prompt, &shape).unwrap();
            let weighted = weighted_chunks(&tokenizer, prompt, &shape).unwrap();
            assert_eq!(weighted.iter().map(|chunk| chunk.ids.clone()).collect::<Vec<_>>(), plain, "{prompt}");
            assert!(weighted.iter().all(|chunk| chunk.weights == vec![1.0; shape.positions]));
        }
        let count = |text: &str| tokenizer.ids(text, shape.vocabulary).unwrap().len();
        let found = weighted_chunks(&tokenizer, "a (red fox:1.5), snow BREAK [sea] BREAK", &shape).unwrap();
        assert_eq!(found.len(), 2);
        let mut want = vec![1.0; shape.positions];
        let (before, heavy) = (count("a"), count("red fox"));
        want[1 + before..1 + before + heavy].fill(1.5);
        assert_eq!(found[0].weights, want);
        assert_eq!(
            found[0].ids[..1 + before + heavy],
            chunks(&tokenizer, "a red fox", &shape).unwrap()[0][..1 + before + heavy]
        );
        let mut want = vec![1.0; shape.positions];
        want[1..=count("sea")].fill(0.90909);
        assert_eq!(found[1].weights, want);
        for words in [75, 76, 77, 150, 1000] {
            let found = weighted_chunks(&tokenizer, &format!("({}:1.2)", "the ".repeat(words)), &shape).unwrap();
            assert!(
                found.iter().all(|chunk| (chunk.ids.len(), chunk.weights.len()) == (shape.positions, shape.positions))
            );
        }
    }

    /// A1111's "Original" emphasis: multiplied, then scaled back to the mean of before.
    #[test]
    fn features_are_weighed_and_keep_their_mean() {
        let _turn = TURN.lock();
        let files = tiny("sd1_tiny");
        let text = &files.inventory.text_encoders[0];
        let TextEncoderShape::Clip(shape) = text.shape else { panic!("no CLIP") };
        let weights = Weights::open(&files.text_encoders[0].shards).unwrap();
        let clip = Clip::load(weights, shape, &text.component, false, &mut Unwatched).unwrap();
        let features = |prompt: &str| {
            let words = split(&files.text_encoders[0].tokenizer, &text.shape, &[prompt]).unwrap();
            let features = clip.features(&words[0], &mut Unwatched).unwrap();
            ops::read(&features.tokens, <[f32]>::to_vec).unwrap()
        };
        let (plain, weighed) = (features("a red fox"), features("a (red:1.5) fox"));
        let at = 1 + Bpe::load(&files.text_encoders[0].tokenizer).unwrap().ids("a", shape.vocabulary).unwrap().len();
        let red = Bpe::load(&files.text_encoders[0].tokenizer).unwrap().ids("red", shape.vocabulary).unwrap().len();
        let mut want = plain.clone();
        for x in &mut want[at * shape.hidden..(at + red) * shape.hidden] {
            *x *= 1.5;
        }
        let mean = |values: &[f32]| values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
        let factor = (mean(&plain) / mean(&want)) as f32;
        for x in &mut want {
            *x *= factor;
        }
        close("weighed features", &weighed, &want, 1e-5);
        assert!((mean(&weighed) - mean(&plain)).abs() < 1e-5);
        assert_eq!(features("a red fox"), features("a (red:1) fox"), "a weight of one changes no bit");
    }
}
