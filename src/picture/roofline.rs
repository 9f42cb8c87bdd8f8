//! Kernels below the limits of a GPU (Williams, Waterman and Patterson, "Roofline: an insightful visual
//! performance model", CACM 2009).

use super::scene::{Align, Scene, Tone};

/// The limits of a GPU.
#[derive(Clone, Debug)]
pub struct Roofs {
    pub gpu: String,
    /// Bytes per nanosecond (GB/s) that a copy in device memory reaches.
    pub memory_gbps: f64,
    /// Operations per nanosecond (GFLOP/s) in f32.
    pub gflops: f64,
}

/// A kernel's work and time.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    /// Floating-point operations, and below, bytes to and from device memory.
    pub flops: f64,
    pub bytes: f64,
    pub ns: f64,
}

const WIDE: f64 = 70.0;
const HIGH: f64 = 16.0;
const LEFT: f64 = 13.0;
/// Arithmetic intensity at the two edges, in operations per byte.
const EDGES: (f64, f64) = (0.01, 1000.0);
/// Ratio of the highest to the lowest rate.
const DEPTH: f64 = 1e5;

/// Draws rate over arithmetic intensity, both on logarithmic scales. Kernels without operations or bytes have no
/// place in it; those beyond its range are drawn at its edge.
pub fn roofline(roofs: &Roofs, kernels: &[Kernel]) -> Scene {
    let mut scene = Scene::new(format!("Roofline of an {}, modelled", roofs.gpu));
    let top = roofs.gflops * 2.0;
    let at_x = |intensity: f64| {
        LEFT + WIDE * (intensity / EDGES.0).log10().max(0.0).min((EDGES.1 / EDGES.0).log10())
            / (EDGES.1 / EDGES.0).log10()
    };
    let at_y = |rate: f64| HIGH * (1.0 - ((rate / top * DEPTH).log10().max(0.0) / DEPTH.log10()).min(1.0));
    scene.frame((LEFT, 0.0), (WIDE, HIGH), Tone::Dim, "");
    for n in [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0] {
        scene.line((at_x(n), HIGH), (at_x(n), HIGH - 0.3), Tone::Plain);
        scene.text((at_x(n), HIGH), Align::Middle, Tone::Dim, n.to_string());
    }
    scene.text((LEFT + WIDE / 2.0, HIGH + 1.0), Align::Middle, Tone::Dim, "operations a byte");
    let mut decade = 10f64.powf((top / DEPTH).log10().ceil());
    while decade < top {
        scene.text((LEFT - 0.5, at_y(decade) - 0.5), Align::End, Tone::Dim, rate(decade));
        decade *= 10.0;
    }
    let ridge = roofs.gflops / roofs.memory_gbps;
    scene.line(
        (at_x(EDGES.0), at_y(EDGES.0 * roofs.memory_gbps)),
        (at_x(ridge), at_y(roofs.gflops)),
        Tone::Used,
    );
    scene.line((at_x(ridge), at_y(roofs.gflops)), (at_x(EDGES.1), at_y(roofs.gflops)), Tone::Used);
    scene.text((at_x(ridge) + 2.0, at_y(roofs.gflops) + 0.2), Align::Start, Tone::Plain, "arithmetic in f32");
    scene.text(
        (at_x(0.02), at_y(0.02 * roofs.memory_gbps) - 1.4),
        Align::Start,
        Tone::Plain,
        "device memory",
    );
    let mut sentences = vec![format!(
        "The limits: {:.0} GB/s of device memory and {} in f32, which meet at {ridge:.1} operations a byte.",
        roofs.memory_gbps,
        rate(roofs.gflops)
    )];
    for kernel in kernels.iter().filter(|kernel| kernel.ns > 0.0) {
        if kernel.flops <= 0.0 || kernel.bytes <= 0.0 {
            sentences.push(format!(
                "{} moves {:.0} GB/s and does {} in floating point.",
                kernel.name,
                kernel.bytes / kernel.ns,
                if kernel.flops > 0.0 { rate(kernel.flops / kernel.ns) } else { "nothing".into() }
            ));
            continue;
        }
        let (intensity, reached) = (kernel.flops / kernel.bytes, kernel.flops / kernel.ns);
        let limit = (intensity * roofs.memory_gbps).min(roofs.gflops);
        let (x, y) = (at_x(intensity), at_y(reached));
        scene.cell((x - 0.5, y - 0.5), 1.0, Tone::Clash, "");
        // The name is on the side that has room.
        let (align, aside) = if x > LEFT + WIDE * 0.7 { (Align::End, -1.0) } else { (Align::Start, 1.0) };
        scene.text((x + aside, y - 0.5), align, Tone::Strong, kernel.name.clone());
        sentences.push(format!(
            "{}: {intensity:.2} operations a byte, {}, {:.0} % of the limit there.",
            kernel.name,
            rate(reached),
            100.0 * reached / limit
        ));
    }
    scene.words = sentences.join(" ");
    scene
}

fn rate(gflops: f64) -> String {
    match gflops {
        rate if rate >= 1000.0 && rate % 1000.0 == 0.0 => format!("{:.0} TFLOP/s", rate / 1000.0),
        rate if rate >= 1000.0 => format!("{:.1} TFLOP/s", rate / 1000.0),
        rate if rate >= 10.0 => format!("{rate:.0} GFLOP/s"),
        rate => format!("{rate:.2} GFLOP/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_told_with_its_share_of_the_limit() {
        let roofs = Roofs { gpu: "X".into(), memory_gbps: 1000.0, gflops: 10_000.0 };
        let kernel = |flops, bytes| Kernel { name: "k".into(), flops, bytes, ns: 100.0 };
        // One operation per byte at 500 GFLOP/s, where 1000 are attainable.
        let scene = roofline(&roofs, &[kernel(50_000.0, 50_000.0)]);
        assert!(
            scene.words.contains("k: 1.00 operations a byte, 500 GFLOP/s, 50 % of the limit"),
            "{}",
            scene.words
        );
        assert!(scene.words.contains("meet at 10.0 operations a byte"));
        let scene = roofline(&roofs, &[kernel(0.0, 50_000.0)]);
        assert!(
            scene.words.contains("k moves 500 GB/s and does nothing in floating point"),
            "{}",
            scene.words
        );
    }
}
