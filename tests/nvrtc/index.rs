//! Wheels from a package index of the test's making: its lists in both forms, downloads that break off, files that
//! are not there.

use gpulearn::compiler::fetch::Index;
use gpulearn::compiler::wheel::Wheel;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

const FILE: &str = "made_up-1.0-py3-none-any.whl";

/// What the index serves, and what it was asked.
struct Served {
    /// The list of files: its content type and text, in which `{base}` is the server's address.
    list: (&'static str, String),
    file: Vec<u8>,
    /// After so many bytes of the file each answer breaks off.
    breaks_after: usize,
    /// Paths, with the range that was asked for.
    asked: Mutex<Vec<String>>,
}

/// Serves on a port of its own until the test ends.
fn serve(list: (&'static str, &str), file: &[u8], breaks_after: usize) -> (String, Arc<Served>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let served = Arc::new(Served {
        list: (list.0, list.1.replace("{base}", &base)),
        file: file.to_vec(),
        breaks_after,
        asked: Mutex::default(),
    });
    let shared = Arc::clone(&served);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The client may hang up: what it got is what the test looks at.
            let _ = answer(stream, &shared);
        }
    });
    (base, served)
}

fn answer(mut stream: TcpStream, served: &Served) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let path = lines.next().unwrap()?.split(' ').nth(1).unwrap().to_owned();
    let mut from = 0;
    for line in lines {
        let line = line?.to_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    served.asked.lock().unwrap().push(format!("{path} from {from}"));
    let (status, kind, body) = if path == "/simple/made-up/" {
        ("200 OK", served.list.0, served.list.1.as_bytes())
    } else if path.ends_with(FILE) {
        (if from > 0 { "206 Partial Content" } else { "200 OK" }, "application/zip", &served.file[from..])
    } else {
        ("404 Not Found", "text/plain", &b"no such page"[..])
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    let whole = kind != "application/zip";
    stream.write_all(&body[..if whole { body.len() } else { body.len().min(served.breaks_after) }])
}

fn download(base: &str, bytes: usize, folder: &Path) -> anyhow::Result<()> {
    let wheel = Wheel {
        project: "made-up",
        version: "1.0",
        file: FILE,
        bytes: bytes as u64,
        sha256: "compared by the installation",
        unpack: &[],
    };
    Index::at(&format!("{base}/simple")).download(&[wheel], "Made up", &folder.join("partial"), folder)
}

const JSON: (&str, &str) = (
    "application/vnd.pypi.simple.v1+json",
    r#"{"meta": {"api-version": "1.1"}, "name": "made-up", "files": [
        {"filename": "made_up-0.9-py3-none-any.whl", "url": "{base}/old", "hashes": {}},
        {"filename": "made_up-1.0-py3-none-any.whl", "url": "{base}/files/made_up-1.0-py3-none-any.whl", "hashes": {}}]}"#,
);
const PAGE: (&str, &str) = (
    "text/html",
    "<!DOCTYPE html><a href=\"../../files/made_up-1.0-py3-none-any.whl#sha256=00\">made_up-1.0-py3-none-any.whl</a>",
);

fn some_file() -> Vec<u8> {
    (0..100_000u32).map(|i| (i * 7 + i / 256) as u8).collect()
}

#[test]
fn either_form_of_the_list_leads_to_the_file() {
    for list in [JSON, PAGE] {
        let (base, served) = serve(list, &some_file(), usize::MAX);
        let folder = tempfile::tempdir().unwrap();
        download(&base, 100_000, folder.path()).unwrap();
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), some_file());
        assert!(!folder.path().join("partial").exists());
        let asked = served.asked.lock().unwrap().clone();
        assert_eq!(asked, ["/simple/made-up/ from 0".to_owned(), format!("/files/{FILE} from 0")]);
    }
}

#[test]
fn a_download_that_breaks_off_goes_on_from_there() {
    let (base, served) = serve(JSON, &some_file(), 40_000);
    let folder = tempfile::tempdir().unwrap();
    download(&base, 100_000, folder.path()).unwrap();
    assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), some_file());
    let ranges: Vec<String> = served.asked.lock().unwrap()[1..].to_vec();
    assert_eq!(ranges, [0, 40_000, 80_000].map(|from| format!("/files/{FILE} from {from}")));
}

#[test]
fn what_was_got_is_kept_for_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let (base, _) = serve(JSON, &some_file(), 15_000);
    let said = format!("{:#}", download(&base, 100_000, folder.path()).unwrap_err());
    assert!(said.contains("broke off") && said.contains("Run this again to continue from there"), "{said}");
    let (base, served) = serve(JSON, &some_file(), usize::MAX);
    download(&base, 100_000, folder.path()).unwrap();
    assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), some_file());
    assert_eq!(served.asked.lock().unwrap()[1], format!("/files/{FILE} from 75000"));
}

#[test]
fn an_index_without_the_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (base, _) = serve(("text/html", "<a href='x-2.whl'>x</a>"), &[], 0);
    let said = format!("{:#}", download(&base, 10, folder.path()).unwrap_err());
    assert!(said.contains(&format!("does not have {FILE}")) && said.contains("GPULEARN_INDEX_URL"), "{said}");
}

#[test]
fn an_index_out_of_reach_is_told() {
    let folder = tempfile::tempdir().unwrap();
    // A port that nobody listens on.
    let said = format!("{:#}", download("http://127.0.0.1:9", 10, folder.path()).unwrap_err());
    assert!(said.contains("cannot reach http://127.0.0.1:9/simple"), "{said}");
    assert!(said.contains("HTTPS_PROXY"), "{said}");
}
