//! Remedies for asynchronous copies that are not waited for, and for accesses that barrier objects should order.

use crate::about::About;
use crate::finding::in_function::has_barrier_objects;
use crate::finding::place::own_line;
use cpp::Source;
use sim::{Access, AccessKind, Finding};

/// Returns the remedy for two accesses, in the order in which a thread reaches them, of which the first is a copy that a
/// barrier or a pipeline of the library signals; or for a kernel whose threads arrive at barrier objects.
pub fn or_barrier_objects(
    finding: &Finding,
    [(one, first), _]: [(&Access, u32); 2],
    about: &About,
) -> Option<String> {
    let code = about.source;
    if one.kind == AccessKind::Write && code.names_on(first, "memcpy_async") && has_barriers_of_copies(code) {
        return Some(format!(
            "If both should access this element: wait for the copy of line {first} between the two. A __syncthreads() \
             does not wait for it: {WAITS_FOR_COPIES} does."
        ));
    }
    has_barrier_objects(finding, about).then(|| {
        "Which of the two should come first? Its thread must arrive at a barrier object after this access, and the other \
         thread must wait there for that phase before its own. Is an arrive() too early, for example before the last \
         read of what another thread may then overwrite, or a wait too late? If every thread of the block reaches both \
         lines, a __syncthreads() between them does it too."
            .into()
    })
}

/// Returns the remedy for a copy by `memcpy_async` of the library or of cooperative groups.
pub fn of_the_library(finding: &Finding, about: &About) -> Option<String> {
    let code = about.source;
    let is_it = code.names_on(own_line(finding.other.as_ref()?, about)?, "memcpy_async");
    let waits = match has_barriers_of_copies(code) {
        true => WAITS_FOR_COPIES,
        false => "cooperative_groups::wait()",
    };
    is_it.then(|| {
        format!(
            "Should this buffer be used now, and is it the one that should be copied to? If so, wait for the copy first: \
             {waits} does, a __syncthreads() alone does not."
        )
    })
}

/// What waits for a copy by `cuda::memcpy_async`.
pub const WAITS_FOR_COPIES: &str =
    "arrive_and_wait() of its cuda::barrier, or consumer_wait() of its cuda::pipeline,";

/// Returns whether a source has barriers or pipelines of the library, which copies can signal.
pub fn has_barriers_of_copies(code: &Source) -> bool {
    code.names(["barrier", "pipeline", "make_pipeline"])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{access, remedy_for};
    use sim::{AccessKind, FindingKind, Target};

    #[test]
    fn barrier_objects_order_branches() {
        let source = "__global__ void k() {
if (w == 0) { empty.arrive_and_wait();
s[t] = in[t]; }
else { empty.arrive();
out[t] = s[t]; }
}
";
        let side = |thread, line, kind| {
            let target = Target::Shared { name: "s".into(), size_bytes: 64, offset_bytes: 0 };
            access(kind, thread, line, target)
        };
        let (write, read) = (side(0, 3, AccessKind::Write), side(40, 5, AccessKind::Read));
        let remedy = remedy_for(FindingKind::SharedRace, read, Some(write), source);
        assert!(remedy.starts_with("Which of the two should come first?"), "{remedy}");
    }
}
