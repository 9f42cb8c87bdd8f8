//! A machine of several GPUs: whose memory is whose, copies, variables, launches as programs make
//! them.

mod calls;
mod hostile;
mod launches;
mod memory;
mod touched;
mod variables;

use gpulearn::sim::{Arg, Dim3, Gpu, KernelLaunch, LaunchConfig, Machine, Module, Options, Report};

/// Two GPUs of compute capability 8.0 with four multiprocessors each.
fn two() -> Machine {
    let gpu = Gpu { multiprocessors: 4, ..Gpu::new(8, 0) };
    Machine::new(&[gpu, gpu])
}

/// A module from the text that follows its header.
fn module(body: &str) -> Module {
    let module = Module::parse(&format!(".version 8.0\n.target sm_80\n.address_size 64\n{body}")).unwrap();
    assert_eq!(module.unsupported(), []);
    module
}

/// `k(to, from)`: thread `i` of the first block copies word `i`.
fn copy_words() -> Module {
    module(
        ".visible .entry k(.param .u64 to, .param .u64 from) {\n\
         .reg .b32 %t, %v; .reg .b64 %to, %from, %at;\n\
         ld.param.u64 %to, [to]; ld.param.u64 %from, [from]; mov.u32 %t, %tid.x;\n\
         mul.wide.u32 %at, %t, 4; add.u64 %to, %to, %at; add.u64 %from, %from, %at;\n\
         ld.u32 %v, [%from]; st.u32 [%to], %v; ret; }",
    )
}

/// A launch of the kernel `k` in one block.
fn run(machine: &mut Machine, device: u32, module: &Module, threads: u32, args: &[Arg]) -> Report {
    let kernel = module.kernel_named("k").unwrap();
    let params = module.pack(kernel, args).unwrap();
    let asked = KernelLaunch::new(kernel, blocks(1, threads), &params);
    let options = Options { touched: true, ..Options::default() };
    machine.launch(device, module, &asked, &options).unwrap()
}

fn blocks(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid: Dim3::new(blocks, 1, 1), block: Dim3::new(threads, 1, 1), dynamic_shared_bytes: 0 }
}
