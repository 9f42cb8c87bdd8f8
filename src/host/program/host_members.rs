//! Member functions without `__device__` that kernels call: nvcc refuses that, and NVRTC compiles every
//! function for the device. Seen by what kernels were compiled from: a place in the body of such a function.

use compiler::{Diagnostic, host_function_called};
use cpp::{Function, Source, Space, place};
use sim::Module;

/// What is said of them, one message a function, in the order of the file of that name.
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
        // A lambda within it may be the device's.
        if body.clone().any(|token| tokens.is(token, b"__device__")) {
            return None;
        }
        // What stands in one line with the name has the name's column.
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

/// Whether it is a member that only the host may call. Free functions are seen where they are called.
fn is_of_host(function: &Function) -> bool {
    function.space == Space::Host && !function.is_free && !function.is_unclear
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
