//! Translates rows of the instruction table, by name, to Cranelift instructions. Rows without a translation here
//! are executed by the interpreter's function.

use crate::region::Translator;
use crate::type_names::{float, integer};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F64, I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use sim::compiled::{Arithmetic, Operand};

/// Returns the integer comparison with this name in PTX.
pub fn integer_condition(name: &str, signed: bool) -> Option<IntCC> {
    Some(match (name, signed) {
        ("eq", _) => IntCC::Equal,
        ("ne", _) => IntCC::NotEqual,
        ("lt", true) => IntCC::SignedLessThan,
        ("le", true) => IntCC::SignedLessThanOrEqual,
        ("gt", true) => IntCC::SignedGreaterThan,
        ("ge", true) => IntCC::SignedGreaterThanOrEqual,
        ("lt", false) => IntCC::UnsignedLessThan,
        ("le", false) => IntCC::UnsignedLessThanOrEqual,
        ("gt", false) => IntCC::UnsignedGreaterThan,
        ("ge", false) => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

/// Returns the floating-point comparison with this name in PTX.
pub fn float_condition(name: &str) -> Option<FloatCC> {
    Some(match name {
        "eq" => FloatCC::Equal,
        "ne" => FloatCC::OrderedNotEqual,
        "lt" => FloatCC::LessThan,
        "le" => FloatCC::LessThanOrEqual,
        "gt" => FloatCC::GreaterThan,
        "ge" => FloatCC::GreaterThanOrEqual,
        "equ" => FloatCC::UnorderedOrEqual,
        "neu" => FloatCC::NotEqual,
        "ltu" => FloatCC::UnorderedOrLessThan,
        "leu" => FloatCC::UnorderedOrLessThanOrEqual,
        "gtu" => FloatCC::UnorderedOrGreaterThan,
        "geu" => FloatCC::UnorderedOrGreaterThanOrEqual,
        "num" => FloatCC::Ordered,
        "nan" => FloatCC::Unordered,
        _ => return None,
    })
}

/// A row that is being translated, and the operation that it belongs to.
struct Row<'e, 'r, 'f> {
    emit: &'e mut Translator<'r, 'f>,
    number: u32,
    from: &'e [Operand],
}

impl Translator<'_, '_> {
    /// Returns the result of a row, in the size of its destination register. If the row is left to the
    /// interpreter, code exits before operation `number`, of which nothing has been done.
    pub fn arithmetic(&mut self, number: u32, row: &Arithmetic) -> Value {
        let mut its = Row { emit: self, number, from: &row.from };
        let value = if row.plain { its.plain(row.name) } else { None };
        match value {
            Some(value) if self.b.func.dfg.value_type(value).bytes() == row.to.bytes => value,
            _ => self.run_row(row),
        }
    }
}

impl Row<'_, '_, '_> {
    /// Returns the result in the default mode; `None`, with nothing emitted, if there is no translation here.
    fn plain(&mut self, name: &str) -> Option<Value> {
        let parts: Vec<&str> = name.split('.').collect();
        match parts[..] {
            ["setp", condition, kind] => self.compare(condition, kind),
            ["cvt", to, from] => self.convert(to, from),
            ["cvt", "rzi", to, from] => self.truncate(to, from),
            ["selp", kind] => Some(self.choose(integer(kind)?.0)),
            [op, kind] if float(kind).is_some() => self.float_arithmetic(op, float(kind)?),
            [op, "pred"] => self.logic(op),
            ["shl" | "shr", kind] => Some(self.shift(parts[0] == "shl", integer(kind)?)),
            ["div" | "rem", kind] => Some(self.divide(parts[0] == "div", integer(kind)?)),
            ["mul" | "mad", part, kind] => self.multiply(parts[0] == "mad", part, integer(kind)?),
            [op, kind] => self.integer_arithmetic(op, integer(kind)?),
            [piece] => self.piece(piece),
            _ => None,
        }
    }

    /// Returns the low bits of operand `n` as an integer of type `kind`.
    fn int(&mut self, n: usize, kind: Type) -> Value {
        let operand = self.from[n];
        let bytes = match operand {
            Operand::Register(register) => register.bytes,
            Operand::Constant(_) => kind.bytes().max(4),
        };
        let value = self.emit.get(operand, bytes);
        let its = self.emit.b.func.dfg.value_type(value);
        let value = self.emit.cast(value, its.as_int());
        if its.bits() > kind.bits() { self.emit.b.ins().ireduce(kind, value) } else { value }
    }

    /// Returns operand `n` as a float of type `kind`.
    fn float(&mut self, n: usize, kind: Type) -> Value {
        match (self.from[n], kind) {
            (Operand::Constant(bits), F32) => self.emit.b.ins().f32const(f32::from_bits(bits as u32)),
            (Operand::Constant(bits), _) => self.emit.b.ins().f64const(f64::from_bits(bits)),
            (operand, _) => {
                let value = self.emit.get(operand, kind.bytes());
                self.emit.cast(value, kind)
            }
        }
    }

    /// Returns operand `n`, a predicate, as 0 or 1.
    fn predicate(&mut self, n: usize) -> Value {
        let value = self.emit.get(self.from[n], 1);
        self.emit.b.ins().icmp_imm(IntCC::NotEqual, value, 0)
    }

    /// Zero-extends a result of less than 32 bits to the register's 32.
    fn word(&mut self, value: Value) -> Value {
        let narrow = self.emit.b.func.dfg.value_type(value).bits() < 32;
        if narrow { self.emit.b.ins().uextend(I32, value) } else { value }
    }

    fn extend(&mut self, value: Value, to: Type, signed: bool) -> Value {
        match signed {
            _ if self.emit.b.func.dfg.value_type(value) == to => value,
            true => self.emit.b.ins().sextend(to, value),
            false => self.emit.b.ins().uextend(to, value),
        }
    }

    /// Leaves the operation to the interpreter if the value is NaN, since the interpreter knows which NaN a GPU
    /// would produce.
    fn number_only(&mut self, value: Value) -> Value {
        let is_nan = self.emit.b.ins().fcmp(FloatCC::Unordered, value, value);
        self.emit.exit_if(is_nan, self.number);
        value
    }

    fn compare(&mut self, condition: &str, kind: &str) -> Option<Value> {
        if let Some(kind) = float(kind) {
            let condition = float_condition(condition)?;
            let (a, b) = (self.float(0, kind), self.float(1, kind));
            return Some(self.emit.b.ins().fcmp(condition, a, b));
        }
        let (kind, signed) = integer(kind)?;
        let condition = integer_condition(condition, signed)?;
        let (a, b) = (self.int(0, kind), self.int(1, kind));
        Some(self.emit.b.ins().icmp(condition, a, b))
    }

    fn convert(&mut self, to: &str, from: &str) -> Option<Value> {
        match (float(to), float(from)) {
            (None, None) => {
                let ((to, to_signed), (from, signed)) = (integer(to)?, integer(from)?);
                let value = self.int(0, from);
                let value = match to.bits() < from.bits() {
                    true => self.emit.b.ins().ireduce(to, value),
                    false => self.extend(value, to, signed),
                };
                // A result narrower than its register is extended according to its own sign.
                Some(if to.bits() < 32 { self.extend(value, I32, to_signed) } else { value })
            }
            (Some(to), None) => {
                let (from, signed) = integer(from)?;
                let value = self.int(0, from);
                let value = self.extend(value, if from == I64 { I64 } else { I32 }, signed);
                let ins = self.emit.b.ins();
                Some(if signed { ins.fcvt_from_sint(to, value) } else { ins.fcvt_from_uint(to, value) })
            }
            (Some(F64), Some(F32)) => {
                let value = self.float(0, F32);
                let value = self.emit.b.ins().fpromote(F64, value);
                Some(self.number_only(value))
            }
            (Some(F32), Some(F64)) => {
                let value = self.float(0, F64);
                let value = self.emit.b.ins().fdemote(F32, value);
                Some(self.number_only(value))
            }
            _ => None,
        }
    }

    /// Converts a float to an integer, rounding toward zero and clamping to the integer's range.
    fn truncate(&mut self, to: &str, from: &str) -> Option<Value> {
        let ((to, signed), from) = (integer(to)?, float(from)?);
        if to.bits() < 32 {
            return None;
        }
        let value = self.float(0, from);
        let value = self.number_only(value);
        let ins = self.emit.b.ins();
        Some(if signed { ins.fcvt_to_sint_sat(to, value) } else { ins.fcvt_to_uint_sat(to, value) })
    }

    fn choose(&mut self, kind: Type) -> Value {
        let floats = |n: usize| self.emit.is_float(self.from[n]);
        let (a, b) = match kind {
            I32 if floats(0) || floats(1) => (self.float(0, F32), self.float(1, F32)),
            I64 if floats(0) || floats(1) => (self.float(0, F64), self.float(1, F64)),
            kind => (self.int(0, kind), self.int(1, kind)),
        };
        let predicate = self.emit.get(self.from[2], 1);
        let value = self.emit.b.ins().select(predicate, a, b);
        self.word(value)
    }

    fn float_arithmetic(&mut self, op: &str, kind: Type) -> Option<Value> {
        let operands = match op {
            "add" | "sub" | "mul" | "div" | "min" | "max" => 2,
            "fma" => 3,
            "sqrt" | "neg" | "abs" => 1,
            _ => return None,
        };
        let values: Vec<Value> = (0..operands).map(|n| self.float(n, kind)).collect();
        if matches!(op, "min" | "max") {
            for &value in &values {
                self.number_only(value);
            }
        }
        let ins = self.emit.b.ins();
        let value = match (op, &values[..]) {
            ("add", &[a, b]) => ins.fadd(a, b),
            ("sub", &[a, b]) => ins.fsub(a, b),
            ("mul", &[a, b]) => ins.fmul(a, b),
            ("div", &[a, b]) => ins.fdiv(a, b),
            ("min", &[a, b]) => ins.fmin(a, b),
            ("max", &[a, b]) => ins.fmax(a, b),
            ("fma", &[a, b, c]) => ins.fma(a, b, c),
            ("sqrt", &[a]) => ins.sqrt(a),
            ("neg", &[a]) => ins.fneg(a),
            (_, values) => ins.fabs(*values.first()?),
        };
        Some(self.number_only(value))
    }

    /// Translates logic on predicates.
    fn logic(&mut self, op: &str) -> Option<Value> {
        if !matches!(op, "and" | "or" | "xor" | "not" | "mov") {
            return None;
        }
        let a = self.predicate(0);
        if matches!(op, "not" | "mov") {
            return Some(if op == "mov" { a } else { self.emit.b.ins().bxor_imm(a, 1) });
        }
        let b = self.predicate(1);
        let ins = self.emit.b.ins();
        Some(match op {
            "and" => ins.band(a, b),
            "or" => ins.bor(a, b),
            _ => ins.bxor(a, b),
        })
    }

    /// Translates a shift. A shift by the operand's width or more yields 0, or for signed right shifts, the sign
    /// in every bit.
    fn shift(&mut self, left: bool, (kind, signed): (Type, bool)) -> Value {
        let (value, by) = (self.int(0, kind), self.int(1, I32));
        let bits = i64::from(kind.bits());
        if !left && signed {
            let most = self.emit.b.ins().iconst(I32, bits - 1);
            let within = self.emit.b.ins().icmp_imm(IntCC::UnsignedLessThan, by, bits);
            let by = self.emit.b.ins().select(within, by, most);
            let value = self.emit.b.ins().sshr(value, by);
            return self.word(value);
        }
        let ins = self.emit.b.ins();
        let shifted = if left { ins.ishl(value, by) } else { ins.ushr(value, by) };
        let within = self.emit.b.ins().icmp_imm(IntCC::UnsignedLessThan, by, bits);
        let zero = self.emit.b.ins().iconst(kind, 0);
        let value = self.emit.b.ins().select(within, shifted, zero);
        self.word(value)
    }

    fn divide(&mut self, quotient: bool, (kind, signed): (Type, bool)) -> Value {
        // 16-bit operands are divided as 32-bit integers.
        let wide = if kind == I64 { I64 } else { I32 };
        let (a, b) = (self.int(0, kind), self.int(1, kind));
        let (a, b) = (self.extend(a, wide, signed), self.extend(b, wide, signed));
        for left in if signed { &[0, -1][..] } else { &[0] } {
            let is = self.emit.b.ins().icmp_imm(IntCC::Equal, b, *left);
            self.emit.exit_if(is, self.number);
        }
        let ins = self.emit.b.ins();
        let value = match (quotient, signed) {
            (true, true) => ins.sdiv(a, b),
            (true, false) => ins.udiv(a, b),
            (false, true) => ins.srem(a, b),
            (false, false) => ins.urem(a, b),
        };
        let value = if kind == I16 { self.emit.b.ins().ireduce(I16, value) } else { value };
        self.word(value)
    }

    fn multiply(&mut self, adds: bool, part: &str, (kind, signed): (Type, bool)) -> Option<Value> {
        if !matches!((part, kind), ("lo", _) | ("wide", I16 | I32) | ("hi", I32 | I64)) {
            return None;
        }
        let (a, b) = (self.int(0, kind), self.int(1, kind));
        let mut value = match part {
            "lo" => self.emit.b.ins().imul(a, b),
            "hi" if kind == I64 => {
                let ins = self.emit.b.ins();
                if signed { ins.smulhi(a, b) } else { ins.umulhi(a, b) }
            }
            part => {
                let wide = if kind == I16 { I32 } else { I64 };
                let (a, b) = (self.extend(a, wide, signed), self.extend(b, wide, signed));
                let product = self.emit.b.ins().imul(a, b);
                match part {
                    "wide" => product,
                    _ => {
                        let high = self.emit.b.ins().ushr_imm(product, 32);
                        self.emit.b.ins().ireduce(I32, high)
                    }
                }
            }
        };
        if adds {
            let kind = self.emit.b.func.dfg.value_type(value);
            let c = self.int(2, kind);
            value = self.emit.b.ins().iadd(value, c);
        }
        Some(self.word(value))
    }

    fn integer_arithmetic(&mut self, op: &str, (kind, signed): (Type, bool)) -> Option<Value> {
        let one = matches!(op, "not" | "mov" | "neg" | "abs");
        if !one && !matches!(op, "add" | "sub" | "and" | "or" | "xor" | "min" | "max") {
            return None;
        }
        let a = self.int(0, kind);
        let b = if one { a } else { self.int(1, kind) };
        let value = match op {
            "mov" => a,
            "not" => self.emit.b.ins().bnot(a),
            "neg" => self.emit.b.ins().ineg(a),
            "abs" => {
                let negated = self.emit.b.ins().ineg(a);
                let is_negative = self.emit.b.ins().icmp_imm(IntCC::SignedLessThan, a, 0);
                self.emit.b.ins().select(is_negative, negated, a)
            }
            "add" => self.emit.b.ins().iadd(a, b),
            "sub" => self.emit.b.ins().isub(a, b),
            "and" => self.emit.b.ins().band(a, b),
            "or" => self.emit.b.ins().bor(a, b),
            "xor" => self.emit.b.ins().bxor(a, b),
            op => {
                let condition = match (op == "min", signed) {
                    (true, true) => IntCC::SignedLessThan,
                    (true, false) => IntCC::UnsignedLessThan,
                    (false, true) => IntCC::SignedGreaterThan,
                    (false, false) => IntCC::UnsignedGreaterThan,
                };
                let is = self.emit.b.ins().icmp(condition, a, b);
                self.emit.b.ins().select(is, a, b)
            }
        };
        Some(self.word(value))
    }

    /// Translates the simulator's own rows, which split words and join them.
    fn piece(&mut self, name: &str) -> Option<Value> {
        Some(match name {
            "%low32" => self.int(0, I32),
            "%high32" => {
                let value = self.int(0, I64);
                let value = self.emit.b.ins().ushr_imm(value, 32);
                self.emit.b.ins().ireduce(I32, value)
            }
            "%join64" => {
                let (low, high) = (self.int(0, I32), self.int(1, I32));
                let (low, high) = (self.extend(low, I64, false), self.extend(high, I64, false));
                let high = self.emit.b.ins().ishl_imm(high, 32);
                self.emit.b.ins().bor(low, high)
            }
            "%widen" => {
                let value = self.int(0, I32);
                self.extend(value, I64, false)
            }
            "%low16" => {
                let value = self.int(0, I32);
                self.emit.b.ins().band_imm(value, 0xffff)
            }
            "%high16" => {
                let value = self.int(0, I32);
                self.emit.b.ins().ushr_imm(value, 16)
            }
            "%sign8" | "%sign16" => {
                let value = self.int(0, if name == "%sign8" { I8 } else { I16 });
                self.extend(value, I32, true)
            }
            _ => return None,
        })
    }
}
