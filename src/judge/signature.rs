//! Signatures of the kernels in a module: their names as written in CUDA C++ and their parameters.

use super::mangled::{self, Type};
use super::verdict::Failure;
use crate::course::{Argument, ElementType, Role, Spec};
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
    fn hides_pointers(&self) -> bool {
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
        Some((place + 1, types[place].to_string(), passed(spec, &args[place])))
    }
}

/// A parameter that cannot accept its argument: its position from 1, its type, and a description of the argument.
pub type ParameterMismatch = (usize, String, String);

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

/// Describes an argument: ``a number of type `float`, `factor` ``.
fn passed(spec: &Spec, argument: &Argument) -> String {
    match argument {
        Argument::Buffer(name) => {
            let buffer = spec.buffer(name);
            format!("a pointer to `{}`, `{name}`", buffer.map_or("void", |buffer| buffer.ty.c_name()))
        }
        Argument::Value { formula, ty } => match plain_name(formula.text()) {
            Some(name) => format!("a number of type `{}`, `{name}`", ty.c_name()),
            None => format!("a number of type `{}`", ty.c_name()),
        },
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

/// Why no kernel can be determined for a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoKernel {
    /// Descriptions of all kernels in the module.
    pub found: Vec<String>,
    /// Whether, for some of them, it is not known which parameters are pointers.
    pub hides_pointers: bool,
    pub detail: String,
}

impl NoKernel {
    fn of<'a>(there: impl Iterator<Item = &'a Signature> + Clone, detail: String) -> NoKernel {
        let found = there.clone().map(Signature::describe).collect();
        NoKernel { found, hides_pointers: there.clone().any(Signature::hides_pointers), detail }
    }

    /// Converts this into a failure, given the name of the missing kernel.
    pub fn failure(self, kernel: &str) -> Box<Failure> {
        let NoKernel { found, hides_pointers, detail } = self;
        Box::new(Failure::MissingKernel { kernel: kernel.to_owned(), found, hides_pointers, detail })
    }
}

/// Returns the symbol of the kernel for launch `index` of the lesson: the kernel of that name, or, of several of
/// that name, the only one whose parameters fit.
///
/// # Errors
///
/// Fails if there is no such launch or kernel, if its parameters do not fit, or if several kernels fit.
pub fn resolve(spec: &Spec, index: usize, signatures: &[Signature]) -> Result<String, NoKernel> {
    let fail = |detail: String| NoKernel::of(signatures.iter(), detail);
    let absent = || fail(format!("the lesson has no launch {index}"));
    let launch = spec.launches.get(index).ok_or_else(absent)?;
    let wanted: Vec<Parameter> = launch.args.iter().map(parameter).collect();
    let expected = format!("the lesson runs `{}`", declaration(spec, index));
    let misfit = |signature: &Signature| signature.misfit(spec, &launch.args, false);
    fitting(&launch.kernel, &wanted, &misfit, &expected, signatures)
}

/// Returns the PTX name of the kernel of every launch.
pub(super) fn symbols(spec: &Spec, signatures: &[Signature]) -> Result<Vec<String>, Box<Failure>> {
    let symbols = spec.launches.iter().enumerate().map(|(index, launch)| {
        resolve(spec, index, signatures).map_err(|missing| missing.failure(&launch.kernel))
    });
    symbols.collect()
}

/// Returns the symbol of the kernel called `name`, or, of several of that name, the only one whose parameters fit.
/// `misfit` returns the parameter of a kernel whose type does not fit, as far as types are known; `expected`
/// describes the launch in messages.
///
/// # Errors
///
/// Fails if there is no such kernel, if its parameters do not fit, or if several kernels fit.
pub fn fitting(
    name: &str,
    wanted: &[Parameter],
    misfit: &dyn Fn(&Signature) -> Option<ParameterMismatch>,
    expected: &str,
    signatures: &[Signature],
) -> Result<String, NoKernel> {
    let fail = |detail: String| NoKernel::of(signatures.iter(), detail);
    let named: Vec<_> =
        signatures.iter().filter(|signature| signature.symbol == name || signature.name == name).collect();
    let fits =
        |signature: &&&Signature| signature.parameters.as_slice() == wanted && misfit(signature).is_none();
    let fitting: Vec<_> = named.iter().filter(fits).collect();
    match (named.as_slice(), fitting.as_slice()) {
        (_, [one]) => Ok(one.symbol.clone()),
        ([], _) if signatures.is_empty() => {
            Err(fail(format!("no __global__ function was compiled; {expected}")))
        }
        ([], _) => Err(fail(format!("no kernel is called \"{name}\"; {expected}"))),
        ([one], _) if one.parameters.len() != wanted.len() => Err(fail(format!(
            "\"{}\" takes {}; {expected}",
            one.name.escape_debug(),
            match one.parameters.len() {
                1 => "1 parameter".to_owned(),
                n => format!("{n} parameters"),
            },
        ))),
        ([one], _) if let Some((place, found, passed)) = misfit(one) => {
            Err(fail(misfit_words(&one.name, place, &found, &passed) + expected))
        }
        ([one], _) => {
            let pairs = one.parameters.iter().zip(wanted);
            let place = pairs.take_while(|(a, b)| a == b).count() + 1;
            Err(fail(format!("parameter {place} has a different type: found {}; {expected}", one.describe())))
        }
        _ => Err(fail(format!(
            "{} kernels are called \"{name}\", and it is not clear which is meant: keep one. Here {expected}",
            named.len(),
        ))),
    }
}

fn misfit_words(name: &str, place: usize, found: &str, passed: &str) -> String {
    let (name, found) = (name.escape_debug(), found.escape_debug());
    format!("parameter {place} of \"{name}\" is `{found}`, but the lesson passes {passed}; ")
}

fn parameter(argument: &Argument) -> Parameter {
    match argument {
        Argument::Buffer(_) => Parameter { bytes: 8, float: false },
        Argument::Value { ty, .. } => Parameter { bytes: ty.bytes() as u64, float: ty.is_float() },
    }
}

/// Declares the kernel of a launch as CUDA C++ would: `map(int *out, const int *in, int n)`.
pub fn declaration(spec: &Spec, index: usize) -> String {
    spec.launches.get(index).map_or(String::new(), |launch| declare(spec, &launch.kernel, &launch.args))
}

/// Declares a function with these arguments as CUDA C++ would.
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
) -> Result<String, NoKernel> {
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
    let expected = format!("the lesson calls `{}`", declare(spec, name, args));
    let detail = match named.as_slice() {
        [] => format!("no host function is called \"{name}\"; {expected}"),
        [one] => match one.misfit(spec, args, true) {
            Some((place, found, passed)) => misfit_words(&one.name, place, &found, &passed) + &expected,
            None => format!("\"{}\" takes different parameters; {expected}", one.name.escape_debug()),
        },
        several => format!(
            "{} functions are called \"{name}\", and it is not clear which is meant: keep one. Here {expected}",
            several.len()
        ),
    };
    // A function of the file appears there as a word followed by a parenthesis.
    let own = |function: &&Signature| {
        uses(source, &function.name).any(|(_, behind)| behind.trim_start().starts_with('('))
    };
    Err(NoKernel::of(functions.iter().filter(own).take(8), detail))
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
        assert_eq!(resolve(&spec, 0, &[kernel("map", "ppif")]), Ok("map".into()));
        let mangled = kernel("_Z3mapPfPKfif", "ppif");
        assert_eq!(resolve(&spec, 0, std::slice::from_ref(&mangled)), Ok("_Z3mapPfPKfif".into()));
        let overloads = [kernel("_Z3mapPf", "p"), mangled];
        assert_eq!(resolve(&spec, 0, &overloads), Ok("_Z3mapPfPKfif".into()));
    }

    #[test]
    fn what_is_missing_is_said_with_what_was_found() {
        let spec = spec();
        let wanted = "the lesson runs `map(float *out, const float *in, int n, float)`";
        let detail = |signatures: &[Signature]| resolve(&spec, 0, signatures).unwrap_err().detail;
        assert_eq!(detail(&[]), format!("no __global__ function was compiled; {wanted}"));
        assert_eq!(detail(&[kernel("mop", "p")]), format!("no kernel is called \"map\"; {wanted}"));
        assert_eq!(detail(&[kernel("map", "ppi")]), format!("\"map\" takes 3 parameters; {wanted}"));
        assert_eq!(
            detail(&[kernel("_Z3mapPfPfff", "ppff")]),
            format!(
                "parameter 3 of \"map\" is `float`, but the lesson passes a number of type `int`, `n`; {wanted}"
            )
        );
        let two = [kernel("_Z3mapPfPKfif", "ppif"), kernel("_ZN1a3mapEPfPKfif", "ppif")];
        assert!(detail(&two).starts_with("2 kernels are called \"map\""));
        assert_eq!(resolve(&spec, 0, &[kernel("mop", "i")]).unwrap_err().found, ["mop(32-bit integer)"]);
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
        assert_eq!(
            wrong.detail,
            "\"map\" takes different parameters; the lesson calls `map(float *out, const float *in, int n)`"
        );
        assert_eq!(wrong.found, ["quite(int)"]);
        assert!(find("k", 1).unwrap_err().detail.starts_with("no host function is called \"k\""));
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
        let detail = |name: &str| find(name).unwrap_err().detail;
        assert_eq!(
            detail("map"),
            "parameter 3 of \"map\" is `float`, but the lesson passes a number of type `int`, `n`; \
             the lesson calls `map(float *out, const float *in, int n, float)`"
        );
        for (name, wanted) in [
            (
                "zip",
                "parameter 2 of \"zip\" is `double *`, but the lesson passes a pointer to `float`, `in`; ",
            ),
            (
                "foo",
                "parameter 1 of \"foo\" is `float **`, but the lesson passes a pointer to `float`, `out`; ",
            ),
            ("bar", "parameter 1 of \"bar\" is `long`, but the lesson passes a pointer to `float`, `out`; "),
        ] {
            assert!(detail(name).starts_with(wanted), "{}", detail(name));
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
