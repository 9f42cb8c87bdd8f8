//! Zeroed memory that occupies this machine's memory only where it is touched, however large it is.
//!
//! The allocator asks the system for zeroed pages as well, but a system that limits overcommitment refuses a
//! single allocation larger than all of the machine's memory (Linux, `vm.overcommit_memory` 0). A large allocation
//! is therefore reserved as address space.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

/// Allocations of at least this size are reserved as address space.
const LARGE_BYTES: usize = 1 << 30;

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
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
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
        let bytes = words.checked_mul(4)?;
        if bytes >= LARGE_BYTES {
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            return linux::reserve(bytes).map(|start| Zeroed {
                start: start.cast(),
                words,
                reserved: true,
                owns: PhantomData,
            });
            #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
            Vec::<u32>::new().try_reserve_exact(words).ok()?;
        }
        let plain: Box<[u32]> = vec![0u32; words].into_boxed_slice();
        // SAFETY: `T` has the layout and the bit validity of `u32`, and the box is the only owner. It is created
        // this way so that the pages come zeroed from the system, untouched.
        Some(Zeroed::of(unsafe { Box::from_raw(Box::into_raw(plain) as *mut [T]) }))
    }

    fn of(words: Box<[T]>) -> Zeroed<T> {
        let count = words.len();
        let start = NonNull::from(Box::leak(words)).cast();
        Zeroed {
            start,
            words: count,
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            reserved: false,
            owns: PhantomData,
        }
    }
}

impl<T: Word> Drop for Zeroed<T> {
    fn drop(&mut self) {
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        if self.reserved {
            // SAFETY: this value owns the mapping, and nobody borrows it.
            return unsafe { linux::unmap(self.start.cast(), self.words * 4) };
        }
        let slice = std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.words);
        // SAFETY: the pointer and length come from such a box.
        drop(unsafe { Box::from_raw(slice) });
    }
}

impl<T: Word> FromIterator<T> for Zeroed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(words: I) -> Zeroed<T> {
        Zeroed::of(words.into_iter().collect())
    }
}

impl<T: Word> Default for Zeroed<T> {
    fn default() -> Zeroed<T> {
        Zeroed::of(Box::default())
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
