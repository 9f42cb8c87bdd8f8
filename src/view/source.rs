//! The source, each line with what it did: instructions of warps, sectors, passes over shared memory.

use super::Run;
use picture::escape;
use sim::{AccessKind, PictureKind};
use std::collections::BTreeMap;

/// What a line did.
#[derive(Clone, Copy, Default)]
struct Heat {
    instructions: u64,
    sectors: u64,
    sectors_needed: u64,
    passes: u64,
    passes_needed: u64,
}

/// The lines of the run's own file. What is done in others, such as headers, is left out.
fn heat(run: &Run) -> BTreeMap<u32, Heat> {
    let mut lines: BTreeMap<u32, Heat> = BTreeMap::new();
    for (at, count) in run.profile.instructions.iter().filter(|(at, _)| *at.file == *run.file) {
        lines.entry(at.line).or_default().instructions += count;
    }
    // Of atomics, the turns are counted that lanes take: neither sectors nor passes.
    for (line, access) in run.accesses().filter(|(_, access)| access.at.kind != AccessKind::Atomic) {
        let line = lines.entry(line).or_default();
        let (units, needed) = match access.picture.kind {
            PictureKind::Sectors => (&mut line.sectors, &mut line.sectors_needed),
            PictureKind::Banks => (&mut line.passes, &mut line.passes_needed),
        };
        *units += access.units;
        *needed += access.least;
    }
    lines
}

pub fn section(run: &Run) -> Option<String> {
    let lines = heat(run);
    let most = |of: fn(&Heat) -> u64| lines.values().map(of).max().unwrap_or(0);
    let (instructions, sectors, passes) = (most(|h| h.instructions), most(|h| h.sectors), most(|h| h.passes));
    let mut out = String::from(
        "<p>Bars are shares of the line that does most. Of sectors and passes, the hatched part is more than the bytes \
         need. The number of a line that touches memory leads to what its warps touch there.</p>\n<div class=\"table\" tabindex=\"0\"><table class=\"source\">\n<thead><tr><th scope=\"col\">line</th>\
         <th scope=\"col\">warp instructions</th><th scope=\"col\">sectors</th><th scope=\"col\">shared passes</th>\
         <th scope=\"col\">source</th></tr></thead>\n<tbody>\n",
    );
    let count = run.source.lines().count();
    for (text, line) in coloured(run.source).into_iter().take(count).zip(1..) {
        let heat = lines.get(&line).copied().unwrap_or_default();
        let drawn = run.accesses().any(|(its, _)| its == line);
        let number = match drawn {
            true => format!(
                "<a href=\"#touch-{line}\" aria-label=\"line {line}: what its warps touch\">{line}</a>"
            ),
            false => line.to_string(),
        };
        out += &format!(
            "<tr id=\"line-{line}\"><th scope=\"row\">{number}</th>{}{}{}<td><code>{}</code></td></tr>\n",
            bar(heat.instructions, heat.instructions, instructions),
            bar(heat.sectors, heat.sectors_needed, sectors),
            bar(heat.passes, heat.passes_needed, passes),
            text
        );
    }
    Some(out + "</tbody>\n</table></div>\n")
}

/// A cell with a figure and its bar.
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

/// The lines of a source, coloured: a comment may reach over several.
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
