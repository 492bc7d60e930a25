//! Call stacks with the shapes of real ones.
//!
//! Taken after stacks of real snapshots: the snapshot machinery innermost, allocator plumbing, the
//! operator, Python frames with interpreter frames between them, and the process entry outermost. The
//! autograd engine's threads have no Python frames at all.

use super::stacks::Frame;

/// A Python frame: file, line, function.
pub type Python = (&'static str, u64, &'static str);

/// Where the libraries of the simulated program are installed.
pub const SITE: &str = "/opt/venv/lib/python3.11/site-packages/";

/// How much of a stack the writer records, and whose machinery is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `stacks="all"` of torch: native and Python frames.
    Torch,
    /// The same of torch_npu.
    TorchNpu,
    /// `stacks="python"`.
    PythonOnly,
}

impl Shape {
    /// An operator called from Python; `python` is innermost first.
    pub fn call(self, op: &str, python: &[Python]) -> Vec<Frame> {
        let mut frames = self.allocation(op);
        if self != Shape::PythonOnly {
            frames.push(native("python_variable_methods.cpp", &format!("torch::autograd::THPVariable_{op}")));
            frames.push(native("??", "PyObject_Vectorcall"));
        }
        frames.extend(self.python(python));
        frames
    }

    /// A library function called from Python (`torch._foreach_sqrt`, `torch.nn.functional.linear`).
    pub fn function(self, op: &str, python: &[Python]) -> Vec<Frame> {
        let mut frames = self.allocation(op);
        if self != Shape::PythonOnly {
            let name = format!("torch::autograd::THPVariable_{op}(_object*, _object*, _object*)");
            frames.push(native("python_torch_functions_2.cpp", &name));
            frames.push(native("??", "cfunction_call"));
            frames.push(native("??", "_PyObject_MakeTpCall"));
        }
        frames.extend(self.python(python));
        frames
    }

    /// A node of the backward graph, in the engine's thread.
    pub fn backward(self, op: &str, node: &str) -> Vec<Frame> {
        let mut frames = self.allocation(op);
        if self == Shape::PythonOnly {
            return frames;
        }
        frames.push(native("??", &format!("torch::autograd::generated::{node}::apply({VARIABLES})")));
        frames.extend(engine());
        frames
    }

    /// A gradient that the engine stores for a leaf.
    pub fn accumulate(self) -> Vec<Frame> {
        let mut frames = self.allocation("new_empty_strided");
        if self == Shape::PythonOnly {
            return frames;
        }
        let at = "at::Tensor const&";
        frames.push(native("", &format!("torch::autograd::utils::clone_obey_contract({at}, {at})")));
        let accumulate = format!(
            "void torch::autograd::AccumulateGrad::accumulateGrad<std::function<void (at::Tensor&&)> >({at}, at::Tensor&, {at}, unsigned long, std::function<void (at::Tensor&&)> const&)"
        );
        frames.push(native("", &accumulate));
        frames.push(native("??", &format!("torch::autograd::AccumulateGrad::apply({VARIABLES})")));
        frames.extend(engine());
        frames
    }

    /// A free inside the engine.
    pub fn released_by_engine(self) -> Vec<Frame> {
        if self == Shape::PythonOnly {
            return Vec::new();
        }
        let mut frames = self.machinery("free");
        frames.push(native("??", "c10::TensorImpl::~TensorImpl()"));
        frames.push(native("??", "torch::autograd::SavedVariable::reset_data()"));
        frames.extend(engine());
        frames
    }

    /// A free by Python dropping its last reference.
    pub fn released(self, python: &[Python]) -> Vec<Frame> {
        let mut frames = Vec::new();
        if self != Shape::PythonOnly {
            frames = self.machinery("free");
            frames.push(native("??", "c10::TensorImpl::~TensorImpl()"));
            frames.push(native("python_variable.cpp", "THPVariable_clear(THPVariable*)"));
            frames.push(native("??", "_Py_Dealloc"));
        }
        frames.extend(self.python(python));
        frames
    }

    fn machinery(self, what: &str) -> Vec<Frame> {
        let (torch, space, device, allocator) = match self {
            Shape::TorchNpu => ("torch_npu", "npu", "NPU", "c10_npu::NPUCachingAllocator"),
            _ => ("torch", "cuda", "CUDA", "c10::cuda::CUDACachingAllocator::Native"),
        };
        vec![
            native("??", &format!("{torch}::unwind::unwind()")),
            native("??", &format!("{torch}::CapturedTraceback::gather(bool, bool, bool)")),
            native(
                "memory_snapshot.cpp",
                &format!("{torch}::{space}::(anonymous namespace)::gather_with_cpp()"),
            ),
            native(
                &format!("{device}CachingAllocator.cpp"),
                &format!("{allocator}::DeviceCachingAllocator::{what}"),
            ),
        ]
    }

    fn allocation(self, op: &str) -> Vec<Frame> {
        if self == Shape::PythonOnly {
            return Vec::new();
        }
        let device = if self == Shape::TorchNpu { "npu" } else { "cuda" };
        let mut frames = self.machinery("malloc");
        frames.push(native("??", "at::detail::empty_generic(c10::ArrayRef<long>, c10::Allocator*, c10::DispatchKeySet, c10::ScalarType, std::optional<c10::MemoryFormat>)"));
        frames.push(native(
            "??",
            &format!("at::detail::empty_{device}(c10::ArrayRef<long>, c10::TensorOptions const&)"),
        ));
        frames.push(native(
            &format!("Register{}_0.cpp", device.to_uppercase()),
            &format!("at::(anonymous namespace)::wrapper_{}_{op}(at::Tensor const&)", device.to_uppercase()),
        ));
        frames.push(native(
            "??",
            &format!("at::_ops::{op}::redispatch(c10::DispatchKeySet, at::Tensor const&)"),
        ));
        frames.push(native(
            "VariableType_1.cpp",
            &format!("torch::autograd::VariableType::(anonymous namespace)::{op}(c10::DispatchKeySet, at::Tensor const&)"),
        ));
        frames.push(native("??", &format!("at::_ops::{op}::call(at::Tensor const&)")));
        frames
    }

    fn python(self, python: &[Python]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for (k, &(file, line, name)) in python.iter().enumerate() {
            let file = if file.starts_with('/') { file.to_owned() } else { format!("{SITE}{file}") };
            frames.push(Frame::new(&file, line, name));
            if self != Shape::PythonOnly {
                let last = k + 1 == python.len();
                frames.push(native("??", "_PyEval_EvalFrameDefault"));
                frames.push(native("??", if last { "PyEval_EvalCode" } else { "_PyObject_Call_Prepend" }));
            }
        }
        if self != Shape::PythonOnly {
            for name in
                ["_PyRun_SimpleFileObject", "Py_RunMain", "Py_BytesMain", "__libc_start_main", "_start"]
            {
                frames.push(native("??", name));
            }
        }
        frames
    }
}

const VARIABLES: &str = "std::vector<at::Tensor, std::allocator<at::Tensor> >&&";

fn native(file: &str, name: &str) -> Frame {
    Frame::new(file, 0, name)
}

fn engine() -> Vec<Frame> {
    let task = "std::shared_ptr<torch::autograd::GraphTask> const&";
    let queue = "std::shared_ptr<torch::autograd::ReadyQueue> const&";
    vec![
        native("", &format!("torch::autograd::Node::operator()({VARIABLES})")),
        native("??", &format!("torch::autograd::Engine::evaluate_function({task}, torch::autograd::Node*)")),
        native("??", &format!("torch::autograd::Engine::thread_main({task})")),
        native("??", &format!("torch::autograd::Engine::thread_init(int, {queue}, bool)")),
        native("", &format!("torch::autograd::python::PythonEngine::thread_init(int, {queue}, bool)")),
        native("thread.o", "execute_native_thread_routine"),
        native("??", "__clone"),
    ]
}
