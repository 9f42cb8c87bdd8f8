//! What the parent and the worker say to each other over the worker's pipes.
//!
//! The parent sends a [`Job`], which is trusted, then a [`Source`], which is not: the worker reads
//! the second only after it has locked itself in. It answers with one [`Reply`]. A worker that is
//! kept then reads the next job. Everything is in the form of [`wire`](super::wire).

use super::include::Header;
use serde::{Deserialize, Serialize};

/// The worker writes this once it is locked in: what goes wrong later is the source's doing.
pub const READY: u8 = b'R';

/// What to do before the source is seen. All of it comes from the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub library: String,
    pub builtins: String,
    /// Folders of NVIDIA's headers.
    pub roots: Vec<String>,
    /// Headers of the tool and of NVIDIA to load, with all that they include.
    pub headers: Vec<String>,
    /// With the tool's headers of whole programs; else those of kernels alone.
    pub program: bool,
    pub options: Vec<String>,
    /// For the compiler's optimiser; left out where a release does not take them.
    pub optimiser: Vec<String>,
    /// Architecture of a compile of next to nothing before the worker locks itself in; empty for none.
    pub warm_up: String,
    /// A cubin besides the PTX.
    pub cubin: bool,
    pub memory_bytes: u64,
    pub cpu_seconds: u64,
    pub log_bytes: u64,
    pub ptx_bytes: u64,
    /// Another job may come after the answer, to the same worker. All headers come with the sources then.
    pub kept: bool,
    /// A folder of its own, where the compiler keeps headers that it has read: the one thing that the worker may open.
    /// Empty for none.
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

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    Compiled {
        #[serde(with = "serde_bytes")]
        ptx: Vec<u8>,
        /// Empty unless asked for.
        #[serde(with = "serde_bytes")]
        cubin: Vec<u8>,
        #[serde(with = "serde_bytes")]
        log: Vec<u8>,
    },
    /// The compiler refuses the source.
    Rejected {
        #[serde(with = "serde_bytes")]
        log: Vec<u8>,
    },
    /// What was too large, and how many bytes it is.
    TooLarge {
        what: String,
        bytes: u64,
    },
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
        // One after the other in one stream: neither reads into the next.
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
