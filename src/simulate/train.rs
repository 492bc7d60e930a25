//! A small transformer's training run, with the allocations a real one makes.
//!
//! Parameters by `Module.to`, activations by forward, temporaries and gradients by the autograd engine,
//! optimizer state in the first step and temporaries in every one. It can leak a buffer a step, or fill
//! a cache for ten steps and stop, from one place of its own code each.

use super::allocator::{Config, Simulator};
use super::program::{Program, Tensor};
use super::recorder::Category;
use super::shapes::{Python, Shape};
use super::stacks::Frame;

const TRAIN: &str = "/home/user/gpt/train.py";
const MODEL: &str = "/home/user/gpt/model.py";
const METRICS: &str = "/home/user/gpt/metrics.py";
const TOKENS: &str = "/home/user/gpt/tokens.py";
const MODULE: &str = "torch/nn/modules/module.py";
const LINEAR: &str = "torch/nn/modules/linear.py";
const ADAM: &str = "torch/optim/adam.py";
const STEP: [Python; 3] = [(TRAIN, 71, "train_step"), (TRAIN, 118, "main"), (TRAIN, 131, "<module>")];

/// The model and what the run does.
#[derive(Clone, Debug)]
pub struct Training {
    pub layers: u64,
    pub hidden: u64,
    pub heads: u64,
    pub batch: u64,
    pub sequence: u64,
    pub vocabulary: u64,
    pub steps: u64,
    /// Bytes of a buffer that is never given back, one a step.
    pub leak: u64,
    /// Bytes of a buffer that a cache keeps, one a step for the first ten.
    pub cache: u64,
    /// Mark the steps as the profiler does.
    pub annotate: bool,
    /// Switch the history on after so many steps.
    pub record_after: u64,
    pub shape: Shape,
}

impl Default for Training {
    fn default() -> Self {
        Training {
            layers: 4,
            hidden: 256,
            heads: 4,
            batch: 4,
            sequence: 256,
            vocabulary: 8192,
            steps: 6,
            leak: 0,
            cache: 0,
            annotate: true,
            record_after: 0,
            shape: Shape::Torch,
        }
    }
}

impl Training {
    /// File and line of the leak.
    pub const LEAK_SITE: (&'static str, u64, &'static str) = (METRICS, 41, "remember");
    /// File and line of the cache that stops growing.
    pub const CACHE_SITE: (&'static str, u64, &'static str) = (TOKENS, 58, "lookup");

    /// Runs it on a device.
    pub fn run(&self, config: Config) -> Simulator {
        let mut run =
            Run { training: self, program: Program::new(config, self.shape), parameters: Vec::new() };
        run.load();
        let mut gradients: Vec<Option<Tensor>> = Vec::new();
        let mut loss = None;
        for step in 0..self.steps {
            if step == self.record_after && step > 0 {
                run.program.sim.start_recording();
            }
            let name = format!("ProfilerStep#{step}");
            if self.annotate {
                run.program.mark(&name, true);
            }
            run.step(step, &mut gradients, &mut loss);
            if self.annotate {
                run.program.mark(&name, false);
            }
        }
        run.program.sim
    }
}

/// What backward needs of one forward operation: tensors saved, and the node that frees them.
struct Saved {
    tensors: Vec<Option<Tensor>>,
    node: &'static str,
    /// Bytes of the gradient with respect to its input.
    input_bytes: u64,
    /// Parameters whose gradients it makes.
    parameters: std::ops::Range<usize>,
}

struct Run<'a> {
    training: &'a Training,
    program: Program,
    /// Sizes of the parameters, in order.
    parameters: Vec<u64>,
}

impl Run<'_> {
    fn layer_parameters(&self) -> [u64; 10] {
        let h = self.training.hidden * 4;
        let hidden = self.training.hidden;
        [h, h, 3 * h * hidden, 3 * h, h * hidden, h, h, h, 4 * h * hidden, 4 * h * hidden]
    }

    fn load(&mut self) {
        let t = self.training;
        let embedding = t.vocabulary * t.hidden * 4;
        self.parameters.push(embedding);
        for _ in 0..t.layers {
            self.parameters.extend(self.layer_parameters());
        }
        self.parameters.push(embedding);
        let convert: [Python; 6] = [
            (MODULE, 1355, "convert"),
            (MODULE, 942, "_apply"),
            (MODULE, 915, "_apply"),
            (MODULE, 1369, "to"),
            (TRAIN, 96, "main"),
            (TRAIN, 131, "<module>"),
        ];
        let frames = t.shape.call("to", &convert);
        for size in self.parameters.clone() {
            self.program.alloc(size, Category::Parameter, &frames);
        }
    }

    fn step(&mut self, step: u64, gradients: &mut Vec<Option<Tensor>>, loss: &mut Option<Tensor>) {
        let t = self.training;
        let shape = t.shape;
        let tokens = t.batch * t.sequence * 8;
        let copy = shape.call("to", &[&[(TRAIN, 58, "next_batch")], &STEP[..]].concat());
        let inputs = [(); 2].map(|()| self.program.alloc(tokens, Category::Input, &copy));
        let (saved, logits) = self.forward(loss);
        self.keep(step);
        self.backward(saved, logits, gradients);
        self.optimize(step);
        let dropped = shape.released(&STEP);
        inputs.into_iter().for_each(|x| self.program.free(x, &dropped));
        let zero: [Python; 2] = [("torch/optim/optimizer.py", 969, "zero_grad"), STEP[0]];
        let zeroed = shape.released(&[&zero[..], &STEP[1..]].concat());
        for gradient in gradients.drain(..) {
            self.program.free(gradient, &zeroed);
        }
    }

    /// What the program keeps of a step: the leak, and the cache.
    fn keep(&mut self, step: u64) {
        let t = self.training;
        for (size, site, wanted) in
            [(t.leak, Training::LEAK_SITE, true), (t.cache, Training::CACHE_SITE, step < 10)]
        {
            if size > 0 && wanted {
                let frames = t.shape.call("clone", &[&[site], &STEP[..]].concat());
                self.program.alloc(size, Category::Other, &frames);
            }
        }
    }

    /// Frames of an operator inside the forward of a block of the model.
    fn inside(&self, op: &str, inner: &[Python], layer: bool) -> Vec<Frame> {
        let call: [Python; 2] = [(MODULE, 1762, "_call_impl"), (MODULE, 1751, "_wrapped_call_impl")];
        let mut python = inner.to_vec();
        if layer {
            python.push((MODEL, 88, "forward"));
            python.extend(call);
        }
        python.push((MODEL, 132, "forward"));
        python.extend(call);
        python.extend(STEP);
        self.training.shape.function(op, &python)
    }

    fn activation(&mut self, size: u64, op: &str, inner: &[Python], layer: bool) -> Option<Tensor> {
        let frames = self.inside(op, inner, layer);
        self.program.alloc(size, Category::Activation, &frames)
    }

    fn forward(&mut self, loss: &mut Option<Tensor>) -> (Vec<Saved>, Option<Tensor>) {
        let t = self.training;
        let shape = t.shape;
        let tokens = t.batch * t.sequence;
        let state = tokens * t.hidden * 4;
        let scores = t.batch * t.heads * t.sequence * t.sequence * 4;
        let call: [Python; 2] = [(MODULE, 1762, "_call_impl"), (MODULE, 1751, "_wrapped_call_impl")];
        let linear = |line: u64, name: &'static str| -> Vec<Python> {
            [&[(LINEAR, 125, "forward")], &call[..], &[(MODEL, line, name)], &call[..]].concat()
        };
        let embedded =
            self.activation(state, "embedding", &[("torch/nn/functional.py", 2551, "embedding")], false);
        let mut saved = vec![Saved {
            tensors: vec![embedded],
            node: "EmbeddingBackward0",
            input_bytes: state,
            parameters: 0..1,
        }];
        for layer in 0..t.layers as usize {
            let p = 1 + layer * 10;
            let norm: [Python; 2] = [("torch/nn/functional.py", 2905, "layer_norm"), (MODEL, 84, "norm")];
            let normed = self.activation(state, "layer_norm", &norm, true);
            let moments = self.activation(tokens * 8, "layer_norm", &norm, true);
            let qkv = self.activation(3 * state, "linear", &linear(41, "forward"), true);
            let score =
                self.activation(scores, "matmul", &[&[(MODEL, 47, "forward")], &call[..]].concat(), true);
            let helper: Vec<Python> = [&[(MODEL, 22, "softmax"), (MODEL, 49, "forward")], &call[..]].concat();
            let weights = self.activation(scores, "softmax", &helper, true);
            let gone = shape.released(&[&helper[..], &STEP[..]].concat());
            self.program.free(score, &gone);
            let mixed =
                self.activation(state, "matmul", &[&[(MODEL, 51, "forward")], &call[..]].concat(), true);
            let projected = self.activation(state, "linear", &linear(53, "forward"), true);
            saved.push(Saved {
                tensors: vec![normed, moments, qkv, weights, mixed, projected],
                node: "SoftmaxBackward0",
                input_bytes: scores,
                parameters: p..p + 6,
            });
            let normed = self.activation(state, "layer_norm", &norm, true);
            let wide = self.activation(4 * state, "linear", &linear(66, "forward"), true);
            let gelu: Vec<Python> = [&[(MODEL, 67, "forward")], &call[..]].concat();
            let curved = self.activation(4 * state, "gelu", &gelu, true);
            let narrow = self.activation(state, "linear", &linear(68, "forward"), true);
            saved.push(Saved {
                tensors: vec![normed, wide, curved, narrow],
                node: "GeluBackward0",
                input_bytes: 4 * state,
                parameters: p + 6..p + 10,
            });
        }
        let logits = self.activation(
            tokens * t.vocabulary * 4,
            "linear",
            &[&[(LINEAR, 125, "forward")], &call[..]].concat(),
            false,
        );
        let entropy: [Python; 1] = [("torch/nn/functional.py", 3494, "cross_entropy")];
        let logs = self.activation(tokens * t.vocabulary * 4, "log_softmax", &entropy, false);
        let new_loss = self.activation(4, "nll_loss_nd", &entropy, false);
        let dropped = shape.released(&STEP);
        self.program.free(loss.take(), &dropped);
        *loss = new_loss;
        let last = 1 + t.layers as usize * 10;
        saved.push(Saved {
            tensors: vec![logs],
            node: "LogSoftmaxBackward0",
            input_bytes: tokens * t.vocabulary * 4,
            parameters: last..last + 1,
        });
        (saved, logits)
    }

    fn backward(&mut self, saved: Vec<Saved>, logits: Option<Tensor>, gradients: &mut Vec<Option<Tensor>>) {
        let shape = self.training.shape;
        let released = shape.released_by_engine();
        let accumulate = shape.accumulate();
        let mut flowing = None;
        for node in saved.into_iter().rev() {
            let frames = shape.backward("mm", node.node);
            let gradient = self.program.alloc(node.input_bytes, Category::Backward, &frames);
            self.program.free(flowing.replace(gradient).flatten(), &released);
            for parameter in node.parameters.rev() {
                let size = self.parameters[parameter];
                let product = self.program.alloc(size, Category::Backward, &frames);
                gradients.push(self.program.alloc(size, Category::Gradient, &accumulate));
                self.program.free(product, &released);
            }
            node.tensors.into_iter().rev().for_each(|x| self.program.free(x, &released));
        }
        self.program.free(flowing.flatten(), &released);
        let dropped = shape.released(&STEP);
        self.program.free(logits, &dropped);
    }

    fn optimize(&mut self, step: u64) {
        let shape = self.training.shape;
        self.program.mark("Optimizer.step#AdamW.step", true);
        let outer: [Python; 2] = [(ADAM, 247, "step"), ("torch/optim/optimizer.py", 526, "wrapper")];
        let group = [&[(ADAM, 187, "_init_group")], &outer[..], &STEP[..]].concat();
        let multi =
            [&[(ADAM, 741, "_multi_tensor_adam"), (ADAM, 949, "adam")], &outer[..], &STEP[..]].concat();
        if step == 0 {
            let frames = shape.function("zeros_like", &group);
            for size in self.parameters.clone() {
                self.program.alloc(size, Category::Optimizer, &frames);
                self.program.alloc(size, Category::Optimizer, &frames);
            }
        }
        let frames = shape.function("_foreach_sqrt", &multi);
        let sizes = self.parameters.clone();
        let roots: Vec<_> =
            sizes.iter().map(|&s| self.program.alloc(s, Category::OptimizerTemporary, &frames)).collect();
        let released = shape.released(&multi);
        roots.into_iter().for_each(|x| self.program.free(x, &released));
        self.program.mark("Optimizer.step#AdamW.step", false);
    }
}
