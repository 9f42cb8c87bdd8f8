//! Counts a program's requests to its GPUs: [`CountingGpus`] wraps the [`Gpus`] that execute them.

use super::model::Properties;
use super::observed::ObservationLog;
use super::simulated::Simulated;
use super::{
    DeviceId, EncodedMap, EventId, GpuShares, Gpus, GraphId, Host, HostCost, Migrations, Observed, PoolId,
    Result, Site, Space, StreamId, StreamOptions, WaitTarget, Work, WorkNode,
};
use sim::{
    Address, CallPurpose, Finding, Image, ImageObject, MemoryName, Module, TensorMapRequest, is_host_pageable,
};
use std::cell::{Ref, RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// Number and total size of the copies in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    pub count: u64,
    pub bytes: u64,
}

impl Copies {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn join(&mut self, other: &Copies) {
        self.count += other.count;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Copies and memory sets, whether enqueued directly or as nodes of graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferCounts {
    pub to_device: Copies,
    pub to_host: Copies,
    /// Copies from device memory to device memory, on one GPU or between two with peer access. A copy between
    /// two GPUs without peer access counts as one copy to the host and one to the device. Managed memory
    /// counts as device memory; the bytes that migrate on demand are added to those copied to the device and
    /// to the host.
    pub on_device: Copies,
    /// Copies to or from a device whose host side is pageable memory.
    pub pageable: Copies,
    pub sets: Copies,
}

impl TransferCounts {
    fn join(&mut self, other: &TransferCounts) {
        self.to_device.join(&other.to_device);
        self.to_host.join(&other.to_host);
        self.on_device.join(&other.on_device);
        self.pageable.join(&other.pageable);
        self.sets.join(&other.sets);
    }
}

/// Counts of the host's requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Kernels launched by the host, excluding those in graphs.
    pub launches: u64,
    /// Those of them that are cooperative: all of a grid's blocks are on the GPU at once.
    pub cooperative_launches: u64,
    pub library_calls: u64,
    pub graph_launches: u64,
    pub transfers: TransferCounts,
    /// Device memory: the numbers of allocations and frees, the bytes in use and the peak of bytes in use.
    /// Both byte counts include the `__device__` variables of kernels (on one device); the peak also includes
    /// pages of managed memory while they reside on a device. The kernels' own heap (`malloc` in a kernel) is
    /// in neither count, because its size is reserved beforehand.
    pub allocations: u64,
    pub frees: u64,
    pub device_bytes: u64,
    pub peak_device_bytes: u64,
    /// Bytes of the `__device__` variables that kernels use, or the host by name.
    pub variable_bytes: u64,
    pub pinned_allocations: u64,
    pub managed_allocations: u64,
    /// Explicit waits of the host: calls of `cuda…Synchronize`, and repeated queries until the work was complete, if
    /// more work was enqueued after them.
    pub synchronisations: u64,
    /// 1 if a called function returned before the host knew that all work with results was complete.
    pub unfinished_returns: u64,
    pub events: u64,
    /// Times measured between two events.
    pub event_times: u64,
    pub streams: u64,
    pub host_functions: u64,
    pub prefetches: u64,
    /// Calls of the CUDA runtime and libraries; a `<<<>>>` launch counts as one.
    pub host_calls: u64,
    /// Launches by `<<<>>>` after which the host made another call, or returned, without having asked for the last
    /// error (`cudaGetLastError`, `cudaPeekAtLastError`).
    pub unchecked_launches: u64,
    /// Instructions of the host's own code, excluding the library's bulk memory operations (`memset`,
    /// `memcpy`).
    pub host_instructions: u64,
    /// Modelled time from the call to the end of all work that it started.
    pub modelled_ns: u64,
    /// What each GPU did and sent to others; filled in by whoever runs simulated GPUs.
    pub shares: GpuShares,
    /// What lay within intervals that the program timed.
    pub observed: Vec<Observed>,
}

impl Tally {
    /// Returns whether the program did anything whose outcome may depend on when work is executed. With one
    /// stream, and blocking copies of pageable memory, only one order is possible.
    pub fn order_matters(&self) -> bool {
        self.streams + self.events + self.host_functions + self.prefetches > 0
            || self.pinned_allocations + self.managed_allocations + self.graph_launches > 0
    }

    /// Starts counting from here: only `__device__` variables are in use already.
    pub fn begin(&mut self) {
        let bytes = self.variable_bytes;
        *self = Tally {
            variable_bytes: bytes,
            device_bytes: bytes,
            peak_device_bytes: bytes,
            ..Tally::default()
        };
    }

    fn migrations(&mut self, migrations: Migrations) {
        let (to, from) = (&mut self.transfers.to_device.bytes, &mut self.transfers.to_host.bytes);
        *to = to.saturating_add(migrations.to_devices);
        *from = from.saturating_add(migrations.to_host);
        let bytes = self.device_bytes.saturating_add(migrations.most_on_devices);
        self.peak_device_bytes = self.peak_device_bytes.max(bytes);
    }

    fn made(&mut self, bytes: u64) {
        self.allocations += 1;
        self.hold(bytes);
    }

    fn hold_variable(&mut self, bytes: u64) {
        self.variable_bytes = self.variable_bytes.saturating_add(bytes);
        self.hold(bytes);
    }

    fn hold(&mut self, bytes: u64) {
        self.device_bytes = self.device_bytes.saturating_add(bytes);
        self.peak_device_bytes = self.peak_device_bytes.max(self.device_bytes);
    }

    fn record_free(&mut self, bytes: u64) {
        self.frees += 1;
        self.device_bytes = self.device_bytes.saturating_sub(bytes);
    }
}

/// Counts requests and forwards them to the GPUs.
pub struct CountingGpus<'g> {
    gpus: &'g mut dyn Gpus,
    tally: Rc<RefCell<Tally>>,
    /// Size in bytes and space of each allocation, by address.
    blocks: BTreeMap<u64, (u64, Space)>,
    /// Indices of the variables that would count, but that neither kernels nor the host have used by name.
    unused_variables: BTreeSet<u32>,
    /// Pairs of devices of which the first has access to the second's memory.
    peers: BTreeSet<(DeviceId, DeviceId)>,
    graphs: HashMap<GraphId, WorkCounts>,
    watch: ObservationLog,
    queries: Queries,
}

/// What the host has asked about since it last enqueued work.
#[derive(Debug, Default)]
struct Queries {
    /// What was not complete yet.
    pending: BTreeSet<WaitTarget>,
    /// How often it asked about the same work until that was complete.
    waits: u64,
}

impl Queries {
    fn note(&mut self, target: WaitTarget, done: bool) {
        match done {
            true => self.waits += u64::from(self.pending.remove(&target)),
            false => drop(self.pending.insert(target)),
        }
    }

    /// Returns the number of waits before work that is enqueued now.
    fn take(&mut self) -> u64 {
        self.pending.clear();
        std::mem::take(&mut self.waits)
    }
}

/// What work adds to the counts, alone or as the nodes of a graph.
#[derive(Clone, Copy, Debug, Default)]
struct WorkCounts {
    transfers: TransferCounts,
    library_calls: u64,
}

/// The counts of a [`CountingGpus`], which may be borrowed elsewhere in the meantime.
#[derive(Clone)]
pub struct Counter(Rc<RefCell<Tally>>);

impl Counter {
    pub fn get(&self) -> Ref<'_, Tally> {
        self.0.borrow()
    }

    pub fn change(&self) -> RefMut<'_, Tally> {
        self.0.borrow_mut()
    }
}

/// The memory on one side of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Pageable,
    Pinned,
    /// Memory of one device, or managed memory (`None`).
    Device(Option<DeviceId>),
}

impl<'g> CountingGpus<'g> {
    pub fn new(gpus: &'g mut dyn Gpus) -> CountingGpus<'g> {
        let tally = Rc::default();
        let (graphs, watch) = (HashMap::new(), ObservationLog::default());
        let (blocks, unused_variables, peers) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        CountingGpus {
            gpus,
            tally,
            blocks,
            unused_variables,
            peers,
            graphs,
            watch,
            queries: Queries::default(),
        }
    }

    pub fn counter(&self) -> Counter {
        Counter(Rc::clone(&self.tally))
    }

    fn side(&self, address: Address) -> Side {
        let found = self.blocks.range(..=address.0).next_back();
        match found.filter(|(start, (bytes, _))| address.0 - **start < (*bytes).max(1)) {
            None if is_host_pageable(address.0) => Side::Pageable,
            Some((_, (_, Space::Pinned))) | None => Side::Pinned,
            Some((_, (_, Space::Device(device)))) => Side::Device(Some(*device)),
            Some((_, (_, Space::Managed))) => Side::Device(None),
        }
    }

    /// Returns whether a copy between two devices is direct rather than staged through the host.
    fn linked(&self, a: DeviceId, b: DeviceId) -> bool {
        a == b || self.peers.contains(&(a, b)) || self.peers.contains(&(b, a))
    }

    /// Adds what enqueued work, or a node of a graph, counts.
    fn count_work(&self, work: &Work, counts: &mut WorkCounts) {
        let WorkCounts { transfers, library_calls } = counts;
        match work {
            Work::Copy(copy) => {
                let bytes = copy.shape.bytes();
                let (to, from) = (self.side(copy.dst), self.side(copy.src));
                match (to, from) {
                    // Staged through the host, as the driver does for copies between devices without peer
                    // access.
                    (Side::Device(Some(a)), Side::Device(Some(b))) if !self.linked(a, b) => {
                        transfers.to_host.add(bytes);
                        transfers.to_device.add(bytes);
                    }
                    (Side::Device(_), Side::Device(_)) => transfers.on_device.add(bytes),
                    (Side::Device(_), _) => transfers.to_device.add(bytes),
                    (_, Side::Device(_)) => transfers.to_host.add(bytes),
                    _ => return,
                }
                if to == Side::Pageable || from == Side::Pageable {
                    transfers.pageable.add(bytes);
                }
            }
            Work::Set(set) => transfers
                .sets
                .add(set.width.saturating_mul(set.height).saturating_mul(u64::from(set.element_bytes))),
            Work::Library(_) => *library_calls += 1,
            Work::Graph(graph) => {
                let its = self.graphs.get(graph).copied().unwrap_or_default();
                transfers.join(&its.transfers);
                *library_calls += its.library_calls;
            }
            _ => {}
        }
    }

    fn counts_of(&self, nodes: &[WorkNode]) -> WorkCounts {
        let mut counts = WorkCounts::default();
        nodes.iter().for_each(|node| self.count_work(&node.work, &mut counts));
        counts
    }

    fn observe(&mut self) {
        let seen = self.watch.seen();
        let mut tally = self.tally.borrow_mut();
        if tally.observed.len() < seen.len() {
            tally.observed = seen.to_vec();
        }
    }

    fn forget(&mut self, address: Address) {
        if let Some((bytes, Space::Device(_))) = self.blocks.remove(&address.0) {
            self.tally.borrow_mut().record_free(bytes);
        }
    }

    fn count(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut self.tally.borrow_mut());
    }

    /// Counts migrations of managed memory. Called before the bytes in use change, and after anything that
    /// may access it ([`CountingGpus::accessing`]).
    fn follow_pages(&mut self) {
        if let Some(gpus) = self.gpus.simulated() {
            self.tally.borrow_mut().migrations(gpus.migrations());
        }
    }

    /// Makes a request that may access managed memory.
    fn accessing<R>(&mut self, ask: impl FnOnce(&mut dyn Gpus) -> R) -> R {
        let answer = ask(self.gpus);
        self.follow_pages();
        answer
    }
}

/// Passes on requests of which nothing is counted.
macro_rules! forward {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) $(-> $answer:ty)?;)*) => {$(
        fn $name(&mut self $(, $argument: $type)*) $(-> $answer)? {
            self.gpus.$name($($argument),*)
        }
    )*};
}

/// Passes on requests that may access managed memory, of which only migrations are counted.
macro_rules! access {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) -> $answer:ty;)*) => {$(
        fn $name(&mut self $(, $argument: $type)*) -> $answer {
            self.accessing(|gpus| gpus.$name($($argument),*))
        }
    )*};
}

impl Gpus for CountingGpus<'_> {
    fn count(&self) -> u32 {
        self.gpus.count()
    }

    fn properties(&self, device: DeviceId) -> &Properties {
        self.gpus.properties(device)
    }

    fn load(&mut self, module: &Arc<Module>) -> Result<()> {
        self.gpus.load(module)?;
        for (index, (variable, usage)) in (0..).zip(module.variables().iter().zip(module.usage())) {
            // Texts that kernels print are variables of the compiler, not of the program.
            match !variable.constant && !variable.managed && !variable.is_of_compiler() {
                true if usage.used_by_kernels => {
                    CountingGpus::count(self, |tally| tally.hold_variable(variable.bytes));
                }
                true => drop(self.unused_variables.insert(index)),
                false => {}
            }
        }
        Ok(())
    }

    fn variable(&mut self, device: DeviceId, index: u32) -> Result<(Address, u64)> {
        let (address, bytes) = self.gpus.variable(device, index)?;
        // One that only the host uses by name: kernels are passed its address.
        if self.unused_variables.remove(&index) {
            CountingGpus::count(self, |tally| tally.hold_variable(bytes));
        }
        // Copies are counted alike whether or not the variable is managed.
        self.blocks.insert(address.0, (bytes, Space::Managed));
        Ok((address, bytes))
    }

    fn allocate(&mut self, space: Space, bytes: u64, name: &str, site: &Site) -> Result<Address> {
        self.watch.call(site);
        let address = self.accessing(|gpus| gpus.allocate(space, bytes, name, site))?;
        self.blocks.insert(address.0, (bytes, space));
        CountingGpus::count(self, |tally| match space {
            Space::Device(_) => tally.made(bytes),
            Space::Pinned => tally.pinned_allocations += 1,
            Space::Managed => tally.managed_allocations += 1,
        });
        Ok(address)
    }

    fn allocate_array(
        &mut self,
        device: DeviceId,
        image: &Image,
        flags: u32,
        name: &str,
        site: &Site,
    ) -> Result<Address> {
        self.watch.call(site);
        let (address, bytes) = (self.gpus.allocate_array(device, image, flags, name, site)?, image.bytes());
        self.blocks.insert(address.0, (bytes, Space::Device(device)));
        CountingGpus::count(self, |tally| tally.made(bytes));
        Ok(address)
    }

    fn allocate_ordered(
        &mut self,
        stream: StreamId,
        pool: PoolId,
        bytes: u64,
        name: &str,
    ) -> Result<Address> {
        let address = self.accessing(|gpus| gpus.allocate_ordered(stream, pool, bytes, name))?;
        self.blocks.insert(address.0, (bytes, Space::Device(pool.device)));
        CountingGpus::count(self, |tally| tally.made(bytes));
        Ok(address)
    }

    fn free(&mut self, address: Address, site: &Site) -> Result<()> {
        self.follow_pages();
        self.gpus.free(address, site)?;
        self.forget(address);
        Ok(())
    }

    fn register(&mut self, address: Address, name: &MemoryName, contents: &[u8]) -> bool {
        let registered = self.gpus.register(address, name, contents);
        self.blocks.insert(address.0, (contents.len() as u64, Space::Pinned));
        CountingGpus::count(self, |tally| tally.pinned_allocations += 1);
        registered
    }

    fn unregister(&mut self, address: Address) -> Option<Vec<u8>> {
        self.blocks.remove(&address.0);
        self.gpus.unregister(address)
    }

    forward! {
        fn simulated(&mut self) -> Option<&mut Simulated>;
        fn load_kernels(&mut self);
        fn set_pool_access(&mut self, pool: PoolId, device: DeviceId, on: bool) -> Result<()>;
        fn memory(&mut self, device: DeviceId) -> (u64, u64);
        fn set_limit(&mut self, device: DeviceId, limit: u32, value: u64) -> Result<()>;
        fn encode_tensor_map(&mut self, request: &TensorMapRequest) -> Result<EncodedMap>;
        fn create_image(&mut self, device: DeviceId, object: &ImageObject) -> Result<u64>;
        fn destroy_image(&mut self, device: DeviceId, handle: u64, is_texture: bool) -> Result<()>;
        fn destroy_stream(&mut self, stream: StreamId) -> Result<()>;
        fn destroy_event(&mut self, event: EventId) -> Result<()>;
        fn now_ns(&mut self) -> u64;
        fn findings(&mut self) -> Vec<Finding>;
        fn output(&mut self) -> Vec<u8>;
    }

    fn can_access_peer(&self, device: DeviceId, peer: DeviceId) -> bool {
        self.gpus.can_access_peer(device, peer)
    }

    fn reset(&mut self, device: DeviceId) -> Result<()> {
        self.gpus.reset(device)?;
        self.peers.retain(|(from, _)| *from != device);
        Ok(())
    }

    fn enable_peer(&mut self, from: DeviceId, to: DeviceId, on: bool) -> Result<()> {
        self.gpus.enable_peer(from, to, on)?;
        match on {
            true => self.peers.insert((from, to)),
            false => self.peers.remove(&(from, to)),
        };
        Ok(())
    }

    access! {
        fn host_load(&mut self, address: Address, out: &mut [u8], site: &Site) -> Result<()>;
        fn host_store(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<()>;
        fn host_load_strong(&mut self, at: Address, out: &mut [u8], site: &Site, host: &mut dyn Host) -> Result<()>;
        fn host_store_strong(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<()>;
        fn end(&mut self, host: &mut dyn Host) -> Result<()>;
    }

    fn create_stream(&mut self, device: DeviceId, options: StreamOptions) -> Result<StreamId> {
        CountingGpus::count(self, |tally| tally.streams += 1);
        self.gpus.create_stream(device, options)
    }

    fn create_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId> {
        CountingGpus::count(self, |tally| tally.events += 1);
        self.gpus.create_event(device, timing)
    }

    fn enqueue(&mut self, stream: StreamId, work: Work, site: &Site, host: &mut dyn Host) -> Result<()> {
        let mut counts = WorkCounts::default();
        self.count_work(&work, &mut counts);
        self.watch.work(&work, counts.transfers.pageable.count > 0, site);
        let (launch, graph) = (matches!(work, Work::Launch(_)), matches!(work, Work::Graph(_)));
        let cooperative = matches!(&work, Work::Launch(launch) if launch.cooperative);
        let (function, prefetch) =
            (matches!(work, Work::HostFunction { .. }), matches!(work, Work::Prefetch { .. }));
        let freed = if let Work::PoolFree { address } = work { Some(address) } else { None };
        self.gpus.enqueue(stream, work, site, host)?;
        self.follow_pages();
        let waits = self.queries.take();
        CountingGpus::count(self, |tally| {
            tally.synchronisations += waits;
            tally.transfers.join(&counts.transfers);
            tally.library_calls += counts.library_calls;
            tally.launches += u64::from(launch);
            tally.cooperative_launches += u64::from(cooperative);
            tally.graph_launches += u64::from(graph);
            tally.host_functions += u64::from(function);
            tally.prefetches += u64::from(prefetch);
        });
        freed.into_iter().for_each(|address| self.forget(address));
        Ok(())
    }

    fn wait(&mut self, until: WaitTarget, site: &Site, host: &mut dyn Host) -> Result<()> {
        // Other calls, such as cudaFree, wait too, but the program did not request those waits explicitly.
        let asked = site.what.purpose() == Some(CallPurpose::Synchronises);
        CountingGpus::count(self, |tally| tally.synchronisations += u64::from(asked));
        self.watch.call(site);
        self.accessing(|gpus| gpus.wait(until, site, host))
    }

    fn is_done(&mut self, until: WaitTarget, is_seen: bool, host: &mut dyn Host) -> Result<bool> {
        let done = self.accessing(|gpus| gpus.is_done(until, is_seen, host))?;
        self.queries.note(until, done);
        Ok(done)
    }

    fn elapsed_ms(&mut self, start: EventId, end: EventId) -> Result<f32> {
        self.watch.elapsed(start, end);
        self.observe();
        let elapsed = self.gpus.elapsed_ms(start, end)?;
        CountingGpus::count(self, |tally| tally.event_times += 1);
        Ok(elapsed)
    }

    fn instantiate(&mut self, nodes: &[WorkNode]) -> Result<GraphId> {
        let graph = self.gpus.instantiate(nodes)?;
        self.graphs.insert(graph, self.counts_of(nodes));
        Ok(graph)
    }

    fn update_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<()> {
        self.gpus.update_graph(graph, nodes)?;
        self.graphs.insert(graph, self.counts_of(nodes));
        Ok(())
    }

    fn destroy_graph(&mut self, graph: GraphId) -> Result<()> {
        self.graphs.remove(&graph);
        self.gpus.destroy_graph(graph)
    }

    fn record_clock_read(&mut self) {
        let known = self.gpus.simulated().is_none_or(|gpus| gpus.results_are_known());
        self.watch.read(known);
        self.observe();
    }

    fn spend(&mut self, cost: HostCost) {
        if let HostCost::Instructions(count) = &cost {
            let mut tally = self.tally.borrow_mut();
            tally.host_instructions = tally.host_instructions.saturating_add(*count);
        }
        self.watch.spent(&cost);
        self.gpus.spend(cost);
    }
}
