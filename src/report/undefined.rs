//! Functions that are called and that no code defines.

/// How a run ended, and the stable name of a verdict, for such a call.
pub const UNDEFINED_FUNCTION: &str = "undefined-function";

/// What is wrong where the program calls a function of its own that it only declares, by its name in the source.
pub fn undefined_function(function: &str) -> String {
    format!(
        "{function}() is declared and called, and this program does not define it. Is it spelled otherwise where \
         it is defined, or has it parameters of other types there?"
    )
}

/// What is wrong where a kernel calls a function of the C library.
pub fn host_function_in_kernel(function: &str) -> String {
    format!(
        "a kernel calls the host's {function}(): std::cout, strings and files are for host code; printf works in \
         kernels"
    )
}
