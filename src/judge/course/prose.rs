//! Parses the subset of Markdown in which the texts of a course are written, into blocks and spans that a front end
//! lays out.
//!
//! There are paragraphs, lists (`- `), headings (`## `), figures and code (indented by four spaces, or between
//! lines of three backticks), `` `code` `` and `*emphasis*`. There is nothing else: a line that starts with a
//! number and a full stop, an underscore or an angle bracket is text, as it is in a sentence about C++.

/// A block of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Heading(String),
    /// A paragraph, with its lines joined.
    Paragraph(String),
    /// One item of a list, with its lines joined.
    Item(String),
    /// A drawing or a table: its lines as they are, with their indentation, without empty lines at the start or the
    /// end.
    Figure(Vec<String>),
    /// C++ code, with lines as in a figure.
    Code(Vec<String>),
    /// An empty line between two blocks.
    Gap,
}

/// A span of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span<'t> {
    Plain(&'t str),
    /// Code, without its backticks.
    Code(&'t str),
    /// Emphasised text, without its asterisks.
    Stress(&'t str),
}

/// Parses a text into blocks.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    let mut fenced = false;
    for line in text.lines() {
        let bare = line.trim();
        let fence = bare.starts_with("```");
        let drawn = !fence && (fenced || line.starts_with("    ") && reader.prose.is_empty());
        // A figure may contain an empty line.
        if !drawn && !bare.is_empty() {
            reader.end_figure();
        }
        if fence {
            reader.end_prose();
            fenced = !fenced;
        } else if drawn {
            reader.figure.push(format!("{}{}", if fenced { "    " } else { "" }, line.trim_end()));
        } else if bare.is_empty() && !reader.figure.is_empty() {
            reader.figure.push(String::new());
        } else if bare.is_empty() {
            reader.end_prose();
            reader.blocks.push(Block::Gap);
        } else if let Some(heading) = line.strip_prefix("## ") {
            reader.end_prose();
            reader.blocks.push(Block::Heading(heading.to_owned()));
        } else if let Some(item) = bare.strip_prefix("- ") {
            reader.end_prose();
            (reader.item, reader.prose) = (true, item.to_owned());
        } else {
            if !reader.prose.is_empty() {
                reader.prose.push(' ');
            }
            reader.prose.push_str(bare);
        }
    }
    reader.end_figure();
    reader.end_prose();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    prose: String,
    /// Whether `prose` belongs to a list item.
    item: bool,
    figure: Vec<String>,
}

impl Reader {
    fn end_prose(&mut self) {
        let text = std::mem::take(&mut self.prose);
        let item = std::mem::take(&mut self.item);
        if item {
            self.blocks.push(Block::Item(text));
        } else if !text.is_empty() {
            self.blocks.push(Block::Paragraph(text));
        }
    }

    fn end_figure(&mut self) {
        let mut lines = std::mem::take(&mut self.figure);
        let length = lines.len() - lines.iter().rev().take_while(|line| line.is_empty()).count();
        let gaps = lines.split_off(length).len();
        if !lines.is_empty() {
            self.blocks.push(if is_code(&lines) { Block::Code(lines) } else { Block::Figure(lines) });
        }
        self.blocks.extend(std::iter::repeat_n(Block::Gap, gaps));
    }
}

/// Returns whether a figure is C++: one of its lines ends like a statement or is a directive, and it contains no
/// drawing characters.
fn is_code(lines: &[String]) -> bool {
    let drawn = |c: char| matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2500}'..='\u{25ff}');
    let directive = |line: &str| {
        let word = line.strip_prefix('#').unwrap_or_default().trim_start();
        word.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let statement = |line: &str| {
        let line = line.split("//").next().unwrap_or(line).trim();
        line.ends_with([';', '{', '}']) || directive(line)
    };
    !lines.iter().any(|line| line.contains(drawn)) && lines.iter().any(|line| statement(line))
}

/// Parses a line of text into spans. An asterisk with spaces around it is a multiplication and is kept, as is
/// everything in backticks.
pub fn spans(text: &str) -> Vec<Span<'_>> {
    let mut out = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let behind = at + c.len_utf8();
        let end = match c {
            '`' => text[behind..].find('`').map(|n| behind + n),
            '*' if begins_stress(text, at) => stress_end(text, behind),
            _ => None,
        };
        let Some(end) = end else {
            at = behind;
            continue;
        };
        if plain < at {
            out.push(Span::Plain(&text[plain..at]));
        }
        let inner = &text[behind..end];
        out.push(if c == '`' { Span::Code(inner) } else { Span::Stress(inner) });
        at = end + 1;
        plain = at;
    }
    if plain < text.len() {
        out.push(Span::Plain(&text[plain..]));
    }
    out
}

fn begins_stress(text: &str, star: usize) -> bool {
    let before = text[..star].chars().next_back().unwrap_or(' ');
    let after = text[star + 1..].chars().next().unwrap_or(' ');
    !before.is_alphanumeric() && after.is_alphanumeric()
}

/// Returns the position of the asterisk that ends the emphasis starting at `from`.
fn stress_end(text: &str, from: usize) -> Option<usize> {
    text[from..].match_indices('*').map(|(n, _)| from + n).find(|star| {
        let before = text[..*star].chars().next_back().unwrap_or(' ');
        let after = text[star + 1..].chars().next().unwrap_or(' ');
        before != ' ' && !after.is_alphanumeric()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_told_apart() {
        let text = "One\ntwo.\n\n    fig\n\n      ure\n\n- item\n  goes on\n- <two>\n\n    code\n\n```\n# x\n```\n1. no list";
        let figure = |lines: &[&str]| Block::Figure(lines.iter().map(|line| line.to_string()).collect());
        assert_eq!(
            blocks(text),
            [
                Block::Paragraph("One two.".into()),
                Block::Gap,
                figure(&["    fig", "", "      ure"]),
                Block::Gap,
                Block::Item("item goes on".into()),
                Block::Item("<two>".into()),
                Block::Gap,
                figure(&["    code"]),
                Block::Gap,
                Block::Code(vec!["    # x".into()]),
                Block::Paragraph("1. no list".into()),
            ]
        );
    }

    #[test]
    fn code_is_told_from_drawings_and_tables() {
        let code = |text: &str| is_code(&text.lines().map(str::to_owned).collect::<Vec<_>>());
        assert!(code("x = 1;") && code("for (…) {  // …") && code("    #pragma unroll"));
        assert!(!code("in  [ 4 ] ► out") && !code("a table\n1 2") && !code("┌──┐\nx;"));
        assert!(!code("  ..:+*##*:.\n  ####*+:..") && code("# define N 4"));
    }

    #[test]
    fn spans_are_told_from_multiplications() {
        use Span::{Code, Plain, Stress};
        assert_eq!(
            spans("so `in[i] * 2` is *not* row * cols"),
            [Plain("so "), Code("in[i] * 2"), Plain(" is "), Stress("not"), Plain(" row * cols")]
        );
        assert_eq!(spans("const float *in and 2*n"), [Plain("const float *in and 2*n")]);
        assert_eq!(spans("*all of it*."), [Stress("all of it"), Plain(".")]);
        assert_eq!(spans("a ` alone"), [Plain("a ` alone")]);
    }
}
