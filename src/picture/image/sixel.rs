//! Images as sixels: DEC, "VT330/VT340 Programmer Reference Manual", volume 2, chapter 14.

use super::{Image, colour};
use std::fmt::Write;

/// Height of a band in pixels, which one character encodes.
const BAND: usize = 6;

/// Returns the sequence that draws an image at the cursor.
pub fn sixel(image: &Image) -> String {
    // Unset pixels stay as they are; pixels are square: `" 1 ; 1 ; width ; height`.
    let mut out = format!("\x1bP0;1q\"1;1;{};{}", image.cols, image.rows);
    let mut used = [false; 256];
    image.levels.iter().for_each(|level| used[usize::from(*level)] = true);
    for level in (0..=u8::MAX).filter(|level| used[usize::from(*level)]) {
        // Colour components are percentages.
        let [red, green, blue] = colour::colour(level).map(|part| (u32::from(part) * 100 + 127) / 255);
        push(&mut out, format_args!("#{level};2;{red};{green};{blue}"));
    }
    for top in (0..image.rows).step_by(BAND) {
        band(&mut out, image, top);
    }
    out + "\x1b\\"
}

/// Appends each level of a band over its whole width, returning to the band's start (`$`) after each, then moves
/// to the next band (`-`).
fn band(out: &mut String, image: &Image, top: usize) {
    let rows: Vec<&[u8]> = (top..image.rows).take(BAND).map(|row| image.row(row)).collect();
    let mut levels: Vec<u8> = rows.iter().flat_map(|row| row.iter().copied()).collect();
    levels.sort_unstable();
    levels.dedup();
    for (n, level) in levels.iter().enumerate() {
        if n > 0 {
            out.push('$');
        }
        push(out, format_args!("#{level}"));
        let dots = |col: usize| {
            rows.iter().zip(0..).map(|(row, bit)| u8::from(row[col] == *level) << bit).sum::<u8>()
        };
        let all: Vec<u8> = (0..image.cols).map(dots).collect();
        for run in all.chunk_by(|a, b| a == b) {
            let glyph = char::from(b'?' + run[0]);
            match run.len() {
                short @ ..=3 => (0..short).for_each(|_| out.push(glyph)),
                long => push(out, format_args!("!{long}{glyph}")),
            }
        }
    }
    out.push('-');
}

fn push(out: &mut String, what: std::fmt::Arguments) {
    out.write_fmt(what).expect("a String takes all");
}
