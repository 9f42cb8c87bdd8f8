//! Where an address comes from, according to the code: the reads whose values it is computed from, and the parameter
//! or variable that it is derived from.
//!
//! A finding about an address is a consequence of another finding if that one is about one of those reads. Values are
//! followed backwards from the address, through registers, calls and shuffles, and from a read of an array to
//! whatever the kernel stores in that array. The paths are static: the result says that the address is computed from
//! a read, not that the read went wrong in this execution.
//!
//! Limitations: values that only decide whether something is executed are not followed (control dependences); nor is
//! what other launches left in memory, or arrays whose name is unknown because their address was loaded from memory.

mod between;
mod flow;
mod homes;
mod waits;

use crate::code::registers::Register;
use crate::code::{CallTarget, CollectiveKind, DecodedKernel, DecodedModule, Fixed, System, What};
use crate::engine::side::Side;
use crate::finding::FindingKind;
use crate::lanes::File;
use crate::memory::access::{Action, SINK, Space};
use crate::table::Row;
use flow::{Flow, Walk, Writer};
pub use homes::intended_shared_variables;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
pub use waits::{WaitLoop, WaitLoops};

/// What an address is derived from: the base of a pointer computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// A pointer in the kernel's parameters: eight bytes at this offset.
    Param(u32),
    /// A variable in shared memory, by number.
    Shared(u32),
    /// A variable in global or constant memory, by number.
    Global(u32),
    /// Local memory of a function.
    Local,
}

/// The inputs that the address of an access is computed from.
#[derive(Debug, Default)]
pub struct Sources {
    /// Loads and atomics, by program counter.
    pub reads: BTreeSet<u32>,
    /// The subset of `reads` that reads shared memory.
    pub shared: BTreeSet<u32>,
    /// Operations by which the lanes of a warp exchange values.
    pub exchanges: BTreeSet<u32>,
}

/// Answers questions about the addresses in a kernel's code; caches its results.
pub struct Origins<'a> {
    code: &'a DecodedModule,
    kernel: &'a DecodedKernel,
    flow: OnceCell<Flow<'a>>,
    forward: OnceCell<between::Forward>,
    roots: RefCell<HashMap<u32, BTreeSet<Root>>>,
    sources: RefCell<HashMap<u32, Option<Rc<Sources>>>>,
}

impl<'a> Origins<'a> {
    pub fn new(code: &'a DecodedModule, kernel: &'a DecodedKernel) -> Origins<'a> {
        Origins {
            code,
            kernel,
            flow: OnceCell::new(),
            forward: OnceCell::new(),
            roots: RefCell::default(),
            sources: RefCell::default(),
        }
    }

    fn flow(&self) -> &Flow<'a> {
        self.flow.get_or_init(|| Flow::new(self.code, self.kernel))
    }

    /// Returns what the address of the access `pc` is derived from: several roots if a branch selects among them,
    /// none if the address is loaded from memory.
    pub fn roots(&self, pc: u32) -> BTreeSet<Root> {
        let known = self.roots.borrow().get(&pc).cloned();
        known.unwrap_or_else(|| {
            let roots = self.find_roots(pc).unwrap_or_default();
            self.roots.borrow_mut().insert(pc, roots.clone());
            roots
        })
    }

    fn find_roots(&self, pc: u32) -> Option<BTreeSet<Root>> {
        let op = self.code.access_at(pc)?;
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

    /// Returns whether the address of the access `pc` is derived from a local variable of the same function.
    pub fn is_own_local(&self, pc: u32) -> bool {
        let Some(op) = self.code.access_at(pc) else { return false };
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

    /// Returns what the address of the access or the indirect call `pc` is computed from; `None` if the walk exceeds its
    /// limit.
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
        let detail = inst.detail as usize;
        let base = match inst.what {
            What::Memory => self.code.details.memory.get(detail)?.base,
            What::Call => match self.code.details.calls.get(detail)?.target {
                CallTarget::Register(register) => register,
                _ => return None,
            },
            _ => return None,
        };
        let flow = self.flow();
        let mut walk = Walk::new(flow);
        walk.before(pc, (File::R64, base));
        let mut sources = Sources::default();
        // Arrays whose contents are being followed already.
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

    /// Continues the walk at an instruction that is not arithmetic and that wrote `register`.
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
                let op = &self.code.details.memory[inst.detail as usize];
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
                let value = match self.code.details.collectives[inst.detail as usize].kind {
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
                let call = &self.code.details.calls[inst.detail as usize];
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

    /// Returns the stores and atomics to memory with this root, each with a register whose value it writes.
    fn stores(&self, root: Root) -> Vec<(u32, Register)> {
        let mut stores = Vec::new();
        for &pc in &self.flow().accesses {
            let op = &self.code.details.memory[self.code.insts[pc as usize].detail as usize];
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

    /// Returns the kind of the finding that explains a finding of kind `code` at the instructions `at`, and the read
    /// through which it does so. Of several candidates, returns the one that explains the others.
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
            // Threads that wait in a loop may be anywhere in it.
            FindingKind::Deadlock | FindingKind::EndlessLoop => {
                at.iter().flat_map(|&pc| self.flow().around(pc)).collect()
            }
            _ => return None,
        };
        let sources: Vec<Rc<Sources>> = pcs.into_iter().filter_map(|pc| self.sources(pc)).collect();
        // What a list leads to next may be read by the same instruction.
        let found = || found.iter().filter(|found| found.code != code);
        let causes = sources.iter().flat_map(|sources| found().filter_map(|found| describe(sources, found)));
        causes.min().map(|(_, code, read)| (code, read))
    }
}

/// Returns whether an address computed from `sources` is a consequence of a candidate: its rank in the chain of
/// causes (lower ranks explain higher ones), its kind, and the read that it affects.
fn describe(sources: &Sources, found: &CauseCandidate) -> Option<(u8, FindingKind, u32)> {
    let sides = [Some(found.at.pc), found.other.map(|side| side.pc)];
    let first = |set: &BTreeSet<u32>| sides.into_iter().flatten().filter(|pc| set.contains(pc)).min();
    let (rank, read) = match found.code {
        FindingKind::DivergentBarrier => (0, sources.shared.first().copied()),
        FindingKind::WarpMask => (1, first(&sources.exchanges)),
        FindingKind::CopyInFlight => (2, first(&sources.reads)),
        FindingKind::SharedRace | FindingKind::GlobalRace => (3, first(&sources.reads)),
        FindingKind::OutOfBounds | FindingKind::SharedOutOfBounds | FindingKind::LocalOutOfBounds => {
            (4, first(&sources.reads))
        }
        FindingKind::Uninitialised => (5, first(&sources.reads)),
        FindingKind::UseAfterFree => (6, first(&sources.reads)),
        FindingKind::HostPointer => (7, first(&sources.reads)),
        _ => return None,
    };
    Some((rank, found.code, read?))
}

/// A finding that may be the cause of another.
#[derive(Clone, Copy, Debug)]
pub struct CauseCandidate {
    pub code: FindingKind,
    pub at: Side,
    pub other: Option<Side>,
}

/// Returns those source registers of an instruction from which its result may inherit the array it points into.
fn pointers(row: &Row, s: [u32; 4]) -> Vec<Register> {
    let taken = if row.is(&["add.s64", "add.s32", "%join64"]) || row.begins(&["selp.b64", "selp.b32"]) {
        0..2
    } else if row.is(&["sub.s64", "sub.s32", "%low32", "%high32", "%widen"])
        || row.is(&["cvt.u64.u32", "mov.b64", "mov.b32"])
    {
        0..1
    } else if row.begins(&["mad.wide.", "mad.lo.s64", "mad.lo.s32"]) {
        2..3
    } else {
        return Vec::new();
    };
    row.sources.iter().copied().zip(s).skip(taken.start).take(taken.len()).collect()
}

/// Applies `place` to all roots, and returns the result if exactly one of them has one.
pub fn only<T>(roots: &BTreeSet<Root>, mut place: impl FnMut(Root) -> Option<T>) -> Option<T> {
    let mut places = roots.iter().filter_map(|&root| place(root));
    match (places.next(), places.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}
