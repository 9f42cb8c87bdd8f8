//! Times launches: with events around each sample, or by replaying a graph of many repetitions.

use super::ElementType;
use super::direct::Stream as BlasStream;
use super::direct::library::Cublas;
use super::driver::{Kernel, Memory, Module, Stream};
use super::failure::{check, failed};
use super::library::{Blas, Matrix, Scalar};
use super::protocol::{LaunchRequest, Product, Result, Timing};
use cudarc::driver::sys;
use sim::Address;
use std::ptr;

/// Maximum number of nodes in a graph.
const MAX_NODES: usize = 4096;

/// Resources for timing in addition to the kernels; created once, because timing is requested repeatedly.
#[derive(Default)]
pub struct Tools {
    blas: Option<Cublas>,
    flush: Option<Memory>,
    stream: Option<Stream>,
}

impl Drop for Tools {
    /// Destroys the library's handle before its stream.
    fn drop(&mut self) {
        self.blas.iter_mut().for_each(Cublas::close);
    }
}

/// Enqueues a product in the stream, with sums in f32. The library is column-major: to it our matrices are transposed,
/// so the order of the factors is reversed.
fn multiply(blas: &mut Cublas, product: &Product, device: u32, stream: &Stream) -> Result<()> {
    let Product { a, b, out, rows, inner, cols, half } = *product;
    let (rows, inner, cols) = (u64::from(rows), u64::from(inner), u64::from(cols));
    let matrix = |at, element, rows, columns| Matrix {
        at: Address(at),
        element,
        rows,
        columns,
        leading: rows,
        stride: 0,
        transposed: false,
    };
    let element = if half { ElementType::F16 } else { ElementType::F32 };
    let call = Blas::Gemm {
        alpha: Scalar::Value(1.0),
        a: matrix(b, element, cols, inner),
        b: matrix(a, element, inner, rows),
        beta: Scalar::Value(0.0),
        c: matrix(out, ElementType::F32, cols, rows),
        inner,
        batch: 1,
        by_pointers: false,
        compute: ElementType::F32,
        tensor_cores: false,
    };
    blas.call(BlasStream::of(device, stream.0), &call)
}

/// Returns the nanoseconds of each sample, that is, of one execution of all launches, on the device whose
/// context is current. `cuda` is the major CUDA release that the driver supports.
///
/// # Errors
///
/// Fails if a kernel is missing or fails, if there is no memory to flush the cache with, or if cuBLAS is needed but
/// can't be used.
pub fn time(
    module: &Module,
    timing: &Timing,
    (device, cuda): (u32, u32),
    tools: &mut Tools,
) -> Result<Vec<f64>> {
    let launches = timing.launches.iter().map(|launch| Ok((module.kernel(&launch.symbol)?, launch)));
    let launches: Vec<(Kernel, &LaunchRequest)> = launches.collect::<Result<_>>()?;
    let Tools { blas, flush, stream } = tools;
    let stream = kept(stream, Stream::new)?;
    if timing.in_graph > 0 && timing.product.is_none() {
        return replayed(&launches, timing, stream);
    }
    let bytes = usize::try_from(timing.flush_bytes).unwrap_or(usize::MAX);
    if flush.as_ref().is_some_and(|memory| memory.bytes != bytes) {
        *flush = None;
    }
    let flush = if bytes == 0 { None } else { Some(kept(flush, || Memory::new(bytes))?) };
    if let Some(product) = &timing.product {
        let blas = match blas {
            Some(made) => made,
            none => none.insert(Cublas::open(cuda)?),
        };
        return one_by_one(&mut || multiply(blas, product, device, stream), timing, flush, stream);
    }
    let mut all = || launches.iter().try_for_each(|(kernel, launch)| kernel.launch(launch, Some(stream)));
    one_by_one(&mut all, timing, flush, stream)
}

/// Returns the value in `place`, creating it first if there is none.
fn kept<T>(place: &mut Option<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    match place {
        Some(made) => Ok(made),
        none => Ok(none.insert(make()?)),
    }
}

/// Times each sample with events; the caches are flushed before it.
fn one_by_one(
    work: &mut dyn FnMut() -> Result<()>,
    timing: &Timing,
    flush: Option<&Memory>,
    stream: &Stream,
) -> Result<Vec<f64>> {
    let flush = || match flush {
        Some(memory) => {
            // SAFETY: the memory is ours and outlives the stream's work, which is waited for.
            let result = unsafe { sys::cuMemsetD8Async(memory.address, 0, memory.bytes, stream.0) };
            check(result, "cuMemsetAsync")
        }
        None => Ok(()),
    };
    sampled(timing.samples, stream, &flush, work)
}

/// Times replays of a graph of many repetitions, so that there are no launches from the host between them.
fn replayed(launches: &[(Kernel, &LaunchRequest)], timing: &Timing, stream: &Stream) -> Result<Vec<f64>> {
    let repetitions = timing.in_graph as usize;
    if repetitions.saturating_mul(launches.len()) > MAX_NODES {
        return Err(failed("cuGraphInstantiate", "too many launches for a graph"));
    }
    let graph = Graph::capture(stream, || {
        for _ in 0..repetitions {
            launches.iter().try_for_each(|(kernel, launch)| kernel.launch(launch, Some(stream)))?;
        }
        Ok(())
    })?;
    let samples = sampled(timing.samples, stream, &|| Ok(()), &mut || graph.launch(stream))?;
    Ok(samples.into_iter().map(|ns| ns / repetitions as f64).collect())
}

/// Returns the nanoseconds between two events around `work`, for each sample; `before` is not included.
fn sampled(
    samples: u32,
    stream: &Stream,
    before: &dyn Fn() -> Result<()>,
    work: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<f64>> {
    let pairs = (0..samples).map(|_| Ok((Event::new()?, Event::new()?)));
    let pairs: Vec<(Event, Event)> = pairs.collect::<Result<_>>()?;
    for (start, end) in &pairs {
        before()?;
        start.record(stream)?;
        work()?;
        end.record(stream)?;
    }
    stream.wait()?;
    pairs.iter().map(|(start, end)| elapsed_ns(start, end)).collect()
}

struct Event(sys::CUevent);

impl Event {
    fn new() -> Result<Event> {
        let mut event = ptr::null_mut();
        // SAFETY: a pointer to a live variable; 0 is an event that records times.
        check(unsafe { sys::cuEventCreate(&mut event, 0) }, "cuEventCreate")?;
        Ok(Event(event))
    }

    fn record(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both are alive.
        check(unsafe { sys::cuEventRecord(self.0, stream.0) }, "cuEventRecord")
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}

/// Returns the nanoseconds between two events that are complete.
fn elapsed_ns(start: &Event, end: &Event) -> Result<f64> {
    let mut milliseconds = 0f32;
    // SAFETY: a pointer to a live variable; both are alive.
    check(unsafe { sys::cuEventElapsedTime(&mut milliseconds, start.0, end.0) }, "cuEventElapsedTime")?;
    Ok(f64::from(milliseconds) * 1e6)
}

struct Graph {
    graph: sys::CUgraph,
    ready: sys::CUgraphExec,
}

impl Graph {
    /// Captures the work that `work` enqueues in the stream as a graph.
    fn capture(stream: &Stream, work: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive and belongs to this thread alone.
        check(unsafe { sys::cuStreamBeginCapture_v2(stream.0, mode) }, "cuStreamBeginCapture")?;
        let worked = work();
        let mut graph = ptr::null_mut();
        // SAFETY: a pointer to a live variable; capture began above.
        let ended = check(unsafe { sys::cuStreamEndCapture(stream.0, &mut graph) }, "cuStreamEndCapture");
        let mut made = Graph { graph, ready: ptr::null_mut() };
        worked.and(ended)?;
        // SAFETY: the graph is alive.
        let result = unsafe { sys::cuGraphInstantiateWithFlags(&mut made.ready, made.graph, 0) };
        check(result, "cuGraphInstantiate")?;
        Ok(made)
    }

    fn launch(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both are alive.
        check(unsafe { sys::cuGraphLaunch(self.ready, stream.0) }, "cuGraphLaunch")
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: each was created once and is destroyed once; null if it was not created.
        unsafe {
            if !self.ready.is_null() {
                sys::cuGraphExecDestroy(self.ready);
            }
            if !self.graph.is_null() {
                sys::cuGraphDestroy(self.graph);
            }
        }
    }
}
