//! Why a function of a file cannot be called as it should be.

use super::signature::Signature;

/// A function that is missing, and what there is instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub name: String,
    pub why: Misfit,
    pub wanted: Wanted,
    /// Descriptions of the functions that the file has.
    pub found: Vec<String>,
    /// Whether, for some of them, it is not known which parameters are pointers.
    pub hides_pointers: bool,
}

/// What a function is wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub by: Caller,
    /// The function as CUDA C++ would declare it: `map(int *out, const int *in, int n)`.
    pub declaration: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A lesson launches the kernel.
    Launch,
    /// A lesson calls the host function.
    Call,
    /// A pair of kernels, of which each is launched.
    Pair,
}

/// How the functions of the wanted name differ from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There is no kernel at all.
    NoKernels,
    /// There is no `main`, where a program starts.
    NoMain,
    /// None has the name.
    Absent,
    /// It takes another number of parameters: this one.
    Count(usize),
    /// It takes other parameters; which of them differ is not known.
    Parameters,
    /// A parameter cannot accept its argument.
    Argument(ParameterMismatch),
    /// A parameter, by its position from 1, has another type; the signature, as far as it is known.
    Type { place: usize, signature: String },
    /// So many have the name, and none of them, or several, fit.
    Several(usize),
}

/// A parameter that cannot accept its argument: its position from 1, its type, and the argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterMismatch {
    pub place: usize,
    pub found: String,
    pub passed: PassedArgument,
}

/// An argument: a number, or a pointer to elements, of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedArgument {
    pub pointer: bool,
    pub ty: &'static str,
    pub name: Option<String>,
}

impl Missing {
    pub fn new<'a>(
        name: &str,
        why: Misfit,
        wanted: &Wanted,
        there: impl Iterator<Item = &'a Signature> + Clone,
    ) -> Box<Missing> {
        Box::new(Missing {
            name: name.to_owned(),
            why,
            wanted: wanted.clone(),
            found: there.clone().map(Signature::describe).collect(),
            hides_pointers: there.clone().any(Signature::hides_pointers),
        })
    }

    /// Returns that a program has no `main`.
    pub fn main() -> Box<Missing> {
        let wanted = Wanted { by: Caller::Call, declaration: "main()".into() };
        Missing::new("main", Misfit::NoMain, &wanted, std::iter::empty())
    }
}
