//! The heap, and functions on raw memory.

use super::process::{EINVAL, ENOMEM};
use super::{Context, c_functions, text};
use sim::{AccessKind, Fault, FaultKind, HostAllocator, HostRelease, Stop};

/// Alignment in bytes of `malloc` on x86-64.
const ALIGN: u64 = 16;

c_functions! {
    /// Allocates a heap block.
    fn malloc(c, bytes: u64) -> u64 {
        malloc_or_null(c, bytes, ALIGN)
    }

    /// Allocates a zeroed block for an array; null if its size overflows.
    fn calloc(c, count: u64, size: u64) -> u64 {
        let Some(bytes) = count.checked_mul(size) else { return c.failed(ENOMEM, 0) };
        let address = malloc_or_null(c, bytes, ALIGN)?;
        if address != 0 {
            zeros(c, address, bytes)?;
        }
        Ok(address)
    }

    /// Allocates a block. It outlives the caller's return, after which no correct program uses it.
    fn alloca(c, bytes: u64) -> u64 {
        c.allocate(bytes, ALIGN)
    }

    /// Resizes a block, keeping its contents.
    fn realloc(c, address: u64, bytes: u64) -> u64 {
        if address == 0 {
            return malloc_or_null(c, bytes, ALIGN);
        }
        if bytes == 0 {
            release(c, address, HostRelease::Realloc)?;
            return Ok(0);
        }
        if let Some((finding, _)) = c.thread.mismatched_release(address, HostRelease::Realloc) {
            c.world.finds(finding);
        }
        match c.thread.memory_mut().reallocate(address, bytes) {
            Ok(moved) => Ok(moved),
            Err(Fault { kind: FaultKind::Limit(_), .. }) => c.failed(ENOMEM, 0),
            Err(fault) => Err(c.thread.fault(fault, AccessKind::Write)),
        }
    }

    /// Frees a block.
    fn free(c, address: u64) {
        release(c, address, HostRelease::Free)
    }

    /// Returns the bytes of a block: as many as were asked for.
    fn malloc_usable_size(c, block: u64) -> u64 {
        Ok(c.thread.memory().size_of(block).unwrap_or(0))
    }

    /// Called by a container with the bytes of a block that have elements: the program may access no others.
    fn __gpulearn_close(c, block: u64, bytes: u64) {
        c.thread.memory_mut().set_accessible_behind(block, bytes, false);
        Ok(())
    }

    /// Called by a container that is about to use all of a block.
    fn __gpulearn_open(c, block: u64, bytes: u64) {
        c.thread.memory_mut().set_accessible_behind(block, bytes, true);
        Ok(())
    }

    /// Called by `new`.
    fn __gpulearn_new(c, bytes: u64) -> u64 {
        new_block(c, bytes, HostAllocator::New)
    }

    /// Called by `new[]`.
    fn __gpulearn_new_array(c, bytes: u64) -> u64 {
        new_block(c, bytes, HostAllocator::NewArray)
    }

    /// Called by `delete`.
    fn __gpulearn_delete(c, address: u64) {
        release(c, address, HostRelease::Delete)
    }

    /// Called by `delete[]`, unless the elements have a destructor.
    fn __gpulearn_delete_array(c, address: u64) {
        release(c, address, HostRelease::DeleteArray)
    }

    /// Allocates a block aligned to a power of two.
    fn aligned_alloc, memalign(c, align: u64, bytes: u64) -> u64 {
        if align.is_power_of_two() { malloc_or_null(c, bytes, align.max(ALIGN)) } else { c.failed(EINVAL, 0) }
    }

    /// Called by `new` of a type with an alignment larger than that of `malloc`, with the size and the
    /// alignment in bytes.
    fn __cuda_syscall_aligned_malloc(c, bytes: u64, align: u64) -> u64 {
        if align.is_power_of_two() { c.allocate(bytes, align.max(ALIGN)) } else { Ok(0) }
    }

    /// `aligned_alloc` that returns the block through a pointer.
    fn posix_memalign(c, to: u64, align: u64, bytes: u64) -> i32 {
        if !align.is_power_of_two() || align < 8 {
            return Ok(EINVAL);
        }
        match c.try_allocate(bytes, align.max(ALIGN))? {
            Some(address) => c.write_u64(to, address).map(|()| 0),
            None => Ok(ENOMEM),
        }
    }

    /// Copies bytes; the ranges may overlap.
    fn memmove(c, to: u64, from: u64, bytes: u64) -> u64 {
        let copied = c.bytes(from, bytes)?;
        c.write(to, &copied)?;
        c.carry_unwritten(to, from, bytes);
        c.thread.count_moved(bytes);
        Ok(to)
    }

    /// Copies bytes, and returns the end of the copy.
    fn mempcpy(c, to: u64, from: u64, bytes: u64) -> u64 {
        Ok(memmove(c, to, from, bytes)?.wrapping_add(bytes))
    }

    /// Copies bytes up to the first of a value, and returns the end of the copy; null if there is none.
    fn memccpy(c, to: u64, from: u64, last: u32, most: u64) -> u64 {
        let mut one = [0];
        for at in 0..most {
            c.read(from.wrapping_add(at), &mut one)?;
            c.write(to.wrapping_add(at), &one)?;
            if one[0] == last as u8 {
                return Ok(to.wrapping_add(at + 1));
            }
        }
        Ok(0)
    }

    /// What `local_arrays` has found of a copy or a fill: bytes that pass the end of a local array.
    fn __gpulearn_past_array(c) {
        let name = String::from_utf8_lossy(&c.text(c.call.u64(0))?).into_owned();
        let (size, offset, bytes) = (c.call.u64(1), c.call.u64(2), c.call.u64(3));
        let kind = if c.call.bytes(4)[0] != 0 { AccessKind::Write } else { AccessKind::Read };
        Err(c.past_array((name.into(), size), (offset, bytes), kind))
    }

    /// Called where a container lacks an element that is used: `used` is such as "front() of an empty std::vector".
    fn __gpulearn_no_element(c, used: u64) {
        let used = String::from_utf8_lossy(&c.text(used)?).into_owned();
        Err(c.thread.no_element(&used))
    }

    /// Returns the address of the first occurrence of some bytes in others.
    fn memmem(c, address: u64, bytes: u64, part: u64, part_bytes: u64) -> u64 {
        let (all, part) = (c.bytes(address, bytes)?, c.bytes(part, part_bytes)?);
        Ok(text::place(address, (0..=all.len()).find(|&at| all[at..].starts_with(&part))))
    }

    /// Compares two ranges of bytes.
    fn memcmp(c, a: u64, b: u64, bytes: u64) -> i32 {
        let (a, b) = (c.bytes(a, bytes)?, c.bytes(b, bytes)?);
        Ok(text::difference(&a, &b))
    }

    /// Returns the address of the first occurrence of a byte.
    fn __gpulearn_memchr(c, address: u64, byte: u32, most: u64) -> u64 {
        let mut one = [0];
        for at in 0..most {
            c.read(address.wrapping_add(at), &mut one)?;
            if one[0] == byte as u8 {
                return Ok(address.wrapping_add(at));
            }
        }
        Ok(0)
    }

    /// Returns the address of the last occurrence of a byte.
    fn __gpulearn_memrchr(c, address: u64, byte: u32, bytes: u64) -> u64 {
        let all = c.bytes(address, bytes)?;
        Ok(text::place(address, all.iter().rposition(|&here| here == byte as u8)))
    }
}

/// Allocates a block; null if memory is at its limit.
fn malloc_or_null(c: &mut Context<'_, '_, '_>, bytes: u64, align: u64) -> Result<u64, Stop> {
    c.try_allocate(bytes, align)?.map_or_else(|| c.failed(ENOMEM, 0), Ok)
}

fn new_block(c: &mut Context<'_, '_, '_>, bytes: u64, by: HostAllocator) -> Result<u64, Stop> {
    let address = malloc_or_null(c, bytes, ALIGN)?;
    c.thread.memory_mut().set_allocator(address, by);
    Ok(address)
}

/// Frees a block. A block that something else should have released is a finding, and is freed nonetheless.
fn release(c: &mut Context<'_, '_, '_>, address: u64, by: HostRelease) -> Result<(), Stop> {
    let mut start = address;
    if let Some((finding, block)) = c.thread.mismatched_release(address, by) {
        c.world.finds(finding);
        start = block;
    }
    c.world.frees(c.thread, start);
    let freed = c.thread.memory_mut().free(start);
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
