//! The library: search, stars, tags, deleting with undo, the queue, and what a crash or a damaged file leaves.

use crate::support::z_image_turbo;
use headroom::gallery::{Filter, Order, PictureId};
use headroom::pixels::Pixels;
use headroom::recipe::{Draft, Vocabulary};
use headroom::store::{self, JobState, Library, NewJob, NewPicture, Opened, Origin, Place, Trouble};
use headroom::units::PixelSize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn vocabulary() -> Vocabulary {
    Vocabulary::of(&z_image_turbo())
}

fn draft(prompt: &str, seed: u64) -> Draft {
    Draft { prompt: prompt.to_owned(), width: 64, height: 96, seed, ..Draft::new(&vocabulary()) }
}

fn new_picture(path: &str, draft: Draft, created: i64) -> NewPicture {
    let size = PixelSize::new(64, 96);
    NewPicture { path: path.into(), model: "z-image_turbo".to_owned(), draft, size, created: Some(created) }
}

fn open(folder: &Path) -> Opened {
    Library::open(&folder.join("library.db")).unwrap()
}

/// Three pictures in two folders.
fn filled(library: &mut Library) -> Vec<PictureId> {
    [
        ("/p/2026-01-01/a.png", draft("a red fox in Żółć snow", 1), 100),
        ("/p/2026-01-01/b.png", draft("a blue \"house\" by the sea", 22), 200),
        ("/p/2026-01-02/c.png", draft("赤い狐と家", 333), 300),
    ]
    .map(|(path, draft, at)| library.add(&new_picture(path, draft, at), None).unwrap())
    .to_vec()
}

fn ids(library: &Library, filter: &Filter) -> Vec<u64> {
    library.ids(filter).unwrap().into_iter().map(|id| id.0).collect()
}

fn text(text: &str) -> Filter {
    Filter { text: text.to_owned(), ..Filter::default() }
}

#[test]
fn a_picture_comes_back_with_everything() {
    let folder = TempDir::new().unwrap();
    let opened = open(folder.path());
    assert!(opened.fresh && !opened.shared && opened.set_aside.is_none());
    let mut library = opened.library;
    let pixels = Pixels::new(PixelSize::new(600, 300), vec![200; 600 * 300 * 3]).unwrap();
    let picture = new_picture("/p/2026-01-01/a.png", Draft { seed: u64::MAX, ..draft("x\ny 🦊", 0) }, 5);
    let id = library.add(&picture, Some(&pixels)).unwrap();
    library.set_stars(id, 9).unwrap();
    library.set_tag(&[id], "  two   words ", true).unwrap();
    library.set_tag(&[id], "Best", true).unwrap();
    library.set_tag(&[id], "best", true).unwrap();
    drop(library);
    let opened = open(folder.path());
    assert!(!opened.fresh);
    let library = opened.library;
    let record = library.get(id).unwrap().unwrap();
    assert_eq!(record.draft.as_ref(), Some(&picture.draft));
    assert_eq!((record.path, record.folder.as_str()), (picture.path, "2026-01-01"));
    assert_eq!((record.stars, record.created, record.size), (5, 5, picture.size));
    assert_eq!(record.tags, ["Best", "two words"]);
    let small = library.thumbnail(id).unwrap().unwrap();
    assert_eq!(small.size(), PixelSize::new(256, 128));
    assert!(small.rgb().iter().all(|value| value.abs_diff(200) < 4));
    assert_eq!(library.thumbnail(PictureId(99)).unwrap(), None);
}

#[test]
fn words_are_found_in_prompts_tags_and_settings() {
    let mut library = Library::in_memory().unwrap();
    let all = filled(&mut library);
    library.set_tag(&all[1..2], "Favourite", true).unwrap();
    for (query, found) in [
        ("", &[3, 2, 1][..]),
        ("fox", &[1]),
        ("FO re", &[1]),
        ("zołc", &[1]),
        ("hous", &[2]),
        ("\"house\"", &[2]),
        ("red house", &[]),
        ("333", &[3]),
        ("64x96", &[3, 2, 1]),
        ("turbo euler", &[3, 2, 1]),
        ("favour", &[2]),
        ("狐", &[3]),
        ("赤い 家", &[3]),
        ("猫", &[]),
        ("fox* OR NEAR( \" ' -- ; )", &[]),
        ("\" ' ( ) * : ^", &[3, 2, 1]),
    ] {
        assert_eq!(ids(&library, &text(query)), found, "{query}");
        assert_eq!(library.count(&text(query)).unwrap(), found.len() as u64, "{query}");
    }
    library.set_tag(&all[1..2], "favourite", false).unwrap();
    assert_eq!(ids(&library, &text("favour")), [] as [u64; 0]);
    // The same file again, with other words.
    library.add(&new_picture("/p/2026-01-01/a.png", draft("a green frog", 1), 100), None).unwrap();
    assert_eq!((ids(&library, &text("fox")).len(), ids(&library, &text("frog"))), (0, vec![1]));
}

#[test]
fn stars_tags_folders_and_order() {
    let mut library = Library::in_memory().unwrap();
    let all = filled(&mut library);
    library.set_stars(all[0], 3).unwrap();
    library.set_stars(all[1], 5).unwrap();
    library.set_tag(&all[..2], "animals", true).unwrap();
    let filter = Filter::default();
    assert_eq!(ids(&library, &Filter { stars: 4, ..filter.clone() }), [2]);
    assert_eq!(ids(&library, &Filter { tag: Some("ANIMALS".to_owned()), ..filter.clone() }), [2, 1]);
    assert_eq!(ids(&library, &Filter { folder: Some("2026-01-01".to_owned()), ..filter.clone() }), [2, 1]);
    assert_eq!(ids(&library, &Filter { order: Order::Oldest, ..filter.clone() }), [1, 2, 3]);
    assert_eq!(ids(&library, &Filter { order: Order::Stars, ..filter.clone() }), [2, 1, 3]);
    let page: Vec<u64> = library.page(&filter, 1, 1).unwrap().iter().map(|record| record.id.0).collect();
    assert_eq!(page, [2]);
    assert_eq!(library.tags().unwrap(), ["animals"]);
    let folders: Vec<(String, u64)> =
        library.folders().unwrap().into_iter().map(|count| (count.folder, count.pictures)).collect();
    assert_eq!(folders, [("2026-01-02".to_owned(), 1), ("2026-01-01".to_owned(), 2)]);
}

fn save(folder: &Path, prompt: &str, seed: u64) -> PathBuf {
    let recipe = draft(prompt, seed).parse(&vocabulary()).unwrap().0;
    let pixels = Pixels::new(recipe.size(), (0..64 * 96 * 3).map(|n| (n % 251) as u8).collect()).unwrap();
    store::save_png(&Place::Folder(folder.to_owned()), &pixels, &recipe, Origin { model: "m", decode: None }).unwrap()
}

/// InvokeAI #8954: only that file goes, and it can come back.
#[test]
fn deleting_moves_one_file_and_undo_brings_it_back() {
    let folder = TempDir::new().unwrap();
    let day = folder.path().join("2026-01-01");
    fs::create_dir(&day).unwrap();
    let (first, second) = (save(&day, "one", 1), save(&day, "two", 2));
    fs::write(day.join("notes.txt"), "kept").unwrap();
    let mut library = open(folder.path()).library;
    assert_eq!(library.sync(folder.path(), &mut |_, _| true).unwrap().added, 2);
    let id = library.by_path(&first).unwrap().unwrap();
    library.set_stars(id, 4).unwrap();

    let deleted = library.delete(&[id, PictureId(77)]).unwrap();
    assert_eq!((deleted.pictures.clone(), deleted.kept), (vec![id], Vec::new()));
    assert!(!first.exists() && second.exists() && day.join("notes.txt").exists());
    assert_eq!(library.count(&Filter::default()).unwrap(), 1);
    assert_eq!(library.count(&text("one")).unwrap(), 0);
    assert_eq!(library.trash().unwrap(), [id]);
    // What is in the trash is no new picture.
    assert_eq!(library.sync(folder.path(), &mut |_, _| true).unwrap(), store::Synced::default());

    assert_eq!(library.undelete(&deleted.pictures).unwrap(), [id]);
    assert!(first.exists());
    assert_eq!(library.get(id).unwrap().unwrap().stars, 4);
    assert_eq!(library.undelete(&deleted.pictures).unwrap(), [], "twice is once");

    // A name that was taken meanwhile is not overwritten.
    library.delete(&[id]).unwrap();
    fs::write(&first, "another").unwrap();
    library.undelete(&[id]).unwrap();
    assert_eq!(fs::read_to_string(&first).unwrap(), "another");
    let back = library.get(id).unwrap().unwrap().path;
    assert!(back != first && store::read_recipe(&back).is_ok());

    library.delete(&[id]).unwrap();
    assert_eq!(library.empty_trash(3600).unwrap(), 0);
    assert_eq!(library.empty_trash(0).unwrap(), 1);
    assert_eq!(library.trash().unwrap(), []);
    assert_eq!(library.undelete(&[id]).unwrap(), []);
}

#[test]
fn a_lost_library_is_made_anew_from_the_files() {
    let folder = TempDir::new().unwrap();
    let pictures = folder.path().join("pictures");
    for (day, count) in [("2026-01-01", 3), ("żółć 日本 #%", 2)] {
        fs::create_dir_all(pictures.join(day)).unwrap();
        for seed in 0..count {
            save(&pictures.join(day), &format!("prompt {day} {seed}"), seed);
        }
    }
    fs::write(pictures.join("broken.png"), b"\x89PNG\r\n\x1a\nrubbish").unwrap();
    fs::write(pictures.join("foreign.png"), foreign_png()).unwrap();
    let mut library = open(folder.path()).library;
    let mut heard = Vec::new();
    let synced = library.sync(&pictures, &mut |done, of| {
        heard.push((done, of));
        true
    });
    let synced = synced.unwrap();
    assert_eq!((synced.added, synced.gone), (5, 0));
    assert_eq!(synced.unreadable, [pictures.join("broken.png")]);
    assert_eq!(heard.first(), Some(&(0, 7)));
    assert_eq!(library.count(&text("日本")).unwrap(), 2);
    let record = &library.page(&text("prompt 2026 2"), 0, 9).unwrap()[0];
    assert_eq!(record.draft.as_ref().map(|draft| draft.seed), Some(2));
    assert!(library.thumbnail(record.id).unwrap().is_some());
    // A second look finds nothing new, and misses what went.
    fs::remove_file(&record.path).unwrap();
    let synced = library.sync(&pictures, &mut |_, _| true).unwrap();
    assert_eq!((synced.added, synced.gone), (0, 1));
    // Another disk that is not there takes nothing with it.
    assert_eq!(library.sync(&folder.path().join("gone"), &mut |_, _| true).unwrap().gone, 0);
    assert_eq!(library.count(&Filter::default()).unwrap(), 4);
}

/// A PNG without a word of ours.
fn foreign_png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
    encoder.add_text_chunk("Software".to_owned(), "GIMP".to_owned()).unwrap();
    encoder.write_header().unwrap().write_image_data(&[0]).unwrap();
    bytes
}

#[cfg(unix)]
#[test]
fn names_that_are_no_unicode_are_kept() {
    use std::os::unix::ffi::OsStrExt as _;
    let mut library = Library::in_memory().unwrap();
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(b"/p/d/\xff\xfe.png"));
    let id = library.add(&NewPicture { path: path.clone(), ..new_picture("", draft("x", 1), 1) }, None).unwrap();
    assert_eq!(library.get(id).unwrap().unwrap().path, path);
    assert_eq!(library.by_path(&path).unwrap(), Some(id));
}

#[test]
fn a_damaged_library_is_set_aside_and_a_newer_one_left_alone() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("library.db");
    let mut backups = Vec::new();
    let rubbish: [&[u8]; 2] =
        [b"this is no database at all, but long enough to look like one................", &[0xff; 5000]];
    for bytes in rubbish {
        fs::write(&file, bytes).unwrap();
        let opened = Library::open(&file).unwrap();
        let backup = opened.set_aside.unwrap();
        assert!(opened.fresh && fs::read(&backup).unwrap() == bytes && !backups.contains(&backup));
        backups.push(backup);
        drop(opened.library);
        fs::remove_file(&file).unwrap();
    }
    // Nothing, or next to nothing: there is nothing to keep, but the pictures must be looked for. SQLite takes a single
    // byte for nothing on some systems and for damage on others.
    for bytes in [&b""[..], b"x"] {
        fs::write(&file, bytes).unwrap();
        let opened = Library::open(&file).unwrap();
        assert!(opened.fresh && (opened.set_aside.is_none() || bytes == b"x"));
        drop(opened.library);
        assert!(!Library::open(&file).unwrap().fresh);
        fs::remove_file(&file).unwrap();
    }
    // A good one that was hit in the middle, after a crash.
    let mut library = open(folder.path()).library;
    for n in 0..400 {
        library.add(&new_picture(&format!("/p/d/{n}.png"), draft(&"words ".repeat(200), n), 1), None).unwrap();
    }
    drop(library);
    let mut bytes = fs::read(&file).unwrap();
    for byte in bytes.iter_mut().skip(4096 * 3).take(4096 * 20) {
        *byte ^= 0x5a;
    }
    fs::write(&file, &bytes).unwrap();
    // It was closed properly before, so the start does not look; whoever meets the damage makes the next one look.
    let mut opened = Library::open(&file).unwrap();
    if opened.set_aside.is_none() {
        let met = opened.library.page(&Filter::default(), 0, 1000).map(|_records| ()).unwrap_err();
        assert_eq!(met.trouble, Trouble::DamagedLibrary);
        drop(opened.library);
        opened = Library::open(&file).unwrap();
    }
    assert!(opened.fresh && opened.set_aside.is_some());
    drop(opened.library);

    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    assert_eq!(Library::open(&file).unwrap_err().trouble, Trouble::NewerLibrary(99));
    assert!(file.exists());
}

fn job(prompt: &str) -> NewJob {
    NewJob { model_ref: "builtin".to_owned(), draft: draft(prompt, u64::MAX), forced: prompt == "b" }
}

fn queue(library: &Library) -> Vec<(String, JobState)> {
    library.jobs().unwrap().into_iter().map(|stored| (stored.job.draft.prompt, stored.state)).collect()
}

#[test]
fn jobs_keep_their_order_and_everything_that_was_asked() {
    let folder = TempDir::new().unwrap();
    let mut library = open(folder.path()).library;
    let ids: Vec<u64> = ["a", "b", "c"].iter().map(|name| library.enqueue(&job(name), false).unwrap()).collect();
    let front = library.enqueue(&job("d"), true).unwrap();
    library.set_job(ids[1], JobState::Failed, "does not fit").unwrap();
    library.order_jobs(&[ids[2], front]).unwrap();
    drop(library);
    let mut library = open(folder.path()).library;
    assert_eq!(
        queue(&library),
        [
            ("c".to_owned(), JobState::Queued),
            ("d".to_owned(), JobState::Queued),
            ("a".to_owned(), JobState::Queued),
            ("b".to_owned(), JobState::Failed)
        ]
    );
    let failed = library.jobs().unwrap().remove(3);
    assert_eq!((failed.job, failed.note.as_str()), (job("b"), "does not fit"));
    library.remove_job(ids[0]).unwrap();
    assert_eq!(queue(&library).len(), 3);
}

/// ComfyUI #859 and #13512: a second instance is told, and takes nothing away from the first.
#[test]
fn a_second_instance_is_told() {
    let folder = TempDir::new().unwrap();
    let mut first = open(folder.path());
    let id = first.library.enqueue(&job("a"), false).unwrap();
    first.library.set_job(id, JobState::Running, "").unwrap();
    let mut second = open(folder.path());
    assert!(second.shared && second.interrupted.is_empty());
    assert_eq!(queue(&second.library), [("a".to_owned(), JobState::Running)]);
    second.library.add(&new_picture("/p/d/x.png", draft("x", 1), 1), None).unwrap();
    assert_eq!(first.library.count(&Filter::default()).unwrap(), 1);
    drop(second);
    drop(first);
    assert!(!open(folder.path()).shared);
}

const CHILD: &str = "HEADROOM_TEST_LIBRARY";

/// Plays the program that is killed below; without the variable it has nothing to play.
#[test]
fn child_of_the_crash_test() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let mut library = open(Path::new(&folder)).library;
    let ids: Vec<u64> = ["a", "b", "c"].iter().map(|name| library.enqueue(&job(name), false).unwrap()).collect();
    library.set_job(ids[0], JobState::Running, "").unwrap();
    for n in 0_u64.. {
        library.add(&new_picture(&format!("/p/d/{n}.png"), draft("drawn", n), 1), None).unwrap();
        if n == 20 {
            fs::write(Path::new(&folder).join("ready"), "").unwrap();
        }
    }
}

/// ComfyUI #859: killed in the middle of writing, with three jobs in the queue, several times.
#[test]
fn a_killed_program_leaves_its_queue_and_runs_nothing_again() {
    let folder = TempDir::new().unwrap();
    for round in 1..=3_usize {
        let ready = folder.path().join("ready");
        drop(fs::remove_file(&ready));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "library::child_of_the_crash_test"])
            .env(CHILD, folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !ready.exists() && start.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(7 * round as u64));
        child.kill().unwrap();
        child.wait().unwrap();

        let opened = open(folder.path());
        assert!(opened.set_aside.is_none() && !opened.fresh, "the file is whole");
        let interrupted: Vec<&str> = opened.interrupted.iter().map(|job| job.job.draft.prompt.as_str()).collect();
        assert_eq!(interrupted, ["a"]);
        let states = queue(&opened.library);
        assert_eq!(states.len(), 3 * round, "no job is lost");
        assert_eq!(states.iter().filter(|(_, state)| *state == JobState::Interrupted).count(), round);
        assert!(states.iter().all(|(_, state)| *state != JobState::Running));
        assert!(opened.library.count(&text("drawn")).unwrap() > 20);
        drop(opened.library);
        assert!(open(folder.path()).interrupted.is_empty(), "it is told once");
    }
}

/// Ten thousand pictures: what a list asks for while it scrolls and while a word is typed.
#[test]
fn thousands_of_pictures_are_quick() {
    let mut library = Library::in_memory().unwrap();
    for n in 0..10_000_u64 {
        let words = ["fox", "house", "tree", "cat", "river"][(n % 5) as usize];
        let picture =
            new_picture(&format!("/p/2026-01-{:02}/{n}.png", n % 28), draft(&format!("a {words} {n}"), n), n as i64);
        library.add(&picture, None).unwrap();
    }
    // Generous, because other tests run beside this one: what it guards against is a scan for each row.
    let quick = |what: &str, work: &dyn Fn()| {
        let best = (0..5).map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        });
        let best = best.min().unwrap();
        assert!(best < Duration::from_millis(150), "{what}: {best:?}");
    };
    quick("all ids", &|| assert_eq!(library.ids(&Filter::default()).unwrap().len(), 10_000));
    quick("a page", &|| assert_eq!(library.page(&Filter::default(), 5000, 60).unwrap().len(), 60));
    quick("a word", &|| assert_eq!(library.ids(&text("fox")).unwrap().len(), 2000));
    quick("the start of a word", &|| assert_eq!(library.ids(&text("f 777")).unwrap().len(), 2));
    quick("folders", &|| assert_eq!(library.folders().unwrap().len(), 28));
}
