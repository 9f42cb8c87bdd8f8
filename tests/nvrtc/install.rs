//! Installing from wheels: small made-up ones, through the real pip.

use super::again;
use gpulearn::compiler::digest::{hex, sha256};
use gpulearn::compiler::fetch::Pip;
use gpulearn::compiler::install::{install, installed};
use gpulearn::compiler::wheel::{Package, Wheel};
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILE: &str = "gpulearn_made_up-1.0-py3-none-any.whl";
const UNPACK: &[(&str, &str)] =
    &[("made/lib/libmade.so.1", "lib/libmade.so.1"), ("made/include/", "include/")];

/// A folder with one wheel that pip takes, and the wheel's hash.
fn made_up_wheel() -> (tempfile::TempDir, String) {
    wheel_with("made/include/a.h")
}

/// The same with another name for one of its files.
fn wheel_with(header: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    let files: [(&str, &str); 7] = [
        ("made/lib/libmade.so.1", "the library"),
        ("made/lib/libother.so.1", "not needed"),
        (header, "int a;"),
        ("made/include/deep/b.h", "int b;"),
        (
            "gpulearn_made_up-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: gpulearn-made-up\nVersion: 1.0\n",
        ),
        (
            "gpulearn_made_up-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        ),
        ("gpulearn_made_up-1.0.dist-info/RECORD", ""),
    ];
    for (name, text) in files {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    let hash = hex(&sha256(&fs::read(&path).unwrap()));
    (folder, hash)
}

/// Runs `with` on the package that the wheel makes.
fn package<T>(sha256: &str, with: impl FnOnce(&Package) -> T) -> T {
    let wheels = [Wheel {
        project: "gpulearn-made-up",
        version: "1.0",
        file: FILE,
        bytes: 1000,
        sha256,
        unpack: UNPACK,
    }];
    with(&Package {
        folder: "made-1.0",
        title: "Made up",
        wheels: &wheels,
        proof: &["lib/libmade.so.1", "include/a.h"],
        links: if cfg!(unix) { &[("lib/libmade.so", "libmade.so.1")] } else { &[] },
    })
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn copy_from(folder: &Path) -> impl Fn(&[Wheel], &Path) -> anyhow::Result<()> {
    move |wheels, to| {
        for wheel in wheels {
            fs::copy(folder.join(wheel.file), to.join(wheel.file))?;
        }
        Ok(())
    }
}

#[test]
fn pip_fetches_and_what_is_needed_is_installed() {
    let (wheels, hash) = made_up_wheel();
    let cache = tempfile::tempdir().unwrap();
    let compilers = cache.path().join("new").join("compiler");
    let mut pip = Pip::find().expect("pip");
    pip.environment = vec![
        ("PIP_NO_INDEX".into(), "1".into()),
        ("PIP_FIND_LINKS".into(), wheels.path().to_str().unwrap().into()),
    ];
    package(&hash, |package| {
        assert_eq!(installed(&compilers, package), None);
        install(&compilers, &[*package], &|wheels, to| {
            pip.download(wheels, "manylinux2014_x86_64", "it", to)
        })
        .unwrap();
        let folder = installed(&compilers, package).expect("installed");
        assert_eq!(fs::read_to_string(folder.join("lib/libmade.so.1")).unwrap(), "the library");
        assert_eq!(fs::read_to_string(folder.join("include/deep/b.h")).unwrap(), "int b;");
        assert!(!folder.join("lib/libother.so.1").exists());
        if cfg!(unix) {
            assert_eq!(fs::read_to_string(folder.join("lib/libmade.so")).unwrap(), "the library");
        }
        assert_eq!(names(&compilers), ["lock", "made-1.0"]);
    });
}

#[test]
fn a_changed_wheel_is_refused() {
    let (wheels, _) = made_up_wheel();
    let cache = tempfile::tempdir().unwrap();
    package(&"0".repeat(64), |package| {
        let error = install(cache.path(), &[*package], &copy_from(wheels.path())).unwrap_err();
        assert!(error.to_string().contains("is not the expected file"), "{error}");
        assert_eq!(names(cache.path()), ["lock"]);
    });
}

#[test]
fn no_file_of_a_wheel_leaves_its_folder() {
    let (wheels, hash) = wheel_with("made/include/../../../outside");
    let cache = tempfile::tempdir().unwrap();
    let compilers = cache.path().join("compiler");
    package(&hash, |package| {
        let error = install(&compilers, &[*package], &copy_from(wheels.path())).unwrap_err();
        assert!(error.to_string().contains("outside its folder"), "{error}");
    });
    assert_eq!(names(cache.path()), ["compiler"]);
    assert_eq!(names(&compilers), ["lock"]);
}

#[test]
fn a_failed_fetch_leaves_nothing() {
    let cache = tempfile::tempdir().unwrap();
    package(&"0".repeat(64), |package| {
        let error = install(cache.path(), &[*package], &|_, _| anyhow::bail!("no network")).unwrap_err();
        assert_eq!(error.to_string(), "no network");
        let error = install(cache.path(), &[*package], &|_, _| Ok(())).unwrap_err();
        assert!(error.to_string().contains(FILE), "{error}");
        assert_eq!(names(cache.path()), ["lock"]);
    });
}

#[test]
fn a_damaged_installation_is_replaced() {
    let (wheels, hash) = made_up_wheel();
    let cache = tempfile::tempdir().unwrap();
    package(&hash, |package| {
        install(cache.path(), &[*package], &copy_from(wheels.path())).unwrap();
        let library = cache.path().join("made-1.0/lib/libmade.so.1");
        fs::write(&library, "cut").unwrap();
        assert_eq!(installed(cache.path(), package), None);
        install(cache.path(), &[*package], &copy_from(wheels.path())).unwrap();
        assert_eq!(fs::read_to_string(&library).unwrap(), "the library");
        // Whole again: nothing is fetched.
        install(cache.path(), &[*package], &|_, _| anyhow::bail!("fetched again")).unwrap();
    });
}

#[test]
fn a_cache_that_cannot_be_written_is_told_with_what_to_do() {
    let file = tempfile::NamedTempFile::new().unwrap();
    package(&"0".repeat(64), |package| {
        let error = install(&file.path().join("compiler"), &[*package], &|_, _| Ok(())).unwrap_err();
        assert!(error.to_string().contains("set XDG_CACHE_HOME"), "{error}");
    });
}

fn from_environment(name: &str) -> PathBuf {
    env::var_os(name).unwrap_or_else(|| panic!("{name}")).into()
}

#[test]
#[ignore = "run by other tests, in processes of their own"]
fn installs_as_its_environment_says() {
    let (wheels, cache, log) =
        (from_environment("T_WHEELS"), from_environment("T_CACHE"), from_environment("T_LOG"));
    let hash = env::var("T_HASH").unwrap();
    let pause = Duration::from_millis(env::var("T_PAUSE_MS").unwrap().parse().unwrap());
    package(&hash, |package| {
        install(&cache, &[*package], &|list, to| {
            copy_from(&wheels)(list, to)?;
            fs::File::options().create(true).append(true).open(&log)?.write_all(b"fetched\n")?;
            std::thread::sleep(pause);
            Ok(())
        })
        .unwrap();
        assert!(installed(&cache, package).is_some());
    });
}

fn installer(wheels: &Path, cache: &Path, hash: &str, pause_ms: u64) -> std::process::Command {
    let mut command = again("nvrtc::install::installs_as_its_environment_says");
    command
        .env("T_WHEELS", wheels)
        .env("T_CACHE", cache)
        .env("T_LOG", wheels.join("log"))
        .env("T_HASH", hash)
        .env("T_PAUSE_MS", pause_ms.to_string())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    command
}

#[test]
fn processes_at_once_fetch_once() {
    let (wheels, hash) = made_up_wheel();
    let cache = tempfile::tempdir().unwrap();
    let children: Vec<_> =
        (0..4).map(|_| installer(wheels.path(), cache.path(), &hash, 300).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(fs::read_to_string(wheels.path().join("log")).unwrap(), "fetched\n");
    assert_eq!(names(cache.path()), ["lock", "made-1.0"]);
}

#[test]
fn a_killed_installation_leaves_an_empty_or_a_good_cache() {
    let (wheels, hash) = made_up_wheel();
    let cache = tempfile::tempdir().unwrap();
    let mut child = installer(wheels.path(), cache.path(), &hash, 60_000).spawn().unwrap();
    let start = Instant::now();
    while !wheels.path().join("log").exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never fetched");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    package(&hash, |package| assert_eq!(installed(cache.path(), package), None));
    assert!(
        names(cache.path()).iter().any(|name| name.starts_with(".tmp-")),
        "killed too late to show anything"
    );
    // The next one is not kept out by the dead one's lock, and cleans up behind it.
    assert!(installer(wheels.path(), cache.path(), &hash, 0).status().unwrap().success());
    assert_eq!(names(cache.path()), ["lock", "made-1.0"]);
}
