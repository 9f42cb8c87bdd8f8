//! Kernels compared with the GPU's limits, and the timeline.

use super::Document;
use picture::{Kernel, Roofs, escape, roofline};

/// Maximum number of launches that are listed individually.
const MOST: usize = 24;

pub fn section(of: &Document) -> Option<String> {
    let mut out = String::new();
    let mut kernels = Vec::new();
    let mut rows = String::new();
    for launch in of.launches.iter().take(MOST) {
        kernels.push(Kernel {
            name: launch.kernel.clone(),
            flops: launch.flops as f64,
            bytes: launch.dram_bytes as f64,
            ns: launch.modelled_ns as f64,
        });
        rows += &format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{:.1} µs</td><td>{}</td><td>{}</td></tr>\n",
            escape(&launch.kernel),
            extents(launch.grid),
            extents(launch.block),
            launch.modelled_ns as f64 / 1000.0,
            report::grouped(launch.dram_bytes),
            escape(&launch.bound_by)
        );
    }
    if !rows.is_empty() {
        out += &format!(
            "<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">kernel</th><th scope=\"col\">blocks</th>\
             <th scope=\"col\">threads</th><th scope=\"col\">time, modelled</th><th scope=\"col\">bytes of device memory, \
             modelled</th><th scope=\"col\">bound by</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        );
        let roofs =
            Roofs { gpu: of.gpu.name.clone(), memory_gbps: of.gpu.memory_gbps, gflops: of.gpu.f32_gflops };
        out += &roofline(&roofs, &kernels).figure("roofline");
    }
    if let Some(scene) = &of.timeline {
        out += &scene.figure("gantt");
    }
    (!out.is_empty()).then_some(out)
}

fn extents([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}×{y}"),
        _ => format!("{x}×{y}×{z}"),
    }
}
