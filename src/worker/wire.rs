//! What a worker in a process of its own is told and tells: one frame a message.
//!
//! A frame is two lengths (u32, little endian), a JSON head and raw bytes: pixels, previews and latents are never
//! spelled out. Both ends are the same program, so phases travel as numbers and the head needs no version beyond the
//! one in [`Up::Hello`].

use crate::job::{Failure, Latent, Latents, Measured, MeasuredPhase};
use crate::pixels::Pixels;
use crate::planner::{Phase, Pool};
use crate::units::{Bytes, PixelSize, Secs};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// No head is longer: a prompt of the most that a recipe takes, escaped, with room to spare.
const MAX_HEAD: u32 = 4 << 20;
/// No body is longer: a picture of the largest size has 48 MiB.
const MAX_BODY: u32 = 1 << 30;

/// From the window's side to the worker's.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Down {
    /// The body holds the latents to go on from, if there are any.
    Draw(Box<Draw>),
    /// Stop the draw at work.
    Stop,
    /// Let go of kept weights.
    Release,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Draw {
    pub model: String,
    /// The recipe in the words of the shell's codec.
    pub recipe: String,
    pub tier: String,
    pub decode: String,
    /// Whether products are made of bf16 pairs.
    pub bf16: bool,
    /// Room in bytes, and whether it spills.
    pub simulated: Option<(u64, bool)>,
    /// Bounds of host and device by phase.
    pub bounds: [Vec<u64>; 2],
    pub read_once: bool,
    pub cap: Option<u64>,
    pub previews: bool,
    pub resume: Option<LatentsHead>,
    /// Width and height of the picture to start from, whose pixels stand behind the latents in the body.
    pub start: Option<(u32, u32)>,
}

/// From the worker's side to the window's.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Up {
    Hello {
        version: String,
    },
    Phase(usize),
    Loading(u64, u64),
    Step(u32, u32, u32),
    /// The body holds the pixels.
    Preview {
        picture: u32,
        width: u32,
        height: u32,
    },
    /// The body holds the pixels.
    Picture {
        picture: u32,
        seed: u64,
        width: u32,
        height: u32,
    },
    /// The body holds the values.
    Keep(LatentsHead),
    /// What is held: host, device, physical memory.
    Sample(u64, u64, Option<u64>),
    Done {
        measured: MeasuredText,
        held: u64,
    },
    Failed {
        failure: FailureText,
        measured: MeasuredText,
        held: u64,
    },
}

/// Latents without their values: shape, steps, and for each picture its step and how often noise was drawn.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LatentsHead {
    shape: (usize, usize, usize),
    steps: u32,
    pictures: Vec<(u32, u32)>,
    start: bool,
}

impl LatentsHead {
    /// Head and body.
    pub(super) fn of(latents: &Latents) -> (Self, Vec<u8>) {
        let mut body = Vec::with_capacity(latents.bytes().get() as usize);
        let mut pictures = Vec::with_capacity(latents.pictures.len());
        for latent in &latents.pictures {
            pictures.push((latent.step, latent.draws));
            body.extend(latent.values.iter().flat_map(|value| value.to_le_bytes()));
        }
        body.extend(latents.start.iter().flatten().flat_map(|value| value.to_le_bytes()));
        (Self { shape: latents.shape, steps: latents.steps, pictures, start: latents.start.is_some() }, body)
    }

    /// The latents again, `None` where the body does not match.
    pub(super) fn with(self, body: &[u8]) -> Option<Latents> {
        let (channels, height, width) = self.shape;
        let each = channels.checked_mul(height)?.checked_mul(width)?.checked_mul(4)?;
        if each == 0 {
            return None;
        }
        if body.len() != each.checked_mul(self.pictures.len() + usize::from(self.start))? {
            return None;
        }
        let values = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value)).collect();
        let start = body.chunks_exact(each).nth(self.pictures.len()).map(values);
        let pictures = self.pictures.into_iter().zip(body.chunks_exact(each));
        let pictures = pictures.map(|((step, draws), bytes)| Latent { step, draws, values: values(bytes) }).collect();
        Some(Latents { shape: self.shape, steps: self.steps, pictures, start })
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct MeasuredText {
    /// Phase, seconds, host and device peaks.
    phases: Vec<(usize, f64, u64, u64)>,
    ledger_peak: u64,
    rss_peak: Option<u64>,
}

impl From<&Measured> for MeasuredText {
    fn from(measured: &Measured) -> Self {
        let phase = |of: &MeasuredPhase| (of.phase as usize, of.elapsed.0, of.host_peak.get(), of.device_peak.get());
        Self {
            phases: measured.phases.iter().map(phase).collect(),
            ledger_peak: measured.ledger_peak.get(),
            rss_peak: measured.rss_peak.map(Bytes::get),
        }
    }
}

impl From<MeasuredText> for Measured {
    fn from(text: MeasuredText) -> Self {
        let phase = |(phase, secs, host, device): (usize, f64, u64, u64)| {
            let (host_peak, device_peak) = (Bytes(host), Bytes(device));
            Some(MeasuredPhase { phase: *Phase::ALL.get(phase)?, elapsed: Secs(secs), host_peak, device_peak })
        };
        Self {
            phases: text.phases.into_iter().filter_map(phase).collect(),
            ledger_peak: Bytes(text.ledger_peak),
            rss_peak: text.rss_peak.map(Bytes),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FailureText {
    Cancelled,
    Guard { phase: usize, device: bool, live: u64, planned: u64 },
    OutOfMemory { phase: usize, device: bool, bytes: u64 },
    Spilled { phase: usize, shared: u64 },
    Model { reason: String, path: PathBuf },
    Device { device: String },
    NotANumber { phase: usize },
    Write { reason: String, path: PathBuf },
    Crash { what: String },
}

const fn on_device(pool: Pool) -> bool {
    matches!(pool, Pool::Device)
}

const fn pool(device: bool) -> Pool {
    if device { Pool::Device } else { Pool::Host }
}

pub(super) fn phase(index: usize) -> Phase {
    Phase::ALL.get(index).copied().unwrap_or(Phase::Denoise)
}

impl From<Failure> for FailureText {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Cancelled => Self::Cancelled,
            Failure::Guard { phase, pool, live, planned } => {
                Self::Guard { phase: phase as usize, device: on_device(pool), live: live.get(), planned: planned.get() }
            }
            Failure::OutOfMemory { phase, pool, bytes } => {
                Self::OutOfMemory { phase: phase as usize, device: on_device(pool), bytes: bytes.get() }
            }
            Failure::Spilled { phase, shared } => Self::Spilled { phase: phase as usize, shared: shared.get() },
            Failure::Model { reason, path } => Self::Model { reason, path },
            Failure::Device { device } => Self::Device { device },
            Failure::NotANumber { phase } => Self::NotANumber { phase: phase as usize },
            Failure::Write { reason, path } => Self::Write { reason, path },
            Failure::Crash { what } => Self::Crash { what },
            // No engine says these.
            other @ (Failure::Died(_) | Failure::Refused) => Self::Crash { what: other.to_string() },
        }
    }
}

impl From<FailureText> for Failure {
    fn from(text: FailureText) -> Self {
        match text {
            FailureText::Cancelled => Self::Cancelled,
            FailureText::Guard { phase: at, device, live, planned } => {
                Self::Guard { phase: phase(at), pool: pool(device), live: Bytes(live), planned: Bytes(planned) }
            }
            FailureText::OutOfMemory { phase: at, device, bytes } => {
                Self::OutOfMemory { phase: phase(at), pool: pool(device), bytes: Bytes(bytes) }
            }
            FailureText::Spilled { phase: at, shared } => Self::Spilled { phase: phase(at), shared: Bytes(shared) },
            FailureText::Model { reason, path } => Self::Model { reason, path },
            FailureText::Device { device } => Self::Device { device },
            FailureText::NotANumber { phase: at } => Self::NotANumber { phase: phase(at) },
            FailureText::Write { reason, path } => Self::Write { reason, path },
            FailureText::Crash { what } => Self::Crash { what },
        }
    }
}

/// Pixels from a body, `None` where it has not as many.
pub(super) fn pixels(width: u32, height: u32, body: Vec<u8>) -> Option<Pixels> {
    Pixels::new(PixelSize::new(width, height), body)
}

/// Writes one frame and hands it to the system.
///
/// # Errors
/// The other end is gone, or the message is longer than any message is.
pub(super) fn send(to: &mut impl Write, head: &impl Serialize, body: &[u8]) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    let too_long = |_| io::Error::new(io::ErrorKind::InvalidData, "a message is too long");
    let lengths = [u32::try_from(head.len()).map_err(too_long)?, u32::try_from(body.len()).map_err(too_long)?];
    if lengths[0] > MAX_HEAD || lengths[1] > MAX_BODY {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long"));
    }
    to.write_all(lengths.map(u32::to_le_bytes).as_flattened())?;
    to.write_all(&head)?;
    to.write_all(body)?;
    to.flush()
}

/// Reads one frame; `None` where the other end closed between two frames.
///
/// # Errors
/// A frame that is cut off, or that is none.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<(T, Vec<u8>)>> {
    let mut lengths = [0; 8];
    let mut filled = 0;
    while filled < lengths.len() {
        match from.read(&mut lengths[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let [a, b, c, d, e, f, g, h] = lengths;
    let (head, body) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    if head > MAX_HEAD || body > MAX_BODY {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no message of the worker"));
    }
    let mut read = |length: u32| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length as usize];
        from.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let (head, body) = (read(head)?, read(body)?);
    Ok(Some((serde_json::from_slice(&head)?, body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_and_a_cut_one_is_an_error() {
        let mut wire = Vec::new();
        send(&mut wire, &Up::Step(0, 3, 9), b"").unwrap();
        send(&mut wire, &Up::Preview { picture: 1, width: 2, height: 1 }, &[1, 2, 3, 4, 5, 6]).unwrap();
        let mut at = &wire[..];
        assert!(matches!(receive::<Up>(&mut at), Ok(Some((Up::Step(0, 3, 9), body))) if body.is_empty()));
        assert!(matches!(receive::<Up>(&mut at), Ok(Some((Up::Preview { .. }, body))) if body == [1, 2, 3, 4, 5, 6]));
        assert!(matches!(receive::<Up>(&mut at), Ok(None)));
        let mut first = Vec::new();
        send(&mut first, &Up::Step(0, 3, 9), b"").unwrap();
        for cut in (1..wire.len()).filter(|cut| *cut != first.len()) {
            let mut at = &wire[..cut];
            let mut read = || receive::<Up>(&mut at);
            assert!(read().is_err() || read().is_err(), "cut at {cut}");
        }
        let mut garbage: &[u8] = &[0xFF; 64];
        assert!(receive::<Up>(&mut garbage).is_err());
    }

    #[test]
    fn latents_come_back_bit_by_bit_and_odd_bodies_do_not() {
        let latents = Latents {
            shape: (2, 1, 2),
            steps: 5,
            pictures: vec![
                Latent { step: 5, values: vec![0.1, -2.5, 3.0, f32::MIN_POSITIVE], draws: 0 },
                Latent { step: 2, values: vec![1.0; 4], draws: 3 },
            ],
            start: None,
        };
        let begun = Latents { start: Some(vec![-1.0, 0.0, 0.5, 7.0]), ..latents.clone() };
        for latents in [&latents, &begun] {
            let (head, body) = LatentsHead::of(latents);
            assert_eq!(head.with(&body).as_ref(), Some(latents));
        }
        let (head, body) = LatentsHead::of(&latents);
        assert_eq!(head.with(&body[..body.len() - 16]), None);
        assert!(latents.is_sound());
        assert_eq!(latents.steps_done(), 7);
        assert!(!latents.finished(2));
    }

    #[test]
    fn every_failure_of_an_engine_crosses_unchanged() {
        let all = [
            Failure::Cancelled,
            Failure::Guard { phase: Phase::Decode, pool: Pool::Host, live: Bytes(7), planned: Bytes(5) },
            Failure::OutOfMemory { phase: Phase::Denoise, pool: Pool::Device, bytes: Bytes(9) },
            Failure::Spilled { phase: Phase::Encode, shared: Bytes(3) },
            Failure::Model { reason: "cut".to_owned(), path: "/a b/c".into() },
            Failure::Device { device: "cuda".to_owned() },
            Failure::NotANumber { phase: Phase::Denoise },
            Failure::Write { reason: "full".to_owned(), path: "/x".into() },
            Failure::Crash { what: "index".to_owned() },
        ];
        for failure in all {
            let text = serde_json::to_string(&FailureText::from(failure.clone())).unwrap();
            assert_eq!(Failure::from(serde_json::from_str::<FailureText>(&text).unwrap()), failure);
        }
    }
}
