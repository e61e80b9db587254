//! Requests to a hub. Redirects are followed here, one by one: the hub's own answer names length and checksum before it
//! sends on to where the bytes lie, and no other address may see the token.

use super::RepoFile;
use super::access::Access;
use super::error::{DownloadError, Trouble};
use crate::units::Bytes;
use serde::Deserialize;
use std::io::{self, Read as _};
use std::time::Duration;
use ureq::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_RANGE, LOCATION, RANGE, RETRY_AFTER};
use ureq::http::{HeaderMap, Response, Uri};
use ureq::{Agent, Body};

const MOST_REDIRECTS: usize = 8;
/// No listing of a repository is longer.
const MAX_LISTING: u64 = 16 << 20;
const CONNECT: Duration = Duration::from_secs(20);

/// What a hub says of a file before it sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    pub bytes: u64,
    /// Names the version of the file.
    pub etag: String,
    /// Of large files the hub knows it.
    pub sha256: Option<String>,
}

impl Remote {
    /// What a range is asked for with, where no checksum will tell whether it belongs to the bytes before it. Not else:
    /// the place where a large file lies may call its version something of its own.
    pub(super) fn condition(&self) -> Option<String> {
        (self.sha256.is_none() && !self.etag.is_empty()).then(|| format!("\"{}\"", self.etag))
    }
}

/// A file in a repository's listing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Listed {
    pub path: String,
    pub size: u64,
}

/// A hub that speaks as Hugging Face does.
#[derive(Debug)]
pub struct Hub {
    pub(super) access: Access,
    agent: Agent,
}

/// What a request asks for beside the address.
#[derive(Clone, Copy, Default)]
pub(super) struct Part<'a> {
    pub head: bool,
    /// First byte, and the last one where it is not the file's.
    pub range: Option<(u64, Option<u64>)>,
    /// The version that the range must be of.
    pub version: Option<&'a str>,
}

impl Hub {
    #[must_use]
    pub fn new(access: Access) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("headroom/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT.min(access.pace.patience)))
            .timeout_recv_response(Some(access.pace.patience))
            .timeout_per_read(Some(access.pace.patience));
        let config = if access.proxied { config } else { config.proxy(None) };
        Self { access, agent: config.build().new_agent() }
    }

    /// Where a file is asked for.
    pub(super) fn address(&self, file: &RepoFile) -> String {
        format!("{}/{}/resolve/main/{}", self.access.endpoint, file.repo, escaped(&file.path))
    }

    /// Length, version and checksum of a file.
    ///
    /// # Errors
    /// Where the hub cannot be reached, does not have the file, or asks for a licence or token first.
    pub fn look(&self, file: &RepoFile) -> Result<Remote, DownloadError> {
        let address = self.address(file);
        let wants = Part { head: true, ..Part::default() };
        let mut linked = HeaderMap::new();
        let answer = self.request(&address, wants, &file.repo, |headers| {
            linked.extend(headers.iter().map(|(name, value)| (name.clone(), value.clone())));
            // Where the bytes lie knows no more than the hub has said.
            headers.contains_key("x-linked-size") && headers.contains_key("x-linked-etag")
        })?;
        let text = |name: &str| linked.get(name).and_then(|value| value.to_str().ok());
        let end = |name| answer.headers().get(name).and_then(|value| value.to_str().ok());
        let bytes = text("x-linked-size").or_else(|| end(CONTENT_LENGTH.as_str())).and_then(|text| text.parse().ok());
        let etag = bare(text("x-linked-etag").or_else(|| end(ETAG.as_str())).unwrap_or_default());
        if text("x-linked-size").is_none() && is_web_page(answer.headers(), file) {
            return Err(DownloadError::new(Trouble::WebPage, address));
        }
        let bytes = bytes.ok_or_else(|| DownloadError::new(Trouble::NoLength, address))?;
        let is_sha256 = etag.len() == 64 && etag.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(Remote { bytes, sha256: is_sha256.then(|| etag.to_lowercase()), etag })
    }

    /// Opens a file from byte `from` on, or from its start where it is no longer of `version`.
    pub(super) fn open(
        &self,
        file: &RepoFile,
        from: u64,
        version: Option<&str>,
    ) -> Result<Response<Body>, DownloadError> {
        let range = (from > 0).then_some((from, None));
        let answer = self.request(&self.address(file), Part { head: false, range, version }, &file.repo, |_| false)?;
        if is_web_page(answer.headers(), file) {
            return Err(DownloadError::new(Trouble::WebPage, self.address(file)));
        }
        Ok(answer)
    }

    /// `n` bytes of a file from `from` on, fewer where it ends before.
    pub(super) fn range(&self, file: &RepoFile, from: u64, n: u64) -> Result<Vec<u8>, DownloadError> {
        let address = self.address(file);
        let range = Some((from, Some(from + n.saturating_sub(1))));
        let answer = self.request(&address, Part { range, ..Part::default() }, &file.repo, |_| false)?;
        if is_web_page(answer.headers(), file) {
            return Err(DownloadError::new(Trouble::WebPage, address));
        }
        // A hub that knows no ranges sends the whole file.
        let skipped = if answer.status().as_u16() == 206 { 0 } else { from };
        let mut reader = answer.into_body().into_reader();
        let mut bytes = Vec::new();
        let read = io::copy(&mut reader.by_ref().take(skipped), &mut io::sink());
        let read = read.and_then(|_| reader.take(n).read_to_end(&mut bytes));
        read.map_err(|_lost| DownloadError::new(Trouble::Dropped(Bytes(bytes.len() as u64)), address))?;
        Ok(bytes)
    }

    /// The files of a repository.
    ///
    /// # Errors
    /// As [`Hub::look`].
    pub fn list(&self, repo: &str) -> Result<Vec<Listed>, DownloadError> {
        #[derive(Deserialize)]
        struct Entry {
            #[serde(rename = "type")]
            kind: String,
            #[serde(flatten)]
            listed: Listed,
        }
        let address = format!("{}/api/models/{repo}/tree/main?recursive=true", self.access.endpoint);
        let answer = self.request(&address, Part::default(), repo, |_| false)?;
        let unreadable = || DownloadError::new(Trouble::Answer, address.clone());
        let mut text = Vec::new();
        let read = answer.into_body().into_reader().take(MAX_LISTING).read_to_end(&mut text);
        read.map_err(|_lost| unreadable())?;
        let entries: Vec<Entry> = serde_json::from_slice(&text).map_err(|_garbled| unreadable())?;
        Ok(entries.into_iter().filter(|entry| entry.kind == "file").map(|entry| entry.listed).collect())
    }

    /// Follows redirects until an answer comes, or `enough` says of a redirect's headers that they tell everything.
    fn request(
        &self,
        address: &str,
        part: Part<'_>,
        repo: &str,
        mut enough: impl FnMut(&HeaderMap) -> bool,
    ) -> Result<Response<Body>, DownloadError> {
        let mut here = address.to_owned();
        for _ in 0..MOST_REDIRECTS {
            let answer = self.once(&here, part)?;
            let status = answer.status();
            let at_hub = origin(&here) == origin(&self.access.endpoint);
            if at_hub && (status.is_success() || status.is_redirection()) && enough(answer.headers()) {
                return Ok(answer);
            }
            if !status.is_redirection() {
                return if status.is_success() || status.as_u16() == 416 {
                    Ok(answer)
                } else {
                    let trouble = self.refusal(status.as_u16(), answer.headers(), repo, at_hub);
                    Err(DownloadError::new(trouble, here))
                };
            }
            let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let next = location.and_then(|location| joined(&here, location));
            here = next.ok_or_else(|| DownloadError::new(Trouble::Redirects, here))?;
        }
        Err(DownloadError::new(Trouble::Redirects, address))
    }

    fn once(&self, address: &str, part: Part<'_>) -> Result<Response<Body>, DownloadError> {
        let mut request = if part.head { self.agent.head(address) } else { self.agent.get(address) };
        // Bytes as they are: a compressed answer has no ranges.
        request = request.header("accept-encoding", "identity");
        if let Some(token) = &self.access.token
            && origin(address) == origin(&self.access.endpoint)
        {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some((from, to)) = part.range {
            let to = to.map_or_else(String::new, |to| to.to_string());
            request = request.header(RANGE, format!("bytes={from}-{to}"));
            if let Some(version) = part.version {
                request = request.header(IF_RANGE, version);
            }
        }
        request.call().map_err(|error| {
            let trouble = match error {
                ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::RequireHttpsOnly(_) => Trouble::Redirects,
                error => Trouble::Unreachable(error.to_string()),
            };
            DownloadError::new(trouble, address)
        })
    }

    fn refusal(&self, status: u16, headers: &HeaderMap, repo: &str, at_hub: bool) -> Trouble {
        let with_token = self.access.token.is_some();
        let code = headers.get("x-error-code").and_then(|value| value.to_str().ok()).unwrap_or_default();
        match (status, code) {
            (401 | 403, "GatedRepo") => Trouble::Gated { page: format!("{}/{repo}", self.access.endpoint), with_token },
            (401 | 403, _) if at_hub => Trouble::Unauthorised { with_token },
            (404, _) => Trouble::Absent,
            (408 | 425 | 429 | 500..=599, _) => {
                let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
                Trouble::Busy { status, retry_after: seconds.map(Duration::from_secs) }
            }
            (status, _) => Trouble::Refused(status),
        }
    }
}

/// An `ETag` without quotes and the mark of a weak one.
fn bare(etag: &str) -> String {
    etag.trim().trim_start_matches("W/").trim_matches('"').to_owned()
}

fn is_web_page(headers: &HeaderMap, file: &RepoFile) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.trim_start().starts_with("text/html") && !file.path.to_lowercase().ends_with(".html")
}

/// Scheme, host and port.
fn origin(address: &str) -> Option<(String, String, u16)> {
    let uri: Uri = address.parse().ok()?;
    let scheme = uri.scheme_str()?.to_lowercase();
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Some((scheme, uri.host()?.to_lowercase(), port))
}

/// Where a redirect from `here` leads; `None` where it leaves HTTPS or is no address.
fn joined(here: &str, location: &str) -> Option<String> {
    let (scheme, _, _) = origin(here)?;
    if location.starts_with('/') && !location.starts_with("//") {
        let end = here.find("://")? + 3;
        let root = here.get(end..)?.find('/').map_or(here, |at| &here[..end + at]);
        return Some(format!("{root}{location}"));
    }
    let (next, _, _) = origin(location)?;
    (next == "https" || (next == "http" && scheme == "http")).then(|| location.to_owned())
}

/// A path as it stands in an address.
fn escaped(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~');
    path.bytes().fold(String::new(), |mut text, byte| {
        if plain(byte) {
            text.push(char::from(byte));
            text
        } else {
            format!("{text}%{byte:02X}")
        }
    })
}
