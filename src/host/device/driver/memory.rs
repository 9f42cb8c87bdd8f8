//! Tracks the kind of memory at each address, and performs the host's own accesses to it.

use super::DriverGpus;
use crate::device::{CudaError, DeviceId, Failure, Result, Space};
use sim::{Address, is_host_pageable};
use std::collections::BTreeMap;

/// Memory obtained from the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub bytes: u64,
    pub space: Space,
    pub origin: Origin,
}

/// How memory was obtained, which determines how it is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Allocated,
    /// Allocated from a memory pool, in stream order.
    Pool,
    /// A CUDA array: no memory is at its addresses.
    Array,
    /// The host program's own memory, page-locked (`cudaHostRegister`).
    Placed,
    /// A variable of the program, which is unloaded with its module.
    Variable,
}

/// Blocks of memory by start address.
#[derive(Debug, Default)]
pub struct Blocks(BTreeMap<u64, Block>);

impl Blocks {
    pub fn insert(&mut self, start: u64, block: Block) {
        self.0.insert(start, block);
    }

    /// Returns the block that begins at an address.
    pub fn at(&self, start: u64) -> Option<Block> {
        self.0.get(&start).copied()
    }

    pub fn remove(&mut self, start: u64) {
        self.0.remove(&start);
    }

    /// Returns the block that contains an address.
    pub fn around(&self, address: u64) -> Option<Block> {
        let (start, block) = self.0.range(..=address).next_back()?;
        (address - start < block.bytes.max(1)).then_some(*block)
    }

    /// Returns whether the host may access all of these bytes.
    pub fn host_may_use(&self, address: u64, bytes: u64) -> bool {
        let Some((start, block)) = self.0.range(..=address).next_back() else { return false };
        let end = start.checked_add(block.bytes);
        let inside = end.zip(address.checked_add(bytes)).is_some_and(|(end, last)| last <= end);
        inside && !matches!(block.space, Space::Device(_))
    }

    pub fn forget_device(&mut self, device: DeviceId) {
        self.0.retain(|_, block| block.space != Space::Device(device));
    }
}

/// Returns whether addresses from the driver cannot be distinguished from those of the host program's
/// pageable memory.
fn collides(start: u64, bytes: u64) -> bool {
    let last = start.saturating_add(bytes.saturating_sub(1));
    is_host_pageable(start) || is_host_pageable(last) || start.checked_add(bytes).is_none()
}

impl DriverGpus {
    /// Records memory that the driver allocated.
    pub(super) fn record_block(&mut self, start: u64, block: Block) -> Result<Address> {
        if collides(start, block.bytes) {
            let message = format!(
                "the driver allocated memory at {start:#x}, where the host program's own memory has its addresses: run it with \
                 --backend sim"
            );
            return Err(Failure::Environment(anyhow::anyhow!(message)));
        }
        self.blocks.insert(start, block);
        Ok(Address(start))
    }

    pub(super) fn end_block(&mut self, address: Address) -> Result<()> {
        let block = self.blocks.at(address.0).ok_or(CudaError::InvalidValue)?;
        let (start, home) = (address.0, self.home);
        match (block.space, block.origin) {
            (_, Origin::Placed | Origin::Variable) => return Err(CudaError::InvalidValue.into()),
            (Space::Device(device), Origin::Array) => self.free_array(device, start)?,
            (Space::Device(device), _) => self.release(|direct| direct.free(device, start))?,
            (Space::Managed, _) => self.release(|direct| direct.free(home, start))?,
            (Space::Pinned, _) => self.release(|direct| direct.free_pinned(home, start))?,
        }
        self.blocks.remove(start);
        Ok(())
    }

    /// Waits for GPUs that cannot access managed memory concurrently with the host.
    pub(super) fn wait_for_managed(&mut self, address: u64) -> Result<()> {
        /// `CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS`
        const CONCURRENT: u32 = 89;
        let managed = self.blocks.around(address).is_some_and(|block| block.space == Space::Managed);
        if !managed {
            return Ok(());
        }
        for device in 0..self.count {
            if self.direct.is_entered(device) && self.direct.attribute(device, CONCURRENT) != Some(1) {
                self.wait_for_device(device)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_may_use_what_is_its_own_and_no_byte_more() {
        let mut blocks = Blocks::default();
        let block = |bytes, space| Block { bytes, space, origin: Origin::Allocated };
        blocks.insert(100, block(10, Space::Pinned));
        blocks.insert(200, block(10, Space::Device(0)));
        assert!(blocks.host_may_use(100, 10) && blocks.host_may_use(109, 1));
        assert!(!blocks.host_may_use(101, 10) && !blocks.host_may_use(99, 1));
        assert!(!blocks.host_may_use(200, 1) && !blocks.host_may_use(105, u64::MAX));
        assert_eq!(blocks.around(209).map(|b| b.space), Some(Space::Device(0)));
        assert_eq!(blocks.around(210), None);
        blocks.forget_device(0);
        assert!(blocks.around(200).is_none() && blocks.around(100).is_some());
    }

    #[test]
    fn addresses_of_the_host_program_are_not_taken() {
        // Address ranges in which drivers place memory: device, page-locked and managed.
        for start in [0x3_0200_0000, 0x7f2b_4a00_0000, 0xa_0200_0000] {
            assert!(!collides(start, 1 << 36), "{start:#x}");
        }
        assert!(collides(0x5600_0000_1000, 1) && collides(0x54ff_ffff_f000, 1 << 20));
        assert!(collides(u64::MAX, 2));
    }
}
