//! Loops that only wait: whether they continue is decided by what they read from memory, and by nothing that they do
//! themselves. Unless another thread changes that memory, they never end, whatever they count and however often they
//! read a clock in the meantime.
//!
//! A loop only waits if it stores nothing, calls nothing, synchronises with nobody, and its exit conditions are
//! computed from loads and from values defined before the loop. Values carried from one iteration to the next must
//! not influence them.

use super::flow::Flow;
use crate::code::registers::Register;
use crate::code::{DecodedKernel, DecodedModule, Inst, System, What};
use crate::lanes::{FIXED, File};
use crate::memory::access::{Action, MbarrierEffect, Order, Space};
use std::collections::{BTreeMap, BTreeSet};

/// A set of basic blocks, by number.
pub type Blocks = BTreeSet<u32>;

/// A loop that only waits for other threads of its thread block: all that it reads is shared memory.
#[derive(Clone, Debug)]
pub struct WaitLoop {
    /// Instructions in the loop that read mbarrier objects.
    pub objects: Vec<u32>,
}

/// A kernel's loops that only wait.
#[derive(Clone, Debug, Default)]
pub struct WaitLoops {
    loops: Vec<WaitLoop>,
    /// For each basic block in a wait loop, the index of the innermost one.
    of_block: BTreeMap<u32, usize>,
}

impl WaitLoops {
    /// Finds the wait loops of a kernel and of the functions it calls.
    pub fn of(code: &DecodedModule, kernel: &DecodedKernel) -> WaitLoops {
        let looks = |pc: &&u32| {
            code.access_at(**pc).is_some_and(|op| {
                matches!(op.action, Action::Load) && op.order != Order::Weak && op.space == Space::Shared
            })
        };
        let flow = Flow::new(code, kernel);
        let graph = Graph::of(code, &flow);
        let mut found = WaitLoops::default();
        let mut known: BTreeSet<Blocks> = BTreeSet::new();
        for &pc in flow.accesses.iter().filter(looks) {
            let Some(blocks) = graph.innermost(code.block_of[pc as usize]) else { continue };
            let new = known.insert(blocks.clone());
            if !new || !(Loop { code, flow: &flow, graph: &graph, blocks: &blocks }).only_waits() {
                continue;
            }
            let on_object =
                |pc: &u32| code.access_at(*pc).is_some_and(|op| op.role.object == MbarrierEffect::Wait);
            let number = found.loops.len();
            found.loops.push(WaitLoop { objects: insts(code, &blocks).filter(on_object).collect() });
            for block in blocks {
                found.of_block.entry(block).or_insert(number);
            }
        }
        found
    }

    /// Returns the innermost wait loop that contains a basic block.
    pub fn around(&self, block: u32) -> Option<&WaitLoop> {
        self.of_block.get(&block).map(|&number| &self.loops[number])
    }
}

fn insts<'a>(code: &'a DecodedModule, blocks: &'a Blocks) -> impl Iterator<Item = u32> + 'a {
    blocks.iter().filter_map(|&n| code.blocks.get(n as usize)).flat_map(|block| block.start..block.end)
}

/// The control-flow graph: predecessors and successors of each basic block.
pub struct Graph {
    before: BTreeMap<u32, Blocks>,
    pub after: BTreeMap<u32, Blocks>,
}

impl Graph {
    pub fn of(code: &DecodedModule, flow: &Flow) -> Graph {
        let mut graph = Graph { before: BTreeMap::new(), after: BTreeMap::new() };
        for (&to, from) in flow.before() {
            for &from in from.iter().filter(|&&from| (from as usize) < code.blocks.len()) {
                graph.before.entry(to).or_default().insert(from);
                graph.after.entry(from).or_default().insert(to);
            }
        }
        graph
    }

    /// Returns the basic blocks reachable from `start` in one or more steps along edges for which `within` holds.
    fn reached(edges: &BTreeMap<u32, Blocks>, start: u32, within: &dyn Fn(u32, u32) -> bool) -> Blocks {
        let next = |block| edges.get(&block).into_iter().flatten().copied();
        reached(start, |block| next(block).filter(move |&next| within(block, next)))
    }

    /// Returns the innermost loop that contains a basic block; `None` if it is in none.
    fn innermost(&self, block: u32) -> Option<Blocks> {
        let around = |within: &dyn Fn(u32, u32) -> bool| {
            let after = Self::reached(&self.after, block, &|from, to| within(from, to));
            let before = Self::reached(&self.before, block, &|to, from| within(from, to));
            let both: Blocks = after.intersection(&before).copied().collect();
            both.contains(&block).then_some(both)
        };
        let mut found = around(&|_, _| true)?;
        loop {
            // A nested loop does not pass through the header of the loop around it.
            let is_head = |&to: &u32| {
                let from = self.before.get(&to);
                from.is_none_or(|from| from.iter().any(|from| !found.contains(from)))
            };
            let heads: Blocks = found.iter().copied().filter(is_head).collect();
            let inside =
                |from: u32, to: u32| found.contains(&from) && found.contains(&to) && !heads.contains(&to);
            match around(&inside) {
                Some(inner) if inner.len() < found.len() => found = inner,
                _ => return Some(found),
            }
        }
    }
}

/// A candidate loop, with the code and graph it is in.
struct Loop<'a> {
    code: &'a DecodedModule,
    flow: &'a Flow<'a>,
    graph: &'a Graph,
    blocks: &'a Blocks,
}

impl Loop<'_> {
    fn contains(&self, pc: u32) -> bool {
        self.code.block_of.get(pc as usize).is_some_and(|block| self.blocks.contains(block))
    }

    fn only_waits(&self) -> bool {
        insts(self.code, self.blocks).all(|pc| self.is_idle(pc)) && self.is_decided_by_memory()
    }

    /// Returns whether an instruction has no effect that others can see, and doesn't synchronise with anybody.
    fn is_idle(&self, pc: u32) -> bool {
        let inst = &self.code.insts[pc as usize];
        match inst.what {
            What::Memory => matches!(self.code.details.memory[inst.detail as usize].action, Action::Load),
            What::System(what) => {
                !matches!(what, System::Unsupported | System::Bulk | System::Tensor | System::Surface)
            }
            What::Lanes(_) | What::Branch | What::BranchIndexed => true,
            What::Return | What::Exit | What::Trap => inst.guard.is_some(),
            What::Call | What::Barrier | What::Collective => false,
        }
    }

    /// Returns whether a jump to an instruction leaves the loop. A jump to a failed assertion doesn't count: some
    /// library headers assert that a wait does not take too long.
    fn leads_out(&self, to: u32) -> bool {
        let last = || {
            let block = self.code.block_of.get(to as usize)?;
            self.code.insts.get(self.code.blocks.get(*block as usize)?.end.checked_sub(1)? as usize)
        };
        let fails = |inst: &Inst| {
            matches!(inst.what, What::Call)
                && self.code.details.calls[inst.detail as usize].target.fails_assertion()
        };
        !self.contains(to) && !last().is_some_and(fails)
    }

    /// Returns the registers that decide whether threads leave the loop; with `ways`, also those that decide which
    /// path they take within it.
    fn deciding(&self, ways: bool) -> Vec<Register> {
        let mut deciding = Vec::new();
        for pc in insts(self.code, self.blocks) {
            let inst = &self.code.insts[pc as usize];
            let guard = inst.guard.register().map(|register| (File::Pred, register));
            match inst.what {
                What::Branch if ways || self.leads_out(inst.detail) || self.leads_out(pc + 1) => {
                    deciding.extend(guard);
                }
                What::BranchIndexed => deciding.extend([(File::R32, inst.s[0])].into_iter().chain(guard)),
                What::Return | What::Exit | What::Trap => deciding.extend(guard),
                _ => {}
            }
        }
        deciding
    }

    /// Returns whether every path round the loop passes through a basic block.
    fn is_always_passed(&self, block: u32) -> bool {
        let others = |from: u32, to: u32| {
            self.blocks.contains(&from) && self.blocks.contains(&to) && from != block && to != block
        };
        self.blocks.iter().all(|&n| !Graph::reached(&self.graph.after, n, &others).contains(&n))
    }

    fn is_decided_by_memory(&self) -> bool {
        let mut open = self.deciding(false);
        let mut needs: BTreeMap<Register, Vec<Register>> = BTreeMap::new();
        while let Some(register) = open.pop() {
            if register.1 & FIXED != 0 || needs.contains_key(&register) {
                continue;
            }
            let mut its = Vec::new();
            for pc in insts(self.code, self.blocks).filter(|&pc| self.flow.writes(pc, register)) {
                let Some(sources) = self.sources(pc) else { return false };
                its.extend(sources);
                let inst = &self.code.insts[pc as usize];
                its.extend(inst.guard.register().map(|register| (File::Pred, register)));
                if !self.is_always_passed(self.code.block_of[pc as usize]) {
                    its.extend(self.deciding(true));
                }
            }
            open.extend(its.iter().copied());
            needs.insert(register, its);
        }
        !depends_on_itself(&needs)
    }

    /// Returns the registers that an instruction computes its result from; `None` if the result depends on time or on
    /// other threads.
    fn sources(&self, pc: u32) -> Option<Vec<Register>> {
        let inst = &self.code.insts[pc as usize];
        match inst.what {
            What::Lanes(_) => {
                let (row, s) = self.flow.arithmetic(pc)?;
                Some(row.sources.iter().copied().zip(s).collect())
            }
            What::Memory => {
                let op = &self.code.details.memory[inst.detail as usize];
                let own = matches!(op.space, Space::Shared | Space::Local | Space::Param | Space::Const);
                own.then(|| vec![(File::R64, op.base)])
            }
            What::System(System::BlockIndex | System::LocalAddress) => Some(Vec::new()),
            What::System(System::IsSpace) => Some(vec![(File::R64, inst.s[0])]),
            _ => None,
        }
    }
}

/// Returns whether some register's value depends on its own value from an earlier iteration.
fn depends_on_itself(needs: &BTreeMap<Register, Vec<Register>>) -> bool {
    let next = |register| needs.get(&register).into_iter().flatten().copied();
    needs.keys().any(|&register| reached(register, next).contains(&register))
}

/// Returns what is reachable from `start` in one or more steps.
pub fn reached<T: Copy + Ord, I: Iterator<Item = T>>(start: T, next: impl Fn(T) -> I) -> BTreeSet<T> {
    let (mut open, mut seen) = (vec![start], BTreeSet::new());
    while let Some(at) = open.pop() {
        for next in next(at) {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}
