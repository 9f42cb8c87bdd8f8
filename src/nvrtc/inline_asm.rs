//! What `asm` statements hold: the compiler copies it into the PTX as it stands, and only the assembler
//! reads it.

use super::{CompileError, Compiler, Diagnostic, Request, Severity};
use anyhow::Result;

/// Before each of them in the PTX.
const MARK: &str = "// begin inline asm";

impl Compiler {
    /// Of a request whose `ptx` can't be understood at line `line` of the source: what the assembler has to
    /// say against the `asm` in it. `None` where it takes it, or where there is none.
    ///
    /// # Errors
    ///
    /// The compiler can't be run.
    pub fn refused_asm(
        &self,
        request: &Request,
        ptx: &str,
        line: Option<u32>,
    ) -> Result<Option<Vec<Diagnostic>>> {
        if !ptx.contains(MARK) {
            return Ok(None);
        }
        let mut said = match self.compile(&Request { resources: true, ..*request }) {
            Err(CompileError::Rejected(said)) => said,
            Err(CompileError::Environment(error)) => return Err(error),
            Ok(_) | Err(CompileError::Limit(_)) => return Ok(None),
        };
        for diagnostic in said.iter_mut().filter(|d| d.severity == Severity::Error && d.line == 0) {
            diagnostic.line = line.unwrap_or(0);
            diagnostic.message = format!("what asm holds is no PTX: {}", diagnostic.message);
        }
        Ok(Some(said))
    }
}
