//! A renderer on the processor: the same picture on every computer, without a graphics driver.
//!
//! Triangles with textures and clipping, blended as egui's own renderers blend: premultiplied, in gamma space.

use egui::epaint::{ImageData, ImageDelta, Mesh, Primitive, Vertex};
use egui::{ColorImage, Context, FullOutput, Pos2, Rect, TextureId, TexturesDelta, pos2};
use egui_kittest::TestRenderer;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The textures as they are now, shared between the harness, which changes them, and whoever paints.
#[derive(Clone, Default)]
pub(crate) struct Canvas(Rc<RefCell<Textures>>);

#[derive(Default)]
struct Textures {
    images: HashMap<TextureId, ColorImage>,
    /// No longer used from the next frame on.
    leaving: Vec<TextureId>,
}

impl TestRenderer for Canvas {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        let mut textures = self.0.borrow_mut();
        for id in std::mem::take(&mut textures.leaving) {
            textures.images.remove(&id);
        }
        for (id, changes) in delta.set.drain() {
            for change in &changes {
                apply(&mut textures.images, id, change);
            }
        }
        textures.leaving.extend(delta.free.drain());
    }
}

fn apply(textures: &mut HashMap<TextureId, ColorImage>, id: TextureId, change: &ImageDelta) {
    let ImageData::Color(image) = &change.image;
    let Some([left, top]) = change.pos else {
        textures.insert(id, (**image).clone());
        return;
    };
    let whole = textures.get_mut(&id).unwrap();
    let (width, [wide, high]) = (whole.size[0], image.size);
    for row in 0..high {
        let to = (top + row) * width + left;
        whole.pixels[to..to + wide].copy_from_slice(&image.pixels[row * wide..(row + 1) * wide]);
    }
}

/// A painted frame: RGB, row by row.
pub(crate) struct Frame {
    pub(crate) size: [usize; 2],
    pub(crate) rgb: Vec<u8>,
}

impl Canvas {
    /// Paints a frame over black.
    pub(crate) fn paint(&self, context: &Context, output: &FullOutput) -> Frame {
        let scale = output.pixels_per_point;
        let screen = context.viewport_rect();
        let size = [(screen.width() * scale).round() as usize, (screen.height() * scale).round() as usize];
        let mut pixels = vec![[0.0_f32; 3]; size[0] * size[1]];
        let textures = self.0.borrow();
        for job in context.tessellate(output.shapes.clone(), scale) {
            if let Primitive::Mesh(mesh) = &job.primitive {
                let texture = &textures.images[&mesh.texture_id];
                paint_mesh(&mut pixels, size, mesh, texture, job.clip_rect * scale, scale);
            }
        }
        let rgb = pixels.into_iter().flatten().map(|value| value.clamp(0.0, 255.0).round() as u8).collect();
        Frame { size, rgb }
    }
}

fn paint_mesh(pixels: &mut [[f32; 3]], size: [usize; 2], mesh: &Mesh, texture: &ColorImage, clip: Rect, scale: f32) {
    for corners in mesh.indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|corner| &mesh.vertices[corners[corner] as usize]);
        let [pa, pb, pc] = [a, b, c].map(|vertex| vertex.pos * scale);
        let area = cross(pa, pb, pc);
        if area.abs() < 1e-6 {
            continue;
        }
        let bounds = Rect::from_points(&[pa, pb, pc]).intersect(clip);
        let first = |value: f32| (value - 0.5).ceil().max(0.0) as usize;
        for y in first(bounds.top())..first(bounds.bottom()).min(size[1]) {
            for x in first(bounds.left())..first(bounds.right()).min(size[0]) {
                let at = pos2(x as f32 + 0.5, y as f32 + 0.5);
                let weights = [cross(pb, pc, at), cross(pc, pa, at), cross(pa, pb, at)].map(|part| part / area);
                // An edge that two triangles share belongs to one of them only.
                let inside = weights.iter().zip([(pb, pc), (pc, pa), (pa, pb)]).all(|(weight, (from, to))| {
                    let (dx, dy) = ((to.x - from.x) * area.signum(), (to.y - from.y) * area.signum());
                    *weight > 0.0 || (*weight == 0.0 && (dy > 0.0 || (dy == 0.0 && dx < 0.0)))
                });
                if inside {
                    blend(&mut pixels[y * size[0] + x], [a, b, c], weights, texture);
                }
            }
        }
    }
}

fn cross(a: Pos2, b: Pos2, c: Pos2) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn blend(pixel: &mut [f32; 3], corners: [&Vertex; 3], weights: [f32; 3], texture: &ColorImage) {
    let mut color = [0.0_f32; 4];
    let mut uv = pos2(0.0, 0.0);
    for (vertex, weight) in corners.into_iter().zip(weights) {
        for (sum, part) in color.iter_mut().zip(vertex.color.to_array()) {
            *sum += f32::from(part) * weight;
        }
        uv += vertex.uv.to_vec2() * weight;
    }
    let texel = sample(texture, uv);
    let alpha = color[3] * texel[3] / (255.0 * 255.0);
    for ((value, color), texel) in pixel.iter_mut().zip(color).zip(texel) {
        *value = color * texel / 255.0 + *value * (1.0 - alpha);
    }
}

/// Between the four nearest texels.
fn sample(texture: &ColorImage, uv: Pos2) -> [f32; 4] {
    let [width, height] = texture.size;
    let (x, y) = (uv.x * width as f32 - 0.5, uv.y * height as f32 - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let (fx, fy) = (x - left, y - top);
    let mut sum = [0.0; 4];
    for (dx, dy, weight) in [
        (0.0, 0.0, (1.0 - fx) * (1.0 - fy)),
        (1.0, 0.0, fx * (1.0 - fy)),
        (0.0, 1.0, (1.0 - fx) * fy),
        (1.0, 1.0, fx * fy),
    ] {
        if weight == 0.0 {
            continue;
        }
        let at = |value: f32, limit: usize| (value.max(0.0) as usize).min(limit - 1);
        let texel = texture.pixels[at(top + dy, height) * width + at(left + dx, width)].to_array();
        for (total, value) in sum.iter_mut().zip(texel) {
            *total += f32::from(value) * weight;
        }
    }
    sum
}
