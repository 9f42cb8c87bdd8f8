//! The headers that a source includes, and the macros that it defines.

use super::directives::directives;
use super::source::Source;
use super::words::{closing, first_word};
use std::ops::Range;

/// An `#include` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Include<'t> {
    pub header: &'t str,
    /// Whether it is written `"…"`, as for headers of the author's own, rather than `<…>`.
    pub is_quoted: bool,
}

impl<'t> Include<'t> {
    /// Returns the `#include` that a line is; `None` for any other line, and for the name of a macro.
    pub fn of(line: &'t str) -> Option<Include<'t>> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let is_quoted = rest.starts_with('"');
        let close = if is_quoted { '"' } else { '>' };
        let (header, _) = rest.strip_prefix(['"', '<'])?.split_once(close)?;
        Some(Include { header: header.trim(), is_quoted })
    }

    /// Returns those of a text, in comments too, with their 1-based lines.
    pub fn all(text: &'t str) -> impl Iterator<Item = (u32, Include<'t>)> {
        (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, Include::of(text)?)))
    }
}

/// A `#define` directive.
#[derive(Clone, Debug)]
pub struct Definition<'t> {
    pub name: &'t str,
    /// Whether the name is followed by parameters.
    pub takes_arguments: bool,
    /// 1-based.
    pub line: u32,
    /// The bytes of the replacement text.
    pub text: Range<usize>,
}

impl<'a> Source<'a> {
    /// Returns whether the source includes a header.
    pub fn includes(&self, header: &str) -> bool {
        let lines = directives(self.bare()).into_iter().map(|its| &self.text()[its.lines]);
        lines.filter_map(Include::of).any(|its| its.header == header)
    }

    /// Returns the definitions of macros, in order.
    pub fn definitions(&self) -> impl Iterator<Item = Definition<'a>> {
        let (text, code) = (self.text(), self.bare());
        let defines = directives(code).into_iter().filter(|its| &code[its.word.clone()] == b"define");
        defines.filter_map(move |its| {
            let Range { start, end } = its.rest();
            let name = first_word(&code[start..end])?;
            let behind = start + name.end;
            let parameters = &code[behind..end];
            let takes_arguments = parameters.starts_with(b"(");
            let length = if takes_arguments { closing(parameters.iter().copied())? + 1 } else { 0 };
            Some(Definition {
                name: &text[start + name.start..behind],
                takes_arguments,
                line: self.lines().number(start),
                text: behind + length..end,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_in_both_spellings() {
        let text =
            "#include <a.h>\n  #  include \"b/c.h\" // why\n#include MACRO\n// #include <d>\n#include <e";
        let found = Include::all(text).map(|(line, its)| (line, its.header, its.is_quoted));
        assert_eq!(found.collect::<Vec<_>>(), [(1, "a.h", false), (2, "b/c.h", true)]);
        let source = Source::new("#include <a> // b\n/*\n#include <c>\n*/\n#include \"d\"\n");
        assert_eq!(["a", "b", "c", "d"].map(|header| source.includes(header)), [true, false, false, true]);
    }

    #[test]
    fn definitions_have_a_name_and_a_text() {
        let text = "int a;\n#define N 4 // é\n# define F(x, y) \\\n x + y\n#define E\n#define (";
        let source = Source::new(text);
        let found =
            source.definitions().map(|its| (its.name, its.takes_arguments, its.line, &text[its.text]));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [("N", false, 2, " 4 // é"), ("F", true, 3, " \\\n x + y"), ("E", false, 5, "")]
        );
    }
}
