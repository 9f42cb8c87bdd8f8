//! Copies of never-written bytes between the host's pageable memory and GPUs: the copies count as never
//! written too.

use super::Simulated;
use super::copies::Rows;
use super::perform::about;
use super::shadow::Originator;
use super::virtual_time::CopyEnd;
use crate::device::{Copy, Host, Result, Set};
use sim::{AccessKind, Address, Evidence, Finding, FindingKind, Target, mark_at, marked};
use std::ops::Range;
use std::sync::Arc;

/// A copy from the host that brought never-written bytes, or a copy or memset that did not reach the end of a buffer.
#[derive(Debug)]
pub(super) struct PartialCopy {
    buffer: Arc<str>,
    base: Address,
    /// Range of bytes within the buffer.
    bytes: Range<u64>,
    /// Whether all bytes that it brought had been written.
    is_whole: bool,
    by: Arc<Originator>,
}

/// Maximum number of copies remembered.
const MAX_BROUGHT: usize = 256;
/// Number of bytes examined at a time.
const PIECE_BYTES: u64 = 1 << 20;
/// Size of the largest element that a thread accesses.
const MOST_ELEMENT_BYTES: u64 = 16;

impl Simulated {
    /// Propagates the never-written state of bytes after a copy.
    pub(super) fn carry_unwritten(
        &mut self,
        copy: &Copy,
        by: &Arc<Originator>,
        staged: Option<&[u8]>,
        host: &mut dyn Host,
    ) -> Result<()> {
        let (to_host, from_host) = (self.is_pageable(copy.dst), self.is_pageable(copy.src));
        match (to_host, from_host) {
            (true, false) => self.carry_to_host(copy, by, host),
            (false, true) => self.carry_from_host(copy, by, staged, host),
            (false, false) => {
                let from = self.place(copy.src);
                if matches!(from, CopyEnd::Pinned) {
                    self.note_brought(copy, by, true);
                }
                Ok(())
            }
            (true, true) => Ok(()),
        }
    }

    fn carry_to_host(&mut self, copy: &Copy, by: &Arc<Originator>, host: &mut dyn Host) -> Result<()> {
        let [from, to] = Rows::of(copy);
        let Some(buffer) = self.machine.find(copy.src) else { return Ok(()) };
        let mut first = None;
        for (src, dst) in from.starts().zip(to.starts()) {
            for gap in self.machine.unwritten(Address(src), from.width) {
                first.get_or_insert(src + gap.start);
                mark(host, dst, gap)?;
            }
        }
        if let Some(first) = first {
            let mut from = about(FindingKind::Uninitialised, by, Vec::new()).at;
            from.target = buffer.target(Address(first));
            host.brought(copy.dst.0, copy.shape.dst_span(), from);
        }
        Ok(())
    }

    fn carry_from_host(
        &mut self,
        copy: &Copy,
        by: &Arc<Originator>,
        staged: Option<&[u8]>,
        host: &mut dyn Host,
    ) -> Result<()> {
        let [from, to] = Rows::of(copy);
        let width = from.width;
        let mut any = false;
        let mut piece = Vec::new();
        for (n, (src, dst)) in from.starts().zip(to.starts()).enumerate() {
            let mut done = 0;
            while done < width {
                let bytes = PIECE_BYTES.min(width - done);
                let start = n * width as usize + done as usize;
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
        self.note_brought(copy, by, !any);
        Ok(())
    }

    fn note_brought(&mut self, copy: &Copy, by: &Arc<Originator>, is_whole: bool) {
        self.note_written(copy.dst, copy.shape.dst_span(), by, is_whole);
    }

    /// Records that a memset wrote part of a buffer.
    pub(super) fn note_set(&mut self, set: &Set, by: &Arc<Originator>) {
        self.note_written(set.dst, set.span().unwrap_or(u64::MAX), by, true);
    }

    fn note_written(&mut self, dst: Address, span: u64, by: &Arc<Originator>, is_whole: bool) {
        let Some(buffer) = self.machine.find(dst) else { return };
        let start = dst.0 - buffer.base.0;
        let bytes = start..start.saturating_add(span);
        if !is_whole || bytes.end < buffer.bytes {
            let (buffer, base, by) = (buffer.name, buffer.base, by.clone());
            self.partial_copies.insert(0, PartialCopy { buffer, base, bytes, is_whole, by });
            self.partial_copies.truncate(MAX_BROUGHT);
        }
    }

    /// Adds to a finding about a kernel's read of never-written memory which copy brought it, or ended before
    /// it.
    pub(super) fn name_source(&self, finding: &mut Finding) {
        let (FindingKind::Uninitialised, Target::Buffer { name, offset_bytes, size_bytes }) =
            (finding.kind, &finding.at.target)
        else {
            return;
        };
        let offset = *offset_bytes as u64;
        let mut of_buffer = self.partial_copies.iter().filter(|its| its.buffer == *name);
        let Some(last) = of_buffer.clone().find(|its| !its.is_whole && its.bytes.contains(&offset)) else {
            // Matches a copy if no other work has written between the copy's end and the element, or if the element has
            // been written since it was read, as by `+=`.
            let ends_before = |its: &&PartialCopy| {
                // The copy may have ended within the element.
                let element = self.machine.unwritten(Address(its.base.0 + offset), MOST_ELEMENT_BYTES);
                let missing = element.first().map_or(offset, |gap| offset + gap.start);
                let gap = missing.saturating_sub(its.bytes.end) + 1;
                let unwritten = self.machine.unwritten(Address(its.base.0 + its.bytes.end), gap);
                let is_written_since = || self.machine.unwritten(Address(its.base.0 + offset), 1).is_empty();
                its.bytes.start == 0
                    && its.bytes.end <= missing
                    && (unwritten.iter().eq([&(0..gap)]) || is_written_since())
            };
            if let Some(copy) = of_buffer.find(ends_before)
                && let Some(at) = &copy.by.location
            {
                finding.evidence.push(Evidence::CopyEnds {
                    request: copy.by.operation.function().into(),
                    line: at.line,
                    written_bytes: copy.bytes.end,
                    memory_bytes: *size_bytes,
                });
            }
            return;
        };
        let mut other = about(finding.kind, &last.by, Vec::new()).at;
        other.kind = AccessKind::Write;
        other.target = finding.at.target.clone();
        finding.other = Some(other);
    }
}

/// Marks bytes of pageable memory as never written.
fn mark(host: &mut dyn Host, start: u64, gap: std::ops::Range<u64>) -> Result<()> {
    let mut at = gap.start;
    while at < gap.end {
        let end = gap.end.min(at + PIECE_BYTES);
        let marks: Vec<u8> = (at..end).map(|n| mark_at(start.wrapping_add(n))).collect();
        host.write(start.wrapping_add(at), &marks)?;
        at = end;
    }
    Ok(())
}
