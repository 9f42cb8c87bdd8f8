//! Warps of a block that run one version of an entry's code one after the other.

use super::calls::{self, Running, materialise};
use super::region::AfterExit;
use super::version::CodeVersion;
use super::{ACCESS_COST, Compiled, Entry, HANDING_OVER_COST, MIN_DIVERGENCES, MIN_GAIN, TRIAL_ENTRIES};
use crate::engine::block;
use crate::engine::observer::Observer;
use crate::engine::step::{self, WarpStatus};
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::kernel_code::{DIVERGED, Exit, KernelContext, MAX_WAITING, SharedView};
use crate::lanes::FULL;
use std::ffi::c_void;

/// Where and how the interpreter continues after code exits.
#[derive(Clone, Copy, Debug)]
pub struct Resumed {
    pub pc: u32,
    /// Whether the code entered, and counted, the basic block of `pc`.
    pub block_counted: bool,
    /// Why the warp stopped there; `None` if the interpreter continues.
    pub stopped: Option<WarpStatus>,
}

/// A version of an entry's code, ready to be entered by warps of a block.
pub struct Session {
    compiled: Box<Compiled>,
    /// The entry's basic block, and its index among the kernel's.
    number: usize,
    place: usize,
    /// Index among the entry's versions.
    index: usize,
    /// Whether the version has been replaced.
    is_over: bool,
}

impl Session {
    /// Prepares to run the code for a warp at a basic block, compiling it if necessary. Returns `None` if there is none.
    pub fn begin<O: Observer>(
        worker: &mut WorkerState,
        cta: &mut Cta<O>,
        warp: &Warp,
        number: usize,
    ) -> Option<Session> {
        let mut compiled = worker.compiled.take()?;
        // If the kernel can't be compiled, the state is dropped, so that it is not asked for again.
        compiled.prepare_kernel(worker.launch)?;
        let found = compiled.find_code(worker.launch.code, warp, number, cta.steps.done);
        let Some((place, index)) = found.filter(|found| prepare(worker, cta, &mut compiled, *found)) else {
            worker.compiled = Some(compiled);
            return None;
        };
        Some(Session { compiled, number, place, index, is_over: false })
    }

    /// Gives the state of compiled execution back to the worker.
    pub fn end(self, worker: &mut WorkerState) {
        worker.compiled = Some(self.compiled);
    }

    /// Returns whether a warp at a basic block may enter this code.
    pub fn suits(&mut self, warp: &Warp, number: usize) -> bool {
        let Entry::Compiled(versions) = &mut self.compiled.entries[self.place] else { return false };
        !self.is_over && self.number == number && versions.list[self.index].matches_warp(warp)
    }

    /// Runs the code for a warp that it suits. Returns `None` if there is no code any more.
    pub fn run<O: Observer>(
        &mut self,
        worker: &mut WorkerState,
        cta: &mut Cta<O>,
        warp: &mut Warp,
    ) -> Option<Resumed> {
        let compiled = &mut *self.compiled;
        let Entry::Compiled(versions) = &mut compiled.entries[self.place] else { return None };
        let code_version = &mut versions.list[self.index];
        let code = &*code_version.code;
        let before = cta.steps.done;
        let context = &mut **compiled.context.as_mut()?;
        (context.r32, context.r64, context.predicates) = warp.registers.files();
        context.steps_and_cycles = [cta.steps.done, 0];
        (context.made, context.masked, context.divergent_branches) = ([0; 4], 0, 0);
        (context.diverged[0], context.handed_over) = (u32::MAX, 0);
        (context.limit, context.last_branch) = (cta.steps.limit, u32::MAX);
        context.shared.warp = warp.index;
        let mut running = Running {
            worker,
            cta,
            warp,
            code,
            shapes: code_version.shapes.as_mut_ptr(),
            interpreted: code_version.uncounted.interpreted.as_mut_ptr(),
            plain_accesses: code_version.plain_accesses.as_mut_ptr(),
            redundancy: &raw mut code_version.redundancy,
        };
        context.running = (&raw mut running).cast::<c_void>();
        // SAFETY: the context belongs to this warp, whose registers match the region's assumptions, as
        // `CodeVersion::matches_warp` found. What the context points to lives until the call returns, and only the code
        // and the functions that it calls use it.
        let out = unsafe { (code.code.enter)(context) } as usize;
        let [steps, cycles] = context.steps_and_cycles;
        cta.steps.done = steps;
        compiled.as_machine_code += steps - before;
        warp.cycles += cycles;
        let Exit { number: mut pc, block_counted, ref scalars, mut diverges, ref waiting } =
            code.code.description.exits[out];
        let next = code.next[out];
        if next != AfterExit::Leaves {
            materialise(&mut warp.registers, scalars, &compiled.scalars);
        }
        if let Some(waiting) = waiting {
            for (&number, &mask) in waiting.iter().zip(&context.waiting).filter(|(_, mask)| **mask != 0) {
                warp.split_off(mask, number);
            }
        }
        match context.last_branch {
            u32::MAX => {}
            number if number & DIVERGED == 0 => warp.group.note_branch(number),
            number => {
                let branches = &code.code.description.divergences[(number & !DIVERGED) as usize];
                warp.group.mask = warp.registers.mask();
                for group in std::iter::once(&mut warp.group).chain(&mut warp.others) {
                    let (mask, last) = (group.mask, branches.iter().zip(&context.last_branches));
                    let mut its = last.filter(|(_, lanes)| *lanes & mask != 0).map(|(pc, _)| *pc);
                    group.note_branch(its.next().unwrap_or(u32::MAX));
                    group.merged_branches.extend(its);
                }
            }
        }
        // Which branch led them there must be known by then.
        let stopped = match next {
            AfterExit::Continues => None,
            AfterExit::Leaves => {
                step::leave(cta, warp, pc, FULL);
                Some(WarpStatus::Done)
            }
            AfterExit::Waits => {
                block::arrive(worker, cta, warp, pc, &worker.launch.code.insts[pc as usize]);
                Some(WarpStatus::Waiting)
            }
        };
        if waiting.is_some() && !block_counted {
            // They may meet here.
            warp.group.pc = pc;
            warp.choose();
            pc = warp.group.pc;
        }
        let mut made = context.made;
        let mut all = 0;
        for (made, over) in made.iter_mut().zip(code.overcounted[out].by_kind) {
            *made = made.wrapping_sub(over);
            all += u64::from(*made);
        }
        code_version.uncounted.exits[out] += 1;
        if context.masked != 0 {
            worker.executed.control.divergent_branches += context.divergent_branches;
            let [branch, taken] = context.diverged;
            if let Some(kernel) = compiled.kernel.as_deref().filter(|_| branch != u32::MAX) {
                kernel.divergences.note(branch, taken, FULL);
                diverges = true;
            }
            all += code_version.count_masked(worker, &mut cta.observer, warp.index);
        }
        if all > 0 {
            let checked = made[2..] != [0; 2] || code_version.redundancy.any || context.masked != 0;
            cta.observer.compiled_ran(warp.index, &made, checked);
        }
        if !std::mem::replace(&mut code_version.uncounted.listed, true) {
            compiled.uncounted.push((self.place, self.index));
        }
        code_version.diverged += u32::from(diverges);
        let least = if compiled.after == 0 { 1 } else { MIN_DIVERGENCES };
        if diverges && code_version.diverged.is_power_of_two() && code_version.diverged >= least {
            let (kernel, old) = (compiled.kernel.as_deref(), &code_version.code);
            let code = worker.launch.code;
            let made = kernel.and_then(|its| {
                let _compiling = its.begin_compiling(compiled.after == 0)?;
                its.recompile(&*compiled.emitter, code, (self.number, self.index), old)
            });
            if let Some(made) = made {
                code_version.count(worker, &mut cta.observer);
                *code_version = CodeVersion::new(made);
                (versions.entered, versions.gain) = (0, 0);
                self.is_over = true;
            }
        }
        // What code did to the end, with no help, took less time than the interpreter needs, however little it was: warps that
        // find that they have nothing to do say nothing about those that have.
        if next == AfterExit::Continues || context.handed_over > 0 {
            let handed_over = u64::from(context.handed_over) * HANDING_OVER_COST;
            versions.entered += 1;
            versions.gain += (steps - before + all * ACCESS_COST) as i64 - handed_over as i64;
            if versions.entered == TRIAL_ENTRIES && compiled.after > 0 {
                let is_worth_it = versions.gain >= TRIAL_ENTRIES as i64 * MIN_GAIN;
                if let Some(kernel) = &compiled.kernel {
                    kernel.note_trial(self.place, is_worth_it);
                }
                if !is_worth_it {
                    compiled.count(worker, &mut cta.observer);
                    compiled.entries[self.place] = Entry::Refused;
                }
            }
        }
        Some(Resumed { pc, block_counted, stopped })
    }
}

/// Completes the context for a version of an entry's code, but for what belongs to a warp. Returns false if code can't run in
/// this block now.
fn prepare<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    compiled: &mut Compiled,
    (place, index): (usize, usize),
) -> bool {
    if !cta.observer.can_run_compiled() {
        return false;
    }
    let Entry::Compiled(versions) = &mut compiled.entries[place] else { return false };
    let code_version = &mut versions.list[index];
    code_version.redundancy.update(cta.observer.shadow_version(), &mut code_version.sites);
    let mut context = KernelContext {
        runs: code_version.uncounted.runs.as_mut_ptr(),
        executed: worker.executed.runs.as_mut_ptr(),
        scalars: compiled.scalars.as_mut_ptr(),
        sites: code_version.sites.as_mut_ptr(),
        ..blank_context(cta)
    };
    cta.observer.prepare_compiled(&mut context);
    match &mut compiled.context {
        Some(room) => **room = context,
        room => *room = Some(Box::new(context)),
    }
    true
}

/// Returns a context for a block without what belongs to a warp or to a version of code.
pub fn blank_context<O: Observer>(cta: &mut Cta<O>) -> KernelContext {
    KernelContext {
        r32: std::ptr::null_mut(),
        r64: std::ptr::null_mut(),
        predicates: std::ptr::null_mut(),
        runs: std::ptr::null_mut(),
        executed: std::ptr::null_mut(),
        steps_and_cycles: [0; 2],
        made: [0; 4],
        masked: 0,
        divergent_branches: 0,
        diverged: [u32::MAX, 0],
        active: FULL,
        waiting: [0; MAX_WAITING],
        last_branches: [0; MAX_WAITING],
        limit: 0,
        last_branch: u32::MAX,
        block_index: [cta.ctaid.x, cta.ctaid.y, cta.ctaid.z],
        scalars: std::ptr::null_mut(),
        sites: std::ptr::null_mut(),
        shared: SharedView { words: cta.shared.as_mut_ptr(), ..SharedView::NONE },
        trace_mask: u64::MAX,
        note_line: calls::note_line::<O, false>,
        note_written_line: calls::note_line::<O, true>,
        interpret: calls::interpret::<O>,
        check: calls::check::<O>,
        check_write: calls::check_write::<O>,
        running: std::ptr::null_mut(),
        handed_over: 0,
    }
}
