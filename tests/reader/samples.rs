//! Small snapshots of every layout, as values.

use crate::encode::V;

fn text(text: &str) -> V {
    V::Text(text.to_owned())
}

fn int(value: i128) -> V {
    V::Int(value)
}

pub fn frame(file: &str, line: i128, name: &str) -> V {
    V::Dict(vec![("name", text(name)), ("filename", text(file)), ("line", int(line))])
}

fn frames(tail: i128) -> V {
    V::List(vec![
        frame("", 0, "torch::unwind::unwind()"),
        frame("??", 0, "??"),
        frame("/opt/model/层.py", 10 + tail, "forward"),
        frame("C:\\train\\main.py", 7, "<module>"),
    ])
}

fn event(action: &str, addr: i128, size: i128, more: Vec<(&'static str, V)>) -> V {
    let mut pairs =
        vec![("action", text(action)), ("addr", int(addr)), ("size", int(size)), ("stream", int(0))];
    pairs.extend(more);
    V::Dict(pairs)
}

fn block(address: i128, size: i128, requested: i128, state: &str) -> V {
    V::Dict(vec![
        ("address", int(address)),
        ("size", int(size)),
        ("requested_size", int(requested)),
        ("state", text(state)),
        ("frames", if state == "inactive" { V::List(vec![]) } else { frames(0) }),
    ])
}

/// A block or a segment with one key more.
fn with(owner: V, key: &'static str, value: V) -> V {
    match owner {
        V::Dict(mut pairs) => {
            pairs.push((key, value));
            V::Dict(pairs)
        }
        other => other,
    }
}

fn segment(device: i128, address: i128, total: i128, allocated: i128, active: i128, blocks: Vec<V>) -> V {
    V::Dict(vec![
        ("device", int(device)),
        ("address", int(address)),
        ("total_size", int(total)),
        ("allocated_size", int(allocated)),
        ("active_size", int(active)),
        ("requested_size", int(allocated)),
        ("stream", int(0)),
        ("segment_type", text("large")),
        ("segment_pool_id", V::Tuple(vec![int(0), int(device)])),
        ("is_expandable", V::Bool(device == 1)),
        ("frames", V::List(vec![])),
        ("blocks", V::List(blocks)),
    ])
}

/// Everything that torch 2.15 writes.
pub fn modern() -> V {
    let base = 0x7f00_0000_0000;
    let time = |n: i128| ("time_us", int(1_700_000_000_000_000 + n));
    let trace = vec![
        event(
            "segment_alloc",
            base,
            2 << 20,
            vec![time(0), ("frames", frames(0)), ("compile_context", text("N/A"))],
        ),
        event(
            "alloc",
            base,
            1000,
            vec![
                time(1),
                ("frames", frames(1)),
                ("compile_context", text("0/1")),
                ("user_metadata", text("layer 3")),
                ("pool_id", V::Tuple(vec![int(0), int(1)])),
                ("internal_metadata", V::Dict(vec![("kind", text("graph")), ("depth", int(2))])),
                ("forward_frames", V::List(vec![text("a.py:1 f"), text("b.py:2 g")])),
            ],
        ),
        V::Dict(vec![
            ("action", text("oom")),
            ("device_free", int(12345)),
            ("size", int(1 << 30)),
            ("stream", int(0)),
            time(2),
            ("frames", V::List(vec![frame("a.py", 1, "f")])),
        ]),
        event("annotate", 0, 0, vec![time(3), ("user_metadata", text("{\"step\": 1}"))]),
        event("snapshot", 0, 0, vec![time(4)]),
    ];
    let annotations = [("START", 1), ("END", 3)].map(|(stage, at)| {
        V::Dict(vec![("name", text("ProfilerStep#1")), ("stage", text(stage)), ("device", int(0)), time(at)])
    });
    V::Dict(vec![
        (
            "segments",
            V::List(vec![
                segment(
                    0,
                    base,
                    2 << 20,
                    1024,
                    2048,
                    vec![
                        block(base, 1024, 1000, "active_allocated"),
                        with(
                            block(base + 1024, 1024, 512, "active_awaiting_free"),
                            "forward_frames",
                            V::List(vec![text("a.py:1 f"), text("c.py:3 h")]),
                        ),
                        block(base + 2048, (2 << 20) - 2048, 999, "inactive"),
                    ],
                ),
                with(
                    segment(
                        1,
                        base + (4 << 20),
                        4096,
                        0,
                        0,
                        vec![block(base + (4 << 20), 4096, 0, "inactive")],
                    ),
                    "forward_frames",
                    V::List(vec![text("a.py:1 f"), text("d.py:4 i")]),
                ),
            ]),
        ),
        ("device_traces", V::List(vec![V::List(trace), V::List(vec![])])),
        (
            "host_segments",
            V::List(vec![segment(0, 4096, 8192, 0, 0, vec![block(4096, 8192, 0, "inactive")])]),
        ),
        ("host_traces", V::List(vec![V::List(vec![event("alloc", 4096, 10, vec![time(5)])])])),
        ("external_annotations", V::List(annotations.to_vec())),
        (
            "allocator_settings",
            V::Dict(vec![
                ("PYTORCH_CUDA_ALLOC_CONF", text("")),
                ("max_split_size", int(-1)),
                ("garbage_collection_threshold", V::Float(0.5)),
                ("expandable_segments", V::Bool(false)),
                ("roundup_power2_divisions", V::Dict(vec![("1", int(0)), ("2", int(4))])),
                ("nothing", V::None),
            ]),
        ),
    ])
}

/// A list of segments whose blocks have a history and no address, as torch 1.13 wrote.
pub fn old_list() -> V {
    let history = |addr, size| {
        V::Dict(vec![
            ("addr", int(addr)),
            ("real_size", int(size)),
            ("frames", frames(0)),
            ("cpp_frames", text("at::empty\nc10::malloc")),
        ])
    };
    let block = |size, state: &str, history: Vec<V>| {
        V::Dict(vec![("size", int(size)), ("state", text(state)), ("history", V::List(history))])
    };
    V::List(vec![V::Dict(vec![
        ("device", int(0)),
        ("address", int(1 << 40)),
        ("total_size", int(4096)),
        ("allocated_size", int(512)),
        ("active_size", int(512)),
        ("stream", int(0)),
        ("segment_type", text("small")),
        (
            "blocks",
            V::List(vec![
                block(512, "active_allocated", vec![history(1 << 40, 500), history(1 << 40, 400)]),
                block(3584, "inactive", vec![]),
            ]),
        ),
    ])])
}

/// torch_npu: pointers as streams, no times, workspace entries, absent frames, several devices.
pub fn npu() -> V {
    let entry = |action: &str, addr, size, with_frames: bool| {
        let mut pairs = vec![
            ("addr", int(addr)),
            ("action", text(action)),
            ("size", int(size)),
            ("stream", int(1_534_455_456)),
        ];
        if with_frames {
            pairs.push(("frames", frames(0)));
        }
        V::Dict(pairs)
    };
    let (work, base) = (0x12c0_4120_0000, 0x12c0_c000_0000);
    V::Dict(vec![
        ("device_traces", {
            let first = vec![
                entry("workspace_snapshot", work, 2 << 20, false),
                entry("segment_alloc", work, 2 << 20, false),
                entry("alloc", work, 2 << 20, false),
                entry("segment_map", base, 20 << 20, true),
                entry("alloc", base, 1 << 20, true),
                entry("free_requested", base, 1 << 20, false),
            ];
            V::List(vec![V::List(first), V::List(vec![]), V::List(vec![entry("alloc", base, 5, true)])])
        }),
        (
            "segments",
            V::List(vec![segment(0, base, 20 << 20, 0, 0, vec![block(base, 20 << 20, 0, "inactive")])]),
        ),
    ])
}

/// Legal, and unlike anything usual.
pub fn odd() -> V {
    let high = 1_i128 << 64;
    V::Dict(vec![
        ("segments", V::List(vec![])),
        ("a_key_of_tomorrow", V::List(vec![int(1), V::None])),
        (
            "device_traces",
            V::List(vec![V::List(vec![
                event(
                    "alloc",
                    high - 4096,
                    1 << 62,
                    vec![("frames", V::List(vec![frame("x.cpp", high - 1, "")]))],
                ),
                event("alloc", -8192, 16, vec![]),
                event("teleport", 1, 1, vec![("mood", text("fine"))]),
                event(
                    "user_defined",
                    0,
                    0,
                    vec![(
                        "frames",
                        V::List(vec![V::Dict(vec![("name", text("START")), ("filename", text("step 1"))])]),
                    )],
                ),
                event("alloc", 16, 16, vec![("frames", V::List(vec![]))]),
            ])]),
        ),
    ])
}

/// More events than a batch of Python's pickle holds, with as many stacks as there are steps.
pub fn long(events: i128) -> V {
    let trace = (0..events)
        .map(|n| {
            let action = ["alloc", "free_requested", "free_completed"][n as usize % 3];
            event(action, 4096 * (n / 3), 100 + n % 7, vec![("time_us", int(n)), ("frames", frames(n / 50))])
        })
        .collect();
    V::Dict(vec![
        ("segments", V::List(vec![segment(0, 0, 4096, 0, 0, vec![block(0, 4096, 0, "inactive")])])),
        ("device_traces", V::List(vec![V::List(trace)])),
    ])
}
