//! What the simulator counts against what the hardware does: `hardware/h100.csv` holds ncu's counts of
//! the pairs on an H100, one line a kernel.
//!
//! Made by `ncu --clock-control none --csv` over one launch of each kernel, compiled for compute
//! capability 9.0 by NVRTC 13.0, with the metrics
//! `l1tex__t_{sectors,requests}_pipe_lsu_mem_global_op_{ld,st}.sum`,
//! `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum`,
//! `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st}.sum` and `launch__registers_per_thread`.

use super::pair::Pair;
use gpulearn::sim::Counts;
use std::path::PathBuf;

/// Differences that are understood: pair, kernel (empty for both), column, and why.
const EXPLAINED: &[(&str, &str, &str, &str)] = &[
    ("matmul_registers", "", "load_passes", JOINED),
    ("matmul_tiled", "fast", "load_passes", JOINED),
    ("reduction_tree", "fast", "load_passes", JOINED),
    ("serial_sum", "fast", "store_conflicts", "14 of 82 wavefronts: arbitration, in a kernel of one block"),
];

/// What comes after PTX.
const JOINED: &str = "ptxas joins loads of neighbouring words of shared memory into one of 8 or 16 bytes; PTX, \
                      which the simulator runs, has them apart";

/// The hardware replays accesses to shared memory that meet others on their way (arbitration), and
/// counts that as conflicts: up to this share of wavefronts in the table, which no address explains.
const ARBITRATION: f64 = 0.11;

/// The columns that are compared, as the simulator counts them. `passes` are wavefronts without those
/// that conflicts add.
fn counted(counts: &Counts) -> [(&'static str, u64); 8] {
    let (load, store) = (&counts.global_loads, &counts.global_stores);
    let (shared_load, shared_store) = (&counts.shared_loads, &counts.shared_stores);
    [
        ("load_sectors", load.units),
        ("load_requests", load.requests),
        ("store_sectors", store.units),
        ("store_requests", store.requests),
        ("load_passes", shared_load.units - shared_load.conflicts),
        ("store_passes", shared_store.units - shared_store.conflicts),
        ("load_conflicts", shared_load.conflicts),
        ("store_conflicts", shared_store.conflicts),
    ]
}

/// A line of the table, by column.
struct Row<'a> {
    names: &'a [&'a str],
    fields: Vec<&'a str>,
}

impl Row<'_> {
    fn number(&self, column: &str) -> u64 {
        let at = self.names.iter().position(|name| *name == column).unwrap();
        self.fields[at].parse().unwrap()
    }

    /// ncu's value of a column, and what it may be above the simulator's.
    fn theirs(&self, column: &str) -> (u64, u64) {
        let wavefronts = |kind: &str| self.number(&format!("shared_{kind}_wavefronts"));
        match column.split_once('_') {
            Some((kind, "passes")) => (wavefronts(kind) - self.number(&format!("{kind}_conflicts")), 0),
            Some((kind, "conflicts")) => {
                (self.number(column), (wavefronts(kind) as f64 * ARBITRATION).ceil() as u64)
            }
            _ => (self.number(column), 0),
        }
    }
}

#[test]
fn counts_are_the_hardwares() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/timing");
    let table = std::fs::read_to_string(folder.join("hardware/h100.csv")).unwrap();
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let compiler = super::compiler();
    let (mut wrong, mut equal, mut explained) = (Vec::new(), 0, 0);
    let mut ran = None;
    for line in lines {
        let row = Row { names: &names, fields: line.split(',').collect() };
        let (name, kernel) = (row.fields[0], row.fields[1]);
        if ran.as_ref().is_none_or(|(last, _)| *last != name) {
            let source = std::fs::read_to_string(folder.join(format!("pairs/{name}.cu"))).unwrap();
            ran = Some((name, Pair::parse(&source).unwrap().run(name, &source, &compiler)));
        }
        let both = &ran.as_ref().unwrap().1;
        let work = if kernel == "slow" { &both.slow.work } else { &both.fast.work };
        for (column, ours) in counted(&work.counts) {
            let (theirs, above) = row.theirs(column);
            let why = EXPLAINED
                .iter()
                .find(|(p, k, c, _)| *p == name && (k.is_empty() || *k == kernel) && *c == column);
            match ((ours..=ours + above).contains(&theirs), why) {
                (true, _) => equal += 1,
                (false, Some((.., why))) => {
                    explained += 1;
                    println!("{name} {kernel} {column}: {ours}, ncu {theirs}: {why}");
                }
                (false, None) => wrong.push(format!("{name} {kernel} {column}: {ours}, ncu {theirs}")),
            }
        }
    }
    println!("{equal} counts equal, {explained} differ as explained, {} do not agree", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
