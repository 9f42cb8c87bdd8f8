//! Limits that a run has reached.

use crate::layout::grouped_by;
use judge::ToolLimit;
use sim::{LimitReached, RunLimit};

/// Says which limit was reached.
pub fn tool_limit(limit: &ToolLimit) -> String {
    match limit {
        ToolLimit::Source { file, most_bytes } => format!("{file} is larger than {} MiB", most_bytes >> 20),
        ToolLimit::Compiler(said) => said.clone(),
        ToolLimit::Run(reached) => limit_reached(reached),
        ToolLimit::Seconds(seconds) => {
            format!("stopped after {seconds} s; --limit-seconds gives it more time")
        }
        ToolLimit::ChangingValues => "its values change from run to run".into(),
    }
}

/// Says which limit of a run was reached, and in which line.
pub fn limit_reached(LimitReached { line, limit }: &LimitReached) -> String {
    let said = run_limit(limit);
    match line {
        Some(line) => format!("line {line}: {said}"),
        None => said,
    }
}

fn run_limit(limit: &RunLimit) -> String {
    let in_line = |line: &Option<u32>| line.map_or(String::new(), |line| format!(" in line {line}"));
    let grouped = |n: u128| grouped_by(n, ',');
    match limit {
        RunLimit::HostVariables { most_bytes } => format!(
            "the program's global variables and stack take more than the limit of {} MiB",
            most_bytes >> 20
        ),
        RunLimit::HostMemory { asked_bytes, most_bytes } => format!(
            "the program asked for {asked_bytes} bytes of memory; the limit for all of its memory is {} MiB",
            most_bytes >> 20
        ),
        RunLimit::RefusedMemory { asked_bytes, asked_line, most_bytes } => format!(
            "it dereferences a null pointer, because it asked for {asked_bytes} bytes{} and got none: the limit for all \
             of its memory is {} MiB",
            in_line(asked_line),
            most_bytes >> 20
        ),
        RunLimit::Arguments => "the program's arguments do not fit its memory".into(),
        RunLimit::Buffer { name } => format!("the buffer `{name}` does not fit the program's memory"),
        RunLimit::Callbacks { most } => format!("{most} nested calls back into the program"),
        RunLimit::HostInstructions { most, calls } => {
            let calls = if *calls { ", or calls that take as long" } else { "" };
            format!(
                "the host code ran {most} instructions{calls}, which is the limit; does a loop never end?"
            )
        }
        RunLimit::Output { most_bytes, to_file } => {
            let wrote = if *to_file { "wrote" } else { "printed" };
            format!("the program {wrote} more than the limit of {most_bytes} bytes")
        }
        RunLimit::CudaMemory { call, bytes, most_bytes } => format!(
            "including what {call} asks for, the program has {bytes} bytes from CUDA; the limit is {} MiB. Is a size or \
             an argument wrong?",
            most_bytes >> 20
        ),
        RunLimit::EnqueuedWork { most } => format!(
            "the program enqueued kernels, copies and other work {} times, which is the limit; does a loop never end?",
            grouped((*most).into())
        ),
        RunLimit::MachineMemory { most_bytes } => format!(
            "what the program keeps on its GPUs takes more than {} MiB of this machine's memory, which is the limit",
            most_bytes >> 20
        ),
        RunLimit::LaunchThreads { kernel, blocks, threads_a_block, most, largest } => {
            let room = largest.as_ref().map_or(String::new(), |(name, bytes)| {
                let floats = grouped((bytes / 4).into());
                format!(", but the largest memory here, `{name}`, has room for {floats} floats")
            });
            format!(
                "the launch of {kernel} asks for {} threads ({} blocks of {threads_a_block}){room}. The simulator runs up \
                 to {} in a launch. Choose the number of blocks to fit the data: (n + {}) / {threads_a_block} for n \
                 elements",
                grouped(blocks * u128::from(*threads_a_block)),
                grouped(*blocks),
                grouped((*most).into()),
                threads_a_block.saturating_sub(1)
            )
        }
        RunLimit::WarpInstructions { most } => format!(
            "the program's GPUs have more to do than {} million warp instructions, which is the limit of one run",
            most / 1_000_000
        ),
        RunLimit::BlockInstructions { line, most } => format!(
            "a kernel was stopped{}, where one of its blocks had run {} million warp instructions, the limit for one \
             block. It may run forever, or need more",
            in_line(line),
            most / 1_000_000
        ),
    }
}
