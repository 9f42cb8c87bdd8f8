//! Checks the contents of `asm` statements: the compiler copies them into the PTX unchanged, and only the
//! assembler examines them.

use super::diagnostics::PTX;
use super::{CompileError, Compiler, Diagnostic, MessageKind, Request};
use anyhow::Result;
use std::collections::BTreeSet;

/// Comments around each `asm` statement in the PTX.
const BEGIN: &str = "// begin inline asm";
const END: &str = "// end inline asm";

impl Compiler {
    /// Returns the assembler's errors in the `asm` statements of a request's source, which was compiled to
    /// `ptx`. `None` if the assembler accepts them or there are none; those in NVIDIA's headers, behind
    /// intrinsics, don't count.
    ///
    /// # Errors
    ///
    /// Fails if the compiler can't be run.
    pub fn refused_asm(&self, request: &Request, ptx: &str) -> Result<Option<Vec<Diagnostic>>> {
        let mut own = std::iter::once(request.source).chain(request.headers.iter().map(|(_, text)| *text));
        if !ptx.contains(BEGIN) || !own.any(|text| text.contains("asm")) {
            return Ok(None);
        }
        let asm = statements(ptx, request.compute_capability);
        if asm.as_ref().is_some_and(|asm| self.has_assembled(asm)) {
            return Ok(None);
        }
        let whole = Request { resources: true, ..*request };
        // Most code is accepted, and an unoptimised compile, in half the time, shows that. For programs,
        // machine code is generated in any case.
        if !request.program && self.compile(&Request { unoptimised: true, ..whole }).is_ok() {
            asm.into_iter().for_each(|asm| self.assembled(asm));
            return Ok(None);
        }
        let said = match self.compile(&whole) {
            Err(CompileError::Rejected(said)) => said,
            Err(CompileError::Environment(error)) => return Err(error),
            Ok(_) => {
                asm.into_iter().for_each(|asm| self.assembled(asm));
                return Ok(None);
            }
            Err(CompileError::Limit(_)) => return Ok(None),
        };
        let placed = said.into_iter().filter(|message| message.file == PTX).filter_map(|message| {
            Some(Diagnostic {
                file: request.file_name.into(),
                line: source_line(ptx, line_of_asm(ptx, message.line, &message.message)?, request.file_name),
                message: format!(
                    "the text of asm is not valid PTX: {}{}",
                    message.message,
                    model(&message.message, request)
                ),
                ..message
            })
        });
        let placed: Vec<Diagnostic> = placed.collect();
        Ok((!placed.is_empty()).then_some(placed))
    }
}

/// Returns which model to run a program on, where the assembler wants a GPU of that architecture.
fn model(message: &str, request: &Request) -> &'static str {
    match request.program && MessageKind::of(message) == MessageKind::NeedsHopper {
        true => ". The option --as h100 models a GPU of that kind",
        false => "",
    }
}

/// Prefixes of the names of registers that the compiler numbers: predicates, and registers of 16, 32, 64 and
/// 128 bits.
const KINDS: [&str; 10] = ["p", "rs", "r", "rd", "rq", "f", "fd", "h", "hh", "b"];

/// Returns the contents of a module's `asm` statements, normalised for an architecture. Whether the assembler
/// accepts a statement depends on its registers' kinds, which are the prefixes of their names, and not on
/// their numbers. `None` if a statement refers to or declares something of its own: a label, a register, a
/// variable.
fn statements(ptx: &str, (major, minor): (u32, u32)) -> Option<BTreeSet<String>> {
    let blocks = ptx.split(BEGIN).skip(1).filter_map(|rest| rest.split(END).next());
    let unnumbered = |block: &str| {
        let mut names = block.split('%');
        let mut out = format!("{major}.{minor} {}", names.next().unwrap_or_default());
        for name in names {
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
            let (name, rest) = name.split_at(end);
            let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
            out.extend(["%", if KINDS.contains(&kind) { kind } else { name }, rest]);
        }
        out
    };
    blocks.map(|block| is_self_contained(block).then(|| unnumbered(block))).collect()
}

/// Returns whether all operands are registers and numbers.
fn is_self_contained(block: &str) -> bool {
    block.split(';').all(|instruction| {
        let mut words = instruction.split_whitespace();
        let opcode = words.by_ref().find(|word| !word.starts_with('@')).unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
        let named =
            |word: &str| word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '.'));
        let mut operands = words.flat_map(|word| {
            word.split(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | '_' | '$' | '.'))
        });
        opcode.chars().all(plain)
            && !opcode.starts_with('.')
            && !operands.any(named)
            && !instruction.contains(':')
    })
}

/// Returns the line of PTX, counted from 1, that comes from an `asm` statement and that a message for line
/// `line` is about; `None` if the message concerns code that the compiler generated. The assembler may have
/// been given only the kernels, with other line numbers; then it is the first line with the word that the
/// message quotes.
fn line_of_asm(ptx: &str, line: u32, message: &str) -> Option<u32> {
    let mut inside = false;
    let numbered = (1..).zip(ptx.lines()).filter(|(_, text)| {
        inside = (inside || text.contains(BEGIN)) && !text.contains(END);
        inside && !text.contains(BEGIN)
    });
    let asm: Vec<(u32, &str)> = numbered.collect();
    let quoted = message.split('\'').nth(1).unwrap_or_default();
    let its = asm.iter().filter(|(_, text)| text.contains(quoted));
    let exact = its.clone().find(|(number, _)| *number == line);
    exact.or(its.clone().next()).map(|(number, _)| *number)
}

/// Returns the source line that line `line` of the PTX comes from; 0 if unknown. PTX has a
/// `.loc file line column` directive before the code of a line, and a `.file number "name"` directive for each
/// file (PTX ISA, "Debugging Directives").
fn source_line(ptx: &str, line: u32, file_name: &str) -> u32 {
    let words = |text: &str, directive: &str| {
        let rest = text.trim_start().strip_prefix(directive)?;
        Some(rest.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    };
    let file = ptx.lines().filter_map(|text| words(text, ".file")).find_map(|words| match &words[..] {
        [number, name, ..] if name.trim_matches([',', '"']).ends_with(file_name) => Some(number.clone()),
        _ => None,
    });
    let before = ptx.lines().take(line as usize).filter_map(|text| words(text, ".loc"));
    let its = before.filter(|words| words.first() == file.as_ref()).last();
    its.and_then(|words| words.get(1)?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_wants_a_newer_gpu_is_told_the_option() {
        let said = "Modifier '.async' requires .target sm_90 or higher";
        let request = |program| Request { program, ..Request::new("", "a.cu", (8, 0)) };
        assert!(model(said, &request(true)).contains("--as h100"));
        assert_eq!((model(said, &request(false)), model("syntax error", &request(true))), ("", ""));
    }

    #[test]
    fn asm_is_told_from_what_the_compiler_made() {
        let ptx = "mov;\n\t// begin inline asm\n\tmow;\n\t// end inline asm\n add;\n\t// begin inline asm\n\tmow; tick;\n";
        for (line, message, found) in [
            (3, "Not a name of any known instruction: 'mow'", Some(3)),
            (7, "Not a name of any known instruction: 'mow'", Some(7)),
            (90, "Not a name of any known instruction: 'tick'", Some(7)),
            (1, "Unexpected 'mov'", None),
            (5, "Unexpected 'add'", None),
        ] {
            assert_eq!(line_of_asm(ptx, line, message), found, "{line} {message}");
        }
    }

    #[test]
    fn statements_differ_by_more_than_the_numbers_of_registers() {
        let ptx = |text: &str| statements(&format!("{BEGIN}\n\t{text}\n\t{END}\nret;"), (8, 0));
        let first = ptx("mma.m8n8 {%f1,%f2}, %r33, 7, %laneid;");
        assert_eq!(first, ptx("mma.m8n8 {%f21,%f2}, %r4, 7, %laneid;"));
        for other in ["mma.m8n8 {%f1,%f2}, %rd33, 7, %laneid;", "mma.m8n8 {%f1,%f2}, %r33, 8, %laneid;"] {
            assert_ne!(first, ptx(other), "{other}");
        }
        assert_ne!(statements(BEGIN, (8, 0)), statements(BEGIN, (9, 0)));
        assert_eq!(statements("mov.u32 %r1, 2;", (8, 0)), Some(BTreeSet::new()));
        // Not a register number: a clock of 32 bits is not one of 64.
        assert_ne!(ptx("mov.u64 %rd1, %clock64;"), ptx("mov.u64 %rd1, %clock;"));
        let taken = ptx(
            "@%p1 mma.sync.row.f32 {%f1, %f2}, {%r3}, [%rd4+16], 0f3F800000, -1; add.u32 %r1, %r2, 0x1f;",
        );
        assert!(taken.is_some());
        for outside in [
            "lab: add.u32 %r1, %r1, 1;",
            "bra lab;",
            "{ .reg .b32 t; mov.b32 t, %r1; }",
            "mov.u32 %r1, table;",
            "ld.shared.u32 %r1, [s+4];",
            "call.uni (%r1), f, (%r2);",
        ] {
            assert_eq!(ptx(outside), None, "{outside}");
        }
    }

    #[test]
    fn lines_of_ptx_lead_to_the_source() {
        let ptx = ".entry k(\n)\n{\n.loc\t1 3 5\nmov.u32 %r1, 1;\n.loc 2 90 1\nadd;\n\t.loc\t1 7 2, function_name $L, \
                   inlined_at 1 9 9\nmow;\n}\n.file\t1 \"/x/k.cu\"\n.file\t2 \"/x/h.h\"\n";
        let line = |line| source_line(ptx, line, "k.cu");
        assert_eq!([line(2), line(5), line(7), line(9), line(900)], [0, 3, 3, 7, 7]);
        assert_eq!(source_line(ptx, 9, "other.cu"), 0);
    }
}
