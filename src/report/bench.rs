//! Benchmark results: how long a kernel takes, and how that compares with the card's limits.

use super::layout::{pad, paragraph, text_width, wrap};
use super::{Style, escape, grouped, paint};
use judge::bench::{Bound, Roofline, Summary};
use serde::Serialize;
use std::fmt;

/// `gpulearn.bench/1`: one view for each thing that was timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BenchView {
    /// A lesson's slug, or the name of a kernel in a file.
    pub name: String,
    pub file: String,
    /// The GPU that it ran on, or the modelled one.
    pub device: String,
    /// Whether no GPU ran it, so that the time comes from the time model.
    pub modelled: bool,
    /// Sizes, as text.
    pub case: String,
    #[serde(flatten)]
    pub times: TimesView,
    #[serde(flatten)]
    pub work: WorkView,
    /// Time that cuBLAS takes for the same problem, where the lesson names a routine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_ns: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roof: Option<RoofView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sm_mhz: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled_by: Option<&'static str>,
}

/// How long it takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TimesView {
    /// All equal the median where modelled, without any samples.
    #[serde(flatten)]
    pub summary: Summary,
    /// Whether the confidence interval is narrower than 1 % of the median.
    pub stable: bool,
    pub method: TimingMethod,
}

impl TimesView {
    /// Creates the view of a time that a model gives.
    pub fn modelled(ns: f64) -> TimesView {
        let quartiles_ns = [ns; 2];
        let summary =
            Summary { median_ns: ns, low_ns: ns, high_ns: ns, quartiles_ns, least_ns: ns, samples: 0 };
        TimesView { summary, stable: true, method: TimingMethod::Model }
    }
}

/// What it does in that time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkView {
    /// The least number of bytes that it has to move; 0 where that is not known.
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flops: Option<u64>,
    /// Bytes per nanosecond; below, floating-point operations per nanosecond.
    pub gbps: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gflops: Option<f64>,
}

impl WorkView {
    /// Creates the view of work that takes `ns`; `flops` is 0 where they are not known.
    pub fn new(bytes: u64, flops: u64, ns: f64) -> WorkView {
        let per_ns = |amount: u64| amount as f64 / ns.max(1.0);
        let flops = Some(flops).filter(|flops| *flops > 0);
        WorkView { bytes, flops, gbps: per_ns(bytes), gflops: flops.map(per_ns) }
    }
}

/// How a kernel was timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TimingMethod {
    /// Between two events.
    Events,
    /// As a graph of many launches.
    Graph,
    /// By the time model.
    #[default]
    Model,
}

impl fmt::Display for TimingMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The card's measured limits, and the share of the binding one that was reached.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoofView {
    pub copy_gbps: f64,
    pub gflops: f64,
    /// The unit that `gflops` is the rate of: `f32` or `matrix`.
    pub unit: &'static str,
    pub launch_ns: f64,
    #[serde(flatten)]
    pub roofline: Roofline,
    /// Whether the time is shorter than the card's limits allow.
    pub suspicious: bool,
}

const COLUMNS: usize = 48;
const ROWS: usize = 9;

/// Renders all results as text, with the ratio of each further one to the first.
pub fn bench(views: &[BenchView], style: &Style) -> String {
    let mut out = String::new();
    for view in views {
        out += &one(view, style);
    }
    if let [first, rest @ ..] = views {
        for other in rest {
            let ratio = first.times.summary.median_ns / other.times.summary.median_ns;
            let (ratio, word) = if ratio >= 1.0 { (ratio, "faster") } else { (1.0 / ratio, "slower") };
            let (other, first) = (escape(&other.name), escape(&first.name));
            out += &paragraph(&format!("{other} is {ratio:.2} times {word} than {first}."), style.width, 0);
        }
    }
    out
}

fn one(view: &BenchView, style: &Style) -> String {
    let summary = &view.times.summary;
    // Half of the confidence interval's width, as a percentage of the median.
    let half_width = summary.uncertainty() * 50.0;
    let mut rows: Vec<(&str, String)> = Vec::new();
    let word = if view.modelled { "modelled" } else { "median" };
    let sure = match (view.modelled, view.times.stable) {
        (true, _) => String::new(),
        (false, true) => format!(" ± {half_width:.2} %"),
        (false, false) => format!(" ± {half_width:.1} %: unstable"),
    };
    rows.push((word, format!("{}{sure}", time(summary.median_ns))));
    if !view.modelled {
        let [low, high] = summary.quartiles_ns;
        let how = if view.times.method == TimingMethod::Graph {
            "replayed in a graph, caches warm"
        } else {
            "caches flushed"
        };
        let samples = grouped(summary.samples as u64);
        rows.push((
            "spread",
            format!("half of {samples} samples between {} and {}; {how}", time(low), time(high)),
        ));
    }
    if view.work.bytes > 0 {
        rows.push((
            "bytes",
            format!("at least {}, {}", grouped(view.work.bytes), rate(view.work.gbps, "B/s")),
        ));
    }
    if let (Some(flops), Some(gflops)) = (view.work.flops, view.work.gflops) {
        rows.push(("operations", format!("{}, {}", grouped(flops), rate(gflops, "FLOP/s"))));
    }
    if let Some(roof) = &view.roof {
        let limit = match roof.roofline.bound {
            Bound::Memory => format!("a copy's {}", rate(roof.copy_gbps, "B/s")),
            Bound::Arithmetic => format!("{} of the {} units", rate(roof.gflops, "FLOP/s"), roof.unit),
        };
        rows.push(("reached", format!("{:.0} % of this card's limit, {limit}", roof.roofline.share * 100.0)));
    }
    if let Some(ns) = view.library_ns {
        let share = 100.0 * ns / summary.median_ns.max(1.0);
        rows.push(("cuBLAS", format!("{}, so this reaches {share:.1} % of it", time(ns))));
    }
    if let Some(mhz) = view.sm_mhz {
        let limited = view.throttled_by.map_or(String::new(), |why| format!(", limited by {why}"));
        rows.push(("clock", format!("{mhz} MHz{limited}")));
    }
    let mut head = escape(&view.name);
    if !view.case.is_empty() {
        head += &format!(", {}", escape(&view.case));
    }
    let head = wrap(&format!("{head} on {}", escape(&view.device)), style.width, 0);
    let mut out = format!("{}\n", paint::bold(&head.join("\n")));
    let column = rows.iter().map(|(name, _)| text_width(name)).max().unwrap_or(0);
    for (name, text) in rows {
        let text = paragraph(&text, style.width, column + 4);
        out += &format!("  {}{}", pad(name, column + 2), text.trim_start());
    }
    if let Some(roof) = &view.roof {
        if roof.suspicious {
            let text = "Faster than this card can be: refused. It may do less than the lesson asks for, or caches \
                        may hold the data; try larger sizes (--size).";
            out += &paragraph(text, style.width, 2);
        }
        if let (Some(intensity), Some(gflops)) = (roof.roofline.intensity, view.work.gflops) {
            out += &plot(roof, intensity, gflops);
        }
    }
    out + "\n"
}

/// Draws the roofline: operations per second over operations per byte, both on log2 scales.
fn plot(roof: &RoofView, intensity: f64, gflops: f64) -> String {
    if !(intensity > 0.0 && gflops > 0.0 && roof.gflops > 0.0) {
        return String::new();
    }
    // The ridge point is at two thirds of the width; the top row is the compute roof.
    let ridge = roof.gflops / roof.copy_gbps;
    let column = |x: f64| {
        let place = COLUMNS as f64 * 2.0 / 3.0 + (x / ridge).log2() * 3.0;
        place.round().clamp(0.0, COLUMNS as f64 - 1.0) as usize
    };
    let row = |y: f64| (-(y / roof.gflops).log2()).round().clamp(0.0, ROWS as f64 - 1.0) as usize;
    let mut canvas = vec![vec![' '; COLUMNS]; ROWS];
    for (y, line) in canvas.iter_mut().enumerate() {
        for (x, cell) in line.iter_mut().enumerate() {
            let steps = (COLUMNS as f64 * 2.0 / 3.0 - x as f64) / 3.0;
            if steps <= 0.0 && y == 0 {
                *cell = '─';
            } else if steps > 0.0 && (steps - y as f64).abs() < 0.2 {
                *cell = '╱';
            }
        }
    }
    canvas[row(gflops)][column(intensity)] = '●';
    let mut out = String::from("\n");
    for (n, line) in canvas.iter().enumerate() {
        let line: String = line.iter().collect();
        let label = match n {
            0 => format!("  {}, {}", rate(roof.gflops, "FLOP/s"), roof.unit),
            n if n == row(gflops) => format!("  {}", rate(gflops, "FLOP/s")),
            _ => String::new(),
        };
        out += &format!("  │{}{label}\n", line);
    }
    out += &format!("  └{}\n", "─".repeat(COLUMNS));
    out + &format!("   {intensity:.2} operations per byte; the roof bends at {ridge:.1}\n")
}

/// Formats a time with three or four digits and its unit.
pub fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.3} ms", ns / 1e6),
        ns => format!("{:.3} s", ns / 1e9),
    }
}

/// Formats a rate, given per nanosecond, as one per second.
fn rate(per_ns: f64, unit: &str) -> String {
    match per_ns {
        rate if rate < 1.0 => format!("{:.1} M{unit}", rate * 1e3),
        rate if rate < 1e3 => format!("{rate:.1} G{unit}"),
        rate => format!("{:.2} T{unit}", rate / 1e3),
    }
}

/// Renders the results as CSV: a header line, then one line per view.
pub fn bench_csv(views: &[BenchView]) -> String {
    let mut out = String::from(
        "name,file,device,modelled,case,median_ns,low_ns,high_ns,samples,stable,method,bytes,flops,gbps,gflops,share\n",
    );
    for view in views {
        let summary = &view.times.summary;
        let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value}"));
        let fields = [
            field(&view.name),
            field(&view.file),
            field(&view.device),
            view.modelled.to_string(),
            field(&view.case),
            summary.median_ns.to_string(),
            summary.low_ns.to_string(),
            summary.high_ns.to_string(),
            summary.samples.to_string(),
            view.times.stable.to_string(),
            view.times.method.to_string(),
            view.work.bytes.to_string(),
            view.work.flops.map_or(String::new(), |flops| flops.to_string()),
            view.work.gbps.to_string(),
            number(view.work.gflops),
            number(view.roof.as_ref().map(|roof| roof.roofline.share)),
        ];
        out += &(fields.join(",") + "\n");
    }
    out
}

/// Quotes a CSV field (RFC 4180). Control characters are escaped.
fn field(text: &str) -> String {
    format!("\"{}\"", escape(text).replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times() -> TimesView {
        let summary = Summary {
            median_ns: 250_000.0,
            low_ns: 249_500.0,
            high_ns: 250_500.0,
            quartiles_ns: [249_000.0, 251_000.0],
            least_ns: 248_000.0,
            samples: 1200,
        };
        TimesView { summary, stable: true, method: TimingMethod::Events }
    }

    fn view() -> BenchView {
        BenchView {
            name: "map".into(),
            file: "a,\"b\".cu".into(),
            device: "NVIDIA H100".into(),
            modelled: false,
            case: "n = 1024".into(),
            times: times(),
            work: WorkView {
                bytes: 500_000_000,
                flops: Some(125_000_000),
                gbps: 2000.0,
                gflops: Some(500.0),
            },
            library_ns: None,
            roof: Some(RoofView {
                copy_gbps: 2800.0,
                gflops: 50_000.0,
                unit: "f32",
                launch_ns: 1000.0,
                roofline: Roofline {
                    bound: Bound::Memory,
                    floor_ns: 178_571.0,
                    share: 0.714,
                    intensity: Some(0.25),
                },
                suspicious: false,
            }),
            sm_mhz: Some(1980),
            throttled_by: None,
        }
    }

    fn style() -> Style {
        Style::default()
    }

    #[test]
    fn a_figure_says_how_sure_it_is_and_what_it_is_worth() {
        let text = bench(&[view()], &style());
        for part in
            ["250.00 µs ± 0.20 %", "2.00 TB/s", "71 % of this card's limit", "1980 MHz", "●", "0.25 oper"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let unsure = BenchView { times: TimesView { stable: false, ..times() }, ..view() };
        assert!(bench(&[unsure], &style()).contains("unstable"));
        let modelled =
            BenchView { modelled: true, times: TimesView::modelled(250_000.0), roof: None, ..view() };
        let text = bench(&[modelled], &style());
        assert!(text.contains("modelled") && !text.contains("samples"), "{text}");
    }

    #[test]
    fn too_fast_is_refused_and_two_are_compared() {
        let mut fast = BenchView { name: "b".into(), times: TimesView::modelled(125_000.0), ..view() };
        fast.roof.as_mut().unwrap().suspicious = true;
        let text = bench(&[view(), fast], &style());
        assert!(text.contains("Faster than this card can be"), "{text}");
        assert!(text.contains("b is 2.00 times faster than map."), "{text}");
        let slow = BenchView { name: "c".into(), times: TimesView::modelled(500_000.0), ..view() };
        assert!(bench(&[view(), slow], &style()).contains("c is 2.00 times slower than map."));
    }

    #[test]
    fn csv_has_as_many_fields_as_names_and_quotes_them() {
        let text = bench_csv(&[BenchView { file: "a\"b".into(), case: String::new(), ..view() }]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
        assert!(lines[1].starts_with("\"map\",\"a\"\"b\",\"NVIDIA H100\",false,\"\",250000,"), "{text}");
    }
}
