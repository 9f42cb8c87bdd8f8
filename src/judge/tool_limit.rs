//! Limits of this tool, at which it stops, so that nothing more is known of the code.

use sim::LimitReached;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolLimit {
    /// The source file is larger.
    Source { file: String, most_bytes: u64 },
    /// One of the compiler, in its words.
    Compiler(String),
    /// One of a run.
    Run(LimitReached),
    /// The run takes more seconds.
    Seconds(u64),
    /// The values change from run to run, so their time would mean nothing.
    ChangingValues,
}
