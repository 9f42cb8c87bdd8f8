//! Calls: frames of registers and local memory, arguments and results.

use super::issue::Issue;
use super::observer::Observer;
use super::step::side;
use super::undefined;
use super::warp::{Activation, Frame, Warp};
use super::worker::{Cta, WorkerState};
use crate::code::{CallTarget, DecodedModule, Inst};
use crate::evidence::Evidence;
use crate::finding::{FindingKind, SourceLocation};
use crate::lanes::{File, LANES, Slots};
use crate::launch::Outcome;
use crate::memory::FUNCTION_WINDOW;
use crate::memory::local::LOCAL_LIMIT_BYTES;

/// Most nested calls.
const MAX_FRAMES: usize = 4096;

/// Most registers of all call frames together.
const MAX_REGISTERS: u64 = 1 << 18;

/// Alignment of call frames in local memory, in bytes.
const LOCAL_ALIGN_BYTES: u64 = 16;

/// Enters the function, or runs the built-in. Returns false when the launch has ended.
pub fn enter<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    inst: &Inst,
) -> bool {
    let code = worker.launch.code;
    let call = &code.details.calls[inst.detail as usize];
    let function = match call.target {
        CallTarget::Builtin(which) => {
            warp.group.pc = pc + 1;
            return Issue { worker, cta, warp, pc }.call_builtin(call, which);
        }
        CallTarget::Function(function) => function,
        CallTarget::Register(register) => {
            let targets = *warp.registers.r64(register);
            let mask = warp.registers.mask();
            let target = targets[(mask.trailing_zeros() % 32) as usize];
            let others = (0..LANES)
                .filter(|&lane| mask >> lane & 1 != 0 && targets[lane] != target)
                .fold(0u32, |m, lane| m | 1 << lane);
            if others != 0 {
                warp.split_off(others, pc);
            }
            let index = target.wrapping_sub(FUNCTION_WINDOW);
            let known = code.functions.get(index as usize).is_some();
            if !known {
                let at = side(cta.index, warp, pc, warp.registers.mask());
                let evidence = Evidence::NoFunction { address: target };
                return Issue { worker, cta, warp, pc }.end(FindingKind::NullPointer, at, || [evidence]);
            }
            let its = &code.functions[index as usize];
            if its.start.is_some_and(|start| start >= code.device.insts) {
                let at = side(cta.index, warp, pc, warp.registers.mask());
                let evidence = Evidence::HostAddressOf { function: its.name.as_str().into() };
                return Issue { worker, cta, warp, pc }.end(FindingKind::HostPointer, at, || [evidence]);
            }
            index as u32
        }
    };
    let callee = &code.functions[function as usize];
    let Some(start) = callee.start else {
        worker.stopped = Some(undefined(&callee.name, code.location(pc).cloned()));
        return false;
    };
    let caller = warp.group.activation;
    let frame = code.functions[caller.function as usize].frame;
    let local_bytes =
        code.functions[caller.function as usize].local_bytes.next_multiple_of(LOCAL_ALIGN_BYTES);
    let activation = Activation {
        function,
        base: caller.base + frame,
        local_base: caller.local_base + local_bytes,
        local_end: caller.local_base + local_bytes + callee.local_bytes,
        stack_bytes: stack_below_callee(code, warp),
    };
    let local_end = activation.local_end;
    let registers = activation.base.r32 as u64 + activation.base.r64 as u64 + callee.frame.r32 as u64;
    let calls = warp.group.frames.len();
    let (needed, limit) = (activation.stack_bytes + callee.local_bytes, worker.launch.gpu.stack_bytes);
    if needed > limit && is_recursive(warp, function) {
        let at = side(cta.index, warp, pc, warp.registers.mask());
        let depth = Evidence::CallDepth { calls: calls as u64, bytes: needed, limit };
        return Issue { worker, cta, warp, pc }.end(FindingKind::StackOverflow, at, || [depth]);
    }
    if calls >= MAX_FRAMES || local_end > LOCAL_LIMIT_BYTES || registers > MAX_REGISTERS {
        let what = format!("a kernel with {calls} calls in progress");
        Issue { worker, cta, warp, pc }.stop_unsupported(what);
        return false;
    }
    warp.registers.reserve(activation.base, callee.frame);
    if local_end > warp.local.bytes() {
        warp.local.reserve(local_end.next_power_of_two().min(LOCAL_LIMIT_BYTES));
    }
    if callee.local_bytes > 0 && warp.others.is_empty() {
        warp.local.forget(activation.local_base, callee.local_bytes);
    }
    for (argument, param) in call.arguments.iter().zip(&callee.params) {
        copy_words(warp, (caller.base, *argument), (activation.base, param.register), param.words);
    }
    warp.group.frames.push(Frame { return_pc: pc + 1, call: inst.detail, caller });
    warp.group.activation = activation;
    warp.registers.set_base(activation.base);
    warp.group.pc = start;
    true
}

/// Returns the least size of a GPU's stack below a function that the running one calls: the local memory of each
/// function that is in progress, and, except for the kernel, the address to which it will return. What else the
/// functions keep there, such as registers, is not known. (On an H200, a recursive function without local memory takes 16
/// bytes for each call, and the first access past the stack is an illegal address.)
fn stack_below_callee(code: &DecodedModule, warp: &Warp) -> u64 {
    const ADDRESS_BYTES: u64 = 8;
    let caller = warp.group.activation;
    let address = if warp.group.frames.is_empty() { 0 } else { ADDRESS_BYTES };
    let its = code.functions[caller.function as usize].local_bytes + address;
    caller.stack_bytes + its.next_multiple_of(ADDRESS_BYTES)
}

/// Returns whether a function that is about to be called is in progress: then no compiler can tell how much stack the
/// kernel needs, and the limit that the program has set holds. For other kernels the driver raises it.
fn is_recursive(warp: &Warp, function: u32) -> bool {
    let callers = warp.group.frames.iter().map(|frame| frame.caller.function);
    callers.chain([warp.group.activation.function]).any(|its| its == function)
}

/// Returns the outcome of a call of a function without a body; CUDA's own functions are reported as unsupported.
fn undefined(name: &str, line: Option<SourceLocation>) -> Outcome {
    let what = match name {
        "__cudaCDP2LaunchDeviceV2" | "__cudaCDP2GetParameterBufferV2" => {
            "a kernel that launches kernels (dynamic parallelism)".into()
        }
        _ => match name.strip_prefix("__cudaCDP2") {
            Some(call) => format!("a call to cuda{call} in a kernel"),
            None if name.starts_with("cuda") => format!("a call to {name} in a kernel"),
            None => return Outcome::UndefinedFunction { name: name.to_owned(), line },
        },
    };
    Outcome::Unsupported { what, line }
}

/// Copies registers of one frame to those of another, which becomes the current one.
#[inline(always)]
fn copy_words(warp: &mut Warp, from: (Slots, u32), to: (Slots, u32), words: u32) {
    for word in 0..words {
        warp.registers.set_base(from.0);
        let value = *warp.registers.r32(from.1 + word);
        let source = warp.registers.slot(File::R32, from.1 + word);
        warp.registers.set_base(to.0);
        warp.registers.set32(to.1 + word, &value);
        if warp.undefined.any {
            let target = warp.registers.slot(File::R32, to.1 + word);
            undefined::copy(warp, source, target);
        }
    }
}

/// Returns the running group to its caller and copies the results.
pub fn return_to_caller(worker: &WorkerState, warp: &mut Warp) {
    let code = worker.launch.code;
    let Some(frame) = warp.group.frames.pop() else { return };
    let callee = &code.functions[warp.group.activation.function as usize];
    let call = &code.details.calls[frame.call as usize];
    let base = warp.group.activation.base;
    for (result, param) in call.results.iter().zip(&callee.returns) {
        copy_words(warp, (base, param.register), (frame.caller.base, *result), param.words);
    }
    warp.local_used = warp.local_used.max(warp.group.activation.local_end);
    warp.group.activation = frame.caller;
    warp.registers.set_base(frame.caller.base);
    warp.group.pc = frame.return_pc;
}
