//! Remedies for races, for sources of a few lines.

use super::super::tests::{access, describe, finding, remedy_for};
use super::*;
use sim::FindingKind;

#[test]
fn an_update_is_made_one_step() {
    let tell = |source| {
        let at = |thread, kind| {
            let target = Target::Buffer { name: "bins".into(), size_bytes: 64, offset_bytes: 0 };
            access(kind, thread, 1, target)
        };
        let other = Some(at(1, AccessKind::Read));
        let evidence = vec![Evidence::WrittenBack];
        let found = Finding { evidence, ..finding(FindingKind::GlobalRace, at(0, AccessKind::Write), other) };
        describe(&found, ExcessThreads::default(), source)
    };
    for (source, atomic) in [
        ("bins[v]++;", true),
        ("bins[v] += a[i];", true),
        ("bins[v] += bins[v + 1];", false),
        ("bins[v] = bins[v] + 1;", true),
        ("bins[v] = 2 * bins[v];", false),
        ("bins[v]++; // then atomicExch(lock, 0);", true),
        ("bins[v]++; atomicExch(lock, 0);", false),
    ] {
        assert_eq!(tell(source).starts_with("Use atomicAdd()"), atomic, "{source}");
    }
}

#[test]
fn a_barrier_of_a_loop_is_in_no_branch() {
    let tell = |body: &str| {
        let at = access(AccessKind::Read, 0, 3, Target::None);
        let source = format!("__global__ void k(int n) {{\n  {body}\n}}\n");
        remedy_for(FindingKind::DivergentBarrier, at, None, &source)
    };
    for body in [
        "for (int i = 0; i < threadIdx.x; i++) {\n    __syncthreads();\n  }",
        "while (true) {\n    __syncthreads();\n    if (threadIdx.x > n) break;\n  }",
    ] {
        assert!(tell(body).contains("in the loop of line 2"), "{body}");
    }
    for body in [
        "if (threadIdx.x) {\n    __syncthreads();\n  }",
        "for (;;) { if (threadIdx.x)\n    __syncthreads();\n  }",
        "if (threadIdx.x < n) for (int i = 0; i < n; i++)\n    __syncthreads();\n",
    ] {
        assert!(tell(body).contains("out of the branch"), "{body}");
    }
}

#[test]
fn a_barrier_that_was_missed_before_is_the_cause() {
    let tell = |head: &str, first: &str| {
        let source = format!(
            "__global__ void k(int n) {{\nint t = threadIdx.x;\n{first}\n__syncthreads();\n}}\n{head} {{\n__syncthreads();\n}}\n}}\n"
        );
        remedy_for(FindingKind::DivergentBarrier, access(AccessKind::Read, 0, 7, Target::None), None, &source)
    };
    let fixed = "for (int d = 8; d > 0; d /= 2)";
    let missed = tell(fixed, "if (t < 8) {");
    assert!(missed.starts_with("Threads that miss the barrier of line 4"), "{missed}");
    assert!(missed.contains("out of the `if` of line 3"), "{missed}");
    assert!(tell("for (int d = t; d > 0; d /= 2)", "if (t < 8) {").contains("in the loop of line 6"));
    assert!(tell(fixed, "if (n < 8) {").contains("in the loop of line 6"));
}

#[test]
fn threads_return_only_where_the_source_says_so() {
    let tell = |source: &str, line| {
        let at = access(AccessKind::Read, 0, line, Target::None);
        let evidence = vec![Evidence::EndedBeforeBarrier { waiting: 8, total: 32, ended: 24 }];
        let finding = Finding { evidence, ..finding(FindingKind::DivergentBarrier, at, None) };
        describe(&finding, ExcessThreads::default(), source)
    };
    let early = "__global__ void f() {\nif (t > 8) return;\n__syncthreads();\n}";
    assert!(tell(early, 3).starts_with("Guard the work"));
    let branch = "__global__ void f() {\nif (t < 8) {\n__syncthreads(); }\n}";
    assert!(tell(branch, 3).starts_with("Move the barrier"));
}

#[test]
fn a_barrier_is_put_where_it_helps() {
    let source = "void f() { s[t] = in[t];
for (int h = 4; h; h /= 2) {
    if (t < h) s[t] += s[t + h];
    x = s[t];
}
for (int h = 4; h; h /= 2) {
    s[t] += s[t + h];
    __syncthreads();
}
s[0] += x;
}
void g() {
for (int k = 0; k < n; k++) {
    s[t] = in[k];
    __syncthreads();
    x += s[t + 1];
}
if (t < 64) {
    s[t] = 1;
    __syncthreads(); }
    x = s[t + 1];
    memcpy_async(&s[t], &in[t]);
    __syncthreads();
    x = s[t + 1];
}
";
    let tell = |(first, a), (then, b)| {
        let side = |thread, line, kind| {
            let target = Target::Shared { name: "s".into(), size_bytes: 64, offset_bytes: 0 };
            access(kind, thread, line, target)
        };
        remedy_for(FindingKind::SharedRace, side(1, then, b), Some(side(0, first, a)), source)
    };
    use AccessKind::{Atomic, Read, Write};
    for (first, then, has) in [
        ((1, Write), (3, Read), "between line 1 and the loop"),
        ((4, Read), (3, Write), "at the end of the loop's body"),
        ((3, Write), (4, Read), "between lines 3 and 4"),
        ((3, Write), (3, Read), "at the end of the loop's body"),
        ((7, Read), (7, Write), "read into a variable"),
        ((10, Read), (10, Write), "atomicAdd()"),
        ((1, Write), (1, Write), "let one thread write"),
        ((1, Atomic), (1, Write), "let one thread write"),
        // The other warp ran ahead.
        ((3, Read), (1, Write), "between line 1 and the loop"),
        // There is a barrier between the two in every pass: the race is with the next pass.
        ((14, Write), (16, Read), "at the end of the loop's body"),
        // A barrier that does not help.
        ((19, Write), (21, Read), "The __syncthreads() of line 20 does not order the two"),
        ((22, Write), (24, Read), "wait for the copy first"),
        // A barrier orders the way down: the race is on the way back.
        ((10, Read), (1, Write), "Line 1 is reached again after line 10"),
        ((0, Read), (1, Write), crate::finding::help::help(FindingKind::SharedRace)),
    ] {
        assert!(tell(first, then).contains(has), "{first:?} {then:?}: {}", tell(first, then));
    }
}

#[test]
fn calls_that_wait_leave_the_way_to_the_next_pass() {
    let source = |after: &str| {
        format!(
            "__device__ float sum(float *s) {{
    s[t] = v;
    __syncthreads();
    float r = s[0];
    __syncthreads();
    return r;
}}
__device__ float most(float *s) {{
    s[t] = v;
    __syncthreads();
    return s[0];{after}
}}
__global__ void k() {{
    for (int row = 0; row < rows; row++) {{
        a = sum(s);
        b = most(s);
    }}
}}
"
        )
    };
    let tell = |source: &str, (first, call): (u32, u32), (then, last): (u32, u32)| {
        let side = |thread, line, call, kind| {
            let target = Target::Shared { name: "s".into(), size_bytes: 64, offset_bytes: 0 };
            Access { calls: [call].into(), ..access(kind, thread, line, target) }
        };
        let read = side(1, then, last, AccessKind::Read);
        remedy_for(FindingKind::SharedRace, side(0, first, call, AccessKind::Write), Some(read), source)
    };
    let next_pass = tell(&source(""), (2, 15), (11, 16));
    assert!(next_pass.contains("at the end of the loop's body, where"), "{next_pass}");
    let last_waits =
        tell(&source("").replace("    __syncthreads();\n    return r", "\n    return r"), (9, 16), (4, 15));
    assert!(
        last_waits.ends_with(
            "put __syncthreads() between lines 15 and 16, where every thread of the block reaches it."
        ),
        "{last_waits}"
    );
    let behind = tell(&source("\n    __syncthreads();"), (2, 15), (11, 16));
    assert!(behind.starts_with("The __syncthreads() of line 12 is behind a `return`"), "{behind}");
}

#[test]
fn threads_of_one_block_need_a_barrier_in_global_memory_too() {
    let source = "__global__ void k(int *t) {
for (int d = 0; d < n; d++) {
t[i] = t[i - n];
__syncwarp();
}
}
";
    let side = |thread, kind, block| {
        let target = Target::Buffer { name: "t".into(), size_bytes: 64, offset_bytes: 0 };
        let mut access = access(kind, thread, 3, target);
        access.block.x = block;
        access
    };
    let tell = |block| {
        let write = side(32, AccessKind::Write, 0);
        remedy_for(FindingKind::GlobalRace, write, Some(side(0, AccessKind::Read, block)), source)
    };
    assert!(tell(0).contains("put __syncthreads() at the end of the loop's body"), "{}", tell(0));
    assert!(tell(1).contains("Between blocks"), "{}", tell(1));
    let update = side(32, AccessKind::Atomic, 0);
    let read = Some(side(0, AccessKind::Read, 0));
    let mixed = remedy_for(FindingKind::GlobalRace, update, read, source);
    assert!(mixed.starts_with("One of the two is an atomic operation"), "{mixed}");
}

#[test]
fn a_kernel_without_a_loop_reaches_its_lines_once() {
    let source = "__global__ void k(const int *in, int *out) {
s[t] = in[t];
if (t != 0) __syncthreads();
out[t] = s[127 - t];
}
";
    let side = |thread, line, kind| {
        let target = Target::Shared { name: "s".into(), size_bytes: 512, offset_bytes: 508 };
        access(kind, thread, line, target)
    };
    let (write, read) = (side(127, 2, AccessKind::Write), side(0, 4, AccessKind::Read));
    let remedy = remedy_for(FindingKind::SharedRace, write, Some(read), source);
    assert!(remedy.contains("The __syncthreads() of line 3 does not order the two"), "{remedy}");
}

#[test]
fn a_flag_is_no_lock() {
    let tell = |waits: &str| {
        let source = format!("__global__ void k(int *d) {{\n*d = 1;\n{waits}\nx = *d;\n}}\n");
        let side = |line, kind| {
            let target = Target::Buffer { name: "d".into(), size_bytes: 4, offset_bytes: 0 };
            access(kind, 0, line, target)
        };
        let mut write = side(2, AccessKind::Write);
        write.block.x = 1;
        remedy_for(FindingKind::GlobalRace, side(4, AccessKind::Read), Some(write), &source)
    };
    let flag = tell("while (f.load(relaxed) == 0) ;");
    assert!(flag.starts_with("If a flag should order the two"), "{flag}");
    let lock = tell("while (atomicCAS(f, 0, 1) != 0) ;");
    assert!(lock.starts_with("If a lock should keep the two apart"), "{lock}");
}

#[test]
fn a_barrier_is_not_put_where_some_threads_are() {
    let tell = |source: &str, [first, then]: [u32; 2]| {
        let side = |thread, line, kind| {
            let target = Target::Shared { name: "s".into(), size_bytes: 256, offset_bytes: 0 };
            access(kind, thread, line, target)
        };
        let write = side(31, first, AccessKind::Write);
        remedy_for(FindingKind::SharedRace, side(0, then, AccessKind::Read), Some(write), source)
    };
    let branch =
        "__global__ void k() {\nint t = threadIdx.x;\nif (t < 32) { s[t] = t;\nx = s[31 - t];\n}\n}\n";
    let remedy = tell(branch, [3, 4]);
    assert!(remedy.starts_with("Not all threads enter the `if` of line 3"), "{remedy}");
    let inner = "__global__ void k() {\nint t = threadIdx.x;\nif (t < 31) {\nif (s[t] > s[t + 1])\n{\nint x = s[t];\n\
            s[t + 1] = x;\n}\n}\n}\n";
    let remedy = tell(inner, [7, 4]);
    let before =
        "If both should access this element: read what the `if` of line 4 compares into variables before it";
    assert!(remedy.starts_with(before), "{remedy}");
    let halves = "__global__ void k() {\nint t = threadIdx.x;\nfor (int h = 32; h; h /= 2) {\nif (t < h && s[t] < s[t + h]) {\n\
            s[t] = s[t + h];\n}\n}\n}\n";
    let remedy = tell(halves, [5, 4]);
    assert!(remedy.contains("put __syncthreads() at the end of the loop's body, where"), "{remedy}");
    assert!(remedy.contains("what the `if` of line 4 compares"), "{remedy}");
    let steps = "#define STEP(k) if (t < k) s[t] += s[t + k];\n__global__ void k() {\nint t = threadIdx.x;\n\
            STEP(32) STEP(16)\n}\n";
    let remedy = tell(steps, [4, 4]);
    assert!(remedy.starts_with("Several statements are on this line"), "{remedy}");
}

#[test]
fn no_barrier_is_asked_for_in_a_loop_of_unequal_passes() {
    let tell = |head: &str| {
        let source = format!(
            "__global__ void k(int *d, int n) {{\n{head} {{\nif (d[i] == -1) {{\nd[i] = 1;\n}}\n}}\n}}\n"
        );
        let side = |thread, line, kind| {
            let target = Target::Buffer { name: "d".into(), size_bytes: 64, offset_bytes: 0 };
            access(kind, thread, line, target)
        };
        let write = side(0, 4, AccessKind::Write);
        remedy_for(FindingKind::GlobalRace, side(1, 3, AccessKind::Read), Some(write), &source)
    };
    let unequal = tell("for (int i = threadIdx.x; i < n; i += blockDim.x)");
    assert!(unequal.contains("passes of the loop of line 2 depend on the thread"), "{unequal}");
    let equal = tell("for (int i = 0; i < n; i++)");
    assert!(equal.contains("put __syncthreads() at the end of the loop's body"), "{equal}");
}

#[test]
fn a_barrier_of_the_grid_leaves_the_way_to_the_next_pass() {
    let tell = |before: &str, between: &str| {
        let source = format!(
            "__global__ void k(int *go) {{\ncg::grid_group grid = cg::this_grid();\n{before}\nfor (int s = 0; s < 3; s++) \
             {{\n*go = s;\n{between}\nif (*go == 0) return;\n}}\n}}\n"
        );
        let side = |actor, line, kind| {
            let target = Target::Buffer { name: "go".into(), size_bytes: 4, offset_bytes: 0 };
            Access { actor, ..access(kind, 0, line, target) }
        };
        let read = side(Actor::SomeThread, 7, AccessKind::Read);
        remedy_for(FindingKind::GlobalRace, side(Actor::Thread, 5, AccessKind::Write), Some(read), &source)
    };
    let ordered = tell("", "grid.sync();");
    assert!(ordered.contains("in line 6 orders the two within a pass"), "{ordered}");
    let elsewhere = tell("grid.sync();", "");
    assert!(elsewhere.contains("let the whole grid wait between the two"), "{elsewhere}");
}
