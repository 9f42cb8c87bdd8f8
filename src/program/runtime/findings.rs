//! What is wrong with a program's use of CUDA: one defect a value, both sides named.

use super::Runtime;
use super::allocations::{Allocation, Allocations, Kind};
use crate::device::Site;
use crate::sim::{Access, AccessKind, Actor, Code, Dim3, Finding, SourceLocation, Target};

/// A side of a finding, told in words: `` cudaFree(d_x) `` at its line.
pub fn side(words: impl Into<String>, at: &Option<SourceLocation>) -> Access {
    Access {
        kind: AccessKind::Read,
        actor: Actor::Operation(words.into().into()),
        block: Dim3::new(0, 0, 0),
        thread: Dim3::new(0, 0, 0),
        location: at.clone(),
        calls: Vec::new(),
        bytes: 0,
        target: Target::None,
    }
}

/// Below this an address is a null pointer and an index.
pub const NULL_BYTES: u64 = 1 << 20;

/// What the host's own code touches outside pageable memory.
pub fn host_access(allocations: &Allocations, address: u64, bytes: u64, write: bool, site: &Site) -> Access {
    let target = match allocations.around(address) {
        Some(found) => Target::Buffer {
            name: found.name.clone(),
            size_bytes: found.bytes,
            offset_bytes: (address - found.start) as i64,
        },
        None => Target::Nowhere { address },
    };
    Access {
        kind: if write { AccessKind::Write } else { AccessKind::Read },
        actor: Actor::Host,
        block: Dim3::new(0, 0, 0),
        thread: Dim3::new(0, 0, 0),
        location: site.location.clone(),
        calls: Vec::new(),
        bytes: bytes.min(u32::MAX.into()) as u32,
        target,
    }
}

/// Where an allocation was made.
pub fn made(allocation: &Allocation) -> Access {
    side(format!("`{}` is made here: {}", allocation.name, described(allocation)), &allocation.made.location)
}

/// `400 bytes of device memory`
pub fn described(allocation: &Allocation) -> String {
    format!("{} of {}", bytes(allocation.bytes), memory(allocation.kind))
}

/// What kind of memory it is, in words.
pub fn memory(kind: Kind) -> &'static str {
    match kind {
        Kind::Device(_) | Kind::Pool(_) | Kind::Variable(Some(_)) => "device memory",
        Kind::Pinned => "pinned host memory",
        Kind::Registered => "registered host memory",
        Kind::Managed | Kind::Variable(None) => "managed memory",
    }
}

pub fn bytes(bytes: u64) -> String {
    if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") }
}

impl Runtime {
    /// Notes a defect; one that happens again at the same places counts as another hit.
    pub fn find(
        &mut self,
        code: Code,
        at: Access,
        other: Option<Access>,
        notes: Vec<String>,
    ) -> &mut Finding {
        let place = |access: &Access| access.location.clone();
        let same = |f: &Finding| {
            f.code == code
                && place(&f.at) == place(&at)
                && f.other.as_ref().map(place) == other.as_ref().map(place)
        };
        let known = self.findings.iter().position(same);
        let at = known.unwrap_or_else(|| {
            self.findings.push(Finding { code, at, other, hits: 0, threads: None, notes, follows: None });
            self.findings.len() - 1
        });
        let found = &mut self.findings[at];
        found.hits += 1;
        found
    }

    /// Memory that was given back is used.
    pub fn used_after_free(&mut self, allocation: &Allocation, words: String, site: &Site) {
        let freed = allocation.freed.as_ref();
        let what = freed.map_or("", |f| f.what.as_str());
        let other = side(
            format!("`{}` is given back here by {what}", allocation.name),
            &freed.and_then(|f| f.location.clone()),
        );
        self.find(Code::UseAfterFree, side(words, &site.location), Some(other), Vec::new());
    }
}
