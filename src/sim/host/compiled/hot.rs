//! When loops are compiled, and how a thread runs them.

use super::describe::describe;
use super::loops::{Loops, jumps_back};
use super::{Code, Context, Emitter, LastPage, Region, run_row};
use crate::host::op::{HostProgram, Kind, Op};
use crate::host::thread::HostThread;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// When a thread has its loops compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompileWhen {
    /// Where much time goes: small programs are interpreted to their end.
    #[default]
    Hot,
    /// All, before the first operation runs.
    Always,
}

/// Times that a thread is found in a loop until it is compiled. It is looked for every few hundred thousand
/// instructions.
const FOUND: u32 = 2;

/// Times that code is entered until it is judged by what it did.
const JUDGED: u32 = 1 << 12;

/// Instructions that code does each time it is entered, on average; with fewer, the interpreter is as fast.
const FEWEST: i64 = 40;

/// A region's code, and how it does.
#[derive(Debug)]
struct Compilation {
    code: Code,
    last_pages: Vec<LastPage>,
    /// How often pages had changed when these were found.
    changes: u64,
    range: Range<u32>,
    entered: u32,
    instructions: i64,
}

/// A thread's machine code.
#[derive(Debug)]
pub struct Compiled {
    emitter: Arc<dyn Emitter>,
    when: CompileWhen,
    /// By number; `None`: given up.
    regions: Vec<Option<Compilation>>,
    /// The program's operations, with [`Kind::Compiled`] where code is entered.
    ops: Arc<Vec<Op>>,
    /// First operations of functions, in order, and the end.
    starts: Vec<u32>,
    /// The head of the loop that the thread was found in last, and how often in a row.
    found: (u32, u32),
    /// Something is to be compiled, or given up.
    due: bool,
    /// Heads of loops that were tried.
    tried: HashSet<u32>,
}

impl HostThread<'_> {
    /// From now on loops of this thread are compiled. Variables must be in place.
    pub fn compile_with(&mut self, emitter: Arc<dyn Emitter>, when: CompileWhen) {
        let ops = Arc::new(self.program.ops.clone());
        let mut starts: Vec<u32> = self.program.functions.iter().filter_map(|f| f.start).collect();
        starts.push(ops.len() as u32);
        starts.sort_unstable();
        self.compiled = Some(Box::new(Compiled {
            emitter,
            when,
            regions: Vec::new(),
            ops,
            starts,
            found: (0, 0),
            due: when == CompileWhen::Always,
            tried: HashSet::new(),
        }));
    }

    /// Instructions that machine code has run.
    pub fn compiled_instructions(&self) -> u64 {
        self.ran_compiled
    }

    /// The operations to run where nothing is followed: those with machine code.
    pub(in crate::host) fn running(&self) -> Option<Arc<Vec<Op>>> {
        self.compiled.as_ref().map(|compiled| Arc::clone(&compiled.ops))
    }

    /// The thread is found before a jump at a moment that has nothing to do with the program. Whether something is
    /// due.
    pub(in crate::host) fn found_at(&mut self, jump: u32) -> bool {
        let Some(compiled) = &mut self.compiled else { return false };
        if let Some(head) = self.program.ops.get(jump as usize).and_then(|op| jumps_back(op, jump))
            && !compiled.tried.contains(&head)
        {
            let times = if compiled.found.0 == head { compiled.found.1 + 1 } else { 1 };
            compiled.found = (head, times);
            compiled.due |= times >= FOUND;
        }
        // Rounds that can be done in one go are, first.
        let op = self.program.ops.get(jump as usize);
        compiled.due && op.is_none_or(|op| !matches!(op.kind, Kind::SweepIf | Kind::SweepUnless))
    }

    /// Whether something is to be compiled, or given up.
    pub(in crate::host) fn is_compiling_due(&self) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| compiled.due)
    }

    /// Compiles what is due, and gives up what was not worth it.
    pub(in crate::host) fn compile(&mut self) {
        let Some(compiled) = self.compiled.as_mut().filter(|compiled| compiled.due) else { return };
        compiled.due = false;
        compiled.give_up(&self.program);
        let heads = match compiled.when {
            CompileWhen::Hot if compiled.found.1 >= FOUND => vec![std::mem::take(&mut compiled.found).0],
            CompileWhen::Hot => Vec::new(),
            CompileWhen::Always => {
                Loops::of(&self.program, 0..self.program.ops.len() as u32).heads(&(0..u32::MAX))
            }
        };
        for head in heads {
            compiled.compile(&self.program, &self.constants, head);
        }
    }

    /// Runs machine code that stands in place of the current operation; the one that it comes to is then the
    /// current one.
    pub(in crate::host) fn run_compiled(&mut self, op: &Op) {
        // A look is due at the next jump, wherever it goes.
        if self.count >= self.look_at {
            return;
        }
        let Some((windows, changes)) = self.memory.windows() else { return };
        let frame = self.frame();
        let Some(compiled) = &mut self.compiled else { return };
        let Some(Some(region)) = compiled.regions.get_mut(op.target as usize) else { return };
        if region.changes != changes {
            region.last_pages.fill(LastPage::NONE);
            region.changes = changes;
        }
        let mut context = Context {
            count: self.count,
            look_at: self.look_at,
            sweep_at: self.sweep_at,
            variables: self.memory.frame(),
            windows,
            last_pages: region.last_pages.as_mut_ptr(),
            run_row,
        };
        // SAFETY: the emitter's promise; the operation names an entry of the region, whose function's frame
        // is the current one.
        let to = unsafe { (region.code.enter)(&mut context, frame, op.operands.s[0]) };
        let counted = |pc: u32| i64::from(self.program.counted[pc as usize]);
        let ran = context.count + counted(to) - self.count - counted(self.pc);
        (self.pc, self.count) = (to, context.count);
        self.ran_compiled += ran.unsigned_abs();
        region.entered += 1;
        region.instructions += ran;
        if region.entered >= JUDGED {
            let poor = region.instructions < FEWEST * i64::from(region.entered);
            // What goes on to do well is judged by what it does then.
            if !poor {
                (region.entered, region.instructions) = (0, 0);
            }
            compiled.due |= poor && compiled.when == CompileWhen::Hot;
        }
    }
}

impl Compiled {
    /// Makes code of the loop with this head, and of what is around it.
    fn compile(&mut self, program: &HostProgram, constants: &[u64], head: u32) {
        if !self.tried.insert(head) {
            return;
        }
        let behind = self.starts.partition_point(|&start| start <= head);
        let start = behind.checked_sub(1).and_then(|n| self.starts.get(n));
        let (Some(&start), Some(&end)) = (start, self.starts.get(behind)) else { return };
        let Some(function) = program.functions.iter().find(|f| f.start == Some(start)) else { return };
        let loops = Loops::of(program, start..end);
        let Some(range) = loops.around(head) else { return };
        let entries = loops.heads(&range);
        self.tried.extend(&entries);
        let operations = describe(program, constants, function, start..end);
        let region = Region { start, operations, range: range.clone(), entries };
        let Some(code) = self.emitter.emit(&region) else { return };
        let number = self.regions.len() as u32;
        let last_pages = vec![LastPage::NONE; code.accesses];
        let compilation = Compilation { code, last_pages, changes: 0, range, entered: 0, instructions: 0 };
        self.regions.push(Some(compilation));
        let ops = Arc::make_mut(&mut self.ops);
        for (entry, &at) in (0..).zip(&region.entries) {
            let op = &mut ops[at as usize];
            (op.kind, op.target) = (Kind::Compiled, number);
            op.operands.s[0] = entry;
        }
    }

    /// The interpreter runs again what is left too soon too often.
    fn give_up(&mut self, program: &HostProgram) {
        for region in &mut self.regions {
            if let Some(range) = region.as_ref().filter(|r| r.entered >= JUDGED).map(|r| r.range.clone()) {
                let range = range.start as usize..range.end as usize;
                Arc::make_mut(&mut self.ops)[range.clone()].copy_from_slice(&program.ops[range]);
                *region = None;
            }
        }
    }
}
