//! Folded stacks against PyTorch's own output: by hash and by the first lines.

use crate::support::{run, shared, snapshots};
use std::collections::BTreeMap;

#[test]
fn folded_stacks_are_those_of_the_reference() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let ran = run(["folded".as_ref(), path.as_os_str()]);
        let mut lines: Vec<&str> = ran.out.lines().filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        let expected = shared.join("data/expected");
        let head = std::fs::read_to_string(expected.join(format!("{name}.folded.head"))).expect("readable");
        for (mine, theirs) in lines.iter().zip(head.lines()) {
            assert_eq!(*mine, theirs, "{name}");
        }
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        let hash = std::fs::read_to_string(expected.join(format!("{name}.folded.sha256"))).expect("readable");
        assert_eq!(sha256(text.as_bytes()), hash.trim(), "{name}");
    }
}

#[test]
fn the_lines_of_a_segment_add_up_to_it() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let ran = run(["folded".as_ref(), path.as_os_str(), "--segments".as_ref()]);
        let mut sums: BTreeMap<&str, i128> = BTreeMap::new();
        for line in ran.out.lines() {
            let (rest, bytes) = line.rsplit_once(' ').expect("a size");
            let segment = rest.split(';').nth(1).expect("a segment");
            *sums.entry(segment).or_default() += bytes.parse::<i128>().expect("a number");
        }
        let overview = run([path.as_os_str(), "--json".as_ref()]).json().remove(0);
        assert_eq!(Some(sums.values().sum::<i128>() as i64), overview["total"]["reserved"].as_i64());
        assert_eq!(Some(sums.len() as i64), overview["total"]["segments"].as_i64(), "{}", path.display());
    }
}

/// FIPS 180-4, enough for a comparison.
fn sha256(message: &[u8]) -> String {
    let root = |x: f64| (x.fract() * 4_294_967_296.0) as u32;
    let primes: Vec<u32> = (2_u32..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
    let k: Vec<u32> = primes.iter().take(64).map(|&p| root(f64::from(p).cbrt())).collect();
    let mut h: Vec<u32> = primes.iter().take(8).map(|&p| root(f64::from(p).sqrt())).collect();
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((message.len() + 9).next_multiple_of(64), 0);
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(message.len() as u64 * 8).to_be_bytes());
    for chunk in padded.chunks_exact(64) {
        let mut w: Vec<u32> =
            chunk.chunks_exact(4).map(|b| u32::from_be_bytes(b.try_into().expect("four bytes"))).collect();
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let mut v = h.clone();
        for i in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(k[i]).wrapping_add(w[i]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0.wrapping_add(majority));
        }
        for (a, b) in h.iter_mut().zip(v) {
            *a = a.wrapping_add(b);
        }
    }
    h.iter().map(|word| format!("{word:08x}")).collect()
}

#[test]
fn the_hash_is_the_standard_one() {
    assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
