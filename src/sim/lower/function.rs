//! A function's body, statement by statement, and the arithmetic of the instruction table.

use super::module::ModuleLowering;
use super::scope::{Scopes, Symbol, WordParam, file_of, slots_of};
use super::speculated::Speculated;
use crate::code::{Fixed, Guard, Inst, System, What};
use crate::counts::Class;
use crate::lanes::{File, Slots};
use crate::record::{FunctionSymbols, RegisterFamily};
use crate::table::{self, Flop, Row};
use ptx::{Immediate, Instruction, Location, Operand, Space, Span, Statement, Type, Variable};
use std::collections::{HashMap, HashSet};

/// Why an instruction can't be lowered: what the simulator lacks.
pub type Lowered<T> = Result<T, String>;

/// A decoded instruction on its way: labels are not yet numbers.
#[derive(Clone, Debug)]
pub struct Draft {
    pub inst: Inst,
    /// What it counts as; `None` for the second and later of one PTX instruction.
    pub class: Option<Class>,
    pub flops: Option<(Flop, u32)>,
    pub place: u32,
    /// The table's row, for arithmetic.
    pub row: Option<&'static Row>,
    /// Registers written by what is no arithmetic.
    pub writes: Vec<(File, u32)>,
    /// Its text.
    pub span: Span,
}

/// Registers of one file that a function may have. What NVRTC makes has a few thousand at most; a
/// warp keeps 128 or 256 bytes for each.
const MOST_SLOTS: u32 = 1 << 16;

/// A branch table on its way: label numbers.
pub type LabelTable = Vec<u32>;

pub struct FunctionLowering<'m, 'a> {
    pub module: &'m mut ModuleLowering<'a>,
    pub scopes: Scopes<'a>,
    pub is_kernel: bool,
    /// Number of the kernel, where it is one.
    pub kernel: u32,
    pub frame: Slots,
    pub local_bytes: u64,
    pub drafts: Vec<Draft>,
    /// For each label, the draft it stands before.
    pub labels: Vec<Option<u32>>,
    pub tables: Vec<LabelTable>,
    /// Shared variables that the function uses.
    pub shared_used: Vec<u32>,
    /// Functions it calls, or whose address it takes.
    pub calls: Vec<u32>,
    /// Fixed register with the mask of all lanes.
    pub all_lanes: u32,
    /// Registers that the function declares: file, first, one past the last.
    pub declared: Vec<(File, u32, u32)>,
    /// Whether it wants more registers than it may have.
    pub oversized: bool,
    /// Hidden predicate of the carry flag.
    pub carry: Option<u32>,
    pub place: u32,
    /// Number of the file that the code comes from, before inlining.
    file: u32,
    pub guard: Guard,
    /// Loads that guess, by where their text begins.
    pub cas_loop_loads: HashSet<u32>,
    /// Registers that vector loads fill and nothing reads.
    pub unread_elements: HashSet<&'a str>,
    /// Loads that are done later, and those that wait for it, by the choice that takes them.
    pub speculated: Speculated<'a>,
    put_off: HashMap<u32, (Instruction<'a>, u32)>,
    /// Labels of loops that the compiler must not unroll.
    pub rolled: Vec<u32>,
    /// For each label, its name.
    pub label_names: Vec<&'a str>,
    /// What the function calls its registers and variables, where it is lowered for debugging.
    pub symbols: FunctionSymbols,
    /// The text of the instruction that is being lowered.
    pub span: Span,
    /// Drafts of the instruction that is being lowered.
    started: bool,
    class: Class,
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
            frame: Slots::default(),
            local_bytes: 0,
            drafts: Vec::new(),
            labels: Vec::new(),
            tables: Vec::new(),
            shared_used: Vec::new(),
            calls: Vec::new(),
            declared: Vec::new(),
            oversized: false,
            carry: None,
            place: 0,
            file: 0,
            guard: Guard::NONE,
            cas_loop_loads: HashSet::new(),
            unread_elements: HashSet::new(),
            speculated: Speculated::new(),
            put_off: HashMap::new(),
            rolled: Vec::new(),
            label_names: Vec::new(),
            symbols: FunctionSymbols::default(),
            span: Span::default(),
            started: false,
            class: Class::Other,
        }
    }

    /// A new register of the frame, or of the first few when the frame is full.
    pub fn allocate(&mut self, file: File, slots: u32) -> u32 {
        let frame = self.frame;
        if [frame.r32, frame.r64, frame.preds]
            .iter()
            .any(|&used| used as u64 + slots as u64 > MOST_SLOTS as u64)
        {
            self.oversized = true;
            return 0;
        }
        let next = match file {
            File::R32 => &mut self.frame.r32,
            File::R64 => &mut self.frame.r64,
            File::Pred => &mut self.frame.preds,
        };
        let register = *next;
        *next += slots;
        register
    }

    /// A register that always holds an immediate.
    pub fn immediate(&mut self, file: File, bits: u64) -> u32 {
        self.module.fixed(file, Fixed::Immediate(bits))
    }

    /// Makes the function one that says what the simulator lacks, when it is too large.
    pub fn refuse_oversized(&mut self) {
        if !self.oversized {
            return;
        }
        self.drafts.clear();
        self.labels.clear();
        self.tables.clear();
        self.guard = Guard::NONE;
        let number = self.module.unsupported(format!("a function with more than {MOST_SLOTS} registers"));
        self.system(System::Unsupported, 0, [0; 4], number, Vec::new());
    }

    pub fn body(&mut self, statements: &[Statement<'a>]) {
        self.scopes.enter();
        self.declare_labels(statements);
        self.statements(statements);
        self.scopes.leave();
    }

    /// Labels of one scope may be used before they stand.
    fn declare_labels(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            if let Statement::Label { name, .. } = statement {
                let number = self.labels.len() as u32;
                self.labels.push(None);
                self.label_names.push(name);
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
                self.tables.push(targets);
                self.scopes.define(name, Symbol::Targets(self.tables.len() as u32 - 1));
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
                        self.labels[number as usize] = Some(self.drafts.len() as u32);
                    }
                }
                Statement::Instruction(instruction) => self.in_order(instruction),
                Statement::Block(inner) => self.body(inner),
                Statement::Location(location) => self.location(location),
                Statement::Pragma(text) => {
                    // It stands first in the loop that it is about.
                    let here = Some(self.drafts.len() as u32);
                    if text.contains("\"nounroll\"") {
                        let label = self.labels.iter().rposition(|label| *label == here);
                        self.rolled.extend(label.map(|label| label as u32));
                    }
                }
                Statement::CallPrototype { .. }
                | Statement::BranchTargets { .. }
                | Statement::CallTargets { .. } => {}
            }
        }
    }

    /// Whether what is being lowered was written in the file of this name.
    pub fn inlined_from(&self, name: &str) -> bool {
        self.module.file_name(self.file).is_some_and(|path| path.rsplit(['/', '\\']).next() == Some(name))
    }

    fn location(&mut self, location: &Location) {
        self.file = location.file;
        if let Some(place) = self.module.place(location) {
            self.place = place;
        }
    }

    /// Whether a register is one that the function declares, not one that lowering needs.
    pub fn is_declared(&self, (file, register): (File, u32)) -> bool {
        self.declared.iter().any(|&(f, first, end)| f == file && (first..end).contains(&register))
    }

    fn registers(&mut self, name: &'a str, ty: Type, vector: u8, count: Option<u32>) {
        let slots = slots_of(ty) * vector.max(1) as u32;
        match count {
            Some(count) => {
                let first = self.allocate(file_of(ty), slots.saturating_mul(count));
                self.declared.push((file_of(ty), first, first.saturating_add(slots.saturating_mul(count))));
                self.scopes.define_family(name, ty, first, count);
                self.name_registers(name, file_of(ty), first, Some((count, slots)));
            }
            None => {
                let number = self.allocate(file_of(ty), slots);
                self.declared.push((file_of(ty), number, number.saturating_add(slots)));
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
                let offset = self.local_bytes.next_multiple_of(align);
                self.local_bytes = offset.saturating_add(bytes);
                if self.module.debugging {
                    self.symbols.locals.push((variable.name.to_owned(), offset));
                }
                Symbol::Local(offset)
            }
            Space::Param => {
                let register = self.allocate(File::R32, bytes.div_ceil(4).min(MOST_SLOTS as u64 + 1) as u32);
                Symbol::WordParam(WordParam { register, bytes: u32::try_from(bytes).unwrap_or(u32::MAX) })
            }
            _ => Symbol::Global(self.module.global_variable(variable)),
        };
        self.scopes.define(variable.name, symbol);
    }

    /// An instruction where it stands; of a load in front of its condition, where its choice does.
    fn in_order(&mut self, instruction: &Instruction<'a>) {
        let at = instruction.span.start;
        if let Some((choice, guard)) = self.speculated.get(&at).copied() {
            let load = Instruction { guard: Some(guard), ..instruction.clone() };
            self.put_off.insert(choice, (load, self.place));
            // The choice of the others reads the register and does not take what it holds.
            if let Some(Operand::Name(dest)) = instruction.operands.first()
                && let Some(Symbol::Register { file: file @ (File::R32 | File::R64), number, .. }) =
                    self.scopes.find(dest)
            {
                self.guard = Guard::NONE;
                let nothing = self.immediate(file, 0);
                let name = if file == File::R32 { "mov.b32" } else { "mov.b64" };
                // An error here means that the table lacks a row for moves.
                let _ = self.silently(name, number, &[nothing]);
            }
            return;
        }
        if let Some((load, place)) = self.put_off.remove(&at) {
            let here = std::mem::replace(&mut self.place, place);
            self.instruction(&load);
            self.place = here;
        }
        self.instruction(instruction);
    }

    /// What of CUDA C++ an instruction stands for, where that says more than its own name.
    fn construct(&self, instruction: &Instruction<'a>) -> Option<&'static str> {
        instruction.operands.iter().find_map(|operand| match operand {
            Operand::Name("%VAParam") => {
                Some("functions of a program's own that take variable arguments (`...`, va_list)")
            }
            Operand::Name(name) => match self.symbol(name) {
                Some(Symbol::WordParam(_)) => Some("addresses of parameters that are passed by value"),
                _ => None,
            },
            _ => None,
        })
    }

    fn instruction(&mut self, instruction: &Instruction<'a>) {
        self.started = false;
        self.span = instruction.span;
        self.class = Class::Other;
        self.guard = match instruction.guard {
            None => Guard::NONE,
            Some(guard) => match self.scopes.find(guard.register) {
                Some(Symbol::Register { file: File::Pred, number, .. }) => Guard::new(number, guard.negated),
                _ => Guard::NONE,
            },
        };
        let before = self.drafts.len();
        if let Err(what) = self.lower(instruction) {
            self.drafts.truncate(before);
            self.started = false;
            let name = std::iter::once(instruction.opcode).chain(instruction.modifiers.iter().copied());
            let name = name.collect::<Vec<_>>().join(".");
            let what = match self.construct(instruction) {
                Some(construct) => construct.to_owned(),
                None if what.is_empty() => name,
                None => format!("{name}: {what}"),
            };
            let number = self.module.unsupported(what);
            self.system(System::Unsupported, 0, [0; 4], number, Vec::new());
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

    /// The modifiers' class for what follows, up to the next instruction.
    pub fn count_as(&mut self, class: Class) {
        self.class = class;
    }

    /// Adds a decoded instruction; the first of a PTX instruction is the one that counts.
    pub fn push(&mut self, inst: Inst, row: Option<&'static Row>, writes: Vec<(File, u32)>) {
        let first = !std::mem::replace(&mut self.started, true);
        self.drafts.push(Draft {
            inst,
            class: first.then_some(self.class),
            flops: None,
            place: self.place,
            row,
            writes,
            span: self.span,
        });
    }

    pub fn system(&mut self, what: System, d: u32, s: [u32; 4], detail: u32, writes: Vec<(File, u32)>) {
        let inst = Inst { what: What::System(what), guard: self.guard, d, s, detail };
        self.push(inst, None, writes);
    }

    /// Adds the row `name` with these registers.
    pub fn row(&mut self, name: &str, d: u32, sources: &[u32]) -> Lowered<()> {
        let row = table::find(name, table::DEFAULT_MODE).ok_or_else(|| format!("no row {name}"))?;
        self.push_row(row, d, sources, 0);
        Ok(())
    }

    fn push_row(&mut self, row: &'static Row, d: u32, sources: &[u32], detail: u32) {
        let mut s = [0; 4];
        for (slot, source) in s.iter_mut().zip(sources) {
            *slot = *source;
        }
        let inst = Inst { what: What::Lanes(row.handler), guard: self.guard, d, s, detail };
        self.push(inst, Some(row), Vec::new());
    }

    /// The row `name` into a new register.
    pub fn compute(&mut self, name: &str, sources: &[u32]) -> Lowered<u32> {
        let row = table::find(name, table::DEFAULT_MODE).ok_or_else(|| format!("no row {name}"))?;
        let d = self.allocate(row.dest, 1);
        self.push_row(row, d, sources, 0);
        Ok(d)
    }

    /// Instructions of the table.
    fn arithmetic(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let (name, mode) = table::split_mode(i.opcode, &i.modifiers);
        let Some(row) = table::find(&name, mode) else { return Err(String::new()) };
        self.class = row.class;
        let (dest, sources) = i.operands.split_first().ok_or("no operands")?;
        if sources.len() != row.sources.len() {
            return Err(format!("{} operands", i.operands.len()));
        }
        let mut registers = [0; 4];
        for ((slot, operand), file) in registers.iter_mut().zip(sources).zip(row.sources) {
            *slot = self.source(operand, *file)?;
        }
        let (d, narrow) = self.destination(dest, row.dest)?;
        self.tell_folded(row, sources);
        self.push_row(row, d, &registers[..sources.len()], table::mode_bits(mode));
        if let Some(draft) = self.drafts.last_mut() {
            draft.flops = row.flops;
            draft.class = Some(row.class);
        }
        self.started = true;
        if let Some(wide) = narrow {
            let signed = i.modifiers.iter().find(|m| m.len() <= 3 && m.starts_with(['s', 'u', 'b']));
            let name = if signed.is_some_and(|m| m.starts_with('s')) { "cvt.s64.s32" } else { "%widen" };
            self.row(name, wide, &[d])?;
        }
        Ok(())
    }

    /// Register to write a `file` value to; where the operand's is a 64-bit one and the value a
    /// 32-bit one, a temporary, and the operand's to widen it into.
    pub fn destination(&mut self, operand: &Operand<'a>, file: File) -> Lowered<(u32, Option<u32>)> {
        match operand {
            Operand::Sink => Ok((self.allocate(file, 1), None)),
            Operand::Name(name) => match self.scopes.find(name) {
                Some(Symbol::Register { file: its, number, .. }) if its == file => Ok((number, None)),
                Some(Symbol::Register { file: File::R64, number, .. }) if file == File::R32 => {
                    Ok((self.allocate(File::R32, 1), Some(number)))
                }
                _ => Err(format!("result in {name}")),
            },
            other => Err(format!("result in {other:?}")),
        }
    }

    /// A register of the file that holds the operand's value.
    pub fn source(&mut self, operand: &Operand<'a>, file: File) -> Lowered<u32> {
        match operand {
            Operand::Name(name) => self.named(name, 0, file),
            Operand::Offset { name, offset } => self.named(name, *offset, file),
            Operand::Not(name) => {
                let positive = self.named(name, 0, File::Pred)?;
                self.compute("not.pred", &[positive])
            }
            Operand::Immediate(value) => {
                let bits = match (*value, file) {
                    (Immediate::Int(v), File::R32) => v as u32 as u64,
                    (Immediate::Int(v), File::R64) => v as u64,
                    (Immediate::Int(v), File::Pred) => (v != 0) as u64,
                    (Immediate::F32(bits), File::R64) => (f32::from_bits(bits) as f64).to_bits(),
                    (Immediate::F32(bits), _) => bits as u64,
                    (Immediate::F64(bits), File::R64) => bits,
                    (Immediate::F64(bits), _) => (f64::from_bits(bits) as f32).to_bits() as u64,
                };
                Ok(self.immediate(file, bits))
            }
            other => Err(format!("operand {other:?}")),
        }
    }

    /// A register of the file with a name's value: a register's, or a variable's address.
    fn named(&mut self, name: &'a str, offset: i64, file: File) -> Lowered<u32> {
        if let Some(symbol) = self.scopes.find(name).or_else(|| self.module.symbol(name)) {
            let address = match symbol {
                Symbol::Register { file: its, number, ty } if offset == 0 => {
                    return match (its, file) {
                        (a, b) if a == b => Ok(number),
                        (File::R64, File::R32) => self.compute("%low32", &[number]),
                        (File::R32, File::R64) => {
                            let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32);
                            self.compute(if signed { "cvt.s64.s32" } else { "%widen" }, &[number])
                        }
                        _ => Err(format!("{name} is a predicate, or should be one")),
                    };
                }
                Symbol::Shared(variable) => {
                    self.shared_used.push(variable);
                    self.module.fixed(File::R64, Fixed::Shared { variable, offset })
                }
                Symbol::Global(variable) => self.module.fixed(File::R64, Fixed::Global { variable, offset }),
                Symbol::Local(start) => {
                    let at = start.wrapping_add(offset as u64);
                    if self.is_kernel {
                        self.immediate(File::R64, at)
                    } else {
                        let d = self.allocate(File::R64, 1);
                        self.system(System::LocalAddress, d, [0; 4], at as u32, vec![(File::R64, d)]);
                        d
                    }
                }
                Symbol::KernelParam { offset: start, .. } => {
                    self.immediate(File::R64, (start as u64).wrapping_add(offset as u64))
                }
                Symbol::Function(function) => {
                    self.calls.push(function);
                    self.module.fixed(File::R64, Fixed::Function(function))
                }
                _ => return Err(format!("operand {name}")),
            };
            return match file {
                File::R64 => Ok(address),
                File::R32 => self.compute("%low32", &[address]),
                File::Pred => Err(format!("operand {name}")),
            };
        }
        self.special_register(name, file)
    }

    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.scopes.find(name).or_else(|| self.module.symbol(name))
    }

    /// Number of a label; one that never stands is an error of the PTX.
    pub fn label(&mut self, name: &'a str) -> Lowered<u32> {
        match self.scopes.find(name) {
            Some(Symbol::Label(number)) => Ok(number),
            _ => Err(format!("label {name}")),
        }
    }

    /// The type that ends an instruction's modifiers.
    pub fn type_of(i: &Instruction<'a>) -> Lowered<Type> {
        i.modifiers.last().and_then(|m| Type::named(m)).ok_or_else(|| "its type".into())
    }

    /// Bytes and file of a type's registers.
    pub fn layout(ty: Type) -> (u32, File) {
        (ty.bytes(), file_of(ty))
    }
}
