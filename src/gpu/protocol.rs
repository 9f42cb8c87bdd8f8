//! What this process and the worker say to each other: a request, then an answer, over the worker's
//! standard input and the descriptor that was its standard output. In the form of
//! [`codec`](compiler::codec). What buffers hold lies in [`shared`](super::shared) memory, from its
//! beginning.

use super::machine::{DeviceInfo, Machine};
use compiler::codec::{Decoder, Encoder, malformed};
use std::io::{self, Read};

/// First bytes of every message. A binary of another build says something else.
pub const MAGIC: &[u8] = concat!("gpulearn gpu ", env!("CARGO_PKG_VERSION"), " 2\n").as_bytes();

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Which driver, which GPUs.
    Hello,
    /// Makes a context and loads machine code, and that of [`checks`](super::checks).
    Open {
        device: u32,
        cubin: Vec<u8>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Of the buffer.
    pub address: u64,
    /// Bytes from its beginning.
    pub offset: u64,
    pub bytes: u32,
}

/// What to time, and how: launches one after the other are one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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

#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timed {
    /// Nanoseconds of each sample, once through the launches.
    pub samples_ns: Vec<f64>,
    /// Right after the samples, where NVML is there.
    pub clocks: Option<Clocks>,
}

/// What NVML says of a GPU at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// What the kernel printed.
    pub output: Vec<u8>,
    /// Guard zones that were written to.
    pub strays: Vec<Stray>,
    /// Addresses of buffers that may not be written to, and were.
    pub changed: Vec<u64>,
}

/// A write outside of a buffer, near it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Of the buffer.
    pub address: u64,
    pub side: Side,
    /// Bytes between the buffer and the nearest byte written.
    pub distance: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    Behind,
}

/// A call of the driver that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The call, such as `cuInit`.
    pub call: String,
    /// Number of the result in `cuda.h`; 0 where it was not the driver that failed.
    pub code: u32,
    /// The result's name, or what went wrong.
    pub said: String,
}

impl LaunchRequest {
    fn encode(&self, out: &mut Encoder) {
        out.bytes(self.symbol.as_bytes());
        for number in self.grid.iter().chain(&self.block).chain([&self.dynamic_shared_bytes]) {
            out.number((*number).into());
        }
        out.number(self.args.len() as u64);
        self.args.iter().for_each(|arg| out.bytes(arg));
    }

    fn decode<R: Read>(from: &mut Decoder<R>) -> io::Result<LaunchRequest> {
        Ok(LaunchRequest {
            symbol: from.text()?,
            grid: [from.small()?, from.small()?, from.small()?],
            block: [from.small()?, from.small()?, from.small()?],
            dynamic_shared_bytes: from.small()?,
            args: from.list(Decoder::bytes)?,
        })
    }
}

impl Piece {
    fn encode(&self, out: &mut Encoder) {
        [self.address, self.offset, self.bytes.into()].into_iter().for_each(|number| out.number(number));
    }

    fn decode<R: Read>(from: &mut Decoder<R>) -> io::Result<Piece> {
        Ok(Piece { address: from.number()?, offset: from.number()?, bytes: from.small()? })
    }
}

impl Request {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new(MAGIC);
        match self {
            Request::Hello => out.number(0),
            Request::Open { device, cubin, checks } => {
                out.number(1);
                out.number((*device).into());
                out.bytes(cubin);
                out.bytes(checks);
            }
            Request::Fresh => out.number(2),
            Request::Allocate { bytes } => {
                out.number(3);
                out.number(*bytes);
            }
            Request::Write(piece) => {
                out.number(4);
                piece.encode(&mut out);
            }
            Request::Launch(launch) => {
                out.number(5);
                launch.encode(&mut out);
            }
            Request::Time(timing) => {
                out.number(6);
                out.number(timing.launches.len() as u64);
                timing.launches.iter().for_each(|launch| launch.encode(&mut out));
                out.number(timing.samples.into());
                out.number(timing.flush_bytes);
                out.number(timing.in_graph.into());
                out.number(timing.product.iter().len() as u64);
                if let Some(product) = &timing.product {
                    let Product { a, b, out: to, rows, inner, cols, half } = *product;
                    let sizes = [rows, inner, cols].map(u64::from);
                    [a, b, to].iter().chain(&sizes).for_each(|number| out.number(*number));
                    out.number(half.into());
                }
            }
            Request::Read(piece) => {
                out.number(7);
                piece.encode(&mut out);
            }
            Request::Occupancy(launch) => {
                out.number(8);
                launch.encode(&mut out);
            }
            Request::Close => out.number(9),
            Request::SetReadOnly { address } => {
                out.number(10);
                out.number(*address);
            }
            Request::Written(piece) => {
                out.number(11);
                piece.encode(&mut out);
            }
            Request::IsAllWritten { address } => {
                out.number(12);
                out.number(*address);
            }
        }
        out.finish()
    }

    pub fn decode(from: impl Read) -> io::Result<Request> {
        let mut from = Decoder::new(from, MAGIC)?;
        Ok(match from.number()? {
            0 => Request::Hello,
            1 => Request::Open { device: from.small()?, cubin: from.bytes()?, checks: from.bytes()? },
            2 => Request::Fresh,
            3 => Request::Allocate { bytes: from.number()? },
            4 => Request::Write(Piece::decode(&mut from)?),
            5 => Request::Launch(LaunchRequest::decode(&mut from)?),
            6 => Request::Time(Timing {
                launches: from.list(LaunchRequest::decode)?,
                samples: from.small()?,
                flush_bytes: from.number()?,
                in_graph: from.small()?,
                product: from
                    .list(|from| {
                        Ok(Product {
                            a: from.number()?,
                            b: from.number()?,
                            out: from.number()?,
                            rows: from.small()?,
                            inner: from.small()?,
                            cols: from.small()?,
                            half: from.number()? != 0,
                        })
                    })?
                    .pop(),
            }),
            7 => Request::Read(Piece::decode(&mut from)?),
            8 => Request::Occupancy(LaunchRequest::decode(&mut from)?),
            9 => Request::Close,
            10 => Request::SetReadOnly { address: from.number()? },
            11 => Request::Written(Piece::decode(&mut from)?),
            12 => Request::IsAllWritten { address: from.number()? },
            _ => return Err(malformed()),
        })
    }
}

impl Reply {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new(MAGIC);
        match self {
            Reply::Machine(machine) => {
                out.number(0);
                encode_machine(machine, &mut out);
            }
            Reply::Done => out.number(1),
            Reply::Address(address) => {
                out.number(2);
                out.number(*address);
            }
            Reply::Ran(ran) => {
                out.number(3);
                out.bytes(&ran.output);
                out.number(ran.strays.len() as u64);
                for stray in &ran.strays {
                    out.number(stray.address);
                    out.number(u64::from(stray.side == Side::Behind));
                    out.number(stray.distance);
                }
                out.number(ran.changed.len() as u64);
                ran.changed.iter().for_each(|address| out.number(*address));
            }
            Reply::Timed(timed) => {
                out.number(5);
                out.number(timed.samples_ns.len() as u64);
                timed.samples_ns.iter().for_each(|ns| out.number(ns.to_bits()));
                out.number(timed.clocks.iter().len() as u64);
                if let Some(clocks) = &timed.clocks {
                    out.number(clocks.sm_mhz.into());
                    out.number(clocks.memory_mhz.into());
                    out.number(clocks.throttled_by);
                }
            }
            Reply::Blocks(blocks) => {
                out.number(6);
                out.number((*blocks).into());
            }
            Reply::Whether(it) => {
                out.number(7);
                out.number((*it).into());
            }
            Reply::Failed(failed) => {
                out.number(4);
                out.bytes(failed.call.as_bytes());
                out.number(failed.code.into());
                out.bytes(failed.said.as_bytes());
            }
        }
        out.finish()
    }

    pub fn decode(from: impl Read) -> io::Result<Reply> {
        let mut from = Decoder::new(from, MAGIC)?;
        Ok(match from.number()? {
            0 => Reply::Machine(decode_machine(&mut from)?),
            1 => Reply::Done,
            2 => Reply::Address(from.number()?),
            3 => Reply::Ran(Ran {
                output: from.bytes()?,
                strays: from.list(|from| {
                    Ok(Stray {
                        address: from.number()?,
                        side: if from.number()? == 0 { Side::Before } else { Side::Behind },
                        distance: from.number()?,
                    })
                })?,
                changed: from.list(Decoder::number)?,
            }),
            4 => Reply::Failed(Failed { call: from.text()?, code: from.small()?, said: from.text()? }),
            5 => Reply::Timed(Timed {
                samples_ns: from.list(|from| Ok(f64::from_bits(from.number()?)))?,
                clocks: from
                    .list(|from| {
                        Ok(Clocks {
                            sm_mhz: from.small()?,
                            memory_mhz: from.small()?,
                            throttled_by: from.number()?,
                        })
                    })?
                    .pop(),
            }),
            6 => Reply::Blocks(from.small()?),
            7 => Reply::Whether(from.number()? != 0),
            _ => return Err(malformed()),
        })
    }
}

fn encode_machine(machine: &Machine, out: &mut Encoder) {
    out.number(machine.driver.0.into());
    out.number(machine.driver.1.into());
    out.number(machine.devices.len() as u64);
    for device in &machine.devices {
        out.bytes(device.name.as_bytes());
        out.number(device.memory_bytes);
        out.number(device.cache_bytes);
        for number in [
            device.capability.0,
            device.capability.1,
            device.multiprocessors,
            device.clock_khz,
            device.memory_clock_khz,
            device.bus_bits,
            device.shared_bytes,
        ] {
            out.number(number.into());
        }
    }
}

fn decode_machine<R: Read>(from: &mut Decoder<R>) -> io::Result<Machine> {
    Ok(Machine {
        driver: (from.small()?, from.small()?),
        devices: from.list(|from| {
            Ok(DeviceInfo {
                name: from.text()?,
                memory_bytes: from.number()?,
                cache_bytes: from.number()?,
                capability: (from.small()?, from.small()?),
                multiprocessors: from.small()?,
                clock_khz: from.small()?,
                memory_clock_khz: from.small()?,
                bus_bits: from.small()?,
                shared_bytes: from.small()?,
            })
        })?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(Request::decode(request.encode().as_slice()).unwrap(), request);
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
            let bytes = reply.encode();
            assert_eq!(Reply::decode(bytes.as_slice()).unwrap(), reply);
            for length in 0..bytes.len() {
                assert!(Reply::decode(&bytes[..length]).is_err());
            }
        }
    }
}
