//! Pictures as data: a drawing is computed once, as a [`Scene`] of marks on a grid of character cells, and then
//! rendered as text for a terminal or as SVG for a page. Each scene has words that say the same, for those who
//! can't see it.
//!
//! - [`machine()`]: the parts of a computer with a GPU, with size, latency and bandwidth.
//! - [`accesses()`]: the lanes of a warp on the sectors of a buffer, or on the banks of shared memory.
//! - [`BufferShape`]: where in a whole buffer a warp is.
//! - [`elements()`]: which elements of an output are right.
//! - [`Reduction`]: how values are combined into one, pass by pass.
//! - [`Drawing`]: the facts that a finding's picture is drawn from: [`Race`], [`Outside`], [`AtBarrier`],
//!   [`Written`], [`Ways`], [`Sources`], [`Unordered`].
//! - [`Image`]: an image that a kernel computed, by brightness.
//! - [`roofline()`]: kernels below the limits of a GPU.
//! - [`gantt()`]: the timeline of the host and the streams, and what waits for what.
//! - [`memory()`]: the memory that a program obtained from CUDA, over time.

mod accesses;
mod drawing;
mod elements;
mod extent;
mod gantt;
mod image;
mod lanes;
mod lifetime;
mod machine;
mod memory;
mod on_buffer;
mod outside;
mod pauses;
mod race;
mod reduction;
mod roofline;
mod scene;
mod sources;
mod streams;
mod svg;
mod text;
mod written;

pub use accesses::{accesses, accesses_legend};
pub use drawing::Drawing;
pub use elements::{ElementState, elements};
pub use extent::Extent;
pub use gantt::{SpanRow, gantt, span_row};
pub use image::{Image, ImageForm};
pub use lanes::{AtBarrier, Ways};
pub use lifetime::Lifetime;
pub use machine::machine;
pub use memory::{bytes, memory};
pub use on_buffer::BufferShape;
pub use outside::{LaneElement, Outside};
pub use pauses::{covered, pauses, span_after_cuts, time_after_cuts};
pub use race::{Race, RaceSide};
pub use reduction::{Reduction, ReductionPass};
pub use roofline::{Kernel, Roofs, roofline};
pub use scene::{Align, Mark, Scene, Tone};
pub use sources::{InputUse, Sources};
pub use streams::{GivenWork, Unordered};
pub use svg::{STYLE, escape};
pub use written::Written;
