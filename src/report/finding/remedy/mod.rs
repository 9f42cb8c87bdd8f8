//! What to try against a finding: one sentence, in words that fit where it happened.

mod bounds;
mod guard;
mod held;
mod pass;
mod races;
mod values;

use super::FindingView;
use crate::about::About;
use judge::Spare;
use sim::{Access, Actor, Code, Finding};

/// `view` is the finding as it is shown.
pub fn remedy(finding: &Finding, view: &FindingView, spare: Spare, about: &About) -> String {
    let operation = |access: &Access, what: &str| match &access.actor {
        Actor::Operation(words) => words.contains(what),
        _ => false,
    };
    let told = |what: &str| finding.notes.iter().any(|note| note.contains(what));
    let special = match finding.code {
        Code::OutOfBounds if operation(&finding.at, "") => Some(BY_A_LIBRARY.into()),
        Code::Misaligned if finding.at.bytes > 1 => Some(format!(
            "An access of {0} bytes needs an address that is a multiple of {0}: check the cast or the offset.",
            finding.at.bytes
        )),
        Code::Undefined => values::unfilled(&finding.at, about),
        Code::Uninitialised if operation(&finding.at, "") && !operation(&finding.at, "cudaMemcpy") => {
            Some(UNSET_IN_A_LIBRARY.into())
        }
        Code::Uninitialised if operation(&finding.at, "") && !about.source.code().contains("<<<") => {
            Some(NOT_LAUNCHED.into())
        }
        Code::Uninitialised if operation(&finding.at, "") => Some(NOT_WRITTEN.into()),
        Code::CopyDirection if operation(&finding.at, "no memory at all") => Some(NO_MEMORY.into()),
        Code::CopyPastEnd if told("leave out the &") => Some(NO_AMPERSAND.into()),
        Code::WarpMask if of_matrices(&finding.at, about) => Some(WHOLE_WARP.into()),
        Code::WarpMask if told("not in the mask that is given") => Some(ALL_CALLERS.into()),
        Code::InvalidLaunch if told(" 0 blocks") => Some(NO_BLOCKS.into()),
        Code::InvalidLaunch if told(" threads; the limit") || told(" threads in ") => Some(MANY_THREADS.into()),
        Code::StreamRace if operation(&finding.at, "in a graph") => Some(IN_A_GRAPH.into()),
        Code::FreedInUse if operation(&finding.at, "cudaFreeHost") => Some(FREED_BY_THE_HOST.into()),
        Code::OutOfBounds => bounds::stray(&finding.at, spare.at, view.case.as_deref(), about),
        Code::SharedOutOfBounds if told("by its descriptor") => Some(Code::MatrixDescriptor.help().into()),
        Code::SharedOutOfBounds => bounds::stray_in_shared(&finding.at, about),
        Code::GlobalRace => races::one_element(finding, spare, about),
        Code::Uninitialised if finding.at.actor == Actor::Host => Some(values::unset_by_host(finding).into()),
        Code::Uninitialised if finding.other.is_some() => Some(values::COPIED_UNSET.into()),
        Code::Uninitialised => values::unset(&finding.at, about),
        Code::DivergentBarrier => races::left(finding, about),
        Code::CopyInFlight if told("stood there before") => Some(ROUND_OF_COPIES.into()),
        Code::Trap => values::trapped(&finding.at, about),
        Code::SharedRace => races::barrier(finding, &view.excerpt, about),
        _ => None,
    };
    special.unwrap_or_else(|| finding.code.help().into())
}

const BY_A_LIBRARY: &str = "All that the call reads and writes must lie within its buffers: look at each of its pointers and their order \
                            (a scalar may be read in host or in device memory, as the pointer mode says), then at counts, \
                            strides and leading dimensions.";
const UNSET_IN_A_LIBRARY: &str = "Was each input of the call given its values before? And what it writes is read first where a beta other than 0 \
                                  is given: is that meant?";
const ROUND_OF_COPIES: &str = "Which values should this thread get? The new ones: wait for the copy's group, then __syncthreads(). Those that stood \
                               there: __syncthreads() between their last read and the next copy.";
const NO_BLOCKS: &str =
    "Round the number of blocks up, as in (n + 255) / 256, and launch nothing where n is 0.";
const MANY_THREADS: &str = "Take more blocks of fewer threads, such as 256: a block has at most 1024, those of x, y and z multiplied.";
const IN_A_GRAPH: &str = "Let the second node depend on the first: name it among its dependencies, or, where the graph is captured, \
                          let an event order the two streams.";
const NOT_LAUNCHED: &str = "Launch the kernel before its result is copied: kernel<<<blocks, threads>>>(…).";
const NOT_WRITTEN: &str =
    "Is the kernel that should write it launched before this line, and given this pointer?";
const NO_MEMORY: &str = "A pointer leads nowhere until it is given memory: cudaMalloc(&pointer, bytes), before it is used for the first time.";
const NO_AMPERSAND: &str =
    "Pass the pointer itself: & makes the address of the pointer, which is a local variable.";
const WHOLE_WARP: &str = "All 32 lanes of the warp must come to it: take out the return above, or the branch around it, and let whole warps \
     pass or none of their lanes.";
const ALL_CALLERS: &str = "Name every lane that makes the call: all 32 are 0xffffffff. Or let only those call it that the mask names.";
const FREED_BY_THE_HOST: &str =
    "Wait for the work first, as by cudaStreamSynchronize(), and then call cudaFreeHost().";

/// Whether the operation of a place is one on matrices, which takes no mask.
fn of_matrices(at: &Access, about: &About) -> bool {
    let line = at.location.as_ref().map_or(0, |at| at.line);
    let text = about.source.code_line(line);
    ["mma_sync", "load_matrix_sync", "store_matrix_sync"].iter().any(|call| text.contains(call))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::defect;
    use super::*;
    use cpp::Source;
    use sim::{AccessKind, Dim3, SourceLocation, Target};

    pub fn access(kind: AccessKind, thread: u32, line: u32, target: Target) -> Access {
        let location = Some(SourceLocation { file: "a.cu".into(), line, column: 1 });
        let (block, thread) = (Dim3::new(0, 0, 0), Dim3::new(thread, 0, 0));
        Access { kind, actor: Actor::Thread, block, thread, location, calls: Vec::new(), bytes: 4, target }
    }

    pub fn told(finding: &Finding, spare: Spare, source: &str) -> String {
        let source = Source::new(source);
        let about = About { program: false, ..About::program("a.cu", &source) };
        remedy(finding, &defect::view(finding, &about), spare, &about)
    }

    pub fn finding(code: Code, at: Access, other: Option<Access>) -> Finding {
        Finding { code, at, other, hits: 1, threads: Some(1), notes: Vec::new(), follows: None }
    }
}
