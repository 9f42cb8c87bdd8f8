//! An access in words: who made it, and what it does.

use super::element::element;
use super::operation::{UNREGISTER, operation};
use super::place::{block_named, index, who};
use crate::about::About;
use sim::{Access, AccessKind, Actor, CallPurpose};

/// Returns the thread that made an access, and its block, where that is named: `thread 5`, `of block 2`.
pub fn thread_and_block(access: &Access, about: &About) -> Option<[String; 2]> {
    let thread = match access.actor {
        Actor::Thread => format!("thread {}", index(access.thread, about.thread_dims)),
        Actor::SomeThread => "a thread".into(),
        _ => return None,
    };
    Some([thread, format!("of {}", block_named(access.block, about)?)])
}

/// Returns who made an access, in the reader's terms.
pub fn actor(access: &Access, about: &About) -> String {
    if let Some(lines) = thread_and_block(access, about) {
        return lines.join(" ");
    }
    match &access.actor {
        Actor::Thread => who(access.thread, access.block, about),
        Actor::SomeThread => "another thread".into(),
        Actor::Host => "the host".into(),
        Actor::Operation(its) => operation(its),
    }
}

/// Formats `thread 5 of block 2 writes s[5]`; `again` replaces an element that was named before by "it".
pub fn sentence(access: &Access, about: &About, again: bool) -> String {
    let text = actor(access, about);
    match element(access, about) {
        None => text,
        Some(_) if again => format!("{text} {} it", verb(access)),
        Some(what) => format!("{text} {} {}", verb(access), what.text),
    }
}

pub fn verb(access: &Access) -> &'static str {
    match (access.purpose(), access.kind) {
        (Some(CallPurpose::Frees), _) => "frees",
        (Some(CallPurpose::Allocates), _) => "allocates",
        _ if unregisters(access) => "unregisters",
        (_, AccessKind::Read) => "reads",
        (_, AccessKind::Write) => "writes",
        (_, AccessKind::Atomic) => "updates",
    }
}

/// Like [`sentence`], but without the actor: `writes s[5]`.
pub fn does(access: &Access, about: &About) -> String {
    element(access, about).map(|what| format!("{} {}", verb(access), what.text)).unwrap_or_default()
}

/// Returns whether a side makes registered memory pageable again.
pub fn unregisters(access: &Access) -> bool {
    matches!(&access.actor, Actor::Operation(call) if call.function() == UNREGISTER)
}
