//! Compares the outputs of a case with the right values.

use super::case_run::Output;
use super::compare::{Compared, is_right};
use super::judged_case::JudgedCase;
use super::mismatch::{Setting, mismatch};
use super::pattern::WrongOutput;
use super::value::{Scalar, Values};
use super::verdict::Mismatch;
use crate::course::{ComparedCount, Order, SizedArgument, SizedCase, SizedLaunch, Spec, Writer};
use sim::{Dim3, LaunchConfig};

/// Returns the mismatch of the first output that is not as expected.
pub fn wrong_output(
    spec: &Spec,
    case: &JudgedCase,
    sized: &SizedCase,
    initial: &[Option<Values>],
    expected: &[Values],
    outputs: &[Output],
) -> Option<Mismatch> {
    let all = spec.buffers.iter().zip(initial);
    let inputs: Vec<(&str, &Values)> =
        all.filter_map(|(buffer, values)| Some((buffer.name.as_str(), values.as_ref()?))).collect();
    expected.iter().zip(outputs).find_map(|(want, output)| {
        let buffer = &spec.buffers[output.buffer];
        let right_value = |buffer: usize| {
            let place = outputs.iter().position(|output| output.buffer == buffer)?;
            expected.get(place)?.get(0)
        };
        let first = first(sized, output.buffer, &right_value);
        let any_order = buffer.compare.order == Order::Any;
        if !any_order && is_right(want, output, first, spec.tolerance) {
            return None;
        }
        let seen = Compared::new(want, output, first, any_order, spec.tolerance);
        let (want, got, written, right) = (&*seen.want, &*seen.got, seen.written, &seen.right);
        if right.iter().all(|right| *right) {
            return None;
        }
        let whole = &sized.shapes[output.buffer];
        let cut = [right.len()];
        let takes_it = |launch: &&SizedLaunch| launch.args.contains(&SizedArgument::Buffer(output.buffer));
        let shape: &[usize] = if first.is_some() { &cut } else { whole };
        let plain = WrongOutput::new([want, got], written, right, shape);
        let seen = WrongOutput { tolerance: spec.tolerance, inputs: &inputs, ..plain };
        let launch = sized.launches.iter().rev().find(takes_it).or(sized.launches.last());
        // Where host code chooses the launch configuration, it is not known which thread writes what.
        const OPEN: LaunchConfig =
            LaunchConfig { grid: Dim3::new(1, 1, 1), block: Dim3::new(1, 1, 1), dynamic_shared_bytes: 0 };
        let setting = Setting {
            case,
            buffer: &buffer.name,
            ty: buffer.ty,
            writer: if launch.is_some() { buffer.writer } else { Writer::Any },
            fixed_shape: buffer.shape.iter().all(|extent| extent.names().next().is_none()),
            config: launch.map_or(&OPEN, |launch| &launch.config),
        };
        let found = mismatch(&seen, &setting)?;
        Some(match any_order {
            true => Mismatch {
                pattern: found.pattern.filter(|it| it.is_position_independent()),
                any_order,
                ..found
            },
            false => found,
        })
    })
}

/// Returns how many leading elements of a buffer are compared, or `None` for all; `right` returns the first right
/// value of a buffer.
fn first(sized: &SizedCase, buffer: usize, right: &dyn Fn(usize) -> Option<Scalar>) -> Option<usize> {
    match *sized.first.get(buffer)? {
        ComparedCount::All => None,
        ComparedCount::Elements(count) => Some(count),
        ComparedCount::Of(other) => right(other).map(|count| count.to_f64().max(0.0) as usize),
    }
}

/// Finds the first place where a reference's output differs from what the case states. Returns the index, the
/// stated value and the reference's value.
pub fn first_wrong(
    spec: &Spec,
    sized: &SizedCase,
    stated: &Values,
    output: &Output,
    all: &[Output],
) -> Option<(usize, f64, f64)> {
    let right = |buffer: usize| all.iter().find(|output| output.buffer == buffer)?.got.get(0);
    let first = first(sized, output.buffer, &right);
    let any_order = spec.buffers[output.buffer].compare.order == Order::Any;
    let seen = Compared::new(stated, output, first, any_order, spec.tolerance);
    let place = seen.right.iter().position(|right| !right)?;
    Some((place, seen.want.get(place)?.to_f64(), seen.got.get(place)?.to_f64()))
}
