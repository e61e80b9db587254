//! Colours by meaning. This is the only file that knows a colour value.

use egui::Color32;

/// One set of colours for the whole window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tokens {
    pub dark: bool,
    /// Behind everything.
    pub canvas: Color32,
    /// Side panels and the memory strip.
    pub surface: Color32,
    /// Cards, dialogs, buttons at rest.
    pub raised: Color32,
    pub raised_hover: Color32,
    pub raised_active: Color32,
    /// Text fields, slider troughs, the stage behind a picture.
    pub sunken: Color32,
    /// Behind text that is typed.
    pub field: Color32,
    /// Thin lines between things.
    pub hairline: Color32,
    /// Borders of things that can be used.
    pub outline: Color32,
    pub text: Color32,
    pub text_muted: Color32,
    pub text_faint: Color32,
    pub accent: Color32,
    pub accent_hover: Color32,
    pub on_accent: Color32,
    /// Selections and focus rings: the accent, quiet.
    pub accent_soft: Color32,
    pub fits: Color32,
    /// Fits, one part of the model at a time.
    pub fits_phased: Color32,
    pub fits_slower: Color32,
    pub short: Color32,
    pub unknown: Color32,
    /// The same verdicts over large areas: tracks, maps.
    pub fills: VerdictFills,
    /// Memory of other programs, of this one, of the next picture.
    pub others: Color32,
    pub ours: Color32,
    pub planned: Color32,
    /// The measured curve.
    pub measured: Color32,
    pub scrim: Color32,
    pub shadow: Color32,
    /// One colour a term of a need, in the order of `Term::ALL`.
    pub terms: [Color32; 13],
}

/// Verdicts where nothing has to be read on or beside them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictFills {
    pub fits: Color32,
    pub fits_phased: Color32,
    pub fits_slower: Color32,
    pub short: Color32,
    pub unknown: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

pub(super) const DARK: Tokens = Tokens {
    dark: true,
    canvas: rgb(0x0E_1014),
    surface: rgb(0x15_181E),
    raised: rgb(0x20_242D),
    raised_hover: rgb(0x2A_2F3A),
    raised_active: rgb(0x33_3946),
    sunken: rgb(0x0F_1217),
    field: rgb(0x0F_1217),
    hairline: rgb(0x25_2A33),
    outline: rgb(0x35_3B48),
    text: rgb(0xE8_EBF1),
    text_muted: rgb(0xA3_ACBB),
    text_faint: rgb(0x78_8292),
    accent: rgb(0x6E_7BF2),
    accent_hover: rgb(0x82_8EFF),
    on_accent: rgb(0xFF_FFFF),
    accent_soft: rgb(0x2B_3163),
    fits: rgb(0x38_B48B),
    fits_phased: rgb(0x4C_A0DC),
    fits_slower: rgb(0xE2_B04A),
    short: rgb(0xEE_6A5F),
    unknown: rgb(0x8A_94A6),
    fills: VerdictFills {
        fits: rgb(0x2F_9C79),
        fits_phased: rgb(0x41_8CC2),
        fits_slower: rgb(0xC9_9A3E),
        short: rgb(0xD9_5F55),
        unknown: rgb(0x6C_7686),
    },
    others: rgb(0x47_4F5E),
    ours: rgb(0x6E_7BF2),
    planned: rgb(0x9D_A6F7),
    measured: rgb(0xFF_FFFF),
    scrim: Color32::from_black_alpha(150),
    shadow: Color32::from_black_alpha(110),
    terms: [
        rgb(0x4E_86C6),
        rgb(0x3F_72AE),
        rgb(0x33_6096),
        rgb(0x5B_67D6),
        rgb(0x8A_63C9),
        rgb(0xA8_5CB4),
        rgb(0x3F_A38F),
        rgb(0x86_B257),
        rgb(0xC9_A24A),
        rgb(0xCC_7F4B),
        rgb(0xC2_6288),
        rgb(0x7A_8798),
        rgb(0x4C_5564),
    ],
};

pub(super) const LIGHT: Tokens = Tokens {
    dark: false,
    canvas: rgb(0xEE_F0F4),
    surface: rgb(0xF9_FAFB),
    raised: rgb(0xFF_FFFF),
    raised_hover: rgb(0xF1_F3F7),
    raised_active: rgb(0xE6_E9F0),
    sunken: rgb(0xEE_F0F4),
    field: rgb(0xFF_FFFF),
    hairline: rgb(0xE0_E4EA),
    outline: rgb(0xC8_CED8),
    text: rgb(0x1A_1E26),
    text_muted: rgb(0x4E_5868),
    text_faint: rgb(0x6C_7686),
    accent: rgb(0x4B_58DB),
    accent_hover: rgb(0x3A_47C8),
    on_accent: rgb(0xFF_FFFF),
    accent_soft: rgb(0xDC_E0FC),
    fits: rgb(0x12_805F),
    fits_phased: rgb(0x1E_74B0),
    fits_slower: rgb(0x9A_6300),
    short: rgb(0xC2_3A30),
    unknown: rgb(0x5E_6878),
    fills: VerdictFills {
        fits: rgb(0x45_B48D),
        fits_phased: rgb(0x5E_A8DA),
        fits_slower: rgb(0xE3_B24D),
        short: rgb(0xDE_6459),
        unknown: rgb(0xA0_A9B6),
    },
    others: rgb(0xB4_BCC9),
    ours: rgb(0x4B_58DB),
    planned: rgb(0x8E_98EE),
    measured: rgb(0x14_171D),
    scrim: Color32::from_black_alpha(70),
    shadow: Color32::from_black_alpha(36),
    terms: [
        rgb(0x6F_A2DB),
        rgb(0x86_B2E3),
        rgb(0x9D_C2EB),
        rgb(0x7C_86E6),
        rgb(0xA8_87DD),
        rgb(0xC7_8AD2),
        rgb(0x5F_BDA9),
        rgb(0xA2_C876),
        rgb(0xDD_BC6B),
        rgb(0xE0_9C6D),
        rgb(0xD8_85A5),
        rgb(0x9B_A6B4),
        rgb(0xB9_C1CC),
    ],
};
