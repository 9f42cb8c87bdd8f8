//! A warp's part of what its warpgroup does together: sixteen rows of each multiplication.
//!
//! The multiplication is done at once, from shared memory as it is when the warp comes to it. What is
//! touched before it is waited for, [`super::products`] and the observers see. What it reads of shared
//! memory is in no counter: the tensor cores have a way of their own there, of which no source says how
//! many bytes pass at a time or when they are read twice.

use super::findings::{Side, Whereabouts};
use super::observer::{CopyStep, Observer, Product};
use super::step::side;
use super::unit::{Cta, Unit};
use super::warp::Warp;
use super::wgmma_in_flight;
use crate::code::{Unfenced, WgmmaOp, WgmmaOperand};
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{LANES, Lanes32, Lanes64};
use crate::launch::Outcome;
use crate::matrix::{CHUNK_BYTES, Descriptor, GroupMultiply, ROWS, Swizzle, gather};
use crate::memory::global::POISON_WORD;
use std::collections::VecDeque;

/// Warps of a warpgroup.
const WARPS: usize = 4;
/// Multiplications that one warp may be ahead of another of its warpgroup before they are no longer
/// compared.
const MOST_AHEAD: usize = 4096;

/// A multiplication, as a warp asks for it.
#[derive(Clone, Copy, Debug)]
struct Asked {
    at: Side,
    a: Option<u64>,
    b: u64,
    adds: bool,
}

/// What the warps of one warpgroup came to.
#[derive(Debug, Default)]
pub struct Company {
    /// What they asked for, from number `first` on, until all have.
    asked: VecDeque<[Option<Asked>; WARPS]>,
    first: u64,
    came: [u64; WARPS],
    last: [Option<Side>; WARPS],
    lost: bool,
}

pub fn perform<O: Observer>(unit: &mut Unit, cta: &mut Cta<O>, warp: &mut Warp, pc: u32, code: &WgmmaOp) {
    let mask = warp.registers.mask();
    match code {
        WgmmaOp::Fence => {}
        WgmmaOp::Commit => {
            warp.products.commit();
            cta.observer.wgmma_group(warp.lanes_of(mask), CopyStep::Commit);
        }
        WgmmaOp::Wait(pending) => {
            warp.products.wait(*pending, false);
            cta.observer.wgmma_group(warp.lanes_of(mask), CopyStep::Wait(*pending));
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
            let at = side(cta.index, warp, pc, mask);
            if !alike {
                unit.findings.add(FindingKind::WarpGroup, at, None, || {
                    vec!["The lanes of a warp give different descriptors.".to_string()]
                });
            }
            if unit.checks {
                compare(unit, cta, warp.index as usize, Asked { at, a: a_bits, b, adds });
                fences(unit, warp, at, op, (sums, a), *unfenced);
            }
            let mut reads = Vec::new();
            let first = warp.index as u64 % WARPS as u64 * ROWS;
            let Some((a, b)) = (match (left, a_bits.map(Descriptor::decode), Descriptor::decode(b)) {
                (Some(left), _, b) => load(unit, cta, at, (&b, op.transposed[1]), (0, op.n), &mut reads)
                    .map(|right| (left, right)),
                (None, Some(a), b) => {
                    let rows = load(unit, cta, at, (&a, op.transposed[0]), (first, ROWS), &mut reads);
                    let right = load(unit, cta, at, (&b, op.transposed[1]), (0, op.n), &mut reads);
                    rows.zip(right).map(|(rows, right)| (GroupMultiply::fragment(&rows), right))
                }
                (None, None, _) => None,
            }) else {
                return;
            };
            let product = Product { pc, lanes: warp.lanes_of(mask), reads: &reads };
            cta.observer.wgmma_begin(&product, &mut unit.findings);
            let mut out: Vec<Lanes32> = match adds {
                true => sums.iter().map(|&register| *warp.registers.r32(register)).collect(),
                false => vec![[0; LANES]; sums.len()],
            };
            op.run(&a, &b, &mut out);
            for (&register, value) in sums.iter().zip(&out) {
                warp.registers.set32(register, value);
            }
        }
    }
}

/// Rows of a matrix, along k, and the addresses of their chunks, which are added to `reads`. `None`: the
/// launch is over.
fn load<O: Observer>(
    unit: &mut Unit,
    cta: &mut Cta<O>,
    at: Side,
    (place, transposed): (&Descriptor, bool),
    (first, rows): (u64, u64),
    reads: &mut Vec<u64>,
) -> Option<Vec<[u32; 8]>> {
    if place.base_offset != 0 && place.swizzle != Swizzle::None {
        let what = "wgmma with a base offset in its descriptor".to_string();
        unit.stopped = Some(Outcome::Unsupported { what, line: unit.launch.code.location(at.pc).cloned() });
        return None;
    }
    for note in misfits(place) {
        unit.findings.add(FindingKind::MatrixDescriptor, at, None, || vec![note]);
    }
    let addresses = place.chunks(transposed, first, rows);
    let inside = |address: u64| address + CHUNK_BYTES <= cta.shared_bytes;
    if let Some(&offset) = addresses.iter().find(|&&address| !inside(address)) {
        let reads = Whereabouts::Shared(offset);
        let at = Side { kind: AccessKind::Read, bytes: CHUNK_BYTES as u32, place: reads, ..at };
        let note = || {
            let swizzle = match place.swizzle {
                Swizzle::None => "no swizzle".into(),
                swizzle => format!("a swizzle of {} bytes", swizzle.row_bytes()),
            };
            vec![format!(
                "The matrix lies there by its descriptor: a start at byte {}, a leading offset of {} bytes, a stride \
                 offset of {}, {swizzle}.",
                place.start, place.leading, place.stride
            )]
        };
        unit.findings.add(FindingKind::SharedOutOfBounds, at, None, note);
    }
    let chunk = |&address: &u64| match cta.shared.get(address as usize / 4..address as usize / 4 + 4) {
        Some(words) if inside(address) => std::array::from_fn(|n| words[n]),
        _ => [POISON_WORD; 4],
    };
    let chunks: Vec<[u32; 4]> = addresses.iter().map(chunk).collect();
    reads.extend(addresses.iter().copied().filter(|&address| inside(address)));
    Some(gather(transposed, &chunks))
}

/// What is wrong with a descriptor, in sentences.
fn misfits(place: &Descriptor) -> Vec<String> {
    let mut notes = Vec::new();
    if place.reserved != 0 {
        notes.push(
            "The descriptor has bits where there must be none: an address or a stride was not cut to 14 bits, or not \
             divided by 16."
                .to_string(),
        );
    } else if !place.is_aligned() {
        notes.push(format!(
            "The matrix begins at byte {} of shared memory, but with a swizzle of {} bytes the pattern begins at \
             multiples of {}.",
            place.start,
            place.swizzle.row_bytes(),
            place.swizzle.pattern_bytes()
        ));
    }
    notes
}

/// Holds what the warps of a warpgroup ask for to each other, once all have come.
fn compare<O: Observer>(unit: &mut Unit, cta: &mut Cta<O>, warp: usize, asked: Asked) {
    let threads = unit.launch.block_threads();
    let (group, member) = (warp / WARPS, warp % WARPS);
    if threads < ((group + 1) * WARPS * LANES) as u64 {
        unit.findings.add(FindingKind::WarpGroup, asked.at, None, || {
            vec![format!(
                "A warpgroup is four whole warps, 128 threads in a row; the block has {threads} threads."
            )]
        });
        return;
    }
    if cta.companies.len() <= group {
        cta.companies.resize_with(group + 1, Company::default);
    }
    let company = &mut cta.companies[group];
    company.last[member] = Some(asked.at);
    let number = company.came[member];
    company.came[member] += 1;
    let ahead = number.wrapping_sub(company.first) as usize;
    company.lost |= ahead >= MOST_AHEAD;
    if company.lost {
        company.asked.clear();
        return;
    }
    if company.asked.len() <= ahead {
        company.asked.resize(ahead + 1, [None; WARPS]);
    }
    company.asked[ahead][member] = Some(asked);
    // The others of a warp came before it, so only the oldest can be complete.
    let Some(&[Some(one), Some(two), Some(three), Some(four)]) = company.asked.front() else { return };
    company.asked.pop_front();
    company.first += 1;
    let differs = |other: &Asked| match other {
        other if other.at.pc != one.at.pc => Some("come to different instructions"),
        other if other.a != one.a => Some("give different descriptors for A"),
        other if other.b != one.b => Some("give different descriptors for B"),
        other if other.adds != one.adds => Some("do not agree whether the sums are added to"),
        _ => None,
    };
    let found = [two, three, four].into_iter().find_map(|other| Some((other, differs(&other)?)));
    if let Some((other, what)) = found {
        let warp = |asked: &Asked| asked.at.thread.thread / LANES as u32;
        unit.findings.add(FindingKind::WarpGroup, one.at, Some(other.at), || {
            vec![format!("Warps {} and {} are of one warpgroup, and {what}.", warp(&one), warp(&other))]
        });
    }
}

/// A block ended: warps that came to fewer multiplications than others of their warpgroup are told of.
pub fn emit_mismatches<O: Observer>(unit: &mut Unit, cta: &mut Cta<O>) {
    for (group, company) in cta.companies.iter().enumerate() {
        let (Some(most), Some(least)) = (company.came.iter().max(), company.came.iter().min()) else {
            continue;
        };
        let at = (0..WARPS).find(|&member| company.came[member] == *most);
        let late = (0..WARPS).find(|&member| company.came[member] == *least);
        let (Some(member), Some(late)) = (at, late) else { continue };
        let Some(at) = company.last[member].filter(|_| least < most) else { continue };
        unit.findings.add(FindingKind::WarpGroup, at, None, || {
            vec![format!(
                "Warp {} comes to {most} multiplication{}, warp {} of the same warpgroup to {}.",
                group * WARPS + member,
                if *most == 1 { "" } else { "s" },
                group * WARPS + late,
                if *least == 0 { "none".to_string() } else { least.to_string() }
            )]
        });
    }
}

/// Whether the registers may be used now: none under way otherwise, and those that were changed fenced.
fn fences(
    unit: &mut Unit,
    warp: &mut Warp,
    at: Side,
    op: &GroupMultiply,
    registers: (&[u32], &WgmmaOperand),
    unfenced: Unfenced,
) {
    let other = wgmma_in_flight::begin(unit, warp, at.thread.block, at.pc, op, registers);
    let mut tell = |other: Option<Side>, note: &str| {
        unit.findings.add(FindingKind::RegisterFence, at, other, || vec![note.to_string()]);
    };
    if let Some(pc) = other {
        tell(
            Some(Side { pc, ..at }),
            "Only products of one shape may add to the same sums without wgmma.fence between them.",
        );
    }
    match unfenced {
        Unfenced::No => {}
        Unfenced::First => tell(None, "No wgmma.fence stands before it, on some way to here."),
        Unfenced::Changed => {
            tell(None, "Its registers were changed after the last wgmma.fence, on some way to here.")
        }
    }
}
