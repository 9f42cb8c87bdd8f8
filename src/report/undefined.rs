//! Calls of functions that nothing defines.

/// Returns the message for a call of a function that the program declares and does not define. `function` is its
/// name in the source.
pub fn undefined_function(function: &str) -> String {
    format!(
        "{function}() is declared and called, but this program does not define it. Is it spelt differently where \
         it is defined, or does it have parameters of other types there?"
    )
}

/// The same for the launch of a kernel.
pub fn undefined_kernel(kernel: &str) -> String {
    format!(
        "the kernel {kernel}() is declared and launched, but this program does not define it. Is it spelt differently \
         where it is defined, or does it have parameters of other types there?"
    )
}

/// The same for a function that the program declares as one of C, which a library might define.
pub fn undefined_c_function(function: &str) -> String {
    format!(
        "{function}() is declared and called, but neither this program nor a library that this tool has defines it. \
         Where it is yours, #include the file that defines it."
    )
}

/// The same for a function that another file, next to the program's, defines.
pub fn defined_elsewhere(function: &str, file: &str, other: &str) -> String {
    format!(
        "{function}() is declared here and defined in {other}, but {file} does not include that, and a program is one file \
         here, with what it includes. Add #include \"{other}\" to {file}."
    )
}

/// Returns the message for a kernel that calls a host function of the C or C++ library.
pub fn host_function_in_kernel(function: &str) -> String {
    let instead = match function {
        "rand" | "srand" | "random" | "srandom" | "drand48" | "srand48" => {
            "its state belongs to the host program. In a kernel each thread computes random numbers of its own, for \
             example from a hash of its index and a count"
        }
        "exit" | "abort" | "_Exit" | "_exit" => {
            "a kernel's thread ends with return, and __trap() ends the whole kernel with an error"
        }
        _ => "std::cout, strings and files are for host code; printf works in kernels",
    };
    format!("a kernel calls the host function {function}(): {instead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_can_do_instead_is_named() {
        for (function, says) in
            [("rand", "random numbers of its own"), ("exit", "__trap()"), ("fopen", "files")]
        {
            assert!(host_function_in_kernel(function).contains(says), "{function}");
        }
    }
}
