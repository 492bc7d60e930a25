//! How numbers look in texts: the same in the page's sentences and in the terminal.

use super::catalogue::{Language, label};
use crate::model::Bytes;

/// `1,234,567`.
pub fn count_text(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.50 GiB (1,610,612,736)`: binary units with the exact bytes beside them.
pub fn exact_bytes(n: u64) -> String {
    if n < 1024 { Bytes(n).to_string() } else { format!("{} ({})", Bytes(n), count_text(n)) }
}

/// `+1.50 MiB`, `−2.00 KiB`, with a minus sign as wide as the plus.
pub fn difference_text(n: i64) -> String {
    format!("{}{}", if n < 0 { '−' } else { '+' }, Bytes(n.unsigned_abs()))
}

/// `12.3 %`. What is not quite nothing or everything does not print as 0 or 100.
pub fn share_text(x: f64) -> String {
    let percent = x * 100.0;
    if x > 0.0 && percent < 0.05 {
        "<0.1 %".to_owned()
    } else if x < 1.0 && percent > 99.95 {
        ">99.9 %".to_owned()
    } else {
        // Quarters lie in the middle of two tenths: they go up, as a script has it.
        let in_the_middle = (percent * 4.0) % 2.0 == 1.0;
        format!("{:.1} %", if in_the_middle { percent + 0.01 } else { percent })
    }
}

pub(super) fn event_text(n: i64, language: Language) -> String {
    match u64::try_from(n) {
        Ok(n) => label(language, "format.event").replace('#', &count_text(n)),
        Err(_) => label(language, "format.event_initial").to_owned(),
    }
}

/// A span with three significant digits or so: `420 ns`, `1.23 ms`, `2.50 s`.
pub(super) fn duration_text(nanos: i64) -> String {
    let (sign, n) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    match n {
        0..1_000 => format!("{sign}{n} ns"),
        1_000..1_000_000 => format!("{sign}{:.2} \u{b5}s", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{sign}{:.2} ms", n as f64 / 1e6),
        _ => format!("{sign}{:.2} s", n as f64 / 1e9),
    }
}

/// A moment in UTC with microseconds: `2024-05-03 12:00:01.123456 UTC`.
pub fn time_text(nanos: i64) -> String {
    let micros = nanos.div_euclid(1000);
    let (seconds, micro) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // The proleptic Gregorian date of a day number, by 400-year eras that begin on 1 March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}.{micro:06} UTC",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(count_text(0), "0");
        assert_eq!(count_text(1_000), "1,000");
        assert_eq!(count_text(418_220_007), "418,220,007");
        assert_eq!(exact_bytes(1_610_612_736), "1.50 GiB (1,610,612,736)");
        assert_eq!((difference_text(-2048), difference_text(0)), ("−2.00 KiB".into(), "+0 B".into()));
        assert_eq!(
            [0.0, 0.0001, 0.0625, 0.1234, 0.1875, 0.9999, 1.0].map(share_text),
            ["0.0 %", "<0.1 %", "6.3 %", "12.3 %", "18.8 %", ">99.9 %", "100.0 %"]
        );
        assert_eq!(duration_text(1_234_567), "1.23 ms");
    }

    #[test]
    fn moments() {
        assert_eq!(time_text(0), "1970-01-01 00:00:00.000000 UTC");
        assert_eq!(time_text(951_782_400_000_001_000), "2000-02-29 00:00:00.000001 UTC");
        assert_eq!(time_text(-1_000), "1969-12-31 23:59:59.999999 UTC");
    }
}
