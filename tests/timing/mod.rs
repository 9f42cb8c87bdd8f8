//! The time model on real kernels: pairs of a slow and a fast one, one pair a file of `pairs`, found
//! by walking. A file's head says what each is launched with. The modelled order must be right on
//! every GPU; a pair marked `close` must come out close. `measured` lines hold what a GPU took, in
//! microseconds, and the ratios are held to those.

mod facts;
mod hardware;
mod pair;

use gpulearn::device::model::Model;
use gpulearn::nvrtc::Compiler;
use pair::{Pair, Ran};
use std::path::PathBuf;

fn compiler() -> Compiler {
    Compiler::locate(false).unwrap().with_worker(env!("CARGO_BIN_EXE_gpulearn"))
}

/// `GPULEARN_PAIR=name` runs one alone and tells more.
#[test]
fn slow_and_fast_kernels_are_told_apart() {
    let chosen = std::env::var("GPULEARN_PAIR").ok();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/timing/pairs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .filter(|path| chosen.as_ref().is_none_or(|name| path.file_stem().unwrap() == name.as_str()))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no pairs found");
    let compiler = compiler();
    let models: Vec<Model> = Model::names().map(|name| Model::named(name).unwrap()).collect();
    let (mut wrong, mut errors) = (Vec::new(), Vec::new());
    for path in &files {
        let source = std::fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let pair = Pair::parse(&source).unwrap_or_else(|message| panic!("{name}: {message}"));
        let Ran { slow, fast } = pair.run(&name, &source, &compiler);
        for model in &models {
            let (s, f) = (slow.modelled(model), fast.modelled(model));
            let ratio = s.ns as f64 / f.ns as f64;
            let mut line = format!(
                "{name:<20} {:<5} {:>9.1} {:>9.1} us {ratio:>7.2}x  {} / {}",
                model.key,
                s.ns as f64 / 1e3,
                f.ns as f64 / 1e3,
                s.bound_by.name(),
                f.bound_by.name(),
            );
            if let Some((slow, fast)) = pair.measured(model.key) {
                let error = (ratio / (slow / fast) - 1.0).abs();
                errors.push(error);
                line += &format!(
                    "  measured {slow:.1} {fast:.1} us {:.2}x: off by {:.0} %",
                    slow / fast,
                    error * 100.0
                );
            }
            println!("{line}");
            if chosen.is_some() {
                println!(
                    "  slow {s:?}\n  fast {f:?}\n  {:?}\n  {:?}",
                    slow.work.counts.pace, fast.work.counts.pace
                );
            }
            let right = if pair.close.iter().any(|name| name == model.key) {
                (0.6..1.6).contains(&ratio)
            } else {
                ratio > 1.02
            };
            if !right {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "in the wrong order:\n{}", wrong.join("\n"));
    if !errors.is_empty() {
        errors.sort_by(f64::total_cmp);
        println!(
            "median error of the ratio: {:.0} % of {} measured",
            errors[errors.len() / 2] * 100.0,
            errors.len()
        );
    }
}
