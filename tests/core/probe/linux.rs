use headroom::machine::{Reading, Unknown};
use headroom::probe::linux::{Root, parse_commit, parse_meminfo, parse_pressure, parse_status, parse_swap};
use headroom::units::Bytes;
use proptest::prelude::*;

pub(super) const MEMINFO: &str = "\
MemTotal:       32563824 kB
MemFree:         1215228 kB
MemAvailable:   21908412 kB
Buffers:          918600 kB
Cached:         19311896 kB
SwapCached:          512 kB
Active(anon):    8125380 kB
Inactive(file): 12233232 kB
SwapTotal:       8388604 kB
SwapFree:        8386812 kB
CommitLimit:    24670516 kB
Committed_AS:   18012344 kB
VmallocTotal:   34359738367 kB
HugePages_Total:       0
Hugepagesize:       2048 kB
DirectMap1G:    24117248 kB
";

const STATUS: &str = "Name:\theadroom\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t2811\nVmPeak:\t 2893604 kB\n\
VmSize:\t 2827824 kB\nVmHWM:\t  411320 kB\nVmRSS:\t  318224 kB\nRssAnon:\t  201844 kB\nRssFile:\t  116380 kB\nThreads:\t9\n";

#[test]
fn meminfo_is_read() {
    let ram = parse_meminfo(MEMINFO);
    assert_eq!(ram.total, Reading::Known(Bytes(32_563_824 * 1024)));
    assert_eq!(ram.available, Reading::Known(Bytes(21_908_412 * 1024)));
    let commit = parse_commit(MEMINFO);
    assert_eq!(commit.limit, Reading::Known(Bytes(24_670_516 * 1024)));
    assert_eq!(commit.charged, Reading::Known(Bytes(18_012_344 * 1024)));
}

#[test]
fn a_missing_estimate_is_not_replaced_by_free_memory() {
    let old_kernel = MEMINFO.replace("MemAvailable", "MemSomething");
    assert_eq!(parse_meminfo(&old_kernel).available, Reading::MISSING);
    assert!(parse_meminfo(&old_kernel).total.known().is_some());
    assert_eq!(parse_meminfo("").total, Reading::MISSING);
}

#[test]
fn implausible_memory_is_no_reading() {
    let total = |line: &str| parse_meminfo(line).total;
    assert_eq!(total("MemTotal: 0 kB"), Reading::Unknown(Unknown::Zero));
    assert_eq!(total("MemTotal: 18446744073709551615 kB"), Reading::Unknown(Unknown::Unreadable));
    assert_eq!(total("MemTotal: 9999999999999 kB"), Reading::Unknown(Unknown::Unreadable));
    assert_eq!(total("MemTotal: 12"), Reading::Unknown(Unknown::Unreadable));
    assert_eq!(total("MemTotal: -4 kB"), Reading::Unknown(Unknown::Unreadable));
    let ram = parse_meminfo("MemTotal: 1000 kB\nMemAvailable: 1001 kB\n");
    assert_eq!(ram.available, Reading::Unknown(Unknown::AboveTotal));
}

#[test]
fn all_or_nothing_available_is_no_reading() {
    let available = |kb| parse_meminfo(&format!("MemTotal: 1000 kB\nMemAvailable: {kb} kB\n")).available;
    assert_eq!(available(1000), Reading::Unknown(Unknown::FreeEqualsTotal));
    assert_eq!(available(0), Reading::Unknown(Unknown::Zero));
    assert_eq!(available(999), Reading::Known(Bytes(999 * 1024)));
    assert_eq!(available(-5), Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn swap_and_pressure_are_read() {
    assert_eq!(parse_swap(MEMINFO), (Reading::Known(Bytes(8_388_604 * 1024)), Reading::Known(Bytes(8_386_812 * 1024))));
    assert_eq!(parse_swap("SwapTotal: 5 kB\nSwapFree: 6 kB\n").1, Reading::Unknown(Unknown::AboveTotal));
    let pressure = "some avg10=12.50 avg60=1.00 avg300=0.00 total=9\nfull avg10=41.75 avg60=0.50 avg300=0.00 total=8\n";
    assert_eq!(parse_pressure(pressure), Some(41.75));
    assert_eq!(parse_pressure("some avg10=12.50 total=9\n"), None);
    assert_eq!(parse_pressure("full avg10=inf\n"), None);

    let folder = tempfile::tempdir().unwrap();
    let root = Root::at(folder.path());
    assert_eq!(root.stalled(), None);
    write(&folder, "proc/pressure/memory", "full avg10=3.00 avg60=0 avg300=0 total=1\n");
    assert_eq!(root.stalled(), Some(3.0));
    // The own group may be worse off than the system.
    write(&folder, "proc/self/cgroup", "0::/app.slice/run.scope\n");
    write(&folder, "sys/fs/cgroup/app.slice/run.scope/memory.pressure", pressure);
    assert_eq!(root.stalled(), Some(41.75));
}

#[test]
fn the_own_process_is_read() {
    assert_eq!(parse_status(STATUS, "VmRSS"), Reading::Known(Bytes(318_224 * 1024)));
    assert_eq!(parse_status(STATUS, "VmHWM"), Reading::Known(Bytes(411_320 * 1024)));
    assert_eq!(parse_status("Name:\tkthreadd\n", "VmRSS"), Reading::MISSING);
    assert_eq!(parse_status("VmRSS: none", "VmRSS"), Reading::Unknown(Unknown::Unreadable));
}

#[test]
fn a_whole_system_is_read_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::at(folder.path());
    assert_eq!(root.host().ram.total, Reading::Unknown(Unknown::Unreadable));
    write(&folder, "proc/meminfo", MEMINFO);
    write(&folder, "proc/self/status", STATUS);
    let host = root.host();
    assert_eq!((host.ram, host.commit, host.cgroup), (parse_meminfo(MEMINFO), None, None));
    assert_eq!(root.rss_peak(), Reading::Known(Bytes(411_320 * 1024)));
    // Only a kernel that keeps strict books has a commit limit worth planning with.
    write(&folder, "proc/sys/vm/overcommit_memory", "2\n");
    assert_eq!(root.host().commit, Some(parse_commit(MEMINFO)));
}

pub(super) fn write(folder: &tempfile::TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn garbled_text_never_panics(cut in 0..700_usize, at in 0..700_usize, junk in "\\PC{0,8}") {
        let mut text: String = MEMINFO.chars().take(cut).collect();
        let at = text.char_indices().map(|(at, _)| at).nth(at).unwrap_or(0);
        text.insert_str(at, &junk);
        let ram = parse_meminfo(&text);
        if let (Some(total), Some(available)) = (ram.total.known(), ram.available.known()) {
            prop_assert!(available <= total);
        }
        let _ = (parse_commit(&text), parse_status(&text, "VmRSS"));
    }
}
