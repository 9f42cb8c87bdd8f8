//! A lesson to read, its hints, and its solution.

use super::layout::{paragraph, rule, spread, text_width, wrap};
use super::{Style, escape, escape_lines, paint};
use judge::course::{Block, Lesson, Part, Span, Term, blocks, spans};

/// A lesson's page: the idea, the task, what is checked, and what to do.
#[derive(Clone, Copy, Debug)]
pub struct LessonPage<'a> {
    pub lesson: &'a Lesson,
    /// Lessons in the course.
    pub of: usize,
    pub passed: bool,
    /// The file to edit, as the learner would name it; `None` outside of a workspace.
    pub file: Option<&'a str>,
}

/// A lesson's text, and what to do next.
pub fn lesson_page(page: &LessonPage, style: &Style) -> String {
    let (lesson, width) = (page.lesson, style.width);
    let slug = escape(&lesson.slug);
    let passed = if page.passed { "  (passed)" } else { "" };
    let left = format!("{}/{}  {slug}{passed}", lesson.number, page.of);
    let mut out = spread(&left, &format!("about {} minutes", lesson.spec.minutes), width, paint::bold);
    out += &rule(width);
    out += &markdown(&lesson.text.idea, width);
    out += &format!("\n{}\n", paint::bold("Your turn"));
    out += &markdown(&lesson.text.task, width);
    out += &format!("\n{}\n", paint::bold("Checked"));
    out += &markdown(&lesson.text.checked, width);
    // Never broken: they are there to be copied.
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

/// Our solution, and what is said to those who have passed.
pub fn solution_page(lesson: &Lesson, style: &Style) -> String {
    let mut out = paint::dim(&format!("// {}\n", escape(&lesson.solution_path())));
    out += &escape_lines(lesson.solution.trim_end());
    out += "\n\n";
    out + &afterwards(lesson, style)
}

/// What is said to those who have passed.
pub fn afterwards(lesson: &Lesson, style: &Style) -> String {
    markdown(&lesson.text.afterwards, style.width)
}

/// The first `shown` hints. `next`: the number by which the next is asked for, where it takes one.
pub fn hints(lesson: &Lesson, shown: usize, next: Option<usize>, style: &Style) -> String {
    let all = &lesson.spec.hints;
    let shown = shown.min(all.len());
    let mut out = String::new();
    for (i, hint) in all[..shown].iter().enumerate() {
        out += &format!("{}\n", paint::bold(&format!("Hint {} of {}", i + 1, all.len())));
        // A hint may begin with a line of code, told by its indent.
        for line in hint.trim_end().trim_start_matches(['\r', '\n']).lines() {
            match line.starts_with("    ") {
                true => out += &format!("  {}\n", escape(line)),
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

/// What is read before a part's first lesson: why it is there.
pub fn part_page(part: &Part, style: &Style) -> String {
    let text = part.text.as_deref().unwrap_or(&part.about);
    format!("{}\n{}{}\n", paint::bold(&escape(&part.title)), rule(style.width), markdown(text, style.width))
}

/// What is read before the first lesson.
pub fn welcome_page(text: &str, style: &Style) -> String {
    markdown(text, style.width) + "\n"
}

/// A word of the field: what it means, and where it is taught.
pub fn term_page(term: &Term, style: &Style) -> String {
    let names: Vec<String> = term.names().map(escape).collect();
    let mut out = paint::bold(&names.join(", ")) + "\n";
    out += &markdown(&term.text, style.width);
    if !term.lessons.is_empty() {
        let lessons: Vec<String> = term.lessons.iter().map(|slug| escape(slug)).collect();
        out += &format!("\n{}", paragraph(&format!("Taught in: {}", lessons.join(", ")), style.width, 0));
    }
    out
}

/// A text of the course.
fn markdown(text: &str, width: usize) -> String {
    let mut out = String::new();
    for block in blocks(&escape_lines(text)) {
        match block {
            Block::Heading(heading) => out += &format!("{}\n", paint::bold(&heading)),
            Block::Paragraph(text) => out += &paragraph(&stress_off(&text), width, 0),
            Block::Item(text) => out += &item(&text, width),
            Block::Figure(lines) => out += &figure(&lines, width),
            Block::Gap => out.push('\n'),
        }
    }
    out
}

/// A figure or code, as it is; on a page that is too narrow without the space before it.
fn figure(lines: &[String], width: usize) -> String {
    let indent = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let space = lines.iter().filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    let widest = lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let cut = widest.saturating_sub(width).min(space);
    lines.iter().map(|line| format!("{}\n", line.get(cut..).unwrap_or_default())).collect()
}

/// One of a list, with its mark.
fn item(text: &str, width: usize) -> String {
    let mut lines = wrap(&stress_off(text), width, 4);
    if let Some(first) = lines.first_mut() {
        first.replace_range(2..3, "-");
    }
    paint::code(lines).into_iter().map(|line| line + "\n").collect()
}

/// Takes off the stars of *stress*: the words are enough.
fn stress_off(text: &str) -> String {
    let piece = |span| match span {
        Span::Plain(text) | Span::Stress(text) => text.to_owned(),
        Span::Code(text) => format!("`{text}`"),
    };
    spans(text).into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_multiplications_stay() {
        assert_eq!(stress_off("so `in[i] * 2` is *not* row * cols"), "so `in[i] * 2` is not row * cols");
        assert_eq!(stress_off("const float *in and 2*n"), "const float *in and 2*n");
        assert_eq!(stress_off("`const float *p` and *all of it*."), "`const float *p` and all of it.");
    }

    #[test]
    fn prose_is_wrapped_and_figures_are_not() {
        colored::control::set_override(false);
        let text = "One two\nthree four.\n\n    fig  ure\n      more\n\n- item one\n  goes on\n- two\n\n```\n# code\n```";
        assert_eq!(
            markdown(text, 16),
            "One two three\nfour.\n\n    fig  ure\n      more\n\n  - item one\n    goes on\n  - two\n\n    # code\n"
        );
        // A figure that is too wide gives up the space before it, as far as it must.
        assert_eq!(markdown("    0123456789\n\n      abc\n", 12), "  0123456789\n\n    abc\n");
        assert_eq!(markdown("    0123456789\n", 4), "0123456789\n");
    }
}
