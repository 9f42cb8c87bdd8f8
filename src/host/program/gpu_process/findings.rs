//! Findings on their way from a worker.

use compiler::codec::{Decoder, Encoder, malformed};
use sim::{Access, AccessKind, Actor, Dim3, Finding, FindingKind, SourceLocation, Target};
use std::io::{self, Read};

/// The parts of pageable memory that a target can name.
const PARTS: [&str; 3] = ["stack", "heap", "global variables"];

pub fn encode(finding: &Finding, out: &mut Encoder) {
    out.bytes(finding.code.code().as_bytes());
    encode_access(&finding.at, out);
    out.number(finding.other.is_some().into());
    finding.other.iter().for_each(|other| encode_access(other, out));
    out.number(finding.hits);
    out.number(finding.threads.is_some().into());
    out.number(finding.threads.unwrap_or(0));
    out.number(finding.notes.len() as u64);
    finding.notes.iter().for_each(|note| out.bytes(note.as_bytes()));
    out.bytes(finding.follows.map_or("", FindingKind::code).as_bytes());
}

pub fn decode<R: Read>(from: &mut Decoder<R>) -> io::Result<Finding> {
    let code = decode_code(&from.text()?)?;
    let at = decode_access(from)?;
    let other = if from.number()? != 0 { Some(decode_access(from)?) } else { None };
    let hits = from.number()?;
    let known = from.number()? != 0;
    let threads = from.number()?;
    let notes = from.list(Decoder::text)?;
    let follows = match from.text()?.as_str() {
        "" => None,
        code => Some(decode_code(code)?),
    };
    Ok(Finding { code, at, other, hits, threads: known.then_some(threads), notes, follows })
}

fn decode_code(code: &str) -> io::Result<FindingKind> {
    FindingKind::ALL.iter().copied().find(|known| known.code() == code).ok_or_else(malformed)
}

pub fn encode_location(location: Option<&SourceLocation>, out: &mut Encoder) {
    out.number(location.is_some().into());
    if let Some(location) = location {
        out.bytes(location.file.as_bytes());
        out.number(location.line.into());
        out.number(location.column.into());
    }
}

pub fn decode_location<R: Read>(from: &mut Decoder<R>) -> io::Result<Option<SourceLocation>> {
    if from.number()? == 0 {
        return Ok(None);
    }
    Ok(Some(SourceLocation { file: from.text()?.into(), line: from.small()?, column: from.small()? }))
}

fn encode_access(access: &Access, out: &mut Encoder) {
    out.number(access.kind as u64);
    match &access.actor {
        Actor::Thread => out.number(0),
        Actor::SomeThread => out.number(3),
        Actor::Host => out.number(1),
        Actor::Operation(words) => {
            out.number(2);
            out.bytes(words.as_bytes());
        }
    }
    for place in [access.block, access.thread] {
        [place.x, place.y, place.z].iter().for_each(|&n| out.number(n.into()));
    }
    encode_location(access.location.as_ref(), out);
    out.number(access.calls.len() as u64);
    access.calls.iter().for_each(|&line| out.number(line.into()));
    out.number(access.bytes.into());
    encode_target(&access.target, out);
}

fn decode_access<R: Read>(from: &mut Decoder<R>) -> io::Result<Access> {
    let kind = match from.number()? {
        0 => AccessKind::Read,
        1 => AccessKind::Write,
        2 => AccessKind::Atomic,
        _ => return Err(malformed()),
    };
    let actor = match from.number()? {
        0 => Actor::Thread,
        1 => Actor::Host,
        2 => Actor::Operation(from.text()?.into()),
        3 => Actor::SomeThread,
        _ => return Err(malformed()),
    };
    let block = Dim3::new(from.small()?, from.small()?, from.small()?);
    let thread = Dim3::new(from.small()?, from.small()?, from.small()?);
    let location = decode_location(from)?;
    let calls = from.list(Decoder::small)?;
    let (bytes, target) = (from.small()?, decode_target(from)?);
    Ok(Access { kind, actor, block, thread, location, calls, bytes, target })
}

fn encode_target(target: &Target, out: &mut Encoder) {
    let mut named = |kind, name: &str, size_bytes: u64, offset_bytes: i64| {
        out.number(kind);
        out.bytes(name.as_bytes());
        out.number(size_bytes);
        out.number(offset_bytes.cast_unsigned());
    };
    match target {
        Target::None => out.number(0),
        Target::Buffer { name, size_bytes, offset_bytes } => named(1, name, *size_bytes, *offset_bytes),
        Target::Shared { name, size_bytes, offset_bytes } => named(2, name, *size_bytes, *offset_bytes),
        Target::Constant { name, size_bytes, offset_bytes } => named(3, name, *size_bytes, *offset_bytes),
        Target::Local { offset_bytes, size_bytes } => named(4, "", *size_bytes, *offset_bytes),
        Target::Host { part } => {
            out.number(5);
            out.bytes(part.as_bytes());
        }
        Target::Nowhere { address } => {
            out.number(6);
            out.number(*address);
        }
    }
}

fn decode_target<R: Read>(from: &mut Decoder<R>) -> io::Result<Target> {
    let kind = from.number()?;
    Ok(match kind {
        0 => Target::None,
        1..=4 => {
            let name = from.text()?.into();
            let (size_bytes, offset_bytes) = (from.number()?, from.number()?.cast_signed());
            match kind {
                1 => Target::Buffer { name, size_bytes, offset_bytes },
                2 => Target::Shared { name, size_bytes, offset_bytes },
                3 => Target::Constant { name, size_bytes, offset_bytes },
                _ => Target::Local { offset_bytes, size_bytes },
            }
        }
        5 => {
            let part = from.text()?;
            let part = PARTS.iter().copied().find(|known| *known == part).ok_or_else(malformed)?;
            Target::Host { part }
        }
        6 => Target::Nowhere { address: from.number()? },
        _ => return Err(malformed()),
    })
}
