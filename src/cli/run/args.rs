//! The command line of `run`.

use super::INTERRUPT;
use crate::cli::own_headers::OwnArgs;
use host::device::simulated::Schedule;
use host::program::{Control, Input, ReadableFiles, Settings};
use sim::HostLimits;
use sim::compiled::CompileWhen;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum number of modelled GPUs.
const MAX_DEVICES: u32 = 16;
/// Memory limit of the whole process, as a multiple of the program's: device memory is committed as kernels write
/// to it, and the record of each access takes further memory.
const ALL_MEMORY: u64 = 4;
/// Memory that this tool needs without a program.
const OWN_BYTES: u64 = 512 << 20;
/// Memory for a program where the machine does not report how much is available, and the minimum on any machine.
const USUAL_BYTES: u64 = 4 << 30;
const MIN_BYTES: u64 = 1 << 30;

#[derive(clap::Args)]
pub struct Args {
    /// The program: one .cu file with main()
    #[arg(value_name = "FILE.cu")]
    pub(super) file: Option<OsString>,
    #[command(flatten)]
    pub(super) own: OwnArgs,
    /// What was meant as the program's arguments, or as more of its files.
    #[arg(hide = true)]
    pub(super) others: Vec<OsString>,
    /// The program's arguments, after --
    #[arg(last = true, value_name = "ARGS")]
    pub(super) arguments: Vec<String>,
    /// GPU to model: t4, a100 (the default) or h100
    #[arg(long = "as", value_name = "GPU")]
    pub(super) gpu: Option<String>,
    /// How many GPUs the program sees; if omitted, one modelled GPU, or all of this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_DEVICES as i64))]
    pub(super) devices: Option<u32>,
    /// When to do modelled work that nothing orders: eager (the default), lazy or random:SEED
    #[arg(long, value_name = "ORDER")]
    pub(super) schedule: Option<Schedule>,
    /// Write what happened when: JSON for Perfetto or chrome://tracing or, if named .pftrace, Perfetto's own format,
    /// with counters and with arrows from work to what waits for it
    #[arg(long, value_name = "OUT.json|OUT.pftrace")]
    pub(super) trace: Option<PathBuf>,
    /// Show what happened when
    #[arg(long)]
    pub(super) gantt: bool,
    /// Show the memory that the program allocates from CUDA, over time
    #[arg(long)]
    pub(super) memory: bool,
    /// Draw the run as one HTML page, or write its data as JSON: its findings, the work of each line and what
    /// happened when; slower
    #[arg(long, value_name = "OUT.html|OUT.json")]
    pub(super) view: Option<PathBuf>,
    /// Stop after this many seconds, compiling included
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(super) limit_seconds: u64,
    /// Memory limit of the host program, and of its modelled GPUs' memory, in MiB each; with what is needed
    /// to find races, the total may reach four times as much. If omitted, the memory left on this machine
    /// is the limit of each and of the total
    #[arg(long, value_name = "MIB")]
    limit_memory: Option<u64>,
    /// Maximum warp instructions of one block of a kernel, in millions
    #[arg(long, value_name = "MILLIONS", default_value_t = 1000)]
    pub(super) limit_instructions: u64,
    /// Maximum output, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 16384)]
    limit_output: u64,
    /// Also exit with 1 if memory, streams or events were never freed
    #[arg(long)]
    pub(super) strict: bool,
    /// Do not look for races and values never written; faster
    #[arg(long)]
    pub(super) no_checks: bool,
    /// Run only this percentage of the blocks of each kernel, and extrapolate the work of all from theirs, for sizes
    /// that would take too long. Results are then not those of the program, and no defects are looked for
    #[arg(long, value_name = "PERCENT", value_parser = percent, conflicts_with_all = ["trace", "gantt", "memory", "view", "advice", "schedule"])]
    pub(super) sample_blocks: Option<f64>,
    /// Report what could be better in kernels; slower
    #[arg(long)]
    pub(super) advice: bool,
    /// Also report differences of nearly equal floats; with --advice
    #[arg(long, requires = "advice")]
    pub(super) strict_floats: bool,
}

impl Args {
    /// Returns the arguments of the command line that draws a program.
    pub fn drawing(file: &Path, page: &Path, gpu: &str) -> Args {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        let words =
            [OsStr::new("run"), file.as_os_str(), OsStr::new("--as"), OsStr::new(gpu), OsStr::new("--view")];
        <Line as clap::Parser>::parse_from(words.into_iter().chain([page.as_os_str()])).args
    }

    /// Returns the first option given that requires modelled GPUs.
    pub(super) fn modelled(&self) -> Option<&'static str> {
        let options = [
            ("--as", self.gpu.is_some()),
            ("--schedule", self.schedule.is_some()),
            ("--trace", self.trace.is_some()),
            ("--gantt", self.gantt),
            ("--memory", self.memory),
            ("--view", self.view.is_some()),
            ("--no-checks", self.no_checks),
            ("--sample-blocks", self.sample_blocks.is_some()),
            ("--advice", self.advice),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    pub(super) fn modelled_devices(&self) -> u32 {
        self.devices.unwrap_or(1)
    }

    /// Returns the memory that the program may use, in bytes.
    fn memory_bytes(&self) -> u64 {
        let left =
            || crate::machine_memory::available_to_process_bytes().unwrap_or(USUAL_BYTES).max(MIN_BYTES);
        self.limit_memory.map_or_else(left, |mib| mib.saturating_mul(1 << 20))
    }

    /// Returns the memory that this whole process may use, of which the program may use `memory_bytes`.
    pub(super) fn all_bytes(&self, memory_bytes: u64) -> u64 {
        match self.limit_memory {
            Some(_) => memory_bytes.saturating_mul(ALL_MEMORY).saturating_add(OWN_BYTES),
            None => memory_bytes,
        }
    }

    /// Returns the time limit of a run.
    pub(super) fn limit(&self) -> Duration {
        Duration::from_secs(self.limit_seconds)
    }

    /// Returns when a run that starts now must have ended.
    pub(super) fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.limit())
    }

    /// Returns the settings of a run.
    pub(super) fn settings<'a>(
        &self,
        arguments: &'a [String],
        compile: Option<CompileWhen>,
        deadline: Option<Instant>,
    ) -> Settings<'a> {
        let control = Control { cancelled: &INTERRUPT, deadline };
        Settings {
            input: Input::Own,
            readable: ReadableFiles::CurrentFolder,
            host: HostLimits { memory_bytes: self.memory_bytes(), ..HostLimits::default() },
            compile,
            output_bytes: self.limit_output.saturating_mul(1 << 10),
            launch_blocking: launch_blocking(std::env::var("CUDA_LAUNCH_BLOCKING").ok().as_deref()),
            ..Settings::new(arguments, control)
        }
    }

    /// Returns the path of the program's source.
    pub(super) fn source(&self) -> &Path {
        Path::new(self.file.as_deref().unwrap_or_default())
    }

    /// Returns the program's `argv`.
    pub(super) fn words(&self, file: &str) -> Vec<String> {
        let name = file.trim_end_matches(".cu").to_owned();
        std::iter::once(name).chain(self.arguments.iter().cloned()).collect()
    }
}

/// Parses a percentage above 0 and up to 100, with or without a percent sign.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    number
        .parse()
        .ok()
        .filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0)
        .ok_or_else(|| "use a number above 0 and up to 100".to_owned())
}

/// Parses `CUDA_LAUNCH_BLOCKING`: any number but 0 turns it on.
fn launch_blocking(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.trim().parse::<i64>().is_ok_and(|number| number != 0))
}
