//! Evaluates an expression for a thread, from its registers and from memory.

use crate::expression::{Builtin, Expression, ExpressionError, Node, Operator, builtin};
use crate::program::Program;
use crate::value::{Shown, Value};
use crate::variables::{self, Type};
use sim::{Address, Frame, LOCAL_WINDOW, Register, SHARED_WINDOW, State, Stored};

/// Maximum number of array elements shown.
const MAX_ELEMENTS: u64 = 8;

/// A thread at its place, before an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    pub warp: u32,
    pub lane: u32,
    pub pc: u32,
    pub frame: Frame,
}

/// The result of a subexpression: a value, or a place in memory.
#[derive(Clone, Debug)]
enum Part {
    Value(Value),
    Memory { space: Space, at: u64, ty: Type },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Shared,
    Global,
    /// Address relative to the frame's local memory.
    Local,
    /// Address relative to the thread's local memory.
    OwnLocal,
}

/// Why a subexpression has no value: for this thread only, or for any.
enum Unavailable {
    Shown(Shown),
    Error(ExpressionError),
}

impl From<ExpressionError> for Unavailable {
    fn from(error: ExpressionError) -> Unavailable {
        Unavailable::Error(error)
    }
}

impl Expression {
    /// Evaluates the expression for a thread.
    ///
    /// # Errors
    /// The expression has no meaning for any thread.
    pub fn value(&self, program: &Program, state: &State, thread: Thread) -> Result<Shown, ExpressionError> {
        let reading = Reading { program, state, thread };
        match reading.part(&self.root).and_then(|part| reading.shown(part)) {
            Ok(shown) | Err(Unavailable::Shown(shown)) => Ok(shown),
            Err(Unavailable::Error(error)) => Err(error),
        }
    }
}

/// Returns the value of a variable for a thread.
pub fn variable(program: &Program, state: &State, thread: Thread, variable: &variables::Variable) -> Shown {
    let reading = Reading { program, state, thread };
    match reading.of_variable(variable).and_then(|part| reading.shown(part)) {
        Ok(shown) | Err(Unavailable::Shown(shown)) => shown,
        Err(Unavailable::Error(_)) => Shown::OptimisedOut,
    }
}

/// Returns the bits of a register for a thread.
pub fn register(state: &State, thread: Thread, register: Register) -> Shown {
    match state.register(thread.warp, thread.frame, register, thread.lane) {
        Some(bits) => Shown::Value(Value::Bits { bits, bytes: register.bytes() }),
        None => Shown::NoValue,
    }
}

struct Reading<'r> {
    program: &'r Program<'r>,
    state: &'r State<'r>,
    thread: Thread,
}

impl Reading<'_> {
    fn part(&self, node: &Node) -> Result<Part, Unavailable> {
        match node {
            Node::Number(value) => Ok(Part::Value(value.clone())),
            Node::Name(name) => self.named(name),
            Node::Register(name) => self.register(name),
            Node::Builtin(which, axis) => {
                let (config, thread) = (&self.program.config, self.thread);
                let of = match which {
                    Builtin::ThreadIdx => self.program.thread_index(thread.warp, thread.lane),
                    Builtin::BlockIdx => self.program.block_index,
                    Builtin::BlockDim => config.block,
                    Builtin::GridDim => config.grid,
                };
                let value = [of.x, of.y, of.z][usize::from(*axis % 3)];
                Ok(Part::Value(Value::int(value.into(), 4, false)))
            }
            Node::Index(of, index) => {
                let of = self.part(of)?;
                let index = self.integer(index)?;
                self.element(of, index)
            }
            Node::Star(of) => {
                let of = self.part(of)?;
                self.element(of, 0)
            }
            Node::Member(of, name) => self.member(of, name),
            Node::Unary(operator, of) => {
                let value = self.scalar(of)?;
                if *operator == b'!' {
                    let truth = value.is_true().ok_or(ExpressionError::NotNumeric("!".into()))?;
                    return Ok(Part::Value(Value::Bool(!truth)));
                }
                Ok(Part::Value(match value {
                    Value::Float { value, bytes } => Value::Float { value: -value, bytes },
                    Value::Int { value, bytes, signed } => {
                        Value::int(value.wrapping_neg(), bytes.max(4), signed)
                    }
                    other => {
                        let value = other.integer().ok_or(ExpressionError::NotNumeric("-".into()))?;
                        Value::int(value.wrapping_neg(), 4, true)
                    }
                }))
            }
            Node::Binary(operator, left, right) => self.binary(*operator, left, right),
        }
    }

    fn named(&self, name: &str) -> Result<Part, Unavailable> {
        let variables = &self.program.variables;
        if let Some(variable) = variables.visible(name, self.thread.pc) {
            return self.of_variable(variable);
        }
        if let Some(array) = self.program.shared.iter().find(|array| array.name == name) {
            return Ok(Part::Memory { space: Space::Shared, at: array.start, ty: array.ty.clone() });
        }
        if let Some(array) = self.program.globals.iter().find(|array| array.name == name) {
            return Ok(Part::Memory { space: Space::Global, at: array.start, ty: array.ty.clone() });
        }
        if variables.is_known(name) {
            return Err(Unavailable::Shown(Shown::NotHere));
        }
        if name == "warpSize" {
            return Ok(Part::Value(Value::int(32, 4, true)));
        }
        if builtin(name).is_some() {
            return Err(ExpressionError::NotNumeric(name.to_owned()).into());
        }
        Err(ExpressionError::Unknown(name.to_owned()).into())
    }

    fn of_variable(&self, variable: &variables::Variable) -> Result<Part, Unavailable> {
        let part = self.place_of(variable)?;
        match (&variable.ty, part) {
            (Type::Reference(_), Part::Value(Value::Pointer { address, to })) => Ok(referred(address, to)),
            (_, part) => self.followed(part),
        }
    }

    /// Dereferences a reference; anything else is returned unchanged.
    fn followed(&self, part: Part) -> Result<Part, Unavailable> {
        let Part::Memory { space, at, ty: Type::Reference(to) } = part else { return Ok(part) };
        match self.stored(space, at, 8) {
            Ok(Stored { written: false, .. }) => Err(Unavailable::Shown(Shown::NoValue)),
            Ok(Stored { bits, .. }) => Ok(referred(bits, *to)),
            Err(shown) => Err(Unavailable::Shown(shown)),
        }
    }

    fn place_of(&self, variable: &variables::Variable) -> Result<Part, Unavailable> {
        let nowhere =
            if variable.has_location_by(self.thread.pc) { Shown::OptimisedOut } else { Shown::NoValue };
        let place = variable.place(self.thread.pc).ok_or(Unavailable::Shown(nowhere))?;
        match place {
            variables::Storage::Local(at) => {
                Ok(Part::Memory { space: Space::Local, at, ty: variable.ty.clone() })
            }
            variables::Storage::Register(register) => {
                let (warp, frame, lane) = (self.thread.warp, self.thread.frame, self.thread.lane);
                let bits = self.state.register(warp, frame, register, lane);
                let bits = bits.ok_or(Unavailable::Shown(Shown::NoValue))?;
                // A structure held in a register is not split into members.
                let bytes = register.bytes();
                Ok(Part::Value(Value::of_bits(bits, &variable.ty).unwrap_or(Value::Bits { bits, bytes })))
            }
        }
    }

    fn register(&self, name: &str) -> Result<Part, Unavailable> {
        let symbols = self.program.symbols;
        let function = symbols.function_at(self.thread.pc).ok_or(Unavailable::Shown(Shown::NotHere))?;
        let found = symbols.register(function, name);
        let found = found.ok_or_else(|| ExpressionError::NoRegister(name.to_owned()))?;
        match register(self.state, self.thread, found) {
            Shown::Value(value) => Ok(Part::Value(value)),
            other => Err(Unavailable::Shown(other)),
        }
    }

    fn integer(&self, node: &Node) -> Result<i64, Unavailable> {
        let value = self.scalar(node)?;
        value.integer().ok_or_else(|| ExpressionError::NotNumeric("[ ]".into()).into())
    }

    fn scalar(&self, node: &Node) -> Result<Value, Unavailable> {
        let part = self.part(node)?;
        match self.shown(part)? {
            Shown::Value(value) => Ok(value),
            other => Err(Unavailable::Shown(other)),
        }
    }

    fn element(&self, of: Part, index: i64) -> Result<Part, Unavailable> {
        let (space, start, ty) = match of {
            Part::Value(Value::Pointer { address, to }) => {
                let (space, at) = space_of(address);
                let at = at.wrapping_add((index as u64).wrapping_mul(to.bytes().max(1)));
                return Ok(Part::Memory { space, at, ty: to });
            }
            Part::Value(_) => return Err(ExpressionError::NoElements.into()),
            Part::Memory { space, at, ty } => (space, at, ty),
        };
        match ty {
            Type::Array(of, extents) => {
                let (first, rest) = extents.split_first().ok_or(ExpressionError::NoElements)?;
                if u64::try_from(index).ok().is_none_or(|index| index >= *first) {
                    return Err(Unavailable::Shown(Shown::Outside));
                }
                let ty = if rest.is_empty() { *of } else { Type::Array(of, rest.to_vec()) };
                Ok(Part::Memory { space, at: start + index as u64 * ty.bytes(), ty })
            }
            Type::Pointer(_) => {
                let pointer = self.shown(Part::Memory { space, at: start, ty })?;
                match pointer {
                    Shown::Value(value) => self.element(Part::Value(value), index),
                    other => Err(Unavailable::Shown(other)),
                }
            }
            _ => Err(ExpressionError::NoElements.into()),
        }
    }

    fn member(&self, of: &Node, name: &str) -> Result<Part, Unavailable> {
        let missing = || Unavailable::Error(ExpressionError::NoMember(name.to_owned()));
        match self.part(of)? {
            Part::Memory { space, at, ty: Type::Struct { members, .. } } => {
                let (offset, ty) = member_of(&members, name).ok_or_else(missing)?;
                self.followed(Part::Memory { space, at: at + offset, ty })
            }
            _ => Err(missing()),
        }
    }

    fn binary(&self, operator: Operator, left: &Node, right: &Node) -> Result<Part, Unavailable> {
        let no_number = || ExpressionError::NotNumeric(operator.sign().to_owned());
        let a = self.scalar(left)?;
        if let (Operator::And | Operator::Or, Some(truth)) = (operator, a.is_true())
            && truth == (operator == Operator::Or)
        {
            return Ok(Part::Value(Value::Bool(truth)));
        }
        let b = self.scalar(right)?;
        if let Operator::And | Operator::Or = operator {
            let truth = b.is_true().ok_or_else(no_number)?;
            return Ok(Part::Value(Value::Bool(truth)));
        }
        if let (Value::Pointer { address, to }, Operator::Plus | Operator::Minus) = (&a, operator)
            && let Some(index) = b.integer()
        {
            let by = (index as u64).wrapping_mul(to.bytes().max(1));
            let address =
                if operator == Operator::Plus { address.wrapping_add(by) } else { address.wrapping_sub(by) };
            return Ok(Part::Value(Value::Pointer { address, to: to.clone() }));
        }
        let floats = [&a, &b].iter().any(|value| matches!(value, Value::Float { .. }));
        if floats {
            let x = a.number().ok_or_else(no_number)?;
            let y = b.number().ok_or_else(no_number)?;
            let width = |value: &Value| match value {
                Value::Float { bytes, .. } => *bytes,
                _ => 0,
            };
            let value = of_floats(operator, x, y, width(&a).max(width(&b)));
            return Ok(Part::Value(value.ok_or_else(no_number)?));
        }
        let integer = |value: &Value| match value {
            Value::Pointer { address, .. } => Some(*address as i64),
            other => other.integer(),
        };
        let x = integer(&a).ok_or_else(no_number)?;
        let y = integer(&b).ok_or_else(no_number)?;
        let kind = |value: &Value| match value {
            Value::Int { bytes, signed, .. } if *bytes >= 4 => (*bytes, *signed),
            Value::Pointer { .. } => (8, false),
            Value::Bits { bytes, .. } => ((*bytes).max(4), false),
            _ => (4, true),
        };
        let ((ba, sa), (bb, sb)) = (kind(&a), kind(&b));
        let bytes = ba.max(bb);
        // As in C: of two integers of the same size, the unsigned one wins.
        let signed = (sa || ba < bytes) && (sb || bb < bytes);
        of_integers(operator, x, y, bytes, signed)
            .map(Part::Value)
            .ok_or(Unavailable::Shown(Shown::Undefined))
    }

    /// Loads the value at a place in memory; values are returned unchanged.
    fn shown(&self, part: Part) -> Result<Shown, Unavailable> {
        let (space, at, ty) = match part {
            Part::Value(value) => return Ok(Shown::Value(value)),
            Part::Memory { space, at, ty } => (space, at, ty),
        };
        Ok(self.at(space, at, &ty))
    }

    fn at(&self, space: Space, at: u64, ty: &Type) -> Shown {
        match ty {
            Type::Array(of, extents) => {
                let count = extents.iter().product::<u64>();
                let elements = (0..count.min(MAX_ELEMENTS)).map(|n| self.at(space, at + n * of.bytes(), of));
                Shown::Value(Value::Array { elements: elements.collect(), count })
            }
            Type::Struct { members, .. } => {
                let member =
                    |m: &variables::Member| (m.name.clone(), self.at(space, at + u64::from(m.offset), &m.ty));
                Shown::Value(Value::Struct(members.iter().map(member).collect()))
            }
            Type::Reference(to) => match self.stored(space, at, 8) {
                Ok(Stored { written: true, bits, .. }) => {
                    let (space, at) = space_of(bits);
                    self.at(space, at, to)
                }
                Ok(_) => Shown::NoValue,
                Err(shown) => shown,
            },
            // Of the underlying integer, only the bytes that hold the field's bits need to have been written.
            Type::BitField { first, bits, .. } => {
                let bytes = u64::from(first / 8)..u64::from((first + bits).div_ceil(8)).min(ty.bytes());
                let mut all = 0;
                for byte in bytes {
                    match self.stored(space, at + byte, 1) {
                        Ok(Stored { written: true, bits, .. }) => all |= bits << (8 * byte),
                        Ok(_) => return Shown::NoValue,
                        Err(shown) => return shown,
                    }
                }
                Value::of_bits(all, ty).map_or(Shown::NotKept, Shown::Value)
            }
            scalar => {
                let bytes = scalar.bytes();
                if bytes == 0 || bytes > 8 {
                    return Shown::NotKept;
                }
                match self.stored(space, at, bytes as u32) {
                    Ok(Stored { written: false, .. }) => Shown::NoValue,
                    Ok(Stored { bits, .. }) => {
                        Value::of_bits(bits, scalar).map_or(Shown::NotKept, Shown::Value)
                    }
                    Err(shown) => shown,
                }
            }
        }
    }

    fn stored(&self, space: Space, at: u64, bytes: u32) -> Result<Stored, Shown> {
        let Thread { warp, lane, frame, .. } = self.thread;
        match space {
            Space::Shared => self.state.shared(at, bytes).ok_or(Shown::Outside),
            Space::Global => {
                let kept = self.state.recording().buffers().next().is_some();
                let missing = if kept { Shown::Outside } else { Shown::NotKept };
                self.state.global(Address(at), bytes).ok_or(missing)
            }
            Space::Local => self.state.local(warp, frame, at, lane, bytes).ok_or(Shown::Outside),
            Space::OwnLocal => self.state.own_local(warp, at, lane, bytes).ok_or(Shown::Outside),
        }
    }
}

/// Returns the place that a reference with that address refers to.
fn referred(address: u64, to: Type) -> Part {
    let (space, at) = space_of(address);
    Part::Memory { space, at, ty: to }
}

/// Returns the offset and the type of a member: one of the structure's own, or else of a base class, which the
/// compiler describes as a member.
fn member_of(members: &[variables::Member], name: &str) -> Option<(u64, Type)> {
    const BASE: &str = "__b_";
    let own = members.iter().find(|member| member.name == name);
    let own = own.map(|member| (u64::from(member.offset), member.ty.clone()));
    own.or_else(|| {
        members.iter().filter(|member| member.name.starts_with(BASE)).find_map(|base| {
            let Type::Struct { members, .. } = &base.ty else { return None };
            let (offset, ty) = member_of(members, name)?;
            Some((u64::from(base.offset) + offset, ty))
        })
    })
}

/// Splits a generic address into its memory space and the address there.
fn space_of(address: u64) -> (Space, u64) {
    const WINDOW_BYTES: u64 = 1 << 32;
    for (window, space) in [(SHARED_WINDOW, Space::Shared), (LOCAL_WINDOW, Space::OwnLocal)] {
        if address.wrapping_sub(window) < WINDOW_BYTES {
            return (space, address - window);
        }
    }
    (Space::Global, address)
}

fn compared<T: PartialOrd>(operator: Operator, x: T, y: T) -> Option<Value> {
    Some(Value::Bool(match operator {
        Operator::Equal => x == y,
        Operator::NotEqual => x != y,
        Operator::Less => x < y,
        Operator::AtMost => x <= y,
        Operator::Greater => x > y,
        Operator::AtLeast => x >= y,
        _ => return None,
    }))
}

/// Applies an operator to floats; `None` if it takes no floats.
fn of_floats(operator: Operator, x: f64, y: f64, bytes: u32) -> Option<Value> {
    if let Some(value) = compared(operator, x, y) {
        return Some(value);
    }
    let value = match operator {
        Operator::Plus => x + y,
        Operator::Minus => x - y,
        Operator::Times => x * y,
        Operator::Divided => x / y,
        _ => return None,
    };
    Some(Value::Float { value: if bytes == 4 { f64::from(value as f32) } else { value }, bytes })
}

/// Applies an operator to integers; `None` where C leaves the result undefined.
fn of_integers(operator: Operator, x: i64, y: i64, bytes: u32, signed: bool) -> Option<Value> {
    // Converts an operand to the common type.
    let common = |value: i64| match Value::int(value, bytes, signed) {
        Value::Int { value, .. } => value,
        _ => value,
    };
    let (x, y) = (common(x), common(y));
    let (ux, uy) = (x as u64, y as u64);
    let truth = if signed { compared(operator, x, y) } else { compared(operator, ux, uy) };
    if let Some(value) = truth {
        return Some(value);
    }
    let value = match operator {
        Operator::Plus => x.wrapping_add(y),
        Operator::Minus => x.wrapping_sub(y),
        Operator::Times => x.wrapping_mul(y),
        Operator::BitOr => x | y,
        Operator::BitXor => x ^ y,
        Operator::BitAnd => x & y,
        // A shift by a negative amount, or by at least the width, is undefined in C.
        Operator::Left | Operator::Right if uy >= u64::from(bytes) * 8 => return None,
        Operator::Left => x << y,
        Operator::Right if signed => x >> y,
        Operator::Right => (ux >> uy) as i64,
        _ if y == 0 => return None,
        Operator::Divided if signed => x.wrapping_div(y),
        Operator::Divided => (ux / uy) as i64,
        _ if signed => x.wrapping_rem(y),
        _ => (ux % uy) as i64,
    };
    Some(Value::int(value, bytes, signed))
}
