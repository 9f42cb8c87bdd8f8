//! Reads a submission as text: its file name, which may be any bytes, and its contents.

use super::tool_limit::ToolLimit;
use super::verdict::Failure;
use compiler::Diagnostic;
use cpp::place;
use std::ffi::OsStr;
use std::fmt::Write;
use std::ops::Range;

/// Largest source in bytes. No lesson needs more; the compiler has a limit of its own.
pub const MAX_SOURCE_BYTES: u64 = 1 << 20;
/// The byte order mark that some editors put before UTF-8 text.
const UTF_8: &[u8] = b"\xef\xbb\xbf";
/// The byte order marks of UTF-16.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Converts a file name to text: bytes that are not UTF-8 are written as `\xff`. Nothing else is escaped.
pub fn name_of(name: &OsStr) -> String {
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// Returns whether a file name has the extension of CUDA C++.
pub fn is_cuda(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.len() >= 3 && name[name.len() - 3..].eq_ignore_ascii_case(b".cu")
}

/// Returns the text of a source, without a byte order mark. If the file is larger than [`MAX_SOURCE_BYTES`],
/// `bytes` must have at least one byte more than that.
///
/// # Errors
///
/// Returns why the file is not CUDA C++, for the learner to fix.
pub fn text_of(mut bytes: Vec<u8>, file: &str) -> Result<String, Box<Failure>> {
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        let limit = ToolLimit::Source { file: file.into(), most_bytes: MAX_SOURCE_BYTES };
        return Err(Box::new(Failure::Limit(limit)));
    }
    let refuse = |at: usize, bytes: &[u8], message: String| {
        Box::new(Failure::Compile(vec![Diagnostic::error(file, place(bytes, at), message)]))
    };
    if UTF_16.iter().any(|mark| bytes.starts_with(mark)) {
        return Err(refuse(0, &bytes, "the file is saved as UTF-16: save it as UTF-8".into()));
    }
    if bytes.starts_with(UTF_8) {
        bytes.drain(..UTF_8.len());
    }
    if let Some(at) = bytes.iter().position(|&b| b == 0) {
        return Err(refuse(at, &bytes, "a zero byte is not CUDA C++: is this the right file?".into()));
    }
    String::from_utf8(bytes).or_else(|e| {
        let at = e.utf8_error().valid_up_to();
        with_comments_replaced(e.as_bytes()).ok_or_else(|| {
            let byte = e.as_bytes().get(at).copied().unwrap_or_default();
            let message =
                format!("byte 0x{byte:02x} is not UTF-8 text: if this is the right file, save it as UTF-8");
            refuse(at, e.as_bytes(), message)
        })
    })
}

/// Decodes a source in an older encoding if only its comments contain bytes that are not UTF-8; each such byte
/// becomes `?`.
fn with_comments_replaced(bytes: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        replaced.extend(text.len()..text.len() + chunk.invalid().len());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    let comments: Vec<Range<usize>> = cpp::comments(&text).collect();
    let is_comment = |at: &usize| comments.iter().any(|comment| comment.contains(at));
    replaced.iter().all(is_comment).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_refused_with_its_place() {
        let cases: [(&[u8], u32, u32, &str); 7] = [
            (b"ab\ncd\xffe", 2, 3, "byte 0xff"),
            (b"\"caf\xe9\"; // caf\xe9\n", 1, 5, "save it as UTF-8"),
            (b"/* caf\xe9 */ caf\xe9\n", 1, 7, "save it as UTF-8"),
            (b"\0", 1, 1, "zero byte"),
            ("é\n\u{e9}\0".as_bytes(), 2, 2, "zero byte"),
            (b"\xff\xfei\0n\0t\0", 1, 1, "saved as UTF-16"),
            (b"\xfe\xff\0i\0n\0t", 1, 1, "saved as UTF-16"),
        ];
        for (bytes, line, column, says) in cases {
            let Err(failure) = text_of(bytes.to_vec(), "a.cu") else { panic!("{bytes:?}") };
            let Failure::Compile(d) = *failure else { panic!("{bytes:?}") };
            assert_eq!((d[0].line, d[0].column), (line, column));
            assert!(d[0].message.contains(says), "{}", d[0].message);
        }
        assert_eq!(text_of(b"ok\n".to_vec(), "a.cu").ok().as_deref(), Some("ok\n"));
    }

    #[test]
    fn a_comment_may_be_in_an_older_encoding() {
        let text = |bytes: &[u8]| text_of(bytes.to_vec(), "a.cu").ok();
        assert_eq!(text(b"// caf\xe9\nint x;\n").as_deref(), Some("// caf?\nint x;\n"));
        // In GBK, some pairs of bytes are also a character in UTF-8.
        let gbk = b"int x; /* \xb5\xda\xd2\xbb */ int y; // \xe2\x82\xac \xb8\xf6\n\"//\"";
        assert_eq!(text(gbk).as_deref(), Some("int x; /* ??\u{4bb} */ int y; // \u{20ac} ??\n\"//\""));
        assert_eq!(text(b"\"// \xe9\""), None);
    }

    #[test]
    fn a_byte_order_mark_is_no_code() {
        assert_eq!(text_of(b"\xef\xbb\xbfint x;\n".to_vec(), "a.cu").ok().as_deref(), Some("int x;\n"));
        assert_eq!(text_of(b"\xef\xbb\xbf".to_vec(), "a.cu").ok().as_deref(), Some(""));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_of_any_bytes_can_be_told() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(name_of(OsStr::from_bytes(b"ma\xff\xfep.cu")), "ma\\xff\\xfep.cu");
        assert_eq!(name_of(OsStr::new("größe.cu")), "größe.cu");
        assert!(is_cuda(OsStr::from_bytes(b"\xff.cu")) && !is_cuda(OsStr::new("a.c")));
    }
}
