//! The memory that a program obtained from CUDA, over time.

use super::gantt::time;
use super::scene::{Align, Scene, Tone, count};
use host::device::Space;
use host::program::{MemoryUse, in_use, peak};

/// Maximum number of allocations drawn per memory space; the largest are kept.
const MOST: usize = 24;
const MIN_COLUMNS: usize = 24;
/// Width of names, for wide and for narrow pictures.
const NAMES: (usize, usize) = (28, 16);

/// Draws for each GPU, for pinned and for managed memory, how much is in use over time, with the peak marked, and
/// a row for each allocation, from its allocation to its free. The time axis runs from the first allocation to
/// `end_ns`, and rows are at most `columns` cells wide. `None` if there was no allocation.
pub fn memory(uses: &[MemoryUse], end_ns: u64, columns: usize) -> Option<Scene> {
    if uses.is_empty() {
        return None;
    }
    let columns = columns.max(MIN_COLUMNS + NAMES.1);
    let names = if columns >= 76 { NAMES.0 } else { NAMES.1 };
    let wide = columns - names;
    let last = uses.iter().map(|its| its.end_ns.unwrap_or(its.start_ns)).max().unwrap_or(0);
    // The first CUDA call takes most of the time of a short program, so the axis starts at the first allocation.
    let start_ns = uses.iter().map(|its| its.start_ns).min().unwrap_or(0);
    let end_ns = end_ns.max(last).max(start_ns + 1);
    let length = (end_ns - start_ns) as f64;
    let at = |ns: u64| names as f64 + wide as f64 * (ns - start_ns) as f64 / length;
    let mut scene = Scene::new("Memory from CUDA over time");
    let (mut sentences, mut y) = (Vec::new(), 0.0);
    for (space, steps) in in_use(uses) {
        let Some((since, most)) = peak(&steps) else { continue };
        scene.text((0.0, y), Align::Start, Tone::Strong, name(space));
        for column in 0..wide {
            // The maximum in use during a column's time, including what was already in use before.
            let edge = |column: usize| start_ns as f64 + length * column as f64 / wide as f64;
            let (from, to) = (edge(column), edge(column + 1));
            let before = steps.iter().rev().find(|(ns, _)| *ns as f64 <= from).map_or(0, |(_, bytes)| *bytes);
            let within = steps.iter().filter(|(ns, _)| *ns as f64 > from && (*ns as f64) < to);
            let bytes = within.map(|(_, bytes)| *bytes).fold(before, u64::max);
            if bytes > 0 {
                scene.bar(((names + column) as f64, y), 1.0, bytes as f64 / most as f64, Tone::Used);
            }
        }
        let (x, says) = (at(since).floor(), format!("peak {}", bytes(most)));
        // The mark is at the peak, its text on the side that has room.
        if x as usize + says.chars().count() + 2 <= columns {
            scene.text((x, y + 1.0), Align::Start, Tone::Plain, format!("▲ {says}"));
        } else {
            scene.text((x + 1.0, y + 1.0), Align::End, Tone::Plain, format!("{says} ▲"));
        }
        sentences.push(format!("{}: at most {} at once, since {}.", name(space), bytes(most), time(since)));
        y = pieces(
            &mut scene,
            (y + 2.0, names, columns),
            uses.iter().filter(|its| its.space == space),
            &at,
            end_ns,
        );
    }
    for (x, align, ns) in [(names as f64, Align::Start, start_ns), (columns as f64, Align::End, end_ns)] {
        scene.text((x, y), align, Tone::Dim, time(ns));
    }
    let kept = uses.iter().filter(|its| its.end_ns.is_none()).count();
    if kept > 0 {
        scene.legend(columns, [(Tone::Clash, "▲", "never freed")]);
    }
    scene.words = format!(
        "{} In all {}, of which {kept} {} never freed.",
        sentences.join(" "),
        count(uses.len() as u64, "piece of memory", "pieces of memory"),
        if kept == 1 { "was" } else { "were" }
    );
    Some(scene)
}

/// Draws a row for each of the largest allocations, in order of allocation. Returns the y position after them.
fn pieces<'a>(
    scene: &mut Scene,
    (mut y, names, columns): (f64, usize, usize),
    uses: impl Iterator<Item = &'a MemoryUse>,
    at: &dyn Fn(u64) -> f64,
    end_ns: u64,
) -> f64 {
    let mut uses: Vec<&MemoryUse> = uses.collect();
    let all = uses.len();
    uses.sort_by_key(|its| std::cmp::Reverse(its.bytes));
    uses.truncate(MOST);
    uses.sort_by_key(|its| its.start_ns);
    for its in uses {
        let line = its.made.as_ref().map_or(String::new(), |made| format!(", line {}", made.line));
        let whole = format!("{}{line}", its.name);
        let label = if whole.chars().count() < names { whole } else { its.name.clone() };
        scene.text((0.0, y), Align::Start, Tone::Plain, label.chars().take(names - 1).collect::<String>());
        let (from, to) = (at(its.start_ns), at(its.end_ns.unwrap_or(end_ns)));
        // Even the shortest one shows.
        let from = from.min(columns as f64 - 1.0);
        let wide = (to - from).max(1.0);
        let size = bytes(its.bytes);
        let needs = size.chars().count() as f64 + 2.0;
        scene.cell((from, y), wide, Tone::Used, if wide > needs { size.as_str() } else { "" });
        let (before, behind) = (from - names as f64, columns as f64 - from - wide);
        if wide <= needs && behind > needs {
            scene.label((from + wide + 0.5, y), size);
        } else if wide <= needs && before > needs {
            scene.text((from - 0.5, y), Align::End, Tone::Dim, size);
        }
        if its.end_ns.is_none() {
            scene.cell((columns as f64 - 1.0, y), 1.0, Tone::Clash, "▲");
        }
        y += 1.0;
    }
    if all > MOST {
        scene.label((0.0, y), format!("… and {} smaller", all - MOST));
        y += 1.0;
    }
    y
}

fn name(space: Space) -> String {
    match space {
        Space::Device(device) => format!("GPU {device}"),
        Space::Pinned => "pinned memory".into(),
        Space::Managed => "managed memory".into(),
    }
}

/// Formats a number of bytes in a binary unit, with one decimal.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn its(name: &str, space: Space, bytes: u64, start_ns: u64, end_ns: Option<u64>) -> MemoryUse {
        MemoryUse { name: name.into(), space, bytes, made: None, start_ns, end_ns }
    }

    #[test]
    fn pieces_stand_where_they_were_in_use_and_the_peak_is_marked() {
        let gpu = Space::Device(0);
        let uses = [
            its("a", gpu, 4 << 20, 0, Some(750_000)),
            its("b", gpu, 4 << 20, 500_000, None),
            its("host", Space::Pinned, 100, 0, Some(1_000_000)),
        ];
        let scene = memory(&uses, 1_000_000, 40).unwrap();
        let lines = scene.plain_lines();
        assert_eq!(
            lines,
            [
                "GPU 0           ▄▄▄▄▄▄▄▄▄▄▄▄██████▄▄▄▄▄▄",
                "               peak 8.0 MiB ▲",
                "a                    4.0 MiB",
                "b                             4.0 MiB  ▲",
                "pinned memory   ████████████████████████",
                "                ▲ peak 100 B",
                "host                     100 B",
                "                0 ns              1.0 ms",
                "▲ never freed",
            ]
        );
        for columns in [40, 76, 112] {
            let lines = memory(&uses, 1_000_000, columns).unwrap().plain_lines();
            assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
        }
        assert!(
            scene.words.starts_with("GPU 0: at most 8.0 MiB at once, since 500.0 µs. pinned"),
            "{}",
            scene.words
        );
        assert!(
            scene.words.ends_with("In all 3 pieces of memory, of which 1 was never freed."),
            "{}",
            scene.words
        );
        assert_eq!(memory(&[], 10, 80), None);
    }

    #[test]
    fn of_very_many_the_largest_have_rows() {
        let uses: Vec<MemoryUse> =
            (0..100).map(|n| its("x", Space::Managed, 100 + n, n * 10, Some(n * 10 + 5))).collect();
        let lines = memory(&uses, 0, 80).unwrap().plain_lines();
        assert_eq!(lines.len(), 2 + MOST + 2);
        assert!(lines[2 + MOST].starts_with("… and 76 smaller"), "{lines:#?}");
    }
}
