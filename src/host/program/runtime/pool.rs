//! Stream-ordered memory allocation: `cudaMallocAsync` and memory pools.
//!
//! A pool keeps what is freed, up to its release threshold, so that the next allocation is cheap. What it
//! keeps beyond the threshold is released to the device at the next synchronisation.

use super::allocations::Kind;
use crate::device::{CudaError, DeviceId, Failure, HostCost, PoolId, Result, Site, Space, Work, fail_if};
use crate::program::call::{Call, calls};
use sim::{Act, Address, FindingKind, HandleKind, MemoryName};
use std::collections::{BTreeMap, BTreeSet};

/// A memory pool.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    pub device: DeviceId,
    /// Release threshold: bytes that stay reserved at a synchronisation.
    threshold: u64,
    reserved: u64,
    reserved_high: u64,
    used: u64,
    used_high: u64,
    /// Whether freed memory may be reused across streams: the attributes 1 to 3 of `cudaMemPoolAttr`, which
    /// are only recorded.
    reuse: [bool; 3],
    /// The other devices that may access its memory.
    opened_to: BTreeSet<DeviceId>,
    destroyed: bool,
    /// Where it was created, and the program's name for it, if the program must destroy it.
    created: Option<(Site, Option<String>)>,
}

impl Pool {
    fn of(device: DeviceId) -> Pool {
        Pool { device, reuse: [true; 3], ..Pool::default() }
    }

    /// Releases reserved memory down to `keep` bytes, or to what is in use.
    fn shrink(&mut self, keep: u64) {
        self.reserved = self.reserved.min(self.used.max(keep));
    }
}

/// The pools by handle; the first handles are those of the devices' default pools.
#[derive(Debug, Default)]
pub struct Pools {
    by_handle: BTreeMap<u64, Pool>,
    /// Current pool of each device, as chosen by `cudaDeviceSetMemPool`.
    chosen: BTreeMap<DeviceId, u64>,
    /// Pool handle of each allocation, by the allocation's address.
    owner: BTreeMap<u64, u64>,
    made: u64,
}

/// Handles are addresses at which no memory is.
const FIRST_HANDLE: u64 = 0x3000_0000_0000;
const FIRST_MADE: u64 = FIRST_HANDLE + 0x1_0000;
const HANDLE_STEP: u64 = 0x40;
/// Granularity in which pools reserve memory on the device (as `cudaMemPoolAttrReservedMemCurrent` shows).
const UNIT_BYTES: u64 = 32 << 20;

/// Size in bytes of an `int` or an enumeration in the host's structures.
const WORD_BYTES: u64 = 4;

/// `enum cudaMemAccessFlags`
const NO_ACCESS: i32 = 0;
const READ_AND_WRITE: i32 = 3;

/// `enum cudaMemPoolAttr`
const REUSE: std::ops::RangeInclusive<i32> = 1..=3;
const THRESHOLD: i32 = 4;
const RESERVED: i32 = 5;
const RESERVED_HIGH: i32 = 6;
const USED: i32 = 7;
const USED_HIGH: i32 = 8;

impl Pools {
    fn default_of(device: DeviceId) -> u64 {
        FIRST_HANDLE + u64::from(device) * HANDLE_STEP
    }

    /// Returns the site and the program's name of each pool that it must still destroy.
    pub fn owned(&self) -> impl Iterator<Item = (&Site, Option<&str>, HandleKind)> {
        let created =
            self.by_handle.values().filter(|pool| !pool.destroyed).filter_map(|pool| pool.created.as_ref());
        created.map(|(site, name)| (site, name.as_deref(), HandleKind::Pool))
    }

    /// Forgets the pools of a device that is reset: the program need not destroy them any more.
    pub fn reset(&mut self, device: DeviceId) {
        let its = self.by_handle.values_mut().filter(|pool| pool.device == device);
        its.for_each(|pool| pool.created = None);
    }

    /// Records a synchronisation: the pools of all devices release what exceeds their thresholds.
    pub fn release_unused(&mut self) {
        for pool in self.by_handle.values_mut() {
            pool.shrink(pool.threshold);
        }
    }
}

impl Call<'_> {
    fn pool(&mut self, handle: u64) -> Result<&mut Pool> {
        let count = u64::from(self.gpus.count());
        let number = handle.wrapping_sub(FIRST_HANDLE) / HANDLE_STEP;
        let pools = &mut self.runtime.pools;
        if handle.is_multiple_of(HANDLE_STEP) && number < count {
            pools.by_handle.entry(handle).or_insert_with(|| Pool::of(number as DeviceId));
        }
        pools.by_handle.get_mut(&handle).filter(|pool| !pool.destroyed).ok_or(CudaError::InvalidValue.into())
    }

    /// Returns the device that a `cudaMemLocation` names.
    fn device_at(&mut self, location: u64) -> Result<DeviceId> {
        /// `cudaMemLocationTypeDevice`
        const DEVICE: i32 = 1;
        let kind: i32 = self.get(location)?;
        let number: i32 = self.get(location.wrapping_add(WORD_BYTES))?;
        fail_if(kind != DEVICE, CudaError::InvalidValue)?;
        self.device(number)
    }

    fn current_pool(&self, device: DeviceId) -> u64 {
        self.runtime.pools.chosen.get(&device).copied().unwrap_or(Pools::default_of(device))
    }

    fn allocate_from(&mut self, pointer: u64, bytes: u64, handle: u64, stream: u64) -> Result<()> {
        fail_if(pointer == 0, CudaError::InvalidValue)?;
        if bytes == 0 {
            return self.put(pointer, 0u64);
        }
        self.context();
        let pool = self.pool(handle)?;
        let device = pool.device;
        let name = self.named(0);
        let space = Space::Device(device);
        let known = self.stream(stream)?;
        let (from, given) = (PoolId { device, number: handle }, name.as_deref().unwrap_or_default());
        let address = self.gpus.allocate_ordered(known, from, bytes, given)?;
        self.submit(stream, Work::PoolAllocate { address, bytes })?;
        let pool = self.pool(handle)?;
        pool.used += bytes;
        pool.used_high = pool.used_high.max(pool.used);
        let before = pool.reserved;
        pool.reserved = pool.reserved.max(pool.used.next_multiple_of(UNIT_BYTES));
        pool.reserved_high = pool.reserved_high.max(pool.reserved);
        let grown = pool.reserved - before;
        // Only memory that the pool lacks is allocated from the device, which is slow.
        if grown > 0 {
            self.gpus.spend(HostCost::Allocate { space, bytes: grown });
        }
        self.runtime.pools.owner.insert(address.0, handle);
        let name = name.map_or(MemoryName::Allocated, MemoryName::from);
        self.record_allocation(address.0, Kind::Pool(device), bytes, name);
        self.check_memory_limit()?;
        self.put(pointer, address.0)
    }

    /// Records that memory from a pool is no longer in use.
    pub fn left_pool(&mut self, address: u64, bytes: u64) {
        if let Some(handle) = self.runtime.pools.owner.remove(&address)
            && let Some(pool) = self.runtime.pools.by_handle.get_mut(&handle)
        {
            pool.used = pool.used.saturating_sub(bytes);
        }
    }
}

calls! {
    /// Allocates memory from the current device's pool, usable by later work of the stream.
    [Purpose(Allocates), FillsPointer]
    fn cudaMallocAsync(call, pointer: u64, bytes: u64, stream: u64) {
        let pool = call.current_pool(call.runtime.current);
        call.allocate_from(pointer, bytes, pool, stream)
    }

    /// Allocates memory from a pool, usable by later work of the stream.
    [Purpose(Allocates), FillsPointer]
    fn cudaMallocFromPoolAsync(call, pointer: u64, bytes: u64, pool: u64, stream: u64) {
        call.allocate_from(pointer, bytes, pool, stream)
    }

    /// Frees memory in stream order.
    [Purpose(Frees)]
    fn cudaFreeAsync(call, pointer: u64, stream: u64) {
        if pointer == 0 {
            return Ok(());
        }
        let found = call.check_free(pointer, |kind| matches!(kind, Kind::Device(_) | Kind::Pool(_)))?;
        call.submit(stream, Work::PoolFree { address: Address(pointer) })?;
        call.left_pool(pointer, found.bytes);
        call.mark_freed(pointer);
        Ok(())
    }

    /// Returns a device's default pool.
    fn cudaDeviceGetDefaultMemPool(call, pool: u64, device: i32) {
        let handle = Pools::default_of(call.device(device)?);
        call.put(pool, handle)
    }

    /// Returns the pool that cudaMallocAsync allocates from.
    fn cudaDeviceGetMemPool(call, pool: u64, device: i32) {
        let handle = call.current_pool(call.device(device)?);
        call.put(pool, handle)
    }

    /// Sets the pool that cudaMallocAsync allocates from.
    fn cudaDeviceSetMemPool(call, device: i32, pool: u64) {
        let device = call.device(device)?;
        fail_if(call.pool(pool)?.device != device, CudaError::InvalidValue)?;
        call.runtime.pools.chosen.insert(device, pool);
        Ok(())
    }

    /// Creates a pool on a device.
    fn cudaMemPoolCreate(call, pool: u64, properties: u64) {
        fail_if(properties == 0, CudaError::InvalidValue)?;
        // cudaMemPoolProps: type of allocation and of handles, then a location.
        let kind: i32 = call.get(properties)?;
        // cudaMemAllocationTypePinned
        fail_if(kind != 1, CudaError::InvalidValue)?;
        let device = call.device_at(properties.wrapping_add(2 * WORD_BYTES))?;
        let created = Some((call.site.clone(), call.named(0)));
        let pools = &mut call.runtime.pools;
        let handle = FIRST_MADE + pools.made * HANDLE_STEP;
        pools.made += 1;
        pools.by_handle.insert(handle, Pool { created, ..Pool::of(device) });
        call.put(pool, handle)
    }

    /// Destroys a created pool; its memory is released as it is freed.
    fn cudaMemPoolDestroy(call, pool: u64) {
        if call.runtime.pools.by_handle.get(&pool).is_some_and(|pool| pool.destroyed) {
            call.find(FindingKind::DestroyedHandle, Act::IsGivenDestroyed(HandleKind::Pool), None, Vec::new());
        }
        fail_if(pool < FIRST_MADE, CudaError::InvalidValue)?;
        call.pool(pool)?.destroyed = true;
        let pools = &mut call.runtime.pools;
        pools.chosen.retain(|_, chosen| *chosen != pool);
        Ok(())
    }

    /// Sets which devices may access the memory of a pool, that which it has given out before too.
    fn cudaMemPoolSetAccess(call, pool: u64, descriptions: u64, count: u64) {
        let owner = call.pool(pool)?.device;
        for n in 0..count {
            // cudaMemAccessDesc: a location, and what may be done there.
            let at = descriptions.wrapping_add(n.wrapping_mul(3 * WORD_BYTES));
            let device = call.device_at(at)?;
            let on = match call.get::<i32>(at.wrapping_add(2 * WORD_BYTES))? {
                NO_ACCESS if device != owner => false,
                READ_AND_WRITE => true,
                _ => {
                    let what = "cudaMemPoolSetAccess with access that is read-only, or denied to the pool's own device";
                    return Err(Failure::unsupported(what));
                }
            };
            if device != owner {
                call.gpus.set_pool_access(PoolId { device: owner, number: pool }, device, on)?;
                let opened_to = &mut call.pool(pool)?.opened_to;
                if on { opened_to.insert(device) } else { opened_to.remove(&device) };
            }
        }
        Ok(())
    }

    /// Returns whether a device may access the memory of a pool.
    fn cudaMemPoolGetAccess(call, access: u64, pool: u64, location: u64) {
        let device = call.device_at(location)?;
        let its = call.pool(pool)?;
        let open = its.device == device || its.opened_to.contains(&device);
        call.put(access, if open { READ_AND_WRITE } else { NO_ACCESS })
    }

    /// Releases what a pool keeps, down to a number of bytes.
    fn cudaMemPoolTrimTo(call, pool: u64, keep: u64) {
        call.pool(pool)?.shrink(keep);
        Ok(())
    }

    /// Sets a pool's release threshold, resets a high-water mark to its current value, or sets a reuse
    /// attribute.
    fn cudaMemPoolSetAttribute(call, pool: u64, attribute: i32, value: u64) {
        call.pool(pool)?;
        if REUSE.contains(&attribute) {
            let on: i32 = call.get_number(value)?;
            call.pool(pool)?.reuse[attribute as usize - 1] = on != 0;
            return Ok(());
        }
        let bytes: u64 = call.get_number(value)?;
        let its = call.pool(pool)?;
        match (attribute, bytes) {
            (THRESHOLD, _) => its.threshold = bytes,
            (RESERVED_HIGH, 0) => its.reserved_high = its.reserved,
            (USED_HIGH, 0) => its.used_high = its.used,
            _ => return Err(CudaError::InvalidValue.into()),
        }
        Ok(())
    }

    /// Returns a pool's release threshold, its current or highest use of memory, or a reuse attribute.
    fn cudaMemPoolGetAttribute(call, pool: u64, attribute: i32, value: u64) {
        let its = call.pool(pool)?;
        if REUSE.contains(&attribute) {
            let on = i32::from(its.reuse[attribute as usize - 1]);
            return call.put(value, on);
        }
        let found = match attribute {
            THRESHOLD => its.threshold,
            RESERVED => its.reserved,
            RESERVED_HIGH => its.reserved_high,
            USED => its.used,
            USED_HIGH => its.used_high,
            _ => return Err(CudaError::InvalidValue.into()),
        };
        call.put(value, found)
    }
}
