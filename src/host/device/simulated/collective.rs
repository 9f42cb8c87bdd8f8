//! Rounds of collectives: determines which parts belong together.

use super::queue::{OpId, Queue};
use crate::device::library::Collective;
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
