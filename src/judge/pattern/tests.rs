use super::super::compare::compare;
use super::*;

const WANT: [f64; 12] = [3.0, 1.0, 4.0, 15.0, 9.0, 2.0, 6.0, 5.0, 35.0, 8.0, 97.0, 93.0];
const INPUT: [f64; 12] = [1.5, 0.0, 2.0, 7.0, 4.0, 1.0, 3.0, 2.5, 17.0, 4.0, 48.0, 46.0];

/// Element `i` belongs to thread `i % 4` of block `i / 4`.
fn places() -> [ThreadPosition; 12] {
    std::array::from_fn(|i| ThreadPosition {
        block: Dim3::new(i as u32 / 4, 0, 0),
        thread: Some(Dim3::new(i as u32 % 4, 0, 0)),
    })
}

/// The shape is (3, 4).
fn pattern_of(got: [f64; 12], written: [bool; 12]) -> Option<Pattern> {
    let tolerance = Tolerance { abs: 0.0, rel: 1e-6 };
    let (want, got) = (Values::Float(WANT.into()), Values::Float(got.into()));
    let right = compare(&want, &got, &written, tolerance);
    assert!(right.contains(&false));
    recognise(&WrongOutput {
        tolerance,
        inputs: &[("a", &Values::Float(vec![1.0])), ("b", &Values::Float(INPUT.into()))],
        places: Some(&places()),
        ..WrongOutput::new([&want, &got], &written, &right, &[3, 4])
    })
}

fn written(got: impl Fn(usize) -> f64) -> Option<Pattern> {
    pattern_of(std::array::from_fn(got), [true; 12])
}

#[test]
fn each_pattern_is_recognised() {
    assert_eq!(pattern_of(WANT, [false; 12]), Some(Pattern::Untouched));
    assert_eq!(written(|_| 0.0), Some(Pattern::AllZero));
    assert_eq!(written(|_| 7.0), Some(Pattern::Constant));
    assert_eq!(written(|i| INPUT[i]), Some(Pattern::CopyOfInput { buffer: "b".into() }));
    assert_eq!(written(|i| WANT[11 - i]), Some(Pattern::Reversed));
    assert_eq!(written(|i| WANT[i % 3 * 4 + i / 3]), Some(Pattern::Transposed));
    assert_eq!(written(|i| *WANT.get(i + 1).unwrap_or(&-1.0)), Some(Pattern::Shifted { by: 1 }));
    assert_eq!(written(|i| if i < 2 { 0.5 } else { WANT[i - 2] }), Some(Pattern::Shifted { by: -2 }));
    assert_eq!(written(|i| if i == 5 { f64::NAN } else { WANT[i] }), Some(Pattern::NotANumber));
    assert_eq!(written(|i| if i == 5 { f64::INFINITY } else { WANT[i] }), Some(Pattern::Infinite));
    let nearly = written(|i| WANT[i] * if i == 3 { 1.0 + 1.0 / 4096.0 } else { 1.0 });
    assert_eq!(nearly, Some(Pattern::NearlyRight { relative: 1.0 / 4096.0 }));
}

#[test]
fn values_without_their_fractions_are_known() {
    let pattern_of = |want: &[f64], got: &[f64]| {
        let (want, got) = (Values::Float(want.into()), Values::Float(got.into()));
        let written = vec![true; want.count()];
        let right = compare(&want, &got, &written, Tolerance::default());
        recognise(&WrongOutput::new([&want, &got], &written, &right, &[want.count()]))
    };
    let whole = |cut| Some(Pattern::Whole { cut });
    assert_eq!(pattern_of(&[1.5, 2.0, -7.5], &[1.0, 2.0, -7.0]), whole(true));
    assert_eq!(pattern_of(&[4000.5], &[4000.0]), whole(true));
    let sums = [1.5, 20.5, -7.5, 8.0, 3.5, 11.5];
    assert_eq!(pattern_of(&sums, &[1.0, 20.0, -7.0, 7.0, 4.0, 11.0]), whole(false));
    assert_eq!(pattern_of(&sums, &[1.5, 20.0, -7.0, 7.0, 4.0, 11.0]), None);
    assert_eq!(pattern_of(&sums[..3], &[1.0, 21.0, -7.0]), None);
    // Whole, but far from the right values.
    assert_eq!(pattern_of(&sums, &[12.0, 164.0, -60.0, 64.0, 28.0, 92.0]), None);
}

#[test]
fn what_was_not_written_is_told_where_it_is_one_run() {
    let some = |written: fn(usize) -> bool| pattern_of(WANT, std::array::from_fn(written));
    let partly = |written, gap| Some(Pattern::PartlyWritten { written, gap });
    assert_eq!(some(|i| i % 3 == 0), partly(4, None));
    assert_eq!(some(|i| i != 7), partly(11, Some(7..8)));
    assert_eq!(some(|i| !(2..5).contains(&i)), partly(9, Some(2..5)));
}

#[test]
fn what_an_output_held_before_is_known_again() {
    let pattern_of = |got: [f64; 12]| {
        let tolerance = Tolerance { abs: 0.0, rel: 1e-6 };
        let (want, got, before) =
            (Values::Float(WANT.into()), Values::Float(got.into()), Values::Float(INPUT.into()));
        let right = compare(&want, &got, &[true; 12], tolerance);
        recognise(&WrongOutput {
            tolerance,
            inputs: &[("data", &before)],
            places: Some(&places()),
            before: Some(&before),
            ..WrongOutput::new([&want, &got], &[true; 12], &right, &[12])
        })
    };
    let partly = |unchanged, gap| Some(Pattern::PartlyUnchanged { unchanged, gap });
    let mixed = |kept: fn(usize) -> bool| std::array::from_fn(|i| if kept(i) { INPUT[i] } else { WANT[i] });
    assert_eq!(pattern_of(INPUT), Some(Pattern::Unchanged));
    assert_eq!(pattern_of(mixed(|i| i % 2 == 0)), partly(6, None));
    assert_eq!(pattern_of(mixed(|i| i > 9)), partly(2, Some(10..12)));
    let only = Some(Pattern::FirstBlockOnly { right: 4, others: LaterBlocks::Unset });
    assert_eq!(pattern_of(mixed(|i| i > 3)), only);
}

#[test]
fn two_wrong_values_say_nothing_of_the_other_blocks() {
    let of_block = |first: usize| {
        let places = std::array::from_fn::<_, 12, _>(|i| ThreadPosition {
            block: Dim3::new(u32::from(i >= first), 0, 0),
            thread: Some(Dim3::new((i % first) as u32, 0, 0)),
        });
        let tolerance = Tolerance { abs: 0.0, rel: 1e-6 };
        let got: [f64; 12] = std::array::from_fn(|i| WANT[i] + f64::from(i >= first));
        let (want, got) = (Values::Float(WANT.into()), Values::Float(got.into()));
        let right = compare(&want, &got, &[true; 12], tolerance);
        let seen = WrongOutput {
            tolerance,
            places: Some(&places),
            ..WrongOutput::new([&want, &got], &[true; 12], &right, &[12])
        };
        matches!(recognise(&seen), Some(Pattern::FirstBlockOnly { .. }))
    };
    assert_eq!((of_block(9), of_block(10)), (true, false));
}

#[test]
fn the_first_block_alone_is_right_for_three_reasons() {
    let only = |others| Some(Pattern::FirstBlockOnly { right: 4, others });
    assert_eq!(pattern_of(WANT, std::array::from_fn(|i| i < 4)), only(LaterBlocks::Unset));
    assert_eq!(written(|i| WANT[i % 4]), only(LaterBlocks::Repeated));
    assert_eq!(written(|i| if i < 4 { WANT[i] } else { 0.0 }), only(LaterBlocks::Wrong));
    let some = std::array::from_fn(|i| i < 4 || i == 6);
    assert_eq!(pattern_of(std::array::from_fn(|i| WANT[i % 4]), some), only(LaterBlocks::Repeated));
}

#[test]
fn a_wrong_tail_begins_somewhere() {
    let tail = |from: usize| written(move |i| if i >= from { -1.0 } else { WANT[i] });
    let wrong = |from, starts| Some(Pattern::TailWrong { from, starts });
    // All blocks are full.
    assert_eq!(tail(10), wrong(10, TailStart::Elsewhere));
    assert_eq!(tail(8), wrong(8, TailStart::WithBlock(Dim3::new(2, 0, 0))));
    assert_eq!(tail(7), wrong(7, TailStart::Elsewhere));
    assert_eq!(tail(3), None);
}

#[test]
fn the_last_block_is_blamed_only_where_it_is_partly_filled() {
    let (want, places) = (&WANT[..11], &places()[..11]);
    let want = Values::Float(want.into());
    let got: Vec<f64> = (0..11).map(|i| if i > 8 { -1.0 } else { WANT[i] }).collect();
    let (got, written) = (Values::Float(got), [true; 11]);
    let right = compare(&want, &got, &written, Tolerance::default());
    let seen =
        WrongOutput { places: Some(places), ..WrongOutput::new([&want, &got], &written, &right, &[11]) };
    assert_eq!(recognise(&seen), Some(Pattern::TailWrong { from: 9, starts: TailStart::InLastBlock }));
}

#[test]
fn what_other_mistakes_give_as_well_is_not_named() {
    let pattern_of = |want: &[i64], got: &[i64]| {
        let (want, got) = (Values::Int(want.into()), Values::Int(got.into()));
        let written = vec![true; want.count()];
        let right = compare(&want, &got, &written, Tolerance::default());
        recognise(&WrongOutput::new([&want, &got], &written, &right, &[want.count()]))
    };
    // Each value is one place too early, and also too small by one.
    assert_eq!(pattern_of(&[5, 4, 3, 2, 1, 1], &[4, 3, 2, 1, 1, 1]), None);
    assert_eq!(pattern_of(&[5, 9, 3, 2, 7, 1], &[9, 3, 2, 7, 1, 1]), Some(Pattern::Shifted { by: 1 }));
    // Small numbers with few distinct values, which repeat.
    assert_eq!(pattern_of(&[2, 1, 1, 2, 1, 1], &[1, 2, 1, 1, 2, 1]), None);
    assert_eq!(pattern_of(&[1, 2, 1, 2, 1, 1], &[3, 2, 1, 1, 2, 1]), None);
    // All equal, as they should be.
    assert_eq!(pattern_of(&[2, 2, 2, 2], &[1, 1, 1, 1]), None);
    assert_eq!(pattern_of(&[2, 3, 2, 2], &[1, 1, 1, 1]), Some(Pattern::Constant));
}

#[test]
fn values_that_are_off_by_one_number_are_known() {
    let by = |by| Some(Pattern::Offset { by });
    assert_eq!(written(|i| WANT[i] + 2.0), by(2.0));
    assert_eq!(written(|i| if i == 5 { WANT[i] } else { WANT[i] + 2.0 }), None);
    let one = |want: f64, got: f64| {
        let (want, got) = (Values::Float(vec![want]), Values::Float(vec![got]));
        recognise(&WrongOutput::new([&want, &got], &[true], &[false], &[1]))
    };
    assert_eq!((one(-61.75, -60.75), one(8.5, 7.5)), (by(1.0), by(-1.0)));
    assert_eq!(one(-61.75, -60.25), None);
}

#[test]
fn a_shift_among_old_values_is_known() {
    let pattern_of = |got: &[i64]| {
        let old = [-7, -3, -8, -1, -6, -2, -9, -4];
        let want = Values::Int(vec![9, 3, 8, 5, 6, -2, -9, -4]);
        let (before, got) = (Values::Int(old.into()), Values::Int(got.into()));
        let written = [true; 8];
        let right = compare(&want, &got, &written, Tolerance::default());
        recognise(&WrongOutput {
            before: Some(&before),
            ..WrongOutput::new([&want, &got], &written, &right, &[8])
        })
    };
    assert_eq!(pattern_of(&[-7, 9, 3, 8, 5, 6, -9, -4]), Some(Pattern::Shifted { by: -1 }));
    assert_eq!(pattern_of(&[-7, 9, 3, 8, 5, 0, -9, -4]), None);
}

#[test]
fn what_fits_none_is_not_named() {
    assert_eq!(written(|i| if i % 5 == 0 { WANT[i] + 1.0 } else { WANT[i] }), None);
}

#[test]
fn one_element_is_not_over_interpreted() {
    let (want, got) = (Values::Int(vec![9]), Values::Int(vec![7]));
    let seen = |got: &Values| recognise(&WrongOutput::new([&want, got], &[true], &[false], &[1]));
    assert_eq!(seen(&got), None);
    assert_eq!(seen(&Values::Int(vec![0])), Some(Pattern::AllZero));
}
