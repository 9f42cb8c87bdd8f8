//! Counts memory traffic: requests, sectors, wavefronts, and the accesses of the busiest thread.
//!
//! Sectors and wavefronts are those that `ncu` counts on hardware
//! (`l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st}.sum`,
//! `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum`).

use crate::code::DecodedModule;
use crate::counts::{Counts, LinesTouched, Traffic};
use crate::engine::findings::FindingLog;
use crate::engine::observer::{CompiledAccesses, Event, MemorySpace, Observer, Start};
use crate::finding::AccessKind;
use crate::kernel_code::{AccessesByKind, CompiledAccess};
use crate::lanes::{FULL, LANES, Lanes32};
use crate::memory::shape::Shape;
use crate::meter::pieces::{Added, Pieces};

/// Global loads and stores, shared loads and stores, as in [`CompiledAccess`];
/// then local loads and stores.
const KINDS: usize = 6;

/// Accesses by the threads of one warp, for each kind: those by all lanes, and those by some, per lane.
#[derive(Clone, Debug)]
struct Tally {
    all: [u32; KINDS],
    single: Box<[Lanes32; KINDS]>,
    /// The kinds of which there are accesses by some lanes: one bit each.
    uneven: u8,
}

impl Tally {
    /// Adds accesses of a kind by the lanes of `mask`.
    #[inline(always)]
    fn add(&mut self, kind: usize, mask: u32, accesses: u32) {
        self.uneven |= 1 << kind;
        for (lane, count) in self.single[kind].iter_mut().enumerate() {
            *count += (mask >> lane & 1) * accesses;
        }
    }
}

/// The observer that counts memory traffic.
#[derive(Debug, Default)]
pub struct TrafficMeter {
    traffic: [Traffic; KINDS],
    tallies: Vec<Tally>,
    global_atomics: u64,
    shared_atomics: u64,
    /// Sectors of host memory read, and written.
    host: [u64; 2],
    /// Lines of 128 bytes touched, summed over requests: global loads and stores, local loads and stores.
    lines: [u64; 4],
    atomic_lines: u64,
    atomic_sectors: u64,
    /// Bytes of global memory that bulk copies read and write.
    bulk: [u64; 2],
    /// The buffer number of the block's own shared memory in a cluster, and the bytes of other blocks' shared
    /// memory that its threads access.
    own: Option<u32>,
    remote_bytes: u64,
    pieces: Pieces,
}

impl TrafficMeter {
    #[inline(always)]
    fn count(&mut self, kind: usize, event: &Event, units: u64, least: u64) {
        let traffic = &mut self.traffic[kind];
        traffic.requests += !event.continued as u64;
        traffic.units += units;
        traffic.conflicts += units - least.min(units);
        self.tally(kind, event);
    }

    /// Counts an atomic as a read and a write for each of its threads; the hardware counts requests and sectors of
    /// atomics separately from those of loads and stores. `kind` is that of the space's loads.
    fn atomic(&mut self, kind: usize, event: &Event) {
        self.tally(kind, event);
        self.tally(kind + 1, event);
    }

    /// Adds to the accesses of each thread.
    #[inline(always)]
    fn tally(&mut self, kind: usize, event: &Event) {
        let lanes = event.mask.count_ones();
        let traffic = &mut self.traffic[kind];
        traffic.accesses += lanes as u64;
        traffic.bytes += lanes as u64 * event.width as u64;
        let tally = &mut self.tallies[event.warp as usize];
        if event.mask == FULL {
            tally.all[kind] += 1;
        } else {
            tally.add(kind, event.mask, 1);
        }
    }
}

impl Observer for TrafficMeter {
    type World = ();

    fn can_run_compiled(&self) -> bool {
        self.own.is_none()
    }

    fn count_accesses(&mut self, counted: &CompiledAccesses) {
        let kind = counted.kind as usize;
        let traffic = &mut self.traffic[kind];
        let add = |count: &mut u64, more: i64| *count = count.wrapping_add_signed(more);
        add(&mut traffic.requests, counted.accesses);
        add(&mut traffic.units, counted.units);
        add(&mut traffic.conflicts, counted.units - counted.least);
        add(&mut traffic.accesses, counted.lanes);
        add(&mut traffic.bytes, counted.bytes);
        if let Some(lines) = self.lines[..2].get_mut(kind) {
            add(lines, counted.lines);
        }
    }

    fn compiled_ran(&mut self, warp: u32, accesses: &AccessesByKind, _: bool) {
        let all = &mut self.tallies[warp as usize].all;
        for (sum, more) in all.iter_mut().zip(accesses) {
            *sum = sum.wrapping_add(*more);
        }
    }

    #[inline(always)]
    fn count_access(&mut self, event: &Event, shape: &mut Shape) {
        let store = (event.kind != AccessKind::Read) as usize;
        if event.place == MemorySpace::Shared && self.own.is_some_and(|own| own != event.buffer) {
            self.remote_bytes += u64::from(event.mask.count_ones() * event.width);
        }
        if event.role.bulk {
            let bytes = u64::from(event.mask.count_ones() * event.width);
            self.bulk[store] += if event.place == MemorySpace::Global { bytes } else { 0 };
            return;
        }
        // `ncu` counts what goes through textures and surfaces apart from loads and stores.
        if event.role.image {
            return;
        }
        match event.place {
            MemorySpace::Global => {
                let (sectors, lines) = match self.pieces.added(event) {
                    Some(Added { sectors, lines, .. }) => (sectors, lines),
                    None => (shape.sectors(event.first), shape.lines(event.first)),
                };
                if event.host {
                    self.host[0] += if event.kind == AccessKind::Write { 0 } else { sectors };
                    self.host[1] += if event.kind == AccessKind::Read { 0 } else { sectors };
                }
                if event.kind == AccessKind::Atomic {
                    self.global_atomics += event.mask.count_ones() as u64;
                    self.atomic_lines += lines;
                    self.atomic_sectors += sectors;
                    self.atomic(0, event);
                } else {
                    self.lines[store] += lines;
                    self.count(store, event, sectors, 0);
                }
            }
            MemorySpace::Shared => {
                if event.kind == AccessKind::Atomic {
                    self.shared_atomics += event.mask.count_ones() as u64;
                    self.atomic(2, event);
                } else {
                    let wavefronts = shape.wavefronts(event.first);
                    let least = shape.least_wavefronts();
                    self.count(2 + store, event, wavefronts, least);
                }
            }
            MemorySpace::Local => {
                // Lanes at one offset share a row of 128 bytes: four sectors per word.
                let lanes = event.mask.count_ones() as u64;
                let (sectors, lines) = if shape.low == shape.high {
                    let bytes = lanes * event.width as u64;
                    (bytes.div_ceil(32), bytes.div_ceil(128))
                } else {
                    (lanes, lanes)
                };
                self.lines[2 + store] += lines;
                self.count(4 + store, event, sectors, 0);
            }
            MemorySpace::Constant => {}
        }
    }

    fn masked_ran(&mut self, warp: u32, kind: CompiledAccess, mask: u32, accesses: u32) {
        self.tallies[warp as usize].add(kind as usize, mask, accesses);
    }

    fn next_block(&mut self, _: u64) {
        if self.tallies.iter().any(|tally| tally.all != [0; KINDS] || tally.uneven != 0) {
            self.block_complete();
        }
    }

    fn block_begin(&mut self, start: &Start) {
        self.own = start.cluster.map(|its| its.shared.0);
        let none = || Tally { all: [0; KINDS], single: Box::new([[0; LANES]; KINDS]), uneven: 0 };
        self.tallies.resize_with(start.warps, none);
    }

    #[inline(always)]
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, _: &mut FindingLog) {
        self.count_access(event, shape);
    }

    fn block_complete(&mut self) {
        for tally in &mut self.tallies {
            for kind in 0..KINDS {
                let mut busiest = u64::from(tally.all[kind]);
                if tally.uneven >> kind & 1 != 0 {
                    let single = std::mem::replace(&mut tally.single[kind], [0; LANES]);
                    busiest += u64::from(single.into_iter().max().unwrap_or(0));
                }
                let traffic = &mut self.traffic[kind];
                traffic.most_by_a_thread = traffic.most_by_a_thread.max(busiest);
            }
            (tally.all, tally.uneven) = ([0; KINDS], 0);
        }
    }

    fn add_counts(&self, _: &DecodedModule, counts: &mut Counts) {
        let [gl, gs, sl, ss, ll, ls] = &self.traffic;
        counts.global_loads.add(gl);
        counts.global_stores.add(gs);
        counts.shared_loads.add(sl);
        counts.shared_stores.add(ss);
        counts.local_loads.add(ll);
        counts.local_stores.add(ls);
        let pace = &mut counts.pace;
        let [loads, stores, local_loads, local_stores] = self.lines;
        pace.lines.add(&LinesTouched { loads, stores, local_loads, local_stores });
        pace.atomics.lines += self.atomic_lines;
        pace.atomics.sectors += self.atomic_sectors;
        counts.global_atomics += self.global_atomics;
        counts.shared_atomics += self.shared_atomics;
        counts.bulk_loaded_bytes += self.bulk[0];
        counts.bulk_stored_bytes += self.bulk[1];
        counts.remote_shared_bytes += self.remote_bytes;
        counts.host_read_sectors += self.host[0];
        counts.host_written_sectors += self.host[1];
    }
}
