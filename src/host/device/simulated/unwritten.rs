//! Copies between the host's pageable memory and GPUs of what nobody ever wrote: it counts as never written
//! where it arrives, too.

use super::Simulated;
use super::copies::{folded, rows};
use super::perform::about;
use super::shadow::Party;
use crate::device::{Copy, Failure, Host};
use sim::{AccessKind, Address, Finding, FindingKind, Target, mark_at, marked};
use std::sync::Arc;

/// Copies that are remembered.
const MOST_BROUGHT: usize = 256;
/// Bytes that are looked at together.
const PIECE_BYTES: u64 = 1 << 20;

impl Simulated {
    /// After a copy to or from pageable memory.
    pub(super) fn carry_unwritten(
        &mut self,
        copy: &Copy,
        by: &Arc<Party>,
        staged: Option<&[u8]>,
        host: &mut dyn Host,
    ) -> Result<(), Failure> {
        let (to_host, from_host) = (self.is_pageable(copy.dst), self.is_pageable(copy.src));
        match (to_host, from_host) {
            (true, false) => self.carry_to_host(copy, by, host),
            (false, true) => self.carry_from_host(copy, by, staged, host),
            _ => Ok(()),
        }
    }

    fn carry_to_host(&mut self, copy: &Copy, by: &Arc<Party>, host: &mut dyn Host) -> Result<(), Failure> {
        let shape = folded(&copy.shape);
        let Some(buffer) = self.machine.find(copy.src) else { return Ok(()) };
        let from = rows(copy.src.0, &shape, shape.src_pitch, shape.src_slice);
        let to = rows(copy.dst.0, &shape, shape.dst_pitch, shape.dst_slice);
        let mut first = None;
        for (src, dst) in from.zip(to) {
            for gap in self.machine.unwritten(Address(src), shape.width) {
                first.get_or_insert(src + gap.start);
                mark(host, dst, gap)?;
            }
        }
        if let Some(first) = first {
            let mut from = about(FindingKind::Uninitialised, by, Vec::new()).at;
            from.target = Target::Buffer {
                name: buffer.name,
                size_bytes: buffer.bytes,
                offset_bytes: first.wrapping_sub(buffer.base.0) as i64,
            };
            host.brought(copy.dst.0, copy.shape.dst_span(), from);
        }
        Ok(())
    }

    fn carry_from_host(
        &mut self,
        copy: &Copy,
        by: &Arc<Party>,
        staged: Option<&[u8]>,
        host: &mut dyn Host,
    ) -> Result<(), Failure> {
        let shape = folded(&copy.shape);
        let from = rows(copy.src.0, &shape, shape.src_pitch, shape.src_slice);
        let to = rows(copy.dst.0, &shape, shape.dst_pitch, shape.dst_slice);
        let mut any = false;
        let mut piece = Vec::new();
        for (n, (src, dst)) in from.zip(to).enumerate() {
            let mut done = 0;
            while done < shape.width {
                let bytes = PIECE_BYTES.min(shape.width - done);
                let start = n * shape.width as usize + done as usize;
                match staged {
                    Some(staged) => {
                        piece.clear();
                        piece
                            .extend_from_slice(staged.get(start..start + bytes as usize).unwrap_or_default());
                    }
                    None => {
                        piece.resize(bytes as usize, 0);
                        host.read(src + done, &mut piece)?;
                    }
                }
                for range in marked(src + done, &piece) {
                    any = true;
                    self.machine.forget_written(Address(dst + done + range.start), range.end - range.start);
                }
                done += bytes;
            }
        }
        if let (true, Some(buffer)) = (any, self.machine.find(copy.dst)) {
            let start = copy.dst.0 - buffer.base.0;
            self.brought.insert(0, (buffer.name, start..start + copy.shape.dst_span(), by.clone()));
            self.brought.truncate(MOST_BROUGHT);
        }
        Ok(())
    }

    /// Says of a kernel's read of memory never written which copy brought it, where one did.
    pub(super) fn name_source(&self, finding: &mut Finding) {
        let (FindingKind::Uninitialised, Target::Buffer { name, offset_bytes, .. }) =
            (finding.kind, &finding.at.target)
        else {
            return;
        };
        let offset = *offset_bytes as u64;
        let known = self.brought.iter().find(|(its, range, _)| its == name && range.contains(&offset));
        if let Some((_, _, by)) = known {
            let mut other = about(finding.kind, by, Vec::new()).at;
            other.kind = AccessKind::Write;
            other.target = finding.at.target.clone();
            finding.other = Some(other);
        }
    }
}

/// Marks bytes of pageable memory as never written.
fn mark(host: &mut dyn Host, start: u64, gap: std::ops::Range<u64>) -> Result<(), Failure> {
    let mut at = gap.start;
    while at < gap.end {
        let end = gap.end.min(at + PIECE_BYTES);
        let marks: Vec<u8> = (at..end).map(|n| mark_at(start.wrapping_add(n))).collect();
        host.write(start.wrapping_add(at), &marks)?;
        at = end;
    }
    Ok(())
}
