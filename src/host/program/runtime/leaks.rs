//! Reports what a program never freed, at its end.

use super::Runtime;
use super::allocations::{Allocation, Kind};
use super::findings::{memory_kind, side};
use crate::device::Site;
use sim::{Act, FindingKind, Leakable, MemoryName, SourceLocation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one line allocated or created and the program never freed.
struct Leaked {
    name: Option<Arc<str>>,
    count: u64,
    /// Total size of memory in bytes; 0 for handles.
    bytes: u64,
}

type LeakSite = (Option<SourceLocation>, Leakable);

impl Runtime {
    /// Reports what was not freed by the program's end: one finding for each line that allocates or creates
    /// it.
    pub fn find_leaks(&mut self) {
        let mut places: BTreeMap<LeakSite, Leaked> = BTreeMap::new();
        let mut add = |site: &Site, what: Leakable, name: Option<&str>, bytes: u64| {
            let leaked = places.entry((site.location.clone(), what)).or_insert_with(|| Leaked {
                name: name.map(Arc::from),
                count: 0,
                bytes: 0,
            });
            leaked.count += 1;
            leaked.bytes += bytes;
        };
        let alive =
            |a: &&Allocation| a.freed.is_none() && !matches!(a.kind, Kind::Variable(_) | Kind::Registered);
        for found in self.allocations.iter().filter(alive) {
            let name = Some(&*found.name).filter(|_| matches!(found.name, MemoryName::Named(_)));
            add(&found.made, Leakable::Memory(memory_kind(found.kind)), name, found.bytes);
        }
        let handles = (self.streams.made.owned())
            .chain(self.events.owned())
            .chain(self.graphs.made.owned())
            .chain(self.graphs.execs.owned())
            .chain(self.objects.textures.owned())
            .chain(self.objects.surfaces.owned())
            .chain(self.pools.owned())
            .chain(self.libraries.owned());
        for (site, name, kind) in handles {
            add(site, Leakable::Handle(kind), name, 0);
        }
        for ((location, what), Leaked { name, count, bytes }) in places {
            let act = Act::Leaked { name, what, count, bytes };
            self.find(FindingKind::Leak, side(act, &location), None, Vec::new());
        }
    }
}
