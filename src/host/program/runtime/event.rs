//! Events.

use super::handles::Handles;
use crate::device::{CudaError, DeviceId, EventId, HostCost, Result, WaitTarget, Work, fail_if};
use crate::program::call::{Call, calls};
use sim::{Evidence, HandleKind, Untimed};
use std::sync::Arc;

/// Handles are addresses at which no memory is.
const FIRST_HANDLE: u64 = 0x3200_0000_0000;

/// `cudaEventDisableTiming` and `cudaEventInterprocess`; the third flag, `cudaEventBlockingSync`, only
/// affects how the host waits.
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
const ALL_FLAGS: u32 = 7;
/// `cudaEventRecordExternal`, `cudaEventWaitExternal`
const EXTERNAL: u32 = 1;

/// An event of the program.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: EventId,
    pub device: DeviceId,
    timing: bool,
    recorded: bool,
    /// Set if its last record was captured: the capture's number, and the nodes that precede the record.
    captured: Option<(u64, Vec<u64>)>,
}

/// Returns the table of events, which is empty.
pub fn none() -> Handles<Event> {
    Handles::new(HandleKind::Event, FIRST_HANDLE)
}

impl Call<'_> {
    /// Returns the event of a handle.
    ///
    /// # Errors
    ///
    /// As for [`Call::live`].
    pub fn event(&mut self, handle: u64) -> Result<&mut Event> {
        self.live(|runtime| &mut runtime.events, handle)
    }

    fn make_event(&mut self, pointer: u64, flags: u32) -> Result<()> {
        let bad = flags & !ALL_FLAGS != 0 || flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0;
        fail_if(pointer == 0 || bad, CudaError::InvalidValue)?;
        self.context();
        self.gpus.spend(HostCost::CreateEvent);
        let (device, timing) = (self.runtime.current, flags & DISABLE_TIMING == 0);
        let id = self.gpus.create_event(device, timing)?;
        let event = Event { id, device, timing, recorded: false, captured: None };
        let handle = self.make_object(|runtime| &mut runtime.events, event);
        self.put(pointer, handle)
    }

    fn record(&mut self, event: u64, stream: u64, external: bool) -> Result<()> {
        let stream_handle = stream;
        let stream = self.known_stream(stream)?;
        let captured = self.runtime.graphs.captures.frontier(stream.id);
        let its = self.event(event)?;
        fail_if(its.device != stream.device, CudaError::InvalidResourceHandle)?;
        if captured.is_some() && !external {
            its.captured = captured;
            return Ok(());
        }
        its.captured = None;
        its.recorded = true;
        let id = its.id;
        self.submit(stream_handle, Work::Record(id))
    }

    /// Marks an event as recorded by a graph node, and returns its id.
    ///
    /// # Errors
    ///
    /// As for [`Call::live`].
    pub fn record_in_graph(&mut self, event: u64) -> Result<EventId> {
        let its = self.event(event)?;
        its.recorded = true;
        Ok(its.id)
    }

    /// Makes later work of the stream wait for the event.
    fn wait_for(&mut self, stream: u64, event: u64, external: bool) -> Result<()> {
        let its = self.known_stream(stream)?;
        let (id, captured) = {
            let event = self.event(event)?;
            (event.id, event.captured.clone())
        };
        if let Some((number, nodes)) = captured {
            return self.join_capture(&its, number, &nodes);
        }
        if self.runtime.graphs.captures.of(its.id).is_some() && !external {
            return Err(self.isolation_failure(its.id));
        }
        self.submit(stream, Work::Wait(id))
    }

    /// Returns the event's id; an event last recorded in a capture is an error.
    fn waitable_event(&mut self, event: u64) -> Result<EventId> {
        let its = self.event(event)?;
        if its.captured.is_some() { Err(CudaError::CapturedEvent.into()) } else { Ok(its.id) }
    }

    /// Returns the id of an event whose time is queried; an event without a time is an error.
    fn timed(&mut self, event: u64, argument: usize) -> Result<EventId> {
        let its = self.event(event)?.clone();
        let why = match () {
            () if !its.timing => Untimed::Disabled,
            () if !its.recorded => Untimed::NeverRecorded,
            () if its.captured.is_some() => return Err(CudaError::InvalidResourceHandle.into()),
            () => return Ok(its.id),
        };
        let event = self.named(argument).map(Arc::from);
        self.runtime.errors.set_reason(Evidence::Untimed { event, why });
        Err(CudaError::InvalidResourceHandle.into())
    }
}

calls! {
    /// Creates an event.
    fn cudaEventCreate(call, event: u64) {
        call.make_event(event, 0)
    }

    /// Creates an event, by flags also without timing.
    fn cudaEventCreateWithFlags(call, event: u64, flags: u32) {
        call.make_event(event, flags)
    }

    /// Destroys an event.
    fn cudaEventDestroy(call, event: u64) {
        let id = call.event(event)?.id;
        call.runtime.events.destroy(event, &call.site);
        call.gpus.destroy_event(id)
    }

    /// Records the event in stream order.
    fn cudaEventRecord(call, event: u64, stream: u64) {
        call.record(event, stream, false)
    }

    /// As cudaEventRecord; with flag 1 (external) it becomes a graph node if the stream is being captured.
    fn cudaEventRecordWithFlags(call, event: u64, stream: u64, flags: u32) {
        call.record(event, stream, flags & EXTERNAL != 0)
    }

    /// Returns whether an event has completed.
    [UnsafeInCapture]
    fn cudaEventQuery(call, event: u64) {
        let id = call.waitable_event(event)?;
        call.query(WaitTarget::Event(id))
    }

    /// Waits until an event has completed.
    [Purpose(Synchronises)]
    fn cudaEventSynchronize(call, event: u64) {
        let id = call.waitable_event(event)?;
        call.ask(|gpus, site, host| gpus.wait(WaitTarget::Event(id), site, host))
    }

    /// Returns the milliseconds between two events.
    [NeedsReady]
    fn cudaEventElapsedTime, cudaEventElapsedTime_v2(call, milliseconds: u64, start: u64, end: u64) {
        let (start, end) = (call.timed(start, 1)?, call.timed(end, 2)?);
        let ms = call.gpus.elapsed_ms(start, end)?;
        call.put(milliseconds, ms)
    }

    /// Makes later work of the stream wait for the event.
    fn cudaStreamWaitEvent(call, stream: u64, event: u64, flags: u32) {
        call.wait_for(stream, event, flags & EXTERNAL != 0)
    }
}
