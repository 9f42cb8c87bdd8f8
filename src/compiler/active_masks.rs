//! Detects `__activemask()` used as the mask of a function whose name ends in `_sync`. Such a function waits
//! for the lanes in its mask, whereas `__activemask()` returns the lanes that happen to have arrived (CUDA
//! C++ Programming Guide, "Warp Vote Functions": the mask must be known beforehand). A warning only, because
//! the code may intend that.

use super::{Diagnostic, Severity};
use cpp::Source;

const MESSAGE: &str = "__activemask() returns the lanes that happen to run here together, and nothing waits for the \
                       others: should the mask be those that must take part (0xffffffff for a whole warp)?";

/// Returns a warning, in the file named `file_name`, for the first such call of a source; it states how many
/// there are.
pub fn active_masks(source: &str, file_name: &str) -> Option<Diagnostic> {
    if !source.contains("__activemask") {
        return None;
    }
    let source = Source::new(source);
    let tokens = source.tokens();
    let mut calls = (3..tokens.count()).filter(|&at| {
        tokens.is(at, b"__activemask")
            && tokens.is(at - 1, b"(")
            && tokens.word(at - 2).starts_with(b"__")
            && (tokens.word(at - 2).ends_with(b"_sync") || tokens.is(at - 2, b"__syncwarp"))
            && !source.is_conditional(at)
    });
    let place = source.place_of(calls.next()?);
    let message = match calls.count() {
        0 => MESSAGE.to_owned(),
        more => format!("{MESSAGE} It is the mask of {} calls here.", more + 1),
    };
    Some(Diagnostic { severity: Severity::Warning, ..Diagnostic::error(file_name, place, message) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_of_those_who_are_here_is_asked_about() {
        let found = |body: &str| {
            let source = format!("__global__ void k(int *x) {{\n  {body}\n}}\n");
            active_masks(&source, "a.cu").map(|found| (found.line, found.column, found.message))
        };
        let one = found("x[0] = __shfl_down_sync(__activemask(), x[1], 16);");
        assert_eq!(one, Some((2, 27, MESSAGE.to_owned())));
        let (line, column, message) =
            found("__syncwarp(__activemask()); __syncwarp( __activemask() );").unwrap();
        assert!((line, column) == (2, 14) && message.ends_with("of 2 calls here."), "{message}");
        for fine in [
            "unsigned here = __activemask(); if (__ffs(here) - 1 == threadIdx.x % 32) atomicAdd(x, __popc(here));",
            "__syncwarp();",
            "x[0] = __popc(__activemask());",
            "// __syncwarp(__activemask());",
        ] {
            assert_eq!(found(fine), None, "{fine}");
        }
    }
}
