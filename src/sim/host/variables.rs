//! Which code uses a module's variables: kernels, which see a GPU's copy, and host code, which sees its own. An
//! address is followed through arithmetic within a function, but not through memory or calls.

use crate::code::{CallTarget, DecodedModule, Fixed, GlobalVariable, Inst, What};
use crate::lanes::File;
use crate::memory::access::Action;
use crate::table::Row;
use std::collections::{HashMap, HashSet};

/// Which code reads a variable or takes its address, and which code writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VariableUsage {
    /// Used by kernels, or by functions that they call.
    pub used_by_kernels: bool,
    pub written_by_kernels: bool,
    /// Used by `main`, or by functions that it calls; without a `main`, by functions that no kernel calls.
    pub used_by_host: bool,
    pub written_by_host: bool,
}

impl VariableUsage {
    /// Returns whether the copies of GPUs and of the host can differ because of what the code itself does.
    pub fn is_for_kernels(&self) -> bool {
        self.used_by_kernels && (self.written_by_kernels || self.written_by_host)
    }
}

/// What one function uses.
#[derive(Clone, Debug, Default)]
struct Uses {
    variables: HashSet<u32>,
    written: HashSet<u32>,
    /// Functions that it calls or whose address it takes.
    functions: HashSet<u32>,
}

/// Returns for each variable which code uses it.
pub fn usage(code: &DecodedModule) -> Vec<VariableUsage> {
    let mut usage = vec![VariableUsage::default(); code.variables.len()];
    let fixed: HashMap<(File, u32), &Fixed> =
        code.fixed_slots.iter().map(|s| ((s.file, s.register), &s.value)).collect();
    let uses: Vec<Uses> = (code.function_ranges().into_iter().enumerate())
        .map(|(number, range)| match range {
            Some(range) => {
                let own = (range.start as usize..range.end as usize)
                    .map(|pc| (&code.insts[pc], code.origins[pc].row));
                let kernel = code.kernels.iter().find(|k| k.function as usize == number);
                let hoisted =
                    kernel.into_iter().flat_map(|k| k.hoisted.iter().zip(k.hoisted_rows.iter().copied()));
                uses_of(code, &fixed, &hoisted.chain(own).collect::<Vec<_>>())
            }
            None => Uses::default(),
        })
        .collect();
    let kernels: Vec<u32> = code.kernels.iter().map(|k| k.function).collect();
    let for_kernels = reached(code, &uses, kernels.clone(), &[]);
    let main = code.functions.iter().position(|f| f.name == "main");
    let roots = match main {
        Some(main) => vec![main as u32],
        None => (0..uses.len() as u32).filter(|f| !for_kernels.contains(f)).collect(),
    };
    let for_host = reached(code, &uses, roots, &kernels);
    for (number, its) in uses.iter().enumerate() {
        let (kernel, host) = (for_kernels.contains(&(number as u32)), for_host.contains(&(number as u32)));
        for &variable in &its.variables {
            if let Some(of) = usage.get_mut(variable as usize) {
                of.used_by_kernels |= kernel;
                of.used_by_host |= host;
            }
        }
        for &variable in &its.written {
            if let Some(of) = usage.get_mut(variable as usize) {
                of.written_by_kernels |= kernel;
                of.written_by_host |= host;
            }
        }
    }
    usage
}

/// Returns the functions reachable from `roots`, also through tables of functions that they use, without those
/// in `but`.
fn reached(code: &DecodedModule, uses: &[Uses], roots: Vec<u32>, but: &[u32]) -> HashSet<u32> {
    let mut seen = HashSet::new();
    let mut todo = roots;
    while let Some(function) = todo.pop() {
        let Some(its) = uses.get(function as usize) else { continue };
        if but.contains(&function) || !seen.insert(function) {
            continue;
        }
        todo.extend(&its.functions);
        for &variable in &its.variables {
            let held = code.variables.get(variable as usize).into_iter();
            todo.extend(held.flat_map(GlobalVariable::functions));
        }
    }
    seen
}

/// The most passes over a function's instructions to follow addresses around its loops.
const MAX_ROUNDS: usize = 8;

fn uses_of(
    code: &DecodedModule,
    fixed: &HashMap<(File, u32), &Fixed>,
    insts: &[(&Inst, Option<&Row>)],
) -> Uses {
    let mut uses = Uses::default();
    // Variables that a register may point into.
    let mut points: HashMap<(File, u32), HashSet<u32>> = HashMap::new();
    for _ in 0..MAX_ROUNDS {
        let before: usize = points.values().map(HashSet::len).sum();
        for &(inst, row) in insts {
            let sources: Vec<(File, u32)> = match (&inst.what, row) {
                (What::Lanes(_), Some(row)) => {
                    row.sources.iter().zip(inst.s).map(|(file, register)| (*file, register)).collect()
                }
                _ => other_sources(code, inst),
            };
            let mut from: HashSet<u32> = HashSet::new();
            for source in &sources {
                match fixed.get(source) {
                    Some(Fixed::Global { variable, .. }) => {
                        from.insert(*variable);
                        uses.variables.insert(*variable);
                    }
                    Some(Fixed::Function(function)) => {
                        uses.functions.insert(*function);
                    }
                    _ => from.extend(points.get(source).into_iter().flatten()),
                }
            }
            match (&inst.what, row) {
                (What::Lanes(_), Some(row)) if !from.is_empty() && row.dest != File::Pred => {
                    points.entry((row.dest, inst.d)).or_default().extend(from);
                }
                (What::Memory, _) => {
                    let op = &code.details.memory[inst.detail as usize];
                    let base = (File::R64, op.base);
                    if !matches!(op.action, Action::Load) {
                        if let Some(Fixed::Global { variable, .. }) = fixed.get(&base) {
                            uses.written.insert(*variable);
                        }
                        uses.written.extend(points.get(&base).into_iter().flatten());
                    }
                }
                (What::Call, _) => {
                    if let CallTarget::Function(function) = code.details.calls[inst.detail as usize].target {
                        uses.functions.insert(function);
                    }
                }
                _ => {}
            }
        }
        if points.values().map(HashSet::len).sum::<usize>() == before {
            break;
        }
    }
    uses
}

/// Returns the registers through which an instruction other than arithmetic may use an address.
fn other_sources(code: &DecodedModule, inst: &Inst) -> Vec<(File, u32)> {
    let Some(op) = code.access(inst) else { return Vec::new() };
    let mut sources = vec![(File::R64, op.base)];
    if let Action::Store = op.action {
        sources.extend(op.registers[..op.elements as usize].iter().map(|&r| (op.file, r)));
    }
    sources
}
