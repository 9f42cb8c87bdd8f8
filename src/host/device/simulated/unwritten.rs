//! Copies of never-written bytes between the host's pageable memory and GPUs: the copies count as never
//! written too.

use super::Simulated;
use super::copies::Rows;
use super::perform::work_finding;
use super::shadow::Originator;
use super::virtual_time::CopyEnd;
use crate::device::compute::Span;
use crate::device::{Copy, Host, Result, Set};
use sim::{
    Access, AccessKind, Address, Evidence, Finding, FindingKind, Target, TouchedBuffer, mark_at, marked,
};
use std::ops::Range;
use std::sync::Arc;

/// Work that left bytes unwritten, each kind most recent first. Addresses are not reused.
#[derive(Debug, Default)]
pub(super) struct UnwrittenCauses {
    /// Copies from the host that left part of a buffer unwritten.
    partial_copies: Vec<PartialCopy>,
    /// Copies that brought never-written bytes.
    empty_copies: Vec<EmptyCopy>,
    /// Inputs of which calls of libraries left nothing.
    inputs_used_up: Vec<UsedInput>,
}

/// A copy from the host that brought never-written bytes, or a copy or memset that did not reach the end of a buffer.
#[derive(Debug)]
struct PartialCopy {
    /// The buffer's address: others may have its name.
    base: Address,
    /// Range of bytes within the buffer.
    bytes: Range<u64>,
    /// For rows with gaps between them: the bytes of a row, and from one row to the next.
    rows: Option<(u64, u64)>,
    /// Whether all bytes that it brought had been written.
    is_whole: bool,
    by: Arc<Originator>,
}

/// A copy that brought never-written bytes to memory of the machine.
#[derive(Debug)]
struct EmptyCopy {
    to: Rows,
    from_host: bool,
    by: Arc<Originator>,
}

/// An input that a call of a library left without defined values.
#[derive(Debug)]
struct UsedInput {
    bytes: Range<u64>,
    by: Arc<Originator>,
}

/// Maximum number of copies of either kind, and of such inputs, remembered.
const MAX_BROUGHT: usize = 256;
/// Most parts of a copy that are told with different lines.
const MAX_LINES: usize = 64;
/// Number of bytes examined at a time.
const PIECE_BYTES: u64 = 1 << 20;
/// Size of the largest element that a thread accesses.
const MOST_ELEMENT_BYTES: u64 = 16;

impl UnwrittenCauses {
    fn note_empty(&mut self, to: Rows, from_host: bool, by: &Arc<Originator>) {
        self.empty_copies.insert(0, EmptyCopy { to, from_host, by: by.clone() });
        self.empty_copies.truncate(MAX_BROUGHT);
    }

    /// Returns the latest copy that brought never-written bytes to this place, which is unwritten, if a line of the file
    /// requested it.
    pub(super) fn copied_unwritten(&self, at: Address, file: &str) -> Option<Evidence> {
        let its = self.empty_copies.iter().find(|its| its.to.contains(at.0))?;
        let from = its.by.location.as_ref().filter(|from| *from.file == *file)?;
        let request = its.by.operation.function().into();
        Some(Evidence::CopiedUnwritten { request, line: from.line, from_host: its.from_host })
    }

    /// Returns the latest call that left this place, which is unwritten, without a value, if a line of the file
    /// requested it.
    pub(super) fn used_up(&self, at: Address, file: &str) -> Option<Evidence> {
        let its = self.inputs_used_up.iter().find(|its| its.bytes.contains(&at.0))?;
        let from = its.by.location.as_ref().filter(|from| *from.file == *file)?;
        Some(Evidence::InputUsedUp { request: its.by.operation.function().into(), line: from.line })
    }
}

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
                let from_host = matches!(self.place(copy.src), CopyEnd::Pinned);
                if from_host {
                    self.note_brought(copy, by, true);
                }
                let [from, to] = Rows::of(copy);
                let is_written = |src| self.machine.unwritten(Address(src), from.width).is_empty();
                if !from.starts().all(is_written) {
                    self.causes.note_empty(to, from_host, by);
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
        // What kernels stored without a value: where it is, where it is brought, and the line that it comes from.
        let mut stored: Vec<(u64, Range<u64>, Option<u32>)> = Vec::new();
        for (src, dst) in from.starts().zip(to.starts()) {
            for gap in self.machine.unwritten(Address(src), from.width) {
                first.get_or_insert(src + gap.start);
                mark(host, dst, gap)?;
            }
            for (gap, line) in self.machine.garbage(Address(src), from.width) {
                let brought = dst.saturating_add(gap.start)..dst.saturating_add(gap.end);
                match stored.last_mut() {
                    Some((_, before, its)) if *its == line => before.end = brought.end,
                    _ => stored.push((src + gap.start, brought, line)),
                }
                mark(host, dst, gap)?;
            }
        }
        let of = |place: u64| {
            let mut from = work_finding(FindingKind::Uninitialised, by, Vec::new()).at;
            from.target = buffer.target(Address(place));
            from
        };
        let without_value =
            |line: Option<u32>, all| line.map(|line| Evidence::StoredWithoutValue { line, all });
        let Some(place) = first.or(stored.first().map(|its| its.0)) else { return Ok(()) };
        let why = match stored.first() {
            Some((.., line)) => without_value(*line, first.is_none() && stored.len() == 1),
            None => {
                let offset = place - buffer.base.0;
                let used_up =
                    by.location.as_ref().and_then(|at| self.causes.used_up(Address(place), &at.file));
                used_up.or_else(|| self.end_before(buffer.base, offset..offset + 1, buffer.bytes))
            }
        };
        host.copied_unwritten(copy.dst.0..copy.dst.0.saturating_add(copy.shape.dst_span()), of(place), why);
        // Each part is told with its own line.
        if first.is_none() && (2..=MAX_LINES).contains(&stored.len()) {
            for (place, brought, line) in stored {
                host.copied_unwritten(brought, of(place), without_value(line, true));
            }
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
        if any {
            self.causes.note_empty(to, true, by);
        }
        self.note_brought(copy, by, !any);
        Ok(())
    }

    /// Records that a call leaves these inputs without defined values.
    pub(super) fn use_up(&mut self, inputs: &[Span], by: &Arc<Originator>) {
        for input in inputs {
            for offset in input.offsets() {
                self.machine.forget_written(Address(input.at.0 + offset), input.bytes);
            }
            let bytes = input.at.0..input.at.0 + input.cover().unwrap_or(0);
            self.causes.inputs_used_up.insert(0, UsedInput { bytes, by: by.clone() });
        }
        self.causes.inputs_used_up.truncate(MAX_BROUGHT);
    }

    fn note_brought(&mut self, copy: &Copy, by: &Arc<Originator>, is_whole: bool) {
        let has_gaps =
            copy.shape.height > 1 && copy.shape.depth == 1 && copy.shape.dst_pitch > copy.shape.width;
        let rows = has_gaps.then_some((copy.shape.width, copy.shape.dst_pitch));
        self.note_written((copy.dst, copy.shape.dst_span()), rows, by, is_whole);
    }

    /// Records that a memset wrote part of a buffer.
    pub(super) fn note_set(&mut self, set: &Set, by: &Arc<Originator>) {
        let row = set.row_bytes().filter(|&row| set.height > 1 && set.pitch > row);
        let rows = row.map(|row| (row, set.pitch));
        self.note_written((set.dst, set.span().unwrap_or(u64::MAX)), rows, by, true);
    }

    fn note_written(
        &mut self,
        (dst, span): (Address, u64),
        rows: Option<(u64, u64)>,
        by: &Arc<Originator>,
        is_whole: bool,
    ) {
        let Some(buffer) = self.machine.find(dst) else { return };
        let start = dst.0 - buffer.base.0;
        let bytes = start..start.saturating_add(span);
        if !is_whole || bytes.end < buffer.bytes || rows.is_some() {
            let (base, by) = (buffer.base, by.clone());
            self.causes.partial_copies.insert(0, PartialCopy { base, bytes, rows, is_whole, by });
            self.causes.partial_copies.truncate(MAX_BROUGHT);
        }
    }

    /// Returns the latest copy or memset that ended before the never-written element with these bytes of a buffer, or
    /// within it, if no other work has written between the two.
    fn end_before(&self, base: Address, element: Range<u64>, memory_bytes: u64) -> Option<Evidence> {
        self.causes.partial_copies.iter().filter(|its| its.base == base).find_map(|its| {
            let unwritten = |bytes: Range<u64>| {
                self.machine.unwritten(Address(its.base.0 + bytes.start), bytes.end - bytes.start)
            };
            let is_written_since = unwritten(element.start..element.start + 1).is_empty();
            // The copy may have ended within the element. If the element has been written since it was read, as by
            // `+=`, that is not known any more.
            let around = unwritten(element.start..element.start + MOST_ELEMENT_BYTES);
            let missing = match around.first() {
                _ if is_written_since => element.end - 1,
                Some(gap) => element.start + gap.start,
                None => element.start,
            };
            let reaches = |end: u64| {
                let gap = missing.checked_sub(end).map(|bytes| bytes + 1);
                gap.is_some_and(|gap| is_written_since || unwritten(end..end + gap).iter().eq([&(0..gap)]))
            };
            let (request, line) = (its.by.operation.function().into(), its.by.location.as_ref()?.line);
            match its.rows {
                Some((row, pitch)) if (its.bytes.start..its.bytes.end - row + pitch).contains(&missing) => {
                    let start = missing - (missing - its.bytes.start) % pitch;
                    let evidence = Evidence::CopyEndsRows { request, line, written_bytes: row };
                    reaches(start + row).then_some(evidence)
                }
                _ => (its.bytes.start == 0 && reaches(its.bytes.end)).then_some(Evidence::CopyEnds {
                    request,
                    line,
                    written_bytes: its.bytes.end,
                    memory_bytes,
                }),
            }
        })
    }

    /// Adds to a finding about a kernel's read of never-written memory which copy brought it, or ended before
    /// it; `touched`: what the kernel has touched.
    pub(super) fn name_source(&self, finding: &mut Finding, touched: &[TouchedBuffer]) {
        let (FindingKind::Uninitialised, Target::Buffer { offset_bytes, size_bytes, .. }) =
            (finding.kind, &finding.at.target)
        else {
            return;
        };
        let Some(base) = self.buffer_of(&finding.at, touched) else { return };
        let offset = *offset_bytes as u64;
        let file = finding.at.location.as_ref().map(|at| &*at.file);
        if let Some(why) = file.and_then(|file| self.causes.used_up(Address(base.0 + offset), file)) {
            finding.evidence.push(why);
            return;
        }
        let mut of_buffer = self.causes.partial_copies.iter().filter(|its| its.base == base);
        let Some(last) = of_buffer.find(|its| !its.is_whole && its.bytes.contains(&offset)) else {
            let element = offset..offset + u64::from(finding.at.bytes.max(1));
            let why = self.end_before(base, element, *size_bytes);
            finding.evidence.extend(why);
            return;
        };
        let mut other = work_finding(finding.kind, &last.by, Vec::new()).at;
        other.kind = AccessKind::Write;
        other.target = finding.at.target.clone();
        finding.other = Some(other);
    }

    /// Returns the address of the buffer that a kernel accesses; `None` if it has touched several that are called so.
    fn buffer_of(&self, access: &Access, touched: &[TouchedBuffer]) -> Option<Address> {
        if let Some(its) = &access.parameter {
            return Some(Address(its.base));
        }
        let name = access.target.name()?;
        let is_called_so = |base| self.machine.find(base).is_some_and(|its| *its.name == *name);
        let mut bases = touched.iter().map(|its| its.base).filter(|base| is_called_so(*base));
        bases.next().filter(|_| bases.next().is_none())
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
