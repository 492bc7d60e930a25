//! Sizes as people type them: `64GiB`, `512 MB`, `1073741824`.

use hbmlens::model::Bytes;

/// Parses a size. Units of 1024 and of 1000 are told apart (`GiB`, `GB`); a bare `G` means GiB, as
/// device memory is meant.
pub fn parse_size(text: &str) -> Result<Bytes, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| format!("{text:?} is not a size such as 64GiB"))?;
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0_f64.powi(2),
        "g" | "gib" => 1024.0_f64.powi(3),
        "t" | "tib" => 1024.0_f64.powi(4),
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        other => {
            return Err(format!("{other:?} is not a unit of size (B, KiB, MiB, GiB, TiB, KB, MB, GB, TB)"));
        }
    };
    let bytes = number * factor;
    if bytes.is_finite() && bytes < 9e18 {
        Ok(Bytes(bytes as u64))
    } else {
        Err(format!("{text:?} is too large"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("64GiB"), Ok(Bytes(64 << 30)));
        assert_eq!(parse_size("64g"), Ok(Bytes(64 << 30)));
        assert_eq!(parse_size("1.5 MB"), Ok(Bytes(1_500_000)));
        assert_eq!(parse_size("12"), Ok(Bytes(12)));
        for bad in ["", "GiB", "1 XB", "1e99999", "-1"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
