//! CUB's algorithms for a device: how they are given their temporary storage. Their kernels are in the headers.

use crate::device::{CudaError, Site};
use crate::program::call::calls;
use crate::program::runtime::Runtime;
use crate::program::runtime::findings::{call_side, described, made};
use sim::{Act, Evidence, Finding, FindingKind, Request, Target};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most calls remembered for each function.
const MAX_ASKED: usize = 256;

/// The calls of each function, by its name.
#[derive(Debug, Default)]
pub struct Algorithms {
    called: BTreeMap<Arc<str>, Calls>,
}

/// The calls of one function.
#[derive(Debug, Default)]
struct Calls {
    /// Those that were only asked for the size of the storage, with the address of the result.
    asked: Vec<(u64, Site)>,
    /// Whether one had storage.
    had_storage: bool,
}

impl Algorithms {
    fn asks(&mut self, result: u64, site: &Site) {
        let asked = &mut self.called.entry(site.what.function().into()).or_default().asked;
        if asked.len() < MAX_ASKED {
            asked.push((result, site.clone()));
        }
    }

    fn has_storage(&mut self, result: u64, site: &Site) {
        for calls in self.called.values_mut() {
            calls.asked.retain(|(its, _)| *its != result);
        }
        self.called.entry(site.what.function().into()).or_default().had_storage = true;
    }
}

calls! {
    /// Begins an algorithm whose result goes to `result`, if that is a pointer. Without storage, the call is asked
    /// for the `needed` bytes.
    fn cubTemporaryStorage(call, function: u64, storage: u64, bytes: u64, needed: u64, result: u64) {
        let function = call.string(function)?;
        call.site.what = Request::Call(function.as_str().into());
        if storage == 0 {
            call.runtime.libraries.cub.asks(result, &call.site);
            return call.put(bytes, needed);
        }
        call.runtime.libraries.cub.has_storage(result, &call.site);
        let given_bytes: u64 = call.get(bytes)?;
        if given_bytes < needed {
            let why = Evidence::TemporaryStorage { given_bytes, needed_bytes: needed };
            call.runtime.errors.set_reason(why);
            return Err(CudaError::InvalidValue.into());
        }
        let memory = call.runtime.allocations.around(storage).filter(|its| its.freed.is_none()).cloned();
        if let Some(memory) = memory.filter(|its| its.end() - storage < given_bytes) {
            let given = Act::IsGivenBytes { bytes: given_bytes, of: described(&memory) };
            call.find(FindingKind::TemporaryStorage, given, Some(made(&memory)), Vec::new());
        }
        Ok(())
    }

    /// Notes that an algorithm reads and writes the same bytes, which it does not allow.
    fn cubOverlap(call, function: u64) -> u32 {
        let function = call.string(function)?;
        call.site.what = Request::Call(function.as_str().into());
        call.find(FindingKind::CopyOverlap, Act::CopyOverlaps, None, Vec::new());
        Ok(0)
    }

    /// Returns the last error, which is as unchecked as before.
    fn cubLastError(call) -> i32 {
        Ok(call.runtime.errors.last().map_or(0, CudaError::number))
    }
}

impl Runtime {
    /// Adds to findings about memory that was never written the call that would have written it, had it been given
    /// storage; and reports, at the program's end, a function that was called at several lines and never given any.
    pub fn find_size_queries(&mut self) {
        let queries = std::mem::take(&mut self.libraries.cub).called;
        let mut told = Vec::new();
        for (function, Calls { asked, .. }) in &queries {
            for (result, site) in asked {
                let Some(memory) = self.allocations.around(*result).map(|its| its.name.clone()) else {
                    continue;
                };
                let line = site.location.as_ref().map_or(0, |at| at.line);
                let why = Evidence::OnlyAskedForStorage { function: function.clone(), line };
                let is_its = |finding: &&mut Finding| {
                    let sides = [Some(&finding.at), finding.other.as_ref()];
                    finding.kind == FindingKind::Uninitialised
                        && sides.into_iter().flatten().any(
                            |side| matches!(&side.target, Target::Buffer { name, .. } if *name == memory),
                        )
                };
                for finding in self.findings.iter_mut().filter(is_its) {
                    told.push(function.clone());
                    finding.evidence.retain(|its| !matches!(its, Evidence::OnlyAskedForStorage { .. }));
                    finding.evidence.push(why.clone());
                }
            }
        }
        for (function, Calls { asked, had_storage }) in queries {
            let [.., (_, first), (_, last)] = asked.as_slice() else { continue };
            if !had_storage && first.location != last.location && !told.contains(&function) {
                let at = call_side(Act::OnlyAskedForStorage, last);
                let other = call_side(Act::OnlyAskedForStorage, first);
                self.find(FindingKind::TemporaryStorage, at, Some(other), Vec::new());
            }
        }
    }
}
