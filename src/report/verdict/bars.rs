//! Bars: a lesson's limits on counted work, as a table.

use crate::escape;
use crate::layout::{counts_to_compare, grouped, pad, pad_left, paragraph, text_width, times_to_compare};
use crate::paint;
use judge::{Bar, StarterComparison};
use serde::{Deserialize, Serialize};

/// A bar with the count that it was compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarView {
    pub counter: String,
    pub meaning: String,
    pub yours: u64,
    pub limit: u64,
    /// Whether `limit` is an upper bound instead of a lower one.
    pub at_most: bool,
    pub met: bool,
    pub why: String,
}

impl From<&Bar> for BarView {
    fn from(bar: &Bar) -> Self {
        BarView {
            counter: bar.counter.clone(),
            meaning: bar.meaning.clone(),
            yours: bar.yours,
            limit: bar.limit,
            at_most: bar.at_most,
            met: bar.met(),
            why: bar.why.clone(),
        }
    }
}

/// Returns whether a counter is a time, in nanoseconds.
fn is_time(counter: &str) -> bool {
    counter.ends_with("_ns")
}

/// Formats two values of a counter for comparison.
pub fn values_to_compare(counter: &str, a: u64, b: u64) -> (String, String) {
    if is_time(counter) { times_to_compare(a, b) } else { counts_to_compare(a, b) }
}

impl BarView {
    /// Returns whether a bar on a time, or on a gain in time, is missed because something takes too long.
    fn is_slow(&self) -> bool {
        self.at_most != self.counter.contains("speedup")
    }
}

/// Returns in a few words what was too much.
pub fn headline(bars: &[BarView]) -> String {
    let missed: Vec<&BarView> = bars.iter().filter(|b| !b.met).collect();
    let all = |words: &[&str]| missed.iter().all(|b| words.iter().any(|w| b.counter.contains(w)));
    let of_all = missed.iter().all(|b| !b.counter.ends_with("_per_thread"));
    let what = match () {
        () if missed.is_empty() => "work out of bounds",
        () if all(&["modelled_ns", "speedup"]) && missed.iter().all(|b| b.is_slow()) => {
            "correct, but too slow"
        }
        () if all(&["unfinished_returns"]) => "correct values, but it returns before the work is done",
        () if all(&["peak_device_bytes"]) && missed.iter().all(|b| b.at_most) => {
            "correct, but too much memory"
        }
        () if !missed.iter().all(|b| b.at_most) => "correct, but not in the way asked for",
        () if all(&["_atomic"]) => "correct, too many atomics",
        () if all(&["bank_conflicts"]) => "correct, but with bank conflicts",
        () if all(&["_per_thread"]) => "correct, but one thread does too much",
        () if of_all && all(&["sectors", "requests", "global_reads", "global_writes"]) => {
            "correct, too much memory traffic"
        }
        () => "correct, too much work",
    };
    what.into()
}

/// What the lesson's starter counts, and what a passing kernel counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StarterView {
    pub case: String,
    pub counter: String,
    pub meaning: String,
    pub starter: u64,
    pub yours: u64,
}

impl From<&StarterComparison> for StarterView {
    fn from(starter_comparison: &StarterComparison) -> Self {
        StarterView {
            case: starter_comparison.case.to_string(),
            counter: starter_comparison.starter.counter.clone(),
            meaning: starter_comparison.starter.meaning.clone(),
            starter: starter_comparison.starter.yours,
            yours: starter_comparison.yours,
        }
    }
}

/// Returns a sentence that compares the passing kernel with the starter.
pub fn starter_comparison(view: &StarterView) -> String {
    let (starter, yours) = values_to_compare(&view.counter, view.starter, view.yours);
    let much = if is_time(&view.counter) { "long" } else { "many" };
    let often = match view.starter as f64 / view.yours.max(1) as f64 {
        _ if view.yours == 0 => String::new(),
        times @ ..10.0 => format!(", {times:.1} times as {much}"),
        times => format!(", {times:.0} times as {much}"),
    };
    let with = if view.case.is_empty() { String::new() } else { format!("with {}: ", escape(&view.case)) };
    let (meaning, now) = (escape(&view.meaning), if view.yours == 0 { "none".to_owned() } else { yours });
    format!("At the start, {with}{starter} {meaning}{often}. Now: {now}.")
}

/// Returns how far a count is from its bar; empty when the bar is met.
fn how_far(bar: &BarView) -> String {
    let time = is_time(&bar.counter);
    let (much, little) = if time { ("long", "short") } else { ("many", "few") };
    let by = |amount: u64| if time { times_to_compare(amount, 0).0 } else { grouped(amount) };
    match (bar.met, bar.at_most, bar.yours, bar.limit) {
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
fn bounds(bars: &[BarView]) -> Vec<(&BarView, Option<&BarView>)> {
    let mut rows: Vec<(&BarView, Option<&BarView>)> = Vec::new();
    for bar in bars {
        let half = |row: &&mut (&BarView, Option<&BarView>)| {
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

fn met((bar, other): (&BarView, Option<&BarView>)) -> bool {
    bar.met && other.is_none_or(|least| least.met)
}

/// Renders the counts next to their bars.
pub fn table(bars: &[BarView], width: usize) -> String {
    let bars = &bounds(bars)[..];
    let rows: Vec<[String; 4]> = bars
        .iter()
        .map(|&(bar, other)| {
            let (yours, limit) = values_to_compare(&bar.counter, bar.yours, bar.limit);
            let limit = match other {
                Some(least) if least.limit == bar.limit => format!("exactly {limit}"),
                Some(least) => {
                    format!("{} to {limit}", values_to_compare(&bar.counter, least.limit, bar.limit).0)
                }
                None if bar.at_most => limit,
                None => format!("≥ {limit}"),
            };
            let far = other.filter(|least| !least.met).map_or_else(|| how_far(bar), how_far);
            [escape(&bar.meaning), yours, limit, far]
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
fn narrow(rows: &[[String; 4]], bars: &[(&BarView, Option<&BarView>)], width: usize) -> String {
    let mut out = String::new();
    for (row, &bar) in rows.iter().zip(bars) {
        let far = if met(bar) { String::new() } else { format!(": {}", row[3]) };
        out += &paragraph(&format!("{}: {}, bar {}{far}", row[0], row[1], row[2]), width, 2);
    }
    out
}
