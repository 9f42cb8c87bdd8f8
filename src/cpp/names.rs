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

/// Returns the last component of an encoded name, which in a mangled name follows `_Z`: `map` for `3mapPfS_` and for
/// `N3foo3mapIfEEvPT_`. `None` if it is not such a name.
pub fn base_name(encoded: &str) -> Option<&str> {
    components(encoded)?.last().map(|component| component.name)
}

fn demangled(mangled: &str) -> Option<String> {
    let written = |component: &Component| {
        // The name of an anonymous namespace in GCC and NVRTC.
        let is_anonymous = component.name.starts_with("_GLOBAL__N_");
        let name = if is_anonymous { "(anonymous)" } else { component.name };
        format!("{name}{}", if component.is_template { "<…>" } else { "" })
    };
    let all = components(mangled.strip_prefix("_Z")?)?;
    (!all.is_empty()).then(|| all.iter().map(written).collect::<Vec<_>>().join("::"))
}

/// A part of a name, and whether template arguments follow it.
struct Component<'a> {
    name: &'a str,
    is_template: bool,
}

/// Returns the components of an encoded name.
fn components(encoded: &str) -> Option<Vec<Component<'_>>> {
    let (nested, mut rest) = encoded.strip_prefix('N').map_or((false, encoded), |rest| (true, rest));
    let mut all: Vec<Component> = Vec::new();
    loop {
        if nested {
            // Qualifiers of member functions.
            rest = rest.trim_start_matches(['K', 'V', 'r']);
        }
        // Internal linkage.
        rest = rest.trim_start_matches('L');
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        let (name, after) = counted_name(rest)?;
        let is_template = after.starts_with('I');
        all.push(Component { name, is_template });
        rest = if is_template { after_arguments(after)? } else { after };
        if !nested {
            break;
        }
    }
    Some(all)
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
            ("_ZL5scalePf", "scale"),
            ("_ZN12_GLOBAL__N_15scaleEPf", "(anonymous)::scale"),
        ] {
            assert_eq!(source_name(mangled), written);
        }
    }

    #[test]
    fn the_last_component_is_the_function() {
        for (encoded, base) in [
            ("3mapPfS_", Some("map")),
            ("4tmapIfEvPT_i", Some("tmap")),
            ("N3foo3mapEPf", Some("map")),
            ("N3foo3mapIfEEvPT_", Some("map")),
            ("N12_GLOBAL__N_14anonEPi", Some("anon")),
            ("L4statPi", Some("stat")),
            ("N3map", Some("map")),
            ("", None),
            ("99999999999999999999999map", None),
            ("3é", None),
            ("N3foo3barIfE3mapEv", Some("map")),
            ("NK3foo3mapEv", Some("map")),
            ("N18cooperative_groups12thread_blockE", Some("thread_block")),
            ("cvT_", None),
            ("9add", None),
        ] {
            assert_eq!(base_name(encoded), base, "{encoded}");
        }
    }
}
