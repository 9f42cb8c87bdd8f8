//! PTX modules, parsed and lowered for execution.

use super::code::{CallTarget, DecodedModule, GlobalVariable, System, What};
use super::counts::Class;
use super::engine::grid::host_has_wide_features;
use super::finding::SourceLocation;
use super::host::variables::{VariableUsage, usage};
use super::host::{HostProgram, decode};
use super::launch::{Arg, Dim3, LaunchError};
use super::limits;
use super::lower;
use super::memory::FUNCTION_WINDOW;
use super::printf::ShortCalls;
use crate::cuda_error::CudaError;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// A PTX module, parsed and lowered for execution.
#[derive(Debug)]
pub struct Module {
    pub(super) code: DecodedModule,
    /// Identifies the module on a device.
    pub(super) id: u64,
    /// Which side uses each of its variables; computed on first use.
    usage: OnceLock<Vec<VariableUsage>>,
    /// Its host code; decoded on first use.
    host_program: OnceLock<Arc<HostProgram>>,
    /// Source lines of conditions under which a thread only leaves the kernel.
    pub(super) early_returns: BTreeSet<u32>,
    pub(super) short_calls: ShortCalls,
}

/// Why a PTX module cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The parser rejects the PTX.
    Parse(ptx::ParseError),
    /// An instruction, directive or construct that the simulator does not support.
    Unsupported { what: String, line: Option<SourceLocation> },
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Parse(error) => write!(f, "{error}"),
            LoadError::Unsupported { what, line: Some(at) } => write!(f, "{what} (line {})", at.line),
            LoadError::Unsupported { what, line: None } => f.write_str(what),
        }
    }
}

impl std::error::Error for LoadError {}

/// Something in a module that the simulator does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub line: Option<SourceLocation>,
}

/// The properties of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name in the PTX.
    pub name: String,
    /// Its address, as seen by host and device code.
    pub address: u64,
    /// Static shared memory per block, in bytes.
    pub shared_bytes: u64,
    /// Local memory of its own per thread, in bytes; functions that it calls need more.
    pub local_bytes: u64,
    /// Constant memory of the module, in bytes.
    pub const_bytes: u64,
    /// Most threads per block, by `__launch_bounds__`; 0: not specified.
    pub max_threads: u64,
    /// Blocks per cluster, by `__cluster_dims__`.
    pub cluster: Option<Dim3>,
    /// Size and offset of each parameter, in bytes.
    pub params: Vec<(u32, u32)>,
    /// The parameters that are one number or pointer, not a structure, by their numbers.
    pub scalars: Vec<u32>,
    /// Total size of the parameters in bytes.
    pub param_bytes: u32,
    /// Whether blocks may see each other's effects: atomics, fences, volatile accesses.
    pub communicates: bool,
    /// Whether it uses the results of atomics or volatile loads on global memory, or has fences of device scope:
    /// by these it can see what other blocks communicate.
    pub observes_blocks: bool,
}

impl Module {
    /// Parses and decodes a PTX text.
    ///
    /// # Errors
    /// The text cannot be parsed, or its addresses do not have 64 bits.
    pub fn parse(text: &str) -> Result<Module, LoadError> {
        Module::load(&ptx::parse(text).map_err(LoadError::Parse)?)
    }

    /// Decodes parsed PTX. An instruction that the simulator does not support is not an error here: it ends the
    /// run when it is reached; [`Module::unsupported`] lists them.
    ///
    /// # Errors
    /// Its addresses do not have 64 bits.
    pub fn load(tree: &ptx::Module) -> Result<Module, LoadError> {
        Module::load_of(tree, &[])
    }

    /// As [`Module::load`]. Findings in code of the files in `own_files` are attributed to those files, also where
    /// the code was inlined into other files; if there are none, to the file of each function.
    ///
    /// # Errors
    /// Its addresses do not have 64 bits.
    pub fn load_of(tree: &ptx::Module, own_files: &[&str]) -> Result<Module, LoadError> {
        Module::load_as(tree, own_files, false)
    }

    /// As [`Module::load_of`]; `debugging`: names are kept, and every instruction stays where it was written.
    pub(super) fn load_as(
        tree: &ptx::Module,
        own_files: &[&str],
        debugging: bool,
    ) -> Result<Module, LoadError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if tree.address_size != 64 {
            let what = format!("{}-bit addresses", tree.address_size);
            return Err(LoadError::Unsupported { what, line: None });
        }
        Ok(Module {
            code: lower::lower(tree, own_files, debugging),
            id: NEXT.fetch_add(1, Relaxed),
            usage: OnceLock::new(),
            host_program: OnceLock::new(),
            early_returns: BTreeSet::new(),
            short_calls: ShortCalls::default(),
        })
    }

    /// Returns its host code, decoded.
    pub(super) fn host_program(&self) -> &Arc<HostProgram> {
        self.host_program.get_or_init(|| Arc::new(decode(&self.code, host_has_wide_features())))
    }

    /// Sets the source lines, 1-based, of early returns, where threads may leave before a barrier: threads that
    /// left there don't count for it. Threads that a branch or a loop keeps from a barrier look the same in the
    /// PTX, and there it is a defect.
    pub fn with_early_returns(self, lines: BTreeSet<u32>) -> Module {
        Module { early_returns: lines, ..self }
    }

    /// Sets the calls that pass too few values for their format.
    pub fn with_short_calls(self, short_calls: ShortCalls) -> Module {
        Module { short_calls, ..self }
    }

    /// Returns the kernels that are called like functions, without a launch: the name in the PTX, and the location
    /// of the call.
    pub fn called_kernels(&self) -> Vec<(&str, Option<&SourceLocation>)> {
        let code = &self.code;
        let called = (0..).zip(&code.insts).filter(|(_, inst)| matches!(inst.what, What::Call)).filter_map(
            |(pc, inst)| {
                let CallTarget::Function(function) = code.details.calls.get(inst.detail as usize)?.target
                else {
                    return None;
                };
                let kernel = code.kernels.iter().find(|kernel| kernel.function == function)?;
                Some((kernel.name.as_str(), code.location(pc)))
            },
        );
        called.collect()
    }

    /// Returns the names of the kernels, in the order in which they appear.
    pub fn kernels(&self) -> Vec<String> {
        self.code.kernels.iter().map(|k| k.name.clone()).collect()
    }

    /// Returns the source location of an instruction, such as [`Stage::pc`](crate::Stage::pc).
    pub fn location_of(&self, pc: u32) -> Option<&SourceLocation> {
        self.code.location(pc)
    }

    /// Returns the number of the kernel with this name in the PTX.
    pub fn kernel_named(&self, name: &str) -> Option<u32> {
        self.code.kernel_names.get(name).copied()
    }

    /// Returns the number of the kernel with this address, as seen by host and device code.
    pub fn kernel_at(&self, address: u64) -> Option<u32> {
        let function = address.checked_sub(FUNCTION_WINDOW)?;
        let at = self.code.kernels.iter().position(|k| k.function as u64 == function)?;
        Some(at as u32)
    }

    /// Returns the name of the function with this address, if the module only declares it.
    pub fn declared_at(&self, address: u64) -> Option<&str> {
        let at = usize::try_from(address.checked_sub(FUNCTION_WINDOW)?).ok()?;
        self.code.functions.get(at).filter(|its| its.start.is_none()).map(|its| its.name.as_str())
    }

    /// Returns the properties of a kernel, by number.
    pub fn kernel(&self, number: u32) -> Option<KernelInfo> {
        let its = self.code.kernels.get(number as usize)?;
        let variables = self.code.variables.iter().filter(|v| v.constant);
        Some(KernelInfo {
            name: its.name.clone(),
            address: FUNCTION_WINDOW + its.function as u64,
            shared_bytes: its.shared_bytes,
            local_bytes: self.code.functions[its.function as usize].local_bytes,
            const_bytes: variables.map(|v| v.bytes).sum(),
            max_threads: its.max_threads,
            params: its.params.clone(),
            scalars: its.scalars.clone(),
            param_bytes: its.param_bytes,
            cluster: its.cluster,
            communicates: its.interaction.communicates,
            observes_blocks: its.interaction.observes_blocks,
        })
    }

    /// Returns the arguments of a kernel in the memory layout of its parameters.
    ///
    /// # Errors
    ///
    /// The arguments do not match the parameters.
    pub fn pack(&self, kernel: u32, args: &[Arg]) -> Result<Vec<u8>, LaunchError> {
        let refuse = |message: String| Err(LaunchError::new(CudaError::InvalidValue, message));
        let Some(its) = self.code.kernels.get(kernel as usize) else {
            return refuse(format!("there is no kernel number {kernel}"));
        };
        let kernel = &its.name;
        if args.len() != its.params.len() {
            return refuse(format!(
                "{kernel} takes {} parameters, but {} were given",
                its.params.len(),
                args.len()
            ));
        }
        limits::check_params(its.param_bytes)?;
        let mut memory = vec![0u8; its.param_bytes as usize];
        for (n, (arg, &(size, offset))) in args.iter().zip(&its.params).enumerate() {
            if arg.0.len() != size as usize {
                return refuse(format!(
                    "parameter {} of {kernel} has {size} bytes, but {} were given",
                    n + 1,
                    arg.0.len()
                ));
            }
            memory[offset as usize..][..size as usize].copy_from_slice(&arg.0);
        }
        Ok(memory)
    }

    /// Returns the address of a function, as seen by host and device code.
    pub fn function_address(&self, name: &str) -> Option<u64> {
        let at = self.code.functions.iter().position(|f| f.name == name)?;
        Some(FUNCTION_WINDOW + at as u64)
    }

    /// Returns the variables in global, constant and managed memory, in the order in which they appear; the index
    /// is the variable's number.
    pub fn variables(&self) -> &[GlobalVariable] {
        &self.code.variables
    }

    /// Returns for each variable which side uses it.
    pub fn usage(&self) -> &[VariableUsage] {
        self.usage.get_or_init(|| usage(&self.code))
    }

    /// Returns the size in bytes of each parameter of a kernel; `None` when there is no such kernel.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<u32>> {
        let kernel = &self.code.kernels[*self.code.kernel_names.get(kernel)? as usize];
        Some(kernel.params.iter().map(|(bytes, _)| *bytes).collect())
    }

    /// Returns the share of the warp instructions of a kernel's launches with [`Options::emitter`](crate::Options::emitter)
    /// that machine code executed; `None` when there is no such kernel, or it has not run with one.
    pub fn machine_code_share(&self, kernel: &str) -> Option<f64> {
        let work = &self.code.kernels[*self.code.kernel_names.get(kernel)? as usize].work;
        let instructions = work.instructions.load(Relaxed);
        (instructions > 0).then(|| work.as_machine_code.load(Relaxed) as f64 / instructions as f64)
    }

    /// Returns the number of PTX instructions of a kernel by class, without those of functions it calls, the most
    /// frequent class first; `None` when there is no such kernel.
    pub fn instruction_mix(&self, kernel: &str) -> Option<Vec<(Class, u64)>> {
        let code = &self.code;
        let kernel = code.kernels.get(*code.kernel_names.get(kernel)? as usize)?;
        let own = code.function_ranges().get(kernel.function as usize)?.clone()?;
        let mut mix: Vec<(Class, u64)> = Vec::new();
        let blocks = code.blocks.iter().filter(|b| own.contains(&b.start));
        for &(class, count) in blocks.flat_map(|b| &b.classes) {
            match mix.iter_mut().find(|(c, _)| *c == class) {
                Some((_, sum)) => *sum += u64::from(count),
                None => mix.push((class, u64::from(count))),
            }
        }
        mix.sort_by_key(|&(class, count)| (std::cmp::Reverse(count), class as u8));
        Some(mix)
    }

    /// Returns what the simulator does not support, by place in the code.
    pub fn unsupported(&self) -> Vec<Unsupported> {
        let code = &self.code;
        let mut found = Vec::new();
        for (pc, inst) in code.insts.iter().enumerate() {
            if let What::System(System::Unsupported) = inst.what {
                let what = code.details.unsupported[inst.detail as usize].clone();
                let one = Unsupported { what, line: code.location(pc as u32).cloned() };
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }
}
