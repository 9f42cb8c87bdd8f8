use super::*;
use proptest::prelude::*;

fn sizes() -> Case {
    [("n", 15), ("rows", 3), ("cols", 4)].map(|(name, size)| (name.to_owned(), size)).into_iter().collect()
}

fn value(text: &str) -> Result<i64, String> {
    Formula::parse(text).and_then(|f| f.value(&sizes())).map_err(|e| e.message)
}

#[test]
fn arithmetic_follows_c() {
    for (text, wanted) in [
        ("n", 15),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("100 / 7 / 2", 7),
        ("-7 / 2", -3),
        ("-7 % 4", -3),
        ("2 - -3", 5),
        ("ceil_div(n, 8)", 2),
        ("ceil_div(16, 8)", 2),
        ("ceil_div(-7, 2)", -3),
        ("ceil_div(7, -2)", -3),
        ("ceil_div(-7, -2)", 4),
        ("max(rows, cols) * min(rows, cols)", 12),
        ("log2(1) + log2(n)", 3),
        ("abs(rows - n)", 12),
        ("1_000", 1000),
        ("  rows*cols ", 12),
        ("n > 3 and rows + 1 >= cols", 1),
        ("n < 3 or rows != 3 or not(cols == 4)", 0),
        ("1 == 1 or 1 == 0 and 1 == 0", 1),
        ("2 * (n <= 15) + (n < 15)", 2),
    ] {
        assert_eq!(value(text), Ok(wanted), "{text}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    for (text, wanted) in [
        ("m", "unknown name \"m\"; the case has: n, rows, cols"),
        ("n / (rows - 3)", "division by zero"),
        ("n % 0", "division by zero"),
        ("ceil_div(n, 0)", "division by zero"),
        ("9223372036854775807 + 1", "the value does not fit in 64 bits"),
        ("(-9223372036854775807 - 1) / -1", "the value does not fit in 64 bits"),
        ("abs(-9223372036854775807 - 1)", "the value does not fit in 64 bits"),
        ("9223372036854775808", "\"9223372036854775808\" is not a 64-bit whole number"),
        ("8x", "\"8x\" is not a 64-bit whole number"),
        ("log2(0)", "log2 of a number that is not positive"),
        ("sqrt(4)", "unknown function \"sqrt\"; there are ceil_div, min, max, log2, abs and not"),
        ("n +", "ends where a number, a name or \"(\" should be"),
        ("", "ends where a number, a name or \"(\" should be"),
        ("n ? 1", "expected an operator or the end, found '?' at character 3"),
        ("min(1)", "expected \",\" and another operand of min, found ')' at character 6"),
        ("1 < 2 < 3", "expected an operator or the end, found '<' at character 7"),
        ("n android", "expected an operator or the end, found 'a' at character 3"),
        ("n. + 1", "\"n.\" is not a name: use words joined by single dots"),
        ("a..b", "\"a..b\" is not a name: use words joined by single dots"),
        ("row.sectors", "unknown name \"row.sectors\"; the case has: n, rows, cols"),
        ("(n", "ends where \")\" should be"),
    ] {
        assert_eq!(value(text), Err(wanted.to_owned()), "{text}");
    }
}

#[test]
fn remainder_of_the_lowest_number() {
    assert_eq!(value("(-9223372036854775807 - 1) % -1"), Ok(0));
}

#[test]
fn depth_and_length_are_bounded() {
    assert_eq!(
        value(&format!("{}1{}", "(".repeat(400), ")".repeat(400))),
        Err("nested deeper than 64".into())
    );
    assert_eq!(value(&"-".repeat(900)), Err("nested deeper than 64".into()));
    assert!(value(&"1+".repeat(2_000)).is_err());
}

#[derive(Clone, Debug)]
enum Tree {
    Number(i64),
    Negate(Box<Tree>),
    Binary(Box<Tree>, &'static str, Box<Tree>),
    Call(&'static str, Box<Tree>, Box<Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![any::<i64>(), -9i64..9].prop_map(Tree::Number);
    leaf.prop_recursive(5, 40, 2, |inner| {
        let operator = proptest::sample::select(vec!["+", "-", "*", "/", "%"]);
        let function = proptest::sample::select(vec!["min", "max", "ceil_div"]);
        prop_oneof![
            inner.clone().prop_map(|a| Tree::Negate(Box::new(a))),
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| Tree::Binary(
                Box::new(a),
                o,
                Box::new(b)
            )),
            (function, inner.clone(), inner).prop_map(|(f, a, b)| Tree::Call(f, Box::new(a), Box::new(b))),
        ]
    })
}

/// Written with the fewest parentheses that preserve the tree, to test operator precedence.
fn text(tree: &Tree, tightness: u8) -> String {
    let (own, text) = match tree {
        Tree::Number(i64::MIN) => (0, "-9223372036854775807 - 1".into()),
        Tree::Number(number) => (if *number < 0 { 2 } else { 3 }, number.to_string()),
        Tree::Negate(a) => (2, format!("-{}", text(a, 2))),
        Tree::Binary(a, operator @ ("+" | "-"), b) => {
            (0, format!("{} {operator} {}", text(a, 0), text(b, 1)))
        }
        Tree::Binary(a, operator, b) => (1, format!("{}{operator}{}", text(a, 1), text(b, 2))),
        Tree::Call(name, a, b) => (3, format!("{name}({}, {})", text(a, 0), text(b, 0))),
    };
    if own < tightness { format!("({text})") } else { text }
}

/// Computes in 128 bits, where no operation on such values overflows; `None` if the result does not fit in 64 bits.
fn wide(tree: &Tree) -> Option<i128> {
    let value = match tree {
        Tree::Number(number) => i128::from(*number),
        Tree::Negate(a) => -wide(a)?,
        Tree::Binary(a, operator, b) => {
            let (a, b) = (wide(a)?, wide(b)?);
            match *operator {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a.checked_div(b)?,
                _ => a.checked_rem(b)?,
            }
        }
        Tree::Call(name, a, b) => {
            let (a, b) = (wide(a)?, wide(b)?);
            match *name {
                "min" => a.min(b),
                "max" => a.max(b),
                _ if b == 0 => return None,
                // The least integer not below a / b: the greatest not above -a / b, negated.
                _ => -(-a * b.signum()).div_euclid(b.abs()),
            }
        }
    };
    i64::try_from(value).ok().map(i128::from)
}

proptest! {
    #[test]
    fn agrees_with_wide_arithmetic(tree in tree()) {
        let got = Formula::parse(&text(&tree, 0)).and_then(|f| f.value(&sizes()));
        prop_assert_eq!(got.ok().map(i128::from), wide(&tree), "{}", text(&tree, 0));
    }

    #[test]
    fn no_text_panics(text in "[-+*/%(),<>=!.a-z0-9_ é]{0,60}") {
        let _ = Formula::parse(&text).and_then(|f| f.value(&sizes()));
    }
}
