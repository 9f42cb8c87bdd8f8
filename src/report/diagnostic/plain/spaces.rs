//! Hints for confusing host and device: calls, launches, and what a kernel returns.

use super::MessageContext;
use compiler::Subject;
use cpp::names;

/// Maximum length, in characters, of a line that is shown corrected.
const LONGEST_SHOWN: usize = 60;

/// Code that calls, launches or uses what belongs to the other side.
pub fn wrong_space(here: &MessageContext) -> Option<String> {
    Some(match here.subject? {
        Subject::KernelCalled { kernel } => return with_launch(kernel, here),
        Subject::HostFunctionCalled { function, declared } => return with_device(function, *declared, here),
        Subject::DeviceFunctionCalled { .. } => {
            "If both should call it, write __host__ __device__ in front of it.".into()
        }
        Subject::FunctionLaunched { function, .. } => {
            format!("A kernel is marked so, and returns nothing: __global__ void {function}(…).")
        }
        Subject::HostLibraryUsed { name } => match &**name {
            "cout" | "cerr" => PRINTF.into(),
            "swap" => "Use a third variable: float t = a; a = b; b = t;".into(),
            _ => {
                "Kernels use arrays whose size is known when they are compiled, and memory that the host allocates \
                 for them."
                    .into()
            }
        },
        Subject::HostVariableUsed { variable, .. } => format!(
            "A kernel sees its parameters, and device variables: pass {variable} to it, or declare {variable} as \
             __constant__ or __device__ and copy its value with cudaMemcpyToSymbol()."
        ),
        _ => return None,
    })
}

pub const PRINTF: &str = "A kernel prints with printf: printf(\"%d\\n\", i).";

/// A kernel called like a function: shows the line with its launch.
fn with_launch(kernel: &str, here: &MessageContext) -> Option<String> {
    let behind = here.rest().strip_prefix(kernel)?;
    let statement = behind.split_inclusive(';').next().unwrap_or_default();
    let shown = match statement.trim_end() {
        whole if whole.ends_with(';') && whole.chars().count() <= LONGEST_SHOWN => whole.trim_start(),
        _ => "(…);",
    };
    Some(format!("With 256 threads per block for n elements: {kernel}<<<(n + 255) / 256, 256>>>{shown}"))
}

/// A device function without its qualifier: shows the corrected declaration.
fn with_device(function: &str, declared: u32, here: &MessageContext) -> Option<String> {
    let line = here.source.code_line(declared).split('{').next()?.trim();
    let shown = match line.contains(function) && line.chars().count() <= LONGEST_SHOWN {
        true => format!(": __device__ {}", line.trim_end_matches(';')),
        false => ".".into(),
    };
    Some(format!(
        "If the host calls it too, write __host__ __device__ in front of it; otherwise __device__{shown}"
    ))
}

/// A `return` whose semicolon is missing, so that it returns what is on the next line.
pub fn lacks_semicolon(here: &MessageContext) -> Option<String> {
    let above = (1..here.line).rev().map(|line| (line, here.source.code_line(line)));
    let (line, text) = above.take(3).find(|(_, text)| !text.trim().is_empty())?;
    let returns = names(text).last() == Some("return") && text.trim_end().ends_with("return");
    (returns && names(here.before()).all(|word| word != "return"))
        .then(|| format!("A ; is missing at the end of line {line}, after `return`."))
}
