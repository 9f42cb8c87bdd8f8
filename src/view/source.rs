//! The source, each line with its work: warp instructions, waits, sectors, shared-memory passes.

use super::{Document, LineView};
use picture::escape;
use std::collections::BTreeMap;

/// A column: its name, the amount for a line, and how much of it the line's bytes need (where known, else all).
type Column = (&'static str, fn(&LineView) -> u64, fn(&LineView) -> u64);

const COLUMNS: [Column; 4] = [
    ("warp instructions", |line| line.instructions, |line| line.instructions),
    ("waits, modelled", |line| line.wait_cycles, |line| line.wait_cycles),
    ("sectors", |line| line.sectors, |line| line.sectors_needed),
    ("shared passes", |line| line.passes, |line| line.passes_needed),
];

pub fn section(of: &Document) -> Option<String> {
    let lines: BTreeMap<u32, &LineView> = of.lines.iter().map(|line| (line.line, line)).collect();
    // Each column with the amount of the line that has most of it.
    let most = |column: &Column| of.lines.iter().map(column.1).max().unwrap_or(0);
    let columns: Vec<(Column, u64)> =
        COLUMNS.into_iter().map(|column| (column, most(&column))).filter(|(_, most)| *most > 0).collect();
    let heads: String =
        columns.iter().map(|((name, ..), _)| format!("<th scope=\"col\">{name}</th>")).collect();
    let mut out = format!(
        "<p>Bars are relative to the line that does most. For sectors and passes, the hatched part is more than the bytes \
         need. Waits are the cycles for which a warp on its own would wait for the result of the line, summed over all warps: many \
         warps at once hide them. The number of a line that accesses memory links to what its warps access there.</p>\n<div class=\"table\" tabindex=\"0\"><table class=\"source\">\n<thead><tr><th scope=\"col\">line</th>{heads}\
         <th scope=\"col\">source</th></tr></thead>\n<tbody>\n"
    );
    let count = of.source.lines().count();
    for (text, line) in coloured(&of.source).into_iter().take(count).zip(1..) {
        let its = lines.get(&line).map_or(LineView::default(), |line| **line);
        let drawn = of.accesses.iter().any(|its| its.line == line);
        let number = match drawn {
            true => format!(
                "<a href=\"#touch-{line}\" aria-label=\"line {line}: what its warps access\">{line}</a>"
            ),
            false => line.to_string(),
        };
        let bars: String =
            columns.iter().map(|((_, units, needed), most)| bar(units(&its), needed(&its), *most)).collect();
        out += &format!(
            "<tr id=\"line-{line}\"><th scope=\"row\">{number}</th>{bars}<td><code>{text}</code></td></tr>\n"
        );
    }
    Some(out + "</tbody>\n</table></div>\n")
}

/// Renders a cell with a figure and its bar.
fn bar(units: u64, needed: u64, most: u64) -> String {
    if units == 0 {
        return "<td></td>".into();
    }
    let share = |n: u64| 100.0 * n as f64 / most.max(1) as f64;
    let needed = needed.min(units);
    format!(
        "<td class=\"bar\"><span class=\"needed\" style=\"width:{:.1}%\"></span><span class=\"more\" style=\"left:{:.1}%;width:{:.1}%\"></span>\
         <b>{}</b></td>",
        share(needed),
        share(needed),
        share(units - needed),
        report::grouped(units)
    )
}

/// Splits a source into highlighted lines; a comment may span several.
fn coloured(source: &str) -> Vec<String> {
    use cpp::Highlight::{Comment, Cuda, Directive, Keyword, Literal, Number, Plain};
    let mut lines = vec![String::new()];
    for (piece, kind) in cpp::highlight(source) {
        let class = match kind {
            Plain => "",
            Comment => "c",
            Literal => "s",
            Number => "n",
            Keyword => "k",
            Cuda => "g",
            Directive => "d",
        };
        for (n, part) in piece.split('\n').enumerate() {
            if n > 0 {
                lines.push(String::new());
            }
            let part = escape(part.trim_end_matches('\r'));
            let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) else { continue };
            *line += &if class.is_empty() { part } else { format!("<span class=\"{class}\">{part}</span>") };
        }
    }
    lines
}
