//! Accesses that the interpreter's fast path does not handle: those of other memory than the thread's own,
//! observed ones, those of more than one granule, and atomics.

use super::environment::{Environment, Stop};
use super::memory::FaultKind;
#[cfg(doc)]
use super::memory::HostMemory;
use super::op::{AtomicOp, Kind, Op};
use super::run::{get, set};
use super::thread::HostThread;
use super::undefined::loaded;
use crate::finding::{AccessKind, HostPart};
use crate::memory::access::Space;
use crate::memory::{host_part, is_host_pageable};
use std::ops::Range;

impl HostThread<'_> {
    /// Reads memory of any kind. `kind` is the access that the read is part of. If `observed`, the observer of
    /// the thread's own memory is informed. Strong accesses (atomic or volatile) are told apart, because they
    /// are how the parts of a program communicate.
    fn read_any(
        &mut self,
        env: &mut dyn Environment,
        address: u64,
        out: &mut [u8],
        kind: AccessKind,
        observed: bool,
    ) -> Result<(), Stop> {
        match self.memory.read(address, out) {
            Ok(()) if !self.memory.is_observed() => Ok(()),
            Ok(()) if observed => {
                env.observe(self, address, out.len() as u64, kind);
                Ok(())
            }
            Ok(()) => {
                env.observe_strong(self, address, kind)?;
                // Work that proceeded meanwhile may have changed it.
                self.memory.read(address, out).map_err(|fault| self.fault(fault, kind))
            }
            Err(fault) if fault.kind == FaultKind::Elsewhere => {
                self.memory.place = self.place();
                if observed { env.load(self, address, out) } else { env.load_strong(self, address, out) }
            }
            Err(fault) => Err(self.fault(fault, kind)),
        }
    }

    fn write_any(
        &mut self,
        env: &mut dyn Environment,
        address: u64,
        bytes: &[u8],
        kind: AccessKind,
        observed: bool,
    ) -> Result<(), Stop> {
        match self.memory.write(address, bytes) {
            Ok(()) if !self.memory.is_observed() => Ok(()),
            Ok(()) if observed => {
                env.observe(self, address, bytes.len() as u64, kind);
                Ok(())
            }
            Ok(()) => env.observe_strong(self, address, AccessKind::Write),
            Err(fault) if fault.kind == FaultKind::Elsewhere => {
                self.memory.place = self.place();
                if observed {
                    env.store(self, address, bytes)
                } else {
                    env.store_strong(self, address, bytes)
                }
            }
            Err(fault) => Err(self.fault(fault, kind)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn load_slow(&mut self, env: &mut dyn Environment, op: &Op, address: u64) -> Result<(), Stop> {
        let (bytes, signed) = loaded(op);
        let mut out = [0; 8];
        self.read_any(env, address, &mut out[..bytes], AccessKind::Read, op.operands.s[1] == 0)?;
        let mut value = u64::from_le_bytes(out);
        if signed {
            let shift = 64 - bytes as u32 * 8;
            value = ((value << shift) as i64 >> shift) as u64;
        }
        let frame = self.frame();
        // SAFETY: decoding placed the register in the frame.
        unsafe {
            match op.kind {
                Kind::Load64 | Kind::LoadTo64 => set(frame, op.operands.d, value),
                _ => set(frame, op.operands.d, value as u32),
            }
        }
        if self.undefined.wanted {
            // Memory that is not the thread's own does not hold the mark.
            let lacks = (!is_host_pageable(address)).then(|| {
                let gaps = env.unwritten(address, bytes as u64);
                gaps.into_iter().flatten().fold(0, |bits, n| bits | 1 << n)
            });
            self.record_undefined_load(op, address, lacks);
        }
        Ok(())
    }

    /// Handles a load whose value looks like the mark of unwritten memory.
    #[cold]
    #[inline(never)]
    pub(super) fn loaded_maybe_unwritten(
        &mut self,
        env: &mut dyn Environment,
        op: &Op,
        address: u64,
    ) -> Result<(), Stop> {
        let bytes = loaded(op).0 as u64;
        if is_host_pageable(address) {
            self.record_undefined_load(op, address, None);
        } else if self.memory.slice(address, bytes).is_err() {
            // The owner of the memory knows whether it was written.
            self.load_slow(env, op, address)?;
        }
        Ok(())
    }

    /// Evicts the cached parts of memory that is not the thread's own that overlap `range`, and writes back
    /// what was changed in them.
    pub fn write_back(&mut self, env: &mut dyn Environment, range: Range<u64>) {
        for (address, bytes) in self.memory.evict(range) {
            env.write_back(address, &bytes);
        }
    }

    /// Caches a part of memory that is not the thread's own ([`HostMemory::cache`]); returns whether it did. If
    /// the cache is full, everything in it is written back first.
    pub fn cache(
        &mut self,
        env: &mut dyn Environment,
        start: u64,
        contents: Vec<u8>,
        unwritten: &[Range<u64>],
    ) -> bool {
        if self.memory.cache_is_full() {
            self.write_back(env, 0..u64::MAX);
        }
        self.memory.cache(start, contents, unwritten)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn store_slow(
        &mut self,
        env: &mut dyn Environment,
        op: &Op,
        address: u64,
    ) -> Result<(), Stop> {
        let bytes = op.kind.stored_bytes().map_or(8, |bytes| bytes as usize);
        let value = self.bytes_at(op.operands.s[1], bytes);
        let observed = op.operands.s[2] == 0;
        self.write_any(env, address, &value.to_le_bytes()[..bytes], AccessKind::Write, observed)
    }

    /// Performs an atomic read-modify-write; no other host thread runs in between.
    pub(super) fn atomic(&mut self, env: &mut dyn Environment, op: &AtomicOp) -> Result<(), Stop> {
        let frame = self.frame();
        let bytes = (op.bytes as usize).min(8);
        // SAFETY: decoding placed the registers in the frame.
        let value = |frame: *mut u8, at: u32| unsafe {
            if bytes == 8 { get::<u64>(frame, at) } else { get::<u32>(frame, at) as u64 }
        };
        // SAFETY: as above.
        let address = unsafe { get::<u64>(frame, op.base) }.wrapping_add(op.offset as u64);
        let (operand, comparand) = (value(frame, op.operand), op.comparand.map_or(0, |at| value(frame, at)));
        let mut old = [0; 8];
        self.read_any(env, address, &mut old[..bytes], AccessKind::Atomic, false)?;
        let old = u64::from_le_bytes(old);
        let new = (op.apply)(old, operand, comparand);
        self.write_any(env, address, &new.to_le_bytes()[..bytes], AccessKind::Atomic, false)?;
        let frame = self.frame();
        match (op.d, bytes) {
            // SAFETY: as above.
            (Some(at), 8) => unsafe { set(frame, at, old) },
            // SAFETY: as above.
            (Some(at), _) => unsafe { set(frame, at, old as u32) },
            (None, _) => {}
        }
        Ok(())
    }
}

/// Evaluates `isspacep` for a generic address; `space` is the state space's number.
pub(super) fn is_space(address: u64, space: u32) -> bool {
    let local = host_part(address) == Some(HostPart::Stack);
    match space {
        s if s == Space::Local as u32 => local,
        s if s == Space::Global as u32 => !local,
        _ => false,
    }
}
