//! Vector clocks, with one entry per block. Clocks share their common parts, so that passing one on costs a few tree
//! nodes, however many blocks it covers.

use super::stamp::{MANY, MANY_BLOCKS, MANY_IN_WARP, key};
use std::sync::Arc;

/// A block's entry in a vector clock: the time before which its accesses are known to have happened. `all` applies to
/// all its threads; single warps (`MANY_IN_WARP | warp`) and threads may have later times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    all: u32,
    /// Sorted by warp or thread; no time is before `all`.
    parts: Vec<(u32, u32)>,
}

impl Progress {
    /// Creates an entry that includes everything before `all`, and for each warp or thread in `parts` everything
    /// before its time.
    pub fn of(all: u32, parts: &[(u32, u32)]) -> Progress {
        let mut progress = Progress { all, parts: Vec::new() };
        for &(part, time) in parts {
            progress.raise(part, time);
        }
        progress
    }

    fn raise(&mut self, part: u32, time: u32) {
        if time <= self.all {
            return;
        }
        match self.parts.binary_search_by_key(&part, |p| p.0) {
            Ok(n) => self.parts[n].1 = self.parts[n].1.max(time),
            Err(n) => self.parts.insert(n, (part, time)),
        }
    }

    fn part(&self, part: u32) -> u32 {
        self.parts.binary_search_by_key(&part, |p| p.0).map_or(self.all, |n| self.parts[n].1)
    }

    fn includes(&self, other: &Progress) -> bool {
        let mut mine = self.parts.iter().peekable();
        let includes_part = |&(part, time): &(u32, u32)| {
            while mine.next_if(|p| p.0 < part).is_some() {}
            time <= self.all || mine.peek().is_some_and(|p| p.0 == part && p.1 >= time)
        };
        other.all <= self.all && other.parts.iter().all(includes_part)
    }

    /// Returns the join of two entries: a merge of two sorted lists.
    fn joined(&self, other: &Progress) -> Progress {
        let all = self.all.max(other.all);
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut mine, mut theirs) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let (part, time) = match (mine.peek(), theirs.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => (a.0, a.1.max(b.1)),
                (Some(a), Some(b)) => **a.min(b),
                (Some(one), None) | (None, Some(one)) => **one,
                (None, None) => break,
            };
            mine.next_if(|p| p.0 == part);
            theirs.next_if(|p| p.0 == part);
            if time > all {
                parts.push((part, time));
            }
        }
        Progress { all, parts }
    }

    /// Returns whether the entry includes an access at `time` by the thread or threads `who` of a stamp. If it is not
    /// known which threads those were, one of them is enough.
    fn covers(&self, who: u32, time: u32) -> bool {
        let within = |warp: u32| warp * 32..warp * 32 + 32;
        self.all > time
            || match key(who) {
                MANY | MANY_BLOCKS => self.parts.iter().any(|p| p.1 > time),
                w if w & MANY_IN_WARP != 0 => {
                    let lanes = within(w & 0x1f);
                    self.parts.iter().any(|p| (p.0 == w || lanes.contains(&p.0)) && p.1 > time)
                }
                t => self.part(t) > time || self.part(MANY_IN_WARP | (t / 32)) > time,
            }
    }
}

const CHILDREN: u64 = 16;

#[derive(Debug)]
enum Node {
    Inner([Option<Arc<Node>>; CHILDREN as usize]),
    Leaf(Progress),
}

/// A vector clock: a radix tree by block number, `height` inner nodes deep.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    root: Option<Arc<Node>>,
    height: u32,
}

impl Clock {
    /// Creates a clock with an entry for one block.
    pub fn of(block: u64, progress: Progress) -> Clock {
        let mut node = Arc::new(Node::Leaf(progress));
        let (mut rest, mut height) = (block, 0);
        while rest > 0 {
            let mut children: [Option<Arc<Node>>; CHILDREN as usize] = Default::default();
            children[(block >> (4 * height) & (CHILDREN - 1)) as usize] = Some(node);
            node = Arc::new(Node::Inner(children));
            rest /= CHILDREN;
            height += 1;
        }
        Clock { root: Some(node), height }
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Returns whether both share the same root. Clocks with equal contents may still be different by this measure.
    pub fn is_same(&self, other: &Clock) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn grow(&mut self, height: u32) {
        while self.height < height {
            let mut children: [Option<Arc<Node>>; CHILDREN as usize] = Default::default();
            children[0] = self.root.take();
            self.root = Some(Arc::new(Node::Inner(children)));
            self.height += 1;
        }
    }

    /// Joins the other clock into this one: the entry-wise maximum.
    pub fn join(&mut self, other: &Clock) {
        if other.is_empty() || self.is_same(other) {
            return;
        }
        if self.is_empty() {
            *self = other.clone();
            return;
        }
        let mut other = other.clone();
        self.grow(other.height);
        other.grow(self.height);
        if let (Some(mine), Some(theirs)) = (&self.root, &other.root) {
            self.root = Some(join(mine, theirs));
        }
    }

    /// Returns whether the clock includes an access at `time`, in `block`, by the thread or threads `who` of a stamp.
    pub fn covers(&self, block: u64, who: u32, time: u32) -> bool {
        let Some(mut node) = self.root.as_ref() else { return false };
        if block >> (4 * self.height).min(63) != 0 {
            return false;
        }
        let mut level = self.height;
        loop {
            match &**node {
                Node::Leaf(progress) => return progress.covers(who, time),
                Node::Inner(children) => {
                    level = level.saturating_sub(1);
                    match &children[(block >> (4 * level) & (CHILDREN - 1)) as usize] {
                        Some(child) => node = child,
                        None => return false,
                    }
                }
            }
        }
    }
}

/// Joins two nodes of the same height. Returns one of them itself if it includes the other.
fn join(a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(a, b) {
        return a.clone();
    }
    match (&**a, &**b) {
        (Node::Leaf(mine), Node::Leaf(theirs)) => {
            if mine.includes(theirs) {
                return a.clone();
            }
            if theirs.includes(mine) {
                return b.clone();
            }
            Arc::new(Node::Leaf(mine.joined(theirs)))
        }
        (Node::Inner(mine), Node::Inner(theirs)) => {
            let mut children: [Option<Arc<Node>>; CHILDREN as usize] = Default::default();
            let (mut all_mine, mut all_theirs) = (true, true);
            for (child, (x, y)) in children.iter_mut().zip(mine.iter().zip(theirs)) {
                *child = match (x, y) {
                    (Some(x), Some(y)) => Some(join(x, y)),
                    (Some(one), None) | (None, Some(one)) => Some(one.clone()),
                    (None, None) => None,
                };
                let is = |it: &Option<Arc<Node>>| match (it, &*child) {
                    (Some(it), Some(child)) => Arc::ptr_eq(it, child),
                    (None, None) => true,
                    _ => false,
                };
                all_mine &= is(x);
                all_theirs &= is(y);
            }
            match (all_mine, all_theirs) {
                (true, _) => a.clone(),
                (_, true) => b.clone(),
                _ => Arc::new(Node::Inner(children)),
            }
        }
        _ => a.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(entries: &[(u64, u32, u32)]) -> Clock {
        let mut clock = Clock::default();
        for &(block, part, time) in entries {
            clock.join(&Clock::of(block, Progress::of(0, &[(part, time)])));
        }
        clock
    }

    #[test]
    fn a_joined_clock_knows_what_both_knew() {
        let mut a = clock(&[(0, 3, 10), (17, 5, 20), (70_000, 1, 30)]);
        a.join(&clock(&[(17, 5, 25), (17, 6, 4), (1 << 40, 2, 9)]));
        for (block, who, time, expected) in [
            (0, 3, 9, true),
            (0, 3, 10, false),
            (0, 4, 1, false),
            (17, 5, 24, true),
            (17, 6, 3, true),
            (17, 6, 4, false),
            (70_000, 1, 29, true),
            (1 << 40, 2, 8, true),
            (1 << 41, 2, 8, false),
            (16, 5, 0, false),
        ] {
            assert_eq!(a.covers(block, who, time), expected, "block {block}, {who}, at {time}");
        }
    }

    #[test]
    fn joined_progress_is_the_maximum_of_every_part() {
        let (a, b) =
            (Progress::of(4, &[(1, 9), (3, 6), (8, 5)]), Progress::of(5, &[(0, 7), (3, 8), (8, 6), (9, 9)]));
        let both = a.joined(&b);
        assert_eq!(both, Progress::of(5, &[(0, 7), (1, 9), (3, 8), (8, 6), (9, 9)]));
        assert!(both.includes(&a) && both.includes(&b) && !a.includes(&both) && !b.includes(&both));
        assert!(b.includes(&Progress::of(5, &[(3, 7), (9, 9)])) && !b.includes(&Progress::of(5, &[(2, 6)])));
        assert!(b.includes(&Progress::of(2, &[(2, 5), (8, 3)])));
    }

    #[test]
    fn a_block_or_a_warp_stands_for_its_threads() {
        let progress = Progress::of(5, &[(MANY_IN_WARP | 1, 9), (3, 2), (70, 12)]);
        let clock = Clock::of(4, progress);
        assert!(clock.covers(4, 3, 4) && !clock.covers(4, 3, 5));
        assert!(clock.covers(4, 40, 8) && !clock.covers(4, 40, 9));
        assert!(clock.covers(4, MANY_IN_WARP | 2, 11) && !clock.covers(4, MANY_IN_WARP | 3, 6));
        assert!(clock.covers(4, MANY, 11) && !clock.covers(4, MANY, 12));
    }

    #[test]
    fn what_brings_nothing_new_is_shared() {
        let whole = clock(&[(1, 1, 10), (2, 2, 20), (300, 3, 30)]);
        let mut joined = whole.clone();
        joined.join(&clock(&[(2, 2, 19), (300, 3, 30)]));
        assert!(joined.is_same(&whole));
        let mut part = clock(&[(2, 2, 19)]);
        part.join(&whole);
        assert!(part.is_same(&whole));
    }
}
