//! Which output of a lesson's first case is shown as an image:
//!
//! ```toml
//! [image]
//! buffer = "out"                   # an output with two extents: rows and columns
//! pixels = "values"                # optional, as here: see Pixels
//! scale = "linear"                 # optional, as here: see Scale
//! next = "in"                      # optional, with rounds: the output becomes this input,
//! rounds = 80                      #   and the kernels run again, so many times in all
//! ```
//!
//! The image is drawn below a verdict and has no influence on it: what is right is determined by `reference`.

use super::keys::KeyErrors;
use super::{Buffer, KeyError, Spec};
use serde::{Deserialize, Serialize};

/// The table `[image]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ImageSpec {
    /// Name of the output buffer.
    pub buffer: String,
    #[serde(default)]
    pub pixels: Pixels,
    #[serde(default)]
    pub scale: Scale,
    /// Name of the input that is replaced by the output before the kernels run again.
    pub next: Option<String>,
    /// How many times the kernels run; once if left out.
    pub rounds: Option<u32>,
}

/// What a pixel shows.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Pixels {
    /// One element per pixel: the largest is the brightest.
    #[default]
    Values,
    /// One bit of an integer per pixel, bit 0 leftmost: 1 is bright.
    Bits,
}

/// How brightness grows from the smallest to the largest value.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    #[default]
    Linear,
    /// By the logarithm of 1 + (value - smallest): for counts, most of which are small.
    Logarithmic,
}

/// Largest number of pixels and of rounds: the image is drawn in a terminal after every check.
const MAX_PIXELS: usize = 1 << 16;
const MAX_ROUNDS: u32 = 1000;

/// Checks `[image]`, except for its sizes.
pub(super) fn problems(spec: &Spec, found: &mut KeyErrors) {
    let Some(image) = &spec.image else { return };
    let kernels = "only lessons whose kernels are launched by the tool have an image";
    found.unless(spec.is_of_kernels(), "image", kernels);
    let output = spec.buffer(&image.buffer).filter(|buffer| buffer.role.is_output());
    found.unless(output.is_some(), "image.buffer", "the name of an output is needed");
    let flat = output.is_none_or(|buffer| buffer.shape.len() == 2);
    found.unless(flat, "image.buffer", "an output with exactly two extents is needed: rows and columns");
    let bits = image.pixels == Pixels::Bits;
    let whole = output.is_none_or(|buffer| !buffer.ty.is_float());
    found.unless(!bits || whole, "image.pixels", "only whole numbers are shown bit by bit");
    found.unless(!bits || image.scale == Scale::Linear, "image.scale", "bits have no scale");
    found.unless(
        image.next.is_some() == image.rounds.is_some(),
        "image",
        "`next` and `rounds` are needed together",
    );
    if let Some(name) = &image.next {
        let same = |input: &Buffer| {
            let like = |output: &Buffer| input.ty == output.ty && input.shape == output.shape;
            input.role.is_input() && output.is_none_or(like)
        };
        let fits = spec.buffer(name).is_some_and(same);
        found.unless(fits, "image.next", "an input with the type and the shape of the output is needed");
    }
    let rounds = image.rounds.unwrap_or(1);
    found.unless(
        (1..=MAX_ROUNDS).contains(&rounds),
        "image.rounds",
        format!("1 to {MAX_ROUNDS} are allowed"),
    );
}

/// Returns an error if the image is too large, for a lesson without other errors.
pub(super) fn too_large(spec: &Spec) -> Option<KeyError> {
    let image = spec.image.as_ref()?;
    let output = spec.buffer_index(&image.buffer)?;
    let elements: usize = spec.sized(spec.cases.first()?).ok()?.shapes.get(output)?.iter().product();
    let pixels = elements.saturating_mul(image.pixels.of_element(&spec.buffers[output]));
    (pixels > MAX_PIXELS).then(|| KeyError {
        key: "image".into(),
        message: format!("{pixels} pixels in the first case, more than {MAX_PIXELS}"),
    })
}

impl Pixels {
    /// Returns the number of pixels per element.
    pub fn of_element(self, buffer: &Buffer) -> usize {
        match self {
            Pixels::Values => 1,
            Pixels::Bits => 8 * buffer.ty.bytes(),
        }
    }
}
