//! A simulated machine: its GPUs, one address space for all of them, and the modules loaded on each.
//!
//! - `variables`: a module's variables, one copy per GPU, managed ones shared by all.
//! - `kernel_launch`: kernel launches, as programs make them.
//! - `heap`: memory for `malloc` in kernels.
//! - `describe`: addresses in the learner's terms.

pub mod describe;
mod heap;
mod kernel_launch;
mod variables;

pub use heap::{Heap, Misuse};
pub use kernel_launch::KernelLaunch;

use super::finding::{MemoryName, Target};
use super::launch::LaunchError;
use super::memory::Address;
use super::memory::bytes::ByteSet;
use super::memory::global::{Buffer, GlobalMemory, NoBuffer, Owner, PoolNumber};
use crate::cuda_error::CudaError;
use crate::image::{ImageObject, ImageObjects};
use std::collections::{BTreeSet, HashMap};

/// Size of the device memory for `malloc` in kernels (CUDA's default, `cudaLimitMallocHeapSize`).
const HEAP_BYTES: u64 = 8 << 20;

/// Size of a thread's stack (CUDA's default, `cudaLimitStackSize`).
const STACK_BYTES: u64 = 1 << 10;

/// The properties of a simulated GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Compute capability: major, minor.
    pub capability: (u32, u32),
    /// The number of multiprocessors: kernels read it as `%nsmid`, and it bounds the grids of cooperative
    /// launches.
    pub multiprocessors: u32,
    /// The most bytes of its own memory that can be allocated at a time.
    pub memory_bytes: u64,
    /// The clock rate of its multiprocessors, which clocks in kernels count.
    pub clock_khz: u32,
}

impl Gpu {
    /// A GPU with one multiprocessor of compute capability `major.minor` at 1.5 GHz, and 64 GiB of memory.
    pub fn new(major: u32, minor: u32) -> Gpu {
        Gpu { capability: (major, minor), multiprocessors: 1, memory_bytes: 1 << 36, clock_khz: 1_500_000 }
    }
}

/// A GPU and its state.
#[derive(Debug)]
struct State {
    gpu: Gpu,
    /// Bytes of its own memory that are allocated.
    used_bytes: u64,
    /// For each module by id, the addresses of its variables.
    modules: HashMap<u64, Vec<u64>>,
    heap_bytes: u64,
    /// Size of the stack that each thread has for calls.
    stack_bytes: u64,
    heap: Option<Heap>,
    /// The memory for the barrier of cooperative grids.
    workspace: Option<Address>,
    /// For each GPU, whether kernels on this one may access its memory.
    reaches: Vec<bool>,
}

/// The buffer at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferInfo {
    pub base: Address,
    pub bytes: u64,
    pub owner: Owner,
    /// Its name in findings.
    pub name: MemoryName,
    /// Whether it was freed.
    pub freed: bool,
}

impl BufferInfo {
    fn of(b: &Buffer) -> BufferInfo {
        let base = Address(b.base);
        BufferInfo { base, bytes: b.bytes, owner: b.owner, name: b.name.clone(), freed: b.freed }
    }

    /// Describes an address in the buffer, or near it, for a finding.
    pub fn target(&self, address: Address) -> Target {
        Target::Buffer {
            name: self.name.clone(),
            size_bytes: self.bytes,
            offset_bytes: address.0.wrapping_sub(self.base.0) as i64,
        }
    }
}

/// A simulated machine: GPUs by number, and the memory that they and the host share.
#[derive(Debug, Default)]
pub struct Machine {
    memory: GlobalMemory,
    gpus: Vec<State>,
    /// For each module by id, the addresses of its managed variables, by variable number.
    managed: HashMap<u64, HashMap<u32, u64>>,
    /// The pools whose memory another GPU may use, with that GPU.
    pool_access: BTreeSet<(PoolNumber, u32)>,
    images: ImageObjects,
    /// The number of launches so far, which kernels read as `%gridid`.
    launches: u64,
}

impl Machine {
    pub fn new(gpus: &[Gpu]) -> Machine {
        let state = |(n, gpu): (usize, &Gpu)| State {
            gpu: *gpu,
            used_bytes: 0,
            modules: HashMap::new(),
            heap_bytes: HEAP_BYTES,
            stack_bytes: STACK_BYTES,
            heap: None,
            workspace: None,
            reaches: (0..gpus.len()).map(|other| other == n).collect(),
        };
        Machine { gpus: gpus.iter().enumerate().map(state).collect(), ..Machine::default() }
    }

    /// Returns the number of GPUs.
    pub fn devices(&self) -> u32 {
        self.gpus.len() as u32
    }

    /// Returns the properties of GPU `device`.
    pub fn gpu(&self, device: u32) -> Option<Gpu> {
        Some(self.gpus.get(device as usize)?.gpu)
    }

    fn state(&mut self, device: u32) -> Result<&mut State, LaunchError> {
        let count = self.gpus.len();
        self.gpus.get_mut(device as usize).ok_or_else(|| {
            let message = format!("there is no device {device}; the machine has {count}, numbered from 0");
            LaunchError::new(CudaError::InvalidDevice, message)
        })
    }

    /// Allocates `bytes` bytes at a multiple of 512, marked as never written and surrounded by guard zones.
    /// Findings call the buffer `name`.
    ///
    /// # Errors
    /// Returns `cudaErrorMemoryAllocation`, or an error without a name if this machine has no memory for the
    /// buffer.
    pub fn allocate(
        &mut self,
        owner: Owner,
        name: impl Into<MemoryName>,
        bytes: u64,
    ) -> Result<Address, LaunchError> {
        let name = name.into();
        let refused = |message: String| LaunchError::new(CudaError::MemoryAllocation, message);
        if let Some(device) = owner.device() {
            let state = self.state(device)?;
            let (used, all) = (state.used_bytes, state.gpu.memory_bytes);
            if bytes > all - used.min(all) {
                return Err(refused(format!(
                    "{bytes} bytes for `{name}`; device {device} has {all}, of which {used} are in use"
                )));
            }
            state.used_bytes += bytes;
        }
        self.memory.allocate(owner, name.clone(), bytes).map_err(|why| {
            self.uncharge(owner, bytes);
            match why {
                NoBuffer::TooLarge => refused(format!("{bytes} bytes for `{name}` are more than a GPU has")),
                NoBuffer::Machine => LaunchError::Machine {
                    message: format!("{bytes} bytes of device memory for `{name}` do not fit it"),
                },
            }
        })
    }

    /// Returns the bytes of this machine's memory that back all buffers.
    pub fn resident_bytes(&self) -> u64 {
        self.memory.resident_bytes()
    }

    /// Returns how many more bytes of this machine's memory it takes to write `bytes` bytes at an address.
    pub fn bytes_to_commit(&self, address: Address, bytes: u64) -> u64 {
        self.memory.bytes_to_commit(address, bytes)
    }

    /// Turns pageable host memory that is being page-locked into a pinned buffer at its own address, a multiple
    /// of 8. Returns false if it overlaps such a buffer.
    pub fn adopt(&mut self, address: Address, name: &MemoryName, contents: &[u8]) -> bool {
        self.memory.adopt(Owner::Pinned, name, address.0, contents)
    }

    /// Removes a buffer that [`Machine::adopt`] has added, and returns its contents.
    pub fn release(&mut self, address: Address) -> Option<Vec<u8>> {
        self.memory.release(address.0)
    }

    fn uncharge(&mut self, owner: Owner, bytes: u64) {
        if let Some(device) = owner.device()
            && let Some(state) = self.gpus.get_mut(device as usize)
        {
            state.used_bytes = state.used_bytes.saturating_sub(bytes);
        }
    }

    /// Frees the buffer that begins at `address`; later accesses to it are findings. Returns false if no live
    /// buffer begins there; [`Machine::find`] returns the buffer that is there instead.
    pub fn free(&mut self, address: Address) -> bool {
        match self.find(address) {
            Some(info) if info.base == address && !info.freed => {
                self.uncharge(info.owner, info.bytes);
                self.memory.free(address)
            }
            _ => false,
        }
    }

    /// Returns the buffer that contains the byte at `address`, which may have been freed; an empty buffer
    /// contains its first address. Buffers that were freed long ago are not known.
    pub fn find(&self, address: Address) -> Option<BufferInfo> {
        Some(BufferInfo::of(&self.memory.buffers[self.memory.find_any(address.0)?]))
    }

    /// Returns the live buffers by address.
    pub fn live(&self) -> impl Iterator<Item = BufferInfo> + '_ {
        self.memory.buffers.iter().filter(|b| !b.freed).map(BufferInfo::of)
    }

    /// Returns a device's free memory and all of its memory, in bytes; `None` if there is no such device.
    pub fn memory_bytes(&self, device: u32) -> Option<(u64, u64)> {
        let state = self.gpus.get(device as usize)?;
        let all = state.gpu.memory_bytes;
        Some((all.saturating_sub(state.used_bytes), all))
    }

    /// Copies bytes to memory and marks them as written. `address` may point inside a buffer. Bytes past its
    /// end are left out. Returns the number of bytes copied.
    pub fn write(&mut self, address: Address, bytes: &[u8]) -> u64 {
        self.memory.write(address, bytes)
    }

    /// Copies memory to `out`; bytes that were never written and those past the buffer's end are filled with a
    /// poison pattern. Returns the number of bytes in range.
    pub fn read(&self, address: Address, out: &mut [u8]) -> u64 {
        self.memory.read(address, out)
    }

    /// Returns the ranges of the `bytes` bytes at `address` that were never stored to, as offsets.
    pub fn unwritten(&self, address: Address, bytes: u64) -> Vec<std::ops::Range<u64>> {
        self.memory.unwritten(address, bytes)
    }

    /// Returns the ranges of the `bytes` bytes at `address` that a kernel stored, but without a value, in order: as offsets,
    /// each with the line in which it read or made what has none.
    pub fn garbage(&self, address: Address, bytes: u64) -> Vec<(std::ops::Range<u64>, Option<u32>)> {
        self.memory.garbage(address, bytes)
    }

    /// Marks bytes at `address` as never written again, because what was copied there had itself never been
    /// written.
    pub fn forget_written(&mut self, address: Address, bytes: u64) {
        self.memory.forget_written(address, bytes);
    }

    /// Returns which of the `bytes` bytes at `address` were ever written, by a copy or by a kernel.
    pub fn written(&self, address: Address, bytes: u64) -> ByteSet {
        self.memory.written(address, bytes)
    }

    /// Copies between buffers, or within one, even if the ranges overlap; a copy of bytes that were never
    /// written counts as never written. Returns the number of bytes in range.
    pub fn copy(&mut self, to: Address, from: Address, bytes: u64) -> u64 {
        self.memory.copy(to, from, bytes)
    }

    /// Repeats `pattern`, of 1, 2 or 4 bytes, over `bytes` bytes. Returns the number of bytes in range.
    pub fn set(&mut self, address: Address, pattern: &[u8], bytes: u64) -> u64 {
        if ![1, 2, 4].contains(&pattern.len()) {
            return 0;
        }
        self.memory.set(address, pattern, bytes)
    }

    /// Makes kernel writes to the buffer at `address` findings (M004); such writes have no effect.
    pub fn set_read_only(&mut self, address: Address) {
        if let Some(n) = self.memory.find(address.0) {
            self.memory.buffers[n].read_only = true;
        }
    }

    /// Creates a texture or surface object and returns its handle, which kernels use. Its memory is not kept alive.
    pub fn create_image(&mut self, object: ImageObject) -> u64 {
        self.images.add(object)
    }

    /// Marks all bytes of the buffer at `address` as written, with their current values.
    pub fn assume_written(&mut self, address: Address) {
        self.memory.assume_written(address);
    }

    /// Sets whether kernels on `from` may access memory of `to`. Returns false if the setting did not change,
    /// or there is no such pair of devices.
    pub fn enable_peer(&mut self, from: u32, to: u32, on: bool) -> bool {
        if from == to {
            return false;
        }
        let reaches = self.gpus.get_mut(from as usize).and_then(|s| s.reaches.get_mut(to as usize));
        reaches.is_some_and(|reaches| std::mem::replace(reaches, on) != on)
    }

    /// Returns whether kernels on `from` may access memory of `to`.
    pub fn reaches(&self, from: u32, to: u32) -> bool {
        self.gpus.get(from as usize).and_then(|s| s.reaches.get(to as usize)).copied().unwrap_or(false)
    }

    /// Sets whether kernels on `device` may access memory of a pool of another GPU.
    pub fn set_pool_access(&mut self, pool: PoolNumber, device: u32, on: bool) {
        match on {
            true => self.pool_access.insert((pool, device)),
            false => self.pool_access.remove(&(pool, device)),
        };
    }

    /// Frees all memory of a device, unloads its modules and resets its settings (`cudaDeviceReset`). Managed
    /// and pinned memory is not affected. Returns false if there is no such device.
    pub fn reset(&mut self, device: u32) -> bool {
        let Some(state) = self.gpus.get_mut(device as usize) else { return false };
        state.used_bytes = 0;
        state.modules.clear();
        (state.heap, state.heap_bytes, state.stack_bytes) = (None, HEAP_BYTES, STACK_BYTES);
        state.workspace = None;
        for (other, reaches) in state.reaches.iter_mut().enumerate() {
            *reaches = other == device as usize;
        }
        self.memory.free_all(device);
        true
    }

    /// Sets the size of the stack that each thread has for calls (`cudaLimitStackSize`). A kernel that needs more
    /// for its own variables, and those of what it calls, raises it.
    ///
    /// # Errors
    /// Returns `cudaErrorInvalidDevice` if there is no such device.
    pub fn set_stack_bytes(&mut self, device: u32, bytes: u64) -> Result<(), LaunchError> {
        self.state(device)?.stack_bytes = bytes;
        Ok(())
    }

    /// Sets the size of the memory for `malloc` in kernels (`cudaLimitMallocHeapSize`).
    ///
    /// # Errors
    /// Returns `cudaErrorInvalidValue` once a kernel that uses that memory was launched.
    pub fn set_heap_bytes(&mut self, device: u32, bytes: u64) -> Result<(), LaunchError> {
        let state = self.state(device)?;
        if state.heap.is_some() {
            let message =
                "the size of the device heap can't be changed after a kernel that uses it was launched";
            return Err(LaunchError::new(CudaError::InvalidValue, message.into()));
        }
        state.heap_bytes = bytes;
        Ok(())
    }
}
