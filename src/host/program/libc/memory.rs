//! The heap, and functions on raw memory.

use super::{Context, c_functions};
use sim::{AccessKind, Fault, FaultKind, Stop};

/// Alignment in bytes of `malloc` on x86-64.
const ALIGN: u64 = 16;

c_functions! {
    /// Allocates a heap block.
    fn malloc(c) {
        give(c, c.call.u64(0), ALIGN)
    }

    /// Allocates a zeroed block for an array; null if its size overflows.
    fn calloc(c) {
        let Some(bytes) = c.call.u64(0).checked_mul(c.call.u64(1)) else {
            c.thread.set_result_u64(0);
            return c.set_errno(super::process::ENOMEM);
        };
        let Some(address) = c.try_allocate(bytes, ALIGN)? else {
            c.thread.set_result_u64(0);
            return c.set_errno(super::process::ENOMEM);
        };
        zeros(c, address, bytes)?;
        c.thread.set_result_u64(address);
        Ok(())
    }

    /// Allocates a block. It outlives the caller's return, after which no correct program uses it.
    fn alloca(c) {
        let address = c.allocate(c.call.u64(0), ALIGN)?;
        c.thread.set_result_u64(address);
        Ok(())
    }

    /// Resizes a block, keeping its contents.
    fn realloc(c) {
        let (address, bytes) = (c.call.u64(0), c.call.u64(1));
        if address == 0 {
            return give(c, bytes, ALIGN);
        }
        let moved = if bytes == 0 {
            release(c, address)?;
            0
        } else {
            match c.thread.memory_mut().reallocate(address, bytes) {
                Ok(moved) => moved,
                Err(Fault { kind: FaultKind::Limit(_), .. }) => {
                    c.thread.set_result_u64(0);
                    return c.set_errno(super::process::ENOMEM);
                }
                Err(fault) => return Err(c.thread.fault(fault, AccessKind::Write)),
            }
        };
        c.thread.set_result_u64(moved);
        Ok(())
    }

    /// Frees a block.
    fn free(c) {
        release(c, c.call.u64(0))
    }

    /// Allocates a block aligned to a power of two.
    fn aligned_alloc, memalign(c) {
        let (align, bytes) = (c.call.u64(0), c.call.u64(1));
        if !align.is_power_of_two() {
            c.thread.set_result_u64(0);
            return c.set_errno(super::process::EINVAL);
        }
        give(c, bytes, align.max(ALIGN))
    }

    /// Called by `new` of a type with an alignment larger than that of `malloc`, with the size and the
    /// alignment in bytes.
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

    /// `aligned_alloc` that returns the block through a pointer.
    fn posix_memalign(c) {
        let (to, align, bytes) = (c.call.u64(0), c.call.u64(1), c.call.u64(2));
        if !align.is_power_of_two() || align < 8 {
            c.thread.set_result_i32(super::process::EINVAL);
            return Ok(());
        }
        match c.try_allocate(bytes, align.max(ALIGN))? {
            Some(address) => c.write_u64(to, address),
            None => {
                c.thread.set_result_i32(super::process::ENOMEM);
                Ok(())
            }
        }
    }

    /// Copies bytes; the ranges may overlap.
    fn memmove(c) {
        let (to, from, bytes) = (c.call.u64(0), c.call.u64(1), c.call.u64(2));
        let copied = c.bytes(from, bytes)?;
        c.write(to, &copied)?;
        c.thread.set_result_u64(to);
        Ok(())
    }

    /// Copies bytes, and returns the end of the copy.
    fn mempcpy(c) {
        memmove(c)?;
        c.thread.set_result_u64(c.call.u64(0).wrapping_add(c.call.u64(2)));
        Ok(())
    }

    /// Copies bytes up to the first of a value, and returns the end of the copy; null if there is none.
    fn memccpy(c) {
        let (to, from, last, most) = (c.call.u64(0), c.call.u64(1), c.call.u32(2) as u8, c.call.u64(3));
        let mut one = [0];
        for at in 0..most {
            c.read(from.wrapping_add(at), &mut one)?;
            c.write(to.wrapping_add(at), &one)?;
            if one[0] == last {
                c.thread.set_result_u64(to.wrapping_add(at + 1));
                return Ok(());
            }
        }
        c.thread.set_result_u64(0);
        Ok(())
    }

    /// What `local_arrays` has found of a copy or a fill: bytes that pass the end of a local array.
    fn __gpulearn_past_array(c) {
        let name = String::from_utf8_lossy(&c.text(c.call.u64(0))?).into_owned();
        let (size, offset, bytes) = (c.call.u64(1), c.call.u64(2), c.call.u64(3));
        let kind = if c.call.bytes(4)[0] != 0 { AccessKind::Write } else { AccessKind::Read };
        Err(c.past_array((name.into(), size), (offset, bytes), kind))
    }

    /// Returns the address of the first occurrence of some bytes in others.
    fn memmem(c) {
        let (address, bytes) = (c.call.u64(0), c.call.u64(1));
        let (all, part) = (c.bytes(address, bytes)?, c.bytes(c.call.u64(2), c.call.u64(3))?);
        let at = (0..=all.len()).find(|&at| all[at..].starts_with(&part));
        c.thread.set_result_u64(at.map_or(0, |at| address.wrapping_add(at as u64)));
        Ok(())
    }

    /// Compares two ranges of bytes.
    fn memcmp(c) {
        let bytes = c.call.u64(2);
        let (a, b) = (c.bytes(c.call.u64(0), bytes)?, c.bytes(c.call.u64(1), bytes)?);
        c.thread.set_result_i32(super::text::difference(&a, &b));
        Ok(())
    }

    /// Returns the address of the first occurrence of a byte.
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

    /// Returns the address of the last occurrence of a byte.
    fn __gpulearn_memrchr(c) {
        let (address, byte) = (c.call.u64(0), c.call.u32(1) as u8);
        let at = c.bytes(address, c.call.u64(2))?.iter().rposition(|&here| here == byte);
        c.thread.set_result_u64(at.map_or(0, |at| address.wrapping_add(at as u64)));
        Ok(())
    }
}

/// Allocates a block and returns it to the program; null if memory is at its limit.
fn give(c: &mut Context<'_, '_, '_>, bytes: u64, align: u64) -> Result<(), Stop> {
    let address = c.try_allocate(bytes, align)?;
    c.thread.set_result_u64(address.unwrap_or(0));
    if address.is_none() { c.set_errno(super::process::ENOMEM) } else { Ok(()) }
}

fn release(c: &mut Context<'_, '_, '_>, address: u64) -> Result<(), Stop> {
    c.world.frees(c.thread, address);
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
