//! The frame around the text of a page.

use judge::course::Course;
use picture::escape;
use std::fmt::Write;

/// A page without its links to other pages.
#[derive(Clone, Debug)]
pub struct Page {
    /// Relative to the root of the site, with `/`.
    pub path: String,
    pub title: String,
    /// Folder of the part that a lesson's page belongs to.
    pub part: Option<String>,
    /// The HTML below the title. Links are relative to the page's own path.
    pub body: String,
    /// Text for the search index.
    pub keywords: String,
}

/// Returns the relative path from a page at `path` to the root of the site.
pub fn root_of(path: &str) -> &'static str {
    if path.contains('/') { "../" } else { "" }
}

/// All pages, so that they can link to each other.
pub struct Site<'a> {
    course: &'a Course,
    pages: &'a [Page],
}

impl<'a> Site<'a> {
    pub fn new(course: &'a Course, pages: &'a [Page]) -> Site<'a> {
        Site { course, pages }
    }

    /// Renders the complete page with index `n`.
    pub fn html(&self, n: usize) -> String {
        let page = &self.pages[n];
        let root = root_of(&page.path);
        let title = escape(&page.title);
        let previous = n.checked_sub(1).map(|n| &self.pages[n]);
        let next = self.pages.get(n + 1);
        let arrow = |page: Option<&Page>, rel: &str, word: &str| {
            page.map_or(String::new(), |page| {
                format!(
                    "<a rel=\"{rel}\" href=\"{root}{}\"><small>{word}</small> {}</a>",
                    page.path,
                    escape(&page.title)
                )
            })
        };
        format!(
            "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} · gpulearn</title>\n\
             <link rel=\"stylesheet\" href=\"{root}book.css\">\n\
             <script defer src=\"{root}search.js\"></script>\n<script defer src=\"{root}book.js\"></script>\n\
             </head>\n<body data-root=\"{root}\">\n<a class=\"skip\" href=\"#text\">Skip to the text</a>\n\
             <header><a href=\"{root}index.html\">gpulearn</a>\n\
             <search hidden><label>Search <input type=\"search\" autocomplete=\"off\" aria-controls=\"found\"></label>\
             <ol id=\"found\" aria-live=\"polite\"></ol></search></header>\n\
             <details class=\"contents\" open><summary>Contents</summary>\n<nav aria-label=\"Contents\">\n{}</nav></details>\n\
             <main id=\"text\">\n<h1>{title}</h1>\n{}\
             <nav class=\"arrows\" aria-label=\"Pages\">{}{}</nav>\n</main>\n</body>\n</html>\n",
            self.contents(page),
            page.body,
            arrow(previous, "prev", "Before"),
            arrow(next, "next", "Next"),
        )
    }

    /// Renders the table of contents: every page outside parts, every part, and the lessons of the current part.
    fn contents(&self, here: &Page) -> String {
        let root = root_of(&here.path);
        let open = self.course.parts().iter().map(|part| part.folder.as_str()).find(|folder| {
            here.part.as_deref() == Some(folder) || here.path == format!("{folder}/index.html")
        });
        let mut out = String::from("<ul>\n");
        for page in self.pages {
            let of_open = page.part.as_deref().is_some_and(|part| Some(part) == open);
            if page.part.is_some() && !of_open {
                continue;
            }
            let current = if page.path == here.path { " aria-current=\"page\"" } else { "" };
            let class = if of_open { " class=\"lesson\"" } else { "" };
            let title = escape(&page.title);
            writeln!(out, "<li{class}><a href=\"{root}{}\"{current}>{title}</a></li>", page.path)
                .expect("a String takes all");
        }
        out + "</ul>\n"
    }
}

/// Concatenates all pages into one; links between them become plain text.
pub fn printed(pages: &[Page], style: &str) -> String {
    let bodies = pages.iter().map(|page| {
        format!("<section>\n<h1>{}</h1>\n{}</section>\n", escape(&page.title), unfolded(&page.body))
    });
    format!(
        "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n<title>gpulearn</title>\n\
         <style>{style}</style>\n</head>\n<body class=\"printed\">\n{}</body>\n</html>\n",
        bodies.collect::<String>()
    )
}

/// Opens all folds, because they can't be opened on paper.
fn unfolded(body: &str) -> String {
    body.replace("<details>", "<details open>")
}
