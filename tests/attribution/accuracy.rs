//! Inference tested by hiding what is known: the recorded beginning of a complete trace is cut off at a
//! step boundary, and what is then inferred of the lives from before is held against what was recorded.

use crate::common::{Owned, made, real, shared};
use hbmlens::analysis::attribution::Category;
use hbmlens::model::{Action, Address, Device, FastMap, LifeId, Snapshot, StackId, fast_map};
use hbmlens::text::Language;
use std::collections::{BTreeMap, BTreeSet};

/// The same snapshot as if recording had begun at `event`: what was allocated before has no stack.
fn cut(full: &Owned, event: u32) -> Snapshot {
    let mut snapshot = full.snapshot.clone();
    let device = full.replay.device;
    let hidden: FastMap<Address, ()> = known_at(full, event).into_iter().map(|(_, a)| (a, ())).collect();
    for trace in snapshot.traces.iter_mut().filter(|trace| trace.device == device) {
        trace.rows.start += event as usize;
    }
    let ranges: Vec<_> = snapshot.segments_of(device).map(|(_, segment)| segment.blocks.clone()).collect();
    for block in ranges.into_iter().flatten() {
        let block = &mut snapshot.blocks.rows[block as usize];
        if hidden.contains_key(&block.address) {
            block.stack = StackId::NONE;
        }
    }
    snapshot
}

/// Lives alive at an event, with their addresses.
fn known_at(full: &Owned, event: u32) -> Vec<(LifeId, Address)> {
    let lives = full.replay.lives.live(event);
    lives.into_iter().map(|life| (life, full.memory().address(life))).collect()
}

/// Hidden and inferred bytes, and what they were taken for.
#[derive(Default)]
struct Confusion {
    hidden: u64,
    inferred: u64,
    right: u64,
    /// (what it was, what it was taken for) → bytes.
    table: BTreeMap<(Category, Category), u64>,
}

impl Confusion {
    /// Lives of one inference and size are told apart only by number ("which block is which is not
    /// known"), so within them the bytes of each category count.
    fn of(full: &Owned, event: u32) -> Confusion {
        let after = Owned::new(cut(full, event), full.replay.device);
        let truth: FastMap<Address, LifeId> =
            known_at(full, event).into_iter().map(|(l, a)| (a, l)).collect();
        let mut confusion = Confusion::default();
        let mut groups: FastMap<(u32, u64), [[u64; Category::COUNT]; 2]> = fast_map();
        let lives = &after.replay.lives;
        assert_eq!(lives.initial_len(), truth.len());
        for life in (0..lives.initial_len()).map(LifeId::new) {
            let Some(&known) = truth.get(&after.memory().address(life)) else {
                panic!("a life from before the cut that the whole trace does not know");
            };
            let was = full.attribution.category(known);
            let size = lives.size(life).0;
            if was == Category::Unknown {
                continue;
            }
            confusion.hidden += size;
            let taken_for = after.attribution.category(life);
            *confusion.table.entry((was, taken_for)).or_default() += size;
            if taken_for != Category::Unknown {
                assert!(after.attribution.is_inferred(life));
                confusion.inferred += size;
                let group = groups.entry((after.attribution.basis_row(life), size)).or_default();
                group[0][was as usize] += size;
                group[1][taken_for as usize] += size;
            }
        }
        confusion.right =
            groups.values().flat_map(|[was, taken]| was.iter().zip(taken)).map(|(a, b)| a.min(b)).sum();
        confusion
    }

    fn print(&self, name: &str) {
        let mib = |bytes: u64| bytes as f64 / (1 << 20) as f64;
        eprintln!(
            "{name}: hidden {:.1} MiB, inferred {:.1} MiB ({:.1} %), right {:.1} %",
            mib(self.hidden),
            mib(self.inferred),
            100.0 * self.inferred as f64 / self.hidden as f64,
            100.0 * self.right as f64 / self.inferred as f64
        );
        for (&(was, taken_for), &bytes) in &self.table {
            eprintln!("    {was:20} taken for {taken_for:20} {:10.2} MiB", mib(bytes));
        }
    }

    fn check(&self, name: &str) {
        self.print(name);
        assert!(self.inferred as f64 >= 0.80 * self.hidden as f64, "{name}: too little is inferred");
        assert!(self.right as f64 >= 0.95 * self.inferred as f64, "{name}: too much is wrong");
    }
}

/// The first events of the steps that the truth file names.
fn steps(truth: &serde_json::Value) -> Vec<u32> {
    let steps = truth[0]["steps"].as_array().cloned().unwrap_or_default();
    steps.iter().filter_map(|step| Some(step[0].as_u64()? as u32)).collect()
}

#[test]
fn generated_runs_cut_at_a_step() {
    let Some(shared) = shared() else { return };
    let runs: &[(&str, &[&str])] = &[
        ("plain", &["--events", "12000", "--layers", "6", "--categories"]),
        ("npu", &["--events", "12000", "--layers", "12", "--categories", "--flavour", "npu"]),
        (
            "streams",
            &["--events", "12000", "--layers", "5", "--categories", "--streams", "3", "--pools", "2"],
        ),
        ("expandable", &["--events", "9000", "--layers", "8", "--categories", "--expandable", "--seed", "4"]),
    ];
    for (name, options) in runs {
        let Some((snapshot, truth)) = made(&shared, name, options) else { return };
        let full = Owned::new(snapshot, Device::Index(0));
        let steps = steps(&truth);
        assert!(steps.len() > 6);
        for step in [2, steps.len() / 2] {
            Confusion::of(&full, steps[step]).check(&format!("{name}, step {step}"));
        }
    }
}

/// Gradients that are kept and added to, as with `set_to_none=False`, are made once, before the cut: weights,
/// gradients and states then repeat alike, and nothing must be taken for what it is not.
#[test]
fn a_run_that_keeps_its_gradients() {
    let Some(shared) = shared() else { return };
    let Some((snapshot, truth)) = made(&shared, "kept", &["--events", "6000", "--layers", "6"]) else {
        return;
    };
    let full = Owned::new(snapshot, Device::Index(0));
    let steps = steps(&truth);
    let confusion = Confusion::of(&full, steps[steps.len() / 2]);
    confusion.print("kept gradients");
    assert!(confusion.hidden > 0 && confusion.right as f64 >= 0.95 * confusion.inferred as f64);
}

/// The script's own cut: what its truth says of the whole run must come out of the file that lacks the
/// beginning, though the blocks have lost their frames.
#[test]
fn a_generated_file_without_its_beginning() {
    let Some(shared) = shared() else { return };
    let options = ["--events", "12000", "--layers", "6", "--drop-beginning", "--drop-frames"];
    let Some((snapshot, truth)) = made(&shared, "dropped", &options) else { return };
    let run = Owned::new(snapshot, Device::Index(0));
    let known = &truth[0]["file"]["categories_at_peak"];
    let mut wrong = 0;
    for category in Category::ALL {
        let mut bytes = run.category_at_peak(category).1;
        if category == Category::Optimizer {
            bytes += run.category_at_peak(Category::OptimizerTemporary).1;
        }
        let said = known[category.id()]["bytes"].as_u64().unwrap_or(0);
        eprintln!("{category:20} {bytes:12} inferred or known, {said:12} in truth");
        wrong += bytes.saturating_sub(said);
    }
    let whole = run.replay.peak().bytes.0;
    assert!((wrong as f64) < 0.05 * whole as f64);
}

#[test]
fn a_real_run_cut_at_a_step() {
    let Some(shared) = shared() else { return };
    let full = Owned::new(real(&shared, "cuda_zeroth_order.pickle"), Device::Index(0));
    let snapshot = &full.snapshot;
    // Its steps: each begins with `zero_grad`, as its annotations say.
    let starts: Vec<_> = snapshot
        .annotations
        .iter()
        .filter(|a| {
            snapshot.strings.get(a.name).contains("zero_grad") && snapshot.strings.get(a.stage) == "START"
        })
        .filter_map(|a| a.time)
        .collect();
    assert_eq!(starts.len(), 2);
    for (start, has_copy) in starts.into_iter().zip([false, true]) {
        let event = (0..full.replay.events())
            .find(|&event| snapshot.events.time_of(full.replay.row(event)).is_some_and(|time| time >= start))
            .unwrap_or_default();
        assert!(snapshot.events.action[full.replay.row(event)] != Action::Oom);
        let (confusion, name) = (Confusion::of(&full, event), format!("zeroth order, event {event}"));
        // Block for block, not only in sum.
        confusion.check(&name);
        // From the second step on nothing of a second copy of the model moves any more: what the program keeps
        // beside its weights has no stack, no free and no size of its own. Its stacks say no more than `other`.
        let after = Owned::new(cut(&full, event), full.replay.device);
        let kept = |life: &LifeId| after.memory().why(*life).name == "kept_copy";
        let kept: Vec<LifeId> = after.replay.lives.ids().filter(kept).collect();
        if !has_copy {
            assert!(kept.is_empty());
            continue;
        }
        let size = |life: &LifeId| after.replay.lives.size(*life).0;
        let other = |(was, _): (Category, Category)| was == Category::Other;
        let hidden: u64 =
            confusion.table.iter().filter(|&(&key, _)| other(key)).map(|(_, bytes)| bytes).sum();
        let bytes: u64 = kept.iter().map(size).sum();
        assert!(bytes <= hidden && bytes as f64 >= 0.95 * hidden as f64, "{name}: {bytes} of {hidden}");
        let evidence = |life: &LifeId| {
            after
                .memory()
                .why(*life)
                .inference
                .map(|i| i.evidence.render(Language::English))
                .unwrap_or_default()
        };
        let texts: BTreeSet<String> = kept.iter().map(evidence).collect();
        let largest = "2 lives of 147.28 MiB (154,435,584) last through the trace";
        assert!(texts.iter().any(|text| text.starts_with(largest)), "{texts:?}");
    }
}

/// A run that frees its weights and states in one place at its end, where nothing tells them apart but what they
/// outlive: cut at its first step (the optimizer has yet to make its states) and where others begin.
#[test]
fn a_real_run_that_takes_its_model_down() {
    let Some(shared) = shared() else { return };
    let full = Owned::new(real(&shared, "npu_two_devices.pkl"), Device::Index(1));
    assert_eq!(full.replay.lives.initial_len(), 0);
    for event in [2_007, 3_261, 4_985, 5_842] {
        Confusion::of(&full, event).check(&format!("a model taken down, event {event}"));
    }
}

/// A trace that begins between forward and backward, as those of ring buffers do: what was saved for the
/// backward pass is no temporary of it.
#[test]
fn a_real_run_cut_before_its_backward_pass() {
    let Some(shared) = shared() else { return };
    let full = Owned::new(real(&shared, "cuda_many_segments.pickle"), Device::Index(0));
    let confusion = Confusion::of(&full, 6_367);
    confusion.print("before backward");
    let bytes = |taken: Category| confusion.table.get(&(Category::Activation, taken)).copied().unwrap_or(0);
    // What is freed at once may have been made by a pass that had begun.
    assert!(bytes(Category::Activation) > 4 << 30);
    assert!(bytes(Category::Backward) < bytes(Category::Activation) / 2);
}
