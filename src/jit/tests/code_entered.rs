//! When machine code is entered: what is tried and gains too little is given up, but not for warps that have nothing to do.

use sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};

/// Returns how much of the kernel `k(out, limit)` runs as machine code in launches for each of these limits, one after the
/// other: its blocks from that number on store something that depends on what was there. `None` on machines for which
/// nothing is compiled.
fn share(limits: &[i32]) -> Option<f64> {
    let emitter = gpulearn_jit::kernel_emitter()?;
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 limit)\n{\n\
         .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %a<4>;\n\
         ld.param.u64 %a0, [out]; ld.param.u32 %r3, [limit]; mov.u32 %r1, %ctaid.x;\n\
         setp.lt.s32 %p, %r1, %r3; @%p bra END;\n\
         mov.u32 %r0, %tid.x; mad.lo.u32 %r2, %r1, 64, %r0; mul.wide.u32 %a1, %r2, 4; add.s64 %a1, %a1, %a0;\n\
         ld.global.u32 %r4, [%a1]; and.b32 %r5, %r4, 1; setp.eq.s32 %p, %r5, 0; @%p bra END;\n\
         add.u32 %r4, %r4, 2; st.global.u32 [%a1], %r4;\nEND:\nret;\n}\n";
    let module = Module::parse(text).unwrap();
    let mut device = Device::new(8, 0);
    let bytes = 4 * 64 * 2048;
    let out = device.allocate("out", bytes as u64).unwrap();
    let words = (0..bytes as u32 / 4).map(|n| n.wrapping_mul(0x9e37_79b9) >> 16);
    device.write(out, &words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
    let config =
        LaunchConfig { grid: Dim3::new(2048, 1, 1), block: Dim3::new(64, 1, 1), dynamic_shared_bytes: 0 };
    let options = Options { host_threads: 1, emitter: Some(emitter), compile_after: 1, ..Options::default() };
    for limit in limits {
        let args: [Arg; 2] = [out.into(), (*limit).into()];
        device.launch(&module, "k", config, &args, &options).unwrap();
    }
    module.machine_code_share("k")
}

#[test]
fn code_is_entered_although_most_warps_have_had_nothing_to_do() {
    let idle = [2000; 8];
    let active = [0; 8];
    let share = share(&[&active[..1], &idle, &active].concat());
    assert!(share.is_none_or(|share| share > 0.7), "{share:?}");
}
