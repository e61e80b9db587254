//! Inter in two weights, its figures all of one width so that live numbers stand still; behind it the characters of
//! Japanese, Korean and Chinese that the catalogues use, then egui's own fonts. What people type in other scripts comes
//! from the fonts of the system.

use crate::i18n::Language;
use egui::{Context, FontData, FontDefinitions, FontFamily};
use std::sync::Arc;

const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
const SEMI_BOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.otf");
const REGULAR_NAME: &str = "inter";
const STRONG_NAME: &str = "inter_strong";

/// The languages whose characters Inter lacks. The same character looks different in each of them.
const CJK: [(Language, &str, &[u8]); 3] = [
    (Language::Japanese, "noto_ja", include_bytes!("../../../assets/fonts/NotoSansCJK-ja.otf")),
    (Language::Korean, "noto_ko", include_bytes!("../../../assets/fonts/NotoSansCJK-ko.otf")),
    (Language::Chinese, "noto_zh", include_bytes!("../../../assets/fonts/NotoSansCJK-zh.otf")),
];

/// The family of headings and main numbers.
#[must_use]
pub fn strong() -> FontFamily {
    FontFamily::Name(STRONG_NAME.into())
}

/// Installs the fonts in the order that `language` needs.
pub fn install(ctx: &Context, language: Language) {
    let mut fonts = FontDefinitions::default();
    fonts.font_data.insert(REGULAR_NAME.to_owned(), Arc::new(FontData::from_static(REGULAR)));
    fonts.font_data.insert(STRONG_NAME.to_owned(), Arc::new(FontData::from_static(SEMI_BOLD)));
    let mut fallback = vec![REGULAR_NAME.to_owned()];
    // The shown language first, so that a character takes the shape that its readers know.
    let mut scripts = CJK;
    scripts.sort_by_key(|(script, ..)| *script != language);
    for (_, name, bytes) in scripts {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
        fallback.push(name.to_owned());
    }
    fallback.extend(fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default());
    let mut bold = vec![STRONG_NAME.to_owned()];
    bold.extend(fallback.iter().cloned());
    fonts.families.insert(FontFamily::Proportional, fallback);
    fonts.families.insert(strong(), bold);
    ctx.set_fonts(fonts);
}
