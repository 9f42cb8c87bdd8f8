//! Kernels that go through the compiler and the simulator, one a file in this folder. A comment at
//! a file's head says how it is launched and what must come out; see [`sample`]. Every `.cu` file is
//! found by walking. In `defects` a `//~` marks the line a finding must name, in `advice` the line of a
//! piece of advice.

mod expression;
pub mod sample;

use crate::{compiler, each, is_alone, plain, request};
use expression::Value;
use gpulearn::compiler::{CompileError, Compiler, Request};
use gpulearn::cpp::Source;
use gpulearn::judge::Counted;
use gpulearn::report::{Files, advice_views, sentences};
use gpulearn::sim::{
    Arg, ExecutionOrder, Finding, Gpu, KernelLaunch, Machine, Module, Options, Outcome, Owner, Report, Target,
};
use libtest_mimic::Trial;
use sample::{Argument, Buffer, Expectation, Sample};
use std::path::Path;

/// Elements of one buffer that a failure lists.
const SHOWN: usize = 4;
/// Compute capabilities that samples are compiled for.
const CAPABILITIES: [(u32, u32); 3] = [(7, 5), (8, 0), (9, 0)];
const BY_NUMBER: ExecutionOrder = ExecutionOrder::ByNumber;
/// Orders that a sample is run in beside it.
const ORDERS: [ExecutionOrder; 3] =
    [ExecutionOrder::Reversed, ExecutionOrder::Drawn(1), ExecutionOrder::Drawn(2)];
/// Orders by turns, where a sample has no finding by number.
const INTERLEAVED: [ExecutionOrder; 3] =
    [ExecutionOrder::Interleaved(1), ExecutionOrder::Interleaved(2), ExecutionOrder::Interleaved(3)];
/// Warp instructions that no sample needs.
const STEPS: u64 = 5_000_000;

/// Alone, one prints its PTX.
pub fn trials() -> Vec<Trial> {
    let mut trials = each("sim", |path| {
        let failures = failures_of(path, compiler());
        if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
    });
    trials.push(plain("sim::expressions_follow_c", expression::expressions_follow_c));
    trials
}

/// What is wrong with a sample, for the capabilities that it is compiled for: what samples are made of
/// may be compiled differently for each; defects are about what a kernel does.
fn failures_of(path: &Path, compiler: &Compiler) -> Vec<String> {
    let source = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let sample = match Sample::parse(&source) {
        Ok(sample) => sample,
        Err(message) => return vec![format!("{name}: {message}")],
    };
    let failure = |(major, minor)| {
        let message = check(&sample, (major, minor), &name, &source, compiler).err()?;
        Some(format!("{name} for {major}.{minor}: {message}"))
    };
    let is_defect = path.parent().is_some_and(|folder| folder.ends_with("defects"));
    let fit = CAPABILITIES.into_iter().filter(|&cc| cc >= sample.least_capability);
    fit.take(if is_defect { 1 } else { CAPABILITIES.len() }).filter_map(failure).collect()
}

fn check(
    sample: &Sample,
    (major, minor): (u32, u32),
    name: &str,
    source: &str,
    compiler: &Compiler,
) -> Result<(), String> {
    let options: Vec<&str> = sample.options.iter().map(String::as_str).collect();
    let request = Request { compute_capability: (major, minor), options: &options, ..request(source, name) };
    let compiled = compiler.compile(&request).map_err(|error| match error {
        CompileError::Rejected(diagnostics) => format!("does not compile: {diagnostics:?}"),
        other => format!("{other:?}"),
    })?;
    if is_alone() {
        println!("{}", compiled.ptx);
    }
    let module = Module::parse(&compiled.ptx).map_err(|error| format!("does not load: {error:?}"))?;
    let module = module.with_early_returns(Source::new(source).early_returns());
    let kernels = module.kernels();
    let [kernel] = &kernels[..] else { return Err(format!("has kernels {kernels:?}, not one")) };
    let ordered = run(sample, (major, minor), source, &module, kernel, &limits(BY_NUMBER))?;
    // A race by turns may be none in order, and the other way round: who meets whom is not the same.
    let interleaved = if ordered.is_empty() { &INTERLEAVED[..] } else { &[] };
    for &order in ORDERS.iter().chain(interleaved) {
        let other = run(sample, (major, minor), source, &module, kernel, &limits(order))
            .map_err(|message| format!("{order:?}: {message}"))?;
        if other != ordered {
            return Err(format!("{order:?} finds {other:?}, not {ordered:?}"));
        }
    }
    // Every block may go to any of several host threads, in order and out of it.
    let mut counted = None;
    for (host_threads, order) in
        [(1, BY_NUMBER), (2, BY_NUMBER), (3, BY_NUMBER), (3, ExecutionOrder::Drawn(2))]
    {
        let options = Options { host_threads, threads_per_host_thread: 1, ..limits(order) };
        let (report, _) = launch(sample, (major, minor), &module, kernel, &options)?;
        if report.findings != ordered {
            let findings = &report.findings;
            return Err(format!(
                "{host_threads} host threads and {order:?} find {findings:?}, not {ordered:?}"
            ));
        }
        if order == BY_NUMBER && *counted.get_or_insert_with(|| report.counts.clone()) != report.counts {
            return Err(format!("{host_threads} host threads count {:?}, one {counted:?}", report.counts));
        }
    }
    compiled_is_interpreted(sample, (major, minor), &module, kernel)?;
    match &sample.advice {
        Some(expected) => advise(sample, (major, minor), source, &module, kernel, expected),
        None => Ok(()),
    }
}

/// Machine code from the first instruction on does what the interpreter does, on any number of host threads: values,
/// findings, counts and output are the same.
fn compiled_is_interpreted(
    sample: &Sample,
    capability: (u32, u32),
    module: &Module,
    kernel: &str,
) -> Result<(), String> {
    let Some(emitter) = gpulearn::jit::kernel_emitter() else { return Ok(()) };
    let all = |options: &Options| -> Result<String, String> {
        let (report, left) = launch(sample, capability, module, kernel, options)?;
        let left: Vec<&Vec<u8>> = left.iter().map(|(_, bytes)| bytes).collect();
        let Report { outcome, findings, counts, output, polled, .. } = report;
        // As text, since a NaN in it equals nothing.
        Ok(format!("{outcome:?}\n{findings:?}\n{counts:?}\n{output:?}\n{polled:?}\n{left:?}"))
    };
    let interpreted = all(&Options { host_threads: 1, ..limits(BY_NUMBER) })?;
    for host_threads in [1, 3] {
        let emitter = Some(emitter.clone());
        let options = Options {
            host_threads,
            threads_per_host_thread: 1,
            emitter,
            compile_after: 0,
            ..limits(BY_NUMBER)
        };
        let compiled = all(&options)?;
        if compiled != interpreted {
            return Err(format!(
                "compiled, on {host_threads} host threads:\n{compiled}\nnot:\n{interpreted}"
            ));
        }
    }
    Ok(())
}

/// Codes of the findings and the advice that a sample gets; for the examples of other tests.
pub fn codes(source: &str, name: &str, compiler: &Compiler) -> Result<Vec<String>, String> {
    let sample = Sample::parse(source)?;
    let capability = sample.least_capability.max((8, 0));
    let request = Request { compute_capability: capability, ..request(source, name) };
    let compiled = compiler.compile(&request).map_err(|error| format!("{error:?}"))?;
    let module = Module::parse(&compiled.ptx).map_err(|error| format!("does not load: {error:?}"))?;
    let kernels = module.kernels();
    let [kernel] = &kernels[..] else { return Err(format!("has kernels {kernels:?}, not one")) };
    let options = Options { advice: true, strict_floats: sample.strict_floats, ..limits(BY_NUMBER) };
    let (report, _) = launch(&sample, capability, &module, kernel, &options)?;
    let findings = report.findings.iter().map(|finding| finding.kind);
    let advice = report.advice.list.iter().map(|advice| advice.kind);
    Ok(findings.chain(advice).map(|code| code.code().to_string()).collect())
}

/// Holds the advice to what the sample says.
fn advise(
    sample: &Sample,
    capability: (u32, u32),
    source: &str,
    module: &Module,
    kernel: &str,
    expected: &[String],
) -> Result<(), String> {
    let options = Options { advice: true, strict_floats: sample.strict_floats, ..limits(BY_NUMBER) };
    let (report, _) = launch(sample, capability, module, kernel, &options)?;
    let codes: Vec<&str> = report.advice.list.iter().map(|advice| advice.kind.code()).collect();
    if codes != expected.iter().map(String::as_str).collect::<Vec<_>>() {
        return Err(format!("advice is {:?}, not {expected:?}", report.advice));
    }
    let read = Source::new(source);
    let views = advice_views(&report.advice, |at| Files::one("", &read).about(at));
    let notes: Vec<&String> = views.iter().flat_map(|view| &view.notes).collect();
    if let Some(missing) = sample.notes.iter().find(|note| !notes.contains(note)) {
        return Err(format!("advice says {notes:?}, not {missing:?}"));
    }
    let found: Vec<u32> =
        report.advice.list.iter().filter_map(|advice| Some(advice.at.location.as_ref()?.line)).collect();
    for (number, line) in source.lines().enumerate() {
        if line.contains("//~") && !found.contains(&(number as u32 + 1)) {
            return Err(format!("advice is about lines {found:?}, not {}", number + 1));
        }
    }
    let (alone, _) =
        launch(sample, capability, module, kernel, &Options { host_threads: 1, ..options.clone() })?;
    let (more, _) = launch(sample, capability, module, kernel, &Options { host_threads: 3, ..options })?;
    // As text, since a NaN in it equals nothing.
    if format!("{:?}", alone.advice) != format!("{:?}", more.advice) {
        return Err(format!("host threads make a difference: {:?}, {:?}", alone.advice, more.advice));
    }
    Ok(())
}

fn limits(order: ExecutionOrder) -> Options {
    Options { step_budget: STEPS, order, ..Options::default() }
}

/// Launches the kernel and holds what it does to what the sample says. Gives the findings.
fn run(
    sample: &Sample,
    (major, minor): (u32, u32),
    source: &str,
    module: &Module,
    kernel: &str,
    options: &Options,
) -> Result<Vec<Finding>, String> {
    let (report, left) = launch(sample, (major, minor), module, kernel, options)?;
    if let Outcome::Unsupported { what, line } = &report.outcome {
        return Err(format!("unsupported: {what} at {line:?}"));
    }
    let codes: Vec<&str> = report.findings.iter().map(|finding| finding.kind.code()).collect();
    if codes != sample.findings.iter().map(String::as_str).collect::<Vec<_>>() {
        return Err(format!("findings are {:?}, not {:?}", report.findings, sample.findings));
    }
    let notes: Vec<String> = report.findings.iter().flat_map(sentences).collect();
    let mut wanted = sample.notes.iter().filter(|_| sample.advice.is_none());
    if let Some(missing) = wanted.find(|note| !notes.contains(note)) {
        return Err(format!("findings say {notes:?}, not {missing:?}"));
    }
    let calls = report.findings.first().map_or(&[][..], |finding| &finding.at.calls);
    let calls = calls.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    if sample.calls.as_ref().is_some_and(|wanted| *wanted != calls) {
        return Err(format!("it is called from {calls:?}, not {:?}", sample.calls));
    }
    let named = report.findings.first().and_then(|finding| match &finding.at.target {
        Target::Buffer { name, .. } | Target::Shared { name, .. } | Target::Constant { name, .. } => {
            Some(&**name)
        }
        _ => None,
    });
    if sample.names.is_some() && sample.names.as_deref() != named {
        return Err(format!("the finding is about {named:?}, not {:?}", sample.names));
    }
    for (number, line) in source.lines().enumerate() {
        if !line.contains("//~") || sample.advice.is_some() {
            continue;
        }
        let sides = report.findings.iter().flat_map(|f| [Some(&f.at), f.other.as_ref()]).flatten();
        let found: Vec<u32> = sides.filter_map(|side| Some(side.location.as_ref()?.line)).collect();
        if !found.contains(&(number as u32 + 1)) {
            return Err(format!("findings are on lines {found:?}, not on {}", number + 1));
        }
    }
    let counts: Vec<Counted> = Counted::of_kernels(&report.counts).collect();
    for (name, expected) in
        sample.counts.iter().filter(|_| !matches!(options.order, ExecutionOrder::Interleaved(_)))
    {
        let counted = counts.iter().find(|its| its.counter.to_string() == *name).map(|its| its.value);
        if counted != Some(*expected) {
            return Err(format!("{name} is {counted:?}, not {expected}"));
        }
    }
    let printed = String::from_utf8_lossy(&report.output);
    if sample.printed != printed {
        return Err(format!("prints {printed:?}, not {:?}", sample.printed));
    }
    let mut wrong = Vec::new();
    for (buffer, bytes) in left {
        let got: Vec<Value> =
            bytes.chunks(buffer.element.bytes()).map(|bytes| buffer.element.decode(bytes)).collect();
        if let Some(expectation) = sample.expectations.get(&buffer.name) {
            wrong.extend(differences(sample, &buffer.name, &got, expectation)?);
        }
    }
    if wrong.is_empty() { Ok(report.findings) } else { Err(wrong.join("; ")) }
}

/// Buffers with their bytes.
type BuffersAfter<'a> = Vec<(&'a Buffer, Vec<u8>)>;

/// The report of a launch on fresh inputs, and the bytes of each buffer afterwards.
fn launch<'a>(
    sample: &'a Sample,
    (major, minor): (u32, u32),
    module: &Module,
    kernel: &str,
    options: &Options,
) -> Result<(Report, BuffersAfter<'a>), String> {
    let gpu = Gpu { multiprocessors: sample.multiprocessors, ..Gpu::new(major, minor) };
    let mut machine = Machine::new(&[gpu]);
    let mut args = Vec::new();
    let mut addresses = Vec::new();
    for argument in &sample.arguments {
        match argument {
            Argument::Scalar(bytes) => args.push(Arg(bytes.clone())),
            Argument::Buffer(buffer) => {
                let bytes = buffer.count as u64 * buffer.element.bytes() as u64;
                let address = machine
                    .allocate(Owner::Device(0), &*buffer.name, bytes)
                    .map_err(|error| error.to_string())?;
                if let Some(values) = &buffer.initial {
                    let bytes: Vec<u8> =
                        values.iter().flat_map(|&value| buffer.element.encode(value)).collect();
                    machine.write(address, &bytes);
                }
                addresses.push((buffer, address));
                args.push(address.into());
            }
        }
    }
    let number = module.kernel_named(kernel).ok_or("has a kernel without a number")?;
    let params = module.pack(number, &args).map_err(|error| error.to_string())?;
    let asked =
        KernelLaunch { cooperative: sample.cooperative, ..KernelLaunch::new(number, sample.launch, &params) };
    let report = machine.launch(0, module, &asked, options).map_err(|error| error.to_string())?;
    let left = addresses.into_iter().map(|(buffer, address)| {
        let mut bytes = vec![0; buffer.count * buffer.element.bytes()];
        machine.read(address, &mut bytes);
        (buffer, bytes)
    });
    let left = left.collect();
    Ok((report, left))
}

fn differences(
    sample: &Sample,
    name: &str,
    got: &[Value],
    expectation: &Expectation,
) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for (index, &got) in got.iter().enumerate() {
        let expected = expectation.value(sample, index)?;
        if !expectation.accepts(sample.element(name), got, expected) {
            wrong.push(format!("{name}[{index}] is {got}, not {expected}"));
        }
    }
    let more = wrong.len().saturating_sub(SHOWN);
    wrong.truncate(SHOWN);
    if more > 0 {
        wrong.push(format!("{more} more of {name}"));
    }
    Ok(wrong)
}
