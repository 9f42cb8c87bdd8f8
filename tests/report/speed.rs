//! Bars on the time that a kernel takes on a GPU.

use super::{case, shown};
use gpulearn::judge::course::Ratio;
use gpulearn::judge::{Failure, NotTimed, Passed, Speed, SpeedBar, SpeedState, TooFast};

fn speed(state: SpeedState, measured: f64) -> Speed {
    let bar = |ratio, needed, measured, state| SpeedBar {
        ratio,
        needed,
        measured,
        state,
        why: "Let neighbours read neighbours.".into(),
    };
    Speed {
        gpu: Some("NVIDIA H100 80GB HBM3".into()),
        case: case("rows = 4096, cols = 4096").to_string(),
        ns: Some(51_234.5),
        bars: vec![
            bar(Ratio::ShareOfCopyBandwidth, 75.0, Some(measured), state),
            bar(Ratio::SpeedupOverStarter, 1.5, Some(3.4), SpeedState::Met),
        ],
        suspicious: None,
        not_run: None,
    }
}

#[test]
fn bars_on_a_gpu() {
    let failed = |speed: Speed| Err(Box::new(Failure::Speed(Box::new(speed))));
    let slow = shown("coalescing", failed(speed(SpeedState::Missed, 61.2)), "");
    insta::assert_snapshot!("speed_missed", slow);
    let suspicious = Some(TooFast { ns: 2_000.0, moved_bytes: 134_217_728, floor_ns: 45_000.0 });
    let fast = Speed { suspicious, ..speed(SpeedState::Met, 190.0) };
    insta::assert_snapshot!("speed_suspicious", shown("coalescing", failed(fast), ""));
    let passed = |speed: Speed| Ok(Passed { cases: 4, speed: Some(speed), ..Passed::default() });
    let unsure = shown("coalescing", passed(speed(SpeedState::Unstable, 74.2)), "");
    insta::assert_snapshot!("speed_unstable", unsure);
    let mut not_run = speed(SpeedState::NotRun, 0.0);
    not_run.bars.iter_mut().for_each(|bar| bar.measured = None);
    (not_run.gpu, not_run.ns) = (None, None);
    not_run.not_run = Some(NotTimed::NoGpu);
    insta::assert_snapshot!("speed_not_run", shown("coalescing", passed(not_run), ""));
}
