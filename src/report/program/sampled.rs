//! Work counts of a program's kernels in a sampled run, where only some of their blocks ran.

use super::{LaunchView, ProgramView};
use crate::layout::{grouped, paragraph, plural};
use crate::{Style, escape};
use judge::Counter;
use std::collections::BTreeMap;

/// What a counter is compared with: nothing, or another counter.
#[derive(Clone, Copy)]
enum Compared {
    Alone,
    ARequest(Counter),
    OfAll(Counter),
}

use Compared::{ARequest, Alone, OfAll};

/// Counters that are shown: counter, meaning, comparison.
const SHOWN: [(Counter, &str, Compared); 10] = [
    (Counter::WarpInstructions, "warp instructions", Alone),
    (Counter::LoadSectors, "sectors loaded", ARequest(Counter::LoadRequests)),
    (Counter::StoreSectors, "sectors stored", ARequest(Counter::StoreRequests)),
    (Counter::SharedLoadWavefronts, "wavefronts of loads from shared memory", Alone),
    (Counter::SharedStoreWavefronts, "wavefronts of stores to shared memory", Alone),
    (Counter::BankConflicts, "bank conflicts", Alone),
    (Counter::GlobalAtomics, "atomics on global memory", Alone),
    (Counter::DivergentBranches, "divergent branches", OfAll(Counter::Branches)),
    (Counter::Barriers, "block barriers", Alone),
    (Counter::FlopsF32, "single-precision operations", Alone),
];

/// Totals of one kernel's launches from one line.
#[derive(Default)]
struct KernelTotals {
    launches: u64,
    blocks: u64,
    counts: BTreeMap<Counter, u64>,
}

/// Renders a table of the work of a sampled run; empty where all blocks ran.
pub(super) fn table(view: &ProgramView, style: &Style) -> String {
    let Some(percent) = view.run.sampled_percent else { return String::new() };
    let mut out = paragraph(
        &format!(
            "Sampled: {percent} % of the blocks of each kernel ran. What they did is counted, and extrapolated to all \
             blocks; nothing else is known: what the program prints is not its result, no defects were looked for, and \
             no time is modelled."
        ),
        style.width,
        0,
    );
    let mut kernels: Vec<((&str, u32), KernelTotals)> = Vec::new();
    for launch in &view.launches {
        let key = (launch.kernel.as_str(), launch.line);
        let at = kernels.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            kernels.push((key, KernelTotals::default()));
            kernels.len() - 1
        });
        kernels[at].1.add(launch);
    }
    for ((kernel, line), sum) in &kernels {
        let line = if *line > 0 { format!(", line {line}") } else { String::new() };
        let ran = sum.counts.get(&Counter::Blocks).copied().unwrap_or(0);
        let blocks = match ran < sum.blocks {
            true => format!("{} of {} blocks", grouped(ran), grouped(sum.blocks)),
            // Blocks that wait for each other all have to run.
            false => format!("all {} blocks", grouped(sum.blocks)),
        };
        let launches = plural(sum.launches, "launch", "launches");
        out += &paragraph(&format!("{}{line}: {launches}, {blocks}", escape(kernel)), style.width, 0);
        out += &sum.rows();
    }
    out
}

impl KernelTotals {
    fn add(&mut self, launch: &LaunchView) {
        self.launches += 1;
        self.blocks += launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        for (&counter, count) in &launch.counts {
            *self.counts.entry(counter).or_default() += count;
        }
    }

    fn rows(&self) -> String {
        let of = |counter: Counter| self.counts.get(&counter).copied().filter(|&count| count > 0);
        let ran = of(Counter::Blocks).unwrap_or(1);
        let about = if ran < self.blocks { "about " } else { "" };
        let row = |&(counter, says, compared): &(Counter, &str, Compared)| {
            let count = of(counter)?;
            let all = u128::from(count) * u128::from(self.blocks) / u128::from(ran);
            let all = grouped(u64::try_from(all).unwrap_or(u64::MAX));
            let each = |other: Counter| of(other).map(|other| count as f64 / other as f64);
            let compared = match compared {
                Alone => None,
                ARequest(other) => each(other).map(|each| format!(" ({each:.1} per request)")),
                OfAll(other) => each(other).map(|each| format!(" ({:.0} % of all)", 100.0 * each)),
            };
            Some(format!("  {about}{all} {says}{}\n", compared.unwrap_or_default()))
        };
        SHOWN.iter().filter_map(row).collect()
    }
}
