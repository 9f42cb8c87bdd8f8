//! Reads values by a format, as `sscanf` does (ISO C 7.21.6.2).

use super::numbers::{float, is_space, parse_integer};

/// The result of reading a text.
#[derive(Debug)]
pub(super) struct Scanned {
    /// Number of values assigned; -1 if the text ended before the first.
    pub count: i32,
    /// Bytes to store through the pointers, in their order.
    pub stores: Vec<Vec<u8>>,
    /// Bytes consumed.
    pub length: usize,
    /// Whether more text after this one could change the result.
    pub short: bool,
}

/// Reads values from a text by a format.
pub(super) fn scan(text: &[u8], format: &[u8]) -> Scanned {
    let mut scan = Scan { text, at: 0, stores: Vec::new(), assigned: 0, short: false };
    let mut rest = format;
    let mut ended = false;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if is_space(byte) {
            scan.skip_blanks();
        } else if byte != b'%' {
            ended = scan.at >= text.len();
            if text.get(scan.at) != Some(&byte) {
                break;
            }
            scan.at += 1;
        } else {
            match scan.convert(&mut rest) {
                Done::Went => {}
                Done::Ended => {
                    ended = true;
                    break;
                }
                Done::Failed => break,
            }
        }
    }
    let count = if scan.assigned == 0 && ended { -1 } else { scan.assigned };
    Scanned { count, stores: scan.stores, length: scan.at, short: scan.short || ended }
}

enum Done {
    Went,
    Failed,
    /// The text ended.
    Ended,
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    stores: Vec<Vec<u8>>,
    assigned: i32,
    short: bool,
}

impl Scan<'_> {
    fn skip_blanks(&mut self) {
        while self.text.get(self.at).copied().is_some_and(is_space) {
            self.at += 1;
        }
        self.short |= self.at >= self.text.len();
    }

    /// Executes the conversion at the start of `rest`, after its `%`, and removes it from there.
    fn convert(&mut self, rest: &mut &[u8]) -> Done {
        let mut accept = |wanted: &[u8]| match rest.split_first() {
            Some((&byte, after)) if wanted.contains(&byte) => {
                *rest = after;
                Some(byte)
            }
            _ => None,
        };
        let suppressed = accept(b"*").is_some();
        let mut width = 0usize;
        while let Some(digit) = accept(b"0123456789") {
            width = width.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        }
        let mut size = 4;
        while let Some(modifier) = accept(b"hlzjtL") {
            size = match (modifier, size) {
                (b'h', 2) => 1,
                (b'h', _) => 2,
                _ => 8,
            };
        }
        let Some((&conversion, after)) = rest.split_first() else { return Done::Failed };
        *rest = after;
        let set = if conversion == b'[' { Some(set(rest)) } else { None };
        if !matches!(conversion, b'c' | b'[' | b'n') {
            self.skip_blanks();
        }
        if conversion == b'n' {
            self.store(suppressed, false, (self.at as u64).to_le_bytes()[..size].to_vec());
            return Done::Went;
        }
        let left = &self.text[self.at..];
        if left.is_empty() {
            return Done::Ended;
        }
        let most = if width > 0 { width.min(left.len()) } else { left.len() };
        let field = &left[..most];
        let (length, bytes) = match conversion {
            b'%' => {
                if field.first() != Some(&b'%') {
                    return Done::Failed;
                }
                self.at += 1;
                return Done::Went;
            }
            b'd' | b'u' | b'i' | b'x' | b'X' | b'o' | b'p' => {
                let base = match conversion {
                    b'i' => 0,
                    b'o' => 8,
                    b'd' | b'u' => 10,
                    _ => 16,
                };
                let size = if conversion == b'p' { 8 } else { size };
                let number = parse_integer(field, base);
                (number.length, (number.value as u64).to_le_bytes()[..size].to_vec())
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let (value, length) = float(field);
                let bytes = if size == 8 {
                    value.to_le_bytes().to_vec()
                } else {
                    (value as f32).to_le_bytes().to_vec()
                };
                (length, bytes)
            }
            b'c' => {
                let length = width.max(1);
                if field.len() < length {
                    return Done::Ended;
                }
                (length, field[..length].to_vec())
            }
            b's' | b'[' => {
                let wanted = |byte: u8| match &set {
                    Some((negated, set)) => set.contains(&byte) != *negated,
                    None => !is_space(byte),
                };
                let word: Vec<u8> = field.iter().copied().take_while(|&byte| wanted(byte)).collect();
                (word.len(), [word.as_slice(), &[0]].concat())
            }
            _ => return Done::Failed,
        };
        let whole = length == left.len() || !left.iter().copied().any(is_space);
        self.short |= conversion != b'c' && whole && length != width;
        if length == 0 {
            return Done::Failed;
        }
        self.at += length;
        self.store(suppressed, true, bytes);
        Done::Went
    }

    fn store(&mut self, suppressed: bool, counts: bool, bytes: Vec<u8>) {
        if !suppressed {
            self.stores.push(bytes);
            self.assigned += i32::from(counts);
        }
    }
}

/// Parses the set of a `%[…]` after its bracket. Returns whether it is negated, and its characters.
fn set(rest: &mut &[u8]) -> (bool, Vec<u8>) {
    let negated = rest.first() == Some(&b'^');
    if negated {
        *rest = &rest[1..];
    }
    let mut set = Vec::new();
    let mut first = true;
    while let Some((&byte, after)) = rest.split_first() {
        *rest = after;
        if byte == b']' && !first {
            break;
        }
        first = false;
        match (byte, set.last().copied(), after.first().copied()) {
            (b'-', Some(low), Some(high)) if high != b']' => set.extend(low..=high),
            _ => set.push(byte),
        }
    }
    (negated, set)
}

#[cfg(test)]
mod tests {
    use super::scan;

    #[test]
    fn a_text_that_may_go_on_is_short() {
        for (text, format, length, short) in [
            ("12", "%d", 2, true),
            ("12\n", "%d", 2, false),
            ("12\n", "%d%c", 3, false),
            ("12 \n", "%d ", 4, true),
            ("1e", "%f", 1, true),
            ("123", "%2d", 2, false),
            ("ab\ncd", "%[^\n]", 2, false),
            ("a b", "%[^,]", 3, true),
            ("", "%d", 0, true),
        ] {
            let scanned = scan(text.as_bytes(), format.as_bytes());
            assert_eq!((scanned.length, scanned.short), (length, short), "{text:?} {format}");
        }
    }

    #[test]
    fn values_are_read_as_c_reads_them() {
        let one = |text: &str, format: &str| {
            let scanned = scan(text.as_bytes(), format.as_bytes());
            (scanned.count, scanned.stores)
        };
        assert_eq!(one("12 x", "%d"), (1, vec![12i32.to_le_bytes().to_vec()]));
        assert_eq!(
            one("a=5,b=6", "a=%d,b=%ld"),
            (2, vec![5i32.to_le_bytes().to_vec(), 6i64.to_le_bytes().to_vec()])
        );
        assert_eq!(
            one(" 1.5 2.5", "%f%lf"),
            (2, vec![1.5f32.to_le_bytes().to_vec(), 2.5f64.to_le_bytes().to_vec()])
        );
        assert_eq!(one("word two", "%s"), (1, vec![b"word\0".to_vec()]));
        assert_eq!(one("1234", "%2d%d").1, vec![12i32.to_le_bytes().to_vec(), 34i32.to_le_bytes().to_vec()]);
        assert_eq!(one("k:v", "%[^:]:%c"), (2, vec![b"k\0".to_vec(), b"v".to_vec()]));
        assert_eq!(one("ff", "%x").1, vec![255i32.to_le_bytes().to_vec()]);
        assert_eq!(
            one("7 8", "%*d %d%n"),
            (1, vec![8i32.to_le_bytes().to_vec(), 3i32.to_le_bytes().to_vec()])
        );
        assert_eq!(one("", "%d").0, -1);
        assert_eq!(one("x", "%d").0, 0);
        assert_eq!(one("1 x", "%d %d").0, 1);
        for format in ["%", "%[", "%[^", "%5", "%l", "%q", "%[a-", "%%%"] {
            one("abc % 12", format);
        }
    }
}
