//! Calls of numerical libraries, forwarded to the libraries themselves.

use super::DriverGpus;
use crate::device::library::Collective;
use crate::device::{DeviceId, Failure, Library, Result, Site};
use gpu::Failed;
use gpu::direct::library::{Cublas, Dnn, Fft, Nccl};
use gpu::direct::{Direct, Stream};
use sim::{Access, Act, Actor, Evidence, Finding, FindingKind};
use std::collections::{BTreeMap, HashMap};

/// The libraries opened so far, and their state.
#[derive(Default)]
pub struct Libraries {
    blas: Option<Cublas>,
    dnn: Option<Dnn>,
    fft: Option<Fft>,
    nccl: Option<Nccl>,
    /// NCCL's communicator handle of each rank, by communicator.
    ranks: HashMap<u32, Vec<usize>>,
    /// Parts of rounds whose other parts have not been enqueued yet.
    waiting: Vec<(Collective, Stream)>,
}

impl Libraries {
    /// Forgets what was created in a device's context, which no longer exists.
    pub fn forget(&mut self, device: DeviceId) {
        self.blas.iter_mut().for_each(|blas| blas.forget(device));
        self.dnn.iter_mut().for_each(|dnn| dnn.forget(device));
        self.fft.iter_mut().for_each(|fft| fft.forget(device));
        self.ranks.clear();
    }
}

/// Returns the device of each rank of a communicator, as far as the parts tell. A rank without a part is
/// assumed to use the device of the same number, as `ncclCommInitAll` does without a device list.
fn devices(parts: &[(Collective, Stream)], communicator: u32) -> Vec<DeviceId> {
    let its = parts.iter().filter(|(part, _)| part.communicator == communicator);
    let known: BTreeMap<u32, DeviceId> = its.clone().map(|(part, _)| (part.rank, part.device)).collect();
    let ranks = its.map(|(part, _)| part.ranks).max().unwrap_or(0);
    (0..ranks).map(|rank| known.get(&rank).copied().unwrap_or(rank)).collect()
}

/// Returns whether every round that has begun has all its parts.
fn is_complete(parts: &[(Collective, Stream)]) -> bool {
    let mut met: HashMap<_, u32> = HashMap::new();
    parts.iter().for_each(|(part, _)| *met.entry(part.meeting()).or_default() += 1);
    parts.iter().all(|(part, _)| met.get(&part.meeting()) == Some(&part.parts()))
}

impl DriverGpus {
    pub(super) fn call_library(&mut self, library: Library, stream: Stream) -> Result<()> {
        match library {
            Library::Blas(call) => {
                let open = |direct: &Direct| Cublas::open(direct.machine().driver.0);
                self.with(
                    |libraries| &mut libraries.blas,
                    open,
                    |direct, blas| {
                        direct.enter(stream.device)?;
                        blas.call(stream, &call)
                    },
                )
            }
            Library::Convolution(call) => {
                let convolve = |direct: &mut Direct, dnn: &mut Dnn| dnn.convolve(direct, stream, &call);
                self.with(|libraries| &mut libraries.dnn, Dnn::open, convolve)
            }
            Library::Fourier(call) => {
                let transform = |direct: &mut Direct, fft: &mut Fft| fft.transform(direct, stream, &call);
                self.with(|libraries| &mut libraries.fft, Fft::open, transform)
            }
            Library::Collective(part) => {
                self.libraries.waiting.push((part, stream));
                if is_complete(&self.libraries.waiting) { self.meet_all() } else { Ok(()) }
            }
        }
    }

    /// Uses a library, which is opened on its first use.
    fn with<L, R>(
        &mut self,
        place: fn(&mut Libraries) -> &mut Option<L>,
        open: impl FnOnce(&Direct) -> Result<L, Failed>,
        work: impl FnOnce(&mut Direct, &mut L) -> Result<R, Failed>,
    ) -> Result<R> {
        let library = match place(&mut self.libraries) {
            Some(library) => library,
            none => {
                let opened = open(&self.direct);
                none.insert(opened.map_err(|failed| Failure::Environment(failed.gpu_error().into()))?)
            }
        };
        work(&mut self.direct, library).map_err(|failed| self.failure(failed))
    }

    /// Submits all parts of the completed rounds to NCCL.
    fn meet_all(&mut self) -> Result<()> {
        let parts = std::mem::take(&mut self.libraries.waiting);
        let mut communicators: Vec<u32> = parts.iter().map(|(part, _)| part.communicator).collect();
        communicators.sort_unstable();
        communicators.dedup();
        communicators.into_iter().try_for_each(|number| self.meet_one(number, &parts))
    }

    fn meet_one(&mut self, communicator: u32, parts: &[(Collective, Stream)]) -> Result<()> {
        let known = self.libraries.ranks.get(&communicator).cloned();
        let devices = devices(parts, communicator);
        let ranks = self.with(
            |libraries| &mut libraries.nccl,
            Nccl::open,
            |direct, nccl| {
                let ranks = known.map_or_else(|| nccl.ranks(direct, &devices), Ok)?;
                let its = parts.iter().filter(|(part, _)| part.communicator == communicator);
                Ok((nccl.together(direct, &ranks, its), ranks))
            },
        );
        let (together, ranks) = ranks?;
        self.libraries.ranks.insert(communicator, ranks);
        together.map_err(|failed| self.failure(failed))
    }

    /// Reports a deadlock if parts of an incomplete round are pending: later work would wait for them for
    /// ever.
    pub(super) fn check_rounds_complete(&mut self, site: &Site) -> Result<()> {
        let Some((part, _)) = self.libraries.waiting.first() else { return Ok(()) };
        let act = Act::Collective { rank: part.rank, ranks: part.ranks };
        let at = Access::by(Actor::Operation(act.into()), site.location.clone());
        let evidence = vec![Evidence::OtherRanksMissing];
        self.findings.push(Finding { evidence, ..Finding::new(FindingKind::CollectiveDeadlock, at) });
        Err(Failure::Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ElementType;
    use crate::device::library::{CollectiveKind, Reduce};
    use sim::Address;

    fn part(kind: CollectiveKind, rank: u32, round: u64) -> (Collective, Stream) {
        let part = Collective {
            kind,
            communicator: 3,
            round,
            rank,
            ranks: 2,
            device: 1 - rank,
            send: Address(0),
            receive: Address(0),
            count: 1,
            element: ElementType::F32,
        };
        (part, Stream::legacy(rank))
    }

    #[test]
    fn a_group_is_complete_when_every_round_is() {
        let sum = CollectiveKind::AllReduce(Reduce::Sum);
        let mut parts = vec![part(sum, 0, 0), part(sum, 0, 1), part(sum, 1, 0)];
        assert!(!is_complete(&parts));
        parts.push(part(sum, 1, 1));
        assert!(is_complete(&parts));
        parts.push(part(CollectiveKind::Send { to: 1 }, 0, 0));
        assert!(!is_complete(&parts));
        parts.push(part(CollectiveKind::Receive { from: 0 }, 1, 0));
        assert!(is_complete(&parts));
        assert_eq!(devices(&parts, 3), [1, 0]);
    }
}
