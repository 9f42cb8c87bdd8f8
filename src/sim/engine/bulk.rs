//! Bulk copies by single threads (`cp.async.bulk`), and the phases of the mbarrier objects by which they are
//! awaited.

use super::cluster;
use super::findings::SideAddress;
use super::issue::Issue;
use super::observer::{BulkCompletion, Observer, Synchronisation};
use super::worker::Cta;
use crate::code::Inst;
use crate::evidence::{BulkOperand, Evidence};
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{File, LANES, Lanes64, lanes_of};
use crate::lower::bulk::CHUNK_BYTES;
use crate::mbarrier;
use crate::memory::SHARED_WINDOW;
use crate::memory::WINDOW_BYTES;

impl<O: Observer> Issue<'_, '_, O> {
    /// Performs the bulk copies of the lanes of `mask`.
    #[inline(never)]
    pub fn copy_bulk(&mut self, inst: &Inst, mask: u32) {
        let op = &self.launch().code.details.bulks[inst.detail as usize];
        let [from, to] = [inst.s[0], inst.s[1]].map(|register| *self.warp.registers.r64(register));
        let sizes = *self.warp.registers.r32(inst.s[2]);
        let mut moving = mask;
        for lane in lanes_of(mask) {
            let odd = [
                (BulkOperand::Source, from[lane]),
                (BulkOperand::Destination, to[lane]),
                (BulkOperand::Size, u64::from(sizes[lane])),
            ];
            if let Some((what, value)) = odd.into_iter().find(|(_, value)| value % CHUNK_BYTES != 0) {
                moving &= !(1 << lane);
                let at = self.access_side(lane, AccessKind::Write, sizes[lane], SideAddress::Nowhere);
                let evidence = Evidence::BulkUnaligned { what, value, multiple: CHUNK_BYTES };
                self.worker.findings.add(FindingKind::Misaligned, at, None, || [evidence]);
            }
        }
        for lane in lanes_of(moving) {
            let awaited = match op.object {
                None => BulkCompletion::Group,
                Some(object) => phase_of(self.cta, self.warp.registers.r64(object)[lane]),
            };
            self.cta.observer.synchronised(Synchronisation::BulkBegin(awaited));
            self.warp.registers.set_mask(1 << lane);
            let words = self.launch().code.details.memory[op.load as usize].registers;
            for done in (0..u64::from(sizes[lane])).step_by(CHUNK_BYTES as usize) {
                for &word in &words[..(CHUNK_BYTES / 4) as usize] {
                    self.warp.define(File::R32, word, 1 << lane);
                }
                let spread = |address: &Lanes64| [address[lane].wrapping_add(done); LANES];
                self.warp.registers.set64(op.at[0], &spread(&from));
                self.warp.registers.set64(op.at[1], &spread(&to));
                if !(self.access_lane(op.load, lane) && self.access_lane(op.store, lane)) {
                    break;
                }
            }
            self.cta.observer.synchronised(Synchronisation::BulkEnd);
        }
        self.warp.registers.set_mask(mask);
    }

    /// Reports to the observer the lanes that tested an mbarrier object and saw its phase complete.
    #[inline(never)]
    pub fn phase_over(&mut self, inst: &Inst, mask: u32) {
        let registers = &self.warp.registers;
        let passed = registers.pred(inst.s[0]) & mask;
        let odd = |lane: usize| match inst.detail {
            0 => mbarrier::is_odd(registers.r64(inst.s[2])[lane]),
            _ => registers.r32(inst.s[2])[lane] & 1 != 0,
        };
        for (lanes, object, odd) in phases(self.cta, registers.r64(inst.s[1]), odd, passed) {
            let at = self.warp.lanes_of(lanes);
            self.cta.observer.synchronised(Synchronisation::PhaseOver { at, object, odd });
        }
    }

    /// Reports to the observer that mbarrier objects of the block signal when the earlier copies of these lanes are
    /// done.
    #[inline(never)]
    pub fn copies_signal(&mut self, inst: &Inst, mask: u32) {
        let objects = self.warp.registers.r64(inst.s[0]);
        let odd = |lane: usize| is_odd(self.cta, in_shared(objects[lane]));
        for (lanes, object, odd) in phases(self.cta, objects, odd, mask) {
            let at = self.warp.lanes_of(lanes);
            self.cta.observer.synchronised(Synchronisation::CopySignal { at, object, odd });
        }
    }
}

/// Returns the current phase of the mbarrier object at an address.
pub fn phase_of<O>(cta: &Cta<O>, address: u64) -> BulkCompletion {
    let object = in_shared(address);
    BulkCompletion::Phase { object, odd: is_odd(cta, object) }
}

/// Returns the address within the shared window for an address that may be generic.
pub fn in_shared(address: u64) -> u64 {
    let within = address.wrapping_sub(SHARED_WINDOW);
    if within < WINDOW_BYTES { within } else { address }
}

/// Returns whether the current phase of an mbarrier object is odd.
fn is_odd<O>(cta: &Cta<O>, object: u64) -> bool {
    if !cluster::is_own(cta, object) {
        return false;
    }
    let word = cluster::offset_of(object) as usize / 4;
    let words = cta.shared.get(word..word + 2);
    words.is_some_and(|words| mbarrier::is_odd(u64::from(words[0]) | u64::from(words[1]) << 32))
}

/// Returns the mbarrier objects of the block that the lanes of `left` name by address, by offset in the shared window,
/// each with one of its phases and the lanes that name the two.
fn phases<O>(
    cta: &Cta<O>,
    objects: &Lanes64,
    odd: impl Fn(usize) -> bool,
    mut left: u32,
) -> Vec<(u32, u64, bool)> {
    let mut found = Vec::new();
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        let its = (in_shared(objects[lane]), odd(lane));
        let same = lanes_of(left).filter(|&other| (in_shared(objects[other]), odd(other)) == its);
        let same = same.fold(0, |mask, lane| mask | 1 << lane);
        if cluster::is_own(cta, its.0) {
            found.push((same, cluster::offset_of(its.0), its.1));
        }
        left &= !same;
    }
    found
}
