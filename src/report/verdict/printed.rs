//! Wrong program output: the first lines that differ, wanted above obtained.

use crate::layout::{grouped, paragraph, plural, truncate};
use crate::{escape, paint};
use host::device::{Interval, Observed, ObservedKind};
use judge::{Line, Misprint};
use serde::{Deserialize, Serialize};

/// A program's output compared with the wanted output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MisprintView {
    /// Number of lines that differ; below, number of lines wanted.
    pub differing: u64,
    pub wanted: u64,
    /// The first line that differs and its neighbours.
    pub window: Vec<Line>,
    /// Wanted exit code; below, the obtained one.
    pub want_code: i32,
    pub got_code: i32,
    /// What the program's own time measurements included by mistake, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<String>,
}

impl MisprintView {
    pub fn new(m: &Misprint) -> MisprintView {
        MisprintView {
            differing: m.differing as u64,
            wanted: m.wanted as u64,
            window: m.window.clone(),
            want_code: m.codes.0,
            got_code: m.codes.1,
            observed: m.observed.iter().filter(|_| m.window.iter().any(a_number_differs)).map(seen).collect(),
        }
    }
}

/// Returns whether a number differs in a line. Only numbers can depend on times that the program measured.
fn a_number_differs(line: &Line) -> bool {
    let number = |word: &str| word.trim_end_matches(['%', ',', ':']).parse::<f64>().is_ok();
    let words = |text: &Option<String>| -> Vec<String> {
        text.as_deref().unwrap_or_default().split_whitespace().map(String::from).collect()
    };
    let (want, got) = (words(&line.want), words(&line.got));
    want.iter().zip(&got).any(|(want, got)| want != got && number(want) && number(got))
}

/// Describes an observation as a fact only: whether it explains the wrong output is not known.
fn seen(observed: &Observed) -> String {
    let call = &observed.call;
    let line = observed.location.as_ref().map_or(String::new(), |at| format!(" of line {}", at.line));
    let includes = match observed.within {
        Interval::Events => "A measured time includes",
        Interval::Readings => "Between two readings of the host's clock lies",
    };
    match observed.what {
        ObservedKind::PageableCopy => format!(
            "{includes} {call}{line}, a copy of pageable host memory: that goes through \
             pinned memory, and takes longer."
        ),
        ObservedKind::FirstCall => format!(
            "{includes} the program's first CUDA call, {call}{line}: it makes the GPU ready, \
             and takes far longer than others."
        ),
        ObservedKind::FirstLaunch => format!(
            "{includes} the first launch of {call}{line}: it loads the kernel, and takes longer \
             than those after it."
        ),
        ObservedKind::NotWaitedFor => format!(
            "The host's clock was read before anything waited for {call}{line}: a time that ends there leaves its work \
             out, and one that begins there includes it."
        ),
    }
}

impl MisprintView {
    fn codes(&self) -> String {
        format!("it ends with exit code {}, but should end with {}", self.got_code, self.want_code)
    }

    /// Returns how many lines are wrong and which is the first.
    pub(crate) fn count(&self) -> String {
        let first = self.window.iter().find(|line| !line.right).map_or(0, |line| line.number);
        let all = plural(self.wanted, "line", "lines");
        match (self.differing, self.wanted) {
            (0, _) => self.codes(),
            (1, 1) => "the line that it prints differs".into(),
            (1, _) => format!("one line differs, number {first}; {all} should be printed"),
            (some, _) => {
                format!(
                    "{} lines differ, starting with number {first}; {all} should be printed",
                    grouped(some)
                )
            }
        }
    }
}

/// Renders the count, and the lines one below the other.
pub fn render(m: &MisprintView, case: &str, width: usize) -> String {
    let mut out = String::new();
    if m.differing > 0 {
        out += &paragraph(&format!("{case}{}:", m.count()), width, 2);
    }
    let column = m.window.last().map_or(1, |line| line.number.to_string().len());
    let room = width.saturating_sub(column + 12);
    let row = |number: &str, what: &str, text: &Option<String>| {
        let text = match text {
            Some(text) => truncate(&escape(text), room),
            None => paint::dim("(no line)"),
        };
        format!("    {}  {what:4}  {text}\n", paint::dim(&format!("{number:>column$}")))
    };
    for line in &m.window {
        let number = line.number.to_string();
        if line.right {
            out += &row(&number, "", &line.got);
        } else {
            out += &row(&number, "want", &line.want);
            let got = line.got.as_deref().map(|text| truncate(&escape(text), room));
            let got = got.map_or(paint::dim("(no line)"), |text| paint::bad(&text));
            out += &format!("    {:column$}  got   {got}\n", "");
        }
    }
    for sentence in &m.observed {
        out += &paragraph(&escape(sentence), width, 2);
    }
    if m.want_code != m.got_code {
        let case = if m.differing > 0 { "" } else { case };
        out += &paragraph(&format!("{case}{}.", m.codes()), width, 2);
    }
    out
}
