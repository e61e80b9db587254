//! How everything looks: colours by meaning, one type scale, one spacing scale, applied to egui once.

mod fonts;
mod tokens;

pub use fonts::{install as install_fonts, strong};
pub use tokens::Tokens;

use crate::i18n::Language;
use egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Margin, Shadow, Stroke, Style, TextStyle, Theme, Ui, vec2,
};

/// Distances, in points: everything is a multiple of four.
pub mod space {
    pub const XS: f32 = 4.0;
    pub const S: f32 = 8.0;
    pub const M: f32 = 12.0;
    pub const L: f32 = 16.0;
    pub const XL: f32 = 24.0;
}

/// Corner radii: small things, fields and buttons, cards.
pub mod radius {
    pub const S: u8 = 4;
    pub const M: u8 = 8;
    pub const L: u8 = 12;
}

/// The type scale.
pub mod size {
    pub const SMALL: f32 = 11.5;
    pub const LABEL: f32 = 12.5;
    pub const BODY: f32 = 14.0;
    pub const TITLE: f32 = 16.0;
    pub const DISPLAY: f32 = 24.0;
}

/// Height of buttons and fields.
pub const CONTROL_HEIGHT: f32 = 28.0;

/// Access to the colours from anywhere in the window.
pub trait Themed {
    fn tokens(&self) -> &'static Tokens;
}

impl Themed for Ui {
    fn tokens(&self) -> &'static Tokens {
        of(self.visuals().dark_mode)
    }
}

const fn of(dark: bool) -> &'static Tokens {
    if dark { &tokens::DARK } else { &tokens::LIGHT }
}

/// Installs fonts and both themes. Call once, before the first frame.
pub fn install(ctx: &Context, language: Language) {
    fonts::install(ctx, language);
    for theme in [Theme::Dark, Theme::Light] {
        let tokens = of(theme == Theme::Dark);
        let mut style = (*ctx.style_of(theme)).clone();
        apply(&mut style, tokens);
        ctx.set_style_of(theme, style);
    }
}

/// What lies between a dialog and the window.
#[must_use]
pub fn scrim(dark: bool) -> Color32 {
    of(dark).scrim
}

/// Ground and ink of the program's mark, whatever the theme.
#[must_use]
pub fn identity() -> (Color32, Color32) {
    (tokens::DARK.accent, tokens::DARK.on_accent)
}

/// What shows behind the window's own painting.
#[must_use]
pub fn clear_color(dark: bool) -> Color32 {
    of(dark).canvas
}

fn apply(style: &mut Style, tokens: &Tokens) {
    let body = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, body(size::SMALL)),
        (TextStyle::Body, body(size::BODY)),
        (TextStyle::Button, body(size::BODY)),
        (TextStyle::Heading, FontId::new(size::TITLE, strong())),
        (TextStyle::Monospace, body(size::LABEL)),
    ]
    .into();
    style.drag_value_text_style = TextStyle::Body;
    style.animation_time = 0.12;
    style.explanation_tooltips = false;

    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(space::S, space::S);
    spacing.button_padding = vec2(10.0, 5.0);
    spacing.interact_size = vec2(32.0, CONTROL_HEIGHT);
    spacing.window_margin = Margin::same(20);
    spacing.menu_margin = Margin::same(6);
    spacing.combo_width = 60.0;
    spacing.icon_width = 18.0;
    spacing.icon_width_inner = 10.0;
    spacing.tooltip_width = 320.0;
    spacing.scroll = egui::style::ScrollStyle::floating();
    spacing.scroll.bar_width = 8.0;

    let visuals = &mut style.visuals;
    visuals.dark_mode = tokens.dark;
    visuals.override_text_color = Some(tokens.text);
    visuals.weak_text_color = Some(tokens.text_muted);
    visuals.panel_fill = tokens.surface;
    visuals.window_fill = tokens.surface;
    visuals.window_stroke = Stroke::new(1.0, tokens.hairline);
    visuals.window_corner_radius = CornerRadius::same(radius::L);
    visuals.menu_corner_radius = CornerRadius::same(radius::M);
    visuals.window_shadow = Shadow { offset: [0, 12], blur: 40, spread: 0, color: tokens.shadow };
    visuals.popup_shadow = Shadow { offset: [0, 6], blur: 20, spread: 0, color: tokens.shadow };
    visuals.extreme_bg_color = tokens.sunken;
    visuals.text_edit_bg_color = Some(tokens.field);
    visuals.faint_bg_color = tokens.raised;
    visuals.code_bg_color = tokens.sunken;
    visuals.hyperlink_color = tokens.accent;
    visuals.warn_fg_color = tokens.fits_slower;
    visuals.error_fg_color = tokens.short;
    visuals.selection.bg_fill = tokens.accent_soft;
    visuals.selection.stroke = Stroke::new(1.5, tokens.accent);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Circle;
    visuals.disabled_alpha = 0.45;

    let corner = CornerRadius::same(radius::M);
    let widgets = &mut visuals.widgets;
    for (widget, fill, border, ink) in [
        (&mut widgets.noninteractive, tokens.surface, tokens.hairline, tokens.text),
        (&mut widgets.inactive, tokens.raised, tokens.hairline, tokens.text),
        (&mut widgets.hovered, tokens.raised_hover, tokens.outline, tokens.text),
        (&mut widgets.active, tokens.raised_active, tokens.accent, tokens.text),
        (&mut widgets.open, tokens.raised_hover, tokens.outline, tokens.text),
    ] {
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.bg_stroke = Stroke::new(1.0, border);
        widget.fg_stroke = Stroke::new(1.5, ink);
        widget.corner_radius = corner;
        widget.expansion = 0.0;
    }
}
