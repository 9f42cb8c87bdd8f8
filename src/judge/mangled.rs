//! Decodes the types of a function's parameters from its mangled name (Itanium C++ ABI, 5.1.5). The PTX itself only
//! declares their sizes.

use cpp::counted_name;

/// Largest nesting depth of types.
const DEEPEST: usize = 64;

/// The type of a parameter, as far as the calls of a lesson can need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Number(Number),
    Void,
    Pointer(Box<Type>),
    Reference(Box<Type>),
    Const(Box<Type>),
    /// A class or an enumeration, by name.
    Named(String),
}

/// A built-in type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub name: &'static str,
    pub bytes: u64,
    pub float: bool,
}

impl Type {
    /// Returns the type without `const`.
    pub fn bare(&self) -> &Type {
        match self {
            Type::Const(inner) => inner.bare(),
            other => other,
        }
    }
}

impl std::fmt::Display for Type {
    /// Formats the type as in C++: `const float *`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = |f: &mut std::fmt::Formatter<'_>, to: &Type, mark: char| {
            let space = if matches!(to.bare(), Type::Pointer(_) | Type::Reference(_)) { "" } else { " " };
            write!(f, "{to}{space}{mark}")
        };
        match self {
            Type::Number(number) => f.write_str(number.name),
            Type::Void => f.write_str("void"),
            Type::Pointer(to) => mark(f, to, '*'),
            Type::Reference(to) => mark(f, to, '&'),
            Type::Const(inner) if matches!(**inner, Type::Pointer(_)) => write!(f, "{inner} const"),
            Type::Const(inner) => write!(f, "const {inner}"),
            Type::Named(name) => f.write_str(name),
        }
    }
}

/// Returns the parameter types encoded in a symbol; `None` if it is not mangled or contains anything that is not
/// decoded here (templates, functions, arrays).
pub fn parameters(symbol: &str) -> Option<Vec<Type>> {
    let mut reader = Reader { rest: symbol.strip_prefix("_Z")?, known: Vec::new(), depth: 0 };
    reader.name()?;
    if reader.rest == "v" {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    while !reader.rest.is_empty() {
        found.push(reader.ty()?);
    }
    (!found.is_empty()).then_some(found)
}

struct Reader<'a> {
    rest: &'a str,
    /// Substitution candidates: what `S_`, `S0_` and so on stand for.
    known: Vec<Type>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads a source name, which is preceded by its length.
    fn source_name(&mut self) -> Option<&'a str> {
        let (name, rest) = counted_name(self.rest)?;
        self.rest = rest;
        // A following `I` starts template arguments.
        (!name.is_empty() && !rest.starts_with('I')).then_some(name)
    }

    /// Reads the name of the function itself.
    fn name(&mut self) -> Option<()> {
        if !self.eat("N") {
            self.eat("L");
            return self.source_name().map(|_| ());
        }
        self.rest = self.rest.trim_start_matches(['r', 'V', 'K']);
        loop {
            self.eat("L");
            let part = self.source_name()?;
            if self.eat("E") {
                return Some(());
            }
            // An enclosing scope is a substitution candidate.
            self.known.push(Type::Named(part.to_owned()));
        }
    }

    fn ty(&mut self) -> Option<Type> {
        self.depth += 1;
        let read = if self.depth > DEEPEST { None } else { self.any() };
        self.depth -= 1;
        read
    }

    fn any(&mut self) -> Option<Type> {
        let first = *self.rest.as_bytes().first()?;
        let made = match first {
            b'P' => {
                self.eat("P");
                Type::Pointer(Box::new(self.ty()?))
            }
            b'R' | b'O' => {
                self.rest = self.rest.get(1..)?;
                Type::Reference(Box::new(self.ty()?))
            }
            b'r' | b'V' | b'K' => {
                let constant = self.rest.trim_start_matches(['r', 'V']).starts_with('K');
                self.rest = self.rest.trim_start_matches(['r', 'V', 'K']);
                let inner = self.ty()?;
                if constant { Type::Const(Box::new(inner)) } else { inner }
            }
            b'S' => {
                self.eat("S");
                return self.again();
            }
            b'0'..=b'9' => Type::Named(self.source_name()?.to_owned()),
            _ => return self.built_in(),
        };
        self.known.push(made.clone());
        Some(made)
    }

    /// Resolves a substitution, after its `S`: `_`, `0_`, `1_`, …
    fn again(&mut self) -> Option<Type> {
        let (number, rest) = self.rest.split_once('_')?;
        let index = match number {
            "" => 0,
            digits => usize::from_str_radix(digits, 36).ok()?.checked_add(1)?,
        };
        self.rest = rest;
        self.known.get(index).cloned()
    }

    fn built_in(&mut self) -> Option<Type> {
        let (name, bytes, float) = match self.rest.as_bytes().first()? {
            b'v' => {
                self.eat("v");
                return Some(Type::Void);
            }
            b'b' => ("bool", 1, false),
            b'c' => ("char", 1, false),
            b'a' => ("signed char", 1, false),
            b'h' => ("unsigned char", 1, false),
            b's' => ("short", 2, false),
            b't' => ("unsigned short", 2, false),
            b'i' => ("int", 4, false),
            b'j' => ("unsigned", 4, false),
            b'l' => ("long", 8, false),
            b'm' => ("unsigned long", 8, false),
            b'x' => ("long long", 8, false),
            b'y' => ("unsigned long long", 8, false),
            b'f' => ("float", 4, true),
            b'd' => ("double", 8, true),
            _ => return None,
        };
        self.rest = self.rest.get(1..)?;
        Some(Type::Number(Number { name, bytes, float }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_names() {
        for (symbol, wanted) in [
            ("_Z12scale_on_gpuPKfPfif", Some("const float *, float *, int, float")),
            ("_ZL3mapPKiS0_Pij", Some("const int *, const int *, int *, unsigned")),
            ("_ZN3foo3mapEPfS0_", Some("float *, float *")),
            ("_Z1fPPfRKdPKv", Some("float **, const double &, const void *")),
            ("_Z1fPK6__halfS1_m", Some("const __half *, const __half *, unsigned long")),
            ("_Z4mainv", Some("")),
            ("_Z4tmapIfEvPT_i", None),
            ("_Z1fSt6vectorIfSaIfEE", None),
            ("_Z1fPFviE", None),
            ("_Z1fA4_f", None),
            ("_Z1fS_", None),
            ("_Z1fS99999999999999_", None),
            ("_Z99f", None),
            ("_Z1f", None),
            ("_Z1é", None),
            ("map", None),
        ] {
            let found = parameters(symbol);
            let text = found.map(|types| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", "));
            assert_eq!(text.as_deref(), wanted, "{symbol}");
        }
        assert_eq!(parameters(&format!("_Z1f{}i", "P".repeat(100_000))), None);
    }
}
