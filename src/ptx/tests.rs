use super::*;

const HEAD: &str = ".version 8.8\n.target sm_90a, debug\n.address_size 64\n";

/// Returns the operands of `instruction`, parsed inside a function.
fn operands(instruction: &str) -> Vec<Operand<'static>> {
    let text: &'static str = format!("{HEAD}.entry k() {{ {instruction}; }}").leak();
    let module = parse(text).unwrap_or_else(|error| panic!("{instruction}: {error}"));
    match module.functions[0].body.as_deref() {
        Some([Statement::Instruction(instruction)]) => instruction.operands.clone(),
        body => panic!("{instruction}: {body:?}"),
    }
}

fn message(text: &str) -> String {
    parse(&format!("{HEAD}{text}")).expect_err(text).to_string()
}

fn int(value: i64) -> Operand<'static> {
    Operand::Immediate(Immediate::Int(value))
}

#[test]
fn operand_forms() {
    use Operand::*;
    let address = |base, offset| Address { base, offset };
    assert_eq!(
        operands("mov.u32 %r1, %ctaid.x, %v.x, %r2.b0, _, x"),
        [
            Name("%r1"),
            Name("%ctaid.x"),
            Part { name: "%v", part: "x" },
            Part { name: "%r2", part: "b0" },
            Sink,
            Name("x")
        ]
    );
    assert_eq!(
        operands("ld [a], [%r+-4], [%r+0x10], [a+4*2-1], [5], [%r-8], [ 010 ]"),
        [
            address(Some("a"), 0),
            address(Some("%r"), -4),
            address(Some("%r"), 16),
            address(Some("a"), 7),
            address(None, 5),
            address(Some("%r"), -8),
            address(None, 8)
        ]
    );
    assert_eq!(
        operands("setp %p|%q, _|%p, !%p, a+4, {a, _, 1}, {}"),
        [
            Pair("%p", "%q"),
            Pair("_", "%p"),
            Not("%p"),
            Offset { name: "a", offset: 4 },
            Vector(vec![Name("a"), Sink, int(1)]),
            Vector(vec![])
        ]
    );
    assert_eq!(
        operands("call.uni (r), f, (a, 2), proto"),
        [List(vec![Name("r")]), Name("f"), List(vec![Name("a"), int(2)]), Name("proto")]
    );
    assert_eq!(
        operands("cp [m, {%r1, 0}], [t, s, {%f1}], [t, %r1]"),
        [
            TensorAddress { base: "m", coordinates: vec![Name("%r1"), int(0)] },
            SampledAddress { texture: "t", sampler: "s", coordinates: vec![Name("%f1")] },
            TensorAddress { base: "t", coordinates: vec![Name("%r1")] },
        ]
    );
}

#[test]
fn constants() {
    let value = |text: &str| match operands(&format!("mov _, {text}")).as_slice() {
        [_, Operand::Immediate(value)] => *value,
        other => panic!("{text}: {other:?}"),
    };
    for (text, expected) in [
        ("0x1F", 31),
        ("0b101", 5),
        ("017", 15),
        ("0", 0),
        ("7U", 7),
        ("4*8", 32),
        ("(1<<3)|1", 9),
        ("2+3*4-1", 13),
        ("10-4-3", 3),
        ("~0", -1),
        ("!0", 1),
        ("!(3-3)", 1),
        ("-9223372036854775808", i64::MIN),
        ("18446744073709551615", -1),
        ("(-9223372036854775807-1)/-1", i64::MIN),
        ("18446744073709551615>>60", 15),
        ("-16>>2", -4),
        ("17%5", 2),
        ("17 %5", 2),
        ("1<<64", 0),
        ("-1>>99", -1),
        ("WARP_SZ*2", 64),
        ("(.u64)-1>>63", 1),
        ("6&3^1", 3),
    ] {
        assert_eq!(value(text), Immediate::Int(expected), "{text}");
    }
    assert_eq!(value("0f3F800000"), Immediate::F32(0x3f80_0000));
    assert_eq!(value("-0F3f800000"), Immediate::F32(0xbf80_0000));
    assert_eq!(value("0d3FF0000000000000"), Immediate::F64(1.0_f64.to_bits()));
    for text in ["1.5", "-2.5e-3", "1E5", "3.", ".25"] {
        let expected: f64 = text.parse().unwrap();
        assert_eq!(value(text), Immediate::F64(expected.to_bits()), "{text}");
    }
}

#[test]
fn locations_tell_where_inline_code_stands() {
    let text = ".func f() { .loc 1 42 3, function_name $s+8, inlined_at 1 7 1\n bad %r1 %r2; }";
    let error = parse(&format!("{HEAD}{text}")).unwrap_err();
    assert_eq!(error.location, Some(Location { file: 1, line: 42, column: 3, inlined_at: Some((1, 7, 1)) }));
    assert_eq!((error.line, error.column), (5, 10));
}

#[test]
fn messages_escape_what_they_quote() {
    let text = message("\u{1b}[31m");
    assert!(text.contains("`\\u{1b}`"), "{text}");
    let text = message(".entry k() { \u{202e}");
    assert!(text.contains("`\\u{202e}`"), "{text}");
    let text = message(&format!(".{}", "x".repeat(10_000)));
    assert!(text.len() < 200, "{text}");
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("{", "}"), ("mov x, {", "};"), ("mov ", "1;"), ("tex.1d [a,", "];")] {
        let inner = if open == "mov " { "(".repeat(100_000) } else { String::new() };
        let text = format!("{HEAD}.func f() {{ {}{inner}{}", open.repeat(100_000), close.repeat(9));
        let text = parse(&text).unwrap_err().to_string();
        assert!(text.contains("nested") || text.contains("expected"), "{text}");
    }
    let deep = message(&format!(".func f() {{ mov x, {}1;", "-".repeat(100_000)));
    assert!(deep.contains("nested more than"), "{deep}");
    let deep = message(&format!(".global .u32 x[] = {}", "{".repeat(100_000)));
    assert!(deep.contains("nested more than"), "{deep}");
}
