//! Compares a lesson's GPU times with its bars: ratios of times measured in the same run.

use super::measured::{Measured, NotMeasured, Samples, flush_bytes, sampled};
use super::roofline::Roofline;
use super::sampling::{Settings, sample};
use super::statistics::Summary;
use super::{Limits, least_bytes};
use crate::course::{Lesson, Ratio, Role};
use crate::on_gpu::{Gpu, GpuCase, ValueOrigin};
use crate::{
    Failure, LaunchFailure, Options, OwnFailure, Prepared, Speed, SpeedBar, SpeedState, TooFast, ToolLimit,
    Verdict,
};
use anyhow::Result;
use gpu::NotRun;
use std::cell::OnceCell;

/// A ratio that misses its bar by this factor counts as missed even if times are unstable.
const CLEAR_MISS_FACTOR: f64 = 2.0;

/// The measurements that ratios are computed from. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub ours: Summary,
    pub starter: Option<Summary>,
    pub library: Option<Summary>,
    /// Bytes that must move at least: each input read once, each output written once.
    pub bytes: u64,
    /// The part of `bytes` that caches cannot absorb.
    pub moved_bytes: u64,
    /// Rate of a copy on this card in GB/s.
    pub copy_gbps: f64,
}

impl Times {
    /// Returns a ratio's value and the best value within the confidence intervals of the times. `None` if the time
    /// that it compares with was not measured.
    pub fn ratio(&self, ratio: Ratio) -> Option<(f64, f64)> {
        let (above_ns, best_ns) = match ratio {
            Ratio::ShareOfCopyBandwidth => {
                let copy_ns = 100.0 * self.bytes as f64 / self.copy_gbps;
                (copy_ns, copy_ns)
            }
            Ratio::SpeedupOverStarter => {
                let starter = self.starter?;
                (starter.median_ns, starter.high_ns)
            }
            Ratio::ShareOfLibrary => {
                let library = self.library?;
                (100.0 * library.median_ns, 100.0 * library.high_ns)
            }
        };
        let ratio = above_ns / self.ours.median_ns;
        ratio.is_finite().then_some((ratio, best_ns / self.ours.low_ns))
    }

    fn is_stable(&self, ratio: Ratio) -> bool {
        let other = match ratio {
            Ratio::ShareOfCopyBandwidth => return self.ours.is_stable(),
            Ratio::SpeedupOverStarter => self.starter,
            Ratio::ShareOfLibrary => self.library,
        };
        self.ours.is_stable() && other.is_some_and(|other| other.is_stable())
    }

    /// Returns whether a bar is met or missed, or that it cannot be decided. A doubtful measurement never counts as
    /// a miss.
    pub fn state(&self, ratio: Ratio, needed: f64) -> SpeedState {
        match self.ratio(ratio) {
            None => SpeedState::NotRun,
            Some((value, _)) if value >= needed => SpeedState::Met,
            Some((_, best)) if best < needed && self.is_stable(ratio) => SpeedState::Missed,
            // Far enough off that no variation of the times can explain it.
            Some((_, best)) if CLEAR_MISS_FACTOR * best < needed => SpeedState::Missed,
            // Also reached if a time is NaN.
            Some(_) => SpeedState::Unstable,
        }
    }

    /// Returns why the time is implausible, if it is.
    pub fn suspicion(&self) -> Option<TooFast> {
        let roof = Roofline::of(self.moved_bytes, None, self.ours.median_ns, self.copy_gbps, 0.0)?;
        let (ns, moved_bytes, floor_ns) = (self.ours.median_ns, self.moved_bytes, roof.floor_ns);
        roof.is_suspicious().then_some(TooFast { ns, moved_bytes, floor_ns })
    }
}

/// Returns the bytes that must move to or from device memory: outputs may still be in the cache when a kernel ends,
/// whereas the caches are flushed of inputs before.
fn moved_bytes(large: &Lesson, cache_bytes: u64) -> u64 {
    let sized = large.spec.cases.first().and_then(|case| large.spec.sized(case).ok());
    let Some(sized) = sized else { return 0 };
    let of = |wanted: &dyn Fn(Role) -> bool| -> u64 {
        let all = large.spec.buffers.iter().zip(&sized.shapes).filter(|(buffer, _)| wanted(buffer.role));
        all.map(|(buffer, shape)| (shape.iter().product::<usize>() * buffer.ty.bytes()) as u64).sum()
    };
    of(&Role::is_input) + of(&Role::is_output).saturating_sub(cache_bytes)
}

/// The time of cuBLAS, or why it is not known.
type Library = Result<Summary, String>;

/// Times a lesson on one GPU at the sizes of its bench. Everything runs on first use, and what does not depend on
/// the learner's kernels runs only once.
pub struct GpuBench<'a> {
    lesson: &'a Lesson,
    seed: u64,
    gpu: &'a Gpu,
    settings: Settings,
    large: OnceCell<GpuCase>,
    starter: OnceCell<Summary>,
    library: OnceCell<Library>,
}

impl<'a> GpuBench<'a> {
    /// Returns `None` if the lesson has nothing to time.
    pub fn new(lesson: &'a Lesson, seed: u64, gpu: &'a Gpu, settings: &Settings) -> Option<GpuBench<'a>> {
        lesson.spec.bench.as_ref()?;
        // Always timed with events, as every bench is long enough, and with the caches flushed, which a replayed
        // graph would not allow.
        let settings = Settings { short_ns: 0.0, ..*settings };
        let (large, starter, library) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Some(GpuBench { lesson, seed, gpu, settings, large, starter, library })
    }

    /// Returns the lesson at the sizes that are timed, with its right values.
    fn large(&self) -> Result<&GpuCase> {
        get_or_try_init(&self.large, || GpuCase::new(self.lesson, self.seed, self.gpu))
    }

    /// Times kernels; their results are checked directly before and after.
    ///
    /// # Errors
    ///
    /// Fails if the kernels are wrong, before or after, or if they can't be timed.
    pub fn time(&self, source: &str, file_name: &str) -> Result<Measured, NotMeasured> {
        let large = self.large()?;
        let program = large.run(source, file_name, self.gpu)?;
        let launches = program.launched();
        let measured = sampled(&mut program.session(), launches, self.gpu, &self.settings)?;
        match large.again(&program, self.gpu)? {
            Some(mismatch) => Err(NotMeasured::Wrong(Box::new(Failure::Wrong(mismatch)))),
            None => Ok(measured),
        }
    }

    /// Returns the time of the lesson's starter; `None` unless the starter is right but slow.
    fn starter(&self) -> Result<Option<Summary>, NotMeasured> {
        if !self.lesson.has_slow_starter() {
            return Ok(None);
        }
        let file = self.lesson.kernel_path();
        let timed = || match self.time(&self.lesson.starter, &file) {
            Ok(measured) => Ok(measured.summary),
            Err(NotMeasured::Wrong(failure)) => {
                let error = anyhow::Error::new(OwnFailure::of(failure));
                Err(NotMeasured::Environment(error.context(format!("{file} at its bench"))))
            }
            Err(other) => Err(other),
        };
        get_or_try_init(&self.starter, timed).map(|summary| Some(*summary))
    }

    /// Returns the time of cuBLAS at the same sizes; `None` if the lesson names no library.
    ///
    /// # Errors
    ///
    /// Fails if the lesson's own solution can't be run; why cuBLAS has no time is part of the result.
    pub fn library(&self) -> Result<Option<&Library>, NotMeasured> {
        if self.lesson.spec.bench.as_ref().is_none_or(|bench| bench.library.is_none()) {
            return Ok(None);
        }
        let timed = || {
            let large = self.large()?;
            let product = large.product(self.gpu)?;
            let Some((program, product)) = product else { return Ok(Err("it has no matrices".into())) };
            let sampled = {
                let (mut session, turn) = (program.session(), self.gpu.turns().alone());
                let mut samples = Samples::of_product(&mut session, product, flush_bytes(self.gpu), &turn);
                sample(&mut samples, &self.settings)
            };
            match sampled {
                Ok((_, summary)) if large.is_right(&program)? => Ok(Ok(summary)),
                Ok(_) => Ok(Err("its product is not the lesson's".into())),
                // cuBLAS need not be installed.
                Err(NotRun::GpuError(gpu_error)) => Ok(Err(gpu_error.to_string())),
                Err(error) => Err(NotMeasured::from(error)),
            }
        };
        get_or_try_init(&self.library, timed).map(Some)
    }

    /// Measures everything that the ratios of these kernels are computed from.
    ///
    /// # Errors
    ///
    /// Fails as [`GpuBench::time`] does, or if what they are compared with can't be timed.
    pub fn times(&self, source: &str, file_name: &str) -> Result<Times, NotMeasured> {
        let ours = self.time(source, file_name)?.summary;
        self.compared_times(ours)
    }

    /// Like [`GpuBench::times`], for the starter; `None` unless the starter is right but slow.
    ///
    /// # Errors
    ///
    /// Fails as [`GpuBench::times`] does.
    pub fn starter_times(&self) -> Result<Option<Times>, NotMeasured> {
        self.starter()?.map(|ours| self.compared_times(ours)).transpose()
    }

    fn compared_times(&self, ours: Summary) -> Result<Times, NotMeasured> {
        let lesson = self.large()?.lesson();
        let compared = lesson.spec.gpu_bars.iter().any(|bar| bar.ratio == Ratio::SpeedupOverStarter);
        Ok(Times {
            ours,
            library: self.library()?.and_then(|library| library.as_ref().ok().copied()),
            starter: if compared { self.starter()? } else { None },
            bytes: least_bytes(lesson),
            moved_bytes: moved_bytes(lesson, self.gpu.info().map_or(0, |device| device.cache_bytes)),
            copy_gbps: Limits::of(self.gpu)?.copy_gbps,
        })
    }

    /// Compares times with every bar of the lesson.
    pub fn check_bars(&self, times: &Times) -> Speed {
        let bars = self.lesson.spec.gpu_bars.iter().map(|bar| SpeedBar {
            ratio: bar.ratio,
            needed: bar.at_least,
            measured: times.ratio(bar.ratio).map(|(value, _)| value),
            state: times.state(bar.ratio, bar.at_least),
            why: match (bar.ratio, self.library.get()) {
                (Ratio::ShareOfLibrary, Some(Err(why))) => why.clone(),
                _ => bar.why.clone(),
            },
        });
        Speed {
            gpu: Some(self.gpu.name().to_owned()),
            case: self.lesson.spec.bench.as_ref().map(|bench| bench.sizes.to_string()).unwrap_or_default(),
            ns: Some(times.ours.median_ns),
            bars: bars.collect(),
            suspicious: times.suspicion(),
            not_run: None,
        }
    }
}

/// Returns the contents of a cell, computing them on first use.
fn get_or_try_init<T, E>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    match cell.get() {
        Some(value) => Ok(value),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

/// Returns the verdict with values from a GPU, and with the lesson's GPU bars once everything else is right.
///
/// # Errors
///
/// Fails if the environment or the lesson is at fault.
pub fn verdict(
    gpu_bench: Option<&GpuBench>,
    prepared: &Prepared,
    (source, file_name): (&str, &str),
    options: &Options,
    gpu: &Gpu,
) -> Result<(Verdict, ValueOrigin)> {
    let (verdict, values) = prepared.verdict_on(options, gpu)?;
    let Some(gpu_bench) = gpu_bench.filter(|gpu_bench| !gpu_bench.lesson.spec.gpu_bars.is_empty()) else {
        return Ok((verdict, values));
    };
    if values != ValueOrigin::Gpu || verdict.result.is_err() {
        return Ok((verdict, values));
    }
    let speed = match gpu_bench.times(source, file_name) {
        Ok(times) => Ok(gpu_bench.check_bars(&times)),
        Err(NotMeasured::Wrong(failure)) => Err(*failure),
        Err(NotMeasured::Launch { error, meaning }) => {
            Err(Failure::Launch { why: LaunchFailure::Timed { error, meaning }, clean: false })
        }
        Err(NotMeasured::Changed { .. }) => Err(Failure::Limit(ToolLimit::ChangingValues)),
        Err(NotMeasured::Environment(error)) => return Err(error),
    };
    Ok((with_speed(verdict, speed), values))
}

/// Adds the measured speed to the verdict on a right kernel.
fn with_speed(verdict: Verdict, speed: Result<Speed, Failure>) -> Verdict {
    let result = match (verdict.result, speed) {
        (Ok(_), Ok(speed)) if !speed.passes() => Err(Failure::Speed(Box::new(speed))),
        (Ok(mut passed), Ok(speed)) => {
            passed.speed = Some(speed);
            Ok(passed)
        }
        (Ok(_), Err(failure)) => Err(failure),
        (failed, _) => failed,
    };
    Verdict { result, ..verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Passed;

    fn summary(median_ns: f64, spread: f64) -> Summary {
        let samples: Vec<f64> =
            (0..101).map(|n| median_ns * (1.0 + spread * (f64::from(n) - 50.0) / 50.0)).collect();
        Summary::of(&samples).unwrap()
    }

    fn times(ours_ns: f64, spread: f64) -> Times {
        Times {
            ours: summary(ours_ns, spread),
            starter: Some(summary(100_000.0, 0.0)),
            library: Some(summary(40_000.0, 0.0)),
            bytes: 90_000_000,
            moved_bytes: 60_000_000,
            copy_gbps: 2_000.0,
        }
    }

    #[test]
    fn ratios_are_of_the_times_of_one_run() {
        // 90 MB at 2000 GB/s take 45 µs.
        let times = times(50_000.0, 0.0);
        assert_eq!(times.ratio(Ratio::ShareOfCopyBandwidth), Some((90.0, 90.0)));
        assert_eq!(times.ratio(Ratio::SpeedupOverStarter), Some((2.0, 2.0)));
        assert_eq!(times.ratio(Ratio::ShareOfLibrary), Some((80.0, 80.0)));
        for (ratio, needed, state) in [
            (Ratio::ShareOfCopyBandwidth, 90.0, SpeedState::Met),
            (Ratio::ShareOfCopyBandwidth, 90.5, SpeedState::Missed),
            (Ratio::SpeedupOverStarter, 2.0, SpeedState::Met),
            (Ratio::SpeedupOverStarter, 2.1, SpeedState::Missed),
        ] {
            assert_eq!(times.state(ratio, needed), state, "{ratio:?} {needed}");
        }
        let alone = Times { starter: None, library: None, ..times };
        assert_eq!(alone.state(Ratio::ShareOfLibrary, 2.0), SpeedState::NotRun);
        assert_eq!(alone.state(Ratio::SpeedupOverStarter, 2.0), SpeedState::NotRun);
    }

    #[test]
    fn what_varies_is_not_held_against_anybody() {
        let wide = times(50_000.0, 0.4);
        assert_eq!(wide.state(Ratio::SpeedupOverStarter, 2.05), SpeedState::Unstable);
        assert_eq!(wide.state(Ratio::SpeedupOverStarter, 3.0), SpeedState::Unstable);
        assert_eq!(wide.state(Ratio::SpeedupOverStarter, 20.0), SpeedState::Missed);
        assert_eq!(wide.state(Ratio::SpeedupOverStarter, 1.9), SpeedState::Met);
        let unsure = Times { starter: Some(summary(100_000.0, 0.4)), ..times(50_000.0, 0.0) };
        assert_eq!(unsure.state(Ratio::SpeedupOverStarter, 3.0), SpeedState::Unstable);
        assert_eq!(unsure.state(Ratio::ShareOfCopyBandwidth, 99.0), SpeedState::Missed);
        let nothing = Times { ours: Summary { median_ns: 0.0, ..summary(1.0, 0.0) }, ..times(1.0, 0.0) };
        assert_eq!(nothing.state(Ratio::SpeedupOverStarter, 2.0), SpeedState::NotRun);
    }

    #[test]
    fn faster_than_memory_is_refused_with_the_reason() {
        // 60 MB must be moved: 30 µs.
        assert_eq!(times(29_500.0, 0.0).suspicion(), None);
        let why = TooFast { ns: 20_000.0, moved_bytes: 60_000_000, floor_ns: 30_000.0 };
        assert_eq!(times(20_000.0, 0.0).suspicion(), Some(why));
    }

    #[test]
    fn only_a_missed_bar_or_a_suspicion_fails_a_kernel() {
        let slug = |speed: Result<Speed, Failure>| {
            let verdict = Verdict::of("a", Ok(Passed::default()));
            match with_speed(verdict, speed).result {
                Ok(passed) => passed.speed.map_or("nothing", |_| "pass"),
                Err(failure) => failure.slug(),
            }
        };
        let bar = |state| SpeedBar {
            ratio: Ratio::SpeedupOverStarter,
            needed: 2.0,
            measured: Some(1.0),
            state,
            why: String::new(),
        };
        let speed = |state| Speed { bars: vec![bar(SpeedState::Met), bar(state)], ..Speed::default() };
        for (state, expected) in [
            (SpeedState::Met, "pass"),
            (SpeedState::Missed, "too-slow"),
            (SpeedState::Unstable, "pass"),
            (SpeedState::NotRun, "pass"),
        ] {
            assert_eq!(slug(Ok(speed(state))), expected);
        }
        let suspicious = Speed { suspicious: times(20_000.0, 0.0).suspicion(), ..speed(SpeedState::Met) };
        assert_eq!(slug(Ok(suspicious)), "too-fast");
        assert_eq!(slug(Err(Failure::Limit(ToolLimit::ChangingValues))), "limit");
    }
}
