//! Calls of functions that nothing defines.

/// Returns the message for a call of a function that the program declares and does not define. `function` is its
/// name in the source.
pub fn undefined_function(function: &str) -> String {
    format!(
        "{function}() is declared and called, but this program does not define it. Is it spelt differently where \
         it is defined, or does it have parameters of other types there?"
    )
}

/// Returns the message for a kernel that calls a host function of the C or C++ library.
pub fn host_function_in_kernel(function: &str) -> String {
    format!(
        "a kernel calls the host function {function}(): std::cout, strings and files are for host code; printf works \
         in kernels"
    )
}
