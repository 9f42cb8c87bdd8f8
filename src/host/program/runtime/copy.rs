//! Copies: checks of the memory on both sides, then work for a stream.

use super::allocations::{Allocation, Kind};
use super::findings::{described, host_memory_kind, made, memory_kind};
use crate::device::{Copy, CopyShape, CudaError, Result, Work, fail_if};
use crate::program::call::{Call, calls};
use cpp::Declared;
use sim::{
    Act, Address, CopySide, Evidence, FindingKind, HostBlock, HostBlockKind, HostMemoryKind, NamedDevice,
    Place, Pointee,
};
use std::sync::Arc;

const POINTER_BYTES: u64 = 8;
/// Bytes of the stack above the variables of `main` that hold at least its arguments and the environment.
const KEPT_ABOVE_MAIN: u64 = 1 << 12;

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

    /// Returns the direction of a `cudaMemcpyKind` number.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidMemcpyDirection`: there is no such number.
    pub fn numbered(number: i32) -> Result<Direction> {
        let found = usize::try_from(number).ok().and_then(|n| Direction::ALL.get(n));
        found.copied().ok_or(CudaError::InvalidMemcpyDirection.into())
    }

    fn name(self) -> String {
        format!("cudaMemcpy{self:?}")
    }

    /// Returns whether destination and source should be on a device; `None` if the pointers decide.
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

/// One side of a copy or a memset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub address: u64,
    /// Bytes from the first to the last one accessed.
    pub span: u64,
    pub writes: bool,
    /// Number of the argument that holds the pointer.
    pub argument: usize,
    /// Whether the call says that it is on a device; `None` if it does not say.
    pub on_device: Option<bool>,
}

/// Rows of one side of a copy: the address of the first, and the bytes from one row, and one slice, to the next.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub address: u64,
    pub pitch: u64,
    pub slice: u64,
}

/// A copy as a call requests it.
#[derive(Clone, Copy, Debug)]
pub struct CopyCall {
    pub dst: u64,
    pub src: u64,
    pub shape: CopyShape,
    pub direction: Direction,
    /// Numbers of the arguments that hold the pointers: destination, source.
    pub arguments: [usize; 2],
    /// Without a stream, the host waits for the copy, which is in the default stream.
    pub stream: Option<u64>,
}

impl CopyCall {
    /// Returns a copy of a box: bytes, rows and slices.
    pub fn of_box(
        [width, height, depth]: [u64; 3],
        (dst, src): (Rows, Rows),
        direction: Direction,
        arguments: [usize; 2],
        stream: Option<u64>,
    ) -> CopyCall {
        let shape = CopyShape {
            width,
            height,
            depth,
            dst_pitch: dst.pitch,
            dst_slice: dst.slice,
            src_pitch: src.pitch,
            src_slice: src.slice,
        };
        CopyCall { dst: dst.address, src: src.address, shape, direction, arguments, stream }
    }
}

/// Returns the bytes from the first to the last one of one side of a copy; `None` on overflow.
fn span(shape: &CopyShape, pitch: u64, slice: u64) -> Option<u64> {
    let rows = shape.height.checked_sub(1)?.checked_mul(pitch)?;
    let slices = shape.depth.checked_sub(1)?.checked_mul(slice)?;
    rows.checked_add(slices)?.checked_add(shape.width)
}

/// Returns whether a byte is both read and written. Sides of different pitches are not compared.
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
    /// Checks both sides of a copy and returns it as work; `None` if there is nothing to copy.
    ///
    /// # Errors
    ///
    /// CUDA's error for a null pointer and for a pitch or a size that is too large or too small; with a finding, for
    /// memory that the copy may not access.
    pub fn checked_copy(&mut self, asked: &CopyCall) -> Result<Option<Copy>> {
        let mut shape = asked.shape;
        if shape.bytes() == 0 {
            return Ok(None);
        }
        let null = [asked.dst, asked.src].iter().position(|address| *address == 0);
        if let Some(n) = null {
            let pointer = self.named(asked.arguments[n]).map(Arc::from);
            self.runtime.errors.set_reason(Evidence::NullPointer { writes: n == 0, pointer });
            return Err(CudaError::InvalidValue.into());
        }
        fail_if(
            shape.width > shape.dst_pitch || shape.width > shape.src_pitch,
            CudaError::InvalidPitchValue,
        )?;
        let short = |slice: u64, pitch: u64| shape.height.checked_mul(pitch).is_none_or(|rows| slice < rows);
        fail_if(
            shape.depth > 1
                && (short(shape.dst_slice, shape.dst_pitch) || short(shape.src_slice, shape.src_pitch)),
            CudaError::InvalidValue,
        )?;
        let spans =
            [span(&shape, shape.dst_pitch, shape.dst_slice), span(&shape, shape.src_pitch, shape.src_slice)];
        let [Some(dst_span), Some(src_span)] = spans else { return Err(CudaError::InvalidValue.into()) };
        let on_device = asked.direction.on_device();
        let side = |n: usize, address: u64, span: u64| {
            let (argument, on_device) = (asked.arguments[n], on_device[n]);
            Side { address, span, writes: n == 0, argument, on_device }
        };
        let sides = [side(0, asked.dst, dst_span), side(1, asked.src, src_span)];
        let rooms = self.check_sides(&sides, asked.direction).inspect_err(|_| {
            // The copy that was not made is reported here, and must not be reported again where its
            // destination is read.
            if let Some(simulated) = self.gpus.simulated() {
                simulated.assume_written(Address(asked.dst));
            }
        })?;
        for (side, room) in sides.iter().zip(rooms) {
            // Host memory that is too short is copied as far as it goes, as a real copy would.
            if room < side.span {
                fail_if(shape.height != 1 || shape.depth != 1, CudaError::InvalidValue)?;
                shape.width = shape.width.min(room);
            }
        }
        if overlaps(asked, &shape) {
            let other = self.runtime.allocations.around(asked.dst).map(made);
            self.find(FindingKind::CopyOverlap, Act::CopyOverlaps, other, Vec::new());
        }
        let (dst, src) = (Address(asked.dst), Address(asked.src));
        Ok((shape.width > 0).then_some(Copy { dst, src, shape, blocking: asked.stream.is_none() }))
    }

    /// Checks a copy and submits it to its stream.
    ///
    /// # Errors
    ///
    /// As for [`Call::checked_copy`] and [`Call::submit`].
    pub fn copy(&mut self, asked: CopyCall) -> Result<()> {
        match self.checked_copy(&asked)? {
            Some(copy) => self.submit(asked.stream.unwrap_or(0), Work::Copy(copy)),
            None => Ok(()),
        }
    }

    /// Checks a copy of contiguous bytes and submits it to its stream.
    pub fn copy_bytes(
        &mut self,
        [dst, src, bytes]: [u64; 3],
        direction: Direction,
        arguments: [usize; 2],
        stream: Option<u64>,
    ) -> Result<()> {
        self.copy(CopyCall { dst, src, shape: CopyShape::linear(bytes), direction, arguments, stream })
    }

    /// Checks the devices that a copy names for destination and source, each after an address. Memory of another
    /// device is a finding; the copy is made nevertheless, since what CUDA does then is not documented. `arguments`:
    /// the 0-based numbers of the pointers among the call's arguments.
    pub fn check_devices(&mut self, sides: [(u64, i32); 2], arguments: [usize; 2]) -> Result<()> {
        let mut others = Vec::new();
        for (side, (address, named)) in sides.into_iter().enumerate() {
            let named = self.device(named)?;
            // That memory was freed is found by the copy itself.
            let memory = self.runtime.allocations.around(address).filter(|its| its.freed.is_none());
            if let Some(memory) = memory
                && let Some(is_on) = memory.kind.device().filter(|its| *its != named)
            {
                let pointer = self.named(arguments[side]).map(Arc::from);
                others.push(NamedDevice { writes: side == 0, pointer, named, is_on });
            }
        }
        if !others.is_empty() {
            self.find(FindingKind::CopyDevice, Act::CopyDevices(others), None, Vec::new());
        }
        Ok(())
    }

    /// Checks a copy of contiguous bytes between devices and submits it to its stream.
    fn copy_between(&mut self, sides: [u64; 3], devices: [i32; 2], stream: Option<u64>) -> Result<()> {
        let arguments = [0, 2];
        self.check_devices([(sides[0], devices[0]), (sides[1], devices[1])], arguments)?;
        self.copy_bytes(sides, Direction::DeviceToDevice, arguments, stream)
    }

    /// Returns `Some(false)` if only the host can access an address directly, `Some(true)` if only devices
    /// can, and `None` if both can. `None`, too, for an address near memory from CUDA but in none.
    pub(super) fn is_on_device(&self, address: u64) -> Option<bool> {
        match self.runtime.allocations.around(address).map(|a| a.kind) {
            Some(Kind::Device(_) | Kind::Pool(_) | Kind::Array(_) | Kind::Variable(Some(_))) => Some(true),
            Some(_) => None,
            None => self.nearest(address).is_none().then_some(false),
        }
    }

    /// Returns the memory from CUDA next to an address that is in no memory at all; see
    /// `Allocations::nearest`.
    fn nearest(&self, address: u64) -> Option<(Allocation, i64)> {
        if self.thread.block(address).is_some() {
            return None;
        }
        self.runtime.allocations.nearest(address).map(|(its, away)| (its.clone(), away))
    }

    /// Returns the kind of memory that a pointer points to.
    fn memory_at(&self, address: u64) -> Pointee {
        if let Some(found) = self.runtime.allocations.around(address) {
            return Pointee::Cuda(memory_kind(found.kind));
        }
        match self.thread.block(address) {
            Some(HostBlock { kind: HostBlockKind::Variable(index), .. })
                if self.runtime.is_of_kernels(index) =>
            {
                Pointee::Host(HostMemoryKind::Symbol)
            }
            Some(block) => Pointee::Host(host_memory_kind(block.kind)),
            None => Pointee::Nothing,
        }
    }

    /// Returns, for each side, the bytes that may be accessed from its address on.
    fn check_sides(&mut self, sides: &[Side; 2], direction: Direction) -> Result<[u64; 2]> {
        self.check_direction(sides, direction)?;
        Ok([self.check_extent(&sides[0])?, self.check_extent(&sides[1])?])
    }

    fn check_direction(&mut self, sides: &[Side; 2], direction: Direction) -> Result<()> {
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
        let act = Act::CopyDirection { said: direction.name().into(), wrong: known };
        // With the other side as it should be, it is not the direction that is wrong.
        let of_one = match wrong.as_slice() {
            [bad] if bad.on_device == Some(true) => self.pointer_on_stack(bad),
            _ => wrong.iter().find_map(|bad| self.address_of_pointer(bad)),
        };
        let on_pointer = of_one.map(Evidence::AddressOfPointer);
        let evidence = nowhere.then_some(Evidence::NoMemory).into_iter().chain(on_pointer).collect();
        let other = wrong.iter().find_map(|bad| self.runtime.allocations.around(bad.address).map(made));
        self.refuse(FindingKind::CopyDirection, act, other, evidence)
    }

    /// Returns the pointer whose own address was passed for a side, if the pointer variable is too small for
    /// the copy.
    fn address_of_pointer(&self, asked: &Side) -> Option<Arc<str>> {
        self.pointer_on_stack(asked).filter(|_| asked.span > POINTER_BYTES)
    }

    /// Returns the local pointer whose own address was passed for a side.
    fn pointer_on_stack(&self, asked: &Side) -> Option<Arc<str>> {
        let block = self.thread.block(asked.address).filter(|block| block.kind == HostBlockKind::Stack);
        block.and_then(|_| self.address_of(asked, Declared::Pointer))
    }

    /// Returns the size in bytes of the local array that is passed as an argument.
    fn local_array(&self, argument: usize) -> Option<u64> {
        let at = self.site.location.as_ref()?;
        let (function, turn) = (self.site.what.function(), self.runtime.calls.turn);
        let found = self.runtime.source.file_of(at).local_array(at, function, argument, turn);
        found.map(|(_, bytes)| bytes)
    }

    /// Returns the variable of this kind whose own address was passed for a side.
    fn address_of(&self, asked: &Side, kind: Declared) -> Option<Arc<str>> {
        let at = self.site.location.as_ref()?;
        let (function, turn) = (self.site.what.function(), self.runtime.calls.turn);
        let found = self.runtime.source.file_of(at).address_of(at, function, asked.argument, turn);
        found.filter(|(_, its)| *its == kind).map(|(name, _)| name.into())
    }

    /// Returns the bytes that may be accessed from a side's address on, up to the end of host memory.
    ///
    /// # Errors
    ///
    /// A finding and CUDA's error, if CUDA refuses the access.
    pub(super) fn check_extent(&mut self, asked: &Side) -> Result<u64> {
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
                let act = here(Place::PastEnd { bytes, offset, of: described(&found) });
                let evidence = vec![room_of(&found.name, asked.span, room)];
                return self.refuse(FindingKind::CopyPastEnd, act, Some(made(&found)), evidence);
            }
            return Ok(asked.span);
        }
        if let Some((found, away)) = self.nearest(asked.address) {
            let (act, evidence) =
                (here(Place::Outside { bytes, away, of: described(&found) }), vec![Evidence::OutsideMemory]);
            return self.refuse(FindingKind::CopyPastEnd, act, Some(made(&found)), evidence);
        }
        if self.thread.is_dead_local(asked.address) {
            return self.refuse(FindingKind::HostDeadLocal, here(Place::DeadLocal), None, Vec::new());
        }
        let Some(block) = self.thread.block(asked.address) else {
            return self.refuse(FindingKind::CopyPastEnd, here(Place::Nowhere), None, Vec::new());
        };
        let pointer: Option<Arc<str>> = self.named(asked.argument).map(Arc::from);
        if block.kind == HostBlockKind::Freed {
            let act = here(Place::FreedByHost { pointer });
            return self.refuse(FindingKind::UseAfterFree, act, None, Vec::new());
        }
        if let Some(pointer) = self.address_of_pointer(asked) {
            let evidence = vec![Evidence::AddressOfPointer(pointer.clone())];
            let act = here(Place::OnPointer { bytes, pointer, room: POINTER_BYTES });
            return self.refuse(FindingKind::CopyPastEnd, act, None, evidence);
        }
        if let Some(vector) = self.address_of(asked, Declared::Vector) {
            let act = here(Place::OnVector { bytes, vector });
            return self.refuse(FindingKind::CopyPastEnd, act, None, Vec::new());
        }
        let on_stack = block.kind == HostBlockKind::Stack;
        let array = self.local_array(asked.argument).filter(|_| on_stack);
        let to_end = (block.start + block.bytes).saturating_sub(asked.address);
        let room = array.map_or(to_end, |bytes| bytes.min(to_end));
        if room >= asked.span {
            // Of a local variable it is only known where the next one begins.
            let room = if on_stack { self.thread.accessible_bytes(asked.address, asked.span) } else { room };
            let is_registered = self.runtime.allocations.around(asked.address.saturating_add(room)).is_some();
            if room < asked.span && !is_registered {
                let act = here(Place::PastLocal { bytes, pointer, room });
                self.find(FindingKind::CopyPastEnd, act, None, Vec::new());
                fail_if(room == 0, CudaError::InvalidValue)?;
            }
            return Ok(room);
        }
        let on_stack = on_stack && array.is_none();
        let evidence = vec![room_of(pointer.as_deref().unwrap_or("host memory"), bytes, room)];
        self.find(
            FindingKind::CopyPastEnd,
            here(Place::PastHost { bytes, pointer, room, on_stack }),
            None,
            evidence,
        );
        // Past a block of the heap there may be another, and past the variables of `main` what the system keeps there; then
        // comes nothing.
        let beyond = asked.span.saturating_sub(to_end);
        fail_if(on_stack || array.is_some() && beyond > KEPT_ABOVE_MAIN, CudaError::InvalidValue)?;
        Ok(room)
    }

    /// Refuses memory that a GPU cannot use: a finding. `argument` is the number of the argument that holds the
    /// pointer.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: the memory is refused.
    pub fn refuse_host_memory(&mut self, address: u64, argument: usize) -> Result<()> {
        if self.is_on_device(address) != Some(false) {
            return Ok(());
        }
        let (pointer, leads_to) = (self.named(argument).map(Arc::from), self.memory_at(address));
        let evidence = (leads_to == Pointee::Nothing).then_some(Evidence::NoMemory);
        let act = Act::NeedsDeviceMemory { pointer, leads_to };
        self.refuse(FindingKind::HostPointerGiven, act, None, evidence.into_iter().collect())
    }
}

/// Returns a copy of rows that begin a pitch apart on each side.
fn copy_of_rows(
    (dst, dst_pitch): (u64, u64),
    (src, src_pitch): (u64, u64),
    [width, height]: [u64; 2],
    kind: i32,
    stream: Option<u64>,
) -> Result<CopyCall> {
    let rows = |address, pitch: u64| Rows { address, pitch, slice: pitch.saturating_mul(height) };
    let sides = (rows(dst, dst_pitch), rows(src, src_pitch));
    Ok(CopyCall::of_box([width, height, 1], sides, Direction::numbered(kind)?, [0, 2], stream))
}

calls! {
    /// Copies and waits for completion.
    [Purpose(Copies)]
    fn cudaMemcpy(call, dst: u64, src: u64, bytes: u64, kind: i32) {
        call.copy_bytes([dst, src, bytes], Direction::numbered(kind)?, [0, 1], None)
    }

    /// Copies in stream order.
    [Purpose(Copies)]
    fn cudaMemcpyAsync(call, dst: u64, src: u64, bytes: u64, kind: i32, stream: u64) {
        call.copy_bytes([dst, src, bytes], Direction::numbered(kind)?, [0, 1], Some(stream))
    }

    /// Copies rows and waits for completion.
    [Purpose(Copies)]
    fn cudaMemcpy2D(call, dst: u64, dst_pitch: u64, src: u64, src_pitch: u64, width: u64, height: u64, kind: i32) {
        call.copy(copy_of_rows((dst, dst_pitch), (src, src_pitch), [width, height], kind, None)?)
    }

    /// Copies rows in stream order.
    [Purpose(Copies)]
    fn cudaMemcpy2DAsync(
        call, dst: u64, dst_pitch: u64, src: u64, src_pitch: u64, width: u64, height: u64, kind: i32, stream: u64
    ) {
        call.copy(copy_of_rows((dst, dst_pitch), (src, src_pitch), [width, height], kind, Some(stream))?)
    }

    /// Copies between devices, after all work submitted to both before and before all work submitted later.
    [Purpose(Copies)]
    fn cudaMemcpyPeer(call, dst: u64, dst_device: i32, src: u64, src_device: i32, bytes: u64) {
        call.copy_between([dst, src, bytes], [dst_device, src_device], None)
    }

    /// Copies between devices in stream order.
    [Purpose(Copies)]
    fn cudaMemcpyPeerAsync(
        call, dst: u64, dst_device: i32, src: u64, src_device: i32, bytes: u64, stream: u64
    ) {
        call.copy_between([dst, src, bytes], [dst_device, src_device], Some(stream))
    }
}

fn room_of(memory: &str, asked_bytes: u64, room_bytes: u64) -> Evidence {
    Evidence::Room { memory: memory.into(), asked_bytes, room_bytes }
}
