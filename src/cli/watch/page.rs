//! The pages of the watch, laid out anew for each width.

use super::super::{Context, Result, check, hint, list, read};
use judge::course::Lesson;
use report::{ListDetail, VerdictView, escape};

/// A page; its text is laid out when it is drawn.
pub enum Page {
    Lesson,
    /// The verdict, and whether it is the lesson's first pass.
    Verdict(Box<VerdictView>, bool),
    Checking,
    Help,
    Hints,
    List,
    /// Pictures of memory accesses, drawn for the width at that time.
    Pictures(String),
    /// A message.
    Message(String),
}

/// The keys, and what they do.
const KEYS: [(&str, &str); 13] = [
    ("n", "go to the next lesson, once this one is passed"),
    ("h", "show a hint; again for another"),
    ("l", "list the lessons; a number and Enter open that lesson"),
    ("t", "read this lesson's text"),
    ("r", "run this lesson's check again, with fresh inputs"),
    ("p", "pictures of what warps access"),
    ("e", "edit this lesson's file, with $VISUAL or $EDITOR"),
    ("v", "everything that the check found; again for the most important"),
    ("x", "start this lesson's file again; yours is kept as a backup"),
    ("q", "quit"),
    ("space, PgDn, Down", "scroll down a page that is longer than the screen"),
    ("b, PgUp, Up", "scroll up"),
    ("Esc", "return to where you were on the previous page"),
];

const SAVING: &str =
    "Saving a lesson's file checks it. Saving another lesson's file switches to that lesson.";

impl Page {
    /// Returns whether the page is an overlay, from which one returns to the page below.
    pub fn is_aside(&self) -> bool {
        matches!(self, Page::Help | Page::Hints | Page::List | Page::Pictures(_))
    }

    /// Returns what the page shows.
    ///
    /// # Errors
    ///
    /// The lessons or the progress can't be read.
    pub fn text(&self, lesson: &Lesson, context: &Context) -> Result<String> {
        let style = &context.style;
        Ok(match self {
            Page::Lesson => read::page(lesson, context)?,
            Page::Verdict(view, first) => check::rendered(view, *first, context)?,
            Page::Checking => format!("Checking {} …\n", escape(&lesson.slug)),
            Page::Help => help(style.width),
            Page::Hints => hint::so_far(lesson, context)?,
            Page::List => {
                report::list(&list::view(context)?, ListDetail::CurrentPart, style)
                    + &wrapped("\nType the number of a lesson and Enter to open it.", style.width)
            }
            Page::Pictures(text) => text.clone(),
            Page::Message(text) => wrapped(text, style.width),
        })
    }
}

/// Renders the keys, in a column of their own if there is room.
fn help(width: usize) -> String {
    let column = if width < 60 { 0 } else { 19 };
    let keys = KEYS.map(|(key, what)| match column {
        0 => wrapped(&format!("{key}  {what}"), width),
        _ => {
            let what = report::wrap(what, width, column).join("\n");
            format!("{key:column$}{}\n", what.trim_start())
        }
    });
    keys.concat() + &wrapped(SAVING, width)
}

fn wrapped(text: &str, width: usize) -> String {
    let lines = text.lines().flat_map(|line| match line.is_empty() {
        true => vec![String::new()],
        false => report::wrap(line, width, 0),
    });
    lines.map(|line| line + "\n").collect()
}
