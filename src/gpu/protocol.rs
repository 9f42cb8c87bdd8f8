//! What this process and the worker say to each other: a request, then an answer, over the worker's
//! standard input and the descriptor that was its standard output. In the form of
//! [`wire`](compiler::wire). What buffers hold lies in [`shared`](super::shared) memory, from its
//! beginning.

use super::machine::Machine;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Which driver, which GPUs.
    Hello,
    /// Makes a context and loads machine code, and that of [`checks`](super::checks).
    Open {
        device: u32,
        #[serde(with = "serde_bytes")]
        cubin: Vec<u8>,
        #[serde(with = "serde_bytes")]
        checks: Vec<u8>,
    },
    /// Frees every buffer and loads the code anew, so that nothing is left of earlier launches.
    Fresh,
    /// Poisoned memory between guard zones.
    Allocate {
        bytes: u64,
    },
    /// From now on, kernels may not write to that buffer.
    SetReadOnly {
        address: u64,
    },
    /// Takes a piece of a buffer out of shared memory.
    Write(Piece),
    /// Puts a piece of a buffer there, as it is now.
    Read(Piece),
    /// Puts there which bytes of a piece were ever written, by a copy or by a kernel: 1 or 0 for each.
    Written(Piece),
    /// Whether all bytes of a buffer were.
    IsAllWritten {
        address: u64,
    },
    Launch(LaunchRequest),
    /// Runs launches again and again and times them.
    Time(Timing),
    /// How many blocks of a launch the driver would have on a multiprocessor at once.
    Occupancy(LaunchRequest),
    /// Frees every buffer and unloads the code; the context stays.
    Close,
}

/// Of a buffer, no more than shared memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Of the buffer.
    pub address: u64,
    /// Bytes from its beginning.
    pub offset: u64,
    pub bytes: u32,
}

/// What to time, and how: launches one after the other are one sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    pub launches: Vec<LaunchRequest>,
    pub samples: u32,
    /// Of a buffer that is written before each sample, so that caches hold nothing of use; 0 for
    /// none. Not in a graph.
    pub flush_bytes: u64,
    /// 0: events around each sample; else so many repetitions in a graph, which a sample replays.
    pub in_graph: u32,
    /// By cuBLAS, in place of launches. Not in a graph.
    pub product: Option<Product>,
}

/// A product of two matrices, `out = a × b`, row-major, by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// (rows, inner)
    pub a: u64,
    /// (inner, cols)
    pub b: u64,
    /// (rows, cols), of f32.
    pub out: u64,
    pub rows: u32,
    pub inner: u32,
    pub cols: u32,
    /// The factors are of f16; else of f32.
    pub half: bool,
}

/// A launch of a kernel by its symbol. Extents are x, y, z.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRequest {
    pub symbol: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads a block.
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    /// The bytes of each argument.
    pub args: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    Machine(Machine),
    Done,
    Address(u64),
    Ran(Ran),
    Timed(Timed),
    /// Blocks on a multiprocessor.
    Blocks(u32),
    Whether(bool),
    Failed(Failed),
}

/// What was timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Nanoseconds of each sample, once through the launches.
    pub samples_ns: Vec<f64>,
    /// Right after the samples, where NVML is there.
    pub clocks: Option<Clocks>,
}

/// What NVML says of a GPU at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    pub sm_mhz: u32,
    pub memory_mhz: u32,
    /// Bits of `nvmlClocksThrottleReasons*` in `nvml.h`.
    pub throttled_by: u64,
}

impl Clocks {
    /// Why the clocks are held down, where that makes figures doubtful: power, heat, a brake from
    /// outside.
    pub fn throttling(&self) -> Option<&'static str> {
        const REASONS: [(u64, &str); 4] =
            [(0x4, "the power limit"), (0x8, "a slowdown of the hardware"), (0x20, "heat"), (0x40, "heat")];
        REASONS.iter().find(|(bit, _)| self.throttled_by & bit != 0).map(|(_, name)| *name)
    }
}

/// What a launch left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// What the kernel printed.
    #[serde(with = "serde_bytes")]
    pub output: Vec<u8>,
    /// Guard zones that were written to.
    pub strays: Vec<Stray>,
    /// Addresses of buffers that may not be written to, and were.
    pub changed: Vec<u64>,
}

/// A write outside of a buffer, near it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stray {
    /// Of the buffer.
    pub address: u64,
    pub side: Side,
    /// Bytes between the buffer and the nearest byte written.
    pub distance: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    Before,
    Behind,
}

/// A call of the driver that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// The call, such as `cuInit`.
    pub call: String,
    /// Number of the result in `cuda.h`; 0 where it was not the driver that failed.
    pub code: u32,
    /// The result's name, or what went wrong.
    pub said: String,
}

#[cfg(test)]
mod tests {
    use super::super::machine::DeviceInfo;
    use super::*;
    use compiler::wire::{decode, encode};
    use proptest::prelude::*;

    #[test]
    fn everything_comes_back() {
        let launch = LaunchRequest {
            symbol: "k".into(),
            grid: [1, 2, 3],
            block: [4, 5, 6],
            dynamic_shared_bytes: 7,
            args: vec![vec![1, 2], vec![]],
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
            strays: vec![Stray { address: 1, side: Side::Behind, distance: 4 }],
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
                clocks: Some(Clocks { sm_mhz: 1980, memory_mhz: 5, throttled_by: 4 }),
            }),
            Reply::Failed(Failed { call: "cuInit".into(), code: 100, said: "no".into() }),
        ] {
            assert_eq!(decode::<Reply>(encode(&reply).unwrap().as_slice()).unwrap(), reply);
        }
    }

    proptest! {
        #[test]
        fn a_damaged_request_is_no_panic(at in any::<prop::sample::Index>(), by in 1u8.., kept in any::<prop::sample::Index>()) {
            let launch = LaunchRequest { symbol: "k".into(), grid: [1; 3], block: [2; 3], dynamic_shared_bytes: 0, args: vec![vec![1]] };
            let timing = Timing { launches: vec![launch; 2], samples: 3, flush_bytes: 4, in_graph: 5, product: None };
            let mut bytes = encode(&Request::Time(timing)).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            let _ = decode::<Request>(bytes.as_slice());
            let _ = decode::<Request>(&bytes[..kept.index(bytes.len())]);
        }
    }
}
