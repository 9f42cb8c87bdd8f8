//! Grades a class: finds students and their files, obtains verdicts, and computes marks.

use super::digest::digest;
use super::judging::{Earned, Judged, Outcome, Request};
use super::marks::{Hundredths, Mark};
use super::plan::{Assignment, Plan, Sizes};
use super::pool::Judges;
use super::results::{Key, Results};
use super::shard::Shard;
use super::students::{Student, find};
use super::times::Times;
use anyhow::Result;
use cpp::Source;
use judge::{Verdict, text_of};
use report::{About, JudgedRunView, VerdictView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The inputs with which a class is graded.
pub struct Class<'a> {
    pub plan: &'a Plan,
    pub times: &'a Times,
    /// Students who must appear in the report, whether they submitted anything or not.
    pub roster: &'a [String],
    /// Digest of the lessons: see [`super::digest_of_course`].
    pub lessons: String,
    /// Digest of the program that judges.
    pub program: String,
    /// The part of the class to grade; `None` for all of it.
    pub shard: Option<Shard>,
    /// The only student, if all submissions belong to one student and not to a class.
    pub student: Option<&'a str>,
}

/// Everything that marks depend on; it is equal in all parts of one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub course: String,
    /// The digest of `plan.toml` and of the times and roster used with it. `lessons` and `program` are digests,
    /// too.
    pub plan: String,
    pub lessons: String,
    pub program: String,
    /// Version of the program, such as `0.1.0`.
    pub version: String,
    /// Digest of the seed: the seed itself remains secret.
    pub seed: String,
    /// All students of the class, in order.
    pub students: Vec<String>,
}

/// A text that was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Text {
    pub source: String,
    pub judged: Judged,
}

/// A student's result in one lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LessonReport {
    pub lesson: String,
    pub full: Hundredths,
    pub mark: Mark,
    /// Path of the file, relative to the class's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Key of the judged text in [`Graded::texts`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Key>,
    /// Why there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The report on a student.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudentReport {
    pub student: String,
    /// One entry per lesson, in the order of the plan.
    pub lessons: Vec<LessonReport>,
    /// Files that were found but not judged, and why.
    pub notes: Vec<String>,
}

impl StudentReport {
    pub fn total(&self) -> Hundredths {
        self.lessons.iter().map(|lesson| lesson.mark.points()).sum()
    }

    pub fn full(&self) -> Hundredths {
        self.lessons.iter().map(|lesson| lesson.full).sum()
    }

    /// Returns whether no mark is waiting for a person or a machine.
    pub fn is_final(&self) -> bool {
        self.lessons.iter().all(|lesson| lesson.mark.is_final())
    }
}

/// A graded class, or a graded part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Graded {
    pub header: Header,
    pub students: Vec<StudentReport>,
    pub texts: BTreeMap<Key, Text>,
    /// Notes that concern no student.
    pub notes: Vec<String>,
}

impl Graded {
    /// Returns the judged text of a student's lesson.
    pub fn text(&self, lesson: &LessonReport) -> Option<&Text> {
        self.texts.get(lesson.text.as_ref()?)
    }
}

/// Progress of grading a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of distinct texts, and how many of them were judged by an earlier run.
    pub texts: usize,
    pub known: usize,
    pub judged: usize,
}

/// Grades a class. Results are stored in `report` as they arrive, so that an interrupted run can be continued.
/// `on_progress` is called as grading advances.
///
/// # Errors
///
/// Fails if the class cannot be read or the report cannot be written. Incomplete results are never taken for
/// complete ones.
pub fn grade(
    submissions: &Path,
    class: &Class,
    judges: &Judges,
    report: &Path,
    mut on_progress: impl FnMut(Progress),
) -> Result<Graded> {
    let plan = class.plan;
    let results = Results::of_report(report)?;
    let list = find(submissions, class)?;
    let ids: Vec<String> = list.students.iter().map(|student| student.id.clone()).collect();
    let notes = [class.remarks_on_times(&ids), list.notes].concat();
    let mut graded =
        Graded { header: class.header(ids), students: Vec::new(), texts: BTreeMap::new(), notes };
    let mut wanted: Vec<(Key, Request)> = Vec::new();
    let mut sources: BTreeMap<Key, (String, Option<Judged>)> = BTreeMap::new();
    let mut files = Vec::new();
    let mine = |n: usize| class.shard.is_none_or(|shard| shard.has(n));
    for (_, student) in list.students.iter().enumerate().filter(|(n, _)| mine(*n)) {
        let file = class.file(student, &mut |key, text| {
            if sources.contains_key(&key) {
                return;
            }
            let source = match text {
                Submitted::Judged(source, judged) => (source, Some(*judged)),
                Submitted::Text(request) => {
                    let source = (request.source.clone(), results.get(&key));
                    if source.1.is_none() {
                        wanted.push((key.clone(), request));
                    }
                    source
                }
            };
            sources.insert(key, source);
        });
        files.push(file);
    }
    let mut progress = Progress { texts: sources.len(), known: sources.len() - wanted.len(), judged: 0 };
    on_progress(progress);
    judges.judge(&wanted, |key, judged| {
        // Texts that this machine failed to judge are tried again by the next run.
        if judged.outcome != Outcome::Failed {
            results.put(key, &judged)?;
        }
        if let Some(source) = sources.get_mut(key) {
            source.1 = Some(judged);
        }
        progress.judged += 1;
        on_progress(progress);
        Ok(())
    })?;
    for (key, (source, judged)) in sources {
        if let Some(judged) = judged {
            graded.texts.insert(key, Text { source, judged });
        }
    }
    for mut file in files {
        for (lesson, assignment) in file.lessons.iter_mut().zip(&plan.assignments) {
            if let Some(text) = lesson.text.as_ref().and_then(|key| graded.texts.get(key)) {
                let time = class.times.of(&file.student, &lesson.lesson);
                lesson.mark = Mark::of(&text.judged.outcome, assignment, plan.credit, time);
            }
        }
        graded.students.push(file);
    }
    Ok(graded)
}

/// A student's submission to a lesson: a text to judge, or the verdict on bytes that are no text.
enum Submitted {
    Text(Request),
    Judged(String, Box<Judged>),
}

impl Class<'_> {
    fn header(&self, students: Vec<String>) -> Header {
        let used = compiler::wire::encode(&(self.times, self.roster)).expect("their lengths are known");
        Header {
            course: self.plan.name.clone(),
            plan: digest([self.plan.digest.as_bytes(), used.as_slice()]),
            lessons: self.lessons.clone(),
            program: self.program.clone(),
            version: report::json::TOOL.to_owned(),
            seed: digest([b"seed".as_slice(), &self.plan.seed.to_le_bytes()]),
            students,
        }
    }

    /// Returns remarks on times of submission that are missing, and on those of nobody.
    fn remarks_on_times(&self, students: &[String]) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.times.is_empty() && self.plan.assignments.iter().any(|it| it.late.deadline.is_some()) {
            remarks.push("the plan has a deadline, but --times gives no times: nobody is late".to_owned());
        }
        let (named, lessons) = self.times.names();
        // The times given for one student may be those of a class.
        let strangers = named.into_iter().filter(|_| self.student.is_none());
        for name in strangers.filter(|name| !students.iter().any(|student| student == name)) {
            remarks.push(format!("--times gives a time of {name}, who is no student of this class"));
        }
        for name in lessons {
            if !self.plan.assignments.iter().any(|it| it.lesson.slug == name) {
                remarks.push(format!("--times gives times for {name}, which is no graded lesson"));
            }
        }
        remarks
    }

    /// Creates a student's report without the marks of texts still to be judged, which are passed to `submit`.
    fn file(&self, student: &Student, submit: &mut dyn FnMut(Key, Submitted)) -> StudentReport {
        let mut files = student.submissions(self.plan);
        let mut lessons = Vec::new();
        for assignment in &self.plan.assignments {
            let lesson = &assignment.lesson.slug;
            let mut its = LessonReport {
                lesson: lesson.clone(),
                full: Hundredths::of_points(assignment.points),
                mark: Mark::Missing,
                path: None,
                text: None,
                why: None,
            };
            if let Some(found) = files.by_lesson.remove(lesson) {
                its.path = Some(found.path);
                match found.bytes {
                    Ok(bytes) => {
                        let (key, submitted) = self.submitted(assignment, &student.id, bytes);
                        (its.mark, its.text) = (Mark::Failed, Some(key.clone()));
                        submit(key, submitted);
                    }
                    Err(why) => (its.mark, its.why) = (Mark::Unreadable, Some(why)),
                }
            } else if let Some(why) = files.unmatched() {
                (its.mark, its.why) = (Mark::Unmatched, Some(why));
            }
            lessons.push(its);
        }
        StudentReport { student: student.id.clone(), lessons, notes: files.notes }
    }

    fn submitted(&self, assignment: &Assignment, student: &str, bytes: Vec<u8>) -> (Key, Submitted) {
        let lesson = &assignment.lesson;
        // The file has the same name for all students, so that equal texts have equal keys.
        let file = format!("{}.cu", lesson.slug);
        let sizes = match assignment.draw.is_empty() {
            true => Sizes::default(),
            false => assignment.sizes_of(self.plan.seed, student),
        };
        let seed = self.plan.seed;
        let request = |source| Request {
            student: student.to_owned(),
            lesson: lesson.slug.clone(),
            file: file.clone(),
            source,
            seed,
            sizes: sizes.clone(),
        };
        let limits = self.plan.cpu_seconds.to_string();
        let key = |request: &Request| Key::of(request, &assignment.digest, &self.program, &limits);
        let lossy = String::from_utf8_lossy(&bytes).into_owned();
        match text_of(bytes, &file) {
            Ok(source) => {
                let request = request(source);
                (key(&request), Submitted::Text(request))
            }
            Err(failure) => {
                let verdict = Verdict::of(lesson.slug.clone(), Err(*failure));
                let source = Source::new(&lossy);
                let about = About::of_lesson(lesson, &file, &source);
                let view = VerdictView::new(&verdict, &about, JudgedRunView::simulated(seed));
                let judged = Judged { outcome: Outcome::Judged(Earned::default()), view };
                (
                    key(&request(lossy.clone())),
                    Submitted::Judged(lossy.chars().take(1 << 16).collect(), Box::new(judged)),
                )
            }
        }
    }
}
