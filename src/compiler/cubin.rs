//! Reads a kernel's resource usage from a cubin, an ELF file of NVIDIA's machine code, without a GPU or any
//! tool.
//!
//! A kernel `k` has a section `.text.k`. Its registers are in the section `.nv.info`, attribute `REGCOUNT`
//! (older files: high byte of the text section's `sh_info`); its stack in `MIN_STACK_SIZE`; its barriers in
//! `NUM_BARRIERS` (older files: bits 20 to 26 of the text section's flags); the size of its static shared
//! memory is that of `.nv.shared.k`. `.nv.info.k` lists the instructions that spill; their widths add up to
//! ptxas's own figure. The layouts were determined by comparing files for sm_75 to sm_100 with ptxas's
//! reports on them.

use super::KernelResources;
use std::collections::BTreeMap;

const SYMBOL_TABLE: u32 = 2;
const CUDA_MACHINE: u16 = 190;
/// From compute capability 9.0, the shared section begins with memory reserved for the system.
const RESERVED_SHARED_BYTES: u64 = 1024;

/// Attributes of `.nv.info`: each is a format byte, a number byte, and 16 bits that are a value or a
/// payload's size.
const SIZED: u8 = 4;
const MIN_STACK_SIZE: u8 = 0x12;
const REGCOUNT: u8 = 0x2f;
const NUM_BARRIERS: u8 = 0x4c;
const SPILLS: u8 = 0x55;
/// A parameter: 4 bytes, 16 bits of ordinal, 16 bits of offset, and a word with its size in the upper 14
/// bits. For a parameter too large for that (`LARGE_PARAMETER`), the size is in the lower 16 bits.
const PARAMETER: u8 = 0x17;
const LARGE_PARAMETER: u8 = 0x45;

/// Opcodes of the two instructions that spill: store to and load from local memory.
const STORE_LOCAL: u64 = 0x387;
const LOAD_LOCAL: u64 = 0x983;

/// Returns the resource usage of every kernel of a cubin, sorted by name.
///
/// # Errors
///
/// Fails if it is no machine code of a GPU, or the size of a kernel's shared memory is invalid.
pub fn resources(cubin: &[u8]) -> Result<Vec<KernelResources>, String> {
    let elf = machine_code(cubin)?;
    let mut registers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut stack: BTreeMap<&str, u32> = BTreeMap::new();
    for section in elf.sections.iter().filter(|section| section.name == ".nv.info") {
        for attribute in attributes(elf.content(section)) {
            let words = attribute.words();
            if let (Some(&symbol), Some(&value)) = (words.first(), words.get(1))
                && let Some(name) = elf.symbols.get(symbol as usize)
            {
                match attribute.number {
                    REGCOUNT => drop(registers.insert(name, value)),
                    MIN_STACK_SIZE => drop(stack.insert(name, value)),
                    _ => {}
                }
            }
        }
    }
    let mut kernels = Vec::new();
    for (name, text, attributes) in kernel_sections(&elf) {
        let spill_bytes = attributes
            .iter()
            .filter(|attribute| attribute.number == SPILLS && attribute.format == SIZED)
            .map(|attribute| spilled(&attribute.words(), elf.content(text)))
            .sum();
        let barriers = attributes
            .iter()
            .find(|attribute| attribute.number == NUM_BARRIERS)
            .map_or((text.flags >> 20) as u32 & 0x7f, |attribute| u32::from(attribute.value) & 0xff);
        let shared =
            elf.sections.iter().find(|section| section.name.strip_prefix(".nv.shared.") == Some(name));
        let mut shared_bytes = shared.map_or(0, |section| section.size);
        if elf.capability() >= 90 {
            shared_bytes = shared_bytes.saturating_sub(RESERVED_SHARED_BYTES);
        }
        kernels.push(KernelResources {
            name: name.to_owned(),
            registers: registers.get(name).copied().unwrap_or(text.info >> 24),
            shared_bytes: u32::try_from(shared_bytes)
                .map_err(|_| "the size of its shared memory is invalid")?,
            local_bytes: stack.get(name).copied().unwrap_or(0),
            spill_bytes,
            barriers,
        });
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

/// Returns the size of each parameter in bytes for every kernel of a cubin, by the kernel's name.
///
/// # Errors
///
/// Fails if it is no machine code of a GPU, or declares only some of a kernel's parameters.
pub fn parameters(cubin: &[u8]) -> Result<BTreeMap<String, Vec<u32>>, String> {
    let elf = machine_code(cubin)?;
    let kernel = |(name, _, attributes): (&str, &Section, Vec<Attribute>)| {
        let mut found = BTreeMap::new();
        for attribute in attributes.iter().filter(|it| it.format == SIZED) {
            let (words, large) = (attribute.words(), attribute.number == LARGE_PARAMETER);
            if let (PARAMETER | LARGE_PARAMETER, [_, place, size, ..]) = (attribute.number, words.as_slice())
            {
                found.insert(place & 0xffff, if large { size & 0xffff } else { size >> 18 });
            }
        }
        if !found.keys().copied().eq(0..found.len() as u32) {
            return Err(format!("some parameters of {name} are missing"));
        }
        Ok((name.to_owned(), found.into_values().collect()))
    };
    kernel_sections(&elf).map(kernel).collect()
}

fn machine_code(cubin: &[u8]) -> Result<Elf<'_>, String> {
    let elf = Elf::read(cubin).ok_or("it is not a 64-bit ELF file")?;
    if elf.machine != CUDA_MACHINE {
        return Err(format!("it is for machine {}", elf.machine));
    }
    Ok(elf)
}

/// Returns the name, code section and attributes of every kernel.
fn kernel_sections<'a>(
    elf: &'a Elf<'a>,
) -> impl Iterator<Item = (&'a str, &'a Section<'a>, Vec<Attribute<'a>>)> {
    elf.sections.iter().filter_map(|text| {
        let name = text.name.strip_prefix(".text.")?;
        // Functions that are called have a text section too; only kernels have their parameters there.
        let info =
            elf.sections.iter().find(|section| section.name.strip_prefix(".nv.info.") == Some(name))?;
        Some((name, text, attributes(elf.content(info))))
    })
}

/// Returns the number of bytes that the instructions in a list move to and from local memory. The list
/// consists of pairs of 1 and the offset of a 16-byte instruction.
fn spilled(list: &[u32], code: &[u8]) -> u32 {
    let mut bytes = 0u32;
    for place in list.chunks_exact(2).filter(|pair| pair[0] == 1).map(|pair| pair[1] as usize) {
        let (Some(low), Some(high)) = (number::<8>(code, place), number::<8>(code, place.saturating_add(8)))
        else {
            continue;
        };
        if matches!(low & 0xfff, STORE_LOCAL | LOAD_LOCAL) {
            bytes = bytes.saturating_add(match (high >> 9) & 7 {
                0 | 1 => 1,
                2 | 3 => 2,
                4 => 4,
                5 => 8,
                _ => 16,
            });
        }
    }
    bytes
}

struct Attribute<'a> {
    format: u8,
    number: u8,
    value: u16,
    payload: &'a [u8],
}

impl Attribute<'_> {
    fn words(&self) -> Vec<u32> {
        self.payload.chunks_exact(4).filter_map(|word| number::<4>(word, 0)).map(|word| word as u32).collect()
    }
}

fn attributes(mut section: &[u8]) -> Vec<Attribute<'_>> {
    let mut found = Vec::new();
    while let Some((&[format, number, low, high], rest)) = section.split_first_chunk() {
        let value = u16::from_le_bytes([low, high]);
        let size = if format == SIZED { usize::from(value) } else { 0 };
        let Some((payload, rest)) = rest.split_at_checked(size) else { break };
        found.push(Attribute { format, number, value, payload });
        section = rest;
    }
    found
}

struct Elf<'a> {
    file: &'a [u8],
    machine: u16,
    flags: u32,
    abi: u8,
    sections: Vec<Section<'a>>,
    symbols: Vec<&'a str>,
}

#[derive(Clone)]
struct Section<'a> {
    name: &'a str,
    kind: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
}

/// Reads `BYTES` bytes at an offset as a little-endian number.
fn number<const BYTES: usize>(from: &[u8], at: usize) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes[..BYTES].copy_from_slice(from.get(at..at.checked_add(BYTES)?)?);
    Some(u64::from_le_bytes(bytes))
}

/// Reads the NUL-terminated text at an offset.
fn text(from: &[u8], at: u64) -> Option<&str> {
    let rest = from.get(usize::try_from(at).ok()?..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

impl<'a> Elf<'a> {
    fn read(file: &'a [u8]) -> Option<Elf<'a>> {
        const LITTLE_64: &[u8] = b"\x7fELF\x02\x01";
        if !file.starts_with(LITTLE_64) {
            return None;
        }
        let offset = usize::try_from(number::<8>(file, 40)?).ok()?;
        let entry = number::<2>(file, 58)? as usize;
        let count = number::<2>(file, 60)? as usize;
        let names = number::<2>(file, 62)? as usize;
        let mut sections = Vec::with_capacity(count);
        for index in 0..count {
            let at = offset.checked_add(index.checked_mul(entry)?)?;
            let header = file.get(at..at.checked_add(64)?)?;
            sections.push(Section {
                name: "",
                kind: number::<4>(header, 4)? as u32,
                flags: number::<8>(header, 8)?,
                offset: number::<8>(header, 24)?,
                size: number::<8>(header, 32)?,
                link: number::<4>(header, 40)? as u32,
                info: number::<4>(header, 44)? as u32,
            });
        }
        let mut elf = Elf {
            file,
            machine: number::<2>(file, 18)? as u16,
            flags: number::<4>(file, 48)? as u32,
            abi: *file.get(7)?,
            sections,
            symbols: Vec::new(),
        };
        let table = elf.content(elf.sections.get(names)?);
        for index in 0..count {
            let name = number::<4>(file, offset + index * entry)?;
            elf.sections[index].name = text(table, name)?;
        }
        if let Some(symbols) = elf.sections.iter().find(|section| section.kind == SYMBOL_TABLE) {
            let strings = elf.content(elf.sections.get(symbols.link as usize)?);
            elf.symbols = elf
                .content(symbols)
                .chunks_exact(24)
                .map(|symbol| number::<4>(symbol, 0).and_then(|at| text(strings, at)).unwrap_or(""))
                .collect();
        }
        Some(elf)
    }

    /// Returns the bytes of a section; empty if they are not in the file.
    fn content(&self, section: &Section) -> &'a [u8] {
        const NOT_IN_FILE: u32 = 8;
        let range = usize::try_from(section.offset).ok().zip(usize::try_from(section.size).ok());
        range
            .filter(|_| section.kind != NOT_IN_FILE)
            .and_then(|(offset, size)| self.file.get(offset..offset.checked_add(size)?))
            .unwrap_or(&[])
    }

    /// Returns the compute capability as two or three digits: the low byte of the flags, or in newer files
    /// the byte above it.
    fn capability(&self) -> u32 {
        if self.abi == 0x41 { (self.flags >> 8) & 0xff } else { self.flags & 0xff }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_errors_or_empty() {
        assert!(resources(b"").is_err());
        assert!(resources(b"\x7fELF\x02\x01").is_err());
        let mut header = vec![0u8; 64];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        header[18] = 190;
        for (field, value) in [(40, 0xffu8), (58, 64), (60, 3), (62, 1)] {
            header[field] = value;
            let _ = resources(&header);
        }
        header[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(resources(&header).is_err());
    }

    #[test]
    fn attributes_end_where_the_section_does() {
        let section = [4, REGCOUNT, 8, 0, 1, 0, 0, 0, 24, 0, 0, 0, 2, NUM_BARRIERS, 3, 0, 4, 9, 200, 0];
        let found = attributes(&section);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].words(), [1, 24]);
        assert_eq!((found[1].number, found[1].value), (NUM_BARRIERS, 3));
    }

    #[test]
    fn spills_add_up_by_width() {
        let mut code = vec![0u8; 64];
        let mut place = |at: usize, opcode: u64, width: u64| {
            code[at..at + 8].copy_from_slice(&opcode.to_le_bytes());
            code[at + 8..at + 16].copy_from_slice(&(width << 9).to_le_bytes());
        };
        place(0, STORE_LOCAL, 4);
        place(16, LOAD_LOCAL, 6);
        place(32, 0x381, 4);
        assert_eq!(spilled(&[1, 0, 1, 16, 1, 32, 1, 48, 1, 4096, 2, 0], &code), 20);
    }
}
