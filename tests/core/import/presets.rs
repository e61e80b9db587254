use super::assert_left;
use crate::support::z_image_turbo;
use headroom::recipe::preset::{Format, Imported, Preset, Words, import};
use headroom::recipe::restore::Why;
use headroom::recipe::{Draft, Partial, Sampler, Schedule, Vocabulary};

fn imported(text: &str) -> Imported {
    import(text, "a file").unwrap()
}

fn names(imported: &Imported) -> Vec<&str> {
    imported.presets.iter().map(|preset| preset.name.as_str()).collect()
}

fn prompts(preset: &Preset) -> (Option<&str>, Option<&str>) {
    (preset.settings.prompt.as_deref(), preset.settings.negative.as_deref())
}

/// With a byte order mark, CRLF, quoted line breaks, doubled quotes, dividers, empty rows and repeated names.
#[test]
fn a1111_styles_csv() {
    let text = "\u{feff}name,prompt,negative_prompt\r\nNone,,\r\n# --- people ---,,\r\n,x,\r\nInk,\"ink drawing of {prompt}, \
        \"\"fine\"\"\r\nlines\",\"photo, blurry\"\r\nInk,\"other\",\r\nInk,\"other\",\r\nPlain,watercolor\r\nDot.net,\"a, b\",c,extra";
    let found = imported(text);
    assert_eq!(found.format, Format::A1111Styles);
    assert_eq!(names(&found), ["Ink", "Ink (2)", "Plain", "Dot.net"]);
    assert_eq!(prompts(&found.presets[0]), (Some("ink drawing of {prompt}, \"fine\"\nlines"), Some("photo, blurry")));
    assert_eq!(prompts(&found.presets[2]), (Some("watercolor"), None));
    let old = imported("name,text\nA,words");
    assert_eq!(prompts(&old.presets[0]), (Some("words"), None));
}

#[test]
fn styles_go_around_or_behind_the_typed_words() {
    let vocabulary = Vocabulary::of(&z_image_turbo());
    let typed = Draft { prompt: "a fox".to_owned(), negative: "text".to_owned(), ..Draft::new(&vocabulary) };
    let style = |prompt: &str, negative: &str| Preset {
        settings: Partial {
            prompt: Some(prompt.to_owned()),
            negative: Some(negative.to_owned()),
            ..Partial::default()
        },
        ..Preset::default()
    };
    let over = |preset: Preset| {
        let draft = preset.over(&typed);
        (draft.prompt, draft.negative)
    };
    let words = |prompt: &str, negative: &str| (prompt.to_owned(), negative.to_owned());
    assert_eq!(over(style("ink of {prompt}, {prompt}", "blur")), words("ink of a fox, a fox", "text, blur"));
    assert_eq!(over(style("watercolor", "")), words("a fox, watercolor", "text"));
    assert_eq!(over(Preset { words: Words::Whole, ..style("a house", "") }), words("a house", ""));
    let empty = Draft { prompt: String::new(), ..typed.clone() };
    assert_eq!(style("watercolor", "").over(&empty).prompt, "watercolor");
    assert_eq!(Preset::default().over(&typed), typed, "what a preset does not set stays");
}

#[test]
fn invoke_and_fooocus_styles() {
    let invoke = imported(
        r#"[{"name":"Ink","positive_prompt":"ink {prompt}","negative_prompt":"photo","type":"user"},{"name":"B","prompt":"b","negative_prompt":""}]"#,
    );
    assert_eq!(prompts(&invoke.presets[0]), (Some("ink {prompt}"), Some("photo")));
    assert_eq!(names(&invoke), ["Ink", "B"]);
    let fooocus =
        imported(r#"[{"name":"sai-anime","prompt":"anime artwork {prompt} . vibrant","negative_prompt":"photo"}]"#);
    assert_eq!(fooocus.format, Format::FooocusStyles);
    let data = imported(r#"{"name":"One","preset_data":{"positive_prompt":"x {prompt}","negative_prompt":"y"}}"#);
    assert_eq!((names(&data), prompts(&data.presets[0])), (vec!["One"], (Some("x {prompt}"), Some("y"))));
}

#[test]
fn a_fooocus_preset_brings_settings_and_never_a_download() {
    let text = r#"{"default_model":"juggernautXL_v8Rundiffusion.safetensors","default_refiner":"None","default_refiner_switch":0.5,
        "default_loras":[[true,"None",1.0],[true,"offset.safetensors",0.1],[false,"off",1.0],["old.safetensors",0.5]],"default_cfg_scale":4.0,
        "default_sample_sharpness":2.0,"default_sampler":"euler","default_scheduler":"simple","default_performance":"Lightning","default_prompt":"",
        "default_prompt_negative":"","default_styles":["Fooocus V2"],"default_aspect_ratio":"1152×896",
        "checkpoint_downloads":{"x":"https://example.com/x"},"previous_default_models":["a"]}"#;
    let found = imported(text);
    let preset = &found.presets[0];
    assert_eq!((found.format, preset.name.as_str(), preset.words), (Format::FooocusPreset, "a file", Words::Style));
    assert_eq!((preset.settings.width, preset.settings.height), (Some(1152), Some(896)));
    assert_eq!((preset.settings.steps, preset.settings.guidance), (Some(4), Some(4.0)));
    assert_eq!(preset.model.as_deref(), Some("juggernautXL_v8Rundiffusion"));
    assert_eq!(preset.settings.prompt, None);
    let loras: Vec<&str> =
        found.left.iter().filter(|left| left.what == "a file: LoRA").map(|left| &*left.value).collect();
    assert_eq!(loras, ["offset.safetensors 0.1", "old.safetensors 0.5"]);
    assert_left(&found.left, "a file: default_styles", "[Fooocus V2]", Why::NotHere);
    assert!(found.left.iter().all(|left| !left.value.contains("example.com")));
}

#[test]
fn a_krita_style() {
    let text = r#"{"name":"Cinematic Photo (XL)","version":1,"sd_version":"auto","architecture":"sdxl","checkpoints":["juggernautXL_v6.safetensors","other"],
        "loras":[{"name":"ink","strength":0.7}],"style_prompt":"cinematic film still {prompt}","negative_prompt":"anime","vae":"Checkpoint Default",
        "sampler":"Default - Euler","sampler_steps":20,"cfg_scale":6,"clip_skip":0,"preferred_resolution":0,"v_prediction_zsnr":false}"#;
    let found = imported(text);
    let preset = &found.presets[0];
    assert_eq!((found.format, preset.name.as_str()), (Format::KritaStyle, "Cinematic Photo (XL)"));
    assert_eq!(prompts(preset), (Some("cinematic film still {prompt}"), Some("anime")));
    assert_eq!((preset.settings.sampler, preset.settings.steps), (Some(Sampler::Euler), Some(20)));
    assert_eq!(preset.model.as_deref(), Some("juggernautXL_v6"));
    assert_eq!(found.left.len(), 1, "{:?}", found.left);
    let plain = imported(r#"{"name":"x","style_prompt":"{prompt}","negative_prompt":"","sampler_steps":8}"#);
    assert_eq!(prompts(&plain.presets[0]), (None, None), "a style that only passes the words on sets none");
}

/// Its numbers are texts.
#[test]
fn swarmui_presets() {
    let text = r#"{"Ink":{"author":"local","title":"Ink","description":"for drawings","preview_image":"data:","is_starred":true,
        "param_map":{"prompt":"ink of {value}","steps":"12","cfgscale":"4.5","width":"640","sampler":"euler","scheduler":"simple","images":"4",
        "model":"Flux/dev.safetensors","loras":"a,b","refinermethod":"PostApply"}},"Broken":{"title":"x"}}"#;
    let found = imported(text);
    let preset = &found.presets[0];
    assert_eq!((found.format, names(&found)), (Format::SwarmPresets, vec!["Ink"]));
    assert_eq!(
        (preset.settings.steps, preset.settings.guidance, preset.settings.batch),
        (Some(12), Some(4.5), Some(4))
    );
    assert_eq!(
        (preset.settings.prompt.as_deref(), preset.description.as_str()),
        (Some("ink of {prompt}"), "for drawings")
    );
    assert_eq!(preset.settings.schedule, Some(Schedule::Simple));
    assert_left(&found.left, "Ink: loras", "a,b", Why::NotHere);
}

/// Its samplers are numbers.
#[test]
fn draw_things_configurations() {
    let text = r#"[{"name":"Fast","negative":"blurry","configuration":{"width":1024,"height":768,"seed":-1,"steps":8,"guidanceScale":3.5,"sampler":1,
        "model":"z_image_turbo_1.0_q8p.ckpt","loras":[{"file":"ink_lora.ckpt","weight":0.6}],"strength":1,"batchCount":1,"hiresFix":false,
        "sharpness":0,"shift":3,"tiledDecoding":true}},{"name":"Odd","configuration":{"steps":4,"sampler":77}}]"#;
    let found = imported(text);
    assert_eq!((found.format, names(&found)), (Format::DrawThings, vec!["Fast", "Odd"]));
    let settings = &found.presets[0].settings;
    assert_eq!((settings.width, settings.steps, settings.seed), (Some(1024), Some(8), None));
    assert_eq!(settings.negative.as_deref(), Some("blurry"));
    assert_left(&found.left, "Fast: LoRA", "ink_lora.ckpt 0.6", Why::NotHere);
    assert_left(&found.left, "Fast: shift", "3", Why::NotHere);
    assert_left(&found.left, "Odd: sampler", "77", Why::UnknownValue);
}

#[test]
fn sd_next_styles() {
    let found = imported(
        r#"{"name":"Ink","description":"d","prompt":"ink {prompt}","negative":"photo","extra":"Steps: 12, CFG scale: 3, sampler: Euler, Refiner: x","preview":""}"#,
    );
    let preset = &found.presets[0];
    assert_eq!(
        (found.format, preset.settings.steps, preset.settings.guidance),
        (Format::SdNextStyles, Some(12), Some(3.0))
    );
    assert_eq!(prompts(preset), (Some("ink {prompt}"), Some("photo")));
    assert_left(&found.left, "Ink: Refiner", "x", Why::NotHere);
}

#[test]
fn other_texts_are_no_presets() {
    for text in [
        "",
        "{}",
        "[]",
        "[1,2]",
        "a red apple",
        "a,b\n1,2",
        "name\nx",
        "{\"name\":\"x\"}",
        "[{\"name\":1}]",
        "name,prompt\n",
    ] {
        assert_eq!(import(text, "x"), None, "{text}");
    }
}
