//! Compiles kernels: of a submission, and of a lesson's own files.

use super::backend::Kernels;
use super::lesson_cache::LessonCache;
use super::no_result::NoResult;
use super::verdict::Failure;
use crate::course::{AuthorError, Lesson};
use anyhow::Result;
use compiler::{CompileError, Compiled, Compiler, Request, host_variables, misplaced_calls};
use std::sync::Arc;

impl Lesson {
    /// Returns the request to compile a file of kernels for this lesson.
    pub fn request<'r>(&self, source: &'r str, file_name: &'r str) -> Request<'r> {
        let capability = self.spec.compute_capability;
        Request::new(source, file_name, (capability.major, capability.minor))
    }
}

pub(super) fn compile(request: &Request, compiler: &Compiler) -> Result<Compiled, CompileError> {
    let Request { source, file_name, .. } = *request;
    let compiled = compiler.compile(request)?;
    let variables = host_variables(|| Some(&compiled.ptx), source, file_name);
    let misplaced = [misplaced_calls(source, file_name), variables].concat();
    if misplaced.is_empty() { Ok(compiled) } else { Err(CompileError::Rejected(misplaced)) }
}

/// Parses the kernels of a source that compiled.
pub(super) fn kernels(request: &Request, ptx: &str, compiler: &Compiler) -> Result<Kernels, NoResult> {
    // The assembler refuses the inline assembly, so no GPU would run it even if the simulator could.
    if let Some(said) = compiler.refused_asm(request, ptx)? {
        return Err(Failure::Compile(said).into());
    }
    Ok(Kernels::parse(ptx, Some(request.source))?)
}

/// Compiles one of the lesson's own files.
pub(super) fn compile_own(lesson: &Lesson, source: &str, file: &str, compiler: &Compiler) -> Result<Kernels> {
    match compile(&lesson.request(source, file), compiler) {
        Ok(compiled) => {
            let kernels = Kernels::parse(&compiled.ptx, Some(source));
            kernels.map_err(|error| AuthorError::new(file, error.to_string()).into())
        }
        Err(CompileError::Rejected(diagnostics)) => {
            let first = diagnostics.first();
            let (line, message) =
                first.map_or((0, String::new()), |first| (first.line, first.with_notes(&first.notes)));
            Err(AuthorError::new(file, format!("does not compile: line {line}: {message}")).into())
        }
        Err(CompileError::Limit(limit)) => Err(AuthorError::new(file, limit).into()),
        Err(CompileError::Environment(error)) => Err(error),
    }
}

/// Compiles a lesson's `reference.cu`; `None` if it has none.
pub(super) fn compile_reference(
    lesson: &Lesson,
    compiler: &Compiler,
    cache: &LessonCache,
) -> Result<Option<Arc<Kernels>>> {
    let (source, file) = (lesson.reference_source.as_deref(), lesson.reference_path());
    let compiled = |source| cache.kernels.get(file.clone(), || compile_own(lesson, source, &file, compiler));
    source.map(compiled).transpose()
}
