//! What a run depends on apart from the lesson and the source.

use super::course::Lesson;

/// What a verdict depends on apart from the lesson and the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Seed from which the inputs are drawn. The same seed gives the same verdict, byte for byte.
    pub seed: u64,
    /// Host threads of the simulator. The verdict does not depend on their number.
    pub host_threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 0x006c_6561_726e, host_threads: sim::Options::default().host_threads }
    }
}

/// Bytes of `printf` output kept per launch.
const OUTPUT_LIMIT_BYTES: usize = 64 << 10;

/// Returns the simulator options for a lesson's kernels.
pub fn simulation(lesson: &Lesson, options: &Options) -> sim::Options {
    sim::Options {
        host_threads: options.host_threads,
        step_budget: lesson.spec.step_budget,
        output_limit_bytes: OUTPUT_LIMIT_BYTES,
        ..sim::Options::default()
    }
}
