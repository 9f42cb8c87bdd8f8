//! What a program never gave back, told at its end.

use super::Runtime;
use super::allocations::{Allocation, Kind};
use super::findings::{bytes, memory, side};
use crate::device::Site;
use sim::{FindingKind, SourceLocation};
use std::collections::BTreeMap;

/// What one line made and nobody gave back.
struct Leaked {
    name: Option<String>,
    /// `device memory`, `stream`.
    what: &'static str,
    count: u64,
    /// Of memory.
    bytes: u64,
}

impl Leaked {
    fn describe(&self) -> String {
        let Leaked { name, what, count, bytes: size } = self;
        let sized = |text: String| if *size > 0 { format!("{}, {text}", bytes(*size)) } else { text };
        match (count, name) {
            (1, Some(name)) if *size > 0 => format!("`{name}`, {} of {what}", bytes(*size)),
            (1, Some(name)) => format!("`{name}`, {what}"),
            (1, None) => sized(what.to_string()),
            (count, _) if *size > 0 => {
                format!("{count} pieces of {what} made here, {} in all", bytes(*size))
            }
            (count, _) => {
                let one = what.strip_prefix("an ").or(what.strip_prefix("a ")).unwrap_or(what);
                format!("{count} {one}s made here")
            }
        }
    }
}

type LeakSite = (Option<SourceLocation>, &'static str);

impl Runtime {
    /// What was not given back at the program's end: one finding for each line that makes it.
    pub fn find_leaks(&mut self) {
        let mut places: BTreeMap<LeakSite, Leaked> = BTreeMap::new();
        let mut add = |site: &Site, what: &'static str, name: Option<&str>, bytes: u64| {
            let leaked = places.entry((site.location.clone(), what)).or_insert_with(|| Leaked {
                name: name.map(str::to_owned),
                what,
                count: 0,
                bytes: 0,
            });
            leaked.count += 1;
            leaked.bytes += bytes;
        };
        let alive =
            |a: &&Allocation| a.freed.is_none() && !matches!(a.kind, Kind::Variable(_) | Kind::Registered);
        for found in self.allocations.iter().filter(alive) {
            add(&found.made, memory(found.kind), Some(&found.name), found.bytes);
        }
        for (site, name) in self.streams.made.owned() {
            add(site, "a stream", name, 0);
        }
        for (site, name) in self.events.made.owned() {
            add(site, "an event", name, 0);
        }
        for (site, name) in self.graphs.made.owned() {
            add(site, "a graph", name, 0);
        }
        for (site, name) in self.graphs.execs.owned() {
            add(site, "an executable graph", name, 0);
        }
        for (site, name, what) in self.libraries.owned() {
            add(site, what, name, 0);
        }
        let found: Vec<_> =
            places.into_iter().map(|((location, _), leaked)| (location, leaked.describe())).collect();
        for (location, words) in found {
            self.find(FindingKind::Leak, side(words, &location), None, Vec::new());
        }
    }
}
