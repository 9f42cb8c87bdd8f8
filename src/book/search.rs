//! The search index: a script with one entry per page, since a page opened from disk may load a script but no
//! other data.

use crate::page::Page;
use cpp::is_name_char;
use serde_json::json;
use std::collections::BTreeSet;

/// Maximum number of distinct words kept per page.
const MAX_WORDS: usize = 120;

/// Returns the script `const BOOK_INDEX = [[path, title, words], …]`.
pub fn index(pages: &[Page]) -> String {
    let entry = |page: &Page| json!([page.path, page.title, words(&page.keywords)]).to_string();
    let entries: Vec<String> = pages.iter().map(entry).collect();
    format!("const BOOK_INDEX = [\n{}\n];\n", entries.join(",\n"))
}

/// Returns the distinct words of a text with more than two letters, in lower case.
fn words(text: &str) -> String {
    let mut known = BTreeSet::new();
    let words =
        text.split(|c: char| !is_name_char(c) && c != '-').map(|word| word.trim_matches('-').to_lowercase());
    let words = words.filter(|word| word.chars().count() > 2 && known.insert(word.clone()));
    words.take(MAX_WORDS).collect::<Vec<_>>().join(" ")
}
