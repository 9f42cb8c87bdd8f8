//! Records accesses to global memory: the bytes written, and every touched byte where that is requested.

use crate::lanes::{LANES, lanes_of};
use crate::memory::access::{Action, MemoryOp};
use crate::memory::bytes::ByteSet;
use crate::memory::global::{Buffer, Saved};
use crate::memory::shape::Shape;
use crate::memory::touch::Touched;
use std::sync::OnceLock;

/// Which accesses to global memory a host thread records byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotedAccesses {
    None,
    /// Reads and atomics of memory that the kernel may write: they decide whether host threads that share a launch were
    /// independent of each other ([`independent`](crate::memory::touch::independent)). In a kernel that works in place,
    /// the ranges from the first byte read to the last overlap although no byte is shared.
    ReadsOfWritable,
    All,
}

impl NotedAccesses {
    #[inline(always)]
    pub fn include(self, buffer: &Buffer, op: &MemoryOp) -> bool {
        match self {
            NotedAccesses::None => false,
            NotedAccesses::ReadsOfWritable => !buffer.read_only && !matches!(op.action, Action::Store),
            NotedAccesses::All => true,
        }
    }
}

/// Records which bytes the access touches.
#[inline(never)]
pub fn note_touch(
    touched: &mut Touched,
    buffer: &Buffer,
    op: &MemoryOp,
    shape: &Shape,
    offset: u64,
    mask: u32,
) {
    mark(touched_set(touched, buffer, op), shape, offset, mask);
}

/// Records that all bytes from `offset` on are touched: whole words.
pub fn note_touched_row(touched: &mut Touched, buffer: &Buffer, op: &MemoryOp, (offset, bytes): (u64, u64)) {
    touched_set(touched, buffer, op).insert_words(offset as usize / 4, bytes as usize / 4);
}

/// Returns the set of bytes that are touched by operations like this one.
fn touched_set<'t>(touched: &'t mut Touched, buffer: &Buffer, op: &MemoryOp) -> &'t mut ByteSet {
    let exact = touched.exact.get_or_insert_with(Box::default);
    let set = match op.action {
        Action::Load => &mut exact.read,
        Action::Store => &mut exact.write,
        Action::Atomic { .. } => &mut exact.atomic,
    };
    if set.has_no_room() {
        *set = ByteSet::new(buffer.words.len() as u64 * 4);
    }
    set
}

/// Whether a buffer's contents are saved before a host thread writes to it for the first time, for a second run of the launch
/// on one host thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saving {
    /// No: there won't be a second run.
    Never,
    Before,
    /// Not for this write: a second run makes it before anything reads what is written.
    NotYet,
}

/// Records which bytes of a buffer are written, if needed. Returns whether this host thread may have written any
/// of them before; `None` if no record is needed.
#[inline(always)]
pub fn note_write(
    touched: &mut Touched,
    (buffer, saved, saving): (&Buffer, &OnceLock<Saved>, Saving),
    shape: &Shape,
    offset: u64,
    mask: u32,
) -> Option<bool> {
    if let (Some([run]), None) = (shape.runs(), &touched.written)
        && shape.width.is_multiple_of(4)
        && buffer.written.is_none()
        && saving != Saving::Never
    {
        let lanes = if run.rising { u64::from(run.lanes) } else { 1 };
        let bytes = (offset.wrapping_add_signed(run.offset.into()), lanes * u64::from(shape.width));
        note_written_row(touched, (buffer, saved, saving), bytes);
        return Some(true);
    }
    written_set(touched, (buffer, saved, saving)).map(|written| mark(written, shape, offset, mask))
}

/// Records that all bytes from `offset` on are written, if needed: whole words. See [`note_write`].
pub fn note_written_row(
    touched: &mut Touched,
    (buffer, saved, saving): (&Buffer, &OnceLock<Saved>, Saving),
    (offset, bytes): (u64, u64),
) {
    if buffer.written.is_none() && saving != Saving::Never {
        save(touched, buffer, saved, saving);
        if touched.written_stretches.insert(offset..offset + bytes) {
            return;
        }
    }
    if let Some(written) = written_set(touched, (buffer, saved, saving)) {
        written.insert_words(offset as usize / 4, bytes as usize / 4);
    }
}

/// Returns the set of bytes of a buffer that are written, if it is needed.
#[inline(always)]
fn written_set<'t>(
    touched: &'t mut Touched,
    (buffer, saved, saving): (&Buffer, &OnceLock<Saved>, Saving),
) -> Option<&'t mut ByteSet> {
    if buffer.written.is_none() && saving == Saving::Never {
        return None;
    }
    save(touched, buffer, saved, saving);
    Some(touched.written.get_or_insert_with(|| ByteSet::new(buffer.words.len() as u64 * 4)))
}

/// Saves a buffer's contents before a host thread's first write to it, if needed.
#[inline(always)]
fn save(touched: &mut Touched, buffer: &Buffer, saved: &OnceLock<Saved>, saving: Saving) {
    if touched.is_written() && !touched.unsaved {
        return;
    }
    match saving {
        Saving::Before => {
            buffer.save(saved);
            touched.unsaved = false;
        }
        Saving::NotYet => touched.unsaved = true,
        Saving::Never => {}
    }
}

/// Returns whether every byte that is read was written, before the launch or by this host thread.
#[inline(never)]
pub fn all_written(before: &ByteSet, touched: &Touched, shape: &Shape, offset: u64, mask: u32) -> bool {
    let width = shape.width as u64;
    if let Some(row) = row_of_words(shape, offset)
        && before.contains_words(offset as usize / 4, row)
    {
        return true;
    }
    lanes_of(mask).all(|lane| {
        let at = offset.wrapping_add(shape.offsets[lane]);
        let since = touched.written.as_ref();
        before.contains(at, width)
            || since.is_some_and(|w| w.contains(at, width))
            || (at..at + width)
                .all(|byte| before.contains(byte, 1) || since.is_some_and(|w| w.contains(byte, 1)))
    })
}

/// If the lanes access aligned words of a row: which words, one bit each, counted from the first active lane's.
#[inline(always)]
fn row_of_words(shape: &Shape, offset: u64) -> Option<u32> {
    shape.row().filter(|_| shape.width == 4 && offset.is_multiple_of(4))
}

/// Adds the bytes of an access to a set. Returns false if none of them was in it before (true may also mean that
/// this was not checked).
#[inline(always)]
pub fn mark(written: &mut ByteSet, shape: &Shape, offset: u64, mask: u32) -> bool {
    let width = shape.width;
    if width >= 4
        && let Some(runs) = shape.runs()
    {
        let mut known = false;
        for run in runs {
            let word = (offset as i64 + run.offset as i64) as usize / 4;
            let lanes = if run.rising { run.lanes as usize } else { 1 };
            known |= written.insert_words(word, lanes * width as usize / 4);
        }
        return known;
    }
    if let Some(row) = row_of_words(shape, offset) {
        return written.insert_some_words(offset as usize / 4, row);
    }
    for lane in 0..LANES {
        if mask >> lane & 1 != 0 {
            written.insert(offset.wrapping_add(shape.offsets[lane]), width as u64);
        }
    }
    true
}
