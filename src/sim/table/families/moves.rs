//! Moves, and the pieces into which lowering splits other instructions (names with a `%`, which PTX text can't
//! contain).

use crate::table::{Row, rows};

rows! {
    /// Copy.
    ["mov.b32", "mov.u32", "mov.s32", "mov.f32"] Move (a: u32) -> u32 { a }
    /// Copy of 16 bits.
    ["mov.b16", "mov.u16", "mov.s16", "mov.f16", "mov.bf16"] Move (a: u16) -> u16 { a }
    /// Copy.
    ["mov.b64", "mov.u64", "mov.s64", "mov.f64"] Move (a: u64) -> u64 { a }
    /// Low word of a double word.
    ["%low32"] Move (a: u64) -> u32 { a as u32 }
    /// High word of a double word.
    ["%high32"] Move (a: u64) -> u32 { (a >> 32) as u32 }
    /// Double word of two words, low first.
    ["%join64"] Move (a: u32, b: u32) -> u64 { (b as u64) << 32 | a as u64 }
    /// Low half of a word.
    ["%low16"] Move (a: u32) -> u32 { a & 0xffff }
    /// High half of a word.
    ["%high16"] Move (a: u32) -> u32 { a >> 16 }
    /// Word of two halves, low first.
    ["%join32"] Move (a: u16, b: u16) -> u32 { (b as u32) << 16 | a as u32 }
    /// Byte of a word: the word, the byte's number.
    ["%byte"] Move (a: u32, n: u32) -> u32 { a >> (n % 4 * 8) & 0xff }
    /// Half of a word: the word, the half's number.
    ["%half"] Move (a: u32, n: u32) -> u32 { a >> (n % 2 * 16) & 0xffff }
    /// Word with one byte replaced: the word, the byte, its number.
    ["%set_byte"] Move (a: u32, b: u32, n: u32) -> u32 {
        let shift = n % 4 * 8;
        a & !(0xff << shift) | (b & 0xff) << shift
    }
    /// Word with one half replaced: the word, the half, its number.
    ["%set_half"] Move (a: u32, b: u32, n: u32) -> u32 {
        let shift = n % 2 * 16;
        a & !(0xffff << shift) | (b & 0xffff) << shift
    }
    /// Word widened without sign.
    ["%widen"] Move (a: u32) -> u64 { a as u64 }
    /// Byte sign-extended to a word.
    ["%sign8"] Move (a: i8) -> i32 { a as i32 }
    /// Half sign-extended to a word.
    ["%sign16"] Move (a: i16) -> i32 { a as i32 }
}

pub static TABLES: &[&[Row]] = &[ROWS];
