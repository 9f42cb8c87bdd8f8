//! What a program advises on managed memory.

use std::collections::BTreeMap;

/// `cudaInvalidDeviceId`
pub const NOWHERE: i32 = -2;

/// The program's advice about a managed allocation.
#[derive(Clone, Debug)]
pub struct Advice {
    pub read_mostly: bool,
    pub preferred: i32,
    pub accessed_by: Vec<i32>,
    pub prefetched: i32,
}

impl Default for Advice {
    fn default() -> Advice {
        Advice { read_mostly: false, preferred: NOWHERE, accessed_by: Vec::new(), prefetched: NOWHERE }
    }
}

/// Advice by the start address of the allocation that it is about.
pub type Advices = BTreeMap<u64, Advice>;
