//! Tests a machine with whole programs: a checkout's programs, run on this machine's GPUs, must print what is
//! recorded.

use anyhow::{Context, Result};
use compiler::Request;
use gpu::GpuError;
use host::program::gpu_process::{self, Finished, GpuJob, Work};
use host::program::{
    Channel, CompileFailure, Control, Exit, Input, Settings, Sink, compile, includes_newer_cub,
};
use judge::on_gpu::Gpu;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Time limit of a program, generous because the first use of a library takes seconds.
const PATIENCE: Duration = Duration::from_secs(60);
const OUTPUT_BYTES: u64 = 1 << 20;

/// The result of testing a program.
#[derive(Clone, Debug)]
pub struct ProgramTest {
    pub name: String,
    pub outcome: Outcome,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    /// It printed what is recorded.
    Equal,
    /// It did not; what it did instead.
    Differs(String),
    /// Why it was not run.
    Skipped(String),
    /// It has a deliberate defect, whose effect on a GPU is not defined.
    Defective,
}

/// The directives at the head of a program (`tests/program/case.rs`).
struct Case {
    arguments: Vec<String>,
    input: String,
    exit: String,
    devices: u32,
    /// Why its output only holds for modelled GPUs.
    modelled: Option<String>,
}

impl Case {
    fn parse(source: &str) -> Case {
        let mut case = Case {
            arguments: Vec::new(),
            input: String::new(),
            exit: "0".into(),
            devices: 1,
            modelled: None,
        };
        for line in source.lines().take_while(|line| line.starts_with("//")) {
            match line.trim_start_matches('/').trim().split_once(": ") {
                Some(("args", value)) => {
                    case.arguments = value.split_whitespace().map(str::to_owned).collect();
                }
                Some(("stdin", value)) => case.input = value.replace("\\n", "\n"),
                Some(("exit", value)) => case.exit = value.trim().to_owned(),
                Some(("modelled", value)) => case.modelled = Some(value.trim().to_owned()),
                Some(("devices", value)) => case.devices = value.trim().parse().unwrap_or(u32::MAX),
                _ => {}
            }
        }
        case
    }
}

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

/// Returns the programs of a checkout, sorted by path.
///
/// # Errors
///
/// Fails if a folder can't be read.
pub fn programs(root: &Path) -> Result<Vec<PathBuf>> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
        let entries =
            std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                walk(&path, found)?;
            } else if path.extension().is_some_and(|ending| ending == "cu") {
                found.push(path);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(&root.join("tests/program"), &mut found)?;
    found.sort();
    Ok(found)
}

/// Runs one program.
///
/// # Errors
///
/// Fails if the file can't be read, or the environment is at fault.
pub fn test(root: &Path, path: &Path, gpu: &Gpu) -> Result<ProgramTest> {
    let source = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    let name = path.strip_prefix(root.join("tests/program")).unwrap_or(path).display().to_string();
    let outcome = outcome(path, &source, gpu)?;
    Ok(ProgramTest { name, outcome })
}

fn outcome(path: &Path, source: &str, gpu: &Gpu) -> Result<Outcome> {
    let case = Case::parse(source);
    // The effect of a defect on a GPU is not defined.
    if source.contains("//~") {
        return Ok(Outcome::Defective);
    }
    if path.parent().is_some_and(|folder| folder.ends_with("tests/program/time")) {
        return Ok(Outcome::Skipped("it prints modelled times".into()));
    }
    if let Some(why) = case.modelled {
        return Ok(Outcome::Skipped(format!("for modelled GPUs only: {why}")));
    }
    let there = gpu.machine.devices.len();
    if case.devices as usize > there {
        return Ok(Outcome::Skipped(format!("it needs {} GPUs, but this machine has {there}", case.devices)));
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let request = Request::new(source, &file, gpu.capability());
    let program = match compile(&gpu.compiler, &request) {
        Ok(program) => program,
        Err(CompileFailure::Unsupported { what, .. })
            if includes_newer_cub(&gpu.compiler, source, &request).is_some() =>
        {
            return Ok(Outcome::Skipped(what));
        }
        Err(why) => return Ok(Outcome::Differs(format!("it does not compile: {why:?}"))),
    };
    let name = format!("./{}", file.trim_end_matches(".cu"));
    let arguments: Vec<String> = std::iter::once(name).chain(case.arguments).collect();
    let cancelled = AtomicBool::new(false);
    let control = Control { cancelled: &cancelled, deadline: Instant::now().checked_add(PATIENCE) };
    let input = Input::Bytes(case.input.as_bytes().into());
    let settings = Settings { input, output_bytes: OUTPUT_BYTES, ..Settings::new(&arguments, control) };
    let mut printed = Printed::default();
    let asked = GpuJob { program: &program, devices: Some(case.devices), work: Work::Main };
    let Finished { ran, lost, .. } = match gpu_process::run(&asked, &settings, &mut printed) {
        Ok(apart) => apart,
        Err(gpu_error) => return Ok(Outcome::Differs(gpu_error.to_string())),
    };
    let ended = match &ran.exit {
        Exit::Code(code) => code.to_string(),
        Exit::Stopped => "stopped".into(),
        Exit::UndefinedFunction { name, .. } => format!("undefined {name}"),
        Exit::Unsupported { .. } => "unsupported".into(),
        Exit::Environment(error) if error.is::<GpuError>() => anyhow::bail!("{error:#}"),
        other => format!("{other:?}"),
    };
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let findings: Vec<&str> = ran.findings.iter().map(|finding| finding.kind.code()).collect();
    let want = std::fs::read_to_string(path.with_extension("out")).unwrap_or_default();
    let out = said(&printed.out);
    if ended == case.exit && out == want && lost.is_none() && findings.is_empty() {
        return Ok(Outcome::Equal);
    }
    let mut what = Vec::new();
    if ended != case.exit {
        what.push(format!("it ended with {ended}, not {}", case.exit));
    }
    if let Some((error, said)) = lost {
        what.push(format!("{} ({said})", error.name()));
    }
    if !findings.is_empty() {
        what.push(format!("findings: {}", findings.join(", ")));
    }
    if let Some((number, (got, wanted))) = first_difference(&out, &want) {
        what.push(format!("line {number}: printed {got:?}, recorded {wanted:?}"));
    }
    if !printed.err.is_empty() {
        what.push(format!("standard error: {:?}", said(&printed.err)));
    }
    Ok(Outcome::Differs(what.join("; ")))
}

/// Returns the first line that differs: its number, and its text on each side.
fn first_difference<'a>(got: &'a str, want: &'a str) -> Option<(usize, (&'a str, &'a str))> {
    let mut sides = (got.lines(), want.lines());
    (1..).find_map(|number| match (sides.0.next(), sides.1.next()) {
        (None, None) => Some(None),
        (got, want) if got != want => {
            Some(Some((number, (got.unwrap_or("(nothing)"), want.unwrap_or("(nothing)")))))
        }
        _ => None,
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told_by_line() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nc\n", "a\nb\n"), Some((2, ("c", "b"))));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some((2, ("(nothing)", "b"))));
    }

    #[test]
    fn a_head_says_how_to_run() {
        let case = Case::parse("// Sums.\n// args: 3 -1\n// devices: 2\n// exit: 25\nint main() {}\n");
        assert_eq!((case.arguments.len(), case.devices, case.exit.as_str()), (2, 2, "25"));
        assert_eq!(case.modelled, None);
        let case = Case::parse("// modelled: it fills a memory of its own\n// modelled\n");
        assert_eq!(case.modelled.as_deref(), Some("it fills a memory of its own"));
    }
}
