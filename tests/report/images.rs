//! What the kernels of lessons made, under their verdicts.

use super::text;
use crate::compiler;
use gpulearn::judge::course::{Course, Lesson};
use gpulearn::judge::{Options, Prepared};
use gpulearn::picture::ImageForm;
use gpulearn::report::{self, ImageView, JudgedRunView, RanOn, Style, SubjectView, VerdictView};

/// A verdict that passes, with what the lesson's solution made.
fn view(course: &Course, slug: &str) -> VerdictView {
    let lesson: &Lesson = course.lesson(slug).unwrap();
    let prepared = Prepared::new(lesson, &lesson.solution, "solution.cu", &compiler()).unwrap();
    let made = prepared.image(&Options::default()).unwrap().expect("the solution leaves a result");
    VerdictView {
        subject: SubjectView::new(slug, "solution.cu"),
        passed: true,
        headline: "passed".into(),
        run: JudgedRunView { backend: RanOn::Simulator, ..JudgedRunView::default() },
        image: ImageView::new(made),
        ..VerdictView::default()
    }
}

#[test]
fn images_are_drawn_in_characters_as_wide_as_there_is_room() {
    let course = gpulearn::lessons::course();
    for slug in ["mandelbrot", "game-of-life"] {
        let view = view(&course, slug);
        let mut all = String::new();
        for (form, width) in
            [(ImageForm::Shades, 80), (ImageForm::Shades, 40), (ImageForm::Ascii, 80), (ImageForm::Ascii, 40)]
        {
            // `text` holds every line to the width.
            let text = text(&view, &Style { width, image: form, ..Style::default() });
            let image = text.split_once("What your").unwrap().1;
            all += &format!("== {form:?}, {width} columns\n  What your{image}\n");
        }
        insta::assert_snapshot!(slug.replace('-', "_") + "_image", all);
    }
}

#[test]
fn images_of_pages_are_small() {
    let course = gpulearn::lessons::course();
    for slug in ["mandelbrot", "mandelbrot-tiles", "game-of-life"] {
        let svg = view(&course, slug).image.unwrap().image.svg("image", "words");
        assert!(svg.len() < 64 << 10, "{slug}: {} bytes", svg.len());
    }
}

#[test]
fn images_are_drawn_in_colours() {
    let view = view(&gpulearn::lessons::course(), "mandelbrot");
    for form in [ImageForm::Palette, ImageForm::TrueColour] {
        let text = report::verdict(&view, &Style { width: 24, image: form, ..Style::default() });
        let image = text.split_once("48 × 96\n").unwrap().1;
        insta::assert_snapshot!(format!("mandelbrot_image_{form:?}"), image.replace('\x1b', "␛"));
    }
}

#[test]
fn what_is_told_of_an_image_names_pixels_without_a_value_and_rounds() {
    let json = r#"{"buffer":"a\u001b","rows":1,"cols":2,"levels":[0,255],"unset":1,"rounds":80}"#;
    let image: ImageView = serde_json::from_str(json).unwrap();
    let view = VerdictView { image: Some(image), ..view(&gpulearn::lessons::course(), "mandelbrot") };
    let said = "What your kernel made: a\\x1b, 1 × 2, run 80 times on what it had made; 1 pixel\n  without a value, \
                drawn dark\n   ▀\n";
    let text = report::verdict(&view, &Style::default());
    assert!(text.ends_with(said), "{text}");
    let damaged = json.replace("[0,255]", "[0]");
    assert!(serde_json::from_str::<ImageView>(&damaged).is_err());
}
