//! PTX that was read and made ready to run.

use super::code::{Code, System, What};
use super::counts::Class;
use super::finding::SourceLocation;
use super::lower;
use crate::ptx;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// PTX that was read and made ready to run.
#[derive(Debug)]
pub struct Module {
    pub(super) code: Code,
    /// Tells modules apart on a device.
    pub(super) id: u64,
}

/// Why PTX can't be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// Not PTX that the parser reads.
    Parse(ptx::ParseError),
    /// An instruction, directive or construct the simulator lacks.
    Unsupported { what: String, line: Option<SourceLocation> },
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Parse(error) => write!(f, "{error}"),
            LoadError::Unsupported { what, line: Some(at) } => write!(f, "{what} (line {})", at.line),
            LoadError::Unsupported { what, line: None } => f.write_str(what),
        }
    }
}

impl std::error::Error for LoadError {}

/// Something in a module that the simulator lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub line: Option<SourceLocation>,
}

impl Module {
    /// Reads and decodes a PTX text. An instruction that the simulator lacks is no error here:
    /// it ends the run when it is reached; [`Module::unsupported`] lists them.
    pub fn load(ptx: &str) -> Result<Module, LoadError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let tree = ptx::parse(ptx).map_err(LoadError::Parse)?;
        if tree.address_size != 64 {
            let what = format!("{}-bit addresses", tree.address_size);
            return Err(LoadError::Unsupported { what, line: None });
        }
        Ok(Module { code: lower::lower(&tree), id: NEXT.fetch_add(1, Relaxed) })
    }

    /// Names of the kernels, in the order they appear.
    pub fn kernels(&self) -> Vec<String> {
        self.code.kernels.iter().map(|k| k.name.clone()).collect()
    }

    /// Bytes of each parameter of a kernel; `None` when there is no such kernel.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<u32>> {
        let kernel = &self.code.kernels[*self.code.kernel_names.get(kernel)? as usize];
        Some(kernel.params.iter().map(|(bytes, _)| *bytes).collect())
    }

    /// PTX instructions of a kernel as written, without those of functions it calls, by class, most
    /// first; `None` when there is no such kernel.
    pub fn instruction_mix(&self, kernel: &str) -> Option<Vec<(Class, u64)>> {
        let code = &self.code;
        let kernel = code.kernels.get(*code.kernel_names.get(kernel)? as usize)?;
        let start = code.functions.get(kernel.function as usize)?.start?;
        let next = code.functions.iter().filter_map(|f| f.start).filter(|&s| s > start).min();
        let own = start..next.unwrap_or(u32::MAX);
        let mut mix: Vec<(Class, u64)> = Vec::new();
        let blocks = code.blocks.iter().filter(|b| own.contains(&b.start));
        for &(class, count) in blocks.flat_map(|b| &b.classes) {
            match mix.iter_mut().find(|(c, _)| *c == class) {
                Some((_, sum)) => *sum += u64::from(count),
                None => mix.push((class, u64::from(count))),
            }
        }
        mix.sort_by_key(|&(class, count)| (std::cmp::Reverse(count), class as u8));
        Some(mix)
    }

    /// What the simulator lacks, by place.
    pub fn unsupported(&self) -> Vec<Unsupported> {
        let code = &self.code;
        let mut found = Vec::new();
        for (pc, inst) in code.insts.iter().enumerate() {
            if let What::System(System::Unsupported) = inst.what {
                let what = code.unsupported[inst.detail as usize].clone();
                let one = Unsupported { what, line: code.location(pc as u32).cloned() };
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }
}
