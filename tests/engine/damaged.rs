//! PTX damaged at random from a fixed seed, run with small budgets: whatever it says, the
//! simulator returns, with a report or an error.

use crate::ptx::mutation::{Random, mutant, tokens};
use gpulearn::sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};

const MUTANTS: usize = 1500;
const SEED: u64 = 0x1234_5678_9abc_def1;

#[test]
fn damaged_programs_end() {
    let texts = crate::ptx::files("pass");
    let corpus: Vec<Vec<&str>> = texts.iter().map(|(_, text)| tokens(text)).collect();
    let mut random = Random(SEED);
    let (mut loaded, mut ran) = (0, 0);
    for n in 0..MUTANTS {
        // The undamaged texts too.
        let text = match texts.get(n) {
            Some((_, text)) => text.clone(),
            None => mutant(&corpus, &mut random),
        };
        let Ok(module) = Module::parse(&text) else { continue };
        loaded += 1;
        for kernel in module.kernels() {
            ran += run(&module, &kernel, &mut random) as usize;
        }
    }
    assert!(loaded > MUTANTS / 50, "only {loaded} of {MUTANTS} texts were loaded");
    assert!(ran > MUTANTS / 50, "only {ran} kernels were run");
}

/// Runs a kernel on whatever fits its parameters.
fn run(module: &Module, kernel: &str, random: &mut Random) -> bool {
    let mut device = Device::new(9, 0);
    let mut args = Vec::new();
    for bytes in module.parameters(kernel).expect("a kernel of the module") {
        match bytes {
            8 => {
                let buffer = device.allocate("buffer", random.below(4096) as u64).unwrap();
                device.write(buffer, &vec![random.below(256) as u8; random.below(4096)]);
                args.push(buffer.into());
            }
            _ => {
                args.push(Arg((0..bytes).map(|b| if b == 0 { random.below(64) as u8 } else { 0 }).collect()))
            }
        }
    }
    let config = LaunchConfig {
        grid: Dim3::new(1 + random.below(3) as u32, 1, 1),
        block: Dim3::new(1 + random.below(70) as u32, 1, 1),
        dynamic_shared_bytes: random.below(2048) as u32,
    };
    let options =
        Options { host_threads: 1, step_budget: 3000, output_limit_bytes: 1000, ..Options::default() };
    device.launch(module, kernel, config, &args, &options).is_ok()
}
