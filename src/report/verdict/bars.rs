//! Bars: a lesson's limits on counted work, as a table.

use crate::escape;
use crate::layout::{counts_to_compare, grouped, pad, pad_left, paragraph, text_width, times_to_compare};
use crate::paint;
use judge::{Bar, Counter, StarterComparison};

/// Formats two values of a counter for comparison.
pub fn values_to_compare(counter: Counter, a: u64, b: u64) -> (String, String) {
    if counter.is_time() { times_to_compare(a, b) } else { counts_to_compare(a, b) }
}

/// Returns whether a bar on a time, or on a gain in time, is missed because something takes too long.
fn is_slow(bar: &Bar) -> bool {
    match bar.counter {
        Counter::ModelledNs => bar.at_most,
        Counter::SpeedupOverStarterPercent => !bar.at_most,
        _ => false,
    }
}

/// Returns whether a counter is of the busiest thread.
fn is_per_thread(counter: Counter) -> bool {
    use Counter::*;
    matches!(
        counter,
        GlobalReadsPerThread | GlobalWritesPerThread | SharedReadsPerThread | SharedWritesPerThread
    )
}

/// Returns in a few words what was too much.
pub fn headline(bars: &[Bar]) -> String {
    use Counter::*;
    let missed: Vec<&Bar> = bars.iter().filter(|bar| !bar.met()).collect();
    let all = |counters: &[Counter]| missed.iter().all(|bar| counters.contains(&bar.counter));
    let traffic = [LoadSectors, StoreSectors, LoadRequests, StoreRequests, GlobalReads, GlobalWrites];
    let what = match () {
        () if missed.is_empty() => "work out of bounds",
        () if missed.iter().all(|bar| is_slow(bar)) => "correct, but too slow",
        () if all(&[UnfinishedReturns]) => "correct values, but it returns before the work is done",
        () if all(&[PeakDeviceBytes]) && missed.iter().all(|bar| bar.at_most) => {
            "correct, but too much memory"
        }
        () if !missed.iter().all(|bar| bar.at_most) => "correct, but not in the way asked for",
        () if all(&[GlobalAtomics, SharedAtomics]) => "correct, too many atomics",
        () if all(&[BankConflicts]) => "correct, but with bank conflicts",
        () if missed.iter().all(|bar| is_per_thread(bar.counter)) => "correct, but one thread does too much",
        () if all(&traffic) => "correct, too much memory traffic",
        () => "correct, too much work",
    };
    what.into()
}

/// Returns a sentence that compares the passing kernel with the starter.
pub fn starter_comparison(view: &StarterComparison) -> String {
    let (starter, yours) = values_to_compare(view.counter, view.starter, view.yours);
    let much = if view.counter.is_time() { "long" } else { "many" };
    let often = match view.starter as f64 / view.yours.max(1) as f64 {
        _ if view.yours == 0 => String::new(),
        times @ ..10.0 => format!(", {times:.1} times as {much}"),
        times => format!(", {times:.0} times as {much}"),
    };
    let with = if view.case.is_empty() { String::new() } else { format!("with {}: ", escape(&view.case)) };
    let (meaning, now) = (view.counter.meaning(), if view.yours == 0 { "none".to_owned() } else { yours });
    format!("At the start, {with}{starter} {meaning}{often}. Now: {now}.")
}

/// Returns how far a count is from its bar; empty when the bar is met.
fn how_far(bar: &Bar) -> String {
    let time = bar.counter.is_time();
    let (much, little) = if time { ("long", "short") } else { ("many", "few") };
    let by = |amount: u64| if time { times_to_compare(amount, 0).0 } else { grouped(amount) };
    match (bar.met(), bar.at_most, bar.yours, bar.limit) {
        (true, ..) => String::new(),
        (_, true, yours, 0) => format!("{} too {much}", by(yours)),
        (_, true, yours, limit) => {
            let times = yours as f64 / limit as f64;
            match times {
                ..1.1 => format!("{} too {much}", by(yours - limit)),
                1.1..100.0 => format!("{times:.1}× too {much}"),
                _ => format!("{times:.0}× too {much}"),
            }
        }
        (_, false, yours, limit) => format!("{} too {little}", by(limit.saturating_sub(yours))),
    }
}

/// Merges an upper and a lower bound on the same counter into one row: the upper bound with the lower one.
fn bounds(bars: &[Bar]) -> Vec<(&Bar, Option<&Bar>)> {
    let mut rows: Vec<(&Bar, Option<&Bar>)> = Vec::new();
    for bar in bars {
        let half = |row: &&mut (&Bar, Option<&Bar>)| {
            row.1.is_none() && row.0.counter == bar.counter && row.0.at_most != bar.at_most
        };
        match rows.iter_mut().find(half) {
            Some(row) if bar.at_most => *row = (bar, Some(row.0)),
            Some(row) => row.1 = Some(bar),
            None => rows.push((bar, None)),
        }
    }
    rows
}

fn met((bar, other): (&Bar, Option<&Bar>)) -> bool {
    bar.met() && other.is_none_or(Bar::met)
}

/// Renders the counts next to their bars.
pub fn table(bars: &[Bar], width: usize) -> String {
    let bars = &bounds(bars)[..];
    let rows: Vec<[String; 4]> = bars
        .iter()
        .map(|&(bar, other)| {
            let (yours, limit) = values_to_compare(bar.counter, bar.yours, bar.limit);
            let limit = match other {
                Some(least) if least.limit == bar.limit => format!("exactly {limit}"),
                Some(least) => {
                    format!("{} to {limit}", values_to_compare(bar.counter, least.limit, bar.limit).0)
                }
                None if bar.at_most => limit,
                None => format!("≥ {limit}"),
            };
            let far = other.filter(|least| !least.met()).map_or_else(|| how_far(bar), how_far);
            [bar.counter.meaning().to_owned(), yours, limit, far]
        })
        .collect();
    let column = |i: usize, head: &str| {
        rows.iter().map(|r| text_width(&r[i])).chain([text_width(head)]).max().unwrap_or(0)
    };
    let (name, yours, limit) = (column(0, ""), column(1, "yours"), column(2, "bar"));
    let far = column(3, "");
    if 2 + name + 4 + yours + 4 + limit + 3 + far > width {
        return narrow(&rows, bars, width);
    }
    let mut out = paint::dim(&format!(
        "  {}    {}    {}",
        pad("", name),
        pad_left("yours", yours),
        pad_left("bar", limit)
    )) + "\n";
    for (row, &bar) in rows.iter().zip(bars) {
        let line = format!(
            "  {}    {}    {}   {}",
            pad(&row[0], name),
            pad_left(&row[1], yours),
            pad_left(&row[2], limit),
            row[3]
        );
        let line = line.trim_end();
        out += &if met(bar) { line.to_string() } else { paint::bad(line) };
        out.push('\n');
    }
    out
}

/// Renders one sentence per bar, for a narrow terminal.
fn narrow(rows: &[[String; 4]], bars: &[(&Bar, Option<&Bar>)], width: usize) -> String {
    let mut out = String::new();
    for (row, &bar) in rows.iter().zip(bars) {
        let far = if met(bar) { String::new() } else { format!(": {}", row[3]) };
        out += &paragraph(&format!("{}: {}, bar {}{far}", row[0], row[1], row[2]), width, 2);
    }
    out
}
