//! Faults of a host thread as findings in the learner's terms.

use super::call::CALL_BYTES;
use super::environment::Stop;
use super::memory::{Fault, FaultKind, HostBlock, HostBlockKind};
use super::thread::HostThread;
use crate::evidence::{Distance, Evidence, HostBlockName, HostRelease, NotABlock};
use crate::finding::{
    Access, AccessKind, Actor, AllocatedBy, Finding, FindingKind, HostPart, SourceLocation, Target,
};
use crate::memory::LOCAL_WINDOW;
use crate::run_limit::{LimitReached, RunLimit};

impl HostThread<'_> {
    /// Returns the stop for a limit that was reached, at the line in progress unless it has a line already.
    pub fn limit(&self, reached: impl Into<LimitReached>) -> Stop {
        let LimitReached { line, limit } = reached.into();
        Stop::Limit(LimitReached { line: line.or(self.location().map(|at| at.line)), limit })
    }

    /// Returns the stop for an access, or a `free`, that memory refused, at the line in progress.
    pub fn fault(&self, fault: Fault, kind: AccessKind) -> Stop {
        let Fault { address, bytes, .. } = fault;
        let nowhere = Target::Nowhere { address };
        let (code, target, evidence) = match &fault.kind {
            FaultKind::Limit(limit) => {
                return self.limit(RunLimit::HostMemory { asked_bytes: bytes, most_bytes: *limit });
            }
            FaultKind::Null if self.memory.refused().is_some() => {
                let (asked_bytes, asked, most_bytes) = self.memory.refused().unwrap_or_default();
                let asked_line = asked.map(|at| at.line);
                return self.limit(RunLimit::RefusedMemory { asked_bytes, asked_line, most_bytes });
            }
            FaultKind::Null => {
                let address = if address >= LOCAL_WINDOW { address - LOCAL_WINDOW } else { address };
                (FindingKind::HostNullPointer, Target::Nowhere { address }, Vec::new())
            }
            FaultKind::Elsewhere if bytes == 0 => (FindingKind::HostBadFree, nowhere, Vec::new()),
            FaultKind::Elsewhere => (FindingKind::HostOutOfBounds, nowhere, Vec::new()),
            FaultKind::OutOfBounds { nearest: None, .. } => {
                (FindingKind::HostOutOfBounds, nowhere, Vec::new())
            }
            FaultKind::OutOfBounds { nearest: Some(block), made } => {
                let mut evidence = vec![distance(address, block, self.memory.name_of(block.start))];
                evidence.extend(made.as_ref().map(|at| Evidence::AllocatedAt(at.line)));
                (FindingKind::HostOutOfBounds, self.target(address, block), evidence)
            }
            FaultKind::Freed { block, freed } => {
                let code =
                    if bytes == 0 { FindingKind::HostDoubleFree } else { FindingKind::HostUseAfterFree };
                let evidence = freed.iter().map(|at| Evidence::FreedAt(at.line));
                (code, self.target(address, block), evidence.collect())
            }
            FaultKind::Reserved { block, made } => {
                let line = made.as_ref().map(|at| at.line);
                let evidence = vec![Evidence::OnlyReserved { line }];
                (FindingKind::HostNoElement, self.target(address, block), evidence)
            }
            FaultKind::NotABlock(Some(block)) => {
                let offset = address.wrapping_sub(block.start);
                let what = match block.kind {
                    HostBlockKind::Heap => NotABlock::Inside { offset },
                    HostBlockKind::Variable(n) => NotABlock::Variable(self.variable_name(n)),
                    _ => NotABlock::Local,
                };
                (FindingKind::HostBadFree, self.target(address, block), vec![Evidence::NotABlock(what)])
            }
            FaultKind::NotABlock(None) => (FindingKind::HostBadFree, nowhere, Vec::new()),
            FaultKind::DeadStack => {
                (FindingKind::HostDeadLocal, Target::Host { part: HostPart::Stack }, Vec::new())
            }
            FaultKind::DeviceVariable(number) => {
                let start = self.memory.address_of_variable(*number).unwrap_or(address);
                let bytes = self.module.code.variables.get(*number as usize).map_or(0, |v| v.bytes);
                let block = HostBlock { start, bytes, kind: HostBlockKind::Variable(*number) };
                (FindingKind::HostDeviceVariable, self.target(address, &block), Vec::new())
            }
        };
        self.finding(code, kind, bytes as u32, target, evidence)
    }

    fn variable_name(&self, number: u32) -> std::sync::Arc<str> {
        self.module.code.variables.get(number as usize).map_or_else(|| "?".into(), |v| v.name.clone())
    }

    /// Describes a block as the target of an access.
    fn target(&self, address: u64, block: &HostBlock) -> Target {
        let (size_bytes, offset_bytes) = (block.bytes, address.wrapping_sub(block.start) as i64);
        let name = match block.kind {
            HostBlockKind::Heap | HostBlockKind::Freed => self.memory.name_of(block.start),
            HostBlockKind::Variable(number) => Some(self.variable_name(number)),
            HostBlockKind::Stack => return Target::Host { part: HostPart::Stack },
        };
        match name {
            Some(name) => Target::Buffer { name: name.into(), size_bytes, offset_bytes },
            None => Target::Allocated { by: AllocatedBy::Host, size_bytes, offset_bytes },
        }
    }

    /// Describes what an address of the thread's memory points to.
    pub(super) fn target_of(&self, address: u64) -> Target {
        let block = self.memory.block(address);
        block.map_or(Target::Nowhere { address }, |block| self.target(address, &block))
    }

    /// Returns the finding for a block that is about to be released at this address by other means than it was allocated
    /// for, and where it starts.
    pub fn mismatched_release(&self, address: u64, released: HostRelease) -> Option<(Finding, u64)> {
        let (start, allocated, made) = self.memory.mismatched(address, released)?;
        let line = self.memory.location(made).map(|at| at.line);
        let evidence = vec![Evidence::ReleasedAs { allocated, line, released }];
        let (code, target) = (FindingKind::HostMismatchedFree, self.target_of(start));
        Some((self.defect(code, AccessKind::Write, 0, target, evidence), start))
    }

    /// Returns the stop for a finding of this thread at the line in progress.
    pub fn finding(
        &self,
        code: FindingKind,
        kind: AccessKind,
        bytes: u32,
        target: Target,
        evidence: Vec<Evidence>,
    ) -> Stop {
        Stop::Finding(Box::new(self.defect(code, kind, bytes, target, evidence)))
    }

    /// Returns a finding of this thread at the line in progress.
    pub(super) fn defect(
        &self,
        code: FindingKind,
        kind: AccessKind,
        bytes: u32,
        target: Target,
        mut evidence: Vec<Evidence>,
    ) -> Finding {
        let location = self.location();
        evidence.extend(self.callers(&location));
        let at = Access { kind, bytes, target, ..Access::by(Actor::Host, location) };
        Finding { evidence, ..Finding::new(code, at) }
    }

    /// Returns the line that called the running function, if it is another line of the same file.
    fn callers(&self, at: &Option<SourceLocation>) -> Option<Evidence> {
        let at = at.as_ref()?;
        let lines: Vec<SourceLocation> = self.calls().into_iter().filter_map(|(_, line)| line).collect();
        let own = lines.iter().position(|line| line == at)?;
        let caller = lines[own + 1..].iter().find(|line| line.file == at.file)?;
        (caller.line != at.line).then_some(Evidence::CalledAt(caller.line))
    }

    pub(super) fn without_memory(&self, code: FindingKind, evidence: impl Into<Option<Evidence>>) -> Stop {
        let evidence = evidence.into().into_iter().collect();
        self.finding(code, AccessKind::Read, 0, Target::None, evidence)
    }

    /// Returns the number of values that the call in progress passes for its format; `None` if it is not known to be too
    /// small.
    pub fn values_for_format(&self) -> Option<usize> {
        self.module.short_calls.values(&self.location()?)
    }

    pub fn too_few_values(&self, wanted: usize, given: usize) -> Stop {
        self.without_memory(FindingKind::FormatValues, Evidence::FormatValues { wanted, given })
    }

    /// Returns the stop for a use of what a container does not have.
    pub fn no_element(&self, used: &str) -> Stop {
        self.without_memory(FindingKind::HostNoElement, Evidence::NoElement(used.into()))
    }

    pub(super) fn trapped(&self) -> Stop {
        self.without_memory(FindingKind::HostTrap, None)
    }

    /// Returns the finding that the stack has no room for a function, whose local variables take `bytes`.
    pub(super) fn stack_overflow(&self, function: u32, bytes: u64) -> Stop {
        let stack_bytes = self.limits.stack_bytes;
        let evidence = match bytes > stack_bytes {
            true => Evidence::HostLocals { function: self.name_of(function).into(), bytes, stack_bytes },
            false => Evidence::HostCallDepth {
                calls: self.call_stack.len() as u64,
                call_bytes: CALL_BYTES,
                local_bytes: self.memory.stack_used(),
            },
        };
        self.without_memory(FindingKind::HostStackOverflow, evidence)
    }

    pub(super) fn device_only(&self, what: &str) -> Stop {
        self.without_memory(FindingKind::DeviceCodeOnHost, Evidence::DeviceOnly(what.into()))
    }

    pub(super) fn bad_call(&self, address: u64) -> Stop {
        self.without_memory(FindingKind::HostBadCall, Evidence::BadFunctionPointer { address })
    }

    pub(super) fn called_kernel(&self, number: u32) -> Stop {
        let kernel = self.name_of(number).into();
        self.without_memory(FindingKind::HostBadCall, Evidence::CallsKernel { kernel })
    }

    fn name_of(&self, function: u32) -> &str {
        self.module.code.functions.get(function as usize).map_or("", |its| &its.name)
    }
}

/// Returns where an address lies relative to a block.
fn distance(address: u64, block: &HostBlock, name: Option<std::sync::Arc<str>>) -> Evidence {
    let (end, bytes) = (block.start + block.bytes, block.bytes);
    let block_name = match (block.kind, name) {
        (HostBlockKind::Stack, _) => HostBlockName::Locals,
        (_, Some(name)) => HostBlockName::Named { name, bytes },
        _ => HostBlockName::Allocated { bytes },
    };
    let at = match address {
        _ if address < block.start => Distance::Before(block.start - address),
        _ if address >= end => Distance::Past(address - end),
        _ => Distance::Inside,
    };
    Evidence::Distance { block: block_name, at }
}
