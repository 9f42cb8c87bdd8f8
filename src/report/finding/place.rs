//! Where an access was made: the line of the learner's file, and the thread.

use crate::about::About;
use sim::{Access, Dim3, SourceLocation};

/// Returns whether two paths have the same last component: locations name files as they were passed to the
/// compiler.
pub fn same_file(a: &str, b: &str) -> bool {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
    name(a) == name(b)
}

/// Returns the line of an access if it is in the learner's file.
pub fn own_line(access: &Access, about: &About) -> Option<u32> {
    own_location(access, about).map(|at| at.line)
}

/// Returns the location of an access if it is in the learner's file.
pub fn own_location<'a>(access: &'a Access, about: &About) -> Option<&'a SourceLocation> {
    access.location.as_ref().filter(|at| same_file(&at.file, about.file))
}

pub fn xyz(at: Dim3) -> [u32; 3] {
    [at.x, at.y, at.z]
}

/// Formats `thread 5 of block 2`. Block 0 is omitted unless another block is involved.
pub fn who(thread: Dim3, block: Dim3, about: &About) -> String {
    let thread = index(thread, about.thread_dims);
    match block_named(block, about) {
        None => format!("thread {thread}"),
        Some(block) => format!("thread {thread} of {block}"),
    }
}

/// Formats `block 2`, as far as [`who`] names it.
pub fn block_named(block: Dim3, about: &About) -> Option<String> {
    let is_first = matches!(block, Dim3 { x: 0, y: 0, z: 0 });
    (!is_first || about.every_block).then(|| format!("block {}", index(block, about.block_dims)))
}

pub fn index(at: Dim3, dims: usize) -> String {
    match (dims, at) {
        (_, Dim3 { z: 1.., .. }) | (3.., _) => format!("({}, {}, {})", at.x, at.y, at.z),
        (_, Dim3 { y: 1.., .. }) | (2, _) => format!("({}, {})", at.x, at.y),
        _ => at.x.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbered_in_the_launch_dimensions() {
        assert_eq!(index(Dim3::new(5, 0, 0), 1), "5");
        assert_eq!(index(Dim3::new(5, 0, 0), 2), "(5, 0)");
        assert_eq!(index(Dim3::new(5, 1, 0), 1), "(5, 1)");
        assert_eq!(index(Dim3::new(5, 0, 2), 1), "(5, 0, 2)");
    }
}
