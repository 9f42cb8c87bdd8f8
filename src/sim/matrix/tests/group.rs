//! A warpgroup's matrices: their layout compared with the ISA's figures, and their products with a plain triple
//! loop.

use super::*;
use crate::matrix::descriptor::{Swizzle, WORDS};

const SWIZZLES: [(u64, u64, Swizzle); 4] = [
    (0, 16, Swizzle::None),
    (1, 128, Swizzle::Bytes128),
    (2, 64, Swizzle::Bytes64),
    (3, 32, Swizzle::Bytes32),
];
const START: u64 = 3072;

fn descriptor(start: u64, leading: u64, stride: u64, swizzle: u64) -> u64 {
    start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62
}

/// Returns the chunk of 16 bytes that contains chunk `chunk` of row `row` (of eight), by the ISA's figures for
/// rows of 128, 64 and 32 bytes: adjacent chunks are exchanged in every row, every second, every fourth.
fn exchanged(width: u64, row: u64, chunk: u64) -> u64 {
    match width {
        128 => chunk ^ row,
        64 => chunk ^ (row / 2),
        32 => chunk ^ (row / 4),
        _ => chunk,
    }
}

/// Byte offset of the 16-bit element `k` of row `row`, where the matrix runs along k: core matrices of
/// eight rows, their chunks side by side in rows of `width` bytes.
fn along(width: u64, leading: u64, stride: u64, row: u64, k: u64) -> u64 {
    let (eight, chunk) = (row / 8 * stride, k / 8);
    match width {
        16 => eight + chunk * leading + row % 8 * 16 + k % 8 * 2,
        _ => eight + row % 8 * width + exchanged(width, row % 8, chunk) * 16 + k % 8 * 2,
    }
}

/// The same where it runs across k: a row of memory holds `width / 2` rows of the matrix at one k.
fn across(width: u64, leading: u64, stride: u64, row: u64, k: u64) -> u64 {
    match width {
        16 => row / 8 * stride + k / 8 * leading + k % 8 * 16 + row % 8 * 2,
        _ => {
            let (block, within) = (row / (width / 2), row % (width / 2));
            let chunk = exchanged(width, k % 8, within / 8);
            block * leading + k / 8 * stride + k % 8 * width + chunk * 16 + within % 8 * 2
        }
    }
}

/// Returns what an element holds, different for each.
fn mark(row: u64, k: u64) -> u16 {
    (row * 16 + k) as u16 ^ 0x5a5a
}

#[test]
fn matrices_are_found_where_the_isa_draws_them() {
    const ROWS: u64 = 64;
    for (mode, width, swizzle) in SWIZZLES {
        for transposed in [false, true] {
            // Room for the pattern; more than that, too.
            for (leading, stride) in [(2048, 1024), (1024, 8192), (4096 + 1024, 1024), (8192, 2048 + 1024)] {
                let place = Descriptor::decode(descriptor(START, leading, stride, mode));
                assert_eq!((place.start, place.leading, place.stride), (START, leading, stride));
                assert_eq!((place.swizzle, place.base_offset, place.reserved), (swizzle, 0, 0));
                assert!(place.is_aligned());
                let mut memory = vec![0u16; 1 << 17];
                let mut used = std::collections::HashSet::new();
                for row in 0..ROWS {
                    for k in 0..16 {
                        let offset = match transposed {
                            true => across(width, leading, stride, row, k),
                            false => along(width, leading, stride, row, k),
                        };
                        used.insert(offset);
                        memory[((START + offset) / 2) as usize] = mark(row, k);
                    }
                }
                if used.len() < (ROWS * 16) as usize {
                    // Strides with which parts overlap.
                    continue;
                }
                for (first, rows) in [(0, ROWS), (16, 16), (48, 8)] {
                    let chunks: Vec<[u32; 4]> = (place.chunks(transposed, first, rows).iter())
                        .map(|&address| {
                            assert_eq!(address % 16, 0);
                            let at = address as usize / 2;
                            std::array::from_fn(|n| {
                                u32::from(memory[at + 2 * n]) | u32::from(memory[at + 2 * n + 1]) << 16
                            })
                        })
                        .collect();
                    let found = gather(transposed, &chunks);
                    assert_eq!(found.len() as u64, rows);
                    for (row, words) in (first..).zip(&found) {
                        for k in 0..16 {
                            let half = (words[k as usize / 2] >> (k % 2 * 16)) as u16;
                            assert_eq!(
                                half,
                                mark(row, k),
                                "{swizzle:?} {transposed} {leading} {stride}: row {row}, k {k}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_pattern_that_begins_elsewhere_is_not_aligned() {
    for (mode, step, fits) in [
        (0, 16, true),
        (1, 16, true),
        (1, 128, false),
        (1, 512, false),
        (2, 32, true),
        (2, 128, false),
        (2, 512, true),
        (3, 128, false),
        (3, 256, true),
    ] {
        assert_eq!(
            Descriptor::decode(descriptor(START + step, 0, 0, mode)).is_aligned(),
            fits,
            "{mode} {step}"
        );
    }
    assert_ne!(Descriptor::decode(1 << 14).reserved, 0);
    assert_eq!(Descriptor::decode(5 << 49).base_offset, 5);
}

fn group(form: &str) -> GroupMultiply {
    let words: Vec<&str> = form.split('.').collect();
    GroupMultiply::parse(&words).expect(form)
}

/// Bits of a small whole number in an element type.
fn bits(element: Element, value: i32) -> u32 {
    let float = (value as f32).to_bits();
    match element {
        Element::F16 if value == 0 => 0,
        Element::F16 => float >> 16 & 0x8000 | (((float & 0x7fff_ffff) >> 13) - (112 << 10)),
        Element::Bf16 => float >> 16,
        Element::Tf32 | Element::F32 => float,
        _ => value as u32 & u32::MAX >> (32 - element.bits()),
    }
}

#[test]
fn products_are_those_of_a_triple_loop() {
    let forms = [
        ("f32.f16.f16", Element::F16, 16, Element::F32),
        ("f16.f16.f16", Element::F16, 16, Element::F16),
        ("f32.bf16.bf16", Element::Bf16, 16, Element::F32),
        ("f32.tf32.tf32", Element::Tf32, 8, Element::F32),
        ("s32.s8.s8", Element::S8, 32, Element::S32),
        ("s32.u8.s8", Element::U8, 32, Element::S32),
    ];
    let mut seed = 7u32;
    let mut small = move |element: Element| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as i32 % 7 - if element == Element::U8 { 0 } else { 3 }
    };
    for (types, element, k, sum) in forms {
        for n in (8..=256).step_by(8) {
            let form = format!("mma_async.sync.aligned.m64n{n}k{k}.{types}");
            let words: Vec<&str> = form.split('.').collect();
            let Some(mut op) = GroupMultiply::parse(&words) else {
                assert!(sum == Element::S32 && n > 32 && n % 16 == 8, "{form}");
                continue;
            };
            let b_element = if types.ends_with("s8") { Element::S8 } else { element };
            let signed = op.takes_signs() && n % 16 == 0;
            op.negated = [signed, false];
            let a: Vec<Vec<i32>> = (0..16).map(|_| (0..k).map(|_| small(element)).collect()).collect();
            let b: Vec<Vec<i32>> = (0..n).map(|_| (0..k).map(|_| small(b_element)).collect()).collect();
            let pack = |element: Element, row: &Vec<i32>| -> [u32; WORDS] {
                let each = 32 / element.bits();
                std::array::from_fn(|word| {
                    (0..each).fold(0, |bits_so_far, part| {
                        bits_so_far | bits(element, row[word * each + part]) << (part * element.bits())
                    })
                })
            };
            let rows: Vec<[u32; WORDS]> = a.iter().map(|row| pack(element, row)).collect();
            let columns: Vec<[u32; WORDS]> = b.iter().map(|row| pack(b_element, row)).collect();
            // A lane's sums, as the ISA draws them: pairs of columns, two rows, the next eight columns.
            let per = 32 / sum.bits();
            let place = |lane: usize, item: usize| {
                (lane / 4 + item / 2 % 2 * 8, item / 4 * 8 + lane % 4 * 2 + item % 2)
            };
            let start = |row: usize, column: usize| (row * 3 + column) as i32 % 11 - 5;
            let mut sums: Vec<[u32; LANES]> = (0..op.registers())
                .map(|register| {
                    std::array::from_fn(|lane| {
                        (0..per).fold(0, |word, part| {
                            let (row, column) = place(lane, register * per + part);
                            word | bits(sum, start(row, column)) << (part * sum.bits())
                        })
                    })
                })
                .collect();
            assert_eq!(sums.len() * per * 2, n as usize, "{form}");
            op.run(&GroupMultiply::fragment(&rows), &columns, &mut sums);
            for (register, words) in sums.iter().enumerate() {
                for (lane, word) in words.iter().enumerate() {
                    for part in 0..per {
                        let (row, column) = place(lane, register * per + part);
                        let product: i32 = (0..k as usize).map(|k| a[row][k] * b[column][k]).sum();
                        let wanted = start(row, column) + if signed { -product } else { product };
                        let found = word >> (part * sum.bits()) & u32::MAX >> (32 - sum.bits());
                        assert_eq!(found, bits(sum, wanted), "{form}: row {row}, column {column}");
                    }
                }
            }
            assert_eq!(op.operations(), 2 * 16 * n as u64 * k as u64);
        }
    }
}

#[test]
fn other_forms_are_refused() {
    for form in [
        "mma_async.sync.aligned.m64n12k16.f32.f16.f16",
        "mma_async.sync.aligned.m64n264k16.f32.f16.f16",
        "mma_async.sync.aligned.m64n8k8.f32.f16.f16",
        "mma_async.sync.aligned.m64n8k16.f16.bf16.bf16",
        "mma_async.sync.aligned.m64n40k32.s32.s8.s8",
        "mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16",
        "mma_async.sync.aligned.m64n8k16.f32.f16",
    ] {
        let words: Vec<&str> = form.split('.').collect();
        assert!(GroupMultiply::parse(&words).is_none(), "{form}");
    }
    assert_eq!(group("mma_async.sync.aligned.m64n16k256.s32.b1.b1.and.popc").k, 256);
}
