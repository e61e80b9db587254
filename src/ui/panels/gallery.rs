//! The pictures of this session, newest first.

use crate::gallery::{Picture, PictureId};
use crate::ui::theme::{Themed as _, radius, space};
use crate::ui::widgets::{heading, small};
use crate::ui::{Cx, Intent};
use egui::{Image, Key, Rect, Role, Sense, Stroke, StrokeKind, TextureHandle, Ui, WidgetInfo, vec2};

pub fn ui<'a>(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    pictures: &[&'a Picture],
    selected: Option<PictureId>,
    mut texture: impl FnMut(&egui::Context, &'a Picture) -> Option<TextureHandle>,
) {
    heading(ui, &cx.t.get("strip-label"));
    if pictures.is_empty() {
        small(ui, &cx.t.get("strip-empty"));
        return;
    }
    let columns = ((ui.available_width() + space::S) / (84.0 + space::S)).floor().max(1.0);
    let side = (ui.available_width() - space::S * (columns - 1.0)) / columns;
    let per_row = columns as usize;
    let rows = pictures.len().div_ceil(per_row);
    let area = egui::ScrollArea::vertical().id_salt("strip").auto_shrink([false, false]);
    area.show_rows(ui, side, rows, |ui, visible| {
        for row in visible {
            ui.horizontal(|ui| {
                for (place, picture) in pictures.iter().enumerate().skip(row * per_row).take(per_row) {
                    let number = pictures.len() - place;
                    let handle = texture(ui.ctx(), picture);
                    tile_ui(ui, cx, picture, number, side, selected == Some(picture.id), handle);
                }
            });
        }
    });
}

fn tile_ui(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    picture: &Picture,
    number: usize,
    side: f32,
    selected: bool,
    texture: Option<TextureHandle>,
) {
    let tokens = ui.tokens();
    let (rect, response) = ui.allocate_exact_size(vec2(side, side), Sense::click());
    let prompt = picture.recipe.prompt();
    let name = cx.t.with("strip-picture", &[("n", number.to_string().into()), ("prompt", prompt.into())]);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, selected, &name));
    ui.painter().rect_filled(rect, radius::M, tokens.sunken);
    if let Some(texture) = texture {
        // Fill the tile, cutting what sticks out.
        let size = texture.size_vec2();
        let shown = egui::Vec2::splat(size.min_elem()) / size;
        let uv = Rect::from_center_size(egui::pos2(0.5, 0.5), shown);
        Image::new(&texture).uv(uv).corner_radius(radius::M).paint_at(ui, rect);
    }
    if selected || response.has_focus() || response.hovered() {
        let ink = if selected || response.has_focus() { tokens.accent } else { tokens.outline };
        ui.painter().rect_stroke(rect, radius::M, Stroke::new(2.0, ink), StrokeKind::Inside);
    }
    if response.has_focus() {
        let filter = egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let by = ui.input(|input| {
            let older = input.num_presses(Key::ArrowRight) + input.num_presses(Key::ArrowDown);
            let newer = input.num_presses(Key::ArrowLeft) + input.num_presses(Key::ArrowUp);
            newer as isize - older as isize
        });
        if by != 0 {
            cx.send(Intent::Step(by));
        }
    }
    if response.clicked() {
        response.request_focus();
        cx.send(Intent::Select(picture.id));
    }
    response.on_hover_text(prompt);
}
