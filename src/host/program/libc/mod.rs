//! The C library that programs call: one row a function, in files by family.
//!
//! A row is written with `c_functions!`:
//!
//! ```text
//! c_functions! {
//!     /// Bytes of a text before its zero.
//!     fn strlen(c) {
//!         let bytes = c.text(c.call.u64(0))?;
//!         c.result_u64(bytes.len() as u64);
//!         Ok(())
//!     }
//! }
//! ```
//!
//! One body may have several names, `fn strcmp, strcoll(c) { … }`.
//!
//! Rows see the program's memory, whatever kind it is, what it reads and prints and its clock, and
//! nothing else of this machine: there are no files, no environment, no other processes.

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

use sim::{AccessKind, Call, Fault, FaultKind, HostThread, Stop, Use, mark_at};
use std::collections::HashMap;
use std::sync::OnceLock;

pub use output::{Channel, Output, Sink};
pub use standard_input::{Input, waits_for_input};
pub use time::{BEGINNING_S, clock_ticks};

/// What surrounds a program that calls the library.
pub trait World {
    /// Reads memory that is not pageable: pinned, managed, or none of the host's.
    fn load(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop>;

    /// Writes memory that is not pageable.
    fn store(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop>;

    /// Bytes at an address are printed, or decide something: what nobody wrote of them is told.
    fn use_memory(&mut self, thread: &mut HostThread<'_>, place: (u64, u64), used: Use) {
        let _ = (thread, place, used);
    }

    /// Takes what the program prints.
    fn print(&mut self, channel: Channel, bytes: &[u8]) -> Result<(), Stop>;

    /// Nanoseconds since the program began, on the one clock that it can read.
    fn now_ns(&mut self) -> u64;

    /// Lets time pass on that clock.
    fn sleep_ns(&mut self, ns: u64);
}

/// What the library remembers of one program.
#[derive(Debug, Default)]
pub struct Library {
    input: standard_input::StandardInput,
    random: random::Random,
    /// Where `strtok` goes on.
    token: u64,
    /// Parts of the program in progress that have a handler of exceptions behind them.
    tries: u32,
    /// Functions for the end, in the order of `atexit`.
    at_exit: Vec<u64>,
    /// Blocks of the heap that are the library's own, by what they hold.
    blocks: HashMap<&'static str, u64>,
}

impl Library {
    /// With a standard input.
    pub fn new(input: Input) -> Library {
        Library { input: standard_input::StandardInput::new(input), ..Library::default() }
    }

    /// Functions that the program wants called at its end, in the order to call them. They are
    /// forgotten.
    pub fn take_exit_functions(&mut self) -> Vec<u64> {
        self.at_exit.drain(..).rev().collect()
    }

    /// Whether a block of the heap is the library's: no leak of the program.
    pub fn owns(&self, address: u64) -> bool {
        self.blocks.values().any(|&block| block == address)
    }
}

/// A function of the library.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub run: fn(&mut Context<'_, '_, '_>) -> Result<(), Stop>,
}

macro_rules! c_functions {
    ($($(#[doc = $doc:literal])+ fn $name:ident $(, $other:ident)*($c:ident) $body:block)*) => {
        $($(#[doc = $doc])+
        #[allow(non_snake_case)]
        fn $name($c: &mut $crate::program::libc::Context<'_, '_, '_>) -> Result<(), sim::Stop> $body)*

        /// The rows of this file.
        pub(super) const ROWS: &[$crate::program::libc::Row] = &[$(
            $crate::program::libc::Row { name: stringify!($name), run: $name },
            $($crate::program::libc::Row { name: stringify!($other), run: $name },)*
        )*];
    };
}
use c_functions;

const FAMILIES: [&[Row]; 8] = [
    input::ROWS,
    memory::ROWS,
    numbers::ROWS,
    output::ROWS,
    process::ROWS,
    random::ROWS,
    text::ROWS,
    time::ROWS,
];

/// Every function that there is.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.into_iter().flatten()
}

/// The row of a function, by its name in the PTX.
pub fn row(name: &str) -> Option<&'static Row> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    BY_NAME.get_or_init(|| rows().map(|row| (row.name, row)).collect()).get(name).copied()
}

/// More than this of one text is no text.
const MOST_TEXT: usize = 64 << 20;

/// A call in progress: its arguments, and what it may use.
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
        match self.thread.memory().read(address, out) {
            Ok(()) => Ok(()),
            Err(Fault { kind: FaultKind::Elsewhere, .. }) => self.world.load(self.thread, address, out),
            Err(fault) => Err(self.thread.fault(fault, AccessKind::Read)),
        }
    }

    /// Bytes of the program's memory. The size is the program's word: it is held to what memory
    /// there can be before anything is set aside for it.
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

    /// Bytes that were read to be printed: as they were stored, and nobody's values among them are told.
    fn print_value(&mut self, address: u64, out: &mut [u8]) {
        self.world.use_memory(self.thread, (address, out.len() as u64), Use::Printed);
        self.thread.restore(address, out);
    }

    /// Copies into the program's memory.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.thread.charge_bytes(bytes.len() as u64);
        match self.thread.memory_mut().write(address, bytes) {
            Ok(()) => Ok(()),
            Err(Fault { kind: FaultKind::Elsewhere, .. }) => self.world.store(self.thread, address, bytes),
            Err(fault) => Err(self.thread.fault(fault, AccessKind::Write)),
        }
    }

    /// Makes memory what it is where nobody has written it yet.
    fn forget(&mut self, address: u64, bytes: u64) {
        let marks: Vec<u8> = (0..bytes).map(|n| mark_at(address.wrapping_add(n))).collect();
        // What was read a moment ago is there; other memory bears no marks.
        let _ = self.thread.memory_mut().write(address, &marks);
    }

    fn write_u64(&mut self, address: u64, value: u64) -> Result<(), Stop> {
        self.write(address, &value.to_le_bytes())
    }

    /// The bytes of a C string, at most `most` of them, before its zero.
    fn text_of(&mut self, address: u64, most: usize) -> Result<Vec<u8>, Stop> {
        if most == 0 {
            return Ok(Vec::new());
        }
        match self.thread.memory().c_string(address, most) {
            Ok(text) => {
                self.world.use_memory(self.thread, (address, text.len() as u64), Use::Text);
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

    /// The bytes of a C string.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Stop> {
        self.text_of(address, MOST_TEXT)
    }

    /// Writes a C string with its zero.
    fn write_text(&mut self, address: u64, text: &[u8]) -> Result<(), Stop> {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.write(address, &bytes)
    }

    /// The stop for an access through a null pointer.
    fn null(&self, kind: AccessKind) -> Stop {
        self.thread.fault(Fault { kind: FaultKind::Null, address: 0, bytes: 1 }, kind)
    }

    /// A block of the library's own, of zeros at first.
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

    /// As [`Context::allocate`]; `None` where memory is at its limit.
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

    /// Something that the tool lacks, at the line in progress.
    fn unsupported(&self, what: impl Into<String>) -> Stop {
        Stop::Unsupported { what: what.into(), line: self.thread.location() }
    }
}
