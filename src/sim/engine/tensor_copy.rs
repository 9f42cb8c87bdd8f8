//! Tensor copies: boxes of tensors, moved chunk by chunk according to their tensor maps.

use super::access::resolve;
use super::bulk;
use super::cluster;
use super::findings::SideAddress;
use super::issue::Issue;
use super::observer::{BulkCompletion, Observer, Synchronisation};
use super::undefined;
use crate::code::{ChunkAccess, Inst, TensorCopy, TensorWay};
use crate::evidence::{BulkOperand, Evidence, TensorMisuse, Use};
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{File, LANES, lanes_of};
use crate::memory::access::Space;
use crate::memory::global::POISON_WORD;
use crate::tensor_map::{
    BOX_ALIGN_BYTES, CHUNK_BYTES, Chunk, MAP_ALIGN_BYTES, MAP_BYTES, MAX_RANK, TensorMap,
};

const WORDS: u32 = 4;

/// A copy by one lane, the only active one.
struct BoxCopy<'c, 'i, 'w, O> {
    issue: &'c mut Issue<'i, 'w, O>,
    copy: &'w TensorCopy,
    map: TensorMap,
    at: [i32; MAX_RANK],
    /// Where the box is in shared memory.
    shared: u64,
    lane: usize,
}

impl<O: Observer> Issue<'_, '_, O> {
    /// Moves the boxes of the lanes of `mask`, and writes the byte count for each lane's mbarrier to the destination
    /// register. Returns false where the kernel ends with it.
    #[inline(never)]
    pub fn copy_tensor(&mut self, inst: &Inst, mask: u32) -> bool {
        let copy = &self.launch().code.details.tensor_copies[inst.detail as usize];
        let (maps, boxes) = (*self.warp.registers.r64(copy.map), *self.warp.registers.r64(copy.shared));
        for lane in lanes_of(mask) {
            let mut at = [0; MAX_RANK];
            for (index, &register) in at.iter_mut().zip(&copy.coordinates[..copy.rank]) {
                *index = self.warp.registers.r32(register)[lane] as i32;
            }
            let shared = bulk::in_shared(boxes[lane]);
            let map = match self.decode_map(lane, maps[lane]) {
                Ok(map) if map.rank != copy.rank => {
                    Err(TensorMisuse::Rank { map: map.rank, copy: copy.rank })
                }
                Ok(map) if !map.may_begin(at) => {
                    Err(TensorMisuse::FirstCoordinate { at: at[0], element_bytes: map.ty.bytes() })
                }
                Ok(_) if !matches!(copy.way, TensorWay::Load { .. }) && at.iter().any(|index| *index < 0) => {
                    Err(TensorMisuse::StoreBefore)
                }
                found => found,
            };
            let map = match map {
                Ok(map) => map,
                Err(misuse) => return self.refuse(kind_of(misuse), lane, 0, Evidence::TensorMap(misuse)),
            };
            if !shared.is_multiple_of(BOX_ALIGN_BYTES) {
                let what = match copy.way {
                    TensorWay::Load { .. } => BulkOperand::Destination,
                    _ => BulkOperand::Source,
                };
                let evidence = Evidence::BulkUnaligned { what, value: shared, multiple: BOX_ALIGN_BYTES };
                return self.refuse(FindingKind::Misaligned, lane, map.box_bytes() as u32, evidence);
            }
            self.warp.registers.set_mask(1 << lane);
            self.warp.registers.set32(inst.d, &[map.box_bytes() as u32; LANES]);
            let mut copying = BoxCopy { issue: self, copy, map, at, shared, lane };
            match &copy.way {
                TensorWay::Load { global, object, ranks } => {
                    let registers = &copying.issue.warp.registers;
                    let object = registers.r64(*object)[lane];
                    let ranks = ranks.map(|register| registers.r32(register)[lane]);
                    copying.load(global, bulk::phase_of(copying.issue.cta, object), ranks);
                }
                TensorWay::Store(whole) => copying.store(*whole),
                TensorWay::Reduce { atomics, value } => {
                    let Some(&(_, op)) = atomics.iter().find(|(its, _)| *its == map.ty) else {
                        let misuse = TensorMisuse::Operator { element: map.ty };
                        return self.refuse(FindingKind::TensorMap, lane, 0, Evidence::TensorMap(misuse));
                    };
                    copying.reduce(op, *value);
                }
            }
            self.cta.observer.synchronised(Synchronisation::BulkEnd);
        }
        self.warp.registers.set_mask(mask);
        true
    }

    /// Ends the kernel with a finding about a lane. Returns false.
    fn refuse(&mut self, kind: FindingKind, lane: usize, bytes: u32, evidence: Evidence) -> bool {
        let at = self.access_side(lane, AccessKind::Write, bytes, SideAddress::Nowhere);
        self.end(kind, at, || [evidence])
    }

    /// Decodes the tensor map at a generic address.
    fn decode_map(&self, lane: usize, address: u64) -> Result<TensorMap, TensorMisuse> {
        let (space, _) = resolve(Space::Generic, address);
        if matches!(space, Space::Shared | Space::Local) {
            return Err(TensorMisuse::Memory);
        }
        if !address.is_multiple_of(MAP_ALIGN_BYTES) {
            return Err(TensorMisuse::Unaligned { past: address % MAP_ALIGN_BYTES });
        }
        let mut bytes = [0; MAP_BYTES];
        for (n, byte) in (0..).zip(&mut bytes) {
            let its = self.read_byte(lane, address.wrapping_add(n));
            *byte = its.ok_or(TensorMisuse::NotEncoded)?;
        }
        TensorMap::decode(&bytes).ok_or(TensorMisuse::NotEncoded)
    }
}

/// Returns the kind of finding that matches the error of an H100.
fn kind_of(misuse: TensorMisuse) -> FindingKind {
    match misuse {
        TensorMisuse::Unaligned { .. } => FindingKind::Misaligned,
        _ => FindingKind::TensorMap,
    }
}

impl<O: Observer> BoxCopy<'_, '_, '_, O> {
    fn load(&mut self, global: &ChunkAccess, awaited: BulkCompletion, ranks: Option<u32>) {
        self.issue.cta.observer.synchronised(Synchronisation::BulkBegin(awaited));
        let mut there = true;
        for chunk in self.map.chunks(self.at) {
            self.fill_words(self.map.fill());
            there = there && self.load_inside(global, chunk);
            if !there {
                // An unreadable access is reported once.
                self.fill_words(POISON_WORD);
            }
            let place = self.map.swizzled(self.shared + chunk.shared);
            let all = ranks.map_or(1, |ranks| ranks & 0xffff);
            for rank in (0..16).filter(|rank| all >> rank & 1 != 0) {
                let place = if ranks.is_some() { cluster::mapped(place, rank) } else { place };
                if !self.shared_chunk(place) {
                    return;
                }
            }
        }
    }

    fn fill_words(&mut self, value: u32) {
        for word in 0..WORDS {
            self.issue.warp.define(File::R32, self.copy.words + word, 1 << self.lane);
            self.issue.warp.registers.set32(self.copy.words + word, &[value; LANES]);
        }
    }

    /// Loads the part of a chunk that lies within the tensor; the rest keeps its fill value.
    fn load_inside(&mut self, global: &ChunkAccess, chunk: Chunk) -> bool {
        parts(global, chunk.inside).all(|(op, first)| {
            let word = self.copy.words + first as u32 / WORDS;
            let before = self.issue.warp.registers.r32(word)[self.lane];
            if !self.global_access(op, chunk.global + first) {
                return false;
            }
            let value = match op {
                op if op == global.third => {
                    let third = self.issue.warp.registers.r32(global.third_byte)[self.lane];
                    before & !0xff_0000 | (third & 0xff) << 16
                }
                op if op == global.words[first as usize / 4][1] => {
                    before & !0xffff | self.issue.warp.registers.r32(word)[self.lane] & 0xffff
                }
                _ => return true,
            };
            self.issue.warp.registers.set32(word, &[value; LANES]);
            true
        })
    }

    fn store(&mut self, whole: u32) {
        self.issue.cta.observer.synchronised(Synchronisation::BulkBegin(BulkCompletion::Group));
        for chunk in self.map.chunks(self.at).filter(Chunk::is_stored) {
            let stored = self.take(chunk) && self.global_access(whole, chunk.global);
            if !stored {
                return;
            }
        }
    }

    fn reduce(&mut self, op: u32, [narrow, wide]: [u32; 2]) {
        self.issue.cta.observer.synchronised(Synchronisation::BulkBegin(BulkCompletion::Group));
        let bytes = self.map.ty.bytes();
        for chunk in self.map.chunks(self.at).filter(Chunk::is_stored) {
            if !self.take(chunk) {
                return;
            }
            for first in (0..CHUNK_BYTES).step_by(bytes as usize) {
                let number = self.copy.words + first as u32 / WORDS;
                let Issue { worker, warp, pc, .. } = self.issue;
                undefined::check(worker, warp, (File::R32, number), 1 << self.lane, *pc, Use::Atomic);
                let word = self.issue.warp.registers.r32(number)[self.lane] >> (first % 4 * 8);
                if bytes == 8 {
                    let high = u64::from(self.issue.warp.registers.r32(number + 1)[self.lane]);
                    self.issue.warp.registers.set64(wide, &[u64::from(word) | high << 32; LANES]);
                } else {
                    self.issue.warp.registers.set32(narrow, &[word; LANES]);
                }
                if !self.global_access(op, chunk.global + first) {
                    return;
                }
            }
        }
    }

    /// Reads a chunk from shared memory into the copy's registers.
    fn take(&mut self, chunk: Chunk) -> bool {
        let place = self.map.swizzled(self.shared + chunk.shared);
        for word in 0..WORDS {
            self.issue.warp.define(File::R32, self.copy.words + word, 1 << self.lane);
        }
        self.shared_chunk(place)
    }

    fn shared_chunk(&mut self, place: u64) -> bool {
        self.issue.warp.registers.set64(self.copy.at[1], &[place; LANES]);
        self.issue.access_lane(self.copy.chunk, self.lane)
    }

    fn global_access(&mut self, op: u32, address: u64) -> bool {
        self.issue.warp.registers.set64(self.copy.at[0], &[address; LANES]);
        self.issue.access_lane(op, self.lane)
    }
}

/// Returns the accesses for the first `bytes` of a chunk, and the offset in the chunk at which each begins.
fn parts(global: &ChunkAccess, bytes: u64) -> impl Iterator<Item = (u32, u64)> + use<> {
    let words = if bytes == 16 { 0 } else { bytes / 4 };
    let (last, left) = (words as usize, bytes % 4);
    let whole = (bytes == 16).then_some((global.whole, 0));
    let full = global.words.map(|accesses| accesses[0]).into_iter().zip((0..).step_by(4)).take(last);
    let two = (left >= 2).then(|| (global.words[last][1], words * 4));
    let one = (left == 1).then(|| (global.words[last][2], words * 4));
    let third = (left == 3).then_some((global.third, words * 4 + 2));
    whole.into_iter().chain(full).chain(two).chain(one).chain(third)
}
