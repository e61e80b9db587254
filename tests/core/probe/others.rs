//! What the Windows and macOS readers will read, on every system.

use headroom::machine::{Reading, Unknown};
use headroom::probe::macos::{parse_ram, parse_vm_stat};
use headroom::probe::windows::{PagingFile, PagingSize, Volume, commit_from_pages, growth, parse_paging_files};
use headroom::units::Bytes;

const VM_STAT: &str = "Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               35287.
Pages active:                            402339.
Pages inactive:                          398254.
Pages speculative:                         2846.
Pages throttled:                              0.
Pages wired down:                        126303.
Pages purgeable:                          10242.
\"Translation faults\":                 901249872.
Swapins:                                      0.
";

fn managed(drive: Option<char>) -> PagingFile {
    PagingFile { drive, size: PagingSize::Managed }
}

#[test]
fn every_pagefile_policy_is_understood() {
    assert_eq!(parse_paging_files("?:\\pagefile.sys"), Ok(vec![managed(None)]));
    assert_eq!(parse_paging_files("c:\\pagefile.sys 0 0\0\0"), Ok(vec![managed(Some('C'))]));
    assert_eq!(parse_paging_files(""), Ok(Vec::new()));
    let fixed = PagingFile { drive: Some('D'), size: PagingSize::Fixed { min: Bytes::gib(4), max: Bytes::gib(8) } };
    let both = parse_paging_files("C:\\pagefile.sys 0 0\0D:\\swap files\\PAGEFILE.SYS 4096 8192\0");
    assert_eq!(both, Ok(vec![managed(Some('C')), fixed]));
    for garbled in
        ["pagefile.sys", "C:\\pagefile", "C:\\pagefile.sys 5", "C:\\pagefile.sys 9 5", "C:\\x.sys a b", "é:\\p.sys"]
    {
        assert_eq!(parse_paging_files(garbled), Err(Unknown::Unreadable), "{garbled}");
    }
}

#[test]
fn a_pagefile_grows_to_the_least_of_its_bounds() {
    let volume = |size, free, pagefile| Volume {
        drive: 'C',
        size: Bytes::gib(size),
        free: Bytes::gib(free),
        pagefile: Bytes::gib(pagefile),
    };
    let grow = |ram, volume| growth(&[managed(None)], Bytes::gib(ram), &[volume]);
    assert_eq!(grow(16, volume(4000, 900, 8)), Bytes::gib(40), "three times the memory");
    assert_eq!(grow(64, volume(480, 400, 8)), Bytes::gib(52), "an eighth of the volume");
    assert_eq!(grow(64, volume(1000, 5, 8)), Bytes::gib(5), "what is free");
    let fixed = PagingFile { drive: Some('C'), size: PagingSize::Fixed { min: Bytes::gib(1), max: Bytes::gib(8) } };
    assert_eq!(growth(&[fixed], Bytes::gib(64), &[volume(1000, 500, 8)]), Bytes::ZERO);
    assert_eq!(growth(&[], Bytes::gib(64), &[volume(1000, 500, 0)]), Bytes::ZERO);
    assert_eq!(growth(&[managed(Some('X'))], Bytes::gib(64), &[volume(1000, 500, 0)]), Bytes::ZERO);
}

#[test]
fn commit_is_checked() {
    let commit = commit_from_pages(7_864_320, 23_357_030, 4096, Reading::MISSING);
    assert_eq!(commit.charged, Reading::Known(Bytes::gib(30)));
    assert_eq!(commit_from_pages(0, 100, 4096, Reading::MISSING).charged, Reading::Unknown(Unknown::Zero));
    assert_eq!(commit_from_pages(5, 0, 4096, Reading::MISSING).limit, Reading::Unknown(Unknown::Zero));
    assert_eq!(commit_from_pages(9, 5, 4096, Reading::MISSING).charged, Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(commit_from_pages(9, u64::MAX, 4096, Reading::MISSING).limit, Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn vm_stat_counts_what_can_be_given_away() {
    let pages = 35_287 + 398_254 + 10_242;
    assert_eq!(parse_vm_stat(VM_STAT), Reading::Known(Bytes(pages * 16_384)));
    assert_eq!(parse_ram("17179869184\n", VM_STAT).available, Reading::Known(Bytes(pages * 16_384)));
    assert_eq!(parse_ram("1073741824\n", VM_STAT).available, Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(parse_ram("lots", VM_STAT).total, Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn garbled_vm_stat_is_no_reading() {
    assert_eq!(parse_vm_stat(""), Reading::Unknown(Unknown::Unreadable));
    assert_eq!(parse_vm_stat(&VM_STAT.replace("16384", "0")), Reading::Unknown(Unknown::Unreadable));
    assert_eq!(parse_vm_stat(&VM_STAT.replace("Pages free", "Pages")), Reading::MISSING);
    let huge = VM_STAT.replace("398254", "18446744073709551615");
    assert_eq!(parse_vm_stat(&huge), Reading::Unknown(Unknown::Unreadable));
}
