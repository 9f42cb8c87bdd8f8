//! Against values that nobody stored.

use crate::report::about::About;
use crate::report::finding::defect::same_file;
use crate::sim::{Access, Target};

/// An element of a buffer that was read.
pub fn unset(at: &Access, about: &About) -> Option<String> {
    let Target::Buffer { name, .. } = &at.target else { return None };
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let line = about.source.line(location.line)?;
    Some(match line.contains(&format!("{name}[")) && line.contains("+=") {
        true => format!(
            "`{name}` holds nothing before the first launch: store a value (=) before anything is added to it (+=)."
        ),
        false if about.program => format!(
            "Nothing has stored this element of `{name}`, and cudaMalloc() does not clear memory: store it first, by \
             a kernel, a copy or cudaMemset()."
        ),
        false => format!(
            "Nothing has stored this element of `{name}`: which thread should have, and in which launch?"
        ),
    })
}

/// For a sum of matrices that nothing filled.
pub fn unfilled(at: &Access, about: &About) -> Option<String> {
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let line = about.source.line(location.line)?;
    ["mma_sync(", "store_matrix_sync("].iter().any(|call| line.contains(call)).then(|| {
        "Fill the fragment before the first mma_sync(), on every way that leads here, as in \
         wmma::fill_fragment(sum, 0.0f)."
            .into()
    })
}
