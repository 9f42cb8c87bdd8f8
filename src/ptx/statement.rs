//! Parses the bodies of functions: statements, labels, instructions (PTX ISA 8.8, sections 4.3, 9.3, 11.2).

use super::lexer::Kind;
use super::parser::{Parsed, Parser, quoted};
use super::{Guard, Instruction, Linkage, Location, Space, Statement};

impl<'a> Parser<'a> {
    /// Parses `{ … }`; the current token is `{`.
    pub fn block(&mut self) -> Parsed<Vec<Statement<'a>>> {
        let open = self.token.start;
        self.expect(b'{', "before the statements")?;
        self.enter()?;
        let mut out = Vec::new();
        while !self.eat(b'}') {
            if self.token.kind == Kind::End {
                let (line, _) = self.line_and_column(open);
                return self.fail(format!("the block that opens on line {line} has no `}}`"));
            }
            self.statement(&mut out)?;
        }
        self.leave();
        Ok(out)
    }

    /// Parses one statement, which may declare several things or nothing.
    fn statement(&mut self, out: &mut Vec<Statement<'a>>) -> Parsed<()> {
        match self.token.kind {
            Kind::Word => {
                let start = self.token.start;
                let word = self.take();
                if self.at(b':') {
                    self.labelled(start, word, out)?;
                } else {
                    out.push(Statement::Instruction(self.instruction(start, None, word)?));
                }
            }
            Kind::Dotted => self.directive(out)?,
            Kind::Punct(b'{') => out.push(Statement::Block(self.block()?)),
            // Inline PTX that ends in `;` leaves an empty statement.
            Kind::Punct(b';') => self.bump(),
            Kind::Punct(b'@') => {
                let start = self.token.start;
                self.bump();
                let negated = self.eat(b'!');
                let register = self.word("the predicate register of the guard")?;
                let opcode = self.word("an instruction after the guard")?;
                let guard = Some(Guard { register, negated });
                out.push(Statement::Instruction(self.instruction(start, guard, opcode)?));
            }
            _ => return self.fail_expected("an instruction, a declaration or `}`"),
        }
        Ok(())
    }

    /// Parses an instruction after the opcode's first word.
    fn instruction(
        &mut self,
        start: usize,
        guard: Option<Guard<'a>>,
        opcode: &'a str,
    ) -> Parsed<Instruction<'a>> {
        let mut modifiers = Vec::new();
        while self.token.kind == Kind::Dotted {
            modifiers.push(self.take().get(1..).unwrap_or_default());
        }
        let mut operands = Vec::new();
        if !self.at(b';') {
            let in_call = opcode == "call";
            self.separated(|parser| parser.operand(in_call).map(|operand| operands.push(operand)))?;
        }
        let span = self.span_from(start);
        if !self.eat(b';') {
            return self.fail_expected(&format!("`;` or `,` after the operand of {}", quoted(opcode)));
        }
        Ok(Instruction { span, guard, opcode, modifiers, operands })
    }

    /// Parses a label or a labelled directive, at the `:` after `name`.
    fn labelled(&mut self, start: usize, name: &'a str, out: &mut Vec<Statement<'a>>) -> Parsed<()> {
        let span = self.span_from(start);
        self.bump();
        let directive = if self.token.kind == Kind::Dotted { self.current() } else { "" };
        out.push(match directive {
            ".callprototype" => self.call_prototype(name)?,
            ".branchtargets" => {
                self.bump();
                Statement::BranchTargets { name, labels: self.names("a label")? }
            }
            ".calltargets" => {
                self.bump();
                Statement::CallTargets { name, functions: self.names("the name of a function")? }
            }
            _ => Statement::Label { name, span },
        });
        Ok(())
    }

    /// Parses `.callprototype (returns) _ (params) .noreturn;`.
    fn call_prototype(&mut self, name: &'a str) -> Parsed<Statement<'a>> {
        self.bump();
        let returns = if self.at(b'(') { self.parameters()? } else { Vec::new() };
        self.word("`_` in the prototype")?;
        let params = if self.at(b'(') { self.parameters()? } else { Vec::new() };
        // Promises about the callee make no difference to a user that executes the code.
        self.function_directives()?;
        self.expect(b';', "after the prototype")?;
        Ok(Statement::CallPrototype { name, returns, params })
    }

    /// Parses names separated by commas, up to and including the `;`.
    fn names(&mut self, what: &str) -> Parsed<Vec<&'a str>> {
        let mut names = Vec::new();
        self.separated(|parser| parser.word(what).map(|name| names.push(name)))?;
        self.expect(b';', "after the names")?;
        Ok(names)
    }

    fn directive(&mut self, out: &mut Vec<Statement<'a>>) -> Parsed<()> {
        match self.current() {
            ".reg" => return self.registers(out),
            ".loc" => {
                let location = self.loc()?;
                out.push(Statement::Location(location));
                return Ok(());
            }
            ".pragma" => {
                let text = self.pragma()?;
                out.push(Statement::Pragma(text));
                return Ok(());
            }
            _ => {}
        }
        let word = self.current();
        let linkage = self.linkage();
        match self.space() {
            Some(space) if space != Space::Reg => {
                self.variables(linkage, space, |variable| out.push(Statement::Variable(variable)))
            }
            _ if linkage != Linkage::Internal => self.fail_expected("a state space such as `.shared`"),
            _ => self.fail(format!("the directive {} is not read inside a function", quoted(word))),
        }
    }

    /// Parses `.pragma "a", "b";` and returns the strings as one slice of the text, quotes included.
    pub fn pragma(&mut self) -> Parsed<&'a str> {
        self.bump();
        let start = self.token.start;
        loop {
            if self.token.kind != Kind::StringLiteral {
                return self.fail_expected("a string after `.pragma`");
            }
            self.bump();
            if !self.eat(b',') {
                let text = self.slice(start, self.last_end);
                self.expect(b';', "after the pragma")?;
                return Ok(text);
            }
        }
    }

    /// Parses `.loc file line column[, function_name label[+offset]][, inlined_at file line column]`.
    pub fn loc(&mut self) -> Parsed<Location> {
        self.bump();
        let (file, line, column) = self.position()?;
        let mut location = Location { file, line, column, inlined_at: None };
        while self.eat(b',') {
            match self.word("`function_name` or `inlined_at`")? {
                "function_name" => {
                    self.word("the label of the function's name")?;
                    self.offset()?;
                }
                "inlined_at" => location.inlined_at = Some(self.position()?),
                other => {
                    return self.fail(format!("{} is not a part of `.loc` that is read", quoted(other)));
                }
            }
        }
        self.location = Some(location);
        Ok(location)
    }

    fn position(&mut self) -> Parsed<(u32, u32, u32)> {
        Ok((self.count("a file number")?, self.count("a line number")?, self.count("a column number")?))
    }
}
