//! What the course has to teach, notebook by notebook, with the lessons that teach it.

use super::layout::{rule, wrap};
use super::stats::is_covered;
use super::{ListView, Style, escape, paint};
use judge::course::{Topic, Topics};

/// Renders every topic with its lessons, and which are done.
pub fn topics(topics: &Topics, lessons: &ListView, style: &Style) -> String {
    let mut out = String::new();
    for notebook in &topics.notebooks {
        let gap = if out.is_empty() { "" } else { "\n" };
        let head = format!("{}  {}", escape(&notebook.id), escape(&notebook.title));
        out += &format!("{gap}{}\n{}", paint::bold(&head), rule(style.width));
        out.extend(notebook.topics.iter().map(|of| topic(of, lessons, style)));
    }
    out
}

/// Renders a topic with its lessons below; `✓` where all of its lessons are written and done.
fn topic(topic: &Topic, lessons: &ListView, style: &Style) -> String {
    let mark = if is_covered(topic, lessons) { paint::good("✓") } else { paint::dim("·") };
    let mut names: Vec<String> = topic.lessons.iter().map(|slug| escape(slug)).collect();
    names.extend(topic.planned.iter().map(|slug| format!("{} (not written yet)", escape(slug))));
    let mut out = String::new();
    for (i, line) in wrap(&escape(&topic.topic), style.width.saturating_sub(2), 0).iter().enumerate() {
        out += &if i == 0 { format!("{mark} {line}\n") } else { format!("  {line}\n") };
    }
    for line in wrap(&names.join(", "), style.width, 4) {
        out += &format!("{}\n", paint::dim(&line));
    }
    out
}
