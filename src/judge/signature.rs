//! Signatures of the kernels in a module: their names as written in CUDA C++ and their parameters.

use super::mangled::{self, Type};
use super::missing::{Caller, Misfit, Missing, ParameterMismatch, PassedArgument, Wanted};
use super::verdict::Failure;
use crate::course::{Argument, ElementType, Launch, Role, Spec};
use cpp::{base_name, uses};
use host::program::HostFunction;

/// A kernel as declared in the PTX, or a host function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Name in the PTX, possibly mangled.
    pub symbol: String,
    /// Name in the source, without namespaces and template arguments.
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub bytes: u64,
    pub float: bool,
}

impl Signature {
    /// Creates the signature of a function from its symbol.
    pub fn new(symbol: &str, parameters: Vec<Parameter>) -> Signature {
        let name = symbol.strip_prefix("_Z").and_then(base_name).unwrap_or(symbol).to_owned();
        Signature { symbol: symbol.to_owned(), name, parameters }
    }

    /// Formats the signature as `map(const float *, float *, int)` where the symbol encodes the types, otherwise
    /// with as much as the PTX declares.
    pub fn describe(&self) -> String {
        if let Some(types) = self.types() {
            let types: Vec<String> = types.iter().map(Type::to_string).collect();
            return format!("{}({})", self.name, types.join(", ")).escape_debug().to_string();
        }
        let parameters = self.parameters.iter().map(|parameter| match (parameter.bytes, parameter.float) {
            (4, true) => "float".to_owned(),
            (8, true) => "double".to_owned(),
            (8, false) => "pointer or 64-bit integer".to_owned(),
            (bytes @ (1 | 2 | 4), _) => format!("{}-bit integer", bytes * 8),
            (bytes, _) => format!("{bytes} bytes"),
        });
        format!("{}({})", self.name, parameters.collect::<Vec<_>>().join(", ")).escape_debug().to_string()
    }
}

impl Signature {
    /// Returns whether a parameter may be either a pointer or a number: PTX does not keep the types of parameters
    /// of functions with C linkage.
    pub(super) fn hides_pointers(&self) -> bool {
        self.types().is_none() && self.parameters.iter().any(|its| its.bytes == 8 && !its.float)
    }

    /// Returns the types of the parameters, where the symbol encodes as many as the PTX declares.
    fn types(&self) -> Option<Vec<Type>> {
        mangled::parameters(&self.symbol).filter(|types| types.len() == self.parameters.len())
    }

    /// Returns the first parameter that cannot accept the argument passed. With `strictly`, a pointer to elements
    /// of another type does not fit either.
    fn misfit(&self, spec: &Spec, args: &[Argument], strictly: bool) -> Option<ParameterMismatch> {
        let types = self.types().filter(|types| types.len() == args.len())?;
        let place = types.iter().zip(args).position(|(ty, argument)| !takes(ty, spec, argument, strictly))?;
        let (found, passed) = (types[place].to_string(), passed(spec, &args[place]));
        Some(ParameterMismatch { place: place + 1, found, passed })
    }
}

/// Returns whether a parameter of type `ty` accepts an argument; unknown types accept anything.
fn takes(ty: &Type, spec: &Spec, argument: &Argument, strictly: bool) -> bool {
    let bytes = |bytes: u64| bytes.max(4);
    match (argument, ty.bare()) {
        (_, Type::Named(_)) => true,
        (_, Type::Reference(_) | Type::Void | Type::Const(_)) => false,
        (Argument::Value { ty, .. }, Type::Number(found)) => {
            found.float == ty.is_float() && bytes(found.bytes) == bytes(ty.bytes() as u64)
        }
        (Argument::Buffer(name), Type::Pointer(to)) => {
            let buffer = spec.buffer(name);
            match (to.bare(), buffer) {
                (Type::Number(found), Some(buffer)) if strictly => {
                    found.float == buffer.ty.is_float() && found.bytes == buffer.ty.bytes() as u64
                }
                (Type::Pointer(_) | Type::Reference(_), _) => false,
                _ => true,
            }
        }
        (Argument::Value { .. }, Type::Pointer(_)) | (Argument::Buffer(_), Type::Number(_)) => false,
    }
}

fn passed(spec: &Spec, argument: &Argument) -> PassedArgument {
    match argument {
        Argument::Buffer(name) => {
            let ty = spec.buffer(name).map_or("void", |buffer| buffer.ty.c_name());
            PassedArgument { pointer: true, ty, name: Some(name.clone()) }
        }
        Argument::Value { formula, ty } => {
            let name = plain_name(formula.text()).map(str::to_owned);
            PassedArgument { pointer: false, ty: ty.c_name(), name }
        }
    }
}

/// Returns the formula if it is a plain name.
fn plain_name(formula: &str) -> Option<&str> {
    let plain = formula.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (plain && !formula.starts_with(|c: char| c.is_ascii_digit())).then_some(formula)
}

/// Returns the kernels of a PTX module, in order of appearance.
pub fn signatures(module: &ptx::Module) -> Vec<Signature> {
    let kernels = module.functions.iter().filter(|function| function.entry && function.body.is_some());
    kernels
        .map(|kernel| {
            let parameters = kernel.params.iter().map(|variable| Parameter {
                bytes: variable.bytes(),
                float: matches!(variable.ty, ptx::Type::F32 | ptx::Type::F64),
            });
            Signature::new(kernel.name, parameters.collect())
        })
        .collect()
}

/// Returns the symbol of a launch's kernel: the kernel of its name, or, of several of that name, the only one whose
/// parameters fit.
///
/// # Errors
///
/// Fails if there is no such kernel, if its parameters do not fit, or if several kernels fit.
pub fn resolve(spec: &Spec, launch: &Launch, signatures: &[Signature]) -> Result<String, Box<Missing>> {
    let takes: Vec<Parameter> = launch.args.iter().map(parameter).collect();
    let declaration = declare(spec, &launch.kernel, &launch.args);
    let wanted = Wanted { by: Caller::Launch, declaration };
    let misfit = |signature: &Signature| signature.misfit(spec, &launch.args, false);
    fitting(&launch.kernel, &takes, &misfit, &wanted, signatures)
}

/// Returns the PTX name of the kernel of every launch.
pub(super) fn symbols(spec: &Spec, signatures: &[Signature]) -> Result<Vec<String>, Box<Failure>> {
    let symbols = spec.launches.iter().map(|launch| {
        resolve(spec, launch, signatures).map_err(|missing| Box::new(Failure::MissingKernel(missing)))
    });
    symbols.collect()
}

/// Returns the symbol of the kernel called `name`, or, of several of that name, the only one whose parameters are
/// `takes`. `misfit` returns the parameter of a kernel whose type does not fit, as far as types are known.
///
/// # Errors
///
/// Fails if there is no such kernel, if its parameters do not fit, or if several kernels fit.
pub fn fitting(
    name: &str,
    takes: &[Parameter],
    misfit: &dyn Fn(&Signature) -> Option<ParameterMismatch>,
    wanted: &Wanted,
    signatures: &[Signature],
) -> Result<String, Box<Missing>> {
    let named: Vec<_> =
        signatures.iter().filter(|signature| signature.symbol == name || signature.name == name).collect();
    let fits =
        |signature: &&&Signature| signature.parameters.as_slice() == takes && misfit(signature).is_none();
    let fitting: Vec<_> = named.iter().filter(fits).collect();
    let why = match (named.as_slice(), fitting.as_slice()) {
        (_, [one]) => return Ok(one.symbol.clone()),
        ([], _) if signatures.is_empty() => Misfit::NoKernels,
        ([], _) => Misfit::Absent,
        ([one], _) if one.parameters.len() != takes.len() => Misfit::Count(one.parameters.len()),
        ([one], _) => match misfit(one) {
            Some(mismatch) => Misfit::Argument(mismatch),
            None => {
                let pairs = one.parameters.iter().zip(takes);
                let place = pairs.take_while(|(a, b)| a == b).count() + 1;
                Misfit::Type { place, signature: one.describe() }
            }
        },
        _ => Misfit::Several(named.len()),
    };
    Err(Missing::new(name, why, wanted, signatures.iter()))
}

fn parameter(argument: &Argument) -> Parameter {
    match argument {
        Argument::Buffer(_) => Parameter { bytes: 8, float: false },
        Argument::Value { ty, .. } => Parameter { bytes: ty.bytes() as u64, float: ty.is_float() },
    }
}

/// Declares a function with these arguments as CUDA C++ would: `map(int *out, const int *in, int n)`.
pub fn declare(spec: &Spec, name: &str, args: &[Argument]) -> String {
    let arguments = args.iter().map(|argument| match argument {
        Argument::Buffer(name) => {
            let buffer = spec.buffer(name);
            let ty = buffer.map_or("void", |buffer| buffer.ty.c_name());
            let constant = buffer.is_some_and(|buffer| buffer.role == Role::In);
            format!("{}{ty} *{name}", if constant { "const " } else { "" })
        }
        Argument::Value { formula, ty } => {
            let name = plain_name(formula.text()).map_or(String::new(), |name| format!(" {name}"));
            format!("{}{name}", ElementType::c_name(*ty))
        }
    });
    format!("{name}({})", arguments.collect::<Vec<_>>().join(", "))
}

/// Returns the functions that a program defines, in order of appearance. Host PTX does not distinguish floats among
/// their parameters, and passes types smaller than 4 bytes as 4.
pub fn host_functions(functions: &[HostFunction]) -> Vec<Signature> {
    let of = |function: &HostFunction| {
        let parameters = function.parameters.as_ref()?.iter();
        let parameters = parameters.map(|&bytes| Parameter { bytes, float: false });
        Some(Signature::new(&function.symbol, parameters.collect()))
    };
    functions.iter().filter_map(of).collect()
}

/// Returns the symbol of the host function that accepts `args`: the function of that name, or, of several, the only
/// one whose parameters fit. `source` is the learner's file; the error lists only functions that appear in it, not
/// those of headers.
///
/// # Errors
///
/// Fails if there is no such function, if its parameters do not fit, or if several functions fit.
pub fn resolve_function(
    spec: &Spec,
    name: &str,
    args: &[Argument],
    functions: &[Signature],
    source: &str,
) -> Result<String, Box<Missing>> {
    let fits = |function: &&&Signature| {
        let sizes = |p: &Parameter| p.bytes.max(4);
        function.parameters.iter().map(sizes).eq(args.iter().map(|argument| sizes(&parameter(argument))))
            && function.misfit(spec, args, true).is_none()
    };
    let named: Vec<_> =
        functions.iter().filter(|function| function.symbol == name || function.name == name).collect();
    let fitting: Vec<_> = named.iter().filter(fits).collect();
    if let [one] = fitting.as_slice() {
        return Ok(one.symbol.clone());
    }
    let why = match named.as_slice() {
        [] => Misfit::Absent,
        [one] => one.misfit(spec, args, true).map_or(Misfit::Parameters, Misfit::Argument),
        several => Misfit::Several(several.len()),
    };
    // A function of the file appears there as a word followed by a parenthesis.
    let own = |function: &&Signature| {
        uses(source, &function.name).any(|(_, behind)| behind.trim_start().starts_with('('))
    };
    let wanted = Wanted { by: Caller::Call, declaration: declare(spec, name, args) };
    Err(Missing::new(name, why, &wanted, functions.iter().filter(own).take(8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        toml::from_str(
            r#"order = 1
            title = "Map"
            kind = "kernel"
            minutes = 1
            starter = "wrong-result"
            hints = []
            reference = "map"
            cases = [{ n = 4 }]
            launches = [{ kernel = "map", grid = [1], block = ["n"], args = ["out", "in", "n: i32", "2*n: f32"] }]
            [[buffers]]
            name = "out"
            type = "f32"
            shape = ["n"]
            role = "out"
            [[buffers]]
            name = "in"
            type = "f32"
            shape = ["n"]
            role = "in"
            fill = { kind = "normal" }"#,
        )
        .unwrap()
    }

    /// Builds parameters from letters: p for pointer, i for int, f for float.
    fn kernel(symbol: &str, letters: &str) -> Signature {
        let parameters = letters.chars().map(|letter| match letter {
            'p' => Parameter { bytes: 8, float: false },
            'i' => Parameter { bytes: 4, float: false },
            _ => Parameter { bytes: 4, float: true },
        });
        Signature::new(symbol, parameters.collect())
    }

    #[test]
    fn the_kernel_is_found_by_name_mangled_or_not() {
        let spec = spec();
        assert_eq!(resolve(&spec, &spec.launches[0], &[kernel("map", "ppif")]), Ok("map".into()));
        let mangled = kernel("_Z3mapPfPKfif", "ppif");
        assert_eq!(
            resolve(&spec, &spec.launches[0], std::slice::from_ref(&mangled)),
            Ok("_Z3mapPfPKfif".into())
        );
        let overloads = [kernel("_Z3mapPf", "p"), mangled];
        assert_eq!(resolve(&spec, &spec.launches[0], &overloads), Ok("_Z3mapPfPKfif".into()));
    }

    #[test]
    fn what_is_missing_is_said_with_what_was_found() {
        let spec = spec();
        let missing = |signatures: &[Signature]| resolve(&spec, &spec.launches[0], signatures).unwrap_err();
        let why = |signatures: &[Signature]| missing(signatures).why;
        let declaration = "map(float *out, const float *in, int n, float)".into();
        assert_eq!(missing(&[]).wanted, Wanted { by: Caller::Launch, declaration });
        assert_eq!(why(&[]), Misfit::NoKernels);
        assert_eq!(why(&[kernel("mop", "p")]), Misfit::Absent);
        assert_eq!(why(&[kernel("map", "ppi")]), Misfit::Count(3));
        let n = PassedArgument { pointer: false, ty: "int", name: Some("n".into()) };
        let mismatch = ParameterMismatch { place: 3, found: "float".into(), passed: n };
        assert_eq!(why(&[kernel("_Z3mapPfPfff", "ppff")]), Misfit::Argument(mismatch));
        let two = [kernel("_Z3mapPfPKfif", "ppif"), kernel("_ZN1a3mapEPfPKfif", "ppif")];
        assert_eq!(why(&two), Misfit::Several(2));
        assert_eq!(missing(&[kernel("mop", "i")]).found, ["mop(32-bit integer)"]);
    }

    #[test]
    fn host_functions_are_found_by_name_and_by_the_sizes_of_their_parameters() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
            .visible .entry _Z1kPf(.param .u64 a) { ret; }\n\
            .visible .func _Z3mapPfPKfif(.param .b64 a, .param .b64 b, .param .b32 c, .param .b32 d) { ret; }\n\
            .visible .func (.param .b32 r) _Z5quitei(.param .b32 a) { ret; }\n\
            .func other(.param .b64 a) { ret; }\n";
        let functions = host_functions(&HostFunction::all(&ptx::parse(text).unwrap()));
        assert_eq!(functions.len(), 3);
        let spec = spec();
        let args = &spec.launches[0].args;
        let find = |name: &str, count: usize| {
            resolve_function(&spec, name, &args[..count], &functions, "int quite (int a); mother(1)")
        };
        assert_eq!(find("map", 4), Ok("_Z3mapPfPKfif".into()));
        let wrong = find("map", 3).unwrap_err();
        assert_eq!(wrong.why, Misfit::Parameters);
        let declaration = "map(float *out, const float *in, int n)".into();
        assert_eq!(wrong.wanted, Wanted { by: Caller::Call, declaration });
        assert_eq!(wrong.found, ["quite(int)"]);
        assert_eq!(find("k", 1).unwrap_err().why, Misfit::Absent);
    }

    #[test]
    fn parameters_in_another_order_are_told_by_place_and_type() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
            .visible .func _Z3mapPfPKffi(.param .b64 a, .param .b64 b, .param .b32 c, .param .b32 d) { ret; }\n\
            .visible .func _Z3zipPfPdif(.param .b64 a, .param .b64 b, .param .b32 c, .param .b32 d) { ret; }\n\
            .visible .func _Z3fooPPfPfif(.param .b64 a, .param .b64 b, .param .b32 c, .param .b32 d) { ret; }\n\
            .visible .func _Z3barlPfif(.param .b64 a, .param .b64 b, .param .b32 c, .param .b32 d) { ret; }\n\
            .visible .func _Z3bazPvPKvjf(.param .b64 a, .param .b64 b, .param .b32 c, .param .b32 d) { ret; }\n\
            .visible .func plain(.param .b64 a, .param .b64 b, .param .b32 c, .param .b32 d) { ret; }\n";
        let functions = host_functions(&HostFunction::all(&ptx::parse(text).unwrap()));
        let spec = spec();
        let find = |name: &str| resolve_function(&spec, name, &spec.launches[0].args, &functions, "");
        for (name, place, found, pointer, ty, argument) in [
            ("map", 3, "float", false, "int", "n"),
            ("zip", 2, "double *", true, "float", "in"),
            ("foo", 1, "float **", true, "float", "out"),
            ("bar", 1, "long", true, "float", "out"),
        ] {
            let passed = PassedArgument { pointer, ty, name: Some(argument.into()) };
            let mismatch = ParameterMismatch { place, found: found.into(), passed };
            assert_eq!(find(name).unwrap_err().why, Misfit::Argument(mismatch));
        }
        assert!(find("baz").is_ok() && find("plain").is_ok());
    }

    #[test]
    fn parameters_are_read_from_ptx() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
            .visible .entry k(.param .u64 a, .param .f32 b, .param .align 4 .b8 c[12]) { ret; }\n\
            .func f(.param .u64 a) { ret; }\n";
        let module = ptx::parse(text).unwrap();
        let found = signatures(&module);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].describe(), "k(pointer or 64-bit integer, float, 12 bytes)");
    }
}
