//! A layer uses only itself and those above it in the list of `src/lib.rs`.

use std::path::{Path, PathBuf};

/// As in `src/lib.rs`, top to bottom.
const LAYERS: [&str; 13] = [
    "ptx", "sim", "cpp", "nvrtc", "gpu", "device", "program", "course", "judge", "bench", "report", "author",
    "cli",
];

/// Pairs that do not see each other although one stands above the other.
const APART: [(&str, &str); 4] = [("cpp", "ptx"), ("cpp", "sim"), ("gpu", "sim"), ("nvrtc", "sim")];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Names that follow `crate::` in code, not in comments.
fn used(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
}

#[test]
fn a_layer_uses_those_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let map = std::fs::read_to_string(source.join("lib.rs")).unwrap();
    let places: Vec<Option<usize>> =
        LAYERS.iter().map(|layer| map.find(&format!("//! - [`{layer}`]"))).collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "lib.rs lists other layers: {places:?}"
    );
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (number, layer) in LAYERS.iter().enumerate() {
        let mut files = Vec::new();
        rust_files(&source.join(layer), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for name in used(&text) {
                let Some(other) = LAYERS.iter().position(|l| *l == name) else { continue };
                seen += 1;
                if other > number || APART.contains(&(layer, name)) {
                    let file = file.strip_prefix(&source).unwrap().display();
                    wrong.push(format!("src/{file} uses {name}"));
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} uses found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
