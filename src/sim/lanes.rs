//! A warp's registers: arrays of 32 lanes, so that one decoded instruction serves 32 threads and the loops over
//! lanes are vectorised.
//!
//! Registers of up to 32 bits are in `r32`, those of 64 bits in `r64` (a 128-bit register takes two there),
//! predicates in `preds` with one bit per lane. The first slots of each file are fixed: they hold values that
//! never change during a launch, such as immediates, parameters and thread indices; their numbers have [`FIXED`]
//! set. The slots after them are frames, one for each call in progress; other register numbers count from the
//! current frame.

/// Lanes of a warp.
pub const LANES: usize = 32;

/// The mask of a warp with all lanes active.
pub const FULL: u32 = u32::MAX;

/// Set in the number of a fixed register.
pub const FIXED: u32 = 1 << 31;

pub type Lanes32 = [u32; LANES];
pub type Lanes64 = [u64; LANES];

/// Returns the lanes of a mask, lowest first.
#[inline(always)]
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// A number of slots in each register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    pub r32: u32,
    pub r64: u32,
    pub preds: u32,
}

impl Slots {
    /// Returns the number of slots of a file.
    pub fn of(self, file: File) -> u32 {
        match file {
            File::R32 => self.r32,
            File::R64 => self.r64,
            File::Pred => self.preds,
        }
    }

    pub fn of_mut(&mut self, file: File) -> &mut u32 {
        match file {
            File::R32 => &mut self.r32,
            File::R64 => &mut self.r64,
            File::Pred => &mut self.preds,
        }
    }
}

impl std::ops::Add for Slots {
    type Output = Slots;
    fn add(self, other: Slots) -> Slots {
        Slots { r32: self.r32 + other.r32, r64: self.r64 + other.r64, preds: self.preds + other.preds }
    }
}

/// Returns the slot of a register, when the current frame begins at slot `start`.
#[inline(always)]
fn index(register: u32, start: u32) -> usize {
    let fixed = 0u32.wrapping_sub(register >> 31);
    ((register & !FIXED) + (start & !fixed)) as usize
}

/// One warp's registers and active mask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registers {
    r32: Vec<Lanes32>,
    r64: Vec<Lanes64>,
    preds: Vec<u32>,
    fixed: Slots,
    /// Start of the current frame, counted from the end of the fixed slots.
    base: Slots,
    /// Start of the current frame, counted from the beginning of the files.
    start: Slots,
    /// Active lanes.
    mask: u32,
    /// `mask` expanded to words: all ones for an active lane.
    spread: Lanes32,
}

impl Registers {
    pub fn new(fixed: Slots, frame: Slots) -> Registers {
        let mut registers = Registers { fixed, ..Registers::default() };
        registers.reserve(Slots::default(), frame);
        registers.set_base(Slots::default());
        registers.set_mask(FULL);
        registers
    }

    /// Makes room for a frame of `frame` slots that starts at `base`.
    pub fn reserve(&mut self, base: Slots, frame: Slots) {
        let need = self.fixed + base + frame;
        self.r32.resize(self.r32.len().max(need.r32 as usize), [0; LANES]);
        self.r64.resize(self.r64.len().max(need.r64 as usize), [0; LANES]);
        self.preds.resize(self.preds.len().max(need.preds as usize), 0);
    }

    #[inline(always)]
    pub fn base(&self) -> Slots {
        self.base
    }

    /// Sets the current frame: register numbers now count from `base`.
    pub fn set_base(&mut self, base: Slots) {
        self.base = base;
        self.start = self.fixed + base;
    }

    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    #[inline(always)]
    pub fn set_mask(&mut self, mask: u32) {
        if self.mask != mask {
            self.mask = mask;
            for (lane, s) in self.spread.iter_mut().enumerate() {
                *s = 0u32.wrapping_sub((mask >> lane) & 1);
            }
        }
    }

    #[inline(always)]
    pub fn r32(&self, register: u32) -> &Lanes32 {
        &self.r32[index(register, self.start.r32)]
    }

    #[inline(always)]
    pub fn r64(&self, register: u32) -> &Lanes64 {
        &self.r64[index(register, self.start.r64)]
    }

    #[inline(always)]
    pub fn pred(&self, register: u32) -> u32 {
        self.preds[index(register, self.start.preds)]
    }

    /// Returns a 32-bit register of the frame at `base`.
    pub fn r32_at(&self, register: u32, base: Slots) -> &Lanes32 {
        &self.r32[index(register, self.fixed.r32 + base.r32)]
    }

    /// Returns a 64-bit register of the frame at `base`.
    pub fn r64_at(&self, register: u32, base: Slots) -> &Lanes64 {
        &self.r64[index(register, self.fixed.r64 + base.r64)]
    }

    /// Returns a predicate of the frame at `base`.
    pub fn pred_at(&self, register: u32, base: Slots) -> u32 {
        self.preds[index(register, self.fixed.preds + base.preds)]
    }

    /// Writes the active lanes.
    #[inline(always)]
    pub fn set32(&mut self, register: u32, value: &Lanes32) {
        let slot = &mut self.r32[index(register, self.start.r32)];
        if self.mask == FULL {
            *slot = *value;
        } else {
            for lane in 0..LANES {
                let keep = self.spread[lane];
                slot[lane] = (value[lane] & keep) | (slot[lane] & !keep);
            }
        }
    }

    /// Writes the active lanes.
    #[inline(always)]
    pub fn set64(&mut self, register: u32, value: &Lanes64) {
        let slot = &mut self.r64[index(register, self.start.r64)];
        if self.mask == FULL {
            *slot = *value;
        } else {
            for lane in 0..LANES {
                let keep = self.spread[lane] as i32 as i64 as u64;
                slot[lane] = (value[lane] & keep) | (slot[lane] & !keep);
            }
        }
    }

    /// Writes the active lanes of a register that is no predicate.
    #[inline(always)]
    pub fn set(&mut self, file: File, register: u32, value: &Lanes64) {
        match file {
            File::R64 => self.set64(register, value),
            _ => self.set32(register, &value.map(|v| v as u32)),
        }
    }

    /// Returns a lane's value of a register that is no predicate.
    #[inline(always)]
    pub fn value(&self, file: File, register: u32, lane: usize) -> u64 {
        match file {
            File::R64 => self.r64(register)[lane],
            _ => self.r32(register)[lane].into(),
        }
    }

    /// Writes the active lanes' bits.
    #[inline(always)]
    pub fn set_pred(&mut self, register: u32, bits: u32) {
        let slot = &mut self.preds[index(register, self.start.preds)];
        *slot = (bits & self.mask) | (*slot & !self.mask);
    }

    /// Returns where the registers of the current frame begin in their files.
    pub fn start(&self) -> Slots {
        self.start
    }

    /// Returns the size of each file, with the frames of all calls in progress.
    pub fn slots(&self) -> Slots {
        Slots { r32: self.r32.len() as u32, r64: self.r64.len() as u32, preds: self.preds.len() as u32 }
    }

    /// Returns a predicate by slot, one bit per lane.
    pub fn raw_pred(&self, slot: usize) -> u32 {
        self.preds[slot]
    }

    /// Returns the slot of a register in its file, which is unique among the registers of all calls in progress.
    pub fn slot(&self, file: File, register: u32) -> usize {
        match file {
            File::R32 => index(register, self.start.r32),
            File::R64 => index(register, self.start.r64),
            File::Pred => index(register, self.start.preds),
        }
    }

    /// Returns all lanes of a slot, whatever the mask.
    pub fn raw(&self, (file, slot): (File, usize)) -> Lanes64 {
        match file {
            File::R32 => self.r32[slot].map(u64::from),
            File::R64 => self.r64[slot],
            File::Pred => std::array::from_fn(|lane| u64::from(self.preds[slot] >> lane & 1)),
        }
    }

    /// Sets all lanes of a slot, whatever the mask.
    pub fn set_raw(&mut self, (file, slot): (File, usize), value: &Lanes64) {
        match file {
            File::R32 => self.r32[slot] = value.map(|v| v as u32),
            File::R64 => self.r64[slot] = *value,
            File::Pred => {
                let bits = value.iter().enumerate();
                self.preds[slot] = bits.fold(0, |all, (lane, &bit)| all | ((bit & 1) as u32) << lane);
            }
        }
    }

    /// Returns whether each lane of a slot holds a base value plus that lane's offset; the base is `value`, or
    /// else that of the first lane. Always false for predicates.
    #[inline(always)]
    pub fn has_offsets(&self, (file, slot): (File, usize), value: Option<u64>, offsets: &Lanes64) -> bool {
        match file {
            File::R32 => {
                let lanes = &self.r32[slot];
                let first = value.unwrap_or(lanes[0].into()) as u32;
                let pairs = lanes.iter().zip(offsets);
                pairs.fold(0, |rest, (lane, &offset)| rest | lane.wrapping_sub(first) ^ offset as u32) == 0
            }
            File::R64 => {
                let lanes = &self.r64[slot];
                let first = value.unwrap_or(lanes[0]);
                let pairs = lanes.iter().zip(offsets);
                pairs.fold(0, |rest, (lane, &offset)| rest | lane.wrapping_sub(first) ^ offset) == 0
            }
            File::Pred => false,
        }
    }

    /// Sets all lanes of a slot to a value plus that lane's offset; for predicates, `value` is the bits of all
    /// lanes.
    pub fn set_scalar(&mut self, (file, slot): (File, usize), value: u64, offsets: Option<&Lanes64>) {
        let offsets = offsets.unwrap_or(&[0; LANES]);
        match file {
            File::R32 => self.r32[slot] = offsets.map(|offset| value.wrapping_add(offset) as u32),
            File::R64 => self.r64[slot] = offsets.map(|offset| value.wrapping_add(offset)),
            File::Pred => self.preds[slot] = value as u32,
        }
    }

    /// Returns pointers to the beginning of each file.
    pub fn files(&mut self) -> (*mut Lanes32, *mut Lanes64, *mut u32) {
        (self.r32.as_mut_ptr(), self.r64.as_mut_ptr(), self.preds.as_mut_ptr())
    }
}

/// A register file: where an operand is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum File {
    R32,
    R64,
    Pred,
}

impl File {
    pub const ALL: [File; 3] = [File::R32, File::R64, File::Pred];
}

/// A value that one lane can hold in a register.
pub trait Lane: Copy + Default {
    const FILE: File;
    fn load(registers: &Registers, register: u32) -> [Self; LANES];
    fn store(registers: &mut Registers, register: u32, value: &[Self; LANES]);
}

impl Lane for bool {
    const FILE: File = File::Pred;
    #[inline(always)]
    fn load(registers: &Registers, register: u32) -> [bool; LANES] {
        predicate::unpack(registers.pred(register))
    }
    #[inline(always)]
    fn store(registers: &mut Registers, register: u32, value: &[bool; LANES]) {
        registers.set_pred(register, predicate::pack(value));
    }
}

/// Conversion of predicates to vectors. Written lane by lane, these would become long chains of single-lane moves.
#[cfg(target_arch = "x86_64")]
mod predicate {
    use super::LANES;
    use std::arch::x86_64::*;

    /// Packs predicates into a mask, one bit per lane.
    #[inline(always)]
    pub fn pack(value: &[bool; LANES]) -> u32 {
        // SAFETY: both types are 32 bytes without padding, and every bit pattern is a valid vector. SSE2 is part
        // of the architecture.
        unsafe {
            let [low, high]: [__m128i; 2] = std::mem::transmute(*value);
            // The bit of each byte is shifted to its top, and from there into the mask.
            let top = |v| _mm_movemask_epi8(_mm_slli_epi16::<7>(v)) as u32;
            top(low) | top(high) << 16
        }
    }

    /// Expands a mask to predicates.
    #[inline(always)]
    pub fn unpack(bits: u32) -> [bool; LANES] {
        // SAFETY: as above; every byte is 0 or 1.
        unsafe {
            let word = _mm_set1_epi32(bits as i32);
            let twice = _mm_unpacklo_epi8(word, word);
            let four = _mm_unpacklo_epi16(twice, twice);
            // Each byte of the mask is repeated eight times, once for each of its bits.
            let (low, high) = (_mm_unpacklo_epi32(four, four), _mm_unpackhi_epi32(four, four));
            let bit = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let one = |v| _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(v, bit), bit), _mm_set1_epi8(1));
            std::mem::transmute([one(low), one(high)])
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod predicate {
    use super::LANES;

    /// Packs predicates into a mask, one bit per lane.
    pub fn pack(value: &[bool; LANES]) -> u32 {
        value.iter().enumerate().fold(0, |bits, (lane, &v)| bits | (v as u32) << lane)
    }

    /// Expands a mask to predicates.
    pub fn unpack(bits: u32) -> [bool; LANES] {
        std::array::from_fn(|lane| bits >> lane & 1 == 1)
    }
}
