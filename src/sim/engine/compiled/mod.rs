//! Warps that run machine code: when code is asked for, when it is entered, and what is done behind it.
//!
//! - `region`: regions of a kernel, and their codes; `known`: what registers hold that codes are made for.
//! - `calls`: what code has the interpreter do.

mod calls;
mod known;
mod region;

pub use region::CompiledKernel;

use super::launch::LaunchContext;
use super::observer::{CodeAccesses, Observer};
use super::unit::{Cta, Unit};
use super::warp::Warp;
use crate::code::DecodedModule;
use crate::kernel_code::{
    Exit, Holds, KernelContext, KernelEmitter, LANES, RegionBlock, Register, SharedView, Site,
};
use crate::lanes::FULL;
use crate::memory::shape::Shape;
use calls::{Running, forget_redundant, materialise};
use known::all_hold;
use region::{MOST_SCALARS, RegionCode, counted, none};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How often a warp must come to an entry, in one part of a launch, before what its registers hold is taken to be
/// what they mostly hold.
const OBSERVED: u32 = 4;

/// Codes of one entry, for different things that registers held.
const MOST_CODES: usize = 6;

/// Instructions that an entry must give on average, seen over so many times: else entering costs more than it saves.
/// An access to memory takes the interpreter as long as some instructions.
const WORTH: u64 = 24;
const ACCESS: u64 = 8;
const TRIED: u64 = 64;

/// One host thread's side of a kernel that is compiled.
#[derive(Debug)]
pub struct Compiled {
    emitter: Arc<dyn KernelEmitter>,
    /// [`Options::compile_after`](crate::Options::compile_after).
    after: u64,
    /// Warp instructions of blocks that ended, in all launches of the kernel.
    work: Arc<AtomicU64>,
    /// `None` until it has taken enough.
    kernel: Option<Arc<CompiledKernel>>,
    entries: Vec<Entry>,
    scalars: Box<[u64]>,
}

#[derive(Debug)]
enum Entry {
    Watched(Watch),
    Ready(Vec<Ready>),
    Refused,
}

/// What warps hold that come to an entry, until there is code for it.
#[derive(Debug, Default)]
struct Watch {
    /// How often they came.
    seen: u32,
    /// What can be reached from there.
    blocks: Vec<RegionBlock>,
    known: Vec<(Register, Holds)>,
}

/// Code, as it goes in this launch.
#[derive(Debug)]
struct Ready {
    code: Arc<RegionCode>,
    sites: Vec<Site>,
    shapes: Vec<Shape>,
    /// How often each basic block was begun since code was entered.
    runs: Vec<u64>,
    /// Accesses that the interpreter made since then.
    others: Vec<usize>,
    /// Warps of a block, by number, whose fixed registers hold what they must; or that they do not.
    fits: Vec<Option<bool>>,
    /// The version of the shadow in which reads of `sites` are redundant.
    version: u64,
    /// How often it was entered, and the instructions that it took.
    entered: u64,
    taken: u64,
}

/// Where the interpreter goes on.
#[derive(Clone, Copy, Debug)]
pub struct Resumed {
    pub pc: u32,
    /// The basic block there was begun, and counted.
    pub within: bool,
    /// Basic blocks that ended without a branch.
    pub fell_through: u64,
}

impl Compiled {
    /// `None` where the launch is not to be compiled.
    pub fn new(launch: &LaunchContext) -> Option<Box<Compiled>> {
        let emitter = launch.emitter?.clone();
        let alone = !launch.order.is_interleaved() && launch.record.is_none();
        if !alone || launch.kernel.communicates || launch.extents.clustered {
            return None;
        }
        Some(Box::new(Compiled {
            emitter,
            after: launch.compile_after,
            work: launch.kernel.work.clone(),
            kernel: None,
            entries: Vec::new(),
            scalars: vec![0; MOST_SCALARS].into_boxed_slice(),
        }))
    }

    /// The kernel has taken enough to be looked at. `None` where it is not to be compiled.
    fn look_at_kernel(&mut self, launch: &LaunchContext) -> Option<()> {
        if self.kernel.is_none() {
            let make = || CompiledKernel::new(launch.code, launch.kernel).map(Arc::new);
            let kernel = launch.kernel.compiled.get_or_init(make).clone()?;
            let entry = |&may: &bool| if may { Entry::Watched(Watch::default()) } else { Entry::Refused };
            self.entries = kernel.entries.iter().map(entry).collect();
            self.kernel = Some(kernel);
        }
        Some(())
    }

    /// Adds what a block of threads took.
    pub fn worked(&self, instructions: u64) {
        self.work.fetch_add(instructions, Relaxed);
    }

    /// Whether a warp of a block that took so many instructions may go on with code at a basic block.
    #[inline(always)]
    fn is_entry(&self, number: usize, steps: u64) -> bool {
        let Some(kernel) = &self.kernel else { return self.work.load(Relaxed) + steps >= self.after };
        let entry = number.checked_sub(kernel.blocks.start).and_then(|n| self.entries.get(n));
        entry.is_some_and(|entry| !matches!(entry, Entry::Refused))
    }

    /// The code that fits what the warp holds, by the entry's place and its own among those of the entry; `steps`:
    /// instructions that the warp's block took.
    fn fitting(
        &mut self,
        code: &DecodedModule,
        warp: &Warp,
        number: usize,
        steps: u64,
    ) -> Option<(usize, usize)> {
        let kernel = self.kernel.as_deref()?;
        let place = number.checked_sub(kernel.blocks.start)?;
        let entry = self.entries.get_mut(place)?;
        let always = self.after == 0;
        let worth = always || kernel.is_worth_compiling(self.work.load(Relaxed) + steps);
        if let Entry::Watched(watch) = entry {
            if !worth {
                return None;
            }
            let mut codes = kernel.codes(number);
            if codes.is_empty() {
                watch.look(kernel, code, warp, number);
                if watch.seen < OBSERVED && !always {
                    return None;
                }
                let Watch { blocks, known, .. } = std::mem::take(watch);
                codes.extend(kernel.compile(&*self.emitter, code, blocks, known));
            }
            *entry = match codes.is_empty() {
                true => Entry::Refused,
                false => Entry::Ready(codes.into_iter().map(Ready::new).collect()),
            };
        }
        let Entry::Ready(codes) = entry else { return None };
        if let Some(fit) = codes.iter_mut().position(|ready| ready.fits(warp)) {
            return Some((place, fit));
        }
        if codes.len() >= MOST_CODES || !worth {
            return None;
        }
        // Another host thread may have made one meanwhile.
        if let Some(made) = kernel.codes(number).into_iter().nth(codes.len()) {
            codes.push(Ready::new(made));
            return codes.last_mut()?.fits(warp).then(|| (place, codes.len() - 1));
        }
        let known = kernel.known_beside(codes.iter().map(|ready| &*ready.code), &warp.registers)?;
        let blocks = kernel.region(code, number);
        let Some(made) = kernel.compile(&*self.emitter, code, blocks, known) else {
            *entry = Entry::Refused;
            return None;
        };
        codes.push(Ready::new(made));
        codes.iter_mut().position(|ready| ready.fits(warp)).map(|fit| (place, fit))
    }
}

impl Watch {
    /// A warp comes to the entry.
    fn look(&mut self, kernel: &CompiledKernel, code: &DecodedModule, warp: &Warp, number: usize) {
        self.seen += 1;
        let registers = &warp.registers;
        if self.blocks.is_empty() {
            self.blocks = kernel.region(code, number);
            if self.blocks.is_empty() {
                // Too large: there is no code for it, whatever registers hold.
                self.seen = OBSERVED;
                return;
            }
            let of = |register| (register, kernel.observe(registers, register));
            self.known = kernel.matter(code, &self.blocks).into_iter().map(of).collect();
        } else {
            kernel.look_again(registers, &mut self.known);
        }
    }
}

impl Ready {
    fn new(code: Arc<RegionCode>) -> Ready {
        Ready {
            sites: vec![Site::NONE; code.accesses.len()],
            shapes: code.accesses.iter().map(|(_, shape)| shape.clone()).collect(),
            runs: vec![0; code.blocks.len()],
            others: Vec::new(),
            fits: Vec::new(),
            version: 0,
            entered: 0,
            taken: 0,
            code,
        }
    }

    /// Whether a warp's registers hold what the code is made for.
    fn fits(&mut self, warp: &Warp) -> bool {
        let n = warp.index as usize;
        if self.fits.len() <= n {
            self.fits.resize(n + 1, None);
        }
        let fixed = *self.fits[n].get_or_insert_with(|| all_hold(&warp.registers, &self.code.fixed));
        fixed && all_hold(&warp.registers, &self.code.frame)
    }

    /// Counts what code did until it ended, by a way out. Gives how many basic blocks ended without a branch.
    fn count<O: Observer>(&mut self, unit: &mut Unit, cta: &mut Cta<O>, warp: &mut Warp, out: usize) -> u64 {
        let code = &*self.code;
        let exit = &code.code.exits[out];
        let mut fell_through = 0;
        for (block, runs) in code.blocks.iter().zip(&mut self.runs) {
            let runs = std::mem::take(runs);
            if runs == 0 {
                continue;
            }
            let total = &mut unit.runs[block.number];
            *total = [total[0] + runs, total[1] + runs * LANES as u64];
            warp.cycles += runs * block.cycles;
            let left = exit.within && block.range.contains(&exit.number);
            let ended = runs - u64::from(left);
            unit.branches += ended * block.branches;
            fell_through += ended * (1 - block.branches);
            for counted in &block.counted {
                cta.observer.count_accesses(&counted.times(runs as i64, warp.index));
                self.taken += runs * counted.accesses as u64 * ACCESS;
            }
        }
        for ahead in &code.ahead[out] {
            cta.observer.count_accesses(&ahead.times(-1, warp.index));
        }
        while let Some(n) = self.others.pop() {
            let (index, shape) = (code.accesses[n].0, &mut self.shapes[n]);
            let one = counted(&unit.launch.code.memory[index], shape);
            cta.observer.count_accesses(&one.times(-1, warp.index));
        }
        for &n in &code.global {
            let site = &mut self.sites[n];
            if site.lines == 0 {
                continue;
            }
            let op = &unit.launch.code.memory[code.accesses[n].0];
            // Others were noted as they were checked.
            let checked = site.redundant != Site::NONE.redundant;
            let of =
                CodeAccesses { units: site.sectors as i64, lines: site.lines as i64, checked, ..none(op) };
            cta.observer.count_accesses(&of.times(1, warp.index));
            calls::note_reads(unit, site);
            (site.sectors, site.lines) = (0, 0);
        }
        fell_through
    }
}

/// Whether a warp is as code needs it: at the beginning of a basic block, all of its lanes go the same way, and nothing
/// is to be followed.
#[inline(always)]
pub fn may_enter(unit: &Unit, warp: &Warp, number: usize, steps: u64) -> bool {
    unit.compiled.as_ref().is_some_and(|compiled| compiled.is_entry(number, steps))
        // Lanes that met at a collective go on from there.
        && unit.launch.code.blocks[number].start == warp.group.pc
        && warp.registers.mask() == FULL
        && warp.others.is_empty()
        && warp.group.frames.is_empty()
        && !warp.spun
        && !unit.patient
        && !warp.undefined.any
        && !warp.products.any
        && !unit.findings.alert
}

/// Runs code from a basic block on, where there is some.
#[inline(never)]
pub fn enter<O: Observer>(
    unit: &mut Unit,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    number: usize,
) -> Option<Resumed> {
    let mut compiled = unit.compiled.take()?;
    // A kernel that is not to be compiled is not looked at again.
    compiled.look_at_kernel(unit.launch)?;
    let resumed = run(unit, cta, warp, number, &mut compiled);
    unit.compiled = Some(compiled);
    resumed
}

fn run<O: Observer>(
    unit: &mut Unit,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    number: usize,
    compiled: &mut Compiled,
) -> Option<Resumed> {
    let (place, fit) = compiled.fitting(unit.launch.code, warp, number, cta.steps)?;
    let Entry::Ready(codes) = &mut compiled.entries[place] else { return None };
    let ready = &mut codes[fit];
    let code = &*ready.code;
    let before = cta.steps;
    let version = cta.observer.shadow_version();
    if std::mem::replace(&mut ready.version, version) != version {
        forget_redundant(&mut ready.sites);
    }
    let files = warp.registers.files();
    let mut context = KernelContext {
        r32: files.0,
        r64: files.1,
        predicates: files.2,
        runs: ready.runs.as_mut_ptr(),
        steps: cta.steps,
        limit: cta.limit,
        turned: u32::MAX,
        block_index: [cta.ctaid.x, cta.ctaid.y, cta.ctaid.z],
        scalars: compiled.scalars.as_mut_ptr(),
        sites: ready.sites.as_mut_ptr(),
        shared: SharedView { words: cta.shared.as_mut_ptr(), warp: warp.index, ..SharedView::NONE },
        trace_mask: u64::MAX,
        note_line: calls::note_line::<O, false>,
        note_written_line: calls::note_line::<O, true>,
        interpret: calls::interpret::<O>,
        check: calls::check::<O>,
        check_write: calls::check_write::<O>,
        running: std::ptr::null_mut(),
    };
    if !cta.observer.lend(&mut context) {
        return None;
    }
    let mut running = Running {
        unit,
        cta,
        warp,
        code,
        shapes: ready.shapes.as_mut_ptr(),
        others: &raw mut ready.others,
        version: &raw mut ready.version,
    };
    context.running = (&raw mut running).cast::<c_void>();
    // SAFETY: the context is that of this warp, which `Ready::fits` found to be as the region says; what it leads to
    // lives until the call is over, and is used by the code and by the functions that it calls alone.
    let out = unsafe { (code.code.enter)(&raw mut context) } as usize;
    let Exit { number, within, ref scalars } = code.code.exits[out];
    materialise(&mut warp.registers, scalars, &compiled.scalars);
    cta.steps = context.steps;
    if context.turned != u32::MAX {
        warp.group.turn_at(context.turned);
    }
    ready.entered += 1;
    ready.taken += cta.steps - before;
    let fell_through = ready.count(unit, cta, warp, out);
    let poor = ready.entered == TRIED && ready.taken < TRIED * WORTH && compiled.after > 0;
    if poor {
        compiled.entries[place] = Entry::Refused;
    }
    Some(Resumed { pc: number, within, fell_through })
}
