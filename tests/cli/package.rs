//! What is handed out: crates that know where they come from, and the wheel.

use std::path::Path;
use std::process::Command;

/// The address stands in one place; crates.io asks for a licence and a description.
#[test]
fn every_crate_has_its_metadata_from_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| -> toml::Table {
        toml::from_str(&std::fs::read_to_string(path.join("Cargo.toml")).unwrap()).unwrap()
    };
    let workspace = read(root);
    let address = workspace["workspace"]["package"]["repository"].as_str().unwrap();
    assert!(address.starts_with("https://") && address.ends_with("/gpulearn"), "{address}");
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let members = members.iter().map(|member| root.join(member.as_str().unwrap()));
    for folder in members.chain([root.to_owned()]) {
        let package = &read(&folder)["package"];
        for key in ["repository", "license", "version"] {
            assert_eq!(package[key]["workspace"].as_bool(), Some(true), "{key} of {}", folder.display());
        }
        assert!(package["description"].as_str().is_some_and(|text| text.len() > 20), "{}", folder.display());
    }
    let others = Command::new("git").current_dir(root).args(["grep", "-lF", address]).output();
    if let Ok(others) = others.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()) {
        assert!(others.lines().all(|file| file == "Cargo.toml"), "{others}");
    }
}

/// From `pip install` to a verdict, in an environment that has only wheels.
#[test]
#[ignore = "builds the wheel: needs Python and an index of its packages"]
fn a_lesson_is_done_with_the_wheel() {
    let status = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/wheel")).status().unwrap();
    assert!(status.success());
}
