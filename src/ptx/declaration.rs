//! Parses variables, registers, parameters and initialisers (PTX ISA 8.8, chapter 5).

use super::lexer::Kind;
use super::parser::{Parsed, Parser, quoted};
use super::{Initializer, Linkage, Space, Span, Statement, Type, Variable};

impl<'a> Parser<'a> {
    /// Parses a linkage directive such as `.visible`, if there is one.
    pub fn linkage(&mut self) -> Linkage {
        let linkage = match (self.token.kind, self.current()) {
            (Kind::Dotted, ".visible") => Linkage::Visible,
            (Kind::Dotted, ".extern") => Linkage::Extern,
            (Kind::Dotted, ".weak") => Linkage::Weak,
            (Kind::Dotted, ".common") => Linkage::Common,
            _ => return Linkage::Internal,
        };
        self.bump();
        linkage
    }

    /// Returns the state space that the current token names, if any.
    pub fn space(&self) -> Option<Space> {
        if self.token.kind != Kind::Dotted {
            return None;
        }
        Some(match self.current() {
            ".reg" => Space::Reg,
            ".const" => Space::Const,
            ".global" => Space::Global,
            ".local" => Space::Local,
            ".param" => Space::Param,
            ".shared" => Space::Shared,
            _ => return None,
        })
    }

    /// Parses a declaration of variables from its state space up to and including the `;`.
    pub fn variables(
        &mut self,
        linkage: Linkage,
        space: Space,
        mut keep: impl FnMut(Variable<'a>),
    ) -> Parsed<()> {
        let head = self.head(linkage, space)?;
        self.separated(|parser| parser.declarator(&head).map(&mut keep))?;
        self.expect(b';', "after the declaration")
    }

    /// Parses `.reg .b32 %r<20>, %a, b;`; the current token is `.reg`.
    pub fn registers(&mut self, out: &mut Vec<Statement<'a>>) -> Parsed<()> {
        let head = self.head(Linkage::Internal, Space::Reg)?;
        self.separated(|parser| {
            let name = parser.word("the name of a register")?;
            let count = if parser.eat(b'<') {
                let count = parser.count("the number of registers")?;
                parser.expect(b'>', "after the number of registers")?;
                Some(count)
            } else {
                None
            };
            out.push(Statement::Registers { name, ty: head.ty, vector: head.vector, count });
            Ok(())
        })?;
        self.expect(b';', "after the registers")
    }

    /// Parses `(.param .b32 a, .reg .u64 b)`; the current token is `(`.
    pub fn parameters(&mut self) -> Parsed<Vec<Variable<'a>>> {
        self.expect(b'(', "before the parameters")?;
        let mut parameters = Vec::new();
        if self.eat(b')') {
            return Ok(parameters);
        }
        self.separated(|parser| {
            let Some(space) = parser.space() else {
                return parser.fail_expected("a parameter (`.param` or `.reg`)");
            };
            let head = parser.head(Linkage::Internal, space)?;
            parser.declarator(&head).map(|parameter| parameters.push(parameter))
        })?;
        self.expect(b')', "or `,` after the parameter")?;
        Ok(parameters)
    }

    /// Parses state space, alignment, vector size and type, in any order that occurs: the properties that all names
    /// of one declaration share. Returns a variable without a name.
    fn head(&mut self, linkage: Linkage, space: Space) -> Parsed<Variable<'a>> {
        let mut head = Variable {
            span: Span::default(),
            linkage,
            space,
            name: "",
            ty: Type::B8,
            vector: 1,
            align: None,
            managed: false,
            dims: Vec::new(),
            init: None,
        };
        let mut typed = false;
        // What follows `.ptr` describes the memory that the parameter points to, as a hint for the optimiser.
        let mut pointee = false;
        self.bump();
        while self.token.kind == Kind::Dotted {
            let word = self.take();
            match word {
                ".align" => {
                    let align = self.alignment()?;
                    if !pointee {
                        head.align = Some(align);
                    }
                }
                ".attribute" => head.managed |= self.attributes()?,
                ".v2" => head.vector = 2,
                ".v4" => head.vector = 4,
                ".ptr" if head.space == Space::Param => pointee = true,
                ".global" | ".const" | ".shared" | ".local" | ".param" | ".shared::cta"
                | ".shared::cluster"
                    if pointee => {}
                _ => match type_of(word) {
                    Some(ty) => {
                        head.ty = ty;
                        typed = true;
                    }
                    None => {
                        let start = self.last_end - word.len();
                        let message =
                            format!("{} is not a type or property of a variable that is read", quoted(word));
                        return self.fail_at(start, self.last_end, message);
                    }
                },
            }
        }
        if typed { Ok(head) } else { self.fail_expected("a type such as `.b32`") }
    }

    fn alignment(&mut self) -> Parsed<u32> {
        let start = self.token.start;
        let align = self.count("an alignment in bytes")?;
        if !align.is_power_of_two() {
            return self.fail_at(start, self.last_end, "an alignment must be a power of two".into());
        }
        Ok(align)
    }

    /// Parses the list after `.attribute`; returns whether it contains `.managed`.
    pub fn attributes(&mut self) -> Parsed<bool> {
        self.expect(b'(', "after `.attribute`")?;
        let mut managed = false;
        while !self.eat(b')') {
            match self.token.kind {
                Kind::Dotted => managed |= self.take() == ".managed",
                // `.unified(uuid1, uuid2)` does not affect what the code does.
                Kind::Punct(b'(') => {
                    self.bump();
                    while matches!(self.token.kind, Kind::Number | Kind::Punct(b',')) {
                        self.bump();
                    }
                    self.expect(b')', "after the attribute's values")?;
                }
                Kind::Punct(b',') => self.bump(),
                _ => return self.fail_expected("an attribute or `)`"),
            }
        }
        Ok(managed)
    }

    /// Parses name, dimensions and initialiser.
    fn declarator(&mut self, head: &Variable<'a>) -> Parsed<Variable<'a>> {
        let start = self.token.start;
        let name = self.word("the name of a variable")?;
        if self.at(b'<') {
            return self.fail(
                "a range of names such as `name<4>` is read for the registers of a function only".into(),
            );
        }
        let mut dims = Vec::new();
        while self.eat(b'[') {
            if self.eat(b']') {
                dims.push(None);
                continue;
            }
            let (at, size) = (self.token.start, self.integer("an array's size")?);
            let Ok(size) = u64::try_from(size) else {
                return self.fail_at(at, self.last_end, "an array's size must not be negative".into());
            };
            dims.push(Some(size));
            self.expect(b']', "after the array's size")?;
        }
        let init = if self.eat(b'=') { Some(self.initialiser()?) } else { None };
        Ok(Variable { span: self.span_from(start), name, dims, init, ..head.clone() })
    }

    fn initialiser(&mut self) -> Parsed<Initializer<'a>> {
        if self.eat(b'{') {
            self.enter()?;
            let mut values = Vec::new();
            while !self.eat(b'}') {
                values.push(self.initialiser()?);
                if !self.eat(b',') {
                    self.expect(b'}', "or `,` in the initialiser")?;
                    break;
                }
            }
            self.leave();
            return Ok(Initializer::List(values));
        }
        if self.token.kind == Kind::Word && !self.at_constant() {
            return self.address_of(None);
        }
        let value = self.immediate()?;
        if !self.at(b'(') {
            return Ok(Initializer::Value(value));
        }
        // `0xFF00(name)`: the bytes of the address that the mask selects.
        let super::Immediate::Int(mask) = value else {
            return self.fail_expected("`,` or `;` after the value");
        };
        self.bump();
        let address = self.address_of(Some(mask as u64))?;
        self.expect(b')', "after the masked address")?;
        Ok(address)
    }

    /// Parses `name`, `name+8`, `generic(name)` or `generic(name)+8`.
    fn address_of(&mut self, byte_mask: Option<u64>) -> Parsed<Initializer<'a>> {
        let mut name = self.word("the name of a variable or function")?;
        let generic = name == "generic" && self.eat(b'(');
        let mut inside = 0;
        if generic {
            name = self.word("the name of a variable")?;
            inside = self.offset()?;
            self.expect(b')', "after the name")?;
        }
        let offset = self.offset()?.wrapping_add(inside);
        Ok(Initializer::Address { name, offset, generic, byte_mask })
    }
}

/// Returns the type that a word such as `.b32` names.
fn type_of(word: &str) -> Option<Type> {
    Type::named(word.get(1..)?)
}

impl Type {
    /// Returns the type with a name, given without its dot.
    pub fn named(name: &str) -> Option<Type> {
        TYPES.iter().find(|(_, known)| *known == name).map(|&(ty, _)| ty)
    }
}

/// Types and their names, without the dot.
pub(super) const TYPES: [(Type, &str); 28] = [
    (Type::B32, "b32"),
    (Type::B64, "b64"),
    (Type::Pred, "pred"),
    (Type::F32, "f32"),
    (Type::F64, "f64"),
    (Type::B16, "b16"),
    (Type::B8, "b8"),
    (Type::U32, "u32"),
    (Type::U64, "u64"),
    (Type::B128, "b128"),
    (Type::U8, "u8"),
    (Type::U16, "u16"),
    (Type::S8, "s8"),
    (Type::S16, "s16"),
    (Type::S32, "s32"),
    (Type::S64, "s64"),
    (Type::F16, "f16"),
    (Type::F16x2, "f16x2"),
    (Type::Bf16, "bf16"),
    (Type::Bf16x2, "bf16x2"),
    (Type::F32x2, "f32x2"),
    (Type::Tf32, "tf32"),
    (Type::U16x2, "u16x2"),
    (Type::S16x2, "s16x2"),
    (Type::E4m3, "e4m3"),
    (Type::E5m2, "e5m2"),
    (Type::E4m3x2, "e4m3x2"),
    (Type::E5m2x2, "e5m2x2"),
];
