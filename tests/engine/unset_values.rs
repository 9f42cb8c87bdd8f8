//! Values that nobody wrote, moved about by a kernel that does nothing wrong with them.

use gpulearn::sim::{Device, Dim3, LaunchConfig, Module, Options, Outcome};

const ROUNDS: u32 = 2000;

/// Looking after such values takes time, which counts as instructions; where nothing is found, the block may still
/// take all that it may.
#[test]
fn a_block_that_copies_padding_runs_to_its_end() {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %i; .reg .b64 %base, %w; .reg .pred %p; .shared .align 8 .b8 s[8];\n\
         ld.param.u64 %base, [out]; mov.u32 %i, 0;\n\
         again: st.shared.u8 [s], %i; ld.shared.b64 %w, [s]; st.global.b64 [%base+8], %w;\n\
         add.u32 %i, %i, 1; setp.lt.u32 %p, %i, {ROUNDS}; @%p bra again;\n\
         st.global.u32 [%base], %i; ret;\n}}\n"
    );
    let module = Module::parse(&ptx).unwrap();
    let mut device = Device::new(8, 0);
    let out = device.allocate("out", 16).unwrap();
    let one = Dim3::new(1, 1, 1);
    let config = LaunchConfig { grid: one, block: one, dynamic_shared_bytes: 0 };
    let options = Options { step_budget: u64::from(ROUNDS) * 10, ..Options::default() };
    let report = device.launch(&module, "k", config, &[out.into()], &options).unwrap();
    let mut rounds = [0; 4];
    device.read(out, &mut rounds);
    assert_eq!((report.outcome, u32::from_le_bytes(rounds)), (Outcome::Completed, ROUNDS));
}
