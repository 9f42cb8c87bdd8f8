//! A simulated machine: its GPUs, one address space for all of them, the modules loaded on each.
//!
//! - `variables`: a module's variables, one copy a GPU, managed ones once.
//! - `kernel_launch`: launches, as programs make them.
//! - `heap`: memory for `malloc` in kernels.
//! - `describe`: addresses in the learner's terms.

pub mod describe;
mod heap;
mod kernel_launch;
mod variables;

pub use heap::{Heap, Misuse};
pub use kernel_launch::KernelLaunch;

use super::finding::Target;
use super::launch::LaunchError;
use super::memory::Address;
use super::memory::bytes::ByteSet;
use super::memory::global::{GlobalMemory, NoBuffer, Owner};
use std::collections::HashMap;
use std::sync::Arc;

/// Device memory for `malloc` in kernels (CUDA's default, `cudaLimitMallocHeapSize`).
const HEAP_BYTES: u64 = 8 << 20;

/// What a simulated GPU is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Compute capability: major, minor.
    pub capability: (u32, u32),
    /// Seen by kernels as `%nsmid`; bounds the grids of cooperative launches.
    pub multiprocessors: u32,
    /// Most bytes of its own memory that can be allocated at once.
    pub memory_bytes: u64,
    /// Of its multiprocessors: what clocks in kernels count.
    pub clock_khz: u32,
}

impl Gpu {
    /// One multiprocessor of compute capability `major.minor` at 1.5 GHz, and 64 GiB.
    pub fn new(major: u32, minor: u32) -> Gpu {
        Gpu { capability: (major, minor), multiprocessors: 1, memory_bytes: 1 << 36, clock_khz: 1_500_000 }
    }
}

/// A GPU, and what is on it.
#[derive(Debug)]
struct State {
    gpu: Gpu,
    /// Bytes of its memory that are allocated.
    used_bytes: u64,
    /// For each module by id, the addresses of its variables.
    modules: HashMap<u64, Vec<u64>>,
    heap_bytes: u64,
    heap: Option<Heap>,
    /// The barrier of cooperative grids.
    workspace: Option<Address>,
    /// For each GPU, whether kernels on this one may use its memory.
    reaches: Vec<bool>,
}

/// What is known of the buffer at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferInfo {
    pub base: Address,
    pub bytes: u64,
    pub owner: Owner,
    /// As findings call it.
    pub name: Arc<str>,
    /// It was given back.
    pub freed: bool,
}

impl BufferInfo {
    /// An address in it, or beside it, as findings tell it.
    pub fn target(&self, address: Address) -> Target {
        Target::Buffer {
            name: self.name.clone(),
            size_bytes: self.bytes,
            offset_bytes: address.0.wrapping_sub(self.base.0) as i64,
        }
    }
}

/// A simulated machine: GPUs by number, and the memory that they and the host share.
#[derive(Debug)]
pub struct Machine {
    memory: GlobalMemory,
    gpus: Vec<State>,
    /// For each module by id, the addresses of its managed variables, by number.
    managed: HashMap<u64, HashMap<u32, u64>>,
    /// Launches so far: `%gridid`.
    launches: u64,
}

impl Machine {
    pub fn new(gpus: &[Gpu]) -> Machine {
        let state = |(n, gpu): (usize, &Gpu)| State {
            gpu: *gpu,
            used_bytes: 0,
            modules: HashMap::new(),
            heap_bytes: HEAP_BYTES,
            heap: None,
            workspace: None,
            reaches: (0..gpus.len()).map(|other| other == n).collect(),
        };
        Machine {
            memory: GlobalMemory::default(),
            gpus: gpus.iter().enumerate().map(state).collect(),
            managed: HashMap::new(),
            launches: 0,
        }
    }

    /// How many GPUs it has.
    pub fn devices(&self) -> u32 {
        self.gpus.len() as u32
    }

    /// What GPU `device` is like.
    pub fn gpu(&self, device: u32) -> Option<Gpu> {
        Some(self.gpus.get(device as usize)?.gpu)
    }

    fn state(&mut self, device: u32) -> Result<&mut State, LaunchError> {
        let count = self.gpus.len();
        self.gpus.get_mut(device as usize).ok_or_else(|| LaunchError {
            name: "cudaErrorInvalidDevice",
            message: format!("there is no device {device}; the machine has {count}, numbered from 0"),
        })
    }

    /// Allocates `bytes`, never written and between guard zones, at a multiple of 512. `name` is
    /// what findings call the buffer. `Err`: `cudaErrorMemoryAllocation`, or [`LaunchError::MACHINE`].
    pub fn allocate(&mut self, owner: Owner, name: &str, bytes: u64) -> Result<Address, LaunchError> {
        if let Owner::Device(device) = owner {
            let state = self.state(device)?;
            let (used, all) = (state.used_bytes, state.gpu.memory_bytes);
            if bytes > all - used.min(all) {
                return Err(LaunchError {
                    name: "cudaErrorMemoryAllocation",
                    message: format!(
                        "{bytes} bytes for `{name}`; device {device} has {all}, of which {used} are in use"
                    ),
                });
            }
            state.used_bytes += bytes;
        }
        self.memory.allocate(owner, name, bytes).map_err(|why| {
            self.give_back(owner, bytes);
            match why {
                NoBuffer::TooLarge => LaunchError {
                    name: "cudaErrorMemoryAllocation",
                    message: format!("{bytes} bytes for `{name}` are more than a GPU has"),
                },
                NoBuffer::Machine => LaunchError {
                    name: LaunchError::MACHINE,
                    message: format!("{bytes} bytes of device memory for `{name}` do not fit it"),
                },
            }
        })
    }

    /// Bytes of this machine's memory that stand behind what was written of all buffers.
    pub fn held_bytes(&self) -> u64 {
        self.memory.held_bytes()
    }

    /// How many more it takes to write `bytes` bytes at an address.
    pub fn lacking(&self, address: Address, bytes: u64) -> u64 {
        self.memory.lacking(address, bytes)
    }

    /// Pageable host memory is page-locked: from now on it is a pinned buffer at the address that it
    /// has, a multiple of 8. False where it overlaps such a buffer.
    pub fn adopt(&mut self, address: Address, name: &str, contents: &[u8]) -> bool {
        self.memory.adopt(Owner::Pinned, name, address.0, contents)
    }

    /// Ends what [`Machine::adopt`] began; what the memory holds now.
    pub fn release(&mut self, address: Address) -> Option<Vec<u8>> {
        self.memory.release(address.0)
    }

    fn give_back(&mut self, owner: Owner, bytes: u64) {
        if let Owner::Device(device) = owner
            && let Some(state) = self.gpus.get_mut(device as usize)
        {
            state.used_bytes = state.used_bytes.saturating_sub(bytes);
        }
    }

    /// Gives back the buffer that begins at `address`; later accesses are findings. False when no
    /// live buffer begins there ([`Machine::find`] tells what does).
    pub fn free(&mut self, address: Address) -> bool {
        match self.find(address) {
            Some(info) if info.base == address && !info.freed => {
                self.give_back(info.owner, info.bytes);
                self.memory.free(address)
            }
            _ => false,
        }
    }

    /// The buffer that holds the byte at `address`, which may be freed; a buffer of no bytes holds
    /// its first address. Of those freed long ago nothing is known.
    pub fn find(&self, address: Address) -> Option<BufferInfo> {
        let b = &self.memory.buffers[self.memory.find_any(address.0)?];
        let base = Address(b.base);
        Some(BufferInfo { base, bytes: b.bytes, owner: b.owner, name: b.name.clone(), freed: b.freed })
    }

    /// The live buffers, by address.
    pub fn live(&self) -> impl Iterator<Item = BufferInfo> + '_ {
        self.memory.buffers.iter().filter(|b| !b.freed).map(|b| BufferInfo {
            base: Address(b.base),
            bytes: b.bytes,
            owner: b.owner,
            name: b.name.clone(),
            freed: false,
        })
    }

    /// Bytes of a device that are free, and all of them.
    pub fn memory_bytes(&self, device: u32) -> Option<(u64, u64)> {
        let state = self.gpus.get(device as usize)?;
        let all = state.gpu.memory_bytes;
        Some((all.saturating_sub(state.used_bytes), all))
    }

    /// Copies into memory; the bytes count as initialised. `address` may point inside a buffer.
    /// What runs past its end is left out; gives the bytes that were copied.
    pub fn write(&mut self, address: Address, bytes: &[u8]) -> u64 {
        self.memory.write(address, bytes)
    }

    /// Copies out of memory; never-written bytes and those past the buffer's end hold a poison
    /// pattern. Gives the bytes that were in range.
    pub fn read(&self, address: Address, out: &mut [u8]) -> u64 {
        self.memory.read(address, out)
    }

    /// Stretches of the `bytes` bytes at `address` that hold nothing, since nobody stored anything there,
    /// by their offset.
    pub fn unwritten(&self, address: Address, bytes: u64) -> Vec<std::ops::Range<u64>> {
        self.memory.unwritten(address, bytes)
    }

    /// Bytes at `address` count as never written again: what was copied there never was.
    pub fn forget_written(&mut self, address: Address, bytes: u64) {
        self.memory.forget_written(address, bytes);
    }

    /// Which of the `bytes` bytes at `address` were ever written, by a copy or by a kernel.
    pub fn written(&self, address: Address, bytes: u64) -> ByteSet {
        self.memory.written(address, bytes)
    }

    /// Copies from any buffer to any other or itself, also where they overlap; bytes that were
    /// never written are not written in the copy either. Gives the bytes that were in range.
    pub fn copy(&mut self, to: Address, from: Address, bytes: u64) -> u64 {
        self.memory.copy(to, from, bytes)
    }

    /// Repeats `pattern`, of 1, 2 or 4 bytes, over `bytes` bytes. Gives the bytes that were in range.
    pub fn set(&mut self, address: Address, pattern: &[u8], bytes: u64) -> u64 {
        if ![1, 2, 4].contains(&pattern.len()) {
            return 0;
        }
        self.memory.set(address, pattern, bytes)
    }

    /// Makes kernel writes to the buffer at `address` findings (M004); the write does not happen.
    pub fn set_read_only(&mut self, address: Address) {
        if let Some(n) = self.memory.find(address.0) {
            self.memory.buffers[n].read_only = true;
        }
    }

    /// Makes the bytes of the buffer at `address` count as written, as they are.
    pub fn assume_written(&mut self, address: Address) {
        self.memory.assume_written(address);
    }

    /// Lets kernels on `from` use memory of `to`, or no longer. False when it was so before, or
    /// there is no such pair of devices.
    pub fn enable_peer(&mut self, from: u32, to: u32, on: bool) -> bool {
        if from == to {
            return false;
        }
        match self.gpus.get_mut(from as usize).and_then(|s| s.reaches.get_mut(to as usize)) {
            Some(reaches) => std::mem::replace(reaches, on) != on,
            None => false,
        }
    }

    /// Whether kernels on `from` may use memory of `to`.
    pub fn reaches(&self, from: u32, to: u32) -> bool {
        self.gpus.get(from as usize).and_then(|s| s.reaches.get(to as usize)).copied().unwrap_or(false)
    }

    /// Gives back all memory of a device, and what was loaded and set there (`cudaDeviceReset`).
    /// Managed and pinned memory stays. False when there is no such device.
    pub fn reset(&mut self, device: u32) -> bool {
        let Some(state) = self.gpus.get_mut(device as usize) else { return false };
        state.used_bytes = 0;
        state.modules.clear();
        (state.heap, state.heap_bytes, state.workspace) = (None, HEAP_BYTES, None);
        for (other, reaches) in state.reaches.iter_mut().enumerate() {
            *reaches = other == device as usize;
        }
        self.memory.free_all(Owner::Device(device));
        true
    }

    /// Sets the memory for `malloc` in kernels (`cudaLimitMallocHeapSize`). `Err` once a kernel that
    /// uses it was launched.
    pub fn set_heap_bytes(&mut self, device: u32, bytes: u64) -> Result<(), LaunchError> {
        let state = self.state(device)?;
        if state.heap.is_some() {
            return Err(LaunchError {
                name: "cudaErrorInvalidValue",
                message:
                    "the size of the device heap can't be changed after a kernel that uses it was launched"
                        .into(),
            });
        }
        state.heap_bytes = bytes;
        Ok(())
    }
}
