//! The keys of lesson.toml: which names are allowed, and what is wrong with them.

use super::KeyError;

#[derive(Default)]
pub(super) struct KeyErrors(pub(super) Vec<KeyError>);

impl KeyErrors {
    /// Records `message` unless `right` holds.
    pub(super) fn unless(&mut self, right: bool, key: impl Into<String>, message: impl Into<String>) {
        if !right {
            self.0.push(KeyError { key: key.into(), message: message.into() });
        }
    }
}

/// Returns whether the name is a C identifier.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether the name consists of lower-case words and numbers joined by `-`.
pub fn is_slug(name: &str) -> bool {
    !name.is_empty()
        && name.split('-').all(|word| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
}
