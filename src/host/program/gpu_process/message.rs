//! What this process and the worker of a program say to each other: one job, then frames. In the form
//! of [`codec`](compiler::codec).

use super::findings;
use crate::device::CudaError;
use crate::program::{BufferAfter, CallArg, CallBuffer, Channel, Exit, Invocation, MemoryKind, Ran};
use compiler::codec::{Decoder, Encoder, malformed};
use gpu::Failed;
use sim::HostLimits;
use std::io::{self, Read};

/// First bytes of every message. A binary of another build says something else.
const MAGIC: &[u8] = concat!("gpulearn program ", env!("CARGO_PKG_VERSION"), " 2\n").as_bytes();

/// A program, and how it is to be run.
#[derive(Clone, Debug)]
pub struct Job {
    pub ptx: String,
    /// Of the kernels, for the GPUs here.
    pub cubin: Vec<u8>,
    pub file_name: String,
    pub source: String,
    /// Of its own, by name.
    pub headers: Vec<(String, String)>,
    /// A thread of each kernel.
    pub registers: Vec<(String, u32)>,
    /// GPUs that the program sees; `None`: all.
    pub devices: Option<u32>,
    pub arguments: Vec<String>,
    /// Its standard input; `None`: what follows this job.
    pub input: Option<Vec<u8>>,
    pub host: HostLimits,
    pub output_bytes: u64,
    /// From the program's beginning; `None`: it may take what it takes.
    pub limit_ms: Option<u64>,
    /// Functions to be called with buffers; `None`: it begins at `main`.
    pub calls: Option<(Vec<CallBuffer>, Vec<Invocation>)>,
}

/// What a worker says.
#[derive(Debug)]
pub enum Frame {
    /// The driver is there, and the program begins.
    Begun,
    Printed(Channel, Vec<u8>),
    Ended(Box<Report>),
    /// The driver could not be had.
    Failed(Failed),
}

/// What a run came to.
#[derive(Debug)]
pub struct Report {
    pub ran: Ran,
    /// The error that lost a context, and what the driver said.
    pub lost: Option<(CudaError, String)>,
    pub returned: bool,
    pub left: Vec<Option<BufferAfter>>,
}

fn list<T>(items: &[T], out: &mut Encoder, mut encode: impl FnMut(&T, &mut Encoder)) {
    out.number(items.len() as u64);
    items.iter().for_each(|item| encode(item, out));
}

fn optional<R: Read, T>(
    from: &mut Decoder<R>,
    decode: impl FnOnce(&mut Decoder<R>) -> io::Result<T>,
) -> io::Result<Option<T>> {
    if from.number()? == 0 { Ok(None) } else { decode(from).map(Some) }
}

fn flag<R: Read>(from: &mut Decoder<R>) -> io::Result<bool> {
    Ok(from.number()? != 0)
}

impl Job {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new(MAGIC);
        for bytes in [self.ptx.as_bytes(), &self.cubin, self.file_name.as_bytes(), self.source.as_bytes()] {
            out.bytes(bytes);
        }
        list(&self.headers, &mut out, |(name, text), out| {
            out.bytes(name.as_bytes());
            out.bytes(text.as_bytes());
        });
        list(&self.registers, &mut out, |(name, registers), out| {
            out.bytes(name.as_bytes());
            out.number((*registers).into());
        });
        out.number(self.devices.is_some().into());
        self.devices.iter().for_each(|&devices| out.number(devices.into()));
        list(&self.arguments, &mut out, |argument, out| out.bytes(argument.as_bytes()));
        out.number(self.input.is_some().into());
        self.input.iter().for_each(|bytes| out.bytes(bytes));
        let host = self.host;
        for number in [host.memory_bytes, host.stack_bytes, host.instructions, self.output_bytes] {
            out.number(number);
        }
        out.number(self.limit_ms.is_some().into());
        self.limit_ms.iter().for_each(|&ms| out.number(ms));
        out.number(self.calls.is_some().into());
        if let Some((buffers, calls)) = &self.calls {
            list(buffers, &mut out, encode_buffer);
            list(calls, &mut out, encode_call);
        }
        out.finish()
    }

    pub fn decode(from: impl Read) -> io::Result<Job> {
        let mut from = Decoder::new(from, MAGIC)?;
        Ok(Job {
            ptx: from.text()?,
            cubin: from.bytes()?,
            file_name: from.text()?,
            source: from.text()?,
            headers: from.list(|from| Ok((from.text()?, from.text()?)))?,
            registers: from.list(|from| Ok((from.text()?, from.small()?)))?,
            devices: optional(&mut from, Decoder::small)?,
            arguments: from.list(Decoder::text)?,
            input: optional(&mut from, Decoder::bytes)?,
            host: HostLimits {
                memory_bytes: from.number()?,
                stack_bytes: from.number()?,
                instructions: from.number()?,
            },
            output_bytes: from.number()?,
            limit_ms: optional(&mut from, Decoder::number)?,
            calls: optional(&mut from, |from| Ok((from.list(decode_buffer)?, from.list(decode_call)?)))?,
        })
    }
}

const MEMORY_KINDS: [MemoryKind; 4] =
    [MemoryKind::Host, MemoryKind::Pinned, MemoryKind::Device, MemoryKind::Managed];

fn encode_buffer(buffer: &CallBuffer, out: &mut Encoder) {
    out.bytes(buffer.name.as_bytes());
    out.number(buffer.memory as u64);
    out.bytes(&buffer.bytes);
    out.number(buffer.filled.into());
    out.number(buffer.read_only.into());
}

fn decode_buffer<R: Read>(from: &mut Decoder<R>) -> io::Result<CallBuffer> {
    let name = from.text()?;
    let memory = from.number()?;
    let memory = MEMORY_KINDS.into_iter().find(|known| *known as u64 == memory).ok_or_else(malformed)?;
    Ok(CallBuffer { name, memory, bytes: from.bytes()?, filled: flag(from)?, read_only: flag(from)? })
}

fn encode_call(call: &Invocation, out: &mut Encoder) {
    out.bytes(call.symbol.as_bytes());
    list(&call.arguments, out, |given, out| match given {
        CallArg::CallBuffer(index) => {
            out.number(0);
            out.number(*index as u64);
        }
        CallArg::Bits(bits) => {
            out.number(1);
            out.number(*bits);
        }
    });
}

fn decode_call<R: Read>(from: &mut Decoder<R>) -> io::Result<Invocation> {
    Ok(Invocation {
        symbol: from.text()?,
        arguments: from.list(|from| match from.number()? {
            0 => Ok(CallArg::CallBuffer(usize::try_from(from.number()?).map_err(|_| malformed())?)),
            1 => Ok(CallArg::Bits(from.number()?)),
            _ => Err(malformed()),
        })?,
    })
}

impl Frame {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new(MAGIC);
        match self {
            Frame::Begun => out.number(0),
            Frame::Printed(channel, bytes) => {
                out.number(1);
                out.number((*channel == Channel::Stderr).into());
                out.bytes(bytes);
            }
            Frame::Ended(report) => {
                out.number(2);
                report.encode(&mut out);
            }
            Frame::Failed(failed) => {
                out.number(3);
                out.bytes(failed.call.as_bytes());
                out.number(failed.code.into());
                out.bytes(failed.said.as_bytes());
            }
        }
        out.finish()
    }

    pub fn decode(from: impl Read) -> io::Result<Frame> {
        let mut from = Decoder::new(from, MAGIC)?;
        Ok(match from.number()? {
            0 => Frame::Begun,
            1 => {
                let channel = if flag(&mut from)? { Channel::Stderr } else { Channel::Stdout };
                Frame::Printed(channel, from.bytes()?)
            }
            2 => Frame::Ended(Box::new(Report::decode(&mut from)?)),
            3 => Frame::Failed(Failed { call: from.text()?, code: from.small()?, said: from.text()? }),
            _ => return Err(malformed()),
        })
    }
}

impl Report {
    fn encode(&self, out: &mut Encoder) {
        encode_exit(&self.ran.exit, out);
        list(&self.ran.findings, out, findings::encode);
        for number in [self.ran.nanoseconds, self.ran.host_instructions, self.ran.host_calls] {
            out.number(number);
        }
        out.number(self.lost.is_some().into());
        if let Some((error, said)) = &self.lost {
            out.number(error.number().cast_unsigned().into());
            out.bytes(said.as_bytes());
        }
        out.number(self.returned.into());
        list(&self.left, out, |left, out| {
            out.number(left.is_some().into());
            if let Some(left) = left {
                out.bytes(&left.bytes);
                out.number(left.written.is_some().into());
                if let Some(written) = &left.written {
                    out.bytes(&written.iter().map(|&written| u8::from(written)).collect::<Vec<_>>());
                }
            }
        });
    }

    fn decode<R: Read>(from: &mut Decoder<R>) -> io::Result<Report> {
        let ran = Ran {
            exit: decode_exit(from)?,
            findings: from.list(findings::decode)?,
            nanoseconds: from.number()?,
            host_instructions: from.number()?,
            host_calls: from.number()?,
            ranges: Vec::new(),
        };
        let lost = optional(from, |from| {
            let error = CudaError::numbered(from.small()?.cast_signed()).ok_or_else(malformed)?;
            Ok((error, from.text()?))
        })?;
        let returned = flag(from)?;
        let left = from.list(|from| {
            optional(from, |from| {
                let bytes = from.bytes()?;
                let written = optional(from, Decoder::bytes)?;
                Ok(BufferAfter {
                    bytes,
                    written: written.map(|all| all.iter().map(|&byte| byte != 0).collect()),
                })
            })
        })?;
        Ok(Report { ran, lost, returned, left })
    }
}

fn encode_exit(exit: &Exit, out: &mut Encoder) {
    match exit {
        Exit::FindingKind(code) => {
            out.number(0);
            out.number(code.cast_unsigned().into());
        }
        Exit::Stopped => out.number(1),
        Exit::Unsupported { what, line } => {
            out.number(2);
            out.bytes(what.as_bytes());
            findings::encode_location(line.as_ref(), out);
        }
        Exit::Limit(limit) => {
            out.number(3);
            out.bytes(limit.as_bytes());
        }
        Exit::Cancelled => out.number(4),
        Exit::NoMain => out.number(5),
        Exit::Environment(error) => {
            out.number(6);
            out.bytes(format!("{error:#}").as_bytes());
        }
    }
}

fn decode_exit<R: Read>(from: &mut Decoder<R>) -> io::Result<Exit> {
    Ok(match from.number()? {
        0 => Exit::FindingKind(from.small()?.cast_signed()),
        1 => Exit::Stopped,
        2 => Exit::Unsupported { what: from.text()?, line: findings::decode_location(from)? },
        3 => Exit::Limit(from.text()?),
        4 => Exit::Cancelled,
        5 => Exit::NoMain,
        6 => Exit::Environment(anyhow::anyhow!(from.text()?)),
        _ => return Err(malformed()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::{Access, AccessKind, Actor, Dim3, Finding, FindingKind, SourceLocation, Target};

    fn access(target: Target) -> Access {
        Access {
            kind: AccessKind::Atomic,
            actor: Actor::Operation("cudaMemcpy on a stream".into()),
            block: Dim3::new(1, 2, 3),
            thread: Dim3::new(4, 5, 6),
            location: Some(SourceLocation { file: "a.cu".into(), line: 7, column: 8 }),
            calls: vec![9, 11],
            bytes: 4,
            target,
        }
    }

    #[test]
    fn a_job_comes_back() {
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
        let job = Job {
            ptx: ".version".into(),
            cubin: vec![0x7f, 0],
            file_name: "a.cu".into(),
            source: "int main() {}".into(),
            headers: vec![("h.h".into(), "int h;".into())],
            input: Some(b"in".to_vec()),
            registers: vec![("k".into(), 32)],
            devices: Some(2),
            arguments: vec!["a".into(), "-1".into()],
            host: HostLimits::default(),
            output_bytes: 9,
            limit_ms: None,
            calls: Some((vec![buffer], vec![call])),
        };
        let bytes = job.encode();
        let back = Job::decode(bytes.as_slice()).unwrap();
        assert_eq!(format!("{job:?}"), format!("{back:?}"));
        for length in (0..bytes.len()).step_by(7) {
            assert!(Job::decode(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn a_report_comes_back_with_its_findings() {
        let name = || "d_x".into();
        let targets = [
            Target::None,
            Target::Buffer { name: name(), size_bytes: 8, offset_bytes: -4 },
            Target::Shared { name: name(), size_bytes: 8, offset_bytes: 4 },
            Target::Constant { name: name(), size_bytes: 8, offset_bytes: 4 },
            Target::Local { offset_bytes: 1, size_bytes: 2 },
            Target::Host { part: "heap" },
            Target::Nowhere { address: 5 },
        ];
        let finding = |target: Target| Finding {
            code: FindingKind::Leak,
            at: access(target.clone()),
            other: Some(access(target)),
            hits: 2,
            threads: Some(3),
            notes: vec!["a note".into()],
            follows: Some(FindingKind::Leak),
        };
        let exits = [
            Exit::FindingKind(-1),
            Exit::Stopped,
            Exit::Unsupported { what: "x".into(), line: None },
            Exit::Limit("l".into()),
            Exit::Cancelled,
            Exit::NoMain,
            Exit::Environment(anyhow::anyhow!("e")),
        ];
        for exit in exits {
            let report = Report {
                ran: Ran {
                    exit,
                    findings: targets.iter().cloned().map(finding).collect(),
                    nanoseconds: 1,
                    host_instructions: 2,
                    host_calls: 3,
                    ranges: Vec::new(),
                },
                lost: Some((CudaError::IllegalAddress, "cuCtxSynchronize".into())),
                returned: true,
                left: vec![None, Some(BufferAfter { bytes: vec![1], written: Some(vec![true]) })],
            };
            let frame = Frame::Ended(Box::new(report));
            let back = Frame::decode(frame.encode().as_slice()).unwrap();
            assert_eq!(frame.encode(), back.encode());
        }
    }
}
