//! The typed tree of a PTX module.
//!
//! Names and opcodes are slices of the source text, so parsing allocates little. Scopes stay nested as written
//! ([`Statement::Block`]); names are left to the user of the tree to resolve. Source: PTX ISA 8.8, chapters 4
//! (syntax), 5 (state spaces and types), 11 (directives).

/// A byte range in the PTX text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// A PTX module: the contents of a `.ptx` text.
#[derive(Clone, Debug, Default)]
pub struct Module<'a> {
    /// `.version major.minor`
    pub version: (u32, u32),
    /// First word of `.target`, such as `sm_80`.
    pub target: &'a str,
    /// `.address_size` in bits; 64 if absent.
    pub address_size: u32,
    /// `.file index "name"`, in order of appearance.
    pub files: Vec<SourceFile>,
    /// Module-scope variables, `.extern` declarations included.
    pub variables: Vec<Variable<'a>>,
    /// Entries, functions and function declarations, in order of appearance.
    pub functions: Vec<Function<'a>>,
    /// `.alias name, function;`
    pub aliases: Vec<Alias<'a>>,
}

/// A second name of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias<'a> {
    pub name: &'a str,
    pub function: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub index: u32,
    pub name: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    #[default]
    Internal,
    Visible,
    Extern,
    Weak,
    Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Reg,
    Const,
    Global,
    Local,
    Param,
    Shared,
}

/// Fundamental types (PTX ISA 5.2.1) and the packed ones that name operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub enum Type {
    B8, B16, B32, B64, B128,
    U8, U16, U32, U64,
    S8, S16, S32, S64,
    F16, F16x2, Bf16, Bf16x2, F32, F32x2, F64, Tf32,
    U16x2, S16x2,
    E4m3, E5m2, E4m3x2, E5m2x2,
    Pred,
}

impl Type {
    /// Returns the size of a value in memory, in bytes; 1 for a predicate, which can't be in memory.
    pub fn bytes(self) -> u32 {
        use Type::*;
        match self {
            B8 | U8 | S8 | E4m3 | E5m2 | Pred => 1,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 => 2,
            B32 | U32 | S32 | F32 | Tf32 | F16x2 | Bf16x2 | U16x2 | S16x2 => 4,
            B64 | U64 | S64 | F64 | F32x2 => 8,
            B128 => 16,
        }
    }
}

/// A variable or parameter declaration. An array has one entry in `dims` for each
/// dimension; `None` is an unsized one (`s[]`).
#[derive(Clone, Debug)]
pub struct Variable<'a> {
    pub span: Span,
    pub linkage: Linkage,
    pub space: Space,
    pub name: &'a str,
    pub ty: Type,
    /// Elements of a `.v2`/`.v4` declaration; 1 for a scalar.
    pub vector: u8,
    /// In bytes, if `.align` is given.
    pub align: Option<u32>,
    /// `.attribute(.managed)`
    pub managed: bool,
    pub dims: Vec<Option<u64>>,
    pub init: Option<Initializer<'a>>,
}

impl Variable<'_> {
    /// Returns the size in memory, in bytes; 0 for an array of unspecified length.
    pub fn bytes(&self) -> u64 {
        let element = u64::from(self.ty.bytes()) * u64::from(self.vector.max(1));
        self.dims.iter().fold(element, |bytes, extent| bytes.saturating_mul(extent.unwrap_or(0)))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Initializer<'a> {
    /// The elements of an array, or of one of its rows.
    List(Vec<Initializer<'a>>),
    /// A number.
    Value(Immediate),
    /// The address of a variable or function. `generic` is set by `generic(name)`; `byte_mask` is the mask of a
    /// byte selector such as `0xFF00(name)`.
    Address { name: &'a str, offset: i64, generic: bool, byte_mask: Option<u64> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Immediate {
    /// Any integer literal, as 64 bits; unsigned literals above `i64::MAX` wrap.
    Int(i64),
    /// `0fXXXXXXXX`: the bits.
    F32(u32),
    /// `0dXXXXXXXXXXXXXXXX` or a decimal literal: the bits.
    F64(u64),
}

#[derive(Clone, Debug)]
pub struct Function<'a> {
    pub span: Span,
    pub linkage: Linkage,
    /// `.entry` (a kernel) or `.func`.
    pub entry: bool,
    pub name: &'a str,
    pub returns: Vec<Variable<'a>>,
    pub params: Vec<Variable<'a>>,
    pub directives: Vec<Directive<'a>>,
    /// `None` for a declaration.
    pub body: Option<Vec<Statement<'a>>>,
}

/// A performance or launch directive of a function: `.maxntid 256, 1, 1`, `.noreturn`, `.pragma "…"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive<'a> {
    /// Without the dot.
    pub name: &'a str,
    pub values: Vec<u64>,
    /// Strings of a `.pragma` as written, quotes included.
    pub text: Option<&'a str>,
}

#[derive(Clone, Debug)]
pub enum Statement<'a> {
    /// `.reg .b32 %r<20>;` declares `%r0`…`%r19` (`count` = 20); `count` is `None` for a plain name.
    Registers { name: &'a str, ty: Type, vector: u8, count: Option<u32> },
    /// The declaration of a variable.
    Variable(Variable<'a>),
    /// `name:`
    Label { name: &'a str, span: Span },
    /// An instruction.
    Instruction(Instruction<'a>),
    /// `{ … }`, a scope of its own.
    Block(Vec<Statement<'a>>),
    /// `.loc`
    Location(Location),
    /// Strings of a `.pragma` as written, quotes included: hints for the optimiser.
    Pragma(&'a str),
    /// `name: .callprototype (returns) _ (params);`
    CallPrototype { name: &'a str, returns: Vec<Variable<'a>>, params: Vec<Variable<'a>> },
    /// `name: .branchtargets L1, L2;`
    BranchTargets { name: &'a str, labels: Vec<&'a str> },
    /// `name: .calltargets f, g;`
    CallTargets { name: &'a str, functions: Vec<&'a str> },
}

/// `.loc file line column[, function_name label, inlined_at file line column]`. It applies to the instructions
/// up to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub inlined_at: Option<(u32, u32, u32)>,
}

#[derive(Clone, Debug)]
pub struct Instruction<'a> {
    pub span: Span,
    pub guard: Option<Guard<'a>>,
    /// First word: `ld`, `fma`, `bar`.
    pub opcode: &'a str,
    /// What follows it, split at dots and without them: `["global", "nc", "v4", "f32"]`;
    /// `shared::cta` is one modifier.
    pub modifiers: Vec<&'a str>,
    pub operands: Vec<Operand<'a>>,
}

impl Instruction<'_> {
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard<'a> {
    pub register: &'a str,
    pub negated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'a> {
    /// A register, special register (`%tid.x` whole), variable, function or label.
    Name(&'a str),
    /// `!%p1`
    Not(&'a str),
    /// A number.
    Immediate(Immediate),
    /// `name+4` outside brackets.
    Offset { name: &'a str, offset: i64 },
    /// `[base+offset]`; `base` is `None` for an absolute address.
    Address { base: Option<&'a str>, offset: i64 },
    /// `{a, b, c, d}`
    Vector(Vec<Operand<'a>>),
    /// `%p1|%p2`
    Pair(&'a str, &'a str),
    /// `(a, b)`: arguments and results of a call.
    List(Vec<Operand<'a>>),
    /// `_`
    Sink,
    /// `%r1.x`, `.b0` selectors and the like: a register and its part.
    Part { name: &'a str, part: &'a str },
    /// `[tensorMap, {c0, c1}]` of the tensor copies.
    TensorAddress { base: &'a str, coordinates: Vec<Operand<'a>> },
    /// `[texture, sampler, {c0, c1}]` of the texture fetches.
    SampledAddress { texture: &'a str, sampler: &'a str, coordinates: Vec<Operand<'a>> },
}
