//! Where an address comes from, read from the code: the reads whose values it is made of, and the
//! parameter or variable that it began as.
//!
//! A finding about an address is a consequence where another finding is about one of those reads.
//! Values are followed backwards from the address, through registers, calls and shuffles, and from
//! a read of an array to whatever the kernel puts there. Ways are those of the text: what is said is
//! that the address is made of a read, not that this time that read went wrong.
//!
//! What it does not see: values that decide only whether something is done; what other launches
//! left in memory; arrays whose name is not known, since their address comes from memory.

mod flow;
mod homes;
mod waits;

use crate::code::{CallTarget, CollectiveKind, DecodedModule, Fixed, KernelCode, System, What};
use crate::engine::findings::Side;
use crate::finding::FindingKind;
use crate::lanes::File;
use crate::memory::access::{Action, SINK, Space};
use crate::table::Row;
use flow::{Flow, Register, Walk, Writer};
pub use homes::shared_homes;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
pub use waits::{WaitLoop, WaitLoops};

/// What an address began as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// Eight bytes of a kernel's parameters, from this offset.
    Param(u32),
    /// A variable in shared memory, by number.
    Shared(u32),
    /// A variable in global or constant memory, by number.
    Global(u32),
    /// Local memory of a function.
    Local,
}

/// What the address of an access is made of.
#[derive(Debug, Default)]
pub struct Sources {
    /// Loads and atomics, by instruction.
    pub reads: BTreeSet<u32>,
    /// Those of them that read shared memory.
    pub shared: BTreeSet<u32>,
    /// Operations in which the lanes of a warp hand values on.
    pub exchanges: BTreeSet<u32>,
}

/// The code of a kernel, to be asked.
pub struct Origins<'a> {
    code: &'a DecodedModule,
    kernel: &'a KernelCode,
    flow: OnceCell<Flow<'a>>,
    roots: RefCell<HashMap<u32, BTreeSet<Root>>>,
    sources: RefCell<HashMap<u32, Option<Rc<Sources>>>>,
}

impl<'a> Origins<'a> {
    pub fn new(code: &'a DecodedModule, kernel: &'a KernelCode) -> Origins<'a> {
        Origins {
            code,
            kernel,
            flow: OnceCell::new(),
            roots: RefCell::default(),
            sources: RefCell::default(),
        }
    }

    fn flow(&self) -> &Flow<'a> {
        self.flow.get_or_init(|| Flow::new(self.code, self.kernel))
    }

    /// What the address of the access `pc` began as: several where a branch chooses, none where it is
    /// read from memory.
    pub fn roots(&self, pc: u32) -> BTreeSet<Root> {
        let known = self.roots.borrow().get(&pc).cloned();
        known.unwrap_or_else(|| {
            let roots = self.find_roots(pc).unwrap_or_default();
            self.roots.borrow_mut().insert(pc, roots.clone());
            roots
        })
    }

    fn find_roots(&self, pc: u32) -> Option<BTreeSet<Root>> {
        let inst = self.code.insts.get(pc as usize)?;
        let What::Memory = inst.what else { return None };
        let op = self.code.memory.get(inst.detail as usize)?;
        let mut roots = BTreeSet::new();
        if op.space == Space::Local {
            roots.insert(Root::Local);
            return Some(roots);
        }
        let mut walk = Walk::new(self.flow());
        walk.before(pc, (File::R64, op.base));
        while let Some(writer) = walk.writer()? {
            match writer {
                Writer::Fixed(register) => roots.extend(self.root(register)),
                Writer::Inst(at, _) => {
                    if let Some((row, s)) = self.flow().arithmetic(at) {
                        pointers(row, s).into_iter().for_each(|register| walk.before(at, register));
                    }
                }
                Writer::Hoisted(inst, row) => {
                    pointers(row, inst.s).into_iter().for_each(|register| walk.hoisted(register));
                }
                Writer::Argument(call, register) => walk.before(call, register),
            }
        }
        Some(roots)
    }

    fn root(&self, register: Register) -> Option<Root> {
        match self.flow().fixed(register)? {
            Fixed::Param { offset, bytes: 8, .. } => Some(Root::Param(*offset)),
            Fixed::Shared { variable, .. } => Some(Root::Shared(*variable)),
            Fixed::Global { variable, .. } => Some(Root::Global(*variable)),
            _ => None,
        }
    }

    /// Whether the address of the access `pc` began as that of a local variable of the same function.
    pub fn is_own_local(&self, pc: u32) -> bool {
        let Some(inst) = self.code.insts.get(pc as usize) else { return false };
        let (What::Memory, Some(op)) = (inst.what, self.code.memory.get(inst.detail as usize)) else {
            return false;
        };
        let mut walk = Walk::new(self.flow());
        walk.before(pc, (File::R64, op.base));
        while let Some(Some(writer)) = walk.writer() {
            let Writer::Inst(at, _) = writer else { continue };
            if let What::System(System::LocalAddress) = self.code.insts[at as usize].what {
                return true;
            }
            if let Some((row, s)) = self.flow().arithmetic(at) {
                pointers(row, s).into_iter().for_each(|register| walk.before(at, register));
            }
        }
        false
    }

    /// What the address of the access `pc` is made of; `None` where that is too much to follow.
    pub fn sources(&self, pc: u32) -> Option<Rc<Sources>> {
        let known = self.sources.borrow().get(&pc).cloned();
        known.unwrap_or_else(|| {
            let sources = self.find_sources(pc).map(Rc::new);
            self.sources.borrow_mut().insert(pc, sources.clone());
            sources
        })
    }

    fn find_sources(&self, pc: u32) -> Option<Sources> {
        let inst = self.code.insts.get(pc as usize)?;
        let What::Memory = inst.what else { return None };
        let base = self.code.memory.get(inst.detail as usize)?.base;
        let flow = self.flow();
        let mut walk = Walk::new(flow);
        walk.before(pc, (File::R64, base));
        let mut sources = Sources::default();
        // Arrays whose values are followed already.
        let mut places = BTreeSet::new();
        while let Some(writer) = walk.writer()? {
            match writer {
                Writer::Fixed(_) => {}
                Writer::Hoisted(inst, row) => {
                    (row.sources.iter().zip(inst.s)).for_each(|(&file, s)| walk.hoisted((file, s)));
                }
                Writer::Argument(call, register) => walk.before(call, register),
                Writer::Inst(at, register) => {
                    if let Some((row, s)) = flow.arithmetic(at) {
                        (row.sources.iter().zip(s)).for_each(|(&file, s)| walk.before(at, (file, s)));
                        continue;
                    }
                    self.pass(&mut walk, at, register, &mut sources, &mut places);
                }
            }
        }
        Some(sources)
    }

    /// Goes on from a register that an instruction wrote which is no arithmetic.
    fn pass(
        &self,
        walk: &mut Walk,
        at: u32,
        register: Register,
        sources: &mut Sources,
        places: &mut BTreeSet<Root>,
    ) {
        let inst = &self.code.insts[at as usize];
        match inst.what {
            What::Memory => {
                let op = &self.code.memory[inst.detail as usize];
                sources.reads.insert(at);
                walk.before(at, (File::R64, op.base));
                let roots = self.roots(at);
                let is_shared = |root: &Root| matches!(root, Root::Shared(_));
                if op.space == Space::Shared || roots.iter().any(is_shared) {
                    sources.shared.insert(at);
                }
                for root in roots {
                    if places.insert(root) {
                        self.stores(root).into_iter().for_each(|(pc, value)| walk.before(pc, value));
                    }
                }
            }
            What::Collective => {
                sources.exchanges.insert(at);
                let value = match self.code.collectives[inst.detail as usize].kind {
                    CollectiveKind::Vote { .. } => Some((File::Pred, inst.s[0])),
                    CollectiveKind::Match { bits: 64, .. } => Some((File::R64, inst.s[0])),
                    CollectiveKind::Shuffle { .. }
                    | CollectiveKind::Match { .. }
                    | CollectiveKind::Redux(_) => Some((File::R32, inst.s[0])),
                    _ => None,
                };
                value.into_iter().for_each(|value| walk.before(at, value));
            }
            What::Call => {
                let call = &self.code.calls[inst.detail as usize];
                let CallTarget::Function(function) = call.target else { return };
                let Some(callee) = self.code.functions.get(function as usize) else { return };
                let its = call.results.iter().zip(&call.result_bytes).zip(&callee.returns);
                for ((&first, &bytes), slot) in its {
                    let word = register.1.wrapping_sub(first);
                    if word < bytes.div_ceil(4) {
                        let result = (File::R32, slot.register.saturating_add(word));
                        self.flow().returns(function).for_each(|pc| walk.before(pc, result));
                    }
                }
            }
            _ => {}
        }
    }

    /// Stores and atomics to what has this root, each with the registers that it puts there.
    fn stores(&self, root: Root) -> Vec<(u32, Register)> {
        let mut stores = Vec::new();
        for &pc in &self.flow().accesses {
            let op = &self.code.memory[self.code.insts[pc as usize].detail as usize];
            if matches!(op.action, Action::Load) || !self.roots(pc).contains(&root) {
                continue;
            }
            let values: Vec<u32> = match op.action {
                Action::Store => op.registers[..op.elements as usize].to_vec(),
                Action::Atomic { operand, .. } => vec![operand],
                Action::Load => Vec::new(),
            };
            let values = values.into_iter().filter(|register| *register != SINK);
            stores.extend(values.map(|register| (pc, (op.file, register))));
        }
        stores
    }

    /// The kind of what was found that the finding `code`, of the instructions `at`, follows from, and the
    /// read that brought it there. Of several, the one that explains the others.
    pub fn cause(
        &self,
        code: FindingKind,
        at: &[u32],
        found: &[CauseCandidate],
    ) -> Option<(FindingKind, u32)> {
        let pcs: Vec<u32> = match code {
            FindingKind::OutOfBounds
            | FindingKind::Misaligned
            | FindingKind::NullPointer
            | FindingKind::HostPointer
            | FindingKind::SharedOutOfBounds
            | FindingKind::LocalOutOfBounds => at.to_vec(),
            // Those who wait go round a loop, and stand anywhere in it.
            FindingKind::Deadlock | FindingKind::EndlessLoop => {
                at.iter().flat_map(|&pc| self.flow().around(pc)).collect()
            }
            _ => return None,
        };
        let sources: Vec<Rc<Sources>> = pcs.into_iter().filter_map(|pc| self.sources(pc)).collect();
        let causes =
            sources.iter().flat_map(|sources| found.iter().filter_map(|found| describe(sources, found)));
        causes.min().map(|(_, code, read)| (code, read))
    }
}

/// Whether an address that is made of `sources` follows from what was found: how far down the chain of
/// causes it stands, its kind, and the read that it is about.
fn describe(sources: &Sources, found: &CauseCandidate) -> Option<(u8, FindingKind, u32)> {
    let sides = [Some(found.at.pc), found.other.map(|side| side.pc)];
    let first = |set: &BTreeSet<u32>| sides.into_iter().flatten().filter(|pc| set.contains(pc)).min();
    let (rank, read) = match found.code {
        FindingKind::DivergentBarrier => (0, sources.shared.first().copied()),
        FindingKind::WarpMask => (1, first(&sources.exchanges)),
        FindingKind::CopyInFlight => (2, first(&sources.reads)),
        FindingKind::SharedRace | FindingKind::GlobalRace => (3, first(&sources.reads)),
        FindingKind::Uninitialised => (4, first(&sources.reads)),
        _ => return None,
    };
    Some((rank, found.code, read?))
}

/// A finding that may be a cause.
#[derive(Clone, Copy, Debug)]
pub struct CauseCandidate {
    pub code: FindingKind,
    pub at: Side,
    pub other: Option<Side>,
}

/// Of the registers that a row takes, those that its result may point into the same array as.
fn pointers(row: &Row, s: [u32; 4]) -> Vec<Register> {
    let is = |names: &[&str]| row.names.iter().any(|name| names.contains(name));
    let starts = |starts: &[&str]| row.names.iter().any(|name| starts.iter().any(|s| name.starts_with(s)));
    let taken = if is(&["add.s64", "add.s32", "%join64"]) || starts(&["selp.b64", "selp.b32"]) {
        0..2
    } else if is(&["sub.s64", "sub.s32", "%low32", "%high32", "%widen", "cvt.u64.u32", "mov.b64", "mov.b32"])
    {
        0..1
    } else if starts(&["mad.wide.", "mad.lo.s64", "mad.lo.s32"]) {
        2..3
    } else {
        return Vec::new();
    };
    row.sources.iter().copied().zip(s).skip(taken.start).take(taken.len()).collect()
}

/// Where a kernel's parameters and a module's variables are, by what an address began as.
pub fn only<T>(roots: &BTreeSet<Root>, mut place: impl FnMut(Root) -> Option<T>) -> Option<T> {
    let mut places = roots.iter().filter_map(|&root| place(root));
    match (places.next(), places.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}
