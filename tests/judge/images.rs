//! What of a lesson's kernels is shown as an image.

use crate::compiler;
use gpulearn::judge::course::Lesson;
use gpulearn::judge::{Image, Options, Prepared, Values, initial_values};

fn image(lesson: &Lesson, source: &str) -> Option<Image> {
    Prepared::new(lesson, source, "kernel.cu", &compiler()).unwrap().image(&Options::default()).unwrap()
}

#[test]
fn every_solution_of_a_lesson_with_an_image_makes_one() {
    let course = gpulearn::lessons::course();
    let mut slugs = Vec::new();
    for lesson in course.lessons().iter().filter(|lesson| lesson.spec.image.is_some()) {
        let image = image(lesson, &lesson.solution).unwrap_or_else(|| panic!("{} makes none", lesson.slug));
        assert_eq!(image.levels.len(), image.rows * image.cols, "{}", lesson.slug);
        assert_eq!(image.unset, 0, "{}", lesson.slug);
        assert!(image.levels.contains(&0) && image.levels.contains(&255), "{}", lesson.slug);
        slugs.push(lesson.slug.clone());
    }
    assert_eq!(slugs, ["game-of-life", "mandelbrot", "mandelbrot-tiles"]);
}

/// The Game of Life, cell by cell.
fn next(field: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let (rows, cols) = (field.len() as i64, field[0].len() as i64);
    let is_alive = |row: i64, col: i64| {
        (0..rows).contains(&row) && (0..cols).contains(&col) && field[row as usize][col as usize]
    };
    let around = |row: i64, col: i64| {
        let all = (-1..=1).flat_map(|down| (-1..=1).map(move |right| (down, right)));
        all.filter(|its| *its != (0, 0)).filter(|(down, right)| is_alive(row + down, col + right)).count()
    };
    let cell = |row, col| matches!((around(row, col), is_alive(row, col)), (3, _) | (2, true));
    (0..rows).map(|row| (0..cols).map(|col| cell(row, col)).collect()).collect()
}

#[test]
fn a_field_is_shown_as_it_is_after_its_rounds() {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson("game-of-life").unwrap();
    let Some(Values::Int(words)) = initial_values(lesson, 0, Options::default().seed).unwrap().swap_remove(0)
    else {
        panic!("words")
    };
    let row =
        |words: &[i64]| words.iter().flat_map(|word| (0..32).map(move |k| word >> k & 1 != 0)).collect();
    let field: Vec<Vec<bool>> = words.chunks(4).map(row).collect();
    let field = (0..80).fold(field, |field, _| next(&field));
    let image = image(lesson, &lesson.solution).unwrap();
    assert_eq!((image.rows, image.cols, image.rounds), (60, 128, 80));
    let levels: Vec<u8> = field.iter().flatten().map(|alive| if *alive { 255 } else { 0 }).collect();
    assert_eq!(image.levels, levels);
}

#[test]
fn what_is_not_written_is_dark_and_counted() {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson("mandelbrot").unwrap();
    let half = lesson.solution.replacen("row < rows && col < cols", "row < rows && col < cols / 2", 1);
    let image = image(lesson, &half).unwrap();
    assert_eq!(image.unset, 48 * 48);
    assert!(image.levels.chunks(96).all(|row| row[48..].iter().all(|level| *level == 0)));
}

#[test]
fn a_field_that_is_not_wholly_written_is_no_field_to_go_on_with() {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson("game-of-life").unwrap();
    let one_less = lesson.solution.replacen("word >= words", "word >= words - 1", 1);
    let image = image(lesson, &one_less).unwrap();
    assert_eq!((image.rounds, image.unset), (1, 60 * 32));
}

#[test]
fn what_leaves_no_result_makes_no_image() {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson("mandelbrot").unwrap();
    let outside = lesson.solution.replacen("out[row * cols + col] = count", "out[1 << 28] = count", 1);
    for source in [&*lesson.starter, "nothing", &outside] {
        assert_eq!(image(lesson, source), None);
    }
    assert_eq!(image(course.lesson("map").unwrap(), &course.lesson("map").unwrap().solution), None);
}
