//! NCCL's collectives: computes what all ranks of a round do together.

use super::element::Real;
use super::span::Span;
use crate::device::ElementType;
use crate::device::library::{Collective, CollectiveKind, Reduce};
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
    let bytes = part.element.bytes() as u64;
    vec![
        Span::dense(part.send, sent.saturating_mul(bytes), false),
        Span::dense(part.receive, received.saturating_mul(bytes), true),
    ]
}

/// Returns whether a rank's part writes to bytes that it also reads, and is not in place as NCCL defines it (NCCL user
/// guide, "In-place Operations").
pub fn overlaps(part: &Collective) -> bool {
    let (sent, received) = counts(part);
    let bytes = part.element.bytes() as u64;
    let (sent, received) = (sent.saturating_mul(bytes), received.saturating_mul(bytes));
    let (send, receive) = (part.send.0, part.receive.0);
    let own = part.count.saturating_mul(bytes).saturating_mul(part.rank.into());
    let in_place = match part.kind {
        CollectiveKind::ReduceScatter(_) => receive == send.saturating_add(own),
        CollectiveKind::AllGather => send == receive.saturating_add(own),
        _ => send == receive,
    };
    let meet = send < receive.saturating_add(received) && receive < send.saturating_add(sent);
    sent > 0 && received > 0 && meet && !in_place
}

/// Performs a round. `parts` holds those of all ranks, or the two sides of a transfer, in any order.
pub fn complete(machine: &mut Machine, parts: &[Collective]) {
    let mut parts: Vec<&Collective> = parts.iter().collect();
    parts.sort_by_key(|part| part.rank);
    let sent: Vec<Vec<u8>> = parts.iter().map(|part| sent_bytes(machine, part)).collect();
    for (n, part) in parts.iter().enumerate() {
        let combined = |op: Reduce| match part.element {
            ElementType::F64 => reduce_floats::<f64>(op, part.element, &sent),
            ElementType::F16 | ElementType::Bf16 | ElementType::F32 => {
                reduce_floats::<f32>(op, part.element, &sent)
            }
            _ => reduce_integers(op, part.element, &sent),
        };
        let received: Vec<u8> = match part.kind {
            CollectiveKind::AllReduce(op) => combined(op),
            CollectiveKind::Reduce { op, root } if part.rank == root => combined(op),
            CollectiveKind::Broadcast { root } => sent.get(root as usize).cloned().unwrap_or_default(),
            CollectiveKind::ReduceScatter(op) => {
                let bytes = (part.count * part.element.bytes() as u64) as usize;
                combined(op).into_iter().skip(n * bytes).take(bytes).collect()
            }
            CollectiveKind::AllGather => sent.concat(),
            CollectiveKind::Receive { from } => {
                let sender = parts.iter().position(|other| {
                    other.rank == from && matches!(other.kind, CollectiveKind::Send { to } if to == part.rank)
                });
                sender.map(|n| sent[n].clone()).unwrap_or_default()
            }
            CollectiveKind::Reduce { .. } | CollectiveKind::Send { .. } => continue,
        };
        machine.write(part.receive, &received);
    }
}

/// Returns the bytes that a rank sends.
fn sent_bytes(machine: &Machine, part: &Collective) -> Vec<u8> {
    let mut bytes = vec![0; counts(part).0.saturating_mul(part.element.bytes() as u64) as usize];
    machine.read(part.send, &mut bytes);
    bytes
}

/// Combines the ranks' elements in rank order.
fn combine<T: Copy>(ranks: &[Vec<T>], combine: impl Fn(T, T) -> T) -> Vec<T> {
    let Some((first, rest)) = ranks.split_first() else { return Vec::new() };
    let mut out = first.clone();
    for values in rest {
        for (a, &b) in out.iter_mut().zip(values) {
            *a = combine(*a, b);
        }
    }
    out
}

fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// Reduces floats. A ring adds in another order, so its results differ in the last bits.
fn reduce_floats<T: Real + PartialOrd>(op: Reduce, element: ElementType, sent: &[Vec<u8>]) -> Vec<u8> {
    let ranks: Vec<Vec<T>> = sent.iter().map(|bytes| T::decode(element, bytes)).collect();
    let mut out = match op {
        Reduce::Sum | Reduce::Average => combine(&ranks, |a, b| a + b),
        Reduce::Product => combine(&ranks, |a, b| a * b),
        Reduce::Max => combine(&ranks, greater),
        Reduce::Min => combine(&ranks, lesser),
    };
    if op == Reduce::Average {
        let share = T::from_f64(1.0 / ranks.len() as f64);
        out.iter_mut().for_each(|value| *value = *value * share);
    }
    T::encode(element, &out)
}

/// Reduces integers: sums and products wrap around, an average is rounded towards zero (NCCL divides the sum).
fn reduce_integers(op: Reduce, element: ElementType, sent: &[Vec<u8>]) -> Vec<u8> {
    let signed = matches!(element, ElementType::I8 | ElementType::I32 | ElementType::I64);
    let bytes = element.bytes();
    let unused = 128 - 8 * bytes as u32;
    // The value of an element's bits.
    let value = |bits: i128| {
        let high = bits << unused;
        if signed { high >> unused } else { ((high as u128) >> unused) as i128 }
    };
    let decode =
        |element: &[u8]| value(element.iter().rev().fold(0, |bits, &byte| bits << 8 | i128::from(byte)));
    let ranks: Vec<Vec<i128>> =
        sent.iter().map(|sent| sent.chunks_exact(bytes).map(decode).collect()).collect();
    let mut out = match op {
        Reduce::Sum | Reduce::Average => combine(&ranks, |a, b| value(a.wrapping_add(b))),
        Reduce::Product => combine(&ranks, |a, b| value(a.wrapping_mul(b))),
        Reduce::Max => combine(&ranks, greater),
        Reduce::Min => combine(&ranks, lesser),
    };
    if op == Reduce::Average {
        let count = ranks.len().max(1) as i128;
        out.iter_mut().for_each(|value| *value /= count);
    }
    out.iter().flat_map(|value| value.to_le_bytes().into_iter().take(bytes)).collect()
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
                element: ElementType::F32,
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

    #[test]
    fn integers_wrap_compare_by_their_signs_and_average_whole() {
        let of = |op, element, a: &[u8], b: &[u8]| reduce_integers(op, element, &[a.to_vec(), b.to_vec()]);
        let (max, two) = (u64::MAX.to_le_bytes(), 2u64.to_le_bytes());
        assert_eq!(of(Reduce::Max, ElementType::U64, &max, &two), max);
        assert_eq!(of(Reduce::Min, ElementType::U64, &max, &two), two);
        // As a signed number it is -1.
        assert_eq!(of(Reduce::Max, ElementType::I64, &max, &two), two);
        assert_eq!(of(Reduce::Sum, ElementType::U64, &max, &two), 1u64.to_le_bytes());
        let (large, small) = (i32::MAX.to_le_bytes(), 2i32.to_le_bytes());
        assert_eq!(of(Reduce::Sum, ElementType::I32, &large, &small), (i32::MIN + 1).to_le_bytes());
        assert_eq!(of(Reduce::Product, ElementType::I32, &large, &small), (-2i32).to_le_bytes());
        assert_eq!(
            of(Reduce::Average, ElementType::I32, &7i32.to_le_bytes(), &4i32.to_le_bytes()),
            5i32.to_le_bytes()
        );
        assert_eq!(of(Reduce::Average, ElementType::I8, &[0xfd], &[0xfe]), [0xfe]); // -3 and -2: -5 / 2
    }
}
