use headroom::model::{
    HeaderError, Kind, LoraStyle, Precision, TensorInfo, TensorTable, contents, gguf, header_length, safetensors,
};
use headroom::units::Bytes;
use proptest::prelude::*;

fn file(header: &str, data: usize) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(vec![0; data]);
    file
}

fn read(file: &[u8]) -> Result<TensorTable, HeaderError> {
    let length = header_length(&file[..file.len().min(64)], file.len() as u64)? as usize;
    safetensors(&file[8..8 + length], file.len() as u64)
}

const GOOD: &str = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}}"#;

#[test]
fn a_good_file_gives_its_table() {
    let table = read(&file(GOOD, 32)).unwrap();
    assert_eq!(table.metadata("format"), Some("pt"));
    let b = table.get("b").unwrap();
    assert_eq!((b.precision, b.shape.as_slice(), b.bytes.get()), (Precision::Bf16, &[4][..], 8));
    assert_eq!(b.offset, 8 + GOOD.len() as u64 + 24);
}

/// ComfyUI #6744 and #3225, InvokeAI #7009: files cut anywhere.
#[test]
fn a_file_cut_anywhere_says_what_is_missing() {
    let whole = file(GOOD, 32);
    for keep in 0..whole.len() {
        let error = read(&whole[..keep]).unwrap_err();
        match keep {
            0 => assert_eq!(error, HeaderError::Empty),
            _ => assert!(
                matches!(error, HeaderError::Truncated { expected, actual } if actual == keep as u64 && expected > actual),
                "{keep}: {error:?}"
            ),
        }
    }
}

/// ComfyUI #15602.
#[test]
fn trailing_junk_is_an_error_that_names_both_lengths() {
    let error = read(&file(GOOD, 32 + 1024)).unwrap_err();
    assert!(matches!(error, HeaderError::Trailing { expected, actual } if actual == expected + 1024));
}

/// stable-diffusion.cpp #1832 and login pages saved as weights.
#[test]
fn what_is_no_weights_is_named_for_what_it_is() {
    for (bytes, want) in [
        (&b"<!DOCTYPE html><html><body>Sign in"[..], "a web page"),
        (b"  <html>", "a web page"),
        (b"PK\x03\x04archive/data.pkl", "a zip archive or a pickled checkpoint"),
        (b"\x80\x02}q\x00.", "a pickle"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a Git LFS pointer: the real file was not downloaded"),
        (b"just some notes I wrote down", "a text file"),
        (b"GGUF\x03\x00\x00\x00", "a GGUF file under another name"),
    ] {
        assert_eq!(read(bytes).unwrap_err(), HeaderError::NotWeights(want));
    }
}

#[test]
fn a_header_as_long_as_the_first_bytes_of_a_pickle_is_a_header() {
    for length in [0x0280_usize, 0x0480, 0x2_0280, 0xff_d8ff] {
        let mut header = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#.to_owned();
        header.push_str(&" ".repeat(length - header.len()));
        let bytes = [&(length as u64).to_le_bytes()[..], header.as_bytes(), &[0; 4]].concat();
        assert_eq!(read(&bytes).unwrap().tensors.len(), 1, "{length:#x}");
    }
}

#[test]
fn odd_headers_are_damaged_not_believed() {
    for header in [
        "{",
        r#"{"a":1}"#,
        r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}"#,
        r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#,
        r#"{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}"#,
        r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,8]}}"#,
        r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}}"#,
        r#"{"a":{"dtype":"F32","shape":[2]}}"#,
    ] {
        assert!(matches!(read(&file(header, 8)), Err(HeaderError::Damaged(_))), "{header}");
    }
    let unknown = r#"{"a":{"dtype":"F4_E2M1","shape":[2],"data_offsets":[0,8]}}"#;
    assert!(matches!(read(&file(unknown, 8)), Err(HeaderError::UnknownType { .. })));
}

fn gguf_file() -> Vec<u8> {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    };
    let mut out = b"GGUF".to_vec();
    out.extend(3_u32.to_le_bytes());
    out.extend(1_u64.to_le_bytes());
    out.extend(2_u64.to_le_bytes());
    text(&mut out, "general.architecture");
    out.extend(8_u32.to_le_bytes());
    text(&mut out, "lumina2");
    text(&mut out, "tokens");
    out.extend(9_u32.to_le_bytes());
    out.extend(8_u32.to_le_bytes());
    out.extend(2_u64.to_le_bytes());
    text(&mut out, "a");
    text(&mut out, "b");
    text(&mut out, "layers.0.attention.to_q.weight");
    out.extend(2_u32.to_le_bytes());
    out.extend(256_u64.to_le_bytes());
    out.extend(4_u64.to_le_bytes());
    out.extend(12_u32.to_le_bytes());
    out.extend(0_u64.to_le_bytes());
    out.resize(out.len().next_multiple_of(32), 0);
    out.extend(vec![0; 4 * 144]);
    out
}

#[test]
fn a_gguf_header_gives_shapes_outermost_first_and_offsets_in_the_file() {
    let file = gguf_file();
    let table = gguf(&file, file.len() as u64).unwrap();
    let tensor = &table.tensors[0];
    assert_eq!((tensor.precision, tensor.shape.as_slice()), (Precision::Q4K, &[4, 256][..]));
    assert_eq!(tensor.offset + tensor.bytes.get(), file.len() as u64);
    assert_eq!(table.metadata("general.architecture"), Some("lumina2"));
}

#[test]
fn a_gguf_prefix_asks_for_more_and_a_cut_gguf_says_so() {
    let file = gguf_file();
    for keep in 1..file.len() - 4 * 144 - 32 {
        assert!(matches!(gguf(&file[..keep], file.len() as u64), Err(HeaderError::NeedMore(n)) if n > keep as u64));
        assert!(matches!(gguf(&file[..keep], keep as u64), Err(HeaderError::Truncated { .. })), "{keep}");
    }
    assert!(matches!(gguf(&file, file.len() as u64 - 1), Err(HeaderError::Truncated { .. })));
}

#[test]
fn a_lora_is_recognised_whatever_its_keys() {
    for (name, style) in [
        ("a.lora_A.weight", LoraStyle::Peft),
        ("lora_unet_x.lora_down.weight", LoraStyle::Kohya),
        ("x.hada_w1_a", LoraStyle::LoHa),
        ("x.lokr_w1", LoraStyle::LoKr),
        ("double_blocks.0.processor.qkv_lora1.down.weight", LoraStyle::XLabs),
        ("unet.down_blocks.0.attn1.to_q_lora.down.weight", LoraStyle::Diffusers),
    ] {
        let header = format!(r#"{{"{name}":{{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}}}"#);
        let contents = contents(&read(&file(&header, 8)).unwrap()).unwrap();
        assert_eq!(contents.kind, Kind::Lora(style), "{name}");
    }
}

#[test]
fn add_ons_are_not_taken_for_models() {
    let kind = |tensors: &[(&str, &[usize])]| {
        let info = |&(name, shape): &(&str, &[usize])| {
            let count = shape.iter().product::<usize>() as u64;
            TensorInfo::new(name.to_owned(), Precision::F16, shape.to_vec(), 8, Bytes(count * 2))
        };
        let table = TensorTable { tensors: tensors.iter().map(info).collect(), metadata: Vec::new() };
        contents(&table).unwrap().kind
    };
    assert_eq!(kind(&[("emb_params", &[4, 768])]), Kind::TextualInversion);
    assert_eq!(kind(&[("clip_l", &[8, 768]), ("clip_g", &[8, 1280])]), Kind::TextualInversion);
    assert_eq!(kind(&[("my-style", &[1, 1024])]), Kind::TextualInversion);
    assert_eq!(kind(&[("body.0.rdb1.conv1.weight", &[2, 2])]), Kind::Upscaler("ESRGAN"));
    assert_eq!(kind(&[("params_ema.block_1.c1_r.sk.weight", &[2, 2])]), Kind::Upscaler("SPAN"));
    assert_eq!(kind(&[("controlnet_cond_embedding.conv_in.weight", &[2, 2])]), Kind::ControlNet);
    assert_eq!(kind(&[("a.weight", &[4, 768])]), Kind::Unknown);
    let text: (&str, &[usize]) = ("cond_stage_model.transformer.text_model.encoder.layers.0.x", &[2]);
    let unet: [(&str, &[usize]); 2] =
        [("model.diffusion_model.input_blocks.0.0.weight", &[2]), ("model.diffusion_model.middle_block.0.x", &[2])];
    assert_eq!(kind(&[text]), Kind::TextEncoder);
    assert_eq!(kind(&unet), Kind::Denoiser);
    assert_eq!(kind(&[unet[0], unet[1], text]), Kind::Checkpoint);
}

proptest! {
    #[test]
    fn no_bytes_make_the_readers_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), len in 0_u64..4000) {
        drop(header_length(&bytes, len));
        drop(safetensors(&bytes, len));
        drop(gguf(&bytes, len));
    }

    #[test]
    fn a_garbled_gguf_never_panics(at in 0_usize..200, byte: u8) {
        let mut file = gguf_file();
        file[at] = byte;
        drop(gguf(&file, file.len() as u64));
    }
}
