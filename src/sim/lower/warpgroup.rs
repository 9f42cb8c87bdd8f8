//! Warpgroup matrix instructions: `wgmma.mma_async`, and the instructions that order it.

use super::function::{FunctionLowering, Lowered};
use crate::code::{CollectiveKind, CollectiveOp, Unfenced, WgmmaOp, WgmmaOperand};
use crate::counts::Class;
use crate::lanes::File;
use crate::matrix::{A_REGISTERS, GroupMultiply};
use ptx::{Immediate, Instruction, Operand};

/// The only architecture that has these instructions.
const TARGET: &str = "sm_90a";

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it is a warpgroup instruction; returns whether it is.
    pub fn warpgroup(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        if i.opcode != "wgmma" {
            return Ok(false);
        }
        let target = self.module.target;
        if target != TARGET {
            return Err(format!("only {TARGET} has it, but this was compiled for {target}"));
        }
        self.count_as(Class::Other);
        let code = match (i.modifiers.first().copied(), &i.operands[..]) {
            (Some("fence"), []) => WgmmaOp::Fence,
            (Some("commit_group"), []) => WgmmaOp::Commit,
            (Some("wait_group"), [Operand::Immediate(Immediate::Int(pending))]) => {
                WgmmaOp::Wait((*pending).clamp(0, 1 << 20) as u32)
            }
            (Some("mma_async"), _) => {
                self.count_as(Class::Matrix);
                return self.group_multiply(i).map(|()| true);
            }
            _ => return Err(String::new()),
        };
        self.lower_group(code);
        Ok(true)
    }

    fn lower_group(&mut self, code: WgmmaOp) {
        let kind = CollectiveKind::Group(Box::new(code));
        let op = CollectiveOp { kind, mask: Some(self.all_lanes) };
        self.collective(op, 0, [0; 4]);
    }

    fn group_multiply(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let mut op = GroupMultiply::parse(&i.modifiers).ok_or(String::new())?;
        let [d, a, b, add, rest @ ..] = &i.operands[..] else { return Err("its operands".into()) };
        let sums = self.vector(d, File::R32, true)?;
        if sums.len() != op.registers() {
            return Err("the length of its vector".into());
        }
        let a = match a {
            Operand::Vector(_) => {
                let registers = self.vector(a, File::R32, false)?;
                let registers = <[u32; A_REGISTERS]>::try_from(registers);
                WgmmaOperand::Registers(registers.map_err(|_| "the length of its vector")?)
            }
            other => WgmmaOperand::Shared(self.source(other, File::R64)?),
        };
        let b = self.source(b, File::R64)?;
        let add = self.source(add, File::Pred)?;
        let mut rest = rest.iter().map(|operand| match operand {
            Operand::Immediate(Immediate::Int(value)) => Ok(*value),
            _ => Err("its operands".to_string()),
        });
        let mut next = || rest.next().transpose();
        if op.takes_signs() {
            for negated in &mut op.negated {
                *negated = match next()? {
                    Some(1) => false,
                    Some(-1) => true,
                    _ => return Err("its factors".into()),
                };
            }
        }
        if op.takes_transposed() {
            let first = matches!(a, WgmmaOperand::Registers(_)) as usize;
            for transposed in &mut op.transposed[first..] {
                *transposed = match next()? {
                    Some(0) => false,
                    Some(1) => true,
                    _ => return Err("its transpositions".into()),
                };
            }
        }
        if next()?.is_some() {
            return Err("its operands".into());
        }
        let (element, operations) = (op.elements().0, op.operations());
        self.lower_group(WgmmaOp::Multiply { op: Box::new(op), sums, a, b, add, unfenced: Unfenced::No });
        self.count_operations(element, operations);
        Ok(())
    }
}
