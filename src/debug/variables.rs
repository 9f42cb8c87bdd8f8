//! The variables of a source, and where their values are, according to the compiler's DWARF.
//!
//! With `--device-debug`, NVRTC embeds DWARF in the PTX as text. There a register is a number whose bytes are its
//! name (`%r1` is 0x257231). Since gimli's registers have 16 bits, gimli reads the tree, and the few operations
//! of a location are decoded here. Location lists give the range of instructions for which each location holds;
//! between them a variable is optimised out.

use crate::sections::{Addresses, sections};
use gimli::{
    AttributeValue, DebugAbbrev, DebugAddr, DebugAddrBase, DebugInfo, DebugLoc, DebugLocLists, DebugStr,
    DebuggingInformationEntry, EndianSlice, LittleEndian, LocationLists, UnitHeader, UnitOffset,
    constants as dw,
};
use sim::{Register, Symbols};
use std::collections::HashMap;
use std::ops::Range;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    /// Line of the declaration.
    pub line: u32,
    pub is_parameter: bool,
    /// Instructions at which it is visible.
    pub scope: Range<u32>,
    /// Index of its function in the module.
    pub function: u32,
    places: Vec<(Range<u32>, Storage)>,
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Register(Register),
    /// Byte offset in the function's local memory.
    Local(u64),
}

/// A type, as far as its values can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer, or an enumeration.
    Int { name: String, bytes: u32, signed: bool },
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// A floating-point number.
    Float { bytes: u32 },
    /// A pointer to that type.
    Pointer(Box<Type>),
    /// A reference, which stands for what it refers to.
    Reference(Box<Type>),
    /// A bit field: some bits of an integer, where `first` counts from the lowest bit.
    BitField { of: Box<Type>, first: u32, bits: u32 },
    /// Element type, and extents, the slowest-varying first.
    Array(Box<Type>, Vec<u64>),
    /// A structure or a class.
    Struct { name: String, bytes: u32, members: Vec<Member> },
    /// Any other type, of which only name, size and bits are known.
    Other { name: String, bytes: u32 },
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    pub offset: u32,
    pub ty: Type,
}

impl Type {
    pub fn bytes(&self) -> u64 {
        match self {
            Type::Int { bytes, .. } | Type::Float { bytes } => u64::from(*bytes),
            Type::Other { bytes, .. } | Type::Struct { bytes, .. } => u64::from(*bytes),
            Type::Bool | Type::Char => 1,
            Type::Pointer(_) | Type::Reference(_) => 8,
            Type::BitField { of, .. } => of.bytes(),
            Type::Array(of, extents) => extents.iter().fold(of.bytes(), |bytes, n| bytes.saturating_mul(*n)),
        }
    }

    /// Returns the type that a declaration names, such as `static unsigned int`; `None` if it is not a built-in
    /// type, or not of that size.
    pub fn named(text: &str, bytes: u64) -> Option<Type> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let has = |word: &str| words.contains(&word);
        let int = |name: &str, size: u32, signed: bool| Type::Int { name: name.into(), bytes: size, signed };
        let signed = !has("unsigned");
        let found = if has("float") {
            Type::Float { bytes: 4 }
        } else if has("double") {
            Type::Float { bytes: 8 }
        } else if has("half") || has("__half") {
            Type::Float { bytes: 2 }
        } else if has("bool") {
            Type::Bool
        } else if has("char") || has("int8_t") || has("uint8_t") {
            int("char", 1, signed && !has("uint8_t"))
        } else if has("short") {
            int("short", 2, signed)
        } else if has("long") || has("size_t") || has("uint64_t") || has("int64_t") {
            int("long", 8, signed && !has("size_t") && !has("uint64_t"))
        } else if has("int") || has("unsigned") || has("uint32_t") || has("int32_t") {
            int(if signed { "int" } else { "unsigned int" }, 4, signed && !has("uint32_t"))
        } else {
            return None;
        };
        (found.bytes() == bytes).then_some(found)
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Int { name, .. } | Type::Other { name, .. } | Type::Struct { name, .. } => {
                f.write_str(name)
            }
            Type::Bool => f.write_str("bool"),
            Type::Char => f.write_str("char"),
            Type::Float { bytes: 2 } => f.write_str("half"),
            Type::Float { bytes: 8 } => f.write_str("double"),
            Type::Float { .. } => f.write_str("float"),
            Type::Pointer(to) => write!(f, "{to} *"),
            Type::Reference(to) => write!(f, "{to} &"),
            Type::BitField { of, bits, .. } => write!(f, "{of} : {bits}"),
            Type::Array(of, extents) => {
                write!(f, "{of} ")?;
                extents.iter().try_for_each(|extent| write!(f, "[{extent}]"))
            }
        }
    }
}

/// All variables of a module.
#[derive(Debug, Default)]
pub struct Variables(Vec<Variable>);

impl Variables {
    /// Reads the variables from the PTX that a module was parsed from for debugging; none if it has no readable
    /// DWARF.
    pub fn new(ptx: &str, symbols: Symbols) -> Variables {
        let mut addresses = Addresses::new(symbols.labels());
        let sections = sections(ptx, &mut addresses);
        let section = |name: &str| sections.get(name).map_or(&[][..], Vec::as_slice);
        let reader = Reader {
            symbols,
            addresses: &addresses,
            strings: DebugStr::new(section(".debug_str"), LittleEndian),
            lists: LocationLists::new(
                DebugLoc::new(section(".debug_loc"), LittleEndian),
                DebugLocLists::new(section(".debug_loclists"), LittleEndian),
            ),
        };
        let info = DebugInfo::new(section(".debug_info"), LittleEndian);
        let abbreviations = DebugAbbrev::new(section(".debug_abbrev"), LittleEndian);
        let mut all = Vec::new();
        let mut units = info.units();
        while let Ok(Some(unit)) = units.next() {
            // If an entry is not understood, the unit's variables up to there are kept.
            let _ = reader.unit(&unit, &abbreviations, &mut all);
        }
        Variables(all)
    }

    /// Returns the variable of a name that is visible to an instruction: of several, the innermost.
    pub fn visible(&self, name: &str, pc: u32) -> Option<&Variable> {
        let seen = self.0.iter().filter(|variable| variable.name == name && variable.scope.contains(&pc));
        seen.min_by_key(|variable| {
            (variable.scope.end - variable.scope.start, std::cmp::Reverse(variable.line))
        })
    }

    /// Returns all variables visible to an instruction: parameters first, then in order of declaration.
    pub fn all_visible(&self, pc: u32) -> Vec<&Variable> {
        let mut seen: Vec<&Variable> = self.0.iter().filter(|v| v.scope.contains(&pc)).collect();
        seen.retain(|variable| {
            self.visible(&variable.name, pc).is_some_and(|best| std::ptr::eq(best, *variable))
        });
        seen.sort_by_key(|variable| (!variable.is_parameter, variable.line));
        seen
    }

    /// Returns whether any function has a variable of that name.
    pub fn is_known(&self, name: &str) -> bool {
        self.0.iter().any(|variable| variable.name == name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Variable {
    /// Returns whether an instruction is at or after the first one at which the variable has a location.
    pub fn has_location_by(&self, pc: u32) -> bool {
        self.places.is_empty() || self.places.iter().any(|(range, _)| range.start <= pc)
    }

    /// Returns where the value is before an instruction; `None` if it is nowhere.
    pub fn place(&self, pc: u32) -> Option<Storage> {
        self.places.iter().find(|(range, _)| range.contains(&pc)).map(|(_, place)| *place)
    }
}

struct Reader<'s> {
    symbols: Symbols<'s>,
    addresses: &'s Addresses,
    strings: DebugStr<Slice<'s>>,
    lists: LocationLists<Slice<'s>>,
}

/// Maximum nesting of pointers, arrays and structures that is followed.
const DEEPEST: usize = 16;

/// A scope: the depth of its entry, its function and its instructions.
type Scope = (isize, u32, Range<u32>);

impl<'s> Reader<'s> {
    fn unit(
        &self,
        unit: &UnitHeader<Slice<'s>>,
        abbreviations: &DebugAbbrev<Slice<'s>>,
        all: &mut Vec<Variable>,
    ) -> gimli::Result<()> {
        let abbreviations = unit.abbreviations(abbreviations)?;
        let mut entries: Vec<Entry<'s>> = Vec::new();
        let mut cursor = unit.entries(&abbreviations);
        while let Some(entry) = cursor.next_dfs()? {
            entries.push(entry.clone());
        }
        let by_offset: HashMap<UnitOffset, usize> =
            entries.iter().enumerate().map(|(n, entry)| (entry.offset(), n)).collect();
        let tree = Tree { entries: &entries, by_offset: &by_offset };
        let base = entries.first().map_or(0, |unit| self.address(unit, dw::DW_AT_low_pc).unwrap_or(0));
        let mut scopes: Vec<Scope> = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            while scopes.last().is_some_and(|(depth, ..)| *depth >= entry.depth()) {
                scopes.pop();
            }
            match entry.tag() {
                dw::DW_TAG_subprogram | dw::DW_TAG_lexical_block => {
                    if let Some(range) = self.range(entry)
                        && let Some(function) = self.symbols.function_at(range.start)
                    {
                        scopes.push((entry.depth(), function, range));
                    }
                }
                dw::DW_TAG_variable | dw::DW_TAG_formal_parameter => {
                    let Some((_, function, scope)) = scopes.last() else { continue };
                    all.extend(self.variable(&tree, number, (*function, scope.clone()), unit, base));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn address(&self, entry: &Entry<'s>, at: gimli::DwAt) -> Option<u64> {
        match entry.attr_value(at)? {
            AttributeValue::Addr(address) => Some(address),
            _ => None,
        }
    }

    fn range(&self, entry: &Entry<'s>) -> Option<Range<u32>> {
        let low = self.address(entry, dw::DW_AT_low_pc)?;
        let high = match entry.attr_value(dw::DW_AT_high_pc)? {
            AttributeValue::Addr(address) => address,
            other => low + other.udata_value()?,
        };
        Some(Addresses::instruction(low)?..Addresses::instruction(high)?)
    }

    fn text(&self, entry: &Entry<'s>, at: gimli::DwAt) -> Option<String> {
        let text = entry.attr_value(at)?.string_value(&self.strings)?;
        Some(String::from_utf8_lossy(text.slice()).into_owned())
    }

    fn variable(
        &self,
        tree: &Tree<'_, 's>,
        number: usize,
        (function, scope): (u32, Range<u32>),
        unit: &UnitHeader<Slice<'s>>,
        base: u64,
    ) -> Option<Variable> {
        let entry = &tree.entries[number];
        let name = self.text(entry, dw::DW_AT_name)?;
        let line = entry.attr_value(dw::DW_AT_decl_line).and_then(|line| line.udata_value()).unwrap_or(0);
        let mut places = Vec::new();
        match entry.attr_value(dw::DW_AT_location) {
            Some(AttributeValue::Exprloc(place)) => {
                places.extend(self.place(place.0.slice(), function).map(|place| (0..u32::MAX, place)));
            }
            Some(AttributeValue::Block(place)) => {
                places.extend(self.place(place.slice(), function).map(|place| (0..u32::MAX, place)));
            }
            Some(other) => {
                let offset = match other {
                    AttributeValue::LocationListsRef(offset) => offset,
                    AttributeValue::SecOffset(offset) => gimli::LocationListsOffset(offset),
                    other => gimli::LocationListsOffset(usize::try_from(other.udata_value()?).ok()?),
                };
                let none = DebugAddr::from(EndianSlice::new(&[], LittleEndian));
                let list = self.lists.locations(offset, unit.encoding(), base, &none, DebugAddrBase(0));
                let mut list = list.ok()?;
                while let Ok(Some(one)) = list.next() {
                    let (begin, end) = (one.range.begin, one.range.end);
                    let range = Addresses::instruction(begin)?..Addresses::instruction(end)?;
                    places.extend(self.place(one.data.0.slice(), function).map(|place| (range, place)));
                }
            }
            None => {}
        }
        Some(Variable {
            name,
            ty: self.ty(tree, entry, 0),
            line: u32::try_from(line).unwrap_or(0),
            is_parameter: entry.tag() == dw::DW_TAG_formal_parameter,
            scope,
            function,
            places,
        })
    }

    /// Decodes a location: `DW_OP_regx name`, or `DW_OP_addr variable`, `DW_OP_plus_uconst byte`.
    fn place(&self, operations: &[u8], function: u32) -> Option<Storage> {
        let (first, rest) = operations.split_first()?;
        match gimli::DwOp(*first) {
            dw::DW_OP_regx => {
                let (number, rest) = unsigned(rest)?;
                let name: Vec<u8> = number.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
                let register = self.symbols.register(function, std::str::from_utf8(&name).ok()?)?;
                rest.is_empty().then_some(Storage::Register(register))
            }
            dw::DW_OP_addr => {
                let (address, rest) = rest.split_at_checked(8)?;
                let address = u64::from_le_bytes(address.try_into().ok()?);
                let more = match rest.split_first() {
                    None => 0,
                    Some((op, rest)) if gimli::DwOp(*op) == dw::DW_OP_plus_uconst => {
                        let (more, rest) = unsigned(rest)?;
                        rest.is_empty().then_some(more)?
                    }
                    Some(_) => return None,
                };
                let (variable, byte) = self.addresses.variable(address)?;
                let start = self.symbols.local(function, variable)?;
                Some(Storage::Local(start.checked_add(byte)?.checked_add(more)?))
            }
            _ => None,
        }
    }

    fn ty(&self, tree: &Tree<'_, 's>, entry: &Entry<'s>, depth: usize) -> Type {
        let void = || Type::Other { name: "void".into(), bytes: 0 };
        let Some(of) = tree.referred(entry, dw::DW_AT_type).filter(|_| depth < DEEPEST) else {
            return void();
        };
        let its = &tree.entries[of];
        let bytes = its.attr_value(dw::DW_AT_byte_size).and_then(|bytes| bytes.udata_value()).unwrap_or(0);
        let bytes = u32::try_from(bytes).unwrap_or(0);
        let name = self.text(its, dw::DW_AT_name).map_or_else(|| "?".into(), |name| plain(&name));
        match its.tag() {
            dw::DW_TAG_base_type => {
                let encoding = match its.attr_value(dw::DW_AT_encoding) {
                    Some(AttributeValue::Encoding(encoding)) => Some(encoding),
                    _ => None,
                };
                match encoding {
                    Some(dw::DW_ATE_float) if matches!(bytes, 2 | 4 | 8) => Type::Float { bytes },
                    Some(dw::DW_ATE_boolean) if bytes == 1 => Type::Bool,
                    Some(dw::DW_ATE_signed_char) if bytes == 1 && name == "char" => Type::Char,
                    Some(dw::DW_ATE_signed | dw::DW_ATE_signed_char) => {
                        Type::Int { name, bytes, signed: true }
                    }
                    Some(dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char) => {
                        Type::Int { name, bytes, signed: false }
                    }
                    _ => Type::Other { name, bytes },
                }
            }
            dw::DW_TAG_pointer_type => Type::Pointer(Box::new(self.ty(tree, its, depth + 1))),
            dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type => {
                Type::Reference(Box::new(self.ty(tree, its, depth + 1)))
            }
            dw::DW_TAG_const_type
            | dw::DW_TAG_volatile_type
            | dw::DW_TAG_typedef
            | dw::DW_TAG_restrict_type => self.ty(tree, its, depth + 1),
            dw::DW_TAG_array_type => {
                let extents = tree.children(of).filter(|child| child.tag() == dw::DW_TAG_subrange_type);
                let extent = |child: &Entry<'s>| {
                    let count = child.attr_value(dw::DW_AT_count).and_then(|count| count.udata_value());
                    let bound = child.attr_value(dw::DW_AT_upper_bound).and_then(|bound| bound.udata_value());
                    count.or_else(|| bound?.checked_add(1)).unwrap_or(0)
                };
                Type::Array(Box::new(self.ty(tree, its, depth + 1)), extents.map(extent).collect())
            }
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type => {
                let members = tree.children(of).filter(|child| child.tag() == dw::DW_TAG_member);
                let member = |child: &Entry<'s>| {
                    let at = child.attr_value(dw::DW_AT_data_member_location)?;
                    let offset = match at {
                        AttributeValue::Block(Slice { .. }) | AttributeValue::Exprloc(_) => {
                            let expression = at.exprloc_value()?;
                            let (op, rest) = expression.0.slice().split_first()?;
                            let is_plain = gimli::DwOp(*op) == dw::DW_OP_plus_uconst;
                            is_plain.then(|| unsigned(rest)).flatten()?.0
                        }
                        _ => at.udata_value()?,
                    };
                    let name = plain(&self.text(child, dw::DW_AT_name)?);
                    let ty = bit_field(child, self.ty(tree, child, depth + 1));
                    Some(Member { name, offset: u32::try_from(offset).ok()?, ty })
                };
                Type::Struct { name, bytes, members: members.filter_map(member).collect() }
            }
            dw::DW_TAG_enumeration_type => Type::Int { name, bytes, signed: true },
            _ => Type::Other { name, bytes },
        }
    }
}

/// Returns the type of a member, which may be a bit field: its offset is counted from the highest bit (DWARF 4,
/// 5.5.6), or from the structure's first.
fn bit_field(member: &Entry, of: Type) -> Type {
    let number = |at| member.attr_value(at).and_then(|value| value.udata_value());
    let Some(bits) = number(dw::DW_AT_bit_size) else { return of };
    let all = 8 * number(dw::DW_AT_byte_size).unwrap_or(of.bytes());
    let from_highest = number(dw::DW_AT_bit_offset).and_then(|at| all.checked_sub(at + bits));
    let first = from_highest.or_else(|| Some(number(dw::DW_AT_data_bit_offset)? % all.max(1))).unwrap_or(0);
    Type::BitField { of: Box::new(of), first: first as u32, bits: bits as u32 }
}

/// The entries of a unit.
struct Tree<'t, 's> {
    entries: &'t [Entry<'s>],
    by_offset: &'t HashMap<UnitOffset, usize>,
}

impl<'s> Tree<'_, 's> {
    fn referred(&self, entry: &Entry<'s>, at: gimli::DwAt) -> Option<usize> {
        match entry.attr_value(at)? {
            AttributeValue::UnitRef(offset) => self.by_offset.get(&offset).copied(),
            _ => None,
        }
    }

    fn children(&self, parent: usize) -> impl Iterator<Item = &Entry<'s>> {
        let depth = self.entries[parent].depth();
        let below = self.entries[parent + 1..].iter().take_while(move |entry| entry.depth() > depth);
        below.filter(move |entry| entry.depth() == depth + 1)
    }
}

/// Returns the last component of a mangled name such as `_ZN18cooperative_groups12thread_blockE`; other names
/// unchanged.
fn plain(name: &str) -> String {
    let encoded = name.strip_prefix("_Z").or_else(|| name.strip_prefix("__b_"));
    let nested = encoded.filter(|encoded| encoded.starts_with('N'));
    nested.and_then(cpp::base_name).unwrap_or(name).to_owned()
}

/// Decodes an unsigned LEB128 number, and returns it with the bytes after it (DWARF 2, section 7.6).
fn unsigned(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (n, byte) in bytes.iter().enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * n as u32)?;
        if byte & 0x80 == 0 {
            return Some((value, &bytes[n + 1..]));
        }
    }
    None
}
