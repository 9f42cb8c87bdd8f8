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
/// every block gets at most an equal share of it (max-min fairness), and goes as slow as the
/// resource of which it lacks most. Multiprocessors hold whole blocks: with one block more than
/// there are multiprocessors, the one that has two decides when all are done.
pub fn rates(sms: u32, running: &[Running]) -> Vec<f64> {
    let sms = f64::from(sms.max(1));
    let total: f64 = running.iter().map(|r| r.count as f64).sum();
    let uneven = if total > 0.0 { (total / sms).ceil() * sms / total } else { 1.0 };
    let best = |r: &Running| 1.0 / r.cost.alone_ns.max(MIN_NS);
    let mut scale = vec![1.0f64; running.len()];
    for resource in Resource::ALL {
        let capacity = if resource.of_multiprocessor() { sms / uneven } else { 1.0 };
        // What each block would use of it in a nanosecond, with nothing in its way.
        let wants: Vec<f64> = running.iter().map(|r| r.cost.demand.of(resource) * best(r)).collect();
        let level = fair_level(capacity, running, &wants);
        for (scale, want) in scale.iter_mut().zip(&wants) {
            if *want > level {
                *scale = scale.min(level / want);
            }
        }
    }
    running.iter().zip(scale).map(|(r, scale)| best(r) * scale.max(1e-9)).collect()
}

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
