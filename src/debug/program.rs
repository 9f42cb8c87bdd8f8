//! Kernels as they were compiled for debugging.

use crate::variables::{Type, Variables};
use sim::{Dim3, LaunchConfig, Module, Symbols};

/// An array in shared memory, or of a module. DWARF does not have them: the PTX tells where they are, the source what
/// they hold.
#[derive(Clone, Debug)]
pub struct MemoryArray {
    pub name: String,
    /// Its first byte: in the block's shared memory, or the device address.
    pub start: u64,
    pub bytes: u64,
    pub ty: Type,
}

impl MemoryArray {
    /// Of what its declaration says: the type of its elements, and its extents, slowest first.
    pub fn new(name: &str, start: u64, bytes: u64, element: Option<&str>, extents: &[u64]) -> MemoryArray {
        let count: u64 = extents.iter().product();
        let each = if count > 0 && bytes.is_multiple_of(count) { bytes / count } else { 0 };
        let fits = |ty: &Type| ty.bytes() > 0 && bytes.is_multiple_of(ty.bytes());
        let ty = element.and_then(|text| {
            let sizes = if each > 0 { vec![each] } else { vec![4, 8, 1, 2] };
            sizes.into_iter().find_map(|bytes| Type::named(text, bytes))
        });
        // What is not known is shown by words.
        let word = if bytes.is_multiple_of(4) { 4 } else { 1 };
        let ty = ty.filter(fits).unwrap_or(Type::Other { name: "bits".into(), bytes: word });
        let extents =
            if each == ty.bytes() && each > 0 { extents.to_vec() } else { vec![bytes / ty.bytes()] };
        // A variable that is no array has no extents.
        let ty = if extents == [1] { ty } else { Type::Array(Box::new(ty), extents) };
        MemoryArray { name: name.to_owned(), start, bytes, ty }
    }
}

impl MemoryArray {
    /// What its elements are.
    pub fn element(&self) -> &Type {
        match &self.ty {
            Type::Array(of, _) => of,
            single => single,
        }
    }

    /// How many elements it has.
    pub fn count(&self) -> u64 {
        self.bytes / self.element().bytes().max(1)
    }
}

/// A kernel, what it calls, and how it was launched.
#[derive(Debug)]
pub struct Program<'m> {
    pub symbols: Symbols<'m>,
    pub variables: Variables,
    pub shared: Vec<MemoryArray>,
    /// `__device__` and `__constant__` variables, by their addresses.
    pub globals: Vec<MemoryArray>,
    pub config: LaunchConfig,
    /// Where the block is in the grid.
    pub block_index: Dim3,
    ptx: &'m str,
    /// What line tables call the learner's file: other files have no lines here.
    file: &'m str,
}

impl<'m> Program<'m> {
    /// Of a module that was read for debugging, from this text; `file`: what line tables call the source.
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

    /// The line of the source that an instruction comes from; 0: none, or of a header.
    pub fn line(&self, pc: u32) -> u32 {
        self.symbols.location(pc).filter(|at| *at.file == *self.file).map_or(0, |at| at.line)
    }

    /// An instruction as the PTX has it.
    pub fn instruction(&self, pc: u32) -> Option<&'m str> {
        let span = self.symbols.span(pc)?;
        self.ptx.get(span.start as usize..span.end as usize)
    }

    /// Where a thread of the block is in it.
    pub fn thread_index(&self, warp: u32, lane: u32) -> Dim3 {
        self.config.block.at(u64::from(warp) * 32 + u64::from(lane))
    }
}
