//! The variables, functions and kernels of a module, and the state they share during lowering.

use super::finish;
use super::function::{FunctionLowering, SpecialLoads};
use super::scope::{Symbol, WordParam};
use super::variable_arguments::is_variadic;
use crate::code::{
    AddressInit, DecodedKernel, DecodedModule, Fixed, FixedSlot, FunctionCode, GlobalVariable, HOST_VALUES,
    Interaction, ParamSlot, SharedVariable, add_to,
};
use crate::finding::{MemoryName, SourceLocation};
use crate::lanes::{FIXED, File};
use crate::launch::Dim3;
use crate::memory::access::Space as AccessSpace;
use ptx::{self, Immediate, Initializer, Linkage, Location, Space, Variable};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// What a function's body uses; merged into the kernels that reach it.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Functions that it calls, or whose address it takes.
    pub calls: Vec<u32>,
    /// Shared variables that it uses.
    pub shared: Vec<u32>,
    pub interaction: Interaction,
    /// The smallest access to shared memory, in bytes; 0 if there is none.
    pub granule: u32,
    /// Whether it calls functions through pointers.
    pub indirect: bool,
}

/// The state of lowering one module.
#[derive(Default)]
pub struct ModuleLowering<'a> {
    pub code: DecodedModule,
    symbols: HashMap<&'a str, Symbol>,
    fixed: HashMap<(File, Fixed), u32>,
    /// The functions that it defines with variable arguments, and how many others they take.
    pub variadic: HashMap<u32, usize>,
    files: Vec<(u32, Arc<str>)>,
    places: HashMap<(u32, u32, u32, Vec<u32>), u32>,
    /// For inlined code: file, line and column of the call, keyed by the location in the callee, as given by the last
    /// `.loc` directive.
    callers: HashMap<(u32, u32, u32), (u32, u32, u32)>,
    /// The number of the file that the current function is in.
    main_file: Option<u32>,
    /// The numbers of the user's own files, if their names are known.
    own_files: Vec<u32>,
    /// Whether to keep names, and not to move any instruction.
    pub debugging: bool,
    /// The first word of the `.target` directive.
    pub target: &'a str,
    /// What the function being lowered uses.
    reach: Reach,
}

/// Limit in bytes up to which rows of an initialised array are padded: more than any device's constant memory.
const MAX_INIT_BYTES: u64 = 1 << 28;

/// Limit of nested inlined calls that are followed back to the user's file.
const MAX_INLINED: usize = 32;

/// Limit on the size of a variable in bytes: more than any GPU has, and small enough that sums don't overflow.
const MAX_BYTES: u64 = 1 << 40;

/// Returns a variable's size in bytes and its alignment. Unsized arrays have size 0.
pub fn size_of(variable: &Variable) -> (u64, u64) {
    let element = u64::from(variable.ty.bytes()) * u64::from(variable.vector.max(1));
    (variable.bytes().min(MAX_BYTES), variable.align.map_or(element, u64::from).max(1))
}

/// Returns an immediate's bits, as a 64-bit value or a narrower one; an integer keeps all its bits.
pub fn bits_of(value: Immediate, wide: bool) -> u64 {
    match (value, wide) {
        (Immediate::Int(v), _) => v as u64,
        (Immediate::F32(bits), true) => f64::from(f32::from_bits(bits)).to_bits(),
        (Immediate::F32(bits), false) => bits.into(),
        (Immediate::F64(bits), true) => bits,
        (Immediate::F64(bits), false) => (f64::from_bits(bits) as f32).to_bits().into(),
    }
}

/// The suffix of a device variable whose name the host has given to one of its own.
const DEVICE: &str = "$device";

/// Returns a variable's name in the user's source: `s` for NVRTC's `_ZZ6kernelE1s`, and also for
/// `_ZZ6kernelE1s$device`, which is used if the host has a variable of that name too.
fn source_name(name: &str) -> Arc<str> {
    let name = name.strip_suffix(DEVICE).unwrap_or(name);
    let Some(rest) = name.strip_prefix("_ZZ") else { return name.into() };
    // The last `E` may be part of the variable's name, so try each from the left.
    for (at, _) in rest.match_indices('E') {
        let tail = &rest[at + 1..];
        let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
        if let Ok(length) = tail[..digits].parse::<usize>()
            && let Some(found) = tail.get(digits..digits + length)
            && !found.is_empty()
            && tail[digits + length..].chars().all(|c| c == '_' || c.is_ascii_digit())
        {
            return found.into();
        }
    }
    name.into()
}

/// Returns what a shared variable is called: of `_ZZ6kernelE4tile_$_2_$_3`, it is a part of `tile`.
fn shared_name(symbol: &str) -> MemoryName {
    const PART: &str = "_$_";
    let symbol = symbol.strip_suffix(DEVICE).unwrap_or(symbol);
    let Some((of, path)) = symbol.split_once(PART) else { return source_name(symbol).into() };
    let path = path.split(PART).map(|number| number.parse().ok()).collect::<Option<_>>();
    MemoryName::Part { of: source_name(of), path: path.unwrap_or_default() }
}

impl<'a> ModuleLowering<'a> {
    fn new(module: &ptx::Module<'a>, own_files: &[&str], debugging: bool) -> Self {
        let own = module.files.iter().filter(|f| own_files.contains(&f.name.as_str()));
        ModuleLowering {
            files: module.files.iter().map(|f| (f.index, f.name.as_str().into())).collect(),
            own_files: own.map(|f| f.index).collect(),
            debugging,
            target: module.target,
            ..ModuleLowering::default()
        }
    }

    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// Returns the fixed register with this value.
    pub fn fixed(&mut self, file: File, value: Fixed) -> u32 {
        let next = self.code.fixed.of_mut(file);
        *self.fixed.entry((file, value.clone())).or_insert_with(|| {
            let register = *next | FIXED;
            *next += 1;
            self.code.fixed_slots.push(FixedSlot { file, register, value });
            register
        })
    }

    pub fn unsupported(&mut self, what: String) -> u32 {
        add_to(&mut self.code.details.unsupported, what)
    }

    pub fn note_communication(&mut self, space: AccessSpace) {
        self.reach.interaction.communicates |=
            matches!(space, AccessSpace::Global | AccessSpace::Generic | AccessSpace::Cluster);
    }

    /// Notes an atomic or a volatile load whose value is used.
    pub fn note_value(&mut self, space: AccessSpace) {
        self.reach.interaction.observes_blocks |= matches!(space, AccessSpace::Global | AccessSpace::Generic);
    }

    /// Notes a call of a function, or a use of its address.
    pub fn note_call(&mut self, function: u32) {
        self.reach.calls.push(function);
    }

    /// Notes a use of a shared variable.
    pub fn note_shared(&mut self, variable: u32) {
        self.reach.shared.push(variable);
    }

    /// Notes a volatile or relaxed load of data.
    pub fn note_data(&mut self) {
        self.reach.interaction.reads_data = true;
    }

    /// Notes a fence. Unless its scope is the block, it orders plain accesses of different blocks.
    pub fn note_fence(&mut self, block_only: bool) {
        self.reach.interaction.communicates = true;
        self.reach.interaction.observes_blocks |= !block_only;
    }

    /// Notes the use of a feature that only blocks of a cluster share.
    pub fn note_cluster(&mut self) {
        (self.reach.interaction.communicates, self.reach.interaction.clustered) = (true, true);
    }

    pub fn note_shared_access(&mut self, bytes: u32) {
        let granule = bytes.min(4);
        self.reach.granule = if self.reach.granule == 0 { granule } else { self.reach.granule.min(granule) };
    }

    /// Returns the name of a source file, by its number.
    pub fn file_name(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(index, _)| *index == number).map(|(_, name)| &**name)
    }

    /// Returns the number of a location plus one, mapping inlined code to the user's file where possible. `None` for
    /// a location without a line, which leaves the previous location in effect.
    pub fn place(&mut self, location: &Location) -> Option<u32> {
        let main = *self.main_file.get_or_insert(location.file);
        // Which file a module begins with says little: its first function may be one of a header.
        let is_own = |own_files: &[u32], file| match own_files {
            [] => file == main,
            known => known.contains(&file),
        };
        let own = (location.file, location.line, location.column);
        match location.inlined_at {
            Some(at) => self.callers.insert(own, at),
            None => self.callers.remove(&own),
        };
        // Follows the chain of inlined calls out of headers, to a line of the user's if it leads to one.
        let mut at = own;
        for _ in 0..MAX_INLINED {
            match self.callers.get(&at) {
                Some(&caller) if !is_own(&self.own_files, at.0) => at = caller,
                _ => break,
            }
        }
        let (file, line, column) = at;
        if line == 0 {
            return None;
        }
        // A location in a function that is inlined twice counts as two locations.
        let mut calls = Vec::new();
        for _ in 0..MAX_INLINED {
            let Some(&caller) = self.callers.get(&at) else { break };
            let inside = calls.last().copied().unwrap_or(line);
            at = caller;
            if at.0 == file && is_own(&self.own_files, file) && at.1 != inside {
                calls.push(at.1);
            }
        }
        let next = self.code.source.locations.len() as u32 + 1;
        let known = *self.places.entry((file, line, column, calls.clone())).or_insert(next);
        if known == next {
            let name = self.files.iter().find(|(index, _)| *index == file);
            let file = name.map_or_else(|| "?".into(), |(_, name)| name.clone());
            self.code.source.locations.push(SourceLocation { file, line, column });
            self.code.source.call_lines.push(calls);
        }
        Some(known)
    }

    pub fn shared_variable(&mut self, variable: &Variable<'a>) -> u32 {
        let (bytes, align) = size_of(variable);
        let dynamic = variable.linkage == Linkage::Extern || variable.dims.contains(&None);
        let shared = SharedVariable { name: shared_name(variable.name), bytes, align, dynamic };
        add_to(&mut self.code.shared, shared)
    }

    pub fn global_variable(&mut self, variable: &Variable<'a>) -> u32 {
        let (mut bytes, align) = size_of(variable);
        let mut init = Vec::new();
        let mut addresses = Vec::new();
        if let Some(initializer) = &variable.init {
            let element = variable.ty.bytes();
            self.initialize(initializer, element, &variable.dims, &mut init, &mut addresses);
            bytes = bytes.max(init.len() as u64);
        }
        let variable = GlobalVariable {
            name: source_name(variable.name),
            symbol: variable.name.to_string(),
            bytes,
            align,
            constant: variable.space == Space::Const,
            managed: variable.managed,
            init,
            addresses,
        };
        add_to(&mut self.code.variables, variable)
    }

    /// Writes an initialiser's bytes; inner lists of an array are padded to their extent.
    fn initialize(
        &mut self,
        initializer: &Initializer<'a>,
        element: u32,
        dims: &[Option<u64>],
        out: &mut Vec<u8>,
        addresses: &mut Vec<(u64, AddressInit)>,
    ) {
        match initializer {
            Initializer::List(items) => {
                let inner = dims.get(1..).unwrap_or_default();
                let each = inner.iter().fold(element as u64, |n, d| n.saturating_mul(d.unwrap_or(1)));
                for item in items {
                    let start = out.len() as u64;
                    self.initialize(item, element, inner, out, addresses);
                    if matches!(item, Initializer::List(_)) && start.saturating_add(each) <= MAX_INIT_BYTES {
                        out.resize((start + each).max(out.len() as u64) as usize, 0);
                    }
                }
            }
            Initializer::Value(value) => {
                out.extend_from_slice(
                    &bits_of(*value, element == 8).to_le_bytes()[..element.min(8) as usize],
                );
            }
            Initializer::Address { name, offset, .. } => {
                let at = out.len() as u64;
                match self.symbol(name) {
                    Some(Symbol::Global(variable)) => {
                        addresses.push((at, AddressInit::Variable { variable, offset: *offset }));
                    }
                    Some(Symbol::Function(function)) => addresses.push((at, AddressInit::Function(function))),
                    _ => {}
                }
                // A byte of an address is written as `0xFF(name)`; eight in a row form one address.
                out.extend(std::iter::repeat_n(0, element.min(8) as usize));
            }
        }
    }
}

/// Decodes a module: first kernels and what they may call, then the rest, which is host code. This way, what a launch
/// allocates for each register, access and block depends on what the kernels need alone. `own_files` are the user's
/// files; if there are none, each function's own file counts. `debugging`: names are kept, and every instruction
/// stays where it is written.
pub fn lower(module: &ptx::Module, own_files: &[&str], debugging: bool) -> DecodedModule {
    let mut lowering = ModuleLowering::new(module, own_files, debugging);
    lowering.code.source.own_files = own_files.iter().map(|&name| name.into()).collect();
    lowering.declare(module);
    let count = lowering.code.functions.len();
    let mut bodies: Vec<Option<&ptx::Function>> = vec![None; count];
    for function in module.functions.iter().filter(|f| f.body.is_some()) {
        if let Some(Symbol::Function(number)) = lowering.symbol(function.name) {
            bodies[number as usize] = Some(function);
        }
    }
    let mut reaches = vec![Reach::default(); count];
    let mut kernels = Vec::new();
    let mut todo: VecDeque<u32> =
        (0..count as u32).filter(|&n| bodies[n as usize].is_some_and(|f| f.entry)).collect();
    // Code that calls through pointers may call any function whose address a variable holds.
    let mut indirect = false;
    // Set once all kernels and what they call by name have been lowered.
    let mut direct = false;
    let mut device = Vec::new();
    loop {
        let Some(number) = todo.pop_front() else {
            if direct {
                break;
            }
            direct = true;
            todo.extend(indirect.then(|| lowering.held_functions()).into_iter().flatten());
            continue;
        };
        let Some(function) = bodies[number as usize].take() else { continue };
        device.push(number);
        kernels.extend(lowering.body(function, number, kernels.len() as u32));
        let its = std::mem::take(&mut lowering.reach);
        todo.extend(&its.calls);
        indirect |= its.indirect;
        reaches[number as usize] = its;
    }
    lowering.code.device = lowering.code.part();
    for number in 0..count as u32 {
        if let Some(function) = bodies[number as usize] {
            lowering.body(function, number, 0);
        }
    }
    let mut code = lowering.code;
    for (number, kernel) in kernels.iter_mut().enumerate() {
        reach(&mut code, kernel, &reaches, &device);
        code.kernel_names.insert(kernel.name.clone(), number as u32);
    }
    code.kernels = kernels;
    code
}

/// Determines what a kernel uses, including everything it may call, and lays out its shared memory.
fn reach(code: &mut DecodedModule, kernel: &mut DecodedKernel, reaches: &[Reach], device: &[u32]) {
    let mut seen = vec![false; reaches.len()];
    let mut todo = vec![kernel.function];
    let (mut shared, mut granule) = (Vec::new(), 4);
    while let Some(function) = todo.pop() {
        if std::mem::replace(&mut seen[function as usize], true) {
            continue;
        }
        let its = &reaches[function as usize];
        kernel.local_bytes += code.functions[function as usize].local_bytes;
        shared.extend_from_slice(&its.shared);
        kernel.interaction.join(its.interaction);
        if its.granule != 0 {
            granule = granule.min(its.granule);
        }
        if its.indirect {
            // An indirect call may reach any device function.
            todo.extend_from_slice(device);
        } else {
            todo.extend_from_slice(&its.calls);
        }
    }
    kernel.shared_granule = granule;
    shared.sort_unstable();
    shared.dedup();
    let mut end = 0u64;
    let (dynamic, fixed): (Vec<u32>, Vec<u32>) =
        shared.iter().partition(|&&v| code.shared[v as usize].dynamic);
    for variable in fixed {
        let its = &code.shared[variable as usize];
        let start = end.next_multiple_of(its.align);
        kernel.shared.push((variable, start));
        end = start.saturating_add(its.bytes);
    }
    kernel.shared_bytes = end;
    // All dynamic arrays begin where the static ones end, aligned to 16 bytes as by the driver.
    for variable in dynamic {
        let start = end.next_multiple_of(code.shared[variable as usize].align.max(16));
        kernel.shared_bytes = kernel.shared_bytes.max(start);
        kernel.shared.push((variable, start));
    }
}

impl<'a> ModuleLowering<'a> {
    fn declare(&mut self, module: &ptx::Module<'a>) {
        for function in &module.functions {
            if self.symbols.contains_key(function.name) {
                continue;
            }
            let number = self.code.functions.len() as u32;
            self.symbols.insert(function.name, Symbol::Function(number));
            self.code.functions.push(FunctionCode { name: function.name.to_string(), ..Default::default() });
        }
        for function in module.functions.iter().filter(|its| is_variadic(&its.params)) {
            let Some(Symbol::Function(number)) = self.symbol(function.name) else { continue };
            self.code.functions[number as usize].variadic = true;
            if function.body.is_some() {
                self.variadic.insert(number, function.params.len() - 1);
            }
        }
        for alias in &module.aliases {
            if let Some(symbol) = self.symbol(alias.function) {
                self.symbols.insert(alias.name, symbol);
            }
        }
        // Names are declared first, because initialisers may refer to later variables.
        for (n, variable) in module.variables.iter().filter(|v| v.space != Space::Shared).enumerate() {
            self.symbols.insert(variable.name, Symbol::Global(n as u32));
        }
        for variable in &module.variables {
            if variable.space == Space::Shared {
                let number = self.shared_variable(variable);
                self.symbols.insert(variable.name, Symbol::Shared(number));
            } else {
                self.global_variable(variable);
            }
        }
    }

    /// Returns the functions whose address is in some variable's initialiser, except in the host's values of a variable.
    fn held_functions(&self) -> Vec<u32> {
        let of_device = self.code.variables.iter().filter(|v| !v.symbol.ends_with(HOST_VALUES));
        of_device.flat_map(GlobalVariable::functions).collect()
    }

    /// Lowers a function. Returns the kernel if it is one.
    fn body(&mut self, function: &ptx::Function<'a>, number: u32, kernel: u32) -> Option<DecodedKernel> {
        self.main_file = None;
        self.callers.clear();
        self.reach = Reach::default();
        let mut its =
            DecodedKernel { name: function.name.to_string(), function: number, ..DecodedKernel::default() };
        let mut lowering = FunctionLowering::new(self, function.entry, kernel);
        let mut params = Vec::new();
        for param in &function.params {
            let (bytes, align) = size_of(param);
            let bytes = bytes.min(1 << 16) as u32;
            if function.entry {
                // Sizes are capped at 64 KiB, which any launch rejects.
                let offset = its.param_bytes.min(1 << 16).next_multiple_of(align.min(1 << 10) as u32);
                if param.dims.is_empty() {
                    its.scalars.push(its.params.len() as u32);
                }
                its.params.push((bytes, offset));
                its.param_bytes = offset + bytes;
                lowering.scopes.define(param.name, Symbol::KernelParam { offset, bytes });
            } else if param.dims.contains(&None) {
                params.push(lowering.variable_arguments(param));
            } else {
                params.push(lowering.word_param(param, bytes));
            }
        }
        let mut returns = Vec::new();
        for result in &function.returns {
            let bytes = size_of(result).0.min(1 << 16) as u32;
            returns.push(lowering.word_param(result, bytes));
        }
        if let Some(body) = &function.body {
            lowering.loads = SpecialLoads::of(body);
            lowering.body(body);
            lowering.mark_updates();
            lowering.mark_unfenced();
            lowering.watch_undefined(&params, &returns);
            lowering.refuse_oversized();
        }
        let mut finished = finish::Finished {
            drafts: std::mem::take(&mut lowering.drafts),
            flow: std::mem::take(&mut lowering.flow),
            hoist: function.entry && !lowering.module.debugging,
        };
        let mut symbols = std::mem::take(&mut lowering.symbols);
        let (frame, local_bytes) = (lowering.frame.slots, lowering.frame.local_bytes);
        let label_names = std::mem::take(&mut finished.flow.label_names);
        let (start, hoisted, labels) = finished.append(&mut self.code, &mut self.reach);
        if self.debugging {
            symbols.labels = label_names.into_iter().map(str::to_owned).zip(labels).collect();
            self.code.symbols.push((number, symbols));
        }
        let code = &mut self.code.functions[number as usize];
        code.start = Some(start);
        code.frame = frame;
        code.local_bytes = local_bytes;
        code.params = params;
        code.returns = returns;
        for directive in &function.directives {
            if matches!(directive.name, "maxntid" | "reqntid") {
                its.max_threads = directive.values.iter().fold(1, |n, v| n.saturating_mul(*v));
            } else if directive.name == "reqnctapercluster" {
                let axis = |n: usize| directive.values.get(n).map_or(1, |&v| v.min(u32::MAX.into()) as u32);
                its.cluster = Some(Dim3::new(axis(0), axis(1), axis(2)));
            }
        }
        (its.hoisted, its.hoisted_rows) = hoisted.into_iter().unzip();
        function.entry.then_some(its)
    }
}

impl<'a> FunctionLowering<'_, 'a> {
    fn word_param(&mut self, variable: &Variable<'a>, bytes: u32) -> ParamSlot {
        let words = bytes.div_ceil(4);
        let register = self.allocate(File::R32, words);
        if variable.space == Space::Reg {
            // The old style, in which a parameter is a register.
            let file = super::scope::file_of(variable.ty);
            let number = self.allocate(file, 1);
            self.scopes.define(variable.name, Symbol::Register { file, number, ty: variable.ty });
        } else {
            self.scopes.define(variable.name, Symbol::WordParam(WordParam { register, bytes }));
        }
        ParamSlot { register, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_the_names_of_the_source() {
        for (symbol, name) in [
            ("_ZZ6kernelE1s", "s"),
            ("_ZZ6kernelPKfPfiE4tile$device", "tile"),
            ("_ZZ4EdgePfE4E4EE_0", "E4EE"),
            ("table", "table"),
        ] {
            assert_eq!(shared_name(symbol), name.into());
        }
        for (symbol, of, path) in [
            ("_ZZ6sharedE4tile_$_2_$_3", "tile", &[2, 3][..]),
            ("_ZZ1kPKfPfiE3acc_$_1", "acc", &[1]),
            ("table_$_1$device", "table", &[1]),
            ("table_$_x", "table", &[]),
        ] {
            assert_eq!(shared_name(symbol), MemoryName::Part { of: of.into(), path: path.into() });
        }
    }
}
