//! Parses text into steps by recursive descent.

use super::Step;
use super::operation::Operation;

/// Largest nesting depth of parentheses, calls and signs.
const DEEPEST: usize = 64;

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    steps: Vec<Step>,
}

impl<'a> Parser<'a> {
    /// Returns the steps of a formula.
    ///
    /// # Errors
    ///
    /// Fails with what is wrong with the text.
    pub fn steps(text: &'a str) -> Result<Vec<Step>, String> {
        let mut parser = Parser { text, at: 0, steps: Vec::new() };
        parser.any(0).and_then(|()| parser.end())?;
        Ok(parser.steps)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Skips white space and returns the next character without consuming it.
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

    /// Consumes the longest run of characters that `accept` accepts.
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

    /// Consumes the word `wanted` if it comes next; returns whether it did.
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
        // `a > b` is `not(a <= b)`. Longer operators come first, as `<` is a prefix of `<=`.
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
                    return Err(format!("\"{name}\" is not a name: use words joined by single dots"));
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
