//! The queue outlives the window: ordered through the widgets, kept in a real library, found again after a kill.

use crate::support::{Harness, Script, builtin, host, laptop, window_of};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use headroom::app::{Backlog, Shelf, Unkept};
use headroom::job::{Event, Measured};
use headroom::store::{JobState, Library};
use headroom::units::Bytes;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A window whose queue is kept in the library of a folder.
fn window(folder: &Path, script: &Script) -> Harness<'static> {
    let model = Arc::new(builtin());
    let open = move |name: &str| (name == "builtin").then(|| Arc::clone(&model));
    let mut host = host(laptop(16, Bytes::gib(14)), script);
    host.jobs = Box::new(Shelf::start(folder.join("library.db"), open).unwrap());
    let mut window = window_of(host, [1280.0, 800.0]);
    while window.state().state.looking {
        std::thread::yield_now();
        window.step();
    }
    window.run();
    window
}

fn order(window: &mut Harness<'_>, prompt: &str) {
    prompt.clone_into(&mut window.state_mut().state.form.draft.prompt);
    window.run();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.run();
}

fn queue(folder: &Path) -> Vec<(String, JobState)> {
    let library = Library::open(&folder.join("library.db")).unwrap().library;
    library.jobs().unwrap().into_iter().map(|stored| (stored.job.draft.prompt, stored.state)).collect()
}

/// Closes the window as a click on its cross does.
fn close(mut window: Harness<'_>) {
    eframe::App::on_exit(window.state_mut(), None);
}

/// The files of the library as a kill at this moment would leave them.
fn as_killed(folder: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for name in ["library.db", "library.db-wal"] {
        drop(fs::copy(folder.join(name), copy.path().join(name)));
    }
    copy
}

#[test]
fn a_kill_with_three_in_the_queue_loses_nothing_and_runs_nothing_again() {
    let (folder, script) = (TempDir::new().unwrap(), Script::default());
    let mut first = window(folder.path(), &script);
    for prompt in ["one", "two", "three"] {
        order(&mut first, prompt);
    }
    first.get_by_label("Draw “three” next").click();
    first.run();
    // Written on another thread; the next start of a job waits for it.
    script.say(Event::Finished { job: script.jobs()[0].id, measured: Measured::default() });
    first.run();
    let killed = as_killed(folder.path());
    close(first);

    let script = Script::default();
    let mut second = window(killed.path(), &script);
    assert!(script.jobs().is_empty(), "nothing runs by itself");
    assert!(second.query_by_label_contains("The program ended while it was drawing").is_some());
    assert!(second.query_by_label_contains("interrupted: it ran when the program ended").is_some());
    assert!(second.query_by_label("Paused: nothing more is started").is_some());
    second.get_by_label("Go on with the queue").click();
    second.run();
    assert_eq!(script.jobs().pop().unwrap().recipe.prompt(), "two", "never the one that may have been the cause");
    script.say(Event::Finished { job: script.jobs()[0].id, measured: Measured::default() });
    second.run();
    assert_eq!(script.jobs().len(), 1);
    close(second);
    assert_eq!(queue(killed.path()), [("three".to_owned(), JobState::Interrupted)]);

    let script = Script::default();
    let mut third = window(killed.path(), &script);
    third.get_by_label("Try again").click();
    third.run();
    third.get_by_label("Go on with the queue").click();
    third.run();
    assert_eq!(script.jobs().pop().unwrap().recipe.prompt(), "three", "a click is enough");
    close(third);
    assert_eq!(queue(killed.path()), [("three".to_owned(), JobState::Held)], "closed on purpose: stopped");
}

#[test]
fn what_is_taken_out_is_gone_and_an_absent_model_keeps_its_jobs() {
    let (folder, script) = (TempDir::new().unwrap(), Script::default());
    let stored = {
        let mut first = window(folder.path(), &script);
        order(&mut first, "one");
        order(&mut first, "two");
        let stored = first.state().state.standing().remove(0).job;
        first.get_by_label("Take “two” out of the queue").click();
        first.run();
        close(first);
        stored
    };
    assert_eq!(queue(folder.path()), [("one".to_owned(), JobState::Held)]);
    let mut library = Library::open(&folder.path().join("library.db")).unwrap().library;
    let mut absent = stored;
    absent.model_ref = "a model that is gone".to_owned();
    absent.draft.prompt = "elsewhere".to_owned();
    library.enqueue(&absent, true).unwrap();
    drop(library);

    let second = window(folder.path(), &Script::default());
    assert!(second.query_by_label_contains("a model that is gone").is_some());
    assert_eq!(second.state().state.queue.len(), 1);
    close(second);
    let kept = queue(folder.path());
    assert_eq!(kept.len(), 2);
    assert!(kept.contains(&("elsewhere".to_owned(), JobState::Queued)));
}

#[test]
fn a_second_window_is_told_that_the_queue_is_not_its_own() {
    let folder = TempDir::new().unwrap();
    let _first = window(folder.path(), &Script::default());
    let script = Script::default();
    let mut second = window(folder.path(), &script);
    assert!(second.query_by_label_contains("Another window of Headroom keeps the queue").is_some());
    order(&mut second, "a fox");
    assert_eq!(script.jobs().len(), 1, "it draws all the same");
}

#[test]
fn a_library_that_cannot_be_opened_is_told_with_the_reason() {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("library.db")).unwrap();
    let script = Script::default();
    let mut window = window(folder.path(), &script);
    assert!(window.query_by_label_contains("The queue cannot be kept: ").is_some());
    order(&mut window, "a fox");
    assert_eq!(script.jobs().len(), 1);
}

#[test]
fn nothing_starts_before_the_old_queue_is_known_and_a_run_is_written_before_it_starts() {
    let script = Script::default();
    script.backlog.take();
    let mut window = window_of(host(laptop(16, Bytes::gib(14)), &script), [1280.0, 800.0]);
    order(&mut window, "a fox");
    assert!(script.jobs().is_empty() && script.kept.borrow().is_empty());
    script.backlog.replace(Some(Backlog { unkept: Some(Unkept::Elsewhere), ..Backlog::default() }));
    window.step();
    window.step();
    assert_eq!(script.jobs().len(), 1);
    let kept = script.kept.borrow();
    let (queue, sent) = kept.iter().find(|(queue, _)| queue.iter().any(|job| job.state == JobState::Running)).unwrap();
    assert_eq!((queue.len(), *sent), (1, 0), "on disk before the worker hears of it");
}
