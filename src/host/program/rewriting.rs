//! Rewrites parts of a program's text so that NVRTC accepts what nvcc accepts, and so that mistakes show which it would
//! hide. `exceptions` (with `handlers`), `thread_locals`, `compound_literals`, `statement_expressions`, `frames`,
//! `local_arrays` and part of `initialisers` apply before the program is compiled; the rest of `initialisers`, and
//! `variable_arrays`, apply where the compiler refused it, and `divisions` where it warned. Lines stay where they are.

use super::edits::{Edit, Rewrite, edited};
use super::{
    compound_literals, divisions, exceptions, frames, handlers, initialisers, local_arrays,
    statement_expressions, thread_locals, variable_arrays,
};
use compiler::{Diagnostic, Request, Severity, Subject};
use cpp::Include;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Something that cannot be rewritten, and where it is.
#[derive(Debug)]
pub struct UnsupportedConstruct {
    pub what: &'static str,
    pub file: String,
    pub line: u32,
}

/// A program's source and its own headers, as they are to be compiled.
pub struct RewrittenSources<'a> {
    file_name: &'a str,
    pub source: Cow<'a, str>,
    headers: Vec<(&'a str, Cow<'a, str>)>,
    /// Number of functions that construct variables before `main`.
    initialisers: usize,
    /// Whether handlers run where something is thrown.
    pub runs_handlers: bool,
}

impl<'a> RewrittenSources<'a> {
    /// `runs_handlers`: whether handlers that can are to run where something is thrown.
    pub fn of(request: &Request<'a>, runs_handlers: bool) -> RewrittenSources<'a> {
        let mut all = request.headers.iter().map(|(_, text)| *text).chain([request.source]);
        let runs_handlers = runs_handlers && request.source.contains("catch") && all.all(handlers::may_run);
        let passes: [fn(&str) -> Option<String>; 5] = [
            thread_locals::rewritten,
            compound_literals::rewritten,
            statement_expressions::rewritten,
            frames::rewritten,
            local_arrays::rewritten,
        ];
        let rewritten = |text| {
            let first = exceptions::rewritten(text, runs_handlers).map_or(Cow::Borrowed(text), Cow::Owned);
            passes.iter().fold(first, |text, pass| pass(&text).map_or(text, Cow::Owned))
        };
        let headers = request.headers.iter().map(|&(name, text)| (name, rewritten(text))).collect();
        let source = rewritten(request.source);
        let file_name = request.file_name;
        let mut texts = RewrittenSources { file_name, source, headers, initialisers: 0, runs_handlers };
        let all = texts.headers.iter_mut().map(|(_, text)| text).chain([&mut texts.source]);
        for text in all.filter(|text| text.contains("static")) {
            let edits = initialisers::missing_constructions(&cpp::Source::new(text), texts.initialisers);
            texts.initialisers += edits.len();
            if let Some(edited) = edited(text, edits) {
                *text = Cow::Owned(edited);
            }
        }
        texts
    }

    /// Returns whether a text includes one of these headers.
    pub fn include_any(&self, names: &[&str]) -> bool {
        let texts = || self.headers.iter().map(|(_, text)| text).chain([&self.source]);
        texts()
            .flat_map(|text| Include::all(text))
            .any(|(_, its)| !its.is_quoted && names.contains(&its.header))
    }

    pub fn headers(&self) -> Vec<(&str, &str)> {
        self.headers.iter().map(|(name, text)| (*name, &**text)).collect()
    }

    /// Returns the text of a file, by its name.
    fn file<'t>(&'t mut self, name: &str) -> Option<&'t mut Cow<'a, str>> {
        match name == self.file_name {
            true => Some(&mut self.source),
            false => self.headers.iter_mut().find(|(known, _)| *known == name).map(|(_, text)| text),
        }
    }

    /// Rewrites what the compiler refuses and nvcc accepts. Returns whether there was anything to rewrite. If
    /// there are other errors, nothing is rewritten, and the messages about what could be are removed: they
    /// are not the program's mistakes.
    ///
    /// # Errors
    ///
    /// A refused construct has a form that is not handled here.
    pub fn rewrite(&mut self, messages: &mut Vec<Diagnostic>) -> Result<bool, UnsupportedConstruct> {
        // A message about rewritten text is no mistake of the program's.
        let of_written = |said: &Diagnostic| {
            let names = initialisers::NAMES.map(|name| (name, initialisers::UNSUPPORTED)).into_iter();
            let mut names = names.chain([(variable_arrays::NAME, variable_arrays::UNSUPPORTED)]);
            names.find(|(name, _)| said.names().any(|its| its.starts_with(name))).map(|(_, what)| what)
        };
        if let Some((said, what)) = messages.iter().find_map(|said| Some((said, of_written(said)?))) {
            return Err(UnsupportedConstruct { what, file: said.file.clone(), line: said.line });
        }
        let mut found: Vec<(UnsupportedConstruct, Vec<Edit>)> = Vec::new();
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
            let source = self.file(&said.file).map(|text| cpp::Source::new(text));
            let (what, written) = match (&said.subject, &source) {
                (Some(Subject::DynamicInitialisation), Some(source)) => {
                    (initialisers::UNSUPPORTED, initialisers::written(source, place, initialisers))
                }
                (Some(Subject::NotConstant), Some(source)) => {
                    (variable_arrays::UNSUPPORTED, variable_arrays::written(source, place))
                }
                _ => ("", Rewrite::Keep),
            };
            is_kept = written == Rewrite::Keep;
            let lacking = || UnsupportedConstruct { what, file: said.file.clone(), line: said.line };
            match written {
                Rewrite::Edits(edits) => {
                    initialisers += usize::from(what == initialisers::UNSUPPORTED);
                    found.push((lacking(), edits));
                }
                Rewrite::Unhandled => unread = unread.or_else(|| Some(lacking())),
                Rewrite::Keep => others.push(said),
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

    /// Keeps the divisions by zero of which the compiler warned. Returns whether there are any.
    pub fn keep_divisions(&mut self, messages: &[Diagnostic]) -> bool {
        let mut changed = false;
        let files: BTreeSet<&str> = messages.iter().map(|said| said.file.as_str()).collect();
        for file in files {
            let Some(text) = self.file(file) else { continue };
            let source = cpp::Source::new(text);
            let warnings = messages.iter().filter(|said| said.file == file && divisions::is_by_zero(said));
            let mut edits: Vec<Edit> =
                warnings.flat_map(|said| divisions::edits(&source, (said.line, said.column))).collect();
            // Several warnings may be about one macro.
            edits.sort_by_key(|(range, _)| range.start);
            edits.dedup();
            if let Some(edited) = edited(text, edits) {
                *text = Cow::Owned(edited);
                changed = true;
            }
        }
        changed
    }

    /// Applies the edits to their files.
    ///
    /// # Errors
    ///
    /// Two edits of a file overlap; the error is the entry of one of its edits.
    fn apply(
        &mut self,
        mut found: Vec<(UnsupportedConstruct, Vec<Edit>)>,
    ) -> Result<(), UnsupportedConstruct> {
        while let Some((lacking, mut edits)) = found.pop() {
            edits.extend(found.extract_if(.., |(its, _)| its.file == lacking.file).flat_map(|(_, its)| its));
            let Some(text) = self.file(&lacking.file) else { continue };
            *text = Cow::Owned(edited(text, edits).ok_or(lacking)?);
        }
        Ok(())
    }
}
