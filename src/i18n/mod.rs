//! Every word that a person reads: catalogues of messages, numbers as each language writes them, names of core values.
//!
//! Core rooms answer with enums and numbers; here they become text. Nothing here is global: a [`Catalog`] is a value,
//! so a window can switch languages between two frames and tests can run in several at once.

mod message;
mod number;

pub use message::Told;

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use std::borrow::Cow;
use unic_langid::LanguageIdentifier;

/// The languages that the program speaks in full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    /// As spoken in Brazil.
    Portuguese,
    Italian,
    Polish,
    Ukrainian,
    Japanese,
    Korean,
    /// In simplified characters.
    Chinese,
}

impl Language {
    pub const ALL: [Self; 11] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Portuguese,
        Self::Italian,
        Self::Polish,
        Self::Ukrainian,
        Self::Japanese,
        Self::Korean,
        Self::Chinese,
    ];

    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Portuguese => "pt-BR",
            Self::Italian => "it",
            Self::Polish => "pl",
            Self::Ukrainian => "uk",
            Self::Japanese => "ja",
            Self::Korean => "ko",
            Self::Chinese => "zh-Hans",
        }
    }

    /// The closest language to a tag such as `de-AT` or `de_DE.UTF-8`; English where none is close.
    #[must_use]
    pub fn from_tag(tag: &str) -> Self {
        let primary = |tag: &str| tag.split(['-', '_', '.']).next().unwrap_or_default().to_ascii_lowercase();
        let wanted = primary(tag);
        Self::ALL.into_iter().find(|language| primary(language.tag()) == wanted).unwrap_or_default()
    }

    const fn source(self) -> &'static str {
        match self {
            Self::English => include_str!("../../locales/en.ftl"),
            Self::German => include_str!("../../locales/de.ftl"),
            Self::French => include_str!("../../locales/fr.ftl"),
            Self::Spanish => include_str!("../../locales/es.ftl"),
            Self::Portuguese => include_str!("../../locales/pt-BR.ftl"),
            Self::Italian => include_str!("../../locales/it.ftl"),
            Self::Polish => include_str!("../../locales/pl.ftl"),
            Self::Ukrainian => include_str!("../../locales/uk.ftl"),
            Self::Japanese => include_str!("../../locales/ja.ftl"),
            Self::Korean => include_str!("../../locales/ko.ftl"),
            Self::Chinese => include_str!("../../locales/zh-Hans.ftl"),
        }
    }

    const fn decimal_mark(self) -> char {
        match self {
            Self::English | Self::Japanese | Self::Korean | Self::Chinese => '.',
            Self::German
            | Self::French
            | Self::Spanish
            | Self::Portuguese
            | Self::Italian
            | Self::Polish
            | Self::Ukrainian => ',',
        }
    }
}

/// A value put into a message.
#[derive(Clone, Debug)]
pub enum Arg<'a> {
    Text(Cow<'a, str>),
    /// A number that may choose a plural form.
    Count(u64),
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Arg<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> From<&'a String> for Arg<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text.as_str().into())
    }
}

/// The messages of one language.
pub struct Catalog {
    language: Language,
    bundle: FluentBundle<FluentResource>,
}

impl Catalog {
    #[must_use]
    pub fn new(language: Language) -> Self {
        let identifiers: Vec<LanguageIdentifier> = language.tag().parse().into_iter().collect();
        let mut bundle = FluentBundle::new(identifiers);
        // The marks are invisible on screen but stay in accessible names, where nobody could type them.
        bundle.set_use_isolating(false);
        // A message that does not parse is left out and shows as its id; the locale tests fail on both.
        let resource = FluentResource::try_new(language.source().to_owned()).unwrap_or_else(|(partial, _)| partial);
        bundle.add_resource_overriding(resource);
        Self { language, bundle }
    }

    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// The message `id`; the id itself where there is none.
    #[must_use]
    pub fn get(&self, id: &str) -> String {
        self.with(id, &[])
    }

    /// The message `id` with its arguments.
    #[must_use]
    pub fn with(&self, id: &str, args: &[(&'static str, Arg<'_>)]) -> String {
        let Some(pattern) = self.bundle.get_message(id).and_then(|message| message.value()) else {
            return id.to_owned();
        };
        let mut values = FluentArgs::with_capacity(args.len());
        for (name, arg) in args {
            values.set(
                *name,
                match arg {
                    Arg::Text(text) => FluentValue::from(text.as_ref()),
                    Arg::Count(n) => FluentValue::from(*n),
                },
            );
        }
        let mut errors = Vec::new();
        self.bundle.format_pattern(pattern, Some(&values), &mut errors).into_owned()
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Catalog({})", self.language.tag())
    }
}
