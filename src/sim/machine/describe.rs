//! Addresses in the learner's terms.

use crate::sim::engine::findings::Whereabouts;
use crate::sim::engine::launch::Launch;
use crate::sim::finding::Target;
use crate::sim::memory::host_part;

/// An address in the learner's terms.
pub fn describe(launch: &Launch, place: Whereabouts) -> Target {
    match place {
        Whereabouts::Nowhere => Target::None,
        Whereabouts::Local { offset, bytes } => {
            Target::Local { offset_bytes: offset as i64, size_bytes: bytes }
        }
        Whereabouts::Shared(offset) => {
            let size = |v: u32| {
                let its = &launch.code.shared[v as usize];
                if its.dynamic { launch.dynamic_shared_bytes as u64 } else { its.bytes }
            };
            let of_kernel = &launch.kernel.shared;
            let before =
                of_kernel.iter().filter(|(_, start)| *start <= offset).max_by_key(|(_, start)| *start);
            match before.or(of_kernel.first()) {
                Some(&(variable, start)) => Target::Shared {
                    name: launch.code.shared[variable as usize].name.clone(),
                    size_bytes: size(variable),
                    offset_bytes: offset.wrapping_sub(start) as i64,
                },
                None => Target::Shared {
                    name: "shared memory".into(),
                    size_bytes: 0,
                    offset_bytes: offset as i64,
                },
            }
        }

        Whereabouts::Device(address) => {
            if let Some(part) = host_part(address)
                && launch.memory.find(address).is_none()
            {
                return Target::Host { part };
            }
            // Nearer than this before or behind a buffer, an index is taken to be its.
            const NEAR_BYTES: u64 = 1 << 29;
            let buffers = &launch.memory.buffers;
            if let Some((n, index, width)) = launch.memory.wrapped(address) {
                let b = &buffers[n];
                let offset_bytes = index * width as i64;
                return Target::Buffer { name: b.name.clone(), size_bytes: b.bytes, offset_bytes };
            }
            let before = launch.memory.nearest(address);
            let near = |n: usize| {
                let b = &buffers[n];
                address.abs_diff(b.base) < NEAR_BYTES || address.abs_diff(b.base + b.bytes) < NEAR_BYTES
            };
            let candidates = [before, Some(before.map_or(0, |n| n + 1))];
            match candidates.into_iter().flatten().find(|&n| n < buffers.len() && near(n)) {
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
