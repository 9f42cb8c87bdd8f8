//! Writes a run as a page.

use super::{Result, output_files};
use report::json;
use std::path::Path;

/// Maximum number of recorded steps of the block on the page.
pub const MAX_STEPS: usize = 100_000;

/// Writes a run as a page, or as JSON if the file is named `.json`.
///
/// # Errors
/// The file can't be written.
pub fn write(path: &Path, document: &view::Document) -> Result<()> {
    let is_data = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let text = match is_data {
        true => json::to_line(&json::Tagged::new("gpulearn.view/1", document)),
        false => view::page(document),
    };
    output_files::write(path, text.as_bytes())
}
