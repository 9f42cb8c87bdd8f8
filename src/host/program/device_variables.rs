//! Host code that uses a variable of the device by its name where the compiler left no access that a run could meet:
//! it reads the initial value in place of the variable, and puts a trap where constant memory is written.

use super::compiled_program::Program;
use cpp::{Source, Space, VariableUse};
use sim::{Access, AccessKind, Actor, Evidence, Finding, FindingKind, SourceLocation, Target};

/// Replaces the finding of a trap in a function that writes to constant memory.
pub fn instead_of_trap(program: &Program, found: &mut Finding) {
    let Some(line) = found.at.location.as_ref().map(|at| at.line) else { return };
    if found.kind != FindingKind::HostTrap {
        return;
    }
    let source = Source::new(program.source.text());
    let uses = source.device_variable_uses();
    let mut causes = uses.iter().filter(|its| {
        let its_line = source.tokens().line(its.token);
        its.is_constant && its.is_write && its.space == Space::Host && source.in_one_function(line, its_line)
    });
    if let Some(its) = causes.next() {
        *found = finding(program, &source, its);
        // Of several, another may be the one that was reached.
        found.evidence.extend(causes.next().map(|_| Evidence::SourceAlone));
    }
}

/// Returns one finding for each variable that host code uses and that has none yet.
pub fn unseen_uses(program: &Program, known: &[Finding]) -> Vec<Finding> {
    let source = Source::new(program.source.text());
    let is_known = |name: &str, found: &[Finding]| {
        let is_of = |its: &Finding| its.at.target.name() == Some(name);
        found.iter().any(|its| its.kind == FindingKind::HostDeviceVariable && is_of(its))
    };
    let mut found: Vec<Finding> = Vec::new();
    for its in source.device_variable_uses().iter().filter(|its| its.space == Space::Host) {
        if !is_known(&its.name, known) && !is_known(&its.name, &found) {
            let evidence = vec![Evidence::SourceAlone];
            found.push(Finding { evidence, ..finding(program, &source, its) });
        }
    }
    found
}

fn finding(program: &Program, source: &Source, its: &VariableUse) -> Finding {
    let (line, column) = source.place_of(its.token);
    let location = SourceLocation { file: program.source.file().into(), line, column };
    let mut variables = program.module.variables().iter();
    let size_bytes =
        variables.find(|variable| *variable.name == *its.name).map_or(0, |variable| variable.bytes);
    let target = Target::Buffer { name: its.name.as_str().into(), size_bytes, offset_bytes: 0 };
    let kind = if its.is_write { AccessKind::Write } else { AccessKind::Read };
    let by = Access::by(Actor::Host, Some(location));
    let at = Access { kind, target, bytes: u32::try_from(size_bytes).unwrap_or_default(), ..by };
    Finding::new(FindingKind::HostDeviceVariable, at)
}
