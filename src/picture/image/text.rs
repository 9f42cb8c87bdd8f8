//! Images as characters.

use super::Image;

/// Characters from dark to bright. Omits `:`, because two of them start a command in some CI systems.
pub const ASCII: [char; 10] = [' ', '.', ',', '-', '=', '+', '*', '#', '%', '@'];
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Renders each cell as a character by its average brightness. A cell is about twice as high as it is wide.
pub fn ramp(image: &Image, ramp: &[char], columns: usize, lines: usize) -> String {
    let (rows, cols) = image.shrunk_extents(2 * lines, columns);
    let image = image.averaged(rows.div_ceil(2), cols);
    let glyph = |level: &u8| ramp[usize::from(*level) * ramp.len() / 256];
    (0..image.rows).map(|row| line(image.row(row).iter().map(glyph))).collect()
}

/// Renders without colours: blocks or dots if all pixels are dark or bright and each has room, otherwise shades.
pub fn shades(image: &Image, columns: usize, lines: usize) -> String {
    match () {
        () if !image.is_of_two_levels() => ramp(image, &SHADES, columns, lines),
        () if image.fits(2 * lines, columns) => blocks(image),
        () if has_room_for_dots(image, columns, lines) => dots(image),
        () => ramp(image, &SHADES, columns, lines),
    }
}

/// Renders two pixels per cell, the upper one in the foreground colour and the lower one in the background
/// colour. If all pixels are dark or bright and only dots have room for each pixel, uses those.
pub fn half_blocks(image: &Image, columns: usize, lines: usize, sequence: fn(u8) -> String) -> String {
    if image.is_of_two_levels() && !image.fits(2 * lines, columns) && has_room_for_dots(image, columns, lines)
    {
        return dots(image);
    }
    let (rows, cols) = image.shrunk_extents(2 * lines, columns);
    let image = image.averaged(rows, cols);
    let mut out = String::new();
    for upper in (0..image.rows).step_by(2) {
        let mut now = String::new();
        for col in 0..image.cols {
            let lower = (upper + 1 < image.rows).then(|| sequence(image.row(upper + 1)[col]));
            let behind = lower.map_or("49".to_owned(), |lower| format!("48;{lower}"));
            let colours = format!("\x1b[38;{};{behind}m", sequence(image.row(upper)[col]));
            if colours != now {
                out += &colours;
                now = colours;
            }
            out.push('▀');
        }
        out += "\x1b[0m\n";
    }
    out
}

/// Returns a line with its line break, without trailing spaces.
fn line(glyphs: impl Iterator<Item = char>) -> String {
    glyphs.collect::<String>().trim_end_matches([' ', '\u{2800}']).to_owned() + "\n"
}

/// Renders two pixels per cell, for images of two levels.
fn blocks(image: &Image) -> String {
    let is_bright = |row: usize, col: usize| row < image.rows && image.row(row)[col] > 0;
    let glyph = |upper: usize, col: usize| match (is_bright(upper, col), is_bright(upper + 1, col)) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    };
    (0..image.rows).step_by(2).map(|row| line((0..image.cols).map(|col| glyph(row, col)))).collect()
}

fn has_room_for_dots(image: &Image, columns: usize, lines: usize) -> bool {
    image.fits(4 * lines, 2 * columns)
}

/// Renders two by four pixels per cell as Braille patterns, for images of two levels. Each dot is a bit of the
/// character code (Unicode 16, section 21.1).
fn dots(image: &Image) -> String {
    const BITS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
    let glyph = |top: usize, left: usize| {
        let mut bits = 0;
        for (row, of_row) in (top..image.rows).zip(BITS) {
            for (col, bit) in (left..image.cols).zip(of_row) {
                bits |= if image.row(row)[col] > 0 { bit } else { 0 };
            }
        }
        char::from_u32(0x2800 + bits).unwrap_or(' ')
    };
    let lines = (0..image.rows).step_by(4);
    lines.map(|top| line((0..image.cols).step_by(2).map(|left| glyph(top, left)))).collect()
}
