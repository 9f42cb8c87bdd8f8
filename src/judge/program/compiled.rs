//! Compiled programs, and what their right answers are.

use super::outside::outside;
use crate::course::{CallArguments, Lesson};
use crate::missing::Missing;
use crate::no_result::NoResult;
use crate::signature::{Signature, host_functions, resolve_function};
use crate::value::Values;
use crate::verdict::Failure;
use compiler::{Compiler, Request};
use host::device::Observed;
use host::program::{self, CompileFailure};

/// A compiled program and its host functions.
#[derive(Debug)]
pub struct Compiled {
    pub program: program::Program,
    pub functions: Vec<Signature>,
    pub source: String,
}

/// Compiles a submission with one of the functions that compile a program.
pub(super) fn compile_by(
    compile: fn(&Compiler, &Request) -> Result<program::Program, CompileFailure>,
    request: &Request,
    compiler: &Compiler,
) -> Result<Compiled, NoResult> {
    let Request { source, file_name, .. } = *request;
    let program = compile(compiler, request)?;
    let refused = outside(&program.functions, source, file_name);
    if !refused.is_empty() {
        return Err(Failure::Compile(refused).into());
    }
    let functions = host_functions(&program.functions);
    Ok(Compiled { program, functions, source: source.to_owned() })
}

/// Returns the PTX name of the function of every call.
pub(super) fn symbols(lesson: &Lesson, compiled: &Compiled) -> Result<Vec<String>, Box<Failure>> {
    let symbols = lesson.spec.calls.iter().map(|call| {
        let values: &[_] = match &call.args {
            CallArguments::Values(values) => values,
            CallArguments::Words(_) => return main_of(compiled),
        };
        resolve_function(&lesson.spec, &call.function, values, &compiled.functions, &compiled.source)
            .map_err(|missing| Box::new(Failure::MissingFunction(missing)))
    });
    symbols.collect()
}

fn main_of(compiled: &Compiled) -> Result<String, Box<Failure>> {
    if compiled.program.module.function_address("main").is_some() {
        return Ok("main".into());
    }
    Err(Box::new(Failure::MissingFunction(Missing::main())))
}

/// The right answer of a case.
pub enum ExpectedResult {
    /// The values of each output.
    Values(Vec<Values>),
    /// What `main` should print and return.
    Printed(Printed),
}

/// What the reference's `main` printed and returned.
pub struct Printed {
    pub stdout: String,
    pub code: i32,
    /// What contributed to the modelled times that it measured.
    pub observed: Vec<Observed>,
}
