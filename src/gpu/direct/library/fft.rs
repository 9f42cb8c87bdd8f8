//! cuFFT: Fourier transforms of up to three axes.

use super::{Name, Shared, call};
use crate::direct::work::Stream;
use crate::direct::{Direct, Result};
use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

type Pointer = *mut c_void;

/// The properties that a plan is created for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// `cufftType`
    pub kind: i32,
    /// One to three extents, slowest axis first.
    pub extents: Vec<i32>,
    pub batch: i32,
    /// Input and output: the storage extents, the distance in elements from one element to the next, and from
    /// one transform to the next.
    pub sides: [(Vec<i32>, i32, i32); 2],
}

/// A transform.
#[derive(Clone, Debug)]
pub struct Transform {
    pub shape: Shape,
    pub input: u64,
    pub output: u64,
    /// `CUFFT_FORWARD` or `CUFFT_INVERSE`.
    pub direction: i32,
}

/// `CUFFT_R2C`, `CUFFT_C2R`, `CUFFT_C2C`, `CUFFT_D2Z`, `CUFFT_Z2D`; `CUFFT_Z2Z` is the remaining one.
const R2C: i32 = 0x2a;
const C2R: i32 = 0x2c;
const C2C: i32 = 0x29;
const D2Z: i32 = 0x6a;
const Z2D: i32 = 0x6c;

pub struct Fft {
    shared: Shared,
    /// Plans by device and shape, kept because creating one takes longer than using it.
    plans: HashMap<(u32, Shape), c_int>,
}

impl Fft {
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
    pub fn transform(&mut self, direct: &mut Direct, stream: Stream, asked: &Transform) -> Result<()> {
        direct.enter(stream.device)?;
        let plan = self.plan(stream.device, &asked.shape)?;
        call!(self.shared, c"cufftSetStream", (c_int, Pointer); plan, stream.handle as Pointer)?;
        let (input, output) = (
            ptr::with_exposed_provenance_mut(asked.input as usize),
            ptr::with_exposed_provenance_mut(asked.output as usize),
        );
        let real = match asked.shape.kind {
            R2C => Some(c"cufftExecR2C"),
            C2R => Some(c"cufftExecC2R"),
            D2Z => Some(c"cufftExecD2Z"),
            Z2D => Some(c"cufftExecZ2D"),
            _ => None,
        };
        if let Some(name) = real {
            return call!(self.shared, name, (c_int, Pointer, Pointer); plan, input, output);
        }
        let name = if asked.shape.kind == C2C { c"cufftExecC2C" } else { c"cufftExecZ2Z" };
        call!(self.shared, name, (c_int, Pointer, Pointer, c_int); plan, input, output, asked.direction)
    }
}
