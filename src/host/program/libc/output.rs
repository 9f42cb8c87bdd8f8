//! Output of a program.

use super::{Context, MAX_TEXT, c_functions};
use serde::{Deserialize, Serialize};
use sim::{AccessKind, HostPart, LOCAL_WINDOW, RunLimit, Stop, Use, format_printf, host_part};

/// The stream that output goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Channel {
    Stdout,
    Stderr,
}

/// Receives what a program prints.
pub trait Sink {
    fn write(&mut self, channel: Channel, bytes: &[u8]);
}

impl Sink for std::io::Sink {
    fn write(&mut self, _: Channel, _: &[u8]) {}
}

/// A sink with a limit on the bytes printed.
pub struct Output<'a> {
    sink: &'a mut dyn Sink,
    limit: u64,
    printed: u64,
}

impl<'a> Output<'a> {
    /// Creates an output with a limit in bytes, on both channels together.
    pub fn new(sink: &'a mut dyn Sink, limit: u64) -> Output<'a> {
        Output { sink, limit, printed: 0 }
    }

    /// Forwards bytes up to the limit.
    ///
    /// # Errors
    ///
    /// The limit is exceeded, which stops the program.
    pub fn print(&mut self, channel: Channel, bytes: &[u8]) -> Result<(), Stop> {
        let room = self.limit.saturating_sub(self.printed).min(bytes.len() as u64);
        let passed = bytes.get(..room as usize).unwrap_or_default();
        if !passed.is_empty() {
            self.sink.write(channel, passed);
        }
        self.count(bytes.len() as u64, false)
    }

    /// Counts bytes that the program prints, or writes to a file, towards the limit.
    ///
    /// # Errors
    ///
    /// The limit is exceeded, which stops the program.
    pub fn count(&mut self, bytes: u64, to_file: bool) -> Result<(), Stop> {
        let room = self.limit.saturating_sub(self.printed).min(bytes);
        self.printed += room;
        if room < bytes {
            return Err(Stop::Limit(RunLimit::Output { most_bytes: self.limit, to_file }.into()));
        }
        Ok(())
    }
}

c_functions! {
    /// `printf`, with its arguments packed in memory by the compiler; and `vprintf`.
    fn vprintf(c) -> u32 {
        let text = formatted(c, 0, Packed::list(c.call.u64(1)))?;
        print(c, Channel::Stdout, &text)
    }

    /// Prints formatted text to a stream.
    fn fprintf(c, stream: u64) -> i32 {
        let text = formatted(c, 1, Packed::Here(c.call.bytes(2)))?;
        text_to_stream(c, stream, &text)
    }

    /// Prints formatted text to a stream, with a `va_list`.
    fn vfprintf(c, stream: u64) -> i32 {
        let text = formatted(c, 1, Packed::list(c.call.u64(2)))?;
        text_to_stream(c, stream, &text)
    }

    /// Writes formatted text to memory.
    fn sprintf(c, to: u64) -> u32 {
        let text = formatted(c, 1, Packed::Here(c.call.bytes(2)))?;
        to_memory(c, &text, to, u64::MAX)
    }

    /// Writes formatted text to memory, with a `va_list`.
    fn vsprintf(c, to: u64) -> u32 {
        let text = formatted(c, 1, Packed::list(c.call.u64(2)))?;
        to_memory(c, &text, to, u64::MAX)
    }

    /// Writes formatted text to memory of a given size.
    fn snprintf(c, to: u64, room: u64) -> u32 {
        let text = formatted(c, 2, Packed::Here(c.call.bytes(3)))?;
        to_memory(c, &text, to, room)
    }

    /// Writes formatted text to memory of a given size, with a `va_list`.
    fn vsnprintf(c, to: u64, room: u64) -> u32 {
        let text = formatted(c, 2, Packed::list(c.call.u64(3)))?;
        to_memory(c, &text, to, room)
    }

    /// Writes formatted text to a new block of the heap.
    fn asprintf(c, to: u64) -> u32 {
        let text = formatted(c, 1, Packed::Here(c.call.bytes(2)))?;
        to_new_memory(c, &text, to)
    }

    /// The same, with a `va_list`.
    fn vasprintf(c, to: u64) -> u32 {
        let text = formatted(c, 1, Packed::list(c.call.u64(2)))?;
        to_new_memory(c, &text, to)
    }

    /// Prints formatted text to a descriptor.
    fn dprintf(c, descriptor: i32) -> u32 {
        let channel = channel_of(c, descriptor)?;
        let text = formatted(c, 1, Packed::Here(c.call.bytes(2)))?;
        print(c, channel, &text)
    }

    /// Prints bytes to a descriptor.
    fn write(c, descriptor: i32, from: u64, count: u64) -> u64 {
        let channel = channel_of(c, descriptor)?;
        let bytes = c.bytes(from, count)?;
        c.world.check_initialised(c.thread, (from, count), Use::Printed);
        c.world.print(channel, &bytes)?;
        Ok(count)
    }

    /// Returns the number at an address, which a C++ stream is about to print.
    fn __gpulearn_printed(c, address: u64, bytes: u64) -> u64 {
        let bytes = bytes.min(8) as usize;
        let mut value = [0; 8];
        c.read(address, &mut value[..bytes])?;
        c.print_value(address, &mut value[..bytes]);
        c.forget(address, bytes as u64);
        Ok(u64::from_le_bytes(value))
    }

    /// Prints a line to standard output.
    fn puts(c, text: u64) -> u32 {
        let mut text = c.text(text)?;
        text.push(b'\n');
        print(c, Channel::Stdout, &text)
    }

    /// Prints a character to standard output.
    fn putchar, putchar_unlocked(c, character: i32) -> i32 {
        let byte = character as u8;
        print(c, Channel::Stdout, &[byte])?;
        Ok(byte.into())
    }

    /// Prints a string to a stream.
    fn fputs(c, text: u64, stream: u64) -> i32 {
        let text = c.text(text)?;
        text_to_stream(c, stream, &text)
    }

    /// Prints a character to a stream.
    fn fputc, putc, putc_unlocked(c, character: i32, stream: u64) -> i32 {
        let byte = character as u8;
        Ok(if to_stream(c, stream, &[byte])? { byte.into() } else { -1 })
    }

    /// Writes elements to a stream and returns their number.
    fn fwrite(c, from: u64, size: u64, count: u64, stream: u64) -> u64 {
        let bytes = c.bytes(from, size.saturating_mul(count))?;
        c.world.check_initialised(c.thread, (from, bytes.len() as u64), Use::Printed);
        let written = to_stream(c, stream, &bytes)? && size != 0;
        Ok(if written { count } else { 0 })
    }

    /// Does nothing: output is never buffered.
    fn fflush, setvbuf, setbuf(_c) {
        Ok(())
    }

    /// Prints a string and the meaning of `errno` to standard error.
    fn perror(c, text: u64) {
        let mut text = if text == 0 { Vec::new() } else { c.text(text)? };
        if !text.is_empty() {
            text.extend_from_slice(b": ");
        }
        let mut number = [0; 4];
        let errno = c.block("errno", 4)?;
        c.read(errno, &mut number)?;
        text.extend_from_slice(super::process::error_text(i32::from_le_bytes(number)).as_bytes());
        text.push(b'\n');
        c.world.print(Channel::Stderr, &text)
    }
}

/// The arguments of a format, each aligned to its size of 4 or 8 bytes.
#[derive(Clone, Copy)]
pub(super) enum Packed<'a> {
    /// Bytes passed in the call.
    Here(&'a [u8]),
    /// Address in the program's memory, where the compiler has packed them for this call.
    At(u64),
    /// The same, where they are those of a function of the program, which may read them again.
    Of(u64),
}

impl Packed<'_> {
    /// Returns what a `va_list` stands for: one that `va_start` made is an address in the local space.
    pub(super) fn list(address: u64) -> Self {
        let generic = address.wrapping_add(LOCAL_WINDOW);
        match host_part(generic) {
            Some(HostPart::Stack) => Packed::Of(generic),
            _ => Packed::At(address),
        }
    }

    /// Returns the first bytes of the arguments, all of those passed in the call.
    pub(super) fn bytes(self, c: &mut Context<'_, '_, '_>, count: u64) -> Result<Vec<u8>, Stop> {
        match self {
            Packed::Here(all) => Ok(all.to_vec()),
            Packed::At(address) | Packed::Of(address) => c.bytes(address, count),
        }
    }
}

/// Instructions charged against the instruction limit for each character of formatted text.
const CHARACTER_INSTRUCTIONS: u64 = 20;

/// Formats the arguments by the format that is argument `n`. Packed arguments in memory are marked as
/// unwritten afterwards: the compiler packs those of the next call into the same memory, but skips those that
/// have no value.
fn formatted(c: &mut Context<'_, '_, '_>, n: usize, packed: Packed<'_>) -> Result<Vec<u8>, Stop> {
    let format = c.text(c.call.u64(n))?;
    if let Some(what) = lacking_conversion(&format) {
        return Err(c.unsupported(what));
    }
    let mut stop = None;
    let mut offset = 0u64;
    let given = match packed {
        Packed::Here(&[]) | Packed::At(0) => 0,
        _ => c.thread.values_for_format().unwrap_or(usize::MAX),
    };
    // The number of the argument in the source that was read last.
    let number = std::cell::Cell::new(n);
    let c = std::cell::RefCell::new(c);
    let stopped = std::cell::RefCell::new(&mut stop);
    let mut argument = |bytes: usize| {
        number.set(number.get() + 1);
        let mut value = [0; 8];
        if number.get() - n > given {
            return 0;
        }
        // Values are aligned as they lie in memory: a list that `va_arg` has read from begins anywhere.
        let start = match packed {
            Packed::Here(_) => 0,
            Packed::At(address) | Packed::Of(address) => address % 8,
        };
        offset = (start + offset).next_multiple_of(bytes as u64) - start;
        match packed {
            Packed::Here(all) => {
                let found = usize::try_from(offset).ok().and_then(|at| all.get(at..at.checked_add(bytes)?));
                value[..bytes].copy_from_slice(found.unwrap_or(&[0; 8][..bytes]));
            }
            Packed::At(address) | Packed::Of(address) => {
                let mut stopped = stopped.borrow_mut();
                if stopped.is_none()
                    && let Err(why) = c.borrow_mut().read(address.wrapping_add(offset), &mut value[..bytes])
                {
                    **stopped = Some(why);
                }
                c.borrow_mut().print_value(address.wrapping_add(offset), &mut value[..bytes]);
            }
        }
        offset += bytes as u64;
        u64::from_le_bytes(value)
    };
    let mut text = |address: u64, most: usize| {
        let mut stopped = stopped.borrow_mut();
        if stopped.is_some() {
            return Vec::new();
        }
        let most = most.min(MAX_TEXT);
        let mut c = c.borrow_mut();
        let text = c.text_of(address, most).and_then(|text| {
            let read = text.len() as u64 + u64::from(text.len() < most);
            c.check_array_of((number.get(), address), (address, read), AccessKind::Read)?;
            Ok(text)
        });
        text.unwrap_or_else(|why| {
            **stopped = Some(why);
            Vec::new()
        })
    };
    let made = format_printf(&format, &mut argument, &mut text);
    let c = c.into_inner();
    c.thread.charge(made.len() as u64 * CHARACTER_INSTRUCTIONS);
    if let Packed::At(address) = packed {
        c.forget(address, offset);
    }
    let wanted = number.get() - n;
    match stop {
        Some(why) => Err(why),
        None if wanted > given => Err(c.thread.too_few_values(wanted, given)),
        None => Ok(made),
    }
}

/// Returns what a format asks for that is not there: it would be printed as it is written.
fn lacking_conversion(format: &[u8]) -> Option<&'static str> {
    let is_part = |byte: &u8| b"-+#0123456789.*hlqjzt'$".contains(byte);
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        rest = &rest[at + 1..];
        let parts = rest.iter().take_while(|byte| is_part(byte)).count();
        let (parts, conversion) = rest.split_at(parts);
        match conversion.first() {
            Some(b'n') => return Some("%n in a format"),
            Some(b'm') if parts.is_empty() => return Some("%m in a format"),
            Some(_) if parts.contains(&b'$') => return Some("arguments by their number (%1$d) in a format"),
            Some(b'd' | b'i' | b'u' | b'f' | b'g') if parts.contains(&b'\'') => {
                return Some("grouped digits (%'d) in a format");
            }
            _ => {}
        }
        rest = conversion.get(1..).unwrap_or_default();
    }
    None
}

/// Prints a text and returns its length.
fn print(c: &mut Context<'_, '_, '_>, channel: Channel, text: &[u8]) -> Result<u32, Stop> {
    c.world.print(channel, text)?;
    Ok(text.len() as u32)
}

/// Prints to a stream: one of the numbers in `stdio.h`, or a file's. Returns whether it could.
fn to_stream(c: &mut Context<'_, '_, '_>, stream: u64, text: &[u8]) -> Result<bool, Stop> {
    match stream {
        0 => return Err(c.null(AccessKind::Write)),
        2 => c.world.print(Channel::Stdout, text)?,
        3 => c.world.print(Channel::Stderr, text)?,
        file if c.library.files.write(file, text) => c.world.count_output(text.len() as u64)?,
        // Standard input, a file that is not open for writing, or no stream at all.
        _ => return c.failed(super::process::EBADF, false),
    }
    Ok(true)
}

/// As [`to_stream`]; returns the text's length, or -1.
fn text_to_stream(c: &mut Context<'_, '_, '_>, stream: u64, text: &[u8]) -> Result<i32, Stop> {
    Ok(if to_stream(c, stream, text)? { text.len() as i32 } else { -1 })
}

/// Writes a text with its terminating zero to memory, as far as it fits; returns the whole length.
fn to_memory(c: &mut Context<'_, '_, '_>, text: &[u8], to: u64, room: u64) -> Result<u32, Stop> {
    if let Some(most) = room.checked_sub(1) {
        let fits = usize::try_from(most).unwrap_or(usize::MAX).min(text.len());
        c.write_text(to, &text[..fits])?;
    }
    Ok(text.len() as u32)
}

/// Writes a text to a new block of the heap, whose address goes to memory; returns the length.
fn to_new_memory(c: &mut Context<'_, '_, '_>, text: &[u8], to: u64) -> Result<u32, Stop> {
    let address = c.duplicate(text)?;
    c.write_u64(to, address)?;
    Ok(text.len() as u32)
}

/// Returns what a descriptor stands for.
fn channel_of(c: &Context<'_, '_, '_>, descriptor: i32) -> Result<Channel, Stop> {
    match descriptor {
        1 => Ok(Channel::Stdout),
        2 => Ok(Channel::Stderr),
        other => {
            let what = format!(
                "{}(): there are no descriptors but 1 and 2 to write to here, and this is {other}",
                c.call.name
            );
            Err(c.unsupported(what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_told_by_what_the_program_did() {
        struct Nowhere;
        impl Sink for Nowhere {
            fn write(&mut self, _: Channel, _: &[u8]) {}
        }
        let mut nowhere = Nowhere;
        let mut output = Output::new(&mut nowhere, 4);
        let mut told = |to_file| match output.count(3, to_file) {
            Ok(()) => None,
            Err(Stop::Limit(reached)) => Some(reached.limit),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(told(true), None);
        assert_eq!(told(true), Some(RunLimit::Output { most_bytes: 4, to_file: true }));
        assert_eq!(told(false), Some(RunLimit::Output { most_bytes: 4, to_file: false }));
    }

    #[test]
    fn what_would_be_printed_as_it_is_written_is_unsupported() {
        for format in ["%n", "a %hhn", "%d%m", "%2$s", "%'d", "%%%n"] {
            assert!(lacking_conversion(format.as_bytes()).is_some(), "{format}");
        }
        for format in ["", "%", "100%", "%%n", "%5.2f %-8s|%*d %.*s", "50 % more", "%lu%%", "%'s", "%p"] {
            assert_eq!(lacking_conversion(format.as_bytes()), None, "{format}");
        }
    }
}
