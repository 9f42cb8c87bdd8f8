//! Splits a class into parts that are graded on different machines, and merges them.

use super::class::Graded;
use super::shard::Shard;
use anyhow::{Context, Result, bail, ensure};
use judge::course::replace_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Name of a part's file in its report.
pub const FILE: &str = "part.json";
const SCHEMA: &str = "gpulearn.grade-part/1";

/// A part of a graded class, stored for merging.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    schema: String,
    shard: Shard,
    graded: Graded,
}

impl Part {
    pub fn new(shard: Shard, graded: Graded) -> Part {
        Part { schema: SCHEMA.into(), shard, graded }
    }

    /// Writes the part into its report.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write(&self, report: &Path) -> Result<()> {
        replace_file(&report.join(FILE), &serde_json::to_vec(self)?, true)
    }

    /// Reads the part of a report.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or if it was written by another version.
    pub fn read(report: &Path) -> Result<Part> {
        let path = report.join(FILE);
        let text = fs::read(&path)
            .with_context(|| format!("no part in {}: was `grade --shard` interrupted?", report.display()))?;
        let part: Part =
            serde_json::from_slice(&text).with_context(|| format!("{} is not a part", path.display()))?;
        ensure!(part.schema == SCHEMA, "{} was written by another version of gpulearn", path.display());
        Ok(part)
    }
}

/// Merges all parts of a class, in any order. The result is the same as that of grading the class in one run.
///
/// # Errors
///
/// Fails if a part is missing or given twice, or if parts were graded with different plans, times, lessons, seeds
/// or programs.
pub fn merge(parts: Vec<Part>) -> Result<Graded> {
    let Some(first) = parts.first() else { bail!("no part is given") };
    let (header, of) = (first.graded.header.clone(), first.shard.of);
    let mut by_number: BTreeMap<u32, Graded> = BTreeMap::new();
    for part in parts {
        let (number, its) = (part.shard.number, &part.graded.header);
        let differs = [
            (part.shard.of != of, "a different number of parts"),
            (its.seed != header.seed, "a different seed"),
            (its.lessons != header.lessons, "different lessons"),
            (its.version != header.version || its.program != header.program, "a different program"),
            (its.plan != header.plan || its.course != header.course, "a different plan, times or roster"),
            (its.students != header.students, "a different list of students"),
        ];
        if let Some((_, what)) = differs.iter().find(|(differs, _)| *differs) {
            bail!("part {number} was graded with {what} from part {}", first_number(&by_number, number));
        }
        ensure!(by_number.insert(number, part.graded).is_none(), "part {number} is given twice");
    }
    let missing: Vec<String> =
        (1..=of).filter(|n| !by_number.contains_key(n)).map(|n| n.to_string()).collect();
    ensure!(missing.is_empty(), "of {of} parts, these are missing: {}", missing.join(", "));
    let mut by_student = BTreeMap::new();
    let (mut texts, mut notes) = (BTreeMap::new(), Vec::new());
    for graded in by_number.into_values() {
        for student in graded.students {
            let name = student.student.clone();
            ensure!(
                by_student.insert(name.clone(), student).is_none(),
                "{} is in two parts",
                name.escape_debug()
            );
        }
        for (key, text) in graded.texts {
            if let Some(other) = texts.get(&key) {
                ensure!(*other == text, "two parts disagree on a text ({})", key.as_str());
            }
            texts.insert(key, text);
        }
        // Every part lists the notes of the whole class.
        notes = graded.notes;
    }
    let students = header.students.iter().map(|name| {
        by_student.remove(name).with_context(|| format!("{} is in no part", name.escape_debug()))
    });
    let students = students.collect::<Result<Vec<_>>>()?;
    ensure!(by_student.is_empty(), "there are students who are not in the class");
    Ok(Graded { header, students, texts, notes })
}

fn first_number(known: &BTreeMap<u32, Graded>, other: u32) -> u32 {
    known.keys().next().copied().unwrap_or(other)
}
