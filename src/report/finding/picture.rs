//! Pictures in plain text, at most a dozen lines: the lanes of a warp and the addresses that they access.

use crate::layout::pad;
use sim::{Picture, PictureKind};
use std::collections::BTreeSet;

/// Maximum number of rows in a picture of lanes.
const ROWS: usize = 8;
/// Banks that a row shows.
const COLUMNS: usize = 32;
const SECTOR_BYTES: i64 = 32;
const BANK_BYTES: i64 = 4;

/// Draws the lanes that access each sector, or the words that are requested from each bank.
pub fn lanes(picture: &Picture) -> Vec<String> {
    match picture.kind {
        PictureKind::Sectors => sectors(picture),
        PictureKind::Banks => banks(picture),
    }
}

/// Returns the active lanes with the byte offsets that they access.
fn active(picture: &Picture) -> impl Iterator<Item = (usize, i64)> {
    picture.lanes.iter().enumerate().filter_map(|(lane, offset)| Some((lane, (*offset)?)))
}

/// Draws one row per sector, with a mark for each of its four-byte words that is used.
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
        out.push(format!("… and {} more sectors", total - ROWS));
    }
    out
}

fn at_byte(sector: i64) -> String {
    format!("from byte {}", sector.saturating_mul(SECTOR_BYTES))
}

/// Formats lanes as `0-7` or `0, 4, 8 …`.
fn named(lanes: &[usize]) -> String {
    match lanes {
        [] => String::new(),
        [lane] => lane.to_string(),
        [first, .., last] if last - first + 1 == lanes.len() => format!("{first}-{last}"),
        [a, b, c, ..] => format!("{a}, {b}, {c} …"),
        [a, b] => format!("{a}, {b}"),
    }
}

/// Draws one column per bank, with a mark for each distinct word requested from it.
fn banks(picture: &Picture) -> Vec<String> {
    let width = i64::from(picture.width.max(1));
    let words = active(picture).flat_map(|(_, offset)| {
        offset.div_euclid(BANK_BYTES)..=offset.saturating_add(width - 1).div_euclid(BANK_BYTES)
    });
    // Distinct words of each bank.
    let mut counts = [0; COLUMNS];
    for word in words.collect::<BTreeSet<i64>>() {
        counts[word.rem_euclid(COLUMNS as i64) as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut out = vec!["bank           0        8        16       24".to_string()];
    for pass in 0..most.min(ROWS) {
        let cell = |count: &usize| if *count > pass { '■' } else { '·' };
        let drawing: String = (counts.chunks(8))
            .map(|eight| eight.iter().map(cell).collect::<String>())
            .collect::<Vec<_>>()
            .join(" ");
        out.push(format!("pass {}      {drawing}", pad(&format!("{}", pass + 1), 4)));
    }
    if most > ROWS {
        out.push(format!("… and {} more passes", most - ROWS));
    }
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
        assert_eq!(text.last().unwrap(), "… and 24 more sectors");
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
}
