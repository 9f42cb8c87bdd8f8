//! Operations across the lanes of a warp.

use super::function::{FunctionLowering, Lowered};
use crate::code::{CollectiveKind, CollectiveOp, ShuffleMode, System, VoteMode, What, add_to};
use crate::counts::Class;
use crate::lanes::File;
use crate::memory::access::SINK;
use ptx::{Instruction, Operand};

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it is a warp-wide operation; returns whether it is.
    pub fn warp_operation(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        self.count_as(Class::Warp);
        match i.opcode {
            "bar" | "barrier" => {
                let [mask] = &i.operands[..] else { return Err("its operands".into()) };
                let mask = Some(self.source(mask, File::R32)?);
                self.count_as(Class::Barrier);
                let op = CollectiveOp { kind: CollectiveKind::Sync, mask };
                self.collective(op, 0, [0; 4]);
            }
            "shfl" => self.shuffle(i)?,
            "vote" => {
                let [dest, source, rest @ ..] = &i.operands[..] else { return Err("its operands".into()) };
                let mask = self.member_mask(rest.first())?;
                let (mode, file) = if i.has("ballot") {
                    (VoteMode::Ballot, File::R32)
                } else if i.has("all") {
                    (VoteMode::All, File::Pred)
                } else if i.has("any") {
                    (VoteMode::Any, File::Pred)
                } else {
                    (VoteMode::Uni, File::Pred)
                };
                let (d, _) = self.destination(dest, file)?;
                let source = self.source(source, File::Pred)?;
                let kind = CollectiveKind::Vote { mode };
                self.collective(CollectiveOp { kind, mask }, d, [source, 0, 0, 0]);
            }
            "match" => {
                let [dest, source, mask] = &i.operands[..] else { return Err("its operands".into()) };
                let wide = i.modifiers.last() == Some(&"b64");
                let mask = self.member_mask(Some(mask))?;
                let (d, valid) = self.pair(dest)?;
                let source = self.source(source, if wide { File::R64 } else { File::R32 })?;
                let all = i.has("all");
                let kind = CollectiveKind::Match { all, bits: if wide { 64 } else { 32 }, valid };
                self.collective(CollectiveOp { kind, mask }, d, [source, 0, 0, 0]);
            }
            "redux" => {
                let [dest, source, mask] = &i.operands[..] else { return Err("its operands".into()) };
                let combine: fn(u32, u32) -> u32 = match (&i.modifiers[..], i.modifiers.last()) {
                    (m, _) if m.contains(&"add") => u32::wrapping_add,
                    (m, _) if m.contains(&"and") => |a, b| a & b,
                    (m, _) if m.contains(&"or") => |a, b| a | b,
                    (m, _) if m.contains(&"xor") => |a, b| a ^ b,
                    (m, Some(&"s32")) if m.contains(&"min") => |a, b| (a as i32).min(b as i32) as u32,
                    (m, Some(&"s32")) if m.contains(&"max") => |a, b| (a as i32).max(b as i32) as u32,
                    (m, Some(&"u32")) if m.contains(&"min") => u32::min,
                    (m, Some(&"u32")) if m.contains(&"max") => u32::max,
                    _ => return Err(String::new()),
                };
                let mask = self.member_mask(Some(mask))?;
                let (d, _) = self.destination(dest, File::R32)?;
                let source = self.source(source, File::R32)?;
                let kind = CollectiveKind::Redux(combine);
                let op = CollectiveOp { kind, mask };
                self.collective(op, d, [source, 0, 0, 0]);
            }
            "elect" => {
                let [dest, mask] = &i.operands[..] else { return Err("its operands".into()) };
                let mask = self.member_mask(Some(mask))?;
                let (d, chosen) = self.pair(dest)?;
                let chosen = chosen.ok_or("its predicate")?;
                let op = CollectiveOp { kind: CollectiveKind::Elect { chosen }, mask };
                self.collective(op, d, [0; 4]);
            }
            "activemask" => {
                let [dest] = &i.operands[..] else { return Err("its operands".into()) };
                let (d, _) = self.destination(dest, File::R32)?;
                self.system(System::ActiveMask, d, [0; 4], 0);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub fn collective(&mut self, op: CollectiveOp, d: u32, s: [u32; 4]) {
        let number = add_to(&mut self.module.code.details.collectives, op);
        self.emit(What::Collective, d, s, number);
    }

    fn member_mask(&mut self, operand: Option<&Operand<'a>>) -> Lowered<Option<u32>> {
        operand.map(|mask| self.source(mask, File::R32)).transpose()
    }

    /// Returns the registers of a result, a 32-bit register or [`SINK`], that may have a predicate next to it:
    /// `%r1|%p1`, `%r1`, `_|%p1`.
    fn pair(&mut self, operand: &Operand<'a>) -> Lowered<(u32, Option<u32>)> {
        match operand {
            Operand::Pair(first, second) => {
                let (p, _) = self.destination(&Operand::Name(second), File::Pred)?;
                if *first == "_" {
                    return Ok((SINK, Some(p)));
                }
                let (d, _) = self.destination(&Operand::Name(first), File::R32)?;
                Ok((d, Some(p)))
            }
            Operand::Sink => Ok((SINK, None)),
            other => {
                let (d, _) = self.destination(other, File::R32)?;
                Ok((d, None))
            }
        }
    }

    fn shuffle(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let mode = i
            .modifiers
            .iter()
            .find_map(|m| match *m {
                "up" => Some(ShuffleMode::Up),
                "down" => Some(ShuffleMode::Down),
                "bfly" => Some(ShuffleMode::Bfly),
                "idx" => Some(ShuffleMode::Idx),
                _ => None,
            })
            .ok_or("its mode")?;
        let [dest, value, by, clamp, rest @ ..] = &i.operands[..] else { return Err("its operands".into()) };
        let mask = self.member_mask(rest.first())?;
        let (d, valid) = self.pair(dest)?;
        let s =
            [self.source(value, File::R32)?, self.source(by, File::R32)?, self.source(clamp, File::R32)?, 0];
        let kind = CollectiveKind::Shuffle { mode, valid };
        self.collective(CollectiveOp { kind, mask }, d, s);
        Ok(())
    }
}
