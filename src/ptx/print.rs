//! Prints a tree as PTX text that parses to the same tree.
//!
//! Constant expressions are printed as their value. Comments, debugging sections, options of the target and
//! properties of a pointer's target are lost, since the tree does not hold them.

use std::fmt::{Display, Formatter, Result, Write};

use super::declaration::TYPES;
use super::{
    Directive, Function, Immediate, Initializer, Instruction, Linkage, Location, Module, Operand, Space,
    Statement, Type, Variable,
};

impl Display for Module<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (major, minor) = self.version;
        writeln!(f, ".version {major}.{minor}")?;
        writeln!(f, ".target {}", self.target)?;
        writeln!(f, ".address_size {}", self.address_size)?;
        for file in &self.files {
            let name = file.name.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, ".file {} \"{}\"", file.index, harmless(&name))?;
        }
        for variable in &self.variables {
            writeln!(f, "{variable};")?;
        }
        for function in &self.functions {
            write!(f, "\n{function}")?;
        }
        for alias in &self.aliases {
            writeln!(f, ".alias {}, {};", alias.name, alias.function)?;
        }
        Ok(())
    }
}

/// Replaces control characters. Names of files and pragmas are the only free text in a tree, and they must not
/// be able to control a terminal.
fn harmless(text: &str) -> String {
    let plain = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    text.chars().map(|c| if plain(c) { c } else { '\u{fffd}' }).collect()
}

impl Display for Function<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}{}", self.linkage, if self.entry { ".entry " } else { ".func " })?;
        if !self.returns.is_empty() {
            write!(f, "({}) ", separated(&self.returns))?;
        }
        f.write_str(self.name)?;
        if self.params.is_empty() {
            f.write_str(" ()")?;
        } else {
            f.write_str(" (\n")?;
            for (i, parameter) in self.params.iter().enumerate() {
                let comma = if i + 1 < self.params.len() { "," } else { "" };
                writeln!(f, "    {parameter}{comma}")?;
            }
            f.write_char(')')?;
        }
        for directive in &self.directives {
            write!(f, "\n{directive}")?;
        }
        match &self.body {
            None => writeln!(f, ";"),
            Some(body) => {
                f.write_str("\n{\n")?;
                statements(f, body, 1)?;
                f.write_str("}\n")
            }
        }
    }
}

impl Display for Directive<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, ".{}", self.name)?;
        if !self.values.is_empty() {
            write!(f, " {}", separated(&self.values))?;
        }
        match self.text {
            Some(text) => write!(f, " {};", harmless(text)),
            None => Ok(()),
        }
    }
}

impl Display for Variable<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}{}", self.linkage, self.space)?;
        if self.managed {
            f.write_str(" .attribute(.managed)")?;
        }
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        write!(f, "{} {} {}", Lanes(self.vector), self.ty, self.name)?;
        for dim in &self.dims {
            match dim {
                Some(size) => write!(f, "[{size}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &self.init {
            Some(init) => write!(f, " = {init}"),
            None => Ok(()),
        }
    }
}

/// Prints `.v2` or `.v4`; nothing for a scalar.
struct Lanes(u8);

impl Display for Lanes {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.0 == 1 { Ok(()) } else { write!(f, " .v{}", self.0) }
    }
}

impl Display for Linkage {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Internal => "",
            Self::Visible => ".visible ",
            Self::Extern => ".extern ",
            Self::Weak => ".weak ",
            Self::Common => ".common ",
        })
    }
}

impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Reg => ".reg",
            Self::Const => ".const",
            Self::Global => ".global",
            Self::Local => ".local",
            Self::Param => ".param",
            Self::Shared => ".shared",
        })
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let name = TYPES.iter().find(|(ty, _)| ty == self).map_or("", |(_, name)| name);
        write!(f, ".{name}")
    }
}

impl Display for Initializer<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::List(values) => write!(f, "{{{}}}", separated(values)),
            Self::Value(value) => write!(f, "{value}"),
            Self::Address { name, offset, generic, byte_mask } => {
                if let Some(mask) = byte_mask {
                    write!(f, "0x{mask:X}(")?;
                }
                if *generic {
                    write!(f, "generic({name})")?;
                } else {
                    f.write_str(name)?;
                }
                if *offset != 0 {
                    write!(f, "{offset:+}")?;
                }
                if byte_mask.is_some() { f.write_char(')') } else { Ok(()) }
            }
        }
    }
}

impl Display for Immediate {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::F32(bits) => write!(f, "0f{bits:08X}"),
            Self::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

fn statements(f: &mut Formatter<'_>, body: &[Statement<'_>], depth: usize) -> Result {
    for statement in body {
        match statement {
            Statement::Label { name, .. } => writeln!(f, "{name}:")?,
            Statement::Block(inner) => {
                writeln!(f, "{:1$}{{", "", depth * 4)?;
                statements(f, inner, depth + 1)?;
                writeln!(f, "{:1$}}}", "", depth * 4)?;
            }
            _ => writeln!(f, "{:1$}{statement}", "", depth * 4)?,
        }
    }
    Ok(())
}

/// Prints one statement, without a line break unless it is a block.
impl Display for Statement<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Registers { name, ty, vector, count } => {
                write!(f, ".reg{} {ty} {name}", Lanes(*vector))?;
                match count {
                    Some(count) => write!(f, "<{count}>;"),
                    None => f.write_char(';'),
                }
            }
            Self::Variable(variable) => write!(f, "{variable};"),
            Self::Label { name, .. } => write!(f, "{name}:"),
            Self::Instruction(instruction) => write!(f, "{instruction}"),
            Self::Block(_) => statements(f, std::slice::from_ref(self), 0),
            Self::Location(location) => write!(f, "{location}"),
            Self::Pragma(text) => write!(f, ".pragma {text};"),
            Self::CallPrototype { name, returns, params } => {
                write!(f, "{name}: .callprototype ({}) _ ({});", separated(returns), separated(params))
            }
            Self::BranchTargets { name, labels } => {
                write!(f, "{name}: .branchtargets {};", separated(labels))
            }
            Self::CallTargets { name, functions } => {
                write!(f, "{name}: .calltargets {};", separated(functions))
            }
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, ".loc {} {} {}", self.file, self.line, self.column)?;
        match self.inlined_at {
            Some((file, line, column)) => write!(f, ", inlined_at {file} {line} {column}"),
            None => Ok(()),
        }
    }
}

impl Display for Instruction<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(guard) = self.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, guard.register)?;
        }
        f.write_str(self.opcode)?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        if !self.operands.is_empty() {
            write!(f, " {}", separated(&self.operands))?;
        }
        f.write_char(';')
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Not(name) => write!(f, "!{name}"),
            Self::Immediate(value) => write!(f, "{value}"),
            Self::Offset { name, offset } => write!(f, "{name}{offset:+}"),
            Self::Address { base: Some(base), offset: 0 } => write!(f, "[{base}]"),
            Self::Address { base: Some(base), offset } => write!(f, "[{base}{offset:+}]"),
            Self::Address { base: None, offset } => write!(f, "[{offset}]"),
            Self::Vector(operands) => write!(f, "{{{}}}", separated(operands)),
            Self::Pair(first, second) => write!(f, "{first}|{second}"),
            Self::List(operands) => write!(f, "({})", separated(operands)),
            Self::Sink => f.write_char('_'),
            Self::Part { name, part } => write!(f, "{name}.{part}"),
            Self::TensorAddress { base, coordinates } => {
                write!(f, "[{base}, {{{}}}]", separated(coordinates))
            }
            Self::SampledAddress { texture, sampler, coordinates } => {
                write!(f, "[{texture}, {sampler}, {{{}}}]", separated(coordinates))
            }
        }
    }
}

/// Returns the items for printing with `, ` between them.
fn separated<T: Display>(items: &[T]) -> Separated<'_, T> {
    Separated(items)
}

struct Separated<'s, T>(&'s [T]);

impl<T: Display> Display for Separated<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}
