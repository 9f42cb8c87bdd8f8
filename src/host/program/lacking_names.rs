//! Names that CUDA and the C++ library have and the headers here lack: a program that uses one may well be right.

use compiler::{Diagnostic, Message, MessageKind, Severity};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A line states the reason, and the indented lines after it list the names.
const TABLE: &str = include_str!("lacking_names.txt");

fn reasons() -> &'static HashMap<&'static str, &'static str> {
    static BY_NAME: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    BY_NAME.get_or_init(|| {
        let (mut found, mut why) = (HashMap::new(), "");
        for line in TABLE.lines() {
            match line.starts_with(' ') {
                true => found.extend(line.split_whitespace().map(|name| (name, why))),
                false => why = line,
            }
        }
        found
    })
}

const COUNTER: &str = "__COUNTER__";

fn names_counter(quoted: &[&str]) -> bool {
    quoted.iter().any(|name| name.ends_with(COUNTER))
}

/// Returns the first error that is about such a name, with the name and the reason.
pub fn first(messages: &[Diagnostic]) -> Option<(&Diagnostic, String)> {
    let errors = messages.iter().filter(|said| said.severity == Severity::Error);
    errors.into_iter().find_map(|said| {
        let Message { kind, quoted, .. } = Message::of(&said.message);
        // Undefined, it becomes part of a name.
        if let Some((name, why)) = reasons().get_key_value(COUNTER).filter(|_| names_counter(&quoted)) {
            return Some((said, format!("{name}: {why}")));
        }
        let name = match (kind, quoted.as_slice()) {
            (MessageKind::UndefinedName, [name, ..]) => (*name).to_owned(),
            (MessageKind::NoMemberOfNamespace, [namespace, name, ..]) => format!("{namespace}::{name}"),
            (MessageKind::NoMember, [class, name, ..]) => {
                format!("{}::{name}", class.split('<').next().unwrap_or(class))
            }
            _ => return None,
        };
        let why = reasons().get(name.as_str())?;
        Some((said, format!("{name}: {why}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::tests::declared::declared_functions;

    #[test]
    fn the_names_are_those_of_no_header_here() {
        assert!(reasons().len() > 900, "{}", reasons().len());
        assert!(reasons().values().all(|why| !why.is_empty()));
        let declared = declared_functions();
        let had: Vec<&&str> = reasons().keys().filter(|name| declared.contains_key(**name)).collect();
        assert!(had.is_empty(), "{had:?}");
        let of_thrust = compiler::program_headers().filter(|(name, _)| name.starts_with("thrust/"));
        let of_thrust: Vec<_> = of_thrust.map(|(_, text)| cpp::Source::new(text)).collect();
        let has = |name: &&&str| of_thrust.iter().any(|header| header.names(**name));
        let lacking: Vec<&str> = reasons().keys().filter_map(|name| name.strip_prefix("thrust::")).collect();
        let had: Vec<&&str> = lacking.iter().filter(has).collect();
        assert!(lacking.len() > 50 && had.is_empty(), "{had:?}");
    }

    #[test]
    fn an_error_about_such_a_name_is_found() {
        let said = |message: &str| Diagnostic::error("a.cu", (3, 1), message);
        let name = |message: &str| first(&[said("expected a \";\""), said(message)]).map(|(_, what)| what);
        let what = name("identifier \"cuModuleUnload\" is undefined").unwrap();
        assert!(what.starts_with("cuModuleUnload: the driver API"), "{what}");
        let what = name("identifier \"cublasStrsmBatched\" is undefined").unwrap();
        assert!(what.starts_with("cublasStrsmBatched: this part of cuBLAS"), "{what}");
        let what = name("namespace \"std\" has no member \"wcout\"").unwrap();
        assert!(what.starts_with("std::wcout: "), "{what}");
        let what =
            name("variable \"timer__COUNTER__\" has already been defined (previous definition at line 5)");
        assert!(what.unwrap().starts_with("__COUNTER__: "));
        let what = name("class \"std::set<int, std::less<int>>\" has no member \"extract\"").unwrap();
        assert!(what.starts_with("std::set::extract: this member"), "{what}");
        assert_eq!(name("class \"own::set<int>\" has no member \"extract\""), None);
        assert_eq!(name("identifier \"cuModuleUnlaod\" is undefined"), None);
        assert_eq!(name("namespace \"own\" has no member \"wcout\""), None);
        assert_eq!(name("\"cuModuleUnload\" has already been defined"), None);
        let what = name("namespace \"thrust\" has no member \"inclusive_scan_by_key\"").unwrap();
        assert!(what.starts_with("thrust::inclusive_scan_by_key: Thrust here lacks it"), "{what}");
        assert_eq!(name("namespace \"thrust\" has no member \"sort\""), None);
    }
}
