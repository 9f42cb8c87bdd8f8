//! The functions of the interpreter that machine code calls. On x86-64 they use the features without which a launch has no
//! machine code.

use super::plain_access::PlainAccess;
use super::region::{RegionCode, kind_of};
use super::version::Redundancy;
use crate::code::{Inst, What};
use crate::division::Division;
use crate::engine::access;
use crate::engine::note::{NotedAccesses, note_touch, note_write};
use crate::engine::observer::{Event, MemorySpace, Observer};
use crate::engine::undefined;
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::finding::AccessKind;
use crate::kernel_code::{AccessSite, Interpreted, KernelContext, Register, Scalar, line_hash};
use crate::lanes::{FULL, Registers};
use crate::memory::access::{Action, MemoryOp, Space};
use crate::memory::global::Owner;
use crate::memory::shape::Shape;
use crate::memory::touch::TouchLog;
use std::ops::Range;

/// What these functions need, in addition to the code's context, while the code runs.
pub struct Running<'r, 'l, O> {
    pub worker: *mut WorkerState<'l>,
    pub cta: *mut Cta<O>,
    pub warp: *mut Warp,
    pub code: &'r RegionCode,
    /// One per access of the code.
    pub shapes: *mut Shape,
    /// One per access of the code: how many times the interpreter made it on behalf of the code.
    pub interpreted: *mut u64,
    /// One per instruction that the code hands over, if it is such an access.
    pub plain_accesses: *mut Option<PlainAccess>,
    pub redundancy: *mut Redundancy,
}

/// Reconstructs the registers for which the code left only a scalar.
pub fn materialise(registers: &mut Registers, scalars: &[Scalar], values: &[u64]) {
    for (scalar, &value) in scalars.iter().zip(values) {
        let Register { file, slot } = scalar.register;
        registers.set_scalar((file, slot as usize), value, scalar.offsets.as_deref());
    }
}

/// Implements [`KernelContext::note_line`] and [`KernelContext::note_written_line`].
///
/// # Safety
/// To be called only by code that [`Session::run`](super::session::Session::run) entered, with that code's context.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"))]
pub unsafe extern "C" fn note_line<O: Observer, const WRITES: bool>(
    context: *mut KernelContext,
    line: u64,
    first: u64,
    last: u64,
) {
    // SAFETY: the context points to the launch's state, which nobody else uses meanwhile.
    let (context, cta) = unsafe {
        let running = (*context).running.cast::<Running<O>>();
        (&mut *context, &mut *(*running).cta)
    };
    debug_assert_eq!(line_hash(line) & context.trace_mask, 0);
    context.trace_mask = cta.observer.note_line(line, first, last, WRITES);
}

/// Implements [`KernelContext::interpret`].
///
/// # Safety
/// To be called only by code that [`Session::run`](super::session::Session::run) entered, with that code's context.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"))]
pub unsafe extern "C" fn interpret<O: Observer>(context: *mut KernelContext, n: u32) -> u32 {
    // SAFETY: the context points to the launch's state, which nobody else uses meanwhile.
    let (context, worker, cta, warp, redundancy, running) = unsafe {
        let running = &*(*context).running.cast::<Running<O>>();
        let Running { worker, cta, warp, redundancy, .. } = *running;
        (&mut *context, &mut *worker, &mut *cta, &mut *warp, &mut *redundancy, running)
    };
    let &Running { code, shapes, interpreted, plain_accesses, .. } = running;
    let Interpreted { number: pc, mask, access, scalars } = &code.code.description.interpreted[n as usize];
    let mask = mask.unwrap_or(context.active);
    // SAFETY: the code stores as many values as it declares, and `CompiledKernel::compile` has checked that there
    // is room for them.
    let values = unsafe { std::slice::from_raw_parts(context.scalars, scalars.len()) };
    let launch = worker.launch;
    let inst: &Inst = &launch.code.insts[*pc as usize];
    cta.steps.done = context.steps_and_cycles[0];
    // SAFETY: there is one per instruction that the code hands over.
    let plain_access = unsafe { &mut *plain_accesses.add(n as usize) };
    materialise(&mut warp.registers, scalars, values);
    warp.registers.set_mask(mask);
    let plain_access = plain_access.as_mut();
    if !plain_access.is_some_and(|access| access.perform(worker, cta, warp, (*pc, mask))) {
        match inst.what {
            What::Lanes(handler) => {
                warp.registers.set_mask(inst.guard.lanes(&warp.registers, mask));
                if let Some(division) = Division::of_detail(inst.detail) {
                    undefined::divide(worker, warp, cta.index, (*pc, inst), division);
                }
                // SAFETY: there is an emitter only for processors that have the handler's features.
                unsafe { (handler.wide)(&mut warp.registers, inst) };
            }
            _ => {
                worker.accesses.whole = false;
                context.handed_over += 1;
                access::execute::<O, true>(worker, cta, warp, *pc, inst);
            }
        }
    }
    if let What::Memory = inst.what {
        // SAFETY: there are as many sites as the code has accesses.
        let sites = unsafe { std::slice::from_raw_parts_mut(context.sites, code.accesses.len()) };
        redundancy.update(cta.observer.shadow_version(), sites);
        if let Some(n) = *access {
            // SAFETY: there are as many shapes and counts as the code has accesses.
            let (shape, interpreted) = unsafe { (&*shapes.add(n), &mut *interpreted.add(n)) };
            let index = code.accesses[n].0;
            update_site(worker, cta, *pc, index, &mut sites[n], shape);
            if !code.code.description.accesses[n].in_masked_block {
                *interpreted += 1;
                let made = &mut context.made[kind_of(&launch.code.details.memory[index]) as usize];
                *made = made.wrapping_sub(1);
            }
        }
    }
    warp.registers.set_mask(FULL);
    context.steps_and_cycles[0] = cta.steps.done;
    let done =
        worker.stopped.is_some() || worker.findings.tracks_undefined || warp.undefined.any || warp.spun;
    u32::from(done)
}

/// Updates a site once the interpreter has executed its access: the bounds within which code may perform the access itself
/// next time. Leaves the site without bounds if the interpreter must perform every access.
pub fn update_site<O: Observer>(
    worker: &mut WorkerState,
    cta: &Cta<O>,
    pc: u32,
    index: usize,
    site: &mut AccessSite,
    shape: &Shape,
) {
    let op = &worker.launch.code.details.memory[index];
    let stores = matches!(op.action, Action::Store);
    let span = (shape.high - shape.low) as u64 + u64::from(op.width());
    note_reads(&mut worker.log, site);
    (site.low, site.room, site.redundant) =
        (AccessSite::NONE.low, AccessSite::NONE.room, AccessSite::NONE.redundant);
    let (low, end) = if op.space == Space::Shared {
        let home = worker.launch.intended_shared.get(index).copied().flatten();
        let Some(number) = cta.observer.site_number(pc) else { return };
        site.check_or_number = u32::from(number);
        let (start, end) = home.unwrap_or((0, cta.shared_bytes));
        (start, end.min(cta.shared_bytes))
    } else {
        site.buffer = worker.accesses.recent[index];
        let Some(buffer) = worker.launch.memory.buffers.get(site.buffer as usize) else { return };
        let touched = &worker.log.buffers[site.buffer as usize];
        let plain = !buffer.freed
            && if stores { !buffer.read_only } else { buffer.written.is_none() || touched.presumed_written }
            && buffer.owner != Owner::Pinned
            // Each block of memory from `malloc` in kernels has bounds of its own.
            && worker.launch.heap.buffer != Some(site.buffer as usize)
            && !buffer.constant
            && touched.unset.is_none();
        if !plain {
            return;
        }
        site.memory = buffer.words.as_ptr() as u64;
        site.check_or_number = u32::from(!buffer.read_only || worker.noted == NotedAccesses::All);
        (buffer.base, buffer.base + buffer.bytes)
    };
    if let Some(beyond) = end.checked_sub(low).and_then(|bytes| bytes.checked_sub(span)) {
        (site.low, site.room) = (low, beyond + 1);
    }
}

/// Records which bytes the code has read of a buffer that kernels may write.
pub fn note_reads(log: &mut TouchLog, site: &mut AccessSite) {
    if site.read[0] < site.read[1]
        && let Some(touched) = log.buffers.get_mut(site.buffer as usize)
    {
        touched.read_first = touched.read_first.min(site.read[0]);
        touched.read_end = touched.read_end.max(site.read[1]);
        site.read = AccessSite::NONE.read;
    }
}

/// Implements [`KernelContext::check`].
///
/// # Safety
/// To be called only by code that [`Session::run`](super::session::Session::run) entered, with that code's context, for a valid access.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"))]
pub unsafe extern "C" fn check<O: Observer>(context: *mut KernelContext, n: u32, first: u64) {
    // SAFETY: the context points to the launch's state, which nobody else uses meanwhile.
    let (worker, cta, warp, code, shape, site, redundancy) = unsafe {
        let running = &*(*context).running.cast::<Running<O>>();
        let (shape, site) = (&mut *running.shapes.add(n as usize), &mut *(*context).sites.add(n as usize));
        let Running { worker, cta, warp, code, redundancy, .. } = *running;
        (&mut *worker, &mut *cta, &*warp, code, shape, site, &mut *redundancy)
    };
    let index = code.accesses[n as usize].0;
    let op = &worker.launch.code.details.memory[index];
    let Some(buffer) = worker.launch.memory.buffers.get(site.buffer as usize) else { return };
    let noted = worker.noted.include(buffer, op);
    if noted {
        let touched = &mut worker.log.buffers[site.buffer as usize];
        note_touch(touched, buffer, op, shape, first - buffer.base, shape.mask());
    }
    if buffer.read_only {
        return;
    }
    let its = &code.code.description.accesses[n as usize];
    let event =
        event(AccessKind::Read, warp.index, (its.number, its.mask), first, (site.buffer, buffer.base, op));
    cta.observer.check_access(&event, shape, &mut worker.findings);
    update_redundant(worker, cta, &event, noted, site, redundancy);
}

/// Updates the range of bytes of which a further read would change nothing, after the read of an event. `noted`: whether
/// reads are recorded.
pub fn update_redundant<O: Observer>(
    worker: &WorkerState,
    cta: &mut Cta<O>,
    event: &Event,
    noted: bool,
    site: &mut AccessSite,
    redundancy: &mut Redundancy,
) {
    let touched = &worker.log.buffers[event.buffer as usize].exact;
    let is_noted = |bytes: Range<u64>| {
        let read = touched.as_ref().map(|exact| &exact.read);
        !noted || read.is_some_and(|read| read.contains(bytes.start, bytes.end - bytes.start))
    };
    if let Some(bytes) = cta.observer.redundant_reads(event, &is_noted) {
        site.redundant = [bytes.start, bytes.end];
        redundancy.any = true;
    }
}

/// Returns the event of a weak access to global memory.
pub fn event(
    kind: AccessKind,
    warp: u32,
    (pc, mask): (u32, u32),
    first: u64,
    (buffer, base, op): (u32, u64, &MemoryOp),
) -> Event {
    Event {
        pc,
        warp,
        mask,
        kind,
        place: MemorySpace::Global,
        first,
        width: op.width(),
        clash: false,
        strong: false,
        watching: false,
        continued: false,
        role: op.role,
        buffer,
        base,
        host: false,
        kept: 0,
        overwriting: 0,
    }
}

/// Implements [`KernelContext::check_write`].
///
/// # Safety
/// To be called only by code that [`Session::run`](super::session::Session::run) entered, with that code's context, for a valid access.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"))]
pub unsafe extern "C" fn check_write<O: Observer>(context: *mut KernelContext, n: u32, first: u64) -> u32 {
    const NOTED: u32 = 0;
    const NOT_NOTED: u32 = 1;
    // SAFETY: the context points to the launch's state, which nobody else uses meanwhile.
    let (context, worker, cta, warp, code, shape, redundancy) = unsafe {
        let context = &mut *context;
        let running = &*context.running.cast::<Running<O>>();
        let shape = &mut *running.shapes.add(n as usize);
        let Running { worker, cta, warp, code, redundancy, .. } = *running;
        (context, &mut *worker, &mut *cta, &*warp, code, shape, &mut *redundancy)
    };
    // SAFETY: there are as many sites as the code has accesses.
    let sites = unsafe { std::slice::from_raw_parts_mut(context.sites, code.accesses.len()) };
    let (access, buffer) = (&code.code.description.accesses[n as usize], sites[n as usize].buffer);
    let op = &worker.launch.code.details.memory[code.accesses[n as usize].0];
    let its = &worker.launch.memory.buffers[buffer as usize];
    let event =
        event(AccessKind::Write, warp.index, (access.number, access.mask), first, (buffer, its.base, op));
    let is_noted = cta.observer.plain_access(&event, shape);
    redundancy.update(cta.observer.shadow_version(), sites);
    if !is_noted {
        return NOT_NOTED;
    }
    let offset = first - its.base;
    let (saved, saving) = (&worker.launch.saved[buffer as usize], worker.saving());
    let touched = &mut worker.log.buffers[buffer as usize];
    if worker.noted == NotedAccesses::All {
        note_touch(touched, its, op, shape, offset, access.mask);
    }
    note_write(touched, (its, saved, saving), shape, offset, access.mask);
    NOTED
}
