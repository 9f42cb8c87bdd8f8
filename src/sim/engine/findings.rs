//! Collects findings during a launch: many hits at one place are merged into one finding.

pub use super::side::{Side, SideAddress, ThreadId};
use crate::checks::origin::{CauseCandidate, Origins};
use crate::code::DecodedModule;
use crate::dim3::Dim3;
use crate::evidence::Evidence;
use crate::finding::{Access, AccessKind, Actor, Finding, FindingKind, PointerParameter, Target};
use crate::memory::access::Action;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

#[derive(Clone, Debug)]
struct Entry {
    at: Side,
    other: Option<Side>,
    hits: u64,
    threads: Threads,
    evidence: Vec<Evidence>,
}

/// Most distinct threads counted for one place; beyond that only the hits are counted.
const MAX_THREADS: usize = 1 << 14;

/// The threads that had one finding.
#[derive(Clone, Debug, Default)]
struct Threads {
    seen: BTreeSet<ThreadId>,
    too_many: bool,
}

impl Threads {
    fn of(thread: ThreadId) -> Threads {
        Threads { seen: BTreeSet::from([thread]), too_many: false }
    }

    fn add(&mut self, thread: ThreadId) {
        if !self.too_many && self.seen.insert(thread) {
            self.limit();
        }
    }

    fn join(&mut self, other: Threads) {
        self.too_many |= other.too_many;
        self.seen.extend(other.seen);
        self.limit();
    }

    fn limit(&mut self) {
        if self.too_many || self.seen.len() > MAX_THREADS {
            self.too_many = true;
            self.seen.clear();
        }
    }

    fn count(&self) -> Option<u64> {
        (!self.too_many).then_some(self.seen.len() as u64)
    }
}

/// What a side of a finding refers to, in the learner's terms.
#[derive(Debug)]
pub struct DescribedSide {
    pub target: Target,
    pub parameter: Option<PointerParameter>,
    /// Further evidence for the finding.
    pub evidence: Option<Evidence>,
}

/// Describes a side of a finding.
pub type DescribeSide<'a> = &'a dyn Fn(FindingKind, &Side) -> DescribedSide;

/// Places kept for each kind of finding; hits at further places are dropped.
const MAX_PLACES: usize = 64;

/// `ELEMENTS_AROUND`: elements on either side of an unwritten one whose state is reported. `ROW_ELEMENTS`: the first reported
/// element's index is a multiple of this.
pub const ELEMENTS_AROUND: u64 = 64;
pub const ROW_ELEMENTS: u64 = 32;

/// Which elements of shared memory were written when a thread read one that was not.
#[derive(Clone, Debug)]
pub struct SharedRead {
    pub thread: ThreadId,
    /// Bytes of an element: the width of the access.
    pub width: u64,
    /// Index of the first element in `written`, counted from the beginning of shared memory.
    pub first: u64,
    pub written: Vec<bool>,
}

/// The findings of one host thread, or of a chunk of blocks, while they are collected.
#[derive(Clone, Debug, Default)]
pub struct FindingLog {
    /// Linear index of the running block.
    pub block: u64,
    /// Set when a read of shared memory met bytes that nobody wrote.
    pub unwritten: bool,
    /// Whether the polling load of global memory in progress reads bytes that nobody wrote before the launch.
    pub polls_unset: bool,
    /// Whether undefined values have been met, so that every access is checked for them.
    pub tracks_undefined: bool,
    /// For each instruction, the read of unwritten shared memory by the lowest thread.
    pub shared_reads: BTreeMap<u32, SharedRead>,
    entries: BTreeMap<(FindingKind, u32, Option<u32>), Entry>,
    /// How many entries each kind has.
    places: BTreeMap<FindingKind, usize>,
}

impl FindingLog {
    /// Adds one hit. `evidence` is called only if the place is new or the thread is lower than those seen before.
    pub fn add<E: IntoIterator<Item = Evidence>>(
        &mut self,
        code: FindingKind,
        at: Side,
        other: Option<Side>,
        evidence: impl FnOnce() -> E,
    ) {
        let evidence = || evidence().into_iter().collect();
        let key = (code, at.pc, other.map(|o| o.pc));
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.hits += 1;
            entry.threads.add(at.thread);
            if at.thread < entry.at.thread {
                (entry.at, entry.other, entry.evidence) = (at, other, evidence());
            }
        } else if self.places.get(&code).is_none_or(|&places| places < MAX_PLACES) {
            *self.places.entry(code).or_default() += 1;
            let (threads, evidence) = (Threads::of(at.thread), evidence());
            self.entries.insert(key, Entry { at, other, hits: 1, threads, evidence });
        }
    }

    /// Records the state of shared memory around an unwritten element that a thread read at byte `offset`.
    pub fn shared_read(&mut self, at: &Side, offset: u64, is_written: impl Fn(u64) -> bool) {
        if self.shared_reads.get(&at.pc).is_some_and(|known| known.thread <= at.thread) {
            return;
        }
        let width = u64::from(at.bytes).max(1);
        let first = (offset / width).saturating_sub(ELEMENTS_AROUND) / ROW_ELEMENTS * ROW_ELEMENTS;
        let written = |element: u64| (element * width..(element + 1) * width).all(&is_written);
        let written = (first..offset / width + ELEMENTS_AROUND).map(written).collect();
        self.shared_reads.insert(at.pc, SharedRead { thread: at.thread, width, first, written });
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether an access out of bounds was found at another instruction than `pc`.
    pub fn has_stray_before(&self, pc: u32) -> bool {
        let is_stray =
            |code: FindingKind| matches!(code, FindingKind::OutOfBounds | FindingKind::SharedOutOfBounds);
        self.entries.keys().any(|&(code, at, _)| is_stray(code) && at != pc)
    }

    /// Adds evidence to the finding with the most hits.
    pub fn add_to_most_frequent(&mut self, evidence: Evidence) {
        if let Some(most) = self.entries.values_mut().max_by_key(|entry| entry.hits) {
            most.evidence.push(evidence);
        }
    }

    /// Adds evidence to the reads of undefined values within a range of device addresses. Returns whether there are any.
    pub fn add_to_undefined_reads(&mut self, range: Range<u64>, evidence: &Evidence) -> bool {
        let of = |(&(code, ..), entry): (&(FindingKind, u32, Option<u32>), &mut Entry)| {
            let within = matches!(entry.at.place, SideAddress::Device(at) if range.contains(&at));
            let found = code == FindingKind::Uninitialised && within;
            if found {
                entry.evidence.push(evidence.clone());
            }
            found
        };
        self.entries.iter_mut().map(of).filter(|found| *found).count() > 0
    }

    /// Converts the log to findings in the learner's terms: first those that have no cause among the others; in each part
    /// ordered by kind, then by instruction.
    pub fn into_findings(
        self,
        program: &DecodedModule,
        block_dim: Dim3,
        grid_dim: Dim3,
        origins: &Origins,
        words: DescribeSide,
    ) -> Vec<Finding> {
        let access = |side: Side, described: DescribedSide| Access {
            actor: match side.thread.thread {
                ThreadId::UNKNOWN => Actor::SomeThread,
                _ => Actor::Thread,
            },
            kind: side.kind,
            block: grid_dim.at(side.thread.block),
            thread: match side.thread.thread {
                ThreadId::UNKNOWN => Dim3::new(0, 0, 0),
                thread => block_dim.at(thread.into()),
            },
            location: program.location(side.pc).cloned(),
            calls: program.call_lines(side.pc).to_vec(),
            bytes: side.bytes,
            target: described.target,
            parameter: described.parameter,
        };
        let describe = |(&(code, ..), entry): (&(FindingKind, u32, Option<u32>), &Entry)| CauseCandidate {
            code,
            at: entry.at,
            other: entry.other,
        };
        let all: Vec<CauseCandidate> = self.entries.iter().map(describe).collect();
        let mut findings: Vec<(Finding, Threads)> = Vec::new();
        let raced: Vec<u32> = (self.entries.iter())
            .filter(|((code, ..), _)| *code == FindingKind::SharedRace)
            .flat_map(|(_, entry)| [Some(entry.at.pc), entry.other.map(|o| o.pc)])
            .flatten()
            .collect();
        let of_kind = |kind: FindingKind| {
            let its = self.entries.keys().filter(move |(code, ..)| *code == kind);
            its.map(|&(_, at, other)| (at, other))
        };
        // Copies in flight, by the pcs of reader and writer.
        let copied: Vec<(u32, Option<u32>)> = of_kind(FindingKind::CopyInFlight).collect();
        // Barriers that not all threads reached.
        let missed: Vec<u32> = of_kind(FindingKind::DivergentBarrier).map(|(at, _)| at).collect();
        for ((code, pc, other), entry) in self.entries {
            // A reader other than the copy's own thread is unordered for the same reason: the missing wait.
            if code == FindingKind::SharedRace && copied.contains(&(pc, other)) {
                continue;
            }
            // A read that came before its write because nothing orders them is a race, not a forgotten write. The
            // same holds for the lifetime of another block of the cluster.
            let follows_race = code == FindingKind::ClusterLifetime
                || code == FindingKind::Uninitialised && matches!(entry.at.place, SideAddress::Shared(_));
            if follows_race && raced.contains(&pc) {
                continue;
            }
            let mut evidence = entry.evidence;
            let mut at = words(code, &entry.at);
            evidence.extend(at.evidence.take());
            let sides = [Some(entry.at.pc), entry.other.map(|other| other.pc)];
            let sides: Vec<u32> = sides.into_iter().flatten().collect();
            let cause = origins.cause(code, &sides, &all);
            if let Some((cause, read)) = cause
                && let Some(at) = program.location(read)
            {
                evidence.push(Evidence::AddressFrom { line: at.line, kind: cause });
            }
            let mut follows = cause.map(|(cause, _)| cause);
            // Threads that missed a barrier run ahead of those that wait there.
            // In shared memory they may still be ahead after later barriers, which only they or only the others reach.
            let earliest = |a: u32, b: u32| if code == FindingKind::SharedRace { 0 } else { a.min(b) };
            if let (FindingKind::SharedRace | FindingKind::GlobalRace, &[a, b]) = (code, &sides[..])
                && missed.iter().any(|pc| (earliest(a, b)..a.max(b)).contains(pc))
            {
                follows = follows.or(Some(FindingKind::DivergentBarrier));
            }
            if let (FindingKind::SharedRace, Some(other)) = (code, entry.other)
                && origins.barrier_between(entry.at.pc, other.pc)
            {
                evidence.push(Evidence::BarrierDoesNotOrder);
            }
            // The instruction of a thread that is not known may be that of another reader.
            let are_known = [Some(entry.at), entry.other]
                .iter()
                .flatten()
                .all(|side| side.thread.thread != ThreadId::UNKNOWN);
            let may_write_back = are_known || evidence.contains(&Evidence::WrittenBack);
            evidence.retain(|its| *its != Evidence::WrittenBack);
            if let (FindingKind::GlobalRace, Some(other)) = (code, entry.other)
                && may_write_back
                && (writes_back(program, entry.at.pc, other.pc)
                    || writes_back(program, other.pc, entry.at.pc))
            {
                evidence.push(Evidence::WrittenBack);
            }
            let at = access(entry.at, at);
            let other = entry.other.map(|other| access(other, words(code, &other)));
            // Several instructions of one source line are one finding, and so is a race seen from its other side.
            let same = |(f, _): &&mut (Finding, Threads)| {
                let theirs = (&f.at.location, f.other.as_ref().map(|o| &o.location));
                let ours = (&at.location, other.as_ref().map(|o| &o.location));
                let turned = other.as_ref().map(|o| (&o.location, Some(&at.location)));
                f.kind == code
                    && (theirs == ours
                        || (matches!(code, FindingKind::SharedRace | FindingKind::GlobalRace)
                            && turned == Some(theirs)))
            };
            match findings.iter_mut().find(same) {
                Some((known, threads)) => {
                    if let (FindingKind::OutOfBounds, Target::Buffer { name, .. }) = (code, &at.target)
                        && at.kind == AccessKind::Read
                        && known.at.target.name() != Some(&**name)
                    {
                        let also = Evidence::ReadsAlso(name.clone());
                        if !known.evidence.contains(&also) {
                            known.evidence.push(also);
                        }
                    }
                    known.hits += entry.hits;
                    known.follows = known.follows.or(follows);
                    threads.join(entry.threads);
                }
                None => {
                    let hits = entry.hits;
                    let found = Finding { kind: code, at, other, hits, threads: None, evidence, follows };
                    findings.push((found, entry.threads));
                }
            }
        }
        // What another finding has caused comes after all causes.
        findings.sort_by_key(|(finding, _)| finding.follows.is_some());
        let counted =
            |(finding, threads): (Finding, Threads)| Finding { threads: threads.count(), ..finding };
        findings.into_iter().map(counted).collect()
    }
}

/// Returns whether every thread that executes the load goes on to the store, which has the same address: both are in one
/// basic block, without guards.
fn writes_back(program: &DecodedModule, load: u32, store: u32) -> bool {
    let operation = |pc: u32| {
        let op = program.access_at(pc)?;
        let number = program.insts[pc as usize].detail;
        Some((op, program.details.like.get(number as usize).copied().flatten().unwrap_or(number)))
    };
    let (Some((read, of_read)), Some((written, of_written))) = (operation(load), operation(store)) else {
        return false;
    };
    load < store
        && program.block_of.get(load as usize) == program.block_of.get(store as usize)
        && matches!((read.action, written.action), (Action::Load, Action::Store))
        && (of_read, read.offset) == (of_written, written.offset)
}
