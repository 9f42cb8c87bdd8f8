//! Numerical libraries as programs call them: handles, argument checks, and the work that a call requests of
//! a GPU, as data ([`crate::device::library`]). On a simulated machine [`crate::device::compute`] executes
//! that work.

mod blas;
mod blas_ex;
mod blas_of_type;
mod cub;
mod cudnn;
mod fft;
mod gemm;
mod nccl;
mod rand;
mod structured;
mod vectors;

use super::call::{Call, Plain, Refusal, Row};
use super::runtime::handles::{Handles, STEP};
use crate::device::Site;
use sim::{Address, HandleKind};

/// The rows of all libraries.
pub(super) const FAMILIES: &[&[Row]] = &[
    blas::CALLS,
    blas_of_type::single::CALLS,
    blas_of_type::double::CALLS,
    blas_ex::CALLS,
    gemm::CALLS,
    gemm::single::CALLS,
    gemm::double::CALLS,
    gemm::halves::CALLS,
    structured::single::CALLS,
    structured::double::CALLS,
    vectors::CALLS,
    cub::CALLS,
    cudnn::CALLS,
    fft::CALLS,
    nccl::CALLS,
    rand::CALLS,
];

/// Where the handles of each kind begin, one step above it. They are no valid addresses: a program that dereferences
/// one is stopped.
const HANDLES: u64 = 0x6000_0000_0000;

/// The objects of the libraries that a program has created.
#[derive(Debug)]
pub struct Libraries {
    blas: Handles<blas::Handle>,
    /// The stream of each cuDNN handle.
    cudnn: Handles<u64>,
    /// cuDNN's descriptors; one that was not set is `None`.
    tensors: Handles<Option<cudnn::Tensor>>,
    filters: Handles<Option<cudnn::Filter>>,
    convolutions: Handles<Option<cudnn::Settings>>,
    fft: Handles<fft::Plan>,
    communicators: Handles<nccl::Member>,
    nccl: nccl::State,
    cub: cub::Algorithms,
}

impl Default for Libraries {
    fn default() -> Libraries {
        fn none<T>(kind: HandleKind) -> Handles<T> {
            Handles::new(kind, HANDLES + STEP)
        }
        Libraries {
            blas: none(HandleKind::Cublas),
            cudnn: none(HandleKind::Cudnn),
            tensors: none(HandleKind::TensorDescriptor),
            filters: none(HandleKind::FilterDescriptor),
            convolutions: none(HandleKind::ConvolutionDescriptor),
            fft: none(HandleKind::CufftPlan),
            communicators: none(HandleKind::Communicator),
            nccl: nccl::State::default(),
            cub: cub::Algorithms::default(),
        }
    }
}

impl Libraries {
    /// Returns the objects that the program has created and not destroyed: the site, the program's name and
    /// the kind of each.
    pub fn owned(&self) -> impl Iterator<Item = (&Site, Option<&str>, HandleKind)> {
        (self.blas.owned())
            .chain(self.cudnn.owned())
            .chain(self.tensors.owned())
            .chain(self.filters.owned())
            .chain(self.convolutions.owned())
            .chain(self.fft.owned())
            .chain(self.communicators.owned())
    }
}

/// Returns the object of a handle; `status` is that of a handle that stands for none.
fn object<T>(table: &mut Handles<T>, handle: u64, status: i32) -> Result<&mut T, Refusal> {
    table.get_mut(handle).ok_or(Refusal::Status(status))
}

/// Writes a call's result to where the program wants it; `failed` is the status if that is not possible.
fn answer(call: &mut Call, place: u64, value: impl Plain, failed: i32) -> Result<(), Refusal> {
    call.put(place, value).map_err(Refusal::or_status(failed))
}

/// Refuses a call with a status of the library where a condition holds.
fn refuse_if(holds: bool, status: i32) -> Result<(), Refusal> {
    if holds { Err(Refusal::Status(status)) } else { Ok(()) }
}

fn address(pointer: u64) -> Address {
    Address(pointer)
}
