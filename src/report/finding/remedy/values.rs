//! Against values that nobody stored.

use crate::about::About;
use crate::finding::defect::same_file;
use cpp::{is_name_char, names};
use sim::{Access, AccessKind, Finding, Target};

/// An element of a buffer that was read.
pub fn unset(at: &Access, about: &About) -> Option<String> {
    if let (Target::Shared { name, .. }, AccessKind::Atomic) = (&at.target, at.kind) {
        return Some(format!(
            "Shared memory does not begin as zeros: let the threads set `{name}` first, and then __syncthreads()."
        ));
    }
    if let Target::Shared { name, .. } = &at.target
        && !is_stored(about, name)
    {
        return Some(format!(
            "Nothing in the file stores to `{name}`: fill it first, and then __syncthreads()."
        ));
    }
    if let Target::Shared { name, .. } = &at.target {
        return Some(format!(
            "Should this thread read that element of `{name}` here? If so, a thread has to store it before, with \
             __syncthreads() between the two. If not, look at the index and at the conditions."
        ));
    }
    let Target::Buffer { name, .. } = &at.target else { return None };
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let line = about.source.line(location.line)?;
    Some(match is_added_to(line, name) {
        true => format!(
            "`{name}` holds nothing before the first launch: store a value (=) before anything is added to it (+=)."
        ),
        false if about.program => format!(
            "Nothing has stored this element of `{name}`, and cudaMalloc() does not clear memory. Should this thread \
             read it here? If so, store it first, by a kernel, a copy or cudaMemset(). If not, look at the index."
        ),
        false => format!(
            "Nothing has stored this element of `{name}`. Should this thread read it here? If so, which thread should \
             have stored it, and in which launch? If not, look at the index."
        ),
    })
}

/// Whether a line has `name[…] += …`.
fn is_added_to(line: &str, name: &str) -> bool {
    let mut places = line.match_indices(name).map(|(at, _)| (&line[..at], &line[at + name.len()..]));
    places
        .any(|(before, behind)| !before.ends_with(is_name_char) && behind_subscript(behind).starts_with("+="))
}

/// Of what a copy from the host brought.
pub const COPIED_UNSET: &str =
    "Give the host's memory its values before it is copied: malloc() and new do not clear it.";

/// What host code read that nobody had written.
pub fn unset_by_host(finding: &Finding) -> &'static str {
    match (&finding.other, &finding.at.target) {
        (Some(_), _) => {
            "No kernel has stored all that is copied: look at how many blocks and threads were launched, and at the \
             condition that guards the store."
        }
        (None, Target::Host { .. }) => {
            "Give the variable a value where it is declared, or before it is read."
        }
        (None, _) => {
            "Give it a value first: no memory is cleared when it is allocated. Where a copy should have filled it, \
             look at its bytes: n * sizeof(element)."
        }
    }
}

/// Whether some statement of the file may store to a shared array.
fn is_stored(about: &About, name: &str) -> bool {
    let code = about.source.code();
    let mut places = code.match_indices(name).map(|(at, _)| (&code[..at], &code[at + name.len()..]));
    places.any(|(before, behind)| {
        let whole = !before.ends_with(is_name_char) && !behind.starts_with(is_name_char);
        let declared = before.rsplit([';', '{', '}']).next().is_some_and(|head| head.contains("__shared__"));
        // As an argument it may be stored to elsewhere.
        let rest = behind.trim_start();
        let element = rest.starts_with('[') && !stores(rest);
        whole && !declared && !element
    })
}

/// What stands behind the brackets that a text begins with.
fn behind_subscript(rest: &str) -> &str {
    let mut depth = 0usize;
    let end = rest.char_indices().find(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *c == ']' && !rest[at + 1..].trim_start().starts_with('[')
    });
    end.map_or("", |(at, _)| rest[at + 1..].trim_start())
}

/// Whether what stands behind an array's name are brackets and then an assignment.
fn stores(rest: &str) -> bool {
    let behind = behind_subscript(rest);
    let assigned = behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    assigned.starts_with('=') && !assigned.starts_with("==")
        || behind.starts_with("++")
        || behind.starts_with("--")
}

/// For a trap that the compiler put in the place of an atomic operation on an array of the thread's own.
pub fn trapped(at: &Access, about: &About) -> Option<String> {
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    if about.source.code_line(location.line).contains("memcpy_async") {
        return Some(
            "An asynchronous copy takes 4, 8 or 16 bytes; for other sizes CUDA's header has a trap.".into(),
        );
    }
    let mut lines = about.source.kernel_lines(location.line)?;
    let own = about.source.private_arrays();
    let atomic_on = |line: u32| {
        let (_, call) = about.source.code_line(line).split_once("atomic")?;
        own.iter().find(|array| names(call).any(|word| word == array.name)).map(|array| (line, array))
    };
    let (line, array) = lines.find_map(atomic_on)?;
    Some(format!(
        "Atomic operations work on shared and global memory, and `{}` of line {}, which line {line} gives to one, is \
         each thread's own: is __shared__ missing where it is declared?",
        array.name, array.line
    ))
}

/// For a sum of matrices that nothing filled.
pub fn unfilled(at: &Access, about: &About) -> Option<String> {
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let line = about.source.line(location.line)?;
    let filled = about.source.code().contains("fill_fragment");
    ["mma_sync(", "store_matrix_sync("].iter().any(|call| line.contains(call)).then(|| match filled {
        true => "One of its fragments has no value here: load a tile before it is multiplied, leave the product out \
                 where there is no tile, and fill the sum on every way that leads here."
            .into(),
        false => "Fill the fragment before the first mma_sync(), on every way that leads here, as in \
         wmma::fill_fragment(sum, 0.0f)."
            .into(),
    })
}
