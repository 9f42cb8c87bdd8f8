//! That every function which the headers of programs declare has a row.

pub mod declared;

use super::libc;
use declared::{declarations, declared_functions};

#[test]
fn declarations_are_found_and_definitions_are_not() {
    let text = "extern \"C\" int one(int a);\nint no(int);\nextern \"C\" {\n// two(x);\nvoid *two();\n\
                static inline int three(int a) { return four(a); }\nconst char *five(int (*f)(int),\n  int);\n\
                typedef int (*six)(int);\n#define SEVEN(x) x\n[[noreturn]] void eight(void); // nine(x);\n}\nint ten();\n";
    assert_eq!(declarations(text), ["one", "two", "five", "eight"]);
    for text in ["", "extern \"C\"", "extern \"C\" {", "extern \"C\" { ; }", "extern \"C\" int f"] {
        assert!(declarations(text).is_empty(), "{text:?}");
    }
}

#[test]
fn the_table_is_that_of_the_headers() {
    let declared = declared_functions();
    assert!(declared.len() > 400, "{}", declared.len());
    for (name, header) in [
        ("cudaMalloc", "cuda_runtime_api.h"),
        ("cudaProfilerStart", "cuda_profiler_api.h"),
        ("fprintf", "stdio.h"),
        ("__errno_location", "errno.h"),
        ("exit", "stdlib.h"),
    ] {
        assert_eq!(declared.get(name), Some(&header), "{name}");
    }
}

/// The library is complete: every function that a C or C++ header declares has a row, and there are no
/// other rows.
#[test]
fn every_function_of_the_library_has_a_row() {
    /// Functions that the compiler declares itself.
    const BUILT_IN: [&str; 5] =
        ["__assertfail", "__cuda_syscall_aligned_malloc", "free", "malloc", "vprintf"];
    let ours: Vec<&str> = declared_functions()
        .into_iter()
        .filter(|(_, header)| header_of_library(header))
        .map(|(name, _)| name)
        .collect();
    let missing: Vec<&&str> = ours.iter().filter(|name| libc::row(name).is_none()).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    for row in libc::rows() {
        assert!(ours.contains(&row.name) || BUILT_IN.contains(&row.name), "{} is not declared", row.name);
        assert!(libc::row(row.name).is_some_and(|found| std::ptr::eq(found, row)), "{} twice", row.name);
    }
}

fn header_of_library(header: &str) -> bool {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/headers/programs");
    ["c", "cpp"].iter().any(|kind| folder.join(kind).join(header).is_file())
}
