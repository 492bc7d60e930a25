//! A run whose figures can be counted by hand: three bf16 `Linear(2048, 2048, bias=False)`, AdamW.
//!
//! A weight has 8 MiB, a batch of 512 × 2048 has 2 MiB. After a step there live three weights, their
//! gradients (`zero_grad(set_to_none=False)`), two optimizer states each, the input and the kept output:
//! 24 + 24 + 48 + 2 + 2 MiB, and a buffer of metrics of 8 KiB beside the loss. In the middle of a backward
//! pass every layer's and every activation function's output lives, and one gradient of an activation:
//! 12 and 2. The peak comes right after, when the first node of the last layer copies its operands.

use super::allocator::{Config, KIB, MIB, Simulator};
use super::program::{Program, Tensor};
use super::recorder::Category;
use super::shapes::{Python, Shape};

const WEIGHT: u64 = 8 * MIB;
const BATCH: u64 = 2 * MIB;
const MODULE: &str = "torch/nn/modules/module.py";
const TRAIN: &str = "/home/user/linears/train.py";
const MODEL: &str = "/home/user/linears/model.py";
const STEP: [Python; 2] = [(TRAIN, 44, "main"), (TRAIN, 61, "<module>")];

/// The run at the three moments at which it was dumped.
#[derive(Clone, Debug)]
pub struct Linears {
    /// In the backward pass of the third step, when the gradient of the output is known.
    pub mid_backward: Simulator,
    /// After the third step.
    pub after_step: Simulator,
    /// After the fourth.
    pub after_next_step: Simulator,
}

/// Runs four steps and dumps three times.
pub fn three_linears(config: Config, shape: Shape) -> Linears {
    let mut run = Run { program: Program::new(config, shape), output: None, loss: None };
    run.load();
    run.step(0);
    run.step(1);
    let mid_backward = run.step(2);
    let after_step = run.program.sim.clone();
    run.step(3);
    Linears { mid_backward, after_step, after_next_step: run.program.sim }
}

struct Run {
    program: Program,
    output: Option<Tensor>,
    loss: Option<Tensor>,
}

impl Run {
    fn load(&mut self) {
        let convert: [Python; 4] = [
            (MODULE, 1355, "convert"),
            (MODULE, 942, "_apply"),
            (MODULE, 915, "_apply"),
            (MODULE, 1369, "to"),
        ];
        let shape = self.program.shape;
        let frames = shape.call("to", &[&convert[..], &[(TRAIN, 20, "main"), STEP[1]]].concat());
        for _ in 0..3 {
            self.program.alloc(WEIGHT, Category::Parameter, &frames);
        }
        let frames = shape.call("to", &[(TRAIN, 24, "main"), STEP[1]]);
        self.program.alloc(BATCH, Category::Input, &frames);
        let frames = shape.function("zeros", &[(TRAIN, 25, "main"), STEP[1]]);
        self.program.alloc(8 * KIB, Category::Other, &frames);
    }

    /// One step; returns the run as it was in the middle of the backward pass.
    fn step(&mut self, step: u64) -> Simulator {
        let shape = self.program.shape;
        self.program.mark(&format!("ProfilerStep#{step}"), true);
        let own = shape.released(&STEP);
        let mut layers: Vec<(Option<Tensor>, Option<Tensor>)> = (0..3).map(|l| self.layer(l)).collect();
        let output = layers[2].1;
        self.program.free(self.output, &own);
        self.output = output;

        let squares = self.program.alloc(BATCH, Category::Other, &shape.call("square", &STEP));
        let loss = self.program.alloc(2, Category::Other, &shape.call("mean", &STEP));
        self.program.free(squares, &own);
        self.program.free(self.loss, &own);
        self.loss = loss;

        let released = shape.released_by_engine();
        let scalar = self.program.alloc(2, Category::Backward, &shape.backward("div", "MeanBackward0"));
        let mut flowing = self.backward(BATCH, "mul", "PowBackward0");
        self.program.free(scalar, &released);
        let mid_backward = self.program.sim.clone();
        for (number, (linear, gelu)) in layers.drain(..).enumerate().rev() {
            let gradient = self.backward(BATCH, "gelu_backward", "GeluBackward0");
            self.program.free(flowing, &released);
            // The last output is kept by the program; the others go with the node that saved them.
            self.program.free(linear, &released);
            if number < 2 {
                self.program.free(gelu, &released);
            }
            flowing = self.linear_backward(gradient, number > 0, step == 0);
        }
        self.optimize(step == 0);
        self.program.mark(&format!("ProfilerStep#{step}"), false);
        mid_backward
    }

    /// The forward of a layer and its activation function: both outputs.
    fn layer(&mut self, number: usize) -> (Option<Tensor>, Option<Tensor>) {
        let call: [Python; 2] = [(MODULE, 1762, "_call_impl"), (MODULE, 1751, "_wrapped_call_impl")];
        let inside = |file: &'static str, line: u64| -> Vec<Python> {
            let own = (MODEL, 17 + number as u64, "forward");
            [&[(file, line, "forward")], &call[..], &[own], &call[..], &STEP[..]].concat()
        };
        let shape = self.program.shape;
        let linear = shape.function("linear", &inside("torch/nn/modules/linear.py", 125));
        let gelu = shape.function("gelu", &inside("torch/nn/modules/activation.py", 734));
        let linear = self.program.alloc(BATCH, Category::Activation, &linear);
        (linear, self.program.alloc(BATCH, Category::Activation, &gelu))
    }

    fn backward(&mut self, size: u64, op: &str, node: &str) -> Option<Tensor> {
        let frames = self.program.shape.backward(op, node);
        self.program.alloc(size, Category::Backward, &frames)
    }

    /// The gradients of a layer's input and weight; returns the former, where it is wanted.
    fn linear_backward(&mut self, gradient: Option<Tensor>, input: bool, first: bool) -> Option<Tensor> {
        let shape = self.program.shape;
        let released = shape.released_by_engine();
        let further = if input { self.backward(BATCH, "mm", "MmBackward0") } else { None };
        let turned = self.backward(BATCH, "clone", "MmBackward0");
        let product = self.backward(WEIGHT, "mm", "MmBackward0");
        let copy = self.backward(WEIGHT, "clone", "TBackward0");
        self.program.free(turned, &released);
        self.program.free(product, &released);
        if first {
            self.program.alloc(WEIGHT, Category::Gradient, &shape.accumulate());
        }
        self.program.free(copy, &released);
        self.program.free(gradient, &released);
        further
    }

    fn optimize(&mut self, first: bool) {
        let adam = "torch/optim/adam.py";
        let outer: [Python; 2] = [(adam, 247, "step"), ("torch/optim/optimizer.py", 526, "wrapper")];
        let shape = self.program.shape;
        if first {
            let group = [&[(adam, 187, "_init_group")], &outer[..], &STEP[..]].concat();
            for _ in 0..6 {
                self.program.alloc(WEIGHT, Category::Optimizer, &shape.function("zeros_like", &group));
            }
        }
        let multi =
            [&[(adam, 741, "_multi_tensor_adam"), (adam, 949, "adam")], &outer[..], &STEP[..]].concat();
        let frames = shape.function("_foreach_sqrt", &multi);
        let roots = [(); 3].map(|()| self.program.alloc(WEIGHT, Category::OptimizerTemporary, &frames));
        roots.into_iter().for_each(|root| self.program.free(root, &shape.released(&multi)));
    }
}
