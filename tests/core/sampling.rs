//! Names of samplers and schedules, in every spelling that people bring along.

use crate::support::z_image_turbo;
use headroom::recipe::{Draft, Fault, Field, Issue, Rng, Sampler, Schedule, Vocabulary};
use std::collections::HashSet;

#[test]
fn names_lead_back_to_what_they_name() {
    let mut names = HashSet::new();
    for sampler in Sampler::ALL {
        for name in [sampler.name().to_owned(), sampler.a1111_name().to_owned(), sampler.name().to_uppercase()] {
            assert_eq!(Sampler::from_name(&format!(" {name} ")), Some(sampler), "{name}");
        }
        assert!(names.insert(sampler.name()) && names.insert(sampler.a1111_name()), "{}", sampler.name());
    }
    for schedule in Schedule::ALL {
        assert_eq!(Schedule::from_name(schedule.name()), Some(schedule));
        assert_eq!(Schedule::from_name(schedule.a1111_name()), Some(schedule));
    }
    for rng in Rng::ALL {
        assert_eq!(Rng::from_name(rng.a1111_name()), Some(rng));
    }
    assert_eq!((Sampler::from_name("magic"), Schedule::from_name(""), Rng::from_name("gpu")), (None, None, None));
}

#[test]
fn spellings_of_other_programs_are_understood() {
    for (name, sampler) in [
        ("euler_a", Sampler::EulerAncestral),
        ("dpm++2m", Sampler::Dpmpp2m),
        ("dpm2", Sampler::Dpm2),
        ("kdpm_2_a", Sampler::Dpm2Ancestral),
        ("dpmpp_3m", Sampler::Dpmpp3mSde),
        ("unipc", Sampler::UniPc),
        ("k_lms", Sampler::Lms),
    ] {
        assert_eq!(Sampler::from_name(name), Some(sampler), "{name}");
    }
    assert_eq!(Schedule::from_name("AYS"), Some(Schedule::AlignYourSteps));
}

/// A1111 before 1.9 and stable-diffusion.cpp write sampler and schedule as one name, Invoke marks Karras.
#[test]
fn a_schedule_that_is_glued_to_its_sampler_is_split_off() {
    for (name, want) in [
        ("DPM++ 2M Karras", Some((Sampler::Dpmpp2m, Some(Schedule::Karras)))),
        ("DPM++ 2M SDE Karras", Some((Sampler::Dpmpp2mSde, Some(Schedule::Karras)))),
        ("DPM++ 3M SDE Exponential", Some((Sampler::Dpmpp3mSde, Some(Schedule::Exponential)))),
        ("DPM2 a Karras", Some((Sampler::Dpm2Ancestral, Some(Schedule::Karras)))),
        ("Euler a SGM Uniform", Some((Sampler::EulerAncestral, Some(Schedule::SgmUniform)))),
        ("euler_a discrete", Some((Sampler::EulerAncestral, Some(Schedule::Normal)))),
        ("dpmpp_2m_k", Some((Sampler::Dpmpp2m, Some(Schedule::Karras)))),
        ("DPM++ 2M SDE", Some((Sampler::Dpmpp2mSde, None))),
        ("DPM++ 2M Magic", None),
        ("Karras", None),
        ("", None),
    ] {
        assert_eq!(Sampler::with_schedule(name), want, "{name}");
    }
}

#[test]
fn a_choice_that_a_model_does_not_offer_is_an_issue() {
    let vocabulary = Vocabulary::of(&z_image_turbo());
    let draft = Draft { schedule: Schedule::AlignYourSteps, ..Draft::new(&vocabulary) };
    assert_eq!(draft.parse(&vocabulary), Err(vec![Issue { field: Field::Schedule, fault: Fault::NotOffered }]));
    for sampler in Sampler::ALL {
        for &schedule in vocabulary.schedules.offered {
            let draft = Draft { sampler, schedule, rng: Rng::Nv, ..Draft::new(&vocabulary) };
            let (recipe, _) = draft.parse(&vocabulary).unwrap();
            assert_eq!((recipe.sampler(), recipe.schedule(), recipe.rng()), (sampler, schedule, Rng::Nv));
            assert_eq!(Draft::from(&recipe), draft);
        }
    }
}

#[test]
fn only_samplers_of_two_looks_cost_two_passes() {
    let twice: Vec<Sampler> = Sampler::ALL.into_iter().filter(|sampler| sampler.evaluations(10) == 19).collect();
    assert_eq!(
        twice,
        [Sampler::Heun, Sampler::Dpm2, Sampler::Dpm2Ancestral, Sampler::Dpmpp2sAncestral, Sampler::DpmppSde]
    );
    assert!(
        Sampler::ALL.iter().all(|sampler| [10, 19].contains(&sampler.evaluations(10)) && sampler.evaluations(1) == 1)
    );
}
