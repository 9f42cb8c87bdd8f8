//! NCCL, with all ranks in one process.

use super::{Name, Shared, call};
use crate::direct::work::Stream;
use crate::direct::{Direct, Result};
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

type Comm = *mut c_void;

pub struct Nccl {
    shared: Shared,
}

/// A rank's operation in a round. Reduction operators are numbered by `ncclRedOp_t`.
#[derive(Clone, Copy, Debug)]
pub enum CollectiveCall {
    AllReduce { operation: i32 },
    Reduce { operation: i32, root: i32 },
    Broadcast { root: i32 },
    ReduceScatter { operation: i32 },
    AllGather,
    Send { to: i32 },
    Receive { from: i32 },
}

/// One rank's part of a round.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub share: CollectiveCall,
    pub send: u64,
    pub receive: u64,
    /// Number of elements, as the NCCL call counts them.
    pub count: u64,
    /// `ncclDataType_t`
    pub data_type: i32,
    pub rank: usize,
    pub stream: Stream,
}

impl Nccl {
    pub fn open(direct: &Direct) -> Result<Nccl> {
        Ok(Nccl { shared: Shared::open(Name::Nccl, direct.machine().driver.0)? })
    }

    /// Creates a communicator with one rank on each device, in order; returns the handle of each rank.
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

    /// Enqueues the parts of a group in their streams; `comms[rank]` is the handle of a rank.
    pub fn together(&self, direct: &mut Direct, comms: &[usize], parts: &[Part]) -> Result<()> {
        call!(self.shared, c"ncclGroupStart", (); )?;
        let given = parts.iter().try_for_each(|part| self.give(direct, comms, part));
        let symbol = self.shared.symbol(c"ncclGroupEnd")?;
        // SAFETY: the type is that of `nccl.h`. A group that was begun is ended in any case.
        let ended = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> i32>(symbol)() };
        direct.forget_current();
        given?;
        self.shared.check(c"ncclGroupEnd", ended)
    }

    fn give(&self, direct: &mut Direct, comms: &[usize], part: &Part) -> Result<()> {
        let comm = comms.get(part.rank).copied().unwrap_or(0) as Comm;
        direct.enter(part.stream.device)?;
        let (send, receive) = (part.send as *const c_void, part.receive as *mut c_void);
        let (count, data, stream) = (part.count as usize, part.data_type, part.stream.handle as *mut c_void);
        type P = *const c_void;
        type M = *mut c_void;
        match part.share {
            CollectiveCall::AllReduce { operation } => call!(self.shared, c"ncclAllReduce",
                (P, M, usize, c_int, c_int, Comm, M);
                send, receive, count, data, operation, comm, stream
            ),
            CollectiveCall::Reduce { operation, root } => call!(self.shared, c"ncclReduce",
                (P, M, usize, c_int, c_int, c_int, Comm, M);
                send, receive, count, data, operation, root, comm, stream
            ),
            CollectiveCall::Broadcast { root } => call!(self.shared, c"ncclBroadcast",
                (P, M, usize, c_int, c_int, Comm, M);
                send, receive, count, data, root, comm, stream
            ),
            CollectiveCall::ReduceScatter { operation } => call!(self.shared, c"ncclReduceScatter",
                (P, M, usize, c_int, c_int, Comm, M);
                send, receive, count, data, operation, comm, stream
            ),
            CollectiveCall::AllGather => call!(self.shared, c"ncclAllGather",
                (P, M, usize, c_int, Comm, M);
                send, receive, count, data, comm, stream
            ),
            CollectiveCall::Send { to } => {
                call!(self.shared, c"ncclSend",
                    (P, usize, c_int, c_int, Comm, M);
                    send, count, data, to, comm, stream
                )
            }
            CollectiveCall::Receive { from } => call!(self.shared, c"ncclRecv",
                (M, usize, c_int, c_int, Comm, M);
                receive, count, data, from, comm, stream
            ),
        }
    }
}
