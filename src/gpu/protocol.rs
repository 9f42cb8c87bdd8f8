//! The protocol between this process and the worker: a request, then a reply, over the worker's standard
//! input and the descriptor that was its standard output, encoded by [`wire`](compiler::wire). The contents
//! of buffers are at the beginning of [`shared`](super::shared) memory.

use super::machine::Machine;
use serde::{Deserialize, Serialize};
use sim::{Arg, LaunchConfig};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Returns the driver and the GPUs.
    Hello,
    /// Creates a context and loads machine code, and that of [`checks`](super::checks).
    Open {
        device: u32,
        #[serde(with = "serde_bytes")]
        cubin: Vec<u8>,
        #[serde(with = "serde_bytes")]
        checks: Vec<u8>,
    },
    /// Frees every buffer and reloads the code, so that nothing is left of earlier launches.
    Fresh,
    /// Allocates poisoned memory between guard zones.
    Allocate { bytes: u64 },
    /// Forbids kernels to write to that buffer from now on.
    SetReadOnly { address: u64 },
    /// Copies a piece of a buffer from shared memory.
    Write(Piece),
    /// Copies a piece of a buffer, as it is now, to shared memory.
    Read(Piece),
    /// Stores in shared memory which bytes of a piece have ever been written, by a copy or by a kernel: 1 or
    /// 0 for each.
    Written(Piece),
    /// Returns whether all bytes of a buffer have been written.
    IsAllWritten { address: u64 },
    /// Runs a kernel.
    Launch(LaunchRequest),
    /// Runs launches repeatedly and times them.
    Time(Timing),
    /// Returns how many blocks of a launch can reside on a multiprocessor at once, according to the driver.
    Occupancy(LaunchRequest),
    /// Frees every buffer and unloads the code; the context remains.
    Close,
}

/// A piece of a buffer, no larger than shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Address of the buffer.
    pub address: u64,
    /// Offset of the piece from the beginning of the buffer, in bytes.
    pub offset: u64,
    pub bytes: u32,
}

/// The launches to time, and how; one execution of all launches in sequence is a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    pub launches: Vec<LaunchRequest>,
    pub samples: u32,
    /// Size in bytes of a buffer that is written before each sample, to evict the caches; 0 for none. Not in
    /// a graph.
    pub flush_bytes: u64,
    /// 0: events around each sample; otherwise the number of repetitions in a graph, which a sample replays.
    pub in_graph: u32,
    /// A matrix product by cuBLAS, timed in place of the launches. Not in a graph.
    pub product: Option<Product>,
}

/// A product of two matrices, `out = a × b`, row-major, given by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// Address of a (rows, inner) matrix.
    pub a: u64,
    /// Address of an (inner, cols) matrix.
    pub b: u64,
    /// Address of a (rows, cols) matrix of f32.
    pub out: u64,
    pub rows: u32,
    pub inner: u32,
    pub cols: u32,
    /// Whether the factors are of f16 rather than f32.
    pub half: bool,
}

/// A launch of a kernel by its symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRequest {
    pub symbol: String,
    pub config: LaunchConfig,
    pub args: Vec<Arg>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Machine(Machine),
    Done,
    Address(u64),
    Ran(Ran),
    Timed(Timed),
    /// Blocks resident on a multiprocessor.
    Blocks(u32),
    Whether(bool),
    Failed(Failed),
}

/// The result of a timing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Nanoseconds of each sample, that is, of one execution of all launches.
    pub samples_ns: Vec<f64>,
    /// The clocks right after the samples, if NVML is available.
    pub clocks: Option<Clocks>,
}

/// The state of a working GPU's clocks, from NVML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    pub sm_mhz: u32,
    /// Bits of `nvmlClocksThrottleReasons*` in `nvml.h`.
    pub throttled_by: u64,
}

impl Clocks {
    /// Returns why the clocks are reduced, if for a reason that makes measurements doubtful: power, heat, or
    /// an external hardware slowdown.
    pub fn throttling(&self) -> Option<&'static str> {
        const REASONS: [(u64, &str); 4] =
            [(0x4, "the power limit"), (0x8, "a hardware slowdown"), (0x20, "heat"), (0x40, "heat")];
        REASONS.iter().find(|(bit, _)| self.throttled_by & bit != 0).map(|(_, name)| *name)
    }
}

/// The outcome of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The kernel's output.
    #[serde(with = "serde_bytes")]
    pub output: Vec<u8>,
    /// Guard zones that were written to.
    pub strays: Vec<GuardWrite>,
    /// Addresses of read-only buffers that were written to.
    pub changed: Vec<u64>,
}

/// A write outside a buffer, in one of its guard zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardWrite {
    /// Address of the buffer.
    pub address: u64,
    pub side: Side,
    /// Distance in bytes between the buffer and the nearest byte written.
    pub distance: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    Before,
    After,
}

/// A failed call of the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// The call, such as `cuInit`, for messages.
    pub call: String,
    pub by: FailedBy,
    /// The result's name, or what went wrong.
    pub said: String,
}

/// The result of calls of the driver.
pub type Result<T, E = Failed> = std::result::Result<T, E>;

/// Who failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailedBy {
    /// The driver; holds the result's number in `cuda.h`.
    Driver(u32),
    /// The driver, which knows no kernel of the name. Its result is that for any unknown name.
    UnknownKernel,
    /// The driver's library, which cannot be loaded.
    Library,
    /// This program, or another library of NVIDIA's.
    Other,
}

/// `CUDA_ERROR_NOT_FOUND`.
pub const NOT_FOUND: u32 = 500;

impl FailedBy {
    /// Returns the number of the driver's result in `cuda.h`; `None` if it was not the driver that failed.
    pub fn code(self) -> Option<u32> {
        match self {
            FailedBy::Driver(code) => Some(code),
            FailedBy::UnknownKernel => Some(NOT_FOUND),
            FailedBy::Library | FailedBy::Other => None,
        }
    }
}

impl Failed {
    /// Returns the failure to find a kernel by its name.
    pub fn of_kernel(self) -> Failed {
        match self.by {
            FailedBy::Driver(NOT_FOUND) => Failed { by: FailedBy::UnknownKernel, ..self },
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::DeviceInfo;
    use super::*;
    use compiler::wire::{decode, encode};
    use proptest::prelude::*;
    use sim::Dim3;

    #[test]
    fn everything_comes_back() {
        let launch = LaunchRequest {
            symbol: "k".into(),
            config: LaunchConfig {
                grid: Dim3::new(1, 2, 3),
                block: Dim3::new(4, 5, 6),
                dynamic_shared_bytes: 7,
            },
            args: vec![Arg(vec![1, 2]), Arg(vec![])],
        };
        let piece = Piece { address: u64::MAX, offset: 1 << 40, bytes: 9 };
        for request in [
            Request::Hello,
            Request::Open { device: 1, cubin: vec![0, 255], checks: vec![1] },
            Request::Fresh,
            Request::Allocate { bytes: 1 << 40 },
            Request::SetReadOnly { address: 5 },
            Request::Write(piece),
            Request::Read(piece),
            Request::Written(piece),
            Request::IsAllWritten { address: 1 << 33 },
            Request::Launch(launch.clone()),
            Request::Occupancy(launch.clone()),
            Request::Time(Timing {
                launches: vec![launch],
                samples: 3,
                flush_bytes: 1 << 33,
                in_graph: 2,
                product: Some(Product { a: 1, b: 2, out: 1 << 40, rows: 3, inner: 4, cols: 5, half: true }),
            }),
            Request::Close,
        ] {
            assert_eq!(decode::<Request>(encode(&request).unwrap().as_slice()).unwrap(), request);
        }
        let device =
            DeviceInfo { name: "A".into(), capability: (9, 0), bus_bits: 5, ..DeviceInfo::default() };
        let ran = Ran {
            output: b"x".to_vec(),
            strays: vec![GuardWrite { address: 1, side: Side::After, distance: 4 }],
            changed: vec![2, 1 << 40],
        };
        for reply in [
            Reply::Machine(Machine { driver: (13, 0), devices: vec![device] }),
            Reply::Done,
            Reply::Address(3),
            Reply::Blocks(16),
            Reply::Whether(true),
            Reply::Ran(ran),
            Reply::Timed(Timed {
                samples_ns: vec![1.5, 2e9],
                clocks: Some(Clocks { sm_mhz: 1980, throttled_by: 4 }),
            }),
            Reply::Failed(Failed { call: "cuInit".into(), by: FailedBy::Driver(100), said: "no".into() }),
        ] {
            assert_eq!(decode::<Reply>(encode(&reply).unwrap().as_slice()).unwrap(), reply);
        }
    }

    proptest! {
        #[test]
        fn a_damaged_request_is_no_panic(at in any::<prop::sample::Index>(), by in 1u8.., kept in any::<prop::sample::Index>()) {
            let launch = LaunchRequest { symbol: "k".into(), config: LaunchConfig::default(), args: vec![1u8.into()] };
            let timing = Timing { launches: vec![launch; 2], samples: 3, flush_bytes: 4, in_graph: 5, product: None };
            let mut bytes = encode(&Request::Time(timing)).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            let _ = decode::<Request>(bytes.as_slice());
            let _ = decode::<Request>(&bytes[..kept.index(bytes.len())]);
        }
    }
}
