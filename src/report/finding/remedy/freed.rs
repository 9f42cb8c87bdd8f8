//! Remedies for memory that is used, or freed, after it was freed.

use super::super::operation::is_reset;
use crate::about::About;
use crate::finding::place::own_line;
use cpp::Family;
use sim::{Access, Act, Actor, CallPurpose, Finding, FindingKind, Operation, Place};

/// Returns the remedy that follows from how the memory was freed.
pub fn by_whom(finding: &Finding, about: &About) -> Option<String> {
    freed_on_the_host(finding)
        .or_else(|| after_reset(finding, about))
        .or_else(|| copied_object(finding, about))
        .or_else(|| freed_by_a_member(finding, about))
        .or_else(|| used_by_the_host(finding))
}

/// Returns what to do where a copy is given memory of the host that was freed.
fn freed_on_the_host(finding: &Finding) -> Option<String> {
    let Actor::Operation(Operation { act: Act::Accesses { place: Place::FreedByHost { .. }, .. }, .. }) =
        &finding.at.actor
    else {
        return None;
    };
    Some("Call free() or delete after the last use: this call comes behind it.".into())
}

/// Returns what to do where host code uses memory of CUDA's that was freed.
fn used_by_the_host(finding: &Finding) -> Option<String> {
    (finding.kind == FindingKind::UseAfterFree && finding.at.actor == Actor::Host).then(|| {
        "Free the memory after its last use. And if cudaMalloc() allocated it, host code reaches it only by copies: \
         cudaMemcpy() into host memory, before it is freed."
            .into()
    })
}

/// Returns what to do where memory is freed after the reset of its GPU.
fn after_reset(finding: &Finding, about: &About) -> Option<String> {
    let reset = finding.other.as_ref()?;
    let Actor::Operation(Operation { act: Act::FreedFirst { by, .. }, .. }) = &reset.actor else {
        return None;
    };
    let line = own_line(reset, about).filter(|_| is_reset(by))?;
    let again = own_line(&finding.at, about)?;
    let is_called =
        about.source.destructor_around(again).is_none() && about.source.names_on(again, Family::Free);
    Some(match is_called {
        true => format!("Free it before {by}() of line {line}, or leave that call out."),
        false => format!(
            "A destructor frees it, which runs after {by}() of line {line}: leave that call out, for a program that ends \
             needs none, or let the scope of the object end before it."
        ),
    })
}

/// Returns what to ask where memory that is used or freed again was freed by a destructor.
fn copied_object(finding: &Finding, about: &About) -> Option<String> {
    let destructor = |side: &Access| about.source.destructor_around(own_line(side, about)?);
    let class = destructor(finding.other.as_ref()?)?;
    let asked = match destructor(&finding.at).as_ref() == Some(&class) {
        true => format!(
            "The destructor of `{class}` frees it both times. Was the object copied, for example passed by value or \
             moved by a container that grows, so that each copy frees the same memory?"
        ),
        false => format!(
            "The destructor of `{class}` freed it first. Did the object end before this use of its pointer? Or was it \
             copied, for example passed by value, so that each copy frees the same memory?"
        ),
    };
    Some(format!("{asked} Then pass it by reference, and delete its copy constructor and copy assignment."))
}

/// Returns what to do where a line frees memory through an object, as where a container grows.
fn freed_by_a_member(finding: &Finding, about: &About) -> Option<String> {
    let freed = finding.other.as_ref()?;
    let line = own_line(freed, about)?;
    let Actor::Operation(Operation { act: Act::Freed { by, .. }, .. }) = &freed.actor else { return None };
    let is_by_member = about.source.code_line(line).contains(['.', '>']);
    (by.purpose() == Some(CallPurpose::Frees) && is_by_member && !about.source.names_on(line, Family::Free)).then(|| {
        format!(
            "What line {line} calls frees the memory, as a container does that grows: take the pointer again after that \
             line, or call it before the pointer is taken."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{access, remedy_for};
    use super::*;
    use sim::{AccessKind, Request, Target};

    #[test]
    fn memory_of_the_host_is_used_by_no_kernel() {
        let act = Act::Accesses { writes: false, place: Place::FreedByHost { pointer: Some("text".into()) } };
        let at = Access::by(Actor::Operation(act.into()), None);
        let remedy = remedy_for(FindingKind::UseAfterFree, at, None, "");
        assert!(remedy.starts_with("Call free() or delete after"), "{remedy}");
    }

    #[test]
    fn a_destructor_that_frees_twice_is_told_from_one_that_freed_too_early() {
        let source =
            "struct A { int *p;\n~A() {\ncudaFree(p);\n}\n};\nint main() {\nA a, b = a;\nuse(a.p);\n}\n";
        let tell = |line, kind| {
            let at = access(AccessKind::Write, 0, line, Target::None);
            let other = access(AccessKind::Write, 0, 3, Target::None);
            remedy_for(kind, at, Some(other), source)
        };
        let twice = tell(3, FindingKind::DoubleFree);
        assert!(twice.starts_with("The destructor of `A` frees it both times."), "{twice}");
        let early = tell(8, FindingKind::UseAfterFree);
        assert!(early.starts_with("The destructor of `A` freed it first."), "{early}");
    }

    #[test]
    fn what_host_code_uses_after_cuda_freed_it_may_be_device_memory() {
        let at = Access { actor: Actor::Host, ..access(AccessKind::Read, 0, 1, Target::None) };
        let text = remedy_for(FindingKind::UseAfterFree, at, None, "x = d[0];\n");
        assert!(text.contains("only by copies"), "{text}");
    }

    #[test]
    fn what_is_freed_after_a_reset_is_told_by_whom() {
        let call = |name: &str, line, act| {
            let request = Request::Call(name.into());
            let actor = Actor::Operation(Operation { request, act });
            Access { actor, ..access(AccessKind::Write, 0, line, Target::None) }
        };
        let tell = |source: &str, again| {
            let by = Request::Call("cudaDeviceReset".into());
            let reset = call("cudaDeviceReset", 2, Act::FreedFirst { memory: "p".into(), by });
            remedy_for(
                FindingKind::DoubleFree,
                call("cudaFree", again, Act::FreesAgain { pointer: None }),
                Some(reset),
                source,
            )
        };
        let called = tell("int main() {\ncudaDeviceReset();\ncudaFree(p);\n}\n", 3);
        assert!(called.starts_with("Free it before cudaDeviceReset() of line 2"), "{called}");
        let object = "int main() {\ncudaDeviceReset();\n}\nstruct A { int *p;\n~A() {\ncudaFree(p);\n}\n};\n";
        for again in [2, 6] {
            let text = tell(object, again);
            assert!(text.starts_with("A destructor frees it"), "{text}");
        }
    }
}
