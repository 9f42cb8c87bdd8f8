//! NCCL's collectives: computes what all ranks of a round do together.

use super::element::{Real, Wrapping64};
use super::operand::read;
use super::span::Span;
use crate::device::library::{Collective, CollectiveKind, Element, Reduce};
use sim::Machine;

/// Returns the numbers of elements that a rank sends and receives.
fn counts(part: &Collective) -> (u64, u64) {
    let all = part.count.saturating_mul(part.ranks.into());
    let at_root = |root: u32, count: u64| if part.rank == root { count } else { 0 };
    match part.kind {
        CollectiveKind::AllReduce(_) => (part.count, part.count),
        CollectiveKind::Reduce { root, .. } => (part.count, at_root(root, part.count)),
        CollectiveKind::Broadcast { root } => (at_root(root, part.count), part.count),
        CollectiveKind::ReduceScatter(_) => (all, part.count),
        CollectiveKind::AllGather => (part.count, all),
        CollectiveKind::Send { .. } => (part.count, 0),
        CollectiveKind::Receive { .. } => (0, part.count),
    }
}

pub fn spans(part: &Collective) -> Vec<Span> {
    let (sent, received) = counts(part);
    let bytes = part.element.bytes();
    vec![
        Span::dense(part.send, sent.saturating_mul(bytes), false),
        Span::dense(part.receive, received.saturating_mul(bytes), true),
    ]
}

/// Performs a round. `parts` holds those of all ranks, or the two sides of a transfer, in any order.
pub fn complete(machine: &mut Machine, parts: &[Collective]) {
    match parts.first().map(|part| part.element) {
        // Unsigned values are compared as signed: wrong only for values in the upper half of the range.
        Some(Element::I64 | Element::U64) => complete_in::<Wrapping64>(machine, parts),
        Some(Element::F64 | Element::I32 | Element::U32 | Element::I8 | Element::U8) => {
            complete_in::<f64>(machine, parts)
        }
        Some(_) => complete_in::<f32>(machine, parts),
        None => {}
    }
}

fn complete_in<T: Real + PartialOrd>(machine: &mut Machine, parts: &[Collective]) {
    let mut parts: Vec<&Collective> = parts.iter().collect();
    parts.sort_by_key(|part| part.rank);
    let sent: Vec<Vec<T>> =
        parts.iter().map(|part| read::<T>(machine, part.send, counts(part).0, part.element)).collect();
    for (n, part) in parts.iter().enumerate() {
        let own = |values: &[T]| -> Vec<T> {
            let count = part.count as usize;
            values.iter().skip(n * count).take(count).copied().collect()
        };
        let received: Vec<T> = match part.kind {
            CollectiveKind::AllReduce(op) => combined(op, &sent),
            CollectiveKind::Reduce { op, root } if part.rank == root => combined(op, &sent),
            CollectiveKind::Broadcast { root } => sent.get(root as usize).cloned().unwrap_or_default(),
            CollectiveKind::ReduceScatter(op) => own(&combined(op, &sent)),
            CollectiveKind::AllGather => sent.concat(),
            CollectiveKind::Receive { from } => {
                let sender = parts.iter().position(|other| {
                    other.rank == from && matches!(other.kind, CollectiveKind::Send { to } if to == part.rank)
                });
                sender.map(|n| sent[n].clone()).unwrap_or_default()
            }
            CollectiveKind::Reduce { .. } | CollectiveKind::Send { .. } => continue,
        };
        machine.write(part.receive, &T::encode(part.element, &received));
    }
}

/// Combines the ranks' elements in rank order; a ring adds in another order, so floats differ in the last
/// bits.
fn combined<T: Real + PartialOrd>(op: Reduce, sent: &[Vec<T>]) -> Vec<T> {
    let Some((first, rest)) = sent.split_first() else { return Vec::new() };
    let mut out = first.clone();
    for values in rest {
        for (a, &b) in out.iter_mut().zip(values) {
            *a = match op {
                Reduce::Sum | Reduce::Average => *a + b,
                Reduce::Product => *a * b,
                Reduce::Max => {
                    if b > *a {
                        b
                    } else {
                        *a
                    }
                }
                Reduce::Min => {
                    if b < *a {
                        b
                    } else {
                        *a
                    }
                }
            };
        }
    }
    if op == Reduce::Average {
        let share = T::from_f64(1.0 / sent.len() as f64);
        out.iter_mut().for_each(|value| *value = *value * share);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::{machine, put, take};
    use super::*;

    fn round(kind: CollectiveKind, count: u64, room: usize) -> Vec<Vec<f32>> {
        let mut machine = machine();
        let parts: Vec<Collective> = (0..2)
            .map(|rank| Collective {
                kind,
                communicator: 0,
                round: 0,
                rank,
                ranks: 2,
                device: rank,
                send: put(&mut machine, &[1.0 + rank as f32, 10.0 * (1.0 + rank as f32)]),
                receive: put(&mut machine, &vec![0.0; room]),
                count,
                element: Element::F32,
            })
            .collect();
        // The order of the ranks does not matter.
        let turned: Vec<Collective> = parts.iter().rev().cloned().collect();
        complete(&mut machine, &turned);
        parts.iter().map(|part| take(&machine, part.receive, room)).collect()
    }

    #[test]
    fn each_kind_gives_every_rank_its_share() {
        assert_eq!(round(CollectiveKind::AllReduce(Reduce::Sum), 2, 2), [[3.0, 30.0], [3.0, 30.0]]);
        assert_eq!(round(CollectiveKind::AllReduce(Reduce::Average), 2, 2), [[1.5, 15.0], [1.5, 15.0]]);
        assert_eq!(round(CollectiveKind::AllReduce(Reduce::Max), 2, 2), [[2.0, 20.0], [2.0, 20.0]]);
        assert_eq!(
            round(CollectiveKind::Reduce { op: Reduce::Product, root: 1 }, 2, 2),
            [[0.0, 0.0], [2.0, 200.0]]
        );
        assert_eq!(round(CollectiveKind::Broadcast { root: 1 }, 2, 2), [[2.0, 20.0], [2.0, 20.0]]);
        assert_eq!(round(CollectiveKind::ReduceScatter(Reduce::Sum), 1, 1), [[3.0], [30.0]]);
        assert_eq!(round(CollectiveKind::AllGather, 2, 4), [[1.0, 10.0, 2.0, 20.0], [1.0, 10.0, 2.0, 20.0]]);
    }
}
