//! A recorded block to step through in the page's script: its lines, lanes, variables and shared memory.

use super::Document;
use debug::{Group, LaneState, Program, Shown, Walk, WalkStop};
use picture::escape;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sim::Recording;

/// A recorded block.
#[derive(Debug)]
pub struct Recorded<'a> {
    pub program: &'a Program<'a>,
    pub recording: &'a Recording,
    /// The block's name for readers.
    pub block: String,
}

/// Maximum number of stops on a page, and maximum size of their data in bytes.
const MAX_STOPS: usize = 3000;
const MAX_BYTES: usize = 600 << 10;

/// Returns the script's name for a state of lanes.
fn way(way: LaneState) -> &'static str {
    match way {
        LaneState::Runs => "runs",
        LaneState::Waits => "waits",
        LaneState::Deadlocked => "stuck",
        LaneState::Stopped => "stopped",
        LaneState::Left => "left",
    }
}

/// Returns the lanes' values; a single one if they are all the same.
fn values(values: &[Shown], exist: u32, recording: &Recording) -> Value {
    let text: Vec<String> = values.iter().map(|value| report::lane_value(value, recording)).collect();
    let mut lanes = (0..32usize).filter(|lane| exist >> lane & 1 != 0);
    let first = lanes.next().unwrap_or(0);
    if lanes.all(|lane| text[lane] == text[first]) { json!(text[first]) } else { json!(text) }
}

fn groups(its: &[Group], program: &Program) -> Value {
    its.iter().map(|group| json!([group.lanes, way(group.place.way), program.line(group.place.pc)])).collect()
}

fn stop(stop: &WalkStop, of: &Recorded) -> Value {
    let exist = of.recording.warps()[stop.warp as usize];
    let mut out = Map::new();
    out.insert("w".into(), json!(stop.warp));
    out.insert("m".into(), json!(stop.lanes));
    out.insert("l".into(), json!(stop.line));
    out.insert("k".into(), json!(stop.seen));
    if !stop.divergence.is_empty() {
        out.insert("p".into(), json!(stop.divergence));
    }
    if !stop.values.is_empty() {
        let value =
            |(number, lanes): &(usize, Vec<Shown>)| (number.to_string(), values(lanes, exist, of.recording));
        out.insert("v".into(), Value::Object(stop.values.iter().map(value).collect()));
    }
    if !stop.shared.is_empty() {
        let element = |(array, element, value): &(usize, usize, Shown)| {
            json!([array, element, report::lane_value(value, of.recording)])
        };
        out.insert("s".into(), stop.shared.iter().map(element).collect());
    }
    if !stop.groups.is_empty() {
        let of_warp = |(warp, its): &(u32, Vec<Group>)| json!([warp, groups(its, of.program)]);
        out.insert("g".into(), stop.groups.iter().map(of_warp).collect());
    }
    Value::Object(out)
}

/// A block to step through, in the form that the page's script reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    pub block: String,
    /// Number of threads in the block.
    pub threads: u64,
    /// Whether there are more steps than the page has room for.
    pub is_cut: bool,
    pub data: Value,
}

/// Returns the steps of a block; `None` if there are fewer than two stops.
pub fn steps(of: &Recorded) -> Option<Steps> {
    let mut bytes = 0;
    let mut stops = Vec::new();
    let walk = Walk::new(of.program, of.recording, MAX_STOPS, |its, _| {
        let one = stop(its, of);
        bytes += one.to_string().len();
        stops.push(one);
        bytes < MAX_BYTES
    });
    if stops.len() < 2 {
        return None;
    }
    let variable = |its: &&debug::Variable| json!([its.name, its.ty.to_string()]);
    let array = |its: &debug::MemoryArray| {
        json!([its.name, its.ty.to_string(), its.count().min(debug::MAX_SHARED), its.count()])
    };
    let data = json!({
        "warps": of.recording.warps(),
        "variables": walk.variables.iter().map(variable).collect::<Value>(),
        "shared": of.program.shared.iter().map(array).collect::<Value>(),
        "stops": stops,
    });
    Some(Steps {
        block: of.block.clone(),
        threads: of.program.config.block.count(),
        is_cut: walk.is_cut || of.recording.is_cut(),
        data,
    })
}

pub fn section(of: &Document) -> Option<String> {
    let steps = of.steps.as_ref()?;
    let cut = if steps.is_cut {
        " The page has room only for its beginning: <code>debug</code> steps through all of it."
    } else {
        ""
    };
    let lines: String = (1..)
        .zip(of.source.lines())
        .map(|(n, text)| format!("<span data-line=\"{n}\"><b>{n:>4}</b> {}\n</span>", escape(text)))
        .collect();
    Some(format!(
        "<p>Block {} with {}, compiled for debugging: forwards and backwards, each warp line by line.{cut}</p>\n\
         <p class=\"note\" id=\"steps-note\">This section needs JavaScript.</p>\n\
         <div id=\"steps-view\" hidden>\n\
         <div role=\"group\" aria-label=\"Steps\" id=\"steps-keys\"><button type=\"button\" data-go=\"first\">⇤ First</button>\
         <button type=\"button\" data-go=\"back\">← Back</button><button type=\"button\" data-go=\"on\">On →</button>\
         <button type=\"button\" data-go=\"last\">Last ⇥</button>\
         <label>Follow <select id=\"steps-warp\"><option value=\"\">every warp</option></select></label></div>\n\
         <p class=\"note\">Keys, while one of these has focus: ← and →, Home and End.</p>\n\
         <p id=\"steps-said\" role=\"status\" aria-live=\"polite\"></p>\n\
         <div id=\"steps-lanes\" aria-hidden=\"true\"></div>\n\
         <pre class=\"steps-source\" tabindex=\"0\" aria-label=\"Source\">{lines}</pre>\n\
         <h3>Variables</h3>\n<div class=\"table\" tabindex=\"0\"><table id=\"steps-variables\"><tbody></tbody></table></div>\n\
         <h3>Warps</h3>\n<div class=\"table\" tabindex=\"0\"><table id=\"steps-warps\"><tbody></tbody></table></div>\n\
         <div id=\"steps-shared\"></div>\n</div>\n\
         <script type=\"application/json\" id=\"steps-data\">{}</script>\n",
        escape(&steps.block),
        report::plural(steps.threads, "thread", "threads"),
        // Escape the JSON so that nothing in it can end the script element.
        steps.data.to_string().replace('<', "\\u003c").replace('&', "\\u0026").replace('>', "\\u003e"),
    ))
}
