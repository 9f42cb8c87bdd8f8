//! Advice as text: what could be better although nothing is wrong.

use super::advice_text::{Words, words};
use super::drawing;
use super::picture::lanes;
use super::sides::{access_view, spot};
use super::{FindingClass, FindingSeverity, FindingView};
use crate::about::About;
use crate::excerpt::Excerpt;
use crate::layout::{and_more, paragraph};
use crate::{Style, escape};
use sim::{Advice, AdviceReport, Observation, SourceLocation};

/// Pieces of advice shown, unless verbose.
const SHOWN: usize = 2;

/// Returns the advice in the order in which it is shown: doubtful values and control flow before performance (`P`
/// codes), and the most wasteful first.
pub fn advice_views<'a>(
    advice_report: &AdviceReport,
    about: impl Fn(Option<&SourceLocation>) -> About<'a>,
) -> Vec<FindingView> {
    let mut list: Vec<&Advice> = advice_report.list.iter().collect();
    let wasted = |advice: &Advice| advice.cost.map_or(0, |cost| cost.yours.saturating_sub(cost.least));
    list.sort_by_key(|advice| {
        (!matches!(advice.observation, Observation::Value(_)), std::cmp::Reverse(wasted(advice)), advice.kind)
    });
    list.into_iter().map(|advice| view(advice, &about(advice.at.location.as_ref()))).collect()
}

fn view(advice: &Advice, about: &About) -> FindingView {
    // The compiler's column is that of the left side of the statement, where no value is computed.
    let mut here = advice.at.clone();
    if let Some(location) =
        here.location.as_mut().filter(|_| matches!(advice.observation, Observation::Value(_)))
    {
        location.column = 0;
    }
    let Words { label, mut notes, values, help } = words(advice, about);
    let places: Vec<_> = spot(&here, label.clone(), true, about).into_iter().collect();
    let mut at = access_view(&here, None, false, about);
    if let Some(picture) = &advice.picture {
        at.text = format!("{}, {} lanes of its warp", at.text, picture.lanes.iter().flatten().count());
    }
    notes.extend(advice.run.as_ref().map(|run| format!("Counted with {run}.")));
    let drawing = drawing::of_advice(advice);
    let drawn = drawing.as_ref().map(drawing::lines);
    FindingView {
        class: FindingClass {
            kind: advice.kind,
            title: advice.kind.title().into(),
            severity: FindingSeverity::Advice,
        },
        other: None,
        threads: None,
        message: label,
        help,
        at,
        kernel: about.source.kernel_around(advice.at.line()),
        case: advice.run.clone(),
        hits: advice.hits,
        values,
        cost: advice.cost,
        notes,
        excerpt: Excerpt::of(about.source, &places),
        picture: advice.picture.as_ref().map(lanes).or(drawn).unwrap_or_default(),
        drawing,
    }
}

/// Renders the first few pieces of advice, or all if verbose. `help`: say what to try as well.
pub fn render(views: &[FindingView], file: &str, help: bool, style: &Style) -> String {
    let count = if style.verbose { views.len() } else { views.len().min(if help { SHOWN } else { 1 }) };
    let mut out = String::new();
    for view in &views[..count] {
        out += &super::render(view, file, style);
        if help {
            out += &paragraph(&format!("Try: {}", escape(&view.help)), style.width, 2);
        }
    }
    out + &and_more(views.len() - count, "more piece of advice", "more pieces of advice", style)
}
