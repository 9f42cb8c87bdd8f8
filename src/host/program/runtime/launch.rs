//! Kernel launches: by `<<<>>>`, which the compiler turns into two calls, and by `cudaLaunchKernel` and
//! similar calls.

use super::refused::Refusals;
use crate::device::{CudaError, Failure, Launch, Result, WaitTarget, Work, fail_if};
use crate::program::call::{Call, calls, long, word};
use sim::{
    Dim3, Evidence, KernelInfo, LaunchConfig, LaunchLimit, Request, RunLimit, check_cluster,
    check_cooperative, check_launch, check_local, check_opted_in,
};
use std::collections::HashMap;

/// A launch by `<<<>>>` between its two calls, whose arguments are being written.
#[derive(Clone, Copy, Debug)]
struct PendingLaunch {
    kernel: u64,
    config: LaunchConfig,
    buffer: ArgumentBuffer,
    /// Size of the arguments.
    bytes: u64,
}

/// Memory of the program into which the arguments of a `<<<>>>` launch are written.
#[derive(Clone, Copy, Debug)]
struct ArgumentBuffer {
    address: u64,
    bytes: u64,
}

/// The runtime's state of launches.
#[derive(Debug, Default)]
pub struct Launches {
    /// Launches by `<<<>>>` between their two calls, by the address of their argument buffer.
    begun: HashMap<u64, PendingLaunch>,
    /// Argument buffers not in use.
    free: Vec<ArgumentBuffer>,
    pub refusals: Refusals,
    /// Whether every launch blocks until it completes.
    pub blocking: bool,
}

impl Launches {
    /// Called when the second call of a launch by `<<<>>>` is refused: its argument buffer is not in use any more.
    pub fn refuse(&mut self, buffer: u64) {
        self.free.extend(self.begun.remove(&buffer).map(|begun| begun.buffer));
    }
}

/// Smallest size of an argument buffer, enough for most kernels.
const MIN_BUFFER_BYTES: u64 = 4096;

/// A launch by `cudaLaunchKernel` or a similar call.
struct LaunchCall {
    kernel: u64,
    grid: Dim3,
    block: Dim3,
    arguments: u64,
    shared_bytes: u64,
    stream: u64,
    cooperative: bool,
    cluster: Option<Dim3>,
}

/// `cudaLaunchConfig_t`: grid, block, then shared bytes, stream, attributes and their number.
const CONFIG_BYTES: usize = 56;
/// `cudaLaunchAttribute`: an id, then its value.
const ATTRIBUTE_BYTES: u64 = 72;
/// `enum cudaLaunchAttributeID`: those that have an effect here; hints to the scheduler and the caches have
/// none.
const ATTRIBUTE_COOPERATIVE: i32 = 2;
const ATTRIBUTE_CLUSTER: i32 = 4;
const ATTRIBUTE_EVENTS: [i32; 2] = [7, 12];

impl Call<'_> {
    /// Checks a launch configuration. One that CUDA refuses is a finding that names the limit.
    ///
    /// # Errors
    ///
    /// CUDA's error, with that finding; the limit on a launch's threads. Otherwise as for [`Call::kernel`] and
    /// [`Call::multiprocessor`].
    pub fn check_configuration(
        &mut self,
        kernel: u64,
        config: &LaunchConfig,
        cooperative: bool,
        cluster: Option<Dim3>,
    ) -> Result<()> {
        let sm = self.multiprocessor()?;
        let is_simulated = self.gpus.simulated().is_some();
        let (capability, multiprocessors) = {
            let its = self.properties();
            ((its.major, its.minor), its.multiprocessors)
        };
        let its = self.kernel(kernel)?;
        let info = &its.info;
        let limit = its.dynamic_limit().min(u32::MAX.into()) as u32;
        let (shared, registers) = (info.shared_bytes, its.registers);
        let checked = check_launch(config, shared, info.max_threads, capability)
            .and_then(|()| check_opted_in(config, shared, limit))
            // A real driver knows what is left of local arrays in machine code.
            .and_then(|()| if is_simulated { check_local(info.local_bytes) } else { Ok(()) })
            .and_then(|()| match cluster.or(info.cluster) {
                Some(asked) => check_cluster(config, asked, info.cluster, its.large_clusters, capability),
                None => Ok(()),
            })
            .and_then(|()| match cooperative {
                true => check_cooperative(config, shared, registers, multiprocessors, capability),
                false => Ok(()),
            });
        let (threads, most) = (config.block.count(), its.max_threads(&sm));
        let size = self.check_size(kernel, config);
        let refused = match checked {
            Err(limit) => Some(limit),
            Ok(()) => (threads > most.into()).then_some(LaunchLimit::Registers {
                threads,
                registers,
                multiprocessor: sm.registers,
                most,
            }),
        };
        let Some(limit) = refused else {
            self.runtime.launch_fits(kernel, config);
            return size;
        };
        let error = limit.error();
        self.refuse_launch(kernel, config, error, limit);
        Err(error.into())
    }

    /// Stops the program at a launch of more threads than this machine could ever run.
    fn check_size(&self, kernel: u64, config: &LaunchConfig) -> Result<()> {
        let blocks = u128::from(config.grid.x) * u128::from(config.grid.y) * u128::from(config.grid.z);
        let each = config.block.count();
        let (threads, most) = (blocks * u128::from(each), self.runtime.limits.launch_threads);
        if threads <= u128::from(most) {
            return Ok(());
        }
        let largest = self.runtime.allocations.iter().filter(|a| a.freed.is_none()).max_by_key(|a| a.bytes);
        Err(Failure::Limit(RunLimit::LaunchThreads {
            kernel: self.launch_of(kernel).to_string(),
            blocks,
            threads_a_block: each,
            most,
            largest: largest.map(|found| (found.name.to_string(), found.bytes)),
        }))
    }

    /// Checks a launch and submits it to its stream.
    ///
    /// # Errors
    ///
    /// As for [`Call::check_configuration`] and [`Call::submit`]; if launches block, also the kernel's own error.
    pub fn launch(&mut self, launch: Launch, stream: u64) -> Result<()> {
        self.context();
        self.check_configuration(launch.kernel, &launch.config, launch.cooperative, launch.cluster)?;
        self.submit(stream, Work::Launch(launch))?;
        if self.runtime.launches.blocking {
            let id = self.stream(stream)?;
            // Captured work runs later.
            if self.runtime.graphs.captures.of_mut(id).is_none() {
                self.ask(|gpus, site, host| gpus.wait(WaitTarget::Stream(id), site, host))?;
            }
        }
        Ok(())
    }

    /// Returns the launch of a kernel as a request that names the kernel.
    pub fn launch_of(&self, kernel: u64) -> Request {
        Request::Launch(self.kernel(kernel).ok().map(|its| its.name.as_str().into()))
    }

    /// Reads the arguments of a launch from an array of pointers to them in the program's memory.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: a null pointer. Otherwise as for [`Call::kernel`] and [`Call::load`].
    pub fn read_arguments(&mut self, kernel: u64, arguments: u64) -> Result<Vec<u8>> {
        let its = self.kernel(kernel)?;
        let (name, info) = (its.name.clone(), its.info.clone());
        let mut params = vec![0; info.param_bytes as usize];
        fail_if(arguments == 0 && !info.params.is_empty(), CudaError::InvalidValue)?;
        for (n, &(bytes, offset)) in info.params.iter().enumerate() {
            let to = params.get_mut(offset as usize..offset as usize + bytes as usize);
            let to = to.ok_or(CudaError::InvalidValue)?;
            let pointer = self.get::<u64>(arguments.wrapping_add(n as u64 * 8));
            let loaded = pointer.and_then(|pointer| {
                self.check_argument(&info, n as u32, pointer);
                self.load(pointer, to)
            });
            if matches!(loaded, Err(Failure::Ended))
                && let Some(finding) = self.runtime.findings.last_mut()
            {
                let (kernel, parameters) = (name.as_str().into(), info.params.len());
                finding.evidence.push(Evidence::KernelParameter { element: n, kernel, parameters });
            }
            loaded?;
        }
        Ok(params)
    }

    /// Reports an argument that has no value, at an address in the program's memory, if it is a number or a pointer:
    /// of a structure, the kernel need not use all.
    fn check_argument(&mut self, info: &KernelInfo, n: u32, address: u64) {
        if info.scalars.contains(&n) {
            let function = self.site.what.function();
            let range = (address, info.params[n as usize].0.into());
            self.thread.check_initialised(range, function, self.gpus, self.runtime);
        }
    }

    fn submit_launch_call(&mut self, asked: LaunchCall) -> Result<()> {
        self.site.what = self.launch_of(asked.kernel);
        let params = self.read_arguments(asked.kernel, asked.arguments)?;
        let dynamic_shared_bytes = u32::try_from(asked.shared_bytes).map_err(|_| CudaError::InvalidValue)?;
        let config = LaunchConfig { grid: asked.grid, block: asked.block, dynamic_shared_bytes };
        let (cooperative, cluster) = (asked.cooperative, asked.cluster);
        let launch = self.plain_launch(asked.kernel, config, params)?;
        self.launch(Launch { cooperative, cluster, ..launch }, asked.stream)
    }

    /// Returns a launch with the kernel's attributes, neither cooperative nor with a cluster size of its own.
    ///
    /// # Errors
    ///
    /// As for [`Call::kernel`].
    pub fn plain_launch(&mut self, kernel: u64, config: LaunchConfig, params: Vec<u8>) -> Result<Launch> {
        let its = self.kernel(kernel)?;
        Ok(Launch {
            kernel,
            config,
            shared_limit_bytes: its.dynamic_limit().min(u32::MAX.into()) as u32,
            cooperative: false,
            cluster: None,
            large_clusters: its.large_clusters,
            registers: its.registers,
            params,
        })
    }
}

calls! {
    /// Returns an argument buffer for a launch by `<<<>>>`; null if the launch is not possible.
    [BeginsLaunch]
    fn __cudaCDP2GetParameterBufferV2(call, kernel: u64, grid: Dim3, block: Dim3, shared_bytes: u32) -> u64 {
        let bytes = match call.kernel(kernel) {
            Ok(its) => u64::from(its.info.param_bytes),
            Err(Failure::Cuda(error)) => {
                call.fail_launch(error);
                return Ok(0);
            }
            Err(failure) => return Err(failure),
        };
        let free = &mut call.runtime.launches.free;
        let fitting = free.iter().position(|buffer| bytes <= buffer.bytes).map(|n| free.swap_remove(n));
        let buffer = match fitting {
            Some(buffer) => buffer,
            None => {
                let bytes = bytes.max(MIN_BUFFER_BYTES);
                let Some(address) = call.thread.allocate(bytes) else {
                    call.fail_launch(CudaError::MemoryAllocation);
                    return Ok(0);
                };
                ArgumentBuffer { address, bytes }
            }
        };
        let config = LaunchConfig { grid, block, dynamic_shared_bytes: shared_bytes };
        let address = buffer.address;
        call.runtime.launches.begun.insert(address, PendingLaunch { kernel, config, buffer, bytes });
        Ok(address)
    }

    /// Launches by `<<<>>>`, with the arguments in place. The result is discarded: a failure shows in the
    /// last error.
    [EndsLaunch]
    fn __cudaCDP2LaunchDeviceV2(call, room: u64, stream: u64) {
        let begun = call.runtime.launches.begun.remove(&room).ok_or(CudaError::InvalidValue)?;
        let mut params = vec![0; begun.bytes as usize];
        call.load(room, &mut params)?;
        call.runtime.launches.free.push(begun.buffer);
        call.site.what = call.launch_of(begun.kernel);
        let info = call.kernel(begun.kernel)?.info.clone();
        for (n, (_, offset)) in (0..).zip(&info.params) {
            call.check_argument(&info, n, room + u64::from(*offset));
        }
        let place = call.site.location.as_ref().and_then(|at| call.runtime.source.file_of(at).launch(at));
        call.site.location = place.or(call.site.location.take());
        let launch = call.plain_launch(begun.kernel, begun.config, params)?;
        call.launch(launch, stream)
    }

    /// Launches a kernel by its address.
    [Launches]
    fn cudaLaunchKernel(call, kernel: u64, grid: Dim3, block: Dim3, arguments: u64, shared_bytes: u64, stream: u64) {
        call.submit_launch_call(LaunchCall { kernel, grid, block, arguments, shared_bytes, stream, cooperative: false, cluster: None })
    }

    /// Launches a kernel whose blocks are all resident at once and may wait for each other.
    [Launches]
    fn cudaLaunchCooperativeKernel(
        call, kernel: u64, grid: Dim3, block: Dim3, arguments: u64, shared_bytes: u64, stream: u64
    ) {
        call.submit_launch_call(LaunchCall { kernel, grid, block, arguments, shared_bytes, stream, cooperative: true, cluster: None })
    }

    /// Launches a kernel with launch attributes.
    [Launches]
    fn cudaLaunchKernelExC(call, config: u64, kernel: u64, arguments: u64) {
        let bytes = call.structure(config, CONFIG_BYTES)?;
        let (config_word, long) = (|at| word(&bytes, at), |at| long(&bytes, at));
        let mut asked = LaunchCall {
            kernel,
            grid: Dim3::new(config_word(0), config_word(4), config_word(8)),
            block: Dim3::new(config_word(12), config_word(16), config_word(20)),
            arguments,
            shared_bytes: long(24),
            stream: long(32),
            cooperative: false,
            cluster: None,
        };
        for n in 0..u64::from(config_word(48)) {
            let at = long(40).wrapping_add(n.wrapping_mul(ATTRIBUTE_BYTES));
            match call.get::<i32>(at)? {
                ATTRIBUTE_COOPERATIVE => asked.cooperative = call.get::<i32>(at.wrapping_add(8))? != 0,
                ATTRIBUTE_CLUSTER => asked.cluster = Some(call.get(at.wrapping_add(8))?),
                event if ATTRIBUTE_EVENTS.contains(&event) => {
                    return Err(Failure::unsupported("launches that record events"));
                }
                _ => {}
            }
        }
        call.submit_launch_call(asked)
    }
}
