//! A pass of a loop that all threads make and that lies past the end.

use crate::about::About;
use crate::finding::defect::same_file;
use crate::finding::inside::in_the_kernel;
use cpp::names;
use sim::Access;
use std::collections::BTreeSet;

/// What to say where the index comes of a loop and not of the thread, as far as the kernel's line tells.
pub fn past_the_end(at: &Access, about: &About) -> Option<String> {
    let code = about.source;
    let own = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?.line;
    let line = match code.kernel_lines(own) {
        Some(_) => own,
        None => in_the_kernel(at, about)?,
    };
    let around = code.loop_around(line).filter(|around| around.head < line)?;
    if code.asks_which_thread(line) {
        return None;
    }
    // What the loop's head sets, and what is worked out from that inside.
    let mut counted: BTreeSet<&str> = assigned(code.code_line(around.head)).map(|(name, _)| name).collect();
    for (name, value) in (around.head + 1..line).flat_map(|line| assigned(code.code_line(line))) {
        if names(value).any(|word| counted.contains(word)) {
            counted.insert(name);
        }
    }
    names(code.code_line(line)).any(|word| counted.contains(word)).then(|| {
        if code.code_line(line).contains("load_matrix_sync") || code.code_line(line).contains("store_matrix_sync") {
            return format!(
                "Work out by hand which elements line {line} asks for in this pass of the loop of line {}: where the \
                 tile begins, how far apart its rows are (the leading dimension, which is how long a row of the whole \
                 matrix is), and whether the loop should make this pass.",
                around.head
            );
        }
        format!(
            "All threads make this pass of the loop of line {}, and what line {line} asks for lies past the end: look \
             at the condition of the loop, or of an `if` around that line.",
            around.head
        )
    })
}

/// The variables that a line gives a value, each with what it is given.
fn assigned(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split([';', ',', '(']).filter_map(|part| {
        let (left, value) = part.split_once('=')?;
        let left = left.trim_end_matches(['+', '-', '*', '/', ' ', '<', '>']);
        (!value.starts_with('=') && !left.contains('[')).then_some((names(left).last()?, value))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::access;
    use super::*;
    use cpp::Source;
    use sim::{AccessKind, Target};

    #[test]
    fn a_pass_of_all_threads_is_told_by_its_loop() {
        let source = "__device__ void fetch(const int *a) {
    x = a[threadIdx.x];
}
__global__ void f(const int *a, int n) {
    int t = threadIdx.x;
    for (int start = 0; start < n; start += 32) {
        int next = start + 64;
        if (next <= n) {
            fetch(a + next);
        }
        fetch(a + n);
        x = a[next + t];
    }
    fetch(a + 1);
}
";
        let source = Source::new(source);
        let tell = |line, calls: &[u32]| {
            let at = access(AccessKind::Read, 0, line, Target::None);
            past_the_end(&Access { calls: calls.into(), ..at }, &About::program("a.cu", &source))
        };
        assert!(tell(2, &[9]).unwrap().starts_with("All threads make this pass of the loop of line 6"));
        for (line, calls) in [(2, &[11][..]), (2, &[14]), (2, &[]), (12, &[])] {
            assert_eq!(tell(line, calls), None, "{line}");
        }
    }
}
