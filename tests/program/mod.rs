//! Whole programs, one a file in this folder and its folders, each run on simulated GPUs under
//! several schedules. What it prints stands beside it in a file with the ending `.out`, as a real GPU
//! printed it where it has no defect; a comment at its head may say more (see [`case`]). A `//~`
//! marks the line that a finding must name.

mod case;

use crate::{compiler, each, is_alone, plain};
use case::Case;
use gpulearn::compiler::{CompileError, Compiler, Request};
use gpulearn::host::device::simulated::{Schedule, Simulated};
use gpulearn::host::program::{
    Channel, CompileFailure, Control, Exit, GpuLimits, Input, Program, Ran, ReadableFiles, Settings, Sink,
    compile, includes_newer_cub, run,
};
use gpulearn::jit;
use gpulearn::report::sentences;
use gpulearn::sim::compiled::CompileWhen;
use gpulearn::sim::{Finding, HostLimits, Options};
use libtest_mimic::Trial;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// PTX instructions of host code and bytes of output that no program needs.
const HOST_INSTRUCTIONS: u64 = 200_000_000;
const OUTPUT_BYTES: u64 = 1 << 20;

/// What a program printed.
#[derive(Default)]
struct Printed {
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Sink for Printed {
    fn write(&mut self, channel: Channel, bytes: &[u8]) {
        match channel {
            Channel::Stdout => self.out.extend(bytes),
            Channel::Stderr => self.err.extend(bytes),
        }
    }
}

/// Alone, one shows what it prints and finds.
pub fn trials() -> Vec<Trial> {
    let mut trials = each("program", |path| check(path, compiler(), is_alone()));
    let name = "program::branches_for_the_host_and_for_a_gpu_must_compile";
    trials.push(plain(name, branches_for_the_host_and_for_a_gpu_must_compile));
    let name = "program::what_a_kernel_calls_is_for_the_device";
    trials.push(plain(name, what_a_kernel_calls_is_for_the_device));
    trials
}

/// A name that one branch of `__CUDA_ARCH__` lacks is an error at its line, with or without a kernel; one that
/// only device code lacks where no architecture is defined is none.
fn branches_for_the_host_and_for_a_gpu_must_compile() {
    const KERNEL: &str = "__global__ void k(int *x) { *x = f(); }\n";
    let function = |device: &str, host: &str| {
        format!(
            "__host__ __device__ int f() {{\n#ifdef __CUDA_ARCH__\n    return {device};\n#else\n    return {host};\n\
             #endif\n}}\nint main() {{ return f(); }}\n"
        )
    };
    let line = |source: &str| match compile(compiler(), &Request::new(source, "branches.cu", (8, 0))) {
        Err(CompileFailure::Compile(CompileError::Rejected(said))) => said.first().map(|said| said.line),
        Err(other) => panic!("{other:?}"),
        Ok(_) => None,
    };
    for kernel in ["", KERNEL] {
        assert_eq!(line(&(function("1", "2") + kernel)), None);
        assert_eq!(line(&(function("missing", "2") + kernel)), Some(3));
        assert_eq!(line(&(function("1", "missing") + kernel)), Some(5));
    }
    let of_kernel = "__global__ void k(int *x) { *x = __CUDA_ARCH__; }\nint main() { return 0; }\n";
    assert_eq!(line(of_kernel), None);
    assert_eq!(line("int main() { return __CUDA_ARCH__; }\n"), Some(1));
}

/// A member, a constructor or a lambda for the host is refused where a kernel calls it, and only there.
fn what_a_kernel_calls_is_for_the_device() {
    let line = |class: &str, body: &str, host: &str| {
        let source = format!(
            "#define HD __host__ __device__\n{class}\n\
             template <class F> __global__ void each(F f) {{ f(threadIdx.x); }}\n\
             __global__ void k(float *o) {{\n{body}\n}}\n\
             int main() {{ float *o = nullptr;\n{host}\nk<<<1, 1>>>(o); }}\n"
        );
        match compile(compiler(), &Request::new(&source, "members.cu", (8, 0))) {
            Err(CompileFailure::Compile(CompileError::Rejected(said))) => said
                .first()
                .map(|said| source.lines().nth(said.line as usize - 1).unwrap_or_default().to_owned()),
            Err(other) => panic!("{other:?}"),
            Ok(_) => None,
        }
    };
    let point = |members: &str| format!("struct P {{ float x, y;\n{members}\n}};");
    let length = "float length() const { return x * x + y * y; }";
    let plus = "P operator+(const P &o) const { return P{x + o.x, y + o.y}; }";
    let made = "P(float a, float b) : x(a), y(b) {}";
    let one = "static float one() { return 1; }";
    let [calls, adds] = ["P p = {o[0], o[1]}; o[2] = p.length();", "P p = {o[0], o[1]}; o[2] = (p + p).x;"];
    let (makes, local) = ("P p(o[0], o[1]); o[2] = p.x;", "auto f = [=](int i) { o[i] = 3; }; f(2);");
    let lambda = "each<<<1, 1>>>([=](int i) { o[i] = 3; });";
    for (members, body, host, refused) in [
        (length, calls, "", Some(length)),
        (plus, adds, "", Some(plus)),
        (one, "o[2] = P::one();", "", Some("o[2] = P::one();")),
        (made, makes, "", Some(makes)),
        ("", "", lambda, Some(lambda)),
        ("HD float length() const { return x; }", calls, "", None),
        (&plus.replace("P operator", "__device__ P operator"), adds, "", None),
        ("static constexpr float one() { return 1; }", "o[2] = P::one();", "", None),
        (&format!("HD {made}"), makes, "", None),
        (length, "", "P p{1, 2}; if (p.length() == 3) return 1;", None),
        ("", local, "auto g = [](int i) { return i * 3; }; if (g(1) == 2) return 1;", None),
        ("", "struct L { float x; float twice() { return 2 * x; } } l{o[0]}; o[1] = l.twice();", "", None),
    ] {
        assert_eq!(line(&point(members), body, host).as_deref(), refused, "{members} {body} {host}");
    }
    assert_eq!(line("", "", &lambda.replace("[=]", "[=] __device__ ")), None);
}

fn check(path: &Path, compiler: &Compiler, loud: bool) -> Result<(), String> {
    let source = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let case = Case::parse(&source)?;
    let request = Request::new(&source, &name, case.capability());
    let program = match compile(compiler, &request) {
        Ok(program) => program,
        Err(CompileFailure::Unsupported { what, .. })
            if includes_newer_cub(compiler, &source, &request).is_some() =>
        {
            println!("{name} is not run: {what}");
            return Ok(());
        }
        Err(error) => return Err(format!("does not compile: {error:?}")),
    };
    let want = std::fs::read_to_string(path.with_extension("out")).unwrap_or_default();
    let schedules = [Schedule::Eager, Schedule::Lazy, Schedule::Random(1), Schedule::Random(2)];
    let count = if case.exit == "unsupported" { 1 } else { schedules.len() };
    for schedule in schedules.into_iter().take(count) {
        let (ran, printed) = one(&program, &case, schedule, &name);
        let out = String::from_utf8_lossy(&printed.out).into_owned();
        if loud {
            println!("== {schedule:?}: {:?}, {} ns\n{out}", ran.exit, ran.nanoseconds);
            println!("{}", String::from_utf8_lossy(&printed.err));
            ran.findings.iter().for_each(|finding| println!("{finding:#?}"));
        }
        let wrong = |what: String| Err(format!("{schedule:?}: {what}"));
        let marks = marks(&ran.findings, &name);
        if marks != case.marks {
            return wrong(format!(
                "findings at {marks:?}, expected {:?}\n{}",
                case.marks,
                describe(&ran.findings)
            ));
        }
        let ended = match &ran.exit {
            Exit::Code(code) => code.to_string(),
            Exit::Stopped => "stopped".to_string(),
            Exit::Unsupported { .. } => "unsupported".to_string(),
            Exit::UndefinedFunction { name, .. } => format!("undefined {name}"),
            other => format!("{other:?}"),
        };
        if ended != case.exit {
            let err = String::from_utf8_lossy(&printed.err).into_owned();
            return wrong(format!("ended with {ended}, expected {}\n{out}{err}", case.exit));
        }
        // What a race makes of values is not said.
        let said = case.marks.is_empty() || schedule == Schedule::Eager;
        if said && out != want {
            return wrong(format!("printed\n{out}\nexpected\n{want}"));
        }
    }
    compiled_as_interpreted(&program, &case, &name)
}

/// Codes of what a program is told, run as its head says; for the examples of other tests.
pub fn codes(source: &str, name: &str, compiler: &Compiler) -> Result<Vec<String>, String> {
    let case = Case::parse(source)?;
    let program = compile(compiler, &Request::new(source, name, case.capability()))
        .map_err(|error| format!("does not compile: {error:?}"))?;
    let (ran, _) = one(&program, &case, Schedule::Eager, name);
    match &ran.exit {
        Exit::Code(_) | Exit::Stopped => {}
        other => return Err(format!("ends with {other:?}")),
    }
    Ok(ran.findings.iter().map(|finding| finding.kind.code().to_string()).collect())
}

fn one(program: &Program, case: &Case, schedule: Schedule, name: &str) -> (Ran, Printed) {
    let (ran, printed, _) = run_as((schedule, None), program, case, name);
    (ran, printed)
}

/// With machine code of all its kernels, and of every loop of the host, it must be the same run.
fn compiled_as_interpreted(program: &Program, case: &Case, name: &str) -> Result<(), String> {
    let run = |compile| {
        let (ran, printed, work) = run_as((Schedule::Eager, compile), program, case, name);
        let end = format!("{:?} {:#?}", ran.exit, ran.findings);
        (end, ran.host_instructions, ran.nanoseconds, work, printed.out)
    };
    let (interpreted, compiled) = (run(None), run(Some(CompileWhen::Always)));
    match interpreted == compiled {
        true => Ok(()),
        false => Err(format!("interpreted\n{interpreted:?}\ncompiled\n{compiled:?}")),
    }
}

fn run_as(
    (schedule, compile): (Schedule, Option<CompileWhen>),
    program: &Program,
    case: &Case,
    name: &str,
) -> (Ran, Printed, String) {
    let usual = Options::default();
    let options = match compile {
        None => usual,
        Some(_) => Options { emitter: jit::kernel_emitter(), compile_after: 0, ..usual },
    };
    let mut gpus = Simulated::new(case.gpus.clone(), schedule, options);
    let arguments: Vec<String> = std::iter::once(format!("./{}", name.trim_end_matches(".cu")))
        .chain(case.arguments.clone())
        .collect();
    let cancelled = AtomicBool::new(false);
    let settings = Settings {
        arguments: &arguments,
        input: Input::Bytes(case.input.as_bytes().into()),
        readable: ReadableFiles::None,
        host: HostLimits { instructions: HOST_INSTRUCTIONS, ..HostLimits::default() },
        compile,
        output_bytes: OUTPUT_BYTES,
        gpus: GpuLimits::default(),
        launch_blocking: case.launch_blocking,
        control: Control { cancelled: &cancelled, deadline: None },
    };
    let mut printed = Printed::default();
    let ran = run(program, &mut gpus, &settings, &mut printed);
    (ran, printed, format!("{:?}", gpus.ledger().totals))
}

/// Line and code of every finding, in order of line.
fn marks(findings: &[Finding], name: &str) -> Vec<(u32, String)> {
    let line = |finding: &Finding| {
        let at = finding.at.location.as_ref().filter(|at| at.file.ends_with(name));
        at.map_or(0, |at| at.line)
    };
    let mut marks: Vec<(u32, String)> =
        findings.iter().map(|f| (line(f), f.kind.code().to_string())).collect();
    marks.sort();
    marks.dedup();
    marks
}

fn describe(findings: &[Finding]) -> String {
    let one =
        |f: &Finding| format!("  {} {:?} and {:?}: {}", f.kind.code(), f.at, f.other, sentences(f).join(" "));
    findings.iter().map(one).collect::<Vec<_>>().join("\n")
}
