//! The protocol between the parent and the worker over the worker's pipes.
//!
//! The parent sends a [`Job`], which is trusted, then a [`Source`], which is not: the worker reads the second
//! only after it has entered its sandbox. It answers with one [`Reply`]. A worker that is kept then reads the
//! next job. All messages are encoded by [`wire`](super::wire).

use super::include::Header;
use serde::{Deserialize, Serialize};

/// Written by the worker once it is sandboxed: any later failure is caused by the source.
pub const READY: u8 = b'R';

/// What to do before the source is read. All of it comes from the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub library: String,
    pub builtins: String,
    /// Folders of NVIDIA's headers.
    pub roots: Vec<String>,
    /// Headers of the tool and of NVIDIA to load, with everything that they include.
    pub headers: Vec<String>,
    /// Whether to use the tool's headers for whole programs rather than those for kernels.
    pub program: bool,
    pub options: Vec<String>,
    /// Options for the compiler's optimiser; omitted if its release does not accept them.
    pub optimiser: Vec<String>,
    /// Architecture for compiling a trivial kernel before the worker enters its sandbox; empty for none.
    pub warm_up: String,
    /// Whether to generate a cubin in addition to the PTX.
    pub cubin: bool,
    pub memory_bytes: u64,
    pub cpu_seconds: u64,
    pub log_bytes: u64,
    pub ptx_bytes: u64,
    /// Whether another job may follow the reply, to the same worker. All headers then come with the sources.
    pub kept: bool,
    /// A folder of the worker's own for precompiled headers, which is the only one it may access. Empty for
    /// none.
    pub precompiled: String,
}

/// What to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub name: String,
    #[serde(with = "serde_bytes")]
    pub text: Vec<u8>,
    /// Headers that came with the request.
    pub headers: Vec<Header>,
}

/// The worker's reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// The source compiled.
    Compiled {
        #[serde(with = "serde_bytes")]
        ptx: Vec<u8>,
        /// Empty unless requested.
        #[serde(with = "serde_bytes")]
        cubin: Vec<u8>,
        #[serde(with = "serde_bytes")]
        log: Vec<u8>,
    },
    /// The compiler rejected the source.
    Rejected {
        #[serde(with = "serde_bytes")]
        log: Vec<u8>,
    },
    /// The output named `what` was too large, with this many bytes.
    TooLarge { what: String, bytes: u64 },
    /// The worker's limit on memory was reached.
    OutOfMemory,
    /// The compiler could not be used.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{decode, encode};

    #[test]
    fn a_job_and_its_source_come_back() {
        let job = Job {
            library: "/l".into(),
            roots: vec!["/a".into(), "/b".into()],
            options: vec!["-lineinfo".into()],
            optimiser: vec!["-Xnvvm=-Xllc".into()],
            program: true,
            ptx_bytes: 7,
            ..Job::default()
        };
        let headers = vec![Header { name: "h".into(), text: vec![1] }];
        let source = Source { name: "a.cu".into(), text: b"x\0y".to_vec(), headers };
        // Both are in one stream: decoding the first must not read any of the second.
        let stream = [encode(&job).unwrap(), encode(&source).unwrap()].concat();
        let mut from = stream.as_slice();
        assert_eq!(decode::<Job>(&mut from).unwrap(), job);
        assert_eq!(decode::<Source>(&mut from).unwrap(), source);
        assert!(from.is_empty());
    }

    #[test]
    fn a_reply_comes_back() {
        for reply in [
            Reply::Compiled { ptx: vec![1, 2], cubin: vec![], log: b"w".to_vec() },
            Reply::Rejected { log: vec![] },
            Reply::TooLarge { what: "PTX".into(), bytes: 1 << 40 },
            Reply::OutOfMemory,
            Reply::Failed("why".into()),
        ] {
            assert_eq!(decode::<Reply>(encode(&reply).unwrap().as_slice()).unwrap(), reply);
        }
    }
}
