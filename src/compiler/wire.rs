//! The encoding of values that travel between processes of this program, or are stored in the cache of
//! results: a header that identifies the version, then the length of the value, and the value as encoded by
//! postcard.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read};

/// First bytes of every message, which differ for a binary of another version.
const MAGIC: &[u8] = concat!("gpulearn ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// Encodes a message for [`decode`].
///
/// # Errors
///
/// Fails if postcard cannot encode the value's type, such as a sequence of unknown length.
pub fn encode<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    let value = postcard::to_stdvec(value).map_err(malformed)?;
    Ok([MAGIC, &(value.len() as u64).to_le_bytes(), &value].concat())
}

/// Reads exactly one message. Memory is allocated only as bytes arrive, not according to the declared length.
///
/// # Errors
///
/// Fails if the bytes end too early, are of another version, or don't encode a value of this type.
pub fn decode<T: DeserializeOwned>(mut from: impl Read) -> io::Result<T> {
    let mut magic = [0; MAGIC.len()];
    from.read_exact(&mut magic)?;
    if magic != MAGIC {
        return Err(malformed("another version wrote it"));
    }
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    if from.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    match postcard::take_from_bytes(&bytes).map_err(malformed)? {
        (value, []) => Ok(value),
        _ => Err(malformed("bytes after the value")),
    }
}

fn malformed(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    /// Covers every kind of value that messages consist of.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Message {
        Nothing,
        Text(String, Option<i32>),
        Numbers { wide: Vec<u64>, times: Vec<f64>, flags: Vec<bool> },
        Bytes(#[serde(with = "serde_bytes")] Vec<u8>, Vec<Vec<u8>>),
        Several(Vec<(String, Box<Message>)>),
    }

    fn message() -> impl Strategy<Value = Message> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..20);
        let leaf = prop_oneof![
            Just(Message::Nothing),
            (".{0,9}", any::<Option<i32>>()).prop_map(|(text, number)| Message::Text(text, number)),
            (any::<Vec<u64>>(), prop::collection::vec(-1e9..1e9, 0..9), any::<Vec<bool>>())
                .prop_map(|(wide, times, flags)| Message::Numbers { wide, times, flags }),
            (bytes(), prop::collection::vec(bytes(), 0..9)).prop_map(|(one, many)| Message::Bytes(one, many)),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop::collection::vec((".{0,9}", inner.prop_map(Box::new)), 0..4).prop_map(Message::Several)
        })
    }

    fn framed(length: u64, value: &[u8]) -> Vec<u8> {
        [MAGIC, &length.to_le_bytes(), value].concat()
    }

    proptest! {
        #[test]
        fn a_message_comes_back_and_a_cut_one_is_an_error(value in message(), cut in any::<prop::sample::Index>()) {
            let whole = encode(&value).unwrap();
            let behind = [whole.as_slice(), b"next"].concat();
            let mut from = behind.as_slice();
            prop_assert_eq!(decode::<Message>(&mut from).unwrap(), value);
            prop_assert_eq!(from, b"next");
            prop_assert!(decode::<Message>(&whole[..cut.index(whole.len())]).is_err());
        }

        #[test]
        fn any_bytes_are_a_message_or_an_error(value in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(message) = decode::<Message>(framed(value.len() as u64, &value).as_slice()) {
                // A number may be encoded in more bytes than necessary; the value is the same.
                prop_assert_eq!(format!("{:?}", decode::<Message>(&*encode(&message).unwrap()).unwrap()), format!("{message:?}"));
            }
        }

        #[test]
        fn a_damaged_message_is_no_panic(value in message(), at in any::<prop::sample::Index>(), by in 1u8..) {
            let mut bytes = encode(&value).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            let _ = decode::<Message>(bytes.as_slice());
        }
    }

    /// More bytes than any machine has: allocating them would end this process.
    #[test]
    fn a_length_is_not_believed() {
        let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        let text = postcard::to_stdvec(&Message::Text(String::new(), None)).unwrap();
        let lists = [Message::Bytes(Vec::new(), Vec::new()), Message::Several(Vec::new())];
        let numbers = Message::Numbers { wide: Vec::new(), times: Vec::new(), flags: Vec::new() };
        for message in lists.iter().chain([&numbers]) {
            let value = [&postcard::to_stdvec(message).unwrap()[..1], &most].concat();
            assert!(decode::<Message>(framed(value.len() as u64, &value).as_slice()).is_err());
        }
        for length in [text.len() as u64 + 1, u64::MAX] {
            assert!(decode::<Message>(framed(length, &text).as_slice()).is_err());
        }
        assert!(decode::<Message>(b"running 0 tests\n\ntest result: ok. 0 passed".as_slice()).is_err());
    }
}
