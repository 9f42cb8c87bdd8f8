//! Numerical libraries as programs call them: handles, argument checks, and what a call asks of a
//! GPU, as data ([`crate::device::library`]). On a simulated machine [`crate::device::compute`] does it.

mod blas;
mod blas_ex;
mod cudnn;
mod gemm;
mod nccl;
mod vectors;

use super::call::{Call, Plain, Row};
use crate::device::Failure;
use sim::Address;

/// Every row of the libraries.
pub(super) const FAMILIES: &[&[Row]] = &[
    blas::CALLS,
    blas::single::CALLS,
    blas::double::CALLS,
    blas_ex::CALLS,
    gemm::CALLS,
    gemm::single::CALLS,
    gemm::double::CALLS,
    vectors::CALLS,
    cudnn::CALLS,
    nccl::CALLS,
];

/// What programs have made of the libraries' objects.
#[derive(Debug, Default)]
pub struct Libraries {
    blas: Table<blas::Handle>,
    cudnn: cudnn::Objects,
    nccl: nccl::Communicators,
}

/// Handles stand for objects by numbers that are no addresses: a program that follows one is stopped.
const FIRST_HANDLE: u64 = 0x6000_0000_0000;

/// Objects by handle. A handle is never given twice.
#[derive(Debug)]
struct Table<T> {
    objects: Vec<Option<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { objects: Vec::new() }
    }
}

impl<T> Table<T> {
    fn insert(&mut self, object: T) -> u64 {
        self.objects.push(Some(object));
        FIRST_HANDLE + 64 * self.objects.len() as u64
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

/// Why a call of a library did nothing: a status of its own, or what ends the program.
enum Refusal {
    Status(i32),
    Failure(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Failure(failure)
    }
}

/// A call's status: 0 when it was done. CUDA's own errors become `failed`.
fn status(result: Result<(), Refusal>, failed: i32) -> Result<i32, Failure> {
    match result {
        Ok(()) => Ok(0),
        Err(Refusal::Status(status)) => Ok(status),
        Err(Refusal::Failure(Failure::Cuda(_))) => Ok(failed),
        Err(Refusal::Failure(failure)) => Err(failure),
    }
}

/// Puts a call's answer where the program wants it; `failed` is the status where it can't be put.
fn answer(call: &mut Call, place: u64, value: impl Plain, failed: i32) -> Result<i32, Failure> {
    status(call.put(place, value).map_err(Refusal::from), failed)
}

fn address(pointer: u64) -> Address {
    Address(pointer)
}
