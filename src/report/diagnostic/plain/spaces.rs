//! Hints for confusing host and device: calls, launches, and what a kernel returns.

use super::MessageContext;
use compiler::{MessageKind, Subject};
use cpp::names;

/// Maximum length, in characters, of a line that is shown corrected.
const LONGEST_SHOWN: usize = 60;

/// A kernel called like a function: shows the line with its launch.
pub fn kernel_called(here: &MessageContext) -> Option<String> {
    let Some(Subject::KernelCalled { kernel }) = here.subject else { return None };
    let behind = here.rest().strip_prefix(&**kernel)?.to_owned();
    let statement = behind.split_inclusive(';').next().unwrap_or_default();
    let shown = match statement.trim_end() {
        whole if whole.ends_with(';') && whole.chars().count() <= LONGEST_SHOWN => whole.trim_start(),
        _ => "(…);",
    };
    Some(format!("With 256 threads per block for n elements: {kernel}<<<(n + 255) / 256, 256>>>{shown}"))
}

/// A device function without its qualifier: shows the corrected declaration.
pub fn lacks_device(here: &MessageContext) -> Option<String> {
    let (function, declared) = match here.subject? {
        Subject::HostFunctionCalled { function, declared } => (function, declared),
        Subject::DeviceFunctionCalled { .. } => {
            return Some("If both should call it, write __host__ __device__ in front of it.".into());
        }
        Subject::FunctionLaunched { function, .. } => {
            return Some(format!(
                "A kernel is marked so, and returns nothing: __global__ void {function}(…)."
            ));
        }
        Subject::HostLibraryUsed { name } => {
            return Some(match &**name {
                "cout" | "cerr" => "A kernel prints with printf: printf(\"%d\\n\", i).".into(),
                "swap" => "Use a third variable: float t = a; a = b; b = t;".into(),
                _ => {
                    "Kernels use arrays whose size is known when they are compiled, and memory that the host \
                     allocates for them."
                        .into()
                }
            });
        }
        Subject::HostVariableUsed { variable, .. } => {
            return Some(format!(
                "A kernel sees its parameters, and device variables: pass {variable} to it, or declare \
                 {variable} as __constant__ or __device__ and copy its value with cudaMemcpyToSymbol()."
            ));
        }
        _ => return None,
    };
    let line = here.source.code_line(*declared).split('{').next()?.trim();
    let shown = match line.contains(&**function) && line.chars().count() <= LONGEST_SHOWN {
        true => format!(": __device__ {}", line.trim_end_matches(';')),
        false => ".".into(),
    };
    Some(format!(
        "If the host calls it too, write __host__ __device__ in front of it; otherwise __device__{shown}"
    ))
}

pub fn returned(here: &MessageContext) -> Option<String> {
    let of_kernel = here.kind == MessageKind::KernelReturnsValue;
    let of_void = here.kind == MessageKind::WrongReturnType;
    let above = (1..here.line).rev().map(|line| (line, here.source.code_line(line)));
    let above = above.take(3).find(|(_, text)| !text.trim().is_empty());
    if let Some((line, text)) = above.filter(|_| of_void && !here.before().contains("return"))
        && names(text).last() == Some("return")
        && text.trim_end().ends_with("return")
    {
        return Some(format!("A ; is missing at the end of line {line}, after `return`."));
    }
    (of_kernel || of_void).then(|| {
        "A kernel is void and returns nothing: its results are written to memory, as in out[i] = …".into()
    })
}

pub fn host_only(here: &MessageContext) -> Option<String> {
    if here.program {
        return None;
    }
    Some(match here.kind {
        MessageKind::HostFunction => {
            "Host functions don't run here: what a kernel calls must be marked __device__.".into()
        }
        MessageKind::DeviceLaunch => {
            "The lesson launches the kernel: leave out main() and everything that the host does.".into()
        }
        _ => return None,
    })
}
