//! Functions that a lesson cannot call.

use crate::layout::plural;
use judge::{Caller, Misfit, Missing, PassedArgument};

/// Says why a function cannot be called, and what is wanted.
pub fn missing(Missing { name, why, wanted, .. }: &Missing) -> String {
    let by = match wanted.by {
        Caller::Launch => "the lesson runs",
        Caller::Call => "the lesson calls",
        Caller::Pair => "a pair runs",
    };
    let of_host = wanted.by == Caller::Call;
    let said = match why {
        Misfit::NoMain => return "the program has no main(): a program starts there".into(),
        Misfit::NoKernels => "no __global__ function was compiled".into(),
        Misfit::Absent => {
            let kind = if of_host { "host function" } else { "kernel" };
            format!("no {kind} is called \"{name}\"")
        }
        Misfit::Count(count) => {
            format!("\"{name}\" takes {}", plural(*count as u64, "parameter", "parameters"))
        }
        Misfit::Parameters => format!("\"{name}\" takes different parameters"),
        Misfit::Argument(its) => format!(
            "parameter {} of \"{name}\" is `{}`, but the lesson passes {}",
            its.place,
            its.found.escape_debug(),
            passed(&its.passed)
        ),
        Misfit::Type { place, signature } => {
            format!("parameter {place} has a different type: found {signature}")
        }
        Misfit::Several(count) => {
            let kind = if of_host { "functions" } else { "kernels" };
            let said =
                format!("{count} {kind} are called \"{name}\", and it is not clear which is meant: keep one");
            return format!("{said}. Here {by} `{}`", wanted.declaration);
        }
    };
    format!("{said}; {by} `{}`", wanted.declaration)
}

/// Describes an argument: ``a number of type `float`, `factor` ``.
fn passed(PassedArgument { pointer, ty, name }: &PassedArgument) -> String {
    let what = if *pointer { "a pointer to" } else { "a number of type" };
    let name = name.as_ref().map_or(String::new(), |name| format!(", `{name}`"));
    format!("{what} `{ty}`{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::{ParameterMismatch, Wanted};

    #[test]
    fn what_is_missing_is_said_with_what_is_wanted() {
        let say = |by, why| {
            let wanted = Wanted { by, declaration: "map(float *out, int n)".into() };
            missing(&Missing { name: "map".into(), why, wanted, found: Vec::new(), hides_pointers: false })
        };
        let argument = |pointer, ty, name: Option<&str>| {
            let passed = PassedArgument { pointer, ty, name: name.map(Into::into) };
            Misfit::Argument(ParameterMismatch { place: 2, found: "double *".into(), passed })
        };
        let signature = "map(32-bit integer)".into();
        for (by, why, said) in [
            (Caller::Launch, Misfit::NoKernels, "no __global__ function was compiled; the lesson runs"),
            (Caller::Launch, Misfit::Absent, "no kernel is called \"map\"; the lesson runs"),
            (Caller::Call, Misfit::Absent, "no host function is called \"map\"; the lesson calls"),
            (Caller::Pair, Misfit::Count(1), "\"map\" takes 1 parameter; a pair runs"),
            (Caller::Pair, Misfit::Count(3), "\"map\" takes 3 parameters; a pair runs"),
            (Caller::Call, Misfit::Parameters, "\"map\" takes different parameters; the lesson calls"),
            (
                Caller::Launch,
                argument(true, "float", Some("in")),
                "parameter 2 of \"map\" is `double *`, but the lesson passes a pointer to `float`, `in`; the lesson runs",
            ),
            (
                Caller::Call,
                argument(false, "int", None),
                "parameter 2 of \"map\" is `double *`, but the lesson passes a number of type `int`; the lesson calls",
            ),
            (
                Caller::Launch,
                Misfit::Type { place: 1, signature },
                "parameter 1 has a different type: found map(32-bit integer); the lesson runs",
            ),
            (
                Caller::Launch,
                Misfit::Several(2),
                "2 kernels are called \"map\", and it is not clear which is meant: keep one. Here the lesson runs",
            ),
            (
                Caller::Call,
                Misfit::Several(2),
                "2 functions are called \"map\", and it is not clear which is meant: keep one. Here the lesson calls",
            ),
        ] {
            assert_eq!(say(by, why), format!("{said} `map(float *out, int n)`"));
        }
        assert_eq!(say(Caller::Call, Misfit::NoMain), "the program has no main(): a program starts there");
    }
}
