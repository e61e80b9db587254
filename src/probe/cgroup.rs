//! Control groups: the tightest memory limit around this process, in both versions of the interface.
//!
//! A limit may sit in any group from the own one up to the mount point, so all are looked at; limit and use are always
//! taken from the same group. Page cache that the kernel drops on demand (`inactive_file`) is not counted as used.

use super::PLAUSIBLE;
use super::linux::Root;
use crate::machine::{Cgroup, Reading};
use crate::units::Bytes;

/// Which of the two interfaces a group speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    V1,
    V2,
}

/// Where the memory controller is mounted, and which group of its tree is shown there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    pub version: Version,
    pub root: String,
    pub point: String,
}

/// The tightest group around this process, `None` where nothing limits it below the machine's own memory.
#[must_use]
pub fn read(root: &Root, ram: Reading) -> Option<Cgroup> {
    let mounts = parse_mounts(&root.read("/proc/self/mountinfo")?);
    let membership = root.read("/proc/self/cgroup")?;
    let folders = mounts.iter().filter_map(|mount| {
        let group = parse_membership(&membership, mount.version)?;
        Some((mount.version, folders(mount, group)))
    });
    let groups = folders.flat_map(|(version, folders)| {
        folders.into_iter().filter_map(move |folder| read_group(root, version, &folder))
    });
    tightest(groups, ram)
}

/// The group with the least room, leaving out limits that are none: as large as the machine, or larger.
#[must_use]
pub fn tightest(groups: impl Iterator<Item = Cgroup>, ram: Reading) -> Option<Cgroup> {
    let most = ram.known().unwrap_or(PLAUSIBLE);
    groups.filter(|group| group.limit < most).min_by_key(|group| group.limit - group.used)
}

/// The memory controllers in `/proc/self/mountinfo`.
#[must_use]
pub fn parse_mounts(text: &str) -> Vec<Mount> {
    let mount = |line: &str| {
        // `36 35 98:0 /root /point options [tags...] - type source options`
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, point) = (unescape(place.next()?), unescape(place.next()?));
        let mut kind = kind.split(' ');
        let version = match kind.next()? {
            "cgroup2" => Version::V2,
            "cgroup" if kind.nth(1)?.split(',').any(|option| option == "memory") => Version::V1,
            _ => return None,
        };
        Some(Mount { version, root, point })
    };
    text.lines().filter_map(mount).collect()
}

/// The own group from `/proc/self/cgroup`: `0::/user.slice/app.scope`, or `4:memory:/docker/1f...`.
#[must_use]
pub fn parse_membership(text: &str, version: Version) -> Option<&str> {
    text.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let mine = match version {
            Version::V2 => number == "0" && controllers.is_empty(),
            Version::V1 => controllers.split(',').any(|controller| controller == "memory"),
        };
        (mine && path.starts_with('/')).then_some(path)
    })
}

/// The folders from the own group up to the mount point. In a container the mount may show only a part of the tree.
#[must_use]
pub fn folders(mount: &Mount, group: &str) -> Vec<String> {
    let point = mount.point.trim_end_matches('/');
    let below = match group.strip_prefix(mount.root.trim_end_matches('/')) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
        // Told apart from the mount by a namespace: what is mounted is the best that can be seen.
        _ => "",
    };
    let mut path = below.trim_end_matches('/');
    if path.split('/').any(|part| part == "..") {
        path = "";
    }
    let mut folders = Vec::new();
    while !path.is_empty() {
        folders.push(format!("{point}{path}"));
        path = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    folders.push(point.to_owned());
    folders
}

fn read_group(root: &Root, version: Version, folder: &str) -> Option<Cgroup> {
    let file = |name: &str| root.read(&format!("{folder}/{name}"));
    let number = |name: &str| file(name).and_then(|text| parse_limit(&text));
    let (limit, used) = match version {
        Version::V2 => {
            // At `high` the kernel throttles and reclaims: as good as full for a picture.
            let limit = [number("memory.max"), number("memory.high")].into_iter().flatten().min()?;
            (limit, number("memory.current")?)
        }
        Version::V1 => (number("memory.limit_in_bytes")?, number("memory.usage_in_bytes")?),
    };
    let droppable = file("memory.stat").map(|text| parse_inactive_file(&text)).unwrap_or_default();
    Some(Cgroup { limit, used: used - droppable })
}

/// A number of bytes; `None` for `max`, for what stands for "unlimited" in the old interface, and for anything garbled.
#[must_use]
pub fn parse_limit(text: &str) -> Option<Bytes> {
    text.trim().parse().ok().map(Bytes).filter(|limit| *limit <= PLAUSIBLE)
}

/// Page cache that can be dropped, of a group and all below it.
#[must_use]
pub fn parse_inactive_file(text: &str) -> Bytes {
    let value =
        |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse::<u64>().ok());
    // The old interface counts the group alone under the plain name.
    value("total_inactive_file").or_else(|| value("inactive_file")).map(Bytes).unwrap_or_default()
}

/// Mount paths write blanks and backslashes as `\040` and `\134`.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let code = rest.get(at + 1..at + 4).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        let Some(code) = code.filter(u8::is_ascii) else { break };
        out.push_str(&rest[..at]);
        out.push(char::from(code));
        rest = &rest[at + 4..];
    }
    out.push_str(rest);
    out
}
