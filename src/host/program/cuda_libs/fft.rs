//! cuFFT: plans, and their execution (cuFFT API).

use super::{HANDLES, address, answer, object, refuse_if};
use crate::device::ElementType;
use crate::device::library::{Fourier, FourierKind, FourierSide};
use crate::device::{Library, Work};
use crate::program::call::{Call, Done, Refusal, calls};
use crate::program::runtime::errors::Status;
use crate::program::runtime::handles::STEP;

/// `cufftResult`.
const INVALID_PLAN: i32 = 1;
const INVALID_TYPE: i32 = 3;
const INVALID_VALUE: i32 = 4;
const EXEC_FAILED: i32 = 6;
const INVALID_SIZE: i32 = 8;

/// Most elements of one transform, whose index is an `int`.
const MAX_NUMBERS: u64 = 1 << 27;

/// A complex transform, before its direction is known.
const COMPLEX: FourierKind = FourierKind::Complex { inverse: false };

/// `cufftType`, each with the element type and the kind of transform.
const TYPES: [(i32, ElementType, FourierKind); 6] = [
    (0x2a, ElementType::F32, FourierKind::RealToComplex),
    (0x2c, ElementType::F32, FourierKind::ComplexToReal),
    (0x29, ElementType::F32, COMPLEX),
    (0x6a, ElementType::F64, FourierKind::RealToComplex),
    (0x6c, ElementType::F64, FourierKind::ComplexToReal),
    (0x69, ElementType::F64, COMPLEX),
];

/// `CUFFT_FORWARD`, `CUFFT_INVERSE`.
const FORWARD: i32 = -1;
const INVERSE: i32 = 1;

/// The data layout passed to `cufftPlanMany`; without one, data is dense.
#[derive(Clone, Copy, Debug)]
struct Embedded {
    embed: [u64; 2],
    stride: u64,
    distance: u64,
}

/// The transforms that a plan executes.
#[derive(Clone, Copy, Debug)]
struct Shape {
    element: ElementType,
    way: FourierKind,
    /// Extents of the axes, the slowest first; unused ones are 1.
    extents: [u64; 3],
    batch: u64,
    /// Layouts of input and output.
    embedded: [Option<Embedded>; 2],
}

/// A plan: it has no shape until `cufftMakePlan…` sets one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    shape: Option<Shape>,
    stream: u64,
}

/// Name and description of a `cufftResult`.
pub(super) fn describe_status(status: i32) -> Status {
    let (name, text) = match status {
        INVALID_PLAN => ("CUFFT_INVALID_PLAN", "the handle is not that of a plan"),
        INVALID_TYPE => ("CUFFT_INVALID_TYPE", "the plan is for numbers of different types"),
        INVALID_VALUE => ("CUFFT_INVALID_VALUE", "an argument has an invalid value"),
        EXEC_FAILED => ("CUFFT_EXEC_FAILED", "the transform failed on the GPU"),
        INVALID_SIZE => ("CUFFT_INVALID_SIZE", "a size is not one that can be transformed"),
        _ => ("CUFFT_INTERNAL_ERROR", "an internal operation failed"),
    };
    Status { name, text }
}

/// Converts a plan's handle, an `int`, to the handle in the table.
fn placed(handle: i32) -> u64 {
    HANDLES.wrapping_add_signed(STEP as i64 * i64::from(handle))
}

fn plan<'r>(call: &'r mut Call, handle: i32) -> Result<&'r mut Plan, Refusal> {
    object(&mut call.runtime.libraries.fft, placed(handle), INVALID_PLAN)
}

/// Returns an extent or a number of transforms, of which there is at least one.
fn positive(number: i32) -> Result<u64, Refusal> {
    u64::try_from(number).ok().filter(|number| *number > 0).ok_or(Refusal::Status(INVALID_SIZE))
}

fn shape(extents: &[i32], kind: i32, batch: i32) -> Result<Shape, Refusal> {
    let &(_, element, way) =
        TYPES.iter().find(|(number, ..)| *number == kind).ok_or(Refusal::Status(INVALID_TYPE))?;
    let mut all = [1; 3];
    for (slot, &extent) in all[3 - extents.len().min(3)..].iter_mut().zip(extents) {
        *slot = positive(extent)?;
    }
    let numbers = all.iter().try_fold(1u64, |product, extent| product.checked_mul(*extent));
    let batch = positive(batch)?;
    refuse_if(numbers.is_none_or(|numbers| numbers > MAX_NUMBERS), INVALID_SIZE)?;
    Ok(Shape { element, way, extents: all, batch, embedded: [None; 2] })
}

impl Shape {
    /// Returns the layout of one side: the one passed to the plan, else dense. In an in-place transform, the
    /// rows of the real side are as long as those of the complex one (cuFFT API, "Data Layout").
    fn side(&self, pointer: u64, output: bool, in_place: bool) -> FourierSide {
        let at = address(pointer);
        if let Some(Embedded { embed, stride, distance }) = self.embedded[usize::from(output)] {
            return FourierSide { at, embed, stride, distance };
        }
        let [planes, rows, columns] = self.extents;
        let half = columns / 2 + 1;
        let columns = match (self.way, output) {
            (FourierKind::Complex { .. }, _) => columns,
            (FourierKind::RealToComplex, true) | (FourierKind::ComplexToReal, false) => half,
            _ if in_place => 2 * half,
            _ => columns,
        };
        FourierSide { at, embed: [rows, columns], stride: 1, distance: planes * rows * columns }
    }
}

/// Creates a plan for a shape and writes its handle to `handle`.
fn make(call: &mut Call, handle: u64, shape: Option<Shape>) -> Result<(), Refusal> {
    let object = call.make_object(|runtime| &mut runtime.libraries.fft, Plan { shape, stream: 0 });
    answer(call, handle, ((object - HANDLES) / STEP) as i32, INVALID_VALUE)
}

/// Sets the shape of a plan made by `cufftCreate`; the workspace needs no bytes here.
fn fill(call: &mut Call, handle: i32, work_bytes: u64, shape: Shape) -> Result<(), Refusal> {
    plan(call, handle)?.shape = Some(shape);
    answer(call, work_bytes, 0u64, INVALID_VALUE)
}

/// The arguments of `cufftPlanMany` after the plan.
struct PlanManyArguments {
    rank: i32,
    extents: u64,
    /// Input and output: embedding, stride, distance.
    sides: [(u64, i32, i32); 2],
    kind: i32,
    batch: i32,
}

impl PlanManyArguments {
    fn shape(&self, call: &mut Call) -> Result<Shape, Refusal> {
        let rank = usize::try_from(self.rank).ok().filter(|rank| (1..=3).contains(rank));
        let rank = rank.ok_or(Refusal::Status(INVALID_SIZE))?;
        let mut numbers = |array: u64| -> Result<Vec<i32>, Refusal> {
            let number =
                |n| call.get::<i32>(array.wrapping_add(4 * n)).map_err(Refusal::or_status(INVALID_VALUE));
            (0..rank as u64).map(number).collect()
        };
        let mut made = shape(&numbers(self.extents)?, self.kind, self.batch)?;
        for (slot, &(embed, stride, distance)) in made.embedded.iter_mut().zip(&self.sides) {
            // A side without an embedding is dense, whatever else is specified for it.
            if embed == 0 {
                continue;
            }
            let all = numbers(embed)?;
            let size = |number: i32| u64::try_from(number).map_err(|_| Refusal::Status(INVALID_VALUE));
            let inner = |back: usize| {
                all.len().checked_sub(back).filter(|at| *at > 0).map_or(Ok(1), |at| size(all[at]))
            };
            // With a single axis the embedding is ignored.
            *slot = Some(Embedded {
                embed: [inner(2)?, inner(1)?],
                stride: size(stride)?,
                distance: size(distance)?,
            });
        }
        Ok(made)
    }
}

/// Submits a transform to its plan's stream.
fn execute(
    call: &mut Call,
    handle: i32,
    (element, way): (ElementType, FourierKind),
    [input, output]: [u64; 2],
    direction: i32,
) -> Result<(), Refusal> {
    let Plan { shape, stream } = *plan(call, handle)?;
    let shape = shape.ok_or(Refusal::Status(INVALID_PLAN))?;
    refuse_if((shape.element, shape.way) != (element, way), INVALID_TYPE)?;
    refuse_if(input == 0 || output == 0 || !matches!(direction, FORWARD | INVERSE), INVALID_VALUE)?;
    let in_place = input == output;
    let kind = match way {
        FourierKind::Complex { .. } => FourierKind::Complex { inverse: direction == INVERSE },
        real => real,
    };
    let transform = Fourier {
        kind,
        element,
        extents: shape.extents,
        batch: shape.batch,
        input: shape.side(input, false, in_place),
        output: shape.side(output, true, in_place),
    };
    Ok(call.submit(stream, Work::Library(Library::Fourier(transform)))?)
}

calls! {
    refusals(describe_status, EXEC_FAILED);

    /// Returns the release whose interface the headers declare.
    fn cufftGetVersion(call, version: u64) -> Done {
        answer(call, version, 11_400i32, INVALID_VALUE)
    }

    /// Creates a plan for one-dimensional transforms, `batch` of them, stored one after the other.
    fn cufftPlan1d(call, handle: u64, columns: i32, kind: i32, batch: i32) -> Done {
        make(call, handle, Some(shape(&[columns], kind, batch)?))
    }

    /// Creates a plan for a two-dimensional transform; the second axis is the innermost.
    fn cufftPlan2d(call, handle: u64, rows: i32, columns: i32, kind: i32) -> Done {
        make(call, handle, Some(shape(&[rows, columns], kind, 1)?))
    }

    /// Creates a plan for a three-dimensional transform.
    fn cufftPlan3d(call, handle: u64, planes: i32, rows: i32, columns: i32, kind: i32) -> Done {
        make(call, handle, Some(shape(&[planes, rows, columns], kind, 1)?))
    }

    /// Creates a plan for many transforms with a given data layout.
    fn cufftPlanMany(
        call, handle: u64, rank: i32, extents: u64, in_embed: u64, in_stride: i32, in_distance: i32, out_embed: u64,
        out_stride: i32, out_distance: i32, kind: i32, batch: i32,
    ) -> Done {
        let sides = [(in_embed, in_stride, in_distance), (out_embed, out_stride, out_distance)];
        let shape = PlanManyArguments { rank, extents, sides, kind, batch }.shape(call)?;
        make(call, handle, Some(shape))
    }

    /// Creates a plan whose shape is set later.
    fn cufftCreate(call, handle: u64) -> Done {
        make(call, handle, None)
    }

    /// As cufftPlan1d, for an existing plan.
    fn cufftMakePlan1d(call, handle: i32, columns: i32, kind: i32, batch: i32, work_bytes: u64) -> Done {
        fill(call, handle, work_bytes, shape(&[columns], kind, batch)?)
    }

    /// As cufftPlan2d, for an existing plan.
    fn cufftMakePlan2d(call, handle: i32, rows: i32, columns: i32, kind: i32, work_bytes: u64) -> Done {
        fill(call, handle, work_bytes, shape(&[rows, columns], kind, 1)?)
    }

    /// As cufftPlan3d, for an existing plan.
    fn cufftMakePlan3d(
        call, handle: i32, planes: i32, rows: i32, columns: i32, kind: i32, work_bytes: u64,
    ) -> Done {
        fill(call, handle, work_bytes, shape(&[planes, rows, columns], kind, 1)?)
    }

    /// As cufftPlanMany, for an existing plan.
    fn cufftMakePlanMany(
        call, handle: i32, rank: i32, extents: u64, in_embed: u64, in_stride: i32, in_distance: i32, out_embed: u64,
        out_stride: i32, out_distance: i32, kind: i32, batch: i32, work_bytes: u64,
    ) -> Done {
        let sides = [(in_embed, in_stride, in_distance), (out_embed, out_stride, out_distance)];
        let shape = PlanManyArguments { rank, extents, sides, kind, batch }.shape(call)?;
        fill(call, handle, work_bytes, shape)
    }

    /// Destroys a plan.
    fn cufftDestroy(call, handle: i32) -> Done {
        let destroyed = call.runtime.libraries.fft.destroy(placed(handle), &call.site);
        destroyed.map(drop).ok_or(Refusal::Status(INVALID_PLAN))
    }

    /// Sets the stream of later transforms.
    fn cufftSetStream(call, handle: i32, stream: u64) -> Done {
        call.stream(stream).map_err(Refusal::or_status(INVALID_VALUE))?;
        plan(call, handle)?.stream = stream;
        Ok(())
    }

    /// Transforms complex to complex, in single precision.
    fn cufftExecC2C(call, handle: i32, input: u64, output: u64, direction: i32) -> Done {
        execute(call, handle, (ElementType::F32, COMPLEX), [input, output], direction)
    }

    /// Transforms complex to complex, in double precision.
    fn cufftExecZ2Z(call, handle: i32, input: u64, output: u64, direction: i32) -> Done {
        execute(call, handle, (ElementType::F64, COMPLEX), [input, output], direction)
    }

    /// Transforms real to complex (half a spectrum), in single precision.
    fn cufftExecR2C(call, handle: i32, input: u64, output: u64) -> Done {
        execute(call, handle, (ElementType::F32, FourierKind::RealToComplex), [input, output], FORWARD)
    }

    /// Transforms real to complex (half a spectrum), in double precision.
    fn cufftExecD2Z(call, handle: i32, input: u64, output: u64) -> Done {
        execute(call, handle, (ElementType::F64, FourierKind::RealToComplex), [input, output], FORWARD)
    }

    /// Transforms complex (half a spectrum) to real, in single precision.
    fn cufftExecC2R(call, handle: i32, input: u64, output: u64) -> Done {
        execute(call, handle, (ElementType::F32, FourierKind::ComplexToReal), [input, output], INVERSE)
    }

    /// Transforms complex (half a spectrum) to real, in double precision.
    fn cufftExecZ2D(call, handle: i32, input: u64, output: u64) -> Done {
        execute(call, handle, (ElementType::F64, FourierKind::ComplexToReal), [input, output], INVERSE)
    }
}
