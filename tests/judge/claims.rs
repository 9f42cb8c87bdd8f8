//! The ledger's figures, by running the lessons' own code.

use anyhow::Result;
use gpulearn::judge::Options;
use gpulearn::judge::claims::{Figure, Figures, Stopwatch};
use gpulearn::judge::course::{ClaimValue, Course, Lesson};

/// A GPU on which every launch takes as many nanoseconds as its name has letters.
struct Letters;

impl Stopwatch for Letters {
    fn name(&self) -> &str {
        "a GPU of the test's"
    }

    fn ns(&self, _: &Lesson, source: &str, case: usize, launch: &str) -> Result<i64> {
        assert!(source.contains("__global__") && case == 0);
        Ok(launch.len() as i64)
    }
}

/// What row and number give on that GPU.
fn worth(course: &Course, row: &str, number: usize, stopwatch: Option<&dyn Stopwatch>) -> Option<Figure> {
    let value = &course.claims().row(row).unwrap().values[number];
    let (compiler, options) = (crate::compiler(), Options::default());
    Figures::new(course, "t4", &compiler, stopwatch, &options).figure(value).unwrap()
}

#[test]
fn every_figure_of_the_ledger_can_be_worked_out() {
    let course = gpulearn::lessons::course();
    let (compiler, options) = (crate::compiler(), Options::default());
    let figures = Figures::new(&course, "t4", &compiler, None, &options);
    for row in &course.claims().rows {
        for value in &row.values {
            let worth = figures.figure(value).unwrap_or_else(|error| panic!("{}: {error:#}", row.id));
            let Some(Figure { modelled, measured, .. }) = worth else {
                panic!("{}: no lesson {}", row.id, value.lesson)
            };
            // An error may be nothing; a time or a count that is worked out may not be less.
            assert!(
                modelled >= 0.0 && modelled.is_finite() && measured.is_none(),
                "{}: {}",
                row.id,
                value.says
            );
        }
    }
}

#[test]
fn what_a_gpu_measures_takes_the_place_of_what_is_modelled() {
    let course = gpulearn::lessons::course();
    // direct over copy and columns: 6 / (4 + 7).
    let Some(speed) = worth(&course, "L7", 0, Some(&Letters)) else { panic!() };
    assert!((speed.measured.unwrap() - 6.0 / 11.0).abs() < 1e-12, "{speed:?}");
    assert!(speed.modelled != speed.measured.unwrap());
    // Counts are the same on both; a part of a model is not measured.
    let Some(sectors) = worth(&course, "L7", 1, Some(&Letters)) else { panic!() };
    assert_eq!(Some(sectors.modelled), sectors.measured);
    let Some(part) = worth(&course, "L2", 1, Some(&Letters)) else { panic!() };
    assert_eq!(part.measured, None);
}

#[test]
fn a_lesson_that_is_not_there_is_said_to_be_missing() {
    let course = gpulearn::lessons::course();
    let mut value = course.claims().row("L7").unwrap().values[0].clone();
    value.lesson = "never-written".into();
    let (compiler, options) = (crate::compiler(), Options::default());
    let figure =
        |value: &ClaimValue, gpu: &str| Figures::new(&course, gpu, &compiler, None, &options).figure(value);
    assert_eq!(figure(&value, "t4").unwrap(), None);
    value.lesson = "coalescing".into();
    let error = figure(&value, "t4").unwrap_err();
    assert!(format!("{error:#}").contains("kernels.direct.ns"), "{error:#}");
    value.lesson = "strided-sum".into();
    assert!(figure(&value, "gtx").unwrap_err().to_string().contains("there are t4"));
}
