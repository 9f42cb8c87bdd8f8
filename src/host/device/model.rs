//! The data of a modelled GPU: its properties, the duration of its work, and the cost of calls on the host.
//! There is one file per GPU in `models`, which states the source of every constant.

use super::{HostCost, Space};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use sim::Multiprocessor;
use sim::time::Gpu;

/// The available models, by the name that `--as` accepts.
const FILES: [(&str, &str); 3] = [
    ("t4", include_str!("models/t4.toml")),
    ("a100", include_str!("models/a100.toml")),
    ("h100", include_str!("models/h100.toml")),
];

/// A modelled GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Name that `--as` accepts, such as `t4`.
    pub key: &'static str,
    pub properties: Properties,
    pub gpu: Gpu,
    pub queue: Queue,
    pub transfer: Transfer,
    pub host: HostCosts,
}

/// What `cudaGetDeviceProperties` and related calls report beyond what the compute capability and [`Gpu`]
/// determine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Properties {
    pub name: String,
    /// Compute capability, major and minor.
    pub major: u32,
    pub minor: u32,
    /// Size of device memory as programs see it (`totalGlobalMem`).
    pub memory_bytes: u64,
    /// Bytes used by the context and the driver, and hence never free (`cudaMemGetInfo`).
    pub context_bytes: u64,
    pub multiprocessors: u32,
    pub clock_khz: u32,
    pub memory_clock_khz: u32,
    pub memory_bus_bits: u32,
    pub l2_bytes: u64,
    pub persisting_l2_bytes: u64,
    pub copy_engines: u32,
    pub constant_bytes: u64,
    /// Throughput of f32 operations divided by that of f64 operations.
    pub single_to_double_ratio: u32,
    pub ecc: bool,
    pub pci_domain: u32,
    pub pci_bus: u32,
    pub pci_device: u32,
    pub stream_priorities: bool,
    pub greatest_stream_priority: i32,
    pub cooperative_launch: bool,
    pub host_native_atomics: bool,
    pub pageable_memory_access: bool,
    pub concurrent_managed_access: bool,
    pub memory_pools: bool,
}

/// The delays between a call's return and the GPU's work, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// From the submission of work to an idle GPU until the work starts.
    pub latency_ns: u64,
    /// From the end of work to the start of a kernel that depends on it, in a stream.
    pub kernel_gap_ns: u64,
    /// The same between nodes of a graph.
    pub graph_gap_ns: u64,
    /// From the end of work to the start of a copy that depends on it.
    pub copy_gap_ns: u64,
    /// From a graph's launch to the start of its first node.
    pub graph_latency_ns: u64,
    /// Between the starts of two independent kernels.
    pub dispatch_ns: u64,
    /// Maximum number of kernels that run concurrently.
    pub concurrent_kernels: usize,
    /// From the moment a host function's dependencies are met to its start on the host.
    pub host_function_ns: u64,
}

/// The timing of copies. Rates are in bytes per nanosecond, that is, GB/s.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    pub latency_ns: u64,
    pub pinned_to_device_gbps: f64,
    pub pinned_to_host_gbps: f64,
    pub pageable_to_device_gbps: f64,
    pub pageable_to_host_gbps: f64,
    /// Managed memory that migrates on demand, when a kernel or the host accesses it (page faults).
    pub managed_fault_gbps: f64,
    /// Managed memory that is prefetched.
    pub managed_prefetch_gbps: f64,
    /// Between two GPUs, in each direction.
    pub peer_gbps: f64,
    /// Between two GPUs without peer access: staged through the host.
    pub peer_staged_gbps: f64,
    /// Whether the GPUs have a link of their own (NVLink) or share the link to the host.
    pub peer_link: bool,
    /// From host memory to host memory.
    pub host_to_host_gbps: f64,
    pub host_to_host_latency_ns: u64,
}

/// What calls cost the host, in nanoseconds unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCosts {
    /// One PTX instruction of host code, at the speed of compiled code.
    pub instruction_ns: f64,
    /// Rate at which one thread fills or copies memory, as `memset` and `memcpy` do, in bytes per nanosecond.
    pub sweep_gbps: f64,
    /// A call that does nothing slow.
    pub call_ns: u64,
    pub launch_ns: u64,
    pub copy_ns: u64,
    pub record_ns: u64,
    /// From the end of the awaited work until the host continues.
    pub wake_ns: u64,
    /// Waiting for work that is already complete.
    pub wait_ns: u64,
    /// The first use of a device, which creates its context.
    pub context_ns: u64,
    /// The first launch of a kernel, which loads its code.
    pub first_launch_ns: u64,
    pub allocate_ns: u64,
    /// For each MiB, in addition to `allocate_ns`.
    pub allocate_mib_ns: f64,
    pub free_ns: u64,
    pub free_mib_ns: f64,
    pub allocate_pinned_ns: u64,
    pub allocate_pinned_mib_ns: f64,
    pub free_pinned_mib_ns: f64,
    pub allocate_managed_ns: u64,
    pub create_stream_ns: u64,
    pub create_event_ns: u64,
    pub instantiate_ns: u64,
    pub instantiate_node_ns: u64,
    pub graph_launch_ns: u64,
    pub graph_launch_node_ns: u64,
}

impl HostCosts {
    /// Returns the time that the host spends on `cost`, in nanoseconds.
    pub fn of(&self, cost: HostCost) -> f64 {
        let mib = |bytes: u64| bytes as f64 / (1 << 20) as f64;
        match cost {
            HostCost::Instructions(count) => count as f64 * self.instruction_ns,
            HostCost::Sweep { bytes } => bytes as f64 / self.sweep_gbps,
            HostCost::Call => self.call_ns as f64,
            HostCost::Context(_) => self.context_ns as f64,
            HostCost::Allocate { space, bytes } => match space {
                Space::Device(_) => self.allocate_ns as f64 + self.allocate_mib_ns * mib(bytes),
                Space::Pinned => self.allocate_pinned_ns as f64 + self.allocate_pinned_mib_ns * mib(bytes),
                Space::Managed => self.allocate_managed_ns as f64 + self.allocate_mib_ns * mib(bytes),
            },
            HostCost::Free { space, bytes } => match space {
                Space::Pinned => self.free_ns as f64 + self.free_pinned_mib_ns * mib(bytes),
                Space::Device(_) | Space::Managed => self.free_ns as f64 + self.free_mib_ns * mib(bytes),
            },
            HostCost::Register { bytes } => {
                self.allocate_pinned_ns as f64 + self.allocate_pinned_mib_ns * mib(bytes)
            }
            HostCost::CreateStream => self.create_stream_ns as f64,
            HostCost::CreateEvent => self.create_event_ns as f64,
            HostCost::InstantiateGraph { nodes } => {
                self.instantiate_ns as f64 + self.instantiate_node_ns as f64 * nodes as f64
            }
            HostCost::Sleep { ns } => ns as f64,
        }
    }

    /// Returns how long a graph's launch occupies the host, in nanoseconds.
    pub fn graph_launch(&self, nodes: usize) -> u64 {
        self.graph_launch_ns.saturating_add(self.graph_launch_node_ns.saturating_mul(nodes as u64))
    }
}

impl Model {
    /// Returns the compute capability: major and minor.
    pub fn capability(&self) -> (u32, u32) {
        (self.properties.major, self.properties.minor)
    }

    /// Returns the names that [`Model::named`] accepts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(name, _)| *name)
    }

    /// Returns the model that `--as` names, ignoring case.
    ///
    /// # Errors
    ///
    /// Fails if there is no such model; the message lists the available ones.
    pub fn named(name: &str) -> Result<Model> {
        let Some((key, text)) = FILES.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) else {
            let known: Vec<&str> = Model::names().collect();
            bail!("no model of a GPU is called `{name}`; there are {}", known.join(", "));
        };
        Model::parse(key, text).with_context(|| format!("the data of model {key}"))
    }

    fn parse(key: &'static str, text: &str) -> Result<Model> {
        let file: File = toml::from_str(text)?;
        let (major, minor) = (file.properties.major, file.properties.minor);
        let sm = Multiprocessor::of(major, minor)
            .with_context(|| format!("compute capability {major}.{minor} has no limits"))?;
        let (properties, mut gpu) = (file.properties, file.compute);
        (gpu.sms, gpu.sm, gpu.l2_bytes) = (properties.multiprocessors, sm, properties.l2_bytes);
        let r = &gpu.results_per_cycle;
        let rates = [
            gpu.clock_ghz,
            gpu.issue_per_cycle,
            gpu.shared_bytes_per_cycle,
            gpu.l1_bytes_per_cycle,
            gpu.l2_gbps,
            gpu.blocks_per_cycle,
            gpu.dram_gbps,
            gpu.dram_efficiency,
            gpu.store_sectors_per_cycle,
            gpu.atomics.shared_per_cycle,
        ];
        let results = [
            [r.f16, r.f16_pair, r.f32, r.f64, r.special, r.int_add],
            [r.int_mul, r.logic, r.compare, r.convert, r.warp, r.load],
        ];
        if gpu.sms == 0 || !rates.iter().chain(results.as_flattened()).all(|rate| *rate > 0.0) {
            bail!("rates must be above zero");
        }
        Ok(Model { key, properties, gpu, queue: file.queue, transfer: file.transfer, host: file.host })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    properties: Properties,
    compute: Gpu,
    queue: Queue,
    transfer: Transfer,
    host: HostCosts,
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Class;

    #[test]
    fn every_model_reads_and_agrees_with_its_data_sheet() {
        for name in Model::names() {
            let model = Model::named(name).unwrap();
            let (p, gpu) = (&model.properties, &model.gpu);
            // Two transfers per clock over the bus.
            let bus = f64::from(p.memory_clock_khz) * 2.0 * f64::from(p.memory_bus_bits) / 8.0 / 1e6;
            assert!((bus / gpu.dram_gbps - 1.0).abs() < 0.02, "{name}: {bus} GB/s by bus and clock");
            // A multiply-add counts as two operations.
            let tflops =
                gpu.results_per_cycle.of(Class::Float32) * 2.0 * f64::from(gpu.sms) * gpu.clock_ghz / 1e3;
            let sheet = match name {
                "t4" => 8.1,
                "a100" => 19.5,
                _ => 66.9,
            };
            assert!(tflops <= sheet * 1.01 && tflops >= sheet * 0.5, "{name}: {tflops} TFLOP/s");
        }
    }

    #[test]
    fn an_unknown_model_names_those_there_are() {
        let message = Model::named("gtx").unwrap_err().to_string();
        assert!(message.contains("t4, a100, h100"), "{message}");
        assert_eq!(Model::named("H100").unwrap().key, "h100");
    }
}
