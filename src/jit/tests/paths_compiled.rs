//! How often paths are compiled: what can't be compiled, or follows no path, must not be tried in every launch.

use sim::kernel_code::{KernelCode, KernelEmitter, KernelPath, KernelRegion, PathCode};
use sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Compiles as another emitter does, and counts the paths that it was given.
#[derive(Debug)]
struct Counting {
    emitter: Arc<dyn KernelEmitter>,
    refuses: bool,
    paths: AtomicU32,
}

impl KernelEmitter for Counting {
    fn emit(&self, region: &KernelRegion) -> Option<KernelCode> {
        self.emitter.emit(region)
    }

    fn emit_path(&self, path: &KernelPath) -> Option<PathCode> {
        self.paths.fetch_add(1, Relaxed);
        self.emitter.emit_path(path).filter(|_| !self.refuses)
    }
}

/// Returns how many paths are compiled in eight launches of the kernel `k(out)` with this body on two host threads; `None` on
/// machines for which nothing is compiled.
fn paths_compiled(refuses: bool, body: &str) -> Option<u32> {
    let emitter = gpulearn_jit::kernel_emitter()?;
    let counting = Arc::new(Counting { emitter, refuses, paths: AtomicU32::new(0) });
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %a<4>; .reg .f32 %f<2>;\n\
         ld.param.u64 %a0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0;\n\
         mul.wide.u32 %a1, %r2, 4; add.s64 %a1, %a1, %a0; mov.f32 %f0, 0f00000000;\n{body}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap();
    let mut device = Device::new(8, 0);
    let out = device.allocate("out", 1 << 16).unwrap();
    device.write(out, &[1; 1 << 16]);
    let config =
        LaunchConfig { grid: Dim3::new(64, 1, 1), block: Dim3::new(64, 1, 1), dynamic_shared_bytes: 0 };
    let options = Options {
        host_threads: 2,
        threads_per_host_thread: 1,
        emitter: Some(counting.clone()),
        compile_after: 0,
        ..Options::default()
    };
    let args: [Arg; 1] = [out.into()];
    for _ in 0..8 {
        device.launch(&module, "k", config, &args, &options).unwrap();
    }
    Some(counting.paths.load(Relaxed))
}

#[test]
fn a_path_is_compiled_once() {
    let compiled = paths_compiled(false, "st.global.f32 [%a1], %f0;");
    assert!(compiled.is_none_or(|paths| (1..=2).contains(&paths)), "{compiled:?}");
}

#[test]
fn a_path_that_is_refused_is_not_tried_for_ever() {
    let compiled = paths_compiled(true, "st.global.f32 [%a1], %f0;");
    assert!(compiled.is_none_or(|paths| (1..=8).contains(&paths)), "{compiled:?}");
}

#[test]
fn a_path_with_too_many_accesses_is_not_compiled() {
    let load = "ld.global.f32 %f1, [%a1]; add.f32 %f0, %f0, %f1;\n";
    let body = format!("mov.u32 %r3, 0; LOOP:\n{}{}", load.repeat(8), "add.u32 %r3, %r3, 1;");
    let body = format!("{body} setp.lt.u32 %p, %r3, 40; @%p bra LOOP;\nst.global.f32 [%a1], %f0;");
    assert_eq!(paths_compiled(false, &body).unwrap_or(0), 0);
}
