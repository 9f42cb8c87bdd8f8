//! Demangling: the names of kernels as written in the source.

/// Suffix in PTX of a device symbol whose name the host also uses.
pub const DEVICE: &str = "$device";

/// Returns the source name of a PTX symbol, without parameters: `lib::scale<…>` for `_ZN3lib5scaleIfEEvPT_`.
/// A name in another form is returned unchanged.
///
/// Implements the encoding of the Itanium C++ ABI as far as needed for names of functions.
pub fn source_name(mangled: &str) -> String {
    let mangled = mangled.strip_suffix(DEVICE).unwrap_or(mangled);
    demangled(mangled).unwrap_or_else(|| mangled.to_owned())
}

/// Parses a name preceded by its length, as in mangled names (Itanium C++ ABI, 5.1); returns it and the
/// remaining text.
pub fn counted_name(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (length, after) = text.split_at(digits);
    after.split_at_checked(length.parse().ok()?)
}

fn demangled(mangled: &str) -> Option<String> {
    let rest = mangled.strip_prefix("_Z")?;
    let (nested, mut rest) = rest.strip_prefix('N').map_or((false, rest), |rest| (true, rest));
    let mut parts: Vec<String> = Vec::new();
    loop {
        if nested {
            // Qualifiers of member functions.
            rest = rest.trim_start_matches(['K', 'V', 'r']);
        }
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        let (name, after) = counted_name(rest)?;
        // The name of an anonymous namespace in GCC and NVRTC.
        parts.push(if name.starts_with("_GLOBAL__N_") { "(anonymous)".to_owned() } else { name.to_owned() });
        rest = after;
        if rest.starts_with('I') {
            parts.last_mut()?.push_str("<…>");
            rest = after_arguments(rest)?;
        }
        if !nested {
            break;
        }
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

/// Skips template arguments `I … E`, which may be nested.
fn after_arguments(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut rest = text;
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let (length, after) = rest.split_at(digits);
            // A name, or the digits of a literal that is terminated by `E`.
            rest = after.get(length.parse::<usize>().ok()?..).unwrap_or(after);
            continue;
        }
        let first = rest.chars().next()?;
        rest = &rest[first.len_utf8()..];
        match first {
            'L' => {
                // `Lj16E`: a type and a value.
                let end = rest.find('E')?;
                rest = &rest[end + 1..];
            }
            // `S5_`, `T0_`: something from before, by number.
            'S' | 'T' => {
                let number =
                    rest.bytes().take_while(|c| c.is_ascii_digit() || c.is_ascii_uppercase()).count();
                rest = rest[number..].strip_prefix('_').unwrap_or(rest);
            }
            'I' | 'N' | 'X' | 'J' => depth += 1,
            'E' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(rest);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_they_were_written() {
        for (mangled, written) in [
            ("plain", "plain"),
            ("_Z3addPKfS0_Pfi", "add"),
            ("_Z5spillIfEvPT_i", "spill<…>"),
            ("_ZN3lib5scaleIfEEvPT_", "lib::scale<…>"),
            ("_ZN2ns4tileILi16ELj8EE3runEPf", "ns::tile<…>::run"),
            ("_ZN2ns1fIN2ns1tIiEEEEvT_", "ns::f<…>"),
            ("_ZN2ns1fINS_1tIiEEJPiS1_S5_EEEvT0_", "ns::f<…>"),
            ("_ZN59_INTERNAL_1", "_ZN59_INTERNAL_1"),
            ("_Z", "_Z"),
            ("_Z99999999999999999999x", "_Z99999999999999999999x"),
            ("_ZN1fI", "_ZN1fI"),
        ] {
            assert_eq!(source_name(mangled), written);
        }
    }
}
