use super::{assert_left, left, restored};
use headroom::recipe::restore::{Program, Why, from_text};
use headroom::recipe::{Rng, Sampler, Schedule};

const API: &str = r#"{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615,"steps":20,"cfg":8,"sampler_name":"euler",
    "scheduler":"simple","denoise":1,"model":["10",0],"positive":["6",0],"negative":["7",0],"latent_image":["5",0]}},
    "4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"XL\\sd_xl_base_1.0.safetensors"}},
    "5":{"class_type":"EmptyLatentImage","inputs":{"width":832,"height":1216,"batch_size":2}},
    "6":{"class_type":"CLIPTextEncode","inputs":{"text":"a red fox \ud83e\udd8a","clip":["4",1]}},
    "7":{"class_type":"CLIPTextEncode","inputs":{"text":"blurry","clip":["4",1]}},
    "8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["4",2]},"is_changed":NaN},
    "9":{"class_type":"SaveImage","inputs":{"filename_prefix":"ComfyUI","images":["8",0]}},
    "10":{"class_type":"LoraLoader","inputs":{"lora_name":"ink.safetensors","strength_model":0.8,"strength_clip":1,"model":["4",0],
    "clip":["4",1]}},"11":{"class_type":"FaceMagic (Custom)","inputs":{"x":1}}}"#;

/// With `NaN` in it, which Python writes and which is no JSON.
#[test]
fn an_api_graph_is_walked_back_from_its_sampler() {
    let found = restored(&[("workflow", "{}"), ("prompt", API)]);
    assert_eq!(found.program, Program::ComfyUi);
    let settings = &found.settings;
    assert_eq!((settings.prompt.as_deref(), settings.negative.as_deref()), (Some("a red fox 🦊"), Some("blurry")));
    assert_eq!((settings.width, settings.height, settings.batch), (Some(832), Some(1216), Some(2)));
    assert_eq!((settings.seed, settings.steps, settings.guidance), (Some(u64::MAX), Some(20), Some(8.0)));
    assert_eq!((settings.sampler, settings.schedule), (Some(Sampler::Euler), Some(Schedule::Simple)));
    assert_eq!(found.model.unwrap().name, "sd_xl_base_1.0");
    assert_left(&found.left, "LoRA", "ink.safetensors 0.8", Why::NotHere);
    assert_left(&found.left, "node", "FaceMagic (Custom)", Why::NotHere);
    assert_eq!(found.left.len(), 2, "{:?}", found.left);
}

/// WebP files keep the graphs in EXIF fields that are for cameras.
#[test]
fn a_webp_has_its_graphs_in_make_and_model() {
    let found = restored(&[("Make", &format!("prompt:{API}")), ("Model", "workflow:{\"nodes\":[],\"links\":[]}")]);
    assert_eq!(found.settings.width, Some(832));
}

const FLUX: &str = r#"{"25":{"class_type":"RandomNoise","inputs":{"noise_seed":["40",0]}},"16":{"class_type":"KSamplerSelect","inputs":
    {"sampler_name":"euler"}},"17":{"class_type":"BasicScheduler","inputs":{"scheduler":"simple","steps":28,"denoise":1.0,"model":["30",0]}},
    "22":{"class_type":"BasicGuider","inputs":{"model":["30",0],"conditioning":["26",0]}},"26":{"class_type":"FluxGuidance","inputs":
    {"guidance":3.5,"conditioning":["6",0]}},"6":{"class_type":"CLIPTextEncode","inputs":{"text":["41",0],"clip":["11",0]}},
    "41":{"class_type":"PrimitiveStringMultiline","inputs":{"value":"a cup"}},"40":{"class_type":"PrimitiveInt","inputs":{"value":99}},
    "30":{"class_type":"ModelSamplingFlux","inputs":{"max_shift":1.15,"base_shift":0.5,"width":1024,"height":768,"model":["12",0]}},
    "12":{"class_type":"UNETLoader","inputs":{"unet_name":"flux1-dev.safetensors","weight_dtype":"default"}},
    "11":{"class_type":"DualCLIPLoader","inputs":{}},"27":{"class_type":"EmptySD3LatentImage","inputs":{"width":1024,"height":768,"batch_size":1}},
    "13":{"class_type":"SamplerCustomAdvanced","inputs":{"noise":["25",0],"guider":["22",0],"sampler":["16",0],"sigmas":["17",0],
    "latent_image":["27",0]}}}"#;

#[test]
fn the_custom_sampler_takes_its_parts_from_five_nodes() {
    let found = from_text(FLUX).unwrap();
    let settings = &found.settings;
    assert_eq!((settings.seed, settings.steps, settings.guidance), (Some(99), Some(28), Some(1.0)));
    assert_eq!((settings.prompt.as_deref(), settings.width), (Some("a cup"), Some(1024)));
    assert_eq!(found.model.unwrap().name, "flux1-dev");
    assert_eq!((settings.distilled, settings.rng), (Some(3.5), Some(Rng::Cpu)));
    assert_left(&found.left, "max_shift", "1.15", Why::NotHere);
}

const EDITOR: &str = r#"{"last_node_id":20,"nodes":[
    {"id":3,"type":"KSampler","mode":0,"inputs":[{"name":"model","link":1},{"name":"positive","link":4},{"name":"negative","link":6},
     {"name":"latent_image","link":2},{"name":"steps","type":"INT","widget":{"name":"steps"},"link":9}],
     "widgets_values":[156680208700286,"randomize",20,8,"euler","simple",1]},
    {"id":4,"type":"CheckpointLoaderSimple","widgets_values":["v1-5-pruned-emaonly.safetensors"]},
    {"id":5,"type":"EmptyLatentImage","widgets_values":[512,768,1]},
    {"id":6,"type":"CLIPTextEncode","inputs":[{"name":"clip","link":3}],"widgets_values":["a house\nby the sea"]},
    {"id":7,"type":"CLIPTextEncode","inputs":[{"name":"clip","link":5}],"widgets_values":["text"]},
    {"id":12,"type":"LoraLoader","mode":4,"inputs":[{"name":"model","link":7},{"name":"clip","link":8}],"widgets_values":["off.safetensors",1,1]},
    {"id":13,"type":"KSampler","mode":2,"widgets_values":[1,"fixed",99,1,"euler","simple",1]},
    {"id":14,"type":"Reroute","inputs":[{"name":"","link":10}]},
    {"id":15,"type":"PrimitiveNode","widgets_values":[33,"fixed"]}],
    "links":[[1,12,0,3,0,"MODEL"],[2,5,0,3,3,"LATENT"],[3,4,1,6,0,"CLIP"],[4,14,0,3,1,"CONDITIONING"],[5,4,1,7,0,"CLIP"],
     [6,7,0,3,2,"CONDITIONING"],[7,4,0,12,0,"MODEL"],[8,4,1,12,1,"CLIP"],[9,15,0,3,4,"INT"],[10,6,0,14,0,"*"]],"version":0.4}"#;

#[test]
fn an_editor_graph_has_values_without_names_muted_and_bypassed_nodes() {
    let found = restored(&[("workflow", EDITOR)]);
    let settings = &found.settings;
    assert_eq!((settings.prompt.as_deref(), settings.negative.as_deref()), (Some("a house\nby the sea"), Some("text")));
    assert_eq!((settings.seed, settings.steps), (Some(156680208700286), Some(33)), "steps come from the linked node");
    assert_eq!((settings.width, settings.height, settings.guidance), (Some(512), Some(768), Some(8.0)));
    assert_eq!(found.model.unwrap().name, "v1-5-pruned-emaonly");
    assert!(left(&found.left, "LoRA").is_none(), "the LoRA is bypassed: {:?}", found.left);
    assert!(left(&found.left, "another sampler").is_none(), "the other sampler is muted");
}

#[test]
fn a_subgraph_is_looked_into() {
    let inner = EDITOR
        .replace("[1,12,0,3,0,\"MODEL\"]", r#"{"id":1,"origin_id":12,"origin_slot":0,"target_id":3,"target_slot":0}"#);
    let text =
        format!(r#"{{"nodes":[{{"id":1,"type":"7f9c-uuid"}}],"links":[],"definitions":{{"subgraphs":[{inner}]}}}}"#);
    let found = from_text(&text).unwrap();
    assert_eq!(found.settings.prompt.as_deref(), Some("a house\nby the sea"));
    assert_eq!(found.model.unwrap().name, "v1-5-pruned-emaonly", "links may be objects");
}

#[test]
fn of_two_samplers_the_one_that_starts_from_nothing_counts() {
    let text = API.replace(
        r#""11":{"class_type":"FaceMagic (Custom)","inputs":{"x":1}}"#,
        r#""2":{"class_type":"KSampler","inputs":{"seed":1,"steps":9,"cfg":2,"sampler_name":"euler","scheduler":"simple","denoise":0.5,
        "model":["4",0],"positive":["6",0],"negative":["7",0],"latent_image":["12",0]}},"12":{"class_type":"LatentUpscale","inputs":
        {"samples":["3",0],"upscale_method":"nearest","scale":2}}"#,
    );
    let found = from_text(&text).unwrap();
    assert_eq!(found.settings.steps, Some(20));
    assert_left(&found.left, "another sampler", "KSampler", Why::NotHere);
}

#[test]
fn image_to_image_is_told() {
    let text = API
        .replace(r#""5":{"class_type":"EmptyLatentImage","inputs":{"width":832,"height":1216,"batch_size":2}}"#, r#""5":{"class_type":"VAEEncode","inputs":{"pixels":["20",0]}},"20":{"class_type":"LoadImage","inputs":{"image":"a.png"}}"#)
        .replace(r#""denoise":1,"#, r#""denoise":0.6,"#);
    let found = from_text(&text).unwrap();
    assert_eq!(found.settings.width, None);
    assert_left(&found.left, "denoise", "0.6", Why::NotHere);
    assert_left(&found.left, "input picture", "LoadImage", Why::NotHere);
}

#[test]
fn graphs_without_a_known_sampler_and_graphs_in_circles_end() {
    let unknown = from_text(r#"{"1":{"class_type":"MagicSampler","inputs":{"power":9}}}"#).unwrap();
    assert!(unknown.settings.is_empty());
    assert_eq!(unknown.left[0].value, "MagicSampler");
    let circle = r#"{"3":{"class_type":"KSampler","inputs":{"seed":["3",0],"steps":["3",0],"sampler_name":"euler","cfg":1,"model":["3",0],
        "positive":["5",0],"latent_image":["5",0]}},"5":{"class_type":"Reroute","inputs":{"":["5",0]}}}"#;
    let found = from_text(circle).unwrap();
    assert_eq!(found.settings.guidance, Some(1.0));
    assert_left(&found.left, "steps", "computed by other nodes", Why::Unreadable);
}
