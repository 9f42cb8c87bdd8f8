//! A run as one HTML page that needs no network: the findings, the source with the work of each line, pictures of
//! warps' memory accesses, kernels on the roofline of a GPU, occupancy, the timeline, and the memory that was in
//! use. Each picture has its words, and what the page's script computes is on the page without scripts too.
//!
//! - [`Document`]: the contents of a page as data. [`page()`]: renders it. `findings`, `image`, `steps`,
//!   `source`, `accesses`, `times`, `memory`, `occupancy`: its sections.

mod accesses;
mod document;
mod findings;
mod image;
mod memory;
mod occupancy;
mod source;
mod steps;
mod times;

pub use document::{AccessView, Document, GpuView, LaunchView, LineView};
pub use steps::{Recorded, Steps};

use host::device::model::Model;
use host::device::timeline::Span;
use host::program::MemoryUse;
use picture::{BufferShape, Scene, escape};
use report::{FindingView, ImageView, VerdictView};
use sim::time::KernelWork;
use sim::{LaunchConfig, Profile};

/// A run of a file.
#[derive(Debug)]
pub struct Run<'a> {
    /// The page's title: a lesson's title, or the file's name.
    pub title: &'a str,
    pub file: &'a str,
    pub source: &'a str,
    /// Sizes of the run; empty where it has none.
    pub case: &'a str,
    /// The verdict, if it is not a pass; `None` if nothing is wrong, or if the file belongs to no lesson.
    pub wrong: Option<&'a VerdictView>,
    /// The elements of a wrong output.
    pub elements: Option<&'a Scene>,
    /// The image that the kernels computed, for lessons that show one.
    pub image: Option<&'a ImageView>,
    /// Defects, then advice.
    pub findings: &'a [FindingView],
    /// A block to step through.
    pub recorded: Option<Recorded<'a>>,
    pub profile: &'a Profile,
    /// Buffers whose extents are known.
    pub buffers: &'a [BufferShape],
    pub launches: &'a [Launch],
    /// Timeline of a program's host and GPUs; empty for kernels alone.
    pub spans: &'a [Span],
    /// The memory that a program obtained from CUDA, and when the program ended, in nanoseconds; empty for
    /// kernels alone.
    pub memory: (&'a [MemoryUse], u64),
    /// The GPU that times are modelled on.
    pub model: &'a Model,
}

/// A kernel launch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: String,
    pub config: LaunchConfig,
    /// Includes the registers per thread, if they are known.
    pub work: KernelWork,
}

/// Renders the whole page.
pub fn page(of: &Document) -> String {
    let sections: Vec<(&str, &str, String)> = [
        ("findings", "What was found", findings::section(of)),
        ("image", "What your kernel made", image::section(of)),
        ("steps", "Step through a block", steps::section(of)),
        ("source", "The work of each line", source::section(of)),
        ("accesses", "What warps access", accesses::section(of)),
        ("times", "Time", times::section(of)),
        ("memory", "Memory", memory::section(of)),
        ("occupancy", "Warps at once", occupancy::section(of)),
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
    let case = if of.case.is_empty() { String::new() } else { format!(" with {}", escape(&of.case)) };
    format!(
        "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} · gpulearn</title>\n\
         <style>\n{}\n{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"note\">{}{case}, run on the \
         simulator. Counts are exact; times are modelled for an {}.</p>\n<nav aria-label=\"Sections\"><ul>\n{links}</ul></nav>\n\
         {bodies}</main>\n<script>\n{}{}{}</script>\n</body>\n</html>\n",
        include_str!("view.css"),
        picture::STYLE,
        escape(&of.file),
        escape(&of.gpu.name),
        include_str!("view.js"),
        include_str!("steps.js"),
        include_str!("accesses.js"),
        title = escape(&of.title),
    )
}
