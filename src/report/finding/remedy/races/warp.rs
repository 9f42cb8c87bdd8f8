//! Remedies for races between lanes of one warp.

use super::RaceRemedy;
use crate::about::About;
use crate::finding::order::{both_write, warp_barriers, warp_of};
use crate::finding::place::own_line;
use cpp::{Family, Source};
use sim::{Actor, Finding};

/// Returns the remedy for lanes of one warp, in code that mentions lanes or warps: a warp barrier may be missing.
pub fn remedy(finding: &Finding, lines: [u32; 2], about: &About) -> Option<RaceRemedy> {
    let other = finding.other.as_ref()?;
    let unknown = other.actor == Actor::SomeThread;
    let one = unknown || warp_of(&finding.at)? == warp_of(other)?;
    // Older code assumes warps that run in lockstep, and uses `volatile` so that the compiler does not move
    // accesses.
    if !(one && about.source.names(Family::Warp)) {
        return None;
    }
    let one_statement = about.source.in_one_statement(lines[0], lines[1]);
    if both_write(finding) && one_statement {
        return Some(RaceRemedy::Otherwise(ONE_LANE.into()));
    }
    if let Some(line) = warp_barrier_in_a_branch(finding, about).filter(|_| !one_statement) {
        return Some(RaceRemedy::Otherwise(format!(
            "The __syncwarp() of line {line} is under a condition: do all lanes that its mask names reach it? If \
             so, does another belong between the two accesses?"
        )));
    }
    if let Some(text) = before_the_next_pass(about.source, lines) {
        return Some(RaceRemedy::Barrier(text));
    }
    let apart = match unknown {
        true => "Should threads of several warps access this element, or does each warp have its own? ",
        false => "",
    };
    let how = match one_statement {
        true => {
            "let each read into a variable, call __syncwarp(), where all lanes that its mask names reach it, and write, with \
             another before the next pass of a loop; otherwise the same with __syncthreads()"
        }
        false => {
            "a __syncwarp() belongs between the two accesses, where all lanes that its mask names reach it; otherwise a \
             __syncthreads()"
        }
    };
    Some(RaceRemedy::Barrier(format!(
        "{apart}The lanes of one warp need not run in lockstep. If only they share the array, {how}, where every thread of \
         the block reaches it."
    )))
}

const ONE_LANE: &str = "Several threads write this element here. Should each have an element of its own? Otherwise let one of them write: \
                        for one lane of each warp, under if (threadIdx.x % 32 == 0).";

/// Returns where a warp barrier belongs in a loop whose passes have one between two lines, and none on the way back.
fn before_the_next_pass(code: &Source, [a, b]: [u32; 2]) -> Option<String> {
    let (upper, lower) = (a.min(b), a.max(b));
    let around = code.loop_around_both(upper, lower)?;
    // Without a mask, it waits for all lanes.
    let of_each_pass = |line: &u32| {
        code.calls_on(*line, "__syncwarp").any(|mask| mask.trim_start().starts_with(')'))
            && code.branch_apart(*line, upper).is_none()
            && code.loop_around(*line).is_some_and(|its| its.head == around.head)
    };
    let between = warp_barriers(code, upper, lower).find(of_each_pass)?;
    let mut way_back = (lower + 1..=around.end).chain(around.head..upper);
    (!way_back.any(|line| code.names_on(line, "__syncwarp"))).then(|| {
        format!(
            "Do only lanes of one warp share the array? The __syncwarp() of line {between} keeps lines {upper} and {lower} \
             of one pass apart: another belongs at the end of the loop's body, before line {upper} of the next pass. \
             Where threads of several warps share it, __syncthreads() belongs in both places."
        )
    })
}

/// Returns the line of the kernel's first `__syncwarp()` that only some threads reach.
fn warp_barrier_in_a_branch(finding: &Finding, about: &About) -> Option<u32> {
    let code = about.source;
    let mut lines = code.kernel_lines(own_line(&finding.at, about)?)?;
    lines.find(|line| code.names_on(*line, "__syncwarp") && code.branch_of_threads(*line).is_some())
}

#[cfg(test)]
mod tests {
    use crate::finding::remedy::tests::{access, remedy_for};
    use sim::{AccessKind, FindingKind, Target};

    #[test]
    fn a_warp_that_waits_in_a_pass_may_run_into_the_next() {
        let tell = |end: &str| {
            let source = format!(
                "__global__ void k() {{
    for (int c = 0; c < n; c += 32) {{
        s[lane] = in[c + lane];
        __syncwarp();
        before += s[31];{end}
    }}
}}
"
            );
            let side = |thread, line, kind| {
                let target = Target::Shared { name: "s".into(), size_bytes: 128, offset_bytes: 124 };
                access(kind, thread, line, target)
            };
            let read = side(0, 5, AccessKind::Read);
            remedy_for(FindingKind::SharedRace, side(31, 3, AccessKind::Write), Some(read), &source)
        };
        assert!(tell("").contains("another belongs at the end of the loop's body"), "{}", tell(""));
        assert!(!tell("\n__syncwarp();").contains("another belongs"), "{}", tell("\n__syncwarp();"));
    }

    #[test]
    fn one_statement_has_no_place_for_a_barrier() {
        let tell = |statement: &str| {
            let source = format!("__global__ void k(int lane) {{\n__syncwarp();\n{statement}\n}}\n");
            let side = |thread, kind| {
                let target = Target::Shared { name: "s".into(), size_bytes: 128, offset_bytes: 0 };
                access(kind, thread, 3, target)
            };
            let read = side(1, AccessKind::Read);
            remedy_for(FindingKind::SharedRace, side(0, AccessKind::Write), Some(read), &source)
        };
        assert!(
            tell("s[lane % 8] += v;").starts_with("Several threads update"),
            "{}",
            tell("s[lane % 8] += v;")
        );
        let apart = tell("s[lane] = s[lane + 1];");
        assert!(apart.contains("let each read into a variable, call __syncwarp()"), "{apart}");
    }

    #[test]
    fn lanes_that_all_store_are_told_that_one_should() {
        let source = "__global__ void k() {\nsum = warp_sum(sum);\ns[t / 32] = sum;\n}\n";
        let side = |thread| {
            let target = Target::Shared { name: "s".into(), size_bytes: 32, offset_bytes: 0 };
            access(AccessKind::Write, thread, 3, target)
        };
        let remedy = remedy_for(FindingKind::SharedRace, side(0), Some(side(1)), source);
        assert!(remedy.contains("let one of them write"), "{remedy}");
    }
}
