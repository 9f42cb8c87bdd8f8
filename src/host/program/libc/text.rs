//! Strings: `string.h` and `strings.h`.

use super::{Context, c_functions};
use sim::Stop;

c_functions! {
    /// Returns the length of a string.
    fn strlen(c) {
        let text = c.text(c.call.u64(0))?;
        c.thread.set_result_u64(text.len() as u64);
        Ok(())
    }

    /// Returns the length of a string, at most a given number.
    fn strnlen(c) {
        let text = c.text_of(c.call.u64(0), most(c.call.u64(1)))?;
        c.thread.set_result_u64(text.len() as u64);
        Ok(())
    }

    /// Compares two strings, as in the "C" locale.
    fn strcmp, strcoll(c) {
        compare(c, None, false)
    }

    /// Compares prefixes of two strings.
    fn strncmp(c) {
        compare(c, Some(most(c.call.u64(2))), false)
    }

    /// Compares two strings, ignoring case.
    fn strcasecmp(c) {
        compare(c, None, true)
    }

    /// Compares prefixes of two strings, ignoring case.
    fn strncasecmp(c) {
        compare(c, Some(most(c.call.u64(2))), true)
    }

    /// Copies a string.
    fn strcpy(c) {
        let text = c.text(c.call.u64(1))?;
        put(c, 0, &text)
    }

    /// Copies a string, and returns the end of the copy.
    fn stpcpy(c) {
        let text = c.text(c.call.u64(1))?;
        put(c, 0, &text)?;
        c.thread.set_result_u64(c.call.u64(0).wrapping_add(text.len() as u64));
        Ok(())
    }

    /// Copies a string into a field: padded with zeros, and not terminated if it does not fit.
    fn strncpy(c) {
        let (to, from, field) = (c.call.u64(0), c.call.u64(1), c.call.u64(2));
        let text = c.text_of(from, most(field))?;
        c.write(to, &text)?;
        let mut at = text.len() as u64;
        while at < field {
            let zeros = vec![0; (field - at).min(1 << 16) as usize];
            c.write(to.wrapping_add(at), &zeros)?;
            at += zeros.len() as u64;
        }
        c.thread.set_result_u64(to);
        Ok(())
    }

    /// Appends a string to another.
    fn strcat(c) {
        let text = c.text(c.call.u64(1))?;
        let before = c.text(c.call.u64(0))?.len() as u64;
        put(c, before, &text)
    }

    /// Appends a prefix of a string to another.
    fn strncat(c) {
        let text = c.text_of(c.call.u64(1), most(c.call.u64(2)))?;
        let before = c.text(c.call.u64(0))?.len() as u64;
        put(c, before, &text)
    }

    /// Returns a copy of a string on the heap.
    fn strdup(c) {
        let text = c.text(c.call.u64(0))?;
        duplicate(c, &text)
    }

    /// Returns a copy of a prefix of a string on the heap.
    fn strndup(c) {
        let text = c.text_of(c.call.u64(0), most(c.call.u64(1)))?;
        duplicate(c, &text)
    }

    /// Returns the length of the prefix that has only these characters.
    fn strspn(c) {
        let (text, set) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let length = text.iter().take_while(|byte| set.contains(byte)).count();
        c.thread.set_result_u64(length as u64);
        Ok(())
    }

    /// Returns the length of the prefix that has none of these characters.
    fn strcspn(c) {
        let (text, set) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let length = text.iter().take_while(|byte| !set.contains(byte)).count();
        c.thread.set_result_u64(length as u64);
        Ok(())
    }

    /// Returns the address of the first occurrence of a character; the terminating zero counts.
    fn __gpulearn_strchr(c) {
        let (text, wanted) = (c.text(c.call.u64(0))?, c.call.u32(1) as u8);
        let at = if wanted == 0 { Some(text.len()) } else { text.iter().position(|&byte| byte == wanted) };
        place(c, at)
    }

    /// Returns the address of the last occurrence of a character; the terminating zero counts.
    fn __gpulearn_strrchr(c) {
        let (text, wanted) = (c.text(c.call.u64(0))?, c.call.u32(1) as u8);
        let at = if wanted == 0 { Some(text.len()) } else { text.iter().rposition(|&byte| byte == wanted) };
        place(c, at)
    }

    /// Returns the address of the first occurrence of a string in another.
    fn __gpulearn_strstr(c) {
        find(c, |here, part| here == part)
    }

    /// The same, ignoring case.
    fn __gpulearn_strcasestr(c) {
        find(c, <[u8]>::eq_ignore_ascii_case)
    }

    /// Returns the address of the first of any of these characters.
    fn __gpulearn_strpbrk(c) {
        let (text, set) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        place(c, text.iter().position(|byte| set.contains(byte)))
    }

    /// Returns the next token of a string between separators.
    fn strtok(c) {
        let from = c.call.u64(0);
        let from = if from == 0 { c.library.token } else { from };
        c.library.token = token(c, from, true)?;
        Ok(())
    }

    /// Returns the next token of a string; the position is kept in the program's memory.
    fn strtok_r(c) {
        let (from, rest) = (c.call.u64(0), c.call.u64(2));
        let from = if from == 0 { c.read_u64(rest)? } else { from };
        let next = token(c, from, true)?;
        c.write_u64(rest, next)
    }

    /// Returns a text up to the next separator, which may be its first character; the rest is kept in the program's memory.
    fn strsep(c) {
        let rest = c.call.u64(0);
        let from = c.read_u64(rest)?;
        let next = token(c, from, false)?;
        c.write_u64(rest, next)
    }

    /// Returns the place of the lowest bit that is set, from 1 on; 0 if there is none.
    fn ffs(c) {
        place_of_bit(c, u64::from(c.call.u32(0)))
    }

    /// The same, of 64 bits.
    fn ffsl, ffsll(c) {
        place_of_bit(c, c.call.u64(0))
    }

    /// Returns the meaning of an error number.
    fn strerror(c) {
        let text = super::process::error_text(c.call.i32(0));
        // One buffer for each number, so that a text outlives a call with another number.
        const PLACES: i32 = 134;
        let place = c.call.i32(0).clamp(0, PLACES) as u64;
        let address = c.block("strerror", 64 * (PLACES as u64 + 1))? + 64 * place;
        c.write_text(address, text.as_bytes())?;
        c.thread.set_result_u64(address);
        Ok(())
    }
}

/// Converts a count passed by the program, clamped to [`super::MAX_TEXT`].
fn most(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).min(super::MAX_TEXT)
}

/// Returns what C's comparisons return: the difference of the first bytes that differ, where the shorter text
/// has a zero.
pub(super) fn difference(a: &[u8], b: &[u8]) -> i32 {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let byte = |text: &[u8]| i32::from(text.get(at).copied().unwrap_or(0));
    byte(a) - byte(b)
}

fn compare(c: &mut Context<'_, '_, '_>, most: Option<usize>, fold: bool) -> Result<(), Stop> {
    let most = most.unwrap_or(super::MAX_TEXT);
    let mut a = c.text_of(c.call.u64(0), most)?;
    let mut b = c.text_of(c.call.u64(1), most)?;
    if fold {
        a.make_ascii_lowercase();
        b.make_ascii_lowercase();
    }
    c.thread.set_result_i32(difference(&a, &b));
    Ok(())
}

/// Writes a string `behind` bytes after the first argument, and returns that argument to the program.
fn put(c: &mut Context<'_, '_, '_>, behind: u64, text: &[u8]) -> Result<(), Stop> {
    let to = c.call.u64(0);
    c.write_text(to.wrapping_add(behind), text)?;
    c.thread.set_result_u64(to);
    Ok(())
}

fn duplicate(c: &mut Context<'_, '_, '_>, text: &[u8]) -> Result<(), Stop> {
    let address = c.allocate(text.len() as u64 + 1, 16)?;
    c.write_text(address, text)?;
    c.thread.set_result_u64(address);
    Ok(())
}

/// Returns to the program the address at an offset in the first argument, or null.
fn place(c: &mut Context<'_, '_, '_>, at: Option<usize>) -> Result<(), Stop> {
    let text = c.call.u64(0);
    c.thread.set_result_u64(at.map_or(0, |at| text.wrapping_add(at as u64)));
    Ok(())
}

/// Returns to the program the address of the first part of a string that is equal to another.
fn find(c: &mut Context<'_, '_, '_>, equal: impl Fn(&[u8], &[u8]) -> bool) -> Result<(), Stop> {
    let (text, part) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
    let is_here = |at: usize| text.get(at..at + part.len()).is_some_and(|here| equal(here, &part));
    place(c, (0..=text.len()).find(|&at| is_here(at)))
}

fn place_of_bit(c: &mut Context<'_, '_, '_>, bits: u64) -> Result<(), Stop> {
    c.thread.set_result_u32(if bits == 0 { 0 } else { bits.trailing_zeros() + 1 });
    Ok(())
}

/// Cuts a token off the text at `from` and returns it to the program; it begins after the separators there if those
/// are skipped. The result is the address at which to continue, 0 at the end.
fn token(c: &mut Context<'_, '_, '_>, from: u64, skips: bool) -> Result<u64, Stop> {
    c.thread.set_result_u64(0);
    if from == 0 {
        return Ok(0);
    }
    let (text, separators) = (c.text(from)?, c.text(c.call.u64(1))?);
    let first = if skips { text.iter().position(|byte| !separators.contains(byte)) } else { Some(0) };
    let Some(start) = first else { return Ok(0) };
    c.thread.set_result_u64(from.wrapping_add(start as u64));
    let Some(end) = text[start..].iter().position(|byte| separators.contains(byte)) else { return Ok(0) };
    let end = from.wrapping_add((start + end) as u64);
    c.write(end, &[0])?;
    Ok(end.wrapping_add(1))
}
