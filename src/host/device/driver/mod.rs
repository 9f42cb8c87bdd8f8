//! The GPUs of this machine, used through the driver. Meant for a process that runs a single program, because
//! a kernel may hang, and an error may destroy the context.
//!
//! Addresses of device, page-locked and managed memory are the driver's own. Pageable memory belongs to the
//! interpreted host program and is not memory of this process, so copies of it go through a buffer here.
//! Streams, events and the default stream are the driver's, with its ordering. Differences from a program that
//! is compiled for this machine:
//! - a host function (`cudaLaunchHostFunc`) is called while the host waits for the stream to reach it, not
//!   concurrently with the host's own work;
//! - a graph with host functions or copies of pageable memory is enqueued in its stream node by node;
//! - waiting polls instead of blocking, so that a deadline can end it.

mod array;
mod error;
mod graphs;
mod library;
mod memory;
mod properties;
mod work;

use super::{
    CudaError, DeviceId, EncodedMap, EventId, Failure, Gpus, GraphId, Host, HostCost, PoolId, Result, Site,
    Space, StreamId, StreamOptions, WaitTarget, Work, WorkNode, fail_if,
};
use crate::device::model::Properties;
use array::Arrays;
use gpu::Failed;
use gpu::direct::{Direct, Event, Printed, Stream};
use graphs::Graph;
use library::Libraries;
use memory::{Block, Blocks, Origin};
use sim::{
    Address, Finding, GlobalVariable, Image, ImageObject, KernelInfo, MemoryName, Module, TensorMap,
    TensorMapRefusal, TensorMapRequest,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a wait polls without a pause, and the pause between polls after that.
const EAGER: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_micros(20);

/// Real GPUs. See the module documentation.
pub struct DriverGpus {
    direct: Direct,
    /// Those of every GPU.
    properties: Vec<Properties>,
    printed: Printed,
    /// Number of the machine's GPUs that the program sees.
    count: u32,
    /// The most recently used device; page-locked memory is allocated in its context.
    home: DeviceId,
    began: Instant,
    deadline: Option<Instant>,
    variables: Vec<GlobalVariable>,
    /// Kernels by their address as the host program knows it.
    kernels: HashMap<u64, KernelInfo>,
    blocks: Blocks,
    arrays: Arrays,
    streams: HashMap<StreamId, Stream>,
    streams_made: u32,
    events: HashMap<EventId, Event>,
    events_made: u32,
    graphs: HashMap<GraphId, Graph>,
    graphs_made: u32,
    libraries: Libraries,
    /// Buffer through which pageable memory is copied.
    scratch: Vec<u8>,
    /// The error that destroyed a context, if any: with the call that returned it, and the driver's message.
    lost: Option<(CudaError, String)>,
    /// Whether a host function is running.
    in_callback: bool,
    findings: Vec<Finding>,
}

impl DriverGpus {
    /// Opens at most `most` of the machine's GPUs with the machine code of a program's kernels; `managed`:
    /// whether the program may have `managed` variables.
    ///
    /// # Errors
    ///
    /// The driver or its GPUs can't be used, or they reject the code.
    pub fn open(
        cubin: Vec<u8>,
        managed: bool,
        most: Option<u32>,
        printed: Printed,
    ) -> Result<DriverGpus, Failed> {
        // SAFETY: streams, events, graphs and arrays are looked up by their ids, which are forgotten when they are
        // destroyed or their device is reset; texture and surface objects are checked by the runtime's table of them.
        // Whoever calls methods of `Gpus` has checked addresses and extents against the program's allocations
        // (`runtime::copy`), and those of blocks are kept here.
        let mut direct = unsafe { Direct::open(cubin, managed)? };
        let all = direct.machine().devices.len() as u32;
        let properties = properties::all(&mut direct)?;
        Ok(DriverGpus {
            direct,
            properties,
            printed,
            count: most.map_or(all, |most| most.min(all)),
            home: 0,
            began: Instant::now(),
            deadline: None,
            variables: Vec::new(),
            kernels: HashMap::new(),
            blocks: Blocks::default(),
            arrays: Arrays::default(),
            streams: HashMap::new(),
            streams_made: 0,
            events: HashMap::new(),
            events_made: 0,
            graphs: HashMap::new(),
            graphs_made: 0,
            libraries: Libraries::default(),
            scratch: vec![0; work::SCRATCH_BYTES],
            lost: None,
            in_callback: false,
            findings: Vec::new(),
        })
    }

    /// Begins the program: its clock starts at zero. Waits that last beyond the deadline end the program.
    pub fn begin(&mut self, deadline: Option<Instant>) {
        (self.began, self.deadline) = (Instant::now(), deadline);
    }

    /// Returns the error that destroyed a context, if one did, and the driver's message.
    pub fn lost(&self) -> Option<(CudaError, String)> {
        self.lost.clone()
    }

    /// Converts a driver failure to the failure that the program observes, and records errors that destroy
    /// the context.
    fn failure(&mut self, failed: Failed) -> Failure {
        let failure = error::failure(&failed);
        if let Failure::Cuda(error) = &failure
            && error.is_sticky()
        {
            self.lost.get_or_insert_with(|| (*error, format!("{}: {}", failed.call, failed.said)));
        }
        failure
    }

    fn ask<R>(&mut self, ask: impl FnOnce(&mut Direct) -> Result<R, Failed>) -> Result<R> {
        ask(&mut self.direct).map_err(|failed| self.failure(failed))
    }

    /// Makes a call that frees a resource. With a destroyed context, its failure is ignored: nothing is left
    /// to free.
    fn release(&mut self, ask: impl FnOnce(&mut Direct) -> Result<(), Failed>) -> Result<()> {
        match self.ask(ask) {
            Err(_) if self.lost.is_some() => Ok(()),
            other => other,
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Polls until the condition is true, or the deadline has passed.
    fn until(&mut self, mut is_so: impl FnMut(&mut Direct) -> Result<bool, Failed>) -> Result<()> {
        let begun = Instant::now();
        while !self.ask(&mut is_so)? {
            if self.is_late() {
                return Err(Failure::Ended);
            }
            if begun.elapsed() > EAGER {
                std::thread::sleep(PAUSE);
            } else {
                std::hint::spin_loop();
            }
        }
        Ok(())
    }

    /// Waits until a stream has executed all work now in it; for a default stream, including the work that it
    /// waits for.
    fn reach(&mut self, stream: Stream) -> Result<()> {
        let event = self.ask(|direct| direct.create_event(stream.device, false))?;
        let reached = self
            .ask(|direct| direct.record(event, stream))
            .and_then(|()| self.until(|direct| direct.is_event_done(event)))
            .and_then(|()| self.ask(|direct| direct.synchronise_event(event)));
        self.release(|direct| direct.destroy_event(event))?;
        reached
    }

    fn stream(&self, id: StreamId) -> Result<Stream> {
        if id.0 < StreamId::FIRST_CREATED {
            return if id.0 < self.count {
                Ok(Stream::legacy(id.0))
            } else {
                Err(CudaError::InvalidDevice.into())
            };
        }
        self.streams.get(&id).copied().ok_or(Failure::Cuda(CudaError::InvalidResourceHandle))
    }

    fn event(&self, id: EventId) -> Result<Event> {
        self.events.get(&id).copied().ok_or(Failure::Cuda(CudaError::InvalidResourceHandle))
    }

    fn wait_for_device(&mut self, device: DeviceId) -> Result<()> {
        if !self.direct.is_entered(device) {
            return Ok(());
        }
        let its: Vec<Stream> = self.streams.values().copied().filter(|s| s.device == device).collect();
        for stream in its {
            self.until(|direct| direct.is_stream_done(stream))?;
        }
        self.reach(Stream::legacy(device))?;
        self.ask(|direct| direct.synchronise(device))
    }

    fn not_in_callback(&self) -> Result<()> {
        if self.in_callback { Err(CudaError::NotPermitted.into()) } else { Ok(()) }
    }
}

impl Gpus for DriverGpus {
    fn count(&self) -> u32 {
        self.count
    }

    fn properties(&self, device: DeviceId) -> &Properties {
        &self.properties[device as usize]
    }

    fn load(&mut self, module: &Arc<Module>) -> Result<()> {
        self.variables = module.variables().to_vec();
        let infos = (0..).map_while(|number| module.kernel(number));
        self.kernels = infos.map(|info| (info.address, info)).collect();
        Ok(())
    }

    fn load_kernels(&mut self) {
        let symbols: Vec<String> = self.kernels.values().map(|info| info.name.clone()).collect();
        for symbol in symbols {
            // A kernel that cannot be loaded is reported when it is launched.
            let _ = self.direct.function(0, &symbol);
        }
    }

    fn variable(&mut self, device: DeviceId, index: u32) -> Result<(Address, u64)> {
        let variable = self.variables.get(index as usize).cloned().ok_or(CudaError::InvalidSymbol)?;
        let (start, bytes) = self.ask(|direct| direct.variable(device, &variable.symbol))?;
        let space = if variable.managed { Space::Managed } else { Space::Device(device) };
        Ok((self.record_block(start, Block { bytes, space, origin: Origin::Variable })?, bytes))
    }

    fn allocate(&mut self, space: Space, bytes: u64, _name: &str, _site: &Site) -> Result<Address> {
        let home = self.home;
        let start = self.ask(|direct| match space {
            Space::Device(device) => direct.allocate(device, bytes),
            Space::Pinned => direct.allocate_pinned(home, bytes),
            Space::Managed => direct.allocate_managed(home, bytes),
        })?;
        self.record_block(start, Block { bytes, space, origin: Origin::Allocated })
    }

    fn allocate_array(
        &mut self,
        device: DeviceId,
        image: &Image,
        flags: u32,
        _name: &str,
        _site: &Site,
    ) -> Result<Address> {
        self.make_array(device, image, flags)
    }

    fn create_image(&mut self, device: DeviceId, object: &ImageObject) -> Result<u64> {
        let array = self.arrays.at(object.image.address);
        self.ask(|direct| direct.create_image(device, object, array))
    }

    fn destroy_image(&mut self, device: DeviceId, handle: u64, is_texture: bool) -> Result<()> {
        self.release(|direct| direct.destroy_image(device, handle, is_texture))
    }

    fn allocate_ordered(&mut self, stream: StreamId, pool: PoolId, bytes: u64, _: &str) -> Result<Address> {
        let (device, stream) = (pool.device, self.stream(stream)?);
        let start = self.ask(|direct| direct.allocate_ordered(device, bytes, stream))?;
        self.record_block(start, Block { bytes, space: Space::Device(device), origin: Origin::Pool })
    }

    fn set_pool_access(&mut self, _pool: PoolId, _device: DeviceId, _on: bool) -> Result<()> {
        Err(Failure::unsupported("cudaMemPoolSetAccess on a real GPU"))
    }

    fn free(&mut self, address: Address, _site: &Site) -> Result<()> {
        self.end_block(address)
    }

    /// Page-locks the host program's own memory. Its addresses are chosen so that nothing of this process
    /// occupies them; real memory is mapped there.
    fn register(&mut self, address: Address, _name: &MemoryName, contents: &[u8]) -> bool {
        let placed = self.direct.place_pinned(self.home, address.0, contents).is_some();
        if placed {
            let bytes = contents.len() as u64;
            self.blocks.insert(address.0, Block { bytes, space: Space::Pinned, origin: Origin::Placed });
        }
        placed
    }

    fn unregister(&mut self, address: Address) -> Option<Vec<u8>> {
        let block = self.blocks.at(address.0).filter(|block| block.origin == Origin::Placed)?;
        self.blocks.remove(address.0);
        // SAFETY: it was placed with this size, as its origin says, and is forgotten now.
        unsafe { self.direct.take_placed(self.home, address.0, block.bytes) }
    }

    fn memory(&mut self, device: DeviceId) -> (u64, u64) {
        self.direct.memory_info(device).unwrap_or_default()
    }

    fn can_access_peer(&self, device: DeviceId, peer: DeviceId) -> bool {
        self.direct.can_access_peer(device, peer)
    }

    fn enable_peer(&mut self, from: DeviceId, to: DeviceId, on: bool) -> Result<()> {
        self.ask(|direct| direct.enable_peer(from, to, on))
    }

    fn set_limit(&mut self, device: DeviceId, limit: u32, value: u64) -> Result<()> {
        self.ask(|direct| direct.limit(device, limit, value))
    }

    fn encode_tensor_map(&mut self, request: &TensorMapRequest) -> Result<EncodedMap> {
        match self.ask(|direct| direct.encode_tensor_map(request)) {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(Failure::Cuda(CudaError::InvalidValue)) => {
                let known = TensorMap::new(request).err();
                Ok(Err(known.and_then(|refusal| match refusal {
                    TensorMapRefusal::Invalid(condition) => Some(condition),
                    _ => None,
                })))
            }
            Err(failure) => Err(failure),
        }
    }

    fn reset(&mut self, device: DeviceId) -> Result<()> {
        self.blocks.forget_device(device);
        self.arrays.forget_device(device);
        self.streams.retain(|_, stream| stream.device != device);
        self.events.retain(|_, event| event.device != device);
        self.graphs.retain(|_, graph| !matches!(graph, Graph::Driver(its) if its.device == device));
        self.libraries.forget(device);
        // A destroyed context remains destroyed: it is reported at the end.
        self.ask(|direct| direct.reset(device))
    }

    fn host_load(&mut self, address: Address, out: &mut [u8], _site: &Site) -> Result<()> {
        fail_if(!self.blocks.host_may_use(address.0, out.len() as u64), CudaError::InvalidValue)?;
        self.wait_for_managed(address.0)?;
        // SAFETY: the range lies within one live block that the host may access.
        unsafe { Direct::host_load(address.0, out) };
        Ok(())
    }

    fn host_store(&mut self, address: Address, bytes: &[u8], _site: &Site) -> Result<()> {
        fail_if(!self.blocks.host_may_use(address.0, bytes.len() as u64), CudaError::InvalidValue)?;
        self.wait_for_managed(address.0)?;
        // SAFETY: the range lies within one live block that the host may access.
        unsafe { Direct::host_store(address.0, bytes) };
        Ok(())
    }

    fn create_stream(&mut self, device: DeviceId, options: StreamOptions) -> Result<StreamId> {
        let made = self.ask(|direct| direct.create_stream(device, options.non_blocking, options.priority))?;
        let id = StreamId(StreamId::FIRST_CREATED.saturating_add(self.streams_made));
        self.streams_made = self.streams_made.saturating_add(1);
        self.streams.insert(id, made);
        Ok(id)
    }

    fn destroy_stream(&mut self, stream: StreamId) -> Result<()> {
        let its = self.streams.remove(&stream).ok_or(CudaError::InvalidResourceHandle)?;
        self.release(|direct| direct.destroy_stream(its))
    }

    fn create_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId> {
        let made = self.ask(|direct| direct.create_event(device, timing))?;
        self.events_made = self.events_made.saturating_add(1);
        let id = EventId(self.events_made);
        self.events.insert(id, made);
        Ok(id)
    }

    fn destroy_event(&mut self, event: EventId) -> Result<()> {
        let its = self.events.remove(&event).ok_or(CudaError::InvalidResourceHandle)?;
        self.release(|direct| direct.destroy_event(its))
    }

    fn enqueue(&mut self, stream: StreamId, work: Work, site: &Site, host: &mut dyn Host) -> Result<()> {
        self.not_in_callback()?;
        let stream = self.stream(stream)?;
        self.home = stream.device;
        self.submit(stream, work, site, host)
    }

    fn wait(&mut self, until: WaitTarget, site: &Site, _host: &mut dyn Host) -> Result<()> {
        self.not_in_callback()?;
        self.check_rounds_complete(site)?;
        match until {
            WaitTarget::Stream(stream) => {
                let stream = self.stream(stream)?;
                self.reach(stream)?;
                self.ask(|direct| direct.synchronise_stream(stream))
            }
            WaitTarget::Event(event) => {
                let event = self.event(event)?;
                self.until(|direct| direct.is_event_done(event))?;
                self.ask(|direct| direct.synchronise_event(event))
            }
            WaitTarget::Device(device) => self.wait_for_device(device),
        }
    }

    fn is_done(&mut self, until: WaitTarget, _is_seen: bool, _host: &mut dyn Host) -> Result<bool> {
        self.not_in_callback()?;
        match until {
            WaitTarget::Stream(stream) => {
                let stream = self.stream(stream)?;
                self.ask(|direct| direct.is_stream_done(stream))
            }
            WaitTarget::Event(event) => {
                let event = self.event(event)?;
                self.ask(|direct| direct.is_event_done(event))
            }
            // A device that nobody used has no context, and gets none by being asked.
            WaitTarget::Device(device) if !self.direct.is_entered(device) => Ok(true),
            WaitTarget::Device(device) => {
                let its: Vec<Stream> =
                    self.streams.values().copied().filter(|s| s.device == device).collect();
                for stream in its.into_iter().chain([Stream::legacy(device)]) {
                    if !self.ask(|direct| direct.is_stream_done(stream))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn elapsed_ms(&mut self, start: EventId, end: EventId) -> Result<f32> {
        let (start, end) = (self.event(start)?, self.event(end)?);
        self.ask(|direct| direct.elapsed_ms(start, end))
    }

    fn instantiate(&mut self, nodes: &[WorkNode]) -> Result<GraphId> {
        let graph = self.make_graph(nodes)?;
        self.graphs_made = self.graphs_made.saturating_add(1);
        let id = GraphId(self.graphs_made);
        self.graphs.insert(id, graph);
        Ok(id)
    }

    fn update_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<()> {
        let new = self.make_graph(nodes)?;
        let old = self.graphs.insert(graph, new).ok_or(CudaError::InvalidResourceHandle)?;
        self.end_graph(old)
    }

    fn destroy_graph(&mut self, graph: GraphId) -> Result<()> {
        let its = self.graphs.remove(&graph).ok_or(CudaError::InvalidResourceHandle)?;
        self.end_graph(its)
    }

    fn now_ns(&mut self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn spend(&mut self, cost: HostCost) {
        // All other costs take real time by themselves.
        if let HostCost::Sleep { ns } = cost {
            let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let asked = Duration::from_nanos(ns);
            std::thread::sleep(left.map_or(asked, |left| asked.min(left)));
        }
    }

    fn findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    fn output(&mut self) -> Vec<u8> {
        self.printed.take()
    }

    /// The process is about to end, and its contexts with it: work that nobody waited for is dropped, and its
    /// output is lost, as at the end of any process.
    fn end(&mut self, _host: &mut dyn Host) -> Result<()> {
        Ok(())
    }
}
