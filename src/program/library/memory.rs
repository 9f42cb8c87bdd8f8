//! The heap, and memory as bytes.

use super::{Context, library};
use crate::sim::{AccessKind, Stop};

/// What `malloc` aligns to on x86-64.
const ALIGN: u64 = 16;

library! {
    /// A block of the heap.
    fn malloc(c) {
        let address = c.allocate(c.call.u64(0), ALIGN)?;
        c.thread.set_result_u64(address);
        Ok(())
    }

    /// A block of zeros for an array; null where its size is no number.
    fn calloc(c) {
        let Some(bytes) = c.call.u64(0).checked_mul(c.call.u64(1)) else {
            c.thread.set_result_u64(0);
            return c.set_errno(super::process::ENOMEM);
        };
        let address = c.allocate(bytes, ALIGN)?;
        zeros(c, address, bytes)?;
        c.thread.set_result_u64(address);
        Ok(())
    }

    /// A block of another size with the same contents.
    fn realloc(c) {
        let (address, bytes) = (c.call.u64(0), c.call.u64(1));
        let moved = if address == 0 {
            c.allocate(bytes, ALIGN)?
        } else if bytes == 0 {
            release(c, address)?;
            0
        } else {
            let moved = c.thread.memory_mut().reallocate(address, bytes);
            moved.map_err(|fault| c.thread.fault(fault, AccessKind::Write))?
        };
        c.thread.set_result_u64(moved);
        Ok(())
    }

    /// Gives a block back.
    fn free(c) {
        release(c, c.call.u64(0))
    }

    /// A block at a multiple of a power of two.
    fn aligned_alloc(c) {
        let (align, bytes) = (c.call.u64(0), c.call.u64(1));
        if !align.is_power_of_two() {
            c.thread.set_result_u64(0);
            return c.set_errno(super::process::EINVAL);
        }
        let address = c.allocate(bytes, align.max(ALIGN))?;
        c.thread.set_result_u64(address);
        Ok(())
    }

    /// What `new` of a type with an alignment above that of `malloc` calls: bytes, then alignment.
    fn __cuda_syscall_aligned_malloc(c) {
        let (bytes, align) = (c.call.u64(0), c.call.u64(1));
        if !align.is_power_of_two() {
            c.thread.set_result_u64(0);
            return Ok(());
        }
        let address = c.allocate(bytes, align.max(ALIGN))?;
        c.thread.set_result_u64(address);
        Ok(())
    }

    /// `aligned_alloc` of old.
    fn memalign(c) {
        aligned_alloc(c)
    }

    /// `aligned_alloc` that gives the block through a pointer.
    fn posix_memalign(c) {
        let (to, align, bytes) = (c.call.u64(0), c.call.u64(1), c.call.u64(2));
        if !align.is_power_of_two() || align < 8 {
            c.thread.set_result_i32(super::process::EINVAL);
            return Ok(());
        }
        let address = c.allocate(bytes, align.max(ALIGN))?;
        c.write_u64(to, address)
    }

    /// Copies bytes; the places may overlap.
    fn memmove(c) {
        let (to, from, bytes) = (c.call.u64(0), c.call.u64(1), c.call.u64(2));
        let copied = c.bytes(from, bytes)?;
        c.write(to, &copied)?;
        c.thread.set_result_u64(to);
        Ok(())
    }

    /// The first difference of two places.
    fn memcmp(c) {
        let bytes = c.call.u64(2);
        let (a, b) = (c.bytes(c.call.u64(0), bytes)?, c.bytes(c.call.u64(1), bytes)?);
        c.thread.set_result_i32(super::text::difference(&a, &b));
        Ok(())
    }

    /// The first place of a byte.
    fn __gpulearn_memchr(c) {
        let (address, byte, most) = (c.call.u64(0), c.call.u32(1) as u8, c.call.u64(2));
        let mut at = 0;
        let mut one = [0];
        while at < most {
            c.read(address.wrapping_add(at), &mut one)?;
            if one[0] == byte {
                c.thread.set_result_u64(address.wrapping_add(at));
                return Ok(());
            }
            at += 1;
        }
        c.thread.set_result_u64(0);
        Ok(())
    }
}

fn release(c: &mut Context<'_, '_, '_>, address: u64) -> Result<(), Stop> {
    let freed = c.thread.memory_mut().free(address);
    freed.map_err(|fault| c.thread.fault(fault, AccessKind::Write))
}

fn zeros(c: &mut Context<'_, '_, '_>, address: u64, bytes: u64) -> Result<(), Stop> {
    match c.thread.memory_mut().slice_mut(address, bytes) {
        Ok(memory) => {
            memory.fill(0);
            Ok(())
        }
        Err(_) if bytes == 0 => Ok(()),
        Err(fault) => Err(c.thread.fault(fault, AccessKind::Write)),
    }
}
