//! Functions that device code calls and the CUDA runtime provides: `vprintf`, `__assertfail`, `malloc`, `free`
//! (CUDA programming guide, "Formatted output", "Assertion", "Dynamic global memory").

use super::access::{read_byte, resolve};
use super::fault::{self, RefusedAccess};
use super::observer::Observer;
use super::step::side;
use super::undefined;
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::{Builtin, CallOp};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{LANES, lanes_of};
use crate::launch::Outcome;
use crate::machine::Misuse;
use crate::memory::access::Space;
use crate::printf;

/// Most bytes of a string read from device memory.
const STRING_LIMIT_BYTES: u64 = 4096;

/// Runs the built-in for the active lanes, in lane order. Returns false when the launch has ended.
pub fn execute<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    call: &CallOp,
    which: Builtin,
) -> bool {
    let mask = warp.registers.mask();
    let mut results = [0u64; LANES];
    for lane in lanes_of(mask) {
        let argument = |n: usize| {
            call.arguments.get(n).zip(call.argument_bytes.get(n)).map_or(0, |(&r, &bytes)| {
                let high = if bytes > 4 { warp.registers.r32(r + 1)[lane] } else { 0 };
                warp.registers.r32(r)[lane] as u64 | (high as u64) << 32
            })
        };
        match which {
            Builtin::Vprintf => {
                let room = worker.launch.output_limit_bytes.saturating_sub(cta.output.len());
                // Once the output limit is reached nothing more is formatted.
                if room == 0 {
                    cta.output_cut = true;
                    continue;
                }
                if argument(0) == 0 {
                    results[lane] = u64::MAX;
                    continue;
                }
                let mut problems = StringProblems::default();
                let format = read_string(worker, cta, warp, lane, (argument(0), usize::MAX), &mut problems);
                let mut at = argument(1);
                let mut unset = None;
                // The number of arguments is what `printf` returns on the device (CUDA programming guide,
                // "Formatted output").
                let mut parsed = 0;
                let mut read_arg = |bytes: usize| {
                    parsed += 1;
                    at = at.next_multiple_of(bytes as u64);
                    let value = (0..bytes as u64).fold(0u64, |v, b| {
                        let byte = read_byte(worker, cta, warp, lane, at.wrapping_add(b)).unwrap_or(0);
                        if let (Space::Local, offset) = resolve(Space::Generic, at.wrapping_add(b))
                            && !warp.local.is_written(lane, offset, 1)
                        {
                            unset = unset.or(Some(offset));
                        }
                        v | (byte as u64) << (b * 8)
                    });
                    at = at.wrapping_add(bytes as u64);
                    value
                };
                let mut read_text = |address: u64, most: usize| {
                    read_string(worker, cta, warp, lane, (address, most), &mut problems)
                };
                let text = printf::render(&format, &mut read_arg, &mut read_text);
                // The compiler packs the arguments of the next call into the same memory, except those without a
                // value.
                if let (Space::Local, offset) = resolve(Space::Generic, argument(1)) {
                    let packed = at - argument(1);
                    (offset..offset + packed).for_each(|byte| warp.local.forget_byte(lane, byte));
                }
                let kept = text.len().min(room);
                results[lane] = parsed;
                cta.output.extend_from_slice(&text[..kept]);
                cta.output_cut |= kept < text.len();
                if let Some(address) = problems.stray {
                    report_unreadable_string(worker, cta, warp, pc, lane, address);
                }
                let at = side(cta.index, warp, pc, 1 << lane);
                match unset.or(problems.unset).filter(|_| worker.checks) {
                    // Nothing was stored for this argument: it is a variable that was never given a value.
                    Some(offset) if unset.is_some() && !undefined::is_known(warp, lane, offset) => {
                        worker.findings.add(FindingKind::Undefined, at, None, Vec::new);
                    }
                    Some(offset) => undefined::printed(worker, warp, at, lane, offset),
                    None => {}
                }
            }
            Builtin::AssertFail => {
                let mut problems = StringProblems::default();
                let message = read_string(worker, cta, warp, lane, (argument(0), usize::MAX), &mut problems);
                let message = String::from_utf8_lossy(&message).into_owned();
                let at = side(cta.index, warp, pc, 1 << lane);
                worker
                    .findings
                    .add(FindingKind::AssertFailed, at, None, || [Evidence::Assertion(message.into())]);
            }
            Builtin::Malloc | Builtin::AlignedMalloc => {
                let mut heap = worker.launch.heap.lock();
                let bytes = argument(0);
                let align = if which == Builtin::AlignedMalloc { argument(1) } else { 1 };
                let address = if align.is_power_of_two() { heap.allocate(bytes, align) } else { 0 };
                results[lane] = address;
                if let Some(buffer) = worker.launch.memory.find(address) {
                    let offset = address - worker.launch.memory.buffers[buffer].base;
                    cta.observer.memory_allocated(buffer as u32, offset, bytes);
                }
            }
            Builtin::Free => {
                let mut heap = worker.launch.heap.lock();
                let address = argument(0);
                if address != 0
                    && let Err(misuse) = heap.release(address)
                {
                    let at = side(cta.index, warp, pc, 1 << lane);
                    let (kind, evidence) = match misuse {
                        Misuse::AlreadyFreed => (FindingKind::DoubleFree, Evidence::FreedInKernelBefore),
                        Misuse::NotAllocated => (FindingKind::WrongFree, Evidence::NotFromKernelMalloc),
                    };
                    worker.findings.add(kind, at, None, || [evidence]);
                }
            }
        }
    }
    if which == Builtin::AssertFail {
        worker.stopped = Some(Outcome::Stopped);
        return false;
    }
    if let Some(&result) = call.results.first() {
        warp.registers.set32(result, &results.map(|v| v as u32));
        if call.target.allocates() {
            warp.registers.set32(result + 1, &results.map(|v| (v >> 32) as u32));
        }
    }
    true
}

/// What is wrong with a string that was read.
#[derive(Default)]
struct StringProblems {
    /// The first address that is not in memory the kernel can access.
    stray: Option<u64>,
    /// The offset of the first undefined byte in the thread's local memory.
    unset: Option<u64>,
}

/// Reads the string at an address up to its terminating zero, or `most` bytes of it; it ends early at an address that
/// cannot be read.
fn read_string<O: Observer>(
    worker: &WorkerState,
    cta: &Cta<O>,
    warp: &Warp,
    lane: usize,
    (address, most): (u64, usize),
    problems: &mut StringProblems,
) -> Vec<u8> {
    let mut text = Vec::new();
    for address in (0..STRING_LIMIT_BYTES.min(most as u64)).map(|n| address.wrapping_add(n)) {
        match read_byte(worker, cta, warp, lane, address) {
            None => {
                problems.stray = problems.stray.or(Some(address));
                break;
            }
            Some(0) => break,
            Some(byte) => text.push(byte),
        }
        if let (Space::Local, offset) = resolve(Space::Generic, address)
            && !warp.local.is_written(lane, offset, 1)
        {
            problems.unset = problems.unset.or(Some(offset));
        }
    }
    text
}

/// Reports that `printf` was to read a string at an address the kernel cannot access.
fn report_unreadable_string<O: Observer>(
    worker: &mut WorkerState,
    cta: &Cta<O>,
    warp: &Warp,
    pc: u32,
    lane: usize,
    address: u64,
) {
    let (space, offset) = resolve(Space::Generic, address);
    let code = match space {
        Space::Shared => FindingKind::SharedOutOfBounds,
        Space::Local => FindingKind::LocalOutOfBounds,
        _ => fault::look_up(worker.launch, offset, offset.saturating_add(1))
            .err()
            .map_or(FindingKind::OutOfBounds, |fault| fault.0),
    };
    let (lane, kind) = (lane as u32, AccessKind::Read);
    let stray = RefusedAccess { pc, lane, kind, bytes: 1, space, offset, attempt: None };
    fault::tell(worker, cta, warp, stray, code);
}
