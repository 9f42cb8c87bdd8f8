//! Lists the most similar pairs of texts, lesson by lesson: material for a person to review, without influence on
//! marks.

use super::csv::row;
use crate::class::Graded;
use crate::plan::Plan;
use crate::similar::{Fingerprint, Side, fingerprint, pairs};
use std::collections::BTreeMap;

/// `MOST`: largest number of pairs listed per lesson. `LEAST`: smallest share that they must have in common, in per
/// cent.
const MOST: usize = 50;
const LEAST: u32 = 30;

/// Writes one row per pair: how much of the smaller text is shared, who submitted each text, and in which lines.
/// Pieces of the starter do not count; equal texts are listed once, with everyone who submitted them.
pub fn similarity(graded: &Graded, plan: &Plan) -> String {
    let header = ["lesson", "per cent", "shared pieces", "one", "its lines", "the other", "its lines"];
    let mut out = row(&header.map(str::to_owned));
    for assignment in &plan.assignments {
        let lesson = &assignment.lesson;
        let given = fingerprint(&lesson.starter);
        let mut who: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for student in &graded.students {
            for its in student.lessons.iter().filter(|its| its.lesson == lesson.slug) {
                if let Some(text) = graded.text(its) {
                    who.entry(&text.source).or_default().push(&student.student);
                }
            }
        }
        let texts: Vec<(&str, Vec<&str>)> = who.into_iter().collect();
        let prints: Vec<Fingerprint> =
            texts.iter().map(|(source, _)| fingerprint(source).without(&given)).collect();
        for ((source, students), print) in texts.iter().zip(&prints).filter(|((_, who), _)| who.len() > 1) {
            // The starter itself, and texts that add next to nothing to it, are shared by many.
            if print.len() > 2 && *source != lesson.starter {
                let cells = [
                    lesson.slug.clone(),
                    "100".into(),
                    print.len().to_string(),
                    names(students),
                    "all".into(),
                    "the same text".into(),
                    String::new(),
                ];
                out += &row(&cells);
            }
        }
        for pair in pairs(&prints, MOST).into_iter().filter(|pair| pair.percent >= LEAST) {
            let [one, other] = &pair.sides;
            let of = |side: &Side| names(&texts[side.text].1);
            let cells = [
                lesson.slug.clone(),
                pair.percent.to_string(),
                pair.shared.to_string(),
                of(one),
                lines(one),
                of(other),
                lines(other),
            ];
            out += &row(&cells);
        }
    }
    out
}

fn names(students: &[&str]) -> String {
    students.join("; ")
}

fn lines(side: &Side) -> String {
    let stretch = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}–{last}") }
    };
    side.lines.iter().map(stretch).collect::<Vec<_>>().join(" ")
}
