use super::linux::write;
use headroom::machine::{GpuKind, Ram, Reading, Unknown};
use headroom::probe::amd;
use headroom::probe::linux::Root;
use headroom::probe::nvidia::{Memory, gpu_from_memory};
use headroom::units::Bytes;

const RAM: Ram = Ram { total: Reading::Known(Bytes::gib(64)), available: Reading::Known(Bytes::gib(40)) };

#[test]
fn amd_memory_is_total_less_used() {
    let (total, free) = amd::parse_vram(Some("17095983104\n"), Some("833306624\n"));
    assert_eq!(total, Reading::Known(Bytes(17_095_983_104)));
    assert_eq!(free, Reading::Known(Bytes(16_262_676_480)));
    assert_eq!(amd::parse_vram(Some("100"), Some("0")).1, Reading::Known(Bytes(100)));
}

#[test]
fn implausible_amd_memory_is_no_reading() {
    let free = |total, used| amd::parse_vram(total, used).1;
    assert_eq!(free(None, Some("1")), Reading::MISSING);
    assert_eq!(free(Some("100"), None), Reading::MISSING);
    assert_eq!(free(Some("0"), Some("0")), Reading::Unknown(Unknown::Zero));
    assert_eq!(free(Some("100"), Some("101")), Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(free(Some("much"), Some("1")), Reading::Unknown(Unknown::Unreadable));
    assert_eq!(free(Some("18446744073709551615"), Some("1")), Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn amd_cards_are_found_in_order_and_others_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::at(folder.path());
    assert!(amd::gpus(&root).is_empty());
    let card =
        |card: &str, file: &str, text: &str| write(&folder, &format!("sys/class/drm/{card}/device/{file}"), text);
    for (name, vendor) in
        [("card10", "0x1002\n"), ("card2", "0x1002\n"), ("card0", "0x8086\n"), ("card2-DP-1", "0x1002\n")]
    {
        card(name, "vendor", vendor);
    }
    card("card2", "product_name", "Radeon RX 9060 XT\n");
    card("card2", "mem_info_vram_total", "17095983104\n");
    card("card2", "mem_info_vram_used", "833306624\n");
    card("card2", "mem_info_gtt_total", "16672903168\n");
    let gpus = amd::gpus(&root);
    let names: Vec<&str> = gpus.iter().map(|gpu| gpu.name.as_str()).collect();
    assert_eq!(names, ["Radeon RX 9060 XT", "AMD GPU (card10)"]);
    assert_eq!(gpus[0].free, Reading::Known(Bytes(16_262_676_480)));
    assert_eq!(gpus[0].shared, Reading::Known(Bytes(16_672_903_168)));
    assert_eq!(gpus[1].free, Reading::MISSING);
}

#[test]
fn nvidia_memory_is_checked() {
    let gpu = |memory| gpu_from_memory("card".to_owned(), memory, RAM);
    let good = gpu(Memory::Counted { total: 25_757_220_864, free: 24_000_000_000 });
    assert_eq!((good.kind, good.free), (GpuKind::Discrete, Reading::Known(Bytes(24_000_000_000))));
    assert_eq!(gpu(Memory::Counted { total: 5, free: 6 }).free, Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(gpu(Memory::Counted { total: 0, free: 0 }).total, Reading::Unknown(Unknown::Zero));
    assert_eq!(gpu(Memory::Counted { total: 5, free: 5 }).free, Reading::Unknown(Unknown::FreeEqualsTotal));
    assert_eq!(gpu(Memory::Failed).free, Reading::Unknown(Unknown::Unreadable));
    // A chip that shares the host's memory has none of its own to count.
    let shared = gpu(Memory::NotSupported);
    assert_eq!((shared.kind, shared.free), (GpuKind::Unified, RAM.available));
}
