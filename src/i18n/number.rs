//! Numbers as a language writes them.

use super::Catalog;
use crate::units::{Bytes, PixelSize, Secs};

impl Catalog {
    /// A number with `decimals` places: `5.21`, in German `5,21`.
    #[must_use]
    pub fn number(&self, value: f64, decimals: usize) -> String {
        let text = format!("{value:.decimals$}");
        if self.language.decimal_mark() == '.' {
            text
        } else {
            text.replace('.', &self.language.decimal_mark().to_string())
        }
    }

    /// GiB with two decimals, MiB below a tenth of a GiB, as [`Bytes`] displays itself.
    #[must_use]
    pub fn bytes(&self, bytes: Bytes) -> String {
        if bytes < Bytes(Bytes::gib(1).0 / 10) {
            self.with("bytes-mib", &[("n", self.number(bytes.as_mib(), 1).into())])
        } else {
            self.with("bytes-gib", &[("n", self.gib(bytes).into())])
        }
    }

    /// GiB with two decimals, without the unit.
    #[must_use]
    pub fn gib(&self, bytes: Bytes) -> String {
        self.number(bytes.as_gib(), 2)
    }

    /// A duration to be read at a glance: `4 s`, `2 min 10 s`, `1 h 5 min`.
    #[must_use]
    pub fn secs(&self, secs: Secs) -> String {
        if secs.0 < 1.0 {
            return self.get("time-under-second");
        }
        let whole = secs.0.min(1e9).round() as u64;
        if whole < 90 {
            return self.with("time-seconds", &[("s", whole.to_string().into())]);
        }
        // From ten minutes on, seconds are noise; round to whole minutes before splitting.
        if whole < 600 {
            let (minutes, seconds) = (whole / 60, whole % 60);
            if seconds == 0 {
                return self.with("time-minutes", &[("m", minutes.to_string().into())]);
            }
            let args = [("m", minutes.to_string().into()), ("s", seconds.to_string().into())];
            return self.with("time-minutes-seconds", &args);
        }
        let minutes = (whole + 30) / 60;
        if minutes < 90 {
            return self.with("time-minutes", &[("m", minutes.to_string().into())]);
        }
        if minutes.is_multiple_of(60) {
            return self.with("time-hours", &[("h", (minutes / 60).to_string().into())]);
        }
        let args = [("h", (minutes / 60).to_string().into()), ("m", (minutes % 60).to_string().into())];
        self.with("time-hours-minutes", &args)
    }

    /// A prediction: `about 4 s`, but `under 1 s`.
    #[must_use]
    pub fn about(&self, secs: Secs) -> String {
        let time = self.secs(secs);
        if secs.0 < 1.0 { time } else { self.with("verdict-time", &[("time", time.into())]) }
    }

    /// `832 × 1216`.
    #[must_use]
    pub fn size(&self, size: PixelSize) -> String {
        let args = [("width", size.width.to_string().into()), ("height", size.height.to_string().into())];
        self.with("size-pixels", &args)
    }

    /// A bound of a field: whole where it is whole, else with one decimal.
    #[must_use]
    pub fn bound(&self, value: f64) -> String {
        self.number(value, usize::from(value.fract() != 0.0))
    }
}
