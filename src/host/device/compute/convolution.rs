//! cuDNN's forward convolution: gathers patches into a matrix, then multiplies (im2col).

use super::element::Real;
use super::operand::read;
use super::span::Span;
use crate::device::ElementType;
use crate::device::library::Convolution;
use sim::{Address, Machine};
use std::ops::Range;

/// Maximum number of elements of patches and products held at a time.
const TILE_ELEMENTS: usize = 1 << 22;

/// Returns the number of elements of storage from a tensor's first element to its last.
fn reach(extents: [u64; 4], strides: [u64; 4]) -> u64 {
    if extents.contains(&0) {
        return 0;
    }
    let last =
        extents.iter().zip(strides).fold(0u64, |sum, (e, s)| sum.saturating_add((e - 1).saturating_mul(s)));
    last.saturating_add(1)
}

/// Returns a filter's strides: its elements are dense, in the order of its extents K, C, R, S.
fn filter_strides([_, c, r, s]: [u64; 4]) -> [u64; 4] {
    [c * r * s, r * s, s, 1]
}

pub fn spans(call: &Convolution) -> Vec<Span> {
    let span = |at: Address, elements: u64, write| {
        Span::dense(at, elements.saturating_mul(call.element.bytes() as u64), write)
    };
    let output = reach(call.y.1, call.y.2);
    let mut all = vec![
        span(call.x.0, reach(call.x.1, call.x.2), false),
        span(call.w.0, reach(call.w.1, filter_strides(call.w.1)), false),
        span(call.y.0, output, true),
    ];
    let (workspace, bytes) = call.workspace;
    if bytes > 0 {
        all.push(Span::dense(workspace, bytes, true));
    }
    if call.beta != 0.0 {
        all.push(span(call.y.0, output, false));
    }
    all
}

pub fn operations(call: &Convolution) -> (u64, ElementType, bool) {
    let [_, c, r, s] = call.w.1;
    let outputs = call.y.1.iter().fold(1u64, |product, e| product.saturating_mul(*e));
    let halves = matches!(call.element, ElementType::F16 | ElementType::Bf16);
    (outputs.saturating_mul(2).saturating_mul(c * r * s), call.element, halves)
}

pub fn run(machine: &mut Machine, call: &Convolution) {
    match call.element {
        ElementType::F64 => run_in::<f64>(machine, call, TILE_ELEMENTS),
        _ => run_in::<f32>(machine, call, TILE_ELEMENTS),
    }
}

fn run_in<T: Real>(machine: &mut Machine, call: &Convolution, tile_elements: usize) {
    let ([n, _, h, w], [filters, per_group, r, s]) = (call.x.1, call.w.1);
    let [_, _, p, q] = call.y.1;
    let groups = call.groups.max(1);
    let image = read::<T>(machine, call.x.0, reach(call.x.1, call.x.2), call.element);
    let weights = read::<T>(machine, call.w.0, filters * per_group * r * s, call.element);
    let mut out = read::<T>(machine, call.y.0, reach(call.y.1, call.y.2), call.element);
    let (inner, filters_each) = ((per_group * r * s) as usize, (filters / groups) as usize);
    let (alpha, beta) = (T::from_f64(call.alpha), T::from_f64(call.beta));
    // One product per image and group: (places, inner) by (inner, filters), processing as many output places
    // at a time as fit in a bounded amount of memory.
    let places = (p * q) as usize;
    let tile = (tile_elements / (inner + filters_each).max(1)).clamp(1, places.max(1));
    let mut patches = vec![T::default(); tile * inner];
    let mut product = vec![T::default(); tile * filters_each];
    for group in 0..groups {
        let own = &weights[group as usize * filters_each * inner..][..filters_each * inner];
        for (sample, first) in (0..n).flat_map(|n| (0..places).step_by(tile).map(move |first| (n, first))) {
            let here = tile.min(places - first);
            let seen = Seen { sample, channel: group * per_group, places: first..first + here };
            gather(call, &image, &seen, [h, w], &mut patches);
            T::product([here, filters_each, inner], alpha, &patches, own, T::default(), &mut product);
            for filter in 0..filters_each {
                for place in 0..here {
                    let at = (first + place) as u64;
                    let index = [sample, group * (filters / groups) + filter as u64, at / q, at % q];
                    let at = index.iter().zip(call.y.2).map(|(i, stride)| i * stride).sum::<u64>() as usize;
                    let new = product[place + filter * here];
                    out[at] = if call.beta == 0.0 { new } else { new + beta * out[at] };
                }
            }
        }
    }
    machine.write(call.y.0, &T::encode(call.element, &out));
}

/// A tile of the output.
struct Seen {
    sample: u64,
    /// The first input channel of the group.
    channel: u64,
    /// Output places, in row-major order.
    places: Range<usize>,
}

/// Fills `patches`, a column-major matrix (places, channels·R·S), with the elements of one image's channels
/// that each output place depends on; elements outside the image are zero.
fn gather<T: Real>(call: &Convolution, image: &[T], seen: &Seen, [h, w]: [u64; 2], patches: &mut [T]) {
    let [_, per_group, r, s] = call.w.1;
    let q = call.y.1[3];
    let [x0, x1, x2, x3] = call.x.2;
    let columns = (per_group * r * s) as usize;
    for (column, patch) in patches.chunks_exact_mut(seen.places.len().max(1)).take(columns).enumerate() {
        let (channel, tap) = (column as u64 / (r * s), column as u64 % (r * s));
        let (mut i, mut j) = (tap / s, tap % s);
        debug_assert!(channel < per_group);
        if call.flipped {
            (i, j) = (r - 1 - i, s - 1 - j);
        }
        for (place, value) in seen.places.clone().zip(patch) {
            let (row, column) = (place as u64 / q, place as u64 % q);
            let y =
                (row * call.stride[0] + i * call.dilation[0]).checked_sub(call.padding[0]).filter(|y| *y < h);
            let x = (column * call.stride[1] + j * call.dilation[1])
                .checked_sub(call.padding[1])
                .filter(|x| *x < w);
            *value = match (y, x) {
                (Some(y), Some(x)) => {
                    image[(seen.sample * x0 + (seen.channel + channel) * x1 + y * x2 + x * x3) as usize]
                }
                _ => T::default(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{machine, put, take};
    use super::*;

    /// Evaluates the sum that defines the convolution, one output at a time.
    fn expected(call: &Convolution, image: &[f32], weights: &[f32]) -> Vec<f32> {
        let ([_, _, h, w], [filters, per_group, r, s], [n, _, p, q]) = (call.x.1, call.w.1, call.y.1);
        let mut out = Vec::new();
        for sample in 0..n {
            for filter in 0..filters {
                for (row, column) in (0..p).flat_map(|row| (0..q).map(move |column| (row, column))) {
                    let mut sum = 0.0;
                    for (c, i, j) in
                        (0..per_group).flat_map(|c| (0..r).flat_map(move |i| (0..s).map(move |j| (c, i, j))))
                    {
                        let (y, x) = (
                            (row * call.stride[0] + i * call.dilation[0]) as i64 - call.padding[0] as i64,
                            (column * call.stride[1] + j * call.dilation[1]) as i64 - call.padding[1] as i64,
                        );
                        if y < 0 || x < 0 || y >= h as i64 || x >= w as i64 {
                            continue;
                        }
                        let channel = filter / (filters / call.groups) * per_group + c;
                        let at = [sample, channel, y as u64, x as u64]
                            .iter()
                            .zip(call.x.2)
                            .map(|(i, s)| i * s)
                            .sum::<u64>();
                        let (i, j) = if call.flipped { (r - 1 - i, s - 1 - j) } else { (i, j) };
                        sum += image[at as usize]
                            * weights[(((filter * per_group + c) * r + i) * s + j) as usize];
                    }
                    out.push(sum);
                }
            }
        }
        out
    }

    #[test]
    fn it_is_the_sum_it_is_defined_as() {
        for (groups, stride, padding, dilation, flipped) in [
            (1, [1, 1], [1, 1], [1, 1], false),
            (2, [2, 1], [0, 2], [1, 2], true),
            (1, [3, 2], [2, 0], [2, 1], false),
        ] {
            let (n, c, h, w, filters, r, s) = (2, 4, 7, 6, 6, 3, 2);
            let mut machine = machine();
            let numbers = |count: u64, seed: u64| -> Vec<f32> {
                (0..count).map(|i| ((i * 37 + seed) % 11) as f32 - 5.0).collect()
            };
            let image = numbers(n * c * h * w, 3);
            let weights = numbers(filters * c / groups * r * s, 7);
            let extent = |e: u64, k: u64, axis: usize| {
                (e + 2 * padding[axis] - dilation[axis] * (k - 1) - 1) / stride[axis] + 1
            };
            let (p, q) = (extent(h, r, 0), extent(w, s, 1));
            // The channels are last in the input, and first in the output.
            let call = Convolution {
                element: ElementType::F32,
                x: (put(&mut machine, &image), [n, c, h, w], [h * w * c, 1, w * c, c]),
                w: (put(&mut machine, &weights), [filters, c / groups, r, s]),
                y: (
                    put(&mut machine, &vec![f32::NAN; (n * filters * p * q) as usize]),
                    [n, filters, p, q],
                    [filters * p * q, p * q, q, 1],
                ),
                workspace: (Address(0), 0),
                padding,
                stride,
                dilation,
                groups,
                flipped,
                alpha: 1.0,
                beta: 0.0,
            };
            let want = expected(&call, &image, &weights);
            // One place at a time, a few at a time, and all at once.
            for tile_elements in [0, 150, TILE_ELEMENTS] {
                run_in::<f32>(&mut machine, &call, tile_elements);
                assert_eq!(take(&machine, call.y.0, want.len()), want);
            }
        }
    }
}
