//! One thread's registers as a frame of bytes; [`lanes`](super::lanes) has those of 32 threads.
//!
//! An operand is the byte offset of a register in the frame: a register of up to 32 bits occupies four bytes, one
//! of 64 bits eight, a predicate one.

use super::lanes::File;
use super::word::OfWord;
#[cfg(target_arch = "x86_64")]
use super::{
    code::Inst,
    lanes::{LANES, Registers, lanes_of},
};

/// The operands of one arithmetic instruction: offsets in the frame, and the mode (`detail`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    pub d: u32,
    pub s: [u32; 4],
    pub detail: u32,
}

/// Executes one instruction on the frame that the pointer refers to. Every operand that the row reads or writes
/// must lie in the frame.
pub type ScalarFn = unsafe fn(*mut u8, &Operands);

/// The function that executes an instruction for one thread, in two builds like [`Handler`](super::code::Handler).
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

/// Executes an instruction for one lane after the other: `run` is what its row executes for one thread, and `sources`
/// and `dest` are the files of the row's operands.
#[cfg(target_arch = "x86_64")]
pub fn each_lane(registers: &mut Registers, inst: &Inst, (sources, dest): (&[File], File), run: ScalarFn) {
    /// Index in the frame of the word for the result.
    const RESULT: usize = 4;
    let operands = Operands { d: 8 * RESULT as u32, s: [0, 8, 16, 24], detail: inst.detail };
    let raw = |&file: &File, register| registers.raw((file, registers.slot(file, register)));
    let mut from = [[0; LANES]; RESULT];
    from.iter_mut().zip(sources).zip(inst.s).for_each(|((from, file), s)| *from = raw(file, s));
    let mut results = raw(&dest, inst.d);
    for lane in lanes_of(registers.mask()) {
        let mut frame = [from[0][lane], from[1][lane], from[2][lane], from[3][lane], 0];
        // SAFETY: every operand has a word of the frame, whose lowest bytes come first on this processor.
        unsafe { run(frame.as_mut_ptr().cast(), &operands) };
        results[lane] = frame[RESULT];
    }
    registers.set_raw((dest, registers.slot(dest, inst.d)), &results);
}

/// Returns the bytes that a register occupies in a frame.
pub const fn bytes_of(file: File) -> u32 {
    match file {
        File::R32 => 4,
        File::R64 => 8,
        File::Pred => 1,
    }
}

/// A value that a register in a frame can hold.
pub trait Scalar: Copy {
    /// # Safety
    /// The register's bytes lie in the frame.
    unsafe fn load(frame: *mut u8, at: u32) -> Self;
    /// # Safety
    /// The register's bytes lie in the frame.
    unsafe fn store(self, frame: *mut u8, at: u32);
}

impl<T: OfWord> Scalar for T {
    #[inline(always)]
    unsafe fn load(frame: *mut u8, at: u32) -> T {
        // SAFETY: guaranteed by the caller; unaligned reads have no further requirement.
        T::of(unsafe { frame.add(at as usize).cast::<T::Word>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, frame: *mut u8, at: u32) {
        // SAFETY: as above.
        unsafe { frame.add(at as usize).cast::<T::Word>().write_unaligned(self.word()) }
    }
}

impl Scalar for bool {
    #[inline(always)]
    unsafe fn load(frame: *mut u8, at: u32) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { *frame.add(at as usize) != 0 }
    }
    #[inline(always)]
    unsafe fn store(self, frame: *mut u8, at: u32) {
        // SAFETY: as above.
        unsafe { *frame.add(at as usize) = u8::from(self) }
    }
}
