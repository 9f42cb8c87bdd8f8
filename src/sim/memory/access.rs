//! Decoded memory instructions.

use super::super::lanes::File;

/// Whether an access reads, writes, or does both atomically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AccessKind {
    #[default]
    Read,
    Write,
    Atomic,
}

/// The state space that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Determined by the address.
    Generic,
    Global,
    Shared,
    /// Shared memory of all blocks of the cluster: an address names its block.
    Cluster,
    Local,
    Const,
    Param,
}

/// Computes the new value of an atomic from the old value, the operand and the comparand.
pub type AtomicFn = fn(u64, u64, u64) -> u64;

/// What an access does.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Reads memory into registers.
    Load,
    /// Writes registers to memory.
    Store,
    /// Read-modify-write in lane order; the old value is written to `registers[0]` unless that is [`SINK`].
    Atomic { apply: AtomicFn, operand: u32, comparand: u32 },
}

/// In place of a register: a destination that is discarded.
pub const SINK: u32 = u32::MAX;

/// Most elements of a vector access: `.v8.b32`.
pub const MAX_ELEMENTS: usize = 8;

/// The ordering guarantee of an access with respect to other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing.
    Weak,
    /// `.volatile`: it is performed as written, but orders nothing (PTX ISA, memory consistency model).
    Volatile,
    /// `.relaxed`, `.acquire`, `.release`, atomics: does not race with others of its kind.
    Strong,
}

/// The effect of an access on an mbarrier object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MbarrierEffect {
    /// None: it does not come from an `mbarrier` instruction.
    #[default]
    Nothing,
    /// Initialises or invalidates the object.
    SetUp,
    /// Tests whether a phase is complete.
    Wait,
    /// Counts arrivals or bytes.
    Count,
}

/// The effects of an access beyond its [`Order`], and its purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// `.acquire`, `.acq_rel`: acquires what was released at its address.
    pub acquire: bool,
    /// `.release`, `.acq_rel`: releases the thread's earlier accesses at its address.
    pub release: bool,
    /// Of `.cta` scope: it synchronises with no other block.
    pub block_only: bool,
    /// A plain load whose value is only the expected value of a compare-and-swap: a stale one costs an iteration
    /// of its loop.
    pub guess: bool,
    /// A volatile or relaxed load whose value no branch, address or atomic depends on: nothing notices a stale one.
    pub data: bool,
    /// A volatile or relaxed load in a loop that does nothing else than wait for its value to change.
    pub polls: bool,
    /// A load from where the same function goes on to store: perhaps of the thread's own element.
    pub own: bool,
    /// An atomic whose old value is used.
    pub returns: bool,
    /// The load or the store of a `cp.async`, or of 16 bytes of a `cp.async.bulk`.
    pub copy: bool,
    /// Part of a `cp.async.bulk`.
    pub bulk: bool,
    /// By way of a texture or surface object.
    pub image: bool,
    /// `.nc`: by a cache that does not notice writes of the same launch.
    pub read_only: bool,
    /// A volatile or relaxed store of a value computed from a load of the same address: `*count += 1`.
    pub updates: bool,
    /// A read by a warpgroup's matrix product: a warp that has waited for it has done so with all its lanes.
    pub product: bool,
    /// Part of a matrix fragment: the instruction determines which lane accesses which element.
    pub fragment: bool,
    pub object: MbarrierEffect,
    /// Bytes of a vector load that nothing reads, one bit each: the compiler loads neighbours along with what is
    /// read.
    pub unread: u32,
}

impl Role {
    /// Returns whether `bytes` bytes at `address` are among those that nothing reads of a load of `width` bytes
    /// (aligned to its width).
    pub fn leaves_unread(&self, width: u32, address: u64, bytes: u32) -> bool {
        let within = (address % u64::from(width.max(1))) as u32;
        self.unread != 0
            && (within..within + bytes).all(|byte| self.unread >> byte.min(u32::BITS - 1) & 1 != 0)
    }
}

/// A decoded load, store or atomic. (`cp.async` is lowered to a load and a store.)
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
    /// For narrow loads: whether the value is sign-extended into the register.
    pub signed: bool,
    /// Elements of a vector access.
    pub elements: u8,
    /// The registers of the elements.
    pub registers: [u32; MAX_ELEMENTS],
    pub file: File,
    pub order: Order,
    pub role: Role,
}

impl MemoryOp {
    /// Returns the bytes that each lane accesses.
    pub fn width(&self) -> u32 {
        self.element_bytes as u32 * self.elements as u32
    }
}
