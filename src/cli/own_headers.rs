//! A file of the user's own with its headers and with macros set on the command line.

use compiler::{Compiler, OwnSource, Request};
use cpp::Source;
use judge::course::is_identifier;
use report::Files;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Clone, Debug, Default)]
pub struct OwnArgs {
    /// Also search this folder for headers; those next to the file are always found
    #[arg(short = 'I', value_name = "DIR", value_parser = folder)]
    folders: Vec<PathBuf>,
    /// Define a macro, as a #define before the first line would: -D N=1024
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    definitions: Vec<String>,
}

fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("there is no such folder".into()) }
}

/// Turns `NAME`, `NAME=VALUE` or `NAME(A)=VALUE` into a `#define` directive.
fn definition(text: &str) -> Result<String, String> {
    // Without a value it is 1, as with other compilers.
    let (head, value) = text.split_once('=').unwrap_or((text, "1"));
    let name = head.split('(').next().unwrap_or_default();
    match is_identifier(name) && !text.contains(['\n', '\r', '\0']) {
        true => Ok(format!("#define {head} {value}\n")),
        false => Err("write NAME or NAME=VALUE, where a name has letters, digits and _".into()),
    }
}

/// A file as the compiler is to see it.
pub struct OwnHeaders {
    pub source: OwnSource,
    /// `#define` directives.
    definitions: String,
}

/// Name of the header that sets macros. It is included after the headers that precede every program, so that it
/// can't change their names.
const DEFINITIONS: &str = "gpulearn/definitions.h";

impl OwnArgs {
    /// Returns a file's text with its headers.
    pub fn of(&self, compiler: &Compiler, text: &str, path: &Path) -> OwnHeaders {
        cpp::predefine(self.definitions.iter().map(String::as_str));
        OwnHeaders {
            source: compiler.own_headers(text, path, &self.folders),
            definitions: self.definitions.concat(),
        }
    }
}

impl OwnHeaders {
    /// Returns the headers, by name, as sources that can be shown.
    pub fn headers(&self) -> Vec<(String, Source<'_>)> {
        self.source.headers.iter().map(|header| (header.name.clone(), Source::new(&header.text))).collect()
    }

    /// Calls `compile` with a request for the file.
    pub fn request<T>(
        &self,
        files: &Files,
        compute_capability: (u32, u32),
        compile: impl FnOnce(&Request) -> T,
    ) -> T {
        let mut headers: Vec<(&str, &str)> =
            self.source.headers.iter().map(|header| (header.name.as_str(), header.text.as_str())).collect();
        let option = format!("--pre-include={DEFINITIONS}");
        let mut options = Vec::new();
        if !self.definitions.is_empty() {
            headers.push((DEFINITIONS, &self.definitions));
            options.push(option.as_str());
        }
        let request = Request::new(&self.source.text, files.file, compute_capability);
        compile(&Request { headers: &headers, options: &options, ..request })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_has_a_name() {
        for (good, directive) in [
            ("N", "N 1"),
            ("N=8", "N 8"),
            ("_x1=a b", "_x1 a b"),
            ("MAX(a,b)=((a)>(b)?(a):(b))", "MAX(a,b) ((a)>(b)?(a):(b))"),
            ("EMPTY=", "EMPTY "),
        ] {
            assert_eq!(definition(good), Ok(format!("#define {directive}\n")));
        }
        for bad in ["", "=3", "3x", "a b", "N=1\n#include <x>", "-DN"] {
            assert!(definition(bad).is_err(), "{bad:?}");
        }
    }
}
