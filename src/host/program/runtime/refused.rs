//! Launches that CUDA refused, and whether the program handled the refusal. A program may search for the
//! largest block that fits: it tries a size, checks the error, and tries a smaller one. Or it asks for more
//! shared memory than a kernel may have by default, opts in, and tries again. Neither is a mistake.

use super::Runtime;
use super::errors::CallError;
use super::findings::side;
use crate::device::{CudaError, Site};
use crate::program::call::Call;
use sim::{Act, Evidence, FindingKind, LaunchConfig, LaunchLimit};

/// Most configurations remembered; a program with more refused launches is not trying out sizes.
const MOST: usize = 1 << 10;

/// A launch configuration that was refused.
#[derive(Clone, Debug)]
struct Refused {
    kernel: u64,
    config: LaunchConfig,
    site: Site,
    /// The evidence of its finding.
    evidence: Evidence,
    times: u64,
}

/// Refused launches for which no smaller or equal launch of the same kernel has succeeded since.
#[derive(Debug, Default)]
pub struct Refusals {
    known: Vec<Refused>,
}

/// Returns the resources of a launch: threads per block, blocks, and bytes of dynamic shared memory.
fn sizes(config: &LaunchConfig) -> [u128; 3] {
    let grid = config.grid;
    let blocks = u128::from(grid.x) * u128::from(grid.y) * u128::from(grid.z);
    [config.block.count().into(), blocks, config.dynamic_shared_bytes.into()]
}

/// Returns whether a refused launch was not empty and asked for more of some resource than `taken` did.
fn is_less(taken: &LaunchConfig, refused: &LaunchConfig) -> bool {
    let (taken, refused) = (sizes(taken), sizes(refused));
    let [threads, blocks, _] = refused;
    threads > 0 && blocks > 0 && taken.iter().zip(&refused).any(|(taken, refused)| taken < refused)
}

impl Call<'_> {
    /// Records that CUDA refuses this launch: a finding that names the limit, until the program launches
    /// something that fits.
    pub(super) fn refuse_launch(
        &mut self,
        kernel: u64,
        config: &LaunchConfig,
        error: CudaError,
        limit: LaunchLimit,
    ) {
        let at = side(Act::LaunchFails(CallError::Cuda(error).status()), &self.site.location);
        let refused = Evidence::Refused { error, limit };
        let no_value = config.has_no_value().then_some(Evidence::LaunchHasNoValue);
        let evidence = [refused.clone()].into_iter().chain(no_value).collect();
        self.runtime.find(FindingKind::InvalidLaunch, at, None, evidence);
        let evidence = refused;
        let refused = &mut self.runtime.launches.refusals.known;
        let same = |r: &&mut Refused| {
            r.kernel == kernel && r.config == *config && r.site.location == self.site.location
        };
        let room = refused.len() < MOST;
        match refused.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None if room => {
                refused.push(Refused { kernel, config: *config, site: self.site.clone(), evidence, times: 1 })
            }
            None => {}
        }
    }
}

impl Runtime {
    /// Records a launch that fits. Earlier refused launches of the same kernel whose error the program has
    /// checked, and that asked for more or for the same, were attempts: their findings are withdrawn.
    pub(super) fn launch_fits(&mut self, kernel: u64, config: &LaunchConfig) {
        if self.launches.refusals.known.is_empty() {
            return;
        }
        let (tries, known): (Vec<Refused>, _) =
            std::mem::take(&mut self.launches.refusals.known).into_iter().partition(|r| {
                let is_try = is_less(config, &r.config) || *config == r.config;
                r.kernel == kernel && is_try && !self.errors.has_unchecked(&r.site)
            });
        self.launches.refusals.known = known;
        for Refused { site, evidence, times, .. } in tries {
            for found in &mut self.findings {
                if found.kind == FindingKind::InvalidLaunch
                    && found.at.location == site.location
                    && found.evidence.contains(&evidence)
                {
                    found.hits = found.hits.saturating_sub(times);
                }
            }
        }
        self.findings.retain(|found| found.kind != FindingKind::InvalidLaunch || found.hits > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Dim3;

    fn config(blocks: u32, threads: u32, shared: u32) -> LaunchConfig {
        LaunchConfig {
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(threads, 1, 1),
            dynamic_shared_bytes: shared,
        }
    }

    #[test]
    fn less_is_less_of_something_that_was_asked_for() {
        assert!(is_less(&config(1, 512, 0), &config(1, 1024, 0)));
        assert!(is_less(&config(8, 1024, 0), &config(8, 1024, 1 << 20)));
        assert!(is_less(&config(8, 64, 0), &config(1 << 20, 64, 0)));
        assert!(!is_less(&config(1, 1024, 0), &config(1, 512, 0)));
        assert!(!is_less(&config(1, 256, 0), &config(0, 512, 0)));
    }
}
