//! What the parent and the worker say to each other over the worker's pipes.
//!
//! The parent sends a [`Job`], which is trusted, then a [`Source`], which is not: the worker reads
//! the second only after it has locked itself in. It answers with one [`Reply`]. Everything is
//! in the form of [`codec`](super::codec).

use super::codec::{Decoder, Encoder, malformed};
use std::io::{self, Read};

/// First bytes both ways. A binary of another build answers something else.
pub const MAGIC: &[u8] = concat!("gpulearn worker ", env!("CARGO_PKG_VERSION"), " 3\n").as_bytes();
/// The worker writes this once it is locked in: what goes wrong later is the source's doing.
pub const READY: u8 = b'R';

/// What to do before the source is seen. All of it comes from the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
}

/// What to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: Vec<u8>,
    /// Headers that came with the request.
    pub headers: Vec<(String, Vec<u8>)>,
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Compiled {
        ptx: Vec<u8>,
        /// Empty unless asked for.
        cubin: Vec<u8>,
        log: Vec<u8>,
    },
    /// The compiler refuses the source.
    Rejected {
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

impl Job {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new(MAGIC);
        out.bytes(self.library.as_bytes());
        out.bytes(self.builtins.as_bytes());
        for list in [&self.roots, &self.headers, &self.options, &self.optimiser] {
            out.number(list.len() as u64);
            list.iter().for_each(|item| out.bytes(item.as_bytes()));
        }
        out.bytes(self.warm_up.as_bytes());
        for number in [
            u64::from(self.program),
            u64::from(self.cubin),
            self.memory_bytes,
            self.cpu_seconds,
            self.log_bytes,
            self.ptx_bytes,
        ] {
            out.number(number);
        }
        out.finish()
    }

    pub fn decode(from: impl Read) -> io::Result<Job> {
        let mut from = Decoder::new(from, MAGIC)?;
        Ok(Job {
            library: from.text()?,
            builtins: from.text()?,
            roots: from.list(Decoder::text)?,
            headers: from.list(Decoder::text)?,
            options: from.list(Decoder::text)?,
            optimiser: from.list(Decoder::text)?,
            warm_up: from.text()?,
            program: from.number()? != 0,
            cubin: from.number()? != 0,
            memory_bytes: from.number()?,
            cpu_seconds: from.number()?,
            log_bytes: from.number()?,
            ptx_bytes: from.number()?,
        })
    }
}

impl Source {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new(MAGIC);
        out.bytes(self.name.as_bytes());
        out.bytes(&self.text);
        out.number(self.headers.len() as u64);
        for (name, text) in &self.headers {
            out.bytes(name.as_bytes());
            out.bytes(text);
        }
        out.finish()
    }

    pub fn decode(from: impl Read) -> io::Result<Source> {
        let mut from = Decoder::new(from, MAGIC)?;
        Ok(Source {
            name: from.text()?,
            text: from.bytes()?,
            headers: from.list(|from| Ok((from.text()?, from.bytes()?)))?,
        })
    }
}

impl Reply {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new(MAGIC);
        match self {
            Reply::Compiled { ptx, cubin, log } => {
                out.number(0);
                out.bytes(ptx);
                out.bytes(cubin);
                out.bytes(log);
            }
            Reply::Rejected { log } => {
                out.number(1);
                out.bytes(log);
            }
            Reply::TooLarge { what, bytes } => {
                out.number(2);
                out.bytes(what.as_bytes());
                out.number(*bytes);
            }
            Reply::OutOfMemory => out.number(3),
            Reply::Failed(why) => {
                out.number(4);
                out.bytes(why.as_bytes());
            }
        }
        out.finish()
    }

    pub fn decode(from: impl Read) -> io::Result<Reply> {
        let mut from = Decoder::new(from, MAGIC)?;
        Ok(match from.number()? {
            0 => Reply::Compiled { ptx: from.bytes()?, cubin: from.bytes()?, log: from.bytes()? },
            1 => Reply::Rejected { log: from.bytes()? },
            2 => Reply::TooLarge { what: from.text()?, bytes: from.number()? },
            3 => Reply::OutOfMemory,
            4 => Reply::Failed(from.text()?),
            _ => return Err(malformed()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_back() {
        let job = Job {
            library: "/l".into(),
            roots: vec!["/a".into(), "/b".into()],
            options: vec!["-lineinfo".into()],
            optimiser: vec!["-Xnvvm=-Xllc".into()],
            program: true,
            ptx_bytes: 7,
            ..Job::default()
        };
        let source =
            Source { name: "a.cu".into(), text: b"x\0y".to_vec(), headers: vec![("h".into(), vec![1])] };
        // One after the other in one stream: neither reads into the next.
        let stream = [job.encode(), source.encode()].concat();
        let mut from = stream.as_slice();
        assert_eq!(Job::decode(&mut from).unwrap(), job);
        assert_eq!(Source::decode(&mut from).unwrap(), source);
        assert!(from.is_empty());
        for reply in [
            Reply::Compiled { ptx: vec![1, 2], cubin: vec![], log: b"w".to_vec() },
            Reply::Rejected { log: vec![] },
            Reply::TooLarge { what: "PTX".into(), bytes: 1 << 40 },
            Reply::OutOfMemory,
            Reply::Failed("why".into()),
        ] {
            assert_eq!(Reply::decode(reply.encode().as_slice()).unwrap(), reply);
        }
    }

    #[test]
    fn nonsense_is_an_error() {
        let whole = Reply::Rejected { log: vec![b'x'; 20] }.encode();
        for length in 0..whole.len() {
            assert!(Reply::decode(&whole[..length]).is_err());
        }
        let mut huge = whole.clone();
        huge[MAGIC.len() + 8..MAGIC.len() + 16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(Reply::decode(huge.as_slice()).is_err());
        assert!(Reply::decode(b"running 0 tests\n\ntest result: ok. 0 passed".as_slice()).is_err());
    }
}
