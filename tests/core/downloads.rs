//! Downloads from a hub that drops, lies, redirects, throttles and gates.

use crate::hub_server::{Answer, Asked, Server, true_size};
use crate::support::{laptop, recipe};
use headroom::hub::download::{
    self, Access, DownloadError, Hub, Pace, Progress, RepoFile, Survey, Trouble, Wanted, fetch, preview, survey,
};
use headroom::hub::{Cause, HubError, Missing, catalogue};
use headroom::job::{Cancel, CancelToken};
use headroom::model::{Family, gguf_tokens};
use headroom::planner::{Device, Policy, Pool, plan};
use headroom::units::Bytes;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const TOKEN: &str = "hf_secret";
const PACE: Pace = Pace {
    patience: Duration::from_secs(5),
    first_pause: Duration::from_millis(1),
    longest_pause: Duration::from_millis(20),
    tries: 4,
};

/// Longer than one read of anything on the way.
fn content() -> Vec<u8> {
    (0..3_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// What the hub says of a large file before it sends on to where it lies.
fn linked(answer: Answer, file: &[u8]) -> Answer {
    answer.with("X-Linked-Size", file.len().to_string()).with("X-Linked-ETag", format!("\"{}\"", sha256(file)))
}

fn hub(server: &Server) -> Hub {
    let (endpoint, token) = (server.address(), Some(TOKEN.to_owned()));
    Hub::new(Access { endpoint, token, proxied: false, pace: PACE })
}

struct Place {
    folder: TempDir,
    wanted: Wanted,
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let wanted =
            Wanted { file: RepoFile::new("who/what", "deep/a b.gguf"), target: folder.path().join("vae/a b.gguf") };
        Self { folder, wanted }
    }

    fn fetch(&self, hub: &Hub) -> Result<(), DownloadError> {
        fetch(hub, &self.wanted, &Cancel::default().token(), &mut |_| {})
    }

    /// Names in the target's folder.
    fn names(&self) -> Vec<String> {
        let listing = fs::read_dir(self.folder.path().join("vae")).into_iter().flatten();
        let mut names: Vec<String> = listing.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[track_caller]
    fn holds(&self, content: &[u8]) {
        assert!(fs::read(&self.wanted.target).unwrap() == content, "the file differs");
        assert_eq!(self.names(), ["a b.gguf"], "nothing else is left");
    }
}

fn gets(server: &Server) -> Vec<Asked> {
    server.asked().into_iter().filter(|asked| asked.method == "GET").collect()
}

#[test]
fn a_file_comes_whole_with_what_the_hub_says_of_it() {
    let server = Server::start(|asked, _| linked(Answer::file(asked, &content()), &content()));
    let (hub, place) = (hub(&server), Place::new());
    let remote = hub.look(&place.wanted.file).unwrap();
    assert_eq!((remote.bytes, remote.sha256), (3_000_000, Some(sha256(&content()))));
    let mut last = 0;
    let told = &mut |progress: Progress<'_>| {
        if let Progress::Arrived { bytes, total, .. } = progress {
            assert!(bytes > last && total == 3_000_000);
            last = bytes;
        }
    };
    fetch(&hub, &place.wanted, &Cancel::default().token(), told).unwrap();
    assert_eq!(last, 3_000_000);
    place.holds(&content());
    let asked = gets(&server);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/who/what/resolve/main/deep/a%20b.gguf");
    assert_eq!(asked[0].header("authorization"), Some("Bearer hf_secret"));
    place.fetch(&hub).unwrap();
    assert_eq!(gets(&server).len(), 1, "what is here and right is not fetched again");
}

#[test]
fn a_lost_connection_is_taken_up_where_it_broke() {
    let server = Server::start(|asked, before| {
        let answer = linked(Answer::file(asked, &content()), &content());
        let tries = before.iter().filter(|asked| asked.method == "GET").count();
        if asked.method == "GET" && tries < 6 { answer.cut(400_000) } else { answer }
    });
    let place = Place::new();
    place.fetch(&hub(&server)).unwrap();
    place.holds(&content());
    let starts: Vec<Option<usize>> = gets(&server).iter().map(Asked::from).collect();
    let expected: Vec<Option<usize>> = (0..7).map(|n| (n > 0).then_some(n * 400_000)).collect();
    assert_eq!(starts, expected, "more drops than tries, but each brings something");
}

#[test]
fn a_hub_that_brings_nothing_is_given_up_and_what_has_arrived_is_kept() {
    let server = Server::start(|asked, before| {
        let answer = linked(Answer::file(asked, &content()), &content());
        let first = before.iter().all(|asked| asked.method == "HEAD");
        if asked.method == "HEAD" { answer } else { answer.cut(if first { 1_000_000 } else { 0 }) }
    });
    let place = Place::new();
    let error = place.fetch(&hub(&server)).unwrap_err();
    assert_eq!(error.trouble, Trouble::Dropped(Bytes(1_000_000)));
    assert_eq!(gets(&server).len(), 4);
    assert!(!place.wanted.target.exists());
    let survey = survey(&hub(&server), std::slice::from_ref(&place.wanted)).unwrap();
    assert_eq!((survey.total, survey.missing), (Bytes(3_000_000), Bytes(2_000_000)));
    drop(server);
    let whole = Server::start(|asked, _| linked(Answer::file(asked, &content()), &content()));
    place.fetch(&hub(&whole)).unwrap();
    place.holds(&content());
    assert_eq!(gets(&whole)[0].from(), Some(1_000_000), "another start of the program goes on");
}

#[test]
fn a_stop_keeps_what_has_arrived() {
    let server = Server::start(|asked, _| linked(Answer::file(asked, &content()), &content()));
    let (hub, place, cancel) = (hub(&server), Place::new(), Cancel::default());
    let token: CancelToken = cancel.token();
    let ended = fetch(&hub, &place.wanted, &token, &mut |progress| {
        if let Progress::Arrived { bytes, .. } = progress
            && bytes > 500_000
        {
            cancel.cancel();
        }
    });
    assert_eq!(ended.unwrap_err().trouble, Trouble::Stopped);
    assert!(!place.wanted.target.exists());
    place.fetch(&hub).unwrap();
    place.holds(&content());
    assert!(gets(&server)[1].from().unwrap() > 500_000);
}

#[test]
fn a_hub_that_ignores_ranges_sends_the_whole_file() {
    let server = Server::start(|asked, before| {
        let whole = Answer { status: 200, body: content(), ..Answer::default() };
        let first = before.iter().all(|asked| asked.method == "HEAD");
        let answer = linked(whole, &content());
        if asked.method == "GET" && first { answer.cut(700_000) } else { answer }
    });
    let place = Place::new();
    place.fetch(&hub(&server)).unwrap();
    place.holds(&content());
}

#[test]
fn bytes_of_two_versions_are_never_mixed() {
    let newer: Vec<u8> = content().into_iter().map(|byte| byte ^ 0x55).collect();
    let expected = newer.clone();
    let server = Server::start(move |asked, before| {
        // After the first drop the repository has another file under the name.
        let old = before.iter().all(|asked| asked.method == "HEAD") && before.len() < 2;
        let file = if old { content() } else { newer.clone() };
        let answer = linked(Answer::file(asked, &file), &file);
        if asked.method == "GET" && old { answer.cut(900_000) } else { answer }
    });
    let place = Place::new();
    place.fetch(&hub(&server)).unwrap();
    place.holds(&expected);
    assert_eq!(gets(&server)[1].from(), None, "starts anew");
}

#[test]
fn without_a_checksum_a_range_is_asked_for_by_version() {
    let server = Server::start(|asked, before| {
        let answer = Answer::file(asked, &content()).with("ETag", "\"v1\"");
        let first = before.iter().all(|asked| asked.method == "HEAD");
        if asked.method == "GET" && first { answer.cut(600_000) } else { answer }
    });
    let place = Place::new();
    place.fetch(&hub(&server)).unwrap();
    place.holds(&content());
    let second = &gets(&server)[1];
    assert_eq!((second.from(), second.header("if-range")), (Some(600_000), Some("\"v1\"")));
}

#[test]
fn a_wrong_checksum_blocks_and_sets_the_file_aside() {
    let server = Server::start(|asked, _| {
        let mut damaged = content();
        damaged[1_234_567] ^= 1;
        linked(Answer::file(asked, &damaged), &content())
    });
    let place = Place::new();
    let error = place.fetch(&hub(&server)).unwrap_err();
    assert!(matches!(&error.trouble, Trouble::Checksum { wanted, .. } if *wanted == sha256(&content())), "{error}");
    assert_eq!(place.names(), ["a b.gguf.damaged"]);
    assert_eq!(gets(&server).len(), 1, "the same bytes are not asked for again");
}

#[test]
fn a_file_of_the_right_length_with_wrong_bytes_is_replaced() {
    let server = Server::start(|asked, _| linked(Answer::file(asked, &content()), &content()));
    let place = Place::new();
    fs::create_dir_all(place.wanted.target.parent().unwrap()).unwrap();
    fs::write(&place.wanted.target, vec![7; 3_000_000]).unwrap();
    place.fetch(&hub(&server)).unwrap();
    place.holds(&content());
}

#[test]
fn lies_about_the_length_are_told() {
    for announced in [content().len() - 5, content().len() + 5] {
        let server = Server::start(move |asked, _| {
            let answer = Answer::file(asked, &content());
            answer.with("X-Linked-Size", announced.to_string()).with("X-Linked-ETag", sha256(&content()))
        });
        let place = Place::new();
        let error = place.fetch(&hub(&server)).unwrap_err();
        let said = announced as u64;
        assert_eq!(error.trouble, Trouble::Length { said, sent: 3_000_000 });
        assert!(!place.wanted.target.exists());
    }
    // The answer does not say how long it will be, and then is longer than the hub has said.
    let server = Server::start(|asked, _| {
        let answer = linked(Answer::file(asked, &content()), &content()[..2_000_000]);
        if asked.method == "GET" { answer.unannounced() } else { answer }
    });
    let place = Place::new();
    let error = place.fetch(&hub(&server)).unwrap_err();
    assert!(matches!(error.trouble, Trouble::Length { said: 2_000_000, sent } if sent > 2_000_000), "{error}");
    assert!(!place.wanted.target.exists());
}

#[test]
fn the_token_is_sent_to_the_hub_alone() {
    let elsewhere = Server::start(|asked, _| Answer::file(asked, &content()).with("ETag", "\"of the store\""));
    let store = elsewhere.address();
    let server = Server::start(move |asked, _| {
        // A moved repository first, at the hub itself and by path alone; then to where the bytes lie.
        if asked.path.starts_with("/who/what/") {
            let moved = asked.path.replace("/who/what/", "/who/else/");
            return Answer::status(307).with("Location", moved);
        }
        linked(Answer::status(302).with("Location", format!("{store}/bytes?signed=1")), &content())
    });
    let place = Place::new();
    place.fetch(&hub(&server)).unwrap();
    place.holds(&content());
    assert!(server.asked().iter().all(|asked| asked.header("authorization") == Some("Bearer hf_secret")));
    let asked = elsewhere.asked();
    assert_eq!(asked.len(), 1, "length and checksum are the hub's word");
    assert!(asked.iter().all(|asked| asked.header("authorization").is_none()), "{asked:?}");
}

#[test]
fn redirects_that_go_round_or_nowhere_are_told() {
    for location in ["/again", "ftp://127.0.0.1/file", "//127.0.0.1:1/file", ""] {
        let server = Server::start(move |_, _| Answer::status(302).with("Location", location));
        let error = Place::new().fetch(&hub(&server)).unwrap_err();
        assert_eq!(error.trouble, Trouble::Redirects, "{location}");
        assert!(server.asked().len() <= 8);
    }
}

#[test]
fn a_login_page_is_no_file() {
    let server = Server::start(|_, _| {
        let body = b"<!doctype html><title>Log in".to_vec();
        Answer { status: 200, body, ..Answer::default() }.with("Content-Type", "text/html; charset=utf-8")
    });
    let place = Place::new();
    assert_eq!(place.fetch(&hub(&server)).unwrap_err().trouble, Trouble::WebPage);
    assert!(place.names().is_empty());
}

#[test]
fn gates_are_explained_and_not_tried_again() {
    for (status, code) in
        [(401, "GatedRepo"), (403, "GatedRepo"), (401, "RepoNotFound"), (404, "EntryNotFound"), (418, "")]
    {
        let server = Server::start(move |_, _| Answer::status(status).with("X-Error-Code", code));
        let error = Place::new().fetch(&hub(&server)).unwrap_err();
        let page = format!("{}/who/what", server.address());
        match status {
            404 => assert_eq!(error.trouble, Trouble::Absent),
            418 => assert_eq!(error.trouble, Trouble::Refused(418)),
            _ if code == "GatedRepo" => {
                assert_eq!(error.trouble, Trouble::Gated { page: page.clone(), with_token: true });
                assert!(error.hint().contains(&page));
            }
            _ => assert_eq!(error.trouble, Trouble::Unauthorised { with_token: true }),
        }
        assert!(!error.to_string().contains(TOKEN) && !error.hint().contains(TOKEN));
        assert_eq!(server.asked().len(), 1);
        let nobody = Access { endpoint: server.address(), token: None, proxied: false, pace: PACE };
        assert!(!format!("{:?}", Access { token: Some(TOKEN.to_owned()), ..nobody.clone() }).contains(TOKEN));
        let error = Place::new().fetch(&Hub::new(nobody)).unwrap_err();
        assert!(matches!(status, 404 | 418) || error.hint().contains("HF_TOKEN"), "{}", error.hint());
        assert!(server.asked().last().unwrap().header("authorization").is_none());
    }
}

#[test]
fn a_busy_hub_is_given_the_time_that_it_asks_for() {
    let server = Server::start(|asked, before| match before.len() {
        0 => Answer::status(429).with("Retry-After", "1"),
        1 => Answer::status(503),
        _ => linked(Answer::file(asked, &content()), &content()),
    });
    let (hub, place) = (hub(&server), Place::new());
    let mut pauses = Vec::new();
    fetch(&hub, &place.wanted, &Cancel::default().token(), &mut |progress| {
        if let Progress::Waiting { error, pause } = progress {
            let Trouble::Busy { status, retry_after } = error.trouble else { panic!("{error}") };
            pauses.push((status, retry_after, pause));
        }
    })
    .unwrap();
    place.holds(&content());
    // The second that was asked for is more than the longest pause here.
    let asked = Duration::from_secs(1);
    assert_eq!(pauses, [(429, Some(asked), PACE.longest_pause), (503, None, PACE.first_pause * 2)]);
}

#[test]
fn nobody_there_is_told() {
    let server = Server::start(|_, _| Answer::status(500));
    let hub = hub(&server);
    drop(server);
    let error = hub.look(&RepoFile::new("who/what", "a.gguf")).unwrap_err();
    assert!(matches!(error.trouble, Trouble::Unreachable(_)), "{error}");
    assert!(error.hint().contains("HTTPS_PROXY"));
}

#[test]
fn the_disk_is_looked_at_before_anything_is_fetched() {
    let survey = Survey { files: Vec::new(), total: Bytes::gib(8), missing: Bytes::gib(5) };
    let check = |free| survey.check_room(free, Path::new("models"));
    let error = check(Some(Bytes::gib(5))).unwrap_err();
    assert_eq!(error.trouble, Trouble::Disk { free: Bytes::gib(5), need: Bytes::gib(5) + Bytes::mib(64) });
    assert_eq!((check(Some(Bytes::gib(6))), check(None)), (Ok(()), Ok(())));
    let here = Survey { missing: Bytes::ZERO, ..survey.clone() };
    assert_eq!(here.check_room(Some(Bytes::ZERO), Path::new("models")), Ok(()), "nothing is to come");
}

#[test]
fn names_that_lead_out_of_their_place_are_refused() {
    let good = RepoFile::parse("who/what.x:a/b.gguf").unwrap();
    assert_eq!((good.repo.as_str(), good.path.as_str(), good.name()), ("who/what.x", "a/b.gguf", "b.gguf"));
    for bad in ["who/what", "what:a", "who/what:", "who/what:../a", "who/what:a/..", "who/..:a", "a/b/c:d", "a/b:c\\d"]
    {
        assert_eq!(RepoFile::parse(bad), None, "{bad}");
    }
}

#[test]
fn a_repository_is_listed() {
    let server = Server::start(|_, _| {
        let body = br#"[{"type":"directory","path":"vae","oid":"1","size":0},
            {"type":"file","path":"vae/a.safetensors","size":12,"lfs":{"oid":"x","size":12}}]"#;
        Answer { status: 200, body: body.to_vec(), ..Answer::default() }
    });
    let listed = hub(&server).list("who/what").unwrap();
    assert_eq!(listed, [download::Listed { path: "vae/a.safetensors".to_owned(), size: 12 }]);
    assert_eq!(server.asked()[0].path, "/api/models/who/what/tree/main?recursive=true");
}

#[test]
fn the_catalogue_is_whole() {
    let catalogue = catalogue();
    assert!(catalogue.models.len() >= 5 && catalogue.parts.len() >= 8);
    for model in &catalogue.models {
        let parts = model.parts();
        assert!(["diffusion_models", "checkpoints"].contains(&parts[0].folder.as_str()), "{}", model.name);
        assert_eq!(catalogue.find(&model.name).unwrap(), parts);
        assert!(parts[0].folder == "checkpoints" || parts.len() > 1, "{} has its companions", model.name);
    }
    for part in &catalogue.parts {
        assert_eq!(catalogue.parts.iter().filter(|other| other.name == part.name).count(), 1);
        assert!(RepoFile::parse(&format!("{}:{}", part.repo, part.path)).is_some());
        assert!(["diffusion_models", "checkpoints", "text_encoders", "vae"].contains(&part.folder.as_str()));
        assert!(!part.licence.is_empty());
    }
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models.toml")).unwrap();
    let named =
        text.lines().filter(|line| line.starts_with("parts")).flat_map(|line| line.split('"').skip(1).step_by(2));
    for name in named {
        assert!(catalogue.parts.iter().any(|part| part.name == name), "{name}");
    }
    assert!(catalogue.find("no such model").is_none());
}

#[test]
fn a_missing_companion_is_named_with_the_command_that_fetches_it() {
    let kinds = [
        Missing::Qwen3 { width: 2560 },
        Missing::QwenTokenizer,
        Missing::Clip { width: 768 },
        Missing::T5 { width: 4096 },
        Missing::T5Tokenizer,
        Missing::Vae { channels: 16 },
    ];
    for missing in kinds {
        let part = missing.part().unwrap();
        assert!(catalogue().find(part).is_some(), "{part}");
        let error = HubError::new(Cause::NoCompanion { missing, searched: Vec::new() }, Path::new("my models/z.gguf"));
        assert!(error.hint().contains(&format!("`headroom models get {part} --to \"my models\"`")), "{}", error.hint());
    }
    let other = Cause::NoCompanion { missing: Missing::Vae { channels: 4 }, searched: Vec::new() };
    assert!(!HubError::new(other, Path::new("a.gguf")).hint().contains("models get"), "there are several");
}

#[test]
fn a_model_is_known_by_its_headers_before_it_is_fetched() {
    let (header, length) = true_size(include_str!("../golden/headers/sd1_checkpoint.txt"));
    assert!(length > 2_000_000_000, "{length}");
    let (known, sent) = (header.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&sent);
    let server = Server::start(move |asked, _| {
        let answer = Answer::of_header(asked, &known, length);
        counted.fetch_add(answer.body.len(), Ordering::Relaxed);
        answer
    });
    let hub = hub(&server);
    let folder = TempDir::new().unwrap();
    let wanted = Wanted { file: RepoFile::new("who/what", "sd15.safetensors"), target: folder.path().join("a") };
    let survey = survey(&hub, std::slice::from_ref(&wanted)).unwrap();
    assert_eq!((survey.total, survey.missing), (Bytes(length), Bytes(length)));
    let scratch = TempDir::new().unwrap();
    let model = preview(&hub, &survey, scratch.path()).unwrap().unwrap().inventory;
    assert_eq!(model.family, Family::StableDiffusion1);
    // 860 million parameters of the UNet.
    assert_eq!(model.denoiser.parameters, 859_520_964);
    let answer = plan(&laptop(16, 12), &model, &recipe(&model, 512, 512), &Policy::new(Device::Cpu));
    assert!(answer.plan.peak(Pool::Host) > Bytes::gib(1), "{answer:?}");
    let sent = sent.load(Ordering::Relaxed);
    assert!(sent >= header.len() && sent < 2 * header.len() + (128 << 10), "{sent} bytes for {}", header.len());
    assert!(!wanted.target.exists());
}

#[test]
fn a_header_that_holds_a_vocabulary_is_fetched_to_its_end() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/layouts/t5_tokens.gguf");
    let file = fs::read(path).unwrap();
    let (known, length) = (file.clone(), file.len() as u64 + (512 << 20));
    let server = Server::start(move |asked, _| {
        let linked =
            |answer: Answer| answer.with("X-Linked-Size", length.to_string()).with("X-Linked-ETag", "ab".repeat(32));
        // Behind the header lie half a GiB of weights, which nobody asks for.
        linked(Answer::file(asked, &known))
    });
    let hub = hub(&server);
    let wanted = Wanted { file: RepoFile::new("who/what", "t5.gguf"), target: PathBuf::from("nowhere/t5.gguf") };
    let survey = survey(&hub, &[wanted]).unwrap();
    let scratch = TempDir::new().unwrap();
    assert!(preview(&hub, &survey, scratch.path()).unwrap().is_err(), "a text encoder alone is no model");
    let stand_in = scratch.path().join("0/t5.gguf");
    assert_eq!(fs::metadata(&stand_in).unwrap().len(), length);
    let mut start = vec![0; file.len()];
    fs::File::open(&stand_in).unwrap().read_exact(&mut start).unwrap();
    let tokens = gguf_tokens(&start, length).unwrap().unwrap();
    assert_eq!(Some(tokens), gguf_tokens(&file, file.len() as u64).unwrap());
    assert_eq!(gets(&server)[0].header("range"), Some("bytes=0-131071"));
}
