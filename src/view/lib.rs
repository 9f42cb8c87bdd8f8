//! A run as one HTML page that needs no network: what was found, the source with the work of each line, pictures of
//! what warps touch, where kernels stand below the limits of a GPU, how many warps it holds, what ran when, and the memory
//! that was in use. Each picture has its words; what is worked out by the page's script stands there without it too.
//!
//! - [`page()`]: the page. `findings`, `image`, `steps`, `source`, `accesses`, `times`, `memory`, `occupancy`: its sections.

mod accesses;
mod findings;
mod image;
mod memory;
mod occupancy;
mod source;
mod steps;
mod times;

pub use steps::Recorded;

use host::device::model::Model;
use host::device::timeline::Span;
use host::program::MemoryUse;
use picture::{Scene, escape};
use report::{FindingView, ImageView, VerdictView};
use sim::time::KernelWork;
use sim::{LaunchConfig, LineAccess, Profile};

/// A run of a file.
#[derive(Debug)]
pub struct Run<'a> {
    /// What the page is called: a lesson's title, or the file's name.
    pub title: &'a str,
    pub file: &'a str,
    pub source: &'a str,
    /// Sizes with which it ran; empty where it has none.
    pub case: &'a str,
    /// What is wrong with it as a whole; `None` where there is nothing, or it is nobody's lesson.
    pub wrong: Option<&'a VerdictView>,
    /// The elements of a wrong output.
    pub elements: Option<&'a Scene>,
    /// What the kernels made, of lessons that show it.
    pub image: Option<&'a ImageView>,
    /// Defects, then advice.
    pub findings: &'a [FindingView],
    /// A block to step through.
    pub recorded: Option<Recorded<'a>>,
    pub profile: &'a Profile,
    pub launches: &'a [Launch],
    /// What a program's host and GPUs did when; empty for kernels alone.
    pub spans: &'a [Span],
    /// The memory that a program had from CUDA, and when it ended, in nanoseconds; empty for kernels alone.
    pub memory: (&'a [MemoryUse], u64),
    /// The GPU that times are modelled on.
    pub model: &'a Model,
}

impl Run<'_> {
    /// What the lines of its own file touch, with the line of each; what is done in headers has no line here.
    fn accesses(&self) -> impl Iterator<Item = (u32, &LineAccess)> {
        let line = |access: &LineAccess| {
            let at = access.at.location.as_ref().filter(|at| *at.file == *self.file)?;
            Some(at.line)
        };
        self.profile.accesses.iter().filter_map(move |access| Some((line(access)?, access)))
    }

    /// Whether the page has that line of a file.
    fn has_line(&self, file: Option<&str>, line: u32) -> bool {
        let own = file.is_none_or(|file| file == self.file);
        own && line > 0 && self.source.lines().count() >= line as usize
    }
}

/// A kernel that was launched.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: String,
    pub config: LaunchConfig,
    /// With the registers of a thread, where they are known.
    pub work: KernelWork,
}

/// The whole page.
pub fn page(run: &Run) -> String {
    let sections: Vec<(&str, &str, String)> = [
        ("findings", "What was found", findings::section(run)),
        ("image", "What your kernel made", image::section(run)),
        ("steps", "Step through a block", steps::section(run)),
        ("source", "The work of each line", source::section(run)),
        ("accesses", "What warps touch", accesses::section(run)),
        ("times", "Time", times::section(run)),
        ("memory", "Memory", memory::section(run)),
        ("occupancy", "Warps at once", occupancy::section(run)),
    ]
    .into_iter()
    .filter_map(|(id, title, body)| Some((id, title, body?)))
    .collect();
    let links: String =
        sections.iter().map(|(id, title, _)| format!("<li><a href=\"#{id}\">{title}</a></li>\n")).collect();
    let bodies: String = sections
        .iter()
        .map(|(id, title, body)| format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n"))
        .collect();
    let case = if run.case.is_empty() { String::new() } else { format!(" with {}", escape(run.case)) };
    format!(
        "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} · gpulearn</title>\n\
         <style>\n{}\n{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"note\">{}{case}, run on the \
         simulator. Counts are exact; times are modelled for an {}.</p>\n<nav aria-label=\"Sections\"><ul>\n{links}</ul></nav>\n\
         {bodies}</main>\n<script>\n{}{}{}</script>\n</body>\n</html>\n",
        include_str!("view.css"),
        picture::STYLE,
        escape(run.file),
        escape(&run.model.properties.name),
        include_str!("view.js"),
        include_str!("steps.js"),
        include_str!("accesses.js"),
        title = escape(run.title),
    )
}
