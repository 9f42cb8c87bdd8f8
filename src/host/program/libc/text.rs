//! Strings: `string.h` and `strings.h`.

use super::{Context, c_functions};
use sim::Stop;

c_functions! {
    /// Returns the length of a string.
    fn strlen(c, text: u64) -> u64 {
        Ok(c.text(text)?.len() as u64)
    }

    /// Returns the length of a string, at most a given number.
    fn strnlen(c, text: u64, count: u64) -> u64 {
        Ok(c.text_of(text, most(count))?.len() as u64)
    }

    /// Compares two strings, as in the "C" locale.
    fn strcmp, strcoll(c, a: u64, b: u64) -> i32 {
        compare(c, [a, b], super::MAX_TEXT, false)
    }

    /// Compares prefixes of two strings.
    fn strncmp(c, a: u64, b: u64, count: u64) -> i32 {
        compare(c, [a, b], most(count), false)
    }

    /// Compares two strings, ignoring case.
    fn strcasecmp(c, a: u64, b: u64) -> i32 {
        compare(c, [a, b], super::MAX_TEXT, true)
    }

    /// Compares prefixes of two strings, ignoring case.
    fn strncasecmp(c, a: u64, b: u64, count: u64) -> i32 {
        compare(c, [a, b], most(count), true)
    }

    /// Copies a string.
    fn strcpy(c, to: u64, from: u64) -> u64 {
        let text = c.text(from)?;
        put(c, to, 0, &text)
    }

    /// Copies a string, and returns the end of the copy.
    fn stpcpy(c, to: u64, from: u64) -> u64 {
        let text = c.text(from)?;
        Ok(put(c, to, 0, &text)?.wrapping_add(text.len() as u64))
    }

    /// Copies a string into a field: padded with zeros, and not terminated if it does not fit.
    fn strncpy(c, to: u64, from: u64, field: u64) -> u64 {
        let text = c.text_of(from, most(field))?;
        c.write(to, &text)?;
        let mut at = text.len() as u64;
        while at < field {
            let zeros = vec![0; (field - at).min(1 << 16) as usize];
            c.write(to.wrapping_add(at), &zeros)?;
            at += zeros.len() as u64;
        }
        Ok(to)
    }

    /// Appends a string to another.
    fn strcat(c, to: u64, from: u64) -> u64 {
        let text = c.text(from)?;
        let before = c.text(to)?.len() as u64;
        put(c, to, before, &text)
    }

    /// Appends a prefix of a string to another.
    fn strncat(c, to: u64, from: u64, count: u64) -> u64 {
        let text = c.text_of(from, most(count))?;
        let before = c.text(to)?.len() as u64;
        put(c, to, before, &text)
    }

    /// Returns a copy of a string on the heap.
    fn strdup(c, text: u64) -> u64 {
        let text = c.text(text)?;
        c.duplicate(&text)
    }

    /// Returns a copy of a prefix of a string on the heap.
    fn strndup(c, text: u64, count: u64) -> u64 {
        let text = c.text_of(text, most(count))?;
        c.duplicate(&text)
    }

    /// Returns the length of the prefix that has only these characters.
    fn strspn(c, text: u64, set: u64) -> u64 {
        let (text, set) = (c.text(text)?, c.text(set)?);
        Ok(text.iter().take_while(|byte| set.contains(byte)).count() as u64)
    }

    /// Returns the length of the prefix that has none of these characters.
    fn strcspn(c, text: u64, set: u64) -> u64 {
        let (text, set) = (c.text(text)?, c.text(set)?);
        Ok(text.iter().take_while(|byte| !set.contains(byte)).count() as u64)
    }

    /// Returns the address of the first occurrence of a character; the terminating zero counts.
    fn __gpulearn_strchr(c, address: u64, wanted: u32) -> u64 {
        let (text, wanted) = (c.text(address)?, wanted as u8);
        let at = if wanted == 0 { Some(text.len()) } else { text.iter().position(|&byte| byte == wanted) };
        Ok(place(address, at))
    }

    /// Returns the address of the last occurrence of a character; the terminating zero counts.
    fn __gpulearn_strrchr(c, address: u64, wanted: u32) -> u64 {
        let (text, wanted) = (c.text(address)?, wanted as u8);
        let at = if wanted == 0 { Some(text.len()) } else { text.iter().rposition(|&byte| byte == wanted) };
        Ok(place(address, at))
    }

    /// Returns the address of the first occurrence of a string in another.
    fn __gpulearn_strstr(c, text: u64, part: u64) -> u64 {
        find(c, text, part, |here, part| here == part)
    }

    /// The same, ignoring case.
    fn __gpulearn_strcasestr(c, text: u64, part: u64) -> u64 {
        find(c, text, part, <[u8]>::eq_ignore_ascii_case)
    }

    /// Returns the address of the first of any of these characters.
    fn __gpulearn_strpbrk(c, address: u64, set: u64) -> u64 {
        let (text, set) = (c.text(address)?, c.text(set)?);
        Ok(place(address, text.iter().position(|byte| set.contains(byte))))
    }

    /// Returns the next token of a string between separators.
    fn strtok(c, from: u64, separators: u64) -> u64 {
        let from = if from == 0 { c.library.token } else { from };
        let (found, next) = token(c, from, separators, true)?;
        c.library.token = next;
        Ok(found)
    }

    /// Returns the next token of a string; the position is kept in the program's memory.
    fn strtok_r(c, from: u64, separators: u64, rest: u64) -> u64 {
        let from = if from == 0 { c.read_u64(rest)? } else { from };
        let (found, next) = token(c, from, separators, true)?;
        c.write_u64(rest, next)?;
        Ok(found)
    }

    /// Returns a text up to the next separator, which may be its first character; the rest is kept in the program's memory.
    fn strsep(c, rest: u64, separators: u64) -> u64 {
        let from = c.read_u64(rest)?;
        let (found, next) = token(c, from, separators, false)?;
        c.write_u64(rest, next)?;
        Ok(found)
    }

    /// Returns the place of the lowest bit that is set, from 1 on; 0 if there is none.
    fn ffs(_c, bits: u32) -> u32 {
        Ok(place_of_bit(bits.into()))
    }

    /// The same, of 64 bits.
    fn ffsl, ffsll(_c, bits: u64) -> u32 {
        Ok(place_of_bit(bits))
    }

    /// Returns the meaning of an error number.
    fn strerror(c, number: i32) -> u64 {
        let text = super::process::error_text(number);
        // One buffer for each number, so that a text outlives a call with another number.
        const PLACES: i32 = 134;
        let place = number.clamp(0, PLACES) as u64;
        let address = c.block("strerror", 64 * (PLACES as u64 + 1))? + 64 * place;
        c.write_text(address, text.as_bytes())?;
        Ok(address)
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

fn compare(c: &mut Context<'_, '_, '_>, [a, b]: [u64; 2], most: usize, fold: bool) -> Result<i32, Stop> {
    let (mut a, mut b) = (c.text_of(a, most)?, c.text_of(b, most)?);
    if fold {
        a.make_ascii_lowercase();
        b.make_ascii_lowercase();
    }
    Ok(difference(&a, &b))
}

/// Writes a string `behind` bytes after an address, and returns that address.
fn put(c: &mut Context<'_, '_, '_>, to: u64, behind: u64, text: &[u8]) -> Result<u64, Stop> {
    c.write_text(to.wrapping_add(behind), text)?;
    Ok(to)
}

/// Returns the address at an offset, or null.
pub(super) fn place(from: u64, at: Option<usize>) -> u64 {
    at.map_or(0, |at| from.wrapping_add(at as u64))
}

/// Returns the address of the first part of a string that is equal to another.
fn find(
    c: &mut Context<'_, '_, '_>,
    address: u64,
    part: u64,
    equal: impl Fn(&[u8], &[u8]) -> bool,
) -> Result<u64, Stop> {
    let (text, part) = (c.text(address)?, c.text(part)?);
    let is_here = |at: usize| text.get(at..at + part.len()).is_some_and(|here| equal(here, &part));
    Ok(place(address, (0..=text.len()).find(|&at| is_here(at))))
}

fn place_of_bit(bits: u64) -> u32 {
    if bits == 0 { 0 } else { bits.trailing_zeros() + 1 }
}

/// Cuts a token off the text at `from` and returns its address, which is that after the separators there if those are
/// skipped; and the address at which to continue, 0 at the end.
fn token(c: &mut Context<'_, '_, '_>, from: u64, separators: u64, skips: bool) -> Result<(u64, u64), Stop> {
    if from == 0 {
        return Ok((0, 0));
    }
    let (text, separators) = (c.text(from)?, c.text(separators)?);
    let first = if skips { text.iter().position(|byte| !separators.contains(byte)) } else { Some(0) };
    let Some(start) = first else { return Ok((0, 0)) };
    let found = from.wrapping_add(start as u64);
    let Some(end) = text[start..].iter().position(|byte| separators.contains(byte)) else {
        return Ok((found, 0));
    };
    let end = found.wrapping_add(end as u64);
    c.write(end, &[0])?;
    Ok((found, end.wrapping_add(1)))
}
