//! Bars on a kernel's time on a GPU.

use crate::escape;
use crate::layout::{pad, pad_left, paragraph, text_width};
use crate::paint;
use judge::{Speed, SpeedBar, SpeedState};
use serde::{Deserialize, Serialize};

/// What was timed on a GPU, or why nothing was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedView {
    /// `None` where no GPU was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// Sizes, as text.
    pub case: String,
    /// Median, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    pub bars: Vec<SpeedBarView>,
    /// Why the time can't be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicious: Option<String>,
    /// Why nothing was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
}

/// One bar on a time, expressed as a ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedBarView {
    /// Such as `share_of_copy_bandwidth`.
    pub ratio: String,
    /// The ratio in words: `of this card's copy bandwidth`.
    pub meaning: String,
    /// Unit of `measured` and `needed`: `%` or `×`.
    pub unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    pub needed: f64,
    pub state: SpeedState,
    pub why: String,
}

impl From<&Speed> for SpeedView {
    fn from(speed: &Speed) -> SpeedView {
        SpeedView {
            gpu: Some(speed.gpu.clone()).filter(|gpu| !gpu.is_empty()),
            case: speed.case.to_string(),
            ns: speed.ns,
            bars: speed.bars.iter().map(SpeedBarView::from).collect(),
            suspicious: speed.suspicious.clone(),
            not_run: speed.not_run.clone(),
        }
    }
}

impl From<&SpeedBar> for SpeedBarView {
    fn from(bar: &SpeedBar) -> SpeedBarView {
        SpeedBarView {
            ratio: bar.ratio.name().into(),
            meaning: bar.ratio.meaning().into(),
            unit: bar.ratio.unit().into(),
            measured: bar.measured,
            needed: bar.needed,
            state: bar.state,
            why: bar.why.clone(),
        }
    }
}

impl SpeedView {
    /// Returns the explanation of the first missed bar.
    pub fn advice(&self) -> Option<String> {
        self.bars.iter().find(|bar| bar.state == SpeedState::Missed).map(|bar| bar.why.clone())
    }
}

/// Returns in a few words what is wrong.
pub fn headline(view: &SpeedView) -> &'static str {
    if view.suspicious.is_some() {
        "correct, but faster than this card can be"
    } else {
        "correct, but too slow"
    }
}

/// Formats `92 %` or `3.4×`, with enough digits to distinguish it from `other`.
fn amount(value: f64, other: f64, unit: &str) -> String {
    let gap = if unit == "×" { "" } else { " " };
    let digits = match (value - other).abs() {
        _ if unit == "×" && value.fract() == 0.0 => 0,
        far if far >= 1.0 && (unit == "%" || value >= 100.0) => 0,
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
            let yours = bar.measured.map(|value| amount(value, bar.needed, &bar.unit));
            let note = match bar.state {
                SpeedState::Unstable => ", times vary too much to tell",
                SpeedState::NotRun => ", not measured",
                _ => "",
            };
            let yours = yours.unwrap_or_else(|| "–".into());
            [yours, format!("{}{note}", escape(&bar.meaning)), amount(bar.needed, bar.needed, &bar.unit)]
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
            (92.3, 85.0, "%", "92 %"),
            (84.7, 85.0, "%", "84.7 %"),
            (84.96, 85.0, "%", "84.96 %"),
            (85.0, 85.0, "%", "85 %"),
            (3.42, 2.0, "×", "3.4×"),
            (2.0, 2.0, "×", "2×"),
            (2.5, 2.5, "×", "2.5×"),
            (1.98, 2.0, "×", "1.98×"),
            (415.3, 20.0, "×", "415×"),
        ] {
            assert_eq!(amount(value, other, unit), text);
        }
    }
}
