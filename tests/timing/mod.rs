//! The time model on real kernels: pairs of a slow and a fast one, one pair a file of `pairs`, found
//! by walking. A file's head says what each is launched with. The modelled order must be right on
//! every GPU; a pair marked `close` must come out close. What they took on a GPU is in `hardware`, and
//! the ratios are held to that ([`hardware`]). Pairs `held: out` were not looked at when the model was
//! made.
//!
//! The tables in `hardware` are made by `measure.py` (times and counts of the pairs), `occupancy.py`
//! and `constants.py` (what the models' constants come from), on an H100 80GB HBM3 with driver 580.

mod facts;
mod hardware;
mod pair;

use gpulearn::compiler::Compiler;
use gpulearn::host::device::model::Model;
use pair::{Known, Ran};

fn compiler() -> Compiler {
    Compiler::locate(false).unwrap().with_worker(env!("CARGO_BIN_EXE_gpulearn"))
}

/// `GPULEARN_PAIR=name` runs one alone and tells more.
#[test]
fn slow_and_fast_kernels_are_told_apart() {
    let chosen = std::env::var("GPULEARN_PAIR").is_ok();
    let models: Vec<Model> = Model::names().map(|name| Model::named(name).unwrap()).collect();
    let mut wrong = Vec::new();
    for Known { name, pair, ran: Ran { slow, fast }, .. } in pair::all() {
        for model in &models {
            let (s, f) = (slow.modelled(model), fast.modelled(model));
            let ratio = s.ns as f64 / f.ns as f64;
            let line = format!(
                "{name:<20} {:<5} {:>9.1} {:>9.1} us {ratio:>7.2}x  {} / {}",
                model.key,
                s.ns as f64 / 1e3,
                f.ns as f64 / 1e3,
                s.bound_by.name(),
                f.bound_by.name(),
            );
            println!("{line}");
            if chosen {
                println!(
                    "  slow {s:?}\n  fast {f:?}\n  {:?}\n  {:?}",
                    slow.work.counts.pace, fast.work.counts.pace
                );
            }
            let right = if pair.close.iter().any(|name| name == model.key) {
                (0.55..1.8).contains(&ratio)
            } else {
                ratio > 1.02
            };
            if !right {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "in the wrong order:\n{}", wrong.join("\n"));
}
