//! The elements of an output: right, wrong, or never written.

use super::scene::{Scene, Tone};

/// The state of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementState {
    Right,
    Wrong,
    /// Never written.
    Unset,
}

impl ElementState {
    /// Orders states: of several elements in one box, the highest counts.
    fn severity(self) -> u8 {
        match self {
            ElementState::Right => 0,
            ElementState::Unset => 1,
            ElementState::Wrong => 2,
        }
    }
}

/// Elements per row of a one-dimensional buffer.
const RUN: usize = 32;
const MAX_COLUMNS: usize = 64;
const MAX_ROWS: usize = 32;
/// Width of a row's label.
const NAME: f64 = 12.0;

/// Draws rows of boxes: filled where an element is right, with a cross where it is wrong, dashed where it was
/// never written. A box is one element, or a few of a large output, of which the worst counts. `shape`: extents,
/// the slowest-varying first; a one-dimensional buffer is drawn in rows of 32. `None` where there is nothing to
/// draw.
pub fn elements(name: &str, shape: &[usize], states: &[ElementState]) -> Option<Scene> {
    let row = match shape {
        [] | [_] => RUN,
        [.., columns] => *columns,
    };
    if row == 0 || states.is_empty() {
        return None;
    }
    let rows: Vec<&[ElementState]> = states.chunks(row).collect();
    let count = |state| states.iter().filter(|its| **its == state).count();
    let (wide, high) = (row.div_ceil(MAX_COLUMNS), rows.len().div_ceil(MAX_ROWS));
    let mut scene = Scene::new(format!("The elements of {name}"));
    scene.words = format!(
        "{name} has {} elements: {} right, {} wrong (×), {} never written.",
        states.len(),
        count(ElementState::Right),
        count(ElementState::Wrong),
        count(ElementState::Unset)
    );
    if wide * high > 1 {
        scene.words += &format!(" A box is {} × {} elements, and wrong where one of them is.", high, wide);
    }
    if let Some(first) = states.iter().position(|state| *state != ElementState::Right) {
        scene.words += &format!(" The first that is not right is {}.", place(name, first, shape));
    }
    let width = if row.div_ceil(wide) <= MAX_COLUMNS / 2 { 2.0 } else { 1.0 };
    for (y, rows) in rows.chunks(high).enumerate() {
        scene.label((0.0, y as f64), place("", y * high * row, shape));
        for x in 0..row.div_ceil(wide) {
            let its = rows.iter().flat_map(|row| row.iter().skip(x * wide).take(wide));
            let Some(state) = its.max_by_key(|state| state.severity()) else { continue };
            let (tone, text) = match state {
                ElementState::Right => (Tone::Used, ""),
                ElementState::Wrong => (Tone::Clash, "×"),
                ElementState::Unset => (Tone::Wasted, ""),
            };
            scene.cell((NAME + x as f64 * width, y as f64), width, tone, text);
        }
    }
    Some(scene)
}

/// Formats an element: `out[5]`, `out[1, 2]`.
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
            "out has 6 elements: 4 right, 1 wrong (×), 1 never written. The first that is not right is \
             out[0, 1]."
        );
        let lines = scene.plain_lines();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("[0, 0]") && lines[1].starts_with("[1, 0]"), "{lines:?}");
        assert!(lines[0].contains('×') && !lines[1].contains('×'), "{lines:?}");
    }

    #[test]
    fn a_run_is_drawn_in_rows_of_32() {
        let scene = elements("out", &[40], &[Right; 40]).unwrap();
        let lines = scene.plain_lines();
        assert!(lines[1].starts_with("[32]") && lines.len() == 2, "{lines:?}");
        assert_eq!(elements("out", &[0], &[]), None);
    }

    #[test]
    fn of_large_outputs_a_box_is_several_elements() {
        let states: Vec<_> = (0..70 * 129).map(|n| if n % 129 == 128 { Wrong } else { Right }).collect();
        let scene = elements("out", &[70, 129], &states).unwrap();
        assert!(scene.words.contains("A box is 3 × 3 elements"), "{}", scene.words);
        let lines = scene.plain_lines();
        assert!(lines.len() <= MAX_ROWS && lines.iter().all(|line| line.ends_with('×')), "{lines:#?}");
        assert!(lines[1].starts_with("[3, 0]") && lines[0].matches('■').count() == 42, "{lines:#?}");
    }
}
