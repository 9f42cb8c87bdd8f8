//! Any text that loads is run, with small budgets: the simulator must return.
#![no_main]

use gpulearn_sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(module) = Module::parse(text) else { return };
    for kernel in module.kernels() {
        let mut device = Device::new(9, 0);
        let mut args = Vec::new();
        for bytes in module.parameters(&kernel).unwrap_or_default() {
            if bytes == 8 {
                args.push(device.allocate("buffer", 256).expect("256 bytes").into());
            } else {
                args.push(Arg(vec![1; bytes as usize]));
            }
        }
        let config =
            LaunchConfig { grid: Dim3::new(2, 1, 1), block: Dim3::new(40, 1, 1), dynamic_shared_bytes: 64 };
        let options = Options { host_threads: 1, step_budget: 3000, output_limit_bytes: 1000, ..Options::default() };
        let _ = device.launch(&module, &kernel, config, &args, &options);
    }
});
