//! Runs that start from a picture, against diffusers (see `tests/golden/make_img2img.py`).

use super::Engine;
use super::flux::parity::tiny as flux;
use super::ops::books::TURN;
use super::parity::{Goldens, close, config, golden, text_or_number, tiny as z_image};
use super::stable_diffusion::parity::tiny as stable_diffusion;
use crate::job::{Drawn, Engine as _, Latents, Observer, Order, Stop};
use crate::model::json::Value;
use crate::pixels::Pixels;
use crate::planner::{Choice, Decode, Tier};
use crate::recipe::{Draft, Sampler, Schedule, Vocabulary};
use crate::units::PixelSize;
use std::sync::Arc;

#[derive(Default)]
struct Seen {
    latents: Option<Latents>,
    pictures: Vec<Arc<Pixels>>,
}

impl Observer for Seen {
    fn keep(&mut self, latents: Latents) {
        self.latents = Some(latents);
    }

    fn picture(&mut self, drawn: Drawn) -> Result<(), Stop> {
        self.pictures.push(drawn.pixels);
        Ok(())
    }
}

#[test]
fn pictures_made_of_pictures_are_those_of_diffusers() {
    let _turn = TURN.lock();
    let goldens = Goldens::load("img2img.safetensors");
    let index = config(&golden().join("img2img.json"));
    let cases = index.get("cases").and_then(Value::as_array).unwrap();
    assert_eq!(cases.len(), 12);
    for (number, case) in cases.iter().enumerate() {
        run_case(&goldens, case, Tier::ALL[number % Tier::ALL.len()]);
    }
}

fn run_case(goldens: &Goldens, case: &Value, tier: Tier) {
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap();
    let number = |key: &str| case.get(key).and_then(Value::as_f64).unwrap();
    let model = text("model").to_owned();
    let name = format!("{model}/{}", text("name"));
    let open = {
        let model = model.clone();
        move || match model.as_str() {
            "flux_tiny" => flux("flux_tiny"),
            "z_image_tiny" => z_image(),
            folder => stable_diffusion(folder),
        }
    };
    let vocabulary = Vocabulary::of(&open().inventory);
    let flow = matches!(model.as_str(), "flux_tiny" | "z_image_tiny");
    let size = PixelSize::new(number("width") as u32, number("height") as u32);
    let draft = Draft {
        prompt: text("prompt").to_owned(),
        negative: text("negative_prompt").to_owned(),
        width: i64::from(size.width),
        height: i64::from(size.height),
        steps: number("steps") as i64,
        guidance: number("guidance"),
        seed: text_or_number(case, "seed"),
        batch: number("batch") as i64,
        sampler: Sampler::Euler,
        schedule: if flow { Schedule::Simple } else { Schedule::Normal },
        denoise: Some(number("denoise")),
        ..Draft::new(&vocabulary)
    };
    let (recipe, adjusted) = draft.parse(&vocabulary).unwrap();
    assert!(adjusted.is_empty(), "{name}: {adjusted:?}");
    let picture: Vec<u8> = goldens.get(&format!("{name}/picture")).iter().map(|&value| value as u8).collect();
    let order = Order {
        start: Pixels::new(size, picture).map(Arc::new),
        ..Order::new(model, recipe, Choice { tier, decode: Decode::Whole })
    };
    let mut engine = Engine::new(2, Box::new(move |_| Ok(open()))).unwrap();
    let mut seen = Seen::default();
    engine.draw(&order, &mut seen).unwrap();

    let latents = seen.latents.unwrap();
    assert_eq!(latents.steps, goldens.get(&format!("{name}/sigmas")).len() as u32 - 1, "{name}: steps");
    close(&format!("{name}: start"), latents.start.as_ref().unwrap(), goldens.get(&format!("{name}/start")), 1e-4);
    let (want, image) = (goldens.get(&format!("{name}/latents")), goldens.get(&format!("{name}/image")));
    let each = want.len() / latents.pictures.len();
    assert_eq!((latents.pictures.len(), seen.pictures.len()), (number("batch") as usize, latents.pictures.len()));
    for (item, (latent, pixels)) in latents.pictures.iter().zip(&seen.pictures).enumerate() {
        close(&format!("{name}: latent {item}"), &latent.values, &want[item * each..][..each], 1e-3);
        let want = &image[item * pixels.rgb().len()..][..pixels.rgb().len()];
        let worst = pixels.rgb().iter().zip(want).fold(0.0_f32, |a, (&g, w)| a.max((f32::from(g) - w).abs()));
        assert!(worst <= 1.0, "{name}: pixels of {item} off by {worst}");
    }
    // What was kept is enough to go on, without the picture.
    let mut again = Seen::default();
    let mut begun = latents;
    begun.pictures.truncate(1);
    engine.draw(&Order { start: None, resume: Some(Arc::new(begun)), ..order }, &mut again).unwrap();
    assert!(again.pictures == seen.pictures, "{name}: gone on with");
}
