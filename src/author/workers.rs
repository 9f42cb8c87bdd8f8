//! Processes lessons in parallel: some threads judge, others time. The two parts of a lesson are independent, and
//! a lesson is reported when both are done.

use anyhow::Result;
use judge::bench::least_bytes;
use judge::course::Lesson;
use std::cmp::Reverse;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers of threads.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    pub judging: usize,
    /// 0 if nothing is timed.
    pub timing: usize,
}

/// The results for a lesson.
struct Parts<J, T> {
    judged: Option<J>,
    timed: Option<T>,
}

/// A thread's function that judges lessons.
pub type Judging<'a, J> = Box<dyn Fn(&Lesson) -> Result<J> + 'a>;

/// Judges every lesson, with the function that `judging` returns for each thread, and times those for which
/// `is_timed` holds. `done` is called with each lesson as soon as it is finished, in no particular order. Returns
/// the results in the order of `lessons`, with `None` for what was not timed.
///
/// # Errors
///
/// The first error ends all work: errors of the environment affect every lesson alike.
pub fn run<'a, J: Send, T: Send>(
    lessons: &[&Lesson],
    workers: Workers,
    is_timed: fn(&Lesson) -> bool,
    judging: &(dyn Fn() -> Judging<'a, J> + Sync),
    time: &(dyn Fn(&Lesson) -> Result<T> + Sync),
    done: &(dyn Fn(&Lesson, &J, Option<&T>) + Sync),
) -> Result<Vec<(J, Option<T>)>> {
    let (to_judge, to_time) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Lessons that take long go first, so that no thread is left alone with one at the end; later lessons take
    // longer.
    let numbered: Vec<(usize, &Lesson)> = lessons.iter().copied().enumerate().rev().collect();
    let mut timed: Vec<(usize, &Lesson)> =
        numbered.iter().copied().filter(|(_, lesson)| workers.timing > 0 && is_timed(lesson)).collect();
    timed.sort_by_cached_key(|(_, lesson)| Reverse(lesson.at_bench().map_or(0, |large| least_bytes(&large))));
    let failed = Mutex::new(None);
    let parts: Vec<Mutex<Parts<J, T>>> =
        lessons.iter().map(|_| Mutex::new(Parts { judged: None, timed: None })).collect();
    let fail = |error| {
        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        to_judge.store(lessons.len(), Ordering::Relaxed);
        to_time.store(lessons.len(), Ordering::Relaxed);
    };
    let put = |number: usize, new: Parts<J, T>| {
        let (Some(lesson), Some(its)) = (lessons.get(number), parts.get(number)) else { return };
        let mut its = its.lock().unwrap_or_else(PoisonError::into_inner);
        *its = Parts { judged: its.judged.take().or(new.judged), timed: its.timed.take().or(new.timed) };
        let through = its.timed.is_some() || workers.timing == 0 || !is_timed(lesson);
        if let Some(judged) = its.judged.as_ref().filter(|_| through) {
            done(lesson, judged, its.timed.as_ref());
        }
    };
    let work = |at: &AtomicUsize, of: &[(usize, &Lesson)], part: &dyn Fn(&Lesson) -> Result<Parts<J, T>>| {
        while let Some((number, lesson)) = next(at, of) {
            match part(lesson) {
                Ok(part) => put(number, part),
                Err(error) => fail(error),
            }
        }
    };
    let timing = |lesson: &Lesson| Ok(Parts { judged: None, timed: Some(time(lesson)?) });
    std::thread::scope(|scope| {
        for _ in 0..workers.timing {
            scope.spawn(|| work(&to_time, &timed, &timing));
        }
        for _ in 0..workers.judging.max(1) {
            scope.spawn(|| {
                let judge = judging();
                work(&to_judge, &numbered, &|lesson| Ok(Parts { judged: Some(judge(lesson)?), timed: None }));
            });
        }
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let parts = parts.into_iter().map(|parts| parts.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(parts.filter_map(|parts| Some((parts.judged?, parts.timed))).collect())
}

fn next<'a>(at: &AtomicUsize, of: &[(usize, &'a Lesson)]) -> Option<(usize, &'a Lesson)> {
    of.get(at.fetch_add(1, Ordering::Relaxed)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lesson_is_told_once_when_both_parts_are_through() {
        let course = crate::lessons::course();
        let lessons: Vec<&Lesson> = course.lessons().iter().collect();
        for timing in [0, 1, 2] {
            let reported = Mutex::new(Vec::new());
            let all = run(
                &lessons,
                Workers { judging: 3, timing },
                |lesson| lesson.number % 3 == 0,
                &|| Box::new(|lesson| Ok(lesson.slug.clone())),
                &|lesson| Ok(lesson.number),
                &|lesson, judged: &String, timed| {
                    assert_eq!(*judged, lesson.slug);
                    let is_timed = timing > 0 && lesson.number % 3 == 0;
                    assert_eq!(timed.copied(), is_timed.then_some(lesson.number));
                    reported.lock().unwrap().push(lesson.number);
                },
            )
            .unwrap();
            assert!(all.iter().map(|(slug, _)| slug).eq(lessons.iter().map(|lesson| &lesson.slug)));
            let mut reported = reported.into_inner().unwrap();
            reported.sort_unstable();
            assert!(reported.iter().copied().eq(lessons.iter().map(|lesson| lesson.number)));
        }
    }

    #[test]
    fn a_failing_environment_ends_it() {
        let course = crate::lessons::course();
        let lessons: Vec<&Lesson> = course.lessons().iter().collect();
        let tried = AtomicUsize::new(0);
        let judging = || -> Judging<()> {
            Box::new(|_| {
                tried.fetch_add(1, Ordering::Relaxed);
                anyhow::bail!("no compiler")
            })
        };
        let workers = Workers { judging: 1, timing: 0 };
        let ended = run::<(), ()>(&lessons, workers, |_| true, &judging, &|_| Ok(()), &|_, _, _| {});
        assert_eq!((ended.unwrap_err().to_string().as_str(), tried.into_inner()), ("no compiler", 1));
    }
}
