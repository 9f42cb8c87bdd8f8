//! An access whose lanes lie in different buffers counts as one, with the sectors that it touches.

use gpulearn::sim::{Device, Dim3, LaunchConfig, Module, Options};

/// Each thread of one warp loads its element: of `a` where its number has no bit of the mask, else of `b`.
fn load_sectors(mask: u32) -> (u64, u64, u64) {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b) {{\n\
         .reg .b32 %t, %m, %v; .reg .b64 %a, %b, %w; .reg .pred %p;\n\
         mov.u32 %t, %tid.x; and.b32 %m, %t, {mask}; setp.eq.u32 %p, %m, 0;\n\
         ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; selp.b64 %a, %a, %b, %p;\n\
         mul.wide.u32 %w, %t, 4; add.u64 %a, %a, %w; ld.global.u32 %v, [%a];\nret;\n}}\n"
    );
    let module = Module::parse(&ptx).unwrap();
    let mut device = Device::new(8, 0);
    let buffers = ["a", "b"].map(|name| device.allocate(name, 128).unwrap());
    buffers.iter().for_each(|&buffer| device.write(buffer, &[0; 128]));
    let config =
        LaunchConfig { grid: Dim3::new(1, 1, 1), block: Dim3::new(32, 1, 1), dynamic_shared_bytes: 0 };
    let report = device.launch(&module, "k", config, &buffers.map(Into::into), &Options::default()).unwrap();
    assert_eq!(report.findings, []);
    let loads = report.counts.global_loads;
    (loads.requests, loads.units, report.counts.pace.lines.loads)
}

#[test]
fn lanes_of_one_buffer_touch_four_sectors() {
    assert_eq!(load_sectors(0), (1, 4, 1));
}

#[test]
fn every_other_lane_in_another_buffer_touches_all_sectors_of_both() {
    assert_eq!(load_sectors(1), (1, 8, 2));
}

#[test]
fn half_a_warp_in_another_buffer_touches_half_of_both() {
    assert_eq!(load_sectors(16), (1, 4, 2));
}
