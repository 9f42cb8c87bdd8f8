//! NCCL, with all ranks in one process.

use super::{Name, Shared, call};
use crate::ElementType;
use crate::direct::work::Stream;
use crate::direct::{Direct, Result};
use crate::library::{Collective, CollectiveKind, NCCL_TYPES, Reduce};
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

type Comm = *mut c_void;

pub struct Nccl {
    shared: Shared,
}

/// `ncclDataType_t`
fn data_type(element: ElementType) -> c_int {
    NCCL_TYPES.iter().position(|its| *its == element).map_or(-1, |number| number as c_int)
}

/// `ncclRedOp_t`
fn operation(reduce: Reduce) -> c_int {
    Reduce::ALL.iter().position(|its| *its == reduce).map_or(-1, |number| number as c_int)
}

impl Nccl {
    /// Opens the library.
    ///
    /// # Errors
    ///
    /// Fails if it is not installed.
    pub fn open(direct: &Direct) -> Result<Nccl> {
        Ok(Nccl { shared: Shared::open(Name::Nccl, direct.machine().driver.0)? })
    }

    /// Creates a communicator with one rank on each device, in order; returns the handle of each rank.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does for any of them, or if the library refuses.
    pub fn ranks(&self, direct: &mut Direct, devices: &[u32]) -> Result<Vec<usize>> {
        for &device in devices {
            direct.enter(device)?;
        }
        let list: Vec<c_int> = devices.iter().map(|device| device.cast_signed()).collect();
        let mut comms: Vec<Comm> = vec![ptr::null_mut(); devices.len()];
        let count = devices.len() as c_int;
        call!(self.shared, c"ncclCommInitAll",
            (*mut Comm, c_int, *const c_int);
            comms.as_mut_ptr(), count, list.as_ptr()
        )?;
        direct.forget_current();
        Ok(comms.into_iter().map(|comm| comm as usize).collect())
    }

    /// Enqueues the parts of a communicator's rounds in their streams; `comms[rank]` is the handle of a rank.
    ///
    /// # Errors
    ///
    /// Fails if the library refuses a part or the group.
    pub fn together<'p>(
        &self,
        direct: &mut Direct,
        comms: &[usize],
        parts: impl Iterator<Item = &'p (Collective, Stream)>,
    ) -> Result<()> {
        call!(self.shared, c"ncclGroupStart", (); )?;
        let given =
            parts.into_iter().try_for_each(|(part, stream)| self.enqueue(direct, comms, part, *stream));
        let symbol = self.shared.symbol(c"ncclGroupEnd")?;
        // SAFETY: the type is that of `nccl.h`. A group that was begun is ended in any case.
        let ended = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> i32>(symbol)() };
        direct.forget_current();
        given?;
        self.shared.check(c"ncclGroupEnd", ended)
    }

    fn enqueue(&self, direct: &mut Direct, comms: &[usize], part: &Collective, stream: Stream) -> Result<()> {
        let comm = comms.get(part.rank as usize).copied().unwrap_or(0) as Comm;
        direct.enter(stream.device)?;
        let (send, receive) = (part.send.0 as *const c_void, part.receive.0 as *mut c_void);
        let (count, data, stream) =
            (part.count as usize, data_type(part.element), stream.handle as *mut c_void);
        type P = *const c_void;
        type M = *mut c_void;
        match part.kind {
            CollectiveKind::AllReduce(op) => call!(self.shared, c"ncclAllReduce",
                (P, M, usize, c_int, c_int, Comm, M);
                send, receive, count, data, operation(op), comm, stream
            ),
            CollectiveKind::Reduce { op, root } => call!(self.shared, c"ncclReduce",
                (P, M, usize, c_int, c_int, c_int, Comm, M);
                send, receive, count, data, operation(op), root.cast_signed(), comm, stream
            ),
            CollectiveKind::Broadcast { root } => call!(self.shared, c"ncclBroadcast",
                (P, M, usize, c_int, c_int, Comm, M);
                send, receive, count, data, root.cast_signed(), comm, stream
            ),
            CollectiveKind::ReduceScatter(op) => call!(self.shared, c"ncclReduceScatter",
                (P, M, usize, c_int, c_int, Comm, M);
                send, receive, count, data, operation(op), comm, stream
            ),
            CollectiveKind::AllGather => call!(self.shared, c"ncclAllGather",
                (P, M, usize, c_int, Comm, M);
                send, receive, count, data, comm, stream
            ),
            CollectiveKind::Send { to } => call!(self.shared, c"ncclSend",
                (P, usize, c_int, c_int, Comm, M);
                send, count, data, to.cast_signed(), comm, stream
            ),
            CollectiveKind::Receive { from } => call!(self.shared, c"ncclRecv",
                (M, usize, c_int, c_int, Comm, M);
                receive, count, data, from.cast_signed(), comm, stream
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements_are_those_of_the_headers() {
        assert_eq!([ElementType::I8, ElementType::F32, ElementType::Bf16].map(data_type), [0, 7, 9]);
    }
}
