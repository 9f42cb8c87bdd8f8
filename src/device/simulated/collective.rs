//! Rounds of collectives: which parts belong together, and what they do together.

use super::queue::OpId;
use super::shadow::{Bytes, Touch};
use crate::device::library::{Collective, CollectiveKind, Element, Reduce};
use crate::sim::{AccessKind, Address, Machine};
use std::collections::HashMap;

/// Parts that have been given and whose round is not complete.
#[derive(Debug, Default)]
pub struct Rounds {
    open: HashMap<(u32, u64), Vec<(OpId, Collective)>>,
}

impl Rounds {
    pub fn add(&mut self, id: OpId, part: &Collective) {
        self.open.entry((part.communicator, part.round)).or_default().push((id, part.clone()));
    }

    /// The parts that are done together with `id`, if they have all been given: one of each rank,
    /// or every send with its receive.
    pub fn complete(&self, id: OpId, part: &Collective) -> Option<Vec<OpId>> {
        let open = self.open.get(&(part.communicator, part.round))?;
        let to_one =
            |c: &Collective| matches!(c.kind, CollectiveKind::Send { .. } | CollectiveKind::Receive { .. });
        if !to_one(part) {
            let parts: Vec<OpId> = open.iter().filter(|(_, c)| !to_one(c)).map(|(id, _)| *id).collect();
            return (parts.len() as u64 >= u64::from(part.ranks)).then_some(parts);
        }
        let pairs = pairs(open);
        let whole = open
            .iter()
            .enumerate()
            .all(|(n, (_, c))| !to_one(c) || pairs.iter().any(|&(send, receive)| send == n || receive == n));
        let mine = open.iter().any(|(other, _)| *other == id);
        (whole && mine).then(|| open.iter().filter(|(_, c)| to_one(c)).map(|(id, _)| *id).collect())
    }

    /// The parts have been released.
    pub fn close(&mut self, part: &Collective, released: &[OpId]) {
        let key = (part.communicator, part.round);
        if let Some(open) = self.open.get_mut(&key) {
            open.retain(|(id, _)| !released.contains(id));
            if open.is_empty() {
                self.open.remove(&key);
            }
        }
    }

    /// How many parts of its round have come.
    pub fn come(&self, part: &Collective) -> usize {
        self.open.get(&(part.communicator, part.round)).map_or(0, Vec::len)
    }
}

/// Sends and their receives, by index: the first send from one rank to another meets the first
/// receive there.
fn pairs(parts: &[(OpId, Collective)]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (s, (_, send)) in parts.iter().enumerate() {
        let CollectiveKind::Send { to } = send.kind else { continue };
        let receive = parts.iter().enumerate().position(|(r, (_, c))| {
            c.rank == to
                && c.kind == CollectiveKind::Receive { from: send.rank }
                && !pairs.iter().any(|&(_, taken)| taken == r)
        });
        pairs.extend(receive.map(|r| (s, r)));
    }
    pairs
}

fn span(at: Address, bytes: u64) -> Bytes {
    Bytes::Dense(at.0..at.0.saturating_add(bytes))
}

fn bytes_of(part: &Collective, times: u64) -> u64 {
    part.count.saturating_mul(part.element.bytes()).saturating_mul(times)
}

/// Bytes that a part reads at its `send` and writes at its `receive`.
fn sizes(part: &Collective) -> (u64, u64) {
    let (one, all) = (bytes_of(part, 1), bytes_of(part, u64::from(part.ranks)));
    match part.kind {
        CollectiveKind::AllReduce(_) => (one, one),
        CollectiveKind::Reduce { root, .. } => (one, if root == part.rank { one } else { 0 }),
        CollectiveKind::Broadcast { root } => (if root == part.rank { one } else { 0 }, one),
        CollectiveKind::ReduceScatter(_) => (all, one),
        CollectiveKind::AllGather => (one, all),
        CollectiveKind::Send { .. } => (one, 0),
        CollectiveKind::Receive { .. } => (0, one),
    }
}

/// What a part touches.
pub fn touches(part: &Collective) -> Vec<Touch> {
    let (sent, received) = sizes(part);
    let mut touches = Vec::new();
    if sent > 0 {
        touches.push(Touch { kind: AccessKind::Read, bytes: span(part.send, sent) });
    }
    if received > 0 {
        touches.push(Touch { kind: AccessKind::Write, bytes: span(part.receive, received) });
    }
    touches
}

/// Why parts of one round do not fit each other.
pub fn mismatch(parts: &[&Collective]) -> Option<String> {
    let first = parts.first()?;
    for part in parts {
        let alike = match (first.kind, part.kind) {
            (
                CollectiveKind::Send { .. } | CollectiveKind::Receive { .. },
                CollectiveKind::Send { .. } | CollectiveKind::Receive { .. },
            ) => true,
            (a, b) => a == b,
        };
        if !alike {
            return Some(format!("rank {} and rank {} ask for different operations", first.rank, part.rank));
        }
        let to_one = matches!(part.kind, CollectiveKind::Send { .. } | CollectiveKind::Receive { .. });
        if !to_one && (part.count != first.count || part.element != first.element) {
            return Some(format!(
                "rank {} gives {} elements of {:?} and rank {} gives {} of {:?}",
                first.rank, first.count, first.element, part.rank, part.count, part.element
            ));
        }
    }
    None
}

/// Does a round.
pub fn run(parts: &[&Collective], machine: &mut Machine) {
    let read = |machine: &Machine, part: &Collective| {
        let mut bytes = vec![0; sizes(part).0 as usize];
        machine.read(part.send, &mut bytes);
        bytes
    };
    let mut by_rank: Vec<&Collective> = parts.to_vec();
    by_rank.sort_by_key(|p| p.rank);
    let Some(first) = by_rank.first() else { return };
    let one = bytes_of(first, 1) as usize;
    match first.kind {
        CollectiveKind::Send { .. } | CollectiveKind::Receive { .. } => {
            let numbered: Vec<(OpId, Collective)> = parts.iter().map(|&p| (OpId(0), p.clone())).collect();
            let moves: Vec<(Vec<u8>, Address, u64)> = pairs(&numbered)
                .into_iter()
                .map(|(s, r)| (read(machine, parts[s]), parts[r].receive, sizes(parts[r]).1))
                .collect();
            for (bytes, to, room) in moves {
                machine.write(to, &bytes[..bytes.len().min(room as usize)]);
            }
        }
        CollectiveKind::Broadcast { root } => {
            let Some(from) = by_rank.iter().find(|p| p.rank == root) else { return };
            let bytes = read(machine, from);
            by_rank.iter().for_each(|p| {
                machine.write(p.receive, &bytes);
            });
        }
        CollectiveKind::AllGather => {
            let all: Vec<u8> = by_rank.iter().flat_map(|p| read(machine, p)).collect();
            by_rank.iter().for_each(|p| {
                machine.write(p.receive, &all);
            });
        }
        CollectiveKind::AllReduce(op)
        | CollectiveKind::Reduce { op, .. }
        | CollectiveKind::ReduceScatter(op) => {
            let inputs: Vec<Vec<u8>> = by_rank.iter().map(|p| read(machine, p)).collect();
            let sum = combine(op, first.element, &inputs);
            for (n, part) in by_rank.iter().enumerate() {
                let received = match part.kind {
                    CollectiveKind::ReduceScatter(_) => sum.get(n * one..(n + 1) * one).unwrap_or_default(),
                    CollectiveKind::Reduce { root, .. } if root != part.rank => continue,
                    _ => &sum,
                };
                machine.write(part.receive, received);
            }
        }
    }
}

/// Combines arrays element by element, rank after rank.
fn combine(op: Reduce, element: Element, inputs: &[Vec<u8>]) -> Vec<u8> {
    let size = element.bytes() as usize;
    let count = inputs.iter().map(|i| i.len() / size).min().unwrap_or(0);
    let mut out = Vec::with_capacity(count * size);
    for at in 0..count {
        let values = inputs.iter().map(|i| &i[at * size..(at + 1) * size]);
        if let Element::F16 | Element::Bf16 | Element::F32 | Element::F64 = element {
            let values = values.map(|v| super::number::to_f64(element, v));
            let n = inputs.len() as f64;
            let one = |f: fn(f64, f64) -> f64| {
                // Each step is rounded to the element's type, as a ring does it.
                let rounded = |x: f64| super::number::to_f64(element, &super::number::from_f64(element, x));
                values.clone().reduce(|a, b| rounded(f(a, b))).unwrap_or(0.0)
            };
            let value = match op {
                Reduce::Sum => one(|a, b| a + b),
                Reduce::Product => one(|a, b| a * b),
                Reduce::Max => one(f64::max),
                Reduce::Min => one(f64::min),
                Reduce::Average => one(|a, b| a + b) / n,
            };
            out.extend(super::number::from_f64(element, value));
        } else {
            let signed = matches!(element, Element::I8 | Element::I32 | Element::I64);
            let wide = |v: &[u8]| -> i128 {
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(v);
                let unsigned = u64::from_le_bytes(bytes);
                let shift = 64 - 8 * size as u32;
                if signed { i128::from((unsigned << shift) as i64 >> shift) } else { i128::from(unsigned) }
            };
            let values = values.map(wide);
            let value = match op {
                Reduce::Sum | Reduce::Average => values.clone().fold(0i128, |a, b| a.wrapping_add(b)),
                Reduce::Product => {
                    values.clone().fold(1i128, |a, b| i128::from((a as i64).wrapping_mul(b as i64)))
                }
                Reduce::Max => values.clone().max().unwrap_or(0),
                Reduce::Min => values.clone().min().unwrap_or(0),
            };
            let value = if op == Reduce::Average { value / inputs.len().max(1) as i128 } else { value };
            out.extend(&(value as i64).to_le_bytes()[..size]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: CollectiveKind, rank: u32) -> Collective {
        Collective {
            kind,
            communicator: 0,
            round: 0,
            rank,
            ranks: 2,
            device: rank,
            send: Address(0),
            receive: Address(0),
            count: 1,
            element: Element::F32,
        }
    }

    #[test]
    fn a_ring_of_sends_is_complete_when_each_has_its_receive() {
        use CollectiveKind::{Receive, Send};
        let mut rounds = Rounds::default();
        let kinds = [(Send { to: 1 }, 0), (Receive { from: 1 }, 0), (Send { to: 0 }, 1)];
        for (n, (kind, rank)) in kinds.into_iter().enumerate() {
            rounds.add(OpId(n as u64), &part(kind, rank));
            assert_eq!(rounds.complete(OpId(n as u64), &part(kind, rank)), None);
        }
        let last = part(Receive { from: 0 }, 1);
        rounds.add(OpId(3), &last);
        assert_eq!(rounds.complete(OpId(3), &last).map(|p| p.len()), Some(4));
    }

    #[test]
    fn elements_are_combined_in_their_type() {
        let i8s = [vec![100u8, 0xff], vec![100, 1]];
        assert_eq!(combine(Reduce::Sum, Element::I8, &i8s), [200, 0]);
        assert_eq!(combine(Reduce::Max, Element::I8, &i8s), [100, 1]);
        assert_eq!(combine(Reduce::Max, Element::U8, &i8s), [100, 0xff]);
        let floats = [1.5f32, 2.5].map(|v| v.to_le_bytes().to_vec());
        assert_eq!(combine(Reduce::Average, Element::F32, &floats), 2.0f32.to_le_bytes());
    }
}
