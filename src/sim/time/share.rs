//! How fast blocks progress when they run concurrently.

use super::bound::Bound;
use super::cost::BlockCost;

/// The blocks of one kernel that are running now, anywhere on the GPU.
#[derive(Clone, Copy, Debug)]
pub struct Running<'a> {
    /// The kernel's cost per block.
    pub cost: &'a BlockCost,
    /// The number of running blocks.
    pub count: u64,
}

/// Returns, for each kernel, the blocks per nanosecond that each of its running blocks completes.
///
/// A block alone takes `alone_ns`. Where the blocks together demand more of a resource than there is, every block
/// gets at most an equal share of it (max-min fairness), and slows down roughly as much as its scarcest resource
/// does. Multiprocessors hold whole blocks: with one block more than there are multiprocessors, the multiprocessor
/// that has two decides when all are done.
pub fn rates(sms: u32, running: &[Running]) -> Vec<f64> {
    let sms = f64::from(sms.max(1));
    let total: f64 = running.iter().map(|r| r.count as f64).sum();
    let uneven = if total > 0.0 { (total / sms).ceil() * sms / total } else { 1.0 };
    let best = |r: &Running| 1.0 / r.cost.alone_ns.max(MIN_NS);
    // One term for the block's own latency; a term for each contended resource is added below.
    let mut sums = vec![1.0f64; running.len()];
    for resource in Bound::RESOURCES {
        let capacity = if resource.of_multiprocessor() { sms / uneven } else { 1.0 };
        // What each block would use of the resource per nanosecond if nothing held it up.
        let wants: Vec<f64> = running.iter().map(|r| r.cost.demand.of(resource) * best(r)).collect();
        let level = fair_level(capacity, running, &wants);
        let all: f64 = wants.iter().zip(running).map(|(want, r)| want * r.count as f64).sum();
        for (sum, want) in sums.iter_mut().zip(&wants) {
            let used = if *want > level {
                want / level
            } else if *want > 0.0 {
                all / capacity
            } else {
                0.0
            };
            *sum += used.powf(SHARPNESS);
        }
    }
    let slower = |sum: f64| sum.powf(-1.0 / SHARPNESS).max(1e-9);
    running.iter().zip(sums).map(|(r, sum)| best(r) * slower(sum)).collect()
}

/// Blocks don't use resources as evenly as they could: they wait together, and then they all request the same
/// resource. So where a block's latency and the time of a resource are about equal, the block takes longer than the
/// longer of the two. The times are raised to this power, added, and the root of the sum is taken; the higher the
/// exponent, the closer the result to the longest time alone. Over the kernels of `tests/timing/pairs` on an H100 the
/// median error of a time is 6 % with 3, 10 % with 2, 8 % with 4.
const SHARPNESS: f64 = 3.0;

/// Lower bound on a block's latency, in nanoseconds.
const MIN_NS: f64 = 1.0;

/// Returns the share below which every block's demand is met in full; infinite if all demands fit into `capacity`.
fn fair_level(capacity: f64, running: &[Running], wants: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by(|&a, &b| wants[a].total_cmp(&wants[b]));
    let mut left = capacity;
    let mut blocks: f64 = running.iter().map(|r| r.count as f64).sum();
    for n in order {
        let count = running[n].count as f64;
        if wants[n] * blocks >= left {
            return if blocks > 0.0 { left / blocks } else { f64::INFINITY };
        }
        left -= wants[n] * count;
        blocks -= count;
    }
    f64::INFINITY
}
