//! Pictures as data: what is drawn is worked out once, as a [`Scene`] of marks on a grid of character cells, and
//! then put out as text for a terminal or as SVG for a page. Each scene has words that say the same, for those who
//! don't see it.
//!
//! - [`machine()`]: the parts of a computer with a GPU, with size, latency and bandwidth.
//! - [`accesses()`]: the lanes of a warp on the sectors of a buffer, or on the banks of shared memory.

mod accesses;
mod machine;
mod scene;
mod svg;
mod text;

pub use accesses::accesses;
pub use machine::machine;
pub use scene::{Align, Mark, Scene, Tone};
pub use svg::{STYLE, escape};
