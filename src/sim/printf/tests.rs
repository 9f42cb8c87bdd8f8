use super::*;

#[derive(Clone, Copy, Debug)]
enum Arg {
    Int(i32),
    Long(i64),
    Double(f64),
    /// Address of a string; see [`print`].
    Text(u64),
}

/// Formats with arguments of the sizes that the device would pass; asking for another size fails.
fn print_bytes(format: &[u8], args: &[Arg]) -> Vec<u8> {
    let mut args = args.iter();
    let mut read_arg = |size: usize| match (size, args.next()) {
        (4, Some(&Arg::Int(value))) => u64::from(value as u32),
        (8, Some(&Arg::Long(value))) => value as u64,
        (8, Some(&Arg::Double(value))) => value.to_bits(),
        (8, Some(&Arg::Text(address))) => address,
        (size, arg) => panic!("{size} bytes were asked for where {arg:?} is passed"),
    };
    let mut read_string = |address: u64, most: usize| {
        let mut text = format!("string {address}").into_bytes();
        text.truncate(most);
        text
    };
    render(format, &mut read_arg, &mut read_string)
}

fn print(format: &str, args: &[Arg]) -> String {
    String::from_utf8(print_bytes(format.as_bytes(), args)).unwrap()
}

/// What glibc 2.36 printed: format, arguments (i: int, l: long, d: double), output, parted by tabs.
#[test]
fn numbers_print_as_glibc_prints_them() {
    let mut checked = 0;
    for row in include_str!("glibc.tsv").lines() {
        let [format, args, expected] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row:?} has no three columns")
        };
        let args: Vec<Arg> = args
            .split_whitespace()
            .map(|arg| match arg.split_at(1) {
                ("i", value) => Arg::Int(value.parse().unwrap()),
                ("l", value) => Arg::Long(value.parse().unwrap()),
                (_, "INFINITY") => Arg::Double(f64::INFINITY),
                (_, "-INFINITY") => Arg::Double(-f64::INFINITY),
                (_, value) => Arg::Double(value.parse().unwrap()),
            })
            .collect();
        assert_eq!(print(format, &args), expected, "{format} {args:?}");
        checked += 1;
    }
    assert!(checked > 450);
}

#[test]
fn strings_and_pointers() {
    assert_eq!(print("<%s>", &[Arg::Text(7)]), "<string 7>");
    assert_eq!(print("<%10s|%-10s>", &[Arg::Text(1), Arg::Text(2)]), "<  string 1|string 2  >");
    assert_eq!(
        print("<%.3s|%.0s|%.*s>", &[Arg::Text(1), Arg::Text(2), Arg::Int(20), Arg::Text(3)]),
        "<str||string 3>"
    );
    assert_eq!(print("<%s|%.3s|%.6s>", &[Arg::Text(0), Arg::Text(0), Arg::Text(0)]), "<(null)||(null)>");
    assert_eq!(
        print("<%p|%20p|%-8p>", &[Arg::Long(0x7f00_1234), Arg::Long(255), Arg::Long(0)]),
        "<0x7f001234|                0xff|(nil)   >"
    );
    assert_eq!(print_bytes(b"%c%c", &[Arg::Int(0), Arg::Int(511)]), [0, 255]);
}

#[test]
fn arguments_are_taken_in_order_and_by_size() {
    assert_eq!(
        print(
            "%d %f %lld %c %s %u",
            &[Arg::Int(-1), Arg::Double(0.5), Arg::Long(1 << 40), Arg::Int(65), Arg::Text(3), Arg::Int(-1)]
        ),
        "-1 0.500000 1099511627776 A string 3 4294967295"
    );
}

#[test]
fn broken_conversions_are_printed_as_written() {
    assert_eq!(print("100%! %y %-5w %", &[]), "100%! %y %-5w %");
    assert_eq!(print("%d %k %d", &[Arg::Int(1), Arg::Int(2)]), "1 %k 2");
    assert_eq!(print("%-08", &[]), "%-08");
}

#[test]
fn bytes_that_are_not_text_pass_through() {
    assert_eq!(
        print_bytes(&[0xff, b'%', b'd', 0xfe, b'%', 0xfd], &[Arg::Int(5)]),
        [0xff, b'5', 0xfe, b'%', 0xfd]
    );
}

#[test]
fn fields_and_output_are_bounded() {
    assert_eq!(print("%999999999d", &[Arg::Int(1)]).len(), MAX_FIELD);
    assert_eq!(print("%99999999999999999999999d", &[Arg::Int(1)]).len(), MAX_FIELD);
    assert_eq!(print("%.999999999d", &[Arg::Int(1)]).len(), MAX_FIELD);
    assert_eq!(print("%.999999999f", &[Arg::Double(0.1)]).len(), MAX_FIELD + 2);
    assert_eq!(print("%.999999999e", &[Arg::Double(1e300)]).len(), MAX_FIELD + 7);
    assert_eq!(print("%#.999999999g", &[Arg::Double(5e-324)]).len(), MAX_FIELD + 6);
    assert_eq!(print("%.999999999a", &[Arg::Double(1.0)]).len(), MAX_FIELD + 7);
    assert_eq!(print("%*d", &[Arg::Int(i32::MIN), Arg::Int(1)]).len(), MAX_FIELD);
    let many = "%4096d".repeat(300);
    assert_eq!(print(&many, &vec![Arg::Int(1); 300]).len(), MAX_OUTPUT);
    assert_eq!(print(&"x".repeat(MAX_OUTPUT + 5), &[]).len(), MAX_OUTPUT);
}
