//! A decoded module: its instructions, basic blocks, kernels, functions and variables.

use super::operation::{BarrierOp, BulkOp, CallOp, CollectiveOp, SurfaceAccess, TensorCopy, TextureFetch};
use super::registers::{self, Register};
use super::{Inst, Origin, What};
use crate::counts::Class;
use crate::finding::{MemoryName, SourceLocation};
use crate::lanes::{File, Slots};
use crate::launch::Dim3;
use crate::memory::access::MemoryOp;
use crate::record::FunctionSymbols;
use crate::table::Row;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

/// The steps of a chain of dependent instructions, by the kind of result that each waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Results of the plain arithmetic pipes.
    pub arithmetic: u64,
    /// Special functions, conversions and divisions.
    pub special: u64,
    /// Loads of shared memory, and shuffles.
    pub shared: u64,
    /// Loads of global and local memory; where they are counted as executed, loads in flight together count as one.
    pub global: u64,
}

impl Waits {
    fn with(self, other: Waits, of: fn(u64, u64) -> u64) -> Waits {
        Waits {
            arithmetic: of(self.arithmetic, other.arithmetic),
            special: of(self.special, other.special),
            shared: of(self.shared, other.shared),
            global: of(self.global, other.global),
        }
    }

    /// Returns the sum of two chains, one after the other.
    pub fn then(self, more: Waits) -> Waits {
        self.with(more, |chain, more| chain + more)
    }

    /// Returns the chain without its beginning.
    pub fn minus(self, beginning: Waits) -> Waits {
        self.with(beginning, |chain, beginning| chain - beginning)
    }

    /// Returns roughly how many cycles it takes on any GPU, to tell the longer of two chains.
    pub fn cycles(self) -> u64 {
        self.arithmetic * 4 + self.special * 20 + self.shared * 25 + self.global * 400
    }
}

/// A basic block: instructions that run from the first to the last once entered.
#[derive(Clone, Debug)]
pub struct BasicBlock {
    pub start: u32,
    /// One past the last instruction.
    pub end: u32,
    /// PTX instructions in the block; lowering may have produced several instructions for one of them.
    pub written: u32,
    /// The PTX instructions, by class.
    pub classes: Vec<(Class, u32)>,
    /// Unguarded floating-point operations per lane.
    pub flops: Vec<(crate::table::Flop, u32)>,
    /// Its longest dependence chain, and the length of that chain in cycles.
    pub path: Waits,
    pub cycles: u64,
    /// The instructions of that chain, and what each adds to it.
    pub steps: Vec<(u32, Waits)>,
    /// Machine instructions beyond one per PTX instruction: of all kinds, of the special function units, in double
    /// precision.
    pub extra: [u32; 3],
    /// For a loop: the number of iterations whose loads from global memory are in flight together; otherwise 1.
    pub together: u32,
}

/// A parameter or result of a function, held in 32-bit registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamSlot {
    /// Its first register, in the callee's frame.
    pub register: u32,
    pub words: u32,
}

/// A device function, or the body of a kernel.
#[derive(Clone, Debug, Default)]
pub struct FunctionCode {
    pub name: String,
    /// First instruction; `None` for a declaration that nothing defines.
    pub start: Option<u32>,
    pub frame: Slots,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    pub params: Vec<ParamSlot>,
    pub returns: Vec<ParamSlot>,
    /// Whether it takes variable arguments (`...`).
    pub variadic: bool,
}

/// The value that a fixed register holds during a launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fixed {
    /// A constant.
    Immediate(u64),
    /// A slice of a kernel parameter, at a byte offset from the start of the parameters; sign-extended where
    /// `signed`.
    Param { kernel: u32, offset: u32, bytes: u32, signed: bool },
    /// A special register.
    Special(SpecialRegister),
    /// Address in the shared space of a shared variable, given by its number, plus an offset.
    Shared { variable: u32, offset: i64 },
    /// Address of a global or constant variable.
    Global { variable: u32, offset: i64 },
    /// The address of a function, by its number.
    Function(u32),
}

/// Special registers whose value does not change while a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    ThreadIndex(u8),
    BlockSize(u8),
    GridSize(u8),
    /// Blocks of a cluster along an axis, and in total; clusters of the grid along an axis.
    ClusterSize(u8),
    ClusterBlocks,
    ClusterCount(u8),
    /// Whether the launch has clusters.
    HasClusters,
    Lane,
    Warp,
    Warps,
    /// Multiprocessors of the GPU.
    Sms,
    /// The number of the launch on this machine.
    Grid,
    /// Address of the barrier of a cooperative grid: high word and low word.
    WorkspaceHigh,
    WorkspaceLow,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    DynamicSharedBytes,
    TotalSharedBytes,
    Zero,
}

/// A fixed register and its value.
#[derive(Clone, Debug)]
pub struct FixedSlot {
    pub file: File,
    pub register: u32,
    pub value: Fixed,
}

/// A variable in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// As in the learner's source.
    pub name: MemoryName,
    pub bytes: u64,
    pub align: u64,
    /// `extern __shared__`: its size is set by the launch.
    pub dynamic: bool,
}

/// The suffix of a PTX variable whose initial values are those of the host's copy of the variable it is named
/// after, where they differ from a GPU's.
pub const HOST_VALUES: &str = "$host";

/// A module-scope variable in global or constant memory.
#[derive(Clone, Debug)]
pub struct GlobalVariable {
    /// As in the learner's source.
    pub name: Arc<str>,
    /// Name in the PTX.
    pub symbol: String,
    pub bytes: u64,
    pub align: u64,
    /// `__constant__`
    pub constant: bool,
    /// `__managed__`: one for the whole machine.
    pub managed: bool,
    /// Initial bytes; shorter than `bytes` if the remainder is zero.
    pub(crate) init: Vec<u8>,
    /// Addresses in its initial value: the byte offset, and what is addressed.
    pub(crate) addresses: Vec<(u64, AddressInit)>,
}

impl GlobalVariable {
    /// Returns the functions whose address is in its initial value.
    pub(crate) fn functions(&self) -> impl Iterator<Item = u32> + '_ {
        self.addresses.iter().filter_map(|(_, init)| match init {
            AddressInit::Function(function) => Some(*function),
            AddressInit::Variable { .. } => None,
        })
    }

    /// Returns whether the compiler made it for a string literal.
    pub fn is_literal(&self) -> bool {
        self.symbol.starts_with("$str")
    }

    /// Returns whether the compiler made it, for a literal or otherwise.
    pub fn is_of_compiler(&self) -> bool {
        self.symbol.starts_with('$') || self.symbol.starts_with("__unnamed")
    }
}

/// What an address in a variable's initial value refers to.
#[derive(Clone, Copy, Debug)]
pub enum AddressInit {
    Variable { variable: u32, offset: i64 },
    Function(u32),
}

/// How code interacts with other threads and blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interaction {
    /// Whether blocks may see each other's effects: it has atomics, fences, volatile accesses or calls of `malloc`.
    pub communicates: bool,
    /// Whether it uses the results of atomics or volatile loads on global memory, or has fences of device scope.
    pub observes_blocks: bool,
    /// Whether it has volatile or relaxed loads of data: see [`Role::data`](crate::memory::access::Role::data).
    pub reads_data: bool,
    /// Whether it uses cluster features.
    pub clustered: bool,
}

impl Interaction {
    /// Adds that of code which it calls.
    pub fn join(&mut self, called: Interaction) {
        self.communicates |= called.communicates;
        self.observes_blocks |= called.observes_blocks;
        self.reads_data |= called.reads_data;
        self.clustered |= called.clustered;
    }
}

/// A kernel: its parameters, shared memory and properties.
#[derive(Clone, Debug, Default)]
pub struct DecodedKernel {
    pub name: String,
    pub function: u32,
    /// Size and offset of each parameter, in bytes.
    pub params: Vec<(u32, u32)>,
    /// The parameters that are one number or pointer, not a structure, by their numbers.
    pub scalars: Vec<u32>,
    /// Total size of the parameters in bytes.
    pub param_bytes: u32,
    /// Instructions that are run once for each warp, before its first block: they depend on nothing that changes.
    pub hoisted: Vec<Inst>,
    /// The row of the instruction table for each of them.
    pub hoisted_rows: Vec<Option<&'static Row>>,
    /// Shared variables used by the kernel or the functions it calls, with their offsets.
    pub shared: Vec<(u32, u64)>,
    /// Bytes of static shared memory.
    pub shared_bytes: u64,
    /// `.maxntid` or `.reqntid`, as a product; 0 where absent.
    pub max_threads: u64,
    /// `.reqnctapercluster`: blocks of a cluster.
    pub cluster: Option<Dim3>,
    /// Its own, and those of all functions that it may call.
    pub interaction: Interaction,
    /// Smallest access to shared memory, in bytes: 1, 2 or 4.
    pub shared_granule: u32,
    /// Size of the local memory of all functions that it may call, each counted once, in bytes.
    pub local_bytes: u64,
    /// For each memory instruction, the shared variable that it is meant to access; computed on first use.
    pub intended_shared: OnceLock<Box<[Option<u32>]>>,
    /// Its loops that only wait; computed when one seems not to end.
    pub waits: OnceLock<crate::checks::origin::WaitLoops>,
    /// What its launches executed, where kernels may be compiled.
    pub work: Arc<ExecutedWork>,
    /// Its compiled code.
    pub compiled: OnceLock<Option<Arc<crate::engine::compiled::CompiledKernel>>>,
}

/// Warp instructions that the blocks of a kernel executed which have ended, in all launches.
#[derive(Debug, Default)]
pub struct ExecutedWork {
    pub instructions: AtomicU64,
    pub as_machine_code: AtomicU64,
}

/// A decoded module.
#[derive(Debug, Default)]
pub struct DecodedModule {
    pub insts: Vec<Inst>,
    /// For each instruction, its origin.
    pub origins: Vec<Origin>,
    pub source: SourceMap,
    pub blocks: Vec<BasicBlock>,
    /// For each instruction, its basic block.
    pub block_of: Vec<u32>,
    pub details: Details,
    pub functions: Vec<FunctionCode>,
    pub kernels: Vec<DecodedKernel>,
    /// The part of the lists that belongs to kernels and all functions they may call; the rest is host code.
    pub device: ListSizes,
    /// Sizes of the fixed part of every register file.
    pub fixed: Slots,
    pub fixed_slots: Vec<FixedSlot>,
    pub shared: Vec<SharedVariable>,
    pub variables: Vec<GlobalVariable>,
    /// Kernels by name.
    pub kernel_names: HashMap<String, u32>,
    /// For each function the source names of its registers and memory locations; kept only of modules that are loaded for
    /// debugging.
    pub symbols: Vec<(u32, FunctionSymbols)>,
    /// For each instruction, what advice inspects; computed on first use.
    pub watched: OnceLock<Vec<crate::advice::Watched>>,
}

/// Where instructions come from in the learner's source.
#[derive(Debug, Default)]
pub struct SourceMap {
    /// For each instruction, its index in `locations` plus one; 0: unknown.
    pub places: Vec<u32>,
    pub locations: Vec<SourceLocation>,
    /// Names of the learner's files, where given.
    pub own_files: Vec<Arc<str>>,
    /// For each location in an inlined function, the lines of the learner's file that call it, from the inside
    /// out.
    pub call_lines: Vec<Vec<u32>>,
}

/// The operands of instructions that have no room for them: lists that [`Inst::detail`] refers to.
#[derive(Debug, Default)]
pub struct Details {
    pub memory: Vec<MemoryOp>,
    /// For each memory instruction, an earlier one of its basic block whose addresses differ only by an offset
    /// that is the same for all lanes.
    pub like: Vec<Option<u32>>,
    /// For each memory instruction, the first one of its basic block with the same address register: accesses
    /// through one pointer.
    pub together: Vec<u32>,
    pub calls: Vec<CallOp>,
    pub bulks: Vec<BulkOp>,
    pub tensor_copies: Vec<TensorCopy>,
    pub textures: Vec<TextureFetch>,
    pub surfaces: Vec<SurfaceAccess>,
    pub barriers: Vec<BarrierOp>,
    pub collectives: Vec<CollectiveOp>,
    pub tables: Vec<Vec<u32>>,
    pub unsupported: Vec<String>,
}

/// The sizes of leading parts of [`DecodedModule`]'s lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListSizes {
    pub insts: u32,
    pub blocks: usize,
    pub memory: usize,
    pub calls: usize,
    pub fixed: Slots,
    pub fixed_slots: usize,
}

impl DecodedModule {
    /// Returns the present sizes of the lists.
    pub fn part(&self) -> ListSizes {
        ListSizes {
            insts: self.insts.len() as u32,
            blocks: self.blocks.len(),
            memory: self.details.memory.len(),
            calls: self.details.calls.len(),
            fixed: self.fixed,
            fixed_slots: self.fixed_slots.len(),
        }
    }

    /// Returns the access of a memory instruction; `None` for any other instruction.
    pub fn access(&self, inst: &Inst) -> Option<&MemoryOp> {
        let number = matches!(inst.what, What::Memory).then_some(inst.detail as usize)?;
        self.details.memory.get(number)
    }

    /// As [`DecodedModule::access`], of the instruction at `pc`.
    pub fn access_at(&self, pc: u32) -> Option<&MemoryOp> {
        self.insts.get(pc as usize).and_then(|inst| self.access(inst))
    }

    /// Returns the table row of an arithmetic instruction.
    pub fn row(&self, pc: u32) -> Option<&'static Row> {
        self.origins.get(pc as usize)?.row
    }

    /// Returns the instruction range of each function; `None` for a function without a body here.
    pub fn function_ranges(&self) -> Vec<Option<Range<u32>>> {
        let mut starts: Vec<u32> = self.functions.iter().filter_map(|f| f.start).collect();
        starts.sort_unstable();
        let end = |start: u32| {
            let next = starts.partition_point(|&s| s <= start);
            starts.get(next).copied().unwrap_or(self.insts.len() as u32)
        };
        self.functions.iter().map(|f| f.start.map(|start| start..end(start))).collect()
    }

    /// Returns the lines that call the inlined function an instruction comes from, from the inside out.
    pub fn call_lines(&self, pc: u32) -> &[u32] {
        let place = self.source.places.get(pc as usize).and_then(|place| (*place as usize).checked_sub(1));
        place.and_then(|place| self.source.call_lines.get(place)).map_or(&[], Vec::as_slice)
    }

    /// Returns the registers that an instruction writes, numbered in its function's frame.
    pub fn registers_written(&self, pc: u32) -> Vec<Register> {
        self.insts.get(pc as usize).map_or(Vec::new(), |inst| registers::writes(self, inst, self.row(pc)))
    }

    /// Returns the source location of an instruction.
    pub fn location(&self, pc: u32) -> Option<&SourceLocation> {
        let place = *self.source.places.get(pc as usize)?;
        self.source.locations.get((place as usize).checked_sub(1)?)
    }
}
