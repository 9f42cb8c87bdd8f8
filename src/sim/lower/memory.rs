//! Loads, stores, atomics, and address conversions.

use super::function::{FunctionLowering, Lowered};
use super::scope::{Symbol, WordParam, file_of};
use super::widened_loads::{one_by_one, unread_bytes};
use crate::code::{Fixed, System, What, add_to};
use crate::counts::Class;
use crate::lanes::File;
use crate::memory::access::{Action, MAX_ELEMENTS, MemoryOp, Order, Role, SINK, Space};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::table::atomics;
use ptx::{Instruction, Operand, Type};

/// The meaning of a memory instruction's modifiers.
struct Modifiers {
    space: Option<Space>,
    vector: u8,
    ty: Type,
    order: Order,
    role: Role,
}

/// Returns the operands without a cache policy, which affects no result.
pub fn operands_of<'i, 'a>(i: &'i Instruction<'a>) -> &'i [Operand<'a>] {
    match &i.operands[..] {
        [rest @ .., _] if i.has("L2::cache_hint") => rest,
        all => all,
    }
}

/// Returns the memory that a modifier names.
pub fn space_named(modifier: &str) -> Option<Space> {
    Some(match modifier {
        "global" => Space::Global,
        "shared" | "shared::cta" => Space::Shared,
        "shared::cluster" => Space::Cluster,
        "local" => Space::Local,
        "const" => Space::Const,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}

/// Returns the memory that the first such modifier of an instruction names.
pub fn space_of(i: &Instruction) -> Option<Space> {
    i.modifiers.iter().find_map(|m| space_named(m))
}

fn modifiers(i: &Instruction) -> Lowered<Modifiers> {
    let ty = i.modifiers.last().and_then(|m| Type::named(m)).ok_or("its type")?;
    let mut found =
        Modifiers { space: space_of(i), vector: 1, ty, order: Order::Weak, role: Role::default() };
    for m in &i.modifiers {
        match *m {
            "v2" => found.vector = 2,
            "v4" => found.vector = 4,
            "v8" => found.vector = 8,
            "volatile" | "mmio" => found.order = Order::Volatile,
            "acquire" | "release" | "relaxed" | "acq_rel" => {
                found.order = Order::Strong;
                found.role.acquire |= matches!(*m, "acquire" | "acq_rel");
                found.role.release |= matches!(*m, "release" | "acq_rel");
            }
            "cta" => found.role.block_only = true,
            "nc" => found.role.read_only = true,
            _ => {}
        }
    }
    Ok(found)
}

/// Where an access's address comes from.
pub enum AddressSource {
    /// A register and an offset.
    Address { base: u32, offset: i64, space: Option<Space> },
    /// A parameter that is kept in registers.
    WordParam { param: WordParam, offset: i64 },
    /// A kernel parameter, at a constant offset.
    KernelParam { offset: i64 },
}

/// Creates an ordinary access at an offset from the address in a register, to elements of `element_bytes` bytes with
/// one register each.
pub fn plain_access(
    action: Action,
    (space, base, offset): (Space, u32, i64),
    (element_bytes, file): (u8, File),
    elements: &[u32],
) -> MemoryOp {
    let mut registers = [SINK; MAX_ELEMENTS];
    registers.iter_mut().zip(elements).for_each(|(register, element)| *register = *element);
    let (signed, order, role) = (false, Order::Weak, Role::default());
    let elements = elements.len() as u8;
    MemoryOp { action, space, base, offset, element_bytes, signed, elements, registers, file, order, role }
}

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it is a memory instruction; returns whether it is.
    pub fn memory(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        match i.opcode {
            "ld" | "ldu" => self.load(i)?,
            "st" => self.store(i)?,
            "atom" | "red" => self.atomic(i)?,
            "cvta" => self.convert_address(i)?,
            "isspacep" => self.is_space(i)?,
            "mapa" => self.map_shared(i)?,
            "getctarank" => self.shared_rank(i)?,
            "cp" if i.modifiers.first() == Some(&"async") => self.copy_async(i)?,
            "cp" if i.has("tensor") => self.copy_tensor(i)?,
            "tex" => self.fetch_texture(i)?,
            "suld" | "sust" => self.access_surface(i)?,
            "prefetch" | "prefetchu" | "discard" | "applypriority" | "createpolicy" => {
                self.nothing(Class::Other);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub fn place(&mut self, operand: &Operand<'a>) -> Lowered<AddressSource> {
        let Operand::Address { base, offset } = operand else {
            return Err(format!("address {operand:?}"));
        };
        let Some(name) = base else {
            let base = self.immediate(File::R64, *offset as u64);
            return Ok(AddressSource::Address { base, offset: 0, space: None });
        };
        let symbol = self.symbol(name);
        // "immOff is a 32-bit signed integer" (PTX ISA 6.4.1.1). For an address in a variable, the compiler writes
        // larger offsets if a constant index is far out of bounds; that is reported at run time, like any other
        // access out of bounds.
        let variable = matches!(symbol, Some(Symbol::Shared(_) | Symbol::Global(_) | Symbol::Local(_)));
        if !variable && i32::try_from(*offset).is_err() {
            return Err(format!("an address {offset} bytes from {name}"));
        }
        Ok(match symbol {
            Some(Symbol::WordParam(param)) => AddressSource::WordParam { param, offset: *offset },
            Some(Symbol::KernelParam { offset: start, .. }) => {
                AddressSource::KernelParam { offset: start as i64 + offset }
            }
            Some(Symbol::Shared(variable)) => {
                self.module.note_shared(variable);
                let base = self.module.fixed(File::R64, Fixed::Shared { variable, offset: *offset });
                AddressSource::Address { base, offset: 0, space: Some(Space::Shared) }
            }
            Some(Symbol::Global(variable)) => {
                let base = self.module.fixed(File::R64, Fixed::Global { variable, offset: *offset });
                AddressSource::Address { base, offset: 0, space: Some(Space::Global) }
            }
            Some(Symbol::Local(_)) => {
                let base = self.source(&Operand::Offset { name, offset: *offset }, File::R64)?;
                AddressSource::Address { base, offset: 0, space: Some(Space::Local) }
            }
            _ => {
                let base = self.source(&Operand::Name(name), File::R64)?;
                AddressSource::Address { base, offset: *offset, space: None }
            }
        })
    }

    fn access_class(store: bool, space: Space) -> Class {
        match (space, store) {
            (Space::Shared | Space::Cluster, false) => Class::LoadShared,
            (Space::Shared | Space::Cluster, true) => Class::StoreShared,
            (Space::Local, false) => Class::LoadLocal,
            (Space::Local, true) => Class::StoreLocal,
            (Space::Const | Space::Param, _) => Class::LoadConst,
            (_, false) => Class::LoadGlobal,
            (_, true) => Class::StoreGlobal,
        }
    }

    /// Adds a memory instruction, and notes what it means for the kernel as a whole.
    pub fn push_memory(&mut self, mut op: MemoryOp) {
        if op.order != Order::Weak || matches!(op.action, Action::Atomic { .. }) {
            self.module.note_communication(op.space);
            if !matches!(op.action, Action::Store) && op.registers[0] != SINK {
                self.module.note_value(op.space);
                op.role.returns = matches!(op.action, Action::Atomic { .. });
            }
        }
        if matches!(op.space, Space::Shared | Space::Cluster | Space::Generic) {
            self.module.note_shared_access(op.element_bytes as u32);
        }
        let number = add_to(&mut self.module.code.details.memory, op);
        self.emit(What::Memory, 0, [0; 4], number);
    }

    pub fn elements(operand: &Operand<'a>) -> Vec<Operand<'a>> {
        match operand {
            Operand::Vector(elements) => elements.clone(),
            other => vec![other.clone()],
        }
    }

    fn load(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let m = modifiers(i)?;
        let [dest, address] = operands_of(i) else { return Err("its operands".into()) };
        if self.is_of_shared_variable(address)
            && let Some(single) = one_by_one(i, m.ty.bytes(), &self.loads.unread_elements)
        {
            return single.iter().try_for_each(|i| self.load(i));
        }
        let dests = Self::elements(dest);
        let place = self.place(address)?;
        let bytes = m.ty.bytes();
        let signed = matches!(m.ty, Type::S8 | Type::S16 | Type::S32);
        match place {
            AddressSource::KernelParam { offset } => {
                self.count_as(Class::LoadConst);
                for (k, dest) in dests.iter().enumerate() {
                    self.load_kernel_param(dest, offset + k as i64 * bytes as i64, bytes, signed)?;
                }
                Ok(())
            }
            AddressSource::WordParam { param, offset } => {
                self.count_as(Class::Move);
                for (k, dest) in dests.iter().enumerate() {
                    let at = offset + k as i64 * bytes as i64;
                    self.load_word_param(dest, param, at, bytes, signed)?;
                }
                Ok(())
            }
            AddressSource::Address { base, offset, space } => {
                let space = m.space.or(space).unwrap_or(Space::Generic);
                self.count_as(Self::access_class(false, space));
                let (file, registers) = match (m.ty, &dests[..]) {
                    (Type::B128, [dest]) => (File::R64, self.halves_of(dest)?.to_vec()),
                    (Type::B128, _) => return Err("its vector".into()),
                    _ => self.targets(&dests, bytes)?,
                };
                let unread = unread_bytes(&dests, bytes, &self.loads.unread_elements);
                let data = self.loads.data.contains(&i.span.start);
                if data {
                    self.module.note_data();
                }
                let guess = self.loads.guesses.contains(&i.span.start);
                let polls = self.loads.polls.contains(&i.span.start);
                let own = self.loads.own.contains(&i.span.start);
                let role = Role { guess, data, polls, own, unread, ..m.role };
                if registers.len() > MAX_ELEMENTS {
                    return Err("its vector".into());
                }
                let element = (bytes.min(8) as u8, file);
                let plain = plain_access(Action::Load, (space, base, offset), element, &registers);
                self.push_memory(MemoryOp { signed, order: m.order, role, ..plain });
                Ok(())
            }
        }
    }

    /// Returns whether an address is at a constant offset in a shared variable.
    fn is_of_shared_variable(&self, address: &Operand<'a>) -> bool {
        matches!(address, Operand::Address { base: Some(name), .. } if matches!(self.symbol(name), Some(Symbol::Shared(_))))
    }

    /// Returns the register file and the registers that a load's elements of `bytes` bytes each go to.
    pub fn targets(&self, dests: &[Operand<'a>], bytes: u32) -> Lowered<(File, Vec<u32>)> {
        let mut file = if bytes == 8 { File::R64 } else { File::R32 };
        for dest in dests {
            if let Operand::Name(name) = dest
                && let Some(Symbol::Register { file: its, .. }) = self.symbol(name)
            {
                if bytes == 8 && its != File::R64 {
                    return Err("a narrow register".into());
                }
                file = its;
            }
        }
        let target = |dest: &Operand<'a>| match dest {
            Operand::Sink => Ok(SINK),
            Operand::Name(name) => match self.symbol(name) {
                Some(Symbol::Register { file: its, number, .. }) if its == file => Ok(number),
                _ => Err(format!("result in {name}")),
            },
            other => Err(format!("result in {other:?}")),
        };
        Ok((file, dests.iter().map(target).collect::<Lowered<_>>()?))
    }

    /// Returns the two 64-bit registers of a 128-bit operand.
    pub fn halves_of(&self, operand: &Operand<'a>) -> Lowered<[u32; 2]> {
        match operand {
            Operand::Name(name) => match self.symbol(name) {
                Some(Symbol::Register { number, ty: Type::B128, .. }) => Ok([number, number + 1]),
                _ => Err(format!("128 bits in {name}")),
            },
            other => Err(format!("128 bits in {other:?}")),
        }
    }

    fn load_kernel_param(
        &mut self,
        dest: &Operand<'a>,
        offset: i64,
        bytes: u32,
        signed: bool,
    ) -> Lowered<()> {
        let Operand::Name(name) = dest else { return Err("its result".into()) };
        let Some(Symbol::Register { file, number, .. }) = self.symbol(name) else {
            return Err(format!("result in {name}"));
        };
        let kernel = self.kernel;
        let value = Fixed::Param { kernel, offset: offset.max(0) as u32, bytes: bytes.min(8), signed };
        let source = self.module.fixed(file, value);
        self.row(if file == File::R64 { "mov.b64" } else { "mov.b32" }, number, &[source])
    }

    fn load_word_param(
        &mut self,
        dest: &Operand<'a>,
        param: WordParam,
        offset: i64,
        bytes: u32,
        signed: bool,
    ) -> Lowered<()> {
        let word = param.word(offset, bytes)?;
        let Operand::Name(name) = dest else { return Ok(()) };
        let Some(Symbol::Register { file, number, .. }) = self.symbol(name) else {
            return Err(format!("result in {name}"));
        };
        let narrow = match bytes {
            8 => {
                return self.row("%join64", number, &[word, word + 1]);
            }
            4 => word,
            _ => {
                let part = self.immediate(File::R32, offset as u64 % 4 / bytes as u64);
                let value = self.compute(if bytes == 1 { "%byte" } else { "%half" }, &[word, part])?;
                match (signed, bytes) {
                    (false, _) => value,
                    (true, 1) => self.compute("%sign8", &[value])?,
                    (true, _) => self.compute("%sign16", &[value])?,
                }
            }
        };
        match file {
            File::R64 => self.row(if signed { "cvt.s64.s32" } else { "%widen" }, number, &[narrow]),
            _ => self.row("mov.b32", number, &[narrow]),
        }
    }

    fn store(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        if i.modifiers.iter().any(|m| matches!(*m, "async" | "bulk")) {
            return Err(String::new());
        }
        let m = modifiers(i)?;
        let [address, value] = operands_of(i) else { return Err("its operands".into()) };
        let values = Self::elements(value);
        let bytes = m.ty.bytes();
        match self.place(address)? {
            AddressSource::KernelParam { .. } => Err("a store to a kernel's parameter".into()),
            AddressSource::WordParam { param, offset } => {
                self.count_as(Class::Move);
                for (k, value) in values.iter().enumerate() {
                    let at = offset + k as i64 * bytes as i64;
                    self.store_word_param(value, param, at, bytes)?;
                }
                Ok(())
            }
            AddressSource::Address { base, offset, space } => {
                let space = m.space.or(space).unwrap_or(Space::Generic);
                self.count_as(Self::access_class(true, space));
                let (file, registers) = match (m.ty, &values[..]) {
                    (Type::B128, [value]) => (File::R64, self.halves_of(value)?.to_vec()),
                    (Type::B128, _) => return Err("its vector".into()),
                    _ => {
                        let wide = values.iter().any(|v| self.is_wide(v));
                        let file = if wide { File::R64 } else { file_of(m.ty) };
                        let sources = values.iter().take(MAX_ELEMENTS + 1);
                        (file, sources.map(|value| self.source(value, file)).collect::<Lowered<_>>()?)
                    }
                };
                if registers.len() > MAX_ELEMENTS {
                    return Err("its vector".into());
                }
                let element = (bytes.min(8) as u8, file);
                let plain = plain_access(Action::Store, (space, base, offset), element, &registers);
                self.push_memory(MemoryOp { order: m.order, role: m.role, ..plain });
                Ok(())
            }
        }
    }

    fn is_wide(&self, operand: &Operand<'a>) -> bool {
        let Operand::Name(name) = operand else { return false };
        matches!(self.symbol(name), Some(Symbol::Register { file: File::R64, .. }))
    }

    fn store_word_param(
        &mut self,
        value: &Operand<'a>,
        param: WordParam,
        offset: i64,
        bytes: u32,
    ) -> Lowered<()> {
        let word = param.word(offset, bytes)?;
        if bytes == 8 {
            let wide = self.source(value, File::R64)?;
            self.row("%low32", word, &[wide])?;
            return self.row("%high32", word + 1, &[wide]);
        }
        let narrow = self.source(value, File::R32)?;
        if bytes == 4 {
            return self.row("mov.b32", word, &[narrow]);
        }
        let part = self.immediate(File::R32, offset as u64 % 4 / bytes as u64);
        self.row(if bytes == 1 { "%set_byte" } else { "%set_half" }, word, &[word, narrow, part])
    }

    fn atomic(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let m = modifiers(i)?;
        let reduce = i.opcode == "red";
        if m.vector != 1 || i.has("async") {
            return Err(String::new());
        }
        let name = i
            .modifiers
            .iter()
            .find(|m| ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"].contains(m));
        let type_name = i.modifiers.last().copied().unwrap_or_default();
        let name = *name.ok_or("its operator")?;
        let mut operands = operands_of(i).iter();
        let dest = if reduce { None } else { operands.next() };
        let address = operands.next().ok_or("its address")?;
        let (base, offset, space) = match self.place(address)? {
            AddressSource::Address { base, offset, space } => {
                (base, offset, m.space.or(space).unwrap_or(Space::Generic))
            }
            _ => return Err("an atomic on a parameter".into()),
        };
        let apply = atomics::find(name, type_name, space).ok_or("its operator and type")?;
        let bytes = m.ty.bytes();
        let file = file_of(m.ty);
        let mut values = Vec::new();
        for operand in operands {
            values.push(self.source(operand, file)?);
        }
        // For `cas` the comparand comes first.
        let (operand, comparand) = match (name, &values[..]) {
            ("cas", [comparand, value]) => (*value, *comparand),
            (_, [value]) => (*value, SINK),
            _ => return Err("its operands".into()),
        };
        let register = match dest {
            None | Some(Operand::Sink) => SINK,
            Some(dest) => self.destination(dest, file)?.0,
        };
        self.count_as(Class::Atomic);
        let action = Action::Atomic { apply, operand, comparand };
        let plain = plain_access(action, (space, base, offset), (bytes as u8, file), &[register]);
        self.push_memory(MemoryOp { order: Order::Strong, role: m.role, ..plain });
        Ok(())
    }

    /// Lowers `cvta`, which converts between an address in a space and a generic one.
    fn convert_address(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let to_space = i.has("to");
        let window = match space_of(i).ok_or("its space")? {
            Space::Global | Space::Const | Space::Generic => 0,
            Space::Shared | Space::Cluster => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
        };
        let [dest, source] = &i.operands[..] else { return Err("its operands".into()) };
        self.count_as(Class::IntAdd);
        let (d, _) = self.destination(dest, File::R64)?;
        let source = self.source(source, File::R64)?;
        if window == 0 {
            return self.row("mov.b64", d, &[source]);
        }
        let window = self.immediate(File::R64, if to_space { window.wrapping_neg() } else { window });
        self.row("add.u64", d, &[source, window])
    }

    /// Lowers `mapa`, which maps an address to the shared memory of another block of the cluster.
    fn map_shared(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let [dest, address, rank] = &i.operands[..] else { return Err("its operands".into()) };
        self.module.note_cluster();
        self.count_as(Class::IntAdd);
        let (address, rank) = (self.source(address, File::R64)?, self.source(rank, File::R32)?);
        let mapped = self.allocate(File::R64, 1);
        let generic = !i.has("shared::cluster");
        let s = [address, rank, 0, 0];
        self.system(System::MapShared, mapped, s, generic as u32);
        let (row, file) = match i.modifiers.last() {
            Some(&"u32") => ("%low32", File::R32),
            _ => ("mov.b64", File::R64),
        };
        let (d, _) = self.destination(dest, file)?;
        self.row(row, d, &[mapped])
    }

    /// Lowers `getctarank`, which returns the block whose shared memory contains an address.
    fn shared_rank(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let [dest, address] = &i.operands[..] else { return Err("its operands".into()) };
        self.module.note_cluster();
        self.count_as(Class::IntAdd);
        let address = self.source(address, File::R64)?;
        let (d, _) = self.destination(dest, File::R32)?;
        let generic = !i.has("shared::cluster");
        self.system(System::SharedRank, d, [address, 0, 0, 0], generic as u32);
        Ok(())
    }

    fn is_space(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let space = i.modifiers.first().and_then(|m| space_named(m)).ok_or("its space")?;
        let [dest, source] = &i.operands[..] else { return Err("its operands".into()) };
        self.count_as(Class::Compare);
        let (d, _) = self.destination(dest, File::Pred)?;
        let source = self.source(source, File::R64)?;
        self.system(System::IsSpace, d, [source, 0, 0, 0], space as u32);
        Ok(())
    }
}
