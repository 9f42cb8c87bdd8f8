//! NCCL: communicators over several devices of one process, groups, collectives and point-to-point transfers.

use super::{address, answer, object, refuse_if};
use crate::device::compute;
use crate::device::library::{Collective, CollectiveKind, NCCL_TYPES, Reduce};
use crate::device::{DeviceId, Failure, Library, Site, Work};
use crate::program::call::{Argument, Arguments, Call, Done, Parameter, Refusal, calls};
use crate::program::runtime::Runtime;
use crate::program::runtime::errors::Status;
use crate::program::runtime::findings::call_side;
use sim::{Act, Evidence, FindingKind};
use std::collections::HashMap;

/// `ncclResult_t`.
const UNHANDLED_CUDA_ERROR: i32 = 1;
const INVALID_ARGUMENT: i32 = 4;
const INVALID_USAGE: i32 = 5;

/// One rank of a communicator.
#[derive(Debug)]
pub(super) struct Member {
    communicator: u32,
    rank: u32,
    ranks: u32,
    device: DeviceId,
    /// Number of collectives it has taken part in.
    rounds: u64,
    /// Number of transfers so far, by the other rank and the direction: `true` for those sent to it.
    transfers: HashMap<(u32, bool), u64>,
}

/// What is common to all communicators of a program, and the group in progress.
#[derive(Debug, Default)]
pub struct State {
    communicators: u32,
    /// Communicators by the unique id they were created with.
    by_id: HashMap<u64, u32>,
    ids: u64,
    /// Nesting depth of open groups.
    depth: u32,
    /// Stream, work and site of each call in the open group.
    waiting: Vec<(u64, Collective, Site)>,
}

/// `ncclUniqueId`: its first eight bytes distinguish it.
pub(super) struct UniqueId(u64);

/// Size of an `ncclUniqueId` in bytes.
const ID_BYTES: usize = 128;

impl Argument for UniqueId {
    fn decode(bytes: &[u8]) -> Option<UniqueId> {
        let first = bytes.get(..8).filter(|_| bytes.len() == ID_BYTES)?;
        Some(UniqueId(u64::from_le_bytes(first.try_into().ok()?)))
    }
}

/// Returns what one of NCCL's enumerations has with a number.
fn numbered<T: Copy>(all: &[T], number: i32) -> Result<T, Refusal> {
    let found = usize::try_from(number).ok().and_then(|number| all.get(number));
    found.copied().ok_or(Refusal::Status(INVALID_ARGUMENT))
}

/// Converts an `ncclRedOp_t`.
fn reduction(number: i32) -> Result<Reduce, Refusal> {
    numbered(&Reduce::ALL, number)
}

/// The buffers of a call.
pub(super) struct Data {
    send: u64,
    receive: u64,
    count: u64,
    data_type: i32,
}

impl Parameter for Data {
    fn take(from: &mut Arguments) -> Result<Data, Failure> {
        let (send, receive, count) = (from.take()?, from.take()?, from.take()?);
        Ok(Data { send, receive, count, data_type: from.take()? })
    }
}

/// Executes one rank's call of a collective or transfer: submits it to its stream, or keeps it until its
/// group ends.
fn submit_or_queue(
    call: &mut Call,
    communicator: u64,
    data: Data,
    kind: CollectiveKind,
    stream: u64,
) -> Result<(), Refusal> {
    let element = numbered(&NCCL_TYPES, data.data_type)?;
    let member = object(&mut call.runtime.libraries.communicators, communicator, INVALID_ARGUMENT)?;
    let other = match kind {
        CollectiveKind::Reduce { root: other, .. }
        | CollectiveKind::Broadcast { root: other }
        | CollectiveKind::Send { to: other }
        | CollectiveKind::Receive { from: other } => other,
        _ => 0,
    };
    refuse_if(other >= member.ranks, INVALID_ARGUMENT)?;
    let rounds = match kind {
        CollectiveKind::Send { to } => member.transfers.entry((to, true)).or_default(),
        CollectiveKind::Receive { from } => member.transfers.entry((from, false)).or_default(),
        _ => &mut member.rounds,
    };
    let round = *rounds;
    *rounds += 1;
    let (rank, ranks) = (member.rank, member.ranks);
    let part = Collective {
        kind,
        communicator: member.communicator,
        round,
        rank,
        ranks,
        device: member.device,
        send: address(data.send),
        receive: address(data.receive),
        count: data.count,
        element,
    };
    if compute::overlaps(&part) {
        call.find(FindingKind::CollectiveOverlap, Act::CopyOverlaps, None, Vec::new());
    }
    let nccl = &mut call.runtime.libraries.nccl;
    if nccl.depth > 0 {
        nccl.waiting.push((stream, part, call.site.clone()));
        return Ok(());
    }
    check_group(call, rank, ranks)?;
    submit(call, stream, part)
}

/// Reports a call outside a group as a deadlock if the communicator has several ranks: the call may wait for
/// those of the other ranks, which the same thread never reaches. (NCCL user guide, "Group Calls": needed for
/// several devices of one thread.)
fn check_group(call: &mut Call, rank: u32, ranks: u32) -> Result<(), Failure> {
    if ranks < 2 || call.runtime.libraries.nccl.depth > 0 {
        return Ok(());
    }
    let act = Act::OutsideGroup { rank, ranks };
    call.find(FindingKind::CollectiveDeadlock, act, None, vec![Evidence::OutsideGroup]);
    Err(Failure::Ended)
}

/// Submits a rank's part to its stream; the default stream is that of the rank's device.
fn submit(call: &mut Call, stream: u64, part: Collective) -> Result<(), Refusal> {
    let current = std::mem::replace(&mut call.runtime.current, part.device);
    let done = call.submit(stream, Work::Library(Library::Collective(part)));
    call.runtime.current = current;
    Ok(done?)
}

impl Runtime {
    /// Reports, at the program's end, the calls of a group that was never ended.
    pub fn find_open_group(&mut self) {
        let Some((_, _, site)) = self.libraries.nccl.waiting.first().cloned() else { return };
        let at = call_side(Act::IsAsked, &site);
        self.find(FindingKind::CollectiveDeadlock, at, None, vec![Evidence::GroupNotEnded]);
    }
}

fn join(call: &mut Call, communicator: u32, rank: u32, ranks: u32, device: DeviceId) -> u64 {
    let member = Member { communicator, rank, ranks, device, rounds: 0, transfers: HashMap::new() };
    call.make_object(|runtime| &mut runtime.libraries.communicators, member)
}

/// Returns the name and description of an `ncclResult_t`; `None` if it is not an error.
pub(super) fn describe_status(result: i32) -> Status {
    let (name, text) = match result {
        UNHANDLED_CUDA_ERROR => ("ncclUnhandledCudaError", "unhandled cuda error"),
        2 => ("ncclSystemError", "unhandled system error"),
        3 => ("ncclInternalError", "internal error"),
        INVALID_ARGUMENT => ("ncclInvalidArgument", "invalid argument"),
        INVALID_USAGE => ("ncclInvalidUsage", "invalid usage"),
        6 => ("ncclRemoteError", "remote process exited or there was a network error"),
        7 => ("ncclInProgress", "NCCL operation in progress"),
        _ => ("an unknown result", "unknown result code"),
    };
    Status { name, text }
}

/// Returns a property of one rank of a communicator to the program.
fn put_property(
    call: &mut Call,
    communicator: u64,
    place: u64,
    what: impl FnOnce(&Member) -> u32,
) -> Result<(), Refusal> {
    let member = object(&mut call.runtime.libraries.communicators, communicator, INVALID_ARGUMENT)?;
    let value = what(member) as i32;
    answer(call, place, value, INVALID_ARGUMENT)
}

calls! {
    refusals(describe_status, UNHANDLED_CUDA_ERROR);

    /// Returns the release whose interface the headers declare.
    fn ncclGetVersion(call, version: u64) -> Done {
        answer(call, version, 22703i32, INVALID_ARGUMENT)
    }

    /// Returns a new id, by which ranks find each other.
    fn ncclGetUniqueId(call, id: u64) -> Done {
        call.runtime.libraries.nccl.ids += 1;
        let mut bytes = vec![0; ID_BYTES];
        bytes[..8].copy_from_slice(&call.runtime.libraries.nccl.ids.to_le_bytes());
        answer(call, id, bytes, INVALID_ARGUMENT)
    }

    /// Creates one rank on the current device.
    fn ncclCommInitRank(call, communicator: u64, ranks: i32, id: UniqueId, rank: i32) -> Done {
        refuse_if(ranks < 1 || !(0..ranks).contains(&rank), INVALID_ARGUMENT)?;
        check_group(call, rank as u32, ranks as u32)?;
        let nccl = &mut call.runtime.libraries.nccl;
        let next = nccl.communicators;
        let number = *nccl.by_id.entry(id.0).or_insert(next);
        nccl.communicators = next.max(number + 1);
        let device = call.runtime.current;
        let member = join(call, number, rank as u32, ranks as u32, device);
        answer(call, communicator, member, INVALID_ARGUMENT)
    }

    /// Creates a rank on each of a list of devices; without a list, on the first ones.
    fn ncclCommInitAll(call, communicators: u64, count: i32, devices: u64) -> Done {
        let there = call.gpus.count();
        refuse_if(count < 1 || communicators == 0, INVALID_ARGUMENT)?;
        let mut chosen = Vec::new();
        for n in 0..count as u64 {
            let device = match devices {
                0 => n as i32,
                list => call.get(list.wrapping_add(4 * n)).map_err(Refusal::or_status(INVALID_ARGUMENT))?,
            };
            match u32::try_from(device) {
                Ok(device) if device < there && !chosen.contains(&device) => chosen.push(device),
                Ok(device) if device < there => return Err(Refusal::Status(INVALID_USAGE)),
                _ => return Err(Refusal::Status(UNHANDLED_CUDA_ERROR)),
            }
        }
        let number = call.runtime.libraries.nccl.communicators;
        call.runtime.libraries.nccl.communicators += 1;
        for (rank, device) in chosen.into_iter().enumerate() {
            let member = join(call, number, rank as u32, count as u32, device);
            answer(call, communicators.wrapping_add(8 * rank as u64), member, INVALID_ARGUMENT)?;
        }
        Ok(())
    }

    /// Finalises a rank when its work is complete, which does nothing here.
    fn ncclCommFinalize(call, communicator: u64) -> Done {
        object(&mut call.runtime.libraries.communicators, communicator, INVALID_ARGUMENT).map(drop)
    }

    /// Destroys a rank, whatever it is doing.
    fn ncclCommDestroy, ncclCommAbort(call, communicator: u64) -> Done {
        let destroyed = call.runtime.libraries.communicators.destroy(communicator, &call.site);
        destroyed.map(drop).ok_or(Refusal::Status(INVALID_ARGUMENT))
    }

    /// Returns asynchronous errors: there are none here.
    fn ncclCommGetAsyncError(call, communicator: u64, error: u64) -> Done {
        put_property(call, communicator, error, |_| 0)
    }

    /// Returns the number of ranks.
    fn ncclCommCount(call, communicator: u64, count: u64) -> Done {
        put_property(call, communicator, count, |member| member.ranks)
    }

    /// Returns the rank's device.
    fn ncclCommCuDevice(call, communicator: u64, device: u64) -> Done {
        put_property(call, communicator, device, |member| member.device)
    }

    /// Returns the rank's number.
    fn ncclCommUserRank(call, communicator: u64, rank: u64) -> Done {
        put_property(call, communicator, rank, |member| member.rank)
    }

    /// Returns the description of a result.
    fn ncclGetErrorString(call, result: i32) -> u64 {
        call.text(match result {
            0 => "no error",
            result => describe_status(result).text,
        })
    }

    /// Returns the last error's message: empty, as the result says everything here.
    fn ncclGetLastError(call, _communicator: u64) -> u64 {
        call.text("")
    }

    /// Gives every rank the sum (or another reduction) of all.
    fn ncclAllReduce(call, data: Data, operation: i32, communicator: u64, stream: u64) -> Done {
        submit_or_queue(call, communicator, data, CollectiveKind::AllReduce(reduction(operation)?), stream)
    }

    /// Gives one rank the reduction of all.
    fn ncclReduce(call, data: Data, operation: i32, root: i32, communicator: u64, stream: u64) -> Done {
        let kind = CollectiveKind::Reduce { op: reduction(operation)?, root: root as u32 };
        submit_or_queue(call, communicator, data, kind, stream)
    }

    /// Gives every rank the data of one.
    fn ncclBroadcast(call, data: Data, root: i32, communicator: u64, stream: u64) -> Done {
        submit_or_queue(call, communicator, data, CollectiveKind::Broadcast { root: root as u32 }, stream)
    }

    /// As ncclBroadcast, in place.
    fn ncclBcast(
        call, buffer: u64, count: u64, data_type: i32, root: i32, communicator: u64, stream: u64,
    ) -> Done {
        let data = Data { send: buffer, receive: buffer, count, data_type };
        ncclBroadcast(call, data, root, communicator, stream)
    }

    /// Gives every rank its share of the reduction of all.
    fn ncclReduceScatter(call, data: Data, operation: i32, communicator: u64, stream: u64) -> Done {
        submit_or_queue(call, communicator, data, CollectiveKind::ReduceScatter(reduction(operation)?), stream)
    }

    /// Gives every rank the concatenated data of all.
    fn ncclAllGather(call, data: Data, communicator: u64, stream: u64) -> Done {
        submit_or_queue(call, communicator, data, CollectiveKind::AllGather, stream)
    }

    /// Sends data to one other rank.
    fn ncclSend(
        call, send: u64, count: u64, data_type: i32, peer: i32, communicator: u64, stream: u64,
    ) -> Done {
        let data = Data { send, receive: 0, count, data_type };
        submit_or_queue(call, communicator, data, CollectiveKind::Send { to: peer as u32 }, stream)
    }

    /// Receives data from one other rank.
    fn ncclRecv(
        call, receive: u64, count: u64, data_type: i32, peer: i32, communicator: u64, stream: u64,
    ) -> Done {
        let data = Data { send: 0, receive, count, data_type };
        submit_or_queue(call, communicator, data, CollectiveKind::Receive { from: peer as u32 }, stream)
    }

    /// Begins a group, whose calls are submitted to their streams together at its end.
    fn ncclGroupStart(call) -> Done {
        call.runtime.libraries.nccl.depth += 1;
        Ok(())
    }

    /// Ends a group; the outermost one submits its calls to their streams.
    fn ncclGroupEnd(call) -> Done {
        let nccl = &mut call.runtime.libraries.nccl;
        nccl.depth = nccl.depth.checked_sub(1).ok_or(Refusal::Status(INVALID_USAGE))?;
        if nccl.depth > 0 {
            return Ok(());
        }
        for (stream, part, site) in std::mem::take(&mut call.runtime.libraries.nccl.waiting) {
            // The call is reported at its own place, not at that of the group's end.
            let end = std::mem::replace(&mut call.site, site);
            let done = submit(call, stream, part);
            call.site = end;
            done?;
        }
        Ok(())
    }
}
