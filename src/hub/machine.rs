//! Machine files: a computer described in TOML, to plan for one that is not here.
//!
//! A value that a file leaves out is an unknown reading, so the verdict becomes "cannot tell" where it matters.

use super::error::{Cause, HubError};
use crate::machine::{Cgroup, Commit, Cpu, Gpu, GpuKind, Machine, Os, Overflow, Ram, Reading};
use crate::model::FileRef;
use crate::units::Bytes;
use serde::{Deserialize, Deserializer, de};
use std::path::Path;

macro_rules! machines {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/machines/", $name, ".toml")))),*]
    };
}

static KNOWN: &[(&str, &str)] = machines![
    "laptop-8gb-no-gpu",
    "laptop-16gb-igpu-windows",
    "rtx-3060-12gb-windows",
    "rx-9060-xt-16gb-windows",
    "rtx-4090-linux",
    "apple-m2-16gb",
];

/// Threads that a plan reckons with where a file does not count the cores: many, because each needs workspace.
const ASSUMED_CORES: usize = 16;
const MAX_CORES: usize = 4096;
const MAX_FILE: u64 = 1 << 20;

/// The machines that ship with the program.
#[must_use]
pub fn names() -> Vec<&'static str> {
    KNOWN.iter().map(|(name, _)| *name).collect()
}

/// A machine that ships with the program, or one from a file.
///
/// # Errors
/// Where there is no such machine, or the file says what no machine file says.
pub fn open(reference: &str) -> Result<Machine, HubError> {
    let name = reference.strip_suffix(".toml").unwrap_or(reference);
    let path = Path::new(reference);
    if let Some((_, text)) = KNOWN.iter().find(|(known, _)| *known == name)
        && !path.exists()
    {
        return parse(text).map_err(|error| HubError::new(Cause::Machine(error), path));
    }
    if !path.exists() && !reference.contains(['/', '\\', '.']) {
        return Err(HubError::new(Cause::UnknownMachine, path));
    }
    let bytes = super::read_small(&FileRef::Path(path.to_owned()), MAX_FILE)?;
    let text = String::from_utf8(bytes).map_err(|_utf8| HubError::new(Cause::Machine("not UTF-8".to_owned()), path))?;
    parse(&text).map_err(|error| HubError::new(Cause::Machine(error), path))
}

/// Reads a machine file.
///
/// # Errors
/// What is wrong, with its line.
pub fn parse(text: &str) -> Result<Machine, String> {
    let file: File = toml::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].lines().count().max(1));
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        format!("{place}{}", error.message())
    })?;
    Ok(file.machine())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    os: OsName,
    #[serde(default)]
    ram: RamTable,
    commit: Option<CommitTable>,
    cgroup: Option<CgroupTable>,
    #[serde(default)]
    disk: DiskTable,
    #[serde(default)]
    cpu: CpuTable,
    #[serde(default)]
    gpu: Vec<GpuTable>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum OsName {
    Windows,
    Linux,
    Macos,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RamTable {
    total: Option<Size>,
    available: Option<Size>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct CommitTable {
    limit: Option<Size>,
    charged: Option<Size>,
    growth: Option<Size>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CgroupTable {
    limit: Option<Size>,
    used: Option<Size>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct DiskTable {
    free: Option<Size>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct CpuTable {
    cores: Option<usize>,
    gflops: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GpuTable {
    name: String,
    kind: KindName,
    total: Option<Size>,
    free: Option<Size>,
    shared: Option<Size>,
    overflow: OverflowName,
    gflops: Option<f64>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum KindName {
    Discrete,
    Unified,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum OverflowName {
    Fails,
    Spills,
}

/// `15.92 GiB`, or a plain number of bytes.
#[derive(Clone, Copy)]
struct Size(Bytes);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Size;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a size such as \"15.92 GiB\" or a number of bytes")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Size, E> {
                let bytes = u64::try_from(value);
                bytes.map(|n| Size(Bytes(n))).map_err(|_sign| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Size, E> {
                Ok(Size(Bytes(value)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
                Bytes::parse(text).map(Size).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

fn reading(size: Option<Size>) -> Reading {
    size.map_or(Reading::MISSING, |Size(bytes)| Reading::Known(bytes))
}

/// A free amount, unknown where it contradicts its total.
fn part(size: Option<Size>, total: Reading) -> Reading {
    size.map_or(Reading::MISSING, |Size(bytes)| Reading::plausible_free(bytes, total))
}

fn speed(gflops: Option<f64>) -> Option<f64> {
    gflops.filter(|gflops| gflops.is_finite() && *gflops > 0.0)
}

impl File {
    fn machine(self) -> Machine {
        let os = match self.os {
            OsName::Windows => Os::Windows,
            OsName::Linux => Os::Linux,
            OsName::Macos => Os::Macos,
        };
        let total = reading(self.ram.total);
        let mut ram = Ram { total, available: part(self.ram.available, total) };
        // Windows always has a commit limit: a file that is silent about it leaves it unknown.
        let commit = match self.commit {
            None if os != Os::Windows => None,
            table => {
                let table = table.unwrap_or_default();
                let limit = reading(table.limit);
                Some(Commit { limit, charged: part(table.charged, limit), growth: reading(table.growth) })
            }
        };
        let cgroup = match self.cgroup {
            Some(CgroupTable { limit: Some(Size(limit)), used: Some(Size(used)) }) => Some(Cgroup { limit, used }),
            Some(_) => {
                // There is a limit, but not how much room it leaves.
                ram.available = Reading::MISSING;
                None
            }
            None => None,
        };
        Machine {
            name: self.name,
            os,
            ram,
            commit,
            cgroup,
            disk_free: reading(self.disk.free),
            cpu: Cpu {
                threads: self.cpu.cores.map_or(ASSUMED_CORES, |cores| cores.clamp(1, MAX_CORES)),
                gflops: speed(self.cpu.gflops),
            },
            gpus: self.gpu.into_iter().map(GpuTable::gpu).collect(),
            held: Bytes::ZERO,
        }
    }
}

impl GpuTable {
    fn gpu(self) -> Gpu {
        let total = reading(self.total);
        Gpu {
            name: self.name,
            kind: match self.kind {
                KindName::Discrete => GpuKind::Discrete,
                KindName::Unified => GpuKind::Unified,
            },
            total,
            free: part(self.free, total),
            shared: reading(self.shared),
            overflow: match self.overflow {
                OverflowName::Fails => Overflow::Fails,
                OverflowName::Spills => Overflow::Spills,
            },
            gflops: speed(self.gflops),
        }
    }
}
