//! Launches that CUDA refused, and whether the program saw to it: who looks for the largest block that fits tries sizes, looks
//! at the error, and takes a smaller one; who asks for more shared memory than a kernel may have asks for leave, and tries
//! again. That is no mistake.

use super::Runtime;
use super::errors::Met;
use super::findings::side;
use crate::device::{CudaError, Site};
use crate::program::call::Call;
use sim::{Act, Evidence, FindingKind, LaunchConfig, LaunchLimit};

/// Configurations that are remembered; a program that has more refused tries nothing out.
const MOST: usize = 1 << 10;

/// A configuration that was refused.
#[derive(Clone, Debug)]
struct Refused {
    kernel: u64,
    config: LaunchConfig,
    site: Site,
    times: u64,
}

/// Launches that were refused, and since then neither made smaller nor made to fit.
#[derive(Debug, Default)]
pub struct Refusals {
    known: Vec<Refused>,
}

/// What a launch takes, axis by axis: threads of a block, blocks, dynamic shared memory.
fn sizes(config: &LaunchConfig) -> [u128; 3] {
    let grid = config.grid;
    let blocks = u128::from(grid.x) * u128::from(grid.y) * u128::from(grid.z);
    [config.block.count().into(), blocks, config.dynamic_shared_bytes.into()]
}

/// Whether a launch that was refused asked for something, and for more of it than `taken`.
fn is_less(taken: &LaunchConfig, refused: &LaunchConfig) -> bool {
    let (taken, refused) = (sizes(taken), sizes(refused));
    let [threads, blocks, _] = refused;
    threads > 0 && blocks > 0 && taken.iter().zip(&refused).any(|(taken, refused)| taken < refused)
}

impl Call<'_> {
    /// CUDA refuses this launch: told with the limit, until the program takes less.
    pub(super) fn refuse_launch(
        &mut self,
        kernel: u64,
        config: &LaunchConfig,
        error: CudaError,
        limit: LaunchLimit,
    ) {
        let at = side(Act::LaunchFails(Met::Cuda(error).status()), &self.site.location);
        let refused = Evidence::Refused { error: error.name().into(), limit };
        self.runtime.find(FindingKind::InvalidLaunch, at, None, vec![refused]);
        let refused = &mut self.runtime.launches.refusals.known;
        let same = |r: &&mut Refused| {
            r.kernel == kernel && r.config == *config && r.site.location == self.site.location
        };
        let room = refused.len() < MOST;
        match refused.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None if room => {
                refused.push(Refused { kernel, config: *config, site: self.site.clone(), times: 1 })
            }
            None => {}
        }
    }
}

impl Runtime {
    /// A kernel can be launched: what was refused of it before, and looked at, was a try if it asked for more, or for the
    /// same.
    pub(super) fn launch_fits(&mut self, kernel: u64, config: &LaunchConfig) {
        if self.launches.refusals.known.is_empty() {
            return;
        }
        let (tries, known): (Vec<Refused>, _) =
            std::mem::take(&mut self.launches.refusals.known).into_iter().partition(|r| {
                let is_try = is_less(config, &r.config) || *config == r.config;
                r.kernel == kernel && is_try && !self.errors.is_unseen(&r.site)
            });
        self.launches.refusals.known = known;
        for Refused { site, times, .. } in tries {
            for found in &mut self.findings {
                if found.kind == FindingKind::InvalidLaunch && found.at.location == site.location {
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
