//! A computer with a GPU.

use super::scene::{Align, Scene, Tone};
use host::device::model::Model;

/// Draws the host, the bus and the GPU of a model, each memory with its size, latency and bandwidth. All figures
/// are constants of the model, whose file names the source of each.
pub fn machine(model: &Model) -> Scene {
    let gpu = &model.gpu;
    let name = &model.properties.name;
    let mut scene = Scene::new(format!("A computer with an {name}"));

    scene.frame((0.0, 0.0), (19.0, 15.0), Tone::Plain, "host");
    scene.cell((2.0, 2.0), 15.0, Tone::Read, "CPU: main()");
    scene.cell((2.0, 12.0), 15.0, Tone::Copy, "memory");
    scene.text((25.0, 11.0), Align::Middle, Tone::Dim, "bus");
    scene.cell((19.0, 12.0), 12.0, Tone::Write, bus_rate(model));

    scene.frame((31.0, 0.0), (65.0, 15.0), Tone::Plain, name.clone());
    for (n, x) in [33.0, 54.0, 75.0].into_iter().enumerate() {
        let number = if n == 2 { gpu.sms.saturating_sub(1) } else { n as u32 };
        scene.frame((x, 1.5), (19.0, 7.0), Tone::Dim, format!("SM {number}"));
        scene.cell((x + 1.0, 2.6), 17.0, Tone::Read, format!("{} schedulers", gpu.issue_per_cycle));
        scene.cell((x + 1.0, 3.7), 8.5, Tone::Used, "cores");
        scene.cell((x + 9.5, 3.7), 8.5, Tone::Used, "tensor");
        scene.cell((x + 1.0, 4.8), 17.0, Tone::Copy, "registers");
        scene.cell((x + 1.0, 5.9), 17.0, Tone::Copy, "shared memory");
        scene.cell((x + 1.0, 7.0), 17.0, Tone::Copy, "L1 cache");
    }
    scene.text((73.5, 4.5), Align::Middle, Tone::Dim, "…");
    scene.cell((33.0, 9.0), 61.0, Tone::Copy, format!("L2 cache  {}", size(gpu.l2_bytes as f64)));
    scene.text((63.0, 10.2), Align::Middle, Tone::Dim, format!("▲ {} ▼", rate(gpu.dram_gbps)));
    scene.cell(
        (33.0, 12.0),
        61.0,
        Tone::Copy,
        format!("device memory  {}", size(model.properties.memory_bytes as f64)),
    );

    let rows = memories(model);
    draw_table(&mut scene, &rows);
    let sentences = rows.iter().map(|row| {
        let facts: Vec<&str> =
            row[1..].iter().map(|fact| fact.trim_end_matches(',')).filter(|fact| !fact.is_empty()).collect();
        format!("{}: {}.", row[0], facts.join(", "))
    });
    scene.words = format!(
        "The host, a CPU with its memory, is connected by a bus to the GPU. The GPU has {} multiprocessors (SMs), each \
         with {} warp schedulers, cores, tensor cores, registers, shared memory and an L1 cache; all share the L2 cache \
         and device memory. Latencies and bandwidths are modelled. {}",
        gpu.sms,
        gpu.issue_per_cycle,
        sentences.collect::<Vec<_>>().join(" ")
    );
    scene
}

/// Returns for each memory and for the bus: name, size, latency, bandwidth, and who uses it.
fn memories(model: &Model) -> [[String; 5]; 6] {
    let (gpu, latencies) = (&model.gpu, &model.gpu.latencies);
    let per_sm = |bytes: f64| bytes * f64::from(gpu.sms) * gpu.clock_ghz;
    let cycles = |n: f64| format!("{n:.0} cycles");
    [
        ["registers", "256 KiB an SM", "", "", "a thread"].map(String::from),
        [
            "shared memory".into(),
            format!("{} an SM,", size(gpu.l1_bytes as f64)),
            cycles(latencies.shared),
            rate(per_sm(gpu.shared_bytes_per_cycle)),
            "a block".into(),
        ],
        [
            "L1 cache".into(),
            "the two together".into(),
            cycles(latencies.l1),
            rate(per_sm(gpu.l1_bytes_per_cycle)),
            "an SM".into(),
        ],
        [
            "L2 cache".into(),
            size(gpu.l2_bytes as f64),
            cycles(latencies.l2),
            rate(gpu.l2_gbps),
            "all SMs".into(),
        ],
        [
            "device memory".into(),
            size(model.properties.memory_bytes as f64),
            cycles(latencies.dram),
            rate(gpu.dram_gbps),
            "all SMs".into(),
        ],
        ["bus".into(), String::new(), "microseconds".into(), bus_rate(model), "host and GPU".into()],
    ]
}

fn draw_table(scene: &mut Scene, rows: &[[String; 5]]) {
    let head = ["", "size", "latency, modelled", "bandwidth, modelled", "used by"];
    let columns = [0.0, 17.0, 35.0, 55.0, 77.0];
    for (x, word) in columns.iter().zip(head) {
        scene.label((*x, 16.0), word);
    }
    for (n, row) in rows.iter().enumerate() {
        for (x, word) in columns.iter().zip(row) {
            scene.text((*x, 17.0 + n as f64), Align::Start, Tone::Plain, word.clone());
        }
    }
}

fn bus_rate(model: &Model) -> String {
    rate(model.transfer.pinned_to_device_gbps)
}

/// Formats bytes in the unit that suits them.
fn size(bytes: f64) -> String {
    let (unit, scale) = match bytes {
        b if b >= (1u64 << 30) as f64 => ("GiB", (1u64 << 30) as f64),
        b if b >= (1u64 << 20) as f64 => ("MiB", (1u64 << 20) as f64),
        _ => ("KiB", 1024.0),
    };
    format!("{:.0} {unit}", bytes / scale)
}

/// Formats a rate in bytes per nanosecond, that is GB/s.
fn rate(gbps: f64) -> String {
    match gbps {
        rate if rate >= 10_000.0 => format!("{:.0} TB/s", rate / 1000.0),
        rate if rate >= 1000.0 => format!("{:.1} TB/s", rate / 1000.0),
        rate => format!("{rate:.0} GB/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_drawn_with_its_own_figures() {
        for (key, bandwidth) in [("t4", "320 GB/s"), ("h100", "3.4 TB/s")] {
            let scene = machine(&Model::named(key).expect("there is such a model"));
            assert!(scene.words.contains(bandwidth), "{}", scene.words);
            let lines = scene.plain_lines();
            assert!(
                lines.iter().any(|line| line.contains("latency, modelled   bandwidth, modelled   used by"))
            );
            assert!(lines.iter().all(|line| line.chars().count() <= 100));
        }
    }
}
