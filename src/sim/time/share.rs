//! How fast blocks get on when they run side by side.

use super::cost::{BlockCost, Resource};

/// Blocks of one kernel that run now, anywhere on the GPU.
#[derive(Clone, Copy, Debug)]
pub struct Running<'a> {
    pub cost: &'a BlockCost,
    pub count: u64,
}

/// Blocks a nanosecond that each running block of each kernel completes.
///
/// A block alone takes `alone_ns`. Where blocks together ask more of a resource than there is,
/// every block gets at most an equal share of it (max-min fairness), and goes about as slow as the
/// resource of which it lacks most. Multiprocessors hold whole blocks: with one block more than
/// there are multiprocessors, the one that has two decides when all are done.
pub fn rates(sms: u32, running: &[Running]) -> Vec<f64> {
    let sms = f64::from(sms.max(1));
    let total: f64 = running.iter().map(|r| r.count as f64).sum();
    let uneven = if total > 0.0 { (total / sms).ceil() * sms / total } else { 1.0 };
    let best = |r: &Running| 1.0 / r.cost.alone_ns.max(MIN_NS);
    // Of a block's own latency, and of what each resource lacks.
    let mut sums = vec![1.0f64; running.len()];
    for resource in Resource::ALL {
        let capacity = if resource.of_multiprocessor() { sms / uneven } else { 1.0 };
        // What each block would use of it in a nanosecond, with nothing in its way.
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

/// Blocks do not use resources as evenly as they might: they wait together, and then all want the
/// same. So where a block's latency and the time of a resource are about as long, it takes longer than
/// the longer of the two: times are added to this power, of which the root is taken. The higher, the
/// closer to the longest alone. Over the kernels of `tests/timing/pairs` on an H100 the median error
/// of a time is 6 % with 3, 10 % with 2, 8 % with 4.
const SHARPNESS: f64 = 3.0;

/// No block is faster than this.
const MIN_NS: f64 = 1.0;

/// The share up to which every block's wish is granted.
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
