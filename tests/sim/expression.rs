//! C-like expressions of a sample's head, over 64-bit integers that wrap and doubles: an
//! independent reference, so functions are Rust's own.
//!
//! Names are buffers (`a[i + 1]`), scalars, the index `i`, and what `sum(k, from, to, term)` binds.

use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Float(f64),
}

impl Value {
    pub fn float(self) -> f64 {
        match self {
            Value::Int(value) => value as f64,
            Value::Float(value) => value,
        }
    }

    /// Floats are cut towards zero.
    pub fn int(self) -> i64 {
        match self {
            Value::Int(value) => value,
            Value::Float(value) => value as i64,
        }
    }

    fn truth(self) -> bool {
        self.float() != 0.0
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value} ({value:#x})"),
            Value::Float(value) => write!(f, "{value:?}"),
        }
    }
}

#[derive(Debug)]
pub enum Expression {
    Constant(Value),
    Name(String),
    Element(String, Box<Expression>),
    Unary(u8, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Choice(Box<[Expression; 3]>),
    Call(String, Vec<Expression>),
    Sum(String, Box<[Expression; 3]>),
}

/// The value of an expression without names.
pub fn constant(text: &str) -> Result<Value, String> {
    Expression::parse(text)?.value(&HashMap::new(), 0)
}

/// Binary operators by falling precedence.
const LEVELS: &[&[&str]] = &[
    &["*", "/", "%"],
    &["+", "-"],
    &["<<", ">>"],
    &["<=", ">=", "<", ">"],
    &["==", "!="],
    &["&"],
    &["^"],
    &["|"],
    &["&&"],
    &["||"],
];

struct Parser<'a> {
    rest: &'a str,
}

impl Expression {
    pub fn parse(text: &str) -> Result<Expression, String> {
        let mut parser = Parser { rest: text.trim_start() };
        let expression = parser.choice()?;
        if parser.rest.is_empty() { Ok(expression) } else { Err(format!("stops before {:?}", parser.rest)) }
    }

    pub fn value(&self, names: &HashMap<String, Vec<Value>>, i: i64) -> Result<Value, String> {
        let mut bound = vec![("i".to_string(), i)];
        self.evaluate(names, &mut bound)
    }

    fn evaluate(
        &self,
        names: &HashMap<String, Vec<Value>>,
        bound: &mut Vec<(String, i64)>,
    ) -> Result<Value, String> {
        Ok(match self {
            Expression::Constant(value) => *value,
            Expression::Name(name) => match bound.iter().rev().find(|(known, _)| known == name) {
                Some(&(_, value)) => Value::Int(value),
                None => element(names, name, 0)?,
            },
            Expression::Element(name, index) => element(names, name, index.evaluate(names, bound)?.int())?,
            Expression::Unary(operator, operand) => match (operator, operand.evaluate(names, bound)?) {
                (b'-', Value::Int(value)) => Value::Int(value.wrapping_neg()),
                (b'-', Value::Float(value)) => Value::Float(-value),
                (b'~', value) => Value::Int(!value.int()),
                (_, value) => Value::Int(i64::from(!value.truth())),
            },
            Expression::Binary(operator, left, right) => {
                binary(operator, left.evaluate(names, bound)?, right.evaluate(names, bound)?)?
            }
            Expression::Choice(parts) => {
                let chosen = if parts[0].evaluate(names, bound)?.truth() { &parts[1] } else { &parts[2] };
                chosen.evaluate(names, bound)?
            }
            Expression::Call(name, operands) => {
                let values: Vec<Value> = operands
                    .iter()
                    .map(|operand| operand.evaluate(names, bound))
                    .collect::<Result<_, _>>()?;
                call(name, &values)?
            }
            Expression::Sum(name, parts) => {
                let (from, to) =
                    (parts[0].evaluate(names, bound)?.int(), parts[1].evaluate(names, bound)?.int());
                let mut total = Value::Int(0);
                for at in from..to {
                    bound.push((name.clone(), at));
                    let term = parts[2].evaluate(names, bound);
                    bound.pop();
                    total = binary("+", total, term?)?;
                }
                total
            }
        })
    }
}

fn element(names: &HashMap<String, Vec<Value>>, name: &str, index: i64) -> Result<Value, String> {
    let values = names.get(name).ok_or(format!("{name} is unknown"))?;
    let at = usize::try_from(index).ok().and_then(|index| values.get(index));
    at.copied().ok_or(format!("{name}[{index}] is outside"))
}

fn binary(operator: &str, left: Value, right: Value) -> Result<Value, String> {
    let truth = |value: bool| Ok(Value::Int(i64::from(value)));
    let (x, y) = (left.float(), right.float());
    match operator {
        "&&" => return truth(left.truth() && right.truth()),
        "||" => return truth(left.truth() || right.truth()),
        _ => {}
    }
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        return Ok(Value::Int(match operator {
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" | "%" if b == 0 => return Err("divides by zero".into()),
            "/" => a.wrapping_div(b),
            "%" => a.wrapping_rem(b),
            "<<" => a.checked_shl(b as u32).unwrap_or(0),
            ">>" => a >> b.clamp(0, 63),
            "<" => i64::from(a < b),
            ">" => i64::from(a > b),
            "<=" => i64::from(a <= b),
            ">=" => i64::from(a >= b),
            "==" => i64::from(a == b),
            "!=" => i64::from(a != b),
            "&" => a & b,
            "|" => a | b,
            _ => a ^ b,
        }));
    }
    match operator {
        "+" => Ok(Value::Float(x + y)),
        "-" => Ok(Value::Float(x - y)),
        "*" => Ok(Value::Float(x * y)),
        "/" => Ok(Value::Float(x / y)),
        "<" => truth(x < y),
        ">" => truth(x > y),
        "<=" => truth(x <= y),
        ">=" => truth(x >= y),
        "==" => truth(x == y),
        "!=" => truth(x != y),
        _ => Err(format!("{operator} takes integers")),
    }
}

fn call(name: &str, values: &[Value]) -> Result<Value, String> {
    let ints: Vec<i64> = values.iter().map(|value| value.int()).collect();
    let floats: Vec<f64> = values.iter().map(|value| value.float()).collect();
    let all_ints = values.iter().all(|value| matches!(value, Value::Int(_)));
    let unary_float = |f: fn(f64) -> f64| floats.first().map(|&x| Value::Float(f(x)));
    let binary_float = |f: fn(f64, f64) -> f64| match floats[..] {
        [x, y] => Some(Value::Float(f(x, y))),
        _ => None,
    };
    let unary_int = |f: fn(i64) -> i64| ints.first().map(|&x| Value::Int(f(x)));
    let binary_int = |f: fn(i64, i64) -> i64| match ints[..] {
        [x, y] => Some(Value::Int(f(x, y))),
        _ => None,
    };
    let first_set = |x: i64| if x == 0 { 0 } else { i64::from(x.trailing_zeros()) + 1 };
    let value = match name {
        "i8" => unary_int(|x| x as i8 as i64),
        "u8" => unary_int(|x| x as u8 as i64),
        "i16" => unary_int(|x| x as i16 as i64),
        "u16" => unary_int(|x| x as u16 as i64),
        "i32" => unary_int(|x| x as i32 as i64),
        "u32" => unary_int(|x| x as u32 as i64),
        "int" => unary_int(|x| x),
        "shr" => binary_int(|x, by| (x as u64).checked_shr(by as u32).unwrap_or(0) as i64),
        "ult" => binary_int(|x, y| i64::from((x as u64) < y as u64)),
        "udiv" => binary_int(|x, y| (x as u64).checked_div(y as u64).unwrap_or(0) as i64),
        "umod" => binary_int(|x, y| (x as u64).checked_rem(y as u64).unwrap_or(0) as i64),
        "mulhi64" => binary_int(|x, y| ((i128::from(x) * i128::from(y)) >> 64) as i64),
        "umulhi64" => binary_int(|x, y| ((u128::from(x as u64) * u128::from(y as u64)) >> 64) as i64),
        "popcount" => unary_int(|x| x.count_ones().into()),
        "clz32" => unary_int(|x| (x as u32).leading_zeros().into()),
        "clz64" => unary_int(|x| x.leading_zeros().into()),
        "reverse32" => unary_int(|x| (x as u32).reverse_bits().into()),
        "reverse64" => unary_int(|x| x.reverse_bits()),
        "ffs" => ints.first().map(|&x| Value::Int(first_set(x))),
        "min" if all_ints => binary_int(i64::min),
        "max" if all_ints => binary_int(i64::max),
        "abs" if all_ints => unary_int(i64::wrapping_abs),
        "min" => binary_float(f64::min),
        "max" => binary_float(f64::max),
        "abs" => unary_float(f64::abs),
        "f32" => unary_float(|x| f64::from(x as f32)),
        "f16" => unary_float(|x| half::f16::from_f64(x).to_f64()),
        "bf16" => unary_float(|x| half::bf16::from_f64(x).to_f64()),
        "e4m3" => unary_float(|x| small_float(x, 3, -6)),
        "e5m2" => unary_float(|x| small_float(x, 2, -14)),
        "floor" => unary_float(f64::floor),
        "ceil" => unary_float(f64::ceil),
        "trunc" => unary_float(f64::trunc),
        "round" => unary_float(f64::round),
        "rint" => unary_float(f64::round_ties_even),
        "sqrt" => unary_float(f64::sqrt),
        "cbrt" => unary_float(f64::cbrt),
        "sin" => unary_float(f64::sin),
        "cos" => unary_float(f64::cos),
        "tan" => unary_float(f64::tan),
        "asin" => unary_float(f64::asin),
        "tanh" => unary_float(f64::tanh),
        "exp" => unary_float(f64::exp),
        "expm1" => unary_float(f64::exp_m1),
        "log" => unary_float(f64::ln),
        "log1p" => unary_float(f64::ln_1p),
        "log2" => unary_float(f64::log2),
        "pow" => binary_float(f64::powf),
        "atan2" => binary_float(f64::atan2),
        "hypot" => binary_float(f64::hypot),
        "fmod" => binary_float(|x, y| x % y),
        "fma" => match floats[..] {
            [x, y, z] => Some(Value::Float(x.mul_add(y, z))),
            _ => None,
        },
        _ => None,
    };
    value.ok_or(format!("{name} with {} operands is unknown", values.len()))
}

/// Rounds to nearest even with that many bits after the point; no overflow.
fn small_float(x: f64, mantissa_bits: i32, least_exponent: i32) -> f64 {
    let exponent = if x == 0.0 { least_exponent } else { x.abs().log2().floor() as i32 };
    let unit = 2f64.powi(exponent.max(least_exponent) - mantissa_bits);
    (x / unit).round_ties_even() * unit
}

impl Parser<'_> {
    fn accept(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.accept(token) { Ok(()) } else { Err(format!("wants {token:?} before {:?}", self.rest)) }
    }

    fn choice(&mut self) -> Result<Expression, String> {
        let condition = self.level(LEVELS.len())?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let yes = self.choice()?;
        self.expect(":")?;
        Ok(Expression::Choice(Box::new([condition, yes, self.choice()?])))
    }

    /// Operators of the first `depth` levels.
    fn level(&mut self, depth: usize) -> Result<Expression, String> {
        let Some(operators) = depth.checked_sub(1).map(|at| LEVELS[at]) else { return self.unary() };
        let mut left = self.level(depth - 1)?;
        loop {
            let found = operators.iter().copied().find(|operator| {
                let longer = ["&&", "||", "<<", ">>", "<=", ">="];
                let begins_longer = longer.iter().any(|long| long != operator && self.rest.starts_with(long));
                self.rest.starts_with(operator) && (operator.len() > 1 || !begins_longer)
            });
            let Some(operator) = found else { return Ok(left) };
            self.expect(operator)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(self.level(depth - 1)?));
        }
    }

    fn unary(&mut self) -> Result<Expression, String> {
        for operator in ["-", "~", "!"] {
            if self.accept(operator) {
                return Ok(Expression::Unary(operator.as_bytes()[0], Box::new(self.unary()?)));
            }
        }
        if self.accept("(") {
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let length = self
            .rest
            .char_indices()
            .find(|&(at, c)| {
                let exponent_sign = matches!(c, '-' | '+')
                    && self.rest[..at].ends_with(['e', 'E'])
                    && self.rest.starts_with(|first: char| first.is_ascii_digit());
                !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || exponent_sign)
            })
            .map_or(self.rest.len(), |(at, _)| at);
        let (word, rest) = self.rest.split_at(length);
        let word = word.to_string();
        self.rest = rest.trim_start();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return number(&word).map(Expression::Constant);
        }
        match word.as_str() {
            "" => Err(format!("wants a value before {:?}", self.rest)),
            "nan" => Ok(Expression::Constant(Value::Float(f64::NAN))),
            "inf" => Ok(Expression::Constant(Value::Float(f64::INFINITY))),
            _ if self.accept("[") => {
                let index = self.choice()?;
                self.expect("]")?;
                Ok(Expression::Element(word, Box::new(index)))
            }
            _ if self.accept("(") => {
                let mut operands = vec![self.choice()?];
                while self.accept(",") {
                    operands.push(self.choice()?);
                }
                self.expect(")")?;
                self.called(word, operands)
            }
            _ => Ok(Expression::Name(word)),
        }
    }

    fn called(&self, word: String, operands: Vec<Expression>) -> Result<Expression, String> {
        if word != "sum" {
            return Ok(Expression::Call(word, operands));
        }
        match <[Expression; 4]>::try_from(operands) {
            Ok([Expression::Name(name), from, to, term]) => {
                Ok(Expression::Sum(name, Box::new([from, to, term])))
            }
            _ => Err("sum takes a name, two bounds and a term".into()),
        }
    }
}

/// Decimal and hexadecimal integers (up to 64 bits, unsigned ones wrap) and decimal fractions.
fn number(word: &str) -> Result<Value, String> {
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|value| Value::Int(value as i64)),
        None => match word.parse::<u64>() {
            Ok(value) => Some(Value::Int(value as i64)),
            Err(_) => word.parse().ok().map(Value::Float),
        },
    };
    parsed.ok_or(format!("{word:?} is no number"))
}

pub fn expressions_follow_c() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4 / 2", Value::Int(5)),
        ("7 & 3 == 3", Value::Int(1)),
        ("1 << 4 | 3 ^ 1 & 2", Value::Int(19)),
        ("-7 / 2 * 2 + -7 % 2", Value::Int(-7)),
        ("1 < 2 ? 3 > 4 ? 5 : 6 : 7", Value::Int(6)),
        ("sum(k, 0, 5, k * k) * 1.5e-1", Value::Float(4.5)),
        ("shr(-1, 60) + 0xff", Value::Int(270)),
        ("min(3, 2.5) + !0 && 1 || 0", Value::Int(1)),
        ("~0 >> 3 <= -1", Value::Int(1)),
        ("e4m3(1.3)", Value::Float(1.25)),
    ] {
        assert_eq!(constant(text), Ok(expected), "{text}");
    }
    for text in ["1 +", "(1", "x", "a[0", "1 2", "sum(1, 2, 3, 4)", "1 / 0", "1.5 & 1"] {
        assert!(constant(text).is_err(), "{text}");
    }
}
