//! Decoded memory instructions.

use super::super::lanes::File;

/// State space an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The address says.
    Generic,
    Global,
    Shared,
    /// Of the blocks of the cluster: an address names its block.
    Cluster,
    Local,
    Const,
    Param,
}

/// New value of an atomic: old value, operand, comparand.
pub type AtomicFn = fn(u64, u64, u64) -> u64;

#[derive(Clone, Copy, Debug)]
pub enum Action {
    Load,
    Store,
    /// Read-modify-write in lane order; the old value goes to `registers[0]` unless it is a sink.
    Atomic {
        apply: AtomicFn,
        operand: u32,
        comparand: u32,
    },
}

/// A destination that is thrown away.
pub const SINK: u32 = u32::MAX;

/// Most elements of a vector access: `.v8.b32`.
pub const MOST_ELEMENTS: usize = 8;

/// What an access promises to other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing.
    Weak,
    /// `.volatile`: it happens as written, but orders nothing (PTX ISA, memory consistency model).
    Volatile,
    /// `.relaxed`, `.acquire`, `.release`, atomics: it may meet others of its kind.
    Strong,
}

/// What an access does to an mbarrier object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnObject {
    /// Nothing: no `mbarrier` instruction made it.
    #[default]
    Nothing,
    /// Makes the object, or ends it.
    SetUp,
    /// Looks whether a phase is over.
    Wait,
    /// Counts arrivals or bytes.
    Count,
}

/// What an access does beyond its [`Order`], and what it is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// `.acquire`, `.acq_rel`: what was left at its place is known after it.
    pub acquire: bool,
    /// `.release`, `.acq_rel`: what the thread did before is left at its place.
    pub release: bool,
    /// Of `.cta` scope: it promises nothing to other blocks.
    pub block_only: bool,
    /// A plain load whose value only says what a compare-and-swap is to expect: a wrong one costs a
    /// round of its loop.
    pub guess: bool,
    /// Half of a `cp.async`, or of 16 bytes of a `cp.async.bulk`.
    pub copy: bool,
    /// Of a `cp.async.bulk`.
    pub bulk: bool,
    /// A volatile or relaxed store of what was made of a load from the same place: `*count += 1`.
    pub updates: bool,
    /// By a product of a warpgroup: a warp that has waited for it has done so with all its lanes.
    pub product: bool,
    /// Part of a matrix fragment: which lane touches which element is the instruction's doing.
    pub fragment: bool,
    pub object: OnObject,
    /// Bytes of a vector load that nothing reads, a bit each: the compiler loads neighbours with what is read.
    pub unread: u32,
}

impl Role {
    /// Whether nothing reads what a load of `width` bytes, at a multiple of them, brings of some bytes at an address.
    pub fn leaves_unread(&self, width: u32, address: u64, bytes: u32) -> bool {
        let within = (address % u64::from(width.max(1))) as u32;
        self.unread != 0
            && (within..within + bytes).all(|byte| self.unread >> byte.min(u32::BITS - 1) & 1 != 0)
    }
}

/// A load, store or atomic. (`cp.async` is lowered to a load and a store.)
#[derive(Clone, Debug)]
pub struct MemoryOp {
    pub action: Action,
    pub space: Space,
    /// 64-bit register with the address.
    pub base: u32,
    /// Added to the address of every lane.
    pub offset: i64,
    /// Bytes of one element: 1, 2, 4, 8.
    pub element_bytes: u8,
    /// Loads of 1 and 2 bytes: extend the sign into the register.
    pub signed: bool,
    /// Elements of a vector access.
    pub elements: u8,
    /// Where the elements go or come from.
    pub registers: [u32; MOST_ELEMENTS],
    pub file: File,
    pub order: Order,
    pub role: Role,
}

impl MemoryOp {
    /// Bytes each lane accesses.
    pub fn width(&self) -> u32 {
        self.element_bytes as u32 * self.elements as u32
    }
}
