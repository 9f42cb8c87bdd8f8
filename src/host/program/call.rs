//! Calls of CUDA functions that a program does not define: one row for each function.
//!
//! A row is written with `calls!`:
//!
//! ```text
//! calls! {
//!     /// Device memory of a size.
//!     fn cudaMalloc(call, pointer: u64, bytes: u64) {
//!         let address = call.allocate(Kind::Device, bytes)?;
//!         call.put(pointer, address)
//!     }
//! }
//! ```
//!
//! Parameters are decoded from the bytes that PTX passes: integers, floats, pointers as `u64`, and structures
//! as types that implement [`Argument`]. One body may have several names,
//! `fn cudaDeviceSynchronize, cudaThreadSynchronize(call) { … }`. Where only the one that ends in `Async` is given a
//! stream, that is the last parameter, an `Option<u64>`: `fn cudaMemcpy3D, cudaMemcpy3DAsync(call, …, stream:
//! Option<u64>)`. A row without a result type returns a
//! `cudaError_t`: its body is a `Result<()>`, and a CUDA error becomes the number that the program
//! gets. What is special about a function precedes it in brackets: `[Purpose(Frees), UnsafeInCapture]`. In a
//! library's file, `refusals(…);` comes first, with a [`DescribeStatus`] and the status that stands for CUDA's own
//! errors. Rows with the result `Done` return a status of the library: their body is a `Result<(), Refusal>`.

use super::runtime::Runtime;
use super::runtime::errors::Status;
use super::thread::HostThread;
use crate::device::{CudaError, Failure, Gpus, Host, Result, Site, WaitTarget, fail_if};
use sim::{Access, AccessKind, Address, CallPurpose, Dim3, Evidence, Function, Request, host_part};
use std::ops::Range;

/// A function that programs can call.
#[derive(Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub facts: &'static [Fact],
    /// Facts of a function of the driver in addition to those of the runtime's function that it stands for.
    pub of_driver: &'static [Fact],
    pub returns: Returns,
    /// Set in the files of libraries.
    pub describe_status: Option<DescribeStatus>,
    /// Runs the call and returns the bits of its result, sign-extended as in C.
    pub run: fn(&mut Call, &mut Arguments) -> Result<u64>,
}

/// Something special about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// What findings say that it does.
    Purpose(CallPurpose),
    /// Allocates memory, and writes its address to where the first argument points.
    FillsPointer,
    /// Needs no context on the current device. Every other call creates the context first (CUDA runtime API,
    /// "Initialization").
    WithoutContext,
    /// Needs the driver to be initialised, by `cuInit` or by the runtime.
    Initialised,
    /// Needs a current context.
    InContext,
    /// Resets the device: it runs even if the context is lost.
    Resets,
    /// A capture forbids it unless its mode is relaxed: it may wait for captured work.
    UnsafeInCapture,
    /// Every capture forbids it.
    NeverInCapture,
    /// The first of the two calls that a `<<<>>>` compiles to, which is no call of its own.
    BeginsLaunch,
    /// The second of them.
    EndsLaunch,
    /// Launches a kernel, and returns whether that is refused.
    Launches,
    /// Returns the last error.
    AsksForError,
    /// "Not ready" is an error and not an answer.
    NeedsReady,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// A `cudaError_t`.
    CudaError,
    /// In a library, a status.
    Int,
    Value,
}

/// Describes a status of a library that is an error.
pub type DescribeStatus = fn(i32) -> Status;

impl Row {
    pub fn is(&self, fact: Fact) -> bool {
        self.facts.contains(&fact) || self.of_driver.contains(&fact)
    }

    pub fn returns_cuda_error(&self) -> bool {
        self.returns == Returns::CudaError
    }

    /// Returns whether an error of it is the runtime's last error, as one of the driver's or of CUB is not.
    pub fn sets_last_error(&self) -> bool {
        let of_driver = self.name.strip_prefix("cu").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        self.returns_cuda_error() && !of_driver && !self.name.starts_with("cub")
    }

    /// Returns whether the result says whether the call succeeded.
    pub fn returns_status(&self) -> bool {
        self.returns_cuda_error() || self.returns == Returns::Int && self.describe_status.is_some()
    }

    /// Returns the name that the source uses: the headers of libraries map some to names that end in `_v2`.
    pub fn name_in_source(&self) -> &'static str {
        let its = self.describe_status.and_then(|_| self.name.strip_suffix("_v2"));
        its.unwrap_or(self.name)
    }

    /// Returns the request that a call is.
    pub fn request(&self) -> Request {
        let purpose = self.facts.iter().find_map(|fact| match fact {
            Fact::Purpose(purpose) => Some(*purpose),
            _ => None,
        });
        Request::Call(Function { name: self.name_in_source().into(), purpose })
    }

    /// Returns the status with which its library refused a call that returned `answer`; `None` if it did not
    /// refuse it.
    pub fn refusal(&self, answer: u64) -> Option<Status> {
        let status =
            Some(answer as u32 as i32).filter(|status| *status != 0 && self.returns == Returns::Int)?;
        Some(self.describe_status?(status))
    }
}

/// Why a library call did nothing: a status of the library, or a failure that may end the program.
pub enum Refusal {
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

impl Refusal {
    /// Turns CUDA's own errors into a status of the library.
    pub fn or_status(status: i32) -> impl Fn(Failure) -> Refusal {
        move |failure| match failure {
            Failure::Cuda(_) => Refusal::Status(status),
            failure => Refusal::Failure(failure),
        }
    }
}

macro_rules! calls {
    ($(refusals($describe:expr, $failed:expr);)?
     $($(#[doc = $doc:literal])+
        $([$($fact:expr),+])?
        fn $name:ident $(, $other:ident)*($call:ident $(, $argument:ident: $type:ty)* $(,)?)
        $(-> $reply:ty)? $body:block)*) => {
        $($(#[doc = $doc])+
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub(crate) fn $name(
            $call: &mut $crate::program::call::Call,
            $($argument: $type),*
        ) -> <calls!(@reply $($reply)?) as $crate::program::call::Reply>::Answer $body)*

        /// Rows, by the first name of each function.
        #[allow(non_upper_case_globals)]
        pub(crate) mod rows {
            use super::*;
            #[allow(unused_imports)]
            use $crate::program::call::Fact::*;
            #[allow(unused_imports)]
            use sim::CallPurpose::*;
            const REFUSALS: (Option<$crate::program::call::DescribeStatus>, i32) =
                calls!(@refusals $($describe, $failed)?);
            $(pub(crate) const $name: $crate::program::call::Row = $crate::program::call::Row {
                name: stringify!($name),
                facts: &[$($($fact),+)?],
                of_driver: &[],
                returns: <calls!(@reply $($reply)?) as $crate::program::call::Reply>::RETURNS,
                describe_status: REFUSALS.0,
                run: |call, _arguments| {
                    $(let $argument = _arguments.take::<$type>()?;)*
                    let answer = super::$name(call $(, $argument)*);
                    <calls!(@reply $($reply)?) as $crate::program::call::Reply>::bits(answer, call, REFUSALS.1)
                },
            };)*
        }

        /// The rows of this file.
        pub(crate) const CALLS: &[$crate::program::call::Row] = &[$(
            rows::$name,
            $($crate::program::call::Row { name: stringify!($other), ..rows::$name },)*
        )*];
    };
    (@reply) => { () };
    (@reply $reply:ty) => { $reply };
    (@refusals) => { (None, 0) };
    (@refusals $describe:expr, $failed:expr) => { (Some($describe), $failed) };
}
pub(crate) use calls;

/// The result type of a row.
pub trait Reply {
    const RETURNS: Returns;
    /// The type of the row's body.
    type Answer;

    /// Returns the bits of the result; `failed` is the library's status for CUDA's own errors.
    ///
    /// # Errors
    ///
    /// The answer's error, unless the bits express it.
    fn bits(answer: Self::Answer, call: &mut Call, failed: i32) -> Result<u64>;
}

impl Reply for () {
    const RETURNS: Returns = Returns::CudaError;
    type Answer = Result<()>;

    fn bits(answer: Result<()>, _: &mut Call, _: i32) -> Result<u64> {
        answer.map(|()| 0)
    }
}

macro_rules! plain_replies {
    ($($type:ty: $returns:ident),*) => { $(impl Reply for $type {
        const RETURNS: Returns = Returns::$returns;
        type Answer = Result<$type>;

        fn bits(answer: Result<$type>, _: &mut Call, _: i32) -> Result<u64> {
            answer.map(|value| value as i64 as u64)
        }
    })* };
}
plain_replies!(i32: Int, u32: Value, i64: Value, u64: Value);

/// What a library's row returns that has only a status to return.
pub struct Done;

impl Reply for Done {
    const RETURNS: Returns = Returns::Int;
    type Answer = Result<(), Refusal>;

    fn bits(answer: Result<(), Refusal>, call: &mut Call, failed: i32) -> Result<u64> {
        let status = match answer {
            Ok(()) => 0,
            Err(Refusal::Status(status)) => status,
            Err(Refusal::Argument(status, why)) => {
                call.runtime.errors.set_reason(*why);
                status
            }
            Err(Refusal::Failure(Failure::Cuda(_))) => failed,
            Err(Refusal::Failure(failure)) => return Err(failure),
        };
        Ok(status as i64 as u64)
    }
}

/// The bytes of a call's parameters, one slice for each.
pub struct Arguments<'a> {
    parameters: std::slice::Iter<'a, &'a [u8]>,
}

impl<'a> Arguments<'a> {
    pub fn new(parameters: &'a [&'a [u8]]) -> Arguments<'a> {
        Arguments { parameters: parameters.iter() }
    }

    /// Returns how many parameters have not been taken.
    pub fn left(&self) -> usize {
        self.parameters.len()
    }

    /// Takes the next parameter, or the next few where `T` is made of several.
    ///
    /// # Errors
    ///
    /// The program declares the parameter with another size than the headers do, which is not supported.
    pub fn take<T: Parameter>(&mut self) -> Result<T> {
        T::take(self)
    }
}

/// What a row's parameter is made of.
pub trait Parameter: Sized {
    /// Takes what the parameter is made of.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::take`].
    fn take(arguments: &mut Arguments) -> Result<Self>;
}

impl<T: Argument> Parameter for T {
    /// Decodes the next parameter. A size other than that of `T` means that the program's declaration is not
    /// that of our headers.
    fn take(arguments: &mut Arguments) -> Result<T> {
        let bytes = arguments.parameters.next().copied().unwrap_or_default();
        T::decode(bytes).ok_or_else(|| {
            Failure::unsupported(format!(
                "a declaration with a parameter of {} bytes, which has a different size in the headers",
                bytes.len()
            ))
        })
    }
}

/// A type that a parameter of a call can have.
pub trait Argument: Sized {
    fn decode(bytes: &[u8]) -> Option<Self>;
}

/// A value that is stored in the program's memory in C's layout.
pub trait Plain {
    fn encode(&self) -> Vec<u8>;
}

macro_rules! plain_arguments {
    ($($type:ty),*) => { $(
        impl Argument for $type {
            fn decode(bytes: &[u8]) -> Option<Self> { Some(<$type>::from_le_bytes(bytes.try_into().ok()?)) }
        }
        impl Plain for $type {
            fn encode(&self) -> Vec<u8> { self.to_le_bytes().to_vec() }
        }
    )* };
}
plain_arguments!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

/// A last parameter that only some of a row's names have: `None` where it is absent.
impl Argument for Option<u64> {
    fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() { Some(None) } else { u64::decode(bytes).map(Some) }
    }
}

/// The bytes of a structure.
impl Plain for Vec<u8> {
    fn encode(&self) -> Vec<u8> {
        self.clone()
    }
}

impl Argument for Dim3 {
    fn decode(bytes: &[u8]) -> Option<Dim3> {
        let [x, y, z] = words::<3>(bytes)?;
        Some(Dim3::new(x as u32, y as u32, z as u32))
    }
}

/// Splits bytes into `N` little-endian numbers of equal size, 4 or 8 bytes each; `None` if they do not have
/// such a size.
pub fn words<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let mut out = [0; N];
    let size = bytes.len() / N.max(1);
    if (size != 4 && size != 8) || size * N != bytes.len() {
        return None;
    }
    for (word, bytes) in out.iter_mut().zip(bytes.chunks_exact(size)) {
        let mut eight = [0; 8];
        eight[..size].copy_from_slice(bytes);
        *word = u64::from_le_bytes(eight);
    }
    Some(out)
}

/// Returns the 32-bit word at an offset of a structure; bytes past its end are zero.
pub fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|n| bytes.get(at + n).copied().unwrap_or(0)))
}

/// Returns the 64-bit word at an offset of a structure; bytes past its end are zero.
pub fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// A call in progress, with everything that it may use.
pub struct Call<'a> {
    pub gpus: &'a mut dyn Gpus,
    pub runtime: &'a mut Runtime,
    pub thread: &'a mut dyn HostThread,
    /// The name of the call and the line that makes it.
    pub site: Site,
}

/// The host as the GPUs see it during a call.
pub struct HostSide<'a> {
    pub runtime: &'a mut Runtime,
    pub thread: &'a mut dyn HostThread,
}

impl Host for HostSide<'_> {
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<()> {
        fail_if(!self.thread.read(address, out), CudaError::InvalidValue)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        fail_if(!self.thread.write(address, bytes), CudaError::InvalidValue)
    }

    fn copied_unwritten(&mut self, to: Range<u64>, from: Access, why: Option<Evidence>) {
        self.runtime.unwritten.copied(to, from, why);
    }

    fn call(&mut self, function: u64, argument: u64, gpus: &mut dyn Gpus) -> Result<()> {
        self.thread.call(function, argument, gpus, self.runtime)
    }
}

impl Call<'_> {
    /// Runs a request to the GPUs that may need the host's memory or functions.
    pub fn ask<R>(&mut self, ask: impl FnOnce(&mut dyn Gpus, &Site, &mut dyn Host) -> R) -> R {
        let mut side = HostSide { runtime: self.runtime, thread: self.thread };
        ask(self.gpus, &self.site, &mut side)
    }

    /// Returns whether work is complete, as an error if it is not. A program that discards the answer knows nothing.
    ///
    /// # Errors
    ///
    /// `cudaErrorNotReady`: it is not. Also the error of work that failed.
    pub fn query(&mut self, until: WaitTarget) -> Result<()> {
        let is_seen = !self
            .site
            .location
            .as_ref()
            .is_some_and(|at| self.runtime.source.is_discarded(at, self.site.what.function()));
        let done = self.ask(|gpus, _, host| gpus.is_done(until, is_seen, host))?;
        fail_if(!done, CudaError::NotReady)
    }

    /// Reads the program's memory: pageable, pinned or managed.
    ///
    /// # Errors
    ///
    /// Any other address is a finding, which ends the program as it would end on a real machine.
    pub fn load(&mut self, address: u64, out: &mut [u8]) -> Result<()> {
        if self.thread.read(address, out) {
            return Ok(());
        }
        self.check_pageable((address, out.len() as u64), AccessKind::Read)?;
        self.runtime.host_may_use(address, out.len() as u64, false, &self.site)?;
        self.gpus.host_load(Address(address), out, &self.site)
    }

    /// Writes the program's memory, as [`Call::load`] reads it.
    ///
    /// # Errors
    ///
    /// As for [`Call::load`].
    pub fn store(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        if self.thread.write(address, bytes) {
            return Ok(());
        }
        self.check_pageable((address, bytes.len() as u64), AccessKind::Write)?;
        self.runtime.host_may_use(address, bytes.len() as u64, true, &self.site)?;
        self.gpus.host_store(Address(address), bytes, &self.site)
    }

    /// Reports a range that begins in or beside the host's own variables, where the thread may not access it.
    ///
    /// # Errors
    ///
    /// Fails if there is such a finding, which ends the program.
    fn check_pageable(&mut self, range: (u64, u64), kind: AccessKind) -> Result<()> {
        let is_used = self.runtime.allocations.host_visible(range.0, range.1);
        let stray = host_part(range.0).filter(|_| !is_used).and_then(|_| self.thread.stray(range, kind));
        let Some(finding) = stray else { return Ok(()) };
        self.runtime.stop_at(finding);
        Err(Failure::Ended)
    }

    /// Writes a result to where the program wants it.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: a null pointer. Otherwise as for [`Call::store`].
    pub fn put(&mut self, address: u64, value: impl Plain) -> Result<()> {
        fail_if(address == 0, CudaError::InvalidValue)?;
        self.store(address, &value.encode())
    }

    /// As [`Call::put`], for a result that the program may not want: a null pointer is left alone.
    ///
    /// # Errors
    ///
    /// As for [`Call::store`].
    pub fn put_if_wanted(&mut self, address: u64, value: impl Plain) -> Result<()> {
        if address == 0 { Ok(()) } else { self.put(address, value) }
    }

    /// Reads a value from the program's memory.
    ///
    /// # Errors
    ///
    /// As for [`Call::structure`].
    pub fn get<T: Argument>(&mut self, address: u64) -> Result<T> {
        let bytes = self.structure(address, size_of::<T>())?;
        T::decode(&bytes).ok_or_else(|| CudaError::Unknown.into())
    }

    /// As [`Call::get`], for a number that the call knows only the address of: a variable of the program may be
    /// shorter than what is read, or have no value. Memory that was never written is reported at the call.
    ///
    /// # Errors
    ///
    /// As for [`Call::get`].
    pub fn get_number<T: Argument>(&mut self, address: u64) -> Result<T> {
        let (function, range) = (self.site.what.function(), (address, size_of::<T>() as u64));
        self.thread.check_initialised(range, function, self.gpus, self.runtime);
        self.get(address)
    }

    /// Reads the bytes of a structure from the program's memory.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: a null pointer. Otherwise as for [`Call::load`].
    pub fn structure(&mut self, address: u64, bytes: usize) -> Result<Vec<u8>> {
        fail_if(address == 0, CudaError::InvalidValue)?;
        let mut read = vec![0; bytes];
        self.load(address, &mut read)?;
        Ok(read)
    }

    /// Reads a C string of the program, at most 4096 bytes of it.
    ///
    /// # Errors
    ///
    /// As for [`Call::load`].
    pub fn string(&mut self, address: u64) -> Result<String> {
        const MOST: u64 = 4096;
        let mut bytes = Vec::new();
        let mut byte = [0];
        for n in 0..MOST {
            self.load(address.wrapping_add(n), &mut byte)?;
            if byte[0] == 0 {
                break;
            }
            bytes.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the address of a constant text in the program's memory, which is placed there on first use; 0
    /// if memory is at its limit.
    pub fn text(&mut self, text: &'static str) -> Result<u64> {
        if let Some(&address) = self.runtime.texts.get(text) {
            return Ok(address);
        }
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let Some(address) = self.thread.allocate(bytes.len() as u64) else { return Ok(0) };
        self.thread.write(address, &bytes);
        self.runtime.texts.insert(text, address);
        Ok(address)
    }
}
