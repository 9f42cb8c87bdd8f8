//! Formulas over a case's sizes: `ceil_div(n, 8) * 4`.
//!
//! Whole numbers in 64 bits; an overflow is an error, never a wrapped value. From loosest to
//! tightest: `or`, then `and`, then `< <= > >= == !=` (which do not chain), then `+ -`, then `* / %`,
//! then a leading `-`, then parentheses and calls. `/` and `%` round towards zero, as in C; a
//! comparison is 1 where it holds and 0 where not. Functions: `ceil_div(a, b)` rounds up,
//! `min(a, b)`, `max(a, b)`, `log2(a)` rounds down, `abs(a)`, `not(a)`. Names are the case's sizes,
//! and, where something was measured, what was measured: `row.load_sectors`.

use super::case::Case;
use serde::{Deserialize, Deserializer, de};
use std::fmt;

/// Longest text, in bytes: a formula is a line, not a program.
const LONGEST: usize = 1_000;
/// Parentheses, calls and signs inside one another.
const DEEPEST: usize = 64;

/// A parsed formula. Equal when the texts are.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    /// In postfix order: operands before their operation.
    steps: Vec<Step>,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.text == other.text
    }
}

#[derive(Clone, Debug)]
enum Step {
    Number(i64),
    Name(String),
    Apply(Operation),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    CeilDiv,
    Min,
    Max,
    Log2,
    Abs,
    Less,
    AtMost,
    Equal,
    Not,
    And,
    Or,
}

impl Operation {
    fn operands(self) -> usize {
        match self {
            Operation::Negate | Operation::Log2 | Operation::Abs | Operation::Not => 1,
            _ => 2,
        }
    }

    fn function(name: &str) -> Option<Operation> {
        Some(match name {
            "ceil_div" => Operation::CeilDiv,
            "min" => Operation::Min,
            "max" => Operation::Max,
            "log2" => Operation::Log2,
            "abs" => Operation::Abs,
            "not" => Operation::Not,
            _ => return None,
        })
    }

    /// `a` alone for operations of one operand.
    fn apply(self, a: i64, b: i64) -> Result<i64, &'static str> {
        const OVERFLOW: &str = "the value does not fit in 64 bits";
        match self {
            Operation::Divide | Operation::Remainder | Operation::CeilDiv if b == 0 => {
                Err("division by zero")
            }
            Operation::Add => a.checked_add(b).ok_or(OVERFLOW),
            Operation::Subtract => a.checked_sub(b).ok_or(OVERFLOW),
            Operation::Multiply => a.checked_mul(b).ok_or(OVERFLOW),
            Operation::Divide => a.checked_div(b).ok_or(OVERFLOW),
            // i64::MIN % -1 is 0, though its division overflows.
            Operation::Remainder => Ok(a.wrapping_rem(b)),
            Operation::Negate => a.checked_neg().ok_or(OVERFLOW),
            Operation::CeilDiv => {
                let quotient = a.checked_div(b).ok_or(OVERFLOW)?;
                let inexact = a.wrapping_rem(b) != 0;
                Ok(quotient + i64::from(inexact && (a < 0) == (b < 0)))
            }
            Operation::Min => Ok(a.min(b)),
            Operation::Max => Ok(a.max(b)),
            Operation::Log2 if a <= 0 => Err("log2 of a number that is not positive"),
            Operation::Log2 => Ok(i64::from(a.ilog2())),
            Operation::Abs => a.checked_abs().ok_or(OVERFLOW),
            Operation::Less => Ok(i64::from(a < b)),
            Operation::AtMost => Ok(i64::from(a <= b)),
            Operation::Equal => Ok(i64::from(a == b)),
            Operation::Not => Ok(i64::from(a == 0)),
            Operation::And => Ok(i64::from(a != 0 && b != 0)),
            Operation::Or => Ok(i64::from(a != 0 || b != 0)),
        }
    }
}

/// Why a text is no formula, or a formula has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The formula, escaped.
    pub formula: String,
    pub message: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "formula \"{}\": {}", self.formula, self.message)
    }
}

impl std::error::Error for FormulaError {}

impl Formula {
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        let fail = |message: String| {
            let shown: String = text.chars().take(80).collect();
            FormulaError { formula: shown.escape_debug().to_string(), message }
        };
        if text.len() > LONGEST {
            return Err(fail(format!("longer than {LONGEST} characters")));
        }
        let mut parser = Parser { text, at: 0, steps: Vec::new() };
        parser.any(0).and_then(|()| parser.end()).map_err(fail)?;
        Ok(Formula { text: text.to_owned(), steps: parser.steps })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names it uses, in order of appearance.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Its value for a case's sizes.
    pub fn value(&self, sizes: &Case) -> Result<i64, FormulaError> {
        self.value_with(&|name| {
            sizes.get(name).copied().ok_or_else(|| {
                let known = sizes.keys().collect::<Vec<_>>().join(", ");
                format!("unknown name \"{name}\"; the case has: {known}")
            })
        })
    }

    /// Its value where `named` knows the names, or says why it does not.
    pub fn value_with(&self, named: &dyn Fn(&str) -> Result<i64, String>) -> Result<i64, FormulaError> {
        let fail = |message: String| FormulaError { formula: self.text.escape_debug().to_string(), message };
        let mut stack = Vec::with_capacity(8);
        for step in &self.steps {
            let value = match step {
                Step::Number(number) => *number,
                Step::Name(name) => named(name).map_err(fail)?,
                Step::Apply(operation) => {
                    let b = if operation.operands() == 2 { stack.pop() } else { Some(0) };
                    let (Some(a), Some(b)) = (stack.pop(), b) else {
                        return Err(fail("an operand is missing".into()));
                    };
                    operation.apply(a, b).map_err(|message| fail(message.into()))?
                }
            };
            stack.push(value);
        }
        stack.pop().ok_or_else(|| fail("empty".into()))
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<i64> for Formula {
    fn from(number: i64) -> Formula {
        Formula { text: number.to_string(), steps: vec![Step::Number(number)] }
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrNumber;
        impl de::Visitor<'_> for TextOrNumber {
            type Value = Formula;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a whole number or a formula such as \"ceil_div(n, 8)\"")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Formula, E> {
                Ok(number.into())
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Formula, E> {
                Formula::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(TextOrNumber)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    steps: Vec<Step>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next character that is not a space, left in place.
    fn peek(&mut self) -> Option<char> {
        let trimmed = self.rest().trim_start();
        self.at = self.text.len() - trimmed.len();
        trimmed.chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// The longest run of characters that `accept` takes.
    fn word(&mut self, accept: fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn unexpected(&mut self, wanted: &str) -> String {
        match self.peek() {
            None => format!("ends where {wanted} should be"),
            Some(c) => format!(
                "expected {wanted}, found '{}' at character {}",
                c.escape_debug(),
                self.text[..self.at].chars().count() + 1
            ),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        if self.peek().is_some() { Err(self.unexpected("an operator or the end")) } else { Ok(()) }
    }

    /// Whether that word comes next; it is passed then.
    fn eat_word(&mut self, wanted: &str) -> bool {
        self.peek();
        let rest = self.rest().strip_prefix(wanted);
        let found =
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn any(&mut self, depth: usize) -> Result<(), String> {
        self.all(depth)?;
        while self.eat_word("or") {
            self.all(depth)?;
            self.steps.push(Step::Apply(Operation::Or));
        }
        Ok(())
    }

    fn all(&mut self, depth: usize) -> Result<(), String> {
        self.comparison(depth)?;
        while self.eat_word("and") {
            self.comparison(depth)?;
            self.steps.push(Step::Apply(Operation::And));
        }
        Ok(())
    }

    fn comparison(&mut self, depth: usize) -> Result<(), String> {
        use Operation::{AtMost, Equal, Less};
        // `a > b` is `not(a <= b)`. Longer signs first: `<` begins `<=`.
        const SIGNS: [(&str, Operation, bool); 6] = [
            ("<=", AtMost, false),
            (">=", Less, true),
            ("==", Equal, false),
            ("!=", Equal, true),
            ("<", Less, false),
            (">", AtMost, true),
        ];
        self.sum(depth)?;
        self.peek();
        let Some((sign, operation, negated)) = SIGNS.iter().find(|(sign, ..)| self.rest().starts_with(sign))
        else {
            return Ok(());
        };
        self.at += sign.len();
        self.sum(depth)?;
        self.steps.push(Step::Apply(*operation));
        if *negated {
            self.steps.push(Step::Apply(Operation::Not));
        }
        Ok(())
    }

    fn sum(&mut self, depth: usize) -> Result<(), String> {
        self.product(depth)?;
        loop {
            let operation = match self.peek() {
                Some('+') => Operation::Add,
                Some('-') => Operation::Subtract,
                _ => return Ok(()),
            };
            self.at += 1;
            self.product(depth)?;
            self.steps.push(Step::Apply(operation));
        }
    }

    fn product(&mut self, depth: usize) -> Result<(), String> {
        self.factor(depth)?;
        loop {
            let operation = match self.peek() {
                Some('*') => Operation::Multiply,
                Some('/') => Operation::Divide,
                Some('%') => Operation::Remainder,
                _ => return Ok(()),
            };
            self.at += 1;
            self.factor(depth)?;
            self.steps.push(Step::Apply(operation));
        }
    }

    fn factor(&mut self, depth: usize) -> Result<(), String> {
        if depth >= DEEPEST {
            return Err(format!("nested deeper than {DEEPEST}"));
        }
        match self.peek() {
            Some('-') => {
                self.at += 1;
                self.factor(depth + 1)?;
                self.steps.push(Step::Apply(Operation::Negate));
                Ok(())
            }
            Some('(') => {
                self.at += 1;
                self.any(depth + 1)?;
                self.close()
            }
            Some('0'..='9') => {
                let digits = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
                let number = digits.replace('_', "").parse();
                let number = number.map_err(|_| format!("\"{digits}\" is not a 64-bit whole number"))?;
                self.steps.push(Step::Number(number));
                Ok(())
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
                if name
                    .split('.')
                    .any(|part| !part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
                {
                    return Err(format!("\"{name}\" is no name: words joined by single points are needed"));
                }
                if self.eat('(') {
                    return self.call(name, depth);
                }
                self.steps.push(Step::Name(name.to_owned()));
                Ok(())
            }
            _ => Err(self.unexpected("a number, a name or \"(\"")),
        }
    }

    fn call(&mut self, name: &str, depth: usize) -> Result<(), String> {
        let operation = Operation::function(name).ok_or_else(|| {
            format!("unknown function \"{name}\"; there are ceil_div, min, max, log2, abs and not")
        })?;
        for operand in 0..operation.operands() {
            if operand > 0 && !self.eat(',') {
                return Err(self.unexpected(&format!("\",\" and another operand of {name}")));
            }
            self.any(depth + 1)?;
        }
        self.steps.push(Step::Apply(operation));
        self.close()
    }

    fn close(&mut self) -> Result<(), String> {
        if self.eat(')') { Ok(()) } else { Err(self.unexpected("\")\"")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sizes() -> Case {
        [("n", 15), ("rows", 3), ("cols", 4)]
            .map(|(name, size)| (name.to_owned(), size))
            .into_iter()
            .collect()
    }

    fn value(text: &str) -> Result<i64, String> {
        Formula::parse(text).and_then(|f| f.value(&sizes())).map_err(|e| e.message)
    }

    #[test]
    fn arithmetic_follows_c() {
        for (text, wanted) in [
            ("n", 15),
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("10 - 4 - 3", 3),
            ("100 / 7 / 2", 7),
            ("-7 / 2", -3),
            ("-7 % 4", -3),
            ("2 - -3", 5),
            ("ceil_div(n, 8)", 2),
            ("ceil_div(16, 8)", 2),
            ("ceil_div(-7, 2)", -3),
            ("ceil_div(7, -2)", -3),
            ("ceil_div(-7, -2)", 4),
            ("max(rows, cols) * min(rows, cols)", 12),
            ("log2(1) + log2(n)", 3),
            ("abs(rows - n)", 12),
            ("1_000", 1000),
            ("  rows*cols ", 12),
            ("n > 3 and rows + 1 >= cols", 1),
            ("n < 3 or rows != 3 or not(cols == 4)", 0),
            ("1 == 1 or 1 == 0 and 1 == 0", 1),
            ("2 * (n <= 15) + (n < 15)", 2),
        ] {
            assert_eq!(value(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, wanted) in [
            ("m", "unknown name \"m\"; the case has: n, rows, cols"),
            ("n / (rows - 3)", "division by zero"),
            ("n % 0", "division by zero"),
            ("ceil_div(n, 0)", "division by zero"),
            ("9223372036854775807 + 1", "the value does not fit in 64 bits"),
            ("(-9223372036854775807 - 1) / -1", "the value does not fit in 64 bits"),
            ("abs(-9223372036854775807 - 1)", "the value does not fit in 64 bits"),
            ("9223372036854775808", "\"9223372036854775808\" is not a 64-bit whole number"),
            ("8x", "\"8x\" is not a 64-bit whole number"),
            ("log2(0)", "log2 of a number that is not positive"),
            ("sqrt(4)", "unknown function \"sqrt\"; there are ceil_div, min, max, log2, abs and not"),
            ("n +", "ends where a number, a name or \"(\" should be"),
            ("", "ends where a number, a name or \"(\" should be"),
            ("n ? 1", "expected an operator or the end, found '?' at character 3"),
            ("min(1)", "expected \",\" and another operand of min, found ')' at character 6"),
            ("1 < 2 < 3", "expected an operator or the end, found '<' at character 7"),
            ("n android", "expected an operator or the end, found 'a' at character 3"),
            ("n. + 1", "\"n.\" is no name: words joined by single points are needed"),
            ("a..b", "\"a..b\" is no name: words joined by single points are needed"),
            ("row.sectors", "unknown name \"row.sectors\"; the case has: n, rows, cols"),
            ("(n", "ends where \")\" should be"),
        ] {
            assert_eq!(value(text), Err(wanted.to_owned()), "{text}");
        }
    }

    #[test]
    fn remainder_of_the_lowest_number() {
        assert_eq!(value("(-9223372036854775807 - 1) % -1"), Ok(0));
    }

    #[test]
    fn depth_and_length_are_bounded() {
        assert_eq!(
            value(&format!("{}1{}", "(".repeat(400), ")".repeat(400))),
            Err("nested deeper than 64".into())
        );
        assert_eq!(value(&"-".repeat(900)), Err("nested deeper than 64".into()));
        assert!(value(&"1+".repeat(2_000)).is_err());
    }

    #[derive(Clone, Debug)]
    enum Tree {
        Number(i64),
        Negate(Box<Tree>),
        Binary(Box<Tree>, &'static str, Box<Tree>),
        Call(&'static str, Box<Tree>, Box<Tree>),
    }

    fn tree() -> impl Strategy<Value = Tree> {
        let leaf = prop_oneof![any::<i64>(), -9i64..9].prop_map(Tree::Number);
        leaf.prop_recursive(5, 40, 2, |inner| {
            let operator = proptest::sample::select(vec!["+", "-", "*", "/", "%"]);
            let function = proptest::sample::select(vec!["min", "max", "ceil_div"]);
            prop_oneof![
                inner.clone().prop_map(|a| Tree::Negate(Box::new(a))),
                (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| Tree::Binary(
                    Box::new(a),
                    o,
                    Box::new(b)
                )),
                (function, inner.clone(), inner).prop_map(|(f, a, b)| Tree::Call(
                    f,
                    Box::new(a),
                    Box::new(b)
                )),
            ]
        })
    }

    /// Written with the fewest parentheses that keep the tree, so precedence is put to the test.
    fn text(tree: &Tree, tightness: u8) -> String {
        let (own, text) = match tree {
            Tree::Number(i64::MIN) => (0, "-9223372036854775807 - 1".into()),
            Tree::Number(number) => (if *number < 0 { 2 } else { 3 }, number.to_string()),
            Tree::Negate(a) => (2, format!("-{}", text(a, 2))),
            Tree::Binary(a, operator @ ("+" | "-"), b) => {
                (0, format!("{} {operator} {}", text(a, 0), text(b, 1)))
            }
            Tree::Binary(a, operator, b) => (1, format!("{}{operator}{}", text(a, 1), text(b, 2))),
            Tree::Call(name, a, b) => (3, format!("{name}({}, {})", text(a, 0), text(b, 0))),
        };
        if own < tightness { format!("({text})") } else { text }
    }

    /// In 128 bits, where no step of this size overflows; `None` where 64 bits do not hold it.
    fn wide(tree: &Tree) -> Option<i128> {
        let value = match tree {
            Tree::Number(number) => i128::from(*number),
            Tree::Negate(a) => -wide(a)?,
            Tree::Binary(a, operator, b) => {
                let (a, b) = (wide(a)?, wide(b)?);
                match *operator {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" => a.checked_div(b)?,
                    _ => a.checked_rem(b)?,
                }
            }
            Tree::Call(name, a, b) => {
                let (a, b) = (wide(a)?, wide(b)?);
                match *name {
                    "min" => a.min(b),
                    "max" => a.max(b),
                    _ if b == 0 => return None,
                    // The least number not below a / b: the greatest not above -a / b, negated.
                    _ => -(-a * b.signum()).div_euclid(b.abs()),
                }
            }
        };
        i64::try_from(value).ok().map(i128::from)
    }

    proptest! {
        #[test]
        fn agrees_with_wide_arithmetic(tree in tree()) {
            let got = Formula::parse(&text(&tree, 0)).and_then(|f| f.value(&sizes()));
            prop_assert_eq!(got.ok().map(i128::from), wide(&tree), "{}", text(&tree, 0));
        }

        #[test]
        fn no_text_panics(text in "[-+*/%(),<>=!.a-z0-9_ é]{0,60}") {
            let _ = Formula::parse(&text).and_then(|f| f.value(&sizes()));
        }
    }
}
