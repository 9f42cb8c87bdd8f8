//! Our own headers, for names that the compiler expects to find on a system and does not bring:
//! the device's part of the C library, and of `cuda_runtime.h`. They come before NVIDIA's.

/// Read before every source.
pub const PRELUDE: &str = "gpulearn/prelude.h";

const HEADERS: &[(&str, &str)] = &[
    (PRELUDE, include_str!("headers/prelude.h")),
    ("assert.h", include_str!("headers/assert.h")),
    ("cassert", include_str!("headers/assert.h")),
    ("cfloat", include_str!("headers/float.h")),
    ("climits", include_str!("headers/limits.h")),
    ("cmath", include_str!("headers/cmath")),
    ("cstddef", include_str!("headers/cstddef")),
    ("cstdint", include_str!("headers/cstdint")),
    ("cstdio", include_str!("headers/cstdio")),
    ("cstdlib", include_str!("headers/cstdlib")),
    ("cstring", include_str!("headers/cstring")),
    ("cuda_runtime.h", include_str!("headers/cuda_runtime.h")),
    ("cuda_runtime_api.h", include_str!("headers/cuda_runtime.h")),
    ("device_launch_parameters.h", include_str!("headers/cuda_runtime.h")),
    ("float.h", include_str!("headers/float.h")),
    ("limits.h", include_str!("headers/limits.h")),
    ("math.h", include_str!("headers/math.h")),
    ("stddef.h", include_str!("headers/stddef.h")),
    ("stdint.h", include_str!("headers/stdint.h")),
    ("stdio.h", include_str!("headers/stdio.h")),
    ("stdlib.h", include_str!("headers/stdlib.h")),
    ("string.h", include_str!("headers/string.h")),
];

/// The text of one of our headers.
pub fn text(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// All of them, by name.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    HEADERS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_name_is_there_once_and_says_once() {
        let mut names = HashSet::new();
        for (name, text) in all() {
            assert!(names.insert(name), "{name} twice");
            assert!(text.contains("#pragma once"), "{name}");
        }
        assert!(text("stdint.h").is_some_and(|text| text.contains("uint32_t")));
        assert!(text("stdint").is_none());
    }
}
