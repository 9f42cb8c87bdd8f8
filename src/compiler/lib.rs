//! The CUDA compiler: finding or fetching it, the sandboxed worker process that runs it,
//! its messages, and the cache of what it made.
//!
//! ```text
//! locate ── found? ──────────────────────────────┐
//!    └─ no: install ── fetch ── wheel table ──────┤
//!                                                 ▼
//! Compiler::compile ── results (cache) ── spawn ═pipe═ worker ── sandbox ── NVRTC
//!                            │               └── diagnostics, cubin
//!                          kept (a worker for the sources of one author)
//! ```
//!
//! The compiler opens whatever file a source names and loads libraries from the current directory,
//! and small sources can make it run for ever: it never runs in this process. The parent hands a
//! trusted job to the worker (which library, which headers, which limits); the worker loads all of
//! it, locks itself in, and only then reads the source.

mod active_masks;
mod cache;
mod compiler;
mod cubin;
mod diagnostics;
pub mod digest;
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
#[cfg(target_os = "linux")]
mod kept;
mod library;
mod locate;
mod misplaced;
mod own;
mod paths;
#[cfg(target_os = "linux")]
mod precompiled;
mod program;
mod protocol;
mod remote;
mod sandbox;
mod spawn;
pub mod wheel;
pub mod wire;
pub mod worker;

pub use active_masks::active_masks;
pub use compiler::{Compiler, Limits};
pub use cubin::parameters as kernel_parameters;
pub use facts::{Facts, FoundCompiler, facts};
#[cfg(unix)]
pub use forked::{Bounds, Forked};
pub use functors::host_functors;
pub use headers::program_headers;
pub use host_variables::host_variables;
pub use locate::Origin;
pub use misplaced::{host_function_called, kernel_called, launched_functions, misplaced_calls};
pub use own::{NotRead, OwnHeader, OwnSource, Refused};
pub use paths::cache_dir;
pub use sandbox::{Guarantees, no_processes};
pub use spawn::{Death, worker_binary};

use serde::{Deserialize, Serialize};

/// What to compile.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// CUDA C++.
    pub source: &'a str,
    /// What messages and line tables call the file; never opened.
    pub file_name: &'a str,
    /// Compute capability to compile for, such as `(8, 0)`.
    pub compute_capability: (u32, u32),
    /// Headers by the name they are included with, kept in memory.
    pub headers: &'a [(&'a str, &'a str)],
    /// Extra options of the compiler, such as `-DN=8`.
    pub options: &'a [&'a str],
    /// Also make a cubin for that architecture and read registers, spills and shared memory from it.
    pub resources: bool,
    /// A whole program: host functions are compiled too, and it may include the headers of programs
    /// (the C and C++ library and the CUDA runtime). With `resources`, its kernels and what they reach
    /// alone: the host's part is no machine code.
    pub program: bool,
    /// Of a program the host code, as a host compiler makes it: it takes the host's branch where the source asks for
    /// `__CUDA_ARCH__`, products and sums are rounded one by one, and functions of mathematics are this machine's.
    /// Kernels are compiled the same, and are not to be run.
    pub host: bool,
    /// Without optimisation, where a release can do so: quick, for what is only to be accepted.
    pub unoptimised: bool,
}

impl<'a> Request<'a> {
    /// Kernels to PTX, with neither headers nor options of their own.
    pub fn new(source: &'a str, file_name: &'a str, compute_capability: (u32, u32)) -> Request<'a> {
        Request {
            source,
            file_name,
            compute_capability,
            headers: &[],
            options: &[],
            resources: false,
            program: false,
            host: false,
            unoptimised: false,
        }
    }
}

/// What the compiler made of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    pub ptx: String,
    /// Machine code; empty unless resources were asked for.
    #[serde(with = "serde_bytes")]
    pub cubin: Vec<u8>,
    /// Per kernel; empty unless asked for.
    pub resources: Vec<KernelResources>,
    /// Warnings, in the learner's own lines.
    pub diagnostics: Vec<Diagnostic>,
}

/// What one kernel takes of a multiprocessor, read from its cubin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResources {
    pub name: String,
    /// Registers a thread.
    pub registers: u32,
    /// Static shared memory a block, in bytes.
    pub shared_bytes: u32,
    /// Local memory a thread, in bytes (stack frame and spills).
    pub local_bytes: u32,
    /// What a thread moves to and from local memory because registers ran out, in bytes of code:
    /// ptxas's spill stores and spill loads together.
    pub spill_bytes: u32,
    /// `bar.sync` resources used.
    pub barriers: u32,
}

/// How bad what a message tells is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// One message of the compiler. Text is safe to print: control bytes are escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub file: String,
    /// 1-based; 0 where the compiler gave none.
    pub line: u32,
    /// 1-based, in characters; 0 where the compiler gave none.
    pub column: u32,
    /// One line.
    pub message: String,
    /// What the tool itself found, where a message is its own.
    pub subject: Option<Subject>,
}

impl Diagnostic {
    /// An error of a file, at a line and a column (1-based, in characters; 0: nowhere).
    pub fn error(
        file: impl Into<String>,
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) -> Diagnostic {
        let (file, message) = (file.into(), message.into());
        Diagnostic { severity: Severity::Error, file, line, column, message, subject: None }
    }

    /// The same, about this.
    #[must_use]
    pub fn about(self, subject: Subject) -> Diagnostic {
        Diagnostic { subject: Some(subject), ..self }
    }
}

/// What a message that the tool makes is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A kernel is called like a function.
    KernelCalled { kernel: String },
    /// A launch has one value between its brackets.
    LaunchOfOneValue,
    /// Device code calls a function that is the host's alone, first declared at this line (1-based).
    HostFunctionCalled { function: String, declared: u32 },
    /// Host code calls a function that is the device's alone, first declared at this line (1-based).
    DeviceFunctionCalled { function: String, declared: u32 },
    /// Device code uses a variable of the host, declared at this line (1-based).
    HostVariableUsed { variable: String, declared: u32 },
    /// A header is not there, and one of nearly its name is.
    HeaderMisspelt,
    /// The value of a variable outside functions is worked out when the program begins.
    DynamicInitialisation,
    /// A value is worked out as the program runs that must be known when it is compiled, as the size of an array.
    NotConstant,
    /// A function that is no kernel is launched, which is first declared at this line (1-based).
    FunctionLaunched { function: String, declared: u32 },
    /// Device code uses what the C++ library has for the host alone, by its name in `std`.
    HostLibraryUsed { name: String },
}

/// Why there is no PTX.
#[derive(Debug)]
pub enum CompileError {
    /// The learner's code does not compile.
    Rejected(Vec<Diagnostic>),
    /// The code broke a limit of ours (time, memory, size of source, log or PTX): what and how much.
    Limit(String),
    /// The compiler or its worker could not be run: the environment's fault.
    Environment(anyhow::Error),
}
