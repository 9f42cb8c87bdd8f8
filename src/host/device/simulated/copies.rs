//! Copies and sets: which bytes they touch, and doing them.

use super::Simulated;
use super::pace::{CopyEnd, at};
use super::shadow::{Bytes, MOST_STRETCHES, Touch};
use crate::device::{Copy, CopyShape, DeviceId, Failure, Host, Set};
use sim::{AccessKind, Address, ByteSet, Owner, is_host_pageable};
use std::sync::Arc;

/// Bytes of a piece that is copied at once.
const PIECE_BYTES: u64 = 1 << 20;

/// Rows of `width` bytes: the first byte of each.
pub(super) fn rows(start: u64, shape: &CopyShape, pitch: u64, slice: u64) -> impl Iterator<Item = u64> + '_ {
    (0..shape.depth).flat_map(move |z| {
        let slice = start.wrapping_add(z.wrapping_mul(slice));
        (0..shape.height).map(move |y| slice.wrapping_add(y.wrapping_mul(pitch)))
    })
}

/// The shape with as few rows as possible, where neither side has gaps.
pub(super) fn folded(shape: &CopyShape) -> CopyShape {
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
    /// Whether an address is in memory that only the host has: what is registered lies here.
    pub(super) fn is_pageable(&self, address: Address) -> bool {
        is_host_pageable(address.0) && self.machine.find(address).is_none()
    }

    pub(super) fn place(&self, address: Address) -> CopyEnd {
        if self.is_pageable(address) {
            return CopyEnd::Pageable;
        }
        match self.machine.find(address).map(|b| b.owner) {
            Some(Owner::Device(device)) => CopyEnd::Device(device),
            Some(Owner::Managed) => CopyEnd::Managed,
            _ => CopyEnd::Pinned,
        }
    }

    /// Bytes of rows as a touch, as far as they are not pageable memory.
    fn touch_rows(
        &self,
        kind: AccessKind,
        start: Address,
        shape: &CopyShape,
        pitch: u64,
        slice: u64,
        touches: &mut Vec<Touch>,
    ) {
        if self.is_pageable(start) || shape.width == 0 {
            return;
        }
        if shape.height.saturating_mul(shape.depth) <= MOST_STRETCHES as u64 {
            for row in rows(start.0, shape, pitch, slice) {
                touches.push(Touch { kind, bytes: Bytes::Dense(at(Address(row), shape.width)) });
            }
            return;
        }
        let Some(buffer) = self.machine.find(start) else { return };
        let mut set = ByteSet::new(buffer.bytes);
        for row in rows(start.0 - buffer.base.0, shape, pitch, slice) {
            set.insert(row, shape.width);
        }
        touches.push(Touch {
            kind,
            bytes: Bytes::Sparse { base: buffer.base.0, bytes: buffer.bytes, set: Arc::new(set) },
        });
    }

    /// Takes what a copy reads from pageable memory, row after row.
    pub(super) fn stage(&self, copy: &Copy, host: &mut dyn Host) -> Result<Vec<u8>, Failure> {
        let shape = folded(&copy.shape);
        let mut staged = Vec::new();
        for row in rows(copy.src.0, &shape, shape.src_pitch, shape.src_slice) {
            let from = staged.len();
            staged.resize(from + shape.width as usize, 0);
            host.read(row, &mut staged[from..])?;
        }
        Ok(staged)
    }

    pub(super) fn run_copy(
        &mut self,
        copy: &Copy,
        staged: Option<&[u8]>,
        host: &mut dyn Host,
    ) -> Result<Vec<Touch>, Failure> {
        let shape = folded(&copy.shape);
        let mut touches = Vec::new();
        if shape.bytes() == 0 {
            return Ok(touches);
        }
        self.touch_rows(AccessKind::Read, copy.src, &shape, shape.src_pitch, shape.src_slice, &mut touches);
        self.touch_rows(AccessKind::Write, copy.dst, &shape, shape.dst_pitch, shape.dst_slice, &mut touches);
        let from = rows(copy.src.0, &shape, shape.src_pitch, shape.src_slice);
        let to = rows(copy.dst.0, &shape, shape.dst_pitch, shape.dst_slice);
        let (to_host, from_host) = (self.is_pageable(copy.dst), self.is_pageable(copy.src));
        let mut piece = Vec::new();
        for (n, (dst, src)) in to.zip(from).enumerate() {
            if let Some(staged) = staged {
                let start = n * shape.width as usize;
                let row = staged.get(start..start + shape.width as usize).unwrap_or_default();
                self.machine.write(Address(dst), row);
                continue;
            }
            if !to_host && !from_host {
                self.machine.copy(Address(dst), Address(src), shape.width);
                continue;
            }
            let mut done = 0;
            while done < shape.width {
                piece.resize(PIECE_BYTES.min(shape.width - done) as usize, 0);
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
        let shape = CopyShape {
            width,
            height: set.height,
            depth: 1,
            dst_pitch: set.pitch,
            dst_slice: 0,
            src_pitch: set.pitch,
            src_slice: 0,
        };
        let shape =
            if set.height == 1 || set.pitch == width { CopyShape::linear(shape.bytes()) } else { shape };
        let mut touches = Vec::new();
        if shape.bytes() == 0 {
            return touches;
        }
        self.touch_rows(AccessKind::Write, set.dst, &shape, shape.dst_pitch, 0, &mut touches);
        let value = set.value.to_le_bytes();
        let pattern = &value[..(set.element_bytes as usize).clamp(1, 4)];
        for row in rows(set.dst.0, &shape, shape.dst_pitch, 0) {
            self.machine.set(Address(row), pattern, shape.width);
        }
        touches
    }

    /// Managed bytes among what was touched move to a device; gives how many had to.
    pub(super) fn move_managed(&mut self, touches: &[Touch], to: DeviceId) -> u64 {
        touches.iter().map(|touch| self.residency.move_to(range_of(touch), Some(to))).sum()
    }

    /// Managed bytes that were written by a copy are on the device from now on.
    pub(super) fn copied_managed(&mut self, touches: &[Touch], to: DeviceId) {
        let written = touches.iter().filter(|touch| touch.kind != AccessKind::Read);
        written.for_each(|touch| self.residency.copied_to(range_of(touch), to));
    }

    /// Managed bytes were copied into device memory, from wherever they are.
    pub(super) fn copied_from_managed(&mut self, touches: &[Touch]) {
        let read = touches.iter().filter(|touch| touch.kind == AccessKind::Read);
        read.for_each(|touch| self.residency.copied_from(range_of(touch)));
    }
}

fn range_of(touch: &Touch) -> std::ops::Range<u64> {
    match &touch.bytes {
        Bytes::Dense(range) => range.clone(),
        Bytes::Sparse { base, bytes, .. } => *base..base.saturating_add(*bytes),
    }
}
