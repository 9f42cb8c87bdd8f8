//! What the user chose, what the terminal has, and which options a command has.

use super::{gpulearn, run, workspace};
use std::path::Path;

#[test]
fn choices_of_the_config_file_stand_for_options() {
    let home = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let with = |config: &str, args: &[&str]| {
        std::fs::create_dir_all(home.path().join("gpulearn")).unwrap();
        std::fs::write(home.path().join("gpulearn/config.toml"), config).unwrap();
        let mut command = gpulearn(folder.path(), args);
        let output = command.env("XDG_CONFIG_HOME", home.path()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    std::fs::write(folder.path().join("map.cu"), "int x;").unwrap();
    if !cfg!(windows) && !gpulearn::gpu::is_present() {
        // A GPU that is not here is wanted by the file, and by an option no longer.
        let (exit, said) = with("backend = \"gpu\"\n", &["check", "map.cu", "--lesson", "map"]);
        assert_eq!((exit, said.contains("GPU")), (Some(3), true), "{said}");
        let (exit, said) =
            with("backend = \"gpu\"\n", &["check", "map.cu", "--lesson", "map", "--backend", "sim"]);
        assert_eq!((exit, said.contains("no kernel map")), (Some(1), true), "{said}");
        let (exit, said) = with("jobs = 2\n", &["check", "--all"]);
        assert_eq!((exit, said.contains("cannot be used with")), (Some(3), false), "{said}");
        let (exit, said) = with("bakend = \"sim\"\n", &["explain", "R001"]);
        assert_eq!(
            (exit, said.contains("config.toml: line 1: unknown field `bakend`")),
            (Some(2), true),
            "{said}"
        );
        // What is wrong there keeps nobody from help.
        assert_eq!(with("bakend = \"sim\"\n", &["--help"]).0, Some(0));
    }
}

#[test]
fn each_command_says_how_it_ends_and_which_formats_it_has() {
    let help = |command: &str| run(Path::new("."), &[command, "--help"]).1;
    for command in ["check", "list", "claims", "doctor", "inspect", "run", "bench"] {
        let text = help(command);
        assert!(text.contains("--format <FORMAT>") && text.contains("Exit codes: 0 "), "{text}");
    }
    for command in ["hint", "read", "init", "submit"] {
        let text = help(command);
        assert!(!text.contains("--format") && text.contains("Exit codes: 0 "), "{text}");
        let (own, global) = text.split_once("Options for all commands:").unwrap();
        assert!(!own.contains("--offline") && global.contains("--offline"), "{text}");
    }
}

#[test]
fn a_locale_without_utf_8_gets_ascii_and_json_stays() {
    let folder = workspace();
    let shown = |locale: &str, args: &[&str]| {
        let output = gpulearn(folder.path(), args).env("LC_ALL", locale).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for args in [&["read", "map"][..], &["check", "map"], &["list"]] {
        let (ascii, utf8) = (shown("C", args), shown("C.UTF-8", args));
        assert!(ascii.is_ascii() && !utf8.is_ascii(), "{ascii}");
        assert!(ascii.lines().zip(utf8.lines()).all(|(a, b)| a.len() == b.chars().count()), "{ascii}");
    }
    assert_eq!(shown("C", &["list", "--format", "json"]), shown("C.UTF-8", &["list", "--format", "json"]));
}

/// What the texts are written with has a spelling for terminals without it, but for letters of names.
#[test]
fn the_course_is_readable_in_ascii() {
    let folder = workspace();
    let course = gpulearn::lessons::course();
    let mut unspelled = std::collections::BTreeSet::new();
    for lesson in course.lessons() {
        let output = gpulearn(folder.path(), &["read", &lesson.slug]).env("LC_ALL", "C").output().unwrap();
        unspelled.extend(String::from_utf8(output.stdout).unwrap().chars().filter(|c| !c.is_ascii()));
    }
    assert!(unspelled.iter().all(|c| c.is_alphabetic()), "{unspelled:?}");
}
