//! A warp: its registers, and the groups into which its lanes split when they diverge.
//!
//! A group consists of lanes at the same instruction with the same call stack. Among the groups that are ready,
//! the one that is behind runs first (deepest call stack, then lowest instruction), so that the others wait at the
//! point of reconvergence; groups that meet there are merged. Where the running groups seem to wait for one that
//! does not run (they spin on atomics or volatile loads), the groups take turns, so that code which terminates
//! under independent thread scheduling terminates here too (CUDA programming guide, "Independent Thread
//! Scheduling").

use super::clock::ElapsedTime;
use super::endless_loop::WarpSnapshot;
use super::launch::LaunchContext;
use super::observer::Lanes;
use super::spin::Watch;
use super::undefined::Undefined;
use super::wgmma_in_flight::WgmmaInFlight;
use crate::code::{Fixed, SpecialRegister, What};
use crate::lanes::{File, LANES, Registers, Slots};
use crate::memory::FUNCTION_WINDOW;
use crate::memory::local::LocalMemory;

/// A call frame: the return address and the caller's activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub return_pc: u32,
    /// Index of the call in [`DecodedModule::calls`](crate::code::DecodedModule::calls).
    pub call: u32,
    pub caller: Activation,
}

/// The running function, and where its registers and local memory begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activation {
    pub function: u32,
    pub base: Slots,
    pub local_base: u64,
    /// One past the last byte of its local memory.
    pub local_end: u64,
    /// The least number of bytes of a GPU's stack that the calls before it occupy.
    pub stack_bytes: u64,
}

/// Whether a group can run, and otherwise what it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Ready,
    /// Waiting at a barrier of the block.
    Barrier,
    /// Waiting at a barrier of the cluster.
    Cluster,
    /// Waiting for the lanes named in a collective's member mask.
    Converge,
}

/// Lanes of a warp that are at the same instruction with the same call stack.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub pc: u32,
    pub mask: u32,
    pub state: State,
    pub activation: Activation,
    pub frames: Vec<Frame>,
    /// The pc of the conditional branch that the group last reached, and those of groups merged into it since.
    pub last_branch: u32,
    pub merged_branches: Vec<u32>,
    /// The value of the warp's scheduling clock when it last ran, for taking turns.
    ran: u64,
}

impl Group {
    /// The scheduling key: groups that run first compare lower.
    fn order(&self) -> (std::cmp::Reverse<usize>, u32) {
        (std::cmp::Reverse(self.frames.len()), self.pc)
    }

    pub fn meets(&self, other: &Group) -> bool {
        self.pc == other.pc
            && self.state == other.state
            && self.activation == other.activation
            && self.frames == other.frames
    }

    /// Records that the group has reached a conditional branch.
    #[inline(always)]
    pub fn note_branch(&mut self, pc: u32) {
        self.last_branch = pc;
        self.merged_branches.clear();
    }

    /// Returns a group of the lanes in `mask`, a part of this one, at `pc`.
    pub fn split(&self, mask: u32, pc: u32) -> Group {
        Group { mask, pc, ..self.clone() }
    }
}

/// Scheduling decisions that leave another ready group waiting, after which groups take turns.
const PATIENCE: u32 = 1024;
/// Scheduling decisions during which a group keeps its turn.
const TURN: u32 = 256;

/// A warp of a running block.
#[derive(Debug, Default)]
pub struct Warp {
    /// Index of the warp within the block.
    pub index: u32,
    pub registers: Registers,
    pub local: LocalMemory,
    /// The running group, whose current mask is that of `registers`.
    pub group: Group,
    /// The other groups.
    pub others: Vec<Group>,
    /// Whether `group` runs.
    pub running: bool,
    /// Whether `group` holds waiting lanes, as those of `others` do.
    parked: bool,
    /// Lanes that have not left the kernel.
    pub live: u32,
    /// Lanes that have a thread: fewer than 32 only in the last warp of a block.
    pub lanes: u32,
    /// The highest end of the local memory of any function that has returned.
    pub local_used: u64,
    /// Whether the warp has executed an atomic or volatile access since another warp or group last ran.
    pub spun: bool,
    pub watch: Watch,
    /// The state of the warp at an earlier read, while endless loops are looked for.
    pub snapshot: Option<Box<WarpSnapshot>>,
    /// Which registers hold values that come from memory never written.
    pub undefined: Undefined,
    /// Registers of matrix products in flight.
    pub products: WgmmaInFlight,
    /// Whether a matrix operation with missing lanes has already been reported.
    pub short_handed: bool,
    waits: u32,
    turn: u32,
    clock: u64,
    /// Length of the chain of dependent instructions it has executed, in cycles, by a measure common to all GPUs.
    pub cycles: u64,
    /// Time that its clocks show beyond `cycles`.
    pub passed: ElapsedTime,
}

fn axis(dim: crate::launch::Dim3, axis: u8) -> u32 {
    match axis {
        0 => dim.x,
        1 => dim.y,
        _ => dim.z,
    }
}

impl Warp {
    pub fn new(launch: &LaunchContext, index: u32, wide: bool) -> Warp {
        let function = &launch.code.functions[launch.kernel.function as usize];
        let mut warp = Warp {
            index,
            registers: Registers::new(launch.code.device.fixed, function.frame),
            group: Group { last_branch: u32::MAX, ..Group::default() },
            ..Warp::default()
        };
        warp.local.reserve(function.local_bytes);
        let left = launch.extents.block_threads() - index as u64 * LANES as u64;
        warp.lanes = if left >= LANES as u64 { u32::MAX } else { (1 << left) - 1 };
        warp.fill_fixed(launch);
        for inst in &launch.kernel.hoisted {
            if let What::Lanes(handler) = inst.what {
                // SAFETY: `wide` is true only where the processor has the handler's features.
                unsafe {
                    if wide {
                        (handler.wide)(&mut warp.registers, inst)
                    } else {
                        (handler.baseline)(&mut warp.registers, inst)
                    }
                }
            }
        }
        warp
    }

    fn fill_fixed(&mut self, launch: &LaunchContext) {
        for slot in &launch.code.fixed_slots[..launch.code.device.fixed_slots] {
            let mut values = [0u64; LANES];
            for (lane, value) in values.iter_mut().enumerate() {
                let thread = launch.extents.block.at(self.index as u64 * LANES as u64 + lane as u64);
                *value = match slot.value {
                    Fixed::Immediate(bits) => bits,
                    Fixed::Param { kernel, .. } if kernel != launch.kernel_index => 0,
                    Fixed::Param { offset, bytes, signed, .. } => launch.param(offset, bytes, signed),
                    Fixed::Special(register) => match register {
                        SpecialRegister::ThreadIndex(a) => axis(thread, a) as u64,
                        SpecialRegister::BlockSize(a) => axis(launch.extents.block, a) as u64,
                        SpecialRegister::GridSize(a) => axis(launch.extents.grid, a) as u64,
                        SpecialRegister::ClusterSize(a) => axis(launch.extents.cluster, a) as u64,
                        SpecialRegister::ClusterBlocks => launch.extents.cluster.count(),
                        SpecialRegister::ClusterCount(a) => axis(launch.extents.clusters(), a) as u64,
                        SpecialRegister::HasClusters => launch.extents.has_clusters as u64,
                        SpecialRegister::Lane => lane as u64,
                        SpecialRegister::Warp => self.index as u64,
                        SpecialRegister::Warps => launch.extents.warps() as u64,
                        SpecialRegister::Sms => launch.gpu.multiprocessors as u64,
                        SpecialRegister::Grid => launch.gpu.grid_id,
                        SpecialRegister::WorkspaceHigh => launch.gpu.workspace >> 32,
                        SpecialRegister::WorkspaceLow => launch.gpu.workspace & 0xffff_ffff,
                        SpecialRegister::LaneMaskEq => 1 << lane,
                        SpecialRegister::LaneMaskLt => (1 << lane) - 1,
                        SpecialRegister::LaneMaskLe => (2 << lane) - 1,
                        SpecialRegister::LaneMaskGe => 0xffff_ffff & !((1u64 << lane) - 1),
                        SpecialRegister::LaneMaskGt => 0xffff_ffff & !((2u64 << lane) - 1),
                        SpecialRegister::DynamicSharedBytes => launch.extents.dynamic_shared_bytes as u64,
                        SpecialRegister::TotalSharedBytes => launch.extents.shared_bytes,
                        SpecialRegister::Zero => 0,
                    },
                    Fixed::Shared { variable, offset } => {
                        launch.shared_offset(variable).wrapping_add(offset as u64)
                    }
                    Fixed::Global { variable, offset } => {
                        let address = launch.variables.get(variable as usize).copied().unwrap_or(0);
                        address.wrapping_add(offset as u64)
                    }
                    Fixed::Function(function) => FUNCTION_WINDOW + function as u64,
                };
            }
            let place = (slot.file, self.registers.slot(slot.file, slot.register));
            self.registers.set_raw(place, &values);
        }
    }

    /// Makes the warp ready to run the kernel from its start.
    pub fn begin(&mut self, launch: &LaunchContext) {
        let function = &launch.code.functions[launch.kernel.function as usize];
        self.others.clear();
        self.group.pc = function.start.unwrap_or(0);
        self.group.state = State::Ready;
        let (number, local_end) = (launch.kernel.function, function.local_bytes);
        self.group.activation = Activation { function: number, local_end, ..Activation::default() };
        self.local_used = 0;
        self.group.frames.clear();
        self.group.note_branch(u32::MAX);
        self.live = self.lanes;
        self.running = true;
        self.parked = false;
        self.snapshot = None;
        self.spun = false;
        self.cycles = 0;
        self.passed = ElapsedTime::default();
        self.watch = Watch::default();
        self.undefined.clear();
        self.products.clear();
        self.short_handed = false;
        (self.waits, self.turn) = (0, 0);
        self.local.forget(0, self.local.bytes());
        self.registers.set_base(Slots::default());
        self.registers.set_mask(self.lanes);
        self.group.mask = self.lanes;
    }

    /// Reads one lane of a 32-bit register in the frame at `base`, which need not be the current frame.
    pub fn read32(&self, register: u32, base: Slots, lane: usize) -> u32 {
        self.registers.r32_at(register, base)[lane]
    }

    pub fn read64(&self, register: u32, base: Slots, lane: usize) -> u64 {
        self.registers.r64_at(register, base)[lane]
    }

    /// Reads a predicate in the frame at `base`, which need not be the current frame.
    pub fn read_pred(&self, register: u32, base: Slots) -> u32 {
        self.registers.pred_at(register, base)
    }

    /// Marks a register as defined in these lanes.
    pub fn define(&mut self, file: File, register: u32, lanes: u32) {
        let slot = self.registers.slot(file, register);
        self.undefined.define((file, slot), lanes);
    }

    /// Describes some of the warp's lanes to observers.
    pub fn lanes_of(&self, mask: u32) -> Lanes {
        Lanes { warp: self.index, mask, live: self.live }
    }

    pub fn done(&self) -> bool {
        self.live == 0
    }

    /// Stops the running group, which is then in `state`.
    #[inline(always)]
    pub fn park(&mut self, state: State) {
        self.group.mask = self.registers.mask();
        self.group.state = state;
        self.group.ran = self.clock;
        self.running = false;
        self.parked = true;
    }

    /// Returns whether the running group only waits in a loop and no other group could run.
    pub fn only_waits(&self) -> bool {
        self.watch.waits() && self.others.iter().all(|g| g.state != State::Ready)
    }

    /// Returns all waiting groups for inspection and change; a parked `group` is moved to `others` first.
    pub fn waiting(&mut self) -> &mut Vec<Group> {
        if self.parked {
            self.parked = false;
            self.others.push(self.group.clone());
        }
        &mut self.others
    }

    /// Returns the group of all the warp's lanes if they wait together at a barrier.
    #[inline(always)]
    pub fn whole_at_barrier(&mut self) -> Option<&mut Group> {
        let whole = self.parked
            && self.others.is_empty()
            && self.group.state == State::Barrier
            && self.group.mask == self.lanes;
        whole.then_some(&mut self.group)
    }

    /// Makes lanes of the running group leave the kernel.
    pub fn leave(&mut self, mask: u32) {
        self.live &= !mask;
        let rest = self.registers.mask() & !mask;
        if rest == 0 {
            self.running = false;
        } else {
            self.registers.set_mask(rest);
        }
    }

    /// Splits lanes off the running group into a group of their own at `pc`.
    pub fn split_off(&mut self, mask: u32, pc: u32) {
        let mut group = self.group.split(mask, pc);
        group.state = State::Ready;
        group.ran = self.clock;
        self.others.push(group);
        self.registers.set_mask(self.registers.mask() & !mask);
    }

    /// Chooses the group that runs next and merges those that have reconverged. Returns false when none is ready.
    #[inline(always)]
    pub fn schedule(&mut self) -> bool {
        if self.others.is_empty() && (self.running || self.parked) {
            if self.group.state != State::Ready {
                return false;
            }
            self.running = true;
            self.parked = false;
            return true;
        }
        self.choose()
    }

    /// Chooses anew which group runs: see [`Warp::schedule`].
    #[inline(never)]
    pub fn choose(&mut self) -> bool {
        self.clock += 1;
        if self.running {
            if self.turn > 0 {
                self.turn -= 1;
                self.merge();
                return true;
            }
            self.park(State::Ready);
        }
        // A parked group stands behind the others.
        let groups = self.others.iter().chain(self.parked.then_some(&self.group));
        let ready = groups.enumerate().filter(|(_, group)| group.state == State::Ready);
        let mut best: Option<(usize, &Group)> = None;
        let mut oldest: Option<(usize, &Group)> = None;
        let mut count = 0;
        for (n, group) in ready {
            count += 1;
            if best.is_none_or(|(_, best)| group.order() < best.order()) {
                best = Some((n, group));
            }
            if oldest.is_none_or(|(_, oldest)| group.ran < oldest.ran) {
                oldest = Some((n, group));
            }
        }
        let (Some((mut chosen, _)), Some((oldest, _))) = (best, oldest) else {
            self.waiting();
            return false;
        };
        if count > 1 {
            self.waits += 1;
            let stuck = self.watch.take_wait();
            if self.waits > PATIENCE || stuck {
                self.waits = 0;
                if std::mem::take(&mut self.spun) || stuck {
                    chosen = oldest;
                    self.turn = TURN;
                }
            }
        } else {
            self.waits = 0;
        }
        match (self.others.get_mut(chosen), self.parked) {
            (Some(other), true) => std::mem::swap(&mut self.group, other),
            (Some(_), false) => self.group = self.others.swap_remove(chosen),
            (None, _) => {}
        }
        self.parked = false;
        self.running = true;
        self.registers.set_base(self.group.activation.base);
        self.registers.set_mask(self.group.mask);
        self.merge();
        true
    }

    /// Merges the ready groups that are at the same place into the running group.
    fn merge(&mut self) {
        let mut mask = self.registers.mask();
        let group = &mut self.group;
        if !self.others.iter().any(|other| other.meets(group)) {
            return;
        }
        self.others.retain_mut(|other| {
            let meets = other.meets(group);
            if meets {
                mask |= other.mask;
                for &pc in std::iter::once(&other.last_branch).chain(&other.merged_branches) {
                    if pc != group.last_branch && !group.merged_branches.contains(&pc) {
                        group.merged_branches.push(pc);
                    }
                }
            }
            !meets
        });
        self.group.mask = mask;
        self.registers.set_mask(mask);
    }
}
