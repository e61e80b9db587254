//! Pictures on the graphics card: small ones for the strip, one large one for the viewer, one for the live preview.

use crate::gallery::PictureId;
use crate::job::{JobId, Preview};
use crate::pixels::Pixels;
use egui::{ColorImage, Context, TextureHandle, TextureOptions};
use std::collections::BTreeMap;

/// Longest side of a picture in the strip.
const THUMBNAIL: usize = 192;

#[derive(Default)]
pub struct Textures {
    thumbnails: BTreeMap<PictureId, TextureHandle>,
    large: Option<(PictureId, TextureHandle)>,
    preview: Option<(JobId, TextureHandle)>,
}

impl Textures {
    /// The small texture of a picture, made once; `pixels` is asked for only then.
    pub fn thumbnail(&mut self, ctx: &Context, id: PictureId, pixels: Option<&Pixels>) -> Option<TextureHandle> {
        if let Some(handle) = self.thumbnails.get(&id) {
            return Some(handle.clone());
        }
        let handle = ctx.load_texture("thumbnail", image_within(pixels?, THUMBNAIL), TextureOptions::LINEAR);
        self.thumbnails.insert(id, handle.clone());
        Some(handle)
    }

    /// The texture that fills the viewer; its small one where the pixels are gone.
    pub fn large(&mut self, ctx: &Context, id: PictureId, pixels: Option<&Pixels>) -> Option<TextureHandle> {
        if let Some((shown, handle)) = &self.large
            && *shown == id
        {
            return Some(handle.clone());
        }
        let Some(pixels) = pixels else { return self.thumbnail(ctx, id, None) };
        let limit = ctx.input(|input| input.max_texture_side);
        let handle = ctx.load_texture("picture", image_within(pixels, limit), TextureOptions::LINEAR);
        self.large = Some((id, handle.clone()));
        Some(handle)
    }

    pub fn set_preview(&mut self, ctx: &Context, preview: &Preview) {
        let limit = ctx.input(|input| input.max_texture_side);
        let image = image_within(&preview.pixels, limit);
        match &mut self.preview {
            Some((job, handle)) if *job == preview.job => handle.set(image, TextureOptions::LINEAR),
            slot => *slot = Some((preview.job, ctx.load_texture("preview", image, TextureOptions::LINEAR))),
        }
    }

    #[must_use]
    pub fn preview(&self, job: JobId) -> Option<&TextureHandle> {
        self.preview.as_ref().filter(|(shown, _)| *shown == job).map(|(_, handle)| handle)
    }

    pub fn clear_preview(&mut self) {
        self.preview = None;
    }
}

/// The picture, averaged down by a whole factor until its longest side is at most `limit`.
fn image_within(pixels: &Pixels, limit: usize) -> ColorImage {
    let (width, height) = (pixels.size().width as usize, pixels.size().height as usize);
    let factor = width.max(height).div_ceil(limit.max(1)).max(1);
    if factor == 1 {
        return ColorImage::from_rgb([width, height], pixels.rgb());
    }
    let (small_width, small_height) = ((width / factor).max(1), (height / factor).max(1));
    let mut small = Vec::with_capacity(small_width * small_height * 3);
    for y in 0..small_height {
        for x in 0..small_width {
            let mut sum = [0_usize; 3];
            for row in 0..factor.min(height) {
                let start = ((y * factor + row) * width + x * factor) * 3;
                let run = pixels.rgb().get(start..start + factor.min(width) * 3).unwrap_or_default();
                for pixel in run.chunks_exact(3) {
                    for (total, value) in sum.iter_mut().zip(pixel) {
                        *total += usize::from(*value);
                    }
                }
            }
            let count = (factor.min(height) * factor.min(width)).max(1);
            small.extend(sum.map(|total| (total / count) as u8));
        }
    }
    ColorImage::from_rgb([small_width, small_height], &small)
}
