//! Wording for work that the host submitted to a GPU, and for CUDA API calls. Names are the learner's and are not
//! escaped.

use sim::{
    Access, Act, Actor, CopySide, CudaAllocation, CudaMemoryKind, CudaStatus, GoneMemory, HandleKind,
    HostMemoryKind, Leakable, MemoryName, NamedDevice, Operation, Place, Pointee, Request,
};
use std::sync::Arc;

/// The call that makes registered host memory pageable again.
pub const UNREGISTER: &str = "cudaHostUnregister";

/// Describes an operation for readers: `cudaMemcpyAsync on stream 1`.
pub fn operation(operation: &Operation) -> String {
    let Operation { request, act } = operation;
    match act {
        Act::IsAsked => request.to_string(),
        Act::Work { stream, in_graph: true } => format!("{request} in a graph on {stream}"),
        Act::Work { stream, .. } if request.is_nothing() => stream.to_string(),
        Act::Work { stream, .. } => format!("{request} on {stream}"),
        Act::Frees if request.is_nothing() => "the free".into(),
        Act::Frees => request.to_string(),
        Act::Host => "the host".into(),
        Act::Program => "the program".into(),
        Act::Fails(error) => format!("{request} fails here: {}", status(error)),
        Act::LaunchFails(error) => format!("this launch fails: {}", error.text()),
        Act::EndedCapture(error) => format!("{request} ended the capture: {}", status(error)),
        Act::Made(memory) => format!("{} is allocated here: {}", quoted(&memory.name), size_and_kind(memory)),
        Act::Freed { memory, by } => format!("{} is freed here by {by}", quoted(memory)),
        Act::FreedFirst { by, .. } if is_reset(by) => format!("{by} frees all memory of the GPU"),
        Act::FreedFirst { memory, by } => format!("{} is freed the first time, by {by}", quoted(memory)),
        Act::FreesAgain { pointer: Some(pointer) } => format!("{request} frees `{pointer}` again"),
        Act::FreesAgain { pointer: None } => format!("{request} frees the same memory again"),
        Act::FreesRegistered => "this frees memory that is still registered".into(),
        Act::Registered { by } => format!("it is registered here, by {by}"),
        Act::Leaked { name, what, count, bytes } => leaked(name.as_deref(), *what, *count, *bytes),
        Act::IsGiven { memory } => format!("{request} is given {}", quoted(memory)),
        Act::IsGivenKind(memory) => {
            format!("{request} is given {}, which is {}", quoted(&memory.name), size_and_kind(memory))
        }
        Act::IsGivenBytes { bytes, of } => {
            format!("{request} is given {bytes} bytes; {} has {}", quoted(&of.name), size_and_kind(of))
        }
        Act::IsGivenInside { memory, offset } => {
            format!("{request} is given an address {} past the start of {}", size(*offset), quoted(memory))
        }
        Act::IsGivenForeign(kind) => format!("{request} is given {}", foreign(*kind)),
        Act::IsGivenDestroyed(handle) => {
            format!("{request} is given {} that was destroyed", one_handle(*handle))
        }
        Act::Destroyed { handle, by } => format!("the {} is destroyed here by {by}", noun(*handle)),
        Act::NeedsDeviceMemory { pointer, leads_to } => {
            let pointer = pointer.as_ref().map_or("it is given".into(), |name| format!("`{name}` is"));
            format!("{request} needs device memory; {pointer} {}", pointee(*leads_to))
        }
        Act::NeedsDeviceScalars(kind) => device_scalars(request, *kind),
        Act::Accesses { writes, place } => access(request, *writes, place),
        Act::NodeAccesses { node, line, writes, memory } => {
            let line = line.map_or(String::new(), |line| format!(" of line {line}"));
            let memory = match memory {
                GoneMemory::Freed(name) => quoted(name),
                GoneMemory::FreedByHost => "host memory that was freed".into(),
                GoneMemory::Local => "a local variable of a function that has returned".into(),
            };
            format!("in the graph, {node}{line} {} {memory}", verb(*writes))
        }
        Act::HostAccesses { writes, memory } => format!("the host {} {}", verb(*writes), quoted(memory)),
        Act::HostFollows { writes, memory } => {
            let verb = if *writes { "write to" } else { "read" };
            format!("{request} is asked to {verb} {}, which the host can't access", quoted(memory))
        }
        Act::CopyOverlaps if request.is_nothing() => "memcpy() writes to bytes that it also reads".into(),
        Act::CopyOverlaps => format!("{request} writes to bytes that it also reads"),
        Act::OnlyAskedForStorage => {
            format!("{request} is given no temporary storage, and only says how much it needs")
        }
        Act::CopyDirection { said, wrong } => {
            let sides: Vec<String> = wrong.iter().map(copy_side).collect();
            let says = match request.function().contains("Peer") {
                // No argument says so.
                true => "copies from GPU to GPU".to_owned(),
                false => format!("says {said}"),
            };
            format!("{request} {says}, but {}", sides.join(" and "))
        }
        Act::CopyDevices(sides) => {
            let sides: Vec<String> = sides.iter().map(named_device).collect();
            format!("{request} names {}", sides.join(" and "))
        }
        Act::Collective { rank, ranks } => format!("a collective of rank {rank} of {ranks}"),
        Act::OutsideGroup { rank, ranks } => {
            format!("{request} for rank {rank} of {ranks} is outside a group")
        }
    }
}

/// Returns whether a call ends all that a program has on a GPU.
pub fn is_reset(call: &Request) -> bool {
    matches!(call.function(), "cudaDeviceReset" | "cudaThreadExit")
}

fn access(request: &Request, writes: bool, place: &Place) -> String {
    let place = match place {
        Place::Nowhere => "where nothing is allocated".into(),
        Place::DeadLocal => "a local variable of a function that has returned".into(),
        Place::Freed { memory } => quoted(memory),
        Place::FreedByHost { pointer } => format!("{}, which was freed", host_memory(pointer.as_deref())),
        Place::PastEnd { bytes, offset, of } => {
            let from = match offset {
                0 => String::new(),
                offset => format!(" from byte {offset} onwards"),
            };
            format!("{}{from}; {} has {}", size(*bytes), quoted(&of.name), size_and_kind(of))
        }
        Place::Outside { bytes, away, of } => {
            let distance = size(away.unsigned_abs());
            let place = match away {
                0 => "at the end".into(),
                1.. => format!("{distance} past the end"),
                _ => format!("{distance} before the start"),
            };
            format!(
                "{} starting {place} of {}, which has {}",
                size(*bytes),
                quoted(&of.name),
                size_and_kind(of)
            )
        }
        Place::PastHost { bytes, pointer, room, on_stack: true } => {
            let from = host_memory(pointer.as_deref());
            format!("{}; from {from} onwards, {} of the stack are left", size(*bytes), size(*room))
        }
        Place::PastHost { bytes, pointer, room, .. } => {
            let of = if pointer.is_some() { " of host memory" } else { "" };
            format!("{}; {} has {}{of}", size(*bytes), host_memory(pointer.as_deref()), size(*room))
        }
        Place::PastLocal { bytes, pointer, room } => {
            let from = host_memory(pointer.as_deref());
            format!("{}; from {from} onwards, at most {} belong to one variable", size(*bytes), size(*room))
        }
        Place::OnVector { bytes, vector } => {
            format!(
                "{} at &{vector}, but `{vector}` is a std::vector: its elements are elsewhere",
                size(*bytes)
            )
        }
        Place::OnPointer { bytes, pointer, room } => {
            format!("{} at &{pointer}, but `{pointer}` is a pointer of {}", size(*bytes), size(*room))
        }
    };
    format!("{request} {} {place}", verb(writes))
}

fn verb(writes: bool) -> &'static str {
    if writes { "writes" } else { "reads" }
}

/// Describes the memory that a host pointer leads to, by the pointer's name.
fn host_memory(pointer: Option<&str>) -> String {
    pointer.map_or("host memory".into(), |name| format!("`{name}`"))
}

fn copy_side(side: &CopySide) -> String {
    format!("the {} is {}", role(side.writes, &side.pointer), pointee(side.leads_to))
}

fn named_device(side: &NamedDevice) -> String {
    let NamedDevice { writes, pointer, named, is_on } = side;
    format!("GPU {named} for its {}, which is on GPU {is_on}", role(*writes, pointer))
}

/// Returns which side of a copy it is, with its pointer's name.
fn role(writes: bool, pointer: &Option<Arc<str>>) -> String {
    let role = if writes { "destination" } else { "source" };
    pointer.as_ref().map_or(role.to_owned(), |name| format!("{role} `{name}`"))
}

/// Returns the program's name of memory in backquotes, or else what the memory is.
pub fn quoted(name: &MemoryName) -> String {
    match name {
        MemoryName::Named(name) | MemoryName::Part { of: name, .. } => format!("`{name}`"),
        other => other.to_string(),
    }
}

fn leaked(name: Option<&str>, what: Leakable, count: u64, bytes: u64) -> String {
    let (one, plural) = match what {
        Leakable::Memory(kind @ CudaMemoryKind::Array) => (memory(kind).to_owned(), "CUDA arrays".to_owned()),
        Leakable::Memory(kind) => (memory(kind).to_owned(), format!("allocations of {}", memory(kind))),
        Leakable::Handle(kind) => (one_handle(kind), format!("{}s", noun(kind))),
    };
    match (count, name, bytes) {
        (1, Some(name), 0) => format!("`{name}`, {one}"),
        (1, Some(name), _) => format!("`{name}`, {} of {one}", size(bytes)),
        (1, None, 0) => one,
        (1, None, _) => format!("{}, {one}", size(bytes)),
        (_, _, 0) => format!("{count} {plural} made here"),
        _ => format!("{count} {plural} made here, {} in all", size(bytes)),
    }
}

/// Returns whether a call is passed the host's shadow of a `__device__` or `__constant__` variable.
pub fn passes_a_symbol(access: &Access) -> bool {
    let is_symbol = |side: &CopySide| side.leads_to == Pointee::Host(HostMemoryKind::Symbol);
    match &access.actor {
        Actor::Operation(Operation { act: Act::CopyDirection { wrong, .. }, .. }) => {
            wrong.iter().any(is_symbol)
        }
        Actor::Operation(Operation { act: Act::NeedsDeviceMemory { leads_to, .. }, .. }) => {
            *leads_to == Pointee::Host(HostMemoryKind::Symbol)
        }
        _ => false,
    }
}

/// Returns whether a copy is passed the address of a `std::vector` itself.
pub fn copies_a_vector(access: &Access) -> bool {
    let on_vector = |act: &Act| matches!(act, Act::Accesses { place: Place::OnVector { .. }, .. });
    matches!(&access.actor, Actor::Operation(operation) if on_vector(&operation.act))
}

fn foreign(kind: Option<HostMemoryKind>) -> &'static str {
    match kind {
        Some(HostMemoryKind::Heap) => "memory from malloc or new: free() or delete frees it",
        Some(HostMemoryKind::Local) => "the address of a local variable",
        Some(HostMemoryKind::Variable) => "the address of a variable",
        Some(HostMemoryKind::Symbol) => "a __device__ or __constant__ variable, which was never allocated",
        Some(HostMemoryKind::Freed) => "host memory that was freed before",
        None => "an address that CUDA never returned",
    }
}

/// Describes a call whose scalars have to be in device memory.
fn device_scalars(request: &Request, kind: HostMemoryKind) -> String {
    let call = request.function();
    let given = pointee(Pointee::Host(kind));
    format!("{call} expects its scalars in device memory (CUBLAS_POINTER_MODE_DEVICE); it is given {given}")
}

fn pointee(leads_to: Pointee) -> &'static str {
    match leads_to {
        Pointee::Cuda(kind) => memory(kind),
        Pointee::Host(HostMemoryKind::Heap) => "host memory from malloc or new",
        Pointee::Host(HostMemoryKind::Local) => "a local variable of the host",
        Pointee::Host(HostMemoryKind::Variable) => "a variable of the host",
        Pointee::Host(HostMemoryKind::Symbol) => "a device variable, whose address the host does not have",
        Pointee::Host(HostMemoryKind::Freed) => "host memory that was freed",
        Pointee::Nothing => "no memory at all",
    }
}

fn memory(kind: CudaMemoryKind) -> &'static str {
    match kind {
        CudaMemoryKind::Device => "device memory",
        CudaMemoryKind::Managed => "managed memory",
        CudaMemoryKind::Pinned => "pinned host memory",
        CudaMemoryKind::Registered => "registered host memory",
        CudaMemoryKind::Array => "a CUDA array",
    }
}

/// Returns the noun for a kind of handle.
pub fn noun(handle: HandleKind) -> &'static str {
    match handle {
        HandleKind::Communicator => "communicator",
        HandleKind::ConvolutionDescriptor => "convolution descriptor",
        HandleKind::Cublas => "cuBLAS handle",
        HandleKind::Cudnn => "cuDNN handle",
        HandleKind::CufftPlan => "cuFFT plan",
        HandleKind::FilterDescriptor => "filter descriptor",
        HandleKind::Graph => "graph",
        HandleKind::Pool => "pool",
        HandleKind::Stream => "stream",
        HandleKind::TensorDescriptor => "tensor descriptor",
        HandleKind::Event => "event",
        HandleKind::ExecutableGraph => "executable graph",
        HandleKind::Array => "CUDA array",
        HandleKind::TextureObject => "texture object",
        HandleKind::SurfaceObject => "surface object",
    }
}

fn one_handle(handle: HandleKind) -> String {
    let article = if matches!(handle, HandleKind::Event | HandleKind::ExecutableGraph) { "an" } else { "a" };
    format!("{article} {}", noun(handle))
}

/// Formats `invalid argument (cudaErrorInvalidValue)`.
fn status(error: &CudaStatus) -> String {
    format!("{} ({})", error.text(), error.name())
}

/// Formats `400 bytes of device memory`.
fn size_and_kind(allocation: &CudaAllocation) -> String {
    format!("{} of {}", size(allocation.bytes), memory(allocation.kind))
}

fn size(bytes: u64) -> String {
    if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(act: Act) -> String {
        operation(&Operation { request: Request::Call("cudaMemcpy".into()), act })
    }

    #[test]
    fn places_say_how_much_and_where() {
        let of = || CudaAllocation { name: "d_x".into(), bytes: 400, kind: CudaMemoryKind::Device };
        let at = |writes, place| text(Act::Accesses { writes, place });
        for (place, wanted) in [
            (Place::Nowhere, "cudaMemcpy reads where nothing is allocated"),
            (Place::FreedByHost { pointer: None }, "cudaMemcpy reads host memory, which was freed"),
            (
                Place::PastEnd { bytes: 1, offset: 400, of: of() },
                "cudaMemcpy reads 1 byte from byte 400 onwards; `d_x` has 400 bytes of device memory",
            ),
            (
                Place::Outside { bytes: 8, away: 0, of: of() },
                "cudaMemcpy reads 8 bytes starting at the end of `d_x`, which has 400 bytes of device memory",
            ),
            (
                Place::Outside { bytes: 8, away: -16, of: of() },
                "cudaMemcpy reads 8 bytes starting 16 bytes before the start of `d_x`, which has 400 bytes of device \
                 memory",
            ),
            (
                Place::PastHost { bytes: 8, pointer: None, room: 4, on_stack: false },
                "cudaMemcpy reads 8 bytes; host memory has 4 bytes",
            ),
            (
                Place::PastHost { bytes: 8, pointer: Some("x".into()), room: 4, on_stack: true },
                "cudaMemcpy reads 8 bytes; from `x` onwards, 4 bytes of the stack are left",
            ),
            (
                Place::PastLocal { bytes: 8, pointer: Some("x".into()), room: 4 },
                "cudaMemcpy reads 8 bytes; from `x` onwards, at most 4 bytes belong to one variable",
            ),
        ] {
            assert_eq!(at(false, place), wanted);
        }
        let pointer = Place::OnPointer { bytes: 40, pointer: "x".into(), room: 8 };
        assert_eq!(at(true, pointer), "cudaMemcpy writes 40 bytes at &x, but `x` is a pointer of 8 bytes");
        let vector = Place::OnVector { bytes: 40, vector: "v".into() };
        let said = "cudaMemcpy reads 40 bytes at &v, but `v` is a std::vector: its elements are elsewhere";
        assert_eq!(at(false, vector), said);
    }

    #[test]
    fn a_copy_between_gpus_has_its_own_pointers() {
        let side = |writes, name: &str| NamedDevice {
            writes,
            pointer: (!name.is_empty()).then(|| name.into()),
            named: 0,
            is_on: 1,
        };
        let said = text(Act::CopyDevices(vec![side(true, "gpu[1 - g].other"), side(false, "")]));
        let wanted = "names GPU 0 for its destination `gpu[1 - g].other`, which is on GPU 1 and GPU 0 for its source, \
                      which is on GPU 1";
        assert!(said.ends_with(wanted), "{said}");
    }

    #[test]
    fn leaks_are_counted_and_measured() {
        let (stream, event) = (Leakable::Handle(HandleKind::Stream), Leakable::Handle(HandleKind::Event));
        let memory = Leakable::Memory(CudaMemoryKind::Pinned);
        for (name, what, count, bytes, wanted) in [
            (Some("x"), memory, 1, 8, "`x`, 8 bytes of pinned host memory"),
            (None, memory, 1, 8, "8 bytes, pinned host memory"),
            (Some("x"), memory, 3, 24, "3 allocations of pinned host memory made here, 24 bytes in all"),
            (Some("s"), stream, 1, 0, "`s`, a stream"),
            (None, event, 1, 0, "an event"),
            (None, event, 2, 0, "2 events made here"),
        ] {
            assert_eq!(text(Act::Leaked { name: name.map(Into::into), what, count, bytes }), wanted);
        }
    }
}
