//! The functions compared with results of an H100 (driver 580, PTX 8.8, `sm_90`).
//!
//! `results.txt` has a few hundred sets of operands for every instruction form: an instruction, then rows of
//! operands and the result, in hexadecimal. It is an excerpt of some five million results, all of which agreed
//! except for what is omitted here:
//!
//! - `.ftz` of products and quotients that round up to the smallest normal number (see
//!   [`super::super::single`]);
//! - `bfe` and `bfi` of 64 bits with a position or length above 255;
//! - the payload of NaN in `atom.add.f64`, whose units keep a signalling one;
//! - `atom.shared.add.noftz` of packed halves, which left the upper half as it was.

mod floats;
mod integers;

use super::super::{IntRounding, Mode, Rounding};

/// An instruction's name in parts: `add.rn.ftz.f32`.
pub struct Name<'a> {
    pub parts: Vec<&'a str>,
}

impl<'a> Name<'a> {
    fn new(text: &'a str) -> Name<'a> {
        Name { parts: text.split('.').collect() }
    }

    fn opcode(&self) -> &'a str {
        self.parts[0]
    }

    fn has(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }

    /// Type, the last part.
    fn ty(&self) -> &'a str {
        self.parts[self.parts.len() - 1]
    }

    /// The destination's type of a `cvt`.
    fn to(&self) -> &'a str {
        self.parts[self.parts.len() - 2]
    }

    fn rounding(&self) -> Rounding {
        for (part, rounding) in
            [("rz", Rounding::Rz), ("rm", Rounding::Rm), ("rp", Rounding::Rp), ("rna", Rounding::Rna)]
        {
            if self.has(part) {
                return rounding;
            }
        }
        Rounding::Rn
    }

    fn int_rounding(&self) -> Option<IntRounding> {
        [
            ("rni", IntRounding::Rni),
            ("rzi", IntRounding::Rzi),
            ("rmi", IntRounding::Rmi),
            ("rpi", IntRounding::Rpi),
        ]
        .into_iter()
        .find(|(part, _)| self.has(part))
        .map(|(_, rounding)| rounding)
    }

    fn mode(&self) -> Mode {
        Mode { rounding: self.rounding(), ftz: self.has("ftz"), sat: self.has("sat") }
    }
}

/// Returns the result of an instruction, by its name, as the register holds it. `None` for a name that no
/// function implements.
fn evaluate(text: &str, a: u64, b: u64, c: u64) -> Option<u64> {
    let name = Name::new(text);
    integers::evaluate(&name, a, b, c).or_else(|| floats::evaluate(&name, a, b, c))
}

/// Returns whether an approximation is near enough to the GPU's, which has an error of its own.
fn is_close(text: &str, got: u64, wanted: u64) -> bool {
    let name = Name::new(text);
    let units = got.abs_diff(wanted);
    let (x, y) = (f32::from_bits(got as u32) as f64, f32::from_bits(wanted as u32) as f64);
    match (name.opcode(), name.ty()) {
        ("rcp" | "rsqrt", "f64") if name.has("ftz") => units <= 1 << 32,
        ("sin" | "cos", _) => (x - y).abs() <= 2f64.powi(-19),
        ("lg2", _) => (x - y).abs() <= 2f64.powi(-21) + y.abs() * 2f64.powi(-21),
        ("tanh", "f32") => (x - y).abs() <= y.abs() * 2f64.powi(-10),
        (_, "f16x2" | "bf16x2") => {
            let half = |shift: u32| (got >> shift & 0xffff).abs_diff(wanted >> shift & 0xffff) <= 1;
            half(0) && half(16)
        }
        (_, "f16" | "bf16" | "f64") => units <= 1,
        _ => units <= 2,
    }
}

#[test]
fn agrees_with_the_gpu() {
    let mut text = "";
    let mut rows = 0;
    for line in include_str!("results.txt").lines() {
        let Some(row) = line.strip_prefix(' ') else {
            text = line;
            continue;
        };
        let words: Vec<u64> = row.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
        let (wanted, operands) = words.split_last().unwrap();
        let operand = |i: usize| *operands.get(i).unwrap_or(&0);
        let got = evaluate(text, operand(0), operand(1), operand(2))
            .unwrap_or_else(|| panic!("{text} is not covered"));
        let approximate = text.contains(".approx") || text.contains(".full");
        let agrees = got == *wanted || approximate && is_close(text, got, *wanted);
        assert!(agrees, "{text} {row}: got {got:x}");
        rows += 1;
    }
    assert!(rows > 5000, "results.txt lost rows: {rows}");
}
