//! Expressions that can be printed, in C syntax: names, elements, members, arithmetic, comparisons. They are
//! evaluated for a thread in `evaluate`.

use crate::value::Value;

/// A parsed expression, which can be evaluated for any thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub(crate) root: Node,
    text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Number(Value),
    Name(String),
    /// A register such as `%r12`.
    Register(String),
    /// `threadIdx.x`: the variable and its axis, from 0.
    Builtin(Builtin, u8),
    Index(Box<Node>, Box<Node>),
    Member(Box<Node>, String),
    Star(Box<Node>),
    Unary(u8, Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    ThreadIdx,
    BlockIdx,
    BlockDim,
    GridDim,
}

const BUILTINS: [(&str, Builtin); 4] = [
    ("threadIdx", Builtin::ThreadIdx),
    ("blockIdx", Builtin::BlockIdx),
    ("blockDim", Builtin::BlockDim),
    ("gridDim", Builtin::GridDim),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    BitOr,
    BitXor,
    BitAnd,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Left,
    Right,
    Plus,
    Minus,
    Times,
    Divided,
    Remainder,
}

/// Operators with their precedence as in C. An operator comes before any other that is a prefix of it.
const OPERATORS: [(&str, Operator, u8); 18] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("|", Operator::BitOr, 3),
    ("^", Operator::BitXor, 4),
    ("&", Operator::BitAnd, 5),
    ("==", Operator::Equal, 6),
    ("!=", Operator::NotEqual, 6),
    ("<<", Operator::Left, 8),
    (">>", Operator::Right, 8),
    ("<=", Operator::AtMost, 7),
    (">=", Operator::AtLeast, 7),
    ("<", Operator::Less, 7),
    (">", Operator::Greater, 7),
    ("+", Operator::Plus, 9),
    ("-", Operator::Minus, 9),
    ("*", Operator::Times, 10),
    ("/", Operator::Divided, 10),
    ("%", Operator::Remainder, 10),
];

impl Operator {
    /// Returns the operator as it is written.
    pub(crate) fn sign(self) -> &'static str {
        OPERATORS.iter().find(|(_, known, _)| *known == self).map_or("", |(text, ..)| text)
    }
}

/// Why an expression can't be printed for any thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionError {
    Empty,
    /// A syntax error; contains the rest of the text from there.
    Syntax(String),
    TooLong,
    /// No function has a variable of this name.
    Unknown(String),
    /// The functions of the module have no such register.
    NoRegister(String),
    /// `threadIdx` without an axis, or an operand of the wrong type: the name or the operator.
    NotNumeric(String),
    /// The value has no elements.
    NoElements,
    NoMember(String),
}

/// Maximum length of an expression in bytes, and maximum nesting.
const LONGEST: usize = 500;
const DEEPEST: usize = 50;

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// It is empty, too long, or not syntactically valid.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ExpressionError::Empty);
        }
        if text.len() > LONGEST {
            return Err(ExpressionError::TooLong);
        }
        let mut parser = Parser { rest: text, depth: 0 };
        let root = parser.binary(0)?;
        match parser.rest.trim_start() {
            "" => Ok(Expression { root, text: text.to_owned() }),
            rest => Err(ExpressionError::Syntax(rest.to_owned())),
        }
    }

    /// Returns the text as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name, if the expression is nothing more.
    pub fn name(&self) -> Option<&str> {
        match &self.root {
            Node::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl<'t> Parser<'t> {
    fn eat(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn fail<T>(&self) -> Result<T, ExpressionError> {
        Err(ExpressionError::Syntax(self.rest.trim_start().to_owned()))
    }

    /// Consumes a name or a number: letters, digits, underscores and the characters in `more`.
    fn word(&mut self, more: &[char]) -> &'t str {
        let rest = self.rest;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || more.contains(&c)));
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        word
    }

    fn binary(&mut self, least: u8) -> Result<Node, ExpressionError> {
        let mut left = self.unary()?;
        loop {
            self.rest = self.rest.trim_start();
            let found =
                OPERATORS.iter().find(|(text, _, binds)| *binds > least && self.rest.starts_with(text));
            let Some((text, operator, binds)) = found else { return Ok(left) };
            self.rest = &self.rest[text.len()..];
            let right = self.binary(*binds)?;
            left = Node::Binary(*operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExpressionError::TooLong);
        }
        let node = if self.eat("-") {
            Node::Unary(b'-', Box::new(self.unary()?))
        } else if self.eat("!") {
            Node::Unary(b'!', Box::new(self.unary()?))
        } else if self.eat("*") {
            Node::Star(Box::new(self.unary()?))
        } else {
            self.postfix()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn postfix(&mut self) -> Result<Node, ExpressionError> {
        let mut node = self.primary()?;
        loop {
            if self.eat("[") {
                let index = self.binary(0)?;
                if !self.eat("]") {
                    return self.fail();
                }
                node = Node::Index(Box::new(node), Box::new(index));
            } else if self.eat("->") {
                node = Node::Member(Box::new(Node::Star(Box::new(node))), self.member()?);
            } else if self.eat(".") {
                let member = self.member()?;
                node = match (&node, member.as_str()) {
                    (Node::Name(name), axis @ ("x" | "y" | "z")) if builtin(name).is_some() => {
                        let which = builtin(name).expect("it was found");
                        Node::Builtin(which, axis.as_bytes()[0] - b'x')
                    }
                    _ => Node::Member(Box::new(node), member),
                };
            } else {
                return Ok(node);
            }
        }
    }

    fn member(&mut self) -> Result<String, ExpressionError> {
        self.rest = self.rest.trim_start();
        match self.word(&[]) {
            "" => self.fail(),
            name => Ok(name.to_owned()),
        }
    }

    fn primary(&mut self) -> Result<Node, ExpressionError> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('(') => {
                self.eat("(");
                let inner = self.binary(0)?;
                if self.eat(")") { Ok(inner) } else { self.fail() }
            }
            Some('%') => {
                self.eat("%");
                let name = format!("%{}", self.word(&['.']));
                if name.len() > 1 { Ok(Node::Register(name)) } else { self.fail() }
            }
            Some(c) if c.is_ascii_digit() => {
                let before = self.rest;
                let word = self.word(&['.']);
                match number(word) {
                    Some(value) => Ok(Node::Number(value)),
                    None => Err(ExpressionError::Syntax(before.to_owned())),
                }
            }
            Some(c) if c.is_alphabetic() || c == '_' => Ok(Node::Name(self.word(&[]).to_owned())),
            _ => self.fail(),
        }
    }
}

pub(crate) fn builtin(name: &str) -> Option<Builtin> {
    BUILTINS.iter().find(|(known, _)| *known == name).map(|(_, which)| *which)
}

fn number(word: &str) -> Option<Value> {
    if let Some(digits) = word.strip_prefix("0x") {
        return Some(Value::int(u64::from_str_radix(digits, 16).ok()? as i64, 8, true));
    }
    let int = |digits: &str| digits.parse::<i64>().ok();
    if let Some(value) = int(word.trim_end_matches(['u', 'U', 'l', 'L'])) {
        let small = i32::try_from(value).is_ok();
        return Some(Value::int(value, if small { 4 } else { 8 }, true));
    }
    let value = word.trim_end_matches('f').parse::<f64>().ok()?;
    Some(Value::Float { value, bytes: 8 })
}
