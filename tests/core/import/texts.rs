use super::{assert_left, entries, left, restored};
use crate::support::z_image_turbo;
use headroom::recipe::restore::{
    self, Found, ModelMention, Program, Why, command_line, decode_text, exif_entries, from_text, infotext,
};
use headroom::recipe::{Rng, Sampler, Schedule, Vocabulary};
use proptest::prelude::*;

const A1111: &str = "a red fox, (misty forest:1.2)\nsecond prompt line\nNegative prompt: blurry, text\nSteps: 20, Sampler: \
    Euler, Schedule type: Simple, CFG scale: 7, Seed: 1234567890, Size: 832x1216, Model hash: 31e35c80fc, Model: \
    sd_xl_base_1.0, Clip skip: 2, Lora hashes: \"inkA: 0a1b2c3d4e5f, inkB: 00ff00ff00ff\", RNG: CPU, Version: v1.10.1";

#[test]
fn a1111_settings_are_taken_and_what_is_not_here_is_listed() {
    let found = restored(&[("parameters", A1111)]);
    assert_eq!((found.program, found.version.as_str()), (Program::A1111, "v1.10.1"));
    let settings = &found.settings;
    assert_eq!(settings.prompt.as_deref(), Some("a red fox, (misty forest:1.2)\nsecond prompt line"));
    assert_eq!(settings.negative.as_deref(), Some("blurry, text"));
    assert_eq!((settings.width, settings.height), (Some(832), Some(1216)));
    assert_eq!((settings.steps, settings.guidance, settings.seed), (Some(20), Some(7.0), Some(1234567890)));
    assert_eq!((settings.sampler, settings.schedule), (Some(Sampler::Euler), Some(Schedule::Simple)));
    let model = found.model.unwrap();
    assert_eq!((model.name.as_str(), model.hash.as_deref()), ("sd_xl_base_1.0", Some("31e35c80fc")));
    assert_left(&found.left, "Clip skip", "2", Why::NotHere);
    assert!(left(&found.left, "Lora hashes").is_none() && left(&found.left, "RNG").is_none());
}

/// A1111 draws its noise as the card does unless it says otherwise, so its seed means another picture.
#[test]
fn a1111_without_a_word_on_noise_means_the_card() {
    let text = A1111.replace("RNG: CPU, ", "");
    assert_eq!(from_text(A1111).unwrap().settings.rng, Some(Rng::Cpu));
    assert_eq!(from_text(&text).unwrap().settings.rng, Some(Rng::Nv));
    assert_eq!(from_text(&text.replace("v1.10.1", "Fooocus v2.5.5")).unwrap().settings.rng, None);
    let odd = from_text(&A1111.replace("RNG: CPU", "RNG: magic")).unwrap();
    assert_left(&odd.left, "RNG", "magic", Why::UnknownValue);
}

/// Before 1.9 the schedule was glued to the sampler's name, and the hash stood behind the model's.
#[test]
fn old_a1111_glues_names_together() {
    let text = "x\nSteps: 20, Sampler: Euler Simple, CFG scale: 7, Seed: 1, Size: 512x512, Model: anything [38c1ebe3]";
    let found = infotext(text).unwrap();
    assert_eq!((found.settings.sampler, found.settings.schedule), (Some(Sampler::Euler), Some(Schedule::Simple)));
    assert_eq!(found.model, Some(ModelMention { name: "anything".to_owned(), hash: Some("38c1ebe3".to_owned()) }));
    let odd = infotext("x\nSteps: 20, Sampler: Frobnicate Karras, Seed: 1, Size: 8x8, Version: v1.6.0").unwrap();
    assert_left(&odd.left, "Sampler", "Frobnicate Karras", Why::UnknownValue);
}

/// One sampler under the names of five programs.
#[test]
fn samplers_are_known_by_every_name() {
    let both = |name: &str| {
        let found = infotext(&format!("x\nSteps: 20, Sampler: {name}, Seed: 1, Size: 8x8")).unwrap();
        (found.settings.sampler, found.settings.schedule)
    };
    for name in ["DPM++ 2M Karras", "dpm++2m karras", "dpmpp_2m_k", "k_dpmpp_2m Karras"] {
        assert_eq!(both(name), (Some(Sampler::Dpmpp2m), Some(Schedule::Karras)), "{name}");
    }
    for name in ["Euler a", "euler_ancestral", "k_euler_a", "EulerAncestralDiscreteScheduler"] {
        assert_eq!(both(name).0, Some(Sampler::EulerAncestral), "{name}");
    }
    assert_eq!(both("euler_a discrete"), (Some(Sampler::EulerAncestral), Some(Schedule::Normal)));
}

#[test]
fn forge_names_its_distilled_guidance_and_modules() {
    let text = "a cup\nSteps: 20, Sampler: Euler, Schedule type: Simple, CFG scale: 1, Distilled CFG Scale: 3.5, Seed: 5, \
        Size: 896x1152, Model hash: 0123456789, Model: flux1-dev-bnb, Diffusion in Low Bits: Automatic, Module 1: ae, \
        Module 2: clip_l, RNG: CPU, Version: f2.0.1v1.10.1-previous-659-gc055f2d4";
    let found = infotext(text).unwrap();
    assert_eq!(found.program, Program::Forge);
    assert_eq!((found.settings.guidance, found.settings.distilled), (Some(1.0), Some(3.5)));
    for (what, value) in [("Module 1", "ae"), ("Diffusion in Low Bits", "Automatic")] {
        assert_left(&found.left, what, value, Why::NotHere);
    }
}

/// Civitai writes FLUX pictures with a sampler that is none, and their distilled guidance under another name.
#[test]
fn civitai_flux_guidance_is_no_cfg() {
    let text = "a cup\nSteps: 28, Sampler: Undefined, CFG scale: 3.5, Seed: 5, Size: 832x1216, Clip skip: 0, \
        Created Date: 2024-11-02T10:11:12.1234567Z, Civitai resources: [{\"type\":\"checkpoint\",\"weight\":1}], Civitai \
        metadata: {}";
    let found = infotext(text).unwrap();
    assert_eq!((found.settings.guidance, found.settings.sampler), (None, None));
    assert_eq!(found.settings.distilled, Some(3.5));
    assert!(left(&found.left, "Sampler").is_none() && left(&found.left, "Clip skip").is_none());
}

#[test]
fn sd_next_is_known_by_its_app() {
    let text = "a cup\nNegative prompt: ugly\nSteps: 12, Size: 1024x768, Sampler: Euler, Seed: 77, CFG scale: 6, App: SD.Next, \
        Version: 5ee4f33, Backend: Diffusers, Pipeline: StableDiffusionXLPipeline, Operations: txt2img, Model: juggernaut";
    let found = infotext(text).unwrap();
    assert_eq!(found.program, Program::SdNext);
    assert_eq!((found.settings.steps, found.settings.width), (Some(12), Some(1024)));
    assert!(found.left.is_empty(), "{:?}", found.left);
}

#[test]
fn stable_diffusion_cpp_glues_sampler_and_schedule_and_adds_json() {
    let text = "a lovely cat\nNegative prompt: dog\nSteps: 4, CFG scale: 1.000000, Guidance: 3.500000, Eta: 0.000000, Seed: \
        42, Size: 512x768, Model: z_image_turbo-Q4_K.gguf, RNG: cpu, Sampler: euler discrete, VAE: ae.safetensors, SDCPP: \
        {\"a\": \"x, y: {z\", \"b\": {\"c\": 1}}, Version: stable-diffusion.cpp";
    let found = infotext(text).unwrap();
    assert_eq!(found.program, Program::StableDiffusionCpp);
    assert_eq!((found.settings.sampler, found.settings.seed), (Some(Sampler::Euler), Some(42)));
    assert_eq!(found.version, "stable-diffusion.cpp");
    assert_eq!(found.model.unwrap().name, "z_image_turbo-Q4_K");
    assert_left(&found.left, "VAE", "ae.safetensors", Why::NotHere);
}

/// A1111 #12128 and #6220, krita #2565, sdnext #273, dynamic-prompts #177: what a prompt may look like.
#[test]
fn prompts_that_look_like_settings_stay_prompts() {
    assert_eq!(infotext("an apple\na: 1, b: 2, c: 3"), None, "no key of settings among them");
    assert_eq!(infotext("just a prompt, with: one colon"), None);
    let text = "an apple\nSteps: 1, Seed: 2, Size: 3x3\nSteps: 20, Sampler: Euler, Seed: 9, Size: 64x64";
    let found = infotext(text).unwrap();
    assert_eq!(found.settings.prompt.as_deref(), Some("an apple\nSteps: 1, Seed: 2, Size: 3x3"));
    assert_eq!(found.settings.seed, Some(9));
    let text = "fox\nNegative prompt: a\nb: 1, c: 2\nNegative prompt: d\nSteps: 5, Seed: 3, Size: 8x8";
    let found = infotext(text).unwrap();
    assert_eq!(found.settings.negative.as_deref(), Some("a\nb: 1, c: 2\nNegative prompt: d"));
    let template =
        "a red cat\nSteps: 5, Seed: 3, Size: 8x8, Sampler: Euler\nTemplate: a {red|blue} cat\nNegative Template: x";
    let found = infotext(template).unwrap();
    assert_eq!(found.settings.prompt.as_deref(), Some("a red cat"));
    assert_left(&found.left, "Template", "a {red|blue} cat", Why::NotHere);
}

#[test]
fn quoted_values_keep_their_commas_and_lone_keys_stand_for_themselves() {
    let text = "x\r\nSteps: 20, Tiling, Seed: 5, Size: 64x64, Model: \"a, b: \\\"c\\\" ü\", ControlNet 0: \"Module: canny, \
        Weight: 1\", Version: v1.9.4";
    let found = infotext(text).unwrap();
    assert_eq!(found.model.unwrap().name, "a, b: \"c\" ü");
    assert_left(&found.left, "Tiling", "Tiling", Why::NotHere);
    assert_left(&found.left, "ControlNet 0", "Module: canny, Weight: 1", Why::NotHere);
    assert_eq!(found.settings.prompt.as_deref(), Some("x"));
}

#[test]
fn loras_in_the_prompt_are_listed_and_random_seeds_are_none() {
    let found = infotext("a cat <lora:ink:0.8>, <lora:x>\nSteps: 20, Seed: -1, Size: 64x64, Sampler: Euler").unwrap();
    assert_eq!(found.settings.seed, None);
    let loras: Vec<&str> = found.left.iter().filter(|left| left.what == "LoRA").map(|left| &*left.value).collect();
    assert_eq!(loras, ["ink 0.8", "x"]);
}

#[test]
fn our_own_text_comes_back() {
    use headroom::recipe::Draft;
    let text = "a\nNegative prompt: b\nSteps: 9, Sampler: Euler, Schedule type: Simple, CFG scale: 3.7, Seed: \
        18446744073709551615, Size: 64x96, Model: z-image, RNG: CPU, Version: Headroom 0.1.0";
    let found = infotext(text).unwrap();
    assert_eq!((found.program, found.settings.seed), (Program::Headroom, Some(u64::MAX)));
    assert!(found.left.is_empty(), "{:?}", found.left);
    let vocabulary = Vocabulary::of(&z_image_turbo());
    assert_eq!(found.draft(&vocabulary, 1), Draft { ..found.settings.over(&Draft::new(&vocabulary)) });
}

#[test]
fn invokeai_metadata() {
    let json = r#"{"generation_mode":"sdxl_txt2img","positive_prompt":"a fox 🦊","negative_prompt":"","width":1024,"height":768,
        "seed":3735928559,"rand_device":"cpu","cfg_scale":7.5,"cfg_rescale_multiplier":0,"steps":30,"scheduler":"euler",
        "clip_skip":0,"seamless_x":false,"model":{"key":"1f2e","hash":"blake3:0011","name":"Juggernaut XL v9","base":"sdxl",
        "type":"main"},"loras":[{"model":{"key":"k","name":"Ink"},"weight":0.75}],"vae":{"name":"fp16 fix"},"strength":0.7,
        "app_version":"5.9.1"}"#;
    let found = restored(&[("invokeai_metadata", json), ("invokeai_graph", "{}")]);
    assert_eq!((found.program, found.version.as_str()), (Program::InvokeAi, "5.9.1"));
    assert_eq!(found.settings.prompt.as_deref(), Some("a fox 🦊"));
    assert_eq!(found.settings.negative.as_deref(), Some(""), "an empty one was meant");
    assert_eq!((found.settings.seed, found.settings.guidance), (Some(3735928559), Some(7.5)));
    // Its hashes are of another function, so no file can be found by them.
    assert_eq!(found.model, Some(ModelMention { name: "Juggernaut XL v9".to_owned(), hash: None }));
    assert_left(&found.left, "LoRA", "Ink 0.75", Why::NotHere);
    assert_left(&found.left, "vae", "fp16 fix", Why::NotHere);
    assert_left(&found.left, "strength", "0.7", Why::NotHere);
    assert_eq!(found.left.len(), 3, "{:?}", found.left);
    let karras = restored(&[("invokeai_metadata", &json.replace("\"euler\"", "\"euler_k\""))]);
    assert_eq!((karras.settings.sampler, karras.settings.schedule), (Some(Sampler::Euler), Some(Schedule::Karras)));
    assert_eq!(found.settings.rng, Some(Rng::Cpu));
}

#[test]
fn invokeai_2_kept_the_negative_prompt_in_brackets() {
    let json = r#"{"model":"stable diffusion","model_weights":"stable-diffusion-1.5","model_hash":"abcd","app_id":"invoke",
        "app_version":"2.3.5","image":{"prompt":[{"prompt":"a fox [blurry, text] in snow","weight":1}],"steps":50,
        "cfg_scale":7.5,"threshold":0,"perlin":0,"height":512,"width":640,"seed":42,"type":"txt2img","sampler":"k_euler"}}"#;
    let found = restored(&[("sd-metadata", json)]);
    assert_eq!(found.settings.prompt.as_deref(), Some("a fox in snow"));
    assert_eq!(found.settings.negative.as_deref(), Some("blurry, text"));
    assert_eq!((found.settings.sampler, found.settings.width), (Some(Sampler::Euler), Some(640)));
    assert_eq!(found.left, []);
    let dream = restored(&[("Dream", "\"a fox [text]\" -s 50 -S 42 -W 640 -H 512 -C 7.5 -A k_euler")]);
    assert_eq!(dream.program, Program::InvokeAi);
    assert_eq!((dream.settings.steps, dream.settings.seed), (Some(50), Some(42)));
    assert_eq!(dream.settings.negative.as_deref(), Some("text"));
}

#[test]
fn swarmui_writes_json_where_others_write_text() {
    let json = r#"{"sui_image_params":{"prompt":"a cat","negativeprompt":"","model":"Flux/flux1-dev-fp8","seed":2042464333,
        "steps":25,"cfgscale":1.0,"aspectratio":"Custom","width":512,"height":768,"sampler":"euler","scheduler":"simple",
        "fluxguidancescale":3.5,"automaticvae":true,"loras":["ink"],"loraweights":["0.8"],"swarm_version":"0.9.4.0"},
        "sui_extra_data":{"date":"2025-01-02","generation_time":"143.17 (prep)"},"sui_models":[{"name":"flux1-dev-fp8","param":
        "model","hash":"0x1234"}]}"#;
    let found = restored(&[("parameters", json)]);
    assert_eq!((found.program, found.version.as_str()), (Program::SwarmUi, "0.9.4.0"));
    assert_eq!((found.settings.width, found.settings.height, found.settings.steps), (Some(512), Some(768), Some(25)));
    assert_eq!(found.model, Some(ModelMention { name: "flux1-dev-fp8".to_owned(), hash: None }));
    assert_eq!(found.settings.distilled, Some(3.5));
    assert_left(&found.left, "loras", "[ink]", Why::NotHere);
}

#[test]
fn fooocus_in_both_of_its_schemes() {
    let json = r#"{"adm_guidance":"(1.5, 0.8, 0.3)","base_model":"juggernautXL_v8Rundiffusion","base_model_hash":"aeb7e9e689",
        "created_by":"","full_negative_prompt":["x"],"full_prompt":["a cat, cinematic"],"guidance_scale":4.0,"loras":
        [["sd_xl_offset_example-lora_1.0.safetensors",0.1,"4852686128"]],"metadata_scheme":"fooocus","negative_prompt":"","performance":
        "Speed","prompt":"a cat\nwith two lines","prompt_expansion":"","refiner_model":"None","refiner_switch":0.5,"resolution":
        "(896, 1152)","sampler":"euler","scheduler":"simple","seed":"7474474674067486713","sharpness":2.0,"steps":30,"styles":
        "['Fooocus V2', 'Fooocus Sharp']","vae":"Default (model)","version":"Fooocus v2.5.5"}"#;
    let found = restored(&[("parameters", json), ("fooocus_scheme", "fooocus")]);
    assert_eq!(found.program, Program::Fooocus);
    assert_eq!((found.settings.width, found.settings.height), (Some(896), Some(1152)));
    assert_eq!((found.settings.seed, found.settings.steps), (Some(7474474674067486713), Some(30)));
    assert_eq!(found.settings.prompt.as_deref(), Some("a cat\nwith two lines"));
    assert_eq!(found.model.unwrap().hash.as_deref(), Some("aeb7e9e689"));
    assert_left(&found.left, "LoRA", "sd_xl_offset_example-lora_1.0.safetensors 0.1", Why::NotHere);
    assert_left(&found.left, "styles", "['Fooocus V2', 'Fooocus Sharp']", Why::NotHere);

    let text = "a cat, cinematic\nNegative prompt: bad\nSteps: 30, Sampler: Euler, Seed: 7, Size: 896x1152, CFG scale: 4, \
        Sharpness: 2.0, Raw prompt: \"a cat\\nwith two, lines\", Raw negative prompt: , Model: juggernaut, Version: Fooocus \
        v2.5.5";
    let found = restored(&[("UserComment", text), ("MakerNote", "a1111")]);
    assert_eq!(found.program, Program::Fooocus);
    assert_eq!(found.settings.prompt.as_deref(), Some("a cat\nwith two, lines"));
}

#[test]
fn unsloth_writes_both_and_the_text_counts() {
    let text =
        "a cat\nSteps: 9, Sampler: Euler, CFG scale: 1, Seed: 9007199254740991, Size: 1088x1920, Model: z-image-turbo";
    let found = restored(&[("unsloth", r#"{"prompt":"a cat","seed":9007199254740991}"#), ("parameters", text)]);
    assert_eq!((found.program, found.settings.height), (Program::Unsloth, Some(1920)));
    let json = r#"{"prompt":"a cat","negative_prompt":"","steps":9,"guidance":1.0,"seed":"12","width":512,"height":512,"lora":null}"#;
    let found = restored(&[("unsloth", json)]);
    assert_eq!((found.program, found.settings.seed, found.settings.steps), (Program::Unsloth, Some(12), Some(9)));
}

#[test]
fn novelai_comment() {
    let json = r#"{"prompt":"1girl, {sun}","steps":28,"height":1216,"width":832,"scale":5.0,"uncond_scale":0.0,"cfg_rescale":0.3,
        "seed":1234,"n_samples":1,"noise_schedule":"simple","sampler":"k_euler","sm":false,"uc":"lowres",
        "v4_prompt":{"caption":{"base_caption":"1girl, sun","char_captions":[{"char_caption":"red hair","centers":[]}]}},
        "request_type":"PromptGenerateRequest","signed_hash":"abc="}"#;
    let found = restored(&[
        ("Title", "NovelAI generated image"),
        ("Description", "1girl, sun"),
        ("Software", "NovelAI"),
        ("Source", "NovelAI Diffusion V4.5 4BDE2A90"),
        ("Comment", json),
    ]);
    assert_eq!(found.program, Program::NovelAi);
    assert_eq!(
        (found.settings.prompt.as_deref(), found.settings.negative.as_deref()),
        (Some("1girl, sun"), Some("lowres"))
    );
    assert_eq!((found.settings.sampler, found.settings.schedule), (Some(Sampler::Euler), Some(Schedule::Simple)));
    assert_eq!(found.model.unwrap().name, "NovelAI Diffusion V4.5 4BDE2A90");
    assert_left(&found.left, "cfg_rescale", "0.3", Why::NotHere);
    assert_left(&found.left, "character prompt", "red hair", Why::NotHere);
}

#[test]
fn draw_things_keeps_json_inside_xmp() {
    let xmp = r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/">
        <exif:UserComment><rdf:Alt><rdf:li xml:lang="x-default">{&quot;c&quot;:&quot;a &#x1F98A; &amp; a hare&quot;,&quot;uc&quot;:&quot;text&quot;,
        &quot;seed&quot;:4294967295,&quot;steps&quot;:8,&quot;scale&quot;:4.5,&quot;size&quot;:&quot;1024x768&quot;,&quot;sampler&quot;:&quot;Euler A Trailing&quot;,
        &quot;model&quot;:&quot;z_image_turbo_1.0_q8p.ckpt&quot;,&quot;strength&quot;:1,&quot;lora&quot;:[{&quot;model&quot;:&quot;ink.ckpt&quot;,&quot;weight&quot;:0.6}],
        &quot;v2&quot;:{&quot;width&quot;:1024}}</rdf:li></rdf:Alt></exif:UserComment></rdf:Description></rdf:RDF></x:xmpmeta>"#;
    let found = restored(&[("XMP", xmp)]);
    assert_eq!(found.program, Program::DrawThings);
    assert_eq!(found.settings.prompt.as_deref(), Some("a 🦊 & a hare"));
    assert_eq!((found.settings.width, found.settings.seed), (Some(1024), Some(4294967295)));
    assert_eq!(found.model.unwrap().name, "z_image_turbo_1.0_q8p");
    assert_left(&found.left, "LoRA", "ink.ckpt 0.6", Why::NotHere);
}

#[test]
fn command_lines() {
    let text = "sd -m ..\\models\\z.gguf --vae ae.safetensors \\\n  -p \"a 'red' fox\" -n text --cfg-scale 4.5 --steps 9 -W 512 -H 640 -s \
        42 --sampling-method euler --scheduler simple -b 2 -v --diffusion-fa --rng cuda";
    let found = command_line(text).unwrap();
    assert_eq!(found.settings.prompt.as_deref(), Some("a 'red' fox"));
    assert_eq!((found.settings.width, found.settings.height, found.settings.batch), (Some(512), Some(640), Some(2)));
    assert_eq!((found.settings.seed, found.settings.steps), (Some(42), Some(9)));
    assert_eq!(found.model.unwrap().name, "z");
    assert_eq!(found.settings.rng, Some(Rng::Nv));
    assert_left(&found.left, "vae", "ae.safetensors", Why::NotHere);

    let ours =
        command_line("headroom generate -p \"a red apple\" --size 256x320 --steps 10 --seed 7 -o a.png").unwrap();
    assert_eq!((ours.settings.height, ours.settings.seed), (Some(320), Some(7)));
    let file =
        command_line("--prompt \"a cat\" --negative_prompt \"x\" --cfg_scale 5 --sampler_name \"Euler\"").unwrap();
    assert_eq!((file.settings.guidance, file.settings.sampler), (Some(5.0), Some(Sampler::Euler)));
    for text in ["a fox -- no options", "it's a cat -p", "a cat --ar 16:9 --v 5", "x -p", "sd -p 'never closed"] {
        assert_eq!(command_line(text), None, "{text}");
    }
}

/// A1111 #7385, #7608, #7620: a model that is absent is said, and found by its hash where it has another name.
#[test]
fn a_model_is_found_by_hash_then_by_name_or_said_to_be_absent() {
    let here = [("/models/Renamed XL.safetensors", Some("31e35c80fc0011223344")), ("sd_xl_base_1.0", None)];
    let mention =
        |name: &str, hash: Option<&str>| ModelMention { name: name.to_owned(), hash: hash.map(str::to_owned) };
    assert_eq!(mention("sd_xl_base_1.0", Some("31e35c80fc")).find(here), Found::ByHash(0));
    assert_eq!(mention("SD_XL_base_1.0", Some("ffffffffff")).find(here), Found::ByName(1));
    assert_eq!(mention("renamed xl", None).find(here), Found::ByName(0));
    assert_eq!(mention("other", Some("31e3")).find(here), Found::Absent, "four digits are no proof");
    assert_eq!(mention("", None).find([("", None)]), Found::Absent);
}

/// InvokeAI #9309: settings that an earlier picture had must not stay when the next one does not name them.
#[test]
fn restoring_resets_what_is_absent() {
    let vocabulary = Vocabulary::of(&z_image_turbo());
    let first = infotext("a\nNegative prompt: b\nSteps: 50, CFG scale: 9, Seed: 5, Size: 512x512").unwrap();
    let second = infotext("c\nSteps: 20, Seed: 6, Sampler: Euler").unwrap();
    let before = first.draft(&vocabulary, 0);
    assert_eq!((before.steps, before.width), (50, 512));
    let after = second.draft(&vocabulary, before.seed);
    assert_eq!((after.negative.as_str(), after.width), ("", i64::from(vocabulary.native.width)));
    assert_eq!(after.guidance, f64::from(vocabulary.guidance.default));
}

/// Exiv2 #2867, metadata-extractor #699, `PicView` #359, exif-py #206: one text in every encoding that occurs.
#[test]
fn user_comments_in_every_encoding() {
    let text = "żółw 🐢 a fox\nSteps: 20, Sampler: Euler, Seed: 1, Size: 64x64";
    let utf16 = |big: bool, mark: bool| {
        let units = text.encode_utf16();
        let units = mark.then_some(0xfeff).into_iter().chain(units);
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect::<Vec<u8>>()
    };
    let utf8 = text.as_bytes().to_vec();
    let labelled = |label: &[u8], body: Vec<u8>| [label.to_vec(), body].concat();
    let unicode = b"UNICODE\0";
    for (name, comment) in [
        ("big-endian", labelled(unicode, utf16(true, false))),
        ("little-endian", labelled(unicode, utf16(false, false))),
        ("big-endian with a mark", labelled(unicode, utf16(true, true))),
        ("little-endian with a mark", labelled(unicode, utf16(false, true))),
        ("UTF-8 labelled ASCII", labelled(b"ASCII\0\0\0", utf8.clone())),
        ("UTF-8 without a label", utf8.clone()),
        ("UTF-8 with eight NULs", labelled(&[0; 8], utf8.clone())),
        ("UTF-8 with a mark", labelled(b"\xef\xbb\xbf", utf8)),
        ("UTF-16 without a label", utf16(true, false)),
    ] {
        for big in [true, false] {
            let block = exif(big, &comment);
            let found = exif_entries(&block);
            assert_eq!(
                found.iter().map(|entry| (&*entry.key, &*entry.text)).collect::<Vec<_>>(),
                [("UserComment", text)],
                "{name}"
            );
            assert_eq!(restore::from_entries(&found).unwrap().settings.seed, Some(1), "{name}");
            for length in 0..block.len() {
                // Cut anywhere: what is left is read, or nothing.
                drop(restore::from_entries(&exif_entries(&block[..length])));
            }
        }
    }
    let plain = labelled(unicode, b"plain ascii text\nSteps: 2, Seed: 3, Size: 8x8".to_vec());
    assert!(exif_entries(&exif(true, &plain))[0].text.starts_with("plain ascii"), "UTF-8 under the wrong label");
}

/// An EXIF block with one `UserComment`.
fn exif(big: bool, comment: &[u8]) -> Vec<u8> {
    let short = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let long = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut block = if big { b"Exif\0\0MM\0*".to_vec() } else { b"Exif\0\0II*\0".to_vec() };
    block.extend(long(8));
    for (tag, kind, count, value) in [(0x8769, 4, 1, 26), (0x9286, 7, comment.len() as u32, 44)] {
        block.extend(short(1));
        block.extend(short(tag));
        block.extend(short(kind));
        block.extend(long(count));
        block.extend(long(value));
        block.extend(long(0));
    }
    block.extend(comment);
    block
}

#[test]
fn a_text_cut_in_the_middle_of_a_character_is_still_utf8() {
    assert_eq!(decode_text(&"ab🐢".as_bytes()[..4]), "ab");
    assert_eq!(decode_text(b"caf\xe9"), "café");
    assert_eq!(decode_text(b""), "");
}

#[test]
fn pictures_without_settings_have_none() {
    for pairs in
        [&[][..], &[("Software", "GIMP 2.10")], &[("Comment", "Created with GIMP")], &[("XMP", "<x:xmpmeta/>")]]
    {
        assert_eq!(restore::from_entries(&entries(pairs)), None);
    }
    for text in ["", "{", "[]", "{}", "null", "a red apple", "name,value\n1,2"] {
        assert_eq!(from_text(text), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn no_text_makes_a_reader_panic(text in "(?s).{0,200}") {
        drop(from_text(&text));
        drop(headroom::recipe::preset::import(&text, "x"));
    }

    #[test]
    fn no_text_of_the_right_shape_makes_a_reader_panic(
        text in r#"([{}\[\]",:\\ \n0-9a-zé-]|"prompt"|"nodes"|"links"|class_type|Steps: |Seed: |Size: |Negative prompt:|NaN|<lora:| -p ){0,40}"#,
    ) {
        drop(from_text(&text));
        drop(headroom::recipe::preset::import(&text, "x"));
        drop(infotext(&text));
        drop(command_line(&text));
    }

    #[test]
    fn no_bytes_make_the_exif_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), big: bool) {
        let mut block = if big { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
        block.extend(&bytes);
        drop(exif_entries(&block));
        drop(decode_text(&bytes));
    }

    /// A line of settings damaged at one place.
    #[test]
    fn damaged_settings_never_panic(at in 0_usize..A1111.len(), with in any::<char>()) {
        let at = (0..=at).rev().find(|at| A1111.is_char_boundary(*at)).unwrap_or(0);
        let end = A1111[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        drop(from_text(&format!("{}{with}{}", &A1111[..at], &A1111[end..])));
    }
}
