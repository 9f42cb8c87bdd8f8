//! Finds member functions and lambdas without `__device__` that kernels call. nvcc refuses these calls; NVRTC
//! compiles every function for the device. They are recognised by the source locations in the kernels' PTX: one
//! that lies in the body of such a function.

use compiler::{Diagnostic, host_function_called, host_lambda};
use cpp::{Function, Scope, Source, Space};
use ptx::{Location, Operand, Statement};
use std::collections::{BTreeSet, HashMap};

/// A line and a column.
type Place = (u32, u32);

/// Returns one error for each such function, in the order of the file `file_name`.
pub fn host_members(module: &ptx::Module, source: &str, file_name: &str) -> Vec<Diagnostic> {
    let source = Source::new(source);
    let Some(functions) = source.functions() else { return Vec::new() };
    let at = |token: usize| source.place_of(token);
    let body_of = |function: &Function| function.body.as_ref().map(|body| at(function.name)..at(body.end));
    // nvcc only warns of such a call in a function for both the host and the device.
    let for_both = functions.iter().filter(|its| its.space == Space::Both || its.has_unclear_space);
    let for_both: Vec<_> = for_both.filter_map(body_of).collect();
    let is_reached = |inside: &std::ops::Range<Place>, places: &BTreeSet<(Place, Place)>| {
        let by_device_code = |by: &Place| !for_both.iter().any(|both| both.contains(by));
        places.iter().any(|(place, by)| inside.contains(place) && by_device_code(by))
    };
    let mut candidates: Vec<_> = (functions.iter())
        .filter(|its| is_of_host(its) && !contains_device_code(&source, its))
        .filter_map(|its| {
            let (line, column) = at(its.name);
            // Code on the same line as the name has the column of the name.
            let (subject, said) = host_function_called(source.name_of(its), "a kernel", line);
            Some((body_of(its)?, Diagnostic::error(file_name, (line, column), said).about(subject)))
        })
        .collect();
    candidates.extend(lambdas_of_host(&source).into_iter().map(|(open, close)| {
        (at(open)..at(close), Diagnostic::error(file_name, at(open), host_lambda("runs on the GPU")))
    }));
    if candidates.is_empty() {
        return Vec::new();
    }
    let places = kernel_places(module, file_name);
    let found = candidates.into_iter().filter(|(inside, _)| is_reached(inside, &places));
    found.map(|(_, said)| said).collect()
}

/// Returns whether a function is a member that only the host may call. Calls of free functions are checked at
/// the call.
fn is_of_host(function: &Function) -> bool {
    function.space == Space::Host && !function.is_free && !function.has_unclear_space
}

/// Returns whether a function's body has code for the device, such as a lambda.
fn contains_device_code(source: &Source, function: &Function) -> bool {
    let mut body = function.body.clone().unwrap_or_default();
    body.any(|token| source.tokens().is(token, b"__device__"))
}

/// Returns the lambdas in host functions that are not marked for the device: their first token, and the brace that
/// closes them.
fn lambdas_of_host(source: &Source) -> Vec<(usize, usize)> {
    let tokens = source.tokens();
    let lambda = |first: usize| {
        let behind = tokens.partner(first).filter(|_| tokens.may_begin_lambda(first))? + 1;
        let tail = match tokens.word(behind) {
            b"(" => tokens.partner(behind)? + 1,
            // `__device__`, or a macro that may stand for it, follows otherwise.
            _ => behind,
        };
        let open = if tokens.is(tail, b"mutable") { tail + 1 } else { tail };
        let close = tokens.partner(open).filter(|_| tokens.is(open, b"{"))?;
        let is_of_host = source.scope(first) == Scope::Function(Space::Host) && !source.is_conditional(first);
        let is_unclear = || {
            let mut around = source.functions().unwrap_or_default().iter();
            around.any(|its| its.has_unclear_space && its.body.as_ref().is_some_and(|b| b.contains(&first)))
        };
        let has_device_code = || (open..close).any(|token| tokens.is(token, b"__device__"));
        (is_of_host && !is_unclear() && !has_device_code()).then_some((first, close))
    };
    (1..tokens.count()).filter_map(lambda).collect()
}

/// Returns the locations in a file of the code of kernels and of the functions that they call by name, each with the
/// location that it was inlined into; with itself, if it was not.
fn kernel_places(module: &ptx::Module, file_name: &str) -> BTreeSet<(Place, Place)> {
    let bodies = module.functions.iter().filter_map(|its| Some((its.name, its.body.as_deref()?)));
    let bodies: HashMap<&str, &[Statement]> = bodies.collect();
    let is_of_file = |name: &str| last_part(name) == last_part(file_name);
    let files: Vec<u32> =
        module.files.iter().filter(|its| is_of_file(&its.name)).map(|its| its.index).collect();
    let mut places = BTreeSet::new();
    let entries = module.functions.iter().filter(|its| its.entry).map(|its| its.name);
    let (mut todo, mut seen): (Vec<&str>, BTreeSet<&str>) = (entries.collect(), BTreeSet::new());
    while let Some(name) = todo.pop() {
        let mut open = Vec::from_iter(bodies.get(name).filter(|_| seen.insert(name)).copied());
        while let Some(statements) = open.pop() {
            for statement in statements {
                match statement {
                    Statement::Block(inner) => open.push(inner),
                    Statement::Location(Location { file, line, column, inlined_at })
                        if files.contains(file) =>
                    {
                        let by = inlined_at.filter(|(file, ..)| files.contains(file));
                        let own = (*line, *column);
                        places.insert((own, by.map_or(own, |(_, line, column)| (line, column))));
                    }
                    Statement::Instruction(call) if call.opcode == "call" => {
                        todo.extend(call.operands.iter().filter_map(|operand| match operand {
                            Operand::Name(name) => Some(*name),
                            _ => None,
                        }));
                    }
                    _ => {}
                }
            }
        }
    }
    places
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
