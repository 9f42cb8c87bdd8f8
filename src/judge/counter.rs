//! What is counted in a case of a lesson: the counters that requirements limit.

use Counter::*;
use host::device::Tally;
use serde::{Deserialize, Serialize};
use sim::{Class, Counts};
use std::fmt;

/// A counter, serialised as its name in snake case, by which `lesson.toml` refers to it. The variants are in the
/// order of their names, so that maps are sorted by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[rustfmt::skip]
pub enum Counter {
    Allocations, AsyncInstructions, BankConflicts, Barriers, Blocks, Branches, BulkBytesLoaded, BulkBytesStored,
    BusiestGpuPercent, BytesBetweenGpus, BytesOnDevice, BytesSet, BytesToDevice, BytesToHost, CooperativeLaunches,
    CopiesOnDevice, CopiesToDevice, CopiesToHost, DivergentBranches, EventTimes, EventsMade, FlopsBf16, FlopsF16, FlopsF32, FlopsF64, FlopsTf32, Frees, GlobalAtomics, GlobalReads,
    GlobalReadsPerThread, GlobalWrites, GlobalWritesPerThread, GraphLaunches, HostBytesRead, HostBytesWritten,
    HostCalls, HostInstructions, HostLaunches, Launches, LibraryCalls, LoadRequests, LoadSectors, LocalReads, LocalWrites,
    ManagedAllocations, ModelledNs, MostBytesReceived, MostBytesSent, PageableBytes, PageableCopies,
    PeakDeviceBytes, PinnedAllocations, RemoteSharedBytes, Sets, SharedAtomics, SharedLoadWavefronts, SharedReads, SharedReadsPerThread,
    SharedStoreWavefronts, SharedWrites, SharedWritesPerThread, SpeedupOverStarterPercent, StoreRequests,
    StoreSectors, StreamsMade, Synchronisations, ThreadInstructions, Threads, UncheckedLaunches, UnfinishedReturns,
    WarpInstructions,
}

/// A counter of kernels or of programs: what it counts in words, and how its value is obtained.
type Row<T> = (Counter, &'static str, fn(&T) -> u64);

/// The counters of a case's kernels, summed over its launches.
const KERNELS: [Row<Counts>; 38] = [
    (Launches, "kernel launches", |c| c.launches),
    (Blocks, "blocks run", |c| c.blocks),
    (Threads, "threads run", |c| c.threads),
    (WarpInstructions, "instructions, counted once per warp", |c| c.warp_instructions()),
    (ThreadInstructions, "instructions, counted once per thread", |c| c.thread_instructions),
    (GlobalReadsPerThread, "global reads by the busiest thread", |c| c.global_loads.most_by_a_thread),
    (GlobalWritesPerThread, "global writes by the busiest thread", |c| c.global_stores.most_by_a_thread),
    (SharedReadsPerThread, "shared reads by the busiest thread", |c| c.shared_loads.most_by_a_thread),
    (SharedWritesPerThread, "shared writes by the busiest thread", |c| c.shared_stores.most_by_a_thread),
    (GlobalReads, "global reads, all threads", |c| c.global_loads.accesses),
    (GlobalWrites, "global writes, all threads", |c| c.global_stores.accesses),
    (SharedReads, "shared reads, all threads", |c| c.shared_loads.accesses),
    (SharedWrites, "shared writes, all threads", |c| c.shared_stores.accesses),
    (LoadRequests, "global load requests, counted once per warp", |c| c.global_loads.requests),
    (StoreRequests, "global store requests, counted once per warp", |c| c.global_stores.requests),
    (LoadSectors, "32-byte sectors loaded", |c| c.global_loads.units),
    (StoreSectors, "32-byte sectors stored", |c| c.global_stores.units),
    (SharedLoadWavefronts, "shared-memory load wavefronts", |c| c.shared_loads.units),
    (SharedStoreWavefronts, "shared-memory store wavefronts", |c| c.shared_stores.units),
    (BankConflicts, "shared-memory bank conflicts", |c| c.shared_loads.conflicts + c.shared_stores.conflicts),
    (LocalReads, "reads of local memory, all threads", |c| c.local_loads.accesses),
    (LocalWrites, "writes of local memory, all threads", |c| c.local_stores.accesses),
    (GlobalAtomics, "global atomics, all threads", |c| c.global_atomics),
    (SharedAtomics, "shared atomics, all threads", |c| c.shared_atomics),
    (HostBytesRead, "bytes of host memory read by kernels, over the bus", |c| 32 * c.host_read_sectors),
    (HostBytesWritten, "bytes of host memory written by kernels, over the bus", |c| {
        32 * c.host_written_sectors
    }),
    (AsyncInstructions, "instructions of asynchronous copies, counted once per warp", |c| {
        c.instructions[Class::Async as usize]
    }),
    (BulkBytesLoaded, "bytes of global memory loaded by bulk copies", |c| c.bulk_loaded_bytes),
    (BulkBytesStored, "bytes of global memory stored by bulk copies", |c| c.bulk_stored_bytes),
    (RemoteSharedBytes, "bytes of other blocks' shared memory read and written", |c| c.remote_shared_bytes),
    (Barriers, "barriers, counted once per block", |c| c.barriers),
    (Branches, "branches, counted once per warp", |c| c.branches),
    (DivergentBranches, "branches where a warp split", |c| c.divergent_branches),
    (FlopsF16, "f16 operations", |c| c.flops.f16),
    (FlopsBf16, "bf16 operations", |c| c.flops.bf16),
    (FlopsTf32, "tf32 operations", |c| c.flops.tf32),
    (FlopsF32, "f32 operations", |c| c.flops.f32),
    (FlopsF64, "f64 operations", |c| c.flops.f64),
];

/// The counters that only whole programs have.
const PROGRAMS: [Row<Tally>; 32] = [
    (HostLaunches, "kernel launches by the host, not by graphs", |c| c.launches),
    (CooperativeLaunches, "cooperative kernel launches by the host", |c| c.cooperative_launches),
    (GraphLaunches, "graph launches", |c| c.graph_launches),
    (LibraryCalls, "work submitted to CUDA's libraries", |c| c.library_calls),
    (CopiesToDevice, "copies from the host to a GPU", |c| c.transfers.to_device.count),
    (BytesToDevice, "bytes moved from the host to a GPU", |c| c.transfers.to_device.bytes),
    (CopiesToHost, "copies from a GPU to the host", |c| c.transfers.to_host.count),
    (BytesToHost, "bytes moved from a GPU to the host", |c| c.transfers.to_host.bytes),
    (CopiesOnDevice, "copies in device memory", |c| c.transfers.on_device.count),
    (BytesOnDevice, "bytes copied in device memory", |c| c.transfers.on_device.bytes),
    (BytesBetweenGpus, "bytes moved from one GPU to another", |c| c.shares.bytes_moved()),
    (MostBytesSent, "most bytes that a GPU sends to others", |c| c.shares.most_bytes_sent()),
    (MostBytesReceived, "most bytes that a GPU receives from others", |c| c.shares.most_bytes_received()),
    (BusiestGpuPercent, "percent of instructions on the busiest GPU", |c| c.shares.busiest_percent()),
    (PageableCopies, "copies of pageable host memory", |c| c.transfers.pageable.count),
    (PageableBytes, "bytes of pageable host memory copied", |c| c.transfers.pageable.bytes),
    (Sets, "memory sets", |c| c.transfers.sets.count),
    (BytesSet, "bytes set", |c| c.transfers.sets.bytes),
    (Allocations, "allocations of device memory", |c| c.allocations),
    (Frees, "frees of device memory", |c| c.frees),
    (PeakDeviceBytes, "most bytes of device memory in use", |c| c.peak_device_bytes),
    (PinnedAllocations, "blocks of memory pinned", |c| c.pinned_allocations),
    (ManagedAllocations, "allocations of managed memory", |c| c.managed_allocations),
    (Synchronisations, "explicit waits of the host", |c| c.synchronisations),
    (UncheckedLaunches, "launches whose error nobody looked at before the next call", |c| {
        c.unchecked_launches
    }),
    (UnfinishedReturns, "returns before all work was known to be done", |c| c.unfinished_returns),
    (EventsMade, "events created", |c| c.events),
    (EventTimes, "times measured between two events", |c| c.event_times),
    (StreamsMade, "streams created", |c| c.streams),
    (HostCalls, "CUDA calls by the host", |c| c.host_calls),
    (HostInstructions, "instructions of the host's own code", |c| c.host_instructions),
    (ModelledNs, "modelled time of the call", |c| c.modelled_ns),
];

/// A counter with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub counter: Counter,
    pub value: u64,
}

impl Counted {
    /// Lists the counters of kernels.
    pub fn of_kernels(counts: &Counts) -> impl Iterator<Item = Counted> {
        KERNELS.iter().map(|(counter, _, value)| Counted { counter: *counter, value: value(counts) })
    }

    /// Lists the counters that only whole programs have.
    pub fn of_program(tally: &Tally) -> impl Iterator<Item = Counted> {
        PROGRAMS.iter().map(|(counter, _, value)| Counted { counter: *counter, value: value(tally) })
    }
}

impl Counter {
    /// Iterates over the counters of kernels.
    pub fn of_kernels() -> impl Iterator<Item = Counter> {
        KERNELS.iter().map(|row| row.0)
    }

    /// Iterates over the counters of the program itself, except the comparison with the starter.
    pub fn of_programs() -> impl Iterator<Item = Counter> {
        PROGRAMS.iter().map(|row| row.0)
    }

    /// Returns what is counted, in words that follow a number.
    pub fn meaning(self) -> &'static str {
        let kernels = KERNELS.iter().map(|row| (row.0, row.1));
        let mut all = kernels.chain(PROGRAMS.iter().map(|row| (row.0, row.1)));
        all.find(|row| row.0 == self).map_or("percent of the starter's speed, modelled", |row| row.1)
    }

    /// Returns whether the value is a time, in nanoseconds.
    pub fn is_time(self) -> bool {
        self == Counter::ModelledNs
    }
}

impl fmt::Display for Counter {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named;

    #[test]
    fn counters_are_found_by_name_and_sorted_by_it() {
        let mut all: Vec<Counter> = Counter::of_kernels().chain(Counter::of_programs()).collect();
        all.push(Counter::SpeedupOverStarterPercent);
        all.sort();
        let names: Vec<String> = all.iter().map(Counter::to_string).collect();
        assert!(names.is_sorted(), "{names:?}");
        let found: Vec<Counter> = names.iter().filter_map(|name| named(name)).collect();
        assert_eq!(found, all);
        assert_eq!(named("flops_f32"), Some(Counter::FlopsF32));
        assert_eq!(named::<Counter>("reads"), None);
    }
}
