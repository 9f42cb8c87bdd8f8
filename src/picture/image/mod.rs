//! Images: pixels by brightness, drawn as large as there is room.
//!
//! - [`Image`]: the pixels, and how they are scaled down.
//! - `text`: as characters. `sixel`, `kitty`: as pixels in a terminal. `page`: as SVG.
//! - `colour`: the colour of a level.

mod colour;
mod kitty;
mod page;
mod sixel;
mod text;

use serde::{Deserialize, Serialize};

/// A rectangle of pixels, each with its brightness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "UnvalidatedImage")]
pub struct Image {
    rows: usize,
    cols: usize,
    /// Row by row, from 0 (dark) to 255 (bright).
    levels: Vec<u8>,
}

/// How an image is drawn in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageForm {
    /// ASCII characters by brightness.
    Ascii,
    /// Shade and block characters, without colours.
    Shades,
    /// Half blocks in the colours of the 256-colour palette.
    Palette,
    /// Half blocks in 24-bit colours.
    TrueColour,
    /// Pixels, as the VT340 and its successors accept them.
    Sixel,
    /// Pixels, in kitty's graphics protocol.
    Kitty,
}

/// Deserialised pixels that have not been validated.
#[derive(Deserialize)]
struct UnvalidatedImage {
    rows: usize,
    cols: usize,
    levels: Vec<u8>,
}

impl TryFrom<UnvalidatedImage> for Image {
    type Error = &'static str;

    fn try_from(UnvalidatedImage { rows, cols, levels }: UnvalidatedImage) -> Result<Image, Self::Error> {
        Image::new(rows, cols, levels)
            .ok_or("an image needs a level for each of its pixels, and has one at least")
    }
}

impl Image {
    /// Creates an image from the level of each pixel, row by row. `None` if their number does not match, or is
    /// zero.
    pub fn new(rows: usize, cols: usize, levels: Vec<u8>) -> Option<Image> {
        let fits = rows.checked_mul(cols) == Some(levels.len()) && !levels.is_empty();
        fits.then_some(Image { rows, cols, levels })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Renders the image as lines, each with a line break, in at most `columns` columns and `lines` lines of a
    /// terminal.
    pub fn in_terminal(&self, form: ImageForm, columns: usize, lines: usize) -> String {
        let (columns, lines) = (columns.max(1), lines.max(1));
        match form {
            ImageForm::Ascii => text::ramp(self, &text::ASCII, columns, lines),
            ImageForm::Shades => text::shades(self, columns, lines),
            ImageForm::Palette => text::half_blocks(self, columns, lines, colour::indexed),
            ImageForm::TrueColour => text::half_blocks(self, columns, lines, colour::direct),
            ImageForm::Sixel => sixel::sixel(&self.enlarged(columns, lines)) + "\n",
            ImageForm::Kitty => {
                // A character cell is about twice as high as it is wide.
                let columns = columns.min(2 * lines * self.cols / self.rows).max(1);
                kitty::kitty(&self.enlarged(columns, lines), columns) + "\n"
            }
        }
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.levels[row * self.cols..][..self.cols]
    }

    /// Returns whether all pixels are fully dark or fully bright.
    fn is_of_two_levels(&self) -> bool {
        self.levels.iter().all(|level| matches!(*level, 0 | u8::MAX))
    }

    fn fits(&self, rows: usize, cols: usize) -> bool {
        self.rows <= rows && self.cols <= cols
    }

    /// Returns the rows and columns of the image scaled down to fit, with square pixels.
    fn shrunk_extents(&self, rows: usize, cols: usize) -> (usize, usize) {
        let share = |whole: usize, part: usize, of: usize| ((whole * part + of / 2) / of).max(1);
        match () {
            () if self.fits(rows, cols) => (self.rows, self.cols),
            () if self.cols * rows >= self.rows * cols => (share(self.rows, cols, self.cols).min(rows), cols),
            () => (rows, share(self.cols, rows, self.rows).min(cols)),
        }
    }

    /// Scales down, or keeps the size: each pixel is the average of those that it covers.
    fn averaged(&self, rows: usize, cols: usize) -> Image {
        if (rows, cols) == (self.rows, self.cols) {
            return self.clone();
        }
        let (down, across) = (covers(self.rows, rows), covers(self.cols, cols));
        let whole = (self.rows * self.cols) as u64;
        let mut levels = Vec::with_capacity(rows * cols);
        for of_rows in &down {
            for of_cols in &across {
                let sum_of_row = |row: usize| {
                    of_cols.iter().map(|(col, weight)| weight * u64::from(self.row(row)[*col])).sum::<u64>()
                };
                let sum: u64 = of_rows.iter().map(|(row, weight)| weight * sum_of_row(*row)).sum();
                levels.push(((sum + whole / 2) / whole) as u8);
            }
        }
        Image { rows, cols, levels }
    }

    /// Scales for a terminal with pixels: each pixel becomes a square of several, or fewer pixels where there is
    /// no room.
    fn enlarged(&self, columns: usize, lines: usize) -> Image {
        // About the cell of a small font; `WIDEST` limits the amount of data sent.
        const CELL: (usize, usize) = (8, 16);
        const WIDEST: usize = 512;
        let (wide, high) = ((columns * CELL.0).min(WIDEST), lines * CELL.1);
        let (rows, cols) = self.shrunk_extents(high, wide);
        let small = self.averaged(rows, cols);
        let times = (wide / cols).min(high / rows).max(1);
        let enlarged_row = |row| small.row(row).iter().flat_map(|level| std::iter::repeat_n(*level, times));
        let levels = (0..rows * times).flat_map(|row| enlarged_row(row / times)).collect();
        Image { rows: rows * times, cols: cols * times, levels }
    }
}

/// Divides a line of `many` pixels into `few` equal parts, and returns for each the pixels that it covers, with
/// their weights. The weights of a part sum to `many`.
fn covers(many: usize, few: usize) -> Vec<Vec<(usize, u64)>> {
    let part = |n: usize| {
        let (start, end) = (n * many, (n + 1) * many);
        let pixels = start / few..end.div_ceil(few);
        let covered = |pixel: usize| (end.min((pixel + 1) * few) - start.max(pixel * few)) as u64;
        pixels.map(|pixel| (pixel, covered(pixel))).collect()
    };
    (0..few).map(part).collect()
}

#[cfg(test)]
mod tests;
