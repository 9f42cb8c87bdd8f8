//! Branches, calls, returns, barriers.

use super::function::{FunctionLowering, Lowered};
use super::scope::{Symbol, WordParam};
use crate::code::{BarrierKind, BarrierOp, Builtin, CallOp, CallTarget, What, add_to};
use crate::counts::Class;
use crate::lanes::File;
use crate::memory::access::Space;
use ptx::{Instruction, Operand};

/// Prefix of the mathematical functions that host code calls: `__gpulearn_host_log2f`.
const HOST_MATH: &str = "__gpulearn_host_";

/// An argument or a result: its first 32-bit register, and its size in bytes.
pub type Word = (u32, u32);

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it is a control instruction; returns whether it is.
    pub fn control(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        match i.opcode {
            "bra" => {
                let [Operand::Name(label)] = &i.operands[..] else { return Err("its target".into()) };
                let label = self.label(label)?;
                self.terminator(What::Branch, [0; 4], label, Class::Branch);
            }
            "brx" => {
                let [index, Operand::Name(targets)] = &i.operands[..] else {
                    return Err("its operands".into());
                };
                let Some(Symbol::Targets(table)) = self.symbol(targets) else {
                    return Err(format!("targets {targets}"));
                };
                let index = self.source(index, File::R32)?;
                self.terminator(What::BranchIndexed, [index, 0, 0, 0], table, Class::Branch);
            }
            "call" => self.call(i)?,
            "ret" => self.terminator(What::Return, [0; 4], 0, Class::Branch),
            "exit" => self.terminator(What::Exit, [0; 4], 0, Class::Branch),
            "trap" => {
                // The only trap in that header: `grid_group::sync` in a grid that was not launched cooperatively and
                // so has no barrier.
                let grid = self.inlined_from("cooperative_groups.h");
                self.terminator(What::Trap, [0; 4], grid as u32, Class::Other);
            }
            "brkpt" | "pmevent" | "setmaxnreg" | "griddepcontrol" => {
                self.nothing(Class::Other);
            }
            "bar" | "barrier" if i.modifiers.first() != Some(&"warp") => self.barrier(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn terminator(&mut self, what: What, s: [u32; 4], detail: u32, class: Class) {
        self.count_as(class);
        self.emit(what, 0, s, detail);
    }

    fn call(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let is_list = |o: &&Operand| matches!(o, Operand::List(_));
        let lists: Vec<&Operand> = i.operands.iter().filter(is_list).collect();
        let at = i.operands.iter().position(|o| matches!(o, Operand::Name(_))).ok_or("its target")?;
        let Operand::Name(name) = &i.operands[at] else { return Err("its target".into()) };
        let (results, mut arguments) = match (&lists[..], at) {
            ([results, arguments], _) => (self.call_list(results)?, self.call_list(arguments)?),
            ([arguments], 0) => (Vec::new(), self.call_list(arguments)?),
            ([results], _) => (self.call_list(results)?, Vec::new()),
            _ => (Vec::new(), Vec::new()),
        };
        if let Some(function) = name.strip_prefix(HOST_MATH) {
            return self.host_math(function, (&results, &arguments));
        }
        let target = match self.symbol(name) {
            Some(Symbol::Function(function)) => match *name {
                "vprintf" => CallTarget::Builtin(Builtin::Vprintf),
                "__assertfail" => CallTarget::Builtin(Builtin::AssertFail),
                "malloc" => CallTarget::Builtin(Builtin::Malloc),
                "__cuda_syscall_aligned_malloc" => CallTarget::Builtin(Builtin::AlignedMalloc),
                "free" => CallTarget::Builtin(Builtin::Free),
                _ => {
                    self.module.note_call(function);
                    CallTarget::Function(function)
                }
            },
            Some(Symbol::Register { file: File::R64, number, .. }) => CallTarget::Register(number),
            _ => return Err(format!("target {name}")),
        };
        if let Some(fixed) = self.fixed_arguments(&target, i) {
            self.count_as(Class::Branch);
            let packed = arguments.drain(fixed.min(arguments.len())..).next();
            arguments.push(self.pass_packed(packed)?);
        }
        if target.allocates() {
            self.module.note_communication(Space::Global);
        }
        let (arguments, argument_bytes) = arguments.into_iter().unzip();
        let (results, result_bytes) = results.into_iter().unzip();
        let call = CallOp { target, arguments, results, argument_bytes, result_bytes };
        let number = add_to(&mut self.module.code.details.calls, call);
        self.terminator(What::Call, [0; 4], number, Class::Branch);
        Ok(())
    }

    /// Lowers a call of a host mathematical function, given by its C name. Values are passed in 32-bit registers.
    fn host_math(&mut self, function: &str, (results, arguments): (&[Word], &[Word])) -> Lowered<()> {
        let &[(result, bytes)] = results else { return Err("its result".into()) };
        let single = function.strip_suffix('f').filter(|_| bytes == 4);
        let row = match single {
            Some(function) => format!("%{function}.f32"),
            None => format!("%{function}.f64"),
        };
        let mut sources = Vec::new();
        for &(register, _) in arguments {
            sources.push(match single {
                Some(_) => register,
                None => self.compute("%join64", &[register, register + 1])?,
            });
        }
        if single.is_some() {
            return self.row(&row, result, &sources);
        }
        let value = self.compute(&row, &sources)?;
        self.row("%low32", result, &[value])?;
        self.row("%high32", result + 1, &[value])
    }

    /// Returns the first register and the size in bytes of each of a call's arguments or results.
    fn call_list(&self, operand: &Operand<'a>) -> Lowered<Vec<Word>> {
        let Operand::List(items) = operand else { return Ok(Vec::new()) };
        let mut registers = Vec::new();
        for item in items {
            let Operand::Name(name) = item else { return Err(format!("argument {item:?}")) };
            match self.symbol(name) {
                Some(Symbol::WordParam(WordParam { register, bytes })) => registers.push((register, bytes)),
                _ => return Err(format!("argument {name}")),
            }
        }
        Ok(registers)
    }

    fn barrier(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        self.count_as(Class::Barrier);
        if i.has("cluster") {
            let kind = match (i.has("arrive"), i.has("relaxed")) {
                (true, false) => BarrierKind::ClusterArrive,
                (true, true) => BarrierKind::ClusterArriveRelaxed,
                (false, _) => BarrierKind::ClusterWait,
            };
            self.module.note_cluster();
            let id = self.immediate(File::R32, 0);
            self.push_barrier(BarrierOp { kind, id, threads: None, source: None }, 0);
            return Ok(());
        }
        let mut operands = &i.operands[..];
        let (mut d, mut source) = (0, None);
        let kind = if i.has("red") {
            let [dest, rest @ .., predicate] = operands else { return Err("its operands".into()) };
            operands = rest;
            let (kind, file) = if i.has("popc") {
                (BarrierKind::RedPopc, File::R32)
            } else if i.has("and") {
                (BarrierKind::RedAnd, File::Pred)
            } else {
                (BarrierKind::RedOr, File::Pred)
            };
            d = self.destination(dest, file)?.0;
            source = Some((self.source(predicate, File::Pred)?, false));
            kind
        } else if i.has("arrive") {
            BarrierKind::Arrive
        } else {
            BarrierKind::Sync
        };
        let [id, rest @ ..] = operands else { return Err("its operands".into()) };
        let id = self.source(id, File::R32)?;
        let threads = match rest {
            [] => None,
            [threads] => Some(self.source(threads, File::R32)?),
            _ => return Err("its operands".into()),
        };
        self.push_barrier(BarrierOp { kind, id, threads, source }, d);
        Ok(())
    }

    fn push_barrier(&mut self, op: BarrierOp, d: u32) {
        let number = add_to(&mut self.module.code.details.barriers, op);
        self.emit(What::Barrier, d, [0; 4], number);
    }
}
