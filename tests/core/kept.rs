//! Latents and the book of runs on disk.

use crate::support::{recipe, z_image_turbo};
use headroom::job::{Latent, Latents};
use headroom::planner::{Phase, RUNS, Seen, Tier};
use headroom::store::{Keeper, Runs, forget, read_latents};
use headroom::units::Bytes;
use std::fs;

fn latents() -> Latents {
    let values = |from: u32| (from..from + 24).map(|n| n as f32 / 7.0 - 1.5).collect::<Vec<f32>>();
    Latents {
        shape: (2, 3, 4),
        steps: 9,
        pictures: vec![
            Latent { step: 9, values: values(0), draws: 0 },
            Latent { step: 4, values: values(5), draws: 4 },
        ],
        start: Some(values(9)),
    }
}

#[test]
fn latents_survive_a_restart_bit_by_bit_with_their_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let model = z_image_turbo();
    let order = recipe(&model, 640, 512);
    let keeper = Keeper::new(folder.path().join("latents"));
    let path = keeper.keep(3, &order, "/models/z image", &latents()).unwrap();
    assert!(keeper.left().is_empty(), "what is at work is not left over");
    let kept = read_latents(&path).unwrap();
    assert_eq!((kept.latents, kept.model.as_str()), (latents(), "/models/z image"));
    assert_eq!(kept.recipe.draft.prompt, order.prompt());
    assert_eq!((kept.recipe.draft.width, kept.recipe.draft.seed), (640, order.seed()));

    // As an earlier start left it: by a process that is gone.
    let old = folder.path().join("latents/1700000000-4194999-3.safetensors");
    fs::rename(&path, &old).unwrap();
    let left = keeper.left();
    assert_eq!(left.len(), 1);
    keeper.adopt(&left[0].path, 12).unwrap();
    assert_eq!(read_latents(&keeper.path(12)).unwrap().latents, latents());
    // A newer state takes the place of the older one.
    let mut further = latents();
    further.pictures[1].step = 5;
    keeper.keep(12, &order, "x", &further).unwrap();
    assert_eq!(read_latents(&keeper.path(12)).unwrap().latents, further);
    keeper.forget(12);
    keeper.forget(12);
    forget(&old);
    assert_eq!(fs::read_dir(folder.path().join("latents")).unwrap().count(), 0);
}

#[test]
fn damaged_latents_are_an_error_with_a_path_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let model = z_image_turbo();
    let keeper = Keeper::new(folder.path().to_owned());
    let path = keeper.keep(1, &recipe(&model, 512, 512), "m", &latents()).unwrap();
    let whole = fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.safetensors");
    for cut in (0..whole.len()).step_by(3) {
        fs::write(&damaged, &whole[..cut]).unwrap();
        let error = read_latents(&damaged).unwrap_err();
        assert!(error.to_string().contains("damaged.safetensors"), "{error}");
    }
    let nan = [&whole[..whole.len() - 4], &f32::NAN.to_le_bytes()].concat();
    fs::write(&damaged, nan).unwrap();
    assert!(read_latents(&damaged).is_err(), "not a number is no latent");
    let text = String::from_utf8_lossy(&whole).replace("\"headroom.1.step\":\"4\"", "\"headroom.1.step\":\"44\"");
    assert!(text.contains("44"));
    // Left alone, told in the log, the rest is found.
    assert!(keeper.left().is_empty());
    assert!(read_latents(&folder.path().join("nothing")).is_err());
}

#[test]
fn a_place_that_takes_no_latents_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let model = z_image_turbo();
    assert!(Keeper::new(file).keep(1, &recipe(&model, 512, 512), "m", &latents()).is_err());
}

#[test]
fn the_book_keeps_the_last_runs_of_each_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/runs.json");
    let run = |tier, n: usize| {
        let mut secs = [None; Phase::ALL.len()];
        secs[Phase::Decode as usize] = Some((n as f64, 2.0));
        Seen { tier, predicted: Bytes(n as u64 + 1), measured: Bytes(n as u64 + 2), over: Bytes(1), secs, gflops: 7.5 }
    };
    let mut book = Runs::load(&path);
    for n in 0..RUNS + 5 {
        book.add("a", "cpu", &run(Tier::Phased, n));
    }
    book.add("a", "cpu", &run(Tier::Streamed, 0));
    book.add("b", "cpu", &run(Tier::Phased, 0));
    book.save(&path).unwrap();
    let book = Runs::load(&path);
    let mine = book.of("a", "cpu");
    assert_eq!(mine.len(), RUNS + 1);
    assert_eq!(mine[0], run(Tier::Phased, 5), "the oldest went first");
    assert_eq!(book.of("b", "cpu"), [run(Tier::Phased, 0)]);
    assert!(book.of("b", "sim").is_empty());
    assert_eq!(book.last().len(), RUNS);
    fs::write(&path, "{\"runs\": [{]").unwrap();
    assert!(Runs::load(&path).last().is_empty());
}
