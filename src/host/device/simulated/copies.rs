//! Copies and memory sets: the bytes that they access, and their execution.

use super::Simulated;
use super::shadow::{Bytes, MAX_RANGES, Touch};
use super::virtual_time::{CopyEnd, at};
use crate::device::{Copy, CopyShape, DeviceId, Host, Result, Set};
use sim::{AccessKind, Address, ByteSet, Owner, is_host_pageable};
use std::sync::Arc;

/// Size of the pieces in which a copy to or from pageable memory is performed.
const PIECE_BYTES: u64 = 1 << 20;

/// Rows of bytes at equal distances, in slices at equal distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    first: u64,
    pub width: u64,
    height: u64,
    depth: u64,
    pitch: u64,
    slice: u64,
}

impl Rows {
    /// Returns the source and the destination of a copy, with as few rows as possible if neither side has
    /// gaps.
    pub fn of(copy: &Copy) -> [Rows; 2] {
        let CopyShape { width, height, depth, src_pitch, src_slice, dst_pitch, dst_slice } =
            folded(&copy.shape);
        let side = |at: Address, pitch, slice| Rows { first: at.0, width, height, depth, pitch, slice };
        [side(copy.src, src_pitch, src_slice), side(copy.dst, dst_pitch, dst_slice)]
    }

    fn count(self) -> u64 {
        self.height.saturating_mul(self.depth)
    }

    pub fn contains(self, at: u64) -> bool {
        self.starts().any(|start| (start..start.saturating_add(self.width)).contains(&at))
    }

    /// Returns the address of each row's first byte.
    pub fn starts(self) -> impl Iterator<Item = u64> {
        (0..self.depth).flat_map(move |z| {
            let slice = self.first.wrapping_add(z.wrapping_mul(self.slice));
            (0..self.height).map(move |y| slice.wrapping_add(y.wrapping_mul(self.pitch)))
        })
    }
}

/// Returns the shape with as few rows as possible if neither side has gaps.
fn folded(shape: &CopyShape) -> CopyShape {
    let mut s = *shape;
    if s.dst_pitch == s.width && s.src_pitch == s.width {
        let plane = s.width.saturating_mul(s.height);
        if s.depth <= 1 || s.dst_slice == plane && s.src_slice == plane {
            return CopyShape::linear(s.bytes());
        }
        s.width = plane;
        s.height = 1;
    }
    s
}

impl Simulated {
    /// Returns whether an address is in memory that only the host has; registered memory belongs to the
    /// machine.
    pub(super) fn is_pageable(&self, address: Address) -> bool {
        is_host_pageable(address.0) && self.machine.find(address).is_none()
    }

    pub(super) fn place(&self, address: Address) -> CopyEnd {
        if self.is_pageable(address) {
            return CopyEnd::Pageable;
        }
        match self.machine.find(address).map(|b| b.owner) {
            Some(Owner::Device(device) | Owner::Pool { device, .. }) => CopyEnd::Device(device),
            Some(Owner::Managed) => CopyEnd::Managed,
            _ => CopyEnd::Pinned,
        }
    }

    /// Returns the accessed bytes of rows, except those in pageable memory.
    fn touch_rows(&self, kind: AccessKind, touched: Rows) -> Vec<Touch> {
        let (first, width) = (Address(touched.first), touched.width);
        if self.is_pageable(first) || width == 0 {
            return Vec::new();
        }
        self.touch_all(kind, first, touched.count(), touched.starts(), width)
    }

    /// Returns the accesses to `count` stretches of `width` bytes of one buffer, by where they start.
    pub(super) fn touch_all(
        &self,
        kind: AccessKind,
        first: Address,
        count: u64,
        starts: impl Iterator<Item = u64>,
        width: u64,
    ) -> Vec<Touch> {
        if count <= MAX_RANGES as u64 {
            return starts
                .map(|start| Touch { kind, bytes: Bytes::Dense(at(Address(start), width)) })
                .collect();
        }
        let Some(buffer) = self.machine.find(first) else { return Vec::new() };
        let (base, bytes) = (buffer.base.0, buffer.bytes);
        let mut set = ByteSet::new(bytes);
        starts.for_each(|start| set.insert(start.wrapping_sub(base), width));
        vec![Touch { kind, bytes: Bytes::Sparse { base, bytes, set: Arc::new(set) } }]
    }

    /// Reads a copy's source rows from pageable memory, and concatenates them.
    pub(super) fn stage(&self, copy: &Copy, host: &mut dyn Host) -> Result<Vec<u8>> {
        let [source, _] = Rows::of(copy);
        let mut staged = Vec::new();
        for row in source.starts() {
            let from = staged.len();
            staged.resize(from + source.width as usize, 0);
            host.read(row, &mut staged[from..])?;
        }
        Ok(staged)
    }

    pub(super) fn run_copy(
        &mut self,
        copy: &Copy,
        staged: Option<&[u8]>,
        host: &mut dyn Host,
    ) -> Result<Vec<Touch>> {
        let [from, to] = Rows::of(copy);
        if copy.shape.bytes() == 0 {
            return Ok(Vec::new());
        }
        let mut touches = self.touch_rows(AccessKind::Read, from);
        touches.extend(self.touch_rows(AccessKind::Write, to));
        let width = from.width;
        let (to_host, from_host) = (self.is_pageable(copy.dst), self.is_pageable(copy.src));
        let mut piece = Vec::new();
        for (n, (dst, src)) in to.starts().zip(from.starts()).enumerate() {
            if let Some(staged) = staged {
                let start = n * width as usize;
                let row = staged.get(start..start + width as usize).unwrap_or_default();
                self.machine.write(Address(dst), row);
                continue;
            }
            if !to_host && !from_host {
                self.machine.copy(Address(dst), Address(src), width);
                continue;
            }
            let mut done = 0;
            while done < width {
                piece.resize(PIECE_BYTES.min(width - done) as usize, 0);
                if from_host {
                    host.read(src + done, &mut piece)?;
                } else {
                    self.machine.read(Address(src + done), &mut piece);
                }
                if to_host {
                    host.write(dst + done, &piece)?;
                } else {
                    self.machine.write(Address(dst + done), &piece);
                }
                done += piece.len() as u64;
            }
        }
        Ok(touches)
    }

    pub(super) fn run_set(&mut self, set: &Set) -> Vec<Touch> {
        let width = set.width.saturating_mul(u64::from(set.element_bytes));
        let all = width.saturating_mul(set.height);
        if all == 0 {
            return Vec::new();
        }
        let (width, height) =
            if set.height == 1 || set.pitch == width { (all, 1) } else { (width, set.height) };
        let rows = Rows { first: set.dst.0, width, height, depth: 1, pitch: set.pitch, slice: 0 };
        let value = set.value.to_le_bytes();
        let pattern = &value[..(set.element_bytes as usize).clamp(1, 4)];
        let touches = self.touch_rows(AccessKind::Write, rows);
        for start in rows.starts() {
            self.machine.set(Address(start), pattern, width);
        }
        touches
    }

    /// Counts the bytes of other devices' memory that work on a device accesses.
    pub(super) fn count_peers(&mut self, device: DeviceId, touches: &[Touch]) {
        if self.machine.devices() < 2 {
            return;
        }
        for touch in touches {
            let CopyEnd::Device(owner) = self.place(Address(touch.range().start)) else { continue };
            let (from, to) = if touch.kind == AccessKind::Read { (owner, device) } else { (device, owner) };
            self.ledger.shares.add_bytes(from, to, touch.bytes.count());
        }
    }

    /// Migrates the managed bytes among those accessed to a device; returns how many bytes migrated.
    pub(super) fn move_managed(&mut self, touches: &[Touch], to: DeviceId) -> u64 {
        touches.iter().map(|touch| self.residency.move_to(touch.range(), Some(to))).sum()
    }

    /// Records that a copy wrote managed bytes, which reside on the device from now on.
    pub(super) fn copied_managed(&mut self, touches: &[Touch], to: DeviceId) {
        let written = touches.iter().filter(|touch| touch.kind != AccessKind::Read);
        written.for_each(|touch| self.residency.copied_to(touch.range(), to));
    }

    /// Records that managed bytes were copied to device memory from wherever they reside.
    pub(super) fn copied_from_managed(&mut self, touches: &[Touch]) {
        let read = touches.iter().filter(|touch| touch.kind == AccessKind::Read);
        read.for_each(|touch| self.residency.copied_from(touch.range()));
    }
}
