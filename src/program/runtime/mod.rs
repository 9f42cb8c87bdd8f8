//! The CUDA runtime as the host thread sees it: its state, and its calls in files by family.
//!
//! A call's row is in the file of its family and is written with [`calls!`](super::call). What it
//! asks of a GPU goes to [`Gpus`](crate::device::Gpus); handles, argument checks, the error state,
//! and whose memory is whose are kept here.

pub mod allocations;
mod error;
pub mod errors;
mod event;
mod graph;
mod stream;

use super::call::Row;
use super::libraries::{self, Libraries};
use crate::device::{DeviceId, Failure, Site};
use crate::sim::{Finding, Module};
use allocations::Allocations;
use errors::Errors;
use event::Events;
use graph::Graphs;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use stream::Streams;

/// State of the runtime in one process.
pub struct Runtime {
    pub module: Arc<Module>,
    /// What `cudaSetDevice` chose.
    pub current: DeviceId,
    pub errors: Errors,
    pub allocations: Allocations,
    pub streams: Streams,
    pub events: Events,
    pub graphs: Graphs,
    pub libraries: Libraries,
    /// Found by the runtime itself, in order.
    pub findings: Vec<Finding>,
    /// Texts that calls have answered with, and where they lie in the program's memory.
    pub texts: HashMap<&'static str, u64>,
    /// Why the program was ended, where a call or an access ended it.
    pub ended: Option<Ended>,
}

/// Why a program came to an end before `main` returned or it called `exit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The system stops a process that touches memory which is not its own (signal 11).
    Segfault,
}

impl Runtime {
    pub fn new(module: Arc<Module>) -> Runtime {
        Runtime {
            module,
            current: 0,
            errors: Errors::default(),
            allocations: Allocations::default(),
            streams: Streams::default(),
            events: Events::default(),
            graphs: Graphs::default(),
            libraries: Libraries::default(),
            findings: Vec::new(),
            texts: HashMap::new(),
            ended: None,
        }
    }

    /// Whether the host's own code may touch memory that is not pageable. Where it may not, that is
    /// a finding and the program's end.
    pub fn host_may_use(
        &mut self,
        address: u64,
        bytes: u64,
        _write: bool,
        _site: &Site,
    ) -> Result<(), Failure> {
        if self.allocations.host_visible(address, bytes) {
            return Ok(());
        }
        self.ended = Some(Ended::Segfault);
        Err(Failure::Ended)
    }
}

/// Every file of rows.
const FAMILIES: &[&[Row]] = &[error::CALLS, event::CALLS, graph::CALLS, stream::CALLS];

/// The row of a call.
pub fn row(name: &str) -> Option<&'static Row> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    let rows = BY_NAME.get_or_init(|| rows().map(|row| (row.name, row)).collect());
    rows.get(name).copied()
}

/// Every call there is a row for.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().chain(libraries::FAMILIES).copied().flatten()
}
