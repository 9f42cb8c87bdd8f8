//! Addresses in the learner's terms.

use crate::checks::origin::{self, Origins, Root};
use crate::engine::findings::{
    DescribedSide, ELEMENTS_AROUND, ROW_ELEMENTS, SharedRead, Side, SideAddress, ThreadId,
};
use crate::engine::launch::LaunchContext;
use crate::evidence::{Evidence, WrittenWhen};
use crate::finding::{AllocatedBy, FindingKind, MemoryName, PointerParameter, Target};
use crate::memory::bytes::ByteSet;
use crate::memory::global::GlobalMemory;
use crate::memory::host_part;
use crate::memory::touch::TouchLog;

/// Describes where a side of a finding is, in the learner's terms.
pub fn describe_side(
    launch: &LaunchContext,
    origins: &Origins,
    code: FindingKind,
    side: &Side,
) -> DescribedSide {
    let parameter = parameter(launch, origins, side);
    let (target, evidence) = place(launch, origins, code, side);
    DescribedSide { target, parameter, evidence }
}

/// Returns the kernel's pointer that the address of a side is computed from.
fn parameter(launch: &LaunchContext, origins: &Origins, side: &Side) -> Option<PointerParameter> {
    let SideAddress::Device(place) = side.place else { return None };
    let find = |address| launch.memory.find_any(address);
    let leads_to = |root| {
        let address = pointed(launch, root)?;
        Some((root, address, find(address)?))
    };
    let (Root::Param(offset), address, n) = origin::only(&origins.roots(side.pc), leads_to)? else {
        return None;
    };
    let index = launch.kernel.params.iter().position(|slot| *slot == (8, offset))?;
    let buffer = &launch.memory.buffers[n];
    let is_elsewhere = find(place).is_some_and(|other| other != n);
    // The instruction of a thread that is not known may be that of another reader of the same element.
    let leads_there =
        |slot: &&(u32, u32)| slot.0 == 8 && pointed(launch, Root::Param(slot.1)).and_then(find) == Some(n);
    let is_unsure = side.thread.thread == ThreadId::UNKNOWN
        && launch.kernel.params.iter().filter(leads_there).count() > 1;
    (!is_elsewhere && !is_unsure).then(|| PointerParameter {
        index: index as u32,
        buffer: buffer.name.clone(),
        base: buffer.base,
        offset_bytes: address - buffer.base,
    })
}

/// Returns the memory that a side of a finding is in, or near, and evidence about it if there is any.
fn place(
    launch: &LaunchContext,
    origins: &Origins,
    code: FindingKind,
    side: &Side,
) -> (Target, Option<Evidence>) {
    if let SideAddress::Shared(offset) = side.place
        && let Some(variable) = origins.intended_shared_variable(side.pc)
    {
        let start = launch.shared_offset(variable);
        // Arrays whose size the launch gives all begin at the same address.
        let is_in_it = launch.code.shared[variable as usize].dynamic && offset >= start;
        if is_in_it || code == FindingKind::SharedOutOfBounds {
            return (shared(launch, variable, offset.wrapping_sub(start) as i64), None);
        }
    }
    let SideAddress::Device(address) = side.place else { return (describe(launch, side.place), None) };
    // An address inside a buffer belongs to that buffer, whichever was intended.
    let own = match launch.memory.find_any(address) {
        _ if code != FindingKind::OutOfBounds => None,
        Some(_) => None,
        None => origin::only(&origins.roots(side.pc), |root| buffer(launch, root)),
    };
    let evidence = (code == FindingKind::OutOfBounds).then(|| wrapped(launch, address, own)).flatten();
    (target(launch, side.place, own), evidence)
}

/// Returns which elements of a buffer around the one that a side of a finding reads are written at the end of a
/// launch; `logs` record what the launch wrote.
pub fn written_around(memory: &GlobalMemory, logs: &[TouchLog], side: &Side) -> Option<Evidence> {
    let SideAddress::Device(address) = side.place else { return None };
    let n = memory.find(address)?;
    let (buffer, width) = (&memory.buffers[n], u64::from(side.bytes).max(1));
    let before = buffer.written.as_ref()?;
    let (offset, elements) = (address - buffer.base, buffer.bytes / width);
    let read = (offset % width == 0).then_some(offset / width)?;
    let first = read.saturating_sub(ELEMENTS_AROUND) / ROW_ELEMENTS * ROW_ELEMENTS;
    let since: Vec<&ByteSet> = logs.iter().filter_map(|log| log.buffers.get(n)?.written.as_ref()).collect();
    let is_written = |byte: u64| before.contains(byte, 1) || since.iter().any(|set| set.contains(byte, 1));
    let written = |element: u64| (element * width..(element + 1) * width).all(is_written);
    let written = (first..elements.min(read + ELEMENTS_AROUND)).map(written).collect();
    Some(Evidence::WrittenAround { offset_bytes: first * width, written, when: WrittenWhen::LaunchEnded })
}

/// Returns the same for an array in shared memory, if that is what the side read.
pub fn shared_around(read: &SharedRead, side: &Side, target: &Target) -> Option<Evidence> {
    let (SideAddress::Shared(at), Target::Shared { size_bytes, offset_bytes, .. }) = (side.place, target)
    else {
        return None;
    };
    let start = at.checked_add_signed(-offset_bytes)?;
    if side.thread != read.thread || !start.is_multiple_of(read.width) {
        return None;
    }
    let array = start / read.width..(start + size_bytes) / read.width;
    let all = (read.first..).zip(&read.written);
    let its: Vec<(u64, bool)> = all.filter(|(n, _)| array.contains(n)).map(|(n, its)| (n, *its)).collect();
    let offset_bytes = (its.first()?.0 - array.start) * read.width;
    let written = its.into_iter().map(|(_, written)| written).collect();
    Some(Evidence::WrittenAround { offset_bytes, written, when: WrittenWhen::Read })
}

/// Returns the number of the buffer that a parameter or a variable of the kernel points to.
fn buffer(launch: &LaunchContext, root: Root) -> Option<usize> {
    launch.memory.find(pointed(launch, root)?)
}

/// Returns the address that a parameter of the kernel holds, or that of a variable.
fn pointed(launch: &LaunchContext, root: Root) -> Option<u64> {
    match root {
        Root::Param(offset) => Some(launch.param(offset, 8, false)),
        Root::Global(variable) => launch.variables.get(variable as usize).copied(),
        Root::Shared(_) | Root::Local => None,
    }
}

/// Returns evidence of an unsigned index that wrapped below zero.
fn wrapped(launch: &LaunchContext, address: u64, own: Option<usize>) -> Option<Evidence> {
    let (_, index, _) = launch.memory.wrapped(address, own)?;
    Some(Evidence::WrappedIndex(index))
}

/// Describes a place in a variable of shared memory, or near one.
fn shared(launch: &LaunchContext, variable: u32, offset_bytes: i64) -> Target {
    let its = &launch.code.shared[variable as usize];
    let size_bytes = if its.dynamic { u64::from(launch.extents.dynamic_shared_bytes) } else { its.bytes };
    Target::Shared { name: its.name.clone(), size_bytes, offset_bytes }
}

/// Describes an address in the learner's terms.
pub fn describe(launch: &LaunchContext, place: SideAddress) -> Target {
    target(launch, place, None)
}

/// As [`describe`]; `own` is the buffer from which the address was computed, if that is known.
fn target(launch: &LaunchContext, place: SideAddress, own: Option<usize>) -> Target {
    match place {
        SideAddress::Nowhere => Target::None,
        SideAddress::Allocated { bytes, offset } => {
            Target::Allocated { by: AllocatedBy::Kernel, size_bytes: bytes, offset_bytes: offset }
        }
        SideAddress::Local { offset, bytes } => {
            Target::Local { offset_bytes: offset as i64, size_bytes: bytes }
        }
        SideAddress::Shared(offset) => {
            let of_kernel = &launch.kernel.shared;
            let before =
                of_kernel.iter().filter(|(_, start)| *start <= offset).max_by_key(|(_, start)| *start);
            match before.or(of_kernel.first()) {
                Some(&(variable, start)) => shared(launch, variable, offset.wrapping_sub(start) as i64),
                None => {
                    Target::Shared { name: MemoryName::Shared, size_bytes: 0, offset_bytes: offset as i64 }
                }
            }
        }

        SideAddress::Device(address) => {
            if let Some(part) = host_part(address)
                && launch.memory.find(address).is_none()
            {
                return Target::Host { part };
            }
            if let Some(block) = launch.heap.describe(launch.memory, address) {
                return target(launch, block, own);
            }
            // Within this distance before or after a buffer, an index is taken to be meant for it.
            const NEAR_BYTES: u64 = 1 << 29;
            let buffers = &launch.memory.buffers;
            if let Some((n, index, width)) = launch.memory.wrapped(address, own) {
                let b = &buffers[n];
                let offset_bytes = index * width as i64;
                return Target::Buffer { name: b.name.clone(), size_bytes: b.bytes, offset_bytes };
            }
            let near = |n: &usize| {
                let b = &buffers[*n];
                address.abs_diff(b.base) < NEAR_BYTES || address.abs_diff(b.base + b.bytes) < NEAR_BYTES
            };
            let before = launch.memory.nearest(address);
            let behind = Some(before.map_or(0, |n| n + 1)).filter(|&n| n < buffers.len());
            match own.or_else(|| [before, behind].into_iter().flatten().find(near)) {
                Some(n) => {
                    let b = &buffers[n];
                    let offset_bytes = address.wrapping_sub(b.base) as i64;
                    if b.constant {
                        Target::Constant { name: b.name.clone(), size_bytes: b.bytes, offset_bytes }
                    } else {
                        Target::Buffer { name: b.name.clone(), size_bytes: b.bytes, offset_bytes }
                    }
                }
                None => Target::Nowhere { address },
            }
        }
    }
}
