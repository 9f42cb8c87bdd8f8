//! Parses the operands of instructions (PTX ISA 8.8, chapter 6).

use super::Operand;
use super::lexer::Kind;
use super::parser::{Parsed, Parser};

/// Special registers whose `.x`, `.y` or `.z` belongs to the name (PTX ISA 8.8, chapter 10).
const VECTOR_SPECIALS: [&str; 8] =
    ["%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"];

impl<'a> Parser<'a> {
    /// Parses one operand. In a call, parentheses contain arguments; elsewhere a constant expression.
    pub fn operand(&mut self, in_call: bool) -> Parsed<Operand<'a>> {
        match self.token.kind {
            Kind::Word if !self.at_constant() => self.named(),
            Kind::Punct(b'[') => self.address(),
            Kind::Punct(b'{') => {
                self.bump();
                Ok(Operand::Vector(self.operands_until(b'}')?))
            }
            Kind::Punct(b'(') if in_call => {
                self.bump();
                Ok(Operand::List(self.operands_until(b')')?))
            }
            Kind::Punct(b'!') => {
                let start = self.token.start;
                self.bump();
                if self.token.kind == Kind::Word && !self.at_constant() {
                    return Ok(Operand::Not(self.take()));
                }
                self.resume_at(start);
                Ok(Operand::Immediate(self.immediate()?))
            }
            _ if self.at_constant() => Ok(Operand::Immediate(self.immediate()?)),
            _ => self.fail_expected("an operand"),
        }
    }

    /// Parses operands separated by commas, after the opening bracket and including the closing one.
    fn operands_until(&mut self, close: u8) -> Parsed<Vec<Operand<'a>>> {
        self.enter()?;
        let mut operands = Vec::new();
        if !self.eat(close) {
            self.separated(|parser| parser.operand(false).map(|operand| operands.push(operand)))?;
            self.expect(close, "or `,` after the operand")?;
        }
        self.leave();
        Ok(operands)
    }

    fn named(&mut self) -> Parsed<Operand<'a>> {
        let start = self.token.start;
        let name = self.take();
        match self.token.kind {
            Kind::Dotted if self.adjacent() => {
                let part = self.take();
                if VECTOR_SPECIALS.contains(&name) {
                    return Ok(Operand::Name(self.slice(start, self.last_end)));
                }
                Ok(Operand::Part { name, part: part.get(1..).unwrap_or_default() })
            }
            Kind::Punct(b'|') => {
                self.bump();
                Ok(Operand::Pair(name, self.word("a name after `|`")?))
            }
            Kind::Punct(b'+' | b'-') => Ok(Operand::Offset { name, offset: self.offset()? }),
            _ if name == "_" => Ok(Operand::Sink),
            _ => Ok(Operand::Name(name)),
        }
    }

    fn address(&mut self) -> Parsed<Operand<'a>> {
        self.bump();
        if self.token.kind != Kind::Word || self.at_constant() {
            let offset = self.integer("an address")?;
            self.expect(b']', "after the address")?;
            return Ok(Operand::Address { base: None, offset });
        }
        let base = self.take();
        let operand = if self.eat(b',') {
            self.coordinates(base)?
        } else {
            Operand::Address { base: Some(base), offset: self.offset()? }
        };
        self.expect(b']', "after the address")?;
        Ok(operand)
    }

    /// Parses what follows `[base,`: coordinates, or a sampler and coordinates. A single coordinate may be
    /// written without braces.
    fn coordinates(&mut self, base: &'a str) -> Parsed<Operand<'a>> {
        let list = |operand| match operand {
            Operand::Vector(coordinates) => coordinates,
            lone => vec![lone],
        };
        self.enter()?;
        let first = self.operand(false)?;
        let address = if self.at(b',') {
            let Operand::Name(sampler) = first else {
                return self.fail_expected("`]` after the coordinates");
            };
            self.bump();
            let coordinates = list(self.operand(false)?);
            Operand::SampledAddress { texture: base, sampler, coordinates }
        } else {
            Operand::TensorAddress { base, coordinates: list(first) }
        };
        self.leave();
        Ok(address)
    }
}
