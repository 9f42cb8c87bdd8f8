//! Where kernels stand below the limits of the GPU, and what ran when.

use super::Run;
use picture::{Kernel, Roofs, escape, gantt, roofline};
use sim::Class;
use sim::time::duration;

/// Launches that are told of one by one.
const MOST: usize = 24;

pub fn section(run: &Run) -> Option<String> {
    let gpu = &run.model.gpu;
    let mut out = String::new();
    let mut kernels = Vec::new();
    let mut rows = String::new();
    for launch in run.launches.iter().take(MOST) {
        let modelled = duration(gpu, &launch.work);
        let flops = &launch.work.counts.flops;
        kernels.push(Kernel {
            name: launch.kernel.clone(),
            flops: (flops.f16 + flops.bf16 + flops.tf32 + flops.f32 + flops.f64) as f64,
            bytes: modelled.dram_bytes as f64,
            ns: modelled.ns as f64,
        });
        rows += &format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{:.1} µs</td><td>{}</td><td>{}</td></tr>\n",
            escape(&launch.kernel),
            extents(launch.config.grid),
            extents(launch.config.block),
            modelled.ns as f64 / 1000.0,
            report::grouped(modelled.dram_bytes),
            modelled.bound_by.name()
        );
    }
    if !rows.is_empty() {
        out += &format!(
            "<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">kernel</th><th scope=\"col\">blocks</th>\
             <th scope=\"col\">threads</th><th scope=\"col\">time, modelled</th><th scope=\"col\">bytes of device memory, \
             modelled</th><th scope=\"col\">bound by</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        );
        let f32_rate =
            2.0 * gpu.results_per_cycle[Class::Float32 as usize] * f64::from(gpu.sms) * gpu.clock_ghz;
        let roofs =
            Roofs { gpu: run.model.properties.name.clone(), memory_gbps: gpu.dram_rate(), gflops: f32_rate };
        let scene = roofline(&roofs, &kernels);
        out += &format!(
            "<figure>\n{}<p class=\"note\">{}</p>\n</figure>\n",
            scene.svg("roofline"),
            escape(&scene.words)
        );
    }
    if let Some(scene) = gantt(run.spans) {
        out += &format!(
            "<figure>\n{}<p class=\"note\">{}</p>\n</figure>\n",
            scene.svg("gantt"),
            escape(&scene.words)
        );
    }
    (!out.is_empty()).then_some(out)
}

fn extents(dim: sim::Dim3) -> String {
    match (dim.y, dim.z) {
        (1, 1) => dim.x.to_string(),
        (_, 1) => format!("{}×{}", dim.x, dim.y),
        _ => format!("{}×{}×{}", dim.x, dim.y, dim.z),
    }
}
