//! Decides what is compiled, and when.

use super::describe::Describer;
use super::extent::{Functions, backward_target, entries, extent, loops};
use super::shape::Shapes;
use super::{
    Callable, Code, Context, Emitter, Frame, LastPage, PASSED_BYTES, Region, WINDOW_SLOTS, Window, run_row,
};
use crate::host::call::CALL_BYTES;
use crate::host::memory::{StackBytes, stack_bytes};
use crate::host::op::{HostProgram, Kind, Op, Target};
use crate::host::run::get;
use crate::host::thread::HostThread;
use crate::memory::FUNCTION_WINDOW;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// When a thread's loops and functions are compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CompileWhen {
    /// Where much time is spent: short programs are interpreted to their end.
    #[default]
    Hot,
    /// All of them, before the first operation runs.
    Always,
}

/// How often a thread must be found in a loop, or in a call of a function, before that is compiled. It is
/// sampled every few hundred thousand instructions.
const HOT_SAMPLES: u32 = 2;

/// How often code must exit at a call of a function before that function is compiled, too.
const HOT_EXITS: u32 = 16;

/// How often an entrance is used before it is judged by the instructions that its code executed.
const ENTRIES_PER_ASSESSMENT: u32 = 1 << 12;

/// The fewest instructions per entry, on average, for which code is worth entering; with fewer, the interpreter
/// is as fast.
const MIN_INSTRUCTIONS_PER_ENTRY: i64 = 40;

/// The least that a call uses up of [`CODE_ROOM`].
const MIN_CHARGE: u64 = 512;

/// Bytes of the processor's stack that nested calls of machine code may take, and bytes of frames that are
/// reserved for them.
pub const CODE_ROOM: usize = 256 << 10;

/// A place at which the interpreter enters code, and how well that works.
#[derive(Debug)]
pub struct Entrance {
    pub region: usize,
    /// The number for [`Entry`](super::Entry).
    pub entry: u32,
    at: u32,
    entered: u32,
    instructions: i64,
}

/// A thread's machine code.
#[derive(Debug)]
pub struct Compiled {
    emitter: Arc<dyn Emitter>,
    pub regions: Vec<Code>,
    pub entrances: Vec<Entrance>,
    /// The program's operations, with [`Kind::Compiled`] where code is entered.
    ops: Arc<Vec<Op>>,
    pub functions: Functions,
    shapes: Shapes,
    pub context: Box<Context>,
    /// What [`Context::functions`] points to.
    callables: Vec<Callable>,
    pub last_pages: Vec<LastPage>,
    pub calls: Vec<u32>,
    /// How often pages had changed when the context's windows were filled in.
    pub changes: Option<u64>,
    hot: HotSpots,
    /// Indices of entrances that are not worth using.
    unprofitable: Vec<usize>,
}

/// The operations at which a thread spends its time.
#[derive(Debug)]
struct HotSpots {
    when: CompileWhen,
    /// How often the thread was found at loop heads, calls and first operations of functions.
    found: HashMap<u32, u32>,
    /// Those found often enough to be compiled next.
    due: Vec<u32>,
    /// Those that have been due.
    tried: HashSet<u32>,
}

impl HostThread<'_> {
    /// Compiles loops and functions of this thread from now on. Variables must be in place.
    pub fn compile_with(&mut self, emitter: Arc<dyn Emitter>, when: CompileWhen) {
        let program = &self.program;
        let functions = Functions::of(program);
        let due = match when {
            CompileWhen::Hot => Vec::new(),
            // A function that is too large is compiled loop by loop.
            CompileWhen::Always => functions
                .starts()
                .chain(loops(program, &(0..program.ops.len() as u32)).map(|l| l.start))
                .collect(),
        };
        let none = Callable { enter: None, shape: None };
        self.compiled = Some(Box::new(Compiled {
            emitter,
            regions: Vec::new(),
            entrances: Vec::new(),
            ops: Arc::new(program.ops.clone()),
            functions,
            shapes: Shapes::new(program),
            context: Box::new(Context {
                check_limits_at: 0,
                bulk_from: 0,
                windows: [Window::NONE; WINDOW_SLOTS],
                stack: StackBytes { data: 0, counts: 0 },
                last_pages: std::ptr::null_mut(),
                run_row,
                functions: std::ptr::null(),
                function_count: program.functions.len() as u64,
                calls: std::ptr::null_mut(),
                call_count: 0,
                passed: [0; PASSED_BYTES / 8],
            }),
            callables: vec![none; program.functions.len()],
            last_pages: Vec::new(),
            calls: vec![0; CODE_ROOM / MIN_CHARGE as usize + 1],
            changes: None,
            hot: HotSpots { when, found: HashMap::new(), due, tried: HashSet::new() },
            unprofitable: Vec::new(),
        }));
    }

    /// Returns the number of PTX instructions that machine code has executed.
    pub fn compiled_instructions(&self) -> u64 {
        self.ran_compiled
    }

    /// Returns the operations to run while no uninitialised value is followed: those with entries into machine
    /// code.
    pub(in crate::host) fn running(&self) -> Option<Arc<Vec<Op>>> {
        self.compiled.as_ref().map(|compiled| Arc::clone(&compiled.ops))
    }

    /// Records that a check of limits, which comes at arbitrary moments, found the thread before a jump.
    /// Returns whether something is due for compilation.
    pub(in crate::host) fn sample_jump(&mut self, jump: u32) -> bool {
        let Some(compiled) = &mut self.compiled else { return false };
        let op = self.program.ops.get(jump as usize);
        if let Some(head) = op.and_then(|op| backward_target(op, jump)) {
            compiled.hot.found(head, HOT_SAMPLES);
        }
        // Iterations that can be executed in bulk are, first.
        compiled.is_due() && op.is_none_or(|op| !matches!(op.kind, Kind::SweepIf | Kind::SweepUnless))
    }

    /// Does the same after a call, which may have reached the first operation of a function.
    pub(in crate::host) fn sample_call(&mut self, call: u32) -> bool {
        let Some(compiled) = &mut self.compiled else { return false };
        // Both are recorded: checks of limits may always fall on the calls in a loop, and never on its end.
        for at in [call, self.pc] {
            compiled.hot.found(at, HOT_SAMPLES);
        }
        compiled.is_due()
    }

    /// Returns whether something is to be compiled, or an entrance to be removed.
    pub(in crate::host) fn is_compiling_due(&self) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| compiled.is_due())
    }

    /// Compiles what is due, and removes entrances that were not worth it.
    pub(in crate::host) fn compile(&mut self) {
        let Some(compiled) = self.compiled.as_mut().filter(|compiled| compiled.is_due()) else { return };
        compiled.remove_entrances(&self.program);
        for at in std::mem::take(&mut compiled.hot.due) {
            compiled.compile(&self.program, &self.constants, at);
        }
    }

    /// Records that code exited before a call; if that happens often, the callee is compiled, too.
    pub(super) fn record_exit_at_call(&mut self, call: &Op) {
        let program = Arc::clone(&self.program);
        let number = match program.calls[call.target as usize].target {
            Target::Function(number) => u64::from(number),
            Target::Register(at) => {
                // SAFETY: decoding placed the register in the frame.
                let address = unsafe { get::<u64>(self.frame(), at) };
                address.wrapping_sub(FUNCTION_WINDOW)
            }
        };
        let callee = usize::try_from(number).ok().and_then(|number| program.functions.get(number));
        if let (Some(start), Some(compiled)) = (callee.and_then(|callee| callee.start), &mut self.compiled) {
            compiled.hot.found(start, HOT_EXITS);
        }
    }
}

impl HotSpots {
    /// Records that an operation was found hot once more; `times` times are enough.
    fn found(&mut self, at: u32, times: u32) {
        if self.when == CompileWhen::Hot && !self.tried.contains(&at) {
            let found = self.found.entry(at).or_insert(0);
            *found += 1;
            if *found >= times {
                self.tried.insert(at);
                self.due.push(at);
            }
        }
    }
}

impl Compiled {
    fn is_due(&self) -> bool {
        !self.hot.due.is_empty() || !self.unprofitable.is_empty()
    }

    /// Compiles the region around an operation.
    fn compile(&mut self, program: &HostProgram, constants: &[u64], at: u32) {
        let Some((number, its)) = self.functions.around(at) else { return };
        let Some(range) = extent(program, &its, at) else { return };
        if self.entrances.iter().any(|entrance| range.contains(&entrance.at)) {
            return;
        }
        let function = &program.functions[number as usize];
        let hot = self.hot.when == CompileWhen::Hot;
        let describer = Describer { program, constants, shapes: &self.shapes, function, hot };
        let stack_bytes = stack_bytes(function.local_bytes);
        let charge = (CALL_BYTES + stack_bytes).max(function.frame_bytes.into()).max(MIN_CHARGE);
        let region = Region {
            start: its.start,
            operations: describer.describe(its),
            entries: entries(program, &range),
            range,
            frame: Frame {
                bytes: function.frame_bytes,
                local_bytes: function.local_bytes,
                stack_bytes,
                gaps: function.gaps.clone(),
                params: function.params.clone(),
                counted: function.counted.into(),
                charge: charge as i64,
            },
            first_page: self.last_pages.len(),
        };
        let Some(code) = self.emitter.emit(&region) else { return };
        let shape = self.shapes.of_function(function).filter(|_| region.is_function());
        if let Some(shape) = shape.filter(|_| code.stack_bytes as u64 <= charge) {
            self.callables[number as usize] = Callable { enter: Some(code.enter), shape: Some(shape) };
        }
        self.last_pages.resize(region.first_page + code.accesses, LastPage::NONE);
        let ops = Arc::make_mut(&mut self.ops);
        for (place, &at) in (0..).zip(&region.entries) {
            let (op, entry) = (&mut ops[at as usize], super::Entry::at(place));
            (op.kind, op.target) = (Kind::Compiled, self.entrances.len() as u32);
            self.entrances.push(Entrance {
                region: self.regions.len(),
                entry,
                at,
                entered: 0,
                instructions: 0,
            });
        }
        self.regions.push(code);
        self.context.functions = self.callables.as_ptr();
        self.context.last_pages = self.last_pages.as_mut_ptr();
        self.context.calls = self.calls.as_mut_ptr();
    }

    /// Records that code entered at an entrance has executed a number of instructions.
    pub fn judge(&mut self, number: usize, instructions: i64) {
        let entrance = &mut self.entrances[number];
        entrance.entered += 1;
        entrance.instructions += instructions;
        if entrance.entered >= ENTRIES_PER_ASSESSMENT {
            if entrance.instructions < MIN_INSTRUCTIONS_PER_ENTRY * i64::from(ENTRIES_PER_ASSESSMENT)
                && self.hot.when == CompileWhen::Hot
            {
                self.unprofitable.push(number);
            }
            // An entrance that does well is judged again by what it does from here on.
            (entrance.entered, entrance.instructions) = (0, 0);
        }
    }

    /// Stops entering code that exits too soon too often; other code may still call it.
    fn remove_entrances(&mut self, program: &HostProgram) {
        for number in std::mem::take(&mut self.unprofitable) {
            let at = self.entrances[number].at as usize;
            Arc::make_mut(&mut self.ops)[at] = program.ops[at];
        }
    }
}
