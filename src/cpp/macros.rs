//! The macros of a source, and its conditional regions.

use super::directives::directives;
use super::words::{find, first_word};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The specifiers that determine where a function may run.
const MARKS: [&[u8]; 4] = [b"__global__", b"__device__", b"__host__", b"constexpr"];

/// A macro without arguments.
#[derive(Debug, Default)]
struct Text {
    /// Its replacement text, once for each definition.
    texts: Vec<Vec<u8>>,
    /// Whether any of the definitions contains each of the [`MARKS`].
    marks: [bool; MARKS.len()],
}

/// The information in a source's directives.
#[derive(Debug, Default)]
pub(super) struct Macros {
    /// Names of macros that take arguments.
    functions: HashSet<Vec<u8>>,
    /// Macros without arguments, by name.
    texts: HashMap<Vec<u8>, Text>,
    /// Names of macros that contain a barrier.
    with_barriers: HashSet<Vec<u8>>,
    /// Byte ranges between `#if` and its end, in order.
    conditional: Vec<Range<usize>>,
}

impl Macros {
    /// Collects the macros of `code`, which has its directives but no comments.
    pub fn of(code: &[u8]) -> Macros {
        let mut macros = Macros::default();
        let mut open = Vec::new();
        for directive in directives(code) {
            let (word, rest) = (&code[directive.word.clone()], directive.rest());
            if word == b"define" {
                macros.define(&code[rest]);
            } else if word.starts_with(b"if") {
                open.push(rest.start);
            } else if word == b"endif"
                && let Some(start) = open.pop()
                && open.is_empty()
            {
                macros.conditional.push(start..rest.end);
            }
        }
        macros.conditional.extend(open.first().map(|start| *start..code.len()));
        macros
    }

    fn define(&mut self, text: &[u8]) {
        let Some(name) = first_word(text) else { return };
        let (name, behind) = (text[name.clone()].to_vec(), &text[name.end..]);
        if find(text, 0, b"sync").is_some() {
            self.with_barriers.insert(name.clone());
        }
        match behind.first() {
            Some(b'(') => drop(self.functions.insert(name)),
            _ => {
                let its = self.texts.entry(name).or_default();
                for (has, mark) in its.marks.iter_mut().zip(MARKS) {
                    *has |= find(behind, 0, mark).is_some();
                }
                its.texts.push(behind.to_vec());
            }
        }
    }

    /// Returns whether a macro of that name takes arguments.
    pub fn takes_arguments(&self, name: &[u8]) -> bool {
        self.functions.contains(name)
    }

    /// Returns the replacement texts of a macro without arguments, one for each definition.
    pub fn texts(&self, name: &[u8]) -> &[Vec<u8>] {
        self.texts.get(name).map_or(&[], |its| &its.texts)
    }

    /// Returns whether any definition of a macro contains `mark`, one of the [`MARKS`].
    pub fn says(&self, name: &[u8], mark: &[u8]) -> bool {
        let Some(its) = self.texts.get(name) else { return false };
        its.marks.iter().zip(MARKS).any(|(has, known)| *has && known == mark)
    }

    /// Returns whether a macro of that name contains a barrier.
    pub fn waits(&self, name: &[u8]) -> bool {
        self.with_barriers.contains(name)
    }

    /// Returns whether a byte is between an `#if` and its end.
    pub fn is_conditional(&self, at: usize) -> bool {
        let next = self.conditional.partition_point(|range| range.end <= at);
        self.conditional.get(next).is_some_and(|range| range.contains(&at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_known_with_all_their_definitions() {
        let code = b"#define N 4\n#ifdef X\n#define HD __host__\\\n __device__\n#else\n#define HD\n#endif\n\
            #define WAIT(x) \\\n __syncthreads()\n#define\n#if 1\n";
        let macros = Macros::of(code);
        assert_eq!(macros.texts(b"N"), [b" 4"]);
        assert_eq!((macros.texts(b"HD").len(), macros.texts(b"WAIT").len()), (2, 0));
        assert!(macros.says(b"HD", b"__device__") && !macros.says(b"N", b"__device__"));
        assert!(macros.takes_arguments(b"WAIT") && macros.waits(b"WAIT") && !macros.waits(b"N"));
        let at = |what: &[u8]| find(code, 0, what).unwrap();
        assert!(macros.is_conditional(at(b"HD")) && !macros.is_conditional(at(b"WAIT")));
        assert!(macros.is_conditional(code.len() - 1));
    }
}
