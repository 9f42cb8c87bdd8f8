//! Searches the files next to a program for a function that the program only declares.

use super::super::source_text::{name_of, read_source};
use cpp::Source;
use std::path::Path;

/// Most files that are read.
const MAX_FILES: usize = 64;

/// Returns the name of a file in the program's folder, other than the program itself, that defines a function.
pub fn file_that_defines(function: &str, program: &Path) -> Option<String> {
    const KINDS: [&str; 7] = ["cu", "cuh", "c", "cc", "cpp", "h", "hpp"];
    let folder = program.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten();
    let is_source = |path: &Path| {
        let kind = path.extension().and_then(|kind| kind.to_str());
        kind.is_some_and(|kind| KINDS.contains(&kind)) && path.file_name() != program.file_name()
    };
    let mut paths: Vec<_> = files.map(|entry| entry.path()).filter(|path| is_source(path)).collect();
    paths.sort();
    let names =
        paths.iter().take(MAX_FILES).map(|path| (path, name_of(path.file_name().unwrap_or_default())));
    names
        .filter_map(|(path, name)| Some((read_source(path, &name).ok()?.ok()?, name)))
        .find(|(text, _)| defines(&Source::new(text), function))
        .map(|(_, name)| name)
}

fn defines(source: &Source, function: &str) -> bool {
    let functions = source.functions().unwrap_or_default();
    functions.iter().any(|its| its.body.is_some() && source.name_of(its) == function)
}
