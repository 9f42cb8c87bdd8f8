//! The memory that a thread in an endless loop polls: something outside the launch may change it meanwhile.

use super::observer::Observer;
use super::warp::State;
use super::worker::{Cta, WorkerState};
use crate::lanes::lanes_of;
use crate::launch::{Outcome, PolledMemory};
use crate::memory::Address;
use crate::memory::access::Order;
use crate::memory::global::Owner;

/// Warp instructions of a block since a warp's last poll, after which the warp is in some other loop.
pub const RECENT_STEPS: u64 = 1 << 16;

/// The bytes that one instruction polls, over all lanes of the first looping warp.
#[derive(Debug)]
pub struct PollSite {
    pc: u32,
    buffer: usize,
    bytes: std::ops::Range<u64>,
}

/// Returns what the block's first looping warp has polled, host memory first; nothing for a warp whose last poll
/// was more than `within` warp instructions of the block ago.
pub fn of_block<O: Observer>(worker: &WorkerState, cta: &mut Cta<O>, within: u64) -> Vec<PollSite> {
    let (code, memory, steps) = (worker.launch.code, worker.launch.memory, cta.steps.done);
    for warp in cta.warps.iter_mut().filter(|warp| !warp.done()) {
        let Some(ready) = warp.waiting().iter().find(|group| group.state == State::Ready) else { continue };
        let (mask, base) = (ready.mask, ready.activation.base);
        if steps.saturating_sub(warp.watch.last_steps()) > within {
            continue;
        }
        let old = warp.registers.base();
        warp.registers.set_base(base);
        let look = |pc: u32| {
            let op = code.access_at(pc).filter(|op| op.order != Order::Weak)?;
            let lanes = lanes_of(mask);
            let starts = lanes.map(|lane| warp.registers.r64(op.base)[lane].wrapping_add(op.offset as u64));
            let (first, last) = starts.fold((u64::MAX, 0), |(a, b), at| (a.min(at), b.max(at)));
            let buffer = memory.find(first)?;
            let its = memory.buffers.get(buffer)?;
            let end = last.saturating_add(op.width().into()).min(its.base.saturating_add(its.bytes));
            Some(PollSite { pc, buffer, bytes: first..end })
        };
        let mut looks: Vec<PollSite> = warp.watch.polling_pcs().into_iter().filter_map(look).collect();
        warp.registers.set_base(old);
        looks.sort_by_key(|look| memory.buffers[look.buffer].owner.device().is_some());
        if !looks.is_empty() {
            return looks;
        }
    }
    Vec::new()
}

/// Returns whether the block's first looping warp polls the barrier of the grid.
pub fn is_for_the_grid<O: Observer>(worker: &WorkerState, cta: &mut Cta<O>) -> bool {
    let launch = &worker.launch;
    let of_grid = |look: &PollSite| launch.memory.buffers[look.buffer].base == launch.gpu.workspace;
    launch.gpu.cooperative && of_block(worker, cta, u64::MAX).iter().any(of_grid)
}

/// Returns the outcome for a kernel that polls memory which the host can change meanwhile, which the simulator
/// does not support; `None` for device memory.
pub fn waits_for_host(worker: &WorkerState, looks: &[PollSite]) -> Option<Outcome> {
    let look = looks.first()?;
    let buffer = worker.launch.memory.buffers.get(look.buffer)?;
    let name = match buffer.owner {
        Owner::Device(_) | Owner::Pool { .. } => return None,
        Owner::Pinned | Owner::Managed => &buffer.name,
    };
    let what = format!(
        "a kernel that waits for what the host does to `{name}` meanwhile: here, a kernel runs to its end \
         before the host continues"
    );
    Some(Outcome::Unsupported { what, line: worker.launch.code.location(look.pc).cloned() })
}

/// Returns the polled memory, for a GPU's own memory, which a copy or another kernel can change meanwhile.
pub fn in_device_memory(worker: &WorkerState, looks: &[PollSite]) -> Vec<PolledMemory> {
    let code = worker.launch.code;
    let describe = |look: &PollSite| PolledMemory {
        first: Address(look.bytes.start),
        bytes: look.bytes.end.saturating_sub(look.bytes.start),
        line: code.location(look.pc).cloned(),
    };
    looks.iter().map(describe).collect()
}
