//! Finds member functions without `__device__` that kernels call. nvcc refuses these calls; NVRTC compiles
//! every function for the device. They are recognised by the source locations in the kernels' line tables:
//! one that lies in the body of such a function.

use compiler::{Diagnostic, host_function_called};
use cpp::{Function, Source, Space, place};
use sim::Module;

/// Returns one error for each such function, in the order of the file `file_name`.
pub fn host_members(module: &Module, source: &str, file_name: &str) -> Vec<Diagnostic> {
    let places: Vec<(u32, u32)> = module
        .kernel_places()
        .into_iter()
        .filter(|at| last_part(&at.file) == last_part(file_name))
        .map(|at| (at.line, at.column))
        .collect();
    let source = Source::new(source);
    let Some(functions) = source.functions() else { return Vec::new() };
    let tokens = source.tokens();
    let at = |token: usize| place(source.text().as_bytes(), tokens.start(token));
    let describe = |function: &Function| {
        let body = function.body.clone().filter(|_| is_of_host(function))?;
        // A lambda in the body may be device code.
        if body.clone().any(|token| tokens.is(token, b"__device__")) {
            return None;
        }
        // Code on the same line as the name has the column of the name.
        let inside = at(function.name)..at(body.end);
        places.iter().find(|place| inside.contains(place))?;
        let (line, column) = at(function.name);
        let brackets = if tokens.is(function.name, b"operator") { "()" } else { "" };
        let function = format!("{}{brackets}", source.name_of(function));
        let (subject, said) = host_function_called(function, "a kernel", line);
        Some(Diagnostic::error(file_name, (line, column), said).about(subject))
    };
    functions.iter().filter_map(describe).collect()
}

/// Returns whether a function is a member that only the host may call. Calls of free functions are checked at
/// the call.
fn is_of_host(function: &Function) -> bool {
    function.space == Space::Host && !function.is_free && !function.has_unclear_space
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
