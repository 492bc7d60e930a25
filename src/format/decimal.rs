//! Decimal text to integers without a float in between.
//!
//! Profilers write times as microseconds with three decimals, 19 significant digits: a float would
//! round them to a quarter of a microsecond. One parser serves CSV cells, JSON numbers and JSON text,
//! and one multiplication brings the unit in, so that every time is exact to the nanosecond.

/// A decimal number as it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    negative: bool,
    digits: u128,
    /// The value is `digits · 10^exponent`.
    exponent: i32,
    /// Written as `1.69512E+15`: what a spreadsheet leaves of a time, its digits are gone.
    pub scientific: bool,
}

/// Digits beyond these cannot change a value that fits 64 bits and are dropped.
const MOST_DIGITS: u32 = 28;

/// Powers of ten that fit 64 bits with room to spare.
const POWERS: [u64; 10] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

impl Decimal {
    /// Reads `[+-]digits[.digits][(e|E)[+-]digits]`; anything else is `None`.
    #[inline]
    pub fn parse(text: &[u8]) -> Option<Decimal> {
        Self::parse_plain(text).or_else(|| Self::parse_any(text))
    }

    #[inline]
    fn parse_plain(text: &[u8]) -> Option<Decimal> {
        let Plain { negative, digits, decimals } = Plain::parse(text)?;
        Some(Decimal { negative, digits: digits.into(), exponent: -(decimals as i32), scientific: false })
    }

    fn parse_any(text: &[u8]) -> Option<Decimal> {
        let (negative, mut rest) = match text.first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let mut short = 0_u64;
        let (mut digits, mut kept, mut seen) = (0_u128, 0_u32, false);
        let (mut exponent, mut fraction) = (0_i32, false);
        while let Some((&byte, tail)) = rest.split_first() {
            match byte {
                b'0'..=b'9' => {
                    seen = true;
                    let digit = byte - b'0';
                    if kept < 19 {
                        short = short * 10 + u64::from(digit);
                    } else if kept < MOST_DIGITS {
                        if kept == 19 {
                            digits = u128::from(short);
                        }
                        digits = digits * 10 + u128::from(digit);
                    }
                    if kept < MOST_DIGITS {
                        kept += u32::from(kept > 0 || digit > 0);
                        exponent -= i32::from(fraction);
                    } else {
                        exponent = exponent.checked_add(i32::from(!fraction))?;
                    }
                }
                b'.' if !fraction => fraction = true,
                _ => break,
            }
            rest = tail;
        }
        if !seen {
            return None;
        }
        if kept <= 19 {
            digits = u128::from(short);
        }
        let scientific = matches!(rest.first(), Some(b'e' | b'E'));
        if scientific {
            exponent = exponent.checked_add(exponent_of(&rest[1..])?)?;
        } else if !rest.is_empty() {
            return None;
        }
        Some(Decimal { negative, digits, exponent, scientific })
    }

    /// The nearest float, where one exact division of exact floats gives it; `None` asks for a slower way.
    pub fn to_f64(self) -> Option<f64> {
        const TENS: [f64; 16] =
            [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        let divisor = TENS.get(usize::try_from(-self.exponent).ok()?)?;
        let digits = u64::try_from(self.digits).ok().filter(|&d| d < 1 << 53)?;
        let value = digits as f64 / divisor;
        Some(if self.negative { -value } else { value })
    }

    /// The value times `multiplier`, rounded to the nearest integer (halves away from zero); `None`
    /// where it does not fit.
    #[inline]
    pub fn scaled(&self, mut multiplier: u64) -> Option<i64> {
        let mut exponent = self.exponent;
        if exponent == -3 && multiplier == 1000 {
            let value = i64::try_from(self.digits).ok()?;
            return Some(if self.negative { -value } else { value });
        }
        while exponent < 0 && multiplier.is_multiple_of(10) && multiplier > 0 {
            multiplier /= 10;
            exponent += 1;
        }
        // Dividing 128 bits takes long, and few values need it.
        let short = u64::try_from(self.digits).ok().zip(usize::try_from(-i64::from(exponent)).ok());
        let plain = short.map(|(digits, decimals)| Plain { negative: self.negative, digits, decimals });
        if let Some(value) = plain.and_then(|plain| plain.scaled(multiplier)) {
            return Some(value);
        }
        let product = self.digits.checked_mul(u128::from(multiplier))?;
        let value = if product == 0 {
            0
        } else if exponent >= 0 {
            product.checked_mul(10_u128.checked_pow(exponent.unsigned_abs())?)?
        } else {
            match 10_u128.checked_pow(exponent.unsigned_abs()) {
                Some(divisor) => product / divisor + u128::from(product % divisor >= divisor.div_ceil(2)),
                None => 0,
            }
        };
        let value = i64::try_from(value).ok()?;
        Some(if self.negative { -value } else { value })
    }
}

/// What nearly every cell is: at most 19 digits, no exponent.
struct Plain {
    negative: bool,
    digits: u64,
    decimals: usize,
}

impl Plain {
    #[inline]
    fn parse(text: &[u8]) -> Option<Plain> {
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        // 19 digits and a point; whatever is longer may not fit.
        if digits.is_empty() || digits.len() > 20 {
            return None;
        }
        let (mut value, whole) = leading(digits, 0);
        let mut decimals = 0;
        if let Some((point, fraction)) = digits.get(whole..).and_then(<[u8]>::split_first) {
            (value, decimals) = leading(fraction, value);
            if *point != b'.' || decimals < fraction.len() || digits.len() == 1 {
                return None;
            }
        } else if whole == 20 {
            return None;
        }
        Some(Plain { negative: digits.len() < text.len(), digits: value, decimals })
    }

    /// As [`Decimal::scaled`]; `None` where that takes more than 64 bits.
    #[inline]
    fn scaled(&self, multiplier: u64) -> Option<i64> {
        let value = if self.decimals == 3 && multiplier == 1000 {
            self.digits
        } else {
            let (product, divisor) = (self.digits.checked_mul(multiplier)?, *POWERS.get(self.decimals)?);
            product / divisor + u64::from(product % divisor >= divisor.div_ceil(2))
        };
        let value = i64::try_from(value).ok()?;
        Some(if self.negative { -value } else { value })
    }
}

/// Shorthand for what is plain, and nothing else; whether it is may be asked the other way, by [`Decimal::parse`].
#[inline]
pub fn plain_scaled(text: &[u8], multiplier: u64) -> Option<i64> {
    Plain::parse(text)?.scaled(multiplier)
}

/// The digits at the beginning put behind those of `value`, and how many they are: eight at a time while
/// there are eight, for times have sixteen before the point.
#[inline]
fn leading(text: &[u8], mut value: u64) -> (u64, usize) {
    let mut count = 0;
    while let Some(eight) =
        text.get(count..).and_then(<[u8]>::first_chunk).and_then(|chunk| eight_digits(*chunk))
    {
        value = value.wrapping_mul(100_000_000).wrapping_add(eight);
        count += 8;
    }
    while let Some(digit) = text.get(count).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (value, count)
}

/// The number that eight digits make; `None` where one of the bytes is none. Neighbours are put together
/// in all lanes of a word at once: digits to pairs, pairs to fours, fours to the whole.
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<u64> {
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let word = u64::from_le_bytes(text);
    // A digit is 0x30 and up to nine: its high half is 3, and stays so with six more.
    if word & HIGH != ZEROS || word.wrapping_add(0x0606_0606_0606_0606) & HIGH != ZEROS {
        return None;
    }
    let digits = word - ZEROS;
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

fn exponent_of(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text.first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 4 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0, |n, d| n * 10 + i32::from(d - b'0'));
    Some(if negative { -value } else { value })
}

/// Shorthand: `text` in units of `1 / multiplier`, as an integer.
pub fn scaled(text: &[u8], multiplier: u64) -> Option<i64> {
    Decimal::parse(text)?.scaled(multiplier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nineteen_digit_times_are_exact() {
        assert_eq!(scaled(b"1779785515596661.420", 1000), Some(1_779_785_515_596_661_420));
        assert_eq!(scaled(b"1779785515596661.4", 1000), Some(1_779_785_515_596_661_400));
        assert_eq!(scaled(b"1779785515596661", 1000), Some(1_779_785_515_596_661_000));
        assert_eq!(scaled(b"0001779785515596661.4201", 1000), Some(1_779_785_515_596_661_420));
        assert_eq!(scaled(b"-0.0005", 1000), Some(-1));
        assert_eq!(scaled(b".5", 1000), Some(500));
        assert_eq!(scaled(b"9223372036854775.807", 1000), Some(i64::MAX));
        assert_eq!(scaled(b"9223372036854775.808", 1000), None);
    }

    #[test]
    fn eight_digits_are_read_at_once() {
        for value in [0_u64, 1, 12_345_678, 99_999_999, 90_000_009, 10_203_040] {
            let text = format!("{value:08}");
            assert_eq!(eight_digits(text.as_bytes().try_into().unwrap()), Some(value));
            for place in 0..8 {
                for odd in [b'/', b':', b'.', b' ', b'-', 0, 0xb0, 0xff] {
                    let mut text = text.clone().into_bytes();
                    text[place] = odd;
                    assert_eq!(eight_digits(text.try_into().unwrap()), None);
                }
            }
        }
        assert_eq!(leading(b"123456789012345678x", 0), (123_456_789_012_345_678, 18));
        assert_eq!(leading(b"12345678", 7), (712_345_678, 8));
    }

    #[test]
    fn floats_are_the_nearest() {
        for text in ["954.37060546875", "19071.60547", "-0.1", "1452.0", "0.000000000000001"] {
            assert_eq!(Decimal::parse(text.as_bytes()).unwrap().to_f64(), text.parse().ok(), "{text}");
        }
        assert_eq!(Decimal::parse(b"9007199254740993").unwrap().to_f64(), None);
        assert_eq!(Decimal::parse(b"1e3").unwrap().to_f64(), None);
    }

    #[test]
    fn sizes_scale_by_powers_of_two() {
        assert_eq!(scaled(b"18816.5", 1024), Some(18816 * 1024 + 512));
        assert_eq!(plain_scaled(b"18816.5", 1024), Some(18816 * 1024 + 512));
        assert_eq!(plain_scaled(b"-1779785515596661.420", 1000), Some(-1_779_785_515_596_661_420));
        assert_eq!(scaled(b"954.37060546875", 1 << 20), Some(1_000_730_112));
        assert_eq!(scaled(b"-2343.78125", 1024), Some(-2_400_032));
    }

    #[test]
    fn spreadsheets_leave_scientific_notation() {
        let mangled = Decimal::parse(b"1.69512E+15").unwrap();
        assert!(mangled.scientific);
        assert_eq!(mangled.scaled(1000), Some(1_695_120_000_000_000_000));
        assert_eq!(scaled(b"25e-1", 1), Some(3));
        assert_eq!(scaled(b"1e-400", 1), Some(0));
        assert_eq!(scaled(b"0e400", 1), Some(0));
        assert_eq!(scaled(b"1e400", 1), None);
    }

    #[test]
    fn other_text_is_no_number() {
        for text in
            [&b""[..], b"-", b".", b"1.2.3", b"1 ", b"0x10", b"nan", b"1e", b"1e+", b"12a", b"1e99999"]
        {
            assert_eq!(Decimal::parse(text), None, "{}", String::from_utf8_lossy(text));
            assert_eq!(plain_scaled(text, 1), None);
        }
    }

    #[test]
    fn long_fractions_and_long_integers_keep_their_scale() {
        let long = [b"3.".to_vec(), vec![b'3'; 60]].concat();
        assert_eq!(scaled(&long, 1_000_000), Some(3_333_333));
        assert_eq!(scaled(&[vec![b'0'; 60], b"7".to_vec()].concat(), 1), Some(7));
        assert_eq!(scaled(&[b"0.".to_vec(), vec![b'0'; 60], b"7".to_vec()].concat(), 1), Some(0));
        assert_eq!(scaled(&[b'9'; 60], 1), None);
    }
}
