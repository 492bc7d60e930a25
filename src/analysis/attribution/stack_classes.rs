//! What each distinct stack says, told once: category, the rule that says so, the frame it fitted, and
//! the call site.
//!
//! A million events share a few thousand stacks. Everything that wants to know what an event's stack
//! means reads one entry here.

use super::category::Category;
use super::frame_traits::{FrameTraits, FrameTraitsTable};
use super::rules::{RULES, Rule};
use super::user_rules::{UserRule, UserRules};
use crate::model::{FrameId, Snapshot, StackId};

/// Which rule spoke.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StackRule {
    /// A rule of the table, by index.
    Table(u16),
    /// A rule of the user's, by index.
    User(u16),
    /// It has frames, and no rule fits.
    NoRule,
    /// There are no frames.
    NoFrames,
}

/// What one stack says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackClass {
    pub category: Category,
    pub rule: StackRule,
    /// The frame that the rule fitted.
    pub frame: FrameId,
    /// The innermost frame that a reader would call the place.
    pub call_site: FrameId,
    /// Some frame is Python.
    pub has_python: bool,
    /// Some frame is a native with a name.
    pub has_native: bool,
    /// Optimizer code runs, by the table (whatever a user's rule says of the stack).
    pub in_optimizer: bool,
}

impl StackClass {
    /// What is said of a stack that was not recorded.
    pub const NONE: StackClass = StackClass {
        category: Category::Unknown,
        rule: StackRule::NoFrames,
        frame: FrameId::NONE,
        call_site: FrameId::NONE,
        has_python: false,
        has_native: false,
        in_optimizer: false,
    };

    /// It has at least one frame.
    pub fn has_frames(&self) -> bool {
        self.rule != StackRule::NoFrames
    }
}

/// The classes of all stacks of a snapshot, by id, and what they were made from.
#[derive(Clone, Debug, Default)]
pub struct StackClasses {
    classes: Vec<StackClass>,
    frames: FrameTraitsTable,
    user_rules: UserRules,
}

impl StackClasses {
    pub fn new(snapshot: &Snapshot, user_rules: UserRules) -> StackClasses {
        let frames = FrameTraitsTable::new(snapshot);
        let user_of_frame = user_rules_of_frames(snapshot, &frames, &user_rules);
        let classes = snapshot
            .stacks
            .ids()
            .map(|stack| classify(snapshot.stacks.get(stack), &frames, &user_of_frame, &user_rules))
            .collect();
        StackClasses { classes, frames, user_rules }
    }

    /// What a stack says.
    #[inline]
    pub fn get(&self, stack: StackId) -> StackClass {
        self.classes.get(stack.index()).copied().unwrap_or(StackClass::NONE)
    }

    /// What is known of a frame.
    #[inline]
    pub fn frame(&self, frame: FrameId) -> FrameTraits {
        self.frames.get(frame)
    }

    /// The rules of the user that these classes follow.
    pub fn user_rules(&self) -> &UserRules {
        &self.user_rules
    }

    /// The name of a rule: of the table, of the user's, or why there is none.
    pub fn rule_name(&self, rule: StackRule) -> String {
        match rule {
            StackRule::Table(index) => RULES.get(usize::from(index)).map_or("", |r| r.name).to_owned(),
            StackRule::User(index) => {
                self.user_rules.get(usize::from(index)).map(UserRule::name).unwrap_or_default()
            }
            StackRule::NoRule => "no_rule".to_owned(),
            StackRule::NoFrames => "no_frames".to_owned(),
        }
    }
}

const NO_USER_RULE: u16 = u16::MAX;

/// The first user rule that each frame fits; empty where there are no user rules.
fn user_rules_of_frames(snapshot: &Snapshot, frames: &FrameTraitsTable, rules: &UserRules) -> Vec<u16> {
    if rules.is_empty() {
        return Vec::new();
    }
    let of_frame = |(id, frame): (FrameId, crate::model::Frame)| {
        let (file, function) =
            (snapshot.strings.original(frame.file), snapshot.strings.original(frame.function));
        let first = if frames.get(id).is_noise() { None } else { rules.first_that_fits(file, function) };
        first.and_then(|index| u16::try_from(index).ok()).unwrap_or(NO_USER_RULE)
    };
    snapshot.frames.iter().map(of_frame).collect()
}

fn classify(
    stack: &[FrameId],
    frames: &FrameTraitsTable,
    user_of_frame: &[u16],
    user_rules: &UserRules,
) -> StackClass {
    if stack.is_empty() {
        return StackClass::NONE;
    }
    let mut class = StackClass { rule: StackRule::NoRule, category: Category::Other, ..StackClass::NONE };
    let (mut found, mut inside, mut with, mut without) = (0_u32, 0_u32, 0_u32, 0_u32);
    let mut user = (NO_USER_RULE, FrameId::NONE);
    for &id in stack {
        let traits = frames.get(id);
        class.has_python |= traits.is_python();
        class.has_native |= traits.is_named_native();
        found |= traits.rules & !inside;
        inside |= traits.unless_inside;
        with |= traits.with;
        without |= traits.without;
        if let Some(&rule) = user_of_frame.get(id.index())
            && rule < user.0
        {
            user = (rule, id);
        }
    }
    let holds = |index: usize, rule: &Rule| {
        let bit = 1 << index;
        found & bit != 0 && without & bit == 0 && (rule.with.is_empty() || with & bit != 0)
    };
    class.call_site = call_site(stack, frames);
    class.in_optimizer =
        RULES.iter().enumerate().any(|(i, rule)| rule.category == Category::Optimizer && holds(i, rule));
    if let Some(rule) = user_rules.get(usize::from(user.0)) {
        class.category = rule.category;
        class.rule = StackRule::User(user.0);
        class.frame = user.1;
    } else if let Some((index, rule)) = RULES.iter().enumerate().find(|(i, rule)| holds(*i, rule)) {
        class.category = rule.category;
        class.rule = StackRule::Table(index as u16);
        // `found` says that a frame fits with nothing forbidden further in: that is the innermost one.
        let fits = |id: &&FrameId| frames.get(**id).rules & (1 << index) != 0;
        class.frame = stack.iter().find(fits).copied().unwrap_or(FrameId::NONE);
    }
    class
}

/// The innermost own Python frame; else the innermost Python frame; else the first native that is
/// neither noise nor plumbing; else the first that is not noise.
fn call_site(stack: &[FrameId], frames: &FrameTraitsTable) -> FrameId {
    let first = |wanted: fn(FrameTraits) -> bool| stack.iter().copied().find(|&id| wanted(frames.get(id)));
    first(FrameTraits::is_own)
        .or_else(|| first(FrameTraits::is_python))
        .or_else(|| first(|t| !t.is_noise() && !t.is_plumbing()))
        .or_else(|| first(|t| !t.is_noise()))
        .unwrap_or(FrameId::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Frame;

    const NATIVE: &str = "??";

    fn class_of(frames: &[(&str, &str)], rules: &str) -> (Category, String, Option<String>) {
        let mut snapshot = Snapshot::default();
        let ids: Vec<FrameId> = frames
            .iter()
            .map(|&(file, function)| {
                let (file, function) = (snapshot.strings.intern(file), snapshot.strings.intern(function));
                snapshot.frames.intern(Frame { file, function, line: 1 })
            })
            .collect();
        let stack = snapshot.stacks.intern(&ids);
        let classes = StackClasses::new(&snapshot, UserRules::parse(rules).unwrap_or_default());
        let class = classes.get(stack);
        let site = class.call_site.some().map(|id| snapshot.frames.get(id).file);
        (class.category, classes.rule_name(class.rule), site.map(|s| snapshot.strings.get(s).to_owned()))
    }

    #[test]
    fn the_first_rule_of_the_table_decides() {
        type Case<'a> = (&'a [(&'a str, &'a str)], Category, &'a str);
        let cases: &[Case<'_>] = &[
            (&[(NATIVE, "torch::autograd::AccumulateGrad::apply(x)")], Category::Gradient, "accumulate_grad"),
            (
                &[(NATIVE, "torch::autograd::AccumulateGrad::apply(x)"), ("t.py", "backward")],
                Category::Backward,
                "autograd_engine",
            ),
            (
                &[("a/torch/optim/adam.py", "_init_group"), ("t.py", "step")],
                Category::Optimizer,
                "optimizer_code",
            ),
            (&[("m.py", "forward"), ("a/torch/optim/sgd.py", "step")], Category::Activation, "forward"),
            (
                &[(NATIVE, "torch::autograd::Engine::run()"), ("a/torch/optim/sgd.py", "step")],
                Category::Backward,
                "autograd_engine",
            ),
            (&[("a/torch/optim/sgd.py", "step"), ("m.py", "forward")], Category::Optimizer, "optimizer_code"),
            (&[("v/worker.py", "_allocate_kv_cache")], Category::KvCache, "kv_cache"),
            (
                &[("a\\torch\\nn\\modules\\module.py", "convert"), ("t.py", "main")],
                Category::Parameter,
                "module_conversion",
            ),
            (&[("a/torch/nn/modules/module.py", "_call_impl")], Category::Other, "no_rule"),
            (&[(NATIVE, "c10d::ProcessGroupHCCL::allreduce()")], Category::Communication, "collective"),
            (&[("h.py", "softmax"), ("m.py", "forward")], Category::Activation, "forward"),
            (
                &[(NATIVE, "torch::autograd::THPVariable_to(x)"), ("t.py", "main")],
                Category::Input,
                "copy_to_device",
            ),
            (
                &[(NATIVE, "torch::autograd::THPVariable_to(x)"), ("a/site-packages/x.py", "f")],
                Category::Other,
                "no_rule",
            ),
            (&[], Category::Unknown, "no_frames"),
        ];
        for (frames, category, rule) in cases {
            let class = class_of(frames, "");
            assert_eq!((class.0, class.1.as_str()), (*category, *rule), "{frames:?}");
        }
    }

    #[test]
    fn a_users_rule_comes_first_and_noise_never_speaks() {
        let frames = [(NATIVE, "torch::unwind::unwind()"), ("h.py", "softmax"), ("m.py", "forward")];
        assert_eq!(class_of(&frames, "").0, Category::Activation);
        assert_eq!(class_of(&frames, "kv_cache function unwind").0, Category::Activation);
        let (category, rule, _) = class_of(&frames, "kv_cache function ^nothing$\ninput function ^softmax$");
        assert_eq!((category, rule.as_str()), (Category::Input, "input function ^softmax$"));
    }

    #[test]
    fn the_call_site_is_own_code_first() {
        let site = |frames: &[(&str, &str)]| class_of(frames, "").2.unwrap_or_default();
        let library = ("/v/lib/python3.11/site-packages/torch/nn/functional.py", "softmax");
        let native = ("accumulate_grad.cpp", "torch::autograd::AccumulateGrad::apply(x)");
        let plumbing = ("empty.cpp", "at::detail::empty_cuda(long)");
        assert_eq!(site(&[plumbing, native, library, ("m.py", "forward")]), "m.py");
        assert_eq!(site(&[plumbing, native, library]), library.0);
        assert_eq!(site(&[plumbing, native]), native.0);
        assert_eq!(site(&[(NATIVE, "??"), plumbing]), plumbing.0);
    }
}
