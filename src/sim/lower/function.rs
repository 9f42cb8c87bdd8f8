//! Lowering of a function's body, statement by statement, and of arithmetic by way of the instruction table.

mod operands;

use super::frame::{Frame, MAX_SLOTS};
use super::module::ModuleLowering;
use super::scope::{Scopes, Symbol, WordParam, file_of, slots_of};
use super::speculated::Speculated;
use super::variable_arguments::is_variadic;
use crate::code::{Fixed, Guard, Inst, System, What};
use crate::counts::Class;
use crate::lanes::{FIXED, File};
use crate::record::{FunctionSymbols, RegisterFamily};
use crate::table::{self, Flop, Row};
use ptx::{Instruction, Location, Operand, Space, Span, Statement, Type, Variable};
use std::collections::{HashMap, HashSet};

/// The error says why an instruction can't be lowered: what the simulator lacks.
pub type Lowered<T> = Result<T, String>;

/// A decoded instruction before label resolution: branch targets are label numbers.
#[derive(Clone, Debug)]
pub struct Draft {
    pub inst: Inst,
    /// The class it is counted as; `None` for further decoded instructions of the same PTX instruction.
    pub class: Option<Class>,
    pub flops: Option<(Flop, u32)>,
    pub place: u32,
    /// The table's row, for arithmetic.
    pub row: Option<&'static Row>,
    /// The PTX instruction's text.
    pub span: Span,
}

impl Draft {
    /// Creates a further decoded instruction of a PTX instruction.
    pub fn uncounted(inst: Inst, row: Option<&'static Row>, place: u32, span: Span) -> Draft {
        Draft { inst, class: None, flops: None, place, row, span }
    }
}

/// A branch table before label resolution: label numbers.
pub type LabelTable = Vec<u32>;

/// The state of lowering one function.
pub struct FunctionLowering<'m, 'a> {
    pub module: &'m mut ModuleLowering<'a>,
    pub scopes: Scopes<'a>,
    pub is_kernel: bool,
    /// The kernel's number, if the function is one.
    pub kernel: u32,
    pub frame: Frame,
    /// The first draft of the innermost `{…}`: in a call's, the arguments are put in place.
    pub block_start: usize,
    pub drafts: Vec<Draft>,
    pub flow: ControlFlow<'a>,
    /// The fixed register that holds the mask of all lanes.
    pub all_lanes: u32,
    /// The predicate register that represents the carry flag, once it is used.
    pub carry: Option<u32>,
    pub current: Current,
    pub loads: SpecialLoads<'a>,
    /// The names of registers and variables, if the function is lowered for debugging.
    pub symbols: FunctionSymbols,
}

/// The labels of a function.
#[derive(Clone, Debug, Default)]
pub struct ControlFlow<'a> {
    /// For each label, the draft that it precedes.
    pub labels: Vec<Option<u32>>,
    pub label_names: Vec<&'a str>,
    pub tables: Vec<LabelTable>,
    /// Labels of loops that the compiler must not unroll.
    pub nounroll_labels: Vec<u32>,
}

impl ControlFlow<'_> {
    /// Returns the draft that a label precedes.
    pub fn draft_at(&self, label: u32) -> Option<u32> {
        self.labels.get(label as usize).copied().flatten()
    }

    /// Returns the labels that an instruction may jump to.
    pub fn jumps(&self, inst: &Inst) -> Vec<u32> {
        match inst.what {
            What::Branch => vec![inst.detail],
            What::BranchIndexed => self.tables.get(inst.detail as usize).cloned().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// Returns the draft that a branch jumps to which some lanes may not take.
    pub fn may_jump(&self, draft: &Draft) -> Option<u32> {
        let may = matches!(draft.inst.what, What::Branch) && draft.inst.guard.is_some();
        self.draft_at(draft.inst.detail).filter(|_| may)
    }
}

/// The PTX instruction that is being lowered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Current {
    /// Its source location: see [`SourceMap::places`](crate::code::SourceMap::places).
    pub place: u32,
    /// The file that the code comes from, by number, before inlining.
    file: u32,
    /// Its text.
    pub span: Span,
    pub guard: Guard,
    class: Class,
    /// The first draft that it has produced.
    first: Option<usize>,
}

/// Loads that are not what they seem, found in the whole body in advance; by the positions in the text at which they start.
#[derive(Debug, Default)]
pub struct SpecialLoads<'a> {
    /// Loads that only guess what a compare-and-swap will find.
    pub guesses: HashSet<u32>,
    /// Volatile and relaxed loads of data.
    pub data: HashSet<u32>,
    /// Volatile and relaxed loads in loops that only wait.
    pub polls: HashSet<u32>,
    /// Loads from where the function goes on to store.
    pub own: HashSet<u32>,
    /// Loads that were hoisted above their condition.
    speculated: Speculated<'a>,
    /// Those of them that have been reached and are deferred, with their source locations, by the start of the `selp`
    /// that uses them.
    deferred: HashMap<u32, (Instruction<'a>, u32)>,
    /// Registers that vector loads write and nothing reads.
    pub unread_elements: HashSet<&'a str>,
}

impl<'a> SpecialLoads<'a> {
    pub fn of(body: &[Statement<'a>]) -> SpecialLoads<'a> {
        let all = super::statements::flatten(body);
        SpecialLoads {
            guesses: super::cas_loop_load::cas_loop_loads(body, &all),
            data: super::data_loads::data_loads(&all),
            polls: super::data_loads::polls(body),
            own: super::own_loads::own_loads(&all),
            speculated: super::speculated::speculated(body, &all),
            deferred: HashMap::new(),
            unread_elements: super::widened_loads::unread_elements(&all),
        }
    }
}

impl<'m, 'a> FunctionLowering<'m, 'a> {
    pub fn new(module: &'m mut ModuleLowering<'a>, is_kernel: bool, kernel: u32) -> Self {
        let mut scopes = Scopes::default();
        scopes.enter();
        let all_lanes = module.fixed(File::R32, Fixed::Immediate(u32::MAX as u64));
        FunctionLowering {
            all_lanes,
            module,
            scopes,
            is_kernel,
            kernel,
            frame: Frame::default(),
            block_start: 0,
            drafts: Vec::new(),
            flow: ControlFlow::default(),
            carry: None,
            current: Current::default(),
            loads: SpecialLoads::default(),
            symbols: FunctionSymbols::default(),
        }
    }

    /// Allocates registers in the frame. If the frame is full, returns 0 and marks the function as oversized.
    pub fn allocate(&mut self, file: File, slots: u32) -> u32 {
        self.frame.allocate(file, slots)
    }

    /// Returns a fixed register that holds an immediate.
    pub fn immediate(&mut self, file: File, bits: u64) -> u32 {
        self.module.fixed(file, Fixed::Immediate(bits))
    }

    /// Returns the bits of a register that holds an immediate.
    pub fn immediate_bits(&self, file: File, register: u32) -> Option<u64> {
        let mut slots = self.module.code.fixed_slots.iter().filter(|_| register & FIXED != 0);
        let slot = slots.find(|slot| (slot.file, slot.register) == (file, register))?;
        match slot.value {
            Fixed::Immediate(bits) => Some(bits),
            _ => None,
        }
    }

    /// Replaces the body of a function that is too large by an instruction that reports this as unsupported.
    pub fn refuse_oversized(&mut self) {
        if !self.frame.oversized {
            return;
        }
        self.drafts.clear();
        self.flow.labels.clear();
        self.flow.tables.clear();
        self.current.guard = Guard::NONE;
        let number = self.module.unsupported(format!("a function with more than {MAX_SLOTS} registers"));
        self.system(System::Unsupported, 0, [0; 4], number);
    }

    pub fn body(&mut self, statements: &[Statement<'a>]) {
        self.scopes.enter();
        let outer = std::mem::replace(&mut self.block_start, self.drafts.len());
        self.declare_labels(statements);
        self.statements(statements);
        self.block_start = outer;
        self.scopes.leave();
    }

    /// Declares all labels of a scope in advance, since they may be used before their position.
    fn declare_labels(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            if let Statement::Label { name, .. } = statement {
                let number = self.flow.labels.len() as u32;
                self.flow.labels.push(None);
                self.flow.label_names.push(name);
                self.scopes.define(name, Symbol::Label(number));
            }
        }
        for statement in statements {
            if let Statement::BranchTargets { name, labels } = statement {
                let targets = labels.iter().map(|label| match self.scopes.find(label) {
                    Some(Symbol::Label(number)) => number,
                    _ => u32::MAX,
                });
                let targets = targets.collect();
                self.flow.tables.push(targets);
                self.scopes.define(name, Symbol::Targets(self.flow.tables.len() as u32 - 1));
            }
        }
    }

    fn statements(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            match statement {
                Statement::Registers { name, ty, vector, count } => {
                    self.registers(name, *ty, *vector, *count)
                }
                Statement::Variable(variable) => self.variable(variable),
                Statement::Label { name, .. } => {
                    if let Some(Symbol::Label(number)) = self.scopes.find(name) {
                        self.flow.labels[number as usize] = Some(self.drafts.len() as u32);
                    }
                }
                Statement::Instruction(instruction) => self.in_order(instruction),
                Statement::Block(inner) => self.body(inner),
                Statement::Location(location) => self.location(location),
                Statement::Pragma(text) => {
                    // The pragma is the first statement in the loop that it applies to.
                    let here = Some(self.drafts.len() as u32);
                    if text.contains("\"nounroll\"") {
                        let label = self.flow.labels.iter().rposition(|label| *label == here);
                        self.flow.nounroll_labels.extend(label.map(|label| label as u32));
                    }
                }
                Statement::CallPrototype { name, params, .. } => {
                    if is_variadic(params) {
                        self.scopes.define(name, Symbol::VariadicPrototype(params.len() - 1));
                    }
                }
                Statement::BranchTargets { .. } | Statement::CallTargets { .. } => {}
            }
        }
    }

    /// Returns whether the code being lowered comes from the file with this name.
    pub fn inlined_from(&self, name: &str) -> bool {
        self.module
            .file_name(self.current.file)
            .is_some_and(|path| path.rsplit(['/', '\\']).next() == Some(name))
    }

    fn location(&mut self, location: &Location) {
        self.current.file = location.file;
        if let Some(place) = self.module.place(location) {
            self.current.place = place;
        }
    }

    fn registers(&mut self, name: &'a str, ty: Type, vector: u8, count: Option<u32>) {
        let slots = slots_of(ty) * vector.max(1) as u32;
        match count {
            Some(count) => {
                let first = self.frame.declare(file_of(ty), slots.saturating_mul(count));
                self.scopes.define_family(name, ty, first, count);
                self.name_registers(name, file_of(ty), first, Some((count, slots)));
            }
            None => {
                let number = self.frame.declare(file_of(ty), slots);
                self.scopes.define(name, Symbol::Register { file: file_of(ty), number, ty });
                self.name_registers(name, file_of(ty), number, None);
            }
        }
    }

    fn name_registers(&mut self, name: &str, file: File, first: u32, count: Option<(u32, u32)>) {
        if self.module.debugging {
            self.symbols.registers.push(RegisterFamily { name: name.to_owned(), file, first, count });
        }
    }

    fn variable(&mut self, variable: &Variable<'a>) {
        let (bytes, align) = super::module::size_of(variable);
        let symbol = match variable.space {
            Space::Shared => Symbol::Shared(self.module.shared_variable(variable)),
            Space::Local => {
                let offset = self.frame.allocate_local(bytes, align);
                if self.module.debugging {
                    self.symbols.locals.push((variable.name.to_owned(), offset));
                }
                Symbol::Local(offset)
            }
            Space::Param => {
                let register = self.allocate(File::R32, bytes.div_ceil(4).min(MAX_SLOTS as u64 + 1) as u32);
                Symbol::WordParam(WordParam { register, bytes: u32::try_from(bytes).unwrap_or(u32::MAX) })
            }
            _ => Symbol::Global(self.module.global_variable(variable)),
        };
        self.scopes.define(variable.name, symbol);
    }

    /// Lowers an instruction at its position. A speculated load is deferred to the position of its `selp`.
    fn in_order(&mut self, instruction: &Instruction<'a>) {
        let at = instruction.span.start;
        if let Some((choice, guard)) = self.loads.speculated.get(&at).copied() {
            let load = Instruction { guard: Some(guard), ..instruction.clone() };
            self.loads.deferred.insert(choice, (load, self.current.place));
            // In lanes that don't choose the load, the `selp` still reads the register, but ignores its value.
            if let Some(Operand::Name(dest)) = instruction.operands.first()
                && let Some(Symbol::Register { file: file @ (File::R32 | File::R64), number, .. }) =
                    self.scopes.find(dest)
            {
                self.current.guard = Guard::NONE;
                let nothing = self.immediate(file, 0);
                let name = if file == File::R32 { "mov.b32" } else { "mov.b64" };
                // An error here means that the table lacks a row for moves.
                let _ = self.push_uncounted_row(name, number, &[nothing]);
            }
            return;
        }
        if let Some((load, place)) = self.loads.deferred.remove(&at) {
            let here = std::mem::replace(&mut self.current.place, place);
            self.instruction(&load);
            self.current.place = here;
        }
        self.instruction(instruction);
    }

    /// Returns the CUDA C++ construct that an instruction stands for, if that explains more than the instruction's
    /// name.
    fn construct(&self, instruction: &Instruction<'a>) -> Option<&'static str> {
        match instruction.opcode {
            "tld4" => return Some("tex2Dgather()"),
            "tex" if instruction.modifiers.iter().any(|m| matches!(*m, "cube" | "acube")) => {
                return Some("textures of cube maps");
            }
            _ => {}
        }
        instruction.operands.iter().find_map(|operand| match operand {
            Operand::Name(name) => match self.symbol(name) {
                Some(Symbol::WordParam(_)) => Some("addresses of parameters that are passed by value"),
                _ => None,
            },
            _ => None,
        })
    }

    fn instruction(&mut self, instruction: &Instruction<'a>) {
        self.current.first = None;
        self.current.span = instruction.span;
        self.current.class = Class::Other;
        self.current.guard = match instruction.guard {
            None => Guard::NONE,
            Some(guard) => match self.scopes.find(guard.register) {
                Some(Symbol::Register { file: File::Pred, number, .. }) => Guard::new(number, guard.negated),
                _ => Guard::NONE,
            },
        };
        let before = self.drafts.len();
        if let Err(what) = self.lower(instruction) {
            self.drafts.truncate(before);
            self.current.first = None;
            let name = std::iter::once(instruction.opcode).chain(instruction.modifiers.iter().copied());
            let name = name.collect::<Vec<_>>().join(".");
            let what = match self.construct(instruction) {
                Some(construct) => construct.to_owned(),
                None if what.is_empty() => name,
                None => format!("{name}: {what}"),
            };
            let number = self.module.unsupported(what);
            self.system(System::Unsupported, 0, [0; 4], number);
        }
    }

    fn lower(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        if self.control(i)?
            || self.mbarrier(i)?
            || self.memory(i)?
            || self.warp_operation(i)?
            || self.special(i)?
            || self.matrix(i)?
            || self.warpgroup(i)?
        {
            return Ok(());
        }
        self.arithmetic(i)
    }

    /// Sets the class of the current PTX instruction, of whose decoded instructions there may be some already: those that
    /// compute its operands.
    pub fn count_as(&mut self, class: Class) {
        if self.current.class == Class::Other
            && let Some(first) = self.current.first
        {
            self.drafts[first].class = Some(class);
        }
        self.current.class = class;
    }

    /// Adds a decoded instruction. Only the first one of a PTX instruction is counted.
    pub fn push(&mut self, inst: Inst, row: Option<&'static Row>) {
        let is_first = self.current.first.is_none();
        self.current.first.get_or_insert(self.drafts.len());
        self.drafts.push(Draft {
            inst,
            class: is_first.then_some(self.current.class),
            flops: None,
            place: self.current.place,
            row,
            span: self.current.span,
        });
    }

    /// Adds an instruction that is not a table row.
    pub fn emit(&mut self, what: What, d: u32, s: [u32; 4], detail: u32) {
        self.push(Inst { what, guard: self.current.guard, d, s, detail }, None);
    }

    pub fn system(&mut self, what: System, d: u32, s: [u32; 4], detail: u32) {
        self.emit(What::System(what), d, s, detail);
    }

    /// Adds an instruction that does nothing here, and counts it.
    pub fn nothing(&mut self, class: Class) {
        self.count_as(class);
        self.system(System::Nothing, 0, [0; 4], 0);
    }

    /// Adds an instruction for the table row `name` with these registers.
    pub fn row(&mut self, name: &str, d: u32, sources: &[u32]) -> Lowered<()> {
        self.push_row(row_named(name)?, d, sources, 0);
        Ok(())
    }

    pub fn push_row(&mut self, row: &'static Row, d: u32, sources: &[u32], detail: u32) {
        let inst = self.row_inst(row, d, sources, detail);
        self.push(inst, Some(row));
    }

    pub fn row_inst(&self, row: &Row, d: u32, sources: &[u32], detail: u32) -> Inst {
        let mut s = [0; 4];
        s.iter_mut().zip(sources).for_each(|(slot, source)| *slot = *source);
        Inst { what: What::Lanes(row.handler), guard: self.current.guard, d, s, detail }
    }

    /// Adds an instruction for the table row `name`, with its result in a new register.
    pub fn compute(&mut self, name: &str, sources: &[u32]) -> Lowered<u32> {
        let row = row_named(name)?;
        let d = self.allocate(row.dest, 1);
        self.push_row(row, d, sources, 0);
        Ok(d)
    }

    /// Lowers an instruction of the table.
    fn arithmetic(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let (name, mode) = table::split_mode(i.opcode, &i.modifiers);
        let Some(row) = table::find(&name, mode) else { return Err(String::new()) };
        self.current.class = row.class;
        let (dest, sources) = i.operands.split_first().ok_or("no operands")?;
        if sources.len() != row.sources.len() {
            return Err(format!("{} operands", i.operands.len()));
        }
        let mut registers = [0; 4];
        for ((slot, operand), file) in registers.iter_mut().zip(sources).zip(row.sources) {
            *slot = self.source(operand, *file)?;
        }
        let (d, narrow) = self.destination(dest, row.dest)?;
        self.report_folded_nan(row, sources);
        self.push_row(row, d, &registers[..sources.len()], table::mode_bits(mode));
        if let Some(draft) = self.drafts.last_mut() {
            draft.flops = row.flops;
            draft.class = Some(row.class);
        }
        if let Some(wide) = narrow {
            let signed = i.modifiers.iter().find(|m| m.len() <= 3 && m.starts_with(['s', 'u', 'b']));
            let name = if signed.is_some_and(|m| m.starts_with('s')) { "cvt.s64.s32" } else { "%widen" };
            self.row(name, wide, &[d])?;
        }
        Ok(())
    }
}

/// Returns the table row of this name that takes no mode.
pub fn row_named(name: &str) -> Lowered<&'static Row> {
    table::find(name, table::DEFAULT_MODE).ok_or_else(|| format!("no row {name}"))
}
