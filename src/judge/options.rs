//! What a run depends on apart from the lesson and the source.

use super::course::Lesson;
use sim::compiled::CompileWhen;

/// What a verdict depends on apart from the lesson and the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Seed from which the inputs are drawn. The same seed gives the same verdict, byte for byte.
    pub seed: u64,
    /// Host threads of the simulator. The verdict does not depend on their number.
    pub host_threads: usize,
    /// When kernels, and loops and functions of host code, become machine code on the simulator; `None` means never. The
    /// verdict does not depend on it.
    pub machine_code: Option<CompileWhen>,
}

impl Default for Options {
    fn default() -> Self {
        let host_threads = sim::Options::default().host_threads;
        Options { seed: 0x006c_6561_726e, host_threads, machine_code: None }
    }
}

/// Bytes of `printf` output kept per launch.
const OUTPUT_LIMIT_BYTES: usize = 64 << 10;

/// Returns the simulator options for a lesson's kernels.
pub fn simulation(lesson: &Lesson, options: &Options) -> sim::Options {
    let of_lesson = sim::Options {
        host_threads: options.host_threads,
        step_budget: lesson.spec.step_budget,
        output_limit_bytes: OUTPUT_LIMIT_BYTES,
        ..sim::Options::default()
    };
    jit::compiling(of_lesson, options.machine_code)
}
