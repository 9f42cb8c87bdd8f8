//! Events.

use super::handles::Handles;
use crate::device::{CudaError, DeviceId, EventId, Failure, HostCost, Until, Work};
use crate::program::call::{Call, calls};

/// Handles lie where no memory is.
const FIRST_HANDLE: u64 = 0x3200_0000_0000;

/// `cudaEventDisableTiming` and `cudaEventInterprocess`; the third flag only says how the host
/// waits.
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
const ALL_FLAGS: u32 = 7;

/// An event that the program has.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: EventId,
    pub device: DeviceId,
    timing: bool,
    recorded: bool,
}

/// Events by their handles.
#[derive(Debug)]
pub struct Events {
    pub(super) made: Handles<Event>,
}

impl Default for Events {
    fn default() -> Events {
        Events { made: Handles::new("event", FIRST_HANDLE) }
    }
}

impl Call<'_> {
    /// The event of a handle.
    pub fn event(&mut self, handle: u64) -> Result<&mut Event, Failure> {
        if self.runtime.events.made.get(handle).is_none() {
            let fate = self.runtime.events.made.fate(handle);
            return Err(self.refuse_handle(fate));
        }
        self.runtime.events.made.get_mut(handle).ok_or(CudaError::InvalidResourceHandle.into())
    }

    fn make_event(&mut self, pointer: u64, flags: u32) -> Result<(), Failure> {
        let bad = flags & !ALL_FLAGS != 0 || flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0;
        if pointer == 0 || bad {
            return Err(CudaError::InvalidValue.into());
        }
        self.context();
        self.gpus.spend(HostCost::CreateEvent);
        let (device, timing) = (self.runtime.current, flags & DISABLE_TIMING == 0);
        let id = self.gpus.create_event(device, timing)?;
        let handle = self.runtime.events.made.add(Event { id, device, timing, recorded: false });
        self.put(pointer, handle)
    }

    fn record(&mut self, event: u64, stream: u64) -> Result<(), Failure> {
        let device = self.known_stream(stream)?.device;
        let its = self.event(event)?;
        if its.device != device {
            return Err(CudaError::InvalidResourceHandle.into());
        }
        its.recorded = true;
        let id = its.id;
        self.submit(stream, Work::Record(id))
    }

    /// The event, its time to be asked for.
    fn timed(&mut self, event: u64) -> Result<EventId, Failure> {
        let its = self.event(event)?;
        if !its.timing || !its.recorded {
            return Err(CudaError::InvalidResourceHandle.into());
        }
        Ok(its.id)
    }
}

calls! {
    /// Makes an event.
    fn cudaEventCreate(call, event: u64) {
        call.make_event(event, 0)
    }

    /// Makes an event, perhaps without timing.
    fn cudaEventCreateWithFlags(call, event: u64, flags: u32) {
        call.make_event(event, flags)
    }

    /// Ends an event.
    fn cudaEventDestroy(call, event: u64) {
        let id = call.event(event)?.id;
        call.runtime.events.made.destroy(event, &call.site);
        call.gpus.destroy_event(id)
    }

    /// The event happens when the stream comes to it.
    fn cudaEventRecord(call, event: u64, stream: u64) {
        call.record(event, stream)
    }

    /// As cudaEventRecord.
    fn cudaEventRecordWithFlags(call, event: u64, stream: u64, _flags: u32) {
        call.record(event, stream)
    }

    /// Whether an event has happened.
    fn cudaEventQuery(call, event: u64) {
        let id = call.event(event)?.id;
        if call.ask(|gpus, _, host| gpus.is_done(Until::Event(id), host))? {
            return Ok(());
        }
        Err(CudaError::NotReady.into())
    }

    /// Waits until an event has happened.
    fn cudaEventSynchronize(call, event: u64) {
        let id = call.event(event)?.id;
        call.ask(|gpus, site, host| gpus.wait(Until::Event(id), site, host))
    }

    /// Milliseconds between two events.
    fn cudaEventElapsedTime(call, milliseconds: u64, start: u64, end: u64) {
        let (start, end) = (call.timed(start)?, call.timed(end)?);
        let ms = call.gpus.elapsed_ms(start, end)?;
        call.put(milliseconds, ms)
    }

    /// As cudaEventElapsedTime.
    fn cudaEventElapsedTime_v2(call, milliseconds: u64, start: u64, end: u64) {
        cudaEventElapsedTime(call, milliseconds, start, end)
    }

    /// What comes later in the stream waits for the event.
    fn cudaStreamWaitEvent(call, stream: u64, event: u64, _flags: u32) {
        let id = call.event(event)?.id;
        call.submit(stream, Work::Wait(id))
    }
}
