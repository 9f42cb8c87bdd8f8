//! SHA-256 digests of lists of texts, in hexadecimal.

use judge::course::Course;

/// Returns the digest of a list of texts, as defined by [`compiler::digest::digest`].
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    compiler::digest::hex(&compiler::digest::digest(parts))
}

/// Returns a digest of everything in a lesson that influences verdicts.
pub fn digest_of_lesson(lesson: &judge::course::Lesson) -> String {
    let text = |text: &Option<std::borrow::Cow<str>>| text.as_deref().unwrap_or_default().as_bytes().to_vec();
    digest([
        lesson.slug.as_bytes(),
        &lesson.spec.encoded(),
        lesson.starter.as_bytes(),
        lesson.solution.as_bytes(),
        &text(&lesson.reference_source),
        &text(&lesson.kernels_source),
    ])
}

/// Returns a digest of everything in a course that influences verdicts.
pub fn digest_of_course(course: &Course) -> String {
    let lessons: Vec<String> = course.lessons().iter().map(digest_of_lesson).collect();
    digest(lessons.iter().map(String::as_bytes))
}
