//! Compares simulator and GPU value by value on the same inputs.

use super::{Gpu, OnGpu};
use crate::backend::{Kernels, Program, Simulated};
use crate::case_run::run_case;
use crate::compile::compile;
use crate::course::{Compare, ElementType, Lesson, Tolerance};
use crate::fill::inputs;
use crate::options::{Options, simulation};
use crate::own_failure::OwnFailure;
use crate::signature::symbols;
use crate::value::{Scalar, Values};
use anyhow::{Result, anyhow, bail};
use compiler::{CompileError, Compiler};

/// How far simulator and GPU differ. Integers must be equal bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Number of output elements that were compared.
    pub elements: u64,
    /// Number of integers that differ, plus elements that only one of the two wrote.
    pub differing: u64,
    /// Largest difference between two floats, in units in the last place of their own type; differences within the
    /// share `NEGLIGIBLE_SHARE` of the lesson's tolerance are not counted.
    pub largest_ulp: u64,
}

/// The share of the lesson's tolerance that counts as no difference: when intermediate values are rounded to a
/// narrow type, as the weights of a sum are, one unit in the last place of an `exp` grows to many in the result.
const NEGLIGIBLE_SHARE: f64 = 0.05;

impl Agreement {
    pub fn add(&mut self, other: Agreement) {
        self.elements += other.elements;
        self.differing += other.differing;
        self.largest_ulp = self.largest_ulp.max(other.largest_ulp);
    }
}

/// Runs a kernel in every case of its lesson on both simulator and GPU and compares the outputs.
///
/// # Errors
///
/// Fails if one of the two did not run the kernel to its end, which says nothing about values.
pub fn agreement(
    lesson: &Lesson,
    source: &str,
    file_name: &str,
    compiler: &Compiler,
    gpu: &Gpu,
    options: &Options,
) -> Result<Agreement> {
    let compiled = compile(&lesson.request(source, file_name), compiler);
    let compiled = compiled.map_err(|error| match error {
        CompileError::Environment(error) => error,
        other => anyhow!("it does not compile: {other:?}"),
    })?;
    let kernels = Kernels::parse(&compiled.ptx, None)?.into();
    let simulated = Simulated::new(kernels, lesson.spec.compute_capability, simulation(lesson, options));
    let on_gpu = OnGpu::load(source, file_name, gpu).map_err(|why| why.into_error("for the GPU"))?;
    let spec = &lesson.spec;
    let mut all = Agreement::default();
    for (index, case) in spec.cases.iter().enumerate() {
        let sized = spec.sized(case)?;
        let initial = inputs(lesson, &sized, index, options.seed);
        let mut outputs = Vec::new();
        for program in [&simulated as &dyn Program, &on_gpu] {
            let symbols = symbols(spec, program.signatures()).map_err(OwnFailure::of)?;
            let own = |failure| OwnFailure::of(failure).into();
            let case_run = run_case(program, spec, &sized, &symbols, &initial)
                .map_err(|broken| broken.why.into_own_error(own))?;
            if let Some(finding) = case_run.findings.first() {
                bail!("it has a defect: {}", finding.kind.slug());
            }
            outputs.push(case_run.outputs);
        }
        let [ours, theirs] = outputs.as_slice() else { continue };
        for (a, b) in ours.iter().zip(theirs) {
            let ty = spec.buffers.get(a.buffer).map_or(ElementType::U8, |buffer| buffer.ty);
            // The two may produce different answers that are both right.
            if spec.buffers.get(a.buffer).is_some_and(|buffer| buffer.compare != Compare::default()) {
                continue;
            }
            all.add(compare(ty, spec.tolerance, (&a.got, &a.written), (&b.got, &b.written)));
        }
    }
    Ok(all)
}

/// Returns the magnitude below which the lesson's absolute tolerance exceeds its relative one. Values that cancel
/// to nearly zero have few significant digits.
fn near_zero(tolerance: Tolerance) -> f64 {
    if tolerance.rel > 0.0 { tolerance.abs / tolerance.rel } else { 0.0 }
}

fn compare(ty: ElementType, tolerance: Tolerance, a: (&Values, &[bool]), b: (&Values, &[bool])) -> Agreement {
    let mut found = Agreement::default();
    for (n, (x, y)) in a.0.iter().zip(b.0.iter()).enumerate() {
        found.elements += 1;
        let (wrote_a, wrote_b) = (a.1.get(n) == Some(&true), b.1.get(n) == Some(&true));
        match (x, y) {
            _ if wrote_a != wrote_b => found.differing += 1,
            _ if !wrote_a => {}
            (Scalar::Int(x), Scalar::Int(y)) => found.differing += u64::from(x != y),
            (x, y) => {
                let (x, y) = (x.to_f64(), y.to_f64());
                let nothing = NEGLIGIBLE_SHARE * (tolerance.abs + tolerance.rel * y.abs());
                let apart =
                    if (x - y).abs() <= nothing { 0 } else { ulps_at(ty, near_zero(tolerance), x, y) };
                found.largest_ulp = found.largest_ulp.max(apart);
            }
        }
    }
    found
}

/// Like [`ulps`], but differences of numbers closer to zero than `near_zero` are measured in units in the last
/// place of `near_zero`.
fn ulps_at(ty: ElementType, near_zero: f64, a: f64, b: f64) -> u64 {
    let small = a.abs() < near_zero && b.abs() < near_zero;
    if !small {
        return ulps(ty, a, b);
    }
    let digits = match ty {
        ElementType::F16 => 10,
        ElementType::Bf16 => 7,
        ElementType::F32 => 23,
        _ => 52,
    };
    let unit = 2f64.powi(near_zero.log2().floor() as i32 - digits);
    ((a - b).abs() / unit).ceil() as u64
}

/// Returns the distance of two values in representable values of their type; any two NaNs are equal.
fn ulps(ty: ElementType, a: f64, b: f64) -> u64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() == b.is_nan() { 0 } else { u64::MAX };
    }
    let bits = |value: f64| {
        let bytes = Values::Float(vec![value]).encode(ty);
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(&bytes);
        // Maps sign and magnitude to a number line on which both zeros coincide.
        let raw = u64::from_le_bytes(wide);
        let sign = 1u64 << (8 * bytes.len() - 1);
        if raw & sign == 0 { i128::from(raw) } else { -i128::from(raw & !sign) }
    };
    u64::try_from((bits(a) - bits(b)).unsigned_abs()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_values_of_the_type() {
        let next = |x: f32| f64::from(f32::from_bits(x.to_bits() + 1));
        for (ty, a, b, distance) in [
            (ElementType::F32, 1.0, next(1.0), 1),
            (ElementType::F32, 0.0, -0.0, 0),
            (ElementType::F32, f64::from(f32::from_bits(1)), -f64::from(f32::from_bits(1)), 2),
            (ElementType::F64, 1.0, 1.0 + f64::EPSILON, 1),
            (ElementType::F16, 1.0, 1.0 + 1.0 / 1024.0, 1),
            (ElementType::Bf16, 1.0, 1.0 + 1.0 / 128.0, 1),
            (ElementType::F32, f64::NAN, f64::NAN, 0),
            (ElementType::F32, f64::NAN, 1.0, u64::MAX),
        ] {
            assert_eq!(ulps(ty, a, b), distance, "{ty:?} {a} {b}");
        }
    }

    #[test]
    fn near_zero_the_unit_is_that_of_the_tolerance() {
        let unit = 2f64.powi(-23);
        assert_eq!(ulps_at(ElementType::F32, 1.0, 1e-6, 1e-6 + 3.0 * unit), 3);
        assert!(ulps_at(ElementType::F32, 0.0, 1e-6, 1e-6 + 3.0 * unit) > 1_000_000);
        assert_eq!(ulps_at(ElementType::F32, 1.0, 2.0, 2.0 + 4.0 * unit), 2);
        assert_eq!(ulps_at(ElementType::F32, 1.0, f64::NAN, 0.0), u64::MAX);
        assert_eq!(near_zero(Tolerance { abs: 2e-4, rel: 2e-4 }), 1.0);
        assert_eq!(near_zero(Tolerance::default()), 0.0);
    }

    #[test]
    fn a_twentieth_of_the_tolerance_is_nothing() {
        let tolerance = Tolerance { abs: 1e-3, rel: 0.0 };
        let apart = |by: f64| {
            let (a, b) = (Values::Float(vec![1.0]), Values::Float(vec![1.0 + by]));
            compare(ElementType::F32, tolerance, (&a, &[true]), (&b, &[true])).largest_ulp
        };
        assert_eq!(apart(4e-5), 0);
        assert!(apart(6e-5) > 400);
    }

    #[test]
    fn what_only_one_wrote_differs() {
        let values = Values::Int(vec![1, 2, 3, 4]);
        let other = Values::Int(vec![1, 5, 3, 9]);
        let found = compare(
            ElementType::I32,
            Tolerance::default(),
            (&values, &[true, true, true, false]),
            (&other, &[true, true, false, false]),
        );
        assert_eq!((found.elements, found.differing), (4, 2));
    }
}
