//! cuFFT: Fourier transforms of up to three axes.

use super::{Name, Shared, call, small};
use crate::ElementType;
use crate::direct::work::Stream;
use crate::direct::{Direct, Result};
use crate::library::{Fourier, FourierKind, FourierSide};
use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

type Pointer = *mut c_void;

/// The properties that a plan is created for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    /// `cufftType`
    kind: c_int,
    /// One to three extents, slowest axis first.
    extents: Vec<c_int>,
    batch: c_int,
    /// Input and output: the storage extents, the distance in elements from one element to the next, and from
    /// one transform to the next.
    sides: [(Vec<c_int>, c_int, c_int); 2],
}

impl Shape {
    fn of(call: &Fourier) -> Result<Shape> {
        let kind = match (call.kind, call.element == ElementType::F64) {
            (FourierKind::RealToComplex, false) => R2C,
            (FourierKind::ComplexToReal, false) => C2R,
            (FourierKind::Complex { .. }, false) => C2C,
            (FourierKind::RealToComplex, true) => D2Z,
            (FourierKind::ComplexToReal, true) => Z2D,
            (FourierKind::Complex { .. }, true) => Z2Z,
        };
        // Absent axes come first; the innermost axis is always present.
        let first = call.extents.iter().take(2).take_while(|extent| **extent == 1).count();
        let side = |side: &FourierSide| {
            // The storage extent of the outermost axis is ignored by cuFFT.
            let embed = small([call.extents[0], side.embed[0], side.embed[1]])?;
            let [stride, distance] = small([side.stride, side.distance])?;
            Ok((embed[first..].to_vec(), stride, distance))
        };
        let (extents, [batch]) = (small(call.extents)?[first..].to_vec(), small([call.batch])?);
        Ok(Shape { kind, extents, batch, sides: [side(&call.input)?, side(&call.output)?] })
    }
}

/// `cufftType`
const R2C: c_int = 0x2a;
const C2R: c_int = 0x2c;
const C2C: c_int = 0x29;
const D2Z: c_int = 0x6a;
const Z2D: c_int = 0x6c;
const Z2Z: c_int = 0x69;
/// `CUFFT_FORWARD`, `CUFFT_INVERSE`
const FORWARD: c_int = -1;
const INVERSE: c_int = 1;

pub struct Fft {
    shared: Shared,
    /// Plans by device and shape, kept because creating one takes longer than using it.
    plans: HashMap<(u32, Shape), c_int>,
}

impl Fft {
    /// Opens the library.
    ///
    /// # Errors
    ///
    /// Fails if it is not installed.
    pub fn open(direct: &Direct) -> Result<Fft> {
        Ok(Fft { shared: Shared::open(Name::Fft, direct.machine().driver.0)?, plans: HashMap::new() })
    }

    /// Forgets the plans of a device whose context no longer exists.
    pub fn forget(&mut self, device: u32) {
        self.plans.retain(|(its, _), _| *its != device);
    }

    fn plan(&mut self, device: u32, shape: &Shape) -> Result<c_int> {
        if let Some(&plan) = self.plans.get(&(device, shape.clone())) {
            return Ok(plan);
        }
        let mut its = shape.clone();
        let mut plan: c_int = 0;
        let rank = its.extents.len() as c_int;
        let [(in_embed, in_stride, in_distance), (out_embed, out_stride, out_distance)] = &mut its.sides;
        call!(self.shared, c"cufftPlanMany",
            (*mut c_int, c_int, *mut c_int, *mut c_int, c_int, c_int, *mut c_int, c_int, c_int, c_int, c_int);
            &mut plan, rank, its.extents.as_mut_ptr(), in_embed.as_mut_ptr(), *in_stride, *in_distance,
            out_embed.as_mut_ptr(), *out_stride, *out_distance, its.kind, its.batch
        )?;
        self.plans.insert((device, shape.clone()), plan);
        Ok(plan)
    }

    /// Enqueues the transform in a stream.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the library refuses the shape or has no memory for its plan.
    pub fn transform(&mut self, direct: &mut Direct, stream: Stream, call: &Fourier) -> Result<()> {
        let shape = Shape::of(call)?;
        direct.enter(stream.device)?;
        let plan = self.plan(stream.device, &shape)?;
        call!(self.shared, c"cufftSetStream", (c_int, Pointer); plan, stream.handle as Pointer)?;
        let [input, output] = [call.input.at, call.output.at]
            .map(|at| -> Pointer { ptr::with_exposed_provenance_mut(at.0 as usize) });
        let real = match shape.kind {
            R2C => c"cufftExecR2C",
            C2R => c"cufftExecC2R",
            D2Z => c"cufftExecD2Z",
            Z2D => c"cufftExecZ2D",
            kind => {
                let name = if kind == C2C { c"cufftExecC2C" } else { c"cufftExecZ2Z" };
                let inverse = call.kind == FourierKind::Complex { inverse: true };
                let direction = if inverse { INVERSE } else { FORWARD };
                return call!(self.shared, name, (c_int, Pointer, Pointer, c_int); plan, input, output, direction);
            }
        };
        call!(self.shared, real, (c_int, Pointer, Pointer); plan, input, output)
    }
}
