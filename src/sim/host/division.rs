//! Integer divisions of host code that have no quotient.

use super::environment::Stop;
use super::run::get;
use super::thread::HostThread;
use crate::division::Division;
use crate::evidence::Evidence;
use crate::finding::FindingKind;
use crate::scalar::Operands;

impl Division {
    /// Returns the dividend and the divisor.
    ///
    /// # Safety
    /// The operands must be those of a division and lie in the frame.
    #[inline(always)]
    pub unsafe fn operands(self, frame: *mut u8, operands: &Operands) -> (i128, i128) {
        let [dividend, divisor, ..] = operands.s;
        // SAFETY: the caller's promise; a register of up to 32 bits has four bytes.
        let (dividend, divisor) = unsafe {
            match self.bits {
                64 => (get::<u64>(frame, dividend), get::<u64>(frame, divisor)),
                _ => (get::<u32>(frame, dividend).into(), get::<u32>(frame, divisor).into()),
            }
        };
        (self.number(dividend), self.number(divisor))
    }
}

impl HostThread<'_> {
    pub(super) fn bad_division(&self, dividend: i128, divisor: i128) -> Stop {
        self.without_memory(FindingKind::HostDivision, Evidence::NoQuotient { dividend, divisor })
    }
}
