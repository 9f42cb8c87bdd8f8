//! Translates work into calls of the driver.

use super::DriverGpus;
use crate::device::{Copy, CopyShape, CudaError, Host, Launch, Result, Site, Space, Work};
use gpu::direct::{Function, Geometry, SHARED_WITHOUT_ASKING_BYTES, Stream};

/// A launch whose kernel the driver has loaded.
pub(super) struct LoadedLaunch {
    pub function: Function,
    pub geometry: Geometry,
    /// Size in bytes and offset of each parameter.
    pub layout: Vec<(u32, u32)>,
}

/// Returns the address at which each row of one side of a copy begins.
fn rows(start: u64, shape: &CopyShape, pitch: u64, slice: u64) -> impl Iterator<Item = u64> {
    let height = shape.height;
    (0..shape.depth).flat_map(move |z| {
        (0..height)
            .map(move |y| start.wrapping_add(z.wrapping_mul(slice)).wrapping_add(y.wrapping_mul(pitch)))
    })
}

/// Size of the buffer through which pageable memory is copied.
pub(super) const SCRATCH_BYTES: usize = 4 << 20;

/// Splits a copy into parts that fit in the buffer.
fn parts(bytes: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
    let step = SCRATCH_BYTES as u64;
    (0..bytes.div_ceil(step)).map(move |n| n * step..bytes.min((n + 1).saturating_mul(step)))
}

impl DriverGpus {
    pub(super) fn submit(
        &mut self,
        stream: Stream,
        work: Work,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<()> {
        if !matches!(work, Work::Library(_) | Work::Graph(_)) {
            self.check_rounds_complete(site)?;
        }
        match work {
            Work::Copy(copy) => self.copy(&copy, stream, host),
            Work::Set(set) => self.ask(|direct| direct.set(&set, stream)),
            Work::Launch(launch) => self.launch(&launch, stream),
            Work::Library(library) => self.call_library(library, stream),
            Work::HostFunction { function, argument, .. } => {
                self.reach(stream)?;
                self.in_callback = true;
                let called = host.call(function, argument, self);
                self.in_callback = false;
                called
            }
            Work::Record(event) => {
                let event = self.event(event)?;
                self.ask(|direct| direct.record(event, stream))
            }
            Work::Wait(event) => {
                let event = self.event(event)?;
                self.ask(|direct| direct.stream_wait(stream, event))
            }
            Work::Graph(graph) => self.start_graph(graph, stream, site, host),
            // The memory was allocated in stream order already.
            Work::PoolAllocate { .. } | Work::Empty => Ok(()),
            Work::PoolFree { address } => self.free_in_stream(address.0, stream),
            Work::Prefetch { address, bytes, to } => {
                self.ask(|direct| direct.prefetch(address.0, bytes, to, stream))
            }
        }
    }

    fn free_in_stream(&mut self, address: u64, stream: Stream) -> Result<()> {
        use super::memory::Origin;
        let block = self.blocks.at(address).ok_or(CudaError::InvalidValue)?;
        if block.origin != Origin::Pool {
            // Memory from cudaMalloc has no place in a stream's order.
            self.reach(stream)?;
            return self.end_block(sim::Address(address));
        }
        self.blocks.remove(address);
        self.release(|direct| direct.free_ordered(address, stream))
    }

    /// Returns the function, launch geometry and parameter layout of a kernel launch.
    pub(super) fn loaded(&mut self, launch: &Launch, device: u32) -> Result<LoadedLaunch> {
        let info = self.kernels.get(&launch.kernel).cloned().ok_or(CudaError::InvalidDeviceFunction)?;
        let function = self.ask(|direct| direct.function(device, &info.name))?;
        let Launch { config, cooperative, cluster, .. } = *launch;
        if u64::from(config.dynamic_shared_bytes) + info.shared_bytes > SHARED_WITHOUT_ASKING_BYTES.into() {
            let limit = launch.shared_limit_bytes;
            self.ask(|direct| direct.allow_shared(&function, limit))?;
        }
        if launch.large_clusters {
            self.ask(|direct| direct.allow_large_clusters(&function))?;
        }
        let geometry = Geometry { config, cooperative, cluster };
        Ok(LoadedLaunch { function, geometry, layout: info.params })
    }

    fn launch(&mut self, launch: &Launch, stream: Stream) -> Result<()> {
        let LoadedLaunch { function, geometry, layout } = self.loaded(launch, stream.device)?;
        self.ask(|direct| direct.launch(&function, &geometry, &launch.params, &layout, stream))
    }

    fn copy(&mut self, copy: &Copy, stream: Stream, host: &mut dyn Host) -> Result<()> {
        if self.is_array(copy.dst.0) || self.is_array(copy.src.0) {
            return self.copy_box(copy, stream, host);
        }
        let (to, from) = (self.blocks.around(copy.dst.0), self.blocks.around(copy.src.0));
        match (to, from) {
            (Some(to), Some(from)) => {
                let devices = match (to.space, from.space) {
                    (Space::Device(to), Space::Device(from)) => Some((to, from)),
                    _ => None,
                };
                // Copies between devices are ordered with the work of both (CUDA programming guide, "Peer-to-Peer
                // Memory Copy").
                let apart = devices.filter(|(to, from)| to != from && copy.blocking);
                let others = apart.into_iter().flat_map(|(to, from)| [to, from]);
                let mut others = others.filter(|device| *device != stream.device).map(Stream::legacy);
                others.clone().try_for_each(|other| self.after(stream, other))?;
                self.ask(|direct| direct.copy(copy, stream))?;
                others.try_for_each(|other| self.after(other, stream))?;
                if copy.blocking && devices.is_none() { self.reach(stream) } else { Ok(()) }
            }
            (Some(_), None) => self.copy_in(copy, stream, host),
            (None, Some(_)) => {
                self.reach(stream)?;
                self.copy_out(copy, stream, host)
            }
            (None, None) => {
                self.reach(stream)?;
                let bytes = read_rows(copy, host)?;
                write_rows(copy, &bytes, host)
            }
        }
    }

    /// Orders later work in stream `later` after the work now in stream `earlier`.
    pub(super) fn after(&mut self, later: Stream, earlier: Stream) -> Result<()> {
        let event = self.ask(|direct| direct.create_event(earlier.device, false))?;
        let ordered = self.ask(|direct| {
            direct.record(event, earlier)?;
            direct.stream_wait(later, event)
        });
        self.release(|direct| direct.destroy_event(event))?;
        ordered
    }

    /// Copies from pageable memory.
    fn copy_in(&mut self, copy: &Copy, stream: Stream, host: &mut dyn Host) -> Result<()> {
        let shape = copy.shape;
        if shape.is_linear() {
            for part in parts(shape.bytes()) {
                let bytes = self.scratch.get_mut(..(part.end - part.start) as usize);
                let bytes = bytes.ok_or(CudaError::MemoryAllocation)?;
                host.read(copy.src.0.wrapping_add(part.start), bytes)?;
                let done = self.direct.copy_in(copy.dst.0.wrapping_add(part.start), bytes, stream);
                done.map_err(|failed| self.failure(failed))?;
            }
        } else {
            let bytes = read_rows(copy, host)?;
            let width = usize::try_from(shape.width.max(1)).unwrap_or(usize::MAX);
            let starts = rows(copy.dst.0, &shape, shape.dst_pitch, shape.dst_slice);
            for (to, row) in starts.zip(bytes.chunks(width)) {
                self.ask(|direct| direct.copy_in(to, row, stream))?;
            }
        }
        if copy.blocking { self.reach(stream) } else { Ok(()) }
    }

    /// Copies to pageable memory; the stream has reached the copy.
    fn copy_out(&mut self, copy: &Copy, stream: Stream, host: &mut dyn Host) -> Result<()> {
        let shape = copy.shape;
        if shape.is_linear() {
            for part in parts(shape.bytes()) {
                let bytes = self.scratch.get_mut(..(part.end - part.start) as usize);
                let bytes = bytes.ok_or(CudaError::MemoryAllocation)?;
                let done = self.direct.copy_out(copy.src.0.wrapping_add(part.start), bytes, stream);
                done.map_err(|failed| self.failure(failed))?;
                let bytes = self.scratch.get(..(part.end - part.start) as usize);
                host.write(copy.dst.0.wrapping_add(part.start), bytes.unwrap_or_default())?;
            }
            return Ok(());
        }
        let mut bytes = Vec::new();
        let width = usize::try_from(shape.width).map_err(|_| CudaError::InvalidValue)?;
        for from in rows(copy.src.0, &shape, shape.src_pitch, shape.src_slice) {
            let at = bytes.len();
            bytes.resize(at + width, 0);
            self.ask(|direct| direct.copy_out(from, &mut bytes[at..], stream))?;
        }
        write_rows(copy, &bytes, host)
    }
}

/// Reads a copy's source rows from pageable memory, and concatenates them.
pub(super) fn read_rows(copy: &Copy, host: &mut dyn Host) -> Result<Vec<u8>> {
    let shape = copy.shape;
    let width = usize::try_from(shape.width).map_err(|_| CudaError::InvalidValue)?;
    let mut bytes = Vec::new();
    for from in rows(copy.src.0, &shape, shape.src_pitch, shape.src_slice) {
        let at = bytes.len();
        bytes.try_reserve(width).map_err(|_| CudaError::MemoryAllocation)?;
        bytes.resize(at + width, 0);
        host.read(from, &mut bytes[at..])?;
    }
    Ok(bytes)
}

pub(super) fn write_rows(copy: &Copy, bytes: &[u8], host: &mut dyn Host) -> Result<()> {
    let shape = copy.shape;
    let width = usize::try_from(shape.width.max(1)).unwrap_or(usize::MAX);
    let starts = rows(copy.dst.0, &shape, shape.dst_pitch, shape.dst_slice);
    starts.zip(bytes.chunks(width)).try_for_each(|(to, row)| host.write(to, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_at_their_pitches() {
        let shape = CopyShape {
            width: 4,
            height: 2,
            depth: 2,
            dst_pitch: 8,
            dst_slice: 32,
            src_pitch: 4,
            src_slice: 8,
        };
        assert_eq!(rows(100, &shape, 8, 32).collect::<Vec<_>>(), [100, 108, 132, 140]);
        let line = CopyShape::linear(7);
        assert_eq!(rows(5, &line, 7, 7).collect::<Vec<_>>(), [5]);
        let all = SCRATCH_BYTES as u64 * 2 + 1;
        assert_eq!(parts(all).map(|part| part.end - part.start).sum::<u64>(), all);
        assert_eq!((parts(all).count(), parts(0).count()), (3, 0));
    }
}
