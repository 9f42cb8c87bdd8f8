//! Arithmetic that is lowered to several instructions, and reads of special registers.

use super::function::{FunctionLowering, Lowered};
use crate::code::{Fixed, SpecialRegister, System, block_place};
use crate::counts::Class;
use crate::lanes::File;
use crate::table;
use ptx::{Instruction, Operand, Type};

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers the instruction if it is one of these; returns whether it is.
    pub fn special(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        match i.opcode {
            "mov" => return self.move_vector(i),
            "setp" => return self.set_predicate(i),
            "set" => return self.set(i),
            "add" | "addc" | "sub" | "subc" | "mad" | "madc" => return self.carried(i),
            // Orders accesses through different proxies to memory, not threads.
            "fence" if i.modifiers.starts_with(&["proxy", "async"]) => {
                self.count_as(Class::Barrier);
                let shared = i.modifiers.get(2).is_none_or(|space| space.starts_with("shared")) as u32;
                self.system(System::ProxyFence, 0, [0; 4], shared);
            }
            "membar" | "fence" => {
                self.count_as(Class::Barrier);
                let block_only = i.has("cta");
                self.module.note_fence(block_only);
                self.system(System::Fence, 0, [0; 4], block_only as u32);
            }
            "nanosleep" => {
                let [ns, ..] = &i.operands[..] else { return Ok(false) };
                let ns = self.source(ns, File::R32)?;
                self.count_as(Class::Other);
                self.system(System::Yield, 0, [ns, 0, 0, 0], 0);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lowers a `mov` that packs, unpacks or copies 128 bits; returns false for others, which are table rows.
    fn move_vector(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        let [dest, source] = &i.operands[..] else { return Ok(false) };
        self.count_as(Class::Move);
        let ty = Self::type_of(i)?;
        match (dest, source) {
            (Operand::Vector(parts), source) => {
                match (ty.bytes(), &parts[..]) {
                    (8, [low, high]) => {
                        let wide = self.source(source, File::R64)?;
                        self.part(low, "%low32", &[wide])?;
                        self.part(high, "%high32", &[wide])?;
                    }
                    (8, [_, _, _, _]) => {
                        let wide = self.source(source, File::R64)?;
                        let words = [self.compute("%low32", &[wide])?, self.compute("%high32", &[wide])?];
                        for (pair, word) in parts.chunks(2).zip(words) {
                            self.part(&pair[0], "%low16", &[word])?;
                            self.part(&pair[1], "%high16", &[word])?;
                        }
                    }
                    (4, [low, high]) => {
                        let word = self.source(source, File::R32)?;
                        self.part(low, "%low16", &[word])?;
                        self.part(high, "%high16", &[word])?;
                    }
                    (4, [_, _, _, _]) | (2, [_, _]) => {
                        let word = self.source(source, File::R32)?;
                        for (k, part) in parts.iter().enumerate() {
                            let n = self.immediate(File::R32, k as u64);
                            self.part(part, "%byte", &[word, n])?;
                        }
                    }
                    (16, [low, high]) => {
                        let [first, second] = self.halves_of(source)?;
                        self.part(low, "mov.b64", &[first])?;
                        self.part(high, "mov.b64", &[second])?;
                    }
                    _ => return Err(format!("into {} parts", parts.len())),
                }
                Ok(true)
            }
            (dest, Operand::Vector(parts)) => {
                match (ty.bytes(), &parts[..]) {
                    (8, [low, high]) => {
                        let halves = [self.source(low, File::R32)?, self.source(high, File::R32)?];
                        self.part(dest, "%join64", &halves)?;
                    }
                    (8, [_, _, _, _]) => {
                        let mut words = [0; 2];
                        for (pair, word) in parts.chunks(2).zip(&mut words) {
                            let halves =
                                [self.source(&pair[0], File::R32)?, self.source(&pair[1], File::R32)?];
                            *word = self.compute("%join32", &halves)?;
                        }
                        self.part(dest, "%join64", &words)?;
                    }
                    (4, [low, high]) => {
                        let halves = [self.source(low, File::R32)?, self.source(high, File::R32)?];
                        self.part(dest, "%join32", &halves)?;
                    }
                    (4, [_, _, _, _]) | (2, [_, _]) => {
                        let mut word = self.immediate(File::R32, 0);
                        for (k, part) in parts.iter().enumerate() {
                            let n = self.immediate(File::R32, k as u64);
                            let byte = self.source(part, File::R32)?;
                            word = self.compute("%set_byte", &[word, byte, n])?;
                        }
                        self.part(dest, "mov.b32", &[word])?;
                    }
                    (16, [_, _]) => {
                        for (register, part) in self.halves_of(dest)?.into_iter().zip(parts) {
                            let source = self.source(part, File::R64)?;
                            self.row("mov.b64", register, &[source])?;
                        }
                    }
                    _ => return Err(format!("from {} parts", parts.len())),
                }
                Ok(true)
            }
            (dest, source) if ty == Type::B128 => {
                for (to, from) in self.halves_of(dest)?.into_iter().zip(self.halves_of(source)?) {
                    self.row("mov.b64", to, &[from])?;
                }
                Ok(true)
            }
            (Operand::Name(_), Operand::Name(name)) if self.symbol(name).is_none() => {
                // Special registers with a fixed value need no copy.
                self.read_special(dest, name, ty)
            }
            _ => Ok(false),
        }
    }

    /// Adds a table row whose result goes to an operand; nothing if the operand is a sink.
    pub fn part(&mut self, dest: &Operand<'a>, row: &str, sources: &[u32]) -> Lowered<()> {
        if matches!(dest, Operand::Sink) {
            return Ok(());
        }
        let file = table::find(row, table::DEFAULT_MODE).map_or(File::R32, |row| row.dest);
        let (d, wide) = self.destination(dest, file)?;
        self.row(row, d, sources)?;
        wide.map_or(Ok(()), |wide| self.row("%widen", wide, &[d]))
    }

    /// Lowers a `mov` from a special register whose value changes while the thread runs. Returns false for other
    /// registers.
    fn read_special(&mut self, dest: &Operand<'a>, name: &str, ty: Type) -> Lowered<bool> {
        let what = match name {
            "%clock" | "%clock_hi" => System::Clock32,
            "%clock64" => System::Clock64,
            "%globaltimer" => System::GlobalTimer,
            _ => return Ok(false),
        };
        let (_, file) = Self::layout(ty);
        self.count_as(Class::Move);
        let (d, _) = self.destination(dest, file)?;
        let what = if file == File::R64 && what == System::Clock32 { System::Clock64 } else { what };
        self.system(what, d, [0; 4], 0);
        Ok(true)
    }

    /// Returns a register of file `file` with a special register's value.
    pub fn special_register(&mut self, name: &str, file: File) -> Lowered<u32> {
        let (base, axis) = match name.rsplit_once('.') {
            Some((base, "x")) => (base, 0),
            Some((base, "y")) => (base, 1),
            Some((base, "z")) => (base, 2),
            Some(_) => return Err(format!("operand {name}")),
            None => (name, 0),
        };
        use SpecialRegister as R;
        let register = match base {
            "%ctaid" | "%clusterid" | "%cluster_ctaid" | "%cluster_ctarank" | "%smid" => {
                let d = self.allocate(File::R32, 1);
                let place = |place| (System::BlockIndex, place + axis as u32);
                let (what, detail) = match base {
                    "%ctaid" => place(block_place::IN_GRID),
                    "%clusterid" => place(block_place::OF_CLUSTER),
                    "%cluster_ctaid" => place(block_place::IN_CLUSTER),
                    "%cluster_ctarank" => place(block_place::RANK),
                    _ => (System::Multiprocessor, 0),
                };
                self.system(what, d, [0; 4], detail);
                return match file {
                    File::R64 => self.compute("%widen", &[d]),
                    _ => Ok(d),
                };
            }
            "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => {
                let d = self.allocate(File::R64, 1);
                let what = if base.starts_with("%clock") { System::Clock64 } else { System::GlobalTimer };
                self.system(what, d, [0; 4], 0);
                return match file {
                    File::R64 => Ok(d),
                    _ => self.compute("%low32", &[d]),
                };
            }
            "%tid" => R::ThreadIndex(axis),
            "%ntid" => R::BlockSize(axis),
            "%nctaid" => R::GridSize(axis),
            "%nclusterid" => R::ClusterCount(axis),
            "%cluster_nctaid" => R::ClusterSize(axis),
            "%cluster_nctarank" => R::ClusterBlocks,
            "%is_explicit_cluster" => R::HasClusters,
            "%laneid" => R::Lane,
            "%warpid" => R::Warp,
            "%nwarpid" => R::Warps,
            "%nsmid" => R::Sms,
            "%lanemask_eq" => R::LaneMaskEq,
            "%lanemask_le" => R::LaneMaskLe,
            "%lanemask_lt" => R::LaneMaskLt,
            "%lanemask_ge" => R::LaneMaskGe,
            "%lanemask_gt" => R::LaneMaskGt,
            "%dynamic_smem_size" => R::DynamicSharedBytes,
            "%total_smem_size" => R::TotalSharedBytes,
            "%gridid" => R::Grid,
            // The address of the grid barrier's workspace, where cooperative groups look for it
            // (`details/driver_abi.h`).
            "%envreg1" => R::WorkspaceHigh,
            "%envreg2" => R::WorkspaceLow,
            _ if base.starts_with("%envreg") => R::Zero,
            // Unoptimised code reads it whether it needs it or not; the simulator reserves no shared memory.
            _ if self.module.debugging && base.starts_with("%reserved_smem_offset") => R::Zero,
            _ => return Err(format!("operand {name}")),
        };
        Ok(self.module.fixed(file, Fixed::Special(register)))
    }

    /// Lowers additions and multiplications with carry; the carry flag is a hidden predicate register.
    fn carried(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        let sets = i.has("cc");
        let uses = i.opcode.ends_with('c');
        if !sets && !uses {
            return Ok(false);
        }
        let carry = self.carry.unwrap_or_else(|| self.allocate(File::Pred, 1));
        self.carry = Some(carry);
        let plain: Vec<&str> = i.modifiers.iter().copied().filter(|m| *m != "cc").collect();
        let name = format!("{}.{}", i.opcode, plain.join("."));
        let row = table::find(&name, table::DEFAULT_MODE).ok_or("its type")?;
        self.count_as(row.class);
        let [dest, sources @ ..] = &i.operands[..] else { return Err("its operands".into()) };
        let mut registers = Vec::new();
        for (operand, file) in sources.iter().zip(row.sources) {
            registers.push(self.source(operand, *file)?);
        }
        if uses {
            registers.push(carry);
        }
        if registers.len() != row.sources.len() {
            return Err("its operands".into());
        }
        let out = if sets { Some(self.compute(&format!("%carry.{name}"), &registers)?) } else { None };
        let (d, _) = self.destination(dest, row.dest)?;
        self.row(&name, d, &registers)?;
        if let Some(out) = out {
            self.row("mov.pred", carry, &[out])?;
        }
        Ok(true)
    }
}
