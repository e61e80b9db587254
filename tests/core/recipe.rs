use crate::support::z_image_turbo;
use headroom::recipe::{Adjustment, Draft, Fault, Field, Vocabulary};
use headroom::units::PixelSize;
use proptest::prelude::*;

fn vocabulary() -> Vocabulary {
    Vocabulary::of(&z_image_turbo())
}

#[test]
fn a_fresh_draft_is_a_recipe_with_the_familys_defaults() {
    let vocabulary = vocabulary();
    let (recipe, adjustments) = Draft::new(&vocabulary).parse(&vocabulary).unwrap();
    assert_eq!((recipe.size(), recipe.steps(), recipe.batch()), (PixelSize::new(1024, 1024), 9, 1));
    assert!(!recipe.guided() && adjustments.is_empty());
}

/// stable-diffusion.cpp #1073 and #1382: odd sizes are snapped where everybody can see it.
#[test]
fn a_size_off_the_grid_is_snapped_and_said() {
    let vocabulary = vocabulary();
    let draft = Draft { width: 1001, height: 777, ..Draft::new(&vocabulary) };
    let (recipe, adjustments) = draft.parse(&vocabulary).unwrap();
    assert_eq!(recipe.size(), PixelSize::new(1008, 784));
    assert_eq!(adjustments, [Adjustment::Snapped { from: (1001, 777), to: PixelSize::new(1008, 784) }]);
}

#[test]
fn absurd_values_are_issues_all_at_once_with_their_limits() {
    let vocabulary = vocabulary();
    let draft = Draft {
        width: 0,
        height: 99_999,
        steps: 0,
        guidance: f64::NAN,
        batch: -3,
        prompt: "a\0b".to_owned(),
        ..Draft::new(&vocabulary)
    };
    let issues = draft.parse(&vocabulary).unwrap_err();
    let fields: Vec<Field> = issues.iter().map(|issue| issue.field).collect();
    assert_eq!(fields, [Field::Prompt, Field::Width, Field::Height, Field::Steps, Field::Guidance, Field::Batch]);
    assert_eq!(issues[2].fault, Fault::OutOfRange { min: 64.0, max: 4096.0 });
    assert_eq!(issues[4].fault, Fault::NotANumber);
}

#[test]
fn guidance_zero_means_off_as_in_other_programs() {
    let vocabulary = vocabulary();
    let draft = Draft { guidance: 0.0, ..Draft::new(&vocabulary) };
    assert!(!draft.parse(&vocabulary).unwrap().0.guided());
}

proptest! {
    #[test]
    fn every_recipe_is_drawable_and_survives_the_way_back(
        width in -10_i64..6000, height in -10_i64..6000, steps in -1_i64..200, guidance in -1.0_f64..40.0, batch in -1_i64..20,
    ) {
        let vocabulary = vocabulary();
        let draft = Draft { width, height, steps, guidance, batch, ..Draft::new(&vocabulary) };
        if let Ok((recipe, _)) = draft.parse(&vocabulary) {
            let size = recipe.size();
            prop_assert!(size.width.is_multiple_of(16) && size.height.is_multiple_of(16));
            prop_assert!(vocabulary.side.contains(size.width) && vocabulary.side.contains(size.height));
            let again = Draft::from(&recipe).parse(&vocabulary).unwrap();
            prop_assert_eq!(again, (recipe, Vec::new()));
        }
    }
}
