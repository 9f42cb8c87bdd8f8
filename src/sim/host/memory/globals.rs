//! The host's copies of a module's variables.

use super::pages::{InitialContents, Pages};
use crate::code::{AddressInit, GlobalVariable, HOST_VALUES};
use crate::memory::{FUNCTION_WINDOW, HOST_GLOBALS_WINDOW};
use std::collections::HashMap;

/// Inaccessible bytes after a variable: as many as it has, clamped to this range.
const GUARD_BYTES: (u64, u64) = (64, 4096);

/// The largest alignment of a variable, in bytes.
const MAX_ALIGN_BYTES: u64 = 4096;

/// Where a variable is, and where its initial value comes from.
#[derive(Clone, Copy, Debug)]
struct VariableAddress {
    address: u64,
    bytes: u64,
    /// Whether the host's copy may not be accessed, since kernels use a copy of their own.
    guarded: bool,
    /// The number of the variable that holds the initial value: the variable itself, or the one whose name has
    /// [`HOST_VALUES`] appended.
    values: usize,
}

#[derive(Debug, Default)]
pub struct Globals {
    /// By variable number; in pageable memory, addresses rise with the numbers.
    places: Vec<VariableAddress>,
    /// Bytes of all variables, with the inaccessible ones between them.
    pub bytes: u64,
}

impl Globals {
    /// Lays out the variables and maps their pages; `None` if that is more than `limit_bytes`, or than this
    /// machine has.
    pub fn new(pages: &mut Pages, variables: &[GlobalVariable], limit_bytes: u64) -> Option<Globals> {
        let of_host: HashMap<&str, usize> = (variables.iter().enumerate())
            .filter_map(|(number, its)| Some((its.symbol.strip_suffix(HOST_VALUES)?, number)))
            .collect();
        let mut end = GUARD_BYTES.1;
        let mut places = Vec::new();
        for (number, variable) in variables.iter().enumerate() {
            let align = variable.align.clamp(16, MAX_ALIGN_BYTES).next_power_of_two();
            let start = end.next_multiple_of(align);
            let bytes = variable.bytes;
            end = start.checked_add(bytes)?.checked_add(bytes.clamp(GUARD_BYTES.0, GUARD_BYTES.1))?;
            if end > limit_bytes.max(1 << 20) {
                return None;
            }
            let values = of_host.get(variable.symbol.as_str()).copied().unwrap_or(number);
            let address = HOST_GLOBALS_WINDOW + start;
            places.push(VariableAddress { address, bytes, guarded: false, values });
        }
        pages.map(HOST_GLOBALS_WINDOW, end, InitialContents::Zero, None)?;
        for place in &places {
            pages.open_zeroed(place.address, place.bytes);
        }
        Some(Globals { places, bytes: end })
    }

    /// Writes every variable's initial value.
    pub fn initialise(&self, pages: &mut Pages, variables: &[GlobalVariable]) {
        for place in &self.places {
            let variable = &variables[place.values];
            let bytes = &variable.init[..variable.init.len().min(place.bytes as usize)];
            if let Ok(out) = pages.slice_mut(place.address, bytes.len() as u64) {
                out.copy_from_slice(bytes);
            }
        }
        self.write_addresses(pages, variables);
    }

    /// Writes the addresses that variables initially hold.
    pub fn write_addresses(&self, pages: &mut Pages, variables: &[GlobalVariable]) {
        for place in &self.places {
            for &(at, init) in &variables[place.values].addresses {
                let value = match init {
                    AddressInit::Variable { variable, offset } => {
                        self.address_of(variable).unwrap_or(0).wrapping_add(offset as u64)
                    }
                    AddressInit::Function(function) => FUNCTION_WINDOW + function as u64,
                };
                if let Ok(out) = pages.slice_mut(place.address.wrapping_add(at), 8) {
                    out.copy_from_slice(&value.to_le_bytes());
                }
            }
        }
    }

    pub fn address_of(&self, number: u32) -> Option<u64> {
        self.places.get(number as usize).map(|p| p.address)
    }

    /// Moves a variable to an address in managed memory.
    pub fn place(&mut self, pages: &mut Pages, number: u32, address: u64) {
        if let Some(place) = self.places.get_mut(number as usize) {
            pages.close(place.address, place.bytes);
            place.address = address;
        }
    }

    /// Makes the host's copy inaccessible from now on.
    pub fn guard(&mut self, pages: &mut Pages, number: u32) {
        if let Some(place) = self.places.get_mut(number as usize).filter(|p| !p.guarded) {
            place.guarded = true;
            pages.close(place.address, place.bytes);
        }
    }

    pub fn is_guarded(&self, number: u32) -> bool {
        self.places.get(number as usize).is_some_and(|p| p.guarded)
    }

    /// Returns the variable that contains an address: its number, start and size in bytes.
    pub fn find(&self, address: u64) -> Option<(u32, u64, u64)> {
        let holds = |p: &VariableAddress| address.wrapping_sub(p.address) < p.bytes.max(1);
        let number = self.places.iter().position(holds)?;
        let place = self.places[number];
        Some((number as u32, place.address, place.bytes))
    }

    /// Returns the variable nearest to an address in the window: its number, start and size in bytes.
    pub fn nearest(&self, address: u64) -> Option<(u32, u64, u64)> {
        let away = |p: &VariableAddress| {
            if address < p.address {
                p.address - address
            } else {
                address - (p.address + p.bytes).min(address)
            }
        };
        let (number, place) = self.places.iter().enumerate().min_by_key(|(_, p)| away(p))?;
        Some((number as u32, place.address, place.bytes))
    }
}
