//! `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`: copy a box of a tensor, described by a tensor map,
//! between global and shared memory. The simulator moves the bytes at once, 16 at a time, like those of
//! `cp.async.bulk`.

use super::bulk::WORDS;
use super::function::{FunctionLowering, Lowered};
use super::memory::operands_of;
use crate::code::{ChunkAccess, System, TensorCopy, TensorWay, add_to};
use crate::counts::Class;
use crate::lanes::File;
use crate::memory::access::{Action, SINK, Space};
use crate::table::atomics;
use crate::tensor_map::{MAX_RANK, TensorType};
use ptx::{Instruction, Operand};

/// Operators of `cp.reduce.async.bulk.tensor`.
const OPERATORS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

impl<'a> FunctionLowering<'_, 'a> {
    pub fn copy_tensor(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        self.count_as(Class::Async);
        if i.modifiers
            .iter()
            .any(|m| m.starts_with("im2col") || m.starts_with("tile::") || m.starts_with("cta_group"))
        {
            return Err(String::new());
        }
        if i.has("prefetch") {
            self.nothing(Class::Async);
            return Ok(());
        }
        let words = self.allocate(File::R32, WORDS);
        let at = [self.allocate(File::R64, 1), self.allocate(File::R64, 1)];
        let bytes = self.allocate(File::R32, 1);
        let (way, tensor, shared, object) = match operands_of(i) {
            [shared, tensor, object, rest @ ..] if i.has("mbarrier::complete_tx::bytes") => {
                let ranks = match rest {
                    [] => None,
                    [ranks] if i.has("multicast::cluster") => Some(self.source(ranks, File::R32)?),
                    _ => return Err("its operands".into()),
                };
                if ranks.is_some() {
                    self.module.note_cluster();
                }
                let global = self.global_loads(at[0], words);
                let object_address = self.address_of(object)?;
                (
                    TensorWay::Load { global, object: object_address, ranks },
                    tensor,
                    shared,
                    Some((object, ranks)),
                )
            }
            [tensor, shared] if i.has("bulk_group") && i.modifiers.first() == Some(&"reduce") => {
                let operator = OPERATORS.iter().find(|name| i.has(name)).ok_or("its operator")?;
                (self.reduction(operator, at[0]), tensor, shared, None)
            }
            [tensor, shared] if i.has("bulk_group") => (
                TensorWay::Store(self.chunk(Action::Store, Space::Global, at[0], words)),
                tensor,
                shared,
                None,
            ),
            _ => return Err("its operands".into()),
        };
        let Operand::TensorAddress { base, coordinates } = tensor else { return Err("its tensor".into()) };
        let map = self.source(&Operand::Name(base), File::R64)?;
        let rank = coordinates.len();
        let named = i.modifiers.iter().find_map(|m| m.strip_suffix('d')?.parse().ok());
        if rank > MAX_RANK || named != Some(rank) {
            return Err("its coordinates".into());
        }
        let mut registers = [SINK; MAX_RANK];
        for (register, coordinate) in registers.iter_mut().zip(coordinates) {
            *register = self.source(coordinate, File::R32)?;
        }
        let (action, space) = match object {
            Some(_) if i.has("shared::cta") => (Action::Store, Space::Shared),
            Some(_) => (Action::Store, Space::Cluster),
            None => (Action::Load, Space::Shared),
        };
        let copy = TensorCopy {
            way,
            rank,
            map,
            coordinates: registers,
            shared: self.address_of(shared)?,
            chunk: self.chunk(action, space, at[1], words),
            words,
            at,
        };
        let number = add_to(&mut self.module.code.details.tensor_copies, copy);
        self.module.note_fence(true);
        self.system(System::Tensor, bytes, [0; 4], number);
        if let Some((object, ranks)) = object {
            self.complete(i, object, bytes, ranks)?;
        }
        Ok(())
    }

    /// Creates the loads of a chunk, or of its first bytes.
    fn global_loads(&mut self, base: u32, words: u32) -> ChunkAccess {
        let third_byte = self.allocate(File::R32, 1);
        let mut access = |bytes, register| {
            self.bulk_access(Action::Load, Space::Global, base, (bytes, File::R32), &[register])
        };
        ChunkAccess {
            words: std::array::from_fn(|k| [4, 2, 1].map(|bytes| access(bytes, words + k as u32))),
            third: access(1, third_byte),
            third_byte,
            whole: self.chunk(Action::Load, Space::Global, base, words),
        }
    }

    /// Creates the atomics that combine elements with those in global memory, for each type that a map can have.
    fn reduction(&mut self, operator: &str, base: u32) -> TensorWay {
        let value = [self.allocate(File::R32, 1), self.allocate(File::R64, 1)];
        let mut made = Vec::new();
        for ty in TensorType::all() {
            let bits = ["b32", "b64"].into_iter().find(|name| name[1..] == ty.ptx()[1..]);
            let apply = atomics::find(operator, ty.ptx(), Space::Global)
                .or_else(|| atomics::find(operator, bits?, Space::Global).filter(|_| !ty.is_float()));
            if let Some(apply) = apply {
                let (file, operand) =
                    if ty.bytes() == 8 { (File::R64, value[1]) } else { (File::R32, value[0]) };
                let action = Action::Atomic { apply, operand, comparand: SINK };
                let width = (ty.bytes() as u8, file);
                made.push((ty, self.bulk_access(action, Space::Global, base, width, &[])));
            }
        }
        TensorWay::Reduce { atomics: made, value }
    }
}
