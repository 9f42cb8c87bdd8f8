//! The lanes of a warp on the memory that they access.

use super::scene::{Scene, Tone, count};
use sim::{Picture, PictureKind};
use std::collections::BTreeMap;

const SECTOR_BYTES: i64 = 32;
const WORD_BYTES: i64 = 4;
const WORDS: usize = 8;
/// Width of a word, and of the label before a sector's words.
const WORD: f64 = 3.0;
const NAME: f64 = 13.0;
/// Width of the label before a pass over the banks, and of its short form where there is no room for words.
const NAMES: f64 = 8.0;
const NUMBERS: f64 = 4.0;
/// Maximum number of rows of a picture.
const ROWS: usize = 16;

/// Draws the lanes of one access: on the sectors of global memory, each of eight words, or on the 32 banks of
/// shared memory, one row per pass. A word shows the number of the lane that accesses it. `columns` is the
/// maximum width.
pub fn accesses(picture: &Picture, columns: usize) -> Scene {
    match picture.kind {
        PictureKind::Sectors => sectors(picture, columns),
        PictureKind::Banks => banks(picture, columns),
    }
}

/// Returns how to read such a picture.
pub fn accesses_legend(kind: PictureKind) -> &'static str {
    match kind {
        PictureKind::Sectors => {
            "Eight boxes are a sector of 32 bytes, a box a word of 4, with the number of the lane that wants it (+: others \
             want it too). Dashed boxes are moved and not used."
        }
        PictureKind::Banks => {
            "A column is a bank and a row a pass: a bank that has more than one word to give needs more passes."
        }
    }
}

/// Returns the words that lanes access, each with its lowest lane and whether further lanes access it.
fn words(picture: &Picture) -> BTreeMap<i64, (usize, bool)> {
    let width = i64::from(picture.width.max(1));
    let mut words = BTreeMap::new();
    for (lane, offset) in picture.lanes.iter().enumerate().filter_map(|(lane, at)| Some((lane, (*at)?))) {
        let last = offset.saturating_add(width - 1);
        for word in offset.div_euclid(WORD_BYTES)..=last.div_euclid(WORD_BYTES) {
            words.entry(word).and_modify(|(_, shared)| *shared = true).or_insert((lane, false));
        }
    }
    words
}

fn label((lane, shared): (usize, bool)) -> String {
    if shared { format!("{lane}+") } else { lane.to_string() }
}

fn active(picture: &Picture) -> usize {
    picture.lanes.iter().flatten().count()
}

fn sectors(picture: &Picture, columns: usize) -> Scene {
    let words = words(picture);
    let mut sectors: Vec<i64> = words.keys().map(|word| word.div_euclid(WORDS as i64)).collect();
    sectors.dedup();
    let (lanes, moved) = (active(picture), sectors.len() as i64 * SECTOR_BYTES);
    let (units, least) = (picture.units(), picture.least());
    let mut scene = Scene::new("The lanes of a warp on the sectors of a buffer");
    scene.words = format!(
        "{} of a warp {} {} of {SECTOR_BYTES} bytes; {least} would hold {} bytes. {} of the {} words of 4 bytes that \
         are moved {} wanted.",
        count(lanes as u64, "lane", "lanes"),
        if lanes == 1 { "touches" } else { "touch" },
        count(units, "sector", "sectors"),
        if lanes == 1 { "its" } else { "their" },
        words.len(),
        moved / WORD_BYTES,
        if words.len() == 1 { "is" } else { "are" },
    );
    let block = NAME + WORD * WORDS as f64 + 3.0;
    let per_row = ((columns as f64 / block) as usize).clamp(1, 4);
    for (n, sector) in sectors.iter().take(ROWS * per_row).enumerate() {
        let (x, y) = ((n % per_row) as f64 * block, (n / per_row) as f64);
        scene.label((x, y), format!("byte {}", sector.saturating_mul(SECTOR_BYTES)));
        for place in 0..WORDS {
            let at = (x + NAME + WORD * place as f64, y);
            match words.get(&(sector * WORDS as i64 + place as i64)) {
                Some(wanted) => scene.cell(at, WORD, Tone::Used, label(*wanted)),
                None => scene.cell(at, WORD, Tone::Wasted, ""),
            }
        }
    }
    more(&mut scene, sectors.len(), ROWS * per_row, "sectors");
    scene
}

fn banks(picture: &Picture, columns: usize) -> Scene {
    let mut by_bank: [Vec<(usize, bool)>; 32] = Default::default();
    for (word, wanted) in words(picture) {
        by_bank[word.rem_euclid(32) as usize].push(wanted);
    }
    let passes = by_bank.iter().map(Vec::len).max().unwrap_or(0);
    let used = by_bank.iter().filter(|lanes| !lanes.is_empty()).count();
    let mut scene = Scene::new("The lanes of a warp on the banks of shared memory");
    scene.words = format!(
        "{} of a warp {} words of {used} of the 32 banks; the busiest bank has {passes}, so it takes {}.",
        count(active(picture) as u64, "lane", "lanes"),
        if active(picture) == 1 { "wants" } else { "want" },
        count(passes as u64, "pass", "passes")
    );
    // The lane's number is shown where there is room for it.
    let numbered = columns as f64 >= NAMES + 32.0 * WORD + 3.0;
    let narrow = (columns as f64) < NAMES + 32.0 * 2.0 + 3.0;
    let (names, wide, gap) = match () {
        () if numbered => (NAMES, WORD, 1.0),
        () if narrow => (NUMBERS, 1.0, 0.0),
        () => (NAMES, 2.0, 1.0),
    };
    let at = |bank: usize| names + wide * bank as f64 + gap * (bank / 8) as f64;
    scene.label((0.0, 0.0), "bank");
    let labelled = if narrow { (8..32).step_by(8) } else { (0..32).step_by(4) };
    for bank in labelled {
        scene.label((at(bank), 0.0), bank.to_string());
    }
    for pass in 0..passes.min(ROWS) {
        let y = 1.0 + pass as f64;
        let name = if narrow { (pass + 1).to_string() } else { format!("pass {}", pass + 1) };
        scene.label((0.0, y), name);
        let tone = if pass == 0 { Tone::Used } else { Tone::Clash };
        for (bank, lanes) in by_bank.iter().enumerate() {
            match lanes.get(pass) {
                Some(wanted) if numbered => scene.cell((at(bank), y), wide, tone, label(*wanted)),
                Some(_) => scene.cell((at(bank), y), wide, tone, ""),
                None => scene.cell((at(bank), y), wide, Tone::Wasted, ""),
            }
        }
    }
    more(&mut scene, passes, ROWS, "passes");
    scene
}

fn more(scene: &mut Scene, all: usize, drawn: usize, what: &str) {
    if all > drawn {
        let y = scene.height;
        scene.label((0.0, y), format!("… and {} {what} more", all - drawn));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(kind: PictureKind, columns: usize, offset: impl Fn(i64) -> i64) -> (Vec<String>, String) {
        let picture = Picture { kind, width: 4, lanes: (0..32).map(|lane| Some(offset(lane))).collect() };
        let scene = accesses(&picture, columns);
        (scene.plain_lines(), scene.words)
    }

    #[test]
    fn lanes_stand_on_their_sectors() {
        let (lines, words) = drawn(PictureKind::Sectors, 40, |lane| lane * 4);
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1], "byte 32      8  9  10 11 12 13 14 15");
        assert!(words.contains("32 lanes of a warp touch 4 sectors of 32 bytes; 4 would"), "{words}");
        let (lines, words) = drawn(PictureKind::Sectors, 80, |lane| lane * 256);
        assert_eq!(lines.len(), 16, "two next to each other");
        assert!(lines[0].starts_with("byte 0       0  ·· ··"), "{}", lines[0]);
        assert!(words.contains("32 sectors") && words.contains("32 of the 256 words"), "{words}");
    }

    #[test]
    fn conflicts_are_rows() {
        let (lines, words) = drawn(PictureKind::Banks, 80, |lane| lane % 4 * 128 + lane / 4 * 4);
        assert_eq!(lines.len(), 5);
        assert!(words.contains("the busiest bank has 4, so it takes 4 passes"), "{words}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
        let (narrow, _) = drawn(PictureKind::Banks, 36, |lane| lane % 4 * 128 + lane / 4 * 4);
        assert_eq!(narrow[0], "bank        8       16      24");
        assert!(narrow[1].starts_with("1   ■■■■■■■■·") && narrow[4].starts_with("4   "), "{narrow:#?}");
        assert!(narrow.iter().all(|line| line.chars().count() <= 36), "{narrow:#?}");
        let (wide, _) = drawn(PictureKind::Banks, 120, |lane| lane % 4 * 128 + lane / 4 * 4);
        assert!(wide[1].starts_with("pass 1  0  4  8 ") && wide[4].starts_with("pass 4  3  7 "), "{wide:#?}");
        assert_eq!(drawn(PictureKind::Banks, 80, |_| 8).0.len(), 2, "one word for all is no conflict");
    }
}
