//! The readers, on text as systems really print it, on text that no system should print, and on whole systems laid out
//! in a folder.

mod gpus;
mod groups;
mod linux;
mod others;
mod windows;

use headroom::machine::{Reading, Unknown};
use headroom::probe;
use headroom::units::Bytes;
use std::path::Path;

#[test]
fn this_computer_is_seen_plausibly() {
    let machine = probe::survey(Path::new("no/such/folder"));
    assert!(machine.cpu.threads >= 1);
    assert_eq!(machine.held, Bytes::ZERO);
    if cfg!(target_os = "linux") {
        let (total, available) = (machine.ram.total.known().unwrap(), machine.ram.available.known().unwrap());
        assert!(Bytes::mib(64) < total && available <= total);
        assert!(machine.disk_free.known().is_some());
        if let Some(group) = machine.cgroup {
            assert!(group.limit < total);
        }
    }
}

/// On Windows and under Wine alike: what is read is plausible, what is made up is no reading.
#[cfg(windows)]
#[test]
fn windows_readers_answer_or_say_why_not() {
    let machine = probe::survey(Path::new("no/such/folder"));
    let (total, available) = (machine.ram.total.known().unwrap(), machine.ram.available.known().unwrap());
    assert!(Bytes::mib(64) < total && available <= total);
    let commit = machine.commit.unwrap();
    assert!(commit.charged.known().unwrap() <= commit.limit.known().unwrap());
    assert!(machine.disk_free.known().unwrap() > Bytes::ZERO);
    assert!(machine.cgroup.is_none());
    for gpu in &machine.gpus {
        if let (Reading::Known(free), Reading::Known(total)) = (gpu.free, gpu.total) {
            assert!(free < total, "{gpu:?}");
        }
    }
    assert_ne!(probe::private(), Reading::Known(Bytes::ZERO));
    assert!(!probe::reset_rss_peak());
}

/// Wine takes the limit and forgets it: then the answer is no, and the process goes on.
#[cfg(windows)]
#[test]
fn a_cap_is_kept_or_said_not_to_be() {
    use headroom::probe::windows::job;
    assert!(job::cap(None), "nothing to lift");
    let kept = job::cap(Some(Bytes::gib(1 << 10)));
    assert_eq!(vec![1_u8; 1 << 20].len(), 1 << 20);
    assert!(job::cap(None), "lifted, whether it was kept ({kept}) or not");
}

#[test]
fn a_glance_agrees_with_a_survey() {
    let (machine, glance) = (probe::survey(Path::new(".")), probe::glance());
    assert_eq!(machine.gpus.len(), glance.gpu_free.len());
    if let (Some(then), Some(now)) = (machine.ram.available.known(), glance.available.known()) {
        assert!(then.get().abs_diff(now.get()) < Bytes::gib(2).get());
    }
}

#[cfg(any(target_os = "linux", windows))]
#[test]
fn memory_that_is_touched_shows_in_the_resident_size() {
    let _turn = crate::support::large_blocks();
    let before = probe::rss().known().unwrap();
    let block = std::hint::black_box(vec![1_u8; 128 << 20]);
    let during = probe::rss().known().unwrap();
    assert!(during.minus(before) > Bytes::mib(64), "{before} then {during}");
    assert!(probe::rss_peak().known().unwrap() >= during.minus(Bytes::mib(64)));
    drop(block);
}

#[test]
fn a_volume_is_read_plausibly() {
    assert_eq!(probe::disk_reading(100, 200, 4096), Reading::Known(Bytes(409_600)));
    assert_eq!(probe::disk_reading(0, 200, 4096), Reading::Known(Bytes::ZERO));
    assert_eq!(probe::disk_reading(300, 200, 4096), Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(probe::disk_reading(0, 0, 4096), Reading::Unknown(Unknown::Zero));
    assert_eq!(probe::disk_reading(u64::MAX, u64::MAX, 4096), Reading::Unknown(Unknown::Unreadable));
}
