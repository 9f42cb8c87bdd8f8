//! Buffers under the names of the kernel that accesses them: what the host calls `d_in` may be `in` there.

use super::defect::launched_in;
use super::element::{is_renamed, is_renamed_in};
use super::operation::quoted;
use super::parameters::{pointer_parameter, pointer_parameter_of};
use super::place::own_line;
use crate::about::About;
use crate::layout::{listed, plural};
use sim::{Access, Actor, Evidence, Finding, MemoryName, Operation, PointerParameter, Request, Target};

/// Returns the finding with the kernel's names and positions for what its lines access, and the context for it.
pub fn in_kernel_names<'a>(finding: &Finding, about: &About<'a>) -> (Finding, About<'a>) {
    let (mut finding, mut about) = (finding.clone(), about.clone());
    let of_kernel = |access: &&Access| matches!(access.actor, Actor::Thread | Actor::SomeThread);
    let other = finding.other.as_ref().filter(of_kernel);
    // Two names for one element would read like two elements.
    let is_one = other.is_none_or(|other| other.parameter == finding.at.parameter);
    for access in [Some(&mut finding.at), finding.other.as_mut()].into_iter().flatten() {
        let Some(own) = own_name(access, &about).filter(|_| is_one) else { continue };
        let Some(its) = access.parameter.clone() else { continue };
        rename(access, &own, &its, &mut about);
        let width = u64::from(access.bytes.max(1));
        finding.evidence.iter_mut().for_each(|fact| move_start(fact, its.offset_bytes, width));
    }
    if let Some((own, its)) = name_of_launch(&finding, &about) {
        for access in [Some(&mut finding.at), finding.other.as_mut()].into_iter().flatten() {
            rename(access, &own, &its, &mut about);
        }
    }
    (finding, about)
}

/// Returns the kernels' name for the memory that the launches of a finding are passed, and that pointer, where no line
/// of the finding has the name under which the memory was allocated. The other side may be the host's own.
fn name_of_launch(finding: &Finding, about: &About) -> Option<(String, PointerParameter)> {
    let is_foreign = |side: &Access| host_name(side).is_some_and(|name| is_renamed(side, name, about));
    if !finding.sides().all(is_foreign) {
        return None;
    }
    let of = |side: &Access| {
        let its = side.parameter.as_ref()?;
        let Actor::Operation(Operation { request: Request::Launch(Some(name)), .. }) = &side.actor else {
            return None;
        };
        let mut named = about.source.kernels().filter(|kernel| about.source.name_of(kernel) == **name);
        let (kernel, None) = (named.next()?, named.next()) else { return None };
        Some((pointer_parameter_of(about.source, kernel, its.index)?, its.clone()))
    };
    let first = finding.sides().find_map(of)?;
    let is_so = |side: &Access| {
        side.actor == Actor::Host
            || of(side).is_some_and(|(name, its)| name == first.0 && is_same(&its, &first.1))
    };
    finding.sides().all(is_so).then_some(first)
}

/// Moves the start from which a fact counts the bytes of the memory.
fn move_start(fact: &mut Evidence, by: u64, width: u64) {
    if let Evidence::WrittenAround { offset_bytes, written, .. } = fact {
        let before = by.saturating_sub(*offset_bytes) / width;
        written.drain(..written.len().min(before as usize));
        *offset_bytes = offset_bytes.saturating_sub(by);
    }
}

/// Returns the kernel's name for the pointer that an access goes through, and the pointer.
fn passed<'f>(access: &'f Access, about: &About) -> Option<(String, &'f PointerParameter)> {
    let its = access.parameter.as_ref()?;
    Some((pointer_parameter(about.source, own_line(access, about)?, its.index)?, its))
}

/// Returns the kernel's name for the memory of an access, if the kernel never changes the pointer of this name.
fn own_name(access: &Access, about: &About) -> Option<String> {
    let (name, its) = passed(access, about)?;
    let is_before = matches!(&access.target, Target::Buffer { offset_bytes, .. }
        if its.offset_bytes > 0 && *offset_bytes < its.offset_bytes as i64);
    let tokens = about.source.tokens();
    let mut body = tokens.of_lines(about.source.kernel_lines(own_line(access, about)?)?);
    let is_changed = body.any(|at| tokens.is(at, name.as_bytes()) && tokens.is_changed(at..at + 1));
    (!is_before && !is_changed).then_some(name)
}

/// Renames the memory of an access, and counts from where the kernel's pointer leads to.
fn rename(access: &mut Access, own: &str, its: &PointerParameter, about: &mut About) {
    let Target::Buffer { name, size_bytes, offset_bytes } = &mut access.target else { return };
    if let Some(bytes) = about.element_bytes.get(&**name) {
        about.element_bytes.insert(own.to_owned(), *bytes);
    }
    *name = own.into();
    *size_bytes -= its.offset_bytes;
    *offset_bytes -= its.offset_bytes as i64;
}

/// Returns the name under which the host allocated the buffer that an access touches.
pub fn host_name(access: &Access) -> Option<&str> {
    let Target::Buffer { name, .. } = &access.target else { return None };
    Some(access.parameter.as_ref().map_or(name, |its| &its.buffer))
}

/// Says what the host calls the memory that a kernel's lines access, if that is not what the kernel calls it.
pub fn called_by_host(finding: &Finding, about: &About) -> Option<String> {
    let mut passed: Vec<_> = finding.sides().filter_map(|side| passed(side, about)).collect();
    passed.dedup();
    let launch = launched_in(finding, about);
    let allocated = |name: &MemoryName| {
        let is_renamed = launch.is_some_and(|line| is_renamed_in(line, name, about));
        let what =
            if is_renamed && matches!(name, MemoryName::Named(_)) { "what was allocated as " } else { "" };
        format!("{what}{}", quoted(name))
    };
    let is = |(own, its): &(String, &PointerParameter)| match its.offset_bytes {
        0 if **own == *its.buffer || its.buffer == MemoryName::Allocated => None,
        0 => Some(format!("`{own}` is {}", allocated(&its.buffer))),
        bytes => Some(format!(
            "`{own}` begins {} after the start of {}",
            plural(bytes, "byte", "bytes"),
            allocated(&its.buffer)
        )),
    };
    let said = match &passed[..] {
        [(one, its), (other, theirs)] if is_same(its, theirs) => {
            let of_host = match &its.buffer {
                MemoryName::Allocated => String::new(),
                name => format!(", {}", quoted(name)),
            };
            format!("`{other}` and `{one}` are the same memory{of_host}")
        }
        all => listed(&all.iter().filter_map(is).collect::<Vec<_>>()),
    };
    (about.program && !said.is_empty()).then(|| format!("In that launch, {said}."))
}

fn is_same(one: &PointerParameter, other: &PointerParameter) -> bool {
    (one.base, one.offset_bytes) == (other.base, other.offset_bytes)
}

/// Returns whether the two sides go through two pointers of the kernel that lead to the same memory.
pub fn is_passed_twice(finding: &Finding) -> bool {
    let of_kernel = |side: &'_ Access| matches!(side.actor, Actor::Thread | Actor::SomeThread);
    let mut sides = finding.sides().filter(|side| of_kernel(side)).map(|side| side.parameter.as_ref());
    let both = sides.next().flatten().zip(sides.next().flatten());
    both.is_some_and(|(one, other)| one.index != other.index && is_same(one, other))
}

#[cfg(test)]
mod tests {
    use super::super::remedy::tests::{access, finding};
    use super::*;
    use cpp::Source;
    use sim::{AccessKind, FindingKind};

    const SOURCE: &str = "__global__ void f(float *in, const float *out) {
    in[i] = out[i];
}
__global__ void g(float *in) {
    in += blockDim.x;
    in[0] = 1;
}
";

    fn side(line: u32, index: u32, offset_bytes: u64) -> Access {
        let target = Target::Buffer { name: "d_in".into(), size_bytes: 64, offset_bytes: 32 };
        let parameter = Some(PointerParameter { index, buffer: "d_in".into(), base: 256, offset_bytes });
        Access { parameter, ..access(AccessKind::Read, 0, line, target) }
    }

    /// Returns what is said of a finding's sides, and of its memory.
    fn renamed(at: Access, other: Option<Access>) -> (Vec<Target>, Option<String>) {
        let source = Source::new(SOURCE);
        let (renamed, about) =
            in_kernel_names(&finding(FindingKind::GlobalRace, at, other), &About::program("a.cu", &source));
        let note = called_by_host(&renamed, &about);
        (std::iter::once(renamed.at).chain(renamed.other).map(|side| side.target).collect(), note)
    }

    #[test]
    fn a_kernel_s_lines_have_its_names() {
        let buffer = |name: &str, size_bytes, offset_bytes| Target::Buffer {
            name: name.into(),
            size_bytes,
            offset_bytes,
        };
        let note = |text: &str| Some(format!("In that launch, {text}."));
        let host = buffer("d_in", 64, 32);
        assert_eq!(renamed(side(2, 0, 0), None), (vec![buffer("in", 64, 32)], note("`in` is `d_in`")));
        let begins = "`out` begins 16 bytes after the start of `d_in`";
        assert_eq!(renamed(side(2, 1, 16), None), (vec![buffer("out", 48, 16)], note(begins)));
        // An element before the one that the pointer leads to.
        assert_eq!(renamed(side(2, 1, 40), None).0, std::slice::from_ref(&host));
        let same = "`out` and `in` are the same memory, `d_in`";
        assert_eq!(
            renamed(side(2, 0, 0), Some(side(2, 1, 0))),
            (vec![host.clone(), host.clone()], note(same))
        );
        assert_eq!(
            renamed(side(2, 0, 0), Some(side(2, 0, 0))).0,
            [buffer("in", 64, 32), buffer("in", 64, 32)]
        );
        let twice = |one, other| is_passed_twice(&finding(FindingKind::GlobalRace, one, Some(other)));
        assert!(twice(side(2, 0, 0), side(2, 1, 0)) && !twice(side(2, 0, 0), side(2, 0, 0)));
        assert!(!twice(side(2, 0, 0), side(2, 1, 16)));
        // The kernel changes the pointer.
        assert_eq!(renamed(side(6, 0, 0), None).0, std::slice::from_ref(&host));
        // Not in a kernel.
        assert_eq!(renamed(side(9, 0, 0), None), (vec![host], None));
    }
}
