//! Fences and atomic operations whose scope is one block, between threads of different blocks.

use super::in_function::lines_of_kernel;
use super::place::own_line;
use crate::about::About;
use crate::layout::listed;
use cpp::{Family, names};
use sim::{BlockScope, Evidence, Finding};
use std::collections::BTreeMap;

/// Returns what the scope of one block means for the two sides of a finding, where it is what they lack.
pub fn too_narrow(finding: &Finding, about: &About) -> Option<String> {
    let scope = scope_of(finding)?;
    let used = used(finding, about, scope);
    let (what, does) = match scope {
        BlockScope::Access => ("An atomic access here", "makes an access atomic"),
        BlockScope::Between => ("A fence or an atomic access between the two", "puts accesses in order"),
    };
    let what = match listed_by_name(&used) {
        named if named.is_empty() => format!("{what} has"),
        named if used.len() == 1 => format!("{named} has"),
        named => format!("{named} have"),
    };
    Some(format!(
        "{what} the scope of one block. That {does} for the threads of one block alone, and these two threads are of \
         different blocks."
    ))
}

/// Returns what to write in place of a scope that is too narrow.
pub fn remedy(finding: &Finding, about: &About) -> Option<String> {
    let used = used(finding, about, scope_of(finding)?);
    let changes: Vec<String> =
        used.keys().map(|name| format!("{} in place of {}", called(&wide(name)), called(name))).collect();
    Some(match changes.is_empty() {
        true => "Give it the scope of the device, which includes all blocks of the GPU.".into(),
        false => format!(
            "Use the scope of the device, which includes all blocks of the GPU: {}.",
            listed(&changes)
        ),
    })
}

fn scope_of(finding: &Finding) -> Option<BlockScope> {
    finding.evidence.iter().find_map(|evidence| match evidence {
        Evidence::BlockScope(scope) => Some(*scope),
        _ => None,
    })
}

/// Returns the names for the scope of one block that the sides use, or their kernel, and the lines.
fn used<'a>(finding: &Finding, about: &'a About, scope: BlockScope) -> BTreeMap<&'a str, Vec<u32>> {
    let lines: Vec<u32> = match scope {
        BlockScope::Access => finding.sides().filter_map(|access| own_line(access, about)).collect(),
        BlockScope::Between => lines_of_kernel(finding, about).into_iter().flatten().collect(),
    };
    let mut used: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for line in lines {
        for name in names(about.source.code_line(line)).filter(|name| is_of_block_scope(name)) {
            let lines = used.entry(name).or_default();
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    used
}

fn is_of_block_scope(name: &str) -> bool {
    name == "thread_scope_block"
        || name == "__threadfence_block"
        || name.ends_with("_block") && Family::Atomic.has(name)
}

/// Returns the name with device scope.
fn wide(name: &str) -> String {
    let stem = name.strip_suffix("_block").unwrap_or(name);
    if stem == "thread_scope" { "thread_scope_device".into() } else { stem.into() }
}

fn called(name: &str) -> String {
    if name.starts_with("thread_scope") { name.into() } else { format!("{name}()") }
}

/// Lists names with their lines: `atomicAdd_block() in line 3 and __threadfence_block() in lines 4 and 6`.
fn listed_by_name(used: &BTreeMap<&str, Vec<u32>>) -> String {
    let named = used.iter().map(|(name, lines)| {
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        format!("{} in {word} {}", called(name), listed(&lines))
    });
    listed(&named.collect::<Vec<_>>())
}
