//! Device memory, page-locked memory, managed memory, and memory from a device's pool.

use super::copy::size;
use super::work::Stream;
use super::{Direct, Result};
use crate::failure::{check, refused};
use cudarc::driver::sys;
use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`; the flags for registering have the same numbers.
const PORTABLE_MAPPED: u32 = 3;
/// `CU_MEM_ATTACH_GLOBAL`
const ATTACH_GLOBAL: u32 = 1;
/// Granularity of page-locking.
const PAGE_BYTES: u64 = 4096;

impl Direct {
    /// Allocates device memory; returns its address.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if there is no memory for it.
    pub fn allocate(&mut self, device: u32, bytes: u64) -> Result<u64> {
        self.enter(device)?;
        let mut address = 0;
        // SAFETY: a pointer to a live variable; the driver rejects sizes that it cannot allocate.
        check(unsafe { sys::cuMemAlloc_v2(&mut address, size(bytes)) }, "cuMemAlloc")?;
        Ok(address)
    }

    /// Allocates page-locked host memory, which all devices access by the same address.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if there is no memory for it.
    pub fn allocate_pinned(&mut self, device: u32, bytes: u64) -> Result<u64> {
        self.enter(device)?;
        let mut address = ptr::null_mut();
        // SAFETY: a pointer to a live variable.
        check(unsafe { sys::cuMemHostAlloc(&mut address, size(bytes), PORTABLE_MAPPED) }, "cuMemHostAlloc")?;
        Ok(address as u64)
    }

    /// Allocates memory that the host and the devices share; limited to the free memory of a device, since
    /// more can bring the machine down.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if that device has less free memory.
    pub fn allocate_managed(&mut self, device: u32, bytes: u64) -> Result<u64> {
        let (free, _) = self.memory_info(device)?;
        if bytes > free {
            let said = format!("{bytes} bytes of managed memory, but {free} are free");
            return Err(refused("cuMemAllocManaged", 2, said));
        }
        let mut address = 0;
        // SAFETY: a pointer to a live variable.
        let result = unsafe { sys::cuMemAllocManaged(&mut address, size(bytes), ATTACH_GLOBAL) };
        check(result, "cuMemAllocManaged")?;
        Ok(address)
    }

    /// Allocates memory from a device's default pool, for later work in the stream.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if there is no memory for it.
    pub fn allocate_ordered(&mut self, device: u32, bytes: u64, stream: Stream) -> Result<u64> {
        self.enter(stream.device)?;
        let (mut address, mut pool) = (0, ptr::null_mut());
        // SAFETY: pointers to live variables; the stream is alive.
        unsafe {
            check(
                sys::cuDeviceGetDefaultMemPool(&mut pool, device.cast_signed()),
                "cuDeviceGetDefaultMemPool",
            )?;
            check(
                sys::cuMemAllocFromPoolAsync(&mut address, size(bytes), pool, stream.handle),
                "cuMemAllocFromPoolAsync",
            )?;
        }
        Ok(address)
    }

    /// Frees pool memory when the stream reaches this point.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if it is no memory of a pool.
    pub fn free_ordered(&mut self, address: u64, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: memory of a pool; the caller forgets it.
        check(unsafe { sys::cuMemFreeAsync(address, stream.handle) }, "cuMemFreeAsync")
    }

    /// Frees device or managed memory.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver has allocated no memory there.
    pub fn free(&mut self, device: u32, address: u64) -> Result<()> {
        self.enter(device)?;
        // SAFETY: allocated by the driver and freed once; the driver rejects other addresses.
        check(unsafe { sys::cuMemFree_v2(address) }, "cuMemFree")
    }

    /// Frees page-locked memory.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver has allocated no memory there.
    pub fn free_pinned(&mut self, device: u32, address: u64) -> Result<()> {
        self.enter(device)?;
        // SAFETY: allocated by the driver and freed once; the driver rejects other addresses.
        check(unsafe { sys::cuMemFreeHost(address as *mut _) }, "cuMemFreeHost")
    }

    /// Returns the free and the total bytes of a device's memory.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver can't tell.
    pub fn memory_info(&mut self, device: u32) -> Result<(u64, u64)> {
        self.enter(device)?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: pointers to live variables.
        check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) }, "cuMemGetInfo")?;
        Ok((free as u64, total as u64))
    }

    /// Maps and page-locks memory at an address that this process does not use, filled with `contents`; from
    /// then on the host and the devices can access it. `None` if that is not possible.
    pub fn place_pinned(&mut self, device: u32, address: u64, contents: &[u8]) -> Option<()> {
        let (start, bytes) = pages(address, contents.len() as u64)?;
        self.enter(device).ok()?;
        // SAFETY: the mapping is new: an address that is in use is rejected. The contents fit in it.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let mapped = libc::mmap(start as *mut _, bytes, protection, flags, -1, 0);
            if mapped as u64 != start {
                if mapped != libc::MAP_FAILED {
                    libc::munmap(mapped, bytes);
                }
                return None;
            }
            ptr::copy_nonoverlapping(contents.as_ptr(), address as *mut u8, contents.len());
            let locked = sys::cuMemHostRegister_v2(mapped, bytes, PORTABLE_MAPPED);
            if check(locked, "cuMemHostRegister").is_err() {
                libc::munmap(mapped, bytes);
                return None;
            }
        }
        Some(())
    }

    /// Unmaps memory that was placed by [`Direct::place_pinned`], and returns its contents.
    ///
    /// # Safety
    ///
    /// The memory was placed with the same address and size, was not taken before, and nothing uses it any more.
    pub unsafe fn take_placed(&mut self, device: u32, address: u64, bytes: u64) -> Option<Vec<u8>> {
        let (start, mapped) = pages(address, bytes)?;
        self.enter(device).ok()?;
        let mut contents = vec![0; size(bytes)];
        // SAFETY: by contract, the pages are mapped, registered and unused.
        unsafe {
            ptr::copy_nonoverlapping(address as *const u8, contents.as_mut_ptr(), contents.len());
            sys::cuMemHostUnregister(start as *mut _);
            libc::munmap(start as *mut _, mapped);
        }
        Some(contents)
    }

    /// Reads memory that the host can access: page-locked or managed. Of what kernels write meanwhile, some bytes may
    /// be read and others not.
    ///
    /// # Safety
    ///
    /// All of it lies in one such allocation that is alive.
    pub unsafe fn host_load(address: u64, out: &mut [u8]) {
        // SAFETY: by contract.
        let (head, words, tail) = unsafe { shared_words(address, out.len()) };
        let (first, out) = out.split_at_mut(head.len());
        let (middle, last) = out.split_at_mut(words.len() * size_of::<u64>());
        let bytes = |to: &mut [u8], from: &[AtomicU8]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from.load(Relaxed));
        };
        bytes(first, head);
        for (to, from) in middle.as_chunks_mut().0.iter_mut().zip(words) {
            *to = from.load(Relaxed).to_ne_bytes();
        }
        bytes(last, tail);
    }

    /// Writes memory that the host can access.
    ///
    /// # Safety
    ///
    /// As for [`Direct::host_load`].
    pub unsafe fn host_store(address: u64, bytes: &[u8]) {
        // SAFETY: by contract.
        let (head, words, tail) = unsafe { shared_words(address, bytes.len()) };
        let (first, bytes) = bytes.split_at(head.len());
        let (middle, last) = bytes.split_at(words.len() * size_of::<u64>());
        let store = |to: &[AtomicU8], from: &[u8]| {
            to.iter().zip(from).for_each(|(to, from)| to.store(*from, Relaxed));
        };
        store(head, first);
        for (to, from) in words.iter().zip(middle.as_chunks().0) {
            to.store(u64::from_ne_bytes(*from), Relaxed);
        }
        store(tail, last);
    }
}

/// Returns memory that kernels may access at the same time, as the words that lie in it and the bytes around them: by
/// atomic accesses, the host does not race with them.
///
/// # Safety
///
/// The bytes lie in one allocation that the host can access, and that lives as long as what is returned is used.
unsafe fn shared_words<'a>(address: u64, bytes: usize) -> (&'a [AtomicU8], &'a [AtomicU64], &'a [AtomicU8]) {
    if bytes == 0 {
        return Default::default();
    }
    // SAFETY: by contract; the types have the size and bit validity of the bytes, and atomic accesses may be concurrent with
    // others.
    unsafe { std::slice::from_raw_parts(address as *const AtomicU8, bytes).align_to() }
}

/// Returns the start and size in bytes of the pages that contain some bytes.
fn pages(address: u64, bytes: u64) -> Option<(u64, usize)> {
    let start = address / PAGE_BYTES * PAGE_BYTES;
    let end = address.checked_add(bytes)?.checked_next_multiple_of(PAGE_BYTES)?;
    Some((start, usize::try_from(end - start).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_all_bytes() {
        assert_eq!(pages(4096, 4096), Some((4096, 4096)));
        assert_eq!(pages(5000, 10), Some((4096, 4096)));
        assert_eq!(pages(4095, 2), Some((0, 8192)));
        assert_eq!(pages(u64::MAX, 2), None);
    }

    #[test]
    fn any_bytes_are_stored_and_loaded() {
        let mut memory = [0u64; 6];
        let start = memory.as_mut_ptr() as u64;
        for (first, bytes) in (0..9).flat_map(|first| (0..30).map(move |bytes| (first, bytes))) {
            let values: Vec<u8> = (0..bytes as u8).map(|n| n + 1).collect();
            let mut all = [9; 48];
            // SAFETY: all bytes lie in `memory`, which is used only so meanwhile.
            unsafe {
                Direct::host_store(start, &[0; 48]);
                Direct::host_store(start + first, &values);
                Direct::host_load(start, &mut all);
            }
            let (before, rest) = all.split_at(first as usize);
            let (those, after) = rest.split_at(bytes);
            assert_eq!(those, values);
            assert!(before.iter().chain(after).all(|byte| *byte == 0), "{first} {bytes}");
            let mut again = vec![0; bytes];
            // SAFETY: as above.
            unsafe { Direct::host_load(start + first, &mut again) };
            assert_eq!(again, values);
        }
    }
}
