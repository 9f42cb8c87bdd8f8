//! What to try for a finding: one sentence, worded for the place where it happened.

mod bounds;
mod call;
mod copies;
mod freed;
mod guard;
mod launch;
mod loop_bound;
mod pass;
mod races;
mod subscript;
pub mod values;
mod vectors;

use super::FindingView;
use super::defect::{calls_astray, is_miscounted, is_of_a_library, launched_in, prints};
use super::help::help;
use super::place::own_line;
use super::scope;
use crate::about::About;
use crate::layout::listed;
use cpp::Family;
use judge::ExcessThreads;
use sim::{
    Access, Actor, AllocatedBy, BulkOperand, Distance, Evidence, Finding, FindingKind, HostBlockName,
    HostPart, MbarrierMisuse as Misuse, Target,
};

/// Returns the most specific remedy for a finding, or else the general help for its kind. `view` is the finding
/// as shown.
pub fn remedy(finding: &Finding, view: &FindingView, excess: ExcessThreads, about: &About) -> String {
    let fixed = call::of_a_library(finding, about)
        .or_else(|| call::of_a_call(finding, about))
        .or_else(|| of_an_access(finding, about))
        .or_else(|| of_a_wait(finding, about))
        .map(String::from);
    fixed.or_else(|| for_the_place(finding, view, excess, about)).unwrap_or_else(|| help(finding.kind).into())
}

/// Returns the remedy for an access to memory by a kernel or by host code.
fn of_an_access(finding: &Finding, about: &About) -> Option<&'static str> {
    let known = |is: fn(&Evidence) -> bool| finding.evidence.iter().any(is);
    Some(match finding.kind {
        FindingKind::OutOfBounds if of_bulk_copy(&finding.at, about) => {
            "Which buffer should be copied from or to, starting where, and how much of it? With a tensor map: does the \
             buffer have as many columns and rows as the map says, and are its rows as far apart?"
        }
        FindingKind::OutOfBounds | FindingKind::HostOutOfBounds
            if known(|its| matches!(its, Evidence::KernelParameter { .. })) =>
        {
            "Pass the address of each argument, one for each parameter of the kernel, as in void *args[] = {&x, &key}."
        }
        FindingKind::OutOfBounds if allocated_by_kernel(finding) => {
            "Compare the index, and the condition of a loop around it, with the size that was passed to malloc() or new."
        }
        FindingKind::NullPointer if known(|its| matches!(its, Evidence::AskedForNothing { .. })) => {
            "How many bytes should it ask for? Is what they are counted from, such as the size of a vector, known before that \
             line? With nothing to do, launch nothing."
        }
        FindingKind::NullPointer if calls_astray(finding) => {
            "Which address does the pointer to the function hold, and who stored it there? An object with virtual \
             functions must be constructed by the side that calls them; the address of a __device__ function must be \
             taken by device code."
        }
        FindingKind::HostPointer if known(|its| matches!(its, Evidence::HostAddressOf { .. })) => {
            "Let device code take the address: a __device__ variable that holds it can be read with \
             cudaMemcpyFromSymbol(). Or give the kernel a number, and let it choose the function."
        }
        FindingKind::HostPointer
            if matches!(finding.at.target, Target::Host { part: HostPart::Stack | HostPart::Heap })
                && about.source.captures_this(finding.at.line()) =>
        {
            "Does the lambda use a member of its object? It then holds `this`, a pointer to the object on the host. Capture \
             the object itself, with [=, *this], or copy the member to a local variable first, and use that."
        }
        FindingKind::HostPointer if values::calls_member_of_host(&finding.at, about) => {
            "Does the object have virtual functions? Then it points to a table of the side that constructed it: let a kernel \
             construct it. Otherwise give the kernel memory from cudaMalloc(), cudaMallocManaged() or cudaMallocHost(), and copy the \
             data there."
        }
        FindingKind::OtherDevice if known(|its| matches!(its, Evidence::OwnedBy { from_pool: true, .. })) => {
            "Give this GPU access to the pool first: cudaMemPoolSetAccess(). (cudaDeviceEnablePeerAccess() does not cover \
             memory of pools.) Or copy the data with cudaMemcpyPeer()."
        }
        FindingKind::UseAfterFree if allocated_by_kernel(finding) => {
            "Free the memory after the last use of any pointer to it."
        }
        FindingKind::GlobalRace if known(|its| *its == Evidence::SignalledWithoutFence) => {
            "Call __threadfence() after the value is written, and before the atomic or the flag that tells other blocks \
             that it is there."
        }
        FindingKind::Uninitialised if known(|its| matches!(its, Evidence::InputUsedUp { .. })) => {
            "Copy the input before that call if it is needed afterwards, or compute it again."
        }
        FindingKind::Uninitialised if known(|its| *its == Evidence::StoredByOtherBlock) && !about.program => {
            "Let a kernel that is launched before set it: memory is not cleared when it is allocated."
        }
        FindingKind::Uninitialised if known(|its| *its == Evidence::StoredByOtherBlock) => {
            "Set it before the launch, for example with cudaMemset(): memory is not cleared when it is allocated."
        }
        FindingKind::SharedOutOfBounds if known(|its| matches!(its, Evidence::DescriptorPlace { .. })) => {
            help(FindingKind::MatrixDescriptor)
        }
        FindingKind::HostOutOfBounds
            if known(|its| {
                matches!(its, Evidence::Distance { at: Distance::Inside, block: HostBlockName::Locals })
            }) =>
        {
            "Was every local variable that this line uses given a value first, or filled by a call? The compiler need \
             not keep a place for one that never is. Otherwise compare the index with the array's size."
        }
        FindingKind::HostOutOfBounds if values::follows_pointer(&finding.at, about) => {
            "Was the pointer given a value before: the address of something, or what new or an allocation returned? Set \
             a pointer that leads nowhere on purpose to nullptr, and compare it with that before dereferencing it."
        }
        FindingKind::WrongFree if known(|its| *its == Evidence::StillRegistered) => {
            "Call cudaHostUnregister() before that, with the pointer that was registered."
        }
        FindingKind::HostStackOverflow if known(|its| matches!(its, Evidence::HostLocals { .. })) => {
            "Put large arrays on the heap, as in std::vector<float> a(n), or make them static."
        }
        FindingKind::HostNoElement if known(|its| matches!(its, Evidence::OnlyReserved { .. })) => {
            "Call resize() instead of reserve(): it makes elements. Or add them with push_back()."
        }
        FindingKind::HostNullPointer | FindingKind::HostOutOfBounds
            if values::is_of_arguments(finding, about) =>
        {
            "argv ends with a null pointer after the last argument: compare argc with what the line needs. Arguments are \
             given after --, as in gpulearn run FILE.cu -- 1024."
        }
        FindingKind::DivisionByZero if !values::divides(&finding.at, about) => {
            "Does nothing in this line divide? Then it is the compiler: to find how often a loop runs, it divides by the \
             loop's step. Can that be 0? Such a loop has no end."
        }
        FindingKind::DivisionByZero => {
            "Should the divisor be 0 here? To round a quotient up, write (n + m - 1) / m. Otherwise test the divisor \
             first."
        }
        FindingKind::Misaligned
            if known(|its| matches!(its, Evidence::BulkUnaligned { what: BulkOperand::Size, .. })) =>
        {
            "How long should the copy be? Its size is in bytes, not in elements, and a multiple of 16; let threads copy \
             what is left over at the end of an array."
        }
        FindingKind::Misaligned if known(|its| matches!(its, Evidence::BulkUnaligned { .. })) => {
            "Give the shared array alignas(128), or alignas(1024) where a map swizzles 128 bytes; what is copied from or \
             to global memory must begin at a multiple of 16."
        }
        FindingKind::CopyInFlight if known(|its| *its == Evidence::CopySignalsBarrier) => {
            "Should this buffer be used now, and is it the one that should be copied to? If so, wait first for the barrier \
             that signals the copy: bar.arrive_and_wait(), or bar.wait() with what bar.arrive() returned; where a pipeline \
             has the barrier, consumer_wait()."
        }
        FindingKind::CopyInFlight if known(|its| *its == Evidence::CopyOverValues) => {
            "Which values should this thread get? The new ones: wait for the copy's group, then __syncthreads(). The \
             old ones: __syncthreads() between their last read and the next copy."
        }
        FindingKind::CopyInFlight if known(|its| *its == Evidence::BulkCopy) => {
            "Is this the buffer that should be used now, and is each part of it requested once? If so, wait first for \
             the phase of the mbarrier that the copy reports to."
        }
        _ => return None,
    })
}

/// Returns the remedy for a loop, a barrier object or a warp operation that threads wait at.
fn of_a_wait(finding: &Finding, about: &About) -> Option<&'static str> {
    let known = |fact: Evidence| finding.evidence.contains(&fact);
    let is_call = |its: &Evidence| matches!(its, Evidence::CallersNotNamed { .. });
    let is_short = |its: &Evidence| matches!(its, Evidence::WarpIsShort { .. });
    let reads_absent = |its: &Evidence| matches!(its, Evidence::ReadsAbsent { named: false, .. });
    Some(match finding.kind {
        FindingKind::DivergentBarrier if is_miscounted(finding) => {
            "Each bar.sync and bar.arrive of one barrier must give the same number: that of the threads of all warps that meet \
             there. Groups that meet apart from each other need barriers with numbers of their own."
        }
        FindingKind::WarpMask if of_matrices(&finding.at, about) => {
            "All 32 lanes of the warp must reach it: remove the return above, or the branch around it, and let all lanes \
             of a warp pass or none."
        }
        FindingKind::WarpMask if finding.evidence.iter().any(is_call) => {
            "Name every lane that makes the call: all 32 are 0xffffffff. Or let only the lanes that the mask names call \
             it."
        }
        FindingKind::WarpMask if finding.evidence.iter().any(is_short) => {
            "Launch a multiple of 32 threads in each block, so that every warp has all its lanes. Or let the mask name only \
             the lanes that exist, and let none use a value from beyond them."
        }
        FindingKind::WarpMask if finding.evidence.iter().any(reads_absent) => {
            "From which lane should the value come? It must be one of those that take part: the first that a mask names is \
             lane __ffs(mask) - 1. Or let all lanes reach the call."
        }
        FindingKind::WarpMask
            if about.source.names("cooperative_groups") && !about.source.names(Family::Masked) =>
        {
            "Move the call to a place that all lanes of its group reach. Where only some lanes are meant to reach it, \
             cooperative_groups::coalesced_threads() is the group of those that are there."
        }
        FindingKind::WarpMask if known(Evidence::UsesAbsentLane) => {
            "From which lane should the value come? It must be one that the mask names and that reaches the call: look \
             at the distance, at the mask, and at the condition around the call."
        }
        FindingKind::Deadlock
            if about.source.names("producer_acquire") && !about.source.names("consumer_release") =>
        {
            "A pipeline has as many stages as it was made with: each that producer_acquire() takes must be released with \
             consumer_release(), after its data was used, by all threads that consume."
        }
        FindingKind::EndlessLoop if known(Evidence::NothingChanges) && races::has_locks(finding, about) => {
            "What would let the loop end, and who should make it happen: can it still? Does the loop itself change what \
             it waits for? A lock must be released on every path out, and all must take several locks in the same order."
        }
        FindingKind::EndlessLoop if known(Evidence::NothingChanges) => {
            "What would let the loop end, and who should make it happen: the same thread, or another that still runs? \
             What others change must be read again each time: by an atomic operation, or as volatile."
        }
        FindingKind::EndlessLoop if known(Evidence::ArithmeticAlone) => {
            "Which variable of the condition does the loop change? If it waits for memory that another thread writes: \
             the compiler reads that only once, unless it is volatile or read by an atomic operation."
        }
        FindingKind::StackOverflow if about.program => {
            "Bound the depth of the recursion, or turn it into a loop. If it is as deep as it should be, give threads a \
             larger stack: cudaDeviceSetLimit(cudaLimitStackSize, bytes)."
        }
        FindingKind::Trap => return finding.evidence.iter().find_map(Evidence::misuse).map(mbarrier),
        _ => return None,
    })
}

/// Returns a remedy that names the lines or the memory of the finding.
fn for_the_place(
    finding: &Finding,
    view: &FindingView,
    excess: ExcessThreads,
    about: &About,
) -> Option<String> {
    let at = &finding.at;
    match finding.kind {
        FindingKind::Misaligned if at.bytes > 1 => Some(vectors::row(at, about).unwrap_or_else(|| {
            format!(
                "An access of {0} bytes needs an address that is a multiple of {0}: check the cast or the offset.",
                at.bytes
            )
        })),
        FindingKind::Undefined => {
            let of_variable = values::unfilled(at, about).or_else(|| values::without_value(at, about));
            let of_format = || prints(at, about).then(|| FORMAT.into());
            of_variable.or_else(|| values::from_input(at, about)).or_else(of_format)
        }
        FindingKind::OutOfBounds if is_of_a_library(finding, about) => launched_in(finding, about).map(|line| {
            format!(
                "The kernel belongs to a library: is everything that line {line} gives it within its memory? Look at \
                 both ends of each range, and at counts."
            )
        }),
        FindingKind::ReadOnly => values::written_constant(at, about),
        FindingKind::OutOfBounds => bounds::stray(finding, excess.at, about),
        FindingKind::SharedOutOfBounds => bounds::stray_in_shared(at, about),
        FindingKind::GlobalRace if is_of_a_library(finding, about) => launched_in(finding, about).map(|line| {
            format!(
                "The kernel belongs to a library: does line {line} have it write where it also reads, or where other work \
                 does?"
            )
        }),
        FindingKind::GlobalRace => {
            let of_element =
                scope::remedy(finding, about).or_else(|| races::one_element(finding, excess, about));
            let of_block = || races::within_a_block(finding, &view.excerpt, about);
            of_element.or_else(of_block).or_else(|| races::mixed(finding))
        }
        FindingKind::SharedRace => races::same_memory(finding)
            .or_else(|| scope::remedy(finding, about))
            .or_else(|| races::barrier(finding, &view.excerpt, about)),
        FindingKind::Uninitialised if at.actor == Actor::Host => Some(values::uninitialised_on_host(finding, about)),
        FindingKind::Uninitialised if finding.other.is_some() => Some(values::COPIED_UNINITIALISED.into()),
        FindingKind::Uninitialised if is_of_a_library(finding, about) => launched_in(finding, about).map(|line| {
            format!("The kernel belongs to a library: was everything that line {line} has it read written before?")
        }),
        FindingKind::Uninitialised => values::short_of(finding, about).or_else(|| values::uninitialised(at, about)),
        FindingKind::UseAfterFree | FindingKind::DoubleFree => {
            freed::by_whom(finding, about)
        }
        FindingKind::Deadlock => left_the_grid(at, about),
        FindingKind::HostUseAfterFree => moved_by_a_container(finding, about),
        FindingKind::DivergentBarrier => races::left(finding, about),
        FindingKind::CopyInFlight => copies::of_the_library(finding, about),
        FindingKind::Trap => values::trapped(at, about),
        _ => None,
    }
}

const FORMAT: &str = "Does the format read as much as it is given? %lld, %f and %p read 8 bytes, %d, %u and %x only 4: where the \
                      format reads more, the rest was never written. Otherwise give each variable a value first.";

/// Returns what to ask about a `return` before the barrier of a grid at which threads wait.
fn left_the_grid(at: &Access, about: &About) -> Option<String> {
    let code = about.source;
    let line = own_line(at, about).filter(|line| code.names_on(*line, "sync") && code.names("this_grid"))?;
    let left = (code.kernel_lines(line)?.start..line).filter(|line| code.names_on(*line, "return"));
    let left: Vec<String> = left.map(|line| line.to_string()).collect();
    let place = match left.as_slice() {
        [] => return None,
        [line] => format!("the `return` of line {line}"),
        lines => format!("a `return` of lines {}", listed(lines)),
    };
    Some(format!(
        "Every thread of every block must reach the barrier of the grid: do some leave at {place}? Guard the work instead \
         of returning."
    ))
}

/// Returns what to do where host code uses memory that a container freed when it grew.
fn moved_by_a_container(finding: &Finding, about: &About) -> Option<String> {
    const GROWS: [&str; 7] =
        ["push_back", "emplace_back", "resize", "reserve", "insert", "assign", "shrink_to_fit"];
    let line = finding.evidence.iter().find_map(|its| match its {
        Evidence::FreedAt(line) => Some(*line),
        _ => None,
    })?;
    about.source.calls_on(line, GROWS).next()?;
    Some(format!(
        "Line {line} lets a container grow, which moves its elements to other memory and frees the old: take references, \
         pointers and iterators after that line, or use an index."
    ))
}

/// Returns whether a finding is about memory that a kernel allocated.
fn allocated_by_kernel(finding: &Finding) -> bool {
    matches!(finding.at.target, Target::Allocated { by: AllocatedBy::Kernel, .. })
}

fn mbarrier(misuse: Misuse) -> &'static str {
    match misuse {
        Misuse::NotInitialised => {
            "Which thread initialises the barrier, and what orders that with this use? A __syncthreads() does. Nothing \
             else may write where the barrier is."
        }
        Misuse::TooManyArrivals { .. } => {
            "How many arrivals was the barrier initialised for, and should each of the threads that get here arrive? \
             Where one thread announces the bytes of a copy, that is its arrival, and the others only wait."
        }
        Misuse::BadInitialCount { .. } | Misuse::BadArrivalCount { .. } => {
            "How many threads arrive in each phase? The barrier is initialised for that count."
        }
        Misuse::NothingExpected => "Which threads still use the barrier? Those must not drop out of it.",
        Misuse::MustNotComplete => {
            "Should this be the arrival that ends the phase? Then it must not be a noComplete one."
        }
        Misuse::TxCountOutOfRange { .. } => {
            "How many bytes does each copy bring, and can that number be below 0? Announce those, once: expect_tx \
             counts bytes, not elements."
        }
    }
}

/// Returns whether a place is in a statement that requests a bulk copy: inline PTX of several lines.
fn of_bulk_copy(at: &Access, about: &About) -> bool {
    const LINES: u32 = 4;
    let line = at.line();
    let asks = |line| about.source.names_in_ptx(line, Family::BulkCopy);
    (line.saturating_sub(LINES)..=line).any(asks)
}

/// Returns whether the place's operation is a matrix operation, which takes no mask.
fn of_matrices(at: &Access, about: &About) -> bool {
    about.source.names_on(at.line(), Family::Matrix)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::defect;
    use super::*;
    use cpp::Source;
    use sim::{AccessKind, Dim3, SourceLocation};

    pub fn access(kind: AccessKind, thread: u32, line: u32, target: Target) -> Access {
        let location = Some(SourceLocation { file: "a.cu".into(), line, column: 1 });
        let by = Access::by(Actor::Thread, location);
        Access { kind, thread: Dim3::new(thread, 0, 0), bytes: 4, target, ..by }
    }

    pub fn describe(finding: &Finding, excess: ExcessThreads, source: &str) -> String {
        let source = Source::new(source);
        let about = About { program: false, ..About::program("a.cu", &source) };
        remedy(finding, &defect::view(finding, &about), excess, &about)
    }

    /// Returns the remedy for a finding in a kernel, of whose threads nothing is known.
    pub fn remedy_for(kind: FindingKind, at: Access, other: Option<Access>, source: &str) -> String {
        describe(&finding(kind, at, other), ExcessThreads::default(), source)
    }

    pub fn finding(code: FindingKind, at: Access, other: Option<Access>) -> Finding {
        Finding { other, ..Finding::new(code, at) }
    }

    #[test]
    fn a_constant_that_a_kernel_writes_is_named() {
        let at = |name: &str| {
            let target = Target::Buffer { name: name.into(), size_bytes: 64, offset_bytes: 0 };
            access(AccessKind::Write, 0, 2, target)
        };
        let tell = |name| {
            let source = "__constant__ float c[16];\n__global__ void f(float *p) { p[0] = 1; }\n";
            remedy_for(FindingKind::ReadOnly, at(name), None, source)
        };
        assert!(tell("c").starts_with("`c` is __constant__"), "{}", tell("c"));
        assert_eq!(tell("p"), help(FindingKind::ReadOnly));
    }

    #[test]
    fn what_waits_or_is_gone_is_told_by_the_evidence() {
        let tell = |kind, evidence, source: &str| {
            let at = access(AccessKind::Read, 0, 1, Target::None);
            let found = Finding { evidence: vec![evidence], ..Finding::new(kind, at) };
            describe(&found, ExcessThreads::default(), source)
        };
        let absent = Evidence::ReadsAbsent { operation: sim::WarpOperation::Shuffle, lanes: 1, named: false };
        let other = tell(FindingKind::Uninitialised, Evidence::StoredByOtherBlock, "x = *note;\n");
        assert!(other.starts_with("Let a kernel that is launched before"), "{other}");
        let lane = tell(FindingKind::WarpMask, absent, "x = __shfl_sync(m, v, 0);\n");
        assert!(lane.starts_with("From which lane") && lane.contains("__ffs(mask) - 1"), "{lane}");
        let freed =
            |line: &str| tell(FindingKind::HostUseAfterFree, Evidence::FreedAt(2), &format!("\n{line}\n"));
        assert!(freed("v.push_back(i);").starts_with("Line 2 lets a container grow"));
        assert_eq!(freed("free(p);"), help(FindingKind::HostUseAfterFree));
        let waits = Evidence::Waits { threads: 32, line: Some(1), awaited: sim::WaitsFor::Object };
        let pipeline = |more: &str| {
            tell(FindingKind::Deadlock, waits.clone(), &format!("pipe.producer_acquire();\n{more}\n"))
        };
        assert!(pipeline("").contains("consumer_release()"), "{}", pipeline(""));
        assert_eq!(pipeline("pipe.consumer_release();"), help(FindingKind::Deadlock));
        let grid = |before: &str| {
            let source = format!(
                "__global__ void k(int n) {{ auto grid = cg::this_grid();\n{before}\ngrid.sync();\n}}\n"
            );
            let at = access(AccessKind::Read, 0, 3, Target::None);
            remedy_for(FindingKind::Deadlock, at, None, &source)
        };
        assert!(
            grid("if (i >= n) return;").contains("`return` of line 2"),
            "{}",
            grid("if (i >= n) return;")
        );
        assert_eq!(grid("a[i] = i;"), help(FindingKind::Deadlock));
        let full = |evidence| tell(FindingKind::HostStackOverflow, evidence, "");
        let locals = Evidence::HostLocals { function: "main".into(), bytes: 1 << 24, stack_bytes: 8 << 20 };
        assert!(full(locals).starts_with("Put large arrays on the heap"));
        let depth = Evidence::HostCallDepth { calls: 9, call_bytes: 64, local_bytes: 0 };
        assert_eq!(full(depth), help(FindingKind::HostStackOverflow));
    }

    #[test]
    fn a_lambda_with_this_and_a_group_of_a_branch_are_known_by_the_source() {
        let lambda =
            "struct S {\nint k;\nvoid run() { apply(p, [=] __device__ (int i) {\nreturn i * k;\n}); }\n};\n";
        let local = || access(AccessKind::Read, 0, 4, Target::Host { part: HostPart::Stack });
        let remedy = remedy_for(FindingKind::HostPointer, local(), None, lambda);
        assert!(remedy.contains("[=, *this]"), "{remedy}");
        let at = || access(AccessKind::Read, 0, 3, Target::None);
        let group =
            "namespace cg = cooperative_groups;\n__global__ void f() {\nif (x) cg::reduce(w, v, add);\n}\n";
        let remedy = remedy_for(FindingKind::WarpMask, at(), None, group);
        assert!(remedy.contains("coalesced_threads()"), "{remedy}");
        let both = group.replace("if (x)", "__syncwarp(); __shfl_sync(m, v, 0);");
        let remedy = remedy_for(FindingKind::WarpMask, at(), None, &both);
        assert!(remedy.contains("mask"), "{remedy}");
    }
}
