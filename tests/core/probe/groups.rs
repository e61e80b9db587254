use super::linux::{MEMINFO, write};
use headroom::machine::{Cgroup, Reading};
use headroom::probe::cgroup::{
    Mount, Version, folders, parse_inactive_file, parse_limit, parse_membership, parse_mounts, tightest,
};
use headroom::probe::linux::Root;
use headroom::units::Bytes;

const MOUNTINFO: &str = "\
24 30 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw
30 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
34 25 0:29 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
";

const MOUNTINFO_V1: &str = "\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
35 31 0:32 /docker/4f2a /sys/fs/cgroup/memory ro,nosuid master:15 - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

fn mount(version: Version, root: &str, point: &str) -> Mount {
    Mount { version, root: root.to_owned(), point: point.to_owned() }
}

#[test]
fn mounts_of_both_versions_are_found() {
    assert_eq!(parse_mounts(MOUNTINFO), [mount(Version::V2, "/", "/sys/fs/cgroup")]);
    let both = [
        mount(Version::V1, "/docker/4f2a", "/sys/fs/cgroup/memory"),
        mount(Version::V2, "/", "/sys/fs/cgroup/unified"),
    ];
    assert_eq!(parse_mounts(MOUNTINFO_V1), both);
    assert_eq!(parse_mounts("34 25 0:29 / /odd\\040place rw - cgroup2 none rw")[0].point, "/odd place");
    for garbled in ["", "34 25 - cgroup2", "34 25 0:29 / /x rw - ", "a b c d e f - cgroup", "\\0 - \\"] {
        assert!(parse_mounts(garbled).is_empty(), "{garbled}");
    }
}

#[test]
fn the_own_group_is_found() {
    let modern = "0::/user.slice/user-1000.slice/app.slice/app-headroom.scope\n";
    let app = "/user.slice/user-1000.slice/app.slice/app-headroom.scope";
    assert_eq!(parse_membership(modern, Version::V2), Some(app));
    assert_eq!(parse_membership(modern, Version::V1), None);
    let hybrid = "9:name=systemd:/\n4:cpuset,memory:/docker/4f2a\n0::/\n";
    assert_eq!(parse_membership(hybrid, Version::V1), Some("/docker/4f2a"));
    assert_eq!(parse_membership(hybrid, Version::V2), Some("/"));
    assert_eq!(parse_membership("0:\n::::", Version::V2), None);
}

#[test]
fn every_group_up_to_the_mount_is_looked_at() {
    let all = mount(Version::V2, "/", "/sys/fs/cgroup");
    assert_eq!(folders(&all, "/a/b"), ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]);
    assert_eq!(folders(&all, "/"), ["/sys/fs/cgroup"]);
    let part = mount(Version::V1, "/docker/4f2a", "/m");
    assert_eq!(folders(&part, "/docker/4f2a/x"), ["/m/x", "/m"]);
    // Seen from inside a namespace, the path may not lie below what is mounted.
    assert_eq!(folders(&part, "/"), ["/m"]);
    assert_eq!(folders(&part, "/docker/4f2a99"), ["/m"]);
    assert_eq!(folders(&all, "/../other"), ["/sys/fs/cgroup"]);
}

#[test]
fn unlimited_is_no_limit() {
    assert_eq!(parse_limit("8589934592\n"), Some(Bytes::gib(8)));
    for none in ["max\n", "9223372036854771712", "18446744073709551615", "18446744073709551616", "", "-1", "8 GiB"] {
        assert_eq!(parse_limit(none), None, "{none}");
    }
}

#[test]
fn droppable_cache_is_read_with_all_groups_below() {
    assert_eq!(parse_inactive_file("anon 5\ninactive_file 4096\nactive_file 7\n"), Bytes(4096));
    assert_eq!(parse_inactive_file("inactive_file 1\ntotal_inactive_file 4096\n"), Bytes(4096));
    assert_eq!(parse_inactive_file("inactive_file much\n"), Bytes::ZERO);
}

#[test]
fn the_tightest_group_is_the_one_with_least_room() {
    let group = |limit, used| Cgroup { limit: Bytes::gib(limit), used: Bytes::gib(used) };
    let ram = Reading::Known(Bytes::gib(32));
    assert_eq!(tightest([group(8, 1), group(16, 12)].into_iter(), ram), Some(group(16, 12)));
    assert_eq!(tightest([group(32, 30), group(64, 1)].into_iter(), ram), None);
    assert_eq!(tightest([group(64, 1)].into_iter(), Reading::MISSING), Some(group(64, 1)));
}

#[test]
fn an_ancestors_limit_binds() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "proc/meminfo", MEMINFO);
    write(&folder, "proc/self/mountinfo", MOUNTINFO);
    write(&folder, "proc/self/cgroup", "0::/user.slice/app.scope\n");
    let file = |name: &str, text: &str| write(&folder, &format!("sys/fs/cgroup/{name}"), text);
    file("user.slice/app.scope/memory.max", "max\n");
    file("user.slice/app.scope/memory.high", "max\n");
    file("user.slice/app.scope/memory.current", "1000\n");
    let root = Root::at(folder.path());
    assert_eq!(root.host().cgroup, None);
    file("user.slice/memory.max", "8589934592\n");
    file("user.slice/memory.high", "4294967296\n");
    file("user.slice/memory.current", "3221225472\n");
    file("user.slice/memory.stat", "anon 1\ninactive_file 1073741824\n");
    // The soft ceiling counts, and use is taken where the limit is.
    assert_eq!(root.host().cgroup, Some(Cgroup { limit: Bytes::gib(4), used: Bytes::gib(2) }));
}

#[test]
fn the_old_interface_is_read_too() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "proc/meminfo", MEMINFO);
    write(&folder, "proc/self/mountinfo", MOUNTINFO_V1);
    write(&folder, "proc/self/cgroup", "4:memory:/docker/4f2a\n0::/\n");
    let file = |name: &str, text: &str| write(&folder, &format!("sys/fs/cgroup/memory/{name}"), text);
    file("memory.limit_in_bytes", "2147483648\n");
    file("memory.usage_in_bytes", "1610612736\n");
    file("memory.stat", "inactive_file 0\ntotal_inactive_file 536870912\n");
    let group = Root::at(folder.path()).host().cgroup;
    assert_eq!(group, Some(Cgroup { limit: Bytes::gib(2), used: Bytes::gib(1) }));
}
