//! Findings about a program's use of CUDA: one for each defect, naming both sides involved.

use super::Runtime;
use super::allocations::{Allocation, Allocations, Kind};
use crate::device::Site;
use sim::{
    Access, AccessKind, Act, Actor, CudaAllocation, CudaMemoryKind, Evidence, Finding, FindingKind,
    HostBlockKind, HostMemoryKind, MemoryName, Operation, SourceLocation, Target,
};

/// Returns the side of a finding for what a call, or a launch, does or is given.
pub fn call_side(act: Act, site: &Site) -> Access {
    operation_side(Operation { request: site.what.clone(), act }, &site.location)
}

/// Returns the side of a finding for an act that is not a call.
pub fn side(act: Act, at: &Option<SourceLocation>) -> Access {
    operation_side(act.into(), at)
}

fn operation_side(operation: Operation, at: &Option<SourceLocation>) -> Access {
    Access::by(Actor::Operation(operation), at.clone())
}

fn freed_here(name: &MemoryName, freed: &Site) -> Access {
    side(Act::Freed { memory: name.clone(), by: freed.what.clone() }, &freed.location)
}

/// Addresses below this are taken for a null pointer plus an index.
pub const NULL_BYTES: u64 = 1 << 20;

/// Returns the access of the host's own code to memory that is not pageable.
pub fn host_access(allocations: &Allocations, address: u64, bytes: u64, write: bool, site: &Site) -> Access {
    let found = allocations.around(address);
    let target = found.map_or(Target::Nowhere { address }, |found| found.target(address));
    let kind = if write { AccessKind::Write } else { AccessKind::Read };
    let bytes = bytes.min(u32::MAX.into()) as u32;
    Access { kind, bytes, target, ..Access::by(Actor::Host, site.location.clone()) }
}

/// Returns the side of a finding that says where an allocation was made.
pub fn made(allocation: &Allocation) -> Access {
    side(Act::Made(described(allocation)), &allocation.made.location)
}

/// Returns an allocation as findings describe it.
pub fn described(allocation: &Allocation) -> CudaAllocation {
    let Allocation { name, bytes, kind, .. } = allocation;
    CudaAllocation { name: name.clone(), bytes: *bytes, kind: memory_kind(*kind) }
}

/// Returns the kind of memory as findings name it, whichever call allocated it.
pub fn memory_kind(kind: Kind) -> CudaMemoryKind {
    match kind {
        Kind::Device(_) | Kind::Pool(_) | Kind::Variable(Some(_)) => CudaMemoryKind::Device,
        Kind::Array(_) => CudaMemoryKind::Array,
        Kind::Pinned => CudaMemoryKind::Pinned,
        Kind::Registered => CudaMemoryKind::Registered,
        Kind::Managed | Kind::Variable(None) => CudaMemoryKind::Managed,
    }
}

/// Returns the kind of pageable memory as findings name it.
pub fn host_memory_kind(kind: HostBlockKind) -> HostMemoryKind {
    match kind {
        HostBlockKind::Heap => HostMemoryKind::Heap,
        HostBlockKind::Stack => HostMemoryKind::Local,
        HostBlockKind::Variable(_) => HostMemoryKind::Variable,
        HostBlockKind::Freed => HostMemoryKind::Freed,
    }
}

/// Merges findings of several launches of a kernel at the same places into the first of them, with the hits
/// of all and the number of launches.
pub fn fold_launches(findings: Vec<Finding>) -> Vec<Finding> {
    type Places<'a> = (FindingKind, Option<&'a SourceLocation>, Option<&'a SourceLocation>);
    fn places(f: &Finding) -> Places<'_> {
        (f.kind, f.at.location.as_ref(), f.other.as_ref().and_then(|other| other.location.as_ref()))
    }
    let mut folded: Vec<(Finding, u64)> = Vec::new();
    for finding in findings {
        let of_kernel = finding.at.actor == Actor::Thread && finding.at.location.is_some();
        let known = folded.iter_mut().find(|(known, _)| {
            of_kernel && known.at.actor == Actor::Thread && places(known) == places(&finding)
        });
        match known {
            Some((known, launches)) => {
                known.hits = known.hits.saturating_add(finding.hits);
                *launches += 1;
            }
            None => folded.push((finding, 1)),
        }
    }
    let describe = |(mut finding, launches): (Finding, u64)| {
        if launches > 1 {
            finding.evidence.push(Evidence::SameInLaunches(launches));
        }
        finding
    };
    folded.into_iter().map(describe).collect()
}

impl Runtime {
    /// Records a defect; a repetition at the same places counts as another hit.
    pub fn find(
        &mut self,
        code: FindingKind,
        at: Access,
        other: Option<Access>,
        evidence: Vec<Evidence>,
    ) -> &mut Finding {
        let place = |access: &Access| access.location.clone();
        let same = |f: &Finding| {
            f.kind == code
                // Launches of one line that are refused for different reasons are as many mistakes.
                && (code != FindingKind::InvalidLaunch || f.evidence == evidence)
                // So are things of several kinds that one line makes and nothing frees.
                && (code != FindingKind::Leak || f.at.actor == at.actor)
                && place(&f.at) == place(&at)
                && f.other.as_ref().map(place) == other.as_ref().map(place)
        };
        let known = self.findings.iter().position(same);
        let at = known.unwrap_or_else(|| {
            self.findings.push(Finding { other, hits: 0, evidence, ..Finding::new(code, at) });
            self.findings.len() - 1
        });
        let found = &mut self.findings[at];
        found.hits += 1;
        found
    }

    /// Adds what the GPUs have found. A call that was seen to give host memory is no second mistake where it runs.
    pub fn add_findings(&mut self, found: Vec<Finding>) {
        let is_known = |new: &Finding| {
            let same = |f: &Finding| f.kind == new.kind && f.at.location == new.at.location;
            new.kind == FindingKind::HostPointerGiven && self.findings.iter().any(same)
        };
        let new: Vec<Finding> = found.into_iter().filter(|finding| !is_known(finding)).collect();
        self.findings.extend(new);
    }

    /// Records a use of freed memory.
    pub fn used_after_free(&mut self, allocation: &Allocation, act: Act, site: &Site) {
        let other = allocation.freed.as_ref().map(|freed| freed_here(&allocation.name, freed));
        self.find(FindingKind::UseAfterFree, call_side(act, site), other, Vec::new());
    }

    /// Adds to each use after free by a kernel the place where the memory was freed. If memory of that name
    /// and size was freed at several places, it is not known which one applies, and nothing is added.
    pub fn add_free_sites(&mut self) {
        for finding in &mut self.findings {
            let (FindingKind::UseAfterFree, None, Target::Buffer { name, size_bytes, .. }) =
                (finding.kind, &finding.other, &finding.at.target)
            else {
                continue;
            };
            let its = |a: &&Allocation| a.name == *name && a.bytes == *size_bytes;
            let mut frees = self.allocations.iter().filter(its).map(|a| a.freed.as_ref());
            let Some(Some(first)) = frees.next() else { continue };
            let same = |freed: Option<&Site>| freed.is_none_or(|freed| freed.location == first.location);
            if frees.all(same) {
                finding.other = Some(freed_here(name, first));
            }
        }
    }

    /// Adds to each null pointer that a kernel dereferences an allocation of no bytes: the last that set a pointer to
    /// null which the launch names, on its first line or a later one.
    pub fn add_empty_allocations(&mut self) {
        for finding in self.findings.iter_mut().filter(|its| its.kind == FindingKind::NullPointer) {
            let launched = finding.evidence.iter().find_map(|fact| match fact {
                Evidence::FoundIn { line, file, .. } => line.map(|line| (line, file.clone())),
                _ => None,
            });
            let (Some((line, file)), Some(at)) = (launched, &finding.at.location) else { continue };
            let at = SourceLocation { line, file: file.unwrap_or_else(|| at.file.clone()), ..at.clone() };
            let source = self.source.file_of(&at);
            let empty = self.allocations.empty.iter().rev();
            let known = empty.filter_map(|(pointer, site)| {
                let line = site.location.as_ref()?.line;
                let request = site.what.function().into();
                source.statement_contains(&at, pointer).then(|| Evidence::AskedForNothing {
                    request,
                    line,
                    pointer: pointer.clone(),
                })
            });
            finding.evidence.extend(known.take(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Request;

    fn found(code: FindingKind, line: u32, launched: u32) -> Finding {
        let mut at = side(Act::IsAsked, &Some(SourceLocation { file: "a.cu".into(), line, column: 1 }));
        at.actor = Actor::Thread;
        let work = Operation { request: Request::Launch(Some("f".into())), act: Act::IsAsked };
        let evidence = vec![Evidence::FoundIn { work, line: Some(launched), file: None }];
        Finding { hits: 3, threads: Some(3), evidence, ..Finding::new(code, at) }
    }

    #[test]
    fn launches_with_the_same_finding_are_told_of_once() {
        let all = [
            found(FindingKind::SharedRace, 4, 10),
            found(FindingKind::SharedRace, 4, 11),
            found(FindingKind::SharedRace, 5, 10),
            found(FindingKind::OutOfBounds, 4, 10),
            found(FindingKind::SharedRace, 4, 10),
        ];
        let folded = fold_launches(all.to_vec());
        let kept: Vec<(FindingKind, u32, u64, usize)> = (folded.iter())
            .map(|f| (f.kind, f.at.location.as_ref().map_or(0, |at| at.line), f.hits, f.evidence.len()))
            .collect();
        let (race, outside) = (FindingKind::SharedRace, FindingKind::OutOfBounds);
        assert_eq!(kept, [(race, 4, 9, 2), (race, 5, 3, 1), (outside, 4, 3, 1)]);
        assert_eq!(folded[0].evidence[1], Evidence::SameInLaunches(3));
        let host: Vec<Finding> =
            (0..2).map(|_| Finding { at: side(Act::IsAsked, &None), ..found(outside, 1, 1) }).collect();
        assert_eq!(fold_launches(host).len(), 2);
    }
}
