//! A lane's value, as the debugger shows it.

use crate::escape::escape;
use debug::{Shown, Type, Value};
use sim::Recording;

/// Maximum number of array elements and of structure members shown for one value.
const MAX_ELEMENTS: usize = 8;
const MAX_MEMBERS: usize = 4;

/// Formats a value, or a placeholder where there is none. Pointers are shown relative to the recording's buffers.
pub fn lane_value(shown: &Shown, recording: &Recording) -> String {
    let value = match shown {
        Shown::Value(value) => value,
        Shown::NoValue => return "?".into(),
        Shown::OptimisedOut => return "gone".into(),
        Shown::NotHere => return "-".into(),
        Shown::Outside => return "outside".into(),
        Shown::NotKept => return "unknown".into(),
        Shown::Undefined => return "x/0".into(),
    };
    let all = |shown: &mut dyn Iterator<Item = String>, more: bool| {
        let more = if more { ", …" } else { "" };
        format!("{{{}{more}}}", shown.collect::<Vec<_>>().join(", "))
    };
    match value {
        Value::Int { value, signed: true, .. } => value.to_string(),
        Value::Int { value, signed: false, .. } => (*value as u64).to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Char(byte) => format!("'{}'", byte.escape_ascii()),
        Value::Float { value, bytes } => float(*value, *bytes),
        Value::Pointer { address, to } => pointer(*address, to, recording),
        Value::Bits { bits, bytes: 1 } => bits.to_string(),
        Value::Bits { bits, .. } => format!("{bits:#x}"),
        Value::Array { elements, count } => {
            let mut shown = elements.iter().take(MAX_ELEMENTS).map(|one| lane_value(one, recording));
            all(&mut shown, *count > elements.len().min(MAX_ELEMENTS) as u64)
        }
        Value::Struct(members) => {
            let member = |(name, value): &(String, Shown)| {
                format!("{} = {}", escape(name), lane_value(value, recording))
            };
            all(&mut members.iter().take(MAX_MEMBERS).map(member), members.len() > MAX_MEMBERS)
        }
    }
}

/// Formats a value, or says in words why there is none.
pub fn lane_value_in_words(shown: &Shown, recording: &Recording) -> String {
    match shown {
        Shown::Value(_) => lane_value(shown, recording),
        Shown::NoValue => "no value yet: nothing was written there".into(),
        Shown::OptimisedOut => "not kept by the compiler here: a constant, or no longer needed".into(),
        Shown::NotHere => "not known here: the thread is outside its scope".into(),
        Shown::Outside => "outside: there is no such memory".into(),
        Shown::NotKept => "not recorded: global memory is too large".into(),
        Shown::Undefined => "undefined: divided by zero, or shifted too far".into(),
    }
}

/// Formats a pointer: `&in[16]` where it points into a buffer, else its address.
fn pointer(address: u64, to: &Type, recording: &Recording) -> String {
    let each = to.bytes().max(1);
    let found = recording.buffers().find(|(_, base, bytes)| address >= base.0 && address - base.0 < *bytes);
    match found {
        Some((name, base, _)) if (address - base.0).is_multiple_of(each) => {
            format!("&{}[{}]", escape(name), (address - base.0) / each)
        }
        _ => format!("{address:#x}"),
    }
}

/// Formats a number so that it fits a cell.
fn float(value: f64, bytes: u32) -> String {
    const WIDEST: usize = 9;
    let plain = if bytes == 8 { value.to_string() } else { (value as f32).to_string() };
    match plain.len() > WIDEST && value.is_finite() {
        true if bytes == 8 => format!("{value:.4e}"),
        true => format!("{:.4e}", value as f32),
        false => plain,
    }
}
