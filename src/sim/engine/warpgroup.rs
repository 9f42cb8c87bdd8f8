//! A warp's share of its warpgroup's matrix products (`wgmma`): sixteen rows of each product.
//!
//! The product is computed at once, from shared memory as it is when the warp reaches the instruction. Accesses
//! before the wait are checked by [`super::wgmma_in_flight`] and by the observers. What a product reads from
//! shared memory is in no counter: the tensor cores have a path of their own there, and no source says how many
//! bytes pass at a time or when they are read twice.

use super::findings::{Side, SideAddress};
use super::issue::Issue;
use super::observer::{CopyStep, Observer, Product, Synchronisation};
use super::wgmma_in_flight;
use super::worker::{Cta, WorkerState};
use crate::code::{Unfenced, WgmmaOp, WgmmaOperand};
use crate::evidence::{Evidence, MissingFence, WarpDifference};
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{LANES, Lanes32, Lanes64};
use crate::matrix::{CHUNK_BYTES, Descriptor, GroupMultiply, ROWS, Swizzle, gather};
use crate::memory::global::POISON_WORD;
use std::collections::VecDeque;

/// Warps of a warpgroup.
const WARPS: usize = 4;
/// Products that one warp may be ahead of another of its warpgroup before they are no longer compared.
const MAX_AHEAD: usize = 4096;

/// A product as one warp requests it.
#[derive(Clone, Copy, Debug)]
struct ProductRequest {
    at: Side,
    a: Option<u64>,
    b: u64,
    adds: bool,
}

/// The products that the warps of one warpgroup have reached.
#[derive(Debug, Default)]
pub struct WarpgroupState {
    /// Requests of each warp, from product number `first` on, kept until all warps have made theirs.
    asked: VecDeque<[Option<ProductRequest>; WARPS]>,
    first: u64,
    reached: [u64; WARPS],
    last: [Option<Side>; WARPS],
    lost: bool,
}

impl<O: Observer> Issue<'_, '_, O> {
    /// Executes a warpgroup instruction for one warp.
    pub fn perform_group(&mut self, code: &WgmmaOp) {
        let warp = &mut *self.warp;
        let mask = warp.registers.mask();
        match code {
            WgmmaOp::Fence => {}
            WgmmaOp::Commit => {
                warp.products.commit();
                self.cta
                    .observer
                    .synchronised(Synchronisation::ProductGroup(warp.lanes_of(mask), CopyStep::Commit));
            }
            WgmmaOp::Wait(pending) => {
                warp.products.wait(*pending, false);
                let step = CopyStep::Wait(*pending);
                self.cta.observer.synchronised(Synchronisation::ProductGroup(warp.lanes_of(mask), step));
            }
            WgmmaOp::Multiply { op, sums, a, b, add, unfenced } => {
                let lane = (mask.trailing_zeros() % 32) as usize;
                let same = |lanes: &Lanes64| lanes.iter().all(|&its| its == lanes[lane]);
                let (b, adds) = (warp.registers.r64(*b), warp.registers.pred(*add));
                let mut alike = mask != u32::MAX || same(b) && matches!(adds, 0 | u32::MAX);
                let (b, adds) = (b[lane], adds >> lane & 1 != 0);
                let (left, a_bits) = match a {
                    WgmmaOperand::Registers(registers) => {
                        (Some(registers.map(|register| *warp.registers.r32(register))), None)
                    }
                    WgmmaOperand::Shared(register) => {
                        let its = warp.registers.r64(*register);
                        alike &= mask != u32::MAX || same(its);
                        (None, Some(its[lane]))
                    }
                };
                let at = self.side(mask);
                if !alike {
                    self.worker
                        .findings
                        .add(FindingKind::WarpGroup, at, None, || [Evidence::LanesGiveDescriptors]);
                }
                if self.worker.checks {
                    self.compare(ProductRequest { at, a: a_bits, b, adds });
                    self.fences(at, op, (sums, a), *unfenced);
                }
                let mut reads = Vec::new();
                let first = self.warp.index as u64 % WARPS as u64 * ROWS;
                let Some((a, b)) = (match (left, a_bits.map(Descriptor::decode), Descriptor::decode(b)) {
                    (Some(left), _, b) => self
                        .load(at, (&b, op.transposed[1]), (0, op.n), &mut reads)
                        .map(|right| (left, right)),
                    (None, Some(a), b) => {
                        let rows = self.load(at, (&a, op.transposed[0]), (first, ROWS), &mut reads);
                        let right = self.load(at, (&b, op.transposed[1]), (0, op.n), &mut reads);
                        rows.zip(right).map(|(rows, right)| (GroupMultiply::fragment(&rows), right))
                    }
                    (None, None, _) => None,
                }) else {
                    return;
                };
                let product = Product { pc: self.pc, lanes: self.warp.lanes_of(mask), reads: &reads };
                self.cta.observer.wgmma_begin(&product, &mut self.worker.findings);
                let registers = &mut self.warp.registers;
                let mut out: Vec<Lanes32> = match adds {
                    true => sums.iter().map(|&register| *registers.r32(register)).collect(),
                    false => vec![[0; LANES]; sums.len()],
                };
                op.run(&a, &b, &mut out);
                for (&register, value) in sums.iter().zip(&out) {
                    registers.set32(register, value);
                }
            }
        }
    }

    /// Loads rows of a matrix, along k, and appends the addresses of their chunks to `reads`. Returns `None` if the
    /// launch has ended.
    fn load(
        &mut self,
        at: Side,
        (place, transposed): (&Descriptor, bool),
        (first, rows): (u64, u64),
        reads: &mut Vec<u64>,
    ) -> Option<Vec<[u32; 8]>> {
        if place.base_offset != 0 && place.swizzle != Swizzle::None {
            self.stop_unsupported("wgmma with a base offset in its descriptor".to_string());
            return None;
        }
        if let Some(misfit) = misfit(place) {
            self.worker.findings.add(FindingKind::MatrixDescriptor, at, None, || [misfit]);
        }
        let addresses = place.chunks(transposed, first, rows);
        let shared_bytes = self.cta.shared_bytes;
        let inside = |address: u64| address + CHUNK_BYTES <= shared_bytes;
        if let Some(&offset) = addresses.iter().find(|&&address| !inside(address)) {
            let reads = SideAddress::Shared(offset);
            let at = Side { kind: AccessKind::Read, bytes: CHUNK_BYTES as u32, place: reads, ..at };
            let swizzled = place.swizzle != Swizzle::None;
            let (start, leading, stride) = (place.start, place.leading, place.stride);
            let swizzle_bytes = swizzled.then(|| place.swizzle.row_bytes());
            let placed = Evidence::DescriptorPlace { start, leading, stride, swizzle_bytes };
            self.worker.findings.add(FindingKind::SharedOutOfBounds, at, None, || [placed]);
        }
        let chunk = |&address: &u64| match self.cta.shared.get(address as usize / 4..address as usize / 4 + 4)
        {
            Some(words) if inside(address) => std::array::from_fn(|n| words[n]),
            _ => [POISON_WORD; 4],
        };
        let chunks: Vec<[u32; 4]> = addresses.iter().map(chunk).collect();
        reads.extend(addresses.iter().copied().filter(|&address| inside(address)));
        Some(gather(transposed, &chunks))
    }

    /// Compares the requests of a warpgroup's warps with each other once all have been made.
    fn compare(&mut self, asked: ProductRequest) {
        let warp = self.warp.index as usize;
        let threads = self.launch().extents.block_threads();
        let (group, member) = (warp / WARPS, warp % WARPS);
        if threads < ((group + 1) * WARPS * LANES) as u64 {
            let evidence = Evidence::WarpgroupNotFull { threads };
            self.worker.findings.add(FindingKind::WarpGroup, asked.at, None, || [evidence]);
            return;
        }
        if self.cta.warpgroup_states.len() <= group {
            self.cta.warpgroup_states.resize_with(group + 1, WarpgroupState::default);
        }
        let state = &mut self.cta.warpgroup_states[group];
        state.last[member] = Some(asked.at);
        let number = state.reached[member];
        state.reached[member] += 1;
        let ahead = number.wrapping_sub(state.first) as usize;
        state.lost |= ahead >= MAX_AHEAD;
        if state.lost {
            state.asked.clear();
            return;
        }
        if state.asked.len() <= ahead {
            state.asked.resize(ahead + 1, [None; WARPS]);
        }
        state.asked[ahead][member] = Some(asked);
        // Requests of a warp arrive in order, so only the oldest entry can be complete.
        let Some(&[Some(one), Some(two), Some(three), Some(four)]) = state.asked.front() else {
            return;
        };
        state.asked.pop_front();
        state.first += 1;
        let differs = |other: &ProductRequest| match other {
            other if other.at.pc != one.at.pc => Some(WarpDifference::Instruction),
            other if other.a != one.a => Some(WarpDifference::DescriptorA),
            other if other.b != one.b => Some(WarpDifference::DescriptorB),
            other if other.adds != one.adds => Some(WarpDifference::Adds),
            _ => None,
        };
        let found = [two, three, four].into_iter().find_map(|other| Some((other, differs(&other)?)));
        if let Some((other, by)) = found {
            let warp = |asked: &ProductRequest| asked.at.thread.thread / LANES as u32;
            self.worker.findings.add(FindingKind::WarpGroup, one.at, Some(other.at), || {
                [Evidence::WarpsDiffer { warps: [warp(&one), warp(&other)], by }]
            });
        }
    }

    /// Checks that the registers may be used now: that no other product uses them in another shape, and that a
    /// `wgmma.fence` follows any change to them.
    fn fences(
        &mut self,
        at: Side,
        op: &GroupMultiply,
        registers: (&[u32], &WgmmaOperand),
        unfenced: Unfenced,
    ) {
        let other = wgmma_in_flight::begin(self.worker, self.warp, at.thread.block, at.pc, op, registers);
        let mut add = |other: Option<Side>, missing: MissingFence| {
            self.worker.findings.add(FindingKind::RegisterFence, at, other, || [Evidence::Unfenced(missing)]);
        };
        if let Some(pc) = other {
            add(Some(Side { pc, ..at }), MissingFence::BetweenShapes);
        }
        match unfenced {
            Unfenced::No => {}
            Unfenced::First => add(None, MissingFence::BeforeFirst),
            Unfenced::Changed => add(None, MissingFence::AfterChange),
        }
    }
}

/// Returns what is wrong with a matrix descriptor, if anything.
fn misfit(place: &Descriptor) -> Option<Evidence> {
    if place.reserved != 0 {
        return Some(Evidence::DescriptorBits);
    }
    let (start, swizzle) = (place.start, place.swizzle);
    let (swizzle_bytes, pattern_bytes) = (swizzle.row_bytes(), swizzle.pattern_bytes());
    (!place.is_aligned()).then_some(Evidence::SwizzleStart { start, swizzle_bytes, pattern_bytes })
}

/// Reports, at the end of a block, warps that reached fewer products than others of their warpgroup.
pub fn emit_mismatches<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>) {
    for (group, warpgroup_state) in cta.warpgroup_states.iter().enumerate() {
        let (Some(most), Some(least)) =
            (warpgroup_state.reached.iter().max(), warpgroup_state.reached.iter().min())
        else {
            continue;
        };
        let at = (0..WARPS).find(|&member| warpgroup_state.reached[member] == *most);
        let late = (0..WARPS).find(|&member| warpgroup_state.reached[member] == *least);
        let (Some(member), Some(late)) = (at, late) else { continue };
        let Some(at) = warpgroup_state.last[member].filter(|_| least < most) else { continue };
        let [ahead, behind] = [member, late].map(|member| (group * WARPS + member) as u32);
        let (most, least) = (*most, *least);
        worker
            .findings
            .add(FindingKind::WarpGroup, at, None, || [Evidence::WarpBehind { ahead, most, behind, least }]);
    }
}
