//! Kernels as compiled for debugging.

use crate::variables::{Type, Variables};
use sim::{Dim3, LaunchConfig, Module, Symbols};

/// An array in shared memory, or a variable of a module. DWARF does not describe these: the PTX gives their
/// addresses, and the source their types.
#[derive(Clone, Debug)]
pub struct MemoryArray {
    pub name: String,
    /// Address of the first byte: in the block's shared memory, or in device memory.
    pub start: u64,
    pub bytes: u64,
    pub ty: Type,
}

impl MemoryArray {
    /// Creates an array from its declaration: the type of its elements, and its extents, the slowest-varying
    /// first.
    pub fn new(name: &str, start: u64, bytes: u64, element: Option<&str>, extents: &[u64]) -> MemoryArray {
        let count: u64 = extents.iter().product();
        let each = if count > 0 && bytes.is_multiple_of(count) { bytes / count } else { 0 };
        let fits = |ty: &Type| ty.bytes() > 0 && bytes.is_multiple_of(ty.bytes());
        let ty = element.and_then(|text| {
            let sizes = if each > 0 { vec![each] } else { vec![4, 8, 1, 2] };
            sizes.into_iter().find_map(|bytes| Type::named(text, bytes))
        });
        // Arrays of unknown type are shown as words.
        let word = if bytes.is_multiple_of(4) { 4 } else { 1 };
        let ty = ty.filter(fits).unwrap_or(Type::Other { name: "bits".into(), bytes: word });
        let extents =
            if each == ty.bytes() && each > 0 { extents.to_vec() } else { vec![bytes / ty.bytes()] };
        // A variable that is not an array has no extents.
        let ty = if extents == [1] { ty } else { Type::Array(Box::new(ty), extents) };
        MemoryArray { name: name.to_owned(), start, bytes, ty }
    }
}

impl MemoryArray {
    /// Returns the type of the elements.
    pub fn element(&self) -> &Type {
        match &self.ty {
            Type::Array(of, _) => of,
            single => single,
        }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> u64 {
        self.bytes / self.element().bytes().max(1)
    }
}

/// A kernel with the functions that it calls, and its launch.
#[derive(Debug)]
pub struct Program<'m> {
    pub symbols: Symbols<'m>,
    pub variables: Variables,
    pub shared: Vec<MemoryArray>,
    /// `__device__` and `__constant__` variables, by their addresses.
    pub globals: Vec<MemoryArray>,
    pub config: LaunchConfig,
    /// The block's index in the grid.
    pub block_index: Dim3,
    ptx: &'m str,
    /// Name of the learner's file in line tables; lines of other files are not reported.
    file: &'m str,
}

impl<'m> Program<'m> {
    /// Creates the program for a module that was parsed for debugging from the text `ptx`; `file` is the name of
    /// the source in line tables. `block` is the block's linear index.
    pub fn new(
        (module, ptx, file): (&'m Module, &'m str, &'m str),
        shared: Vec<MemoryArray>,
        config: LaunchConfig,
        block: u64,
    ) -> Program<'m> {
        let symbols = module.symbols();
        let variables = Variables::new(ptx, symbols);
        Program {
            symbols,
            variables,
            shared,
            globals: Vec::new(),
            config,
            block_index: config.grid.at(block),
            ptx,
            file,
        }
    }

    /// Returns the source line of an instruction; 0 if it has none, or is in a header.
    pub fn line(&self, pc: u32) -> u32 {
        self.symbols.location(pc).filter(|at| *at.file == *self.file).map_or(0, |at| at.line)
    }

    /// Returns the PTX text of an instruction.
    pub fn instruction(&self, pc: u32) -> Option<&'m str> {
        let span = self.symbols.span(pc)?;
        self.ptx.get(span.start as usize..span.end as usize)
    }

    /// Returns a thread's index in the block.
    pub fn thread_index(&self, warp: u32, lane: u32) -> Dim3 {
        self.config.block.at(u64::from(warp) * 32 + u64::from(lane))
    }
}
