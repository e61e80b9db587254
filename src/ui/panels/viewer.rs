//! The middle: the picture, or the one that is coming, or an invitation.

use crate::gallery::Picture;
use crate::i18n::Catalog;
use crate::job::JobId;
use crate::planner::Phase;
use crate::ui::icon::{self, Icon};
use crate::ui::theme::{Themed as _, radius, size, space, strong};
use crate::ui::widgets::{chip, text_button};
use crate::ui::{Cx, Intent};
use crate::units::{Bytes, PixelSize, Secs};
use egui::{Align2, FontId, Image, Label, Rect, RichText, Role, Sense, TextureHandle, Ui, WidgetInfo, pos2, vec2};

/// How far a small picture is enlarged at most.
const MAX_ENLARGEMENT: f32 = 5.0;

/// Prompts that the built-in model can draw.
const EXAMPLES: [&str; 6] =
    ["example-apple", "example-heart", "example-pizza", "example-rocket", "example-strawberry", "example-burger"];

/// A run as far as it got.
pub struct Progress<'a> {
    pub job: JobId,
    pub prompt: &'a str,
    pub size: PixelSize,
    pub phase: Option<Phase>,
    pub loading: Option<(Bytes, Bytes)>,
    /// Step and steps of the picture at work.
    pub step: Option<(u32, u32)>,
    /// Which picture of how many, from one.
    pub picture: (u32, u32),
    pub share: f32,
    pub elapsed: Secs,
    pub left: Option<Secs>,
    pub stopping: bool,
    pub preview: Option<TextureHandle>,
}

pub enum Viewer<'a> {
    Empty,
    Running(Progress<'a>),
    Picture { picture: &'a Picture, texture: Option<TextureHandle>, saving: bool },
}

pub fn ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &Viewer<'_>) {
    match view {
        Viewer::Empty => empty_ui(ui, cx),
        Viewer::Running(progress) => running_ui(ui, cx.t, progress),
        Viewer::Picture { picture, texture, saving } => picture_ui(ui, cx, picture, texture.as_ref(), *saving),
    }
}

fn empty_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let tokens = ui.tokens();
    let room = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space((room * 0.5 - 130.0).max(space::L));
        let (rect, _) = ui.allocate_exact_size(vec2(64.0, 64.0), Sense::hover());
        icon::mark(ui.painter(), rect, tokens.accent_soft, tokens.accent);
        ui.add_space(space::S);
        ui.label(RichText::new(cx.t.get("empty-title")).font(FontId::new(size::DISPLAY, strong())));
        ui.add(Label::new(RichText::new(cx.t.get("empty-body")).color(tokens.text_muted)).wrap());
        ui.add_space(space::M);
        // Centred rows: a wrapped row cannot be centred before it is laid out.
        let prompts = EXAMPLES.map(|id| cx.t.get(id));
        let widths = prompts.each_ref().map(|prompt| {
            let font = FontId::proportional(size::LABEL);
            ui.painter().layout_no_wrap(prompt.clone(), font, tokens.text).size().x + 18.0 + space::S
        });
        let mut prompts = prompts.into_iter();
        for (count, width) in rows_of(&widths, ui.available_width()) {
            ui.horizontal(|ui| {
                ui.add_space(((ui.available_width() - width + space::S) * 0.5).max(0.0));
                for prompt in prompts.by_ref().take(count) {
                    let name = cx.t.with("empty-example", &[("prompt", (&prompt).into())]);
                    if chip(ui, &prompt, &name, false).clicked() {
                        cx.send(Intent::Example(prompt));
                    }
                }
            });
        }
    });
}

/// How many pieces of these widths go into each row, at most three, and how wide the row is.
fn rows_of(widths: &[f32], room: f32) -> Vec<(usize, f32)> {
    const MOST: usize = 3;
    let mut rows: Vec<(usize, f32)> = Vec::new();
    for &width in widths {
        match rows.last_mut() {
            Some((count, sum)) if *count < MOST && *sum + width <= room => {
                *count += 1;
                *sum += width;
            }
            _ => rows.push((1, width)),
        }
    }
    rows
}

/// The largest rectangle of the picture's shape within `room`, not enlarged beyond sense.
fn fit(room: Rect, size: PixelSize) -> Rect {
    let picture = vec2(size.width.max(1) as f32, size.height.max(1) as f32);
    let scale = (room.width() / picture.x).min(room.height() / picture.y).min(MAX_ENLARGEMENT);
    Rect::from_center_size(room.center(), picture * scale.max(0.01))
}

fn running_ui(ui: &mut Ui, t: &Catalog, progress: &Progress<'_>) {
    let tokens = ui.tokens();
    let all = ui.available_rect_before_wrap();
    let (stage, foot) = all.split_top_bottom_at_y(all.bottom() - 58.0);
    let frame = fit(stage.shrink(space::S), progress.size);
    let name = t.with("viewer-preview", &[("prompt", progress.prompt.into())]);
    if let Some(texture) = &progress.preview {
        let image = Image::new(texture).corner_radius(radius::M).alt_text(name);
        ui.put(frame, image.fit_to_exact_size(frame.size()));
    } else {
        ui.painter().rect_filled(frame, radius::M, tokens.sunken);
        let response = ui.interact(frame, ui.scope_id().with("stage"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        icon::mark(
            ui.painter(),
            Rect::from_center_size(frame.center(), vec2(40.0, 40.0)),
            tokens.raised,
            tokens.text_faint,
        );
    }
    foot_ui(ui, t, progress, foot);
}

fn foot_ui(ui: &mut Ui, t: &Catalog, progress: &Progress<'_>, foot: Rect) {
    let tokens = ui.tokens();
    let width = foot.width().min(520.0);
    let foot = Rect::from_center_size(foot.center(), vec2(width, foot.height() - space::S));
    let bar = Rect::from_min_size(pos2(foot.left(), foot.top() + 26.0), vec2(width, 6.0));
    let percent = (progress.share * 100.0).round();
    let response = ui.interact(bar, ui.scope_id().with("progress"), Sense::hover());
    response.widget_info(|| {
        let name = t.with("viewer-progress", &[("percent", t.number(f64::from(percent), 0).into())]);
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(f64::from(percent));
        info
    });
    let painter = ui.painter();
    painter.rect_filled(bar, 3.0, tokens.raised_active);
    let done = bar.with_max_x(bar.left() + bar.width() * progress.share.clamp(0.02, 1.0));
    painter.rect_filled(done, 3.0, tokens.accent);

    let mut what = if progress.stopping {
        t.get("viewer-stopping")
    } else if let (Some((step, steps)), Some(Phase::Denoise) | None) = (progress.step, progress.phase) {
        t.with("viewer-step", &[("step", step.to_string().into()), ("steps", steps.to_string().into())])
    } else if let Some(phase) = progress.phase {
        capitalised(&t.phase(phase))
    } else {
        t.get("viewer-starting")
    };
    if let (Some((done, total)), false) = (progress.loading, progress.stopping) {
        let loaded = t.with("viewer-loading", &[("done", t.bytes(done).into()), ("total", t.bytes(total).into())]);
        what = format!("{what} · {loaded}");
    }
    let (n, all) = progress.picture;
    if all > 1 {
        let of = t.with("viewer-picture-of", &[("n", n.to_string().into()), ("all", all.to_string().into())]);
        what = format!("{of} · {what}");
    }
    let elapsed = t.with("viewer-elapsed", &[("time", t.secs(progress.elapsed).into())]);
    let times = match progress.left {
        Some(left) if !progress.stopping => {
            let left = t.with("viewer-left", &[("time", t.about(left).into())]);
            format!("{elapsed} · {left}")
        }
        _ => elapsed,
    };
    let line = Rect::from_min_max(foot.min, pos2(foot.right(), bar.top()));
    let put = |ui: &mut Ui, align, text: String, ink| {
        let galley = ui.painter().layout_no_wrap(text.clone(), FontId::proportional(size::LABEL), ink);
        let rect = Align2([align, egui::Align::Center]).align_size_within_rect(galley.size(), line);
        ui.put(
            rect.expand(1.0),
            Label::new(RichText::new(text).size(size::LABEL).color(ink)).selectable(false).extend(),
        );
    };
    put(ui, egui::Align::Min, what, tokens.text);
    put(ui, egui::Align::Max, times, tokens.text_muted);
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn picture_ui(ui: &mut Ui, cx: &mut Cx<'_>, picture: &Picture, texture: Option<&TextureHandle>, saving: bool) {
    let tokens = ui.tokens();
    let all = ui.available_rect_before_wrap();
    let (stage, foot) = all.split_top_bottom_at_y(all.bottom() - 62.0);
    let frame = fit(stage.shrink(space::S), picture.recipe.size());
    let name = cx.t.with("viewer-picture", &[("prompt", picture.recipe.prompt().into())]);
    if let Some(texture) = texture {
        let image = Image::new(texture).corner_radius(radius::M).alt_text(name);
        ui.put(frame, image.fit_to_exact_size(frame.size()));
    } else {
        ui.painter().rect_filled(frame, radius::M, tokens.sunken);
    }
    let foot = foot.shrink2(vec2(space::M, space::XS));
    let mut bar =
        ui.new_child(egui::UiBuilder::new().max_rect(foot).layout(egui::Layout::right_to_left(egui::Align::Center)));
    let reuse = text_button(&mut bar, Some(Icon::Reuse), &cx.t.get("viewer-reuse"), None);
    if reuse.on_hover_text(cx.t.get("viewer-reuse-tip")).clicked() {
        cx.send(Intent::ReuseSelected);
    }
    bar.with_layout(egui::Layout::top_down(egui::Align::Min), |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.add_space((ui.available_height() - 52.0).max(0.0) / 2.0);
        let prompt = picture.recipe.prompt().trim();
        let prompt = if prompt.is_empty() { cx.t.get("queue-untitled") } else { prompt.to_owned() };
        ui.add(Label::new(RichText::new(prompt).family(strong())).truncate());
        let recipe = &picture.recipe;
        let facts = [
            cx.t.size(recipe.size()),
            cx.t.with("viewer-seed", &[("seed", recipe.seed().to_string().into())]),
            cx.t.with("viewer-steps", &[("steps", crate::i18n::Arg::Count(u64::from(recipe.steps())))]),
        ];
        // What has no room is told where the pointer rests.
        let (font, ink) = (FontId::proportional(size::LABEL), ui.tokens().text_muted);
        let width = |ui: &Ui, text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), ink).size().x;
        let shown = (1..=facts.len()).rev().map(|count| facts[..count].join(" · "));
        let shown = shown.into_iter().find(|text| width(ui, text) <= ui.available_width());
        let text = RichText::new(shown.unwrap_or_else(|| facts[0].clone())).font(font.clone()).color(ink);
        ui.add(Label::new(text).truncate()).on_hover_text(facts.join(" · "));
        let kept = match (&picture.path, saving) {
            (Some(path), _) => cx.t.with("viewer-saved", &[("path", file_name(path).into())]),
            (None, true) => cx.t.get("viewer-saving"),
            (None, false) => cx.t.get("viewer-unsaved"),
        };
        let text = RichText::new(kept).size(size::SMALL).color(ui.tokens().text_faint);
        let line = ui.add(Label::new(text).truncate());
        if let Some(path) = &picture.path {
            line.on_hover_text(path.display().to_string());
        }
    });
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
