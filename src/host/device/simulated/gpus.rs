//! What programs request of GPUs, as the simulated ones do it.

use super::{Simulated, kernels, virtual_time};
use crate::device::model::Properties;
use crate::device::{
    CudaError, DeviceId, EventId, Failure, Gpus, GraphId, Host, HostCost, PoolId, Result, Site, Space,
    StreamId, StreamOptions, WaitTarget, Work, WorkNode, fail_if,
};
use sim::{AccessKind, Address, Finding, Image, ImageObject, MemoryName, Module, Owner};
use std::sync::Arc;

impl Gpus for Simulated {
    fn count(&self) -> u32 {
        self.machine.devices()
    }

    fn properties(&self, device: DeviceId) -> &Properties {
        &self.properties[device as usize]
    }

    fn simulated(&mut self) -> Option<&mut Simulated> {
        Some(self)
    }

    fn load(&mut self, module: &Arc<Module>) -> Result<()> {
        self.module = Some(module.clone());
        Ok(())
    }

    fn load_kernels(&mut self) {
        let Some(module) = &self.module else { return };
        for kernel in (0..).map_while(|number| module.kernel(number)) {
            (0..self.machine.devices()).for_each(|device| self.time.loaded(device, kernel.address));
        }
    }

    fn variable(&mut self, device: DeviceId, index: u32) -> Result<(Address, u64)> {
        let module = self.module()?;
        let found = self.machine.variable_address(device, &module, index).map_err(kernels::failure)?;
        let address = found.ok_or(CudaError::InvalidSymbol)?;
        let info = self.machine.find(address);
        if let Some(info) = &info
            && info.owner == Owner::Managed
        {
            self.residency.add(info.base.0, info.bytes);
        }
        Ok((address, info.map_or(0, |b| b.bytes)))
    }

    fn allocate(&mut self, space: Space, bytes: u64, name: &str, _site: &Site) -> Result<Address> {
        let address = self.allocate_for(space.into(), bytes, name)?;
        if space == Space::Managed {
            self.residency.add(address.0, bytes);
        }
        Ok(address)
    }

    fn allocate_array(
        &mut self,
        device: DeviceId,
        image: &Image,
        _flags: u32,
        name: &str,
        _site: &Site,
    ) -> Result<Address> {
        self.allocate_for(Owner::Device(device), image.bytes(), name)
    }

    fn create_image(&mut self, _device: DeviceId, object: &ImageObject) -> Result<u64> {
        Ok(self.machine.create_image(*object))
    }

    fn destroy_image(&mut self, _device: DeviceId, handle: u64, _is_texture: bool) -> Result<()> {
        self.destroyed_images.push(handle);
        Ok(())
    }

    fn allocate_ordered(&mut self, _: StreamId, pool: PoolId, bytes: u64, name: &str) -> Result<Address> {
        self.allocate_for(Owner::Pool { device: pool.device, pool: pool.number }, bytes, name)
    }

    fn set_pool_access(&mut self, pool: PoolId, device: DeviceId, on: bool) -> Result<()> {
        self.machine.set_pool_access(pool.number, device, on);
        Ok(())
    }

    fn free(&mut self, address: Address, site: &Site) -> Result<()> {
        let Some(info) = self.machine.find(address).filter(|b| b.base == address && !b.freed) else {
            return Err(CudaError::InvalidValue.into());
        };
        self.check_free(&info, site);
        self.order.drop_range(virtual_time::at(address, info.bytes));
        if info.owner == Owner::Managed {
            self.residency.remove(address.0);
        }
        self.pending_frees.retain(|(_, freed, _)| *freed != address);
        self.machine.free(address);
        Ok(())
    }

    fn register(&mut self, address: Address, name: &MemoryName, contents: &[u8]) -> bool {
        self.machine.adopt(address, name, contents)
    }

    fn unregister(&mut self, address: Address) -> Option<Vec<u8>> {
        let contents = self.machine.release(address)?;
        self.order.drop_range(virtual_time::at(address, contents.len() as u64));
        Some(contents)
    }

    fn memory(&mut self, device: DeviceId) -> (u64, u64) {
        let free = self.machine.memory_bytes(device).map_or(0, |(free, _)| free);
        (free, self.properties(device).memory_bytes)
    }

    fn enable_peer(&mut self, from: DeviceId, to: DeviceId, on: bool) -> Result<()> {
        if self.machine.enable_peer(from, to, on) {
            return Ok(());
        }
        Err(Failure::Cuda(match (from < self.count() && to < self.count() && from != to, on) {
            (false, _) => CudaError::InvalidDevice,
            (true, true) => CudaError::PeerAccessAlreadyEnabled,
            (true, false) => CudaError::PeerAccessNotEnabled,
        }))
    }

    fn set_limit(&mut self, device: DeviceId, limit: u32, value: u64) -> Result<()> {
        /// `cudaLimitStackSize` and `cudaLimitMallocHeapSize`; the other limits bound resources that are
        /// unbounded here.
        const STACK: u32 = 0;
        const HEAP: u32 = 2;
        let set = match limit {
            STACK => self.machine.set_stack_bytes(device, value),
            HEAP => self.machine.set_heap_bytes(device, value),
            _ => Ok(()),
        };
        set.map_err(kernels::failure)
    }

    fn reset(&mut self, device: DeviceId) -> Result<()> {
        self.report_all_stuck();
        self.machine.reset(device);
        Ok(())
    }

    fn host_load(&mut self, address: Address, out: &mut [u8], site: &Site) -> Result<()> {
        self.record_host_access(address, out.len() as u64, AccessKind::Read, site);
        self.host_pages(address, out.len() as u64);
        self.machine.read(address, out);
        Ok(())
    }

    fn host_store(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<()> {
        self.record_host_access(address, bytes.len() as u64, AccessKind::Write, site);
        self.host_pages(address, bytes.len() as u64);
        self.machine.write(address, bytes);
        Ok(())
    }

    fn host_load_strong(
        &mut self,
        address: Address,
        out: &mut [u8],
        _site: &Site,
        host: &mut dyn Host,
    ) -> Result<()> {
        self.poll(address, out.len() as u64, host)?;
        self.host_pages(address, out.len() as u64);
        self.machine.read(address, out);
        Ok(())
    }

    fn host_store_strong(&mut self, address: Address, bytes: &[u8], _site: &Site) -> Result<()> {
        self.host_pages(address, bytes.len() as u64);
        self.machine.write(address, bytes);
        Ok(())
    }

    fn create_stream(&mut self, device: DeviceId, options: StreamOptions) -> Result<StreamId> {
        fail_if(device >= self.machine.devices(), CudaError::InvalidDevice)?;
        let chain = self.chains.begin(&self.host.known);
        Ok(self.streams.make(device, options, chain))
    }

    fn destroy_stream(&mut self, stream: StreamId) -> Result<()> {
        self.chains.end(self.streams.remove(stream)?);
        Ok(())
    }

    fn create_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId> {
        Ok(self.events.make(device, timing))
    }

    fn destroy_event(&mut self, event: EventId) -> Result<()> {
        self.events.remove(event)?;
        Ok(())
    }

    fn enqueue(&mut self, stream: StreamId, work: Work, site: &Site, host: &mut dyn Host) -> Result<()> {
        self.not_in_callback()?;
        let start = self.time.begin_call();
        self.enqueue_work(stream, work, site, host)?;
        self.time.trace_host(&site.what, start);
        Ok(())
    }

    fn wait(&mut self, until: WaitTarget, site: &Site, host: &mut dyn Host) -> Result<()> {
        self.not_in_callback()?;
        let start = self.time.begin_call();
        let waited = self.wait_for(until, site, host);
        self.time.trace_host(&site.what, start);
        waited
    }

    fn is_done(&mut self, until: WaitTarget, is_seen: bool, host: &mut dyn Host) -> Result<bool> {
        self.not_in_callback()?;
        self.ask_done(until, is_seen, host)
    }

    fn elapsed_ms(&mut self, start: EventId, end: EventId) -> Result<f32> {
        let (start, end) = (self.event_ns(start)?, self.event_ns(end)?);
        Ok((end as f64 / 1e6 - start as f64 / 1e6) as f32)
    }

    fn instantiate(&mut self, nodes: &[WorkNode]) -> Result<GraphId> {
        self.time.spend(HostCost::InstantiateGraph { nodes: nodes.len() });
        Ok(self.make_graph(nodes))
    }

    fn update_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<()> {
        Ok(self.change_graph(graph, nodes)?)
    }

    fn destroy_graph(&mut self, graph: GraphId) -> Result<()> {
        Ok(self.drop_graph(graph)?)
    }

    fn now_ns(&mut self) -> u64 {
        self.time.now_ns()
    }

    fn spend(&mut self, cost: HostCost) {
        self.time.spend(cost);
    }

    fn findings(&mut self) -> Vec<Finding> {
        self.order.take()
    }

    fn output(&mut self) -> Vec<u8> {
        self.printed.take()
    }

    fn end(&mut self, host: &mut dyn Host) -> Result<()> {
        self.end_program(host)
    }
}
