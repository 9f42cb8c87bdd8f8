//! Fragment layouts: every element has its place, and the places are the ISA's.

use super::*;
use std::collections::HashMap;

fn fragment(form: &str, role: Role) -> Fragment {
    let op = multiply(form);
    match role {
        Role::A => op.fragment_a(),
        Role::B => op.fragment_b(),
        Role::Accumulator => op.fragment_c(),
    }
}

#[test]
fn every_element_has_exactly_one_place() {
    for form in forms() {
        let op = multiply(&form);
        for fragment in [op.fragment_a(), op.fragment_b(), op.fragment_c(), op.fragment_d()] {
            let (rows, columns) = fragment.extent();
            let mut seen: HashMap<(usize, usize, usize), usize> = HashMap::new();
            for register in 0..fragment.distinct_registers() {
                for lane in 0..LANES {
                    for part in 0..fragment.parts() {
                        let at = fragment.position(lane, register, part);
                        assert!(at.row < rows && at.column < columns, "{form} {fragment:?} {at:?}");
                        *seen.entry((at.matrix, at.row, at.column)).or_default() += 1;
                    }
                }
            }
            let matrices = if fragment.is_quad_pair() { 4 } else { 1 };
            assert_eq!(seen.len(), matrices * rows * columns, "{form} {fragment:?}");
            assert!(seen.values().all(|&count| count == 1), "{form} {fragment:?}");
        }
    }
}

/// Checks a fragment against row and column formulas of (group, member, i), the ISA's
/// `groupID`, `threadID_in_group` and element index.
fn check(form: &str, role: Role, formula: impl Fn(usize, usize, usize) -> (usize, usize)) {
    let fragment = fragment(form, role);
    for lane in 0..LANES {
        for i in 0..fragment.registers() * fragment.parts() {
            let at = fragment.position(lane, i / fragment.parts(), i % fragment.parts());
            let expected = formula(lane >> 2, lane % 4, i);
            assert_eq!((at.row, at.column), expected, "{form} {role:?} lane {lane} element {i}");
        }
    }
}

#[test]
fn layouts_of_mma_are_the_isas() {
    // Each formula as in the section of PTX ISA 9.7.14.5 for that shape and type.
    let f16 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    check(f16, Role::A, |g, t, i| {
        let row = if i < 2 || (4..6).contains(&i) { g } else { g + 8 };
        (row, if i < 4 { t * 2 + (i & 1) } else { t * 2 + (i & 1) + 8 })
    });
    check(f16, Role::B, |g, t, i| (if i < 2 { t * 2 + (i & 1) } else { t * 2 + (i & 1) + 8 }, g));
    check(f16, Role::Accumulator, |g, t, i| (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1)));

    let half_sums = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16";
    check(half_sums, Role::A, |g, t, i| (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1)));
    check(half_sums, Role::B, |g, t, i| (t * 2 + i, g));
    check(half_sums, Role::Accumulator, |g, t, i| (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1)));

    let tf32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";
    check(tf32, Role::A, |g, t, i| (if i == 0 || i == 2 { g } else { g + 8 }, if i < 2 { t } else { t + 4 }));
    check(tf32, Role::B, |g, t, i| (if i == 0 { t } else { t + 4 }, g));
    let tf32_short = "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32";
    check(tf32_short, Role::A, |g, t, i| (if i == 0 { g } else { g + 8 }, t));
    check(tf32_short, Role::B, |g, t, _| (t, g));

    let f64_long = "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64";
    check(f64_long, Role::A, |g, t, i| if i % 2 == 0 { (g, i * 2 + t) } else { (g + 8, i * 2 - 2 + t) });
    check(f64_long, Role::B, |g, t, i| (t + i * 4, g));
    let f64_short = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";
    check(f64_short, Role::A, |g, t, _| (g, t));
    check(f64_short, Role::B, |g, t, _| (t, g));
    check(f64_short, Role::Accumulator, |g, t, i| (g, t * 2 + i));

    for types in ["s32.s8.u8.s32", "f32.e4m3.e5m2.f32"] {
        let bytes = format!("mma.sync.aligned.m16n8k32.row.col.{types}");
        check(&bytes, Role::A, |g, t, i| {
            let row = if i < 4 || (8..12).contains(&i) { g } else { g + 8 };
            (row, if i < 8 { t * 4 + (i & 3) } else { t * 4 + (i & 3) + 16 })
        });
        check(&bytes, Role::B, |g, t, i| (if i < 4 { t * 4 + (i & 3) } else { t * 4 + (i & 3) + 16 }, g));
    }
    let bytes_short = "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32";
    check(bytes_short, Role::A, |g, t, i| (if i < 4 { g } else { g + 8 }, t * 4 + (i & 3)));

    let nibbles = "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32";
    check(nibbles, Role::A, |g, t, i| {
        let row = if i < 8 || (16..24).contains(&i) { g } else { g + 8 };
        (row, if i < 16 { t * 8 + (i & 7) } else { t * 8 + (i & 7) + 32 })
    });
    let bits = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc";
    check(bits, Role::A, |g, t, i| {
        let row = if i < 32 || (64..96).contains(&i) { g } else { g + 8 };
        (row, if i < 64 { t * 32 + (i & 31) } else { t * 32 + (i & 31) + 128 })
    });
    check(bits, Role::B, |g, t, i| (if i < 32 { t * 32 + (i & 31) } else { t * 32 + (i & 31) + 128 }, g));
}

#[test]
fn quad_pair_layouts_are_the_isas() {
    let form = |a: &str, b: &str, c: &str| format!("mma.sync.aligned.m8n8k4.{a}.{b}.f32.f16.f16.{c}");
    for lane in 0..LANES {
        let high = if lane < 16 { 0 } else { 4 };
        let place = |form: &str, role, i: usize| {
            let fragment = fragment(form, role);
            let at = fragment.position(lane, i / fragment.parts(), i % fragment.parts());
            assert_eq!(at.matrix, lane / 4 % 4);
            (at.row, at.column)
        };
        for i in 0..4 {
            assert_eq!(place(&form("row", "row", "f32"), Role::A, i), (lane % 4 + high, i));
            assert_eq!(place(&form("col", "row", "f32"), Role::A, i), (i + high, lane % 4));
            assert_eq!(place(&form("row", "row", "f32"), Role::B, i), (lane % 4, i + high));
            assert_eq!(place(&form("row", "col", "f32"), Role::B, i), (i, lane % 4 + high));
        }
        for i in 0..8 {
            let form16 = form("row", "col", "f16");
            assert_eq!(place(&form16, Role::Accumulator, i), (lane % 4 + high, i));
            let form32 = form("row", "col", "f32");
            let row = (lane & 0b1) + (i & 0b10) + high;
            let column = (i & 0b100) + (lane & 0b10) + (i & 0b1);
            assert_eq!(place(&form32, Role::Accumulator, i), (row, column));
        }
    }
}

#[test]
fn wmma_layouts_are_those_of_an_h100() {
    // Observed on an H100: lane 5 of a load of a matrix that holds its own indices.
    let places = |form: &str, role| {
        let fragment = fragment(form, role);
        (0..fragment.registers() * fragment.parts())
            .map(|i| fragment.position(5, i / fragment.parts(), i % fragment.parts()))
            .map(|at| (at.row, at.column))
            .collect::<Vec<_>>()
    };
    let square = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32";
    let once = [(1, 2), (1, 3), (9, 2), (9, 3), (1, 10), (1, 11), (9, 10), (9, 11)];
    assert_eq!(places(square, Role::A), [once, once].concat());
    assert_eq!(places(square, Role::Accumulator), once);
    let wide = "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32";
    let expected = [(2, 1), (3, 1), (2, 9), (3, 9), (10, 1), (11, 1), (10, 9), (11, 9)];
    assert_eq!(places(wide, Role::B)[..8], expected);
    assert_eq!(places(wide, Role::Accumulator)[..4], [(2, 1), (3, 1), (2, 9), (3, 9)]);
    let tall = "wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32";
    assert_eq!(places(tall, Role::A)[6..10], [(9, 6), (9, 7), (17, 4), (17, 5)]);
    assert_eq!(places(tall, Role::Accumulator)[3..6], [(9, 3), (17, 2), (17, 3)]);
}

#[test]
fn wmma_moves_touch_every_element_once() {
    for form in forms().iter().filter(|form| form.starts_with("wmma")) {
        let op = multiply(form);
        for (name, fragment) in
            [("load.a", op.fragment_a()), ("load.b", op.fragment_b()), ("store.d", op.fragment_d())]
        {
            for major in ["row", "col"] {
                let element = format!("{:?}", fragment.element).to_lowercase();
                let Shape { m, n, k } = fragment.shape;
                let form = format!("wmma.{name}.sync.aligned.{major}.m{m}n{n}k{k}.global.{element}");
                let (opcode, words) = modifiers(&form);
                let movement = match parse(&opcode, &words) {
                    Some(MatrixOp::WmmaLoad(movement) | MatrixOp::WmmaStore(movement)) => movement,
                    // Types narrower than a byte have only one layout.
                    None if fragment.element.bits() < 8 => continue,
                    other => panic!("{form}: {other:?}"),
                };
                let (rows, columns) = fragment.extent();
                let (outer, inner) = if major == "row" { (rows, columns) } else { (columns, rows) };
                assert_eq!(movement.default_stride(), inner as u64);
                let stride = inner + 32;
                let row_bytes = |elements: usize| elements * fragment.element.bits() / 8;
                let mut touched = vec![0; row_bytes(outer * stride)];
                for &step in movement.steps() {
                    for lane in 0..LANES {
                        let at = movement.byte_offset(lane, step, stride as u64) as usize;
                        assert_eq!(at % step.bytes, 0, "{form}");
                        touched[at..at + step.bytes].iter_mut().for_each(|count| *count += 1);
                    }
                }
                for (at, count) in touched.iter().enumerate() {
                    let inside = at % row_bytes(stride) < row_bytes(inner);
                    assert_eq!(*count, usize::from(inside), "{form} byte {at}");
                }
            }
        }
    }
}

#[test]
fn wmma_loads_place_elements_as_their_fragment_says() {
    for major in ["row", "col"] {
        let form = format!("wmma.load.a.sync.aligned.{major}.m8n32k16.shared::cta.f16");
        let MatrixOp::WmmaLoad(load) = decoded(&form) else { panic!("{form}") };
        let stride = 24;
        let mut registers = vec![[0u32; LANES]; load.fragment.registers()];
        for &step in load.steps() {
            // Memory holds its own element indices.
            for (lane, word) in registers[step.register].iter_mut().enumerate() {
                let first = load.byte_offset(lane, step, stride) as u32 / 2;
                let value = if step.bytes == 4 { first | (first + 1) << 16 } else { first };
                *word |= value << step.shift;
            }
        }
        for (register, lanes) in registers[..load.fragment.distinct_registers()].iter().enumerate() {
            for (lane, word) in lanes.iter().enumerate() {
                for part in 0..2 {
                    let at = load.fragment.position(lane, register, part);
                    let (outer, inner) =
                        if major == "row" { (at.row, at.column) } else { (at.column, at.row) };
                    let expected = outer as u32 * stride as u32 + inner as u32;
                    assert_eq!(word >> (16 * part) & 0xffff, expected);
                }
            }
        }
    }
}
