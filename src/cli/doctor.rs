//! `doctor`: what this machine has and lacks, and what to do about it. Fetches nothing.

use super::config::Config;
use super::run::machine_code::machine_code;
use super::{Answer, Context, Exit, terminal};
use compiler::environment::MACHINE_CODE;
use compiler::{self, Facts, Origin, Request};
use gpu::{self, Cause, GpuError, Machine};
use judge::on_gpu::Gpu;
use report::{self, Check, DoctorView, grouped, json};
use sim::compiled::CompileWhen;
use std::io::{IsTerminal, stdin, stdout};
use std::time::Instant;

pub fn run(context: &mut Context) -> Answer {
    let facts = compiler::facts();
    let view = DoctorView::new(vec![
        Check::good(format!("version {}", json::TOOL)).named("gpulearn"),
        compiler(&facts, &context.style.command, context.global.offline).named("compiler"),
        headers(&facts).named("headers"),
        cache(&facts).named("cache"),
        gpu().named("GPU"),
        sandbox(&facts).named("sandbox"),
        compiled_programs(&facts).named("machine code"),
        terminal(context).named("terminal"),
        config().named("config"),
        workspace(context).named("workspace"),
    ]);
    context.show("gpulearn.doctor/1", &view, |context| Ok(report::doctor(&view, &context.style)))?;
    Ok(if view.ok { Exit::Pass } else { Exit::Unavailable })
}

/// How to get a compiler on systems for which NVIDIA publishes none.
const CONTAINER: Option<&str> = match cfg!(target_os = "macos") {
    true => Some(
        "once, in a clone of gpulearn: docker build -t gpulearn . From then on, commands that compile run in it",
    ),
    false => None,
};

fn with_container(check: Check) -> Check {
    match CONTAINER {
        Some(command) => check.action(command),
        None => check,
    }
}

/// Checks that the compiler is present and works.
fn compiler(facts: &Facts, command: &str, offline: bool) -> Check {
    let found = match &facts.compiler {
        Ok(found) => found,
        Err(why) => {
            return match (facts.to_fetch_bytes, &facts.source) {
                (Some(bytes), Some(source)) if !offline => {
                    let mb = grouped(bytes.div_ceil(1_000_000));
                    let what = format!("not here yet: the first check fetches it ({source}), once, {mb} MB");
                    Check::note(what)
                        .action(format!("run, for example, {command} check map while there is a network"))
                }
                _ => with_container(Check::bad(why.clone())),
            };
        }
    };
    let origin = match &found.origin {
        Origin::Named => "named by GPULEARN_NVRTC",
        Origin::Environment => "from this Python environment",
        Origin::Cache => "fetched",
        Origin::Toolkit(_) => "from the CUDA toolkit",
        Origin::LibraryPath => "on the library path",
    };
    let (major, minor) = found.version;
    let what = format!("NVRTC {major}.{minor}, {origin}: {}", found.library.display());
    let started = Instant::now();
    // A different source each time: a cached result would prove nothing.
    let source = format!("extern \"C\" __global__ void probe(int *p) {{ *p = {}; }}", judge::course::now());
    let request = Request::new(&source, "probe.cu", (8, 0));
    match compiler::Compiler::locate(true)
        .map_err(compiler::CompileError::Environment)
        .and_then(|c| c.compile(&request))
    {
        Ok(_) => {
            let ms = started.elapsed().as_millis();
            Check::good(format!("{what}; compiles in {ms} ms"))
        }
        Err(error) => {
            let why = match error {
                compiler::CompileError::Environment(e) => format!("{e:#}"),
                compiler::CompileError::Limit(limit) => limit,
                compiler::CompileError::Rejected(d) => {
                    d.first().map_or(String::new(), |d| d.with_notes(&d.notes))
                }
            };
            Check::bad(format!("{what}, but it does not compile: {why}"))
                .action("if it came from elsewhere, unset GPULEARN_NVRTC and let gpulearn fetch its own")
        }
    }
}

fn headers(facts: &Facts) -> Check {
    match &facts.compiler {
        Ok(found) if found.include_dirs.is_empty() => {
            Check::note("none: kernels that include cuda_fp16.h, mma.h and the like won't compile")
                .action("unset GPULEARN_NVRTC to have them fetched, or put them next to the library")
        }
        Ok(found) => {
            let folders: Vec<String> = found.include_dirs.iter().map(|d| d.display().to_string()).collect();
            Check::good(folders.join(", "))
        }
        Err(_) => Check::note("they come with the compiler"),
    }
}

fn cache(facts: &Facts) -> Check {
    let folder = match &facts.cache_dir {
        Ok(folder) => folder.display(),
        Err(why) => return Check::bad(why.clone()),
    };
    match &facts.cache_problem {
        // The compiler that is in the cache suffices; only results can't be kept.
        Some(problem) if facts.compiler.is_ok() => {
            let text = format!("{folder} can't be written: every check compiles again");
            Check::note(text).action(problem.clone())
        }
        Some(problem) => Check::bad(format!("{folder} can't be written")).action(problem.clone()),
        None => {
            let mb = |bytes: u64| grouped(bytes.div_ceil(1_000_000));
            let (installed, results) = (mb(facts.installed_bytes), mb(facts.results_bytes));
            Check::good(format!("{folder}: compiler {installed} MB, kept results {results} MB"))
        }
    }
}

/// Checks for the user's configuration. Errors in it are reported by every command before it does anything.
fn config() -> Check {
    match Config::path() {
        Some(path) if path.is_file() => Check::good(path.display().to_string()),
        Some(path) => {
            let text = format!("none; {} can set backend, color, jobs, graphics and editor", path.display());
            Check::good(text)
        }
        None => Check::note("no home directory to keep one in"),
    }
}

/// Checks the GPUs that the driver reports.
fn gpu() -> Check {
    match gpu::machine() {
        Ok(machine) => {
            let devices: Vec<String> = machine.devices.iter().map(gpu::DeviceInfo::describe).collect();
            let (major, minor) = machine.driver;
            let text = format!("{}; the driver supports CUDA {major}.{minor}", devices.join(", "));
            match tried(machine) {
                Ok(()) => {
                    Check::good(format!("{text}. Kernels run on it, and on the simulator to find defects"))
                }
                Err(gpu_error) => {
                    let text = format!("{text}. Now {}: kernels run on the simulator", gpu_error.what());
                    Check::note(text).action(gpu_error.action())
                }
            }
        }
        Err(gpu_error) if matches!(gpu_error.cause, Cause::NoDriver | Cause::OtherSystem) => {
            let text = format!("{}, and none is needed: kernels run on the simulator", gpu_error.what());
            Check::good(text)
        }
        Err(gpu_error) => {
            let text = format!("{}; kernels run on the simulator", gpu_error.what());
            Check::note(text).action(gpu_error.action())
        }
    }
}

/// Loads code on the GPU, which may be present and unusable. Succeeds without a test if there is no compiler.
fn tried(machine: Machine) -> Result<(), GpuError> {
    let compiler = compiler::Compiler::locate(true);
    let Ok(compiler) = compiler.and_then(|compiler| compiler.for_driver(machine.driver.0, true)) else {
        return Ok(());
    };
    match Gpu::first(machine, compiler).probe() {
        Ok(()) => Ok(()),
        Err(error) => error.downcast::<GpuError>().map_or(Ok(()), Err),
    }
}

fn sandbox(facts: &Facts) -> Check {
    let missing = facts.guarantees.missing();
    if missing.is_empty() {
        return Check::good("the compiler is isolated: no files, no network, limited time and memory");
    }
    Check::note(format!("incomplete here: {}", missing.join("; ")))
        .action("check only files whose author you trust")
}

/// Checks whether `run` compiles programs to machine code.
fn compiled_programs(facts: &Facts) -> Check {
    if !jit::is_available() {
        return Check::note("not supported on this system: kernels and host code are interpreted");
    }
    match machine_code() {
        None => Check::note(format!("not used: {MACHINE_CODE} is set to never")),
        Some((CompileWhen::Always, _)) => Check::good(format!(
            "`run` compiles all kernels and host code to it: {MACHINE_CODE} is set to always"
        )),
        Some((CompileWhen::Hot, is_asked_for)) if is_asked_for || facts.guarantees.seccomp => {
            Check::good("`run` compiles kernels and host code that take long to it")
        }
        Some(_) => Check::note("not used: nothing here keeps it from starting processes (no seccomp)"),
    }
}

fn terminal(context: &Context) -> Check {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Check::note("none: no keys and no colours here; every command works");
    }
    let colours = if colored::control::SHOULD_COLORIZE.should_colorize() { "colours" } else { "no colours" };
    let check = Check::good(format!("text in {} columns, {colours}", context.style.width));
    if terminal::locale_is_utf8() == Some(true) {
        return check;
    }
    let text = format!("{}; the locale does not say that it supports UTF-8", check.text);
    Check::note(text).action("if lines or ticks look broken, set LANG=C.UTF-8")
}

fn workspace(context: &Context) -> Check {
    let Some(workspace) = context.workspace() else {
        return Check::note("none in this folder or above")
            .action(format!("{} init DIR creates one", context.style.command));
    };
    let place = workspace.root().display();
    let kind = if workspace.is_checkout() { "a checkout" } else { "created by init" };
    // An update without changes, to test whether progress can be stored.
    match workspace.progress().update(|_| ()) {
        Ok(loaded) => {
            let course = context.course().ok();
            let done =
                course.map_or(0, |c| c.lessons().iter().filter(|l| loaded.progress.passed(&l.slug)).count());
            let text = format!("{place}, {kind}, {done} passed");
            if workspace.editor_is_stale() {
                return Check::note(format!("{text}; .clangd refers to another folder"))
                    .action(format!("{} init . rewrites it", context.style.command));
            }
            match loaded.notice {
                None => Check::good(text),
                Some(notice) => Check::note(format!("{text}; {notice}")),
            }
        }
        Err(error) => Check::bad(format!("{place}: {error:#}"))
            .action("make it writable, or work in a folder of your own: progress is not kept"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use compiler::FoundCompiler;
    use report::Health;

    fn without_compiler() -> Facts {
        let (compiler, to_fetch_bytes) = (Err("none is here".to_owned()), Some(136_400_000));
        let source = Some("pip 25".to_owned());
        let cache_problem = Some("read-only".into());
        Facts { compiler, to_fetch_bytes, source, cache_problem, ..compiler::facts() }
    }

    #[test]
    fn a_compiler_that_is_not_here_yet_is_no_fault() {
        let facts = without_compiler();
        let check = compiler(&facts, "gpulearn", false);
        assert_eq!(check.health, Health::Note);
        assert_eq!(check.text, "not here yet: the first check fetches it (pip 25), once, 137 MB");
        let offline = compiler(&facts, "gpulearn", true);
        assert_eq!((offline.health, offline.text.as_str()), (Health::Bad, "none is here"));
        let elsewhere = Facts { to_fetch_bytes: None, ..facts };
        assert_eq!(compiler(&elsewhere, "gpulearn", false).health, Health::Bad);
    }

    #[test]
    fn a_cache_that_cannot_be_written_will_do_where_the_compiler_is_there() {
        let facts = without_compiler();
        assert_eq!(cache(&facts).health, Health::Bad);
        let found = FoundCompiler {
            version: (12, 9),
            library: "libnvrtc.so".into(),
            origin: Origin::Cache,
            include_dirs: Vec::new(),
        };
        let check = cache(&Facts { compiler: Ok(found), ..facts });
        assert_eq!((check.health, check.action.as_deref()), (Health::Note, Some("read-only")));
    }
}
