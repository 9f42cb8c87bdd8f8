//! Functions that are called and that no code defines.

use super::libc;
use cpp::source_name;

/// Whose fault that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The program's: a function of its own in C++.
    Program,
    /// The program's: a kernel calls what the C library has for host code.
    HostOnly,
    /// Nobody's: a function of a library that is not here.
    Library,
}

/// Namespaces of libraries, as mangled names begin with them (Itanium C++ ABI, 5.1).
const LIBRARIES: [&str; 7] =
    ["_ZSt", "_ZNSt", "_ZNKSt", "_ZN4cuda", "_ZN6thrust", "_ZN3cub", "_ZN18cooperative_groups"];

/// Whose fault it is that nothing defines the function of this name in PTX.
///
/// A name of C may be that of any library that a linker would be given; one of C++ has the types of its
/// parameters in it, and is the program's own unless it is in a namespace of a library.
pub fn fault(name: &str) -> Fault {
    if libc::row(name).is_some() {
        Fault::HostOnly
    } else if name.starts_with("_Z") && !LIBRARIES.iter().any(|library| name.starts_with(library)) {
        Fault::Program
    } else {
        Fault::Library
    }
}

/// What is lacking where a library would define the function of this name in PTX.
pub fn lacking(name: &str) -> String {
    format!("{}(), which is declared and which no library here defines", source_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_in_cpp_is_the_programs_unless_a_library_declares_it() {
        assert_eq!(fault("_Z5scalef"), Fault::Program);
        assert_eq!(fault("_ZN5shape5scaleEf"), Fault::Program);
        assert_eq!(fault("_ZNSt6vectorIiE7missingEv"), Fault::Library);
        assert_eq!(fault("dgemm_"), Fault::Library);
        assert_eq!(fault("strlen"), Fault::HostOnly);
    }
}
