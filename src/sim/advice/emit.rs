//! Turns the tallied details into advice, keeping only what is worth reporting.

use super::branches::{Branch, FirstSplit};
use super::reduction::ReductionSpace;
use super::sites::{Sample, Site, SiteSpace};
use super::values::{self, Seen};
use super::watched::{Watched, watched};
use super::{
    Advice, AdviceReport, BranchSide, Computed, Cost, CostUnit, Details, LineAccess, LineWork, Observation,
    Picture, PictureKind, Profile, Reduction, ReductionPass, nan, reduction,
};
use crate::code::{DecodedModule, Waits};
use crate::engine::findings::SideAddress;
use crate::engine::launch::LaunchContext;
use crate::finding::{Access, AccessKind, Actor, FindingKind, MemoryName, Target};
use crate::lanes::{LANES, lanes_of};
use crate::machine::describe::describe;
use crate::memory::access::{MbarrierEffect, Role};
use crate::occupancy::{BlockNeeds, Multiprocessor};
use std::collections::HashMap;

/// Sectors or wavefronts beyond the minimum below which nothing is reported.
const MIN_EXCESS: u64 = 64;
/// An instruction is reported only if its excess is at least one in this many of all units of its kind that the
/// kernel uses.
const PART: u64 = 10;
/// A branch is reported only if it leaves at least one in this many of the kernel's lane steps idle.
const IDLE_PART: u64 = 5;
/// Splits of one branch, and lane steps left idle by them, below which nothing is reported.
const MIN_SPLITS: u64 = 4;
const MIN_IDLE: u64 = 1 << 14;
/// Average number of lanes at one address from which an atomic is reported.
const CROWD: u64 = 8;
/// Percentage of a multiprocessor's warp slots in use below which the warps count as too few to hide latency.
const FEW_PERCENT: f64 = 50.0;

/// The caller's options, and facts about the launch that the details don't contain.
pub struct AdviceOptions {
    /// Registers per thread; 0 if unknown.
    pub registers: u32,
    pub capability: (u32, u32),
    /// Whether to report differences of nearly equal values (cancellation) as well.
    pub strict_floats: bool,
}

/// Returns the advice of one launch, sorted by kind and place.
pub fn emit(details: &Details, launch: &LaunchContext, options: &AdviceOptions) -> AdviceReport {
    let mut all = Vec::new();
    let emitter = Emitter { launch, details };
    for (pc, site) in emitter.sites_by_line() {
        all.extend(emitter.site(pc, &site));
    }
    for (pc, branch) in &details.branches {
        all.extend(emitter.branch(*pc, branch));
    }
    for (pc, barrier) in &details.barriers {
        if !barrier.needed {
            let blocks = launch.extents.grid.count().max(1);
            let observation = Observation::Barrier { times_per_block: (barrier.times / blocks).max(1) };
            all.push(Advice {
                hits: barrier.times,
                cost: Some(Cost { unit: CostUnit::Barriers, yours: barrier.times, least: 0 }),
                ..emitter.plain(FindingKind::RedundantBarrier, observation, *pc, 0, 0)
            });
        }
    }
    for ((code, pc), seen) in &details.values {
        all.extend(emitter.values(*code, *pc, seen, options));
    }
    all.extend(emitter.occupancy(options));
    all.extend(emitter.local_array());
    let needed = details.barriers.iter().filter(|(_, barrier)| barrier.needed);
    let needed = needed.filter_map(|(pc, _)| launch.code.location(*pc).cloned()).collect();
    let mut advice_report = AdviceReport { list: fold(all), needed, profile: emitter.profile() };
    advice_report.join(AdviceReport::default());
    advice_report
}

/// Merges the advice of several instructions on one source line into one piece.
fn fold(all: Vec<Advice>) -> Vec<Advice> {
    let mut folded: Vec<Advice> = Vec::new();
    for advice in all {
        let same = |known: &&mut Advice| {
            known.kind == advice.kind
                && known.at.location.as_ref().map(|l| (&l.file, l.line))
                    == advice.at.location.as_ref().map(|l| (&l.file, l.line))
                && advice.at.location.is_some()
                && known.observation.is_like(&advice.observation)
        };
        match folded.iter_mut().find(same) {
            Some(known) => {
                known.hits += advice.hits;
                known.observation.add(&advice.observation);
                if let (Some(known), Some(cost)) = (&mut known.cost, advice.cost) {
                    known.yours += cost.yours;
                    known.least += cost.least;
                }
            }
            None => folded.push(advice),
        }
    }
    folded.sort_by_key(|advice| advice.kind);
    folded
}

struct Emitter<'a> {
    launch: &'a LaunchContext<'a>,
    details: &'a Details,
}

impl Emitter<'_> {
    /// Returns a thread's access record for an instruction, without a memory target.
    fn access(&self, pc: u32, block: u64, thread: u32) -> Access {
        Access {
            block: self.launch.extents.grid.at(block),
            thread: self.launch.extents.block.at(u64::from(thread)),
            calls: self.launch.code.call_lines(pc).to_vec(),
            ..Access::by(Actor::Thread, self.launch.code.location(pc).cloned())
        }
    }

    /// Creates a piece of advice about an instruction, without a cost or a picture.
    fn plain(&self, kind: FindingKind, observation: Observation, pc: u32, block: u64, thread: u32) -> Advice {
        let at = self.access(pc, block, thread);
        Advice { kind, observation, at, hits: 1, cost: None, run: None, picture: None }
    }

    /// Returns a warp's access as seen by its lowest active lane, and a picture of the access by all its lanes.
    fn pictured(&self, pc: u32, site: &Site, sample: &Sample) -> (Access, Picture) {
        let shared = matches!(site.place, SiteSpace::Shared | SiteSpace::Atomic { shared: true });
        let lane = sample.mask.trailing_zeros() % LANES as u32;
        let place =
            if shared { SideAddress::Shared(sample.first) } else { SideAddress::Device(sample.first) };
        let target = describe(self.launch, place);
        let from = match &target {
            Target::Buffer { offset_bytes, .. } | Target::Constant { offset_bytes, .. } => *offset_bytes,
            _ => sample.first as i64,
        };
        let picture = picture(if shared { PictureKind::Banks } else { PictureKind::Sectors }, from, sample);
        let kind = match site.place {
            SiteSpace::Atomic { .. } => AccessKind::Atomic,
            _ if site.writes => AccessKind::Write,
            _ => AccessKind::Read,
        };
        let plain = self.access(pc, sample.block, sample.warp * LANES as u32 + lane);
        (Access { kind, bytes: sample.width, target, ..plain }, picture)
    }

    /// Creates a piece of advice about a warp's access, with its picture.
    fn sampled(
        &self,
        kind: FindingKind,
        observation: Observation,
        (pc, site): (u32, &Site),
        sample: &Sample,
    ) -> Advice {
        let (at, picture) = self.pictured(pc, site, sample);
        Advice { kind, observation, at, hits: site.requests, cost: None, run: None, picture: Some(picture) }
    }

    /// Collects the work by source line.
    fn profile(&self) -> Profile {
        let code = self.launch.code;
        let mut profile = Profile::default();
        for (pc, count) in self.details.executed.iter().enumerate().filter(|(_, count)| **count > 0) {
            if let Some(at) = code.location(pc as u32) {
                profile.add_line(at, LineWork { instructions: *count, ..LineWork::default() });
            }
        }
        for block in &code.blocks {
            let runs = self.details.executed.get(block.start as usize).copied().unwrap_or(0);
            for (pc, step) in block.steps.iter().filter(|_| runs > 0) {
                let times = |steps: u64| runs * steps;
                let waits = Waits {
                    arithmetic: times(step.arithmetic),
                    special: times(step.special),
                    shared: times(step.shared),
                    global: times(step.global).div_ceil(u64::from(block.together.max(1))),
                };
                if let Some(at) = code.location(*pc) {
                    profile.add_line(at, LineWork { instructions: 0, waits });
                }
            }
        }
        for (pc, site) in &self.details.sites {
            if site.place == SiteSpace::Local {
                continue;
            }
            let Some(sample) = site.worst.as_deref() else { continue };
            let (at, picture) = self.pictured(*pc, site, sample);
            let (requests, units, least) = (site.requests, site.units, site.least);
            profile.add_access(LineAccess { at, requests, units, least, picture });
        }
        profile.reductions = self.details.reductions.iter().map(|seen| self.reduction(seen)).collect();
        profile
    }

    /// Adds the array's name and turns element numbers into indices from the start of the array.
    fn reduction(&self, seen: &reduction::Seen) -> Reduction {
        let (array, start) = match seen.place {
            ReductionSpace::Lanes => (None, 0),
            ReductionSpace::Shared => {
                let first = seen.into * reduction::WIDTH;
                match describe(self.launch, SideAddress::Shared(first)) {
                    Target::Shared { name, offset_bytes, .. } => {
                        (Some(name), first.saturating_add_signed(-offset_bytes) / reduction::WIDTH)
                    }
                    _ => (Some(MemoryName::Shared), 0),
                }
            }
        };
        let element = |n: u64| n.saturating_sub(start);
        let pass = |pass: &reduction::Pass| ReductionPass {
            location: self.launch.code.location(pass.pc).cloned(),
            moves: pass.moves.iter().map(|(to, from)| (element(*to), element(*from))).collect(),
            takers: pass.takers,
        };
        Reduction { array, into: element(seen.into), passes: seen.passes.iter().map(pass).collect() }
    }

    /// Returns the role of a memory instruction; the default role for any other instruction.
    fn role(&self, pc: u32) -> Role {
        self.launch.code.access_at(pc).map_or(Role::default(), |op| op.role)
    }

    /// Returns the units (sectors, wavefronts or passes) of all sites of one kind.
    fn all_units(&self, place: SiteSpace) -> u64 {
        self.details.sites.values().filter(|site| site.place == place).map(|site| site.units).sum()
    }

    /// Merges the sites of one source line and one kind, since an unrolled loop has many of them. Each merged site is
    /// listed under the instruction with the worst access.
    fn sites_by_line(&self) -> Vec<(u32, Site)> {
        let mut lines: Vec<(u32, Site)> = Vec::new();
        let mut known: HashMap<(u32, SiteSpace, bool), usize> = HashMap::new();
        for (pc, site) in &self.details.sites {
            let line = self.launch.code.location(*pc).map_or(u32::MAX - pc, |at| at.line);
            let place = *known.entry((line, site.place, site.writes)).or_insert(lines.len());
            match lines.get_mut(place) {
                Some((of, sum)) => {
                    let worst = sum.worst.clone();
                    sum.add(site);
                    if sum.worst != worst {
                        *of = *pc;
                    }
                }
                None => lines.push((*pc, site.clone())),
            }
        }
        lines
    }

    fn site(&self, pc: u32, site: &Site) -> Option<Advice> {
        let excess = site.units.saturating_sub(site.least);
        let sample = site.worst.as_deref()?;
        let much = |all: u64| excess >= MIN_EXCESS && excess >= all / PART && site.units >= site.least * 2;
        let cost = |unit| Some(Cost { unit, yours: site.units, least: site.least });
        match site.place {
            // Which lane loads which part of a matrix fragment is fixed by the hardware, not by the programmer.
            SiteSpace::Global if self.role(pc).fragment => None,
            // An arrival at an mbarrier is not an atomic update of data.
            SiteSpace::Atomic { .. } if self.role(pc).object != MbarrierEffect::Nothing => None,
            // A factor of two is inherent in some accesses, such as those to pairs of values.
            SiteSpace::Global
                if much(self.all_units(SiteSpace::Global))
                    && (site.units > site.least * 2 || is_strided(sample)) =>
            {
                let sectors = picture(PictureKind::Sectors, (sample.first % 32) as i64, sample).units();
                let observation = Observation::Sectors {
                    lanes: sample.mask.count_ones(),
                    sectors,
                    least: sectors.saturating_sub(sample.excess),
                    stride: stride(sample),
                    has_gaps: has_gaps(sample),
                    loads: if site.writes { 0 } else { site.requests },
                    stores: if site.writes { site.requests } else { 0 },
                };
                let advice = self.sampled(FindingKind::Uncoalesced, observation, (pc, site), sample);
                Some(Advice { cost: cost(CostUnit::Sectors), ..advice })
            }
            SiteSpace::Shared if much(self.all_units(SiteSpace::Shared)) => {
                let (bank, lanes) = busiest_bank(sample);
                let observation = Observation::Banks { bank, lanes };
                let advice = self.sampled(FindingKind::BankConflict, observation, (pc, site), sample);
                Some(Advice { cost: cost(CostUnit::Wavefronts), ..advice })
            }
            SiteSpace::Atomic { .. } if site.units >= CROWD * site.requests && excess >= MIN_EXCESS => {
                let observation = Observation::Atomics { lanes: sample.excess + 1 };
                let advice = self.sampled(FindingKind::HotAtomic, observation, (pc, site), sample);
                Some(Advice { cost: cost(CostUnit::Passes), picture: None, ..advice })
            }
            _ => None,
        }
    }

    fn branch(&self, pc: u32, branch: &Branch) -> Option<Advice> {
        let all = self.details.lane_steps;
        let split = branch.kind()?;
        if branch.splits < MIN_SPLITS || branch.idle < (all / IDLE_PART).max(MIN_IDLE) {
            return None;
        }
        let FirstSplit { block, warp, ways } = branch.first?;
        let inst = self.launch.code.insts.get(pc as usize)?;
        let line = |pc: u32| self.launch.code.location(pc).map(|at| at.line);
        let way = |lanes, pc| BranchSide { lanes, line: line(pc) };
        let observation = Observation::Divergence {
            split,
            splits: branch.splits,
            times: branch.times,
            percent: branch.idle * 100 / all.max(1),
            ways: [way(ways[0], inst.detail), way(ways[1], pc + 1)],
        };
        Some(Advice {
            hits: branch.splits,
            cost: Some(Cost { unit: CostUnit::IdleLaneSteps, yours: branch.idle, least: 0 }),
            ..self.plain(FindingKind::Divergence, observation, pc, block, warp * LANES as u32)
        })
    }

    fn values(&self, code: FindingKind, pc: u32, seen: &Seen, options: &AdviceOptions) -> Option<Advice> {
        let skip = match code {
            FindingKind::NotANumber | FindingKind::Infinity => !seen.stored,
            FindingKind::Cancellation => !options.strict_floats,
            _ => false,
        };
        if skip {
            return None;
        }
        let observation = Observation::Value(computed(self.launch.code, pc, seen)?);
        Some(Advice { hits: seen.hits, ..self.plain(code, observation, pc, seen.block, seen.thread) })
    }

    fn occupancy(&self, options: &AdviceOptions) -> Option<Advice> {
        let multiprocessor = Multiprocessor::of(options.capability.0, options.capability.1)?;
        let threads = self.launch.extents.block_threads() as u32;
        let shared_bytes = self.launch.extents.shared_bytes.min(u64::from(u32::MAX)) as u32;
        let occupancy =
            multiprocessor.occupancy(BlockNeeds { threads, registers: options.registers, shared_bytes });
        let room = u64::from(occupancy.blocks) * u64::from(self.launch.gpu.multiprocessors);
        // A `Gpu` with a single multiprocessor does not describe a real GPU.
        let small = self.launch.gpu.multiprocessors < 2 || self.launch.extents.grid.count() < room;
        if occupancy.blocks == 0 || small || occupancy.percent() >= FEW_PERCENT {
            return None;
        }
        let observation = Observation::Occupancy {
            limit: *occupancy.limits.first()?,
            kernel: self.launch.kernel.name.clone(),
            threads,
            registers: options.registers,
            shared_bytes,
            blocks: occupancy.blocks,
            warps: occupancy.warps,
            most_warps: occupancy.max_warps,
        };
        let start =
            self.launch.code.functions.get(self.launch.kernel.function as usize).and_then(|f| f.start);
        Some(Advice {
            cost: Some(Cost {
                unit: CostUnit::Warps,
                yours: u64::from(occupancy.warps),
                least: u64::from(occupancy.max_warps),
            }),
            ..self.plain(FindingKind::LowOccupancy, observation, start.unwrap_or(u32::MAX), 0, 0)
        })
    }

    /// Reports local-memory traffic of an array, at the instruction that loads most from it. Arrays whose addresses
    /// never vary are left out: the compiler keeps them in registers in the end.
    fn local_array(&self) -> Option<Advice> {
        let local = || self.details.sites.iter().filter(|(_, site)| site.place == SiteSpace::Local);
        // Arguments of printf are stored to local memory too, but the kernel never loads them.
        let (pc, most) = local()
            .filter(|(_, site)| !site.writes)
            .max_by_key(|(pc, site)| (site.units, std::cmp::Reverse(**pc)))?;
        let sum = |part: fn(&Site) -> u64| local().map(|(_, site)| part(site)).sum::<u64>();
        if !local().any(|(_, site)| site.varies()) {
            return None;
        }
        let (requests, sectors) = (sum(|site| site.requests), sum(|site| site.units));
        if sectors < MIN_EXCESS {
            return None;
        }
        let sample = most.worst.as_deref()?;
        let observation = Observation::LocalArray { requests, sectors };
        Some(Advice {
            hits: requests,
            cost: Some(Cost { unit: CostUnit::Sectors, yours: sectors, least: 0 }),
            ..self.plain(FindingKind::LocalArray, observation, *pc, sample.block, sample.warp * LANES as u32)
        })
    }
}

/// Returns a picture of a sample whose first lane is at byte `first` of the picture.
fn picture(kind: PictureKind, first: i64, sample: &Sample) -> Picture {
    let at = |lane: usize| first.wrapping_add(sample.offsets[lane]);
    let lanes = (0..LANES).map(|lane| (sample.mask >> lane & 1 != 0).then(|| at(lane))).collect();
    Picture { kind, width: sample.width, lanes }
}

/// Returns whether there are unused bytes between the lanes' accesses.
fn is_strided(sample: &Sample) -> bool {
    stride(sample).is_some_and(|step| step.unsigned_abs() > u64::from(sample.width))
}

/// Returns the distance in bytes between neighbouring lanes, if at least three quarters of the neighbours have the
/// same.
fn stride(sample: &Sample) -> Option<i64> {
    let pairs: Vec<i64> = (1..LANES)
        .filter(|lane| sample.mask >> (lane - 1) & 3 == 3)
        .map(|lane| sample.offsets[lane] - sample.offsets[lane - 1])
        .collect();
    let most =
        pairs.iter().copied().max_by_key(|step| pairs.iter().filter(|other| *other == step).count())?;
    let same = pairs.iter().filter(|step| **step == most).count();
    (same * 4 >= pairs.len() * 3).then_some(most)
}

/// Returns whether the active lanes lie side by side, but for gaps where other lanes are not active.
fn has_gaps(sample: &Sample) -> bool {
    let mut lanes = lanes_of(sample.mask);
    let Some(first) = lanes.next() else { return false };
    let mut last = first;
    let in_order = lanes.all(|lane| {
        last = lane;
        sample.offsets[lane] == (lane - first) as i64 * i64::from(sample.width)
    });
    in_order && (last - first + 1) as u32 > sample.mask.count_ones()
}

/// Returns the bank from which the most distinct words are requested, and for each of those words the lowest lane
/// that requests it.
fn busiest_bank(sample: &Sample) -> (u32, Vec<usize>) {
    let picture = picture(PictureKind::Banks, (sample.first % 128) as i64, sample);
    let banks = picture.words_by_bank();
    let busiest = (0..32).max_by_key(|bank| (banks[*bank].len(), 32 - bank)).unwrap_or(0);
    let width = i64::from(sample.width);
    let requests = |from: &Option<i64>, word: i64| {
        from.is_some_and(|from| (from.div_euclid(4)..=(from + width - 1).div_euclid(4)).contains(&word))
    };
    let lowest = |word: &i64| picture.lanes.iter().position(|from| requests(from, *word));
    let mut lanes: Vec<usize> = banks[busiest].iter().filter_map(lowest).collect();
    lanes.dedup();
    (busiest as u32, lanes)
}

/// Returns what a watched instruction computed: its operands and its result.
fn computed(code: &DecodedModule, pc: u32, seen: &Seen) -> Option<Computed> {
    let all = code.watched.get_or_init(|| watched(code));
    let signed = |bits: u64| bits as u32 as i32;
    Some(match *all.get(pc as usize)? {
        Watched::Nothing => return None,
        Watched::Float { bytes, op } => {
            let operands = seen.operands.map(|bits| values::float(bits, bytes));
            let result = values::float(seen.result, bytes);
            Computed::Float { op, bytes, operands, result, cause: nan::cause(op, operands) }
        }
        Watched::Index(op) => Computed::Index {
            op,
            operands: seen.operands.map(signed),
            result: signed(seen.result),
            exact: values::index(op, &seen.operands),
        },
        Watched::Truncate { bytes, least, most } => {
            Computed::Truncated { bytes, value: values::float(seen.operands[0], bytes), least, most }
        }
        Watched::Narrow { from, to } => Computed::Narrowed {
            from,
            to,
            value: values::float(seen.operands[0], from),
            result: values::float(seen.result, to),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(width: u32, first: u64, offset: impl Fn(i64) -> i64) -> Sample {
        let offsets = std::array::from_fn(|lane| offset(lane as i64));
        Sample { block: 0, warp: 0, mask: u32::MAX, width, first, offsets, excess: 0 }
    }

    #[test]
    fn a_stride_is_that_of_most_neighbours() {
        assert_eq!(stride(&sample(4, 0, |lane| lane * 128)), Some(128));
        assert_eq!(stride(&sample(4, 0, |lane| lane % 16 * 4)), Some(4));
        assert_eq!(stride(&sample(4, 0, |lane| lane * lane * 4)), None);
    }

    #[test]
    fn gaps_are_left_by_lanes_that_are_not_active() {
        let of = |mask, step| has_gaps(&Sample { mask, ..sample(4, 0, |lane| (lane - 1) * step) });
        assert!(of(0x0606_0606, 4));
        assert!(!of(0x0606_0606, 8) && !of(0x0000_00fe, 4) && !of(0x0000_0002, 4));
    }

    #[test]
    fn the_busiest_bank_is_named_with_its_lanes() {
        let (bank, lanes) = busiest_bank(&sample(4, 0, |lane| lane * 128));
        assert_eq!((bank, lanes.len()), (0, 32));
        let (bank, lanes) = busiest_bank(&sample(4, 4, |lane| lane % 2 * 128));
        assert_eq!((bank, lanes), (1, vec![0, 1]));
        assert_eq!(busiest_bank(&sample(4, 0, |lane| lane * 4)).1.len(), 1);
    }
}
