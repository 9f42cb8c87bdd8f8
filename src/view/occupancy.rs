//! Occupancy: how many warps a multiprocessor holds, and what limits them; with sliders if the page's script
//! runs.

use super::Document;
use picture::escape;
use serde_json::json;
use sim::{BlockNeeds, Multiprocessor};

pub fn section(of: &Document) -> Option<String> {
    let launch = of.launches.first()?;
    let sm = of.gpu.multiprocessor;
    let needs = BlockNeeds {
        threads: launch.block.iter().product(),
        // Without machine code, the register count is not known.
        registers: launch.registers?,
        shared_bytes: launch.shared_bytes,
    };
    let held = sm.occupancy(needs);
    let limits: Vec<&str> = held.limits.iter().map(|limit| limit.name()).collect();
    Some(format!(
        "<p><code>{}</code> has {} threads per block, {} registers per thread and {} bytes of shared memory per block. A \
         multiprocessor of an {} holds at once:</p>\n\
         <p class=\"held\"><output id=\"held\">{}</output></p>\n\
         <form id=\"sliders\" hidden data-sm=\"{}\">\n{}{}{}</form>\n",
        escape(&launch.kernel),
        needs.threads,
        needs.registers,
        report::grouped(needs.shared_bytes.into()),
        escape(&of.gpu.name),
        sentence(held.blocks, held.warps, held.max_warps, &limits),
        escape(&constants(&sm)),
        slider("threads", "threads per block", 1, 1024, 1, needs.threads),
        slider("registers", "registers per thread", 1, 255, 1, needs.registers),
        slider(
            "shared",
            "bytes of shared memory per block",
            0,
            sm.shared_bytes_per_block,
            1,
            needs.shared_bytes
        ),
    ))
}

/// Returns the same sentence that the page's script generates.
fn sentence(blocks: u32, warps: u32, max_warps: u32, limits: &[&str]) -> String {
    let percent = 100.0 * f64::from(warps) / f64::from(max_warps.max(1));
    format!(
        "{blocks} blocks, {warps} of {max_warps} warps ({percent:.0} %), held there by {}",
        limits.join(", ")
    )
}

/// Returns the constants that the page's script calculates with, as JSON.
fn constants(sm: &Multiprocessor) -> String {
    json!({
        "warps": sm.warps,
        "blocks": sm.blocks,
        "registers": sm.registers,
        "shared": sm.shared_bytes,
        "sharedPerBlock": sm.shared_bytes_per_block,
        "sharedReserved": sm.shared_reserved_bytes,
        "sharedUnit": sm.shared_unit_bytes,
    })
    .to_string()
}

fn slider(name: &str, label: &str, least: u32, most: u32, step: u32, value: u32) -> String {
    format!(
        "<label>{label} <output>{value}</output><input type=\"range\" name=\"{name}\" min=\"{least}\" max=\"{most}\" step=\"{step}\" \
         value=\"{value}\"></label>\n"
    )
}
