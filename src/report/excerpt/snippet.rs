//! An excerpt as text, drawn by `annotate-snippets`, the Rust project's crate for diagnostics. It neither wraps
//! labels nor limits the width, so lines and labels are cut to the page here first.

use super::{Excerpt, ExcerptLine};
use crate::escape::is_hidden;
use crate::layout::{char_width, paragraph, text_width};
use crate::{escape, paint};
use annotate_snippets::renderer::{AnsiColor, DecorStyle, Effects, Style};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;

/// Largest gap between two lines; a line after a larger one is left out.
const FARTHEST: u32 = 1 << 20;
/// Columns of code that stay visible before the first mark of a line that is cut.
const CONTEXT: usize = 12;
/// Maximum width of text, however wide the code is.
const TEXT: usize = 80;
/// Width of ` (1)`.
const NUMBER: usize = 4;
/// Columns before the text of a line, in addition to those of its number: `  `, ` │ `.
const FRAME: usize = 5;

/// Draws the lines with their numbers, each mark underlined with its label next to it or below it. Labels for
/// which there is no room follow as numbered paragraphs.
pub fn draw(excerpt: &Excerpt, width: usize) -> String {
    let (Some(first), Some(last)) = (excerpt.lines.first(), excerpt.lines.last()) else {
        return String::new();
    };
    let gutter = last.line.to_string().len();
    let margin = excerpt.lines.iter().filter(|l| !l.text.trim().is_empty()).map(|l| leading(&l.text)).min();
    let room = width.saturating_sub(gutter + FRAME).max(16);
    let mut source = String::new();
    let mut marks: Vec<(Range<usize>, String, bool)> = Vec::new();
    let mut below = Vec::new();
    let mut here = first.line;
    for line in &excerpt.lines {
        let Some(gap) = line.line.checked_sub(here).filter(|gap| *gap < FARTHEST) else { continue };
        source.extend(std::iter::repeat_n('\n', gap as usize));
        here = line.line + 1;
        let shown = Shown::new(line, margin.unwrap_or(0), room);
        for (place, label, primary) in shown.marks {
            let label = match label {
                Label::Inline(label) => label,
                Label::Below(label) if label.is_empty() => label,
                Label::Below(label) => {
                    below.push(label);
                    format!("({})", below.len())
                }
            };
            marks.push((source.len() + place.start..source.len() + place.end, label, primary));
        }
        source += &shown.text;
        source.push('\n');
    }
    let mut snippet = Snippet::source(source).line_start(first.line as usize);
    for (place, label, primary) in marks {
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mark = kind.span(place);
        snippet = snippet.annotation(if label.is_empty() { mark } else { mark.label(label) });
    }
    let drawn = renderer().render(&[Group::with_level(Level::ERROR).element(snippet)]);
    // The first line names the place, which has been printed already.
    let mut out: String = drawn
        .lines()
        .skip(1)
        .map(|line| format!("  {}", line.trim_end()).trim_end().to_owned() + "\n")
        .collect();
    for (number, label) in below.iter().enumerate() {
        out += &paragraph(&format!("({}) {label}", number + 1), width.min(TEXT), 2);
    }
    out
}

/// Creates a renderer in the colours of [`paint`].
fn renderer() -> Renderer {
    let plain = if paint::is_on() { Renderer::styled() } else { Renderer::plain() };
    let renderer = plain.decor_style(DecorStyle::Unicode).term_width(usize::MAX / 4);
    match paint::is_on() {
        true => renderer
            .error(AnsiColor::Red.on_default())
            .context(AnsiColor::Cyan.on_default())
            .line_num(Style::new().effects(Effects::DIMMED)),
        false => renderer,
    }
}

enum Label {
    /// Next to the mark, or under it.
    Inline(String),
    /// Too long for either: in a paragraph below the excerpt.
    Below(String),
}

/// A line cut to the available width, with the byte ranges of its marks in it.
struct Shown {
    text: String,
    marks: Vec<(Range<usize>, Label, bool)>,
}

impl Shown {
    fn new(line: &ExcerptLine, margin: usize, room: usize) -> Shown {
        // Escaping widens characters: collect the column at which each one starts.
        let mut columns = Vec::new();
        let mut at = 0;
        let mut pieces: Vec<(usize, String)> = Vec::new();
        for c in line.text.chars() {
            columns.push(at);
            let piece = match c {
                '\t' => "    ".to_string(),
                c if is_hidden(c) => escape(c.encode_utf8(&mut [0; 4])),
                c => c.to_string(),
            };
            let start = at;
            at += text_width(&piece);
            pieces.push((start, piece));
        }
        columns.push(at);
        let column = |i: u32| columns.get(i as usize).copied().unwrap_or(at);
        let marks: Vec<(usize, usize, String, bool)> = (line.marks.iter())
            .map(|m| {
                let start = column(m.start);
                (start, column(m.start.saturating_add(m.length)).max(start + 1), escape(&m.label), m.primary)
            })
            .collect();
        // The last mark has its label next to it, the others below.
        let fits_inline = |n: usize| marks.iter().enumerate().all(|(m, mark)| m == n || mark.1 < marks[n].0);
        let need = |n: usize| {
            let (start, end, label, _) = &marks[n];
            let label = text_width(label);
            if label > 0 && fits_inline(n) { end + 1 + label } else { (*end).max(start + label) }
        };
        let first = marks.iter().map(|m| m.0).min().unwrap_or(0);
        let needed = (0..marks.len()).map(need).max().unwrap_or(0);
        let most = first.saturating_sub(CONTEXT).max(margin);
        let mut skip = margin;
        if needed > margin + room {
            skip = (needed - room + 1).min(most).max(margin);
        }
        let fits = |n: usize| need(n) <= skip + room;
        // A label that does not fit is replaced by its number, which needs room.
        let room_of_text = if (0..marks.len()).all(fits) { room } else { room.saturating_sub(NUMBER) };
        let mut text = String::new();
        // Column and byte offset of each character that is kept.
        let mut places = Vec::new();
        let mut used = 0;
        if skip > margin {
            text.push('…');
            used = 1;
        }
        for (start, piece) in &pieces {
            if *start < skip + usize::from(skip > margin) {
                continue;
            }
            let columns = piece.chars().map(char_width).sum::<usize>();
            let is_last = start + columns >= at;
            if used + columns + usize::from(!is_last) > room_of_text {
                places.push((*start, text.len()));
                text.push('…');
                break;
            }
            places.push((*start, text.len()));
            text += piece;
            used += columns;
        }
        let end = text.len();
        let byte = |column: usize| places.iter().find(|p| p.0 >= column).map_or(end, |p| p.1);
        let marks = (0..marks.len()).map(|n| {
            let (start, stop, label, primary) = &marks[n];
            let from = byte(*start).min(end);
            let place = from..byte(*stop).max(from);
            let label = label.clone();
            (place, if fits(n) { Label::Inline(label) } else { Label::Below(label) }, *primary)
        });
        let marks = marks.collect();
        Shown { text, marks }
    }
}

/// Returns the width of the leading white space, counting a tab as four columns.
fn leading(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Spot;
    use super::super::tests::spot;
    use super::*;
    use cpp::Source;

    fn plain(source: &str, spots: &[Spot], width: usize) -> String {
        colored::control::set_override(false);
        draw(&Excerpt::of(&Source::new(source), spots), width)
    }

    #[test]
    fn far_lines_are_parted() {
        let source = "one\ntwo\nthree\nfour\nfive\nsix\nseven";
        let primary = Spot { primary: true, ..spot(7, 1, "later") };
        assert_eq!(
            plain(source, &[primary, spot(1, 1, "earlier")], 80),
            "  1 │ one\n    │ ─── earlier\n    ┆\n  7 │ seven\n    ╰╴━━━━━ later\n"
        );
        assert_eq!(plain("", &[], 80), "");
    }

    #[test]
    fn marks_at_one_place_are_underlined_once() {
        let text = plain("s[0]++;", &[spot(1, 1, "reads"), spot(1, 1, "writes")], 80);
        assert_eq!(text.matches("───").count(), 1, "{text}");
        assert!(text.contains("reads\n") && text.contains("writes\n"), "{text}");
    }

    #[test]
    fn hidden_characters_are_spelt_out_and_marks_still_fit() {
        let text = plain("\t\u{202e}x[0] = 1;\x1b[31m", &[spot(1, 3, "here")], 80);
        assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
        assert_eq!(text, "  1 │ \\u{202e}x[0] = 1;\\x1b[31m\n    ╰╴        ──── here\n");
    }

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let line = format!("{}out[i] = 1;{}", "a + ".repeat(50), " // tail".repeat(20));
        for width in [40, 80] {
            let text = plain(&line, &[spot(1, 201, "thread 0 writes out[0]")], width);
            assert!(text.lines().all(|l| text_width(l) <= width), "{text}");
            assert!(text.contains("out[i]") && text.contains("──────"), "{text}");
        }
    }

    #[test]
    fn a_label_without_room_is_told_below() {
        let label = "thread 0 writes byte 12 of `out`, which has 4 bytes and no more than that, here";
        let text = plain("    out[i] = 1;", &[spot(1, 5, label)], 60);
        assert!(text.lines().all(|l| text_width(l) <= 60), "{text}");
        assert!(text.contains("────── (1)\n") && text.contains("\n  (1) thread 0 writes"), "{text}");
    }
}
