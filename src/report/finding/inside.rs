//! A finding inside a function, told where a kernel calls it.

use super::defect::same_file;
use crate::report::about::About;
use crate::sim::{Code, Finding};

const CALLED: &str = "Called from line ";

/// A barrier of a function that only some threads call: the call is what is wrong.
pub fn at_its_call(finding: &Finding, about: &About) -> Finding {
    let mut told = finding.clone();
    let Some(at) = told.at.location.as_mut().filter(|at| same_file(&at.file, about.file)) else {
        return told;
    };
    let call =
        finding.notes.iter().find_map(|note| note.strip_prefix(CALLED)?.trim_end_matches('.').parse().ok());
    let (Some(line), Code::DivergentBarrier) = (call, finding.code) else { return told };
    let inside = at.line;
    if about.source.kernel_lines(line).is_none() || about.source.kernel_lines(inside).is_some() {
        return told;
    }
    (at.line, at.column) = (line, 0);
    told.notes.retain(|note| !note.starts_with(CALLED));
    let name = about.source.function_around(inside);
    told.notes.extend(name.map(|name| format!("The barrier is in line {inside}, in {name}().")));
    told
}

/// What to do about the call of a function with a barrier that stands in a branch.
pub fn call_in_branch(finding: &Finding, about: &About) -> Option<String> {
    let line = finding.at.location.as_ref()?.line;
    let note = finding.notes.iter().find(|note| note.starts_with("The barrier is in line "))?;
    let function = note.rsplit_once(", in ")?.1.trim_end_matches('.');
    let branch = about.source.branch_of_threads(line)?;
    Some(format!(
        "All threads of the block must call {function}, since it has a barrier: take the call out of the `if` of line {}.",
        branch.head
    ))
}
