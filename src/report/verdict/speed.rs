//! Bars on a kernel's time on a GPU.

use crate::escape;
use crate::lack::not_timed;
use crate::layout::{pad, pad_left, paragraph, text_width};
use crate::paint;
use judge::course::RatioUnit;
use judge::{Speed, SpeedBar, SpeedState, TooFast};
use serde::{Deserialize, Serialize};

/// A kernel's speed on a GPU compared with the bars of its lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedView {
    /// Name of the GPU; `None` where none was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// Sizes, as text.
    pub case: String,
    /// Median time in nanoseconds; `None` where nothing was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    pub bars: Vec<SpeedBar>,
    /// Why the measured time is implausible, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicious: Option<String>,
    /// Why nothing was timed, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
}

impl From<&Speed> for SpeedView {
    fn from(speed: &Speed) -> SpeedView {
        SpeedView {
            gpu: speed.gpu.clone(),
            case: speed.case.clone(),
            ns: speed.ns,
            bars: speed.bars.clone(),
            suspicious: speed.suspicious.as_ref().map(too_fast),
            not_run: speed.not_run.as_ref().map(not_timed),
        }
    }
}

/// Says why a time is implausible.
pub fn too_fast(its: &TooFast) -> String {
    let micro = |ns: f64| format!("{:.1} µs", ns / 1000.0);
    format!(
        "it took {}, but moving the {} MB that the lesson needs takes {} at the rate of a copy on this card: less was done \
         than asked for",
        micro(its.ns),
        its.moved_bytes / 1_000_000,
        micro(its.floor_ns)
    )
}

/// Returns the explanation of the first missed bar.
pub fn advice(speed: &Speed) -> Option<String> {
    speed.bars.iter().find(|bar| bar.state == SpeedState::Missed).map(|bar| bar.why.clone())
}

/// Returns in a few words what is wrong.
pub fn headline(speed: &Speed) -> &'static str {
    if speed.suspicious.is_some() {
        "correct, but faster than this card can be"
    } else {
        "correct, but too slow"
    }
}

/// Formats `92 %` or `3.4×`, with enough digits to distinguish it from `other`.
fn amount(value: f64, other: f64, unit: RatioUnit) -> String {
    let gap = if unit == RatioUnit::Times { "" } else { " " };
    let digits = match (value - other).abs() {
        _ if unit == RatioUnit::Times && value.fract() == 0.0 => 0,
        far if far >= 1.0 && (unit == RatioUnit::Percent || value >= 100.0) => 0,
        far if far >= 0.1 || far == 0.0 => 1,
        _ => 2,
    };
    let digits = if value.fract() == 0.0 { 0 } else { digits };
    format!("{value:.digits$}{gap}{unit}")
}

/// Renders the time, and each bar.
pub fn render(view: &SpeedView, width: usize) -> String {
    if let Some(why) = &view.not_run {
        let why = escape(why.trim_end_matches('.'));
        return paragraph(&format!("Its bars on a GPU were not measured: {why}."), width, 2);
    }
    let mut out = String::new();
    if let (Some(gpu), Some(ns)) = (&view.gpu, view.ns) {
        let time = format!("{:.1} µs on {} with {}", ns / 1000.0, escape(gpu), escape(&view.case));
        out += &paragraph(&format!("{time}:"), width, 2);
    }
    let rows: Vec<[String; 3]> = (view.bars.iter())
        .map(|bar| {
            let yours = bar.measured.map(|value| amount(value, bar.needed, bar.ratio.unit()));
            let note = match bar.state {
                SpeedState::Unstable => ", times vary too much to tell",
                SpeedState::NotRun => ", not measured",
                _ => "",
            };
            let yours = yours.unwrap_or_else(|| "–".into());
            [
                yours,
                format!("{}{note}", bar.ratio.meaning()),
                amount(bar.needed, bar.needed, bar.ratio.unit()),
            ]
        })
        .collect();
    let column = |i: usize| rows.iter().map(|row| text_width(&row[i])).max().unwrap_or(0);
    let (yours, meaning) = (column(0), column(1));
    for (row, bar) in rows.iter().zip(&view.bars) {
        let line = format!("{} {}   bar {}", pad_left(&row[0], yours), pad(&row[1], meaning), row[2]);
        if 4 + text_width(&line) > width {
            let line = format!("{} {}, bar {}", row[0], row[1], row[2]);
            out += &paragraph(&line, width, 4);
        } else if bar.state == SpeedState::Missed {
            out += &format!("    {}\n", paint::bad(&line));
        } else {
            out += &format!("    {line}\n");
        }
    }
    for bar in view.bars.iter().filter(|bar| bar.state == SpeedState::NotRun) {
        out += &paragraph(&format!("Not measured: {}.", escape(bar.why.trim_end_matches('.'))), width, 4);
    }
    if let Some(why) = &view.suspicious {
        out += &paragraph(&format!("That is not possible: {}.", escape(why)), width, 2);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_digits_that_tell() {
        for (value, other, unit, text) in [
            (92.3, 85.0, RatioUnit::Percent, "92 %"),
            (84.7, 85.0, RatioUnit::Percent, "84.7 %"),
            (84.96, 85.0, RatioUnit::Percent, "84.96 %"),
            (85.0, 85.0, RatioUnit::Percent, "85 %"),
            (3.42, 2.0, RatioUnit::Times, "3.4×"),
            (2.0, 2.0, RatioUnit::Times, "2×"),
            (2.5, 2.5, RatioUnit::Times, "2.5×"),
            (1.98, 2.0, RatioUnit::Times, "1.98×"),
            (415.3, 20.0, RatioUnit::Times, "415×"),
        ] {
            assert_eq!(amount(value, other, unit), text);
        }
    }
}
