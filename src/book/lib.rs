//! The course as a static site, from the same texts that the terminal shows: a page a lesson, in mdBook's order of
//! things (contents at the side, arrows to the next page, a search), readable without scripts and without a network.
//! Hints and what is said afterwards are folded; solutions are not in it.
//!
//! - [`pages()`]: every file of the site.
//! - `page`: what stands around a text; `prose`: a text of the course as HTML.
//! - `lesson`, `part`, `machine`, `glossary`, `claims`: a page each; `search`: the index.
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
    /// From the root of the site, with `/`.
    pub path: String,
    pub text: String,
}

/// What pages have that is measured or made by running kernels; all of it may be missing.
#[derive(Debug, Default)]
pub struct Made {
    /// What the pages of claims have of our own code.
    pub figures: Option<Figures>,
    /// What solutions make, by the slug of their lesson, of those that show it.
    pub images: BTreeMap<String, LessonImage>,
    /// What the warps of solutions touch, likewise.
    pub accesses: BTreeMap<String, LessonAccesses>,
}

/// What a lesson's solution makes.
#[derive(Clone, Debug)]
pub struct LessonImage {
    pub image: Image,
    /// What it is of.
    pub words: String,
}

/// What the warps of a lesson's solution touch in one case.
#[derive(Clone, Debug)]
pub struct LessonAccesses {
    /// Sizes of the case, as text.
    pub case: String,
    /// At most one of each kind of memory.
    pub drawn: Vec<DrawnAccess>,
}

/// What one line of a solution does to a memory.
#[derive(Clone, Debug)]
pub struct DrawnAccess {
    /// All its accesses, counted.
    pub words: String,
    /// One of them.
    pub picture: Picture,
}

/// Every file of the site of a course.
///
/// # Errors
///
/// When the data of a modelled GPU are not as they should be.
pub fn pages(course: &Course, made: &Made) -> Result<Vec<File>> {
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

/// The whole course on one page, to be printed.
///
/// # Errors
///
/// As of [`pages()`].
pub fn one_page(course: &Course, made: &Made) -> Result<String> {
    Ok(page::printed(&chapters(course, made)?, &format!("{}\n{}", include_str!("book.css"), picture::STYLE)))
}

/// Every page, in the order in which they are read.
fn chapters(course: &Course, made: &Made) -> Result<Vec<Page>> {
    let words = glossary::Words::new(course.glossary());
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
