//! Images in kitty's graphics protocol: <https://sw.kovidgoyal.net/kitty/graphics-protocol>.

use super::{Image, colour};

/// Maximum number of data characters in one sequence.
const CHUNK: usize = 4096;

/// Returns the sequences that draw an image at the cursor, `columns` wide; its height follows from square pixels.
pub fn kitty(image: &Image, columns: usize) -> String {
    let bytes: Vec<u8> = image.levels.iter().flat_map(|level| colour::colour(*level)).collect();
    let data = base64(&bytes);
    let last = data.len().div_ceil(CHUNK).max(1) - 1;
    let mut out = String::with_capacity(data.len() + 16 * (last + 1));
    for n in 0..=last {
        out += "\x1b_G";
        if n == 0 {
            // Transmit and display at once (T), as RGB (24); suppress responses (q), which a shell would read as
            // keys.
            out += &format!("a=T,f=24,q=2,s={},v={},c={columns},", image.cols, image.rows);
        }
        let chunk = &data[n * CHUNK..data.len().min((n + 1) * CHUNK)];
        out += &format!("m={};{chunk}\x1b\\", u8::from(n < last));
    }
    out
}

/// Encodes bytes in base64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0usize, |bits, n| bits << 8 | usize::from(three.get(n).copied().unwrap_or(0)));
        for digit in 0..4 {
            let there = digit <= three.len();
            out.push(if there { char::from(DIGITS[bits >> (18 - 6 * digit) & 63]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_that_of_the_rfc() {
        let all =
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| super::base64(text.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
