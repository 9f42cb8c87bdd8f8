//! The course as a static site, from the same texts that the terminal shows: one page per lesson, laid out like
//! mdBook (contents at the side, arrows to the next page, a search), readable without scripts and without a
//! network. Hints and closing texts are folded; the solutions are not included.
//!
//! - [`pages()`]: every file of the site.
//! - `page`: the frame around a text; `prose`: a text of the course as HTML.
//! - `lesson`, `part`, `machine`, `glossary`, `claims`: the kinds of pages; `search`: the index;
//!   `words`: the glossary's terms in texts.
//! - `accesses`: a solution's run on the page of its lesson.

mod accesses;
mod claims;
mod glossary;
mod lesson;
mod machine;
mod page;
mod part;
mod prose;
mod search;
mod words;

use anyhow::Result;
pub use claims::Figures;
use judge::course::Course;
use page::{Page, Site};
use picture::Image;
use sim::Picture;
use std::collections::BTreeMap;

/// One file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative to the root of the site, with `/`.
    pub path: String,
    pub text: String,
}

/// Contents of pages that come from running kernels; all of it is optional.
#[derive(Debug, Default)]
pub struct RunResults {
    /// The figures of the lessons' own code for the pages of claims.
    pub figures: Option<Figures>,
    /// Images computed by solutions, by lesson slug, for lessons that show one.
    pub images: BTreeMap<String, LessonImage>,
    /// Memory accesses of solutions, by lesson slug.
    pub accesses: BTreeMap<String, LessonAccesses>,
}

/// An image that a lesson's solution computed.
#[derive(Clone, Debug)]
pub struct LessonImage {
    pub image: Image,
    /// What the image shows.
    pub words: String,
}

/// The memory accesses of a lesson's solution in one case.
#[derive(Clone, Debug)]
pub struct LessonAccesses {
    /// Sizes of the case, as text.
    pub case: String,
    /// At most one for each kind of memory.
    pub drawn: Vec<DrawnAccess>,
}

/// The accesses of one line of a solution to a memory.
#[derive(Clone, Debug)]
pub struct DrawnAccess {
    /// Counts of all its accesses.
    pub words: String,
    /// The picture of one access.
    pub picture: Picture,
}

/// Returns every file of the site of a course.
///
/// # Errors
///
/// The data of a modelled GPU are invalid.
pub fn pages(course: &Course, made: &RunResults) -> Result<Vec<File>> {
    let pages = chapters(course, made)?;
    let site = Site::new(course, &pages);
    let mut files: Vec<File> = pages
        .iter()
        .enumerate()
        .map(|(n, page)| File { path: page.path.clone(), text: site.html(n) })
        .collect();
    files.push(File { path: "search.js".into(), text: search::index(&pages) });
    files.push(File { path: "book.js".into(), text: include_str!("book.js").into() });
    files.push(File {
        path: "book.css".into(),
        text: format!("{}\n{}", include_str!("book.css"), picture::STYLE),
    });
    Ok(files)
}

/// Returns the whole course as one page, to be printed.
///
/// # Errors
///
/// The same as for [`pages()`].
pub fn one_page(course: &Course, made: &RunResults) -> Result<String> {
    Ok(page::printed(&chapters(course, made)?, &format!("{}\n{}", include_str!("book.css"), picture::STYLE)))
}

/// Returns every page in reading order.
fn chapters(course: &Course, made: &RunResults) -> Result<Vec<Page>> {
    let words = words::Words::new(course.glossary());
    let mut pages = vec![part::contents(course), machine::page(course, &words)?];
    for its in course.parts() {
        pages.push(part::page(its, course, &words));
        let lessons = course.lessons().iter().filter(|lesson| lesson.part == its.folder);
        pages.extend(lessons.map(|lesson| lesson::page(lesson, course, &words, made)));
    }
    pages.push(glossary::page(course, &words));
    pages.extend(claims::pages(course, &words, made.figures.as_ref()));
    Ok(pages)
}
