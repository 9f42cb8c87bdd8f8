//! PTX that was read and made ready to run.

use super::code::{CallTarget, DecodedModule, GlobalVariable, System, What};
use super::counts::Class;
use super::engine::grid::processor_is_wide;
use super::finding::SourceLocation;
use super::host::variables::{VariableUsage, usage};
use super::host::{HostProgram, decode};
use super::launch::{Arg, Dim3, LaunchError};
use super::limits;
use super::lower;
use super::memory::FUNCTION_WINDOW;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// PTX that was read and made ready to run.
#[derive(Debug)]
pub struct Module {
    pub(super) code: DecodedModule,
    /// Tells modules apart on a device.
    pub(super) id: u64,
    /// Who uses its variables; worked out when it is first asked for.
    usage: OnceLock<Vec<VariableUsage>>,
    /// Its host code, likewise.
    host_program: OnceLock<Arc<HostProgram>>,
    /// Lines of the source behind whose conditions a thread only leaves.
    pub(super) early_returns: BTreeSet<u32>,
}

/// Why PTX can't be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// Not PTX that the parser reads.
    Parse(ptx::ParseError),
    /// An instruction, directive or construct the simulator lacks.
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

/// Something in a module that the simulator lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub line: Option<SourceLocation>,
}

/// What is known of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// In the PTX.
    pub name: String,
    /// As host and device code know it.
    pub address: u64,
    /// Static shared memory of a block.
    pub shared_bytes: u64,
    /// Arrays of its own in local memory, a thread; what it calls has more.
    pub local_bytes: u64,
    /// Constant memory of the module.
    pub const_bytes: u64,
    /// Most threads a block, by `__launch_bounds__`; 0: not said.
    pub max_threads: u64,
    /// Blocks of a cluster, by `__cluster_dims__`.
    pub cluster: Option<Dim3>,
    /// Bytes of each parameter, and its offset.
    pub params: Vec<(u32, u32)>,
    /// Bytes of all parameters.
    pub param_bytes: u32,
    /// Blocks may see each other's effects: atomics, fences, volatile accesses.
    pub communicates: bool,
    /// It uses what atomics and volatile loads bring from global memory, or has fences for other blocks: what
    /// other blocks tell, if any do.
    pub listens: bool,
}

/// A module's variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableInfo {
    /// Name in the PTX.
    pub symbol: String,
    /// Name in the source.
    pub name: Arc<str>,
    pub bytes: u64,
    pub align: u64,
    /// `__constant__`
    pub constant: bool,
    /// `__managed__`: one for the whole machine.
    pub managed: bool,
    pub usage: VariableUsage,
}

impl Module {
    /// Places in the source that kernels, and what they call by name, were compiled from.
    pub fn kernel_places(&self) -> BTreeSet<&SourceLocation> {
        (0..self.code.called_by_name).filter_map(|pc| self.code.location(pc)).collect()
    }

    /// Reads and decodes a PTX text.
    ///
    /// # Errors
    /// The text cannot be parsed, or its addresses do not have 64 bits.
    pub fn parse(text: &str) -> Result<Module, LoadError> {
        Module::load(&ptx::parse(text).map_err(LoadError::Parse)?)
    }

    /// Decodes PTX that was read. An instruction that the simulator lacks is no error here:
    /// it ends the run when it is reached; [`Module::unsupported`] lists them.
    ///
    /// # Errors
    /// Its addresses do not have 64 bits.
    pub fn load(tree: &ptx::Module) -> Result<Module, LoadError> {
        Module::load_of(tree, &[])
    }

    /// As [`Module::load`]. What is found in code of these files is told there, also where it was inlined into
    /// others; where none are named, in the file of each function.
    ///
    /// # Errors
    /// Its addresses do not have 64 bits.
    pub fn load_of(tree: &ptx::Module, own_files: &[&str]) -> Result<Module, LoadError> {
        Module::load_as(tree, own_files, false)
    }

    /// As [`Module::load_of`]; `debugging`: names are kept, and every instruction stays where it is written.
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
        })
    }

    /// Its host code, decoded.
    pub(super) fn host_program(&self) -> &Arc<HostProgram> {
        self.host_program.get_or_init(|| Arc::new(decode(&self.code, processor_is_wide())))
    }

    /// Says in which lines of the source, 1-based, threads may leave before a barrier: those that have
    /// left there don't count for it. Threads that a branch or a loop keeps from a barrier are not told
    /// from them in the PTX, and there it is a defect.
    pub fn with_early_returns(self, lines: BTreeSet<u32>) -> Module {
        Module { early_returns: lines, ..self }
    }

    /// Kernels that code calls like functions, without a launch: the name in the PTX, and where.
    pub fn called_kernels(&self) -> Vec<(&str, Option<&SourceLocation>)> {
        let code = &self.code;
        let called = (0..).zip(&code.insts).filter(|(_, inst)| matches!(inst.what, What::Call)).filter_map(
            |(pc, inst)| {
                let CallTarget::Function(function) = code.calls.get(inst.detail as usize)?.target else {
                    return None;
                };
                let kernel = code.kernels.iter().find(|kernel| kernel.function == function)?;
                Some((kernel.name.as_str(), code.location(pc)))
            },
        );
        called.collect()
    }

    /// Names of the kernels, in the order they appear.
    pub fn kernels(&self) -> Vec<String> {
        self.code.kernels.iter().map(|k| k.name.clone()).collect()
    }

    /// Number of the kernel with this name in the PTX.
    pub fn kernel_named(&self, name: &str) -> Option<u32> {
        self.code.kernel_names.get(name).copied()
    }

    /// Number of the kernel whose address this is, as host and device code know it.
    pub fn kernel_at(&self, address: u64) -> Option<u32> {
        let function = address.checked_sub(FUNCTION_WINDOW)?;
        let at = self.code.kernels.iter().position(|k| k.function as u64 == function)?;
        Some(at as u32)
    }

    /// What is known of a kernel, by number.
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
            param_bytes: its.param_bytes,
            cluster: its.cluster,
            communicates: its.communicates,
            listens: its.listens,
        })
    }

    /// The arguments of a kernel as its parameters lie in memory. `Err`: they do not fit them.
    pub fn pack(&self, kernel: u32, args: &[Arg]) -> Result<Vec<u8>, LaunchError> {
        let refuse = |message: String| Err(LaunchError { name: "cudaErrorInvalidValue", message });
        let Some(its) = self.code.kernels.get(kernel as usize) else {
            return refuse(format!("there is no kernel number {kernel}"));
        };
        let kernel = &its.name;
        if args.len() != its.params.len() {
            return refuse(format!(
                "{kernel} takes {} parameters, and {} were given",
                its.params.len(),
                args.len()
            ));
        }
        limits::check_params(its.param_bytes)?;
        let mut memory = vec![0u8; its.param_bytes as usize];
        for (n, (arg, &(size, offset))) in args.iter().zip(&its.params).enumerate() {
            if arg.0.len() != size as usize {
                return refuse(format!(
                    "parameter {} of {kernel} has {size} bytes, and {} were given",
                    n + 1,
                    arg.0.len()
                ));
            }
            memory[offset as usize..][..size as usize].copy_from_slice(&arg.0);
        }
        Ok(memory)
    }

    /// Address of a function, as host and device code know it.
    pub fn function_address(&self, name: &str) -> Option<u64> {
        let at = self.code.functions.iter().position(|f| f.name == name)?;
        Some(FUNCTION_WINDOW + at as u64)
    }

    /// Variables in global, constant and managed memory, in the order they appear; their place in
    /// the list is their number.
    pub fn variables(&self) -> Vec<VariableInfo> {
        let info = |(v, usage): (&GlobalVariable, &VariableUsage)| VariableInfo {
            symbol: v.symbol.clone(),
            name: v.name.clone(),
            bytes: v.bytes,
            align: v.align,
            constant: v.constant,
            managed: v.managed,
            usage: *usage,
        };
        self.code.variables.iter().zip(self.usage()).map(info).collect()
    }

    /// For each variable, who uses it.
    pub(super) fn usage(&self) -> &[VariableUsage] {
        self.usage.get_or_init(|| usage(&self.code))
    }

    /// Bytes of each parameter of a kernel; `None` when there is no such kernel.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<u32>> {
        let kernel = &self.code.kernels[*self.code.kernel_names.get(kernel)? as usize];
        Some(kernel.params.iter().map(|(bytes, _)| *bytes).collect())
    }

    /// PTX instructions of a kernel as written, without those of functions it calls, by class, most
    /// first; `None` when there is no such kernel.
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

    /// What the simulator lacks, by place.
    pub fn unsupported(&self) -> Vec<Unsupported> {
        let code = &self.code;
        let mut found = Vec::new();
        for (pc, inst) in code.insts.iter().enumerate() {
            if let What::System(System::Unsupported) = inst.what {
                let what = code.unsupported[inst.detail as usize].clone();
                let one = Unsupported { what, line: code.location(pc as u32).cloned() };
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }
}
