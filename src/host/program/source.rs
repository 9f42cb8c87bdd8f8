//! The learner's source, as far as a finding needs it: how they name what a call makes or takes, and
//! whether they look at a call's result.

use cpp::{is_name_char, names, uncommented, without_directives};
use sim::SourceLocation;

/// Lines below a location in which a call's name is looked for, and bytes its arguments may have.
const NEAR_LINES: usize = 4;
const LONGEST_CALL: usize = 2048;

/// The text of the file that is run, comments blanked, and those of its own headers.
#[derive(Clone, Debug, Default)]
pub struct Source {
    file: String,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
    headers: Vec<Source>,
}

impl Source {
    pub fn new(file: &str, text: &str) -> Source {
        let text = uncommented(text);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { file: file.into(), text, lines, headers: Vec::new() }
    }

    /// The same with headers of its own: name and text.
    pub fn with_headers(self, headers: &[(&str, &str)]) -> Source {
        Source { headers: headers.iter().map(|(name, text)| Source::new(name, text)).collect(), ..self }
    }

    /// Its own headers.
    pub fn headers(&self) -> &[Source] {
        &self.headers
    }

    /// The names of its files, where there are several; else none.
    pub fn own_files(&self) -> Vec<&str> {
        match self.headers.as_slice() {
            [] => Vec::new(),
            headers => headers.iter().map(Source::file).chain([self.file()]).collect(),
        }
    }

    /// The header that a place is in, or the file itself.
    pub fn holding(&self, at: &SourceLocation) -> &Source {
        self.headers.iter().find(|header| *header.file == *at.file).unwrap_or(self)
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text, comments blanked.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the arguments of a call begin, behind its bracket, and where its name does.
    /// `turn` counts calls of one place: the compiler gives all statements of a line the first one's
    /// column, so the calls of that name on the line have their turns, one after the other.
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
        // Template arguments may stand between the name and the bracket.
        let bracket = behind.find('(')?;
        Some((start + n, start + n + name.len() + bracket + 1))
    }

    /// The text of an argument of the call of `name` at a place, by number.
    fn argument(&self, at: &SourceLocation, name: &str, number: usize, turn: usize) -> Option<String> {
        let (_, start) = self.call(at, name, turn)?;
        let mut depth = 0usize;
        let mut arguments = 0;
        let mut from = start;
        for (n, byte) in self.text.as_bytes().get(start..)?.iter().enumerate().take(LONGEST_CALL) {
            let here = start + n;
            match byte {
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

    /// What an argument names, without casts and the operator `&`: `d_x` of `(void **)&d_x`. `turn` is how
    /// many calls of that name came from that place before.
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
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '-' | '>' | ':');
        let short = !rest.is_empty() && rest.len() <= 32 && rest.chars().all(plain);
        let first = rest.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        (short && first && !matches!(rest, "nullptr" | "NULL")).then(|| rest.to_owned())
    }

    /// The pointer whose own address an argument is: `out` of `&out`, where it is declared as `float *out`.
    pub fn address_of_pointer(
        &self,
        at: &SourceLocation,
        call: &str,
        number: usize,
        turn: usize,
    ) -> Option<String> {
        let text = self.argument(at, call, number, turn)?;
        let name = text.trim().strip_prefix('&')?.trim();
        if name.is_empty() || !name.chars().all(is_name_char) {
            return None;
        }
        let above = self.text.get(..self.call(at, call, turn)?.0)?;
        // `int out` and `*p, out` may declare another of that name: the last above the call counts.
        let declares = above.match_indices(name).filter_map(|(at, _)| {
            let (before, behind) = (&above[..at], &above[at + name.len()..]);
            let apart = before.trim_end();
            let spaced = apart.len() < before.len();
            match apart.strip_suffix('*') {
                _ if behind.starts_with(is_name_char) || before.ends_with(is_name_char) => None,
                Some(kind) => (kind.trim_end().ends_with(is_name_char) || declares_next(kind.trim_end()))
                    .then_some(true),
                None => (declares_next(apart) || spaced && apart.ends_with(is_name_char)).then_some(false),
            }
        });
        (declares.last() == Some(true)).then(|| name.to_owned())
    }

    /// Whether a call stands as a statement of its own, so that its result goes nowhere.
    pub fn result_goes_nowhere(&self, at: &SourceLocation, name: &str) -> bool {
        let Some((start, _)) = self.call(at, name, 0) else { return false };
        let before = without_directives(&self.text.as_bytes()[..start]);
        let before = String::from_utf8_lossy(&before);
        let before = before.trim_end();
        let before = before.strip_suffix("::").map_or(before, str::trim_end);
        match before.as_bytes().last() {
            None | Some(b';' | b'}') => true,
            // No list of values.
            Some(b'{') => !before[..before.len() - 1].trim_end().ends_with(['=', ',', '(']),
            // `if (…) cudaFree(p);`, and no cast.
            Some(b')') => ends_condition(before),
            _ => before.ends_with("else") || before.ends_with("do"),
        }
    }

    /// Whether a place's line has a word.
    pub fn line_has(&self, at: &SourceLocation, word: &str) -> bool {
        let start = (at.line as usize).checked_sub(1).and_then(|line| self.lines.get(line));
        let line = start.and_then(|start| self.text.get(*start..)?.lines().next());
        line.is_some_and(|line| names(line).any(|name| name == word))
    }

    /// The place of the first launch on a line, from a column on: where the kernel's name stands. The
    /// compiler's column is that of the line's first statement.
    pub fn launch(&self, at: &SourceLocation) -> Option<SourceLocation> {
        let start = *self.lines.get((at.line as usize).checked_sub(1)?)?;
        let line = self.text.get(start..)?.lines().next()?;
        let column = (at.column as usize).saturating_sub(1);
        let mut arrows = line.match_indices("<<<").map(|(n, _)| n);
        let arrow = arrows.find(|&n| n >= column)?;
        let mut depth = 0usize;
        let name = line[..arrow].char_indices().rev().take_while(|&(_, c)| {
            match c {
                '>' | ')' => depth += 1,
                '<' | '(' if depth > 0 => depth -= 1,
                _ => return depth > 0 || c.is_alphanumeric() || matches!(c, '_' | ':' | '[' | ']' | '.'),
            }
            true
        });
        let first = name.last()?.0;
        let column = line[..first].chars().count() as u32 + 1;
        Some(SourceLocation { column, ..at.clone() })
    }

    /// A line, 1-based, without the space around it.
    pub fn line(&self, number: u32) -> Option<&str> {
        let start = *self.lines.get((number as usize).checked_sub(1)?)?;
        self.text.get(start..)?.lines().next().map(str::trim)
    }
}

/// Whether a text ends with `if (…)` or the head of a loop.
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

/// Whether what stands behind this text is declared with what is before: `float *a,`, and not `f(a,`.
fn declares_next(before: &str) -> bool {
    let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
    before.ends_with(',') && !statement.contains('(')
}

#[cfg(test)]
mod tests {
    use super::*;

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
",
        );
        let name = |line, call: &str, n| source.name(&at(line, 3), call, n, 0);
        assert_eq!(name(1, "cudaMalloc", 0).as_deref(), Some("d_x"));
        assert_eq!(name(2, "cudaMalloc", 0).as_deref(), Some("d_y"));
        assert_eq!(name(3, "cudaMemcpy", 1).as_deref(), Some("d_z"));
        assert_eq!(name(5, "cudaMalloc", 0).as_deref(), Some("buffers[i]"));
        assert_eq!(name(5, "cudaFree", 0), None);
        assert_eq!(name(6, "cudaMalloc", 0).as_deref(), Some("d_n"));
        assert_eq!(source.name(&at(4, 48), "cudaFree", 0, 0).as_deref(), Some("b"));
        let turns = [0, 1, 2].map(|turn| source.name(&at(4, 14), "cudaFree", 0, turn));
        assert_eq!(turns, [Some("a".into()), Some("b".into()), Some("a".into())]);
        assert_eq!(source.argument(&at(2, 3), "cudaMalloc", 1, 0).as_deref(), Some("f(n, 2)"));
        assert_eq!(source.argument(&at(2, 3), "cudaMalloc", 2, 0), None);
        assert_eq!(source.argument(&at(9, 3), "cudaMalloc", 0, 7), None);
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
            (1..21).filter(|line| source.result_goes_nowhere(&at(*line, 1), "cudaFree")).collect();
        assert_eq!(nowhere, [1, 2, 6, 8, 9, 10, 14]);
    }

    #[test]
    fn odd_text_does_no_harm() {
        for text in ["", "\"", "'\\", "/*", "cudaFree(", "cudaFree(é", "é cudaFree", "cudaFree((((\n\n\n"] {
            let source = Source::new("a.cu", text);
            for line in 0..4 {
                source.name(&at(line, 9), "cudaFree", 0, 1);
                source.result_goes_nowhere(&at(line, 9), "cudaFree");
            }
        }
    }
}
