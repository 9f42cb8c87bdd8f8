//! A source that is parsed lazily, and at most once.

use super::blank::{blanked, without_comments, without_directives};
use super::functions::Functions;
use super::lines::Lines;
use super::macros::Macros;
use super::tokens::Tokens;
use std::sync::OnceLock;

/// A C++ source, with the results of parsing it.
#[derive(Debug, Default)]
pub struct Source<'a> {
    text: &'a str,
    lines: OnceLock<Lines>,
    /// The text with blanks for comments and literals; directives are kept.
    bare: OnceLock<Vec<u8>>,
    blanked: OnceLock<(String, Lines)>,
    macros: OnceLock<Macros>,
    tokens: OnceLock<Tokens>,
    functions: OnceLock<Functions>,
    /// For each token, and for the end: the first one of its declaration or statement.
    starts: OnceLock<Vec<usize>>,
    /// The tokens at which loops begin.
    loop_heads: OnceLock<Vec<usize>>,
}

impl<'a> Source<'a> {
    /// Creates a source; nothing is parsed yet.
    pub fn new(text: &'a str) -> Source<'a> {
        Source { text, ..Source::default() }
    }

    /// Returns the whole text as written.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns a line as written, 1-based; `None` if there is no such line.
    pub fn line(&self, line: u32) -> Option<&'a str> {
        self.lines().get(self.text, line)
    }

    pub(super) fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::of(self.text.as_bytes()))
    }

    /// Returns the whole text with a blank for each character of a comment or literal.
    pub fn code(&self) -> &str {
        &self.blanked().0
    }

    /// Returns a line of [`Source::code`], 1-based; empty if there is no such line.
    pub fn code_line(&self, line: u32) -> &str {
        let (text, lines) = self.blanked();
        lines.get(text, line).unwrap_or_default()
    }

    /// Returns the tokens of the code, without comments, literals, directives, and branches that are certainly not
    /// compiled.
    pub fn tokens(&self) -> &Tokens {
        self.tokens.get_or_init(|| Tokens::of(without_directives(self.bare())))
    }

    /// Returns the 1-based line of a token, and its column in characters.
    pub fn place_of(&self, token: usize) -> (u32, u32) {
        let (start, line) = (self.tokens().start(token), self.tokens().line(token));
        let before = self.text.as_bytes().get(self.tokens().line_start(line)..start).unwrap_or_default();
        (line, String::from_utf8_lossy(before).chars().count() as u32 + 1)
    }

    /// Returns the token that begins at a line and a column in characters, both 1-based.
    pub fn token_at(&self, line: u32, column: u32) -> Option<usize> {
        let mut start = 0;
        for _ in 1..line {
            start += self.text.get(start..)?.find('\n')? + 1;
        }
        let rest = self.text.get(start..)?;
        let (within, first) = rest.char_indices().nth((column as usize).checked_sub(1)?)?;
        if first == '\n' { None } else { self.tokens().starting_at(start + within) }
    }

    pub(super) fn macros(&self) -> &Macros {
        self.macros.get_or_init(|| Macros::of(self.bare()))
    }

    pub(super) fn all_functions(&self) -> &Functions {
        self.functions.get_or_init(|| Functions::of(self.tokens(), self.macros()))
    }

    pub(super) fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| self.declaration_starts())
    }

    pub(super) fn loop_heads(&self) -> &[usize] {
        self.loop_heads.get_or_init(|| {
            let tokens = self.tokens();
            let is_head = |at: &usize| matches!(tokens.word(*at), b"for" | b"while" | b"do");
            (0..tokens.count()).filter(is_head).collect()
        })
    }

    pub(super) fn bare(&self) -> &[u8] {
        self.bare.get_or_init(|| without_comments(self.text))
    }

    fn blanked(&self) -> &(String, Lines) {
        self.blanked.get_or_init(|| {
            let text = blanked(self.text, self.bare());
            let lines = Lines::of(text.as_bytes());
            (text, lines)
        })
    }

    /// Returns whether a macro of that name takes arguments.
    pub fn is_macro_with_arguments(&self, name: &[u8]) -> bool {
        self.macros().takes_arguments(name)
    }

    /// Returns whether there is a macro of that name.
    pub fn is_macro(&self, name: &[u8]) -> bool {
        self.macros().takes_arguments(name) || !self.macros().texts(name).is_empty()
    }

    /// Returns whether a token is between an `#if` and its end.
    pub fn is_conditional(&self, token: usize) -> bool {
        self.macros().is_conditional(self.tokens().start(token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers() {
        let source = Source::new("a /* é\n é */ b // c\r\n#define D \\\n e\nf \"g\"\n");
        assert_eq!(source.line(2), Some(" é */ b // c"));
        assert_eq!(source.code_line(2).trim(), "b");
        assert_eq!(source.code_line(2).chars().count(), 13);
        assert_eq!((source.code_line(3), source.code_line(5)), ("#define D \\", "f    "));
        assert_eq!((source.line(6), source.code_line(6), source.line(0)), (None, "", None));
        let tokens = source.tokens();
        assert_eq!((0..tokens.count()).map(|at| tokens.line(at)).collect::<Vec<_>>(), [1, 2, 5]);
    }

    /// Returns a long text in which some piece is repeated.
    fn long(before: &str, piece: &str, behind: &str) -> String {
        let count = 60_000 / Source::new(piece).tokens().count();
        format!("{before}{}{behind}", piece.repeat(count))
    }

    #[test]
    fn the_time_for_a_long_text_grows_with_its_length() {
        let many: String = (0..6_000).map(|n| format!("int a{n}[2]; a{n}[1] = {n};\n")).collect();
        let kernel = "__device__ int t[4];\nenum { A }; __global__ void k(int *p) { int i = threadIdx.x;\n";
        for text in [
            long("__device__ float a[] = {", "1.5f, ", "};"),
            long("enum { A }; __device__ int a[] = {", "A, ", "};"),
            long(&format!("{kernel}int s = 0"), " + t[1]", ";\n}"),
            long(&format!("{kernel}int s[] = {{"), "t, ", "};\n}"),
            long(kernel, "if (i) return;\n", "}"),
            long(&format!("{kernel}if (i) {{}}\n"), "else if (i) { return; }\n", "}"),
            long("int main() { int n = 1;\n", "n = f(n);\n", "}"),
            format!("int main() {{\n{many}}}"),
            long("", "struct A { A(int a) : v(a) {} int v; };\n", ""),
        ] {
            let start = std::time::Instant::now();
            let source = Source::new(&text);
            source.members();
            source.device_variable_uses();
            source.local_arrays();
            source.private_arrays();
            source.early_returns();
            (0..source.tokens().count()).for_each(|at| _ = source.scope(at));
            // Each takes some hundredths of a second; what is quadratic, half a minute.
            assert!(start.elapsed().as_secs() < 5, "{:?}: {}", start.elapsed(), &text[..80]);
        }
    }

    #[test]
    fn a_place_is_a_line_and_a_column_of_characters() {
        let source = Source::new("a /* é\n */ b\n \"é\" c");
        let places: Vec<_> = (0..4).map(|at| source.place_of(at)).collect();
        assert_eq!(places, [(1, 1), (2, 5), (3, 6), (3, 7)]);
    }

    fn ask_all(text: &str) {
        let source = Source::new(text);
        for line in 0..4 {
            source.loop_around(line);
            source.kernel_lines(line);
            source.in_one_function(1, line);
            source.in_one_statement(1, line);
            source.has_other_waits(line..line + 2);
            source.code_line(line);
        }
        source.functions();
        source.kernels().for_each(|kernel| drop((source.name_of(kernel), source.parameters_of(kernel))));
        source.barriers();
        source.shared_arrays("a");
        source.constant("a");
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(
            text in "((__global__ |void |struct |template|for|if|else|do|const |#if 0|#define |a|=|\\n)?[(){}\\[\\];:<>,/*\"'\\\\é]?){0,40}",
        ) {
            ask_all(&text);
        }
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
            "struct",
            "template <",
            "namespace {",
            "do",
            "= [] ()",
        ];
        for i in 0..pieces.len() {
            for j in 0..pieces.len() {
                for text in [format!("{}{}", pieces[i], pieces[j]), pieces[i].repeat(300) + pieces[j]] {
                    ask_all(&text);
                }
            }
        }
    }
}
