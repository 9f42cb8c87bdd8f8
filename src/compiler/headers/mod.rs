//! Our own headers, for names that the compiler expects to find on a system and does not bring:
//! the device's part of the C library, and of `cuda_runtime.h`; for whole programs, all of the C
//! library, C++'s and the CUDA runtime. They come before NVIDIA's.

// Made by the build script: `PROGRAM_HEADERS`, of every file below `programs`, sorted by name.
include!(concat!(env!("OUT_DIR"), "/program_headers.rs"));

/// Read before every kernel's source.
const PRELUDE: &str = "gpulearn/prelude.h";
/// The same for kernels and for programs.
const FLOAT: &str = include_str!("programs/c/float.h");
/// Read before every program's source.
const PROGRAM_PRELUDE: &str = "gpulearn/program.h";

const HEADERS: &[(&str, &str)] = &[
    (PRELUDE, include_str!("prelude.h")),
    ("assert.h", include_str!("assert.h")),
    ("cassert", include_str!("assert.h")),
    ("cfloat", FLOAT),
    ("climits", include_str!("limits.h")),
    ("cmath", include_str!("cmath")),
    ("cstddef", include_str!("cstddef")),
    ("cstdint", include_str!("cstdint")),
    ("cstdio", include_str!("cstdio")),
    ("cstdlib", include_str!("cstdlib")),
    ("cstring", include_str!("cstring")),
    ("cuda_runtime.h", include_str!("cuda_runtime.h")),
    ("cuda_runtime_api.h", include_str!("cuda_runtime.h")),
    ("device_launch_parameters.h", include_str!("cuda_runtime.h")),
    ("float.h", FLOAT),
    ("limits.h", include_str!("limits.h")),
    ("math.h", include_str!("math.h")),
    ("stddef.h", include_str!("stddef.h")),
    ("stdint.h", include_str!("stdint.h")),
    ("stdio.h", include_str!("stdio.h")),
    ("stdlib.h", include_str!("stdlib.h")),
    ("string.h", include_str!("string.h")),
];

/// The headers of whole programs: name and text.
pub fn program_headers() -> impl Iterator<Item = (&'static str, &'static str)> {
    Ours::Programs.all()
}

/// Which of our headers a source is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ours {
    /// What kernels alone include.
    Kernels,
    /// What whole programs include.
    Programs,
}

impl Ours {
    /// Those of whole programs, or of kernels alone.
    pub fn of(program: bool) -> Ours {
        if program { Ours::Programs } else { Ours::Kernels }
    }

    /// The header that is read before every source.
    pub fn prelude(self) -> &'static str {
        match self {
            Ours::Kernels => PRELUDE,
            Ours::Programs => PROGRAM_PRELUDE,
        }
    }

    /// The text of a header.
    pub fn text(self, name: &str) -> Option<&'static str> {
        match self {
            Ours::Kernels => HEADERS.iter().find(|(known, _)| *known == name),
            Ours::Programs => {
                let at = PROGRAM_HEADERS.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
                PROGRAM_HEADERS.get(at)
            }
        }
        .map(|(_, text)| *text)
    }

    /// All of them, by name.
    pub fn all(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        match self {
            Ours::Kernels => HEADERS,
            Ours::Programs => PROGRAM_HEADERS,
        }
        .iter()
        .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_name_is_there_once_and_says_once() {
        for ours in [Ours::Kernels, Ours::Programs] {
            let mut names = HashSet::new();
            for (name, text) in ours.all() {
                assert!(names.insert(name), "{name} twice");
                // assert.h means what NDEBUG says each time it is included.
                let again = matches!(name, "assert.h" | "cassert");
                assert!(again || text.contains("#pragma once") || text.contains("#error"), "{name}");
                assert_eq!(ours.text(name), Some(text));
            }
            assert!(ours.text(ours.prelude()).is_some());
            assert!(ours.text("stdint.h").is_some_and(|text| text.contains("uint32_t")));
            assert!(ours.text("stdint").is_none());
        }
    }
}
