//! Numerical libraries as programs call them: handles, argument checks, and the work that a call requests of
//! a GPU, as data ([`crate::device::library`]). On a simulated machine [`crate::device::compute`] executes
//! that work.

mod blas;
mod blas_ex;
mod cudnn;
mod fft;
mod gemm;
mod nccl;
mod vectors;

use super::call::{Call, Plain, Row};
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
    cudnn::CALLS,
    fft::CALLS,
    nccl::CALLS,
];

/// The objects of the libraries that a program has created.
#[derive(Debug, Default)]
pub struct Libraries {
    blas: Table<blas::Handle>,
    cudnn: cudnn::Objects,
    fft: Table<fft::Plan>,
    nccl: nccl::Communicators,
}

impl Libraries {
    /// Returns the objects that the program has created and not destroyed: the site, the program's name and
    /// the kind of each.
    pub fn owned(&self) -> Vec<(&Site, Option<&str>, HandleKind)> {
        fn all<T>(
            table: &Table<T>,
            kind: HandleKind,
        ) -> impl Iterator<Item = (&Site, Option<&str>, HandleKind)> {
            table.owned().map(move |(site, name)| (site, name, kind))
        }
        let cudnn = &self.cudnn;
        all(&self.blas, HandleKind::Cublas)
            .chain(all(&cudnn.handles, HandleKind::Cudnn))
            .chain(all(&cudnn.tensors, HandleKind::TensorDescriptor))
            .chain(all(&cudnn.filters, HandleKind::FilterDescriptor))
            .chain(all(&cudnn.convolutions, HandleKind::ConvolutionDescriptor))
            .chain(all(&self.fft, HandleKind::CufftPlan))
            .chain(all(&self.nccl.members, HandleKind::Communicator))
            .collect()
    }
}

impl Call<'_> {
    /// Adds an object of a library, created by this call, and returns its handle.
    fn make_object<T>(&mut self, table: fn(&mut Libraries) -> &mut Table<T>, object: T) -> u64 {
        let made = (self.site.clone(), self.named(0));
        table(&mut self.runtime.libraries).insert(object, made)
    }
}

/// First handle. Handles are no valid addresses: a program that dereferences one is stopped.
const FIRST_HANDLE: u64 = 0x6000_0000_0000;

/// Objects by handle. A handle is never reused.
#[derive(Debug)]
struct Table<T> {
    objects: Vec<Option<T>>,
    /// Where each was created, and the program's name for it.
    made: Vec<(Site, Option<String>)>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { objects: Vec::new(), made: Vec::new() }
    }
}

impl<T> Table<T> {
    fn insert(&mut self, object: T, made: (Site, Option<String>)) -> u64 {
        self.objects.push(Some(object));
        self.made.push(made);
        FIRST_HANDLE + 64 * self.objects.len() as u64
    }

    /// Returns the site and the program's name of each object that was not destroyed.
    fn owned(&self) -> impl Iterator<Item = (&Site, Option<&str>)> {
        let alive = self.objects.iter().zip(&self.made).filter(|(object, _)| object.is_some());
        alive.map(|(_, (site, name))| (site, name.as_deref()))
    }

    fn slot(&mut self, handle: u64) -> Option<&mut Option<T>> {
        let offset = handle.checked_sub(FIRST_HANDLE).filter(|offset| offset % 64 == 0)?;
        self.objects.get_mut((offset / 64).checked_sub(1)? as usize)
    }

    fn get(&mut self, handle: u64) -> Option<&mut T> {
        self.slot(handle)?.as_mut()
    }

    fn remove(&mut self, handle: u64) -> Option<T> {
        self.slot(handle)?.take()
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
