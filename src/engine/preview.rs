//! A glimpse of the picture while it is still a latent: one pixel for each latent position.

use crate::model::LatentRgb;
use crate::pixels::Pixels;
use crate::units::PixelSize;

/// The picture that `latent` is heading for, `velocity` being its direction at noise level `sigma`.
///
/// Colours come from a linear map fitted to the model's VAE; without one the mean of the channels is shown in gray.
pub(crate) fn draw(
    latent: &[f32],
    velocity: &[f32],
    sigma: f32,
    (width, height): (usize, usize),
    map: Option<&LatentRgb>,
) -> Pixels {
    let positions = width * height;
    let channels = latent.len() / positions.max(1);
    let value = |c: usize, at: usize| latent[c * positions + at] - sigma * velocity[c * positions + at];
    let mut rgb = Vec::with_capacity(positions * 3);
    for at in 0..positions {
        let mut color = map.map_or([0.0; 3], |map| map.bias);
        match map {
            Some(map) => {
                for (c, factors) in map.factors.iter().enumerate().take(channels) {
                    for (color, factor) in color.iter_mut().zip(factors) {
                        *color += factor * value(c, at);
                    }
                }
            }
            None => color = [(0..channels).map(|c| value(c, at)).sum::<f32>() / channels.max(1) as f32; 3],
        }
        rgb.extend(color.map(|x| ((x * 0.5 + 0.5).clamp(0.0, 1.0) * 255.0) as u8));
    }
    let size = PixelSize::new(width as u32, height as u32);
    Pixels::new(size, rgb).unwrap_or_else(|| Pixels::blank(size))
}
