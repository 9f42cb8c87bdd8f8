//! Compilation by another process on behalf of a sandboxed one: the question and the answer.

use super::{CompileError, Compiled, Compiler, Diagnostic, Request, wire};
use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The connection to the process that compiles: sends it a question and returns its answer.
pub type Ask = dyn Fn(&[u8]) -> Result<Vec<u8>> + Send + Sync;

#[derive(Clone)]
pub(super) struct Remote(pub Arc<Ask>);

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remote")
    }
}

/// A [`Request`] as it is read: the same fields in the same order. Without any reference to this machine's files: the
/// choice of compiler, its headers and its limits remain with the process that answers.
#[derive(Deserialize)]
struct OwnedRequest {
    source: String,
    file_name: String,
    compute_capability: (u32, u32),
    headers: Vec<(String, String)>,
    options: Vec<String>,
    resources: bool,
    program: bool,
    host: bool,
    unoptimised: bool,
    kernels_only: bool,
}

#[derive(Serialize, Deserialize)]
enum Response {
    Compiled(Compiled),
    Rejected(Vec<Diagnostic>),
    Limit(String),
    Environment(String),
}

impl Remote {
    /// Returns what the other process answers.
    ///
    /// # Errors
    ///
    /// Fails as [`Compiler::compile`](super::Compiler::compile) does, or if no answer arrives.
    pub fn compile(&self, request: &Request) -> Result<Compiled, CompileError> {
        let answer = wire::encode(request)
            .map_err(anyhow::Error::from)
            .and_then(|question| (self.0)(&question))
            .and_then(|answer| Ok(wire::decode(answer.as_slice())?));
        match answer.map_err(CompileError::Environment)? {
            Response::Compiled(compiled) => Ok(compiled),
            Response::Rejected(diagnostics) => Err(CompileError::Rejected(diagnostics)),
            Response::Limit(limit) => Err(CompileError::Limit(limit)),
            Response::Environment(why) => Err(CompileError::Environment(anyhow!(why))),
        }
    }
}

impl Compiler {
    /// Answers a question of a [`Compiler::asking`] in another process.
    ///
    /// # Errors
    ///
    /// Fails if the question cannot be decoded.
    pub fn answer(&self, question: &[u8]) -> Result<Vec<u8>> {
        let request: OwnedRequest = wire::decode(question)?;
        let headers: Vec<(&str, &str)> =
            request.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let options: Vec<&str> = request.options.iter().map(String::as_str).collect();
        let result = self.compile(&Request {
            source: &request.source,
            file_name: &request.file_name,
            compute_capability: request.compute_capability,
            headers: &headers,
            options: &options,
            resources: request.resources,
            program: request.program,
            host: request.host,
            unoptimised: request.unoptimised,
            kernels_only: request.kernels_only,
        });
        Ok(wire::encode(&match result {
            Ok(compiled) => Response::Compiled(compiled),
            Err(CompileError::Rejected(diagnostics)) => Response::Rejected(diagnostics),
            Err(CompileError::Limit(limit)) => Response::Limit(limit),
            Err(CompileError::Environment(error)) => Response::Environment(format!("{error:#}")),
        })?)
    }
}
