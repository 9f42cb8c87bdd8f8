//! Pages of a lesson's text, hints and solution, and of parts and glossary terms.

use super::layout::{paragraph, rule, spread};
use super::prose::{code, markdown, stress_off};
use super::{Style, escape, escape_lines, paint};
use judge::course::{Lesson, Part, Term};

/// A lesson and the state that its page depends on.
#[derive(Clone, Copy, Debug)]
pub struct LessonPage<'a> {
    pub lesson: &'a Lesson,
    /// Number of lessons in the course.
    pub of: usize,
    pub passed: bool,
    /// The file to edit, as the learner would type it; `None` outside a workspace.
    pub file: Option<&'a str>,
}

/// Renders a lesson: the idea, the task, what is checked, and what to do next.
pub fn lesson_page(page: &LessonPage, style: &Style) -> String {
    let (lesson, width) = (page.lesson, style.width);
    let slug = escape(&lesson.slug);
    let passed = if page.passed { "  (passed)" } else { "" };
    let left = format!("{}/{}  {slug}{passed}", lesson.number, page.of);
    let mut out = spread(&left, &format!("about {} minutes", lesson.minutes), width, paint::bold);
    out += &rule(width);
    out += &markdown(&lesson.text.idea, style);
    out += &format!("\n{}\n", paint::bold("Your turn"));
    out += &markdown(&lesson.text.task, style);
    out += &format!("\n{}\n", paint::bold("Checked"));
    out += &markdown(&lesson.text.checked, style);
    // Never wrapped: these lines are there to be copied.
    let command = &style.command;
    match page.file {
        Some(file) => out += &format!("\nEdit   {}\n", paint::accent(&escape(file))),
        None => {
            out += &format!("\nFirst  {}\n", paint::accent(&format!("{command} init DIR")));
            out += &format!("Edit   {} in that folder\n", paint::accent(&escape(&lesson.kernel_path())));
        }
    }
    let then = if style.watching { "save it".into() } else { format!("{command} check {slug}") };
    out += &format!("Then   {}\n", paint::accent(&then));
    out
}

/// Renders the reference solution and the text for those who have passed.
pub fn solution_page(lesson: &Lesson, style: &Style) -> String {
    let mut out = paint::dim(&format!("// {}\n", escape(&lesson.solution_path())));
    out += &escape_lines(lesson.solution.trim_end());
    out += "\n\n";
    out + &afterwards(lesson, style)
}

/// Renders the text for those who have passed.
pub fn afterwards(lesson: &Lesson, style: &Style) -> String {
    markdown(&lesson.text.afterwards, style)
}

/// Renders the first `shown` hints. `next` is the number to ask for the next one by, where the command takes one.
pub fn hints(lesson: &Lesson, shown: usize, next: Option<usize>, style: &Style) -> String {
    let all = &lesson.spec.hints;
    let shown = shown.min(all.len());
    let mut out = String::new();
    for (i, hint) in all[..shown].iter().enumerate() {
        out += &format!("{}\n", paint::bold(&format!("Hint {} of {}", i + 1, all.len())));
        // A hint may begin with a line of code, recognised by its indent.
        for line in hint.trim_end().trim_start_matches(['\r', '\n']).lines() {
            match line.starts_with("    ") {
                true => out += &code(&format!("  {}", escape(line)), style.width),
                false => out += &paragraph(&stress_off(&escape(line)), style.width, 2),
            }
        }
        out.push('\n');
    }
    let slug = escape(&lesson.slug);
    out + &paint::dim(&match all.len() - shown {
        0 => format!("That was the last hint for {slug}.\n"),
        _ if style.watching => "Another: h\n".into(),
        _ => {
            let next = next.map(|next| format!(" {next}")).unwrap_or_default();
            format!("Another: {} hint {slug}{next}\n", style.command)
        }
    })
}

/// Renders the introduction of a part, read before its first lesson.
pub fn part_page(part: &Part, style: &Style) -> String {
    let text = part.text.as_deref().unwrap_or(&part.about);
    format!("{}\n{}{}\n", paint::bold(&escape(&part.title)), rule(style.width), markdown(text, style))
}

/// Renders the course's introduction, read before the first lesson.
pub fn welcome_page(text: &str, style: &Style) -> String {
    markdown(text, style) + "\n"
}

/// Renders a glossary term: what it means, and where it is taught.
pub fn term_page(term: &Term, style: &Style) -> String {
    let names: Vec<String> = term.names().map(escape).collect();
    let of = term.of.as_ref().map_or(String::new(), |course| format!(" ({})", escape(course)));
    let mut out = paint::bold(&(names.join(", ") + &of)) + "\n";
    out += &markdown(&term.text, style);
    if !term.lessons.is_empty() {
        let lessons: Vec<String> = term.lessons.iter().map(|slug| escape(slug)).collect();
        out += &format!("\n{}", paragraph(&format!("Taught in: {}", lessons.join(", ")), style.width, 0));
    }
    out
}
