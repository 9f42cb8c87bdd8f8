//! The learner's source as findings need it: how it names the arguments of a call, and whether it uses a
//! call's result.

use cpp::{LocalArray, is_name_char, names, uncommented, without_directives};
use sim::SourceLocation;
use std::sync::OnceLock;

/// Number of lines, from that of the location on, that are searched for the name of a call, and the number of
/// bytes that its arguments may span.
const NEAR_LINES: usize = 4;
const LONGEST_CALL: usize = 2048;

/// The kind of a variable whose address is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressed {
    Pointer,
    /// A `std::vector`.
    Vector,
}

/// The text of the program's file and of its own headers, with comments blanked.
#[derive(Clone, Debug, Default)]
pub struct Source {
    file: String,
    text: String,
    /// Byte offset at which each line begins.
    lines: Vec<usize>,
    local_arrays: OnceLock<Vec<LocalArray>>,
    headers: Vec<Source>,
}

impl Source {
    pub fn new(file: &str, text: &str) -> Source {
        let text = uncommented(text);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { file: file.into(), text, lines, ..Source::default() }
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

    /// Returns the byte offset of a call's name and that of its arguments, just after the opening
    /// parenthesis.
    ///
    /// `turn` is the number of earlier calls from the same location: the compiler gives all statements of a
    /// line the column of the first one, so the calls of that name on a line are taken in turn.
    fn call(&self, at: &SourceLocation, name: &str, turn: usize) -> Option<(usize, usize)> {
        let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        if last(&at.file) != last(&self.file) {
            return None;
        }
        let line = (at.line as usize).checked_sub(1)?;
        let start = *self.lines.get(line)?;
        let end = self.lines.get(line + NEAR_LINES).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end)?;
        // The column is that of the call or of the macro around it.
        let column = (at.column as usize).saturating_sub(1);
        let is_call = |&(n, _): &(usize, &str)| {
            let behind = text[n + name.len()..].trim_start();
            !text[..n].ends_with(is_name_char) && behind.starts_with(['(', '<'])
        };
        let found: Vec<usize> = text.match_indices(name).filter(is_call).map(|(n, _)| n).collect();
        let line = text.find('\n').unwrap_or(text.len());
        let turns: Vec<usize> = found.iter().copied().filter(|n| (column..line).contains(n)).collect();
        let n = match turns.as_slice() {
            [] => found.iter().copied().find(|n| *n >= column).or(found.first().copied())?,
            turns => *turns.get(turn % turns.len())?,
        };
        let behind = &text[n + name.len()..];
        // Template arguments may come between the name and the parenthesis.
        let bracket = behind.find('(')?;
        Some((start + n, start + n + name.len() + bracket + 1))
    }

    /// Returns the text of an argument, by its 0-based number, of the call of `name` at a location.
    fn argument(&self, at: &SourceLocation, name: &str, number: usize, turn: usize) -> Option<String> {
        let (place, start) = self.call(at, name, turn)?;
        let line = *self.lines.get((at.line as usize).checked_sub(1)?)?;
        // A call on a later line may be that of another statement.
        let between = self.text.get(line..place)?;
        if between.contains('\n') && between.contains(';') {
            return None;
        }
        let mut depth = 0usize;
        let mut arguments = 0;
        let mut from = start;
        let bytes = self.text.as_bytes().get(start..)?;
        // The quote that the literal here ends with.
        let mut literal = None;
        let mut escaped = false;
        for (n, byte) in bytes.iter().enumerate().take(LONGEST_CALL) {
            let here = start + n;
            if let Some(quote) = literal {
                literal = Some(quote).filter(|quote| escaped || quote != byte);
                escaped = !escaped && *byte == b'\\';
                continue;
            }
            match byte {
                b'"' => literal = Some(*byte),
                // Between digits it is part of a number.
                b'\'' if n == 0 || !bytes[n - 1].is_ascii_hexdigit() => literal = Some(*byte),
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b',' | b')' | b']' | b'}' | b';' if depth == 0 => {
                    if arguments == number {
                        return Some(
                            self.text.get(from..here)?.split_whitespace().collect::<Vec<_>>().join(" "),
                        );
                    }
                    if *byte != b',' {
                        return None;
                    }
                    arguments += 1;
                    from = here + 1;
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the name that an argument mentions, without casts and the operator `&`: `d_x` for `(void
    /// **)&d_x`. `number` is the argument's 0-based number and `turn` the number of earlier calls of that
    /// name from the same location.
    pub fn name(&self, at: &SourceLocation, call: &str, number: usize, turn: usize) -> Option<String> {
        let text = self.argument(at, call, number, turn)?;
        let mut rest = text.as_str();
        loop {
            rest = rest.trim().trim_start_matches('&').trim_start();
            let cast = rest.strip_prefix('(').and_then(|r| r.split_once(')'));
            rest = match cast {
                Some((inside, behind)) if inside.contains('*') && !behind.trim().is_empty() => behind,
                Some((inside, "")) => inside,
                _ => match rest.split_once(">(") {
                    Some((cast, inside)) if cast.ends_with("_cast") || cast.contains("_cast<") => {
                        inside.trim_end().strip_suffix(')').unwrap_or(inside)
                    }
                    _ => break,
                },
            };
        }
        let mut depth = 0;
        let plain = |c: char| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            let in_index = depth > 0 && matches!(c, ' ' | '+' | '*' | '/' | '%');
            in_index || c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '-' | '>' | ':')
        };
        let short = !rest.is_empty() && rest.len() <= 32 && rest.chars().all(plain);
        let first = rest.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        (short && first && !matches!(rest, "nullptr" | "NULL")).then(|| rest.to_owned())
    }

    /// Returns the name and the kind of the variable whose own address is passed as an argument: `out` for `&out`
    /// where `out` is declared as `float *out`.
    pub fn address_of(
        &self,
        at: &SourceLocation,
        call: &str,
        number: usize,
        turn: usize,
    ) -> Option<(String, Addressed)> {
        let text = self.argument(at, call, number, turn)?;
        let name = text.trim().strip_prefix('&')?.trim();
        if name.is_empty() || !name.chars().all(is_name_char) {
            return None;
        }
        let above = self.text.get(..self.call(at, call, turn)?.0)?;
        // The name may be declared more than once, as by `int out` or `*p, out`: the last declaration above
        // the call counts.
        let declares = above.match_indices(name).filter_map(|(at, _)| {
            let (before, behind) = (&above[..at], &above[at + name.len()..]);
            let apart = before.trim_end();
            let spaced = apart.len() < before.len();
            match apart.strip_suffix('*') {
                _ if behind.starts_with(is_name_char) || before.ends_with(is_name_char) => None,
                Some(kind) => (kind.trim_end().ends_with(is_name_char) || declares_next(kind.trim_end()))
                    .then_some(Some(Addressed::Pointer)),
                None if is_vector(apart) => Some(Some(Addressed::Vector)),
                None => (declares_next(apart) || spaced && apart.ends_with(is_name_char)).then_some(None),
            }
        });
        Some((name.to_owned(), declares.last()??))
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
        let name = self.name(at, call, number, turn)?;
        let (place, _) = self.call(at, call, turn)?;
        let is_address = self.argument(at, call, number, turn)?.contains('&');
        let its = |array: &&LocalArray| {
            array.name == name && array.visible.contains(&place) && (array.is_array || is_address)
        };
        arrays.iter().rev().find(its).and_then(|array| Some((array.name.as_str(), array.bytes?)))
    }

    /// Returns whether a call is a statement of its own, so that its result is discarded. The source may leave out what
    /// qualifies the name.
    pub fn discards_result(&self, at: &SourceLocation, name: &str) -> bool {
        let name = name.rsplit("::").next().unwrap_or(name);
        let Some((start, _)) = self.call(at, name, 0) else { return false };
        let before = without_directives(&self.text.as_bytes()[..start]);
        let before = String::from_utf8_lossy(&before);
        let mut before = before.trim_end();
        while let Some(qualifier) = before.strip_suffix("::") {
            before = qualifier.trim_end_matches(is_name_char).trim_end();
        }
        match before.as_bytes().last() {
            None | Some(b';' | b'}') => true,
            // The brace opens a block, not an initialiser list.
            Some(b'{') => !before[..before.len() - 1].trim_end().ends_with(['=', ',', '(']),
            // `if (…) cudaFree(p);` and the like, but not a cast.
            Some(b')') => ends_condition(before),
            _ => before.ends_with("else") || before.ends_with("do"),
        }
    }

    /// Returns whether the line of a location contains `word` as an identifier.
    pub fn line_contains(&self, at: &SourceLocation, word: &str) -> bool {
        self.line(at.line).is_some_and(|line| names(line).any(|name| name == word))
    }

    /// Returns whether the line of a location, or one on which its last statement goes on, contains `word` as an
    /// identifier.
    pub fn statement_contains(&self, at: &SourceLocation, word: &str) -> bool {
        let start = (at.line as usize).checked_sub(1).and_then(|line| self.lines.get(line));
        let Some(text) = start.and_then(|start| self.text.get(*start..)) else { return false };
        let last = text.lines().position(|line| line.trim_end().ends_with([';', '{', '}']));
        let mut lines = text.lines().take(last.map_or(1, |last| last + 1));
        lines.any(|line| names(line).any(|name| name == word))
    }

    /// Returns the location of the kernel's name in the first launch on the location's line, from its column
    /// on, or in the launch that the line ends. The compiler's column is that of the first statement of the line.
    pub fn launch(&self, at: &SourceLocation) -> Option<SourceLocation> {
        let start = *self.lines.get((at.line as usize).checked_sub(1)?)?;
        let line = self.text.get(start..)?.lines().next()?;
        let column = (at.column as usize).saturating_sub(1);
        let arrows: Vec<usize> = line.match_indices("<<<").map(|(n, _)| start + n).collect();
        let arrow = match arrows.last() {
            // The column may be that of an argument.
            Some(&last) => arrows.into_iter().find(|&n| n >= start + column).unwrap_or(last),
            None => {
                let above = &self.text[..start];
                let statement = above.rfind([';', '{', '}']).map_or(0, |end| end + 1);
                statement + above[statement..].rfind("<<<")?
            }
        };
        // The name may stand on an earlier line.
        let before = self.text[..arrow].trim_end();
        let mut depth = 0usize;
        let name = before.char_indices().rev().take_while(|&(_, c)| {
            match c {
                '>' | ')' => depth += 1,
                '<' | '(' if depth > 0 => depth -= 1,
                _ => return depth > 0 || c.is_alphanumeric() || matches!(c, '_' | ':' | '[' | ']' | '.'),
            }
            true
        });
        let first = name.last()?.0;
        let number = self.lines.partition_point(|&line| line <= first);
        let start = self.lines[number - 1];
        // In a macro it is no launch yet.
        if self.text[start..].trim_start().starts_with('#') {
            return None;
        }
        let column = self.text[start..first].chars().count() as u32 + 1;
        Some(SourceLocation { line: number as u32, column, ..at.clone() })
    }

    /// Returns a line by its 1-based number, without surrounding blanks.
    pub fn line(&self, number: u32) -> Option<&str> {
        let start = *self.lines.get((number as usize).checked_sub(1)?)?;
        self.text.get(start..)?.lines().next().map(str::trim)
    }
}

/// Returns whether a text ends with the condition of an `if` or `switch`, or with the head of a loop.
fn ends_condition(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let before = text[..at].trim_end();
            let word = before.trim_end_matches(is_name_char);
            return matches!(&before[word.len()..], "if" | "for" | "while" | "switch" | "constexpr");
        }
    }
    false
}

/// Returns whether a name after this text is part of the same declaration: after `float *a,`, but not after
/// `f(a,`.
fn declares_next(before: &str) -> bool {
    let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
    before.ends_with(',') && !statement.contains('(')
}

/// Returns whether a name after this text is declared as a `std::vector`: after `const std::vector<int> &`.
fn is_vector(before: &str) -> bool {
    let mut depth = 0usize;
    let open =
        before.trim_end_matches('&').trim_end().rmatch_indices(['<', '>']).find_map(|(at, bracket)| {
            depth = if bracket == ">" { depth + 1 } else { depth.checked_sub(1)? };
            (depth == 0).then_some(at)
        });
    let is_typed = before.trim_end_matches(['&', ' ']).ends_with('>');
    is_typed && open.is_some_and(|at| names(&before[..at]).last() == Some("vector"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_known_by_its_type() {
        for (before, is) in [
            ("int a; std::vector<int>", true),
            ("f(const std::vector<std::array<int, 3>> &", true),
            ("std::array<int, 3>", false),
            ("x > y", false),
            ("int", false),
            (">", false),
        ] {
            assert_eq!(is_vector(before), is, "{before}");
        }
    }

    fn at(line: u32, column: u32) -> SourceLocation {
        SourceLocation { file: "folder/a.cu".into(), line, column }
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
        assert_eq!(source.argument(&at(2, 3), "cudaMalloc", 1, 0).as_deref(), Some("f(n, 2)"));
        assert_eq!(source.argument(&at(2, 3), "cudaMalloc", 2, 0), None);
        assert_eq!(source.argument(&at(9, 3), "cudaMalloc", 0, 7), None);
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
        let argument = |number| source.argument(&at(1, 1), "f", number, 0);
        let found: Vec<String> = (0..8).map_while(argument).collect();
        assert_eq!(found, ["\"a, (\\\"b\"", "x", "','", "'\\''", "1'000", "0xff'ff", "y"]);
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
return cudaFree(e);
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
