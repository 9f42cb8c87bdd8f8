//! Copies: each direction has an engine that executes one copy at a time.

use super::DeviceState;
use super::op::{HostMemory, Ps, Route, ps, to_ps};
use crate::device::DeviceId;
use crate::device::model::Transfer;

/// The time at which each copy engine of a device becomes free.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CopyEngines {
    to_device: Ps,
    to_host: Ps,
    peer_out: Ps,
    peer_in: Ps,
}

/// Returns the start and end of a copy that is ready `at`, and occupies its engines for that time.
pub(super) fn schedule(
    devices: &mut [DeviceState],
    device: DeviceId,
    route: Route,
    bytes: u64,
    at: Ps,
) -> (Ps, Ps) {
    let Some(its) = devices.get_mut(device as usize) else { return (at, at) };
    let transfer = its.model.transfer.clone();
    let lasts = duration(&transfer, route, bytes);
    let take = |engine: &mut Ps| {
        let start = at.max(*engine);
        *engine = start.saturating_add(lasts);
        (start, *engine)
    };
    match route {
        Route::ToDevice(_) => take(&mut its.copies.to_device),
        Route::ToHost(_) => take(&mut its.copies.to_host),
        // Copies within a device execute as kernels.
        Route::Within | Route::HostToHost => (at, at.saturating_add(lasts)),
        Route::ToPeer(other) | Route::StagedToPeer(other) => {
            let by_link = transfer.peer_link && matches!(route, Route::ToPeer(_));
            let out = |engines: &mut CopyEngines| -> Ps {
                if by_link { engines.peer_out } else { engines.to_host }
            };
            let free_here = out(&mut its.copies);
            let free_there = devices
                .get(other as usize)
                .map_or(0, |d| if by_link { d.copies.peer_in } else { d.copies.to_device });
            let start = at.max(free_here).max(free_there);
            let end = start.saturating_add(lasts);
            if let Some(d) = devices.get_mut(device as usize) {
                *(if by_link { &mut d.copies.peer_out } else { &mut d.copies.to_host }) = end;
            }
            if let Some(d) = devices.get_mut(other as usize) {
                *(if by_link { &mut d.copies.peer_in } else { &mut d.copies.to_device }) = end;
            }
            (start, end)
        }
    }
}

fn duration(transfer: &Transfer, route: Route, bytes: u64) -> Ps {
    let (latency, rate) = match route {
        Route::ToDevice(memory) => (transfer.latency_ns, transfer.to_device_gbps(memory)),
        Route::ToHost(memory) => (transfer.latency_ns, transfer.to_host_gbps(memory)),
        Route::ToPeer(_) => (transfer.latency_ns, transfer.peer_gbps),
        // Two copies in sequence, to the host and from there to the other device.
        Route::StagedToPeer(_) => (transfer.latency_ns.saturating_mul(2), transfer.peer_staged_gbps),
        Route::Within | Route::HostToHost => (transfer.host_to_host_latency_ns, transfer.host_to_host_gbps),
    };
    to_ps(latency).saturating_add(ps(bytes as f64 / rate))
}

impl Transfer {
    /// Returns the rate of copies to a device in bytes per nanosecond.
    pub fn to_device_gbps(&self, memory: HostMemory) -> f64 {
        match memory {
            HostMemory::Pageable => self.pageable_to_device_gbps,
            HostMemory::Pinned => self.pinned_to_device_gbps,
            HostMemory::Faulted => self.managed_fault_gbps,
            HostMemory::Prefetched => self.managed_prefetch_gbps,
        }
    }

    /// Returns the rate of copies to the host in bytes per nanosecond.
    pub fn to_host_gbps(&self, memory: HostMemory) -> f64 {
        match memory {
            HostMemory::Pageable => self.pageable_to_host_gbps,
            HostMemory::Pinned => self.pinned_to_host_gbps,
            HostMemory::Faulted => self.managed_fault_gbps,
            HostMemory::Prefetched => self.managed_prefetch_gbps,
        }
    }
}
