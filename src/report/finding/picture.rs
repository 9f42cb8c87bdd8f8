//! Pictures in plain text, a dozen lines at most: the lanes of a warp against the addresses they
//! touch, the two sides of a race between the barriers around them.

use crate::layout::{pad, truncate};
use cpp::Source;
use sim::{Picture, PictureKind};

/// Rows of a picture of lanes.
const ROWS: usize = 8;
/// Units that a row shows.
const COLUMNS: usize = 32;
const SECTOR_BYTES: i64 = 32;
const BANK_BYTES: i64 = 4;

/// Lanes that touch each sector, or that come to each bank.
pub fn lanes(picture: &Picture) -> Vec<String> {
    match picture.kind {
        PictureKind::Sectors => sectors(picture),
        PictureKind::Banks => banks(picture),
    }
}

/// Lanes with the offsets of their bytes.
fn active(picture: &Picture) -> impl Iterator<Item = (usize, i64)> {
    picture.lanes.iter().enumerate().filter_map(|(lane, offset)| Some((lane, (*offset)?)))
}

/// A row for each sector, a mark for each of its four-byte words that is used.
fn sectors(picture: &Picture) -> Vec<String> {
    let mut rows: Vec<(i64, Vec<usize>, [bool; 8])> = Vec::new();
    let width = i64::from(picture.width.max(1));
    for (lane, offset) in active(picture) {
        let end = offset.saturating_add(width - 1);
        for sector in offset.div_euclid(SECTOR_BYTES)..=end.div_euclid(SECTOR_BYTES) {
            let n = match rows.iter().position(|row| row.0 == sector) {
                Some(n) => n,
                None => {
                    rows.push((sector, Vec::new(), [false; 8]));
                    rows.len() - 1
                }
            };
            let (_, its, used) = &mut rows[n];
            if its.last() != Some(&lane) {
                its.push(lane);
            }
            for byte in offset.max(sector * SECTOR_BYTES)..=end.min(sector * SECTOR_BYTES + SECTOR_BYTES - 1)
            {
                used[(byte.rem_euclid(SECTOR_BYTES) / 4) as usize] = true;
            }
        }
    }
    let total = rows.len();
    let mut out = vec!["lanes         sector of 32 bytes   bytes used".to_string()];
    for (sector, its, used) in rows.iter().take(ROWS) {
        let drawing: String = used.iter().map(|used| if *used { '■' } else { '·' }).collect();
        out.push(format!("{} {} [{drawing}]", pad(&named(its), 13), pad(&at_byte(*sector), 20)));
    }
    if total > ROWS {
        out.push(format!("… and {} sectors more", total - ROWS));
    }
    out
}

fn at_byte(sector: i64) -> String {
    format!("from byte {}", sector.saturating_mul(SECTOR_BYTES))
}

/// `0-7`, `0, 4, 8 …`
fn named(lanes: &[usize]) -> String {
    match lanes {
        [] => String::new(),
        [lane] => lane.to_string(),
        [first, .., last] if last - first + 1 == lanes.len() => format!("{first}-{last}"),
        [a, b, c, ..] => format!("{a}, {b}, {c} …"),
        [a, b] => format!("{a}, {b}"),
    }
}

/// A column for each bank, a mark for each different word that is wanted of it.
fn banks(picture: &Picture) -> Vec<String> {
    let mut words: Vec<Vec<i64>> = vec![Vec::new(); COLUMNS];
    let width = i64::from(picture.width.max(1));
    for (_, offset) in active(picture) {
        for word in offset.div_euclid(BANK_BYTES)..=offset.saturating_add(width - 1).div_euclid(BANK_BYTES) {
            let bank = &mut words[word.rem_euclid(COLUMNS as i64) as usize];
            if !bank.contains(&word) {
                bank.push(word);
            }
        }
    }
    let most = words.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = vec!["bank           0        8        16       24".to_string()];
    for pass in 0..most.min(ROWS) {
        let cell = |bank: &Vec<i64>| if bank.len() > pass { '■' } else { '·' };
        let drawing: String = (words.chunks(8))
            .map(|eight| eight.iter().map(cell).collect::<String>())
            .collect::<Vec<_>>()
            .join(" ");
        out.push(format!("pass {}      {drawing}", pad(&format!("{}", pass + 1), 4)));
    }
    if most > ROWS {
        out.push(format!("… and {} passes more", most - ROWS));
    }
    out
}

/// One side of a race.
pub struct Side {
    pub line: u32,
    /// `thread 5`
    pub who: String,
    /// `writes s[5]`
    pub does: String,
}

/// The two sides between the barriers that stand around them, first that of the earlier line.
pub fn timeline(sides: [&Side; 2], source: &Source) -> Vec<String> {
    let [one, two] = sides;
    let (first, last) = (one.line.min(two.line), one.line.max(two.line));
    let Some([before, after]) = source.barriers_around(first, last) else { return Vec::new() };
    let column = one.who.chars().count().max(one.does.chars().count()) + 3;
    let wide = column + two.who.chars().count().max(two.does.chars().count()) + 1;
    let bar = |line: Option<u32>, otherwise: &str| {
        let name = line.map_or(otherwise.to_string(), |line| format!("line {line}"));
        let what = if line.is_some() { " __syncthreads()" } else { "" };
        truncate(&format!("{} {}{what}", pad(&name, 12), "═".repeat(wide)), 76)
    };
    let row = |name: String, left: &str, right: &str| {
        truncate(format!("{} {} {right}", pad(&name, 12), pad(left, column)).trim_end(), 76)
    };
    let at = |line: u32| format!("line {line}");
    let mut out = vec![row(String::new(), &one.who, &two.who), bar(before, "start")];
    if one.line == two.line {
        out.push(row(at(one.line), &one.does, &two.does));
    } else {
        out.push(row(at(one.line), &one.does, "·"));
        out.push(row(at(two.line), "·", &two.does));
    }
    out.push(bar(after, "end"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(kind: PictureKind, offset: impl Fn(i64) -> i64) -> Vec<String> {
        lanes(&Picture { kind, width: 4, lanes: (0..32).map(|lane| Some(offset(lane))).collect() })
    }

    #[test]
    fn lanes_are_drawn_against_sectors() {
        let text = picture(PictureKind::Sectors, |lane| lane * 4);
        assert_eq!(text.len(), 5, "{text:?}");
        assert_eq!(text[1], "0-7           from byte 0          [■■■■■■■■]");
        let text = picture(PictureKind::Sectors, |lane| lane * 256);
        assert_eq!(text[1], "0             from byte 0          [■·······]");
        assert_eq!(text.last().unwrap(), "… and 24 sectors more");
    }

    #[test]
    fn lanes_are_drawn_against_banks() {
        let text = picture(PictureKind::Banks, |lane| lane * 4);
        assert_eq!(text[1], "pass 1         ■■■■■■■■ ■■■■■■■■ ■■■■■■■■ ■■■■■■■■");
        assert_eq!(text.len(), 2);
        let text = picture(PictureKind::Banks, |lane| lane * 128);
        assert_eq!(text[1], "pass 1         ■······· ········ ········ ········");
        assert!(text.len() <= 12 && text.iter().all(|line| line.chars().count() <= 76));
    }

    #[test]
    fn the_sides_of_a_race_stand_between_barriers() {
        let source = Source::new(
            "__global__ void f() {\n  __shared__ int s[8];\n  s[t] = 1;\n  x = s[0];\n  __syncthreads();\n}\n",
        );
        let side = |line, who: &str, does: &str| Side { line, who: who.into(), does: does.into() };
        let text =
            timeline([&side(3, "thread 5", "writes s[0]"), &side(4, "thread 0", "reads s[0]")], &source)
                .join("\n");
        assert!(text.contains("start        ════") && text.contains("line 5       ════"), "{text}");
        assert!(text.contains("line 4       ·              reads s[0]"), "{text}");
    }
}
