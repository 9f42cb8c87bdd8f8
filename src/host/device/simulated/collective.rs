//! Rounds of collectives: determines which parts belong together.

use super::queue::{OpId, Queue};
use crate::device::DeviceId;
use crate::device::library::{Collective, CollectiveKind};
use sim::Evidence;
use std::collections::HashMap;

/// Communicator and round; `None` for point-to-point transfers.
type Key = (u32, Option<u64>);

/// Parts that have been enqueued and whose round is not complete.
#[derive(Debug, Default)]
pub struct Rounds {
    open: HashMap<Key, Vec<(OpId, Collective)>>,
}

fn key(part: &Collective) -> Key {
    (part.communicator, part.meeting().transfer.is_none().then_some(part.round))
}

impl Rounds {
    pub fn add(&mut self, id: OpId, part: &Collective) {
        self.open.entry(key(part)).or_default().push((id, part.clone()));
    }

    /// Returns the parts that are released together with `id`, if all have been enqueued and nothing else
    /// holds them back: one part of each rank; or transfers, each with its other side. Consecutive transfers
    /// in a stream do not wait for each other, like those in an NCCL group.
    pub fn complete(&self, id: OpId, part: &Collective, queue: &Queue) -> Option<Vec<OpId>> {
        let open = self.open.get(&key(part))?;
        let mut together: Vec<&(OpId, Collective)> = open.iter().collect();
        loop {
            let ids: Vec<OpId> = together.iter().map(|(id, _)| *id).collect();
            let before = together.len();
            let met = |c: &Collective| together.iter().filter(|(_, o)| o.meeting() == c.meeting()).count();
            let stays: Vec<bool> = together
                .iter()
                .map(|(id, c)| met(c) >= c.parts() as usize && queue.may_be_released(*id, &ids))
                .collect();
            let mut stays = stays.into_iter();
            together.retain(|_| stays.next().unwrap_or(false));
            if together.len() == before {
                return ids.contains(&id).then_some(ids);
            }
        }
    }

    /// Removes parts that have been released.
    pub fn close(&mut self, part: &Collective, released: &[OpId]) {
        if let Some(open) = self.open.get_mut(&key(part)) {
            open.retain(|(id, _)| !released.contains(id));
            if open.is_empty() {
                self.open.remove(&key(part));
            }
        }
    }

    /// Returns how many parts that meet `part`, itself included, have been enqueued.
    pub fn come(&self, part: &Collective) -> usize {
        let open = self.open.get(&key(part)).into_iter().flatten();
        open.filter(|(_, other)| other.meeting() == part.meeting()).count()
    }
}

/// Groups the parts of a release by meeting.
pub fn meetings(parts: &[Collective]) -> Vec<Vec<Collective>> {
    let mut meetings: Vec<Vec<Collective>> = Vec::new();
    for part in parts {
        match meetings.iter_mut().find(|m| m[0].meeting() == part.meeting()) {
            Some(meeting) => meeting.push(part.clone()),
            None => meetings.push(vec![part.clone()]),
        }
    }
    meetings
}

/// Returns how many bytes a rank sends around the ring of ranks: NCCL's ring algorithm sends 2·(n-1)/n of the bytes
/// for an all-reduce, and (n-1)/n for each of its two halves.
pub fn sent_bytes(part: &Collective) -> f64 {
    use CollectiveKind as Kind;
    let bytes = part.count.saturating_mul(part.element.bytes() as u64) as f64;
    let ranks = f64::from(part.ranks.max(1));
    let around = (ranks - 1.0) / ranks;
    match part.kind {
        Kind::AllReduce(_) => 2.0 * around * bytes,
        Kind::AllGather | Kind::ReduceScatter(_) => around * bytes * ranks,
        Kind::Broadcast { .. } | Kind::Reduce { .. } | Kind::Send { .. } | Kind::Receive { .. } => bytes,
    }
}

/// Returns which device sends how many bytes to which other in a meeting.
pub fn transfers(parts: &[Collective]) -> impl Iterator<Item = (DeviceId, DeviceId, u64)> + '_ {
    let device = |rank: u32| parts.iter().find(|part| part.rank == rank).map(|part| part.device);
    parts.iter().filter_map(move |part| {
        let next = (part.rank + 1) % part.ranks.max(1);
        let to = match part.kind {
            CollectiveKind::Receive { .. } => return None,
            CollectiveKind::Send { to } => to,
            // These begin or end at their root, and need not go all the way round.
            CollectiveKind::Broadcast { root } if next == root => return None,
            CollectiveKind::Reduce { root, .. } if part.rank == root => return None,
            _ => next,
        };
        Some((part.device, device(to)?, sent_bytes(part) as u64))
    })
}

/// Returns in what respect the parts of a meeting do not match each other, if they don't.
pub fn mismatch(parts: &[Collective]) -> Option<Evidence> {
    let first = parts.first()?;
    let transfer = first.meeting().transfer.is_some();
    for part in parts {
        if !transfer && part.kind != first.kind {
            return Some(Evidence::RanksDiffer { ranks: [first.rank, part.rank] });
        }
        if part.count != first.count || part.element != first.element {
            return Some(Evidence::RanksGive {
                ranks: [first.rank, part.rank],
                counts: [first.count, part.count],
                types: [first.element.name().into(), part.element.name().into()],
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ElementType;
    use crate::device::library::Reduce;
    use sim::Address;

    /// Three ranks on the devices 2, 1 and 0, and three floats each.
    fn moved(kind: impl Fn(u32) -> CollectiveKind) -> Vec<(DeviceId, DeviceId, u64)> {
        let part = |rank| Collective {
            kind: kind(rank),
            communicator: 0,
            round: 0,
            rank,
            ranks: 3,
            device: 2 - rank,
            send: Address(0),
            receive: Address(0),
            count: 3,
            element: ElementType::F32,
        };
        transfers(&[0, 1, 2].map(part)).collect()
    }

    #[test]
    fn bytes_go_round_the_ring_of_ranks() {
        let sum = CollectiveKind::AllReduce(Reduce::Sum);
        assert_eq!(moved(|_| sum), [(2, 1, 16), (1, 0, 16), (0, 2, 16)]);
        assert_eq!(moved(|_| CollectiveKind::AllGather), [(2, 1, 24), (1, 0, 24), (0, 2, 24)]);
        assert_eq!(moved(|_| CollectiveKind::Broadcast { root: 1 }), [(1, 0, 12), (0, 2, 12)]);
        assert_eq!(moved(|_| CollectiveKind::Reduce { op: Reduce::Max, root: 1 }), [(2, 1, 12), (0, 2, 12)]);
        let pair = |rank| match rank {
            0 => CollectiveKind::Send { to: 2 },
            _ => CollectiveKind::Receive { from: 0 },
        };
        assert_eq!(moved(pair), [(2, 0, 12)]);
    }
}
