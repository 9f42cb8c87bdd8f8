//! The sizes of the common numeric types.

/// A numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberType {
    /// Size in bytes.
    pub bytes: u32,
    pub kind: NumberKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    Integer,
    Float,
    /// bfloat16: 16 bits with an 8-bit exponent.
    Brain,
}

impl NumberType {
    /// Returns the type that the words of a declaration name; `None` where it is not one of the common ones, or where
    /// its size depends on the platform.
    pub fn of(words: &[&str]) -> Option<NumberType> {
        use NumberKind::{Brain, Float, Integer};
        const QUALIFIERS: [&str; 5] = ["const", "volatile", "__restrict__", "__restrict", "restrict"];
        let words: Vec<&str> = words.iter().copied().filter(|word| !QUALIFIERS.contains(word)).collect();
        let known = |bytes, kind| Some(NumberType { bytes, kind });
        match words.as_slice() {
            ["float"] => return known(4, Float),
            ["double"] => return known(8, Float),
            ["half" | "__half"] => return known(2, Float),
            ["nv_bfloat16" | "__nv_bfloat16"] => return known(2, Brain),
            ["bool" | "int8_t" | "uint8_t"] => return known(1, Integer),
            ["int16_t" | "uint16_t"] => return known(2, Integer),
            ["int32_t" | "uint32_t"] => return known(4, Integer),
            ["int64_t" | "uint64_t" | "size_t"] => return known(8, Integer),
            _ => {}
        }
        let count = |word: &str| words.iter().filter(|its| **its == word).count();
        let of_integers = ["signed", "unsigned", "char", "short", "int", "long"];
        if words.is_empty() || !words.iter().all(|word| of_integers.contains(word)) {
            return None;
        }
        match (count("char"), count("short"), count("long")) {
            (1, 0, 0) => known(1, Integer),
            (0, 1, 0) => known(2, Integer),
            (0, 0, 2) => known(8, Integer),
            (0, 0, 0) => known(4, Integer),
            _ => None,
        }
    }
}

/// Returns the size in bytes of a vector type such as `float4`.
pub fn vector_bytes(words: &[&str]) -> Option<u32> {
    let [word] = words else { return None };
    if matches!(*word, "half2" | "__half2" | "nv_bfloat162" | "__nv_bfloat162") {
        return Some(4);
    }
    let count = word.chars().last()?.to_digit(10).filter(|count| (1..=4).contains(count))?;
    let bytes = match &word[..word.len() - 1] {
        "char" | "uchar" => 1,
        "short" | "ushort" => 2,
        "int" | "uint" | "float" => 4,
        "longlong" | "ulonglong" | "double" => 8,
        _ => return None,
    };
    Some(bytes * count)
}
