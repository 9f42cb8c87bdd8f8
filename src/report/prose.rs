//! Renders the course's Markdown in a terminal: prose is wrapped, code is broken between words. Drawings and
//! tables wider than the page are cropped, because broken ones can't be read.

use super::layout::{hanging, paragraph, text_width};
use super::{Style, escape_lines, paint};
use judge::course::{Block, Span, blocks, spans};

pub fn markdown(text: &str, style: &Style) -> String {
    let width = style.width;
    let mut out = String::new();
    let mut whole = 0;
    for block in blocks(&escape_lines(text)) {
        match block {
            Block::Heading(heading) => out += &format!("{}\n", paint::bold(&heading)),
            Block::Paragraph(text) => out += &paragraph(&stress_off(&text), width, 0),
            Block::Item(text) => out += &item(&text, width),
            Block::Code(lines) => {
                out.extend(moved_left(&lines, width).into_iter().map(|line| code(line, width)));
            }
            Block::Figure(lines) => {
                let lines = moved_left(&lines, width);
                let cropped: Vec<String> = lines.iter().map(|line| crop(line, width)).collect();
                if cropped != lines {
                    whole = lines.iter().map(|line| text_width(line)).max().unwrap_or(0).max(whole);
                }
                out.extend(cropped.into_iter().map(|line| line + "\n"));
            }
            Block::Gap => out.push('\n'),
        }
    }
    if whole > 0 {
        let command = &style.command;
        let note = format!(
            "Lines that end with … are cut: {whole} columns show them whole, and so does {command} book."
        );
        out += &format!("\n{}", paint::dim(&paragraph(&note, width, 0)));
    }
    out
}

/// Renders a line of code, broken between words where it is too wide, with continuation lines indented further.
pub fn code(line: &str, width: usize) -> String {
    const DEEPER: usize = 4;
    let indent = line.len() - line.trim_start_matches(' ').len();
    let (mut lead, mut rest) = (" ".repeat(indent), &line[indent..]);
    let mut out = String::new();
    while text_width(&lead) + text_width(rest) > width {
        let room = width.saturating_sub(text_width(&lead));
        // Not inside a string literal.
        let places: Vec<usize> = rest
            .match_indices(' ')
            .map(|(at, _)| at)
            .filter(|&at| rest[..at].matches('"').count().is_multiple_of(2))
            .collect();
        let fits = |&&at: &&usize| text_width(rest[..at].trim_end()) <= room;
        let Some(&at) = places.iter().rfind(fits).or(places.first()) else { break };
        let (head, tail) = (rest[..at].trim_end(), rest[at..].trim_start());
        out += &format!("{lead}{head}\n");
        let comment = if lead.ends_with("// ") || head.contains("//") { "// " } else { "" };
        lead = format!("{:1$}{comment}", "", indent + DEEPER);
        rest = tail;
    }
    out + &format!("{lead}{rest}\n")
}

/// Removes, on a page that is too narrow, common leading spaces from the lines of a figure or of code.
fn moved_left(lines: &[String], width: usize) -> Vec<&str> {
    let indent = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let space = lines.iter().filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    let widest = lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let cut = widest.saturating_sub(width).min(space);
    lines.iter().map(|line| line.get(cut..).unwrap_or_default()).collect()
}

/// Crops a line of a figure to `width` columns with an ellipsis. A command stays whole, so that it can be copied.
fn crop(line: &str, width: usize) -> String {
    if text_width(line) <= width || line.trim_start().starts_with("gpulearn ") {
        return line.to_owned();
    }
    let room = width.saturating_sub(2).max(1);
    let fits = |at: &usize| text_width(line[..*at].trim_end()) <= room;
    let places = line.char_indices().map(|(at, _)| at).take_while(fits);
    let head = places.filter(|&at| may_be_cut(line, at)).last().map_or("", |at| &line[..at]);
    if head.trim().is_empty() { "…".into() } else { format!("{} …", head.trim_end()) }
}

/// Returns whether a line may be cropped at the byte offset `at`: not within a word, within brackets, or between
/// a number and its unit.
fn may_be_cut(line: &str, at: usize) -> bool {
    let of_a_word =
        |c: char| !c.is_whitespace() && !matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2500}'..='\u{25ff}');
    let (head, tail) = line.split_at(at);
    let in_word = head.ends_with(of_a_word) && tail.starts_with(of_a_word);
    let in_brackets = head.rfind('[') > head.rfind(']');
    let (before, after) = (head.trim_end(), tail.trim_start());
    let gap = line.len() - before.len() - after.len();
    let number = before
        .rsplit(|c| !of_a_word(c))
        .next()
        .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let with_unit = number && gap == 1 && after.starts_with(of_a_word);
    !(in_word || in_brackets || with_unit)
}

/// Renders a list item with its bullet.
fn item(text: &str, width: usize) -> String {
    paint::code(hanging("  - ", &stress_off(text), width)).into_iter().map(|line| line + "\n").collect()
}

/// Removes the stars of *emphasis*; the words are enough.
pub fn stress_off(text: &str) -> String {
    let piece = |span| match span {
        Span::Plain(text) | Span::Stress(text) => text.to_owned(),
        Span::Code(text) => format!("`{text}`"),
    };
    spans(text).into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, width: usize) -> String {
        colored::control::set_override(false);
        markdown(text, &Style { width, ..Style::default() })
    }

    #[test]
    fn marks_go_and_multiplications_stay() {
        assert_eq!(stress_off("so `in[i] * 2` is *not* row * cols"), "so `in[i] * 2` is not row * cols");
        assert_eq!(stress_off("const float *in and 2*n"), "const float *in and 2*n");
        assert_eq!(stress_off("`const float *p` and *all of it*."), "`const float *p` and all of it.");
    }

    #[test]
    fn prose_is_wrapped_and_figures_are_not() {
        let text = "One two\nthree four.\n\n    fig  ure\n      more\n\n- item one\n  goes on\n- two\n\n```\n# code\n```";
        assert_eq!(
            page(text, 16),
            "One two three\nfour.\n\n    fig  ure\n      more\n\n  - item one\n    goes on\n  - two\n\n    # code\n"
        );
        // A figure that is too wide loses as much of its leading space as it must.
        assert_eq!(page("    0123456789\n\n      abc\n", 12), "  0123456789\n\n    abc\n");
    }

    #[test]
    fn a_figure_is_cut_between_its_cells() {
        for (line, width, cut) in [
            ("in   [ 10 ]  [ 20 ]", 19, "in   [ 10 ]  [ 20 ]"),
            ("in   [ 10 ]  [ 20 ]", 18, "in   [ 10 ] …"),
            ("in   [ 10 ]  [ 20 ]", 13, "in   [ 10 ] …"),
            ("in   [ 10 ]  [ 20 ]", 12, "in …"),
            ("L1   39 cycles   33 TB/s", 19, "L1   39 cycles …"),
            ("L1   39 cycles   33 TB/s", 20, "L1   39 cycles …"),
            ("bytes  16 777 216", 16, "bytes …"),
            ("│ one      │ two", 10, "│ one …"),
            ("────────────", 8, "────── …"),
            ("word", 3, "…"),
            ("gpulearn run a.cu", 12, "gpulearn run a.cu"),
        ] {
            assert_eq!(crop(line, width), cut, "{line} at {width}");
        }
        let text = page("A picture.\n\n    in  [ 4 ]  [ 7 ]\n             x\n", 12);
        assert_eq!(
            text,
            "A picture.\n\nin  [ 4 ] …\n         x\n\nLines that\nend with …\nare cut: 16\ncolumns show\nthem whole,\nand so does\ngpulearn\nbook.\n"
        );
    }

    #[test]
    fn code_is_broken_between_its_words() {
        assert_eq!(code("  x = 1;", 8), "  x = 1;\n");
        assert_eq!(code("  kernel<<<1, n>>>(in, out);", 20), "  kernel<<<1,\n      n>>>(in, out);\n");
        assert_eq!(code("x = 1;  // the first of all", 20), "x = 1;  // the first\n    // of all\n");
        assert_eq!(
            code("printf(\"a b c d\", x);", 14),
            "printf(\"a b c d\",\n    x);\n",
            "a string is whole"
        );
        assert_eq!(code("0123456789", 4), "0123456789\n");
    }
}
