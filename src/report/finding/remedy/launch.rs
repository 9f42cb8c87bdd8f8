//! Remedies for accesses that a kernel's guard should have kept out, had the launch or the allocation been right.

use crate::about::About;
use crate::finding::gather::subscripts;
use crate::finding::parameter_names::host_name;
use crate::finding::parameters::parameters;
use crate::finding::place::own_line;
use crate::layout::plural;
use cpp::{Family, Source, names, uses};
use sim::{Access, Target};

/// Returns what to ask where the guard around an access compares its index with a parameter of the kernel: about what the
/// launch passes for it, and about the memory that was allocated. `launch` is the launch's line.
pub fn limit(at: &Access, launch: u32, about: &About) -> Option<String> {
    let code = about.source;
    let line = own_line(at, about)?;
    let guard = code.branch_of_threads(line)?.head;
    let parameters = parameters(&code.parameters_of(code.kernel(line)?));
    let Target::Buffer { name: buffer, size_bytes, .. } = &at.target else { return None };
    let used = subscripts(code.code_line(line)).into_iter().filter(|(array, _)| *array == &**buffer);
    let indices: Vec<&str> = used.map(|(_, index)| index.trim()).collect();
    let is_compared = |before: &str| {
        let left = before.strip_suffix('<').and_then(|left| left.rsplit(['(', '&', '|', ';', '=']).next());
        !indices.is_empty() && left.is_some_and(|left| indices.iter().all(|index| *index == left.trim()))
    };
    let is_limit = |name: &str| {
        let mut places = uses(code.code_line(guard), name);
        !name.is_empty() && places.any(|(before, _)| is_compared(before.trim_end()))
    };
    let place = parameters.iter().position(|its| is_limit(&its.name))?;
    let name = &parameters[place].name;
    let tokens = code.tokens();
    let launched = tokens.of_lines(launch..launch.saturating_add(4)).find_map(|at| tokens.launch(at))?;
    let passed = tokens.arguments(launched.open()).filter(|passed| passed.len() == parameters.len())?;
    let memory = host_name(at)?;
    let allocated = allocated_in(code, memory)?;
    Some(format!(
        "The condition of line {guard} compares with `{name}`, for which line {launch} passes `{}`; line {allocated} allocates \
         {} for `{memory}`. Does the first count elements, and is there memory for that many?",
        String::from_utf8_lossy(tokens.text(passed[place].clone())),
        plural(*size_bytes, "byte", "bytes"),
    ))
}

/// Returns the only line that allocates memory for a pointer.
fn allocated_in(code: &Source, pointer: &str) -> Option<u32> {
    let lines = 1..=code.text().lines().count() as u32;
    let mut found = lines.filter(|line| {
        let mut calls = code.calls_on(*line, Family::Allocation);
        calls.any(|call| call.split(',').next().is_some_and(|to| names(to).any(|name| name == pointer)))
    });
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::super::tests::access;
    use super::*;
    use sim::AccessKind;

    #[test]
    fn what_a_launch_passes_for_the_limit_is_named() {
        let tell = |condition: &str, passed: &str| {
            let source = format!(
                "__global__ void f(const float *d_in, int n) {{
    int i = threadIdx.x;
    if ({condition}) {{
        x = d_in[i];
    }}
}}
void g(int n) {{
    CHECK(cudaMalloc(&d_in, bytes));
    f<<<blocks(n, 2), 256>>>({passed});
}}
"
            );
            let source = Source::new(&source);
            let target = Target::Buffer { name: "d_in".into(), size_bytes: 20, offset_bytes: 20 };
            limit(&access(AccessKind::Read, 5, 4, target), 9, &About::program("a.cu", &source))
        };
        let said = tell("i < n", "d_in, f(n, 4)").unwrap();
        assert!(
            said.starts_with("The condition of line 3 compares with `n`, for which line 9 passes `f(n, 4)`;")
        );
        assert!(said.contains("line 8 allocates 20 bytes for `d_in`"), "{said}");
        assert_eq!(tell("i < n", "d_in"), None);
        assert_eq!(tell("i < (1 << n)", "d_in, n"), None);
        // Of another index it says nothing.
        assert_eq!(tell("k < n", "d_in, n"), None);
    }
}
