//! The CUDA compiler: locating or fetching it, the sandboxed worker process that runs it, its messages, and
//! the cache of its results.
//!
//! ```text
//! locate ── found? ──────────────────────────────┐
//!    └─ no: install ── fetch ── wheel table ──────┤
//!                                                 ▼
//! Compiler::compile ── results (cache) ── spawn ═pipe═ worker ── sandbox ── NVRTC
//!                            │               └── diagnostics, cubin
//!                          reused_worker (a worker for the sources of one author)
//! ```
//!
//! The compiler opens whatever file a source names, loads libraries from the current directory, and can be
//! made to run for ever by a small source, so it never runs in this process. The parent sends a trusted job
//! to the worker (which library, which headers, which limits); the worker loads all of it, enters its
//! sandbox, and only then reads the source.

mod active_masks;
mod cache;
mod compiler;
mod cubin;
mod diagnostics;
pub mod digest;
pub mod environment;
pub mod escape;
mod facts;
pub mod fetch;
#[cfg(unix)]
mod forked;
mod functors;
mod headers;
mod host_variables;
mod include;
mod inline_asm;
pub mod install;
mod launch_mistakes;
mod library;
mod locate;
mod member_calls;
mod open_arrays;
mod own_headers;
mod paths;
#[cfg(target_os = "linux")]
mod precompiled;
pub mod process;
mod program;
mod protocol;
mod remote;
#[cfg(target_os = "linux")]
mod reused_worker;
mod sandbox;
mod spawn;
pub mod wheel;
pub mod wire;
pub mod worker;
mod wrong_space;

pub use active_masks::active_masks;
pub use compiler::{Compiler, Limits};
pub use cubin::parameters as kernel_parameters;
pub use diagnostics::{Expected, HeaderLibrary, Message, MessageKind, missing_header};
pub use facts::{Facts, FoundCompiler, facts};
#[cfg(unix)]
pub use forked::{Bounds, Forked};
pub use functors::{host_functors, host_lambda};
pub use headers::program_headers;
pub use host_variables::host_variables;
pub use launch_mistakes::{launched_functions, misplaced_calls};
pub use locate::Origin;
pub use open_arrays::{open_arrays, same_memory};
pub use own_headers::{NotRead, OwnHeader, OwnSource, Refused};
pub use paths::cache_dir;
pub use sandbox::{Guarantees, no_processes};
pub use spawn::worker_binary;
pub use wrong_space::{host_function_called, kernel_called};

use serde::{Deserialize, Serialize};

/// A request to compile a source.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Request<'a> {
    /// CUDA C++ source code.
    pub source: &'a str,
    /// Name of the file in messages and line tables; the file is never opened.
    pub file_name: &'a str,
    /// Compute capability to compile for, such as `(8, 0)`.
    pub compute_capability: (u32, u32),
    /// Headers in memory, by the name they are included with.
    pub headers: &'a [(&'a str, &'a str)],
    /// Additional options of the compiler, such as `-DN=8`.
    pub options: &'a [&'a str],
    /// Also generate a cubin for that architecture, and determine registers, spills and shared memory from
    /// it.
    pub resources: bool,
    /// The source is a whole program: host functions are compiled too, and it may include the headers for
    /// programs (the C and C++ libraries and the CUDA runtime). With `resources`, only its kernels and what
    /// they call are compiled, because the host's part does not become machine code.
    pub program: bool,
    /// Compile a program's host code as a host compiler does: it takes the host's branch where the source
    /// tests `__CUDA_ARCH__`, products and sums are rounded separately, and mathematical functions are this
    /// machine's. Kernels are compiled likewise, but are not meant to be run.
    pub host: bool,
    /// Do not optimise, if the compiler's release supports that: faster, for code that is compiled only as a
    /// check.
    pub unoptimised: bool,
    /// Of a program, compile only its kernels and what they call, as with `resources`, but to PTX alone.
    pub kernels_only: bool,
}

impl<'a> Request<'a> {
    /// Creates a request to compile kernels to PTX, with neither headers nor options of their own.
    pub fn new(source: &'a str, file_name: &'a str, compute_capability: (u32, u32)) -> Request<'a> {
        Request { source, file_name, compute_capability, ..Request::default() }
    }
}

/// The result of a compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    pub ptx: String,
    /// Machine code; empty unless `resources` was requested.
    #[serde(with = "serde_bytes")]
    pub cubin: Vec<u8>,
    /// One entry per kernel; empty unless `resources` was requested.
    pub resources: Vec<KernelResources>,
    /// Warnings, located in the learner's own lines.
    pub diagnostics: Vec<Diagnostic>,
}

/// One kernel's use of a multiprocessor's resources, read from its cubin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResources {
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Local memory per thread, in bytes (stack frame and spills).
    pub local_bytes: u32,
    /// Bytes that a thread spills to and reloads from local memory because registers ran out, counted once
    /// per instruction: ptxas's spill stores and spill loads together.
    pub spill_bytes: u32,
    /// Number of barrier resources (`bar.sync`) used.
    pub barriers: u32,
}

/// The severity of a message, the worst first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    #[default]
    Error,
    Warning,
    /// A remark on code that is correct, or on another message.
    Note,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        })
    }
}

/// A message of the compiler. Its text is safe to print: control bytes are escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub file: String,
    /// 1-based; 0 if the compiler gave none.
    pub line: u32,
    /// 1-based, in characters; 0 if the compiler gave none.
    pub column: u32,
    /// The text, a single line.
    pub message: String,
    /// Further remarks on it, each a single line.
    pub notes: Vec<String>,
    /// The subject of a message that the tool itself produces.
    pub subject: Option<Subject>,
    /// The number that the compiler gives a warning: 177 for `#177-D`. Errors have none.
    pub number: Option<u32>,
}

impl Diagnostic {
    /// Creates an error in a file, at a line and a column (both 1-based, the column in characters; 0 if
    /// unknown).
    pub fn error(
        file: impl Into<String>,
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) -> Diagnostic {
        let (file, message) = (file.into(), message.into());
        let notes = Vec::new();
        Diagnostic {
            severity: Severity::Error,
            file,
            line,
            column,
            message,
            notes,
            subject: None,
            number: None,
        }
    }

    /// Returns the message with these of its notes, as a single line.
    pub fn with_notes<'n>(&self, notes: impl IntoIterator<Item = &'n String>) -> String {
        notes.into_iter().fold(self.message.clone(), |text, note| format!("{text}; note: {note}"))
    }

    /// Returns the names and other words in the message.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        cpp::names(&self.message)
    }

    /// Returns what the message says.
    pub fn kind(&self) -> MessageKind {
        MessageKind::of(&self.message)
    }

    /// Returns the same diagnostic with this subject.
    #[must_use]
    pub fn about(self, subject: Subject) -> Diagnostic {
        Diagnostic { subject: Some(subject), ..self }
    }
}

/// The subject of a message that the tool produces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A kernel is called like a function.
    KernelCalled { kernel: String },
    /// A launch has one value between its brackets.
    LaunchOfOneValue,
    /// Device code calls a host-only function, first declared at this line (1-based).
    HostFunctionCalled { function: String, declared: u32 },
    /// Host code calls a device-only function, first declared at this line (1-based).
    DeviceFunctionCalled { function: String, declared: u32 },
    /// Device code uses a host variable, declared at this line (1-based).
    HostVariableUsed { variable: String, declared: u32 },
    /// A header does not exist, but one with a similar name does.
    HeaderMisspelt,
    /// The initial value of a variable outside functions would have to be computed when the program starts.
    DynamicInitialisation,
    /// A value that must be known at compile time, such as the size of an array, is computed at run time.
    NotConstant,
    /// A function that is not a kernel is launched; it is first declared at this line (1-based).
    FunctionLaunched { function: String, declared: u32 },
    /// Device code uses a host-only part of the C++ library, given by its name in `std`.
    HostLibraryUsed { name: String },
    /// One of the tool's own headers stands for one that it does not have.
    HeaderUnavailable { header: String, why: String },
    /// A lesson's program calls a function that reaches outside its process.
    SystemCalled,
    /// A function uses two arrays in shared memory that begin at the same address.
    SameSharedMemory,
}

/// The reason why there is no PTX.
#[derive(Debug)]
pub enum CompileError {
    /// The learner's code does not compile.
    Rejected(Vec<Diagnostic>),
    /// The code exceeded one of our limits (time, memory, size of source, log or PTX); states which, and by
    /// how much.
    Limit(String),
    /// The compiler or its worker could not be run: a fault of the environment.
    Environment(anyhow::Error),
}
