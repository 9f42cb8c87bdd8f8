//! Kernels by address: their attributes, what `cudaFuncSetAttribute` changed, and their occupancy.

use crate::device::{CudaError, Failure, Result, fail_if};
use crate::program::call::{Call, Plain, calls};
use cpp::source_name;
use sim::{BlockNeeds, KernelInfo, Multiprocessor};
use std::collections::HashMap;

/// A kernel of the program.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub info: KernelInfo,
    /// Name in the source.
    pub name: String,
    /// Registers per thread in the compiler's machine code; 0 if not known.
    pub registers: u32,
    /// Most dynamic shared memory in bytes, if set by the program.
    pub dynamic_limit: Option<u32>,
    carveout: i32,
    /// Whether it may have clusters of more than 8 blocks.
    pub large_clusters: bool,
}

/// The kernels by address.
#[derive(Debug, Default)]
pub struct Kernels {
    by_address: HashMap<u64, Kernel>,
}

/// Shared memory in bytes that a block may use without opting in.
const PLAIN_SHARED_BYTES: u64 = 48 << 10;
/// `enum cudaFuncAttribute`
const MAX_DYNAMIC_SHARED: i32 = 8;
const CARVEOUT: i32 = 9;
const LARGE_CLUSTERS: i32 = 14;
const CLUSTER_POLICY: i32 = 15;
/// Attributes for the size of clusters, which `__cluster_dims__` declares: they cannot be set here.
const CLUSTER: std::ops::RangeInclusive<i32> = 10..=13;
/// PTX ISA 8.8 as `ptxVersion` encodes it, without the point.
const PTX_VERSION: u32 = 88;

impl Kernels {
    pub fn insert(&mut self, info: KernelInfo, registers: u32) {
        let name = source_name(&info.name);
        let kernel =
            Kernel { name, registers, dynamic_limit: None, carveout: -1, large_clusters: false, info };
        self.by_address.insert(kernel.info.address, kernel);
    }

    pub fn get(&self, address: u64) -> Option<&Kernel> {
        self.by_address.get(&address)
    }
}

impl Kernel {
    /// Returns the most dynamic shared memory in bytes that a launch may request.
    pub fn dynamic_limit(&self) -> u64 {
        let plain = PLAIN_SHARED_BYTES.saturating_sub(self.info.shared_bytes);
        self.dynamic_limit.map_or(plain, |limit| plain.max(limit.into()))
    }

    /// Returns the most threads of a block.
    pub fn max_threads(&self, multiprocessor: &Multiprocessor) -> u32 {
        let bounds = match self.info.max_threads {
            0 => 1024,
            bounds => bounds.min(1024) as u32,
        };
        // A block that needs more registers than there are cannot run.
        let by_registers = multiprocessor.registers / self.registers.max(1) / 32 * 32;
        bounds.min(by_registers.max(32))
    }

    /// Returns how many blocks of this size one multiprocessor holds at once (the occupancy).
    pub fn blocks_held(&self, multiprocessor: &Multiprocessor, threads: u64, dynamic_bytes: u64) -> u32 {
        let shared = self.info.shared_bytes.saturating_add(dynamic_bytes);
        if threads == 0 || threads > u64::from(self.max_threads(multiprocessor)) {
            return 0;
        }
        let needs = BlockNeeds {
            threads: threads as u32,
            registers: self.registers,
            shared_bytes: shared.min(u32::MAX.into()) as u32,
        };
        multiprocessor.occupancy(needs).blocks
    }
}

impl Call<'_> {
    /// Returns the kernel at an address.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidDeviceFunction`: there is none. A kernel that is only declared is an undefined function.
    pub fn kernel(&self, address: u64) -> Result<&Kernel> {
        self.runtime.kernels.get(address).ok_or_else(|| match self.runtime.module.declared_at(address) {
            Some(name) => Failure::UndefinedFunction { name: name.to_owned(), line: None },
            None => CudaError::InvalidDeviceFunction.into(),
        })
    }

    /// Returns the limits of a multiprocessor of the current device.
    ///
    /// # Errors
    ///
    /// They are not known for its compute capability, which is not supported.
    pub fn multiprocessor(&self) -> Result<Multiprocessor> {
        let its = self.properties();
        let unknown = || format!("occupancy for compute capability {}.{}", its.major, its.minor);
        Multiprocessor::of(its.major, its.minor).ok_or_else(|| Failure::unsupported(unknown()))
    }

    fn kernel_mut(&mut self, address: u64) -> Result<&mut Kernel> {
        self.kernel(address)?;
        self.runtime.kernels.by_address.get_mut(&address).ok_or(CudaError::InvalidDeviceFunction.into())
    }
}

calls! {
    /// Returns the attributes of a kernel.
    fn cudaFuncGetAttributes(call, attributes: u64, kernel: u64) {
        let multiprocessor = call.multiprocessor()?;
        let capability = call.properties().major * 10 + call.properties().minor;
        let its = call.kernel(kernel)?;
        let info = &its.info;
        let sizes = [info.shared_bytes, info.const_bytes, info.local_bytes];
        let numbers = [
            its.max_threads(&multiprocessor),
            its.registers,
            PTX_VERSION,
            capability,
            // Whether loads are cached in L1 is up to each instruction.
            0,
            its.dynamic_limit() as u32,
            its.carveout as u32,
        ];
        // Clusters: whether their size is declared and what it is, whether larger ones are allowed, no
        // policy; then reserved words.
        let cluster = info.cluster.unwrap_or(sim::Dim3::new(0, 0, 0));
        let clusters = [info.cluster.is_some().into(), cluster.x, cluster.y, cluster.z, its.large_clusters.into(), 0];
        let zeros = [0u32; 16];
        let mut bytes: Vec<u8> = sizes.iter().flat_map(Plain::encode).collect();
        bytes.extend(numbers.iter().chain(&clusters).chain(&zeros).flat_map(Plain::encode));
        call.put(attributes, bytes)
    }

    /// Sets an attribute of a kernel: its limit of dynamic shared memory, the carveout of L1, or whether
    /// clusters may be larger.
    fn cudaFuncSetAttribute(call, kernel: u64, attribute: i32, value: i32) {
        let most = call.multiprocessor()?.shared_bytes_per_block;
        let its = call.kernel_mut(kernel)?;
        match attribute {
            MAX_DYNAMIC_SHARED => match u32::try_from(value) {
                Ok(bytes) if u64::from(bytes) + its.info.shared_bytes <= u64::from(most) => {
                    its.dynamic_limit = Some(bytes);
                    Ok(())
                }
                _ => Err(CudaError::InvalidValue.into()),
            },
            CARVEOUT if (-1..=100).contains(&value) => {
                its.carveout = value;
                Ok(())
            }
            LARGE_CLUSTERS if (0..=1).contains(&value) => {
                its.large_clusters = value != 0;
                Ok(())
            }
            // The scheduling policy of clusters: a hint that changes nothing here.
            CLUSTER_POLICY if (0..=2).contains(&value) => Ok(()),
            n if CLUSTER.contains(&n) => Err(Failure::unsupported("a cluster size set for a kernel")),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    /// Sets whether a kernel prefers L1 or shared memory: a hint that changes nothing here.
    fn cudaFuncSetCacheConfig(call, kernel: u64, config: i32) {
        call.kernel(kernel)?;
        if (0..4).contains(&config) { Ok(()) } else { Err(CudaError::InvalidValue.into()) }
    }

    /// Sets the width of shared memory banks: four bytes on every current GPU, whatever is set.
    fn cudaFuncSetSharedMemConfig(call, kernel: u64, config: i32) {
        call.kernel(kernel)?;
        if (0..3).contains(&config) { Ok(()) } else { Err(CudaError::InvalidValue.into()) }
    }

    /// Returns a kernel's name in the PTX.
    fn cudaFuncGetName(call, name: u64, kernel: u64) {
        let mut text = call.kernel(kernel)?.info.name.clone().into_bytes();
        text.push(0);
        let address = call.thread.allocate(text.len() as u64).ok_or(CudaError::MemoryAllocation)?;
        call.store(address, &text)?;
        call.put(name, address)
    }

    /// Returns the offset and the size of a kernel's parameter in bytes.
    fn cudaFuncGetParamInfo(call, kernel: u64, index: u64, offset: u64, size: u64) {
        let its = call.kernel(kernel)?;
        let found = usize::try_from(index).ok().and_then(|n| its.info.params.get(n).copied());
        let (bytes, at) = found.ok_or(CudaError::InvalidValue)?;
        call.put(offset, u64::from(at))?;
        call.put(size, u64::from(bytes))
    }

    /// Returns how many blocks of a kernel one multiprocessor holds at once. The flags of the second concern caches
    /// that current GPUs do not have.
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        call, blocks: u64, kernel: u64, threads: i32, dynamic: u64
    ) {
        let multiprocessor = call.multiprocessor()?;
        let threads = u64::try_from(threads).ok().filter(|n| *n > 0).ok_or(CudaError::InvalidValue)?;
        let held = call.kernel(kernel)?.blocks_held(&multiprocessor, threads, dynamic);
        call.put(blocks, held)
    }

    /// Returns the dynamic shared memory available to each block when this many are resident on a
    /// multiprocessor.
    fn cudaOccupancyAvailableDynamicSMemPerBlock(call, bytes: u64, kernel: u64, blocks: i32, threads: i32) {
        let sm = call.multiprocessor()?;
        let its = call.kernel(kernel)?;
        let (Ok(blocks @ 1..), Ok(threads @ 1..)) = (u32::try_from(blocks), u32::try_from(threads)) else {
            return Err(CudaError::InvalidValue.into());
        };
        fail_if(its.blocks_held(&sm, threads.into(), 0) < blocks, CudaError::InvalidValue)?;
        let each = (sm.shared_bytes / blocks) / sm.shared_unit_bytes * sm.shared_unit_bytes;
        let room = each.saturating_sub(sm.shared_reserved_bytes).min(sm.shared_bytes_per_block);
        let left = u64::from(room).saturating_sub(its.info.shared_bytes);
        call.put(bytes, left)
    }
}
