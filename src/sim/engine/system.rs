//! Instructions that read or change the machine's state.

use super::clock;
use super::cluster;
use super::issue::Issue;
use super::observer::{CopyStep, Observer, Synchronisation};
use super::step::side;
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::{Inst, System, block_place};
use crate::evidence::Evidence;
use crate::finding::FindingKind;
use crate::lanes::{LANES, lanes_of};
use crate::lower::copy_async;
use crate::mbarrier::change::Change;
use crate::memory::access::Space;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES};

/// Executes a system instruction. Returns false when the launch has ended.
#[inline(never)]
pub fn execute<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    inst: &Inst,
    what: System,
) -> bool {
    let active = warp.registers.mask();
    let mask = inst.guard.lanes(&warp.registers, active);
    if mask == 0 {
        return true;
    }
    warp.registers.set_mask(mask);
    match what {
        System::ActiveMask => warp.registers.set32(inst.d, &[mask; LANES]),
        System::Clock32 => {
            let now = clock::read(cta, warp, pc);
            warp.registers.set32(inst.d, &[now as u32; LANES]);
        }
        System::Clock64 => {
            let now = clock::read(cta, warp, pc);
            warp.registers.set64(inst.d, &[now; LANES]);
        }
        System::GlobalTimer => {
            let since = clock::nanoseconds(clock::read(cta, warp, pc), worker.launch.gpu.clock_khz);
            warp.registers.set64(inst.d, &[worker.launch.gpu.begin_ns.saturating_add(since); LANES]);
        }
        System::BlockIndex => {
            let value = block_index(worker, cta, inst.detail);
            warp.registers.set32(inst.d, &[value; LANES]);
        }
        System::MapShared => {
            let window = if inst.detail == 0 { 0 } else { SHARED_WINDOW };
            let (address, rank) = (*warp.registers.r64(inst.s[0]), *warp.registers.r32(inst.s[1]));
            let mapped = std::array::from_fn(|lane| {
                window.wrapping_add(cluster::mapped(address[lane].wrapping_sub(window), rank[lane]))
            });
            warp.registers.set64(inst.d, &mapped);
        }
        System::SharedRank => {
            let window = if inst.detail == 0 { 0 } else { SHARED_WINDOW };
            let address = *warp.registers.r64(inst.s[0]);
            let ranks = address.map(|address| cluster::rank_of(address.wrapping_sub(window), cta.rank));
            warp.registers.set32(inst.d, &ranks);
        }
        System::Multiprocessor => {
            let value = (cta.index % worker.launch.gpu.multiprocessors.max(1) as u64) as u32;
            warp.registers.set32(inst.d, &[value; LANES]);
        }
        System::LocalAddress => {
            let at = warp.group.activation.local_base + inst.detail as u64;
            warp.registers.set64(inst.d, &[at; LANES]);
        }
        System::CheckDefined => {
            let undefined = if worker.checks { warp.registers.pred(inst.s[0]) & mask } else { 0 };
            for lane in lanes_of(undefined) {
                worker.findings.add(
                    FindingKind::Undefined,
                    side(cta.index, warp, pc, 1 << lane),
                    None,
                    Vec::new,
                );
            }
        }
        System::Yield => {
            warp.spun = true;
            let asked = warp.registers.r32(inst.s[0]);
            let ns = lanes_of(mask).map(|lane| asked[lane]).max();
            clock::sleep(cta, warp, ns.unwrap_or(0), worker.launch.gpu.clock_khz);
        }
        System::Fence => {
            let (at, block_only) = (warp.lanes_of(mask), inst.detail != 0);
            cta.observer.synchronised(Synchronisation::Fence { at, block_only });
        }
        System::ProxyFence => {
            if inst.detail != 0 {
                cta.observer.synchronised(Synchronisation::ProxyFence(warp.lanes_of(mask)));
            }
        }
        System::AsyncWait => {
            let group = Synchronisation::CopyGroup(warp.lanes_of(mask), step(inst.detail));
            cta.observer.synchronised(group);
        }
        System::AsyncSignal => Issue { worker, cta, warp, pc }.copies_signal(inst, mask),
        System::Bulk => Issue { worker, cta, warp, pc }.copy_bulk(inst, mask),
        System::Tensor => {
            if !(Issue { worker, cta, warp, pc }).copy_tensor(inst, mask) {
                return false;
            }
        }
        System::Texture => Issue { worker, cta, warp, pc }.fetch_texture(inst, mask),
        System::Surface => Issue { worker, cta, warp, pc }.access_surface(inst, mask),
        System::BulkWait => {
            let group = Synchronisation::BulkGroup(warp.lanes_of(mask), step(inst.detail));
            cta.observer.synchronised(group);
        }
        System::PhaseOver => Issue { worker, cta, warp, pc }.phase_over(inst, mask),
        System::Nothing | System::Unset => {}
        System::IsSpace => {
            let address = *warp.registers.r64(inst.s[0]);
            let window = |start: u64, a: u64| a.wrapping_sub(start) < WINDOW_BYTES;
            let inside = |a: u64| {
                let (shared, local, param) =
                    (window(SHARED_WINDOW, a), window(LOCAL_WINDOW, a), window(PARAM_WINDOW, a));
                if inst.detail == Space::Shared as u32 {
                    shared && cluster::rank_of(a - SHARED_WINDOW, cta.rank) == cta.rank
                } else if inst.detail == Space::Cluster as u32 {
                    shared
                } else if inst.detail == Space::Local as u32 {
                    local
                } else if inst.detail == Space::Param as u32 {
                    param
                } else {
                    let memory = worker.launch.memory;
                    let constant = memory.find(a).is_some_and(|n| memory.buffers[n].constant);
                    if inst.detail == Space::Const as u32 {
                        constant
                    } else {
                        !(shared || local || param || constant)
                    }
                }
            };
            let bits = (0..LANES).fold(0u32, |bits, lane| bits | (inside(address[lane]) as u32) << lane);
            warp.registers.set_pred(inst.d, bits);
        }
        System::MbarrierCheck => {
            let change = Change::numbered(inst.detail);
            let (object, operand) = (*warp.registers.r64(inst.s[0]), *warp.registers.r64(inst.s[1]));
            for lane in lanes_of(mask) {
                if let Err(misuse) = change.apply(object[lane], operand[lane]) {
                    let at = side(cta.index, warp, pc, 1 << lane);
                    let mut issue = Issue { worker, cta, warp, pc };
                    return issue.end(FindingKind::Trap, at, || [Evidence::Mbarrier(misuse)]);
                }
            }
            // Counts as progress even if the object returns to an earlier value, since others may wait for it.
            worker.progress += u64::from(change != Change::Read);
        }
        System::Unsupported => {
            let what = worker.launch.code.details.unsupported[inst.detail as usize].clone();
            Issue { worker, cta, warp, pc }.stop_unsupported(what);
            return false;
        }
    }
    warp.registers.set_mask(active);
    true
}

/// Decodes the `detail` of a [`System::AsyncWait`] or [`System::BulkWait`].
fn step(detail: u32) -> CopyStep {
    match detail {
        copy_async::COMMIT => CopyStep::Commit,
        copy_async::WAIT_ALL => CopyStep::WaitAll,
        pending => CopyStep::Wait(pending - copy_async::WAIT_GROUP),
    }
}

/// Returns the block's index for one of the constants of [`block_place`] plus an axis.
fn block_index<O>(worker: &WorkerState, cta: &Cta<O>, what: u32) -> u32 {
    let (at, of) = (cta.ctaid, worker.launch.extents.cluster);
    let (at, of) = match what % 3 {
        0 => (at.x, of.x),
        1 => (at.y, of.y),
        _ => (at.z, of.z),
    };
    match what / 3 * 3 {
        block_place::IN_GRID => at,
        block_place::OF_CLUSTER => at / of,
        block_place::IN_CLUSTER => at % of,
        _ => cta.rank,
    }
}
