//! Zeroed memory that occupies this machine's memory only where it is touched, however large it is.
//!
//! The allocator asks the system for zeroed pages as well, but a system that limits overcommitment refuses a
//! single allocation larger than all of the machine's memory (Linux, `vm.overcommit_memory` 0). A large allocation
//! is therefore reserved as address space.

use std::alloc::{Layout, alloc_zeroed};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use linux as system;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
use other as system;

mod sealed {
    /// A type of which every bit pattern is a value, and all zero bits are zero.
    ///
    /// # Safety
    /// The type has size and alignment 4, every bit pattern is a value of it, and it needs no drop.
    pub unsafe trait Word {}
    // SAFETY: a plain word.
    unsafe impl Word for u32 {}
    // SAFETY: it has the size, alignment and bit validity of `u32` (documented).
    unsafe impl Word for super::AtomicU32 {}
}
use sealed::Word;

/// A slice of words, initially zero.
pub struct Zeroed<T: Word> {
    start: NonNull<T>,
    words: usize,
    /// Whether the words are a mapping of their own; otherwise they are a box.
    reserved: bool,
    owns: PhantomData<T>,
}

// SAFETY: it owns the memory it points to, as a box does.
unsafe impl<T: Word + Send> Send for Zeroed<T> {}
// SAFETY: likewise.
unsafe impl<T: Word + Sync> Sync for Zeroed<T> {}

impl<T: Word> Zeroed<T> {
    /// Allocates `words` words. Returns `None` if the system refuses.
    pub fn new(words: usize) -> Option<Zeroed<T>> {
        let layout = Layout::array::<T>(words).ok()?;
        if words == 0 {
            return Some(Zeroed::default());
        }
        let reserved = layout.size() >= system::LARGE_BYTES;
        let start = match reserved {
            true => system::reserve(layout.size())?,
            // SAFETY: the layout's size is not zero.
            false => NonNull::new(unsafe { alloc_zeroed(layout) })?.cast(),
        };
        Some(Zeroed { start: start.cast(), words, reserved, owns: PhantomData })
    }
}

impl<T: Word> Drop for Zeroed<T> {
    fn drop(&mut self) {
        if self.reserved {
            // SAFETY: this value owns the mapping, and nobody borrows it.
            return unsafe { system::unmap(self.start.cast(), self.words * 4) };
        }
        let slice = std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.words);
        // SAFETY: the words were allocated as those of such a box are.
        drop(unsafe { Box::from_raw(slice) });
    }
}

impl<T: Word> FromIterator<T> for Zeroed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(words: I) -> Zeroed<T> {
        let words = words.into_iter().collect::<Box<[T]>>();
        let count = words.len();
        let start = NonNull::from(Box::leak(words)).cast();
        Zeroed { start, words: count, reserved: false, owns: PhantomData }
    }
}

impl<T: Word> Default for Zeroed<T> {
    fn default() -> Zeroed<T> {
        Zeroed::from_iter([])
    }
}

impl<T: Word> std::fmt::Debug for Zeroed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Zeroed({} words)", self.words)
    }
}

impl<T: Word> Deref for Zeroed<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: it owns that many words, and every bit pattern is a value.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }
}

impl<T: Word> DerefMut for Zeroed<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux {
    //! Reserves address space with `mmap`.

    use std::ffi::{c_int, c_long, c_void};
    use std::ptr::{NonNull, null_mut};

    // Functions of the C library, which the standard library is linked to anyway (`mmap(2)`; the numbers are those
    // of x86-64 and AArch64).
    unsafe extern "C" {
        fn mmap(
            at: *mut c_void,
            bytes: usize,
            access: c_int,
            flags: c_int,
            file: c_int,
            start: c_long,
        ) -> *mut c_void;
        fn munmap(at: *mut c_void, bytes: usize) -> c_int;
    }
    /// Allocations of at least this size are reserved as address space.
    pub const LARGE_BYTES: usize = 1 << 30;

    const READ_AND_WRITE: c_int = 1 | 2;
    const PRIVATE: c_int = 0x02;
    const ANONYMOUS: c_int = 0x20;
    const NO_RESERVE: c_int = 0x4000;

    /// Reserves pages of zeros, readable and writable.
    pub fn reserve(bytes: usize) -> Option<NonNull<c_void>> {
        // SAFETY: a new mapping, at an address of the system's choice.
        let start =
            unsafe { mmap(null_mut(), bytes, READ_AND_WRITE, PRIVATE | ANONYMOUS | NO_RESERVE, -1, 0) };
        // -1 is `MAP_FAILED`.
        NonNull::new(start).filter(|start| start.as_ptr() as isize != -1)
    }

    /// Frees reserved pages.
    ///
    /// # Safety
    /// The pages were returned by [`reserve`] with the same size, and nobody uses them.
    pub unsafe fn unmap(start: NonNull<c_void>, bytes: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { munmap(start.as_ptr(), bytes) };
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod other {
    //! Reserves nothing: the allocator is asked for memory of every size.

    use std::ffi::c_void;
    use std::ptr::NonNull;

    /// No allocation is as large as this.
    pub const LARGE_BYTES: usize = usize::MAX;

    pub fn reserve(_: usize) -> Option<NonNull<c_void>> {
        None
    }

    /// # Safety
    /// The pages were returned by [`reserve`].
    pub unsafe fn unmap(_: NonNull<c_void>, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pieces_cost_nothing_until_they_are_touched() {
        // More memory than machines have.
        let words = 1usize << 40;
        let Some(mut large) = Zeroed::<u32>::new(words / 4) else { return };
        assert_eq!(large.len(), words / 4);
        large[words / 4 - 1] = 7;
        assert_eq!((large[0], large[words / 8], large[words / 4 - 1]), (0, 0, 7));
        let small: Zeroed<u32> = Zeroed::new(5).unwrap();
        assert_eq!(&small[..], [0; 5]);
    }
}
