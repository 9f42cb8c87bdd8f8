//! One thread's registers as a frame of bytes, where [`lanes`](super::lanes) has those of 32.
//!
//! An operand is the offset of its bytes in the frame: four for a register of up to 32 bits, eight
//! for one of 64, one for a predicate.

use super::arith::half::{Bf16, F16};
use super::lanes::File;

/// The operands of one arithmetic instruction: offsets in the frame, and the mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    pub d: u32,
    pub s: [u32; 4],
    pub detail: u32,
}

/// Runs one instruction on the frame that the pointer leads to. Every operand that the row reads
/// or writes must lie in the frame.
pub type ScalarFn = unsafe fn(*mut u8, &Operands);

/// As [`Handler`](super::code::Handler), for one thread.
#[derive(Clone, Copy)]
pub struct ScalarHandler {
    pub baseline: ScalarFn,
    pub wide: ScalarFn,
}

impl std::fmt::Debug for ScalarHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScalarHandler")
    }
}

/// Bytes of a frame that a register takes.
pub const fn bytes_of(file: File) -> u32 {
    match file {
        File::R32 => 4,
        File::R64 => 8,
        File::Pred => 1,
    }
}

/// A value that a register of a frame holds.
pub trait Scalar: Copy {
    /// # Safety
    /// The register's bytes lie in the frame.
    unsafe fn load(frame: *mut u8, at: u32) -> Self;
    /// # Safety
    /// The register's bytes lie in the frame.
    unsafe fn store(self, frame: *mut u8, at: u32);
}

macro_rules! scalar {
    ($raw:ty: $($t:ty, $from:expr, $to:expr;)*) => { $(
        impl Scalar for $t {
            #[inline(always)]
            unsafe fn load(frame: *mut u8, at: u32) -> $t {
                // SAFETY: the caller's promise; unaligned reads need nothing more.
                $from(unsafe { frame.add(at as usize).cast::<$raw>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, frame: *mut u8, at: u32) {
                // SAFETY: as above.
                unsafe { frame.add(at as usize).cast::<$raw>().write_unaligned($to(self)) }
            }
        }
    )* };
}

scalar! { u32:
    u32, |v: u32| v, |v: u32| v;
    i32, |v: u32| v as i32, |v: i32| v as u32;
    f32, f32::from_bits, f32::to_bits;
    u16, |v: u32| v as u16, |v: u16| v as u32;
    i16, |v: u32| v as i16, |v: i16| v as u16 as u32;
    u8, |v: u32| v as u8, |v: u8| v as u32;
    i8, |v: u32| v as i8, |v: i8| v as u8 as u32;
    F16, |v: u32| F16(v as u16), |v: F16| v.0 as u32;
    Bf16, |v: u32| Bf16(v as u16), |v: Bf16| v.0 as u32;
}

scalar! { u64:
    u64, |v: u64| v, |v: u64| v;
    i64, |v: u64| v as i64, |v: i64| v as u64;
    f64, f64::from_bits, f64::to_bits;
}

scalar! { u8:
    bool, |v: u8| v != 0, |v: bool| v as u8;
}
