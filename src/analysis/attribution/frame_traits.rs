//! What a frame is, told once for each distinct frame: Python or native, own code, noise, plumbing,
//! and which rules of the table it fits.
//!
//! The innermost frames of real stacks are the snapshot's own machinery and the allocator, so no
//! analysis may take the first frame; everything asks here which frames speak.

use super::rules::{FramePattern, RULES, Side};
use crate::model::{FrameId, Snapshot};
use std::borrow::Cow;

/// Natives with one of these in their name speak of nothing.
const NOISE_FUNCTIONS: [&str; 6] =
    ["unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "PyEval_", "PyObject_", "PyFunction_"];
/// Nor do natives from files with one of these in their path.
const NOISE_FILES: [&str; 10] = [
    "core/boxing",
    "/Register",
    "/Redispatch",
    "pythonrun.c",
    "Modules/main.c",
    "Objects/call.c",
    "Objects/methodobject.c",
    "pycore_ceval.h",
    "ceval.c",
    "cpython/abstract.h",
];

/// What is known of one frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameTraits {
    bits: u8,
    pub(super) rules: u32,
    pub(super) unless_inside: u32,
    pub(super) with: u32,
    pub(super) without: u32,
}

impl FrameTraits {
    const PYTHON: u8 = 1;
    const OWN: u8 = 2;
    const NOISE: u8 = 4;
    const PLUMBING: u8 = 8;
    const FORWARD: u8 = 16;
    const NAMED: u8 = 32;

    /// A frame of a `.py` file, or of Python source without a file (`<stdin>`, `<frozen runpy>`).
    pub fn is_python(self) -> bool {
        self.bits & FrameTraits::PYTHON != 0
    }

    /// Python outside `site-packages`, `dist-packages` and the standard library.
    pub fn is_own(self) -> bool {
        self.bits & FrameTraits::OWN != 0
    }

    /// Snapshot machinery, interpreter, dispatcher, or a native without a name.
    pub fn is_noise(self) -> bool {
        self.bits & FrameTraits::NOISE != 0
    }

    /// A native of the tensor library and its allocator, below what a reader would call the site.
    pub fn is_plumbing(self) -> bool {
        self.bits & FrameTraits::PLUMBING != 0
    }

    /// A Python function named `forward`.
    pub fn is_forward(self) -> bool {
        self.bits & FrameTraits::FORWARD != 0
    }

    /// A native with a name: proof that the trace recorded C++ frames.
    pub fn is_named_native(self) -> bool {
        self.bits & FrameTraits::NAMED != 0
    }

    fn of(file: &str, function: &str) -> FrameTraits {
        let file = with_slashes(file);
        let mut traits = FrameTraits::default();
        if is_python(&file) {
            traits.bits |= FrameTraits::PYTHON;
            traits.bits |= if is_library(&file) { 0 } else { FrameTraits::OWN };
            traits.bits |= if function == "forward" { FrameTraits::FORWARD } else { 0 };
        } else {
            let nameless = matches!(function, "" | "??");
            let noise = nameless
                || matches!(function, "_start" | "__libc_start_main")
                || NOISE_FUNCTIONS.iter().any(|part| function.contains(part))
                || NOISE_FILES.iter().any(|part| file.contains(part));
            traits.bits |= if noise { FrameTraits::NOISE } else { 0 };
            traits.bits |= if is_plumbing(function) { FrameTraits::PLUMBING } else { 0 };
            traits.bits |= if nameless { 0 } else { FrameTraits::NAMED };
        }
        if !traits.is_noise() {
            let known = traits;
            for (i, rule) in RULES.iter().enumerate() {
                let bit = |patterns: &[FramePattern]| {
                    u32::from(patterns.iter().any(|p| fits(p, known, &file, function))) << i
                };
                traits.rules |= bit(rule.frames);
                traits.unless_inside |= bit(rule.unless_inside);
                traits.with |= bit(rule.with);
                traits.without |= bit(rule.without);
            }
        }
        traits
    }
}

/// The traits of every frame of a snapshot, by id.
#[derive(Clone, Debug, Default)]
pub struct FrameTraitsTable(Vec<FrameTraits>);

impl FrameTraitsTable {
    pub fn new(snapshot: &Snapshot) -> FrameTraitsTable {
        let traits_of = |(_, frame): (FrameId, crate::model::Frame)| {
            FrameTraits::of(snapshot.strings.original(frame.file), snapshot.strings.original(frame.function))
        };
        FrameTraitsTable(snapshot.frames.iter().map(traits_of).collect())
    }

    /// The traits of a frame; those of a frame that says nothing where the id is of another snapshot.
    #[inline]
    pub fn get(&self, frame: FrameId) -> FrameTraits {
        self.0.get(frame.index()).copied().unwrap_or_default()
    }
}

fn fits(pattern: &FramePattern, traits: FrameTraits, file: &str, function: &str) -> bool {
    let side = match pattern.side {
        Side::Any => true,
        Side::Python => traits.is_python(),
        Side::OwnPython => traits.is_own(),
        Side::Native => !traits.is_python(),
    };
    side && (pattern.file.is_empty() || pattern.file.iter().any(|p| p.fits(file)))
        && (pattern.function.is_empty() || pattern.function.iter().any(|p| p.fits(function)))
}

/// A path with `/` for `\`, as patterns are written.
pub(super) fn with_slashes(path: &str) -> Cow<'_, str> {
    if path.contains('\\') { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) }
}

fn is_python(file: &str) -> bool {
    file.ends_with(".py") || (file.starts_with('<') && file.contains('>'))
}

/// Installed packages, the standard library, and source that Python or torch made up.
fn is_library(file: &str) -> bool {
    let after_python = |prefix: &str| {
        file.match_indices(prefix).any(|(at, _)| {
            file.get(at + prefix.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    let is_windows = file.as_bytes().get(1) == Some(&b':');
    file.contains("site-packages")
        || file.contains("dist-packages")
        || after_python("/lib/python")
        || after_python("/lib64/python")
        || (is_windows && file.contains("/Lib/"))
        || file.starts_with("<frozen")
        || file.starts_with("<string>")
        || file.starts_with("<eval_with_key>")
}

fn is_plumbing(function: &str) -> bool {
    let name = qualified_name(function);
    name.starts_with("at::")
        || name.starts_with("c10::")
        || name.starts_with("std::")
        || name.contains("CachingAllocator")
        || name.contains("::empty_")
}

/// The name in a demangled signature: without the return type before it and what follows it.
fn qualified_name(signature: &str) -> &str {
    let (mut start, mut depth) = (0, 0_u32);
    for (at, c) in signature.char_indices() {
        match c {
            '<' | '{' | '[' => depth += 1,
            '>' | '}' | ']' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => {
                // `torch::(anonymous namespace)::f` goes on; an argument list ends the name.
                if !signature.get(at..).is_some_and(|rest| rest.starts_with("(anonymous")) {
                    return signature.get(start..at).unwrap_or(signature);
                }
                depth += 1;
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    signature.get(start..).unwrap_or(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides() {
        let own = FrameTraits::of("C:\\research\\net\\client.py", "forward");
        assert!(own.is_python() && own.is_own() && own.is_forward());
        assert!(!FrameTraits::of("C:\\Python311\\Lib\\contextlib.py", "inner").is_own());
        for library in [
            "/usr/lib/python3.12/contextlib.py",
            "/opt/venv/lib/python3.11/site-packages/torch/optim/adam.py",
            "/usr/lib/python3/dist-packages/x.py",
            "<frozen runpy>",
        ] {
            let traits = FrameTraits::of(library, "f");
            assert!(traits.is_python() && !traits.is_own(), "{library}");
        }
        assert!(FrameTraits::of("/home/lib/python/model.py", "f").is_own());
        let native =
            FrameTraits::of("??", "torch::autograd::AccumulateGrad::apply(std::vector<at::Tensor>&&)");
        assert!(!native.is_python() && !native.is_plumbing() && !native.is_noise());
    }

    #[test]
    fn noise_and_plumbing() {
        for (file, function) in [
            ("??", ""),
            ("??", "??"),
            ("??", "torch_npu::unwind::unwind()"),
            ("", "_PyEval_EvalFrameDefault"),
            ("/build/Objects/call.c", "PyCFunction_Call"),
            ("??", "_start"),
        ] {
            assert!(FrameTraits::of(file, function).is_noise(), "{function}");
        }
        assert!(!FrameTraits::of("x.cpp", "torch::lazy::kernel_start").is_noise());
        for plumbing in [
            "at::_ops::mm::call(at::Tensor const&)",
            "void at::native::gpu_reduce_kernel<float, 4, at::native::f<int>>(at::TensorIterator&)",
            "std::vector<at::Tensor, std::allocator<at::Tensor> >::~vector()",
            "c10::cuda::CUDACachingAllocator::Native::(anonymous namespace)::malloc(int)",
            "torch::empty_strided(c10::ArrayRef<long>)",
        ] {
            assert!(is_plumbing(plumbing), "{plumbing}");
        }
        for site in [
            "std::vector<at::Tensor> torch::autograd::CopySlices::apply_impl<torch::X>(int)",
            "torch::autograd::(anonymous namespace)::AccumulateGrad_apply_impl(std::vector<at::Tensor>)",
            "THPVariable_clear(THPVariable*)",
        ] {
            assert!(!is_plumbing(site), "{site}");
        }
    }
}
