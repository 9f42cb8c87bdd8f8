//! What of a program's text is written otherwise, so that NVRTC takes what nvcc takes: `exceptions` before it is compiled,
//! `initialisers` and `variable_arrays` where it was refused. Lines stay where they are.

use super::{exceptions, initialisers, variable_arrays};
use compiler::{Diagnostic, Request, Severity};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// Bytes of a text, and what stands in their place.
pub type Edit = (Range<usize>, String);

/// How what the compiler refuses is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    Instead(Vec<Edit>),
    /// As it is: the compiler is right.
    AsItIs,
    /// It is none that is read here.
    Unread,
}

/// What cannot be written otherwise, and where it is.
#[derive(Debug)]
pub struct Lacking {
    pub what: &'static str,
    pub file: String,
    pub line: u32,
}

/// A program's source and its own headers, as they are to be compiled.
pub struct Texts<'a> {
    file_name: &'a str,
    pub source: Cow<'a, str>,
    headers: Vec<(&'a str, Cow<'a, str>)>,
    /// Functions that make values of variables before `main`.
    initialisers: usize,
}

/// The edits of one file.
struct FileEdits {
    file: String,
    line: u32,
    what: &'static str,
    edits: Vec<Edit>,
}

impl<'a> Texts<'a> {
    pub fn of(request: &Request<'a>) -> Texts<'a> {
        let rewritten = |text| exceptions::rewritten(text).map_or(Cow::Borrowed(text), Cow::Owned);
        let headers = request.headers.iter().map(|&(name, text)| (name, rewritten(text))).collect();
        let source = rewritten(request.source);
        Texts { file_name: request.file_name, source, headers, initialisers: 0 }
    }

    pub fn headers(&self) -> Vec<(&str, &str)> {
        self.headers.iter().map(|(name, text)| (*name, &**text)).collect()
    }

    /// The text of a file, by its name.
    fn file<'t>(&'t mut self, name: &str) -> Option<&'t mut Cow<'a, str>> {
        match name == self.file_name {
            true => Some(&mut self.source),
            false => self.headers.iter_mut().find(|(known, _)| *known == name).map(|(_, text)| text),
        }
    }

    /// Writes otherwise what the compiler refuses and nvcc does not; whether there was any. Where there are other errors,
    /// the messages about it go: they are none of the program's.
    ///
    /// # Errors
    /// There is some that is not read here.
    pub fn rewrite(&mut self, messages: &mut Vec<Diagnostic>) -> Result<bool, Lacking> {
        // What is said of what was written is no mistake of the program's.
        let of_written = |said: &Diagnostic| {
            let names = initialisers::NAMES.map(|name| (name, initialisers::LACKING)).into_iter();
            let mut names = names.chain([(variable_arrays::NAME, variable_arrays::LACKING)]);
            names.find(|(name, _)| said.message.contains(name)).map(|(_, what)| what)
        };
        if let Some((said, what)) = messages.iter().find_map(|said| Some((said, of_written(said)?))) {
            return Err(Lacking { what, file: said.file.clone(), line: said.line });
        }
        let mut found: Vec<FileEdits> = Vec::new();
        let mut unread = None;
        let mut initialisers = self.initialisers;
        let mut others = Vec::new();
        let mut is_kept = true;
        for said in std::mem::take(messages) {
            // A note belongs to the message before it.
            if said.severity == Severity::Note {
                others.extend(is_kept.then_some(said));
                continue;
            }
            let place = (said.line, said.column);
            let text = self.file(&said.file);
            let (what, written) = match text {
                Some(text) if initialisers::is_refused(&said) => {
                    let written = initialisers::written(&cpp::Source::new(text), place, initialisers);
                    (initialisers::LACKING, written)
                }
                Some(text) if variable_arrays::is_refused(&said) => {
                    (variable_arrays::LACKING, variable_arrays::written(&cpp::Source::new(text), place))
                }
                _ => ("", Written::AsItIs),
            };
            is_kept = written == Written::AsItIs;
            match written {
                Written::Instead(edits) => {
                    initialisers += usize::from(what == initialisers::LACKING);
                    found.push(FileEdits { file: said.file, line: said.line, what, edits });
                }
                Written::Unread => {
                    unread = unread.or(Some(Lacking { what, file: said.file, line: said.line }));
                }
                Written::AsItIs => others.push(said),
            }
        }
        *messages = others;
        if messages.iter().any(|said| said.severity == Severity::Error) {
            return Ok(false);
        }
        if let Some(lacking) = unread {
            return Err(lacking);
        }
        self.initialisers = initialisers;
        let changed = !found.is_empty();
        self.apply(found)?;
        Ok(changed)
    }

    /// From the last to the first, so that places stay what they are.
    fn apply(&mut self, mut found: Vec<FileEdits>) -> Result<(), Lacking> {
        while let Some(first) = found.pop() {
            let (same, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|its| its.file == first.file);
            found = others;
            let lacking = Lacking { what: first.what, file: first.file.clone(), line: first.line };
            let mut edits: Vec<Edit> =
                same.into_iter().flat_map(|its| its.edits).chain(first.edits).collect();
            edits.sort_by_key(|(range, _)| (Reverse(range.start), Reverse(range.end)));
            if edits.windows(2).any(|two| two[1].0.end > two[0].0.start) {
                return Err(lacking);
            }
            let Some(text) = self.file(&first.file) else { continue };
            for (range, written) in edits {
                text.to_mut().replace_range(range, &written);
            }
        }
        Ok(())
    }
}
