//! Allocating and freeing memory.

use super::allocations::{Allocation, Kind};
use super::findings::{described, host_memory_kind, made, side};
use crate::device::{CudaError, Failure, HostCost, Result, Space, WaitTarget, fail_if};
use crate::program::call::{Argument, Call, Plain, calls, words};
use sim::{Act, Address, Evidence, FindingKind, FreedBy, HostBlockKind, MemoryName, Request};
use std::sync::Arc;

/// Pitch alignment in bytes: rows of pitched memory begin at multiples of it (`texturePitchAlignment` divides
/// it; it is what `cudaMallocPitch` uses on GPUs from 7.5 on).
const PITCH_BYTES: u64 = 512;

/// `struct cudaExtent`: width in bytes, height, depth.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub width: u64,
    pub height: u64,
    pub depth: u64,
}

impl Plain for Extent {
    fn encode(&self) -> Vec<u8> {
        [self.width, self.height, self.depth].iter().flat_map(|w| w.to_le_bytes()).collect()
    }
}

impl Argument for Extent {
    fn decode(bytes: &[u8]) -> Option<Extent> {
        let [width, height, depth] = words::<3>(bytes)?;
        Some(Extent { width, height, depth })
    }
}

/// `struct cudaPitchedPtr`.
#[derive(Clone, Copy, Debug)]
pub struct Pitched {
    pub address: u64,
    pub pitch: u64,
    pub width: u64,
    pub height: u64,
}

impl Argument for Pitched {
    fn decode(bytes: &[u8]) -> Option<Pitched> {
        let [address, pitch, width, height] = words::<4>(bytes)?;
        Some(Pitched { address, pitch, width, height })
    }
}

impl Plain for Pitched {
    fn encode(&self) -> Vec<u8> {
        [self.address, self.pitch, self.width, self.height].iter().flat_map(|w| w.to_le_bytes()).collect()
    }
}

/// `enum cudaMemoryType`
const TYPE_HOST: i32 = 1;
const TYPE_DEVICE: i32 = 2;
const TYPE_MANAGED: i32 = 3;

impl Call<'_> {
    /// Allocates memory and writes its address to `pointer`. The memory is named after what the first
    /// argument names in the source.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: a null pointer. Otherwise as for [`Call::allocate`] and [`Call::store`].
    pub fn make(&mut self, pointer: u64, kind: Kind, bytes: u64) -> Result<()> {
        fail_if(pointer == 0, CudaError::InvalidValue)?;
        let address = match bytes {
            0 => {
                if let Some(pointer) = self.named(0) {
                    self.runtime.allocations.note_empty(pointer.into(), self.site.clone());
                }
                0
            }
            bytes => self.allocate(kind, bytes)?,
        };
        self.put(pointer, address)
    }

    /// Allocates memory and returns its address.
    ///
    /// # Errors
    ///
    /// `cudaErrorMemoryAllocation`: there is no memory for it. The run's limit on allocated memory is exceeded.
    pub fn allocate(&mut self, kind: Kind, bytes: u64) -> Result<u64> {
        let name = self.named(0);
        let allocated =
            self.gpus.allocate(kind.space(), bytes, name.as_deref().unwrap_or_default(), &self.site);
        self.allocated(allocated, kind, bytes, name.map_or(MemoryName::Allocated, MemoryName::from))
    }

    /// Records memory that the GPUs allocated, or why they did not; returns its address.
    ///
    /// # Errors
    ///
    /// The GPUs' own. The run's limit on allocated memory is exceeded.
    pub fn allocated(
        &mut self,
        allocated: Result<Address>,
        kind: Kind,
        bytes: u64,
        name: impl Into<MemoryName>,
    ) -> Result<u64> {
        if let (Err(Failure::Cuda(CudaError::MemoryAllocation)), Some(device)) = (&allocated, kind.device()) {
            let (free_bytes, _) = self.gpus.memory(device);
            let why = self.runtime.allocations.out_of_memory(device, bytes, free_bytes);
            self.runtime.errors.set_reason(why);
        }
        let address = allocated?.0;
        self.gpus.spend(HostCost::Allocate { space: kind.space(), bytes });
        self.record_allocation(address, kind, bytes, name);
        self.check_memory_limit()?;
        Ok(address)
    }

    /// Returns the name that an argument of this call, by its 0-based number, mentions in the source.
    pub fn named(&self, argument: usize) -> Option<String> {
        let Request::Call(call) = &self.site.what else { return None };
        let (at, turn) = (self.site.location.as_ref()?, self.runtime.calls.turn);
        self.runtime.source.file_of(at).name(at, &call.name, argument, turn)
    }

    /// Returns the live allocation that begins at a pointer which is to be freed; `fits` says which kinds the
    /// call frees.
    ///
    /// # Errors
    ///
    /// A finding and `cudaErrorInvalidValue`: freed before, not the start of the allocation, of another kind,
    /// or no memory from CUDA.
    pub fn check_free(&mut self, address: u64, fits: fn(Kind) -> bool) -> Result<Allocation> {
        let address = self.runtime.arrays.address_of(address).unwrap_or(address);
        let Some(found) = self.runtime.allocations.around(address).cloned() else {
            let kind = self.thread.block(address).map(|block| host_memory_kind(block.kind));
            return self.refuse(FindingKind::WrongFree, Act::IsGivenForeign(kind), None, Vec::new());
        };
        if let Some(freed) = &found.freed {
            let first = Act::FreedFirst { memory: found.name.clone(), by: freed.what.clone() };
            let other = side(first, &freed.location);
            let again = Act::FreesAgain { pointer: self.named(0).map(Arc::from) };
            return self.refuse(FindingKind::DoubleFree, again, Some(other), Vec::new());
        }
        if address != found.start {
            let inside = Act::IsGivenInside { memory: found.name.clone(), offset: address - found.start };
            return self.refuse(FindingKind::WrongFree, inside, Some(made(&found)), Vec::new());
        }
        if !fits(found.kind) {
            let right = match found.kind {
                Kind::Device(_) | Kind::Managed => FreedBy::CudaFree,
                Kind::Pool(_) => FreedBy::CudaFreeAsync,
                Kind::Array(_) => FreedBy::CudaFreeArray,
                Kind::Pinned => FreedBy::CudaFreeHost,
                Kind::Registered => FreedBy::Unregister,
                Kind::Variable(_) => FreedBy::Nobody,
            };
            let (given, evidence) = (Act::IsGivenKind(described(&found)), vec![Evidence::FreedBy(right)]);
            return self.refuse(FindingKind::WrongFree, given, Some(made(&found)), evidence);
        }
        Ok(found)
    }

    /// Waits for all work of the device and frees memory, as `cudaFree` does.
    ///
    /// # Errors
    ///
    /// As for [`Call::check_free`]; also the error of work that was waited for.
    pub fn synchronise_and_free(&mut self, address: u64, fits: fn(Kind) -> bool) -> Result<()> {
        if address == 0 {
            return Ok(());
        }
        let found = self.check_free(address, fits)?;
        let device = found.kind.device().unwrap_or(self.runtime.current);
        let space = found.kind.space();
        // CUDA's documentation does not promise that cudaFreeHost waits, so a program may not rely on it.
        if space == Space::Pinned
            && let Some(simulated) = self.gpus.simulated()
        {
            simulated.freeing(Address(address), &self.site);
        }
        self.ask(|gpus, site, host| gpus.wait(WaitTarget::Device(device), site, host))?;
        self.gpus.free(Address(address), &self.site)?;
        self.gpus.spend(HostCost::Free { space, bytes: found.bytes });
        self.mark_freed(address);
        Ok(())
    }

    /// Returns whether an address is in page-locked memory that the GPUs hold.
    fn is_page_locked(&self, address: u64) -> bool {
        let found = self.runtime.allocations.around(address).filter(|its| its.freed.is_none());
        found.is_some_and(|its| its.kind.space() == Space::Pinned)
    }

    /// Hands page-locked memory over to the GPUs, if both sides can do that.
    fn lend(&mut self, pointer: u64, bytes: u64) {
        let Some((start, contents)) = self.thread.lend(pointer, bytes) else { return };
        let name = self.named(0).map_or(MemoryName::Registered, MemoryName::from);
        if self.gpus.register(Address(start), &name, &contents) {
            self.record_allocation(start, Kind::Registered, contents.len() as u64, name);
        } else {
            self.thread.take_back(start, &contents);
        }
    }

    /// Waits for all work, and makes page-locked memory pageable again.
    fn take_back(&mut self, pointer: u64) -> Result<()> {
        let found = self.runtime.allocations.around(pointer).filter(|a| a.kind == Kind::Registered);
        let Some(start) = found.map(|a| a.start) else { return Ok(()) };
        if let Some(simulated) = self.gpus.simulated() {
            simulated.freeing(Address(start), &self.site);
        }
        let mut failed = Ok(());
        for device in 0..self.gpus.count() {
            match self.ask(|gpus, site, host| gpus.wait(WaitTarget::Device(device), site, host)) {
                Ok(()) => {}
                Err(Failure::Cuda(error)) => failed = Err(error.into()),
                Err(other) => return Err(other),
            }
        }
        if let Some(contents) = self.gpus.unregister(Address(start)) {
            self.thread.take_back(start, &contents);
        }
        self.runtime.allocations.remove(start);
        failed
    }

    /// Records that this call freed the memory.
    pub fn mark_freed(&mut self, address: u64) {
        let now_ns = self.gpus.now_ns();
        self.runtime.allocations.free_logged(address, self.site.clone(), now_ns);
    }

    /// Allocates device memory for rows that begin at multiples of a pitch; returns the address and the pitch
    /// in bytes.
    fn allocate_rows(&mut self, width: u64, rows: u64) -> Result<(u64, u64)> {
        let pitch = width.checked_next_multiple_of(PITCH_BYTES).ok_or(CudaError::MemoryAllocation)?;
        let bytes = pitch.checked_mul(rows).ok_or(CudaError::MemoryAllocation)?;
        if bytes == 0 {
            return Ok((0, pitch));
        }
        Ok((self.allocate(Kind::Device(self.runtime.current), bytes)?, pitch))
    }
}

calls! {
    /// Allocates device memory.
    [Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cudaMalloc(call, pointer: u64, bytes: u64) {
        call.make(pointer, Kind::Device(call.runtime.current), bytes)
    }

    /// Allocates page-locked host memory.
    [Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cudaMallocHost(call, pointer: u64, bytes: u64) {
        call.make(pointer, Kind::Pinned, bytes)
    }

    /// Allocates page-locked host memory; whatever the flags, it is portable and mapped here.
    [FillsPointer, UnsafeInCapture]
    fn cudaHostAlloc(call, pointer: u64, bytes: u64, flags: u32) {
        fail_if(flags & !7 != 0, CudaError::InvalidValue)?;
        call.make(pointer, Kind::Pinned, bytes)
    }

    /// Allocates managed memory, which host and devices share.
    [Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cudaMallocManaged(call, pointer: u64, bytes: u64, flags: u32) {
        // cudaMemAttachGlobal, cudaMemAttachHost
        fail_if(!matches!(flags, 1 | 2) || bytes == 0, CudaError::InvalidValue)?;
        call.make(pointer, Kind::Managed, bytes)
    }

    /// Allocates device memory for rows that begin at aligned addresses.
    [Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cudaMallocPitch(call, pointer: u64, pitch: u64, width: u64, rows: u64) {
        fail_if(pointer == 0 || pitch == 0, CudaError::InvalidValue)?;
        let (address, its) = call.allocate_rows(width, rows)?;
        call.put(pointer, address)?;
        call.put(pitch, its)
    }

    /// Allocates device memory for slices of aligned rows.
    [Purpose(Allocates), FillsPointer, UnsafeInCapture]
    fn cudaMalloc3D(call, pointer: u64, extent: Extent) {
        fail_if(pointer == 0, CudaError::InvalidValue)?;
        let rows = extent.height.checked_mul(extent.depth).ok_or(CudaError::MemoryAllocation)?;
        let (address, pitch) = call.allocate_rows(extent.width, rows)?;
        call.put(pointer, Pitched { address, pitch, width: extent.width, height: extent.height })
    }

    /// Frees device or managed memory, after all work of the device.
    [Purpose(Frees), UnsafeInCapture]
    fn cudaFree(call, pointer: u64) {
        call.synchronise_and_free(pointer, |kind| matches!(kind, Kind::Device(_) | Kind::Pool(_) | Kind::Managed))
    }

    /// Frees page-locked host memory.
    [Purpose(Frees), UnsafeInCapture]
    fn cudaFreeHost(call, pointer: u64) {
        call.synchronise_and_free(pointer, |kind| kind == Kind::Pinned)
    }

    /// Page-locks existing host memory: copies of it are then as fast as those of pinned memory.
    [UnsafeInCapture]
    fn cudaHostRegister(call, pointer: u64, bytes: u64, flags: u32) {
        fail_if(pointer == 0 || bytes == 0 || flags & !0xf != 0, CudaError::InvalidValue)?;
        let held = call.thread.block(pointer).is_some_and(|block| {
            block.kind != HostBlockKind::Freed && bytes <= (block.start + block.bytes).saturating_sub(pointer)
        });
        fail_if(!held, CudaError::InvalidValue)?;
        let is_new = call.runtime.allocations.registered.insert(pointer, bytes, call.site.clone());
        fail_if(!is_new, CudaError::HostMemoryAlreadyRegistered)?;
        call.gpus.spend(HostCost::Register { bytes });
        call.lend(pointer, bytes);
        Ok(())
    }

    /// Makes registered memory pageable again.
    [UnsafeInCapture]
    fn cudaHostUnregister(call, pointer: u64) {
        fail_if(!call.runtime.allocations.registered.remove(pointer), CudaError::HostMemoryNotRegistered)?;
        call.take_back(pointer)
    }

    /// Returns the device address of page-locked host memory, which is the same as its host address.
    fn cudaHostGetDevicePointer(call, pointer: u64, host: u64, flags: u32) {
        fail_if(flags != 0, CudaError::InvalidValue)?;
        fail_if(!call.is_page_locked(host), CudaError::InvalidValue)?;
        call.put(pointer, host)
    }

    /// Returns the flags of page-locked host memory.
    fn cudaHostGetFlags(call, flags: u64, host: u64) {
        fail_if(!call.is_page_locked(host), CudaError::InvalidValue)?;
        // cudaHostAllocPortable | cudaHostAllocMapped
        call.put(flags, 3u32)
    }

    /// Returns the kind of memory that a pointer points to.
    fn cudaPointerGetAttributes(call, attributes: u64, pointer: u64) {
        let current = call.runtime.current as i32;
        let found = call.runtime.allocations.around(pointer).filter(|a| a.freed.is_none());
        let registered = call.runtime.allocations.registered.holds(pointer);
        let (kind, device, on_device, on_host) = match found.map(|a| a.kind.space()) {
            Some(Space::Device(device)) => (TYPE_DEVICE, device as i32, pointer, 0),
            Some(Space::Managed) => (TYPE_MANAGED, current, pointer, pointer),
            Some(Space::Pinned) => (TYPE_HOST, current, pointer, pointer),
            None if registered => (TYPE_HOST, current, pointer, pointer),
            // cudaMemoryTypeUnregistered, cudaInvalidDeviceId
            None => (0, -2, 0, pointer),
        };
        call.put(attributes, [kind.encode(), device.encode(), on_device.encode(), on_host.encode()].concat())
    }

    /// Returns the free and the total bytes of the current device.
    fn cudaMemGetInfo(call, free: u64, total: u64) {
        let (unused, all) = call.gpus.memory(call.runtime.current);
        call.put(free, unused)?;
        call.put(total, all)
    }
}
