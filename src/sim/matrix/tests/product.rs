//! D = A·B + C for every form, against a plain triple loop on small integers, and at the edges.

use super::*;

/// A small pseudo-random sequence (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

/// Range of small values that the type holds exactly, and whose sums its accumulator holds.
fn small(element: Element, random: &mut Random) -> i64 {
    let (least, count) = match element {
        Element::B1 => (0, 2),
        Element::U4 => (0, 16),
        Element::S4 => (-8, 16),
        Element::U8 => (0, 256),
        Element::S8 => (-128, 256),
        Element::S32 => (-1_000_000, 2_000_001),
        _ => (-4, 9),
    };
    least + random.next(count) as i64
}

/// Bits of an integer in the type.
fn encode(element: Element, value: i64) -> u64 {
    let float = (value as f32).to_bits();
    let mini = |exponent_bits: u32, mantissa_bits: u32| {
        let bias = (1u32 << (exponent_bits - 1)) - 1;
        let magnitude = float & 0x7fff_ffff;
        let moved = if value == 0 {
            0
        } else {
            (magnitude >> (23 - mantissa_bits)) - ((127 - bias) << mantissa_bits)
        };
        u64::from(moved | float >> 31 << (exponent_bits + mantissa_bits))
    };
    match element {
        Element::F16 => mini(5, 10),
        Element::Bf16 => mini(8, 7),
        Element::E4m3 => mini(4, 3),
        Element::E5m2 => mini(5, 2),
        Element::Tf32 | Element::F32 => u64::from(float),
        Element::F64 => (value as f64).to_bits(),
        _ => value as u64 & (u64::MAX >> (64 - element.bits())),
    }
}

/// Fills a fragment's registers from a matrix given by (matrix, row, column).
fn spread(fragment: Fragment, value: impl Fn(Position) -> u64) -> Vec<[u64; LANES]> {
    let bits = fragment.element.bits();
    (0..fragment.registers())
        .map(|register| {
            std::array::from_fn(|lane| {
                (0..fragment.parts())
                    .map(|part| value(fragment.position(lane, register, part)) << (part * bits))
                    .sum()
            })
        })
        .collect()
}

fn narrow(registers: &[[u64; LANES]]) -> Vec<[u32; LANES]> {
    registers.iter().map(|register| register.map(|word| word as u32)).collect()
}

/// Runs an instruction on registers of either width.
fn run(op: &Multiply, a: &[[u64; LANES]], b: &[[u64; LANES]], c: &[[u64; LANES]]) -> Vec<[u64; LANES]> {
    if op.a == Element::F64 {
        let mut d = vec![[0; LANES]; op.fragment_d().registers()];
        op.run_f64(a, b, c, &mut d);
        d
    } else {
        let mut d = vec![[0; LANES]; op.fragment_d().registers()];
        op.run(&narrow(a), &narrow(b), &narrow(c), &mut d);
        d.iter().map(|register| register.map(u64::from)).collect()
    }
}

fn check_small_integers(form: &str, value: impl Fn(Element, Position, &mut Random) -> i64) {
    let op = multiply(form);
    let Shape { m, n, k } = op.shape;
    let matrices = if op.fragment_a().is_quad_pair() { 4 } else { 1 };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut matrix = |element: Element, rows: usize, columns: usize| -> Vec<i64> {
        (0..matrices * rows * columns)
            .map(|i| {
                let at =
                    Position { matrix: i / (rows * columns), row: i / columns % rows, column: i % columns };
                value(element, at, &mut random)
            })
            .collect()
    };
    let (a, b, c) = (matrix(op.a, m, k), matrix(op.b, k, n), matrix(op.c, m, n));
    let at = |rows: usize, columns: usize, p: Position| (p.matrix * rows + p.row) * columns + p.column;
    let d = run(
        &op,
        &spread(op.fragment_a(), |p| encode(op.a, a[at(m, k, p)])),
        &spread(op.fragment_b(), |p| encode(op.b, b[at(k, n, p)])),
        &spread(op.fragment_c(), |p| encode(op.c, c[at(m, n, p)])),
    );
    let expected = spread(op.fragment_d(), |p| {
        let products = (0..k).map(|i| {
            let (x, y) = (a[at(m, k, Position { column: i, ..p })], b[at(k, n, Position { row: i, ..p })]);
            match op.bit_op {
                Some(BitOp::Xor) => x ^ y,
                _ => x * y,
            }
        });
        encode(op.d, c[at(m, n, p)] + products.sum::<i64>())
    });
    assert_eq!(d, expected, "{form}");
}

#[test]
fn small_integers_are_exact_in_every_form() {
    for form in forms() {
        check_small_integers(&form, |element, _, random| small(element, random));
    }
}

#[test]
fn identity_matrices_copy_the_other_factor() {
    for form in forms() {
        // C is zero, A the identity (k beyond m meets zeros), B random.
        let op = multiply(&form);
        if op.bit_op == Some(BitOp::Xor) {
            continue;
        }
        let b = spread(op.fragment_b(), |p| encode(op.b, ((p.row * 5 + p.column * 3) % 2) as i64));
        let a = spread(op.fragment_a(), |p| encode(op.a, i64::from(p.row == p.column)));
        let zero = vec![[0; LANES]; op.fragment_c().registers()];
        let expected = spread(op.fragment_d(), |p| {
            let inside = p.row < op.shape.k;
            encode(op.d, if inside { ((p.row * 5 + p.column * 3) % 2) as i64 } else { 0 })
        });
        assert_eq!(run(&op, &a, &b, &zero), expected, "{form}");
    }
}

#[test]
fn integer_sums_wrap_or_stay_at_the_limits() {
    for (form, at_top, at_bottom) in [
        ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", i32::MIN + 31, i32::MAX - 31),
        ("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", i32::MAX, i32::MIN),
        ("wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32.satfinite", i32::MAX, i32::MIN),
    ] {
        let op = multiply(form);
        let ones = spread(op.fragment_a(), |_| 1);
        for (factor, start, expected) in [(1, i32::MAX, at_top), (-1, i32::MIN, at_bottom)] {
            let b = spread(op.fragment_b(), |_| encode(op.b, factor));
            let c = spread(op.fragment_c(), |_| encode(op.c, i64::from(start)));
            assert_eq!(run(&op, &ones, &b, &c)[0][0] as i32, expected, "{form}");
        }
    }
}

/// One product of m16n8k16 with f32 sums: the given terms a·b in row 0, column 0, plus c.
fn dot(types: &str, terms: &[(u64, u64)], c: u64) -> u64 {
    let op = multiply(&format!("mma.sync.aligned.m16n8k16.row.col.{types}"));
    let pick = |p: usize, other: usize, first: bool| match terms.get(p) {
        Some(&(a, b)) if other == 0 => {
            if first {
                a
            } else {
                b
            }
        }
        _ => 0,
    };
    let a = spread(op.fragment_a(), |p| pick(p.column, p.row, true));
    let b = spread(op.fragment_b(), |p| pick(p.row, p.column, false));
    let start = spread(op.fragment_c(), |p| if (p.row, p.column) == (0, 0) { c } else { 0 });
    let d = run(&op, &a, &b, &start);
    d[0][0] & (u64::MAX >> (64 - op.d.bits()))
}

#[test]
fn infinities_and_nans_follow_ieee_with_one_nan() {
    const F32: &str = "f32.f16.f16.f32";
    let (one, infinity, minus_infinity, nan) = (0x3c00, 0x7c00, 0xfc00, 0x7e01);
    let f32_bits = |x: f32| u64::from(x.to_bits());
    assert_eq!(dot(F32, &[(infinity, one)], 0), f32_bits(f32::INFINITY));
    assert_eq!(dot(F32, &[(infinity, one), (one, one)], f32_bits(-3.0)), f32_bits(f32::INFINITY));
    assert_eq!(dot(F32, &[(infinity, minus_infinity)], 0), f32_bits(f32::NEG_INFINITY));
    assert_eq!(dot(F32, &[(infinity, one), (minus_infinity, one)], 0), 0x7fff_ffff);
    assert_eq!(dot(F32, &[(infinity, 0)], 0), 0x7fff_ffff);
    assert_eq!(dot(F32, &[(nan, one)], 0), 0x7fff_ffff);
    assert_eq!(dot(F32, &[(one, one)], f32_bits(f32::NEG_INFINITY)), f32_bits(f32::NEG_INFINITY));
    assert_eq!(dot(F32, &[(one, infinity)], f32_bits(f32::NEG_INFINITY)), 0x7fff_ffff);
    assert_eq!(dot("f16.f16.f16.f16", &[(one, one)], nan), 0x7fff);
    assert_eq!(dot("f16.f16.f16.f16", &[(one, infinity)], 0), 0x7c00);
    // Too large for f16, and rounded up to just that: 65504 + 16.
    assert_eq!(dot("f16.f16.f16.f16", &[(0x7bff, 0x7bff)], 0), 0x7c00);
    assert_eq!(dot("f16.f16.f16.f16", &[(0x4c00, one)], 0x7bff), 0x7c00);
    assert_eq!(dot("f16.f16.f16.f16", &[(0x4b00, one)], 0x7bff), 0x7bff);
    // f32 overflow through bf16: the largest power twice.
    assert_eq!(dot("f32.bf16.bf16.f32", &[(0x7f00, 0x3f80), (0x7f00, 0x3f80)], 0), f32_bits(f32::INFINITY));
}

#[test]
fn only_the_row_and_column_of_a_nan_are_lost() {
    let op = multiply("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    let a = spread(op.fragment_a(), |p| if (p.row, p.column) == (3, 5) { 0x7e00 } else { 0x3c00 });
    let b = spread(op.fragment_b(), |_| 0x3c00);
    let zero = vec![[0; LANES]; 4];
    let expected =
        spread(op.fragment_d(), |p| if p.row == 3 { 0x7fff_ffff } else { u64::from(16f32.to_bits()) });
    assert_eq!(run(&op, &a, &b, &zero), expected);
}

#[test]
fn sums_are_cut_as_documented() {
    const F32: &str = "f32.f16.f16.f32";
    let (one, two_to_minus_24) = (0x3c00, 0x0001);
    let value = |bits: u64| f32::from_bits(bits as u32);
    // 1 + 2^-24 + 2^-24: each term survives next to 1 (25 bits are kept), and together they reach f32.
    let small = (two_to_minus_24, one);
    assert_eq!(value(dot(F32, &[(one, one), small, small], 0)), 1.0 + f32::EPSILON);
    assert_eq!(value(dot(F32, &[(one, one), small], 0)), 1.0);
    // Next to 4 they are truncated one by one.
    let four = u64::from(4f32.to_bits());
    assert_eq!(value(dot(F32, &[small, small, small, small, small, small, small, small], four)), 4.0);
    // Towards zero, not to nearest: 1 + 3/4 of an f32 unit.
    assert_eq!(value(dot(F32, &[(one, one), small, (two_to_minus_24, 0x3800)], 0)), 1.0);
    assert_eq!(value(dot(F32, &[(0xbc00, one), small], 0)), -(1.0 - f32::EPSILON / 2.0));
    // A negative zero becomes +0.
    assert_eq!(dot(F32, &[(0x8000, one)], u64::from((-0f32).to_bits())), 0);
    // tf32 ignores the low 13 bits.
    let op = multiply("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
    let a = spread(op.fragment_a(), |p| if p.column == 0 { 0x3f80_1fff } else { 0 });
    let b = spread(op.fragment_b(), |_| 0x3f80_0000);
    assert_eq!(value(run(&op, &a, &b, &vec![[0; LANES]; 4])[0][0]), 1.0);
}

#[test]
fn doubles_are_fused_in_order_of_k() {
    let op = multiply("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64");
    let mut random = Random(7);
    let mut reals = |count: usize| -> Vec<f64> {
        (0..count).map(|_| random.next(1 << 52) as f64 / (1u64 << 50) as f64 - 2.0).collect()
    };
    let (a, b, c) = (reals(32), reals(32), reals(64));
    let d = run(
        &op,
        &spread(op.fragment_a(), |p| a[p.row * 4 + p.column].to_bits()),
        &spread(op.fragment_b(), |p| b[p.row * 8 + p.column].to_bits()),
        &spread(op.fragment_c(), |p| c[p.row * 8 + p.column].to_bits()),
    );
    let expected = spread(op.fragment_d(), |p| {
        let start = c[p.row * 8 + p.column];
        (0..4).fold(start, |sum, k| a[p.row * 4 + k].mul_add(b[k * 8 + p.column], sum)).to_bits()
    });
    assert_eq!(d, expected);
}

#[test]
fn missing_registers_do_no_harm() {
    let op = multiply("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    let mut d = [[1; LANES]; 1];
    op.run(&[], &[[0; LANES]], &[], &mut d);
    assert_eq!(d, [[0; LANES]; 1]);
}

#[test]
fn both_builds_agree_on_any_bits() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for form in forms() {
        let op = multiply(&form);
        if op.a == Element::F64 {
            continue;
        }
        for round in 0..20 {
            let mut registers = |count: usize| -> Vec<[u32; LANES]> {
                // Every other round without the bits that make large exponents.
                let mask = if round % 2 == 0 { u32::MAX } else { 0x87ff_87ff };
                (0..count).map(|_| std::array::from_fn(|_| random.next(1 << 32) as u32 & mask)).collect()
            };
            let (a, b, c) = (
                registers(op.fragment_a().registers()),
                registers(op.fragment_b().registers()),
                registers(op.fragment_c().registers()),
            );
            let mut d = vec![[0; LANES]; op.fragment_d().registers()];
            let mut portable = d.clone();
            op.run(&a, &b, &c, &mut d);
            op.run_any::<false>(&a, &b, &c, &mut portable);
            assert_eq!(d, portable, "{form}");
        }
    }
}
