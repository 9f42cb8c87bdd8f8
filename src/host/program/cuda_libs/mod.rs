//! Numerical libraries as programs call them: handles, argument checks, and the work that a call requests of
//! a GPU, as data ([`crate::device::library`]). On a simulated machine [`crate::device::compute`] executes
//! that work.

mod blas;
mod blas_ex;
mod cub;
mod cudnn;
mod fft;
mod gemm;
mod nccl;
mod vectors;

use super::call::{Call, Plain, Row};
use super::runtime::handles::{Handles, STEP};
use crate::device::{Failure, Site};
use sim::{Address, Evidence, HandleKind};

/// The rows of all libraries.
pub(super) const FAMILIES: &[&[Row]] = &[
    blas::CALLS,
    blas::single::CALLS,
    blas::double::CALLS,
    blas_ex::CALLS,
    gemm::CALLS,
    gemm::single::CALLS,
    gemm::double::CALLS,
    gemm::halves::CALLS,
    vectors::CALLS,
    cub::CALLS,
    cudnn::CALLS,
    fft::CALLS,
    nccl::CALLS,
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

/// Why a library call did nothing: a status of the library, or a failure that may end the program.
enum Refusal {
    Status(i32),
    /// A status because of an argument, with what is wrong with it.
    Argument(i32, Box<Evidence>),
    Failure(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Failure(failure)
    }
}

/// Returns a call's status: 0 on success. CUDA's own errors become `failed`.
fn status(result: Result<(), Refusal>, failed: i32) -> Result<i32, Failure> {
    match result {
        Ok(()) => Ok(0),
        Err(Refusal::Status(status) | Refusal::Argument(status, _)) => Ok(status),
        Err(Refusal::Failure(Failure::Cuda(_))) => Ok(failed),
        Err(Refusal::Failure(failure)) => Err(failure),
    }
}

/// As [`status`], and records what is wrong with an argument.
fn status_with_reason(call: &mut Call, result: Result<(), Refusal>, failed: i32) -> Result<i32, Failure> {
    if let Err(Refusal::Argument(_, why)) = &result {
        call.runtime.errors.set_reason(Evidence::clone(why));
    }
    status(result, failed)
}

/// Writes a call's result to where the program wants it; `failed` is the status if that is not possible.
fn answer(call: &mut Call, place: u64, value: impl Plain, failed: i32) -> Result<i32, Failure> {
    status(call.put(place, value).map_err(Refusal::from), failed)
}

fn address(pointer: u64) -> Address {
    Address(pointer)
}
