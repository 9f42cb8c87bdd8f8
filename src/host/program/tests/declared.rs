//! The functions that the headers of programs declare and leave to this tool to implement.
//!
//! The headers themselves are in `headers/programs` of the `compiler` crate, in the folders `c`, `cpp` and
//! `cuda`; each file has the name that programs include it by.

use std::collections::BTreeMap;

/// Returns the functions that the headers declare and do not define, each with the first header that declares
/// it. A program that calls one reaches this tool under that name.
pub fn declared_functions() -> BTreeMap<&'static str, &'static str> {
    let mut found = BTreeMap::new();
    for (header, text) in compiler::program_headers() {
        for name in declarations(text) {
            found.entry(name).or_insert(header);
        }
    }
    found
}

/// Returns the names of functions that a text declares `extern "C"`, without those that it defines.
pub fn declarations(text: &str) -> Vec<&str> {
    const OPENS: &str = "extern \"C\"";
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(OPENS) {
        rest = after;
        let (block, after) = match after.trim_start().strip_prefix('{') {
            Some(inside) => inside.split_at(matching_brace(inside)),
            None => match after.find([';', '{']) {
                Some(end) if after[end..].starts_with(';') => after.split_at(end + 1),
                _ => continue,
            },
        };
        rest = after;
        // Nesting depth of braces: statements in the body of a function are no declarations.
        let mut depth = 0usize;
        for statement in block.split_inclusive([';', '{', '}']) {
            if depth == 0 && statement.ends_with(';') {
                found.extend(function_name(statement));
            }
            match statement.as_bytes().last() {
                Some(b'{') => depth += 1,
                Some(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    found
}

/// Returns the offset in `inside` of the brace that closes the block it begins in.
fn matching_brace(inside: &str) -> usize {
    let mut depth = 1;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    inside.len()
}

/// Returns the name before the first parenthesis of a declaration.
fn function_name(statement: &str) -> Option<&str> {
    // Skips comments and directives on lines before the declaration.
    let code = |line: &&str| !line.trim_start().starts_with("//") && !line.trim_start().starts_with('#');
    let first = statement.lines().filter(code).find(|line| line.contains('('))?;
    let first = first.split("//").next()?;
    // A name that a macro pastes together is not in the text.
    if first.trim_start().starts_with("typedef") || first.contains("##") {
        return None;
    }
    let first = first.strip_prefix("__attribute__((noreturn))").unwrap_or(first);
    let before = first.split('(').next()?.trim_end();
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let name = before.get(start..)?;
    (!name.is_empty() && start > 0).then_some(name)
}
