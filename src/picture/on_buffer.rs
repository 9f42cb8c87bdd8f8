//! The elements of a whole buffer, and those among them that a warp accesses.

use super::scene::{Scene, Tone};
use serde::{Deserialize, Serialize};
use sim::Picture;
use std::collections::BTreeSet;

/// A buffer of several rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferShape {
    pub name: String,
    /// Elements per dimension, the slowest-varying first.
    pub extents: Vec<u64>,
    /// Bytes of an element.
    pub bytes: u32,
}

const MAX_COLUMNS: u64 = 64;
const MAX_ROWS: u64 = 16;
/// Width of a row's label.
const NAME: f64 = 8.0;

impl BufferShape {
    /// Draws a line for each row of the last dimension, or for a few rows where there are many, with a box where
    /// lanes of the warp access it. `None` for a buffer of one row, or where no lane accesses it.
    pub fn touched(&self, by: &Picture) -> Option<Scene> {
        let row = *self.extents.last().filter(|row| **row > 1)?;
        let rows: u64 = self.extents[..self.extents.len() - 1].iter().product();
        let each = i64::from(self.bytes.max(1));
        let mut touched = BTreeSet::new();
        for offset in by.lanes.iter().flatten() {
            let last = offset.saturating_add(i64::from(by.width.max(1)) - 1);
            for element in offset.div_euclid(each)..=last.div_euclid(each) {
                let Ok(element) = u64::try_from(element) else { continue };
                if element / row < rows {
                    touched.insert(element);
                }
            }
        }
        if rows < 2 || touched.is_empty() {
            return None;
        }
        let (wide, high) = (row.div_ceil(MAX_COLUMNS), rows.div_ceil(MAX_ROWS));
        let columns = row.div_ceil(wide);
        let width = if columns <= MAX_COLUMNS / 2 { 2.0 } else { 1.0 };
        let boxes: BTreeSet<(u64, u64)> =
            touched.iter().map(|element| (element / row / high, element % row / wide)).collect();
        let mut scene = Scene::new(format!("Where a warp is in `{}`", self.name));
        for y in 0..rows.div_ceil(high) {
            scene.label((0.0, y as f64), format!("row {}", y * high));
            // Slightly above the middle, because characters round the position down.
            let middle = y as f64 + 0.45;
            scene.line((NAME, middle), (NAME + columns as f64 * width, middle), Tone::Dim);
            for (_, x) in boxes.range((y, 0)..=(y, columns)) {
                scene.cell((NAME + *x as f64 * width, y as f64), width, Tone::Used, "");
            }
        }
        let of_rows: Vec<u64> = touched.iter().map(|element| element / row).collect();
        let (first, last) = (of_rows.iter().min()?, of_rows.iter().max()?);
        let place = if first == last { format!("row {first}") } else { format!("rows {first} to {last}") };
        scene.words = format!(
            "{} has {rows} rows of {row} elements. The warp touches {} of them, in {place}.",
            self.name,
            touched.len()
        );
        if wide * high > 1 {
            scene.words +=
                &format!(" A box is {high} × {wide} elements, of which the warp touches one at least.");
        }
        Some(scene)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::PictureKind;

    fn shape(extents: &[u64]) -> BufferShape {
        BufferShape { name: "in".into(), extents: extents.to_vec(), bytes: 4 }
    }

    fn warp(offset: impl Fn(i64) -> i64) -> Picture {
        Picture {
            kind: PictureKind::Sectors,
            width: 4,
            lanes: (0..32).map(|lane| Some(offset(lane))).collect(),
        }
    }

    fn text(scene: &Scene) -> String {
        format!("{}\n{}", scene.plain_lines().join("\n"), scene.words)
    }

    #[test]
    fn along_a_row() {
        insta::assert_snapshot!(text(&shape(&[4, 48]).touched(&warp(|lane| 4 * (48 + lane))).unwrap()));
    }

    #[test]
    fn down_a_column_of_a_large_matrix() {
        insta::assert_snapshot!(text(&shape(&[64, 128]).touched(&warp(|lane| 4 * 128 * lane)).unwrap()));
    }

    #[test]
    fn one_row_or_nothing_touched_is_not_drawn() {
        assert_eq!(shape(&[48]).touched(&warp(|lane| 4 * lane)), None);
        assert_eq!(shape(&[1, 48]).touched(&warp(|lane| 4 * lane)), None);
        assert_eq!(shape(&[4, 48]).touched(&warp(|lane| 4 * (1000 + lane))), None);
        assert_eq!(shape(&[4, 48]).touched(&warp(|lane| -4 * (1 + lane))), None);
    }
}
