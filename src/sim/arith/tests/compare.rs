//! Comparisons: each operator by its definition.

use super::super::compare::*;
use super::{EDGES_F32, EDGES_INT};

const NAMES: [(&str, CmpOp); 18] = [
    ("eq", CmpOp::Eq),
    ("ne", CmpOp::Ne),
    ("lt", CmpOp::Lt),
    ("le", CmpOp::Le),
    ("gt", CmpOp::Gt),
    ("ge", CmpOp::Ge),
    ("lo", CmpOp::Lt),
    ("ls", CmpOp::Le),
    ("hi", CmpOp::Gt),
    ("hs", CmpOp::Ge),
    ("equ", CmpOp::Equ),
    ("neu", CmpOp::Neu),
    ("ltu", CmpOp::Ltu),
    ("leu", CmpOp::Leu),
    ("gtu", CmpOp::Gtu),
    ("geu", CmpOp::Geu),
    ("num", CmpOp::Num),
    ("nan", CmpOp::Nan),
];

/// The operator by its name in PTX.
pub fn named(name: &str) -> Option<CmpOp> {
    NAMES.into_iter().find_map(|(its_name, op)| (its_name == name).then_some(op))
}

#[test]
fn floats_ordered_and_unordered() {
    for (name, op) in NAMES {
        for a in EDGES_F32 {
            for b in EDGES_F32 {
                // -1, 0, 1, or none where an operand is NaN.
                let order = a.partial_cmp(&b).map(|o| o as i32);
                let wanted = match (name.trim_end_matches('u'), order) {
                    ("num", _) => order.is_some(),
                    ("nan", _) => order.is_none(),
                    (_, None) => name.ends_with('u'),
                    ("eq", Some(o)) => o == 0,
                    ("ne", Some(o)) => o != 0,
                    ("lt" | "lo", Some(o)) => o < 0,
                    ("le" | "ls", Some(o)) => o <= 0,
                    ("gt" | "hi", Some(o)) => o > 0,
                    ("ge" | "hs", Some(o)) => o >= 0,
                    other => panic!("{other:?}"),
                };
                assert_eq!(float(op, a, b), wanted, "{name} {a} {b}");
                assert_eq!(float(op, a as f64, b as f64), wanted, "{name} {a} {b}");
            }
        }
    }
}

#[test]
fn integers_by_type() {
    for a in EDGES_INT {
        for b in EDGES_INT {
            assert_eq!(int(CmpOp::Lt, a as i32, b as i32), (a as i32) < b as i32);
            assert_eq!(int(CmpOp::Lt, a as u32, b as u32), (a as u32) < b as u32);
            assert_eq!(int(CmpOp::Ge, a, b), a >= b);
            assert_eq!(int(CmpOp::Le, a, b), a <= b);
            assert_eq!(int(CmpOp::Gt, a, b), a > b);
            assert_eq!(int(CmpOp::Ge, a as i16, b as i16), a as i16 >= b as i16);
            assert_eq!(int(CmpOp::Ne, a, b), !int(CmpOp::Eq, a, b));
            assert_eq!(int(CmpOp::Gt, a, b), !int(CmpOp::Le, a, b));
        }
    }
}

#[test]
fn setting_and_selecting() {
    assert_eq!((set_u32(true), set_u32(false)), (u32::MAX, 0));
    assert_eq!((set_f32(true), set_f32(false)), (1.0, 0.0));
    assert_eq!((set_f16(true), set_bf16(true), set_f16(false)), (0x3c00, 0x3f80, 0));
    assert_eq!((slct_s32(1, 2, 0), slct_s32(1, 2, -1)), (1, 2));
    assert_eq!((slct_f32(1, 2, -0.0), slct_f32(1, 2, f32::NAN), slct_f32(1, 2, -1.0)), (1, 2, 2));
}
