//! Products that an H100 computed from random values: exponents far apart, zeros and subnormal values,
//! infinities and NaNs.

use super::*;

/// The form in 40 bytes, then the registers of a, b, c and d: 32 lanes of little-endian words each.
const RECORDS: &[u8] = include_bytes!("h100.bin");

#[test]
fn results_are_those_of_an_h100() {
    let mut rest = RECORDS;
    let mut products = 0;
    while !rest.is_empty() {
        let (name, tail) = rest.split_at(40);
        rest = tail;
        let form = String::from_utf8(name.iter().copied().take_while(|&byte| byte != 0).collect()).unwrap();
        let op = multiply(&format!("mma.sync.aligned.{form}"));
        let mut take = |fragment: Fragment| -> Vec<[u32; LANES]> {
            let (bytes, tail) = rest.split_at(fragment.registers() * LANES * 4);
            rest = tail;
            let words = bytes.as_chunks::<4>().0.as_chunks::<LANES>().0;
            words.iter().map(|lanes| lanes.map(u32::from_le_bytes)).collect()
        };
        let (a, b, c) = (take(op.fragment_a()), take(op.fragment_b()), take(op.fragment_c()));
        let expected = take(op.fragment_d());
        let mut d = vec![[0; LANES]; expected.len()];
        op.run(&a, &b, &c, &mut d);
        assert_eq!(d, expected, "{form}, record {products}");
        products += 1;
    }
    assert_eq!(products, 24);
}
