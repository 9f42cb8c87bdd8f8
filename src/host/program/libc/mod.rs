//! The C library that programs call: one row for each function, in one file for each family.
//!
//! A row is written with `c_functions!`:
//!
//! ```text
//! c_functions! {
//!     /// Bytes of a text before its zero.
//!     fn strlen(c, text: u64) -> u64 {
//!         Ok(c.text(text)?.len() as u64)
//!     }
//! }
//! ```
//!
//! One body may have several names, `fn strcmp, strcoll(c, …) { … }`. A row without a result type returns what its
//! body has set as the result, or zero.
//!
//! Rows have access to all of the program's memory, to its input and output, and to its clock, but to nothing
//! else of this machine: files are kept in memory, and there are no environment variables and no other processes.

mod absent;
mod byte_source;
mod files;
mod input;
mod memory;
mod numbers;
mod output;
mod process;
mod random;
mod scan;
mod standard_input;
mod text;
mod time;

use sim::{
    AccessKind, Call, Distance, Evidence, Fault, FaultKind, Finding, FindingKind, HostBlockName, HostThread,
    MemoryName, Stop, Target, Use, is_host_pageable, mark_at,
};
use std::collections::HashMap;
use std::ops::{Range, RangeFrom};
use std::sync::{Arc, OnceLock};

pub use files::{ReadableFiles, WrittenFile};
pub use output::{Channel, Output, Sink};
pub use standard_input::{Input, waits_for_input};
pub use time::{START_TIME_S, clock_ticks};

/// The environment of a program that calls the library.
///
/// # Errors
///
/// Every method returns why the program stops, if it can't go on.
pub trait World {
    /// Reads memory that is not pageable: pinned, managed, or not accessible to the host.
    fn load(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop>;

    /// Writes memory that is not pageable.
    fn store(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop>;

    /// Records that bytes at an address are printed or affect the program's behaviour; those that were never
    /// written are reported. `place` is an address and a size in bytes.
    fn check_initialised(&mut self, _: &mut HostThread<'_>, _place: (u64, u64), _: Use) {}

    /// Returns the name and the size in bytes of the local array that the running function is given as an argument;
    /// `None` if that is not certain.
    fn local_array(&self, _: &HostThread<'_>, _argument: usize) -> Option<(Arc<str>, u64)> {
        None
    }

    /// As [`sim::Environment::unwritten`].
    fn unwritten(&mut self, _: &mut HostThread<'_>, _address: u64, _bytes: u64) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// Learns that the block of heap memory that begins at an address is about to be freed.
    fn frees(&mut self, thread: &HostThread<'_>, address: u64) {
        let _ = (thread, address);
    }

    /// Takes a defect after which the program continues.
    fn finds(&mut self, _: Finding) {}

    /// Counts bytes that the program writes to a file, as if they were printed.
    fn count_output(&mut self, bytes: u64) -> Result<(), Stop>;

    /// Takes what the program prints.
    fn print(&mut self, channel: Channel, bytes: &[u8]) -> Result<(), Stop>;

    /// Returns the nanoseconds since the program's start, on the only clock that it can read.
    fn now_ns(&mut self) -> u64;

    /// Advances that clock.
    fn sleep_ns(&mut self, ns: u64);
}

/// The library's state for one program.
#[derive(Debug, Default)]
pub struct Library {
    input: standard_input::StandardInput,
    files: files::Files,
    random: random::Random,
    /// Address at which `strtok` continues.
    token: u64,
    /// Number of `try` blocks that are being executed.
    tries: u32,
    /// Functions registered with `atexit`, in that order.
    at_exit: Vec<u64>,
    /// Heap blocks of the library itself, by purpose.
    blocks: HashMap<&'static str, u64>,
}

impl Library {
    /// Creates the state of a program with this standard input, which may read these files.
    pub fn new(input: Input, readable: ReadableFiles) -> Library {
        Library {
            input: standard_input::StandardInput::new(input),
            files: files::Files::new(readable),
            ..Library::default()
        }
    }

    /// Removes and returns the files that the program leaves.
    pub fn take_files(&mut self) -> Vec<WrittenFile> {
        self.files.take_written()
    }

    /// Removes and returns the functions to call at the program's end, in the order of the calls.
    pub fn take_exit_functions(&mut self) -> Vec<u64> {
        self.at_exit.drain(..).rev().collect()
    }
}

/// A function of the library.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub run: fn(&mut Context<'_, '_, '_>) -> Result<(), Stop>,
}

macro_rules! c_functions {
    ($($(#[doc = $doc:literal])+
     fn $name:ident $(, $other:ident)*($c:ident $(, $argument:ident: $type:ty)*) $(-> $reply:ty)? $body:block)*) => {
        $($(#[doc = $doc])+
        #[allow(non_snake_case)]
        fn $name(
            $c: &mut $crate::program::libc::Context<'_, '_, '_>,
            $($argument: $type),*
        ) -> Result<c_functions!(@reply $($reply)?), sim::Stop> $body)*

        /// Rows, by the first name of each function.
        #[allow(non_upper_case_globals)]
        mod first {
            $(pub(super) const $name: $crate::program::libc::Row = $crate::program::libc::Row {
                name: stringify!($name),
                run: |c| {
                    let mut _numbers = 0..;
                    $(let $argument = <$type as $crate::program::libc::Argument>::of(c.call, &mut _numbers);)*
                    let reply = super::$name(c $(, $argument)*)?;
                    $crate::program::libc::Reply::set(reply, c.thread);
                    Ok(())
                },
            };)*
        }

        /// The rows of this file.
        pub(super) const ROWS: &[$crate::program::libc::Row] = &[$(
            first::$name,
            $($crate::program::libc::Row { name: stringify!($other), ..first::$name },)*
        )*];
    };
    (@reply) => { () };
    (@reply $reply:ty) => { $reply };
}
use c_functions;

/// A type that an argument of a function has.
trait Argument {
    /// Returns the argument with the next of the numbers.
    fn of(call: &Call<'_>, numbers: &mut RangeFrom<usize>) -> Self;
}

/// A type that the result of a function has.
trait Reply {
    fn set(self, thread: &mut HostThread<'_>);
}

impl Reply for () {
    fn set(self, _: &mut HostThread<'_>) {}
}

macro_rules! numbers {
    ($($type:ident),*) => { $(
        impl Argument for $type {
            fn of(call: &Call<'_>, numbers: &mut RangeFrom<usize>) -> $type {
                call.$type(numbers.next().unwrap_or_default())
            }
        }
        impl Reply for $type {
            fn set(self, thread: &mut HostThread<'_>) { thread.set_result_bytes(&self.to_le_bytes()); }
        }
    )* };
}
numbers!(i32, u32, i64, u64, f32, f64);

const FAMILIES: [&[Row]; 9] = [
    absent::ROWS,
    input::ROWS,
    memory::ROWS,
    numbers::ROWS,
    output::ROWS,
    process::ROWS,
    random::ROWS,
    text::ROWS,
    time::ROWS,
];

/// Returns all functions.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.into_iter().flatten()
}

/// Returns the row of a function by its name in the PTX.
pub fn row(name: &str) -> Option<&'static Row> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    BY_NAME.get_or_init(|| rows().map(|row| (row.name, row)).collect()).get(name).copied()
}

/// Most bytes of one C string; a longer one is cut there.
const MAX_TEXT: usize = 64 << 20;

/// A call in progress: its arguments, and everything that it may use.
pub struct Context<'a, 'c, 'm> {
    pub library: &'a mut Library,
    pub world: &'a mut dyn World,
    pub thread: &'a mut HostThread<'m>,
    pub call: &'a Call<'c>,
}

impl Context<'_, '_, '_> {
    /// Copies the program's memory out.
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        if out.is_empty() {
            return Ok(());
        }
        self.thread.charge_bytes(out.len() as u64);
        self.check_local_array(address, out.len() as u64, AccessKind::Read)?;
        match self.thread.memory().read(address, out) {
            Ok(()) => Ok(()),
            Err(Fault { kind: FaultKind::Elsewhere, .. }) => self.world.load(self.thread, address, out),
            Err(fault) => Err(self.thread.fault(fault, AccessKind::Read)),
        }
    }

    /// Returns bytes of the program's memory. The size comes from the program, so the buffer grows only as
    /// far as the memory proves to exist.
    fn bytes(&mut self, address: u64, bytes: u64) -> Result<Vec<u8>, Stop> {
        const PIECE: u64 = 1 << 20;
        let mut out = Vec::new();
        let mut done = 0;
        while done < bytes {
            let piece = PIECE.min(bytes - done);
            out.resize((done + piece) as usize, 0);
            let at = address.wrapping_add(done);
            self.read(at, &mut out[done as usize..])?;
            done += piece;
        }
        Ok(out)
    }

    /// Prepares bytes that were read in order to print them: restores what was stored, and reports bytes that
    /// were never written.
    fn print_value(&mut self, address: u64, out: &mut [u8]) {
        self.world.check_initialised(self.thread, (address, out.len() as u64), Use::Printed);
        self.thread.restore(address, out);
    }

    /// Copies into the program's memory.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.thread.charge_bytes(bytes.len() as u64);
        self.check_local_array(address, bytes.len() as u64, AccessKind::Write)?;
        match self.thread.memory_mut().write(address, bytes) {
            Ok(()) => Ok(()),
            Err(Fault { kind: FaultKind::Elsewhere, .. }) => self.world.store(self.thread, address, bytes),
            Err(fault) => Err(self.thread.fault(fault, AccessKind::Write)),
        }
    }

    /// Checks that an access which begins in a local array that is an argument of this call does not pass its end: the
    /// stack goes on there.
    ///
    /// # Errors
    ///
    /// The access passes the end.
    fn check_local_array(&self, address: u64, bytes: u64, kind: AccessKind) -> Result<(), Stop> {
        // Where the compiler packs the arguments of `printf`, argument 1 is none that the source has there.
        let count = if self.call.name == "vprintf" { 1 } else { self.call.arguments() };
        (0..count).filter(|&n| self.call.bytes(n).len() == 8).try_for_each(|argument| {
            self.check_array_of((argument, self.call.u64(argument)), (address, bytes), kind)
        })
    }

    /// The same for one argument of the source, by its number and where it leads.
    ///
    /// # Errors
    ///
    /// The access passes the end.
    fn check_array_of(
        &self,
        (argument, start): (usize, u64),
        (address, bytes): (u64, u64),
        kind: AccessKind,
    ) -> Result<(), Stop> {
        let Some(offset) = address.checked_sub(start) else { return Ok(()) };
        if !self.thread.memory().is_on_stack(address, u64::MAX) {
            return Ok(());
        }
        match self.world.local_array(self.thread, argument) {
            Some(array) if offset < array.1 && bytes > array.1 - offset => {
                Err(self.past_array(array, (offset, bytes), kind))
            }
            _ => Ok(()),
        }
    }

    /// Returns the stop for an access that begins at an offset in a local array, given by name and size, and passes its
    /// end.
    fn past_array(
        &self,
        (name, size_bytes): (Arc<str>, u64),
        (offset, bytes): (u64, u64),
        kind: AccessKind,
    ) -> Stop {
        let named = MemoryName::Named(name.clone());
        let target = Target::Buffer { name: named, size_bytes, offset_bytes: offset as i64 };
        let block = HostBlockName::Named { name, bytes: size_bytes };
        let evidence = vec![Evidence::Distance { block, at: Distance::Inside }];
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.thread.finding(FindingKind::HostOutOfBounds, kind, bytes, target, evidence)
    }

    /// Marks memory as never written.
    fn forget(&mut self, address: u64, bytes: u64) {
        let marks: Vec<u8> = (0..bytes).map(|n| mark_at(address.wrapping_add(n))).collect();
        // The memory has just been read, so it exists; memory that is not pageable has no marks.
        let _ = self.thread.memory_mut().write(address, &marks);
    }

    /// Marks what was copied to pageable memory as never written where other memory that it comes from was not.
    fn carry_unwritten(&mut self, to: u64, from: u64, bytes: u64) {
        if is_host_pageable(to) && !is_host_pageable(from) {
            for gap in self.world.unwritten(self.thread, from, bytes) {
                self.forget(to.wrapping_add(gap.start), gap.end - gap.start);
            }
        }
    }

    fn read_u64(&mut self, address: u64) -> Result<u64, Stop> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn write_u64(&mut self, address: u64, value: u64) -> Result<(), Stop> {
        self.write(address, &value.to_le_bytes())
    }

    /// Returns the bytes of a C string before its zero, at most `most` of them.
    fn text_of(&mut self, address: u64, most: usize) -> Result<Vec<u8>, Stop> {
        if most == 0 {
            return Ok(Vec::new());
        }
        match self.thread.memory().c_string(address, most) {
            Ok(text) => {
                let zero = u64::from(text.len() < most);
                self.check_local_array(address, text.len() as u64 + zero, AccessKind::Read)?;
                self.world.check_initialised(self.thread, (address, text.len() as u64), Use::Text);
                Ok(text)
            }
            Err(Fault { kind: FaultKind::Elsewhere, .. }) => {
                let mut out = Vec::new();
                let mut byte = [0];
                while out.len() < most {
                    self.read(address.wrapping_add(out.len() as u64), &mut byte)?;
                    if byte[0] == 0 {
                        break;
                    }
                    out.push(byte[0]);
                }
                Ok(out)
            }
            Err(fault) => Err(self.thread.fault(fault, AccessKind::Read)),
        }
    }

    /// Returns the bytes of a C string.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Stop> {
        self.text_of(address, MAX_TEXT)
    }

    /// Writes a C string with its terminating zero.
    fn write_text(&mut self, address: u64, text: &[u8]) -> Result<(), Stop> {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.write(address, &bytes)
    }

    /// Returns the address of a copy of a text in a new block of the heap.
    fn duplicate(&mut self, text: &[u8]) -> Result<u64, Stop> {
        let address = self.allocate(text.len() as u64 + 1, 16)?;
        self.write_text(address, text)?;
        Ok(address)
    }

    /// Returns the stop for an access through a null pointer.
    fn null(&self, kind: AccessKind) -> Stop {
        self.thread.fault(Fault { kind: FaultKind::Null, address: 0, bytes: 1 }, kind)
    }

    /// Returns the address of a heap block of the library itself, which is allocated and zeroed on first use.
    fn block(&mut self, name: &'static str, bytes: u64) -> Result<u64, Stop> {
        if let Some(&address) = self.library.blocks.get(name) {
            return Ok(address);
        }
        let address = self.allocate(bytes, 16)?;
        self.write(address, &vec![0; bytes as usize])?;
        self.library.blocks.insert(name, address);
        Ok(address)
    }

    fn allocate(&mut self, bytes: u64, align: u64) -> Result<u64, Stop> {
        let made = self.thread.memory_mut().allocate(bytes, align);
        made.map_err(|fault| self.thread.fault(fault, AccessKind::Write))
    }

    /// As [`Context::allocate`]; `None` if memory is at its limit.
    fn try_allocate(&mut self, bytes: u64, align: u64) -> Result<Option<u64>, Stop> {
        match self.thread.memory_mut().allocate(bytes, align) {
            Ok(address) => Ok(Some(address)),
            Err(Fault { kind: FaultKind::Limit(_), .. }) => Ok(None),
            Err(fault) => Err(self.thread.fault(fault, AccessKind::Write)),
        }
    }

    fn set_errno(&mut self, number: i32) -> Result<(), Stop> {
        let address = self.block("errno", 4)?;
        self.write(address, &number.to_le_bytes())
    }

    /// Sets `errno`, and returns what a function returns that has failed.
    fn failed<T>(&mut self, errno: i32, reply: T) -> Result<T, Stop> {
        self.set_errno(errno)?;
        Ok(reply)
    }

    /// Returns the stop for something that this tool does not support, at the current line.
    fn unsupported(&self, what: impl Into<String>) -> Stop {
        Stop::Unsupported { what: what.into(), line: self.thread.location() }
    }
}
