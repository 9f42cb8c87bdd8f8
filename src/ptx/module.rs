//! Parses a module and its functions (PTX ISA 8.8, sections 11.1 to 11.6).

use super::lexer::Kind;
use super::parser::{Parsed, Parser, quoted};
use super::{Alias, Directive, Function, Linkage, Module, SourceFile};

/// Directives between a function's parameters and its body (PTX ISA 8.8, sections 11.4, 11.7).
const FUNCTION_DIRECTIVES: [&str; 12] = [
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "maxnreg",
    "noreturn",
    "reqnctapercluster",
    "explicitcluster",
    "maxclusterrank",
    "blocksareclusters",
    "abi_preserve",
    "abi_preserve_control",
];

impl<'a> Parser<'a> {
    pub fn module(&mut self) -> Parsed<Module<'a>> {
        let mut module = Module { address_size: 64, ..Module::default() };
        module.version = self.version()?;
        while self.token.kind != Kind::End {
            self.module_item(&mut module)?;
        }
        if module.target.is_empty() {
            return self.fail("there is no `.target` in the module".into());
        }
        Ok(module)
    }

    /// Parses `.version 8.8`, with which every module begins.
    fn version(&mut self) -> Parsed<(u32, u32)> {
        if self.current() != ".version" {
            return self.fail_expected("`.version`, which every PTX module begins with");
        }
        self.bump();
        let text = self.current();
        let numbers =
            text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        match numbers {
            Some(version) if self.token.kind == Kind::Number => {
                self.bump();
                Ok(version)
            }
            _ => self.fail_expected("a version such as `8.8`"),
        }
    }

    fn module_item(&mut self, module: &mut Module<'a>) -> Parsed<()> {
        if self.eat(b';') {
            return Ok(());
        }
        if self.token.kind != Kind::Dotted {
            return self.fail_expected("a directive of the module such as `.entry` or `.global`");
        }
        match self.current() {
            // There may be another where texts were joined; the first one applies.
            ".version" => {
                self.version()?;
            }
            ".target" => {
                let target = self.target()?;
                if module.target.is_empty() {
                    module.target = target;
                }
            }
            ".address_size" => {
                self.bump();
                module.address_size = self.count("32 or 64")?;
            }
            ".file" => {
                let file = self.file()?;
                module.files.push(file);
            }
            ".loc" => {
                self.loc()?;
            }
            ".section" => self.skip_section()?,
            ".pragma" => {
                self.pragma()?;
            }
            ".alias" => {
                self.bump();
                let name = self.word("the alias")?;
                self.expect(b',', "after the alias")?;
                let function = self.word("the function that the alias stands for")?;
                self.expect(b';', "after the alias")?;
                module.aliases.push(Alias { name, function });
            }
            _ => self.definition(module)?,
        }
        Ok(())
    }

    fn definition(&mut self, module: &mut Module<'a>) -> Parsed<()> {
        let start = self.token.start;
        let linkage = self.linkage();
        if matches!((self.token.kind, self.current()), (Kind::Dotted, ".entry" | ".func")) {
            let function = self.function(start, linkage)?;
            module.functions.push(function);
            return Ok(());
        }
        match self.space() {
            Some(space) => self.variables(linkage, space, |variable| module.variables.push(variable)),
            None if linkage == Linkage::Internal => {
                self.fail(format!("the directive {} is not read", quoted(self.current())))
            }
            None => self.fail_expected("`.entry`, `.func` or a state space"),
        }
    }

    /// Parses `.target sm_90a, debug` and returns the architecture. What follows it (`debug`, texture modes)
    /// instructs the assembler and does not affect what the code means.
    fn target(&mut self) -> Parsed<&'a str> {
        self.bump();
        let target = self.word("an architecture such as `sm_80`")?;
        while self.eat(b',') {
            self.word("a target option")?;
        }
        Ok(target)
    }

    /// Parses `.file 1 "name.cu"[, timestamp, size]`.
    fn file(&mut self) -> Parsed<SourceFile> {
        self.bump();
        let index = self.count("a file number")?;
        if self.token.kind != Kind::StringLiteral {
            return self.fail_expected("the file's name in quotes");
        }
        let name = unescaped(self.take());
        while self.eat(b',') {
            self.integer("a time stamp or size")?;
        }
        Ok(SourceFile { index, name })
    }

    /// Skips `.section .debug_str { … }`: debugging data, which is not needed to run the code.
    fn skip_section(&mut self) -> Parsed<()> {
        self.bump();
        if !matches!(self.token.kind, Kind::Dotted | Kind::Word) {
            return self.fail_expected("the name of a section");
        }
        self.bump();
        let open = self.token.start;
        self.expect(b'{', "after the section's name")?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.token.kind {
                Kind::Punct(b'{') => depth += 1,
                Kind::Punct(b'}') => depth -= 1,
                Kind::End | Kind::UnterminatedString | Kind::UnterminatedComment => {
                    let (line, _) = self.line_and_column(open);
                    return self.fail_expected(&format!("the `}}` of the section that opens on line {line}"));
                }
                _ => {}
            }
            self.bump();
        }
        Ok(())
    }

    /// Parses a function; the current token is `.entry` or `.func`.
    fn function(&mut self, start: usize, linkage: Linkage) -> Parsed<Function<'a>> {
        let entry = self.take() == ".entry";
        while self.token.kind == Kind::Dotted && self.current() == ".attribute" {
            self.bump();
            self.attributes()?;
        }
        let returns = if !entry && self.at(b'(') { self.parameters()? } else { Vec::new() };
        let name = self.word("the name of the function")?;
        let params = if self.at(b'(') { self.parameters()? } else { Vec::new() };
        let directives = self.function_directives()?;
        let body = if self.at(b'{') {
            Some(self.block()?)
        } else if self.eat(b';') {
            None
        } else if self.token.kind == Kind::Dotted {
            return self.fail(format!("the directive {} of a function is not read", quoted(self.current())));
        } else {
            return self.fail_expected("the body of the function or `;`");
        };
        self.location = None;
        Ok(Function { span: self.span_from(start), linkage, entry, name, returns, params, directives, body })
    }

    /// Parses `.maxntid 256, 1, 1 .noreturn …`, up to the first directive that is not known.
    pub fn function_directives(&mut self) -> Parsed<Vec<Directive<'a>>> {
        let mut directives = Vec::new();
        while self.token.kind == Kind::Dotted {
            let name = self.current().get(1..).unwrap_or_default();
            if name == "pragma" {
                let text = Some(self.pragma()?);
                directives.push(Directive { name, values: Vec::new(), text });
                continue;
            }
            if !FUNCTION_DIRECTIVES.contains(&name) {
                break;
            }
            self.bump();
            let mut values = Vec::new();
            if self.token.kind == Kind::Number {
                self.separated(|parser| parser.count("a whole number").map(|n| values.push(n.into())))?;
            }
            directives.push(Directive { name, values, text: None });
        }
        Ok(directives)
    }
}

/// Returns the text between the quotes, with `\"` and `\\` replaced, and with the bytes of other characters,
/// which NVRTC writes as `\303`, decoded.
fn unescaped(quoted: &str) -> String {
    let inside = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(quoted);
    if !inside.contains('\\') {
        return inside.to_owned();
    }
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let octal = behind.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let octal = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        (rest, _) = match (byte, octal, behind.split_first()) {
            (b'\\', Some(byte), _) => (&behind[3..], bytes.push(byte)),
            (b'\\', None, Some((&escaped, behind))) => (behind, bytes.push(escaped)),
            _ => (behind, bytes.push(byte)),
        };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| inside.to_owned())
}
