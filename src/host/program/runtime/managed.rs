//! Managed memory: advice on where it should reside, and prefetching.

use super::advice::NOWHERE;
use super::allocations::{Allocation, Kind};
use super::findings::{described, made};
use crate::device::{CudaError, DeviceId, Result, Work, fail_if};
use crate::program::call::{Call, calls};
use sim::{Act, Address, FindingKind};

/// `cudaCpuDeviceId`
const CPU: i32 = -1;
/// `enum cudaMemLocationType`: device; host, and its NUMA nodes.
const LOCATION_DEVICE: i32 = 1;
const LOCATION_HOST: std::ops::RangeInclusive<i32> = 2..=4;

/// Decodes a `struct cudaMemLocation` passed as one parameter (type and number), and returns the device
/// number, or [`CPU`] for the host.
fn located(location: u64) -> Result<i32> {
    let (kind, number) = (location as u32 as i32, (location >> 32) as u32 as i32);
    match kind {
        LOCATION_DEVICE => Ok(number),
        kind if LOCATION_HOST.contains(&kind) => Ok(CPU),
        _ => Err(CudaError::InvalidValue.into()),
    }
}

impl Call<'_> {
    /// Returns the managed allocation that contains all these bytes.
    fn managed(&mut self, address: u64, bytes: u64) -> Result<Allocation> {
        let found = self.runtime.allocations.around(address).cloned();
        match found {
            Some(a) if a.freed.is_some() => {
                let (act, site) = (Act::IsGiven { memory: a.name.clone() }, self.site.clone());
                self.runtime.used_after_free(&a, act, &site);
                Err(CudaError::InvalidValue.into())
            }
            Some(a) if matches!(a.kind, Kind::Managed | Kind::Variable(None)) => {
                match address.checked_add(bytes) {
                    Some(end) if end <= a.end() => Ok(a),
                    _ => {
                        let given = Act::IsGivenBytes { bytes, of: described(&a) };
                        self.refuse(FindingKind::CopyPastEnd, given, Some(made(&a)), Vec::new())
                    }
                }
            }
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    /// Returns the device of a number, or `None` for the host.
    fn place(&self, number: i32) -> Result<Option<DeviceId>> {
        if number == CPU { Ok(None) } else { self.device(number).map(Some) }
    }

    fn prefetch(&mut self, address: u64, bytes: u64, place: i32, stream: u64) -> Result<()> {
        let to = self.place(place)?;
        fail_if(bytes == 0, CudaError::InvalidValue)?;
        let found = self.managed(address, bytes)?;
        self.runtime.allocations.advices.entry(found.start).or_default().prefetched = place;
        self.submit(stream, Work::Prefetch { address: Address(address), bytes, to })
    }

    fn advise(&mut self, address: u64, bytes: u64, advice: i32, place: i32) -> Result<()> {
        let found = self.managed(address, bytes)?;
        let needs_place = (3..=6).contains(&advice) && advice != 4;
        if needs_place {
            self.place(place)?;
        }
        let its = self.runtime.allocations.advices.entry(found.start).or_default();
        // enum cudaMemoryAdvise
        match advice {
            1 | 2 => its.read_mostly = advice == 1,
            3 => its.preferred = place,
            4 => its.preferred = NOWHERE,
            5 if !its.accessed_by.contains(&place) => its.accessed_by.push(place),
            5 => {}
            6 => its.accessed_by.retain(|other| *other != place),
            _ => return Err(CudaError::InvalidValue.into()),
        }
        Ok(())
    }
}

calls! {
    /// Moves managed memory to a device or the host in stream order.
    fn cudaMemPrefetchAsync(call, address: u64, bytes: u64, place: i32, stream: u64) {
        call.prefetch(address, bytes, place, stream)
    }

    /// As cudaMemPrefetchAsync, to a location.
    fn cudaMemPrefetchAsync_v2(call, address: u64, bytes: u64, location: Location, _flags: u32, stream: u64) {
        call.prefetch(address, bytes, located(location.0)?, stream)
    }

    /// Records how managed memory will be used; moves nothing.
    fn cudaMemAdvise(call, address: u64, bytes: u64, advice: i32, place: i32) {
        call.advise(address, bytes, advice, place)
    }

    /// As cudaMemAdvise, with a location.
    fn cudaMemAdvise_v2(call, address: u64, bytes: u64, advice: i32, location: Location) {
        // Advice that needs no location may be passed any.
        let place = located(location.0).unwrap_or(NOWHERE);
        call.advise(address, bytes, advice, place)
    }

    /// Returns the advice on managed memory, or where it was last prefetched to.
    fn cudaMemRangeGetAttribute(call, data: u64, size: u64, attribute: i32, address: u64, bytes: u64) {
        let found = call.managed(address, bytes)?;
        let its = call.runtime.allocations.advices.get(&found.start).cloned().unwrap_or_default();
        // enum cudaMemRangeAttribute
        let value = match attribute {
            1 => i32::from(its.read_mostly),
            2 => its.preferred,
            3 => {
                fail_if(size == 0 || !size.is_multiple_of(4), CudaError::InvalidValue)?;
                for n in 0..size / 4 {
                    let one = its.accessed_by.get(n as usize).copied().unwrap_or(NOWHERE);
                    call.put(data.wrapping_add(n * 4), one)?;
                }
                return Ok(());
            }
            4 => its.prefetched,
            _ => return Err(CudaError::InvalidValue.into()),
        };
        fail_if(size != 4, CudaError::InvalidValue)?;
        call.put(data, value)
    }
}

/// `struct cudaMemLocation`, eight bytes.
pub struct Location(u64);

impl crate::program::call::Argument for Location {
    fn decode(bytes: &[u8]) -> Option<Location> {
        u64::decode(bytes).map(Location)
    }
}
