//! Types that carry their unit, so that bytes, addresses and times cannot be mixed up.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use serde::{Deserialize, Serialize};

/// A number of bytes. Serialised as the plain integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    pub const ZERO: Bytes = Bytes(0);

    /// The part of `whole` that these bytes are, from 0 to 1; 0 when there is no whole.
    pub fn share_of(self, whole: Bytes) -> f64 {
        if whole.0 == 0 { 0.0 } else { self.0 as f64 / whole.0 as f64 }
    }

    /// `self − other`, or zero where `other` is larger.
    pub fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }

    /// `self − other` with its sign.
    pub fn minus(self, other: Bytes) -> i64 {
        (i128::from(self.0) - i128::from(other.0)).clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }
}

/// Sums saturate: sizes come from files, and a hostile one must not wrap a total around.
impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}
impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, other: Bytes) -> Bytes {
        self.saturating_sub(other)
    }
}
impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        *self = *self + other;
    }
}
impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Bytes) {
        *self = *self - other;
    }
}
impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(iter: I) -> Bytes {
        iter.fold(Bytes::ZERO, Add::add)
    }
}

/// Binary units, two decimals from KiB up: `1.50 GiB`. What lies in the middle of two goes up, as a script's
/// `toFixed` has it (and people do); eighths, which lie there, are common: 1.125 GiB is `1.13 GiB`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return f.pad(&format!("{} B", self.0));
        }
        let mut value = self.0 as f64 / 1024.0;
        let mut unit = 0;
        // 1023.995 would print as 1024.00: go one unit up before that.
        while value >= 1023.995 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let hundredths = (value * 100.0).round() as u64;
        f.pad(&format!("{}.{:02} {}", hundredths / 100, hundredths % 100, UNITS[unit]))
    }
}

/// A device address, modulo 2^64. Prints as memory_viz does: hexadecimal without a prefix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Address(pub u64);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:x}", self.0))
    }
}

/// A moment or a span in nanoseconds (moments: since the Unix epoch). Exact: never a float.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub i64);

impl Nanos {
    /// From whole microseconds, saturating at the ends of the range.
    pub fn from_micros(micros: i64) -> Nanos {
        Nanos(micros.saturating_mul(1000))
    }

    /// Whole microseconds, rounded towards the past.
    pub fn micros(self) -> i64 {
        self.0.div_euclid(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_print_in_binary_units() {
        assert_eq!(Bytes(0).to_string(), "0 B");
        assert_eq!(Bytes(1023).to_string(), "1023 B");
        assert_eq!(Bytes(1024).to_string(), "1.00 KiB");
        assert_eq!(Bytes(1_610_612_736).to_string(), "1.50 GiB");
        assert_eq!(Bytes((1 << 20) - 1).to_string(), "1.00 MiB");
        for (eighths, text) in [(9, "1.13 MiB"), (11, "1.38 MiB"), (13, "1.63 MiB"), (15, "1.88 MiB")] {
            assert_eq!(Bytes(eighths << 17).to_string(), text);
        }
        assert_eq!(Bytes((9 << 17) - 1).to_string(), "1.12 MiB");
        assert_eq!(Bytes((1 << 40) * 1000 + (1 << 37)).to_string(), "1000.13 TiB");
        assert_eq!(Bytes(u64::MAX).to_string(), "16.00 EiB");
    }

    #[test]
    fn sums_saturate_and_differences_keep_their_sign() {
        assert_eq!(Bytes(u64::MAX) + Bytes(1), Bytes(u64::MAX));
        assert_eq!(Bytes(1) - Bytes(2), Bytes(0));
        assert_eq!(Bytes(1).minus(Bytes(3)), -2);
        assert_eq!(Bytes(0).minus(Bytes(u64::MAX)), i64::MIN);
    }
}
