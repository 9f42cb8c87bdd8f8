//! What can be read off a learner's CUDA C++ without compiling it: kernels, loops and barriers around
//! a line. A guess that fails says nothing rather than something wrong.

use crate::nvrtc::{find, is_word, without_comments, without_directives};
use std::collections::BTreeSet;
use std::ops::Range;

/// Loops that are looked at, from a line upwards, and the bytes a statement may have.
const NEAR_LOOPS: usize = 64;
const LONGEST_STATEMENT: usize = 1 << 16;
/// Kernels that are looked at, and words between `__global__` and a kernel's name.
const MOST_KERNELS: usize = 512;
const NEAR_WORDS: usize = 64;

/// A source with blanks for what is no code.
pub(super) struct Cpp {
    pub(super) code: Vec<u8>,
    /// The same with its directives.
    pub(super) all: Vec<u8>,
}

/// A loop with its lines, 1-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub head: u32,
    pub end: u32,
    /// Some call in it synchronises.
    pub waits: bool,
}

impl Cpp {
    pub fn new(source: &str) -> Cpp {
        let all = without_comments(source);
        Cpp { code: without_directives(&all), all }
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
        marks.take(MOST_KERNELS).find_map(|mark| {
            let (name, open) = self.declared(mark.end)?;
            let open = self.skip_space(self.closing(open) + 1);
            // What ends with a semicolon is only declared.
            if self.code.get(open) != Some(&b'{') {
                return None;
            }
            let lines = self.lines(open..self.closing(open));
            lines.contains(&line).then(|| (String::from_utf8_lossy(&self.code[name]).into_owned(), lines))
        })
    }

    /// The kernels that are written out: the name of each, and what stands between its brackets.
    pub(super) fn kernel_heads(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let marks = self.words(0..self.code.len()).filter(|word| &self.code[word.clone()] == b"__global__");
        let head = |mark: Range<usize>| {
            let (name, open) = self.declared(mark.end)?;
            let close = self.closing(open);
            let body = self.code.get(self.skip_space(close + 1)) == Some(&b'{');
            body.then(|| (name, open + 1..close.max(open + 1)))
        };
        marks.take(MOST_KERNELS).filter_map(head).collect()
    }

    /// The name of the function that is declared from `at` on, and where its parameters open.
    fn declared(&self, at: usize) -> Option<(Range<usize>, usize)> {
        let end = at + self.code[at..].iter().position(|byte| matches!(byte, b'{' | b';' | b'}'))?;
        let mut words = self.words(at..end).take(NEAR_WORDS).peekable();
        while let Some(word) = words.next() {
            let mut open = self.skip_space(word.end);
            // Of a specialisation: f<float>.
            if self.code.get(open) == Some(&b'<') {
                let closed = open + self.code[open..end].iter().position(|byte| *byte == b'>')?;
                while words.next_if(|word| word.start < closed).is_some() {}
                open = self.skip_space(closed + 1);
            }
            if self.code.get(open) != Some(&b'(') {
                continue;
            }
            if matches!(
                &self.code[word.clone()],
                b"__launch_bounds__" | b"__attribute__" | b"__cluster_dims__"
            ) {
                let closed = self.closing(open);
                while words.next_if(|word| word.start < closed).is_some() {}
                continue;
            }
            return Some((word, open));
        }
        None
    }

    /// The lines from one place to another, both included.
    fn lines(&self, range: Range<usize>) -> Range<u32> {
        let first = 1 + newlines(&self.code[..range.start]);
        first..first + newlines(&self.code[range]) + 1
    }

    /// The functions that are written out, kernels and others: what stands before the parameters, and the
    /// body with its braces.
    fn functions(&self) -> Vec<(&[u8], Range<usize>)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(open) = find(&self.code, at, b"{") {
            let head = self.code[at..open].trim_ascii_end();
            let head = ["const", "noexcept"]
                .iter()
                .fold(head, |head, word| head.strip_suffix(word.as_bytes()).unwrap_or(head).trim_ascii_end());
            at = open + 1;
            // What stands in a namespace or a class is looked at in its turn.
            if head.ends_with(b")") {
                let close = self.closing(open);
                found.push((before_brackets(head), open..close));
                at = close.max(at);
            }
        }
        found
    }

    /// Whether two lines are in one function, so that what comes first is known.
    pub fn in_one_function(&self, a: u32, b: u32) -> bool {
        self.functions()
            .into_iter()
            .map(|(_, body)| self.lines(body))
            .any(|body| body.contains(&a) && body.contains(&b))
    }

    /// Whether two lines are of one statement.
    pub fn in_one_statement(&self, a: u32, b: u32) -> bool {
        let (first, last) = (a.min(b), a.max(b));
        let mut starts = self.code.split(|byte| *byte == b'\n').scan(0, |at, line| {
            let start = *at + line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            *at += line.len() + 1;
            Some(start)
        });
        let Some(from) = first.checked_sub(1).and_then(|n| starts.nth(n as usize)) else { return false };
        let to = match last - first {
            0 => return true,
            n => starts.nth(n as usize - 1),
        };
        let Some(text) = to.and_then(|to| self.code.get(from..to)) else { return false };
        let mut depth = 0i32;
        text.iter().all(|byte| {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                _ => {}
            }
            !matches!(byte, b'{' | b'}') && (*byte != b';' || depth > 0)
        })
    }

    /// Whether threads may wait in some lines otherwise than by a `__syncthreads()` that is written there:
    /// for a group, at a barrier, in a macro or a function of theirs.
    pub fn waits_otherwise(&self, lines: Range<u32>) -> bool {
        let names = self.names_with_barriers();
        let text = self.code.split(|byte| *byte == b'\n').skip(lines.start.saturating_sub(1) as usize);
        let text = text.take(lines.end.saturating_sub(lines.start) as usize);
        let mut words = text.flat_map(|line| words_of(line, 0..line.len()).map(move |word| &line[word]));
        words.any(|word| {
            let has = |what: &[u8]| find(word, 0, what).is_some();
            let named = has(b"sync") || has(b"barrier") || has(b"wait") || word == b"asm";
            !word.starts_with(b"__syncthreads") && (named || names.contains(word))
        })
    }

    /// Macros and functions that have a barrier in them.
    fn names_with_barriers(&self) -> BTreeSet<&[u8]> {
        let has = |text: &[u8]| find(text, 0, b"sync").is_some();
        let last_word = |text: &[u8]| words_of(text, 0..text.len()).last();
        // Nobody calls a kernel.
        let functions = self
            .functions()
            .into_iter()
            .filter(|(head, body)| find(head, 0, b"__global__").is_none() && has(&self.code[body.clone()]));
        let mut names: BTreeSet<&[u8]> =
            functions.filter_map(|(head, _)| Some(&head[last_word(head)?])).collect();
        let mut name: Option<&[u8]> = None;
        for line in self.all.split(|byte| *byte == b'\n') {
            let is = |range: &Range<usize>, text: &[u8]| &line[range.clone()] == text;
            let mut words = words_of(line, 0..line.len());
            // It goes on in the next line behind a backslash.
            if name.is_none()
                && line.trim_ascii().starts_with(b"#")
                && words.next().is_some_and(|w| is(&w, b"define"))
            {
                name = words.next().map(|word| &line[word]);
            }
            names.extend(name.filter(|_| has(line)));
            name = name.filter(|_| line.trim_ascii_end().ends_with(b"\\"));
        }
        names
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

    pub(super) fn words(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        words_of(&self.code, range)
    }

    pub(super) fn skip_space(&self, at: usize) -> usize {
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
    pub(super) fn closing(&self, open: usize) -> usize {
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
    pub(super) fn semicolon(&self, start: usize) -> usize {
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

/// What stands before the round brackets at the end of a text.
fn before_brackets(text: &[u8]) -> &[u8] {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    &[]
}

pub(super) fn words_of(code: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        while at < range.end && !is_word(code[at]) {
            at += 1;
        }
        let start = at;
        while at < range.end && is_word(code[at]) {
            at += 1;
        }
        (start < at).then_some(start..at)
    })
}

fn newlines(text: &[u8]) -> u32 {
    text.iter().filter(|byte| **byte == b'\n').count() as u32
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
    fn kernels_are_known_by_their_names() {
        let source = "#define KERNEL(name) __global__ void name(int *p) { \\
    p[0] = 1; }
__global__ void declared(int *p);
template <int N> __global__ void __launch_bounds__(N * 2) first(int *p)
{
    p[0] = 1;
}
template <> __global__ void second<float>(int *p) {
    if (p) { p[1] = 1; }
}
__device__ int helper(int x) {
    return x;
}
#if 0
__global__ void dead(int *p) {
    p[2] = 1;
}
#endif
";
        let cpp = Cpp::new(source);
        let names = [2, 6, 9, 12, 16].map(|line| cpp.kernel_around(line));
        assert_eq!(names, [None, Some("first".into()), Some("second".into()), None, None]);
        assert!(cpp.in_one_function(6, 7) && cpp.in_one_function(12, 11));
        assert!(!cpp.in_one_function(6, 9) && !cpp.in_one_function(6, 12) && !cpp.in_one_function(1, 99));
    }

    #[test]
    fn lines_of_one_statement_are_known() {
        let source = "{
    s[t] = // first
        s[t + 1];
    for (int i = 0;
         i < 4;
         i++)
        s[i] = 0;
    if (a) {
        b();
    }
}
";
        let cpp = Cpp::new(source);
        let one = |a, b| cpp.in_one_statement(a, b);
        assert!(one(2, 3) && one(3, 2) && one(2, 2) && one(4, 6));
        assert!(!one(3, 4) && !one(8, 9) && !one(2, 99) && !one(0, 2));
    }

    #[test]
    fn waiting_has_other_names_too() {
        let source = "#define SYNC() \\
    __syncthreads()
#define TILE 16
__device__ void all_wait() { __syncthreads(); }
__global__ void f(int *p) {
    __syncthreads();
    p[TILE] = 1;
    SYNC();
    all_wait();
    block.sync();
    // sync
}
";
        let cpp = Cpp::new(source);
        let waits: Vec<u32> = (6..12).filter(|line| cpp.waits_otherwise(*line..line + 1)).collect();
        assert_eq!(waits, [8, 9, 10]);
        assert!(!cpp.waits_otherwise(99..100) && cpp.waits_otherwise(1..100));
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
                    cpp.kernel_heads();
                    cpp.barriers();
                    cpp.in_one_function(1, 2);
                    cpp.in_one_statement(1, 2);
                    cpp.waits_otherwise(0..3);
                    super::super::gather::index_from_memory(&text, 1, "a");
                }
            }
        }
    }
}
