//! Inter in two weights, its figures all of one width so that live numbers stand still; egui's own fonts behind it.

use egui::{Context, FontData, FontDefinitions, FontFamily};
use std::sync::Arc;

const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
const SEMI_BOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.otf");
const REGULAR_NAME: &str = "inter";
const STRONG_NAME: &str = "inter_strong";

/// The family of headings and main numbers.
#[must_use]
pub fn strong() -> FontFamily {
    FontFamily::Name(STRONG_NAME.into())
}

pub(super) fn install(ctx: &Context) {
    let mut fonts = FontDefinitions::default();
    fonts.font_data.insert(REGULAR_NAME.to_owned(), Arc::new(FontData::from_static(REGULAR)));
    fonts.font_data.insert(STRONG_NAME.to_owned(), Arc::new(FontData::from_static(SEMI_BOLD)));
    let mut fallback = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let mut bold = vec![STRONG_NAME.to_owned(), REGULAR_NAME.to_owned()];
    bold.append(&mut fallback.clone());
    fallback.insert(0, REGULAR_NAME.to_owned());
    fonts.families.insert(FontFamily::Proportional, fallback);
    fonts.families.insert(strong(), bold);
    ctx.set_fonts(fonts);
}
