//! Functions that device code calls and the CUDA runtime provides: `vprintf`, `__assertfail`, `malloc`, `free`
//! (CUDA programming guide, "Formatted output", "Assertion", "Dynamic global memory").

use super::access::resolve;
use super::fault::{self, RefusedAccess};
use super::issue::Issue;
use super::observer::Observer;
use super::undefined;
use crate::code::{Builtin, CallOp};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{LANES, lanes_of};
use crate::machine::Misuse;
use crate::memory::access::Space;
use crate::printf;

/// Most bytes of a string read from device memory.
const STRING_LIMIT_BYTES: u64 = 4096;

/// What is wrong with a string that was read.
#[derive(Default)]
struct StringProblems {
    /// The first address that is not in memory the kernel can access.
    stray: Option<u64>,
    /// The offset of the first undefined byte in the thread's local memory.
    unset: Option<u64>,
}

impl<O: Observer> Issue<'_, '_, O> {
    /// Runs the built-in for the active lanes, in lane order. Returns false when the launch has ended.
    pub fn call_builtin(&mut self, call: &CallOp, which: Builtin) -> bool {
        let launch = self.launch();
        let mut results = [0u64; LANES];
        for lane in lanes_of(self.warp.registers.mask()) {
            let registers = &self.warp.registers;
            let argument = |n: usize| {
                call.arguments.get(n).zip(call.argument_bytes.get(n)).map_or(0, |(&r, &bytes)| {
                    let high = if bytes > 4 { registers.r32(r + 1)[lane] } else { 0 };
                    registers.r32(r)[lane] as u64 | (high as u64) << 32
                })
            };
            let [first, second] = [argument(0), argument(1)];
            match which {
                Builtin::Vprintf => results[lane] = self.printf(lane, first, second).unwrap_or(0),
                Builtin::AssertFail => {
                    let message = self.read_string(lane, (first, usize::MAX), &mut StringProblems::default());
                    let message = String::from_utf8_lossy(&message).into_owned();
                    self.add(FindingKind::AssertFailed, 1 << lane, || [Evidence::Assertion(message.into())]);
                }
                Builtin::Malloc | Builtin::AlignedMalloc => {
                    let mut heap = launch.heap.lock();
                    let align = if which == Builtin::AlignedMalloc { second } else { 1 };
                    let address = if align.is_power_of_two() { heap.allocate(first, align) } else { 0 };
                    results[lane] = address;
                    if let Some(buffer) = launch.memory.find(address) {
                        let offset = address - launch.memory.buffers[buffer].base;
                        self.cta.observer.memory_allocated(buffer as u32, offset, first);
                    }
                }
                Builtin::Free => {
                    let mut heap = launch.heap.lock();
                    if first != 0
                        && let Err(misuse) = heap.release(first)
                    {
                        let (kind, evidence) = match misuse {
                            Misuse::AlreadyFreed => (FindingKind::DoubleFree, Evidence::FreedInKernelBefore),
                            Misuse::NotAllocated => (FindingKind::WrongFree, Evidence::NotFromKernelMalloc),
                        };
                        self.add(kind, 1 << lane, || [evidence]);
                    }
                }
            }
        }
        if which == Builtin::AssertFail {
            self.stop();
            return false;
        }
        if let Some(&result) = call.results.first() {
            self.warp.registers.set32(result, &results.map(|v| v as u32));
            if call.target.allocates() {
                self.warp.registers.set32(result + 1, &results.map(|v| (v >> 32) as u32));
            }
        }
        true
    }

    /// Prints for one lane what a format says of packed arguments. Returns the number of arguments, which is what
    /// `printf` returns on the device (CUDA programming guide, "Formatted output").
    fn printf(&mut self, lane: usize, format: u64, arguments: u64) -> Option<u64> {
        let room = self.launch().options.output_limit_bytes.saturating_sub(self.cta.output.len());
        // Once the output limit is reached nothing more is formatted.
        if room == 0 {
            self.cta.output_cut = true;
            return None;
        }
        if format == 0 {
            return Some(u64::MAX);
        }
        let mut problems = StringProblems::default();
        let format = self.read_string(lane, (format, usize::MAX), &mut problems);
        let mut at = arguments;
        let mut unset = None;
        let mut parsed = 0;
        let launch = self.launch();
        let short = || launch.short_calls.values(launch.code.location(self.pc)?);
        // Without any values there is no memory either.
        let given = if arguments == 0 { 0 } else { short().unwrap_or(usize::MAX) };
        let mut read_arg = |bytes: usize| {
            parsed += 1;
            if parsed > given {
                return 0;
            }
            at = at.next_multiple_of(bytes as u64);
            let value = (0..bytes as u64).fold(0u64, |v, b| {
                let byte = self.read_byte(lane, at.wrapping_add(b)).unwrap_or(0);
                if let (Space::Local, offset) = resolve(Space::Generic, at.wrapping_add(b))
                    && !self.warp.local.is_written(lane, offset, 1)
                {
                    unset = unset.or(Some(offset));
                }
                v | (byte as u64) << (b * 8)
            });
            at = at.wrapping_add(bytes as u64);
            value
        };
        let mut read_text =
            |address: u64, most: usize| self.read_string(lane, (address, most), &mut problems);
        let text = printf::render(&format, &mut read_arg, &mut read_text);
        // The compiler packs the arguments of the next call into the same memory, except those without a value.
        if let (Space::Local, offset) = resolve(Space::Generic, arguments) {
            let packed = at - arguments;
            (offset..offset + packed).for_each(|byte| self.warp.local.forget_byte(lane, byte));
        }
        let kept = text.len().min(room);
        self.cta.output.extend_from_slice(&text[..kept]);
        self.cta.output_cut |= kept < text.len();
        if let Some(address) = problems.stray {
            self.report_unreadable_string(lane, address);
        }
        match unset.or(problems.unset).filter(|_| self.worker.checks) {
            // Nothing was stored for this argument: it is a variable that was never given a value.
            Some(offset) if unset.is_some() && !undefined::is_known(self.warp, lane, offset) => {
                self.add(FindingKind::Undefined, 1 << lane, Vec::new);
            }
            Some(offset) => {
                let at = self.side(1 << lane);
                undefined::printed(self.worker, self.warp, at, lane, offset);
            }
            None => {}
        }
        if parsed > given {
            let wanted = parsed;
            self.add(FindingKind::FormatValues, 1 << lane, || [Evidence::FormatValues { wanted, given }]);
        }
        Some(parsed as u64)
    }

    /// Reads the string at an address up to its terminating zero, or `most` bytes of it; it ends early at an address
    /// that cannot be read.
    fn read_string(
        &self,
        lane: usize,
        (address, most): (u64, usize),
        problems: &mut StringProblems,
    ) -> Vec<u8> {
        let mut text = Vec::new();
        for address in (0..STRING_LIMIT_BYTES.min(most as u64)).map(|n| address.wrapping_add(n)) {
            match self.read_byte(lane, address) {
                None => {
                    problems.stray = problems.stray.or(Some(address));
                    break;
                }
                Some(0) => break,
                Some(byte) => text.push(byte),
            }
            if let (Space::Local, offset) = resolve(Space::Generic, address)
                && !self.warp.local.is_written(lane, offset, 1)
            {
                problems.unset = problems.unset.or(Some(offset));
            }
        }
        text
    }

    /// Reports that `printf` was to read a string at an address the kernel cannot access.
    fn report_unreadable_string(&mut self, lane: usize, address: u64) {
        let (space, offset) = resolve(Space::Generic, address);
        let code = match space {
            Space::Shared => FindingKind::SharedOutOfBounds,
            Space::Local => FindingKind::LocalOutOfBounds,
            _ => fault::look_up(self.launch(), offset, offset.saturating_add(1))
                .err()
                .map_or(FindingKind::OutOfBounds, |fault| fault.0),
        };
        let kind = AccessKind::Read;
        self.report_refused(RefusedAccess { lane, kind, bytes: 1, space, offset, attempt: None }, code);
    }
}
