//! cuFFT's transforms, computed by the `rustfft` crate in double precision; unnormalised, like cuFFT's.

use super::element::Real;
use super::operand::read;
use super::span::Span;
use crate::device::ElementType;
use crate::device::library::{Fourier, FourierKind, FourierSide};
use rustfft::num_complex::Complex;
use rustfft::{FftDirection, FftPlanner};
use sim::{Address, Machine};

/// Returns one side's layout, its extents (slowest first), and the parts per number: 2 for complex numbers, 1
/// for real.
fn side(call: &Fourier, output: bool) -> (&FourierSide, [u64; 3], u64) {
    let [planes, rows, columns] = call.extents;
    let half = [planes, rows, columns / 2 + 1];
    let (extents, parts) = match (call.kind, output) {
        (FourierKind::Complex { .. }, _) => (call.extents, 2),
        (FourierKind::RealToComplex, false) | (FourierKind::ComplexToReal, true) => (call.extents, 1),
        (FourierKind::RealToComplex, true) | (FourierKind::ComplexToReal, false) => (half, 2),
    };
    (if output { &call.output } else { &call.input }, extents, parts)
}

/// Returns where each row of a side begins, counted in numbers from its address, for each transform of the
/// batch.
fn rows(call: &Fourier, output: bool) -> impl Iterator<Item = u64> + use<> {
    let (its, [planes, rows, _], _) = side(call, output);
    let FourierSide { embed, stride, distance, .. } = *its;
    (0..call.batch).flat_map(move |b| {
        (0..planes)
            .flat_map(move |i| (0..rows).map(move |j| b * distance + (i * embed[0] + j) * embed[1] * stride))
    })
}

pub fn spans(call: &Fourier) -> Vec<Span> {
    [spans_of(call, false), spans_of(call, true)].concat()
}

/// Returns the input of a transform that leaves no defined values in it: "Out-of-place complex-to-real FFT will always
/// overwrite input buffer" (cuFFT API, "Data Layout").
pub fn used_up(call: &Fourier) -> Vec<Span> {
    if call.kind != FourierKind::ComplexToReal || call.input.at == call.output.at {
        return Vec::new();
    }
    let mut spans = spans_of(call, false);
    spans.iter_mut().for_each(|span| span.write = true);
    spans
}

fn spans_of(call: &Fourier, output: bool) -> Vec<Span> {
    let (its, [planes, rows, columns], parts) = side(call, output);
    let number = parts * call.element.bytes() as u64;
    let row = Span::strided(its.at, number, columns, its.stride.saturating_mul(number), output);
    let pitch = its.embed[1].saturating_mul(its.stride).saturating_mul(number);
    let plane = pitch.saturating_mul(its.embed[0]);
    let distance = its.distance.saturating_mul(number);
    // A span nests two levels of runs, so the outermost levels are listed one by one.
    let starts = (0..call.batch).flat_map(move |b| (0..planes).map(move |i| (b, i)));
    let dense = row.count() == 1 && (rows == 1 || pitch == row.bytes);
    let whole = dense && (planes == 1 || plane == rows * row.bytes);
    if whole {
        let bytes = planes * rows * row.bytes;
        return vec![Span::strided(its.at, bytes, call.batch, distance, output)];
    }
    starts
        .flat_map(|(b, i)| {
            let at =
                its.at.0.saturating_add(b.saturating_mul(distance)).saturating_add(i.saturating_mul(plane));
            let row = row.moved(Address(at));
            if row.count() == 1 {
                vec![row.repeated(rows, pitch as i64)]
            } else {
                let each = |j: u64| row.moved(Address(at.saturating_add(j.saturating_mul(pitch))));
                (0..rows).map(each).collect()
            }
        })
        .collect()
}

/// Counts operations by the usual convention: 5 n log2 n for n numbers, half of that if one side is real.
pub fn operations(call: &Fourier) -> (u64, ElementType, bool) {
    let numbers = call.extents.iter().fold(call.batch, |product, extent| product.saturating_mul(*extent));
    let steps = call.extents.iter().map(|extent| (*extent as f64).log2()).sum::<f64>();
    let halved = if matches!(call.kind, FourierKind::Complex { .. }) { 1.0 } else { 0.5 };
    ((numbers as f64 * steps * 5.0 * halved) as u64, call.element, false)
}

pub fn run(machine: &mut Machine, call: &Fourier) {
    let [planes, lines, columns] = call.extents.map(|extent| extent as usize);
    let mut planner = FftPlanner::new();
    let (inputs, outputs): (Vec<u64>, Vec<u64>) = (rows(call, false).collect(), rows(call, true).collect());
    for batch in 0..call.batch as usize {
        let its = batch * planes * lines..(batch + 1) * planes * lines;
        let mut all = vec![Complex::default(); planes * lines * columns];
        for (row, &start) in all.chunks_exact_mut(columns).zip(&inputs[its.clone()]) {
            load(machine, call, start, row);
        }
        if call.kind == FourierKind::ComplexToReal {
            complete(&mut all, [planes, lines, columns]);
        }
        transform(&mut planner, &mut all, [planes, lines, columns], direction(call.kind));
        for (row, &start) in all.chunks_exact(columns).zip(&outputs[its]) {
            store(machine, call, start, row);
        }
    }
}

fn direction(kind: FourierKind) -> FftDirection {
    match kind {
        FourierKind::Complex { inverse: false } | FourierKind::RealToComplex => FftDirection::Forward,
        FourierKind::Complex { inverse: true } | FourierKind::ComplexToReal => FftDirection::Inverse,
    }
}

/// Transforms the data along each axis.
fn transform(
    planner: &mut FftPlanner<f64>,
    all: &mut [Complex<f64>],
    extents: [usize; 3],
    way: FftDirection,
) {
    for axis in 0..3 {
        let (length, step) = (extents[axis], extents[axis + 1..].iter().product::<usize>());
        if length == 1 {
            continue;
        }
        let plan = planner.plan_fft(length, way);
        let mut line = vec![Complex::default(); length];
        for group in all.chunks_exact_mut(length * step) {
            for first in 0..step {
                line.iter_mut().zip(group[first..].iter().step_by(step)).for_each(|(to, from)| *to = *from);
                plan.process(&mut line);
                line.iter().zip(group[first..].iter_mut().step_by(step)).for_each(|(from, to)| *to = *from);
            }
        }
    }
}

/// Fills in the omitted half of a real signal's spectrum: the conjugates of the given half.
fn complete(all: &mut [Complex<f64>], [planes, rows, columns]: [usize; 3]) {
    let at = |i: usize, j: usize, k: usize| (i * rows + j) * columns + k;
    for i in 0..planes {
        for j in 0..rows {
            for k in columns / 2 + 1..columns {
                let other = at((planes - i) % planes, (rows - j) % rows, columns - k);
                all[at(i, j, k)] = all[other].conj();
            }
        }
    }
}

fn address(call: &Fourier, output: bool, number: u64) -> Address {
    let (its, _, parts) = side(call, output);
    Address(its.at.0.wrapping_add(number.wrapping_mul(parts * call.element.bytes() as u64)))
}

/// Loads a row of the input; for a half spectrum, only the numbers that are stored.
fn load(machine: &Machine, call: &Fourier, start: u64, row: &mut [Complex<f64>]) {
    let (its, [_, _, columns], parts) = side(call, false);
    let numbers =
        |from: u64, count: u64| read::<f64>(machine, address(call, false, from), count * parts, call.element);
    let values = match its.stride {
        1 => numbers(start, columns),
        stride => (0..columns).flat_map(|k| numbers(start + k * stride, 1)).collect(),
    };
    for (number, value) in row.iter_mut().zip(values.chunks_exact(parts as usize)) {
        *number = Complex::new(value[0], value.get(1).copied().unwrap_or(0.0));
    }
}

fn store(machine: &mut Machine, call: &Fourier, start: u64, row: &[Complex<f64>]) {
    let (its, [_, _, columns], parts) = side(call, true);
    let values: Vec<f64> =
        row[..columns as usize].iter().flat_map(|c| [c.re, c.im].into_iter().take(parts as usize)).collect();
    if its.stride == 1 {
        machine.write(address(call, true, start), &f64::encode(call.element, &values));
        return;
    }
    let stride = its.stride;
    for (k, value) in (0..).zip(values.chunks_exact(parts as usize)) {
        machine.write(address(call, true, start + k * stride), &f64::encode(call.element, value));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::machine;
    use super::*;
    use sim::Owner;
    use sim::random::SplitMix64;

    fn put(machine: &mut Machine, values: &[f64]) -> Address {
        let at = machine.allocate(Owner::Device(0), "x", values.len() as u64 * 8).unwrap();
        machine.write(at, &f64::encode(ElementType::F64, values));
        at
    }

    /// Evaluates the definition, sum by sum.
    fn naive(x: &[Complex<f64>], [a, b, c]: [usize; 3], sign: f64) -> Vec<Complex<f64>> {
        let mut out = Vec::new();
        for (u, v, w) in (0..a).flat_map(|u| (0..b).flat_map(move |v| (0..c).map(move |w| (u, v, w)))) {
            let mut sum = Complex::default();
            for (n, value) in x.iter().enumerate() {
                let (i, j, k) = (n / (b * c), n / c % b, n % c);
                let turns = (u * i) as f64 / a as f64 + (v * j) as f64 / b as f64 + (w * k) as f64 / c as f64;
                sum += value * Complex::from_polar(1.0, sign * std::f64::consts::TAU * turns);
            }
            out.push(sum);
        }
        out
    }

    fn plain(at: Address, extents: [u64; 3]) -> FourierSide {
        let [planes, rows, columns] = extents;
        FourierSide { at, embed: [rows, columns], stride: 1, distance: planes * rows * columns }
    }

    #[test]
    fn transforms_are_the_sums_that_define_them() {
        let mut random = SplitMix64(3);
        let mut value = || random.below(2001) as f64 / 100.0 - 10.0;
        for extents in [
            [1, 1, 1],
            [1, 1, 2],
            [1, 1, 7],
            [1, 1, 12],
            [1, 1, 97],
            [1, 5, 8],
            [1, 6, 9],
            [3, 4, 5],
            [2, 2, 22],
        ] {
            let [a, b, c] = extents;
            let (count, sizes) = ((a * b * c) as usize, extents.map(|extent| extent as usize));
            let half = [a, b, c / 2 + 1];
            let close = |got: &[f64], want: &[f64]| {
                assert_eq!(got.len(), want.len());
                let near = got.iter().zip(want).all(|(x, y)| (x - y).abs() < 1e-9 * count as f64 * 10.0);
                assert!(near, "{extents:?}: {got:?}, not {want:?}");
            };
            let flat = |all: &[Complex<f64>]| all.iter().flat_map(|c| [c.re, c.im]).collect::<Vec<f64>>();
            let mut machine = machine();
            let x: Vec<Complex<f64>> = (0..2 * count).map(|_| Complex::new(value(), value())).collect();
            let real: Vec<f64> = (0..count).map(|_| value()).collect();
            // A batch of two, in each direction.
            for inverse in [false, true] {
                let at = put(&mut machine, &flat(&x));
                let to = put(&mut machine, &vec![0.0; 4 * count]);
                let call = Fourier {
                    kind: FourierKind::Complex { inverse },
                    element: ElementType::F64,
                    extents,
                    batch: 2,
                    input: plain(at, extents),
                    output: plain(to, extents),
                };
                run(&mut machine, &call);
                let sign = if inverse { 1.0 } else { -1.0 };
                let want: Vec<_> = x.chunks(count).flat_map(|x| naive(x, sizes, sign)).collect();
                close(&read::<f64>(&machine, to, 4 * count as u64, ElementType::F64), &flat(&want));
            }
            // Real to half a spectrum and back: each number is multiplied by their count.
            let at = put(&mut machine, &real);
            let to = put(&mut machine, &vec![0.0; 2 * (half[0] * half[1] * half[2]) as usize]);
            let mut call = Fourier {
                kind: FourierKind::RealToComplex,
                element: ElementType::F64,
                extents,
                batch: 1,
                input: plain(at, extents),
                output: plain(to, half),
            };
            run(&mut machine, &call);
            let complex: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, 0.0)).collect();
            let all = naive(&complex, sizes, -1.0);
            let want: Vec<Complex<f64>> =
                all.chunks(c as usize).flat_map(|row| row[..half[2] as usize].to_vec()).collect();
            close(&read::<f64>(&machine, to, 2 * want.len() as u64, ElementType::F64), &flat(&want));
            let back = put(&mut machine, &vec![0.0; count]);
            call = Fourier {
                kind: FourierKind::ComplexToReal,
                input: plain(to, half),
                output: plain(back, extents),
                ..call
            };
            run(&mut machine, &call);
            let want: Vec<f64> = real.iter().map(|x| x * count as f64).collect();
            close(&read::<f64>(&machine, back, count as u64, ElementType::F64), &want);
        }
    }

    #[test]
    fn strides_and_distances_are_followed() {
        let mut machine = machine();
        // Three interleaved signals of four complex numbers each.
        let values: Vec<f64> = (0..24).map(f64::from).collect();
        let at = put(&mut machine, &values);
        let to = put(&mut machine, &[0.0; 24]);
        let call = Fourier {
            kind: FourierKind::Complex { inverse: false },
            element: ElementType::F64,
            extents: [1, 1, 4],
            batch: 3,
            input: FourierSide { at, embed: [1, 4], stride: 3, distance: 1 },
            output: FourierSide { at: to, embed: [1, 4], stride: 1, distance: 4 },
        };
        run(&mut machine, &call);
        let found = read::<f64>(&machine, to, 24, ElementType::F64);
        for signal in 0..3 {
            let sum: f64 = (0..4).map(|k| values[2 * (signal + 3 * k)]).sum();
            assert_eq!(found[8 * signal], sum);
        }
        let spans = spans(&call);
        assert_eq!(spans.iter().filter(|s| s.write).map(Span::total).sum::<u64>(), 192);
        assert_eq!(spans.iter().filter(|s| !s.write).map(Span::total).sum::<u64>(), 192);
    }
}
