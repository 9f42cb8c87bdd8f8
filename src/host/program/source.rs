//! The learner's source as findings need it: how it names the arguments of a call, and whether it uses a
//! call's result.

use cpp::{Declared, LocalArray, Tokens, is_name_char, uncommented};
use sim::SourceLocation;
use std::ops::Range;
use std::sync::OnceLock;

/// Number of lines, from that of the location on, that are searched for the name of a call.
const NEAR_LINES: u32 = 4;
/// Most bytes of an expression by which memory is named.
const LONGEST_NAME: usize = 32;

/// The text of the program's file and of its own headers, with comments blanked.
#[derive(Clone, Debug, Default)]
pub struct Source {
    file: String,
    text: String,
    tokens: OnceLock<Tokens>,
    local_arrays: OnceLock<Vec<LocalArray>>,
    headers: Vec<Source>,
}

impl Source {
    pub fn new(file: &str, text: &str) -> Source {
        Source { file: file.into(), text: uncommented(text), ..Source::default() }
    }

    /// Returns this source with the program's own headers, given as name and text.
    pub fn with_headers(self, headers: &[(&str, &str)]) -> Source {
        Source { headers: headers.iter().map(|(name, text)| Source::new(name, text)).collect(), ..self }
    }

    /// Returns the program's own headers.
    pub fn headers(&self) -> &[Source] {
        &self.headers
    }

    /// Returns the names of all files.
    pub fn own_files(&self) -> Vec<&str> {
        self.headers.iter().map(Source::file).chain([self.file()]).collect()
    }

    /// Returns the header that contains a location, or else the file itself.
    pub fn file_of(&self, at: &SourceLocation) -> &Source {
        self.headers.iter().find(|header| *header.file == *at.file).unwrap_or(self)
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the text, with comments blanked.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn tokens(&self) -> &Tokens {
        self.tokens.get_or_init(|| Tokens::new(&self.text))
    }

    fn on_line(&self, line: u32) -> Range<usize> {
        self.tokens().of_lines(line..line.saturating_add(1))
    }

    /// Returns the byte of a location. The compiler gives all statements of a line the column of the first one, and a call
    /// in a macro that of the macro.
    fn place(&self, at: &SourceLocation) -> usize {
        self.tokens().line_start(at.line) + (at.column as usize).saturating_sub(1)
    }

    /// Returns the token of a call's name; the source may leave out what qualifies it.
    ///
    /// `turn` is the number of earlier calls from the same location: the calls of that name on a line are taken in turn.
    fn call(&self, at: &SourceLocation, name: &str, turn: usize) -> Option<usize> {
        let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        if last(&at.file) != last(&self.file) || at.line == 0 {
            return None;
        }
        let (tokens, place) = (self.tokens(), self.place(at));
        let name = name.rsplit("::").next().unwrap_or(name).as_bytes();
        let is_call =
            |token: &usize| tokens.is(*token, name) && matches!(tokens.word(token + 1), b"(" | b"<");
        let near = at.line..at.line.saturating_add(NEAR_LINES);
        let found: Vec<usize> = tokens.of_lines(near).filter(is_call).collect();
        let behind = || found.iter().copied().filter(|token| tokens.start(*token) >= place);
        let turns: Vec<usize> = behind().filter(|token| tokens.line(*token) == at.line).collect();
        match turns.as_slice() {
            [] => behind().next().or(found.first().copied()),
            turns => turns.get(turn % turns.len()).copied(),
        }
    }

    /// Returns the tokens of an argument, by its 0-based number, of the call of `name` at a location.
    fn argument(&self, at: &SourceLocation, name: &str, number: usize, turn: usize) -> Option<Range<usize>> {
        let (tokens, call) = (self.tokens(), self.call(at, name, turn)?);
        // A call on a later line may be that of another statement.
        let first = self.on_line(at.line).start;
        if tokens.line(call) > at.line && (first..call).any(|token| tokens.is(token, b";")) {
            return None;
        }
        let open = tokens.after_template_arguments(call + 1).unwrap_or(call + 1);
        tokens.arguments(open)?.into_iter().nth(number)
    }

    /// Returns the name that an argument mentions, without casts and the operator `&`: `d_x` for `(void
    /// **)&d_x`. `number` is the argument's 0-based number and `turn` the number of earlier calls of that
    /// name from the same location.
    pub fn name(&self, at: &SourceLocation, call: &str, number: usize, turn: usize) -> Option<String> {
        let tokens = self.tokens();
        let mut its = self.argument(at, call, number, turn)?;
        while let (first, Some(last)) = (its.start, its.end.checked_sub(1)) {
            let close = tokens.partner(first);
            its = match tokens.word(first) {
                b"&" => first + 1..its.end,
                b"(" if close == Some(last) => first + 1..last,
                b"(" => match close.filter(|close| tokens.is(close - 1, b"*")) {
                    Some(close) => close + 1..its.end,
                    None => return None,
                },
                word if word.ends_with(b"_cast") => match tokens.partner(last) {
                    Some(open) if tokens.is(open - 1, b">") => open + 1..last,
                    _ => return None,
                },
                _ => break,
            };
        }
        let text = std::str::from_utf8(tokens.text(its.clone())).ok()?;
        let mut depth = 0;
        let plain = |c: char| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            let in_index = depth > 0 && matches!(c, ' ' | '+' | '-' | '*' | '/' | '%');
            in_index || is_name_char(c) || matches!(c, '.' | '[' | ']' | ':')
        };
        // Literals are blanks.
        let has_literal = text.contains("  ") || text.contains("[ ");
        let is_short = text.len() <= LONGEST_NAME && !has_literal;
        let is_plain = is_short && text.replace("->", ".").chars().all(plain);
        let is_name = !its.is_empty() && tokens.is_name(its.start) && !matches!(text, "nullptr" | "NULL");
        (is_plain && is_name).then(|| text.to_owned())
    }

    /// Returns the name and the kind of the variable whose own address is passed as an argument: `out` for `&out`
    /// where `out` is declared as `float *out`.
    pub fn address_of(
        &self,
        at: &SourceLocation,
        call: &str,
        number: usize,
        turn: usize,
    ) -> Option<(String, Declared)> {
        let (tokens, its) = (self.tokens(), self.argument(at, call, number, turn)?);
        if its.len() != 2 || !tokens.is(its.start, b"&") || !tokens.is_name(its.start + 1) {
            return None;
        }
        let name = tokens.word(its.start + 1);
        // The name may be declared more than once, as by `int out` or `*p, out`: the last declaration above
        // the call counts.
        let above = tokens.all(name).take_while(|token| *token < its.start);
        let declared = above.filter_map(|token| tokens.declared(token)).last()?;
        Some((tokens.text_of(its.start + 1), declared))
    }

    /// Returns the local array that an argument is, or the number whose address it is, with its size in bytes; `None`
    /// if it is none, or if either is not certain. For the arguments, see [`Source::name`].
    pub fn local_array(
        &self,
        at: &SourceLocation,
        call: &str,
        number: usize,
        turn: usize,
    ) -> Option<(&str, u64)> {
        let arrays = self.local_arrays.get_or_init(|| cpp::Source::new(&self.text).local_arrays());
        if arrays.is_empty() {
            return None;
        }
        let (tokens, name) = (self.tokens(), self.name(at, call, number, turn)?);
        let mut its = self.argument(at, call, number, turn)?;
        let place = tokens.start(its.start);
        let is_address = its.any(|token| tokens.is(token, b"&"));
        let is_it = |array: &&LocalArray| {
            array.name == name && array.visible.contains(&place) && (array.is_array || is_address)
        };
        arrays.iter().rev().find(is_it).and_then(|array| Some((array.name.as_str(), array.bytes?)))
    }

    /// Returns whether the program discards the result of the call of a function at a place. `cudaLaunchKernelEx` is a
    /// template of the headers, which calls `cudaLaunchKernelExC`.
    pub fn is_discarded(&self, at: &SourceLocation, name: &str) -> bool {
        let file = self.file_of(at);
        let template = name.strip_suffix('C').filter(|name| name.ends_with("Ex"));
        file.discards_result(at, name) || template.is_some_and(|name| file.discards_result(at, name))
    }

    /// Returns whether a call is a statement of its own, so that its result is discarded.
    fn discards_result(&self, at: &SourceLocation, name: &str) -> bool {
        let tokens = self.tokens();
        let Some(mut first) = self.call(at, name, 0) else { return false };
        while tokens.before(first, 1) == b":" && tokens.before(first, 2) == b":" {
            first -= 2;
            first -= usize::from(first > 0 && tokens.may_be_type(first - 1));
        }
        match tokens.before(first, 1) {
            b"" | b";" | b"}" | b"else" | b"do" => true,
            // The brace opens a block, not an initialiser list.
            b"{" => !matches!(tokens.before(first, 2), b"=" | b"," | b"("),
            // `if (…) cudaFree(p);` and the like, but not a cast.
            b")" => tokens.partner(first - 1).is_some_and(|open| {
                matches!(tokens.before(open, 1), b"if" | b"for" | b"while" | b"switch" | b"constexpr")
            }),
            _ => false,
        }
    }

    /// Returns whether the line of a location contains `word` as an identifier.
    pub fn line_contains(&self, at: &SourceLocation, word: &str) -> bool {
        self.on_line(at.line).any(|token| self.tokens().is(token, word.as_bytes()))
    }

    /// Returns whether the line of a location, or one on which its last statement goes on, contains `word` as an
    /// identifier.
    pub fn statement_contains(&self, at: &SourceLocation, word: &str) -> bool {
        let tokens = self.tokens();
        let line = self.on_line(at.line);
        let is_last =
            |token: usize| token + 1 == tokens.count() || tokens.line(token + 1) > tokens.line(token);
        let ends = |token: &usize| matches!(tokens.word(*token), b";" | b"{" | b"}") && is_last(*token);
        let end = (line.start..tokens.count()).find(ends).unwrap_or(line.end);
        (line.start..end).any(|token| tokens.is(token, word.as_bytes()))
    }

    /// Returns the location of the kernel's name in the first launch on the location's line, from its column
    /// on, or in the launch that the line ends.
    pub fn launch(&self, at: &SourceLocation) -> Option<SourceLocation> {
        let (tokens, place) = (self.tokens(), self.place(at));
        let line = self.on_line(at.line);
        let here: Vec<_> = line.clone().filter_map(|token| tokens.launch(token)).collect();
        // The column may be that of an argument.
        let behind = here.iter().find(|its| tokens.start(its.kernel.end) >= place);
        let launch = behind.or(here.last()).cloned().or_else(|| {
            let is_over = |token: &usize| matches!(tokens.word(*token), b";" | b"{" | b"}");
            let above = (0..line.start).rev().take_while(|token| !is_over(token));
            above.into_iter().find_map(|token| tokens.launch(token))
        })?;
        // The name may stand on an earlier line.
        let first = launch.kernel.start;
        let line = tokens.line(first);
        let before = self.text.get(tokens.line_start(line)..tokens.start(first))?;
        Some(SourceLocation { line, column: before.chars().count() as u32 + 1, ..at.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> SourceLocation {
        SourceLocation { file: "folder/a.cu".into(), line, column }
    }

    /// Returns an argument's text, with blanks for literals.
    fn argument(source: &Source, at: &SourceLocation, call: &str, number: usize) -> Option<String> {
        let its = source.argument(at, call, number, 0)?;
        Some(String::from_utf8_lossy(source.tokens().text(its)).into_owned())
    }

    #[test]
    fn an_argument_is_named_as_the_learner_does() {
        let source = Source::new(
            "a.cu",
            "  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  cudaMalloc((void **)&d_y /* , */, f(n, 2));
  cudaMemcpy(out.data(), reinterpret_cast<float *>(d_z),
             bytes, cudaMemcpyDeviceToHost); cudaFree(a); cudaFree(b);
  cudaMalloc<float>(&buffers[i], 4); cudaFree(nullptr); cudaFree(p + 1);
  int n = 1'000'000; /* ( */ cudaMalloc(&d_n, n);
  thrust::device_vector<int> d(9);
  cudaMalloc(&d_m, n);
  cudaFree(gpu[1 - g].own);
",
        );
        let name = |line, call: &str, n| source.name(&at(line, 3), call, n, 0);
        assert_eq!(name(1, "cudaMalloc", 0).as_deref(), Some("d_x"));
        assert_eq!(name(2, "cudaMalloc", 0).as_deref(), Some("d_y"));
        assert_eq!(name(3, "cudaMemcpy", 1).as_deref(), Some("d_z"));
        assert_eq!(name(5, "cudaMalloc", 0).as_deref(), Some("buffers[i]"));
        assert_eq!(name(9, "cudaFree", 0).as_deref(), Some("gpu[1 - g].own"));
        assert_eq!(name(5, "cudaFree", 0), None);
        assert_eq!(name(6, "cudaMalloc", 0).as_deref(), Some("d_n"));
        assert_eq!(name(7, "cudaMalloc", 0), None, "of another statement");
        assert_eq!(source.name(&at(4, 48), "cudaFree", 0, 0).as_deref(), Some("b"));
        let turns = [0, 1, 2].map(|turn| source.name(&at(4, 14), "cudaFree", 0, turn));
        assert_eq!(turns, [Some("a".into()), Some("b".into()), Some("a".into())]);
        assert_eq!(argument(&source, &at(2, 3), "cudaMalloc", 1).as_deref(), Some("f(n, 2)"));
        assert_eq!(argument(&source, &at(2, 3), "cudaMalloc", 2), None);
        assert_eq!(source.argument(&at(9, 3), "cudaMalloc", 0, 7), None);
    }

    #[test]
    fn casts_and_parentheses_are_no_part_of_a_name() {
        for (argument, name) in [
            ("((void **)&p->x)", Some("p->x")),
            ("(void **)(&p)", Some("p")),
            ("const_cast<A<int> *>(a::b)", Some("a::b")),
            ("(*p)(q)", None),
            ("p-1", None),
            ("p > q", None),
            ("x_cast<A>(p) + (q)", None),
            ("m[\"a\"]", None),
            ("\"p\"", None),
            ("", None),
        ] {
            let source = Source::new("a.cu", &format!("f({argument});"));
            assert_eq!(source.name(&at(1, 1), "f", 0, 0).as_deref(), name, "{argument}");
        }
    }

    #[test]
    fn what_is_no_code_is_no_call() {
        let text = "#define F(x) f(x); \\\n  f(x)\ng(\"f(a)\", R\"(;f(b)\n)\", 'f', F(1), // f(c)\n\\\n  ns :: f<A<int>>(d), f < e);\n";
        let source = Source::new("a.cu", text);
        assert_eq!(source.name(&at(3, 1), "f", 0, 0).as_deref(), Some("d"));
        assert_eq!(source.name(&at(3, 1), "ns::f", 0, 0).as_deref(), Some("d"));
        assert!(!source.line_contains(&at(3, 1), "f") && source.line_contains(&at(6, 1), "e"));
    }

    #[test]
    fn a_local_array_is_told_by_its_name() {
        let source = Source::new(
            "a.cu",
            "int main() {\n  char h[16]; float *p;\n  CHECK(\n    f(&x, (char *)h, p, h + 1));\n  M(h); f(1);\n  f(0, h);\n}\n",
        );
        let array = |line, number| source.local_array(&at(line, 3), "f", number, 0);
        assert_eq!([0, 1, 2, 3].map(|n| array(3, n)), [None, Some(("h", 16)), None, None]);
        assert_eq!((array(6, 1), source.local_array(&at(2, 3), "f", 1, 0)), (Some(("h", 16)), None));
    }

    #[test]
    fn literals_are_no_part_of_the_list_of_arguments() {
        let text = "f(\"a, (\\\"b\", x, ',', '\\'', 1'000, 0xff'ff, y);";
        let source = Source::new("a.cu", text);
        let found: Vec<_> = (0..8).map_while(|number| argument(&source, &at(1, 1), "f", number)).collect();
        assert_eq!(found, ["", "x", "", "", "1'000", "0xff'ff", "y"]);
    }

    #[test]
    fn a_number_is_told_where_its_address_is_passed() {
        let source = Source::new("a.cu", "int main() {\n  short n;\n  f(&n, n, (char *)&n);\n}\n");
        let number = |argument| source.local_array(&at(3, 3), "f", argument, 0);
        assert_eq!([0, 1, 2].map(number), [Some(("n", 2)), None, Some(("n", 2))]);
    }

    #[test]
    fn a_launch_is_found_behind_other_statements() {
        let source =
            Source::new("a.cu", "int y = 5; scale<float, 4><<<1, 2>>>(x); add<<<1, 2>>>(x);\nnone();\n<<<\n");
        let column = |line, column| source.launch(&at(line, column)).map(|found| found.column);
        assert_eq!(
            [column(1, 1), column(1, 42), column(2, 1), column(3, 1), column(9, 1)],
            [Some(12), Some(42), None, None, None]
        );
        let source = Source::new("a.cu", "f();\n  add<<<1,\n      2>>>(x,\n y);\ng(\n1);\n");
        let place = |line| source.launch(&at(line, 1)).map(|found| (found.line, found.column));
        assert_eq!([1, 2, 3, 4, 6].map(place), [None, Some((2, 3)), Some((2, 3)), Some((2, 3)), None]);
        let source =
            Source::new("a.cu", "f();\n  add<float,\n      4>\n    <<<1, 2>>>(x,\n y); k <<<1, 2>>>(x);\n");
        for column in [1, 6] {
            let place = |line| source.launch(&at(line, column)).map(|found| (found.line, found.column));
            assert_eq!([1, 4, 5].map(place), [None, Some((2, 3)), Some((5, 6))]);
        }
        for text in ["#define L k<<<1, 2>>>()\nint main() {\nL;\n}\n", "f();\n#define L k<<<1, 2>>>()\nL;\n"]
        {
            let source = Source::new("a.cu", text);
            assert_eq!(source.launch(&at(3, 1)).map(|found| found.line), None, "{text}");
        }
    }

    #[test]
    fn a_statement_goes_on_over_lines() {
        let source = Source::new("a.cu", "f(a); g(b,\n  c); // d\nh(d);\nlast(e\n");
        let contains = |word| source.statement_contains(&at(1, 1), word);
        assert_eq!(["a", "b", "c", "d"].map(contains), [true, true, true, false]);
        let contains = |line| source.statement_contains(&at(line, 1), "e");
        assert_eq!([0, 3, 4, 9].map(contains), [false, false, true, false]);
    }

    #[test]
    fn a_statement_of_its_own_ignores_the_result() {
        let source = Source::new(
            "a.cu",
            "cudaFree(a);
{ cudaFree(b); }
CHECK(cudaFree(c));
e = cudaFree(d);
return ::cudaFree(e);
if (x) cudaFree(f);
(void)cudaFree(g);
// text
  cudaFree(h);
::cudaFree(i);
if (cudaFree(j) != cudaSuccess) return 1;
printf(\"%d\", (int)cudaFree(k));
int all[] = {cudaFree(l), (cudaError_t) cudaFree(l)};
for (int i = 0; i < f(n); i++) cudaFree(m);
int code = (cudaFree)(n) + int(cudaFree(n));
printf(\"cudaFree; cudaFree %d\", cudaFree(o));
e =
#if A
#else
cudaFree(p);
",
        );
        let nowhere: Vec<u32> =
            (1..21).filter(|line| source.discards_result(&at(*line, 1), "cudaFree")).collect();
        assert_eq!(nowhere, [1, 2, 6, 8, 9, 10, 14]);
    }

    #[test]
    fn odd_text_does_no_harm() {
        for text in ["", "\"", "'\\", "/*", "cudaFree(", "cudaFree(é", "é cudaFree", "cudaFree((((\n\n\n"] {
            let source = Source::new("a.cu", text);
            for line in 0..4 {
                source.name(&at(line, 9), "cudaFree", 0, 1);
                source.discards_result(&at(line, 9), "cudaFree");
            }
        }
    }
}
