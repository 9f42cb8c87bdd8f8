//! Limits of a run: they end a program that would take too long or need too much memory.

use std::fmt;

/// A limit that was reached, and the place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LimitReached {
    /// The line being executed, where it is known.
    pub line: Option<u32>,
    pub limit: RunLimit,
}

/// The limited resource, what was requested, and the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RunLimit {
    /// Global variables and the stack do not fit the host memory.
    HostVariables { most_bytes: u64 },
    /// The program requested more host memory than the limit.
    HostMemory { asked_bytes: u64, most_bytes: u64 },
    /// A null pointer was dereferenced, after host memory was requested (in `asked_line`) and refused.
    RefusedMemory { asked_bytes: u64, asked_line: Option<u32>, most_bytes: u64 },
    /// The program's arguments do not fit the host memory.
    Arguments,
    /// A buffer of the caller, given by name, does not fit the host memory.
    Buffer { name: String },
    /// Nested calls back into the program.
    Callbacks { most: usize },
    /// Instructions of host code; `calls`: includes calls that take as long.
    HostInstructions { most: u64, calls: bool },
    /// Bytes printed and written to files; `to_file`: the last of them went to a file.
    Output { most_bytes: u64, to_file: bool },
    /// Memory allocated from CUDA; `bytes` includes what `call` requests.
    CudaMemory { call: String, bytes: u64, most_bytes: u64 },
    /// Work enqueued in all streams: kernels, copies, graphs and the like.
    EnqueuedWork { most: u64 },
    /// Memory of this machine that backs the memory of the program's GPUs.
    MachineMemory { most_bytes: u64 },
    /// Threads of a launch; `largest`: name and size in bytes of the largest allocation.
    LaunchThreads {
        kernel: String,
        blocks: u128,
        threads_a_block: u64,
        most: u64,
        largest: Option<(String, u64)>,
    },
    /// Warp instructions of all kernels, including the equivalent of copies.
    WarpInstructions { most: u64 },
    /// Warp instructions of one block, and the line it was at.
    BlockInstructions { line: Option<u32>, most: u64 },
}

impl From<RunLimit> for LimitReached {
    fn from(limit: RunLimit) -> LimitReached {
        LimitReached { line: None, limit }
    }
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.limit),
            None => self.limit.fmt(f),
        }
    }
}

impl fmt::Display for RunLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunLimit::HostVariables { most_bytes } => write!(
                f,
                "the program's global variables and stack take more than the limit of {} MiB",
                most_bytes >> 20
            ),
            RunLimit::HostMemory { asked_bytes, most_bytes } => write!(
                f,
                "the program asked for {asked_bytes} bytes of memory; the limit for all of its memory is {} MiB",
                most_bytes >> 20
            ),
            RunLimit::RefusedMemory { asked_bytes, asked_line, most_bytes } => {
                write!(f, "it dereferences a null pointer, because it asked for {asked_bytes} bytes")?;
                if let Some(line) = asked_line {
                    write!(f, " in line {line}")?;
                }
                let most = most_bytes >> 20;
                write!(f, " and got none: the limit for all of its memory is {most} MiB")
            }
            RunLimit::Arguments => f.write_str("the program's arguments do not fit its memory"),
            RunLimit::Buffer { name } => write!(f, "the buffer `{name}` does not fit the program's memory"),
            RunLimit::Callbacks { most } => {
                write!(f, "{most} nested calls back into the program")
            }
            RunLimit::HostInstructions { most, calls } => {
                let calls = if *calls { ", or calls that take as long" } else { "" };
                write!(
                    f,
                    "the host code ran {most} instructions{calls}, which is the limit; does a loop never end?"
                )
            }
            RunLimit::Output { most_bytes, to_file } => {
                let wrote = if *to_file { "wrote" } else { "printed" };
                write!(f, "the program {wrote} more than the limit of {most_bytes} bytes")
            }
            RunLimit::CudaMemory { call, bytes, most_bytes } => write!(
                f,
                "including what {call} asks for, the program has {bytes} bytes from CUDA; the limit is {} MiB. Is a \
                 size or an argument wrong?",
                most_bytes >> 20
            ),
            RunLimit::EnqueuedWork { most } => write!(
                f,
                "the program enqueued kernels, copies and other work {} times, which is the limit; does a loop never \
                 end?",
                grouped((*most).into(), ',')
            ),
            RunLimit::MachineMemory { most_bytes } => write!(
                f,
                "what the program keeps on its GPUs takes more than {} MiB of this machine's memory, which is the \
                 limit",
                most_bytes >> 20
            ),
            RunLimit::LaunchThreads { kernel, blocks, threads_a_block, most, largest } => {
                let threads = blocks * u128::from(*threads_a_block);
                write!(
                    f,
                    "the launch of {kernel} asks for {} threads ({} blocks of {threads_a_block})",
                    grouped(threads, ','),
                    grouped(*blocks, ',')
                )?;
                if let Some((name, bytes)) = largest {
                    let floats = grouped((bytes / 4).into(), ',');
                    write!(f, ", but the largest memory here, `{name}`, has room for {floats} floats")?;
                }
                write!(
                    f,
                    ". The simulator runs up to {} in a launch. Choose the number of blocks to fit the data: (n + {}) / \
                     {threads_a_block} for n elements",
                    grouped((*most).into(), ','),
                    threads_a_block.saturating_sub(1)
                )
            }
            RunLimit::WarpInstructions { most } => write!(
                f,
                "the program's GPUs have more to do than {} million warp instructions, which is the limit of one \
                 run",
                most / 1_000_000
            ),
            RunLimit::BlockInstructions { line, most } => {
                f.write_str("a kernel was stopped")?;
                if let Some(line) = line {
                    write!(f, " in line {line}")?;
                }
                write!(
                    f,
                    ", where one of its blocks had run {} million warp instructions, the limit for one block. It \
                     may run forever, or need more",
                    most / 1_000_000
                )
            }
        }
    }
}

/// Formats a number with its digits in groups of three: `1,000,000` where the separator is a comma.
pub fn grouped(n: u128, separator: char) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}
