//! The instruction table: one row for each arithmetic instruction, found by its PTX name.
//!
//! A row states names, class, operands and meaning; the [`rows!`] macro generates the loop over lanes, the
//! masks, the form for one thread, and their builds for processors with and without AVX2:
//!
//! ```text
//! rows! {
//!     /// Sum, wrapping.
//!     ["add.s32", "add.u32"] IntAdd (a: u32, b: u32) -> u32 { a.wrapping_add(b) }
//!     /// Sum of floats in any mode.
//!     ["add.f32"] Float32 flops(f32, 1) mode(m) (a: f32, b: f32) -> f32 { arith::f32::add_with(a, b, m) }
//! }
//! ```
//!
//! A name is the opcode and its modifiers as written in PTX, without those that [`Mode`] holds (`.rn .rz .rm
//! .rp .rna`, `.ftz`, `.sat`). A row without `mode(m)` serves the default mode (nearest, subnormals kept, no
//! saturation); a row with it serves the other modes, and the default mode too if there is no row without it.
//! The type of an operand determines its register file and how it is read: `u8`–`i32`, `F16`, `Bf16`, `f32`
//! (32-bit registers), `u64`, `i64`, `f64` (64-bit), `bool` (predicate). A narrow type reads the low bits of a
//! wider register.
//!
//! Some forms have no row of their own, since a row writes one register: `setp` with a second predicate, or
//! combined with one, is lowered to a comparison and logic on predicates; an instruction with `.cc` to the row
//! of its value and the row named `%carry.` plus the same name; `setp` of a pair to `%setp.low` and
//! `%setp.high`. Names with a `%` are used by lowering only.
//!
//! To add an instruction, add a row to its family, and its meaning to `tests/reference`: a test fails for a row
//! that has no reference.

pub mod atomics;
mod families;
#[cfg(test)]
mod tests;

pub use families::Flop;

use super::arith::{Mode, Rounding};
use super::class::Class;
use super::code::Handler;
use super::lanes::File;
use super::scalar::ScalarHandler;
use std::collections::HashMap;
use std::sync::OnceLock;

/// One arithmetic instruction.
#[derive(Debug)]
pub struct Row {
    pub names: &'static [&'static str],
    pub class: Class,
    /// Floating-point operations per lane.
    pub flops: Option<(Flop, u32)>,
    pub dest: File,
    pub sources: &'static [File],
    /// Whether the row takes a [`Mode`].
    pub takes_mode: bool,
    pub handler: Handler,
    /// The same row for one thread.
    pub scalar: ScalarHandler,
}

impl Row {
    /// Returns whether it has one of these names.
    pub fn is(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(name))
    }

    /// Returns whether a name of it begins with one of these.
    pub fn begins(&self, starts: &[&str]) -> bool {
        self.names.iter().any(|name| starts.iter().any(|start| name.starts_with(start)))
    }

    /// Returns whether it copies 32 bits as they are.
    pub fn is_move(&self) -> bool {
        self.dest == File::R32 && self.sources == [File::R32] && self.begins(&["mov."])
    }

    /// Returns whether it divides, or takes a remainder.
    pub fn divides(&self) -> bool {
        self.begins(&["div.", "rem."])
    }
}

/// Returns all rows.
fn tables() -> impl Iterator<Item = &'static Row> {
    families::ALL.iter().flat_map(|family| family.iter()).flat_map(|table| table.iter())
}

/// Returns all rows by name, and by whether they take a mode.
fn index() -> &'static HashMap<(&'static str, bool), &'static Row> {
    static INDEX: OnceLock<HashMap<(&str, bool), &Row>> = OnceLock::new();
    INDEX.get_or_init(|| {
        tables().flat_map(|row| row.names.iter().map(move |name| ((*name, row.takes_mode), row))).collect()
    })
}

/// Nearest, subnormals kept, no saturation.
pub const DEFAULT_MODE: Mode = Mode { rounding: Rounding::Rn, ftz: false, sat: false };

/// Returns the row for an instruction, by its name without mode modifiers.
pub fn find(name: &str, mode: Mode) -> Option<&'static Row> {
    let plain = if mode == Mode::default() { index().get(&(name, false)) } else { None };
    plain.or_else(|| index().get(&(name, true))).copied()
}

/// Separates an instruction's mode modifiers from the others. Returns the row's name, which is the opcode and
/// the other modifiers joined by dots, and the mode.
pub fn split_mode(opcode: &str, modifiers: &[&str]) -> (String, Mode) {
    let mut name = String::from(opcode);
    let mut mode = Mode::default();
    for &modifier in modifiers {
        match modifier {
            "rn" => mode.rounding = Rounding::Rn,
            "rz" => mode.rounding = Rounding::Rz,
            "rm" => mode.rounding = Rounding::Rm,
            "rp" => mode.rounding = Rounding::Rp,
            "rna" => mode.rounding = Rounding::Rna,
            "ftz" => mode.ftz = true,
            "sat" => mode.sat = true,
            other => {
                name.push('.');
                name.push_str(other);
            }
        }
    }
    (name, mode)
}

/// Encodes a mode as an instruction's `detail`.
pub fn mode_bits(mode: Mode) -> u32 {
    (mode.rounding as u32) << 2 | (mode.ftz as u32) << 1 | mode.sat as u32
}

/// Returns the mode that an instruction's `detail` encodes.
#[inline(always)]
pub fn mode_of(detail: u32) -> Mode {
    let rounding = match detail >> 2 {
        0 => Rounding::Rn,
        1 => Rounding::Rz,
        2 => Rounding::Rm,
        3 => Rounding::Rp,
        _ => Rounding::Rna,
    };
    Mode { rounding, ftz: detail & 2 != 0, sat: detail & 1 != 0 }
}

/// Defines both builds of a row: `$lanes` is a function of `(&mut Registers, &Inst)` that is always inlined,
/// `$scalar` the row's [`ScalarHandler`]. On x86-64 only processors without AVX2 use the baseline; it executes one lane
/// after the other, so that there is no third loop to build.
macro_rules! handler {
    ($lanes:path, $scalar:path, $sources:expr, $dest:expr) => {{
        #[cfg(target_arch = "x86_64")]
        fn baseline(registers: &mut $crate::lanes::Registers, inst: &$crate::code::Inst) {
            $crate::scalar::each_lane(registers, inst, ($sources, $dest), $scalar.baseline);
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        fn wide(registers: &mut $crate::lanes::Registers, inst: &$crate::code::Inst) {
            $lanes(registers, inst);
        }
        #[cfg(not(target_arch = "x86_64"))]
        use $lanes as baseline;
        #[cfg(not(target_arch = "x86_64"))]
        use $lanes as wide;
        $crate::code::Handler { baseline, wide }
    }};
}

/// Defines two builds of a body that executes one thread.
macro_rules! scalar_handler {
    ($body:path) => {{
        unsafe fn baseline(frame: *mut u8, operands: &$crate::scalar::Operands) {
            // SAFETY: the caller's promise is passed on.
            unsafe { $body(frame, operands) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn wide(frame: *mut u8, operands: &$crate::scalar::Operands) {
            // SAFETY: as above.
            unsafe { $body(frame, operands) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        use baseline as wide;
        $crate::scalar::ScalarHandler { baseline, wide }
    }};
}

/// See the module's documentation.
macro_rules! rows {
    ($(
        #[doc = $doc:literal]
        [$($name:expr),+ $(,)?] $class:ident $(flops($flop:ident, $count:literal))? $(mode($mode:ident))?
        ($($arg:ident : $t:ty),*) -> $d:ty $body:block
    )*) => {
        pub static ROWS: &[$crate::table::Row] = &[$({
            #[inline(always)]
            fn lanes(registers: &mut $crate::lanes::Registers, inst: &$crate::code::Inst) {
                use $crate::lanes::{LANES, Lane};
                let mut source = 0;
                $(
                    let $arg = <$t as Lane>::load(registers, inst.s[source]);
                    source += 1;
                )*
                let _ = source;
                $(let $mode = $crate::table::mode_of(inst.detail);)?
                let mut out = [<$d>::default(); LANES];
                for lane in 0..LANES {
                    $(let $arg: $t = $arg[lane];)*
                    out[lane] = $body;
                }
                <$d as Lane>::store(registers, inst.d, &out);
            }
            #[inline(always)]
            unsafe fn scalar(frame: *mut u8, operands: &$crate::scalar::Operands) {
                use $crate::scalar::Scalar;
                let mut source = 0;
                $(
                    // SAFETY: the caller promises that the operands lie in the frame.
                    let $arg: $t = unsafe { <$t as Scalar>::load(frame, operands.s[source]) };
                    source += 1;
                )*
                let _ = source;
                $(let $mode = $crate::table::mode_of(operands.detail);)?
                let out: $d = $body;
                // SAFETY: as above.
                unsafe { out.store(frame, operands.d) }
            }
            const SCALAR: $crate::scalar::ScalarHandler = rows!(@scalar scalar $($flop)?);
            const SOURCES: &[$crate::lanes::File] = &[$(<$t as $crate::lanes::Lane>::FILE),*];
            const DEST: $crate::lanes::File = <$d as $crate::lanes::Lane>::FILE;
            $crate::table::Row {
                names: &[$($name),+],
                class: $crate::class::Class::$class,
                flops: rows!(@flops $($flop, $count)?),
                dest: DEST,
                sources: SOURCES,
                takes_mode: rows!(@mode $($mode)?),
                handler: $crate::table::handler!(lanes, SCALAR, SOURCES, DEST),
                scalar: SCALAR,
            }
        }),*];
    };
    (@flops) => { None };
    (@flops $flop:ident, $count:literal) => { Some(($crate::table::Flop::$flop, $count)) };
    // Without floating point, the form for one thread gains nothing from wider registers.
    (@scalar $body:ident) => { $crate::scalar::ScalarHandler { baseline: $body, wide: $body } };
    (@scalar $body:ident $flop:ident) => { $crate::table::scalar_handler!($body) };
    (@mode) => { false };
    (@mode $mode:ident) => { true };
}

/// Rows on predicates only: all lanes at once, one bit each.
macro_rules! predicate_rows {
    ($(
        #[doc = $doc:literal]
        [$($name:expr),+] $class:ident ($($arg:ident),*) $body:block
    )*) => {
        pub static ROWS: &[$crate::table::Row] = &[$({
            fn bits(registers: &mut $crate::lanes::Registers, inst: &$crate::code::Inst) {
                let mut source = 0;
                $(
                    let $arg = registers.pred(inst.s[source]);
                    source += 1;
                )*
                let _ = source;
                registers.set_pred(inst.d, $body);
            }
            unsafe fn bit(frame: *mut u8, operands: &$crate::scalar::Operands) {
                use $crate::scalar::Scalar;
                let mut source = 0;
                $(
                    // SAFETY: the caller promises that the operands lie in the frame.
                    let $arg = unsafe { bool::load(frame, operands.s[source]) } as u32;
                    source += 1;
                )*
                let _ = source;
                let out: u32 = $body;
                // SAFETY: as above.
                unsafe { (out & 1 == 1).store(frame, operands.d) }
            }
            $crate::table::Row {
                names: &[$($name),+],
                class: $crate::class::Class::$class,
                flops: None,
                dest: $crate::lanes::File::Pred,
                sources: &[$(predicate_rows!(@file $arg)),*],
                takes_mode: false,
                handler: $crate::code::Handler { baseline: bits, wide: bits },
                scalar: $crate::scalar::ScalarHandler { baseline: bit, wide: bit },
            }
        }),*];
    };
    (@file $arg:ident) => { $crate::lanes::File::Pred };
}

pub(crate) use {handler, predicate_rows, rows, scalar_handler};
