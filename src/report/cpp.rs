//! What can be read off a learner's CUDA C++ without compiling it: loops around a line, and the
//! extents of shared arrays, which PTX forgets. A guess that fails says nothing rather than
//! something wrong.

use crate::course::{Case, Formula};
use std::ops::Range;

/// Loops that are looked at, from a line upwards, and the bytes a statement may have.
const NEAR_LOOPS: usize = 64;
const LONGEST_STATEMENT: usize = 1 << 16;
/// Kernels that are looked at, and words between `__global__` and a kernel's name.
const MOST_KERNELS: usize = 512;
const NEAR_WORDS: usize = 64;
/// Names that are looked up for one extent.
const LOOK_UPS: usize = 32;

/// A source whose comments and literals are blanks.
pub(super) struct Cpp {
    code: Vec<u8>,
}

/// A loop with its lines, 1-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub head: u32,
    pub end: u32,
    /// Some call in it synchronises.
    pub waits: bool,
}

/// A `__shared__` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shared {
    /// `extern __shared__ float s[]`: its size is given at the launch.
    Extern,
    /// Extents, slowest first, all above zero.
    Extents(Vec<u64>),
}

impl Cpp {
    pub fn new(source: &str) -> Cpp {
        let mut code = source.as_bytes().to_vec();
        let mut at = 0;
        while at < code.len() {
            let end = match &code[at..] {
                [b'/', b'/', ..] => find(&code, at, b"\n").unwrap_or(code.len()),
                [b'/', b'*', ..] => find(&code, at + 2, b"*/").map_or(code.len(), |end| end + 2),
                [quote @ (b'"' | b'\''), ..] => literal_end(&code, at, *quote),
                _ => {
                    at += 1;
                    continue;
                }
            };
            code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            at = end.max(at + 1);
        }
        Cpp { code }
    }

    /// The innermost loop around a line (its head counts), if there is one.
    pub fn loop_around(&self, line: u32) -> Option<Loop> {
        let is_loop = |word: &Range<usize>| matches!(&self.code[word.clone()], b"for" | b"while" | b"do");
        let mut starts: Vec<(usize, u32)> = Vec::new();
        let (mut at, mut here) = (0, 1);
        for word in self.words(0..self.code.len()).filter(is_loop) {
            here += newlines(&self.code[at..word.start]);
            at = word.start;
            if here > line {
                break;
            }
            starts.push((at, here));
        }
        starts.into_iter().rev().take(NEAR_LOOPS).find_map(|(start, head)| {
            let text = &self.code[start..self.statement_end(start)];
            let end = head + newlines(text);
            (end >= line).then(|| Loop { head, end, waits: text.windows(4).any(|four| four == b"sync") })
        })
    }

    /// The lines of the body of the kernel around a line, and the kernel's name.
    fn kernel(&self, line: u32) -> Option<(String, Range<u32>)> {
        let is = |word: &Range<usize>, text: &[u8]| &self.code[word.clone()] == text;
        let marks = self.words(0..self.code.len()).filter(|word| is(word, b"__global__"));
        'marks: for mark in marks.take(MOST_KERNELS) {
            // The parameters begin behind the name; what a bound says in brackets is none.
            let mut words = self.words(mark.end..self.code.len()).take(NEAR_WORDS).peekable();
            let name = loop {
                let Some(word) = words.next() else { continue 'marks };
                let open = self.skip_space(word.end);
                if self.code.get(open) != Some(&b'(') {
                    continue;
                }
                if !is(&word, b"__launch_bounds__") {
                    break word;
                }
                let end = self.closing(open);
                while words.next_if(|word| word.start < end).is_some() {}
            };
            let open = self.skip_space(self.closing(self.skip_space(name.end)) + 1);
            if self.code.get(open) != Some(&b'{') {
                continue;
            }
            let first = 1 + newlines(&self.code[..open]);
            let last = first + newlines(&self.code[open..self.closing(open)]);
            if (first..=last).contains(&line) {
                let name = String::from_utf8_lossy(&self.code[name]).into_owned();
                return Some((name, first..last + 1));
            }
        }
        None
    }

    /// The name of the kernel around a line.
    pub fn kernel_around(&self, line: u32) -> Option<String> {
        Some(self.kernel(line)?.0)
    }

    /// The lines of the body of the kernel around a line.
    pub fn function_around(&self, line: u32) -> Option<Range<u32>> {
        Some(self.kernel(line)?.1)
    }

    /// Lines that have a `__syncthreads()`.
    pub fn barriers(&self) -> Vec<u32> {
        let words = self.words(0..self.code.len());
        let barriers = words.filter(|word| self.code[word.clone()].starts_with(b"__syncthreads"));
        let (mut at, mut here) = (0, 1);
        let mut lines: Vec<u32> = Vec::new();
        for word in barriers {
            here += newlines(&self.code[at..word.start]);
            at = word.start;
            lines.push(here);
        }
        lines
    }

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
        for word in self.words(0..self.code.len()) {
            if &self.code[word.clone()] == name.as_bytes() {
                let is = |range: &Range<usize>, text: &[u8]| &self.code[range.clone()] == text;
                let end = if is(&before[2], b"define") && self.code.get(word.end) != Some(&b'(') {
                    find(&self.code, word.end, b"\n").unwrap_or(self.code.len())
                } else if before.iter().any(|w| is(w, b"constexpr") || is(w, b"const")) {
                    let end = self.code[word.end..].iter().position(|byte| matches!(byte, b';' | b','))?;
                    word.end + end
                } else {
                    before = [before[1].clone(), before[2].clone(), word];
                    continue;
                };
                let text = std::str::from_utf8(&self.code[word.end..end]).ok()?.trim();
                return Some(text.strip_prefix('=').unwrap_or(text));
            }
            before = [before[1].clone(), before[2].clone(), word];
        }
        None
    }

    fn words(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut at = range.start;
        std::iter::from_fn(move || {
            while at < range.end && !is_word(self.code[at]) {
                at += 1;
            }
            let start = at;
            while at < range.end && is_word(self.code[at]) {
                at += 1;
            }
            (start < at).then_some(start..at)
        })
    }

    fn skip_space(&self, at: usize) -> usize {
        let rest = self.code.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// The index after the statement that begins at `at`.
    fn statement_end(&self, mut at: usize) -> usize {
        let mut conditional = false;
        loop {
            at = self.skip_space(at);
            let word = self.words(at..self.code.len()).next().filter(|word| word.start == at);
            match word.as_ref().map(|word| &self.code[word.clone()]) {
                Some(word @ (b"for" | b"while" | b"if" | b"switch")) => {
                    conditional |= word == b"if";
                    at = self.skip_space(at + word.len());
                    if self.code.get(at) == Some(&b'(') {
                        at = self.closing(at) + 1;
                    }
                    continue;
                }
                Some(word @ (b"do" | b"else")) => {
                    at += word.len();
                    continue;
                }
                None if self.code.get(at) == Some(&b'{') => at = self.closing(at) + 1,
                _ => at = self.semicolon(at),
            }
            let next = self.skip_space(at);
            let otherwise = self.code.get(next..).is_some_and(|rest| rest.starts_with(b"else"));
            if !(conditional && otherwise) {
                return at.min(self.code.len());
            }
            at = next;
        }
    }

    /// The bracket that closes the one at `open`, or where we stop looking.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        let limit = self.code.len().min(open + LONGEST_STATEMENT);
        for (at, byte) in self.code[..limit].iter().enumerate().skip(open) {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        limit.saturating_sub(1).max(open)
    }

    /// The index after the semicolon that ends a statement, or after the block it stands in.
    fn semicolon(&self, start: usize) -> usize {
        let mut depth = 0usize;
        let limit = self.code.len().min(start + LONGEST_STATEMENT);
        for (at, byte) in self.code[..limit].iter().enumerate().skip(start) {
            match byte {
                b';' if depth == 0 => return at + 1,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return at,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        limit
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn newlines(text: &[u8]) -> u32 {
    text.iter().filter(|byte| **byte == b'\n').count() as u32
}

fn find(code: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = code.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// The index after a literal, which ends with its line at the latest.
fn literal_end(code: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = code.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_loop_around_a_line_is_found() {
        let source = "void f() {
    // for (;;) {
    for (int i = 0; i < 8; i++) {
        if (i) for (;;)
            s[i]++;
        else
            t[i]++;
        __syncthreads();
    }
    const char *text = \"for {\";
    do { x--; } while (x);
    while (y)
        if (a) b(); else
            c();
    x = 1;
}
";
        let cpp = Cpp::new(source);
        let outer = Loop { head: 3, end: 9, waits: true };
        let inner = Loop { head: 4, end: 5, waits: false };
        let at = |line| cpp.loop_around(line);
        assert_eq!(
            [2, 3, 4, 5, 6, 8].map(at),
            [None, Some(outer), Some(inner), Some(inner), Some(outer), Some(outer)]
        );
        assert_eq!([10, 15, 16, 99].map(at), [None; 4]);
        assert_eq!((at(11).unwrap().head, at(14)), (11, Some(Loop { head: 12, end: 14, waits: false })));
    }

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
    fn the_kernel_around_a_line_is_found_with_its_barriers() {
        let source = "__global__ void __launch_bounds__(8, 2) f(int *a,
        int n) {
    __syncthreads();
}
__device__ int g() { return 1; }
template <int N> __global__ void h() { x(); }
__global__ void later();
";
        let cpp = Cpp::new(source);
        let around = [1, 2, 3, 4, 5, 6].map(|line| cpp.kernel_around(line));
        let name = |name: &str| Some(name.to_string());
        assert_eq!(around, [None, name("f"), name("f"), name("f"), None, name("h")]);
        assert_eq!((cpp.function_around(3), cpp.barriers()), (Some(2..5), vec![3]));
    }

    #[test]
    fn broken_text_does_no_harm() {
        let pieces = [
            "for (",
            "{",
            "__shared__ int a[",
            "__global__ f(",
            "]",
            "\"",
            "'\\",
            "/*",
            "#define a a",
            "if (x) else",
            "é;\n",
        ];
        for i in 0..pieces.len() {
            for j in 0..pieces.len() {
                for text in [format!("{}{}", pieces[i], pieces[j]), pieces[i].repeat(300) + pieces[j]] {
                    let cpp = Cpp::new(&text);
                    cpp.loop_around(1);
                    cpp.shared_array("a", 4);
                    cpp.kernel_around(1);
                    cpp.barriers();
                }
            }
        }
        let circular = "#define N M\n#define M N\n__shared__ int a[N];";
        assert_eq!(Cpp::new(circular).shared_array("a", 4), None);
    }
}
