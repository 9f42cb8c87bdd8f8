//! What each GPU of a machine does, and what moves from one to another.

use super::DeviceId;
use std::collections::BTreeMap;

/// The kernels' instructions on each GPU, and the bytes that moved from one GPU to another.
///
/// Bytes move by copies between memory of two GPUs, directly or staged through the host by the driver; by kernels
/// and library calls that access memory of another GPU, each byte once per launch or call; and by NCCL, as in a
/// ring of the ranks in their order. What the program itself copies to the host and back is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuShares {
    /// Thread-level instructions of kernels, by device.
    instructions: BTreeMap<DeviceId, u64>,
    /// Bytes that moved from the first device to the second.
    moved: BTreeMap<(DeviceId, DeviceId), u64>,
}

impl GpuShares {
    pub(super) fn add_kernel(&mut self, device: DeviceId, thread_instructions: u64) {
        *self.instructions.entry(device).or_default() += thread_instructions;
    }

    pub(super) fn add_bytes(&mut self, from: DeviceId, to: DeviceId, bytes: u64) {
        if from != to {
            let sum = self.moved.entry((from, to)).or_default();
            *sum = sum.saturating_add(bytes);
        }
    }

    /// Returns the bytes that moved from one GPU to another, over all pairs.
    pub fn bytes_moved(&self) -> u64 {
        self.moved.values().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Returns the bytes sent by the GPU that sends most.
    pub fn most_bytes_sent(&self) -> u64 {
        self.most_by(|(from, _)| from)
    }

    /// Returns the bytes received by the GPU that receives most.
    pub fn most_bytes_received(&self) -> u64 {
        self.most_by(|(_, to)| to)
    }

    fn most_by(&self, device: impl Fn((DeviceId, DeviceId)) -> DeviceId) -> u64 {
        let mut sums: BTreeMap<DeviceId, u64> = BTreeMap::new();
        for (&pair, &bytes) in &self.moved {
            let sum = sums.entry(device(pair)).or_default();
            *sum = sum.saturating_add(bytes);
        }
        sums.into_values().max().unwrap_or(0)
    }

    /// Returns the percentage of all instructions that the busiest GPU executed, rounded down; 0 if no kernel ran.
    pub fn busiest_percent(&self) -> u64 {
        let most = self.instructions.values().copied().max().unwrap_or(0);
        let all: u128 = self.instructions.values().map(|&count| u128::from(count)).sum();
        (u128::from(most) * 100 / all.max(1)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_gpu_is_found_by_its_sums() {
        let mut shares = GpuShares::default();
        assert_eq!((shares.busiest_percent(), shares.bytes_moved(), shares.most_bytes_sent()), (0, 0, 0));
        shares.add_bytes(0, 1, 8);
        shares.add_bytes(0, 2, 8);
        shares.add_bytes(1, 2, 5);
        shares.add_bytes(1, 1, 100);
        assert_eq!(shares.bytes_moved(), 21);
        assert_eq!((shares.most_bytes_sent(), shares.most_bytes_received()), (16, 13));
        shares.add_kernel(0, 20);
        shares.add_kernel(1, 10);
        shares.add_kernel(0, 1);
        assert_eq!(shares.busiest_percent(), 67);
    }
}
