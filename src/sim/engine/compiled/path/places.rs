//! What blocks access that follow a path.

use super::compile::{CompiledPath, PathAccess};
use crate::kernel_code::AccessSite;
use std::ops::Range;

/// The addresses that the warps' first active lanes access in a batch of blocks: see [`PathAccess::addresses`].
#[derive(Debug)]
pub struct Addresses {
    pub all: Vec<u64>,
    pub per_block: usize,
    /// How many blocks there is room for.
    pub blocks: usize,
}

/// What the warps of a batch of blocks access.
#[derive(Clone, Debug, Default)]
pub struct AccessPlace {
    /// The addresses from the first byte to the last.
    pub range: Range<u64>,
    /// Whether each warp accesses the bytes after those of the warp before it, and each lane those after its neighbour's.
    pub is_row: bool,
}

impl Addresses {
    /// Makes room for the addresses of a number of blocks.
    pub fn new(path: &CompiledPath, blocks: usize) -> Addresses {
        let per_block = path.addresses_per_block();
        Addresses { all: vec![0; per_block * blocks], per_block, blocks }
    }

    /// Returns those of an access in a block, by warp.
    pub fn of(&self, access: &PathAccess, block: usize) -> &[u64] {
        let first = block * self.per_block;
        &self.all[first + access.addresses.start..first + access.addresses.end]
    }
}

/// Finds what the first blocks of a batch access. Returns whether all of it is within its buffers and aligned, and the bytes
/// that a warp stores to are accessed by no other warp.
pub fn find(
    path: &CompiledPath,
    sites: &[AccessSite],
    (addresses, blocks): (&Addresses, usize),
    places: &mut [AccessPlace],
) -> bool {
    for (n, access) in path.accesses.iter().enumerate() {
        let site = &sites[n];
        let span = access.span();
        let (mut is_row, mut apart, mut bits) = (access.is_row, true, 0);
        let (mut lowest, mut highest) = (u64::MAX, 0);
        let mut end = addresses.of(access, 0)[0];
        for block in 0..blocks {
            for &address in addresses.of(access, block) {
                is_row &= address == end;
                apart &= address >= end;
                (lowest, highest) = (lowest.min(address), highest.max(address));
                bits |= address;
                end = address.wrapping_add(span);
            }
        }
        let low = lowest.wrapping_add_signed(access.shape.low);
        let above = low.wrapping_sub(site.low);
        let within = above < site.room && highest - lowest < site.room - above;
        if !within || bits & (access.bytes - 1) != 0 || access.stores && !apart {
            return false;
        }
        places[n] = AccessPlace { range: low..low + (highest - lowest) + span, is_row };
    }
    let same = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|n| &path.accesses[n]);
        a.is_by_the_lanes_of(b) && (0..blocks).all(|block| addresses.of(a, block) == addresses.of(b, block))
    };
    let conflict = |a: usize, b: usize| overlap(&places[a].range, &places[b].range) && !same(a, b);
    let all = 0..path.accesses.len();
    all.clone().all(|a| !path.accesses[a].stores || all.clone().all(|b| a == b || !conflict(a, b)))
}

pub fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}
