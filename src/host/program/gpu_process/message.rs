//! The messages between this process and the worker of a program: one job, then frames, encoded by
//! [`wire`](compiler::wire).

use crate::device::CudaError;
use crate::program::{BufferAfter, CallBuffer, Channel, Invocation, Ran, ReadableFiles};
use gpu::Failed;
use serde::{Deserialize, Serialize};
use sim::HostLimits;
use sim::compiled::CompileWhen;
use std::collections::HashMap;
use std::time::Duration;

/// A program and the settings of its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub ptx: String,
    /// Machine code of the kernels for the GPUs of this machine, or PTX that ends in NUL.
    #[serde(with = "serde_bytes")]
    pub cubin: Vec<u8>,
    pub file_name: String,
    pub source: String,
    /// The program's own headers: name and text.
    pub headers: Vec<(String, String)>,
    /// Registers per thread of each kernel.
    pub registers: HashMap<String, u32>,
    /// Number of GPUs that the program sees; `None` means all.
    pub devices: Option<u32>,
    pub arguments: Vec<String>,
    /// Standard input; `None` means the bytes that follow this job in the stream.
    #[serde(with = "serde_bytes")]
    pub input: Option<Vec<u8>>,
    pub readable: ReadableFiles,
    pub host: HostLimits,
    /// When host code is compiled to machine code, provided that the worker can be barred from what it no
    /// longer needs; `None` means never.
    pub compile: Option<CompileWhen>,
    pub output_bytes: u64,
    /// Time limit from the program's start; `None` means no limit.
    pub limit: Option<Duration>,
    pub work: Work,
}

/// What to run of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Its `main`.
    Main,
    /// Calls of its functions, with buffers.
    Calls(Vec<CallBuffer>, Vec<Invocation>),
}

/// A message from the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Frame {
    /// The driver has started, and the program begins.
    Begun,
    Printed(Channel, #[serde(with = "serde_bytes")] Vec<u8>),
    Ended(Box<Report>),
    /// The driver could not be used.
    Failed(Failed),
}

/// The result of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    pub ran: Ran,
    /// The error that destroyed a context, and the driver's message.
    pub lost: Option<(CudaError, String)>,
    pub returned: bool,
    pub left: Vec<Option<BufferAfter>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Space;
    use crate::program::{CallArg, Exit, MemoryKind, MemoryUse, Range, WrittenFile};
    use compiler::wire::{decode, encode};
    use proptest::prelude::*;
    use sim::{
        Access, AccessKind, Act, Actor, CudaAllocation, CudaMemoryKind, Dim3, Finding, FindingKind, HostPart,
        Operation, Place, PointerParameter, Request, RunLimit, SourceLocation, Target,
    };

    fn access(target: Target) -> Access {
        let of = CudaAllocation { name: "d_x".into(), bytes: 8, kind: CudaMemoryKind::Device };
        let act = Act::Accesses { writes: true, place: Place::PastEnd { bytes: 12, offset: 0, of } };
        Access {
            kind: AccessKind::Atomic,
            actor: Actor::Operation(Operation { request: Request::Call("cudaMemcpy".into()), act }),
            block: Dim3::new(1, 2, 3),
            thread: Dim3::new(4, 5, 6),
            location: Some(SourceLocation { file: "a.cu".into(), line: 7, column: 8 }),
            calls: vec![9, 11],
            bytes: 4,
            target,
            parameter: Some(PointerParameter { index: 1, buffer: "d_x".into(), base: 256, offset_bytes: 4 }),
        }
    }

    fn job() -> Job {
        let buffer = CallBuffer {
            name: "out".into(),
            memory: MemoryKind::Device,
            bytes: vec![1, 2, 3],
            filled: true,
            read_only: false,
        };
        let call = Invocation {
            symbol: "f".into(),
            arguments: vec![CallArg::CallBuffer(0), CallArg::Bits(u64::MAX)],
        };
        Job {
            ptx: ".version".into(),
            cubin: vec![0x7f, 0],
            file_name: "a.cu".into(),
            source: "int main() {}".into(),
            headers: vec![("h.h".into(), "int h;".into())],
            input: Some(b"in".to_vec()),
            readable: ReadableFiles::CurrentFolder,
            registers: HashMap::from([("k".into(), 32)]),
            devices: Some(2),
            arguments: vec!["a".into(), "-1".into()],
            host: HostLimits::default(),
            compile: Some(CompileWhen::Hot),
            output_bytes: 9,
            limit: None,
            work: Work::Calls(vec![buffer], vec![call]),
        }
    }

    fn report(exit: Exit) -> Report {
        let name = || "d_x".into();
        let targets = [
            Target::None,
            Target::Buffer { name: name(), size_bytes: 8, offset_bytes: -4 },
            Target::Shared { name: name(), size_bytes: 8, offset_bytes: 4 },
            Target::Constant { name: name(), size_bytes: 8, offset_bytes: 4 },
            Target::Local { offset_bytes: 1, size_bytes: 2 },
            Target::Host { part: HostPart::Heap },
            Target::Allocated { by: sim::AllocatedBy::Host, size_bytes: 8, offset_bytes: 4 },
            Target::Nowhere { address: 5 },
        ];
        let finding = |target: Target| Finding {
            kind: FindingKind::Leak,
            at: access(target.clone()),
            other: Some(access(target)),
            hits: 2,
            threads: Some(3),
            evidence: vec![sim::Evidence::SameInLaunches(2)],
            follows: Some(FindingKind::Leak),
        };
        Report {
            ran: Ran {
                exit,
                findings: targets.into_iter().map(finding).collect(),
                nanoseconds: 1,
                host_instructions: 2,
                host_calls: 3,
                host_threads: 12,
                ranges: vec![Range { name: "r".into(), start_ns: 4, end_ns: 5, depth: 6 }],
                memory: vec![MemoryUse {
                    name: "m".into(),
                    space: Space::Device(1),
                    bytes: 7,
                    made: None,
                    start_ns: 8,
                    end_ns: Some(9),
                }],
                memory_dropped: 10,
                files: vec![WrittenFile { path: b"a".to_vec(), bytes: vec![11, 12] }],
            },
            lost: Some((CudaError::IllegalAddress, "cuCtxSynchronize".into())),
            returned: true,
            left: vec![None, Some(BufferAfter { bytes: vec![1], written: Some(vec![true]) })],
        }
    }

    #[test]
    fn a_job_comes_back() {
        assert_eq!(decode::<Job>(encode(&job()).unwrap().as_slice()).unwrap(), job());
    }

    #[test]
    fn a_report_comes_back_with_its_findings() {
        let exits = || {
            [
                Exit::Code(-1),
                Exit::Stopped,
                Exit::Unsupported { what: "x".into(), line: None },
                Exit::Limit(RunLimit::Output { most_bytes: 5, to_file: true }.into()),
                Exit::Cancelled,
                Exit::NoMain,
                Exit::Environment(anyhow::anyhow!("e")),
            ]
        };
        for (exit, same) in exits().into_iter().zip(exits()) {
            let frame = Frame::Ended(Box::new(report(exit)));
            let Frame::Ended(back) = decode(encode(&frame).unwrap().as_slice()).unwrap() else {
                panic!("another frame came back");
            };
            let (back, sent) = (*back, report(same));
            // An error of the environment can be printed but not compared.
            let exit = |exit: &Exit| match exit {
                Exit::Environment(error) => format!("{error:#}"),
                exit => format!("{exit:?}"),
            };
            assert_eq!(exit(&back.ran.exit), exit(&sent.ran.exit));
            assert_eq!(back.ran.findings, sent.ran.findings);
            assert_eq!(back.ran.ranges, sent.ran.ranges);
            let numbers =
                |ran: &Ran| [ran.nanoseconds, ran.host_instructions, ran.host_calls, ran.host_threads];
            assert_eq!(numbers(&back.ran), numbers(&sent.ran));
            assert_eq!((back.lost, back.returned, back.left), (sent.lost, sent.returned, sent.left));
        }
    }

    proptest! {
        #[test]
        fn a_damaged_message_is_no_panic(at in any::<prop::sample::Index>(), by in 1u8.., kept in any::<prop::sample::Index>()) {
            let frame = Frame::Ended(Box::new(report(Exit::Stopped)));
            for mut bytes in [encode(&job()).unwrap(), encode(&frame).unwrap()] {
                let kept = kept.index(bytes.len());
                prop_assert!(decode::<Job>(&bytes[..kept]).is_err());
                prop_assert!(decode::<Frame>(&bytes[..kept]).is_err());
                let at = at.index(bytes.len());
                bytes[at] ^= by;
                let _ = (decode::<Job>(bytes.as_slice()), decode::<Frame>(bytes.as_slice()));
            }
        }
    }
}
