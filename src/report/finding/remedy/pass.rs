//! Remedies for a loop pass that accesses memory past the end.

use super::subscript::follows_a_loop;
use crate::about::About;
use crate::finding::in_function::in_the_kernel;
use crate::finding::place::own_line;
use sim::Access;

/// Returns what to say where the index depends on a loop and not on the thread, as far as the kernel's line
/// shows.
pub fn past_the_end(at: &Access, about: &About) -> Option<String> {
    let code = about.source;
    let own = own_line(at, about)?;
    let is_in_pass = code.loop_around(own).is_some_and(|its| its.head < own)
        && follows_a_loop(code, own, code.code_line(own));
    // A function's own loop, if the line depends on it, or else the loop around its call.
    let line = match code.kernel_lines(own) {
        None if !is_in_pass => in_the_kernel(at, about)?,
        _ => own,
    };
    let around = code.loop_around(line).filter(|around| around.head < line)?;
    if code.line_depends_on_thread(line) {
        return None;
    }
    follows_a_loop(code, line, code.code_line(line)).then(|| {
        if code.names_on(line, ["load_matrix_sync", "store_matrix_sync"]) {
            return format!(
                "Work out by hand which elements line {line} requests in this pass of the loop of line {}: where the \
                 tile begins, how far apart its rows are (the leading dimension, which is how long a row of the whole \
                 matrix is), and whether the loop should make this pass.",
                around.head
            );
        }
        format!(
            "Work out by hand which index this thread needs in this pass of the loop of line {}, and which it gets \
             from line {line}. Should the loop make this pass, or should an `if` around the line skip it?",
            around.head
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::access;
    use super::*;
    use cpp::Source;
    use sim::{AccessKind, Target};

    #[test]
    fn a_pass_is_told_by_its_loop() {
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
__device__ void fetch_all(const int *a) {
    for (int c = 0; c <= 8; c += 4) {
        x = a[c];
    }
}
__global__ void g(const int *a, int n) {
    for (int start = 0; start < n; start += 32) {
        fetch_all(a + start);
    }
}
";
        let source = Source::new(source);
        let tell = |line, calls: &[u32]| {
            let at = access(AccessKind::Read, 0, line, Target::None);
            past_the_end(&Access { calls: calls.into(), ..at }, &About::program("a.cu", &source))
        };
        assert!(tell(2, &[9]).unwrap().contains("in this pass of the loop of line 6"));
        assert!(tell(18, &[23]).unwrap().contains("in this pass of the loop of line 17"));
        for (line, calls) in [(2, &[11][..]), (2, &[14]), (2, &[]), (12, &[])] {
            assert_eq!(tell(line, calls), None, "{line}");
        }
    }
}
