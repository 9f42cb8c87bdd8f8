//! The sides of a finding as plain values: who, where, and which memory.

use super::access_words::sentence;
use super::place::{own_location, xyz};
use super::split_shared;
use super::unit::{Unit, is_of_structs, unit};
use crate::about::About;
use crate::excerpt::{Spot, span_of};
use serde::{Deserialize, Serialize};
use sim::{Access, AccessKind, Actor, AllocatedBy, HostPart, Target};

/// One access, or one place in the code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AccessView {
    /// `read`, `write` or `atomic`.
    pub kind: String,
    /// `thread`, `host` or `operation`.
    #[serde(default)]
    pub actor: String,
    /// x, y, z.
    pub block: [u32; 3],
    pub thread: [u32; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based; 0 where it is not known.
    pub line: u32,
    /// Start of the expression, 1-based, in characters; 0 where it is not known.
    pub column: u32,
    /// One past the expression's end.
    #[serde(default)]
    pub column_end: u32,
    /// The expression as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<BufferView>,
    /// The whole access in words: `thread 5 writes s[5]`.
    pub text: String,
}

/// The memory that an access touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BufferView {
    /// The name that the learner uses.
    pub name: String,
    pub space: MemorySpace,
    /// 0 where it is not known.
    pub size_bytes: u64,
    /// Offset from the start; negative or past the size if outside; 0 in a part whose place is not known. The address
    /// if the space is `nowhere`.
    pub offset_bytes: i64,
    /// Size of one element; 0 where it is not known.
    pub element_bytes: u32,
    /// The element's index, where the offset is a multiple of the element's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<i64>,
}

/// The kind of memory that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemorySpace {
    Global,
    Shared,
    Local,
    Constant,
    Host,
    Nowhere,
}

/// Returns where to mark an access, if it is in the learner's file.
pub fn spot<'a>(access: &'a Access, label: String, primary: bool, about: &About) -> Option<Spot<'a>> {
    let at = own_location(access, about)?;
    // Where the name is not known, it is empty.
    let name = access.target.name().unwrap_or_default();
    let element = Some(name).filter(|_| access.target != Target::None);
    let read = access.kind == AccessKind::Read;
    let call = match &access.actor {
        Actor::Operation(operation) => Some(operation.function()),
        _ => None,
    };
    Some(Spot { line: at.line, column: at.column, label, element, read, primary, call, statement: true })
}

/// Creates the view of an access. `call` is the function that the finding is about, where it is known. `updates`: whether
/// the access, a read too, is of what its statement assigns to.
pub fn access_view(access: &Access, call: Option<&str>, updates: bool, about: &About) -> AccessView {
    let (line, mut column) = access.location.as_ref().map_or((0, 0), |l| (l.line, l.column));
    let (mut column_end, mut expression) = (0, None);
    let own = spot(access, String::new(), true, about);
    let text = own.as_ref().and_then(|spot| about.source.line(spot.line));
    if let (Some(spot), Some(text)) = (own, text) {
        let spot = Spot { call: call.or(spot.call), read: spot.read && !updates, ..spot };
        let (start, length) = span_of(about.source, &spot);
        (column, column_end) = (start + 1, start + 1 + length);
        expression = Some(text.chars().skip(start as usize).take(length as usize).collect());
    }
    AccessView {
        kind: match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic",
        }
        .into(),
        actor: match access.actor {
            Actor::Thread | Actor::SomeThread => "thread",
            Actor::Host => "host",
            Actor::Operation(_) => "operation",
        }
        .into(),
        block: xyz(access.block),
        thread: xyz(access.thread),
        file: access.location.as_ref().map(|l| l.file.to_string()),
        line,
        column,
        column_end,
        expression,
        buffer: buffer(access, about),
        text: sentence(access, about, false),
    }
}

fn host_part(part: HostPart) -> &'static str {
    match part {
        HostPart::Stack => "stack",
        HostPart::Heap => "heap",
        HostPart::Globals => "global variables",
    }
}

fn buffer(access: &Access, about: &About) -> Option<BufferView> {
    use MemorySpace::*;
    // The size and the place are those of the part.
    if let Some(name) = split_shared::partly(access).map(String::from) {
        return Some(BufferView {
            name,
            space: Shared,
            size_bytes: 0,
            offset_bytes: 0,
            element_bytes: 0,
            index: None,
        });
    }
    let (name, space, size_bytes, offset_bytes) = match &access.target {
        Target::None => return None,
        Target::Buffer { name, size_bytes, offset_bytes } => (&**name, Global, *size_bytes, *offset_bytes),
        Target::Shared { name, size_bytes, offset_bytes } => (&**name, Shared, *size_bytes, *offset_bytes),
        Target::Constant { name, size_bytes, offset_bytes } => {
            (&**name, Constant, *size_bytes, *offset_bytes)
        }
        Target::Local { offset_bytes, size_bytes } => ("", Local, *size_bytes, *offset_bytes),
        Target::Host { part } => (host_part(*part), Host, 0, 0),
        Target::Allocated { by, size_bytes, offset_bytes } => {
            let space = match by {
                AllocatedBy::Host => Host,
                AllocatedBy::Kernel => Global,
            };
            ("", space, *size_bytes, *offset_bytes)
        }
        Target::Nowhere { address } => ("", Nowhere, 0, *address as i64),
    };
    let element_bytes = match &access.target {
        Target::Allocated { .. } => 0,
        Target::Buffer { .. } if is_of_structs(name, about) => 0,
        Target::Buffer { .. } => {
            let thread = matches!(access.actor, Actor::Thread | Actor::SomeThread);
            let known = about.element_bytes.get(name).copied();
            known.filter(|bytes| !thread || access.bytes >= *bytes).unwrap_or(access.bytes)
        }
        Target::Shared { .. } => match unit(about.source, name, size_bytes) {
            Unit::Element(bytes) => bytes,
            Unit::Parts(each) => each.and_then(|each| u32::try_from(each).ok()).unwrap_or(0),
            Unit::Unknown => about.element_bytes.get(name).copied().unwrap_or(access.bytes),
        },
        _ => access.bytes,
    };
    let size = i64::from(element_bytes);
    let known = matches!(space, Global | Shared | Constant) && size > 0 && offset_bytes % size.max(1) == 0;
    Some(BufferView {
        name: name.into(),
        space,
        size_bytes,
        offset_bytes,
        element_bytes,
        index: known.then(|| offset_bytes / size),
    })
}
