//! `debug`, as scripts drive it.

use super::{gpulearn, run, workspace};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What the debugger says to these lines of commands.
fn debugged(args: &[&str], script: &str) -> String {
    debugged_in(Path::new(ROOT), args, script)
}

fn debugged_in(folder: &Path, args: &[&str], script: &str) -> String {
    let all: Vec<&str> = ["debug"].iter().chain(args).chain(&["--seed", "1", "--offline"]).copied().collect();
    let mut command = gpulearn(folder, &all);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{out}");
    for line in out.lines() {
        assert!(line.chars().count() <= 80, "{line:?} is wide");
    }
    out
}

fn wrong(lesson: &str, file: &str) -> Vec<String> {
    [format!("tests/wrong/{lesson}/{file}"), "--lesson".into(), lesson.into()].into()
}

/// The answer to the last command of that text.
fn answer<'a>(out: &'a str, command: &str) -> &'a str {
    let typed = format!("> {command}\n");
    let at = out.rfind(&typed).unwrap_or_else(|| panic!("{command} in {out}"));
    let rest = &out[at + typed.len()..];
    rest.split("\n\n").next().unwrap_or(rest)
}

/// The step that the prompt before a command shows.
fn step(out: &str, command: &str) -> u64 {
    let line = out.lines().rev().find(|line| line.ends_with(&format!("> {command}"))).unwrap();
    let (_, rest) = line.split_once("step ").unwrap();
    rest.split('/').next().unwrap().parse().unwrap()
}

#[test]
fn a_block_of_256_threads_goes_back_past_a_barrier_and_a_branch() {
    let file = wrong("block-sum", "all-threads-fold.cu");
    let args: Vec<&str> = file.iter().map(String::as_str).chain(["--case", "9"]).collect();
    let script = "b 10 if half == 64 && t == 0\nc\np half\np t@40\np s[t + half]\nrs\nrs\nrs\ninfo warps\ndelete\nb 9\nrc\nrsi\ninfo warps\nrs\np s[t]\nlist\nq\n";
    insta::assert_snapshot!(debugged(&args, script));
}

#[test]
fn a_divergent_branch_is_shown_and_stepped_back_over() {
    let file = wrong("block-sum", "barrier-in-branch.cu");
    let args: Vec<&str> = file.iter().map(String::as_str).chain(["--case", "9"]).collect();
    insta::assert_snapshot!(debugged(
        &args,
        "warp 3\ns 6\nsi 3\np half\np t < half\nsi\nwhere\nrsi\nwhere\nb 12 if half == 8\nc\nwhere\ninfo warps\nrs\np s[t]\n"
    ));
}

#[test]
fn every_look_at_a_block_is_answered() {
    let file = wrong("block-sum", "missing-barrier.cu");
    let args: Vec<&str> = file.iter().map(String::as_str).collect();
    let script = "info locals\ns 4\ninfo locals\np s[t]\np s[threadIdx.x ^ 1] + 1.5\np in\np in[i]\np *in@3\np %rd1@0\ninfo shared\n\
                  x shared 0/16\ninfo breakpoints\nb 11\ninfo breakpoints\nwarp 3\nsi\nsi\ngoto 0\n";
    insta::assert_snapshot!(debugged(&args, script));
}

#[test]
fn what_can_not_be_answered_is_said() {
    let script = "help\nwalk\np\np nothing\np i@9999\np in[\nb 9999\nb 4 if nothing\nwarp 99\ngoto 99999999\nx shared 0\nlist 999\n\
                  p threadIdx\np n[0]\ndelete 3\ninfo all\nre\np 1/0\np \u{1b}[31m\n";
    let file = wrong("map", "constant.cu");
    let args: Vec<&str> = file.iter().map(String::as_str).collect();
    insta::assert_snapshot!(debugged(&args, script));
}

#[test]
fn forward_and_back_end_where_they_began() {
    let file = wrong("block-sum", "missing-barrier.cu");
    let args: Vec<&str> = file.iter().map(String::as_str).collect();
    let forward = "s 9\np s[t]\nsi 5\np s[t]\n";
    let back = "rsi 5\np s[t]\nrs 9\np s[t]\n";
    let out = debugged(&args, &format!("goto 0\np s[t]\n{forward}{back}"));
    let answers: Vec<&str> =
        out.split("> p s[t]\n").skip(1).map(|rest| rest.split("\n\n").next().unwrap().trim()).collect();
    assert_eq!((answers[0], answers[1]), (answers[4], answers[3]), "{out}");
    assert_ne!(answers[1], answers[0]);
}

#[test]
fn the_terminal_is_ascii_where_it_says_so() {
    let file = wrong("block-sum", "missing-barrier.cu");
    let mut args = vec!["debug"];
    args.extend(file.iter().map(String::as_str));
    let mut command = gpulearn(Path::new(ROOT), &args);
    command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"s\ninfo warps\n").unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    assert!(out.is_ascii(), "{}", String::from_utf8_lossy(&out));
}

#[test]
fn choices_that_are_not_there_are_refused() {
    let file = wrong("block-sum", "missing-barrier.cu");
    let file: Vec<&str> = file.iter().map(String::as_str).collect();
    for (more, says) in [
        (&["--block", "99"][..], "there is no block 99,0,0"),
        (&["--block", "1,2,3,4"], "up to three numbers"),
        (&["--warp", "99"], "there is no warp 99"),
        (&["--case", "99"], "--case can be 1 to"),
        (&["--case", "0"], "0 is not in"),
        (&["--launch", "9"], "--launch can be 1 to"),
        (&["--most-steps", "0"], "too small"),
    ] {
        let args: Vec<&str> = ["debug"].iter().chain(&file).chain(more).copied().collect();
        let (exit, out, err) = run(Path::new(ROOT), &args);
        assert_eq!((exit, out.as_str(), err.contains(says)), (2, "", true), "{more:?} {err}");
    }
}

#[test]
fn what_does_not_compile_is_said() {
    let folder = workspace();
    std::fs::write(folder.path().join("kernels/1-puzzles/map.cu"), "__global__ void map(").unwrap();
    let (exit, _, err) = run(folder.path(), &["debug", "map", "--offline"]);
    assert_eq!((exit, err.contains("compile-error")), (1, true), "{err}");
    std::fs::write(folder.path().join("own.cu"), "int main() { return x; }").unwrap();
    let (exit, _, err) = run(folder.path(), &["debug", "own.cu", "--offline"]);
    assert_eq!((exit, err.contains("run own.cu says why")), (1, true), "{err}");
}

/// Each of three rounds halves what the one before left; in the last, half a block is behind the end.
const HALVES: &str = r#"#include <cstdio>
#include <cstdlib>

__global__ void halve(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[2 * i] + in[2 * i + 1];
    out[i] = sum / n;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    float *a, *b;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMalloc(&b, 256 * sizeof(float));
    cudaMemset(a, 0, 512 * sizeof(float));
    for (int round = 0; round < rounds; round++) {
        halve<<<(256 >> round) / 64 + round / 2, 64>>>(a, b, 2);
        cudaMemcpy(a, b, 256 * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    cudaDeviceSynchronize();
    std::printf("done\n");
    cudaFree(a);
    cudaFree(b);
}
"#;

#[test]
fn a_program_of_one_s_own_is_stepped_through_where_something_was_found() {
    let folder = workspace();
    let file = HALVES.replace("(256 >> round) / 64 + round / 2", "(256 >> round) / 64 + round / 2 * 4");
    std::fs::write(folder.path().join("halves.cu"), file).unwrap();
    insta::assert_snapshot!(debugged_in(
        folder.path(),
        &["halves.cu"],
        "b 7 if i == 255\nc\np i\np sum@0\np n\nrs\np i\ninfo locals\n"
    ));
}

#[test]
fn any_launch_of_a_program_can_be_chosen() {
    let folder = workspace();
    std::fs::write(folder.path().join("halves.cu"), HALVES).unwrap();
    let out = debugged_in(folder.path(), &["halves.cu", "--launch", "2", "--block", "1"], "s 2\np i@0\n");
    assert!(out.contains("Block 1 of 2, 64 threads in 2 warps"), "{out}");
    assert!(answer(&out, "p i@0").contains("64"), "{out}");
    for (args, says) in [
        (&["--launch", "4"][..], "--launch can be 1 to 3: 1 kernel halve, 2 kernel halve, 3 kernel"),
        (&["--launch", "2", "--", "1"], "--launch can be 1 to 1"),
        (&["--", "0"], "it launches no kernel"),
        (&["--case", "2"], "--case can be 1 to 1"),
    ] {
        let args: Vec<&str> = ["debug", "halves.cu", "--offline"].iter().chain(args).copied().collect();
        let (exit, _, err) = run(folder.path(), &args);
        assert_eq!((exit, err.contains(says)), (2, true), "{args:?} {err}");
    }
}

/// What the locals of a kernel are, in the words that `p` has for them.
#[test]
fn references_bit_fields_bases_and_what_stands_before_printf_have_their_values() {
    let folder = workspace();
    let text = r#"#include <cooperative_groups.h>
#include <cstdio>
struct Base { int b; };
struct Point : Base { int a : 5, c : 7; };
__device__ void twice(float &x) {
    x = x * 2;
}
__global__ void look(float *out) {
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    float local = 1.5f + threadIdx.x;
    Point p;
    p.b = 9;
    p.a = -3;
    p.c = 17;
    if (threadIdx.x == 4) printf("%d %d %d\n", p.a, p.b, p.c);
    twice(local);
    out[block.thread_rank()] = local + p.b;
}
int main() {
    float *out;
    cudaMalloc(&out, 128);
    look<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
"#;
    std::fs::write(folder.path().join("lööks.cu"), text).unwrap();
    let script = "b 6\nc\np x@4\nb 17\nc\np local@4\np p.a@4\np p.b@0\np p.c@31\n";
    let out = debugged_in(folder.path(), &["lööks.cu"], script);
    assert!(out.contains("Kernel look\n"), "{out}");
    let values =
        [("p x@4", "5.5"), ("p local@4", "11"), ("p p.a@4", "-3"), ("p p.b@0", "9"), ("p p.c@31", "17")];
    for (command, value) in values {
        assert!(answer(&out, command).contains(&format!("= {value} in thread")), "{command}: {out}");
    }
}

#[test]
fn variables_of_the_module_have_names() {
    let folder = workspace();
    let text = "#define N 4\n__constant__ float weights[N] = {0.5f, 1, 2, 4};\n__device__ int table[2][3];\n__device__ int total;\n\
                __global__ void k() {\n    int t = threadIdx.x;\n    table[1][t] = t + 7;\n    atomicAdd(&total, (int)weights[t]);\n}\n\
                int main() {\n    k<<<1, 3>>>();\n    cudaDeviceSynchronize();\n}\n";
    std::fs::write(folder.path().join("m.cu"), text).unwrap();
    let commands = "b 8\nc\np weights[t]\np table[1][t]\ns\np total\n";
    let out = debugged_in(folder.path(), &["m.cu"], commands);
    assert!(answer(&out, "p weights[t]").contains("0.5   1   2"), "{out}");
    assert!(answer(&out, "p table[1][t]").contains("7 8 9"), "{out}");
    assert_eq!(answer(&out, "p total").trim_end(), "total = 3 in all 3 lanes", "{out}");
}

#[test]
fn a_program_without_an_end_is_stopped() {
    let folder = workspace();
    std::fs::write(folder.path().join("forever.cu"), "int main() { for (;;); }\n").unwrap();
    let (exit, _, err) = run(folder.path(), &["debug", "forever.cu", "--offline", "--limit-seconds", "1"]);
    assert_eq!((exit, err.contains("stopped after 1 s")), (3, true), "{err}");
}

#[test]
fn a_lesson_of_programs_is_stepped_through() {
    let file = wrong("prefetch-loader", "elements-for-bytes.cu");
    let args: Vec<&str> = file.iter().map(String::as_str).collect();
    let out = debugged(&args, "where\ninfo locals\nc\n");
    assert!(out.contains("Found: ") && out.contains("Case: "), "{out}");
    let out = debugged(&["solutions/5-programs/first-program.cu"], "s 2\ninfo locals\n");
    assert!(out.contains("Recorded: "), "{out}");
}

#[test]
fn a_recording_that_is_cut_says_so() {
    let file = wrong("block-sum", "missing-barrier.cu");
    let mut args: Vec<&str> = file.iter().map(String::as_str).collect();
    args.extend(["--most-steps", "50"]);
    let out = debugged(&args, "goto 50\ns\nc\n");
    assert!(
        out.contains("Only its first 50 steps are recorded: --most-steps raises the limit")
            && out.contains("The recording ends here"),
        "{out}"
    );
    assert_eq!(step(&out, "c"), 50);
    assert!(answer(&out, "c").contains("The recording ends here"));
}
