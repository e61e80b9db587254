//! What Windows and Wine really answered, taken from public reports (named where they are used) and from a Wine 8
//! prefix, and what becomes of it.

use headroom::machine::{Gpu, GpuKind, Overflow, Ram, Reading, Unknown};
use headroom::probe::windows::gpu::{
    Adapter, Instance, Luid, Segment, gpu_from_adapter, held_by, held_on, merge, parse_instance,
};
use headroom::probe::windows::{
    MemoryStatus, PageFile, Performance, ProcessMemory, Volume, commit_from_pages, growth_reading,
};
use headroom::units::Bytes;

const RAM: Ram = Ram { total: Reading::Known(Bytes::gib(32)), available: Reading::Known(Bytes::gib(20)) };
const LUID: Luid = Luid { high: 0, low: 0x0001_a051 };

fn card(dedicated: u64, local: impl Into<Option<Segment>>, held: Option<u64>) -> Adapter {
    Adapter {
        name: "card".to_owned(),
        luid: LUID,
        software: false,
        dedicated,
        shared: Bytes::gib(16).get(),
        local: local.into(),
        non_local: Some(Segment { budget: Bytes::gib(15).get(), usage: 0 }),
        held,
    }
}

fn read(adapter: &Adapter) -> Gpu {
    gpu_from_adapter(adapter, RAM).unwrap()
}

const fn segment(budget: u64, usage: u64) -> Segment {
    Segment { budget, usage }
}

/// `DedicatedVideoMemory` of an 8 GB card (sawickiap/D3d12info issue 7).
const EIGHT_GB: u64 = 8_421_113_856;

#[test]
fn free_is_what_the_budget_leaves() {
    // An RTX 3070 with 7.60 GB of budget and 0.14 in use (Joakimpalm-Zen/xyntetik-runner pull request 105).
    let gpu = read(&card(EIGHT_GB, segment(7_600_000_000, 140_000_000), None));
    assert_eq!((gpu.kind, gpu.overflow), (GpuKind::Discrete, Overflow::Spills));
    assert_eq!(gpu.total, Reading::Known(Bytes(EIGHT_GB)));
    assert_eq!(gpu.free, Reading::Known(Bytes(7_460_000_000)));
    assert_eq!(gpu.shared, Reading::Known(Bytes::gib(16)));
    // Over its budget a process has nothing left.
    assert_eq!(read(&card(EIGHT_GB, segment(1 << 30, 3 << 30), None)).free, Reading::Known(Bytes::ZERO));
}

#[test]
fn what_others_hold_counts_too() {
    // Another program raised the counter from 1.324 to 5.469 GiB (unslothai/unsloth pull request 9362) while the
    // driver kept telling this process that the card is its own.
    let total = 17_095_983_104;
    let free = |held: u64| read(&card(total, segment(16_500_000_000, 0), Some(held))).free.known().unwrap();
    assert_eq!(free(1_421_634_175), Bytes(total - 1_421_634_175));
    assert_eq!(free(5_872_293_969), Bytes(total - 5_872_293_969));
    // The counter alone is enough, and more held than there is leaves nothing.
    assert_eq!(read(&card(EIGHT_GB, None, Some(1 << 30))).free, Reading::Known(Bytes(EIGHT_GB - (1 << 30))));
    assert_eq!(read(&card(EIGHT_GB, None, Some(u64::MAX))).free, Reading::Known(Bytes::ZERO));
}

#[test]
fn made_up_budgets_are_no_readings() {
    let free = |local: Option<Segment>| read(&card(EIGHT_GB, local, None)).free;
    assert_eq!(free(None), Reading::Unknown(Unknown::Unreadable));
    assert_eq!(free(Some(segment(0, 0))), Reading::Unknown(Unknown::Zero));
    assert_eq!(free(Some(segment(EIGHT_GB + 1, 0))), Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(free(Some(segment(EIGHT_GB, 0))), Reading::Unknown(Unknown::FreeEqualsTotal));
    assert_eq!(read(&card(0, segment(5, 0), None)).total, Reading::Unknown(Unknown::Zero));
    assert_eq!(read(&card(u64::MAX, segment(5, 0), None)).total, Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn wines_card_has_no_memory_to_plan_with() {
    // Wine 8 without a graphics card: all of the host's memory as the card's own, all of it free.
    let adapter = Adapter {
        name: "NVIDIA GeForce GTX 470".to_owned(),
        shared: 12_637_992_960,
        non_local: Some(segment(0, 0)),
        ..card(25_275_924_480, segment(25_275_924_480, 0), None)
    };
    let gpu = read(&adapter);
    assert_eq!((gpu.kind, gpu.free), (GpuKind::Discrete, Reading::Unknown(Unknown::FreeEqualsTotal)));
}

#[test]
fn shared_memory_is_the_hosts() {
    // Intel's integrated graphics call 128 MB their own and may take half of the host's memory (Intel, "Detecting
    // Video Memory Budget"); where memory is shared, the non-local segment is always empty (D3D12MA's documentation).
    let shared = Bytes::gib(16);
    let dedicated = 128 << 20;
    let adapter = |budget: Bytes, usage: u64| Adapter {
        non_local: Some(segment(0, 0)),
        ..card(dedicated, segment(budget.get(), usage), None)
    };
    let gpu = read(&adapter(Bytes::gib(15), 1 << 30));
    assert_eq!((gpu.kind, gpu.total), (GpuKind::Unified, Reading::Known(Bytes(dedicated) + shared)));
    assert_eq!(gpu.free, Reading::Known(Bytes::gib(14)));
    // The budget may promise more than the host has left.
    let little = Ram { available: Reading::Known(Bytes::gib(3)), ..RAM };
    let free = |ram| gpu_from_adapter(&adapter(Bytes::gib(15), 0), ram).unwrap().free;
    assert_eq!(free(little), Reading::Known(Bytes::gib(3)));
    assert_eq!(free(Ram { available: Reading::MISSING, ..RAM }), Reading::MISSING);
    assert_eq!(read(&adapter(Bytes::gib(40), 0)).free, Reading::Unknown(Unknown::AboveTotal));
}

#[test]
fn a_card_that_draws_on_the_processor_is_none() {
    let basic = Adapter { name: "Microsoft Basic Render Driver".to_owned(), software: true, ..card(0, None, None) };
    assert_eq!(gpu_from_adapter(&basic, RAM), None);
}

#[test]
fn two_drivers_that_see_one_card_are_one_card() {
    let gpu = |name: &str, free: Reading| Gpu { name: name.to_owned(), free, ..read(&card(EIGHT_GB, None, None)) };
    let known = |mib| Reading::Known(Bytes::mib(mib));
    let why = Reading::Unknown(Unknown::FreeEqualsTotal);
    let dxgi = vec![gpu("a", known(7000)), gpu("a", why), gpu("radeon", known(5))];
    let nvml = vec![gpu("a", known(6000)), gpu("a", known(4000)), gpu("compute", known(40_000))];
    let merged = merge(dxgi, nvml);
    let free: Vec<_> = merged.iter().map(|gpu| (gpu.name.as_str(), gpu.free, gpu.overflow)).collect();
    let spills = Overflow::Spills;
    assert_eq!(
        free,
        [
            ("a", known(6000), spills),
            ("a", known(4000), spills),
            ("radeon", known(5), spills),
            ("compute", known(40_000), Overflow::Fails),
        ]
    );
}

#[test]
fn counter_instances_are_told_apart() {
    let adapter = Instance { pid: None, luid: LUID };
    assert_eq!(parse_instance("luid_0x00000000_0x0001a051_phys_0"), Some(adapter));
    let process = Instance { pid: Some(10_356), luid: Luid { high: 0, low: 0x15a34 } };
    assert_eq!(parse_instance("pid_10356_luid_0x00000000_0x00015A34_phys_0"), Some(process));
    for other in [
        "",
        "_total",
        "pid_luid_0x0_0x0_phys_0",
        "pid_4_luid_0x0_0x1_phys_",
        "luid_0x0_0x1",
        "luid_0_1_phys_0",
        "luid_0x123456789_0x1_phys_0",
        "pid_10356_luid_0x00000000_0x00015a34_phys_0_eng_0_engtype_3D",
    ] {
        assert_eq!(parse_instance(other), None, "{other}");
    }
}

#[test]
fn counters_are_summed_by_card_and_by_process() {
    let sample = |name: &str, mb: i64| (name.to_owned(), mb * 1_000_000);
    // The overrun of unslothai/unsloth issue 8188: the card full, as much again in shared memory.
    let dedicated = [
        sample("pid_7_luid_0x00000000_0x0001A051_phys_0", 13_215),
        sample("pid_8_luid_0x00000000_0x0001A051_phys_0", 900),
    ];
    let shared = [sample("pid_7_luid_0x00000000_0x0001A051_phys_0", 14_025)];
    assert_eq!((held_by(&dedicated, 7), held_by(&shared, 7)), (Some(13_215_000_000), Some(14_025_000_000)));
    assert_eq!(held_by(&shared, 8), None);
    let adapters = [sample("luid_0x00000000_0x0001A051_phys_0", 5), sample("luid_0x00000000_0x0001A051_phys_1", 6)];
    assert_eq!(held_on(&adapters, LUID), Some(11_000_000));
    assert_eq!(held_on(&adapters, Luid { high: 1, low: 0 }), None);
    assert_eq!(held_on(&[sample("luid_0x00000000_0x0001A051_phys_0", -1)], LUID), None);
}

/// Wine 8 on a machine with 23.5 GiB.
const WINE_STATUS: MemoryStatus =
    MemoryStatus { total: 25_275_985_920, available: 23_917_977_600, commit_available: 23_917_977_600 };
const WINE_PAGES: Performance = Performance { charged: 331_547, limit: 6_170_897, total: 6_170_895, page: 4096 };

#[test]
fn wines_memory_is_used() {
    let ram = WINE_STATUS.ram();
    assert_eq!((ram.total, ram.available), (known(25_275_985_920), known(23_917_977_600)));
    let commit = WINE_PAGES.commit(Some(WINE_STATUS), Reading::MISSING);
    assert_eq!(commit.limit, known(6_170_897 * 4096));
    assert_eq!(commit.charged, known(331_547 * 4096));
}

const fn known(bytes: u64) -> Reading {
    Reading::Known(Bytes(bytes))
}

#[test]
fn garbled_memory_is_no_reading() {
    let ram = |total, available| MemoryStatus { total, available, commit_available: 0 }.ram();
    assert_eq!(ram(0, 0).total, Reading::Unknown(Unknown::Zero));
    assert_eq!(ram(8 << 30, 0).available, Reading::Unknown(Unknown::Zero));
    assert_eq!(ram(8 << 30, 9 << 30).available, Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(ram(u64::MAX, 1).total, Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn a_process_under_a_limit_has_only_its_own_room() {
    // 80.5 of 89.1 GB charged while the physical memory looked free (unslothai/unsloth issue 8188).
    let pages = Performance { charged: 19_653_320, limit: 21_752_930, total: 7_812_500, page: 4096 };
    let status = |commit_available| MemoryStatus { total: 32_000_000_000, available: 1_228_000_000, commit_available };
    let room = |status| {
        let commit = pages.commit(status, Reading::MISSING);
        commit.limit.known().unwrap() - commit.charged.known().unwrap()
    };
    assert_eq!(room(None), Bytes((21_752_930 - 19_653_320) * 4096));
    // A job object leaves this process less than the system has.
    assert_eq!(room(Some(status(1 << 30))), Bytes::gib(1));
    assert_eq!(room(Some(status(u64::MAX))), Bytes((21_752_930 - 19_653_320) * 4096));
    assert_eq!(pages.commit(None, Reading::MISSING), commit_from_pages(19_653_320, 21_752_930, 4096, Reading::MISSING));
}

#[test]
fn wines_private_bytes_are_no_reading() {
    let wine = ProcessMemory { working_set: 332_095_488, working_set_peak: 332_095_488, private: 0 };
    assert_eq!((wine.rss(), wine.rss_peak()), (known(332_095_488), known(332_095_488)));
    assert_eq!(wine.private(), Reading::Unknown(Unknown::Zero));
}

#[test]
fn growth_needs_the_policy_and_the_files() {
    let ram = Reading::Known(Bytes::gib(16));
    let volumes = [Volume { drive: 'C', size: Bytes::gib(4000), free: Bytes::gib(900), pagefile: Bytes::gib(8) }];
    let files = [PageFile { name: "\\??\\C:\\pagefile.sys".to_owned(), pages: 2_097_152 }];
    let read = |policy, files| growth_reading(policy, files, ram, &volumes);
    assert_eq!(read(Some("?:\\pagefile.sys\0\0"), Some(&files[..])), Reading::Known(Bytes::gib(40)));
    assert_eq!(read(Some(""), Some(&[])), Reading::Known(Bytes::ZERO), "no pagefile at all");
    assert_eq!(read(None, Some(&files[..])), Reading::MISSING);
    assert_eq!(read(Some("nonsense"), Some(&files[..])), Reading::Unknown(Unknown::Unreadable));
    // Wine: a policy out of thin air, and no list of files.
    assert_eq!(read(Some("C:\\pagefile.sys 27 77"), None), Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn a_pagefile_knows_its_volume() {
    let drive = |name: &str| PageFile { name: name.to_owned(), pages: 1 }.drive();
    assert_eq!((drive("C:\\pagefile.sys"), drive("\\??\\d:\\pagefile.sys")), (Some('C'), Some('D')));
    assert_eq!((drive(""), drive("pagefile.sys"), drive("\\Device\\x"), drive("CC:\\x")), (None, None, None, None));
}
