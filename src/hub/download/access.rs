//! Which hub, with whose token, and how patiently.

use std::path::PathBuf;
use std::time::Duration;

/// The hub that is asked unless `HF_ENDPOINT` names another one.
pub const ENDPOINT: &str = "https://huggingface.co";
/// No token is longer.
const LONGEST_TOKEN: usize = 4096;

/// How long one waits.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// For an answer, and for the next bytes of one.
    pub patience: Duration,
    /// Before the second try; twice as long before each further one.
    pub first_pause: Duration,
    /// The longest pause that a hub may ask for.
    pub longest_pause: Duration,
    /// Tries in a row that bring nothing.
    pub tries: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(30),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_mins(5),
            tries: 6,
        }
    }
}

/// What is needed to speak with a hub.
#[derive(Clone)]
pub struct Access {
    /// Scheme and address, without a slash at the end.
    pub endpoint: String,
    pub token: Option<String>,
    /// Whether to go through the proxy that the environment names.
    pub proxied: bool,
    pub pace: Pace,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A token never gets into a log.
        let token = self.token.as_ref().map(|_| "(kept)");
        f.debug_struct("Access").field("endpoint", &self.endpoint).field("token", &token).finish_non_exhaustive()
    }
}

impl Access {
    /// By the variables and files that the Hugging Face libraries use: `HF_ENDPOINT`, `HF_TOKEN`, `HF_TOKEN_PATH`,
    /// `HF_HOME/token`.
    #[must_use]
    pub fn from_environment() -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let endpoint = variable("HF_ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned());
        Self {
            endpoint: endpoint.trim().trim_end_matches('/').to_owned(),
            token: variable("HF_TOKEN").or_else(token_file).and_then(|text| plausible(&text)),
            proxied: true,
            pace: Pace::default(),
        }
    }
}

fn token_file() -> Option<String> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || folder("XDG_CACHE_HOME").or_else(|| Some(directories::BaseDirs::new()?.home_dir().join(".cache")));
    let home = || folder("HF_HOME").or_else(|| Some(cache()?.join("huggingface")));
    let file = folder("HF_TOKEN_PATH").or_else(|| Some(home()?.join("token")))?;
    std::fs::read_to_string(file).ok()
}

/// A token that can stand in a header.
fn plausible(text: &str) -> Option<String> {
    let token = text.trim();
    let good = !token.is_empty() && token.len() <= LONGEST_TOKEN && token.bytes().all(|byte| byte.is_ascii_graphic());
    good.then(|| token.to_owned())
}
