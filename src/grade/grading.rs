//! Grades a class: finds students and their files, obtains verdicts, and computes marks.

use super::class::{Class, Graded, Header, LessonReport, StudentReport, Text};
use super::digest::digest;
use super::judging::{Earned, Judged, Outcome, Request};
use super::marks::{Hundredths, Mark};
use super::plan::{Assignment, Sizes};
use super::pool::Judges;
use super::results::{Key, Results};
use super::students::{Student, find};
use anyhow::Result;
use cpp::Source;
use judge::{Verdict, text_of};
use report::{About, JudgedRunView, VerdictView};
use std::collections::BTreeMap;
use std::path::Path;

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
