//! A decoded module: its kernels, functions, variables and basic blocks, beside the instructions.

use super::operation::{BarrierOp, BulkOp, CallOp, CollectiveOp, TensorCopy};
use super::{Inst, Origin};
use crate::counts::Class;
use crate::finding::SourceLocation;
use crate::lanes::{File, Slots};
use crate::launch::Dim3;
use crate::memory::access::MemoryOp;
use crate::record::FunctionSymbols;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

/// Steps of a chain of instructions that need each other's results, by what each step waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    pub arithmetic: u32,
    pub special: u32,
    pub shared: u32,
    pub global: u32,
}

impl CriticalPath {
    /// With further steps.
    pub fn then(self, more: CriticalPath) -> CriticalPath {
        CriticalPath {
            arithmetic: self.arithmetic + more.arithmetic,
            special: self.special + more.special,
            shared: self.shared + more.shared,
            global: self.global + more.global,
        }
    }

    /// What is left without its beginning.
    pub fn minus(self, beginning: CriticalPath) -> CriticalPath {
        CriticalPath {
            arithmetic: self.arithmetic - beginning.arithmetic,
            special: self.special - beginning.special,
            shared: self.shared - beginning.shared,
            global: self.global - beginning.global,
        }
    }

    /// About how many cycles it takes on any GPU, to tell the longer of two chains.
    pub fn cycles(self) -> u64 {
        u64::from(self.arithmetic) * 4
            + u64::from(self.special) * 20
            + u64::from(self.shared) * 25
            + u64::from(self.global) * 400
    }
}

/// A stretch of code that runs from its start to its end once entered.
#[derive(Clone, Debug)]
pub struct BasicBlock {
    pub start: u32,
    /// One past the last instruction.
    pub end: u32,
    /// Instructions the learner's PTX has here; lowering may need more for one of them.
    pub written: u32,
    /// `written`, by class.
    pub classes: Vec<(Class, u32)>,
    /// Unguarded floating-point operations a lane.
    pub flops: Vec<(crate::table::Flop, u32)>,
    /// The longest chain through it, and its length in cycles.
    pub path: CriticalPath,
    pub cycles: u64,
    /// Instructions of that chain, and what each adds to it.
    pub steps: Vec<(u32, CriticalPath)>,
    /// Machine instructions beyond one for each of PTX: all, special functions, double precision.
    pub extra: [u32; 3],
    /// Where it is a loop: rounds of it whose loads from global memory are under way together.
    pub together: u32,
}

/// A parameter or result of a function: 32-bit registers that hold its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamSlot {
    /// First register of the callee's frame.
    pub register: u32,
    pub words: u32,
}

#[derive(Clone, Debug, Default)]
pub struct FunctionCode {
    pub name: String,
    /// First instruction; `None` for a declaration that nothing defines.
    pub start: Option<u32>,
    pub frame: Slots,
    /// Bytes of local memory a thread.
    pub local_bytes: u64,
    pub params: Vec<ParamSlot>,
    pub returns: Vec<ParamSlot>,
}

/// What a fixed register holds during a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Fixed {
    Immediate(u64),
    /// Bytes of a kernel parameter, from its start; sign-extended where `signed`.
    Param {
        kernel: u32,
        offset: u32,
        bytes: u32,
        signed: bool,
    },
    Special(SpecialRegister),
    /// Address in the shared space of a shared variable, by its number, plus an offset.
    Shared {
        variable: u32,
        offset: i64,
    },
    /// Address of a global or constant variable.
    Global {
        variable: u32,
        offset: i64,
    },
    Function(u32),
}

/// Special registers whose value does not change while a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialRegister {
    ThreadIndex(u8),
    BlockSize(u8),
    GridSize(u8),
    /// Blocks of a cluster along an axis, and in all; clusters of the grid along an axis.
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
    /// Which launch of the machine it is.
    Grid,
    /// Address of the barrier of a cooperative grid: high and low word.
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

#[derive(Clone, Debug)]
pub struct FixedSlot {
    pub file: File,
    pub register: u32,
    pub value: Fixed,
}

/// A variable of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// As in the learner's source.
    pub name: Arc<str>,
    pub bytes: u64,
    pub align: u64,
    /// `extern __shared__`: as large as the launch says.
    pub dynamic: bool,
}

/// Behind a variable's name in the PTX: a variable with the values that the host's copy of it begins with, where a GPU's
/// begin with others.
pub const HOST_VALUES: &str = "$host";

/// A module-scope variable in global or constant memory.
#[derive(Clone, Debug)]
pub struct GlobalVariable {
    /// As in the learner's source.
    pub name: Arc<str>,
    /// As in the PTX.
    pub symbol: String,
    pub bytes: u64,
    pub align: u64,
    pub constant: bool,
    /// `__managed__`: one for the whole machine.
    pub managed: bool,
    /// Initial bytes; shorter than `bytes` when the rest is zero.
    pub init: Vec<u8>,
    /// Addresses within it: byte offset, what is addressed.
    pub addresses: Vec<(u64, AddressInit)>,
}

#[derive(Clone, Copy, Debug)]
pub enum AddressInit {
    Variable { variable: u32, offset: i64 },
    Function(u32),
}

#[derive(Clone, Debug, Default)]
pub struct KernelCode {
    pub name: String,
    pub function: u32,
    /// Bytes of each parameter, and its offset.
    pub params: Vec<(u32, u32)>,
    /// Bytes of all parameters.
    pub param_bytes: u32,
    /// Run once for each warp, before its first block: they depend on nothing that changes.
    pub hoisted: Vec<Inst>,
    /// The table's row of each.
    pub hoisted_rows: Vec<Option<&'static crate::table::Row>>,
    /// Shared variables it or what it calls uses, with their offsets.
    pub shared: Vec<(u32, u64)>,
    /// Static shared bytes.
    pub shared_bytes: u64,
    /// `.maxntid` or `.reqntid`, as a product; 0 where absent.
    pub max_threads: u64,
    /// `.reqnctapercluster`: blocks of a cluster.
    pub cluster: Option<Dim3>,
    /// It or what it calls uses what clusters have.
    pub clustered: bool,
    /// Blocks may see each other's effects: atomics, fences, volatile accesses.
    pub communicates: bool,
    /// It uses what atomics and volatile loads bring from global memory, or has fences for other blocks.
    pub listens: bool,
    /// Smallest access to shared memory, in bytes: 1, 2 or 4.
    pub shared_granule: u32,
    /// For each memory instruction, the shared variable that it is meant for; worked out when it is first
    /// asked for.
    pub homes: OnceLock<Box<[Option<u32>]>>,
    /// Its loops that only wait; worked out when one seems not to end.
    pub waits: OnceLock<crate::checks::origin::WaitLoops>,
    /// Warp instructions that its launches took, where kernels may be compiled.
    pub work: Arc<AtomicU64>,
    /// What of it was compiled.
    pub compiled: OnceLock<Option<Arc<crate::engine::compiled::CompiledKernel>>>,
}

/// A module, decoded.
#[derive(Debug, Default)]
pub struct DecodedModule {
    pub insts: Vec<Inst>,
    /// For each instruction, what it was made from.
    pub origins: Vec<Origin>,
    /// For each instruction, one more than its place in `locations`; 0: unknown.
    pub places: Vec<u32>,
    pub locations: Vec<SourceLocation>,
    /// Names of the learner's files, where they were told.
    pub own_files: Vec<Arc<str>>,
    /// For each location, the lines of the learner's file that call the function it was inlined from,
    /// from the inside out.
    pub call_lines: Vec<Vec<u32>>,
    pub blocks: Vec<BasicBlock>,
    /// For each instruction, its basic block.
    pub block_of: Vec<u32>,
    pub memory: Vec<MemoryOp>,
    /// For each memory instruction, an earlier one of its basic block with the same addresses but for
    /// an offset that all lanes share.
    pub like: Vec<Option<u32>>,
    /// For each memory instruction, the first of its basic block with the same address register: what
    /// goes through one pointer.
    pub together: Vec<u32>,
    pub calls: Vec<CallOp>,
    pub bulks: Vec<BulkOp>,
    pub tensor_copies: Vec<TensorCopy>,
    pub barriers: Vec<BarrierOp>,
    pub collectives: Vec<CollectiveOp>,
    pub tables: Vec<Vec<u32>>,
    pub unsupported: Vec<String>,
    pub functions: Vec<FunctionCode>,
    pub kernels: Vec<KernelCode>,
    /// What kernels and all that they may call take; what lies behind it is host code.
    pub device: Part,
    /// Instructions of that which are of kernels and of what they call by name; those of functions that they may
    /// call through pointers lie behind.
    pub called_by_name: u32,
    /// Sizes of the fixed part of every register file.
    pub fixed: Slots,
    pub fixed_slots: Vec<FixedSlot>,
    pub shared: Vec<SharedVariable>,
    pub variables: Vec<GlobalVariable>,
    /// Kernels by name.
    pub kernel_names: HashMap<String, u32>,
    /// Of modules for debugging, by function: what it calls its registers and places.
    pub symbols: Vec<(u32, FunctionSymbols)>,
    /// Of modules for debugging, by instruction: registers that it writes, if it is no arithmetic.
    pub writes: HashMap<u32, Vec<(File, u32)>>,
    /// For each instruction, what advice looks at; worked out when it is first asked for.
    pub watched: OnceLock<Vec<crate::advice::Watched>>,
}

/// The first so many of each of [`DecodedModule`]'s lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub insts: u32,
    pub blocks: usize,
    pub memory: usize,
    pub calls: usize,
    pub fixed: Slots,
    pub fixed_slots: usize,
}

impl DecodedModule {
    /// All there is so far.
    pub fn part(&self) -> Part {
        Part {
            insts: self.insts.len() as u32,
            blocks: self.blocks.len(),
            memory: self.memory.len(),
            calls: self.calls.len(),
            fixed: self.fixed,
            fixed_slots: self.fixed_slots.len(),
        }
    }

    /// For each function, its instructions; `None` where it has none here.
    pub fn function_ranges(&self) -> Vec<Option<Range<u32>>> {
        let mut starts: Vec<u32> = self.functions.iter().filter_map(|f| f.start).collect();
        starts.sort_unstable();
        let end = |start: u32| {
            let next = starts.partition_point(|&s| s <= start);
            starts.get(next).copied().unwrap_or(self.insts.len() as u32)
        };
        self.functions.iter().map(|f| f.start.map(|start| start..end(start))).collect()
    }

    /// The lines that call the inlined function an instruction comes from, from the inside out.
    pub fn call_lines(&self, pc: u32) -> &[u32] {
        let place = self.places.get(pc as usize).and_then(|place| (*place as usize).checked_sub(1));
        place.and_then(|place| self.call_lines.get(place)).map_or(&[], Vec::as_slice)
    }

    /// Registers that an instruction writes, numbered from its function's frame; for modules for debugging.
    pub fn written_by(&self, pc: u32) -> Vec<(File, u32)> {
        let of_row = self.origins.get(pc as usize).and_then(|origin| origin.row);
        let of_row = of_row.zip(self.insts.get(pc as usize)).map(|(row, inst)| (row.dest, inst.d));
        of_row.into_iter().chain(self.writes.get(&pc).into_iter().flatten().copied()).collect()
    }

    /// Where an instruction comes from.
    pub fn location(&self, pc: u32) -> Option<&SourceLocation> {
        let place = *self.places.get(pc as usize)?;
        self.locations.get((place as usize).checked_sub(1)?)
    }
}
