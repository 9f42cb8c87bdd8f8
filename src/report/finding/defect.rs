//! A defect found by the simulator, in the learner's terms: who accessed what, and where.

use super::access_words::{actor, sentence, unregisters, verb};
use super::drawing;
use super::element::element;
use super::evidence;
use super::gather::subscripts;
use super::in_function::called_from;
use super::in_place;
use super::operation::{copies_a_vector, operation, passes_a_symbol};
use super::order::{both_write, unordered};
use super::parameter_names;
use super::place::{own_line, own_location, same_file};
use super::scope;
use super::sides::{AccessView, access_view, spot};
use super::unit::{is_of_structs, pointed_bytes};
use super::{FindingClass, FindingSeverity, FindingView, help};
use crate::about::About;
use crate::excerpt::{Excerpt, Spot};
use cpp::{Family, Library, is_name_char};
use sim::{
    Access, AccessKind, Actor, CallPurpose, Dim3, Evidence, Finding, FindingKind, SourceLocation, Target,
    WaitsFor, WarpOperation,
};
use std::borrow::Cow;

pub fn view(finding: &Finding, about: &About) -> FindingView {
    let about = &naming_both_blocks(finding, about);
    let about = &in_one_unit(finding, about);
    let finding = &*at_its_loop(finding, about);
    let race = finding.other.is_some() && !matches!(finding.at.target, Target::None);
    let label = |access: &Access, again: bool| match (special_wording(finding, access), &access.target) {
        (_, Target::None) if access.actor == Actor::Host && finding.kind == FindingKind::Undefined => {
            format!("the host {}", thread_action(finding, about))
        }
        (Some(words), _) => words,
        // Sentences about the host or its operations are complete as they are.
        (None, Target::None) if access.actor != Actor::Thread => sentence(access, about, false),
        (None, Target::None) => {
            format!("{} {}", sentence(access, about, false), thread_action(finding, about))
        }
        _ if race => sentence(access, about, again) + " here",
        _ => sentence(access, about, again),
    };
    let mut places: Vec<Spot> = Vec::new();
    let earlier = |other: &Access| match finding.kind {
        FindingKind::CopyInFlight => asked(finding, other, about),
        FindingKind::ProductInFlight => format!("{} begins the product here", actor(other, about)),
        _ => label(other, false),
    };
    places.extend(finding.other.as_ref().and_then(|other| spot(other, earlier(other), false, about)));
    // The lower of two lines may say "it"; marks on the same line are ordered by column.
    let again = finding.other.as_ref().is_some_and(|other| {
        let same = (&other.target, other.bytes) == (&finding.at.target, finding.at.bytes)
            || element(other, about) == element(&finding.at, about);
        same && other.line() < finding.at.line()
    });
    let call = called(finding).or_else(|| waits_on_line(finding, about));
    places.extend(spot(&finding.at, label(&finding.at, again), true, about).map(|spot| Spot {
        call: call.or(spot.call),
        // The undefined variable, or the array that was accessed, may be anywhere in the statement.
        column: match finding.kind {
            FindingKind::Undefined => 0,
            FindingKind::Misaligned if is_at_another_array(&finding.at, about) => 0,
            _ => spot.column,
        },
        ..spot
    }));
    let updates = in_place::updates_one_element(finding, about);
    places.iter_mut().for_each(|spot| spot.read &= !updates);
    let foreign = is_of_a_library(finding, about);
    if foreign && places.is_empty() {
        let label = format!("in a kernel that this line launches, {}", label(&finding.at, false));
        let line = launched_in(finding, about).unwrap_or(0);
        places.push(Spot { line, label, primary: true, ..Spot::default() });
    }
    let name = |access: &Access| actor(access, about);
    let what = element(&finding.at, about).unwrap_or_else(|| "it".into());
    let mut notes: Vec<String> = unordered(finding, &what, &name, about).into_iter().collect();
    notes.extend(scope::too_narrow(finding, about));
    // An assertion that stands in a line that is shown need not be repeated.
    let is_shown = |fact: &Evidence| match fact {
        Evidence::Assertion(condition) => {
            let written = format!("assert({condition})");
            places.iter().filter_map(|spot| about.source.line(spot.line)).any(|line| line.contains(&written))
        }
        // That line is one of the library's file.
        Evidence::FirstMatters { .. } => foreign,
        _ => false,
    };
    let rest = finding.evidence.iter().filter(|fact| !is_shown(fact));
    notes.extend(rest.filter_map(|fact| {
        launched_elsewhere(fact, about)
            .or_else(|| at_one_barrier(finding, fact))
            .or_else(|| evidence::sentence(finding.kind, fact))
    }));
    notes.extend(parameter_names::called_by_host(finding, about));
    // The calls are lines of the library's file.
    notes.extend(called_from(finding).filter(|_| !foreign));
    let side = |access: &Access, call| AccessView {
        text: special_wording(finding, access).unwrap_or_else(|| sentence(access, about, false)),
        ..access_view(access, call, updates, about)
    };
    let earlier_side = |other: &Access| match finding.kind {
        FindingKind::CopyInFlight => AccessView { text: asked(finding, other, about), ..side(other, None) },
        FindingKind::ProductInFlight => AccessView { text: earlier(other), ..side(other, None) },
        _ => side(other, None),
    };
    let at = side(&finding.at, call);
    let drawing = drawing::of_defect(finding, &at, about);
    let drawn = drawing.as_ref().map(drawing::lines);
    FindingView {
        class: FindingClass {
            kind: finding.kind,
            title: general_title(finding).into(),
            severity: FindingSeverity::Defect,
        },
        help: help::help(finding.kind).into(),
        case: None,
        values: Vec::new(),
        cost: None,
        message: message(finding, about),
        at,
        other: finding.other.as_ref().map(earlier_side),
        hits: finding.hits,
        threads: finding.threads,
        kernel: about.source.kernel_around(finding.at.line()).filter(|_| !foreign),
        notes,
        excerpt: Excerpt::of(about.source, &places),
        picture: drawn.unwrap_or_default(),
        drawing,
    }
}

/// Describes two barriers that the compiler has made of the one in a line.
fn at_one_barrier(finding: &Finding, fact: &Evidence) -> Option<String> {
    let other = finding.other.as_ref().filter(|_| *fact == Evidence::DifferentBarriers)?;
    (other.line() == finding.at.line()).then(|| {
        "The threads of the block wait at different copies of one barrier, as the compiler makes them of a loop's passes \
         or of branches."
            .into()
    })
}

/// Returns whether a thread's access is in a header that is not the program's.
pub fn is_of_a_library(finding: &Finding, about: &About) -> bool {
    let elsewhere = |at: &SourceLocation| !same_file(&at.file, about.file);
    about.program && finding.at.actor == Actor::Thread && finding.at.location.as_ref().is_some_and(elsewhere)
}

/// Returns the line that launched the kernel of a finding, if it is in the learner's file.
pub fn launched_in(finding: &Finding, about: &About) -> Option<u32> {
    finding.evidence.iter().find_map(|fact| match fact {
        Evidence::FoundIn { line, file, .. } => {
            line.filter(|_| file.as_ref().is_none_or(|file| same_file(file, about.file)))
        }
        _ => None,
    })
}

/// Says which launch a finding is of where that is in another file than the one that is shown.
fn launched_elsewhere(fact: &Evidence, about: &About) -> Option<String> {
    match fact {
        Evidence::FoundIn { work, line: Some(line), file: Some(file) } if !same_file(file, about.file) => {
            Some(format!("This is {}, launched in {file}:{line}.", operation(work)))
        }
        _ => None,
    }
}

/// Returns the context for a finding. If its sides are threads of two blocks, each is named with its block; both are
/// named with as many numbers.
pub fn naming_both_blocks<'a>(finding: &Finding, about: &About<'a>) -> About<'a> {
    let of_thread = |access: &&Access| matches!(access.actor, Actor::Thread | Actor::SomeThread);
    let other = finding.other.as_ref().filter(of_thread);
    let apart = Some(&finding.at).filter(of_thread).zip(other).is_some_and(|(a, b)| a.block != b.block);
    let dims = |at: Dim3| match (at.z, at.y) {
        (0, 0) => 1,
        (0, _) => 2,
        _ => 3,
    };
    let sides = || Some(&finding.at).filter(of_thread).into_iter().chain(other);
    let most = |usual: usize, of: fn(&Access) -> Dim3| {
        sides().map(|access| dims(of(access))).fold(usual, usize::max)
    };
    let for_the_grid = |its: &Evidence| matches!(its, Evidence::Waits { awaited: WaitsFor::Grid, .. });
    About {
        every_block: about.every_block || apart || finding.evidence.iter().any(for_the_grid),
        thread_dims: most(about.thread_dims, |access| access.thread),
        block_dims: most(about.block_dims, |access| access.block),
        ..about.clone()
    }
}

/// Returns the defect in a few words. Two writes are described without the word race.
pub fn title(finding: &Finding) -> &'static str {
    match finding.kind {
        FindingKind::GlobalRace if both_write(finding) => "two threads write one element",
        FindingKind::CopyDirection | FindingKind::HostPointerGiven
            if finding.evidence.contains(&Evidence::NoMemory) =>
        {
            "a pointer that was given no memory"
        }
        FindingKind::CopyDirection if passes_a_symbol(&finding.at) => {
            "a device variable copied like host memory"
        }
        FindingKind::Uninitialised if finding.at.purpose() == Some(CallPurpose::Copies) => {
            "a copy of memory that was never written"
        }
        _ => general_title(finding),
    }
}

/// Returns the title of a finding's kind, or one for what certainly happened instead.
fn general_title(finding: &Finding) -> &'static str {
    match finding.kind {
        FindingKind::NullPointer if calls_astray(finding) => "a call through a bad pointer",
        FindingKind::DivergentBarrier if is_miscounted(finding) => "a barrier for another number of threads",
        FindingKind::CopyPastEnd if copies_a_vector(&finding.at) => {
            "a std::vector copied instead of its elements"
        }
        FindingKind::CopyOverlap if is_of_cub(&finding.at) => "an algorithm that overwrites its input",
        FindingKind::HostStackOverflow if has_large_locals(finding) => {
            "local variables larger than the stack"
        }
        FindingKind::FreedInUse if finding.sides().any(unregisters) => "memory unregistered while in use",
        kind => kind.title(),
    }
}

fn is_of_cub(access: &Access) -> bool {
    matches!(&access.actor, Actor::Operation(call) if Library::of(call.function()) == Some(Library::Cub))
}

fn has_large_locals(finding: &Finding) -> bool {
    finding.evidence.iter().any(|fact| matches!(fact, Evidence::HostLocals { .. }))
}

/// Returns whether a kernel calls through a pointer that is neither null nor the address of a function.
pub fn calls_astray(finding: &Finding) -> bool {
    finding.evidence.iter().any(|fact| matches!(fact, Evidence::NoFunction { address: 1.. }))
}

/// Returns whether threads meet at a barrier that is for another number of them.
pub fn is_miscounted(finding: &Finding) -> bool {
    let counts = |fact: &Evidence| matches!(fact, Evidence::BarrierCounts(_) | Evidence::BarrierCrowd { .. });
    finding.evidence.iter().any(counts)
}

/// Returns the whole finding in one sentence.
fn message(finding: &Finding, about: &About) -> String {
    let at = special_wording(finding, &finding.at).unwrap_or_else(|| sentence(&finding.at, about, false));
    match &finding.other {
        Some(other) => format!("{}: {}, {at}", general_title(finding), sentence(other, about, false)),
        None => format!("{}: {at}", general_title(finding)),
    }
}

/// Returns what to say about the host or its operation where the access itself is not what matters.
fn special_wording(finding: &Finding, access: &Access) -> Option<String> {
    let words = match (&access.actor, finding.kind, &access.target) {
        (Actor::Operation(its), FindingKind::Uninitialised, _)
            if !matches!(finding.at.actor, Actor::Operation(_)) =>
        {
            let copy = operation(its);
            return Some(match access.kind {
                AccessKind::Write => format!("{copy} copies host memory that was never written"),
                _ if finding
                    .evidence
                    .iter()
                    .any(|its| matches!(its, Evidence::StoredWithoutValue { .. })) =>
                {
                    format!("{copy} copies GPU memory without a value")
                }
                _ => format!("{copy} copies GPU memory that was never written"),
            });
        }
        (Actor::Operation(its), FindingKind::Leak, _) => {
            return Some(format!("{}: never freed", operation(its)));
        }
        (Actor::Host, _, Target::Buffer { name, .. })
            if finding.evidence.contains(&Evidence::SourceAlone) =>
        {
            let uses = if access.kind == AccessKind::Read { "reads" } else { "writes" };
            return Some(format!("a line of host code that {uses} {name}"));
        }
        (Actor::Host, FindingKind::HostDoubleFree, _) => "the host frees this memory again",
        (Actor::Host, FindingKind::HostBadFree, _) => "the host frees what malloc() or new did not return",
        (Actor::Host, FindingKind::HostMismatchedFree, _) => {
            let released = finding.evidence.iter().find_map(|fact| match fact {
                Evidence::ReleasedAs { released, .. } => Some(*released),
                _ => None,
            });
            return Some(format!("the host passes this memory to {}", evidence::release_name(released?)));
        }
        (Actor::Host, FindingKind::HostNoElement, _) => {
            return finding.evidence.iter().find_map(|fact| match fact {
                Evidence::NoElement(used) => Some(format!("the host uses {used}")),
                Evidence::OnlyReserved { .. } => {
                    Some(format!("the host {} an element after the last of a std::vector", verb(access)))
                }
                _ => None,
            });
        }
        (Actor::Host, FindingKind::HostDeadLocal, _) => match access.kind {
            AccessKind::Read => "the host reads where a local variable used to be",
            _ => "the host writes where a local variable used to be",
        },
        (Actor::Host, FindingKind::DeviceCodeOnHost, Target::None) => "the host reached this line",
        (Actor::Host, FindingKind::HostBadCall, Target::None) => "the host calls it here",
        (Actor::Host, FindingKind::HostDivision, Target::None) => "the host divides here",
        (Actor::Host, FindingKind::FormatValues, Target::None) => "the host formats the text here",
        (Actor::Host, FindingKind::CollectiveDeadlock, Target::None) => "the host waits here",
        (Actor::Host, _, Target::None) => "the host stopped here",
        (
            Actor::Operation(its),
            FindingKind::NeverAwaited | FindingKind::CollectiveDeadlock | FindingKind::CollectiveMismatch,
            Target::None,
        ) if !finding.evidence.contains(&Evidence::OutsideGroup) => {
            return Some(format!("{} was requested here", operation(its)));
        }
        _ => return None,
    };
    Some(words.into())
}

/// Describes the side of a copy that was not waited for, by the element that the other side accesses: that
/// element is somewhere in the copied range.
fn asked(finding: &Finding, copy: &Access, about: &About) -> String {
    let copy = &Access { bytes: copy.bytes.min(finding.at.bytes), ..copy.clone() };
    let what = element(copy, about).unwrap_or_else(|| "it".into()).text;
    let way = if copy.kind == AccessKind::Read { "of" } else { "to" };
    format!("{} requests a copy {way} {what} here", actor(copy, about))
}

/// Returns the warp operation that is called with the wrong mask. `__syncwarp()` often stands alone in its line.
fn called(finding: &Finding) -> Option<&'static str> {
    let operation = finding.evidence.iter().find_map(Evidence::operation)?;
    operation.function().filter(|_| operation != WarpOperation::Sync)
}

/// Returns the barrier that threads wait at, if its line has it as a call: other statements may precede it there.
fn waits_on_line(finding: &Finding, about: &About) -> Option<&'static str> {
    const BARRIER: &str = "__syncthreads";
    let line = own_line(&finding.at, about).filter(|_| finding.kind == FindingKind::DivergentBarrier)?;
    about.source.names_on(line, BARRIER).then_some(BARRIER)
}

/// Returns whether the place of an access is at an array whose elements are smaller than it, while its line has another one
/// of the right size: the compiler gives one place to several loads of a statement.
fn is_at_another_array(access: &Access, about: &About) -> bool {
    let (Some(line), Some(at)) = (own_line(access, about), &access.location) else { return false };
    let text = about.source.code_line(line);
    let rest = text.chars().skip((at.column as usize).saturating_sub(1));
    let named: String = rest.take_while(|c| is_name_char(*c)).collect();
    let width = |name: &str| pointed_bytes(about.source, name);
    width(&named).is_some_and(|bytes| bytes < access.bytes)
        && subscripts(text).into_iter().any(|(name, _)| width(name) == Some(access.bytes))
}

/// If the element size is unknown and the sides of a race have different widths, describes both in units of the smaller
/// width, or in bytes in shared memory.
fn in_one_unit<'a>(finding: &Finding, about: &About<'a>) -> About<'a> {
    let mut about = about.clone();
    // A matrix operation moves several elements at a time.
    let of_matrices =
        own_line(&finding.at, &about).filter(|line| about.source.names_on(*line, Family::Matrix));
    if let (Some(_), Target::Buffer { name, .. }) = (of_matrices, &finding.at.target)
        && let Some(bytes) = pointed_bytes(about.source, name).filter(|bytes| *bytes < finding.at.bytes)
    {
        about.element_bytes.entry(name.to_string()).or_insert(bytes);
    }
    let other = finding.other.as_ref().filter(|other| other.bytes != finding.at.bytes);
    let Some(other) = other else { return about };
    let (name, bytes) = match (&finding.at.target, &other.target) {
        (Target::Shared { name, .. }, Target::Shared { name: theirs, .. }) if name == theirs => (name, 1),
        (Target::Buffer { name, .. }, Target::Buffer { name: theirs, .. })
            if name == theirs && !is_of_structs(name, &about) =>
        {
            (name, other.bytes.min(finding.at.bytes))
        }
        _ => return about,
    };
    if bytes > 0 {
        about.element_bytes.entry(name.to_string()).or_insert(bytes);
    }
    about
}

/// Returns what a thread does at the place, for findings that involve no memory.
fn thread_action(finding: &Finding, about: &About) -> String {
    match finding.kind {
        FindingKind::DivergentBarrier | FindingKind::Deadlock => "waits here".into(),
        FindingKind::WarpMask => "is here".into(),
        FindingKind::ProductInFlight => "does not wait for it".into(),
        FindingKind::RegisterFence | FindingKind::WarpGroup => "begins a product here".into(),
        FindingKind::MatrixDescriptor => "passes the descriptor here".into(),
        FindingKind::TensorMap => "requests the copy here".into(),
        FindingKind::TextureObject => "uses the object here".into(),
        FindingKind::OutOfBounds if image_left(finding).is_some() => {
            format!("{} outside the {} here", verb(&finding.at), image_left(finding).unwrap_or_default())
        }
        FindingKind::EndlessLoop => "was still here".into(),
        FindingKind::DivisionByZero => "divides by zero here".into(),
        FindingKind::FormatValues => "prints here".into(),
        FindingKind::Undefined => {
            match about.source.unassigned_variable(own_line(&finding.at, about).unwrap_or(0)) {
                Some((name, declared)) => format!("uses `{name}` from line {declared}, which has no value"),
                None if prints(&finding.at, about) => "prints bytes that have no value".into(),
                None => "depends on a variable that has no value".into(),
            }
        }
        _ => "stopped here".into(),
    }
}

/// Returns what an access by a texture or surface object is outside of, if it is.
fn image_left(finding: &Finding) -> Option<&'static str> {
    finding.evidence.iter().find_map(|fact| match fact {
        Evidence::OutsideImage { in_bytes, .. } => Some(if *in_bytes { "surface" } else { "texture" }),
        _ => None,
    })
}

/// Returns whether an access is on a line that prints.
pub fn prints(access: &Access, about: &About) -> bool {
    own_line(access, about).is_some_and(|line| about.source.names_on(line, "printf"))
}

/// Moves the location of an endless loop to the loop's head, wherever in the loop the thread was.
fn at_its_loop<'f>(finding: &'f Finding, about: &About) -> Cow<'f, Finding> {
    let mut moved = Cow::Borrowed(finding);
    if finding.kind == FindingKind::EndlessLoop
        && let Some(at) = own_location(&finding.at, about)
        && let Some(around) = about.source.loop_around(at.line).filter(|around| around.head != at.line)
        && let Some(at) = moved.to_mut().at.location.as_mut()
    {
        (at.line, at.column) = (around.head, 0);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_matrix_operation_moves_is_counted_in_elements() {
        let told = |line: &str| {
            let text = format!("__global__ void mm(const half *a) {{\n{line}\n}}\n");
            let source = cpp::Source::new(&text);
            let target = Target::Buffer { name: "a".into(), size_bytes: 512, offset_bytes: 512 };
            let location = Some(sim::SourceLocation { file: "a.cu".into(), line: 2, column: 1 });
            let at = Access { bytes: 4, target, ..Access::by(Actor::Thread, location) };
            let finding = Finding::new(FindingKind::OutOfBounds, at);
            let about = in_one_unit(&finding, &About::program("a.cu", &source));
            sentence(&finding.at, &about, false)
        };
        let matrix = told("wmma::load_matrix_sync(fa, a, 32);");
        assert!(matrix.ends_with("a[256] and a[257]; `a` has 256 elements"), "{matrix}");
        assert!(told("x = *(int *)(a + i);").ends_with("a[128]; `a` has 128 elements"));
    }

    #[test]
    fn one_line_has_no_different_barriers() {
        let told = |lines: [u32; 2]| {
            let source = cpp::Source::new("__global__ void k() {\n__syncthreads();\n__syncthreads();\n}\n");
            let [at, other] = lines.map(|line| {
                Access::by(Actor::Thread, Some(sim::SourceLocation { file: "a.cu".into(), line, column: 1 }))
            });
            let finding = Finding {
                other: Some(other),
                evidence: vec![Evidence::DifferentBarriers],
                ..Finding::new(FindingKind::DivergentBarrier, at)
            };
            view(&finding, &About::program("a.cu", &source)).notes.join(" ")
        };
        assert!(told([2, 3]).contains("wait at different barriers"), "{}", told([2, 3]));
        assert!(told([3, 3]).contains("different copies of one barrier"), "{}", told([3, 3]));
    }

    #[test]
    fn a_wide_access_is_not_placed_at_a_narrow_array() {
        let text = "__global__ void k(const float *m) {\nconst float4 *r = (const float4 *)m;\nv = r[i]; s += m[i];\n}\n";
        let source = cpp::Source::new(text);
        let about = About::program("a.cu", &source);
        let placed = |column, bytes| {
            let location = Some(sim::SourceLocation { file: "a.cu".into(), line: 3, column });
            is_at_another_array(&Access { bytes, ..Access::by(Actor::Thread, location) }, &about)
        };
        assert_eq!((placed(16, 16), placed(5, 16), placed(16, 4)), (true, false, false));
    }

    #[test]
    fn both_threads_of_a_finding_are_numbered_alike() {
        let source = cpp::Source::new("");
        let by = |x, y, block| Access {
            thread: Dim3::new(x, y, 0),
            block: Dim3::new(block, 0, 0),
            ..Access::by(Actor::Thread, None)
        };
        let race = |at, other| Finding { other: Some(other), ..Finding::new(FindingKind::GlobalRace, at) };
        let named = |finding: Finding| {
            let about = naming_both_blocks(&finding, &About::program("a.cu", &source));
            [&finding.at, finding.other.as_ref().unwrap()].map(|access| actor(access, &about))
        };
        assert_eq!(
            named(race(by(5, 0, 2), by(0, 1, 0))),
            ["thread (5, 0) of block 2", "thread (0, 1) of block 0"]
        );
        assert_eq!(named(race(by(5, 0, 0), by(6, 0, 0))), ["thread 5", "thread 6"]);
    }
}
