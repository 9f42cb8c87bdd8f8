//! `plan.toml`: which lessons are graded, and how.
//!
//! ```toml
//! name = "CUDA, autumn 2026"
//! seed = 8812345            # inputs are drawn from it; keep it from students. The same seed gives the same marks.
//!                           # A file that students see leaves it out, and `--seed` says it
//! prefix = "hw1-"           # optional: what folders of students begin with, as those of GitHub Classroom do
//! cpu_seconds = 60          # optional, as here: what judging one file may take
//!
//! [credit]                  # optional, as here: per cent of a lesson's points
//! right = 60                # right values in every case
//! clean = 20                # and no finding
//! bars = 20                 # and no bar missed
//!
//! [late]                    # optional
//! deadline = 2026-11-30T23:59:00Z
//! grace_minutes = 15
//! percent_a_day = 10        # of what was reached, for each day that has begun
//! last_day = 5              # nothing is left after so many days; 0, as without it: no end
//!
//! [[lessons]]
//! lesson = "map"
//! points = 10               # optional: 1
//! cases = [{ n = 77 }]      # optional: sizes that students do not know, in addition to the lesson's own
//! deadline = 2026-12-07T23:59:00Z   # optional: in place of the one above
//!
//! [[lessons]]
//! lesson = "strided-sum"    # of kind predict: each question's sizes are one of these, drawn for each student
//! draw = [{ n = [512, 1024, 2048] }, { n = [509, 1021] }]   # for each case of the lesson, in order
//! ```

use super::digest::digest;
use super::times::Timestamp;
use anyhow::{Context, Result, bail, ensure};
use judge::course::{Case, Course, Lesson};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toml::value::Datetime;

/// A grading plan: which lessons are graded, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    pub name: String,
    pub seed: u64,
    pub prefix: String,
    pub cpu_seconds: u64,
    pub credit: Credit,
    pub assignments: Vec<Assignment>,
    /// Digest of the file's text.
    pub digest: String,
}

/// How a lesson's points are distributed, in per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credit {
    pub right: u32,
    pub clean: u32,
    pub bars: u32,
}

impl Default for Credit {
    fn default() -> Credit {
        Credit { right: 60, clean: 20, bars: 20 }
    }
}

/// The deductions for late submissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatePolicy {
    pub deadline: Option<Timestamp>,
    pub grace_seconds: i64,
    pub percent_a_day: u32,
    /// Number of days late after which nothing is left; 0 for no limit.
    pub last_day: u32,
}

/// A lesson of the plan.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The lesson, including the cases that the plan adds.
    pub lesson: Lesson,
    pub points: u32,
    pub late: LatePolicy,
    /// For each case, the values to draw from for each size; empty if nothing is drawn.
    pub draw: Vec<BTreeMap<String, Vec<i64>>>,
    /// Digest of the lesson as it is graded.
    pub digest: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    name: String,
    seed: Option<u64>,
    #[serde(default)]
    prefix: String,
    #[serde(default = "default_cpu_seconds")]
    cpu_seconds: u64,
    #[serde(default)]
    credit: Credit,
    #[serde(default)]
    late: LatePolicyFile,
    lessons: Vec<AssignmentFile>,
}

fn default_cpu_seconds() -> u64 {
    60
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LatePolicyFile {
    deadline: Option<Datetime>,
    grace_minutes: u32,
    percent_a_day: u32,
    last_day: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AssignmentFile {
    lesson: String,
    #[serde(default = "default_points")]
    points: u32,
    #[serde(default)]
    cases: Vec<Case>,
    deadline: Option<Datetime>,
    #[serde(default)]
    draw: Vec<BTreeMap<String, Vec<i64>>>,
}

fn default_points() -> u32 {
    1
}

impl Plan {
    /// Parses `plan.toml` for the lessons of a course. `seed` overrides the file's seed.
    ///
    /// # Errors
    ///
    /// Fails on a missing seed, an unknown key, a lesson that the course lacks or that is named twice, and sizes
    /// that do not fit the lesson.
    pub fn parse(text: &str, course: &Course, seed: Option<u64>) -> Result<Plan> {
        let file: PlanFile = toml::from_str(text).map_err(|error| {
            let table: Option<toml::Table> = toml::from_str(text).ok();
            if table.is_some_and(|table| table.contains_key("parts") && !table.contains_key("lessons")) {
                return anyhow::anyhow!(
                    "this describes a course (name, version, licence, parts), which `gpulearn course add FOLDER` \
                     adds: a plan lists the lessons to grade under [[lessons]]"
                );
            }
            let line = error.span().map_or(0, |span| cpp::place(text.as_bytes(), span.start).0);
            anyhow::anyhow!("line {line}: {}", error.message())
        })?;
        let Credit { right, clean, bars } = file.credit;
        ensure!(
            right + clean + bars == 100,
            "credit: right, clean and bars are {right}, {clean} and {bars}: they must add up to 100 per cent"
        );
        ensure!(file.late.percent_a_day <= 100, "late: percent_a_day must be at most 100");
        ensure!((1..=3600).contains(&file.cpu_seconds), "cpu_seconds must be from 1 to 3600");
        ensure!(!file.lessons.is_empty(), "no lesson is graded: list some under [[lessons]]");
        let mut seen = BTreeSet::new();
        let mut assignments = Vec::new();
        for its in file.lessons {
            let slug = its.lesson.escape_debug().to_string();
            ensure!(seen.insert(its.lesson.clone()), "lesson \"{slug}\" is named twice");
            let Some(lesson) = course.lesson(&its.lesson) else { bail!("no lesson is called \"{slug}\"") };
            assignments
                .push(its.assignment(lesson, &file.late).with_context(|| format!("lesson \"{slug}\""))?);
        }
        Ok(Plan {
            name: file.name,
            seed: seed.or(file.seed).context(
                "there is no seed to draw the inputs from: write `seed = NUMBER` there, or give --seed",
            )?,
            prefix: file.prefix,
            cpu_seconds: file.cpu_seconds,
            credit: file.credit,
            assignments,
            digest: digest([text.as_bytes()]),
        })
    }
}

impl AssignmentFile {
    fn assignment(self, lesson: &Lesson, late: &LatePolicyFile) -> Result<Assignment> {
        let mut lesson = lesson.clone();
        for case in &self.cases {
            ensure!(
                lesson.kernels_source.is_none(),
                "questions are about the lesson's own cases: use `draw`"
            );
            lesson.spec.sized(case).map_err(|error| anyhow::anyhow!("cases: {error}"))?;
        }
        lesson.spec.change(|spec| spec.cases.extend(self.cases));
        ensure!(
            self.draw.is_empty() || self.draw.len() == lesson.spec.cases.len(),
            "draw: there are {} cases, but sizes for {}",
            lesson.spec.cases.len(),
            self.draw.len()
        );
        for (case, draw) in lesson.spec.cases.iter().zip(&self.draw) {
            ensure!(
                draw.is_empty() || case.data.is_empty(),
                "draw: the case {case} has its own values, which fit no other sizes"
            );
            for (name, values) in draw {
                ensure!(case.get(name).is_some(), "draw: there is no size \"{}\"", name.escape_debug());
                ensure!(!values.is_empty(), "draw: no values for \"{}\"", name.escape_debug());
            }
        }
        let deadline = self.deadline.or(late.deadline);
        let late = LatePolicy {
            deadline: deadline.as_ref().map(Timestamp::of).transpose()?,
            grace_seconds: i64::from(late.grace_minutes) * 60,
            percent_a_day: late.percent_a_day,
            last_day: late.last_day,
        };
        let digest = super::digest::digest_of_lesson(&lesson);
        Ok(Assignment { lesson, points: self.points, late, draw: self.draw, digest })
    }
}

/// Values that were drawn for a student, by size.
type Drawn = BTreeMap<String, i64>;

/// For each case, the sizes that replace those of the lesson for one student.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sizes(pub Vec<Drawn>);

impl Assignment {
    /// Returns a student's sizes, drawn from the plan's seed, the lesson and the student's name.
    pub fn sizes_of(&self, seed: u64, student: &str) -> Sizes {
        let draw = |case: usize, name: &str, values: &[i64]| {
            let hash = digest([
                seed.to_string().as_bytes(),
                self.lesson.slug.as_bytes(),
                student.as_bytes(),
                case.to_string().as_bytes(),
                name.as_bytes(),
            ]);
            let number = u64::from_str_radix(&hash[..15], 16).unwrap_or(0);
            values[(number % values.len() as u64) as usize]
        };
        let cases = self.draw.iter().enumerate();
        Sizes(
            cases
                .map(|(case, sizes)| {
                    sizes.iter().map(|(name, values)| (name.clone(), draw(case, name, values))).collect()
                })
                .collect(),
        )
    }

    /// Returns the lesson with a student's sizes.
    pub fn lesson_with(&self, sizes: &Sizes) -> Lesson {
        let mut lesson = self.lesson.clone();
        lesson.spec.change(|spec| {
            for (case, drawn) in spec.cases.iter_mut().zip(&sizes.0).filter(|(_, drawn)| !drawn.is_empty()) {
                let theirs = case.resized(|name, size| drawn.get(name).copied().unwrap_or(size));
                let about_it =
                    spec.questions.iter_mut().filter(|question| question.at.as_ref() == Some(&*case));
                about_it.for_each(|question| question.at = Some(theirs.clone()));
                *case = theirs;
            }
        });
        lesson
    }
}
