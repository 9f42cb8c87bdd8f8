//! The extents of shared arrays, which PTX forgets: read off their declarations.

use super::cpp::{Cpp, words_of};
use crate::course::{Case, Formula};
use crate::nvrtc::find;
use std::ops::Range;

/// Names that are looked up for one extent.
const LOOK_UPS: usize = 32;

/// A `__shared__` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shared {
    /// `extern __shared__ float s[]`: its size is given at the launch.
    Extern,
    /// Extents, slowest first, all above zero.
    Extents(Vec<u64>),
}

impl Cpp {
    /// The declaration of a shared array of that name and size; `None` where there is none, more
    /// than one that differ, or its extents can't be worked out.
    pub fn shared_array(&self, name: &str, size_bytes: u64) -> Option<Shared> {
        let mut found = None;
        for word in self.words(0..self.code.len()).filter(|w| &self.code[w.clone()] == b"__shared__") {
            let end = self.semicolon(word.end);
            let Some(its_name) = self.words(word.end..end).find(|w| &self.code[w.clone()] == name.as_bytes())
            else {
                continue;
            };
            let before = &self.code[..word.start];
            let is_extern = before.trim_ascii_end().ends_with(b"extern")
                || self.words(word.end..its_name.start).any(|w| &self.code[w.clone()] == b"extern");
            let shared = if is_extern { Shared::Extern } else { self.extents(its_name.end)? };
            let fits = match &shared {
                Shared::Extern => true,
                Shared::Extents(extents) => {
                    let elements: u64 = extents.iter().try_fold(1u64, |all, n| all.checked_mul(*n))?;
                    [1, 2, 4, 8, 16].iter().any(|bytes| elements.checked_mul(*bytes) == Some(size_bytes))
                }
            };
            match &found {
                _ if !fits => {}
                None => found = Some(shared),
                Some(known) if *known == shared => {}
                Some(_) => return None,
            }
        }
        found
    }

    /// `[…][…]` from `at` on.
    fn extents(&self, mut at: usize) -> Option<Shared> {
        let mut extents = Vec::new();
        let mut look_ups = LOOK_UPS;
        loop {
            at = self.skip_space(at);
            if self.code.get(at) != Some(&b'[') {
                break;
            }
            let end = self.closing(at);
            let text = std::str::from_utf8(self.code.get(at + 1..end)?).ok()?;
            extents.push(u64::try_from(self.number(text, &mut look_ups)?).ok().filter(|n| *n > 0)?);
            at = end + 1;
        }
        (!extents.is_empty()).then_some(Shared::Extents(extents))
    }

    /// The value of a constant expression.
    fn number(&self, text: &str, look_ups: &mut usize) -> Option<i64> {
        let formula = Formula::parse(text.trim()).ok()?;
        let mut names = Vec::new();
        for name in formula.names() {
            *look_ups = look_ups.checked_sub(1)?;
            let value = self.constant(name)?;
            names.push((name.to_owned(), self.number(value, look_ups)?));
        }
        formula.value(&names.into_iter().collect::<Case>()).ok()
    }

    /// What `#define name …`, `constexpr int name = …` or `const int name = …` gives.
    fn constant(&self, name: &str) -> Option<&str> {
        let mut before: [Range<usize>; 3] = [0..0, 0..0, 0..0];
        for word in words_of(&self.all, 0..self.all.len()) {
            if &self.all[word.clone()] == name.as_bytes() {
                let is = |range: &Range<usize>, text: &[u8]| &self.all[range.clone()] == text;
                let end = if is(&before[2], b"define") && self.all.get(word.end) != Some(&b'(') {
                    find(&self.all, word.end, b"\n").unwrap_or(self.all.len())
                } else if before.iter().any(|w| is(w, b"constexpr") || is(w, b"const")) {
                    let end = self.all[word.end..].iter().position(|byte| matches!(byte, b';' | b','))?;
                    word.end + end
                } else {
                    before = [before[1].clone(), before[2].clone(), word];
                    continue;
                };
                let text = std::str::from_utf8(&self.all[word.end..end]).ok()?.trim();
                return Some(text.strip_prefix('=').unwrap_or(text));
            }
            before = [before[1].clone(), before[2].clone(), word];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_come_from_the_declaration() {
        let source = "#define TILE 16 // for both
constexpr int PAD = 1, ROWS = TILE / 4;
template <int N> __global__ void f() {
    __shared__ float a[TILE][TILE + PAD], flat[2 * TILE];
    __shared__ float3 odd[4];
    __shared__ int unknown[N][2];
    static __shared__ double cube[ROWS][(2)][0x3];
    extern __shared__ float s[];
    /* __shared__ float flat[99]; */
}
";
        let cpp = Cpp::new(source);
        let extents = |extents: &[u64]| Some(Shared::Extents(extents.into()));
        assert_eq!(cpp.shared_array("a", 16 * 17 * 4), extents(&[16, 17]));
        assert_eq!(cpp.shared_array("a", 16 * 16 * 4), None);
        assert_eq!(cpp.shared_array("flat", 128), extents(&[32]));
        assert_eq!(cpp.shared_array("s", 400), Some(Shared::Extern));
        for (name, size) in [("odd", 48), ("unknown", 32), ("cube", 192), ("b", 4), ("TILE", 4)] {
            assert_eq!(cpp.shared_array(name, size), None, "{name}");
        }
    }

    #[test]
    fn two_declarations_that_differ_say_nothing() {
        let two = |a: &str, b: &str| {
            let source = format!("void f() {{ __shared__ int t{a}; }}\nvoid g() {{ __shared__ int t{b}; }}");
            Cpp::new(&source).shared_array("t", 64)
        };
        assert_eq!(two("[4][4]", "[2][8]"), None);
        assert_eq!(two("[4][4]", "[4][4]"), Some(Shared::Extents(vec![4, 4])));
        assert_eq!(two("[4][4]", "[5][5]"), Some(Shared::Extents(vec![4, 4])));
    }

    #[test]
    fn names_that_lead_back_to_themselves_give_nothing() {
        let circular = "#define N M\n#define M N\n__shared__ int a[N];";
        assert_eq!(Cpp::new(circular).shared_array("a", 4), None);
    }
}
