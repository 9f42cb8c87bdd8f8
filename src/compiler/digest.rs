//! SHA-256 digests, which identify results, files and courses.

use sha2::{Digest, Sha256};
use std::io::{self, BufReader, Read};

/// Returns the digest of a list. Each part is preceded by its length (8 bytes, little-endian), so that
/// different lists never hash the same bytes.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Returns the digest of bytes as they are; in hexadecimal, it is what `sha256sum` prints.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns the digest of everything that is left to read.
///
/// # Errors
///
/// Fails if reading fails.
pub fn sha256_of(from: impl Read) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    io::copy(&mut BufReader::with_capacity(1 << 20, from), &mut hash)?;
    Ok(hash.finalize().into())
}

/// Returns bytes in hexadecimal, as two lower-case digits each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digest of "abc", from the example in FIPS 180-4.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn bytes_and_files_are_hashed_alike() {
        assert_eq!(hex(&sha256(b"abc")), ABC);
        assert_eq!(hex(&sha256_of(b"abc".as_slice()).unwrap()), ABC);
    }

    #[test]
    fn lists_that_run_together_differ() {
        assert_ne!(digest([b"ab".as_slice(), b"c"]), digest([b"a".as_slice(), b"bc"]));
        assert_eq!(digest([]), sha256(b""));
        let spelled = [3u64.to_le_bytes().as_slice(), b"abc"].concat();
        assert_eq!(digest([b"abc".as_slice()]), sha256(&spelled));
    }
}
