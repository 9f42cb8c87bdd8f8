//! A learner's progress: figures, topics, and a picture to keep.

use super::layout::{grouped, pad, pad_left, paragraph, plural, rule, text_width};
use super::prose::markdown;
use super::{LessonState, ListRow, ListView, Style, escape, paint};
use judge::course::{Part, Topic, Topics};
use picture::{Align, Scene, Tone};
use std::collections::BTreeSet;

/// Renders lessons, time, hints, parts and topics done.
pub fn stats(lessons: &ListView, topics: &Topics, style: &Style) -> String {
    let width = style.width;
    let done: Vec<&ListRow> = lessons.lessons.iter().filter(|row| is_done(row)).collect();
    let mut out = paint::bold(&format!("{} of {} lessons passed", done.len(), lessons.lessons.len())) + "\n";
    out += &rule(width);
    let without = done.iter().filter(|row| row.hints == 0).count();
    let text = format!(
        "That is an estimated {} of the course's {}; lessons passed without a hint: {}.",
        hours(&done),
        hours(&lessons.lessons.iter().collect::<Vec<_>>()),
        grouped(without as u64)
    );
    out += &paragraph(&text, width, 0);
    out.push('\n');
    let parts: Vec<&[ListRow]> = parts_of(lessons).collect();
    let title = parts.iter().map(|rows| text_width(&rows[0].part_title)).max().unwrap_or(0);
    for rows in parts.iter().filter(|rows| rows.iter().any(is_done)) {
        let count = rows.iter().filter(|row| is_done(row)).count();
        let mark = if count == rows.len() { paint::good("✓") } else { paint::dim("·") };
        let name = pad(&escape(&rows[0].part_title), title);
        out += &format!("  {mark} {name}  {} of {}\n", pad_left(&count.to_string(), 2), rows.len());
    }
    let covered: Vec<&Topic> = all_topics(topics).filter(|topic| is_covered(topic, lessons)).collect();
    let all = all_topics(topics).count();
    if !covered.is_empty() {
        out += &format!(
            "\n{}",
            paragraph(
                &format!("Of the topics that the notebooks teach, {} of {all}:", covered.len()),
                width,
                0
            )
        );
        covered.iter().for_each(|topic| out += &paragraph(&format!("- {}", escape(&topic.topic)), width, 2));
    }
    out
}

/// Renders what a lesson that has just passed completes: newly covered topics, and its part if it was the last
/// lesson there. Empty if it completes neither.
pub fn achievements(
    slug: &str,
    lessons: &ListView,
    topics: &Topics,
    parts: &[Part],
    style: &Style,
) -> String {
    let mut out = String::new();
    let its = all_topics(topics).filter(|topic| topic.lessons.iter().any(|its| its == slug));
    let covered = its.filter(|topic| is_covered(topic, lessons)).map(|topic| escape(&topic.topic));
    // Several notebooks may teach the same topic.
    let mut seen = BTreeSet::new();
    let covered: Vec<String> = covered.filter(|topic| seen.insert(topic.clone())).collect();
    if !covered.is_empty() {
        out += &paragraph(&format!("Covered now: {}.", covered.join("; ")), style.width, 0);
    }
    let part = parts_of(lessons).find(|rows| rows.iter().any(|row| row.slug == slug));
    if let Some(rows) = part.filter(|rows| rows.iter().all(is_done)) {
        let title = escape(&rows[0].part_title);
        out += &format!(
            "\n{}\n{}",
            paint::bold(&format!("{title}: all {} passed", plural(rows.len() as u64, "lesson", "lessons"))),
            rule(style.width)
        );
        match parts.iter().find(|part| part.folder == rows[0].part).and_then(|part| part.learned.as_ref()) {
            Some(text) => out += &markdown(text, style),
            None => rows
                .iter()
                .for_each(|row| out += &paragraph(&format!("- {}", escape(&row.title)), style.width, 2)),
        }
    }
    out
}

/// Draws a picture of what is done, part by part.
pub fn stats_card(lessons: &ListView) -> Scene {
    const NAME: f64 = 34.0;
    const BAR: f64 = 40.0;
    let done = lessons.lessons.iter().filter(|row| is_done(row)).count();
    let mut scene = Scene::new(format!("gpulearn: {done} of {} lessons passed", lessons.lessons.len()));
    scene.text((0.0, 0.0), Align::Start, Tone::Strong, scene.title.clone());
    let mut sentences = Vec::new();
    for (n, rows) in parts_of(lessons).enumerate() {
        let y = 1.5 + n as f64;
        let count = rows.iter().filter(|row| is_done(row)).count();
        let share = BAR * count as f64 / rows.len() as f64;
        scene.text((0.0, y), Align::Start, Tone::Plain, rows[0].part_title.clone());
        if count > 0 {
            scene.cell((NAME, y), share, Tone::Used, "");
        }
        if count < rows.len() {
            scene.cell((NAME + share, y), BAR - share, Tone::Wasted, "");
        }
        scene.text((NAME + BAR + 9.0, y), Align::End, Tone::Dim, format!("{count} of {}", rows.len()));
        sentences.push(format!("{}: {count} of {}.", rows[0].part_title, rows.len()));
    }
    scene.words = sentences.join(" ");
    scene
}

fn is_done(row: &ListRow) -> bool {
    row.state == LessonState::Done
}

fn parts_of(lessons: &ListView) -> impl Iterator<Item = &[ListRow]> {
    lessons.lessons.chunk_by(|a, b| a.part == b.part)
}

fn hours(rows: &[&ListRow]) -> String {
    format!("{:.1} hours", f64::from(rows.iter().map(|row| row.minutes).sum::<u32>()) / 60.0)
}

fn all_topics(topics: &Topics) -> impl Iterator<Item = &Topic> {
    topics.notebooks.iter().flat_map(|notebook| &notebook.topics)
}

/// Returns whether all lessons that teach a topic are passed and none is still to be written.
pub(super) fn is_covered(topic: &Topic, lessons: &ListView) -> bool {
    let done = |slug: &String| lessons.lessons.iter().any(|row| row.slug == *slug && is_done(row));
    !topic.lessons.is_empty() && topic.planned.is_empty() && topic.lessons.iter().all(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::course::Notebook;

    fn lessons(done: [bool; 3]) -> ListView {
        let row = |(n, (slug, part)): (usize, (&str, &str))| ListRow {
            number: n + 1,
            slug: slug.into(),
            part: part.into(),
            part_title: format!("Part {part}"),
            title: format!("The {slug}"),
            minutes: 30,
            state: if done[n] { LessonState::Done } else { LessonState::New },
            reason: None,
            current: false,
            passed_at: done[n].then_some(1),
            hints: n as u8,
            file: String::new(),
        };
        let rows = [("map", "1"), ("zip", "1"), ("views", "2")].into_iter().enumerate().map(row);
        ListView { done: done.iter().filter(|done| **done).count(), lessons: rows.collect() }
    }

    fn topics() -> Topics {
        let topic = Topic {
            topic: "elements".into(),
            lessons: vec!["map".into(), "zip".into()],
            planned: Vec::new(),
        };
        Topics { notebooks: vec![Notebook { id: "N1".into(), title: "N".into(), topics: vec![topic] }] }
    }

    #[test]
    fn a_part_and_a_topic_are_told_when_the_last_lesson_passes() {
        let style = Style::default();
        assert_eq!(achievements("map", &lessons([true, false, false]), &topics(), &[], &style), "");
        let text = achievements("zip", &lessons([true, true, false]), &topics(), &[], &style);
        assert!(
            text.contains("Covered now: elements.") && text.contains("Part 1: all 2 lessons passed"),
            "{text}"
        );
        assert!(text.contains("- The map") && !text.contains("views"), "{text}");
        // A part's text may say more than its lessons' titles.
        let part = Part {
            folder: "1".into(),
            title: "Part 1".into(),
            about: String::new(),
            text: None,
            learned: Some("You can map now (map).".into()),
        };
        let text = achievements("zip", &lessons([true, true, false]), &topics(), &[part], &style);
        assert!(text.contains("You can map now (map).") && !text.contains("- The map"), "{text}");
    }

    #[test]
    fn figures_are_of_what_is_done() {
        let text = stats(&lessons([true, false, true]), &topics(), &Style::default());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("2 of 3 lessons passed") && text.contains("1.0 hours of the course's 1.5 hours"),
            "{text}"
        );
        assert!(text.contains("without a hint: 1") && !text.contains("elements"), "{text}");
        let card = stats_card(&lessons([true, false, true]));
        assert!(card.words.contains("Part 1: 1 of 2. Part 2: 1 of 1."), "{}", card.words);
    }
}
