//! Every row against an independent reference, and every instruction that the compiler emits found.

use super::*;
use std::collections::HashSet;

#[test]
fn a_name_has_one_row_in_a_mode() {
    let mut seen = HashSet::new();
    for row in tables() {
        for name in row.names {
            assert!(seen.insert((row.takes_mode, name)), "{name} is given twice");
        }
    }
}
