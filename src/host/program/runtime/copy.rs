//! Copies and sets: checks of both sides, then work for a stream.

use super::allocations::{Allocation, Kind};
use super::findings::{call_side, described, host_memory_kind, made, memory_kind};
use super::memory::{Extent, Pitched};
use crate::device::{Copy, CopyShape, CudaError, Failure, Set, Until, Work};
use crate::program::call::{Call, calls};
use crate::program::thread::{HostBlock, HostKind};
use sim::{Act, Address, CopySide, Evidence, FindingKind, HostMemoryKind, Place, Pointee};
use std::sync::Arc;

const POINTER_BYTES: u64 = 8;

/// `enum cudaMemcpyKind`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    HostToHost,
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    Default,
}

impl Direction {
    const ALL: [Direction; 5] = [
        Direction::HostToHost,
        Direction::HostToDevice,
        Direction::DeviceToHost,
        Direction::DeviceToDevice,
        Direction::Default,
    ];

    /// Of the number in the program.
    pub fn numbered(number: i32) -> Result<Direction, Failure> {
        let found = usize::try_from(number).ok().and_then(|n| Direction::ALL.get(n));
        found.copied().ok_or(CudaError::InvalidMemcpyDirection.into())
    }

    fn name(self) -> String {
        format!("cudaMemcpy{self:?}")
    }

    /// Whether destination and source are said to be on a device; `None`: the pointers tell.
    fn on_device(self) -> [Option<bool>; 2] {
        match self {
            Direction::HostToHost => [Some(false), Some(false)],
            Direction::HostToDevice => [Some(true), Some(false)],
            Direction::DeviceToHost => [Some(false), Some(true)],
            Direction::DeviceToDevice => [Some(true), Some(true)],
            Direction::Default => [None, None],
        }
    }
}

/// One side of a copy or a set.
#[derive(Clone, Copy, Debug)]
struct Side {
    address: u64,
    /// From the first byte to the last.
    span: u64,
    writes: bool,
    /// The argument that holds the pointer.
    argument: usize,
    /// Where the call says it is.
    on_device: Option<bool>,
}

/// A copy as a call asks for it.
#[derive(Clone, Copy, Debug)]
pub struct CopyCall {
    pub dst: u64,
    pub src: u64,
    pub shape: CopyShape,
    pub direction: Direction,
    /// The arguments that hold the pointers.
    pub arguments: [usize; 2],
    pub stream: u64,
    pub blocking: bool,
}

/// Bytes from the first to the last of a side of a copy.
fn span(shape: &CopyShape, pitch: u64, slice: u64) -> Option<u64> {
    let rows = shape.height.checked_sub(1)?.checked_mul(pitch)?;
    let slices = shape.depth.checked_sub(1)?.checked_mul(slice)?;
    rows.checked_add(slices)?.checked_add(shape.width)
}

/// Whether a byte is both read and written. Rows of two pitches that differ are not looked at.
fn overlaps(asked: &CopyCall, shape: &CopyShape) -> bool {
    let apart = asked.dst.abs_diff(asked.src);
    if shape.height == 1 && shape.depth == 1 {
        return apart < shape.width;
    }
    let (pitch, slice) = (shape.dst_pitch, shape.dst_slice);
    if pitch != shape.src_pitch || shape.depth > 1 && slice != shape.src_slice {
        return false;
    }
    let within = apart % pitch.max(1);
    let rows = if shape.depth > 1 { shape.depth * (slice / pitch.max(1)) } else { shape.height };
    apart / pitch.max(1) < rows && (within < shape.width || pitch - within < shape.width)
}

impl Call<'_> {
    /// A copy as work, its sides checked; `None` where there is nothing to copy.
    pub fn checked_copy(&mut self, asked: &CopyCall) -> Result<Option<Copy>, Failure> {
        let mut shape = asked.shape;
        if shape.bytes() == 0 {
            return Ok(None);
        }
        if asked.dst == 0 || asked.src == 0 {
            return Err(CudaError::InvalidValue.into());
        }
        if shape.width > shape.dst_pitch || shape.width > shape.src_pitch {
            return Err(CudaError::InvalidPitchValue.into());
        }
        let short = |slice: u64, pitch: u64| shape.height.checked_mul(pitch).is_none_or(|rows| slice < rows);
        if shape.depth > 1
            && (short(shape.dst_slice, shape.dst_pitch) || short(shape.src_slice, shape.src_pitch))
        {
            return Err(CudaError::InvalidValue.into());
        }
        let [dst_on_device, src_on_device] = asked.direction.on_device();
        let spans =
            [span(&shape, shape.dst_pitch, shape.dst_slice), span(&shape, shape.src_pitch, shape.src_slice)];
        let [Some(dst_span), Some(src_span)] = spans else { return Err(CudaError::InvalidValue.into()) };
        let sides = [
            Side {
                address: asked.dst,
                span: dst_span,
                writes: true,
                argument: asked.arguments[0],
                on_device: dst_on_device,
            },
            Side {
                address: asked.src,
                span: src_span,
                writes: false,
                argument: asked.arguments[1],
                on_device: src_on_device,
            },
        ];
        let rooms = self.check_sides(&sides, asked.direction).inspect_err(|_| {
            // What is not copied is told here, and not again where it is read.
            self.gpus.assume_written(Address(asked.dst));
        })?;
        for (side, room) in sides.iter().zip(rooms) {
            // Host memory that is too short: what is there is copied, as a real copy would too.
            if room < side.span {
                if shape.height != 1 || shape.depth != 1 {
                    return Err(CudaError::InvalidValue.into());
                }
                shape.width = shape.width.min(room);
            }
        }
        if overlaps(asked, &shape) {
            let other = self.runtime.allocations.around(asked.dst).map(made);
            let at = call_side(Act::CopyOverlaps, &self.site);
            self.runtime.find(FindingKind::CopyOverlap, at, other, Vec::new());
        }
        let (dst, src) = (Address(asked.dst), Address(asked.src));
        Ok((shape.width > 0).then_some(Copy { dst, src, shape, blocking: asked.blocking }))
    }

    /// Checks a copy and gives it to its stream.
    pub fn copy(&mut self, asked: CopyCall) -> Result<(), Failure> {
        match self.checked_copy(&asked)? {
            Some(copy) => self.submit(asked.stream, Work::Copy(copy)),
            None => Ok(()),
        }
    }

    /// Whether only the host, only devices (`true`), or both (`None`) can use an address directly; `None`, too,
    /// where it lies beside memory from CUDA and in none.
    fn is_on_device(&self, address: u64) -> Option<bool> {
        match self.runtime.allocations.around(address).map(|a| a.kind) {
            Some(Kind::Device(_) | Kind::Pool(_) | Kind::Variable(Some(_))) => Some(true),
            Some(_) => None,
            None => self.beside(address).is_none().then_some(false),
        }
    }

    /// The memory from CUDA that an address in no memory lies beside, as [`Allocations::beside`] has it.
    fn beside(&self, address: u64) -> Option<(Allocation, i64)> {
        if self.thread.block(address).is_some() {
            return None;
        }
        self.runtime.allocations.beside(address).map(|(its, away)| (its.clone(), away))
    }

    /// What memory a pointer leads to.
    fn memory_at(&self, address: u64) -> Pointee {
        if let Some(found) = self.runtime.allocations.around(address) {
            return Pointee::Cuda(memory_kind(found.kind));
        }
        match self.thread.block(address) {
            Some(HostBlock { kind: HostKind::Variable(index), .. }) if self.runtime.is_of_kernels(index) => {
                Pointee::Host(HostMemoryKind::Symbol)
            }
            Some(block) => Pointee::Host(host_memory_kind(block.kind)),
            None => Pointee::Nothing,
        }
    }

    /// The bytes from each side's address to the end of its memory.
    fn check_sides(&mut self, sides: &[Side; 2], direction: Direction) -> Result<[u64; 2], Failure> {
        self.check_direction(sides, direction)?;
        Ok([self.check_extent(&sides[0])?, self.check_extent(&sides[1])?])
    }

    fn check_direction(&mut self, sides: &[Side; 2], direction: Direction) -> Result<(), Failure> {
        let wrong = |call: &Self, side: &Side| match (side.on_device, call.is_on_device(side.address)) {
            (Some(said), Some(is)) => said != is,
            _ => false,
        };
        let wrong: Vec<&Side> = sides.iter().filter(|side| wrong(self, side)).collect();
        if wrong.is_empty() {
            return Ok(());
        }
        let known = |bad: &&Side| CopySide {
            writes: bad.writes,
            pointer: self.named(bad.argument).map(Arc::from),
            leads_to: self.memory_at(bad.address),
        };
        let known: Vec<CopySide> = wrong.iter().map(known).collect();
        let nowhere = known.iter().any(|bad| bad.leads_to == Pointee::Nothing);
        let at = call_side(Act::CopyDirection { said: direction.name().into(), wrong: known }, &self.site);
        let on_pointer =
            wrong.iter().find_map(|bad| self.address_of_pointer(bad)).map(Evidence::AddressOfPointer);
        let evidence = nowhere.then_some(Evidence::NoMemory).into_iter().chain(on_pointer).collect();
        let other = wrong.iter().find_map(|bad| self.runtime.allocations.around(bad.address).map(made));
        self.runtime.find(FindingKind::CopyDirection, at, other, evidence);
        Err(CudaError::InvalidValue.into())
    }

    /// The pointer whose own address a side is given by, where that is too small for the copy.
    fn address_of_pointer(&self, asked: &Side) -> Option<Arc<str>> {
        let block = self.thread.block(asked.address)?;
        let at = self.site.location.as_ref()?;
        let (function, turn) = (self.site.what.function(), self.runtime.calls.turn);
        let source = self.runtime.source.holding(at);
        (block.kind == HostKind::Stack && asked.span > POINTER_BYTES)
            .then(|| source.address_of_pointer(at, function, asked.argument, turn))?
            .map(Arc::from)
    }

    /// The bytes from a side's address to the end of its memory. What CUDA refuses is an error.
    fn check_extent(&mut self, asked: &Side) -> Result<u64, Failure> {
        let here = |place: Place| Act::Accesses { writes: asked.writes, place };
        let bytes = asked.span;
        if let Some(found) = self.runtime.allocations.around(asked.address).cloned() {
            if found.freed.is_some() {
                let (place, site) = (Place::Freed { memory: found.name.clone() }, self.site.clone());
                self.runtime.used_after_free(&found, here(place), &site);
                return Err(CudaError::InvalidValue.into());
            }
            let room = found.end() - asked.address;
            if room < asked.span {
                let offset = asked.address - found.start;
                let at = call_side(here(Place::PastEnd { bytes, offset, of: described(&found) }), &self.site);
                let evidence = vec![room_of(&found.name, asked.span, room)];
                self.runtime.find(FindingKind::CopyPastEnd, at, Some(made(&found)), evidence);
                return Err(CudaError::InvalidValue.into());
            }
            return Ok(asked.span);
        }
        if let Some((found, away)) = self.beside(asked.address) {
            let at = call_side(here(Place::Beside { bytes, away, of: described(&found) }), &self.site);
            self.runtime.find(FindingKind::CopyPastEnd, at, Some(made(&found)), vec![Evidence::BesideMemory]);
            return Err(CudaError::InvalidValue.into());
        }
        let Some(block) = self.thread.block(asked.address) else {
            let at = call_side(here(Place::Nowhere), &self.site);
            self.runtime.find(FindingKind::CopyPastEnd, at, None, Vec::new());
            return Err(CudaError::InvalidValue.into());
        };
        let pointer: Option<Arc<str>> = self.named(asked.argument).map(Arc::from);
        if block.kind == HostKind::Freed {
            let at = call_side(here(Place::FreedByHost { pointer }), &self.site);
            self.runtime.find(FindingKind::UseAfterFree, at, None, Vec::new());
            return Err(CudaError::InvalidValue.into());
        }
        if let Some(pointer) = self.address_of_pointer(asked) {
            let evidence = vec![Evidence::AddressOfPointer(pointer.clone())];
            let at = call_side(here(Place::OnPointer { bytes, pointer, room: POINTER_BYTES }), &self.site);
            self.runtime.find(FindingKind::CopyPastEnd, at, None, evidence);
            return Err(CudaError::InvalidValue.into());
        }
        let room = (block.start + block.bytes).saturating_sub(asked.address);
        if room >= asked.span {
            return Ok(room);
        }
        let on_stack = block.kind == HostKind::Stack;
        let evidence = vec![room_of(pointer.as_deref().unwrap_or("host memory"), bytes, room)];
        let at = call_side(here(Place::PastHost { bytes, pointer, room, on_stack }), &self.site);
        self.runtime.find(FindingKind::CopyPastEnd, at, None, evidence);
        // Behind the stack's end is nothing, where behind a block of the heap there may be another.
        if on_stack { Err(CudaError::InvalidValue.into()) } else { Ok(room) }
    }

    /// A set whose memory was checked; `None` where there is nothing to set. `argument` holds the
    /// pointer.
    pub fn checked_set(&mut self, set: Set, argument: usize) -> Result<Option<Set>, Failure> {
        if set.width == 0 || set.height == 0 {
            return Ok(None);
        }
        let (Some(row), Some(span)) = (set.row_bytes(), set.span()) else {
            return Err(CudaError::InvalidValue.into());
        };
        if set.height > 1 && row > set.pitch {
            return Err(CudaError::InvalidPitchValue.into());
        }
        let address = set.dst.0;
        if address == 0 {
            return Err(CudaError::InvalidValue.into());
        }
        if self.is_on_device(address) == Some(false) {
            let (pointer, leads_to) = (self.named(argument).map(Arc::from), self.memory_at(address));
            let evidence = (leads_to == Pointee::Nothing).then_some(Evidence::NoMemory);
            let at = call_side(Act::NeedsDeviceMemory { pointer, leads_to }, &self.site);
            self.runtime.find(FindingKind::HostPointerGiven, at, None, evidence.into_iter().collect());
            return Err(CudaError::InvalidValue.into());
        }
        self.check_extent(&Side { address, span, writes: true, argument, on_device: Some(true) })?;
        Ok(Some(set))
    }

    /// Checks a set and gives it to its stream.
    fn set(&mut self, set: Set, stream: u64) -> Result<(), Failure> {
        match self.checked_set(set, 0)? {
            Some(set) => self.submit(stream, Work::Set(set)),
            None => Ok(()),
        }
    }

    /// Waits for a set on the default stream, where the host reaches the memory, which is pinned or managed: of other
    /// memory the host does not wait (CUDA Runtime API, "API synchronization behavior").
    fn finish_set(&mut self, dst: u64) -> Result<(), Failure> {
        if self.is_on_device(dst).is_some() {
            return Ok(());
        }
        let id = self.stream(0)?;
        self.ask(|gpus, site, host| gpus.wait(Until::Stream(id), site, host))
    }

    /// Sets bytes of rows that begin `pitch` bytes from each other.
    fn set_rows(
        &mut self,
        (dst, pitch): (u64, u64),
        value: i32,
        [width, height]: [u64; 2],
        stream: u64,
    ) -> Result<(), Failure> {
        let value = u32::from(value as u8);
        self.set(Set { dst: Address(dst), value, element_bytes: 1, width, height, pitch }, stream)
    }

    fn set_slices(&mut self, to: Pitched, value: i32, extent: Extent, stream: u64) -> Result<(), Failure> {
        if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
            return Ok(());
        }
        let refused = CudaError::InvalidValue;
        if extent.depth > 1 && extent.height > to.height {
            return Err(refused.into());
        }
        if extent.height == to.height || extent.depth == 1 {
            let rows = extent.height.checked_mul(extent.depth).ok_or(refused)?;
            return self.set_rows((to.address, to.pitch), value, [extent.width, rows], stream);
        }
        // The whole of it first: where the memory ends too early, nothing is set.
        let slice = to.pitch.checked_mul(to.height).ok_or(refused)?;
        let last = (extent.depth - 1).checked_mul(slice).ok_or(refused)?;
        let rows = extent.height.saturating_sub(1).checked_mul(to.pitch).ok_or(refused)?;
        let span = last.checked_add(rows).and_then(|bytes| bytes.checked_add(extent.width)).ok_or(refused)?;
        let whole =
            Set { dst: Address(to.address), value: 0, element_bytes: 1, width: span, height: 1, pitch: span };
        self.checked_set(whole, 0)?;
        for n in 0..extent.depth {
            let at = to.address + n * slice;
            self.set_rows((at, to.pitch), value, [extent.width, extent.height], stream)?;
        }
        Ok(())
    }
}

/// Rows of a copy in two dimensions.
fn rows(width: u64, height: u64, dst_pitch: u64, src_pitch: u64) -> CopyShape {
    let slice = |pitch: u64| pitch.saturating_mul(height);
    CopyShape {
        width,
        height,
        depth: 1,
        dst_pitch,
        dst_slice: slice(dst_pitch),
        src_pitch,
        src_slice: slice(src_pitch),
    }
}

calls! {
    /// Copies, and waits for it.
    fn cudaMemcpy(call, dst: u64, src: u64, bytes: u64, kind: i32) {
        let direction = Direction::numbered(kind)?;
        let shape = CopyShape::linear(bytes);
        call.copy(CopyCall { dst, src, shape, direction, arguments: [0, 1], stream: 0, blocking: true })
    }

    /// Copies when the stream comes to it.
    fn cudaMemcpyAsync(call, dst: u64, src: u64, bytes: u64, kind: i32, stream: u64) {
        let direction = Direction::numbered(kind)?;
        let shape = CopyShape::linear(bytes);
        call.copy(CopyCall { dst, src, shape, direction, arguments: [0, 1], stream, blocking: false })
    }

    /// Copies rows, and waits for it.
    fn cudaMemcpy2D(call, dst: u64, dst_pitch: u64, src: u64, src_pitch: u64, width: u64, height: u64, kind: i32) {
        let direction = Direction::numbered(kind)?;
        let shape = rows(width, height, dst_pitch, src_pitch);
        call.copy(CopyCall { dst, src, shape, direction, arguments: [0, 2], stream: 0, blocking: true })
    }

    /// Copies rows when the stream comes to it.
    fn cudaMemcpy2DAsync(
        call, dst: u64, dst_pitch: u64, src: u64, src_pitch: u64, width: u64, height: u64, kind: i32, stream: u64
    ) {
        let direction = Direction::numbered(kind)?;
        let shape = rows(width, height, dst_pitch, src_pitch);
        call.copy(CopyCall { dst, src, shape, direction, arguments: [0, 2], stream, blocking: false })
    }

    /// Copies between devices, behind all that both were given and before all that they will be.
    fn cudaMemcpyPeer(call, dst: u64, dst_device: i32, src: u64, src_device: i32, bytes: u64) {
        call.device(dst_device)?;
        call.device(src_device)?;
        let (shape, direction) = (CopyShape::linear(bytes), Direction::DeviceToDevice);
        call.copy(CopyCall { dst, src, shape, direction, arguments: [0, 2], stream: 0, blocking: true })
    }

    /// Copies between devices when the stream comes to it.
    fn cudaMemcpyPeerAsync(
        call, dst: u64, dst_device: i32, src: u64, src_device: i32, bytes: u64, stream: u64
    ) {
        call.device(dst_device)?;
        call.device(src_device)?;
        let (shape, direction) = (CopyShape::linear(bytes), Direction::DeviceToDevice);
        call.copy(CopyCall { dst, src, shape, direction, arguments: [0, 2], stream, blocking: false })
    }

    /// Sets bytes of device memory.
    fn cudaMemset(call, dst: u64, value: i32, bytes: u64) {
        call.set_rows((dst, bytes), value, [bytes, 1], 0)?;
        call.finish_set(dst)
    }

    /// Sets bytes when the stream comes to it.
    fn cudaMemsetAsync(call, dst: u64, value: i32, bytes: u64, stream: u64) {
        call.set_rows((dst, bytes), value, [bytes, 1], stream)
    }

    /// Sets the bytes of rows.
    fn cudaMemset2D(call, dst: u64, pitch: u64, value: i32, width: u64, height: u64) {
        call.set_rows((dst, pitch), value, [width, height], 0)?;
        call.finish_set(dst)
    }

    /// Sets the bytes of rows when the stream comes to it.
    fn cudaMemset2DAsync(call, dst: u64, pitch: u64, value: i32, width: u64, height: u64, stream: u64) {
        call.set_rows((dst, pitch), value, [width, height], stream)
    }

    /// Sets the bytes of slices of rows.
    fn cudaMemset3D(call, to: Pitched, value: i32, extent: Extent) {
        let dst = to.address;
        call.set_slices(to, value, extent, 0)?;
        call.finish_set(dst)
    }

    /// Sets the bytes of slices of rows when the stream comes to it.
    fn cudaMemset3DAsync(call, to: Pitched, value: i32, extent: Extent, stream: u64) {
        call.set_slices(to, value, extent, stream)
    }
}

fn room_of(memory: &str, asked_bytes: u64, room_bytes: u64) -> Evidence {
    Evidence::Room { memory: memory.into(), asked_bytes, room_bytes }
}
