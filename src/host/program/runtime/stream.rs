//! Streams: their handles, waiting for them, and the one function through which work is submitted to a
//! stream.

use super::handles::Handles;
use crate::device::{
    CudaError, DeviceId, Failure, HostCost, Library, Result, Site, StreamId, StreamOptions, WaitTarget, Work,
    fail_if,
};
use crate::program::call::{Call, calls};
use sim::{Evidence, HandleKind, RunLimit};
use std::collections::BTreeMap;

/// `cudaStreamLegacy` and `cudaStreamPerThread` (`driver_types.h`).
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;
/// Handles are addresses at which no memory is.
const FIRST_HANDLE: u64 = 0x3100_0000_0000;

/// `cudaStreamNonBlocking`
const NON_BLOCKING: u32 = 1;

/// A stream of the program.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub id: StreamId,
    pub device: DeviceId,
    pub options: StreamOptions,
}

/// The streams by handle.
#[derive(Debug)]
pub struct Streams {
    pub(super) made: Handles<Stream>,
    /// The default streams of host threads, by device and thread, where the program has used them.
    per_thread: BTreeMap<(DeviceId, u32), Stream>,
    /// The host thread that runs, and the last that was created; the first has number 0.
    pub(in crate::program) thread: u32,
    pub(in crate::program) last_thread: u32,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams {
            made: Handles::new(HandleKind::Stream, FIRST_HANDLE),
            per_thread: BTreeMap::new(),
            thread: 0,
            last_thread: 0,
        }
    }
}

impl Streams {
    /// Destroys all streams of a device with its context, and returns their ids.
    pub fn end_all(&mut self, device: DeviceId, site: &Site) -> Vec<StreamId> {
        let made = self.made.destroy_all(|stream| stream.device == device, site);
        let mut ended: Vec<StreamId> = made.into_iter().map(|stream| stream.id).collect();
        self.per_thread.retain(|(its, _), stream| {
            if *its == device {
                ended.push(stream.id);
            }
            *its != device
        });
        ended
    }
}

impl Call<'_> {
    /// Returns the id of a handle's stream.
    ///
    /// # Errors
    ///
    /// As for [`Call::known_stream`].
    pub fn stream(&mut self, handle: u64) -> Result<StreamId> {
        self.known_stream(handle).map(|stream| stream.id)
    }

    /// Returns a handle's stream. The per-thread default stream is created on first use.
    ///
    /// # Errors
    ///
    /// As for [`Call::live`], or the GPU can't create it.
    pub fn known_stream(&mut self, handle: u64) -> Result<Stream> {
        let device = self.runtime.current;
        match handle {
            0 | LEGACY => {
                Ok(Stream { id: StreamId::legacy(device), device, options: StreamOptions::default() })
            }
            PER_THREAD => {
                let thread = self.runtime.streams.thread;
                if let Some(known) = self.runtime.streams.per_thread.get(&(device, thread)) {
                    return Ok(*known);
                }
                let options = StreamOptions::default();
                let id = self.gpus.create_stream(device, options)?;
                let stream = Stream { id, device, options };
                self.runtime.streams.per_thread.insert((device, thread), stream);
                Ok(stream)
            }
            _ => self.live(|runtime| &mut runtime.streams.made, handle).copied(),
        }
    }

    /// Submits work to a handle's stream, or to the graph that the stream is captured into.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidResourceHandle`: a kernel, and the stream is another device's. Otherwise as for
    /// [`Call::known_stream`], [`Call::captured`] and [`Call::count_enqueued`], or the GPU's own.
    pub fn submit(&mut self, handle: u64, work: Work) -> Result<()> {
        let stream = self.known_stream(handle)?;
        // Kernels, including those of NCCL, run on the stream's own device.
        let kernel = matches!(work, Work::Launch(_) | Work::Library(Library::Collective(_)));
        if kernel && stream.device != self.runtime.current {
            // NCCL makes its communicator's device the current one for the time of the call.
            if matches!(work, Work::Launch(_)) {
                let (owner, current) = (stream.device, self.runtime.current);
                self.runtime.errors.set_reason(Evidence::StreamOfOtherDevice { owner, current });
            }
            return Err(CudaError::InvalidResourceHandle.into());
        }
        if self.captured(&stream, &work)? {
            return Ok(());
        }
        self.count_enqueued()?;
        self.ask(|gpus, site, host| gpus.enqueue(stream.id, work, site, host))
    }

    /// Counts a piece of work that is about to be enqueued. Stops the program if that is too many: a loop that
    /// enqueues work for ever takes ever more memory.
    ///
    /// # Errors
    ///
    /// The limit on enqueued work is reached.
    pub fn count_enqueued(&mut self) -> Result<()> {
        let most = self.runtime.limits.enqueued;
        if self.runtime.enqueued >= most {
            return Err(Failure::Limit(RunLimit::EnqueuedWork { most }));
        }
        self.runtime.enqueued += 1;
        Ok(())
    }

    fn make_stream(&mut self, pointer: u64, flags: u32, priority: i32) -> Result<()> {
        fail_if(pointer == 0 || flags & !NON_BLOCKING != 0, CudaError::InvalidValue)?;
        self.context();
        self.gpus.spend(HostCost::CreateStream);
        let device = self.runtime.current;
        let options = StreamOptions { non_blocking: flags & NON_BLOCKING != 0, priority };
        let id = self.gpus.create_stream(device, options)?;
        let handle = self.make_object(|runtime| &mut runtime.streams.made, Stream { id, device, options });
        self.put(pointer, handle)
    }
}

calls! {
    /// Creates a stream.
    fn cudaStreamCreate(call, stream: u64) {
        call.make_stream(stream, 0, 0)
    }

    /// Creates a stream, by flags also one that does not synchronise with the default stream.
    fn cudaStreamCreateWithFlags(call, stream: u64, flags: u32) {
        call.make_stream(stream, flags, 0)
    }

    /// Creates a stream with a priority.
    fn cudaStreamCreateWithPriority(call, stream: u64, flags: u32, priority: i32) {
        let greatest = call.properties().greatest_stream_priority;
        call.make_stream(stream, flags, priority.clamp(greatest.min(0), 0))
    }

    /// Destroys a stream; work already submitted to it still completes.
    fn cudaStreamDestroy(call, stream: u64) {
        let id = call.stream(stream)?;
        match call.runtime.streams.made.destroy(stream, &call.site) {
            Some(_) => call.gpus.destroy_stream(id),
            // The default streams are not the program's to destroy.
            None => Err(CudaError::InvalidResourceHandle.into()),
        }
    }

    /// Waits for all work of a stream.
    [Purpose(Synchronises)]
    fn cudaStreamSynchronize(call, stream: u64) {
        call.context();
        let id = call.stream(stream)?;
        call.refuse_in_capture(id)?;
        call.ask(|gpus, site, host| gpus.wait(WaitTarget::Stream(id), site, host))?;
        call.runtime.pools.release_unused();
        Ok(())
    }

    /// Returns whether all work of a stream is complete.
    fn cudaStreamQuery(call, stream: u64) {
        let id = call.stream(stream)?;
        call.refuse_in_capture(id)?;
        call.query(WaitTarget::Stream(id))
    }

    /// Returns a stream's priority.
    fn cudaStreamGetPriority(call, stream: u64, priority: u64) {
        let its = call.known_stream(stream)?.options.priority;
        call.put(priority, its)
    }

    /// Returns a stream's flags.
    fn cudaStreamGetFlags(call, stream: u64, flags: u64) {
        let its = call.known_stream(stream)?.options.non_blocking;
        call.put(flags, u32::from(its))
    }

    /// Returns a number unique to the stream.
    fn cudaStreamGetId(call, stream: u64, number: u64) {
        let id = call.stream(stream)?;
        call.put(number, u64::from(id.0))
    }

    /// Returns the device of a stream.
    fn cudaStreamGetDevice(call, stream: u64, device: u64) {
        let its = call.known_stream(stream)?.device;
        call.put(device, its)
    }

    /// Attaches managed memory to a stream, which changes nothing: all streams may use all of it here.
    fn cudaStreamAttachMemAsync(call, stream: u64, _memory: u64, _bytes: u64, _flags: u32) {
        call.submit(stream, Work::Empty)
    }

    /// Sets a hint for the scheduler or the cache, which changes nothing here.
    fn cudaStreamSetAttribute(call, stream: u64, _attribute: i32, value: u64) {
        call.stream(stream)?;
        if value == 0 { Err(CudaError::InvalidValue.into()) } else { Ok(()) }
    }

    /// Copies hints from one stream to another.
    fn cudaStreamCopyAttributes(call, to: u64, from: u64) {
        call.stream(to)?;
        call.stream(from).map(|_| ())
    }

    /// Calls a host function in stream order.
    fn cudaLaunchHostFunc(call, stream: u64, function: u64, argument: u64) {
        fail_if(function == 0, CudaError::InvalidValue)?;
        call.context();
        let may_dangle = call.thread.is_inner_local(argument);
        call.submit(stream, Work::HostFunction { function, argument, may_dangle })
    }
}
