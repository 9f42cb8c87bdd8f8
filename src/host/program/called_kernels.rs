//! Finds kernels that are called like functions, where the source text does not show it. nvcc refuses this;
//! NVRTC compiles the call as an ordinary one, and often inlines it.

use compiler::{Diagnostic, kernel_called};
use cpp::source_name;
use sim::{Module, SourceLocation};
use std::collections::HashMap;

/// Returns one error for each such kernel, in the file `file_name` if the location of the call is not known.
pub fn called_kernels(module: &Module, ptx: &str, file_name: &str) -> Vec<Diagnostic> {
    let mut found: Vec<(&str, Option<SourceLocation>)> =
        module.called_kernels().into_iter().map(|(name, at)| (name, at.cloned())).collect();
    let kernels = module.kernels();
    let compiled = in_place(ptx);
    found.extend(kernels.iter().filter_map(|name| Some((name.as_str(), Some(compiled.get(name)?.clone())))));
    found.dedup_by(|a, b| a.0 == b.0);
    let describe = |(symbol, at): (&str, Option<SourceLocation>)| {
        let (file, place) = at.as_ref().map_or((file_name, (0, 0)), |at| (&*at.file, (at.line, at.column)));
        let (subject, said) = kernel_called(source_name(symbol));
        Diagnostic::error(file, place, said).about(subject)
    };
    found.into_iter().map(describe).collect()
}

/// Returns the inlined functions, by their names in the PTX, each with the location of its first inlined
/// call. Read from `.loc 1 2 17, function_name $L__info_string2, inlined_at 1 3 25`, where the label precedes
/// the bytes of the function's name.
fn in_place(ptx: &str) -> HashMap<String, SourceLocation> {
    let mut labels: HashMap<&str, &str> = HashMap::new();
    let mut files: HashMap<&str, &str> = HashMap::new();
    let mut names: HashMap<&str, Vec<u8>> = HashMap::new();
    let mut label = "";
    for line in ptx.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix(".loc") {
            let name =
                rest.split_once("function_name ").and_then(|(_, rest)| rest.split_once(", inlined_at "));
            labels.extend(name.filter(|(name, _)| !labels.contains_key(name)));
        } else if let Some((number, name)) =
            line.strip_prefix(".file").and_then(|rest| rest.trim().split_once(' '))
        {
            files.insert(number, name.trim_matches('"'));
        } else if line.starts_with("$L__info_string") {
            label = line.trim_end_matches(':');
        } else if let Some(bytes) = line.strip_prefix(".b8 ").filter(|_| !label.is_empty()) {
            let bytes =
                bytes.split(',').filter_map(|byte| byte.trim().parse::<u8>().ok()).filter(|byte| *byte != 0);
            names.entry(label).or_default().extend(bytes);
        }
    }
    let place = |at: &str| {
        let mut parts = at.split_whitespace();
        let file = files.get(parts.next()?).copied().unwrap_or_default();
        Some(SourceLocation {
            file: file.into(),
            line: parts.next()?.parse().ok()?,
            column: parts.next()?.parse().ok()?,
        })
    };
    let found = labels
        .iter()
        .filter_map(|(label, at)| Some((String::from_utf8(names.get(label)?.clone()).ok()?, place(at)?)));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_in_place_is_known_by_its_name_and_first_call() {
        let ptx = "\t.file\t1 \"a.cu\"\n\t.loc\t1 2 17, function_name $L__info_string0, inlined_at 1 3 25\n\
                   \t.loc\t1 2 18, function_name $L__info_string0, inlined_at 1 9 9\n\t.loc\t1 9 1\n\
                   \t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,90,51,97,100,100,80,105,0\n\n\t}\n";
        let found = in_place(ptx);
        let at = SourceLocation { file: "a.cu".into(), line: 3, column: 25 };
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [("_Z3addPi".to_owned(), at)]);
        for odd in ["", ".loc", ".loc 1 2 3, function_name x", "$L__info_string0:\n.b8 x", ".file"] {
            assert!(in_place(odd).is_empty(), "{odd:?}");
        }
    }
}
