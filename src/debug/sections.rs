//! Reads the debugging sections of a PTX text as bytes. In PTX they are directives: `.b8 3,40`, `.b64 $L__tmp4`,
//! `.b32 .debug_loc+133`.

use std::collections::HashMap;

/// Assigns addresses to names in the sections.
#[derive(Debug, Default)]
pub struct Addresses {
    /// Code labels: the index of the instruction after each, plus one, since 0 would terminate lists.
    labels: HashMap<String, u64>,
    /// Variables, in order of their appearance.
    variables: Vec<String>,
}

/// Address of the first variable, and distance between variables.
const VARIABLES: u64 = 1 << 48;
const ROOM: u64 = 1 << 32;

impl Addresses {
    pub fn new<'n>(labels: impl Iterator<Item = (&'n str, u32)>) -> Addresses {
        let labels = labels.map(|(name, pc)| (name.to_owned(), u64::from(pc) + 1));
        Addresses { labels: labels.collect(), variables: Vec::new() }
    }

    fn of(&mut self, name: &str) -> u64 {
        if let Some(label) = self.labels.get(name) {
            return *label;
        }
        let known = self.variables.iter().position(|variable| variable == name);
        let number = known.unwrap_or_else(|| {
            self.variables.push(name.to_owned());
            self.variables.len() - 1
        });
        VARIABLES + ROOM * number as u64
    }

    /// Returns the variable that an address is in, and the byte offset in it.
    pub fn variable(&self, address: u64) -> Option<(&str, u64)> {
        let at = address.checked_sub(VARIABLES)?;
        Some((self.variables.get((at / ROOM) as usize)?, at % ROOM))
    }

    /// Returns the instruction at an address.
    pub fn instruction(address: u64) -> Option<u32> {
        u32::try_from(address.checked_sub(1)?).ok()
    }
}

/// Contents of sections by name, such as `.debug_info`.
pub type Sections = HashMap<String, Vec<u8>>;

/// Reads the debugging sections of a PTX text; names in them become addresses. What can't be parsed is left out,
/// in which case there are no variables.
pub fn sections(ptx: &str, addresses: &mut Addresses) -> Sections {
    let mut offsets: HashMap<&str, u64> = HashMap::new();
    // Labels within a section may be used before they are defined.
    walk(ptx, |_, at, piece| {
        if let Piece::Label(name) = piece {
            offsets.insert(name, at as u64);
        }
    });
    let mut out = Sections::new();
    walk(ptx, |section, _, piece| {
        if let Piece::Value { bytes, text } = piece {
            let value = value(text, &offsets, addresses);
            out.entry(section.to_owned()).or_default().extend(&value.to_le_bytes()[..bytes]);
        }
    });
    out
}

enum Piece<'a> {
    Label(&'a str),
    Value { bytes: usize, text: &'a str },
}

/// Visits each piece of the sections, with its section and its byte offset there.
fn walk<'a>(ptx: &'a str, mut see: impl FnMut(&'a str, usize, Piece<'a>)) {
    let mut section = None;
    let mut at = 0;
    for line in ptx.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if let Some(rest) = line.strip_prefix(".section") {
            section = rest.split_whitespace().next().filter(|name| name.starts_with(".debug"));
            section = section.map(|name| name.trim_end_matches('{'));
            at = 0;
        } else if line == "}" {
            section = None;
        } else if let Some(name) = section {
            if let Some(label) = line.strip_suffix(':') {
                see(name, at, Piece::Label(label));
                continue;
            }
            let Some((directive, values)) = line.split_once(char::is_whitespace) else { continue };
            let bytes = match directive {
                ".b8" => 1,
                ".b16" => 2,
                ".b32" => 4,
                ".b64" => 8,
                _ => continue,
            };
            for text in values.split(',') {
                see(name, at, Piece::Value { bytes, text: text.trim() });
                at += bytes;
            }
        }
    }
}

/// Evaluates a number, a name, or a sum of these. A section's name stands for its start.
fn value(text: &str, offsets: &HashMap<&str, u64>, addresses: &mut Addresses) -> u64 {
    let mut sum = 0u64;
    let mut rest = text;
    let mut negative = false;
    while !rest.is_empty() {
        let end = rest[1..].find(['+', '-']).map_or(rest.len(), |at| at + 1);
        let word = rest[..end].trim();
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse::<u64>().ok().or_else(|| word.parse::<i64>().ok().map(|n| n as u64)),
        };
        let one = match number {
            Some(number) => number,
            None if word.starts_with(".debug") => 0,
            None => match offsets.get(word) {
                Some(offset) => *offset,
                None => addresses.of(word),
            },
        };
        sum = if negative { sum.wrapping_sub(one) } else { sum.wrapping_add(one) };
        negative = rest[end..].starts_with('-');
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_become_bytes() {
        let ptx = ".version 8.8\n.entry f()\n{\n$L_a:\n ret;\n}\n\t.section\t.debug_info\n\t{\n.b32 5\n.b8 1,255\n.b64 $L_a\n\
                   end:\n.b32 .debug_loc+7\n.b32 end-4\n.b64 depot\n\t}\n\t.section .debug_str\n{\n.b8 0\n}\n";
        let mut addresses = Addresses::new([("$L_a", 3)].into_iter());
        let sections = sections(ptx, &mut addresses);
        let info = &sections[".debug_info"];
        assert_eq!(info[..6], [5, 0, 0, 0, 1, 255]);
        assert_eq!(info[6..14], 4u64.to_le_bytes());
        assert_eq!(info[14..22], [7, 0, 0, 0, 10, 0, 0, 0]);
        let depot = u64::from_le_bytes(info[22..30].try_into().unwrap());
        assert_eq!(addresses.variable(depot + 8), Some(("depot", 8)));
        assert_eq!(Addresses::instruction(4), Some(3));
        assert_eq!(sections[".debug_str"], [0]);
    }
}
