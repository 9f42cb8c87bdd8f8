//! The elements of an output: which are right, which are wrong, which nobody wrote.

use super::scene::{Align, Scene, Tone};

/// What became of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementState {
    Right,
    Wrong,
    /// Never written.
    Unset,
}

/// Elements of a row that has no extent of its own.
const RUN: usize = 32;
const MOST_COLUMNS: usize = 64;
const MOST_ROWS: usize = 32;
/// Of a row's name.
const NAME: f64 = 12.0;

/// Rows of boxes, one an element: filled where it is right, with a cross where it is wrong, dashed where it was never
/// written. `shape`: its extents, slowest first; a buffer of one extent is drawn in rows of 32. `None` where a row is
/// too long to draw.
pub fn elements(name: &str, shape: &[usize], states: &[ElementState]) -> Option<Scene> {
    let row = match shape {
        [] | [_] => RUN,
        [.., columns] => *columns,
    };
    if row == 0 || row > MOST_COLUMNS || states.is_empty() {
        return None;
    }
    let rows = states.chunks(row);
    let (all, count) = (rows.len(), |state| states.iter().filter(|its| **its == state).count());
    let mut scene = Scene::new(format!("The elements of {name}"));
    scene.words = format!(
        "{name} has {} elements: {} right, {} wrong (×), {} never written (dashed).",
        states.len(),
        count(ElementState::Right),
        count(ElementState::Wrong),
        count(ElementState::Unset)
    );
    if let Some(first) = states.iter().position(|state| *state != ElementState::Right) {
        scene.words += &format!(" The first that is not right is {}.", place(name, first, shape));
    }
    let width = if row <= MOST_COLUMNS / 2 { 2.0 } else { 1.0 };
    for (y, cells) in rows.take(MOST_ROWS).enumerate() {
        scene.text((0.0, y as f64), Align::Start, Tone::Dim, place("", y * row, shape));
        for (x, state) in cells.iter().enumerate() {
            let (tone, text) = match state {
                ElementState::Right => (Tone::Used, ""),
                ElementState::Wrong => (Tone::Clash, "×"),
                ElementState::Unset => (Tone::Wasted, ""),
            };
            scene.cell((NAME + x as f64 * width, y as f64), width, tone, text);
        }
    }
    if all > MOST_ROWS {
        let y = MOST_ROWS as f64;
        scene.text((0.0, y), Align::Start, Tone::Dim, format!("and {} more rows", all - MOST_ROWS));
    }
    Some(scene)
}

/// `out[5]`, `out[1, 2]`.
fn place(name: &str, element: usize, shape: &[usize]) -> String {
    let (mut rest, mut index) = (element, Vec::with_capacity(shape.len()));
    for extent in shape.iter().skip(1).rev() {
        index.push((rest % extent.max(&1)).to_string());
        rest /= extent.max(&1);
    }
    index.push(rest.to_string());
    index.reverse();
    format!("{name}[{}]", index.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementState::{Right, Unset, Wrong};

    #[test]
    fn each_row_of_a_matrix_is_a_row_of_boxes() {
        let scene = elements("out", &[2, 3], &[Right, Wrong, Right, Right, Right, Unset]).unwrap();
        assert_eq!(
            scene.words,
            "out has 6 elements: 4 right, 1 wrong (×), 1 never written (dashed). The first that is not right is \
             out[0, 1]."
        );
        let lines = scene.lines(&|_, text| text.to_owned());
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("[0, 0]") && lines[1].starts_with("[1, 0]"), "{lines:?}");
        assert!(lines[0].contains('×') && !lines[1].contains('×'), "{lines:?}");
    }

    #[test]
    fn a_run_is_drawn_in_rows_of_32() {
        let scene = elements("out", &[40], &[Right; 40]).unwrap();
        let lines = scene.lines(&|_, text| text.to_owned());
        assert!(lines[1].starts_with("[32]") && lines.len() == 2, "{lines:?}");
        assert_eq!(elements("out", &[2, 65], &[Right; 130]), None);
        assert_eq!(elements("out", &[0], &[]), None);
    }
}
