//! The pickle machine against two others: CPython's own, and serde-pickle on unshared values.

use hbmlens::format::pickle_to_json;
use proptest::prelude::*;
use std::process::{Command, Stdio};

/// Writes `(pickle in hex, value as JSON)` lines: every protocol, both of Python's picklers, every
/// kind of plain value, shared and not.
const PROGRAM: &str = r#"
import collections, io, json, pickle, pickletools, random
random.seed(7)
class Old(pickle._Pickler):
    pass
def old(value, protocol):
    out = io.BytesIO(); Old(out, protocol).dump(value); return out.getvalue()
def plain(v):
    if isinstance(v, dict): return {k: plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple, set, frozenset)): return [plain(x) for x in v]
    if isinstance(v, (bytes, bytearray)): return v.decode('latin-1')
    return v
shared = ['shared', {'a': 1}]
edges = [0, 1, -1, 127, 128, 255, 256, 65535, 65536, -32768, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**32, 2**55 - 1, 2**55,
         -2**55, -2**55 - 1, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64 - 1, 2**64, 2**120, -2**126]
values = [None, True, False, [], {}, (), '', b'', edges, [-e for e in edges], (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4),
          (2**60, -2**60), [1.5, -0.25, 1e300, -1e-300, 0.1], 'plain', 'ünï\u4e2d\U0001f600', 'line\nbreak\r\t\\ \\u0041 \0 \x1a\x7f',
          'x' * 255, 'y' * 256, 'z' * 70000, b'\x00\xff' * 100, b'b' * 300, bytearray(b'mutable'), {1, 2, 3}, frozenset([4, 5]),
          collections.OrderedDict([('b', 1), ('a', [2])]), collections.defaultdict(list, {'k': [1]}),
          [shared, shared, (shared,)], {str(i): i for i in range(2500)}, list(range(2500)), [[[[[[[]]]]]]],
          [{'k': 'v', 'n': [None, True, {'deep': (1, 2.5, 'x')}]}] * 3, ['same'] * 300, [['l%d' % (i % 5)] for i in range(400)]]
def build(depth):
    kind = random.randrange(9 if depth else 5)
    if kind == 0: return random.choice(edges)
    if kind == 1: return random.choice(['', 'text', 'ä', 'q' * 300])
    if kind == 2: return random.choice([None, True, False])
    if kind == 3: return random.random()
    if kind == 4: return random.choice([shared, 'shared text', b'bytes'])
    if kind == 5: return [build(depth - 1) for _ in range(random.randrange(5))]
    if kind == 6: return tuple(build(depth - 1) for _ in range(random.randrange(5)))
    return {'key %d' % random.randrange(9): build(depth - 1) for _ in range(random.randrange(4))}
values += [build(5) for _ in range(150)]
by_hand = [(b'I12\n.', 12), (b'I-7\n.', -7), (b'I01\n.', True), (b'I00\n.', False), (b'L-99999999999999999999L\n.', -99999999999999999999),
           (b'F2.5\n.', 2.5), (b"S'it\\'s'\n.", "it's"), (b'S"q\\n"\n.', 'q\n'), (b'T\x03\0\0\0abc.', 'abc'), (b'U\x02hi.', 'hi'),
           (b'(lp0\nI1\naI2\na.', [1, 2]), (b"(dp0\nS'a'\nI1\ns.", {'a': 1}), (b'(I1\nI2\nI3\nI4\nt.', [1, 2, 3, 4]),
           (b'(K\x01K\x02l.', [1, 2]), (b'(U\x01aK\x02d.', {'a': 2}), (b'K\x01K\x020.', 1), (b'K\x01(K\x02K\x031.', 1), (b'K\x012\x86.', [1, 1]),
           (b'(K\x01K\x020K\x03l.', [1, 3]), (b'\x80\x04\x8f(K\x01K\x02\x90.', [1, 2]), (b'\x80\x04(K\x01\x91.', [1]),
           (b'K\x05p7\n0g7\n.', 5), (b'\x8b\x02\0\0\0\xff\x7f.', 32767), (b'\x8a\0.', 0), (b'\x8a\x01\x80.', -128),
           (b'\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0.', 2**64 - 1), (b'\x80\x05\x96\x03\0\0\0\0\0\0\0xyz.', 'xyz'),
           (b'\x80\x04\x8d\x02\0\0\0\0\0\0\0hi.', 'hi'), (b'\x80\x04\x8e\x02\0\0\0\0\0\0\0hi.', 'hi'), (b'C\x02hi.', 'hi'), (b'B\x02\0\0\0hi.', 'hi')]
for data, value in by_hand:
    assert plain(pickle.loads(data, encoding='latin-1')) == value, data
    print(data.hex(), json.dumps(value))
for value in values:
    text = json.dumps(plain(value))
    for protocol in range(6):
        for data in {pickle.dumps(value, protocol), old(value, protocol), pickletools.optimize(pickle.dumps(value, protocol))}:
            print(data.hex(), text)
"#;

#[test]
fn python_agrees() {
    let python = Command::new("python3")
        .arg("-c")
        .arg(PROGRAM)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let Ok(python) = python else {
        eprintln!("skipped: no python3");
        return;
    };
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "the program failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut count = 0;
    for line in text.lines() {
        let (hex, expected) = line.split_once(' ').unwrap();
        let bytes: Vec<u8> = hex
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        let got = pickle_to_json(&bytes[..], Some(bytes.len() as u64), 1 << 24)
            .unwrap_or_else(|e| panic!("{e}: {hex}"));
        assert_same(&got, expected, hex);
        count += 1;
    }
    assert!(count > 1000, "{count}");
}

fn assert_same(got: &str, expected: &str, context: &str) {
    if got == expected {
        return;
    }
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text);
    let context = &context[..context.len().min(300)];
    assert_eq!(parse(got).expect(got), parse(expected).expect(expected), "{context}");
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1_000_000_000..1_000_000_000).prop_map(|eighths: i32| Value::from(f64::from(eighths) / 8.0)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map("[a-z]{1,8}", inner, 0..8).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// serde-pickle writes, this machine reads; and both read the same from the same bytes.
    #[test]
    fn serde_pickle_agrees(value in value(), old in any::<bool>()) {
        let options = if old { serde_pickle::SerOptions::new().proto_v2() } else { serde_pickle::SerOptions::new() };
        let bytes = serde_pickle::to_vec(&value, options).unwrap();
        let ours = pickle_to_json(&bytes[..], Some(bytes.len() as u64), 1 << 20).unwrap();
        let ours: serde_json::Value = serde_json::from_str(&ours).unwrap();
        prop_assert_eq!(&ours, &value);
        let theirs: serde_json::Value = serde_pickle::from_slice(&bytes, serde_pickle::DeOptions::new()).unwrap();
        prop_assert_eq!(&ours, &theirs);
    }

    /// No bytes whatever make the machine panic.
    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200), old in any::<bool>()) {
        let bytes = if old { bytes } else { [&[0x80, 4][..], &bytes].concat() };
        let _ = crate::read(&bytes[..], Some(bytes.len() as u64));
        let _ = pickle_to_json(&bytes[..], None, 1000);
    }
}
