//! Derives the work of warps from how often they ran each basic block.

use crate::code::{BasicBlock, DecodedModule};
use crate::counts::{Counts, ExtraInstructions, WaitCounts};
use crate::finding::SourceLocation;
use crate::table::Flop;

/// For each basic block: the number of warps that entered it, and the number of lanes, summed over all executions.
pub type Runs = Vec<[u64; 2]>;

/// Adds the runs of other thread blocks.
pub fn add(mine: &mut Runs, theirs: &[[u64; 2]]) {
    mine.resize(mine.len().max(theirs.len()), [0, 0]);
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = [mine[0] + theirs[0], mine[1] + theirs[1]];
    }
}

/// Returns a source line of the basic block that executed the most warp instructions.
pub fn busiest_line(code: &DecodedModule, runs: &[[u64; 2]]) -> Option<SourceLocation> {
    let work = |(block, &[warps, _]): (&BasicBlock, &[u64; 2])| warps * u64::from(block.end - block.start);
    let busiest = code.blocks.iter().zip(runs).rev().max_by_key(|&pair| work(pair))?.0;
    (busiest.start..busiest.end).find_map(|pc| code.location(pc)).cloned()
}

/// Adds the work of a whole launch to `counts`. Loads in flight together share one wait, and the quotient is
/// rounded up: so this is called once for all thread blocks, not for each part that a host thread ran.
pub fn count(code: &DecodedModule, runs: &[[u64; 2]], counts: &mut Counts) {
    for (block, &[warps, lanes]) in code.blocks.iter().zip(runs) {
        for &(class, count) in &block.classes {
            counts.instructions[class as usize] += warps * u64::from(count);
        }
        counts.thread_instructions += lanes * u64::from(block.written);
        counts.pace.waits.add(&WaitCounts {
            arithmetic: warps * block.path.arithmetic,
            special: warps * block.path.special,
            shared: warps * block.path.shared,
            global: (warps * block.path.global).div_ceil(u64::from(block.together.max(1))),
        });
        let [issue, special, doubles] = block.extra.map(|extra| warps * u64::from(extra));
        counts.pace.extra.add(&ExtraInstructions { issue, special, doubles });
        for &(kind, count) in &block.flops {
            let flops = lanes * u64::from(count);
            match kind {
                Flop::f16 => counts.flops.f16 += flops,
                Flop::bf16 => counts.flops.bf16 += flops,
                Flop::tf32 => counts.flops.tf32 += flops,
                Flop::int8 => counts.flops.int8 += flops,
                Flop::f32 => counts.flops.f32 += flops,
                Flop::f64 => counts.flops.f64 += flops,
            }
        }
    }
}
