//! The category rules, as data: one table, tried from top to bottom, each rule with a name.
//!
//! A rule looks at the frames of a stack that are not noise. It holds when some frame fits one of
//! `frames`, no frame further in fits `unless_inside`, no frame at all fits `without`, and, where `with`
//! is not empty, some frame fits it. A new framework is a line here, not code. Files are compared with
//! `/` for `\`; the name is the key of the rule's text (`rule.NAME`).

use super::category::Category;

/// A rule of the table.
#[derive(Debug)]
pub struct Rule {
    pub name: &'static str,
    pub category: Category,
    pub frames: &'static [FramePattern],
    pub unless_inside: &'static [FramePattern],
    pub with: &'static [FramePattern],
    pub without: &'static [FramePattern],
}

/// What a frame must look like. An empty list asks nothing; of a list one entry must fit.
#[derive(Debug)]
pub struct FramePattern {
    pub side: Side,
    pub file: &'static [Text],
    pub function: &'static [Text],
}

/// Whose frame it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Any,
    Python,
    /// Python outside `site-packages`, `dist-packages` and the standard library.
    OwnPython,
    Native,
}

/// What a text must look like.
#[derive(Debug)]
pub enum Text {
    Is(&'static str),
    Has(&'static str),
    /// The same with lower and upper case as one; the pattern is in lower case.
    HasAnyCase(&'static str),
    Ends(&'static str),
    /// Contains both, in this order.
    Between(&'static str, &'static str),
}

impl Text {
    pub fn fits(&self, text: &str) -> bool {
        match self {
            Text::Is(pattern) => text == *pattern,
            Text::Has(pattern) => text.contains(pattern),
            Text::HasAnyCase(pattern) => text.to_lowercase().contains(pattern),
            Text::Ends(pattern) => text.ends_with(pattern),
            Text::Between(first, second) => {
                text.split_once(first).is_some_and(|(_, rest)| rest.contains(second))
            }
        }
    }
}

use Text::{Between, Ends, Has, HasAnyCase, Is};

const fn file(side: Side, file: &'static [Text]) -> FramePattern {
    FramePattern { side, file, function: &[] }
}

const fn function(side: Side, function: &'static [Text]) -> FramePattern {
    FramePattern { side, file: &[], function }
}

const ENGINE: FramePattern = function(Side::Native, &[Has("torch::autograd::Engine::")]);
const MODEL_RUNS: [FramePattern; 2] = [function(Side::Python, &[Is("forward"), Is("backward")]), ENGINE];

const RULE: Rule =
    Rule { name: "", category: Category::Other, frames: &[], unless_inside: &[], with: &[], without: &[] };

/// All rules, in the order in which they are tried. `workspace` comes before them and `other` and
/// `unknown` after them; those three look at no frame.
pub static RULES: &[Rule] = &[
    // Gradients are allocated by the C++ engine, on a thread that runs no Python.
    Rule {
        name: "accumulate_grad",
        category: Category::Gradient,
        frames: &[function(Side::Native, &[Has("torch::autograd::AccumulateGrad")])],
        without: &[file(Side::Python, &[])],
        ..RULE
    },
    // `optimizer.step(closure)` runs the whole model inside, so what runs further in decides.
    Rule {
        name: "optimizer_code",
        category: Category::Optimizer,
        frames: &[file(
            Side::Python,
            &[
                Has("torch/optim/"),
                Has("apex/optimizers"),
                Has("deepspeed/ops/adam"),
                Has("bitsandbytes/optim"),
                Has("megatron/core/optimizer"),
                Between("mindspeed/", "optimizer"),
            ],
        )],
        unless_inside: &MODEL_RUNS,
        ..RULE
    },
    Rule {
        name: "optimizer_init_group",
        category: Category::Optimizer,
        frames: &[function(Side::Python, &[Is("_init_group")])],
        unless_inside: &MODEL_RUNS,
        ..RULE
    },
    Rule {
        name: "kv_cache",
        category: Category::KvCache,
        frames: &[
            file(Side::Any, &[Has("cache_engine.py"), Has("kv_cache")]),
            function(Side::Any, &[Has("kv_cache")]),
        ],
        ..RULE
    },
    Rule {
        name: "module_conversion",
        category: Category::Parameter,
        frames: &[FramePattern {
            side: Side::Python,
            file: &[Ends("torch/nn/modules/module.py")],
            function: &[Is("convert"), Is("_apply"), Is("to"), Is("cuda"), Is("npu")],
        }],
        ..RULE
    },
    Rule {
        name: "parameter_init",
        category: Category::Parameter,
        frames: &[
            file(Side::Python, &[Ends("torch/nn/parameter.py"), Between("torch/nn/", "init.py")]),
            function(Side::Python, &[Is("reset_parameters")]),
        ],
        ..RULE
    },
    Rule {
        name: "flat_parameter",
        category: Category::Parameter,
        frames: &[file(Side::Python, &[Has("flat_param"), Ends("fsdp/_fsdp_param.py")])],
        ..RULE
    },
    Rule {
        name: "checkpoint_load",
        category: Category::Parameter,
        frames: &[
            file(Side::Any, &[Has("safetensors"), Has("model_loader"), Ends("torch/serialization.py")]),
            function(Side::Any, &[Has("safetensors"), Has("model_loader"), Has("load_state_dict")]),
        ],
        ..RULE
    },
    // Other `torch/distributed/` frames say nothing: FSDP's `forward` is one.
    Rule {
        name: "collective",
        category: Category::Communication,
        frames: &[
            file(Side::Python, &[Ends("distributed_c10d.py"), Ends("_functional_collectives.py")]),
            function(Side::Native, &[Has("c10d::"), Has("ProcessGroup")]),
        ],
        ..RULE
    },
    // `torch::autograd::VariableType` is in forward stacks too and says nothing.
    Rule {
        name: "autograd_engine",
        category: Category::Backward,
        frames: &[ENGINE, function(Side::Python, &[Is("backward")])],
        ..RULE
    },
    Rule {
        name: "forward",
        category: Category::Activation,
        frames: &[function(Side::Python, &[Is("forward")])],
        ..RULE
    },
    Rule {
        name: "data_loader",
        category: Category::Input,
        frames: &[
            file(
                Side::Python,
                &[Has("torch/utils/data/"), HasAnyCase("dataloader"), HasAnyCase("data_loader")],
            ),
            // A program's own loader that copies ahead; others prefetch weights.
            FramePattern {
                side: Side::OwnPython,
                file: &[Ends("data.py"), HasAnyCase("prefetcher")],
                function: &[HasAnyCase("prefetch")],
            },
        ],
        ..RULE
    },
    Rule {
        name: "copy_to_device",
        category: Category::Input,
        frames: &[function(
            Side::Native,
            &[
                Has("THPVariable_to"),
                Has("THPVariable_cuda"),
                Has("THPVariable_npu"),
                Has("at::_ops::to_"),
                Has("_to_copy"),
            ],
        )],
        with: &[file(Side::OwnPython, &[])],
        ..RULE
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Language, label};

    #[test]
    fn the_masks_of_a_frame_hold_every_rule_and_every_rule_has_a_text() {
        assert!(RULES.len() <= 32);
        for rule in RULES {
            assert!(!rule.frames.is_empty());
            let key = format!("rule.{}", rule.name);
            assert_ne!(label(Language::English, &key), key);
        }
    }

    #[test]
    fn texts() {
        assert!(Between("mindspeed/", "optimizer").fits("/a/mindspeed/core/optimizer/x.py"));
        assert!(!Between("mindspeed/", "optimizer").fits("/a/optimizer/mindspeed/x.py"));
        assert!(HasAnyCase("dataloader").fits("MyDataLoader.py"));
        assert!(!Is("forward").fits("forward_step"));
    }
}
