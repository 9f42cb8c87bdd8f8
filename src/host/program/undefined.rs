//! Classifies functions that are called but defined nowhere.

use super::libc;
use cpp::source_name;

/// The cause of a call of an undefined function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The program's fault: a C++ function of its own that it never defines.
    Program,
    /// The program's fault: a kernel calls a C library function that only host code has.
    HostOnly,
    /// Nobody's fault: a function of a library that is not available here.
    Library,
}

/// Prefixes of mangled names in the namespaces of libraries (Itanium C++ ABI, 5.1).
const LIBRARIES: [&str; 7] =
    ["_ZSt", "_ZNSt", "_ZNKSt", "_ZN4cuda", "_ZN6thrust", "_ZN3cub", "_ZN18cooperative_groups"];

/// Returns the cause of an undefined function, by its name in the PTX.
///
/// A C name may belong to any library that a linker would be given. A C++ name encodes the types of its
/// parameters, and belongs to the program unless it is in a namespace of a library.
pub fn fault(name: &str) -> Fault {
    // Device code has alloca, too.
    if libc::row(name).is_some() && name != "alloca" {
        Fault::HostOnly
    } else if name.starts_with("_Z") && !LIBRARIES.iter().any(|library| name.starts_with(library)) {
        Fault::Program
    } else {
        Fault::Library
    }
}

/// Returns the unsupported feature reported for a function, by its name in the PTX, that a library would
/// define.
pub fn lacking(name: &str) -> String {
    match name {
        "__dynamic_cast" => {
            "dynamic_cast: host code is compiled as device code, without run-time type information".into()
        }
        "printf" => "the address of printf(), which can only be called".into(),
        _ => format!("{}(), which is declared, but which no library here defines", source_name(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_calls_by_itself_has_the_name_of_the_source() {
        assert!(lacking("__dynamic_cast").starts_with("dynamic_cast: "));
        assert!(lacking("printf").starts_with("the address of printf()"));
        assert!(lacking("dgemm_").starts_with("dgemm_(), which is declared"));
    }

    #[test]
    fn a_function_in_cpp_is_the_programs_unless_a_library_declares_it() {
        assert_eq!(fault("_Z5scalef"), Fault::Program);
        assert_eq!(fault("_ZN5shape5scaleEf"), Fault::Program);
        assert_eq!(fault("_ZNSt6vectorIiE7missingEv"), Fault::Library);
        assert_eq!(fault("dgemm_"), Fault::Library);
        assert_eq!((fault("strlen"), fault("alloca")), (Fault::HostOnly, Fault::Library));
    }
}
