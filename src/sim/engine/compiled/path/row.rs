//! The blocks of a row of the grid that follow a path, where what they access moves by the same distance from each block to
//! the next. What is valid, and who conflicts with whom, is then found once for all of them.

use super::compile::{CompiledPath, PathAccess};
use super::places::{self, AccessPlace, Addresses, overlap};
use super::strides::{self, MovingBlocks};
use crate::engine::compiled::region::lock;
use crate::engine::launch::LaunchContext;
use crate::engine::warp::Warp;
use crate::kernel_code::AccessSite;
use crate::launch::ExecutionOrder;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// A row is looked at if it has at least one block for this many instructions of a block: a fraction of the time of running it.
const STEPS_PER_BLOCK: u64 = 4;

/// Blocks that follow a path without defects.
#[derive(Debug)]
pub struct Row {
    /// Their indices in the grid, which are their places in the launch's order.
    pub blocks: Range<u64>,
    /// Whether any two accesses are apart in all blocks, or are the same.
    pub is_apart: bool,
    /// Whether something is loaded and stored.
    pub is_in_place: bool,
    /// Whether these blocks are the launch's first ones, and would do the same if all were run again.
    pub is_repeatable: bool,
    moving: Arc<MovingBlocks>,
    /// What the first block accesses.
    first: Vec<AccessPlace>,
}

/// The row of a launch that a host thread has looked at last: the others mostly need the same one.
#[derive(Debug, Default)]
pub struct LastRow(Mutex<Option<FollowedRow>>);

#[derive(Debug)]
struct FollowedRow {
    path: Arc<CompiledPath>,
    first_block: u64,
    moving: Option<Arc<MovingBlocks>>,
}

/// Returns how the accesses of a row's blocks move, if it is worth looking for that. `warps`: those of a block that has just
/// begun. `first_block`: the index of the row's first block.
pub fn follow(
    launch: &LaunchContext,
    path: &Arc<CompiledPath>,
    warps: &mut [Warp],
    first_block: u64,
) -> Option<Arc<MovingBlocks>> {
    let (order, grid) = (&launch.order, launch.extents.grid);
    let blocks = u64::from(grid.x);
    let by_number = order.execution == ExecutionOrder::ByNumber && order.sample_every == 1;
    let is_long = blocks * STEPS_PER_BLOCK >= path.work.steps || launch.options.compile_after == 0;
    if !by_number || launch.extents.cluster.count() > 1 || !is_long {
        return None;
    }
    let known = lock(&launch.last_row.0);
    if let Some(last) = &*known
        && (Arc::ptr_eq(&last.path, path) && last.first_block == first_block)
    {
        return last.moving.clone();
    }
    drop(known);
    let moving = strides::follow(path, launch.code, warps, (grid.at(first_block), blocks)).map(Arc::new);
    let followed = FollowedRow { path: path.clone(), first_block, moving: moving.clone() };
    *lock(&launch.last_row.0) = Some(followed);
    moving
}

impl Row {
    /// Finds the blocks of a row, from its first one on, that follow the path without defects. `sites`: one for each access,
    /// with its bounds.
    pub fn new(
        launch: &LaunchContext,
        (path, sites): (&CompiledPath, &[AccessSite]),
        moving: Arc<MovingBlocks>,
        first_block: u64,
    ) -> Option<Row> {
        let per_block = moving.addresses.len();
        let addresses = Addresses { all: moving.addresses.clone(), per_block, blocks: 1 };
        let mut first = vec![AccessPlace::default(); path.accesses.len()];
        if !places::find(path, sites, (&addresses, 1), &mut first) {
            return None;
        }
        let mut row =
            Row { blocks: 0..0, is_apart: true, is_in_place: false, is_repeatable: false, moving, first };
        let mut count = row.moving.count;
        for (n, (access, site)) in path.accesses.iter().zip(sites).enumerate() {
            count = count.min(row.valid_blocks(n, access, site)?);
        }
        row.blocks = first_block..first_block + count;
        row.look_for_conflicts(path)?;
        let grid = launch.extents.grid;
        let is_first = u64::from(grid.x) == grid.count();
        let fits = launch.budget.left() / path.work.steps.max(1) >= count;
        row.is_repeatable = is_first && fits && !row.is_in_place;
        Some(row)
    }

    /// Returns in how many blocks an access is valid; `None` if it need not be, or two blocks store to the same place.
    fn valid_blocks(&self, n: usize, access: &PathAccess, site: &AccessSite) -> Option<u64> {
        let (stride, range) = (self.moving.strides[n], &self.first[n].range);
        let distance = stride.unsigned_abs();
        let is_apart = !access.stores || distance >= range.end - range.start;
        if !distance.is_multiple_of(access.bytes) || !is_apart && self.moving.count > 1 {
            return None;
        }
        let below = range.start - site.low;
        let above = site.room - 1 - (range.end - access.span() - site.low);
        Some(match stride {
            0 => u64::MAX,
            1.. => above / distance + 1,
            _ => below / distance + 1,
        })
    }

    /// Finds whether accesses meet, in any of the blocks. Returns `None` if one is a store, and they are not the same.
    fn look_for_conflicts(&mut self, path: &CompiledPath) -> Option<()> {
        let all: Vec<Range<u64>> =
            (0..path.accesses.len()).map(|n| self.range(n, self.blocks.clone())).collect();
        for (a, one) in path.accesses.iter().enumerate() {
            for (b, other) in path.accesses.iter().enumerate().skip(a + 1) {
                if !overlap(&all[a], &all[b]) {
                    continue;
                }
                let addresses = |access: &PathAccess| &self.moving.addresses[access.addresses.clone()];
                let same = one.is_by_the_lanes_of(other)
                    && addresses(one) == addresses(other)
                    && self.moving.strides[a] == self.moving.strides[b];
                if !same && (one.stores || other.stores) {
                    return None;
                }
                self.is_apart &= same;
                self.is_in_place |= one.stores != other.stores;
            }
        }
        Some(())
    }

    /// Returns the addresses that some blocks access, from the first byte to the last.
    fn range(&self, n: usize, blocks: Range<u64>) -> Range<u64> {
        let (Range { start, end }, stride) = (self.first[n].range.clone(), self.moving.strides[n]);
        let from = (blocks.start - self.blocks.start) as i64 * stride;
        let to = (blocks.end - 1 - self.blocks.start) as i64 * stride;
        start.wrapping_add_signed(from.min(to))..end.wrapping_add_signed(from.max(to))
    }

    /// Fills in what some of the blocks access.
    pub fn fill(
        &self,
        path: &CompiledPath,
        blocks: Range<u64>,
        (addresses, places): (&mut Addresses, &mut [AccessPlace]),
    ) {
        for (n, access) in path.accesses.iter().enumerate() {
            let (stride, first) = (self.moving.strides[n], &self.first[n]);
            let its = &self.moving.addresses[access.addresses.clone()];
            for (at, block) in blocks.clone().enumerate() {
                let moved = (block - self.blocks.start) as i64 * stride;
                let start = at * addresses.per_block + access.addresses.start;
                let to = &mut addresses.all[start..start + its.len()];
                to.iter_mut().zip(its).for_each(|(to, from)| *to = from.wrapping_add_signed(moved));
            }
            let bytes = first.range.end - first.range.start;
            let is_row = first.is_row && (stride == bytes as i64 || blocks.end - blocks.start == 1);
            places[n] = AccessPlace { range: self.range(n, blocks.clone()), is_row };
        }
    }
}
