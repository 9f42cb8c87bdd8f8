//! The JSON that `--format json` prints to standard output: one object and a newline.
//!
//! Every object has `schema`, a name and a version. Fields may be added within a version; changing the meaning of a
//! field or removing one increments the version. Fields marked optional are left out when they have nothing to say.
//! Text from a learner's file is unchanged: control and bidirectional characters are `\u` escapes in the JSON, so
//! that the output is safe to print, and a program that shows the decoded text has to escape them itself. Numbers
//! are integers unless their unit is seconds or percent.
//!
//! # `gpulearn.check/1`
//!
//! `check`. `{schema, tool, passed, results}`: `tool` is this program's version, `passed` whether all passed,
//! `results` one [`VerdictView`](super::VerdictView) per lesson; for several files one per file, in the order in
//! which they are named, and by name within a folder:
//!
//! - `lesson` slug; `file` the judged file; `own` (optional): true if it is the lesson's file in the workspace;
//!   `line` (optional) where the body of its only kernel begins; `passed`; `reason` (optional) a stable name:
//!   `compile-error`, `missing-kernel`, `missing-function`, `wrong-result`, `wrong-output`, `early-exit`,
//!   `too-much-work`, `too-slow`, `too-fast`, `unanswered`, `wrong-answer`, `launch-error`, `limit`,
//!   `undefined-function`, `unsupported`, or a finding's slug such as `shared-race`; `headline` the same in words.
//!   `unsupported` is this tool's fault, never the learner's. `not-judged`, which occurs only with several files,
//!   is this machine's fault (`detail` says why) and comes without `cases` or `seed`.
//! - `seconds` of judging; `stored` whether the answer is the stored result of an earlier check of the same text;
//!   `backend` where the values come from, `sim` or `gpu`; `seed` of the inputs; `cases` the number that passed;
//!   `case` (optional) the sizes of the one that failed, as text, or when passed, of the one that `bars` and
//!   `counters` are from; `starter` (optional) if the file is still the starter: the line to begin at, or 0.
//! - `mismatch` (optional): `buffer`, `shape`, `differing`, `total`, `window` of
//!   `{index, want, got (optional: never written), right}`, `writer` (optional) who should have written the first
//!   wrong element, `{block, thread (optional), text}`, `pattern` (optional): `untouched`, `partly-written`,
//!   `unchanged`, `partly-unchanged`, `all-zero`, `copy-of-input`, `shifted`, `offset`, `transposed`,
//!   `exchanged-index`, `exchanged-threads`, `reversed`, `first-block-only`, `constant`, `not-a-number`, `infinite`,
//!   `tail-wrong`, `whole-numbers`, `nearly-right`; `worst` (optional, for floats): the element with the largest
//!   error, with `error` and what is `allowed` there, numbers as text; `clues`; `drawing` (optional, for kernels): the input
//!   elements that the first wrong element depends on, `kind` `sources`.
//! - `misprint` (optional): `differing`, `wanted` lines, `window` of `{number, want, got, right}` (no `want` or
//!   `got`: no such line), `want_code` and `got_code`, exit codes, `observed` (optional) what the program's own
//!   measurements of time included; `program` (optional): true if the lesson is about a whole program.
//! - `timeline` (optional), of a whole program that ran to its end: `{rows: [{name, cells}], length_ns, modelled,
//!   rows_left_out, notes}`: `cells` a character for each column of time, `length_ns` from the first to the last.
//! - `findings` and `advice` (both optional): lists of findings, as below. Those in `advice` do not make a lesson
//!   fail; the most important comes first.
//! - `bars` (optional): `{counter, meaning, yours, limit, at_most, met, why}`.
//! - `began` (optional), when a lesson passes for the first time whose starter fails a bar on a count:
//!   `{case, counter, meaning, starter, yours}`, with the sizes for which the starter fails.
//! - `speed` (optional), for lessons with bars on GPU time: `{gpu (optional), case, ns (optional), bars: [{ratio,
//!   meaning, unit: %|×, measured (optional), needed, state: met|missed|unstable|not-run, why}], suspicious
//!   (optional), not_run (optional)}`: `ns` the median time; `suspicious` why it can't be right; `not_run` why
//!   nothing was timed.
//! - `questions` (optional), for lessons that ask some: `{question, ask, choices: [{key, text}] (optional), case,
//!   state: right|unanswered|missing|twice|unreadable|wrong, line (optional), answer (optional), unit (optional),
//!   measured (optional, only where right), mistake (optional: `general` or the lesson's name for it), why
//!   (optional), values: [{name, meaning, value (optional)}] (optional)}`.
//! - `diagnostics` (optional): `{severity: error|warning|note, file, line, column, message, hint (optional),
//!   excerpt}`.
//! - `image` (optional), for lessons that show an image that a kernel computed, if there is a result: `{buffer,
//!   rows, cols, levels, unset (optional), rounds (optional)}`: the output `buffer` of the first case as pixels,
//!   `levels` row by row, each 0 (the least value) to 255 (the greatest); `unset` pixels were never written or are
//!   not a number, and have level 0; `rounds`: how often the kernels ran, each time on their previous result, if
//!   not once.
//! - `detail`, `note` (on where it ran, or on what the values earn), `suggestion`, `output` (what the kernel printed),
//!   `counters` (by name, of the case with the most thread instructions): optional.
//!
//! `excerpt` is `{lines: [{line, text, marks: [{start, length, label, primary}]}]}`; lines and columns count from 1
//! (0: not known), a mark's `start` from 0, in characters; `primary` marks are what the message is about.
//!
//! # A finding
//!
//! Used by `check` and `run`, for defects and advice alike. A `?` marks a field that may be left out. A test checks
//! every kind of finding against these tables.
//!
//! | field | type | what it is |
//! |---|---|---|
//! | `code` | text | stable, such as `R001`; `explain` describes it |
//! | `slug` | text | stable name, such as `shared-race` |
//! | `severity` | text | `defect` or `advice` |
//! | `title` | text | the kind, in a few words |
//! | `message` | text | what happened, in one sentence |
//! | `help` | text | what to try, in one sentence |
//! | `at` | side | where; the later one of two accesses |
//! | `other` | side? | the other access, or where others wait |
//! | `kernel` | text? | the kernel whose body contains the line of `at` |
//! | `case` | text? | sizes for which it was found |
//! | `hits` | number | how often it happened |
//! | `threads` | number? | number of threads that it happened to, where they can be distinguished |
//! | `values` | list? | for advice about values: operands and result, as text |
//! | `cost` | cost? | for advice: `{what, yours, least}`, counts |
//! | `notes` | list | further sentences |
//! | `excerpt` | excerpt | the relevant lines, marked |
//! | `picture` | list? | lines of plain text, at most a dozen |
//! | `drawing` | object? | what the picture is drawn from: `kind`, and the facts of that kind |
//!
//! # A side
//!
//! | field | type | what it is |
//! |---|---|---|
//! | `kind` | text | `read`, `write` or `atomic` |
//! | `actor` | text | `thread`, `host`, or `operation`: work that the host submitted to a GPU |
//! | `block` | list | x, y, z; zeros if the actor is not a thread |
//! | `thread` | list | x, y, z |
//! | `file` | text? | as passed to the compiler |
//! | `line` | number | from 1; 0: not known |
//! | `column` | number | where the expression begins, from 1, in characters; 0: not known |
//! | `column_end` | number | one past its end; 0: not known |
//! | `expression` | text? | as it is written |
//! | `buffer` | buffer? | the memory that is accessed |
//! | `text` | text | who does what, in words |
//!
//! # A buffer
//!
//! | field | type | what it is |
//! |---|---|---|
//! | `name` | text | the program's name for it; empty if it has none |
//! | `space` | text | `global`, `shared`, `local`, `constant`, `host`, `nowhere` |
//! | `size_bytes` | number | 0: not known |
//! | `offset_bytes` | number | from its start, or outside; 0 in a part whose place is not known; for `nowhere` the address |
//! | `element_bytes` | number | of one element; 0: not known |
//! | `index` | number? | of the element, where the offset is a multiple of its size |
//!
//! # `gpulearn.list/1`
//!
//! `list`. `{schema, tool, done, lessons}`, each lesson `{number, slug, part, part_title, title, minutes, state:
//! done|tried|new, reason (optional), current, passed_at (optional, seconds since 1970), hints, file}`; `hints` is
//! the number shown.
//!
//! # `gpulearn.claims/1`
//!
//! `claims`. `{schema, tool, notebooks, modelled, measured (optional), gpu_here, rows}`: `notebooks` are titles,
//! `modelled` and `measured` name the GPUs. Each row is `{id, topic, claim, figure, wrong, lessons: [{slug,
//! written}], values}`, each value `{lesson, says, case (optional), figure (optional: the notebook's), unit
//! (optional), modelled (optional), measured (optional), lacks (optional: no-lesson)}`; `modelled` and `measured` are
//! floating-point numbers.
//!
//! # `gpulearn.doctor/1`
//!
//! `doctor`. `{schema, tool, ok, checks}`, each check `{name, health: good|note|bad, text, action (optional)}`;
//! `ok` is false if any is bad.
//!
//! # `gpulearn.inspect/1`
//!
//! `inspect`. `{schema, tool, file, compute_capability, kernels, unsupported}`.
//!
//! - Each kernel: `name`; `registers`, `spill_bytes` and `local_bytes` per thread, `shared_bytes` per block;
//!   `occupancy` a list over block sizes of `{block_threads, blocks, warps, max_warps, percent, limits}` (`limits`:
//!   which of `threads`, `blocks`, `registers`, `shared` limit it); `instructions` (static PTX) and `mix`, a list
//!   of `{class, count}`; `ptx`, a list of `{line, source (optional), text}`; `advice` (optional) a list of
//!   `{code, slug, text}`.
//! - `unsupported`: what the simulator lacks, `{what, line}`, line 0 where not known; empty if nothing is missing.
//! - `diagnostics` (optional): as for `check`, if the file does not compile.
//!
//! # `gpulearn.run/1`
//!
//! `run`. `{schema, tool, file, ended, exit_code (optional), detail (optional), line, device, devices, backend,
//! modelled_ns or elapsed_ns, on_gpu (optional), host_instructions, sampled_percent (optional), stdout, stderr, files
//! (optional), launches, launches_dropped, memory (optional), findings, diagnostics}`: `ended` is `exit` (`exit_code`
//! is then the program's), `stopped` by a finding, `compile-error`, `undefined-function`, `unsupported`, `limit` or
//! `cancelled` (`detail` then says why, `line` where, 0 if not known); `backend` is `sim` or `gpu`, `device` the name
//! of the GPUs and `devices` how many; `modelled_ns` when the program ended on its simulated clock, `elapsed_ns` when
//! it ended in real time, on a GPU; `on_gpu` what went wrong on the GPU, and whether the simulator found the cause;
//! `host_instructions` PTX instructions that host code executed; `sampled_percent` the percentage of each kernel's
//! blocks that ran, in a sampled run: `counts` are those of the blocks that ran, and times and findings are left out;
//! `files` those that the program has left, each `{path, bytes, refused (optional)}`, where `refused` says why it was
//! not written: `outside` the current folder, `no-folder`, the program's own `source` or `failed`; `launches` the
//! kernels that ran on modelled GPUs, each `{kernel, line, device, stream, grid, block, dynamic_shared_bytes, start_ns
//! (optional), end_ns (optional), counts}`, `counts` by name without zeros, and `launches_dropped` how many more there
//! were (none are listed if the program was stopped in a kernel); `memory` what the program allocated through CUDA,
//! `{areas: [{name, space: device|pinned|managed, device (optional), bytes, line, start_ns, end_ns (optional: never
//! freed)}], areas_dropped, peaks: [{space, device (optional), bytes, at_ns}]}`; `findings`, `advice` (optional) and
//! `diagnostics` as for `check`.
//!
//! # `gpulearn.bench/1`
//!
//! `bench`. `{schema, tool, results}`, each result a [`BenchView`](super::BenchView): times in nanoseconds, rates
//! in bytes and operations per nanosecond; `modelled` true if no GPU ran it.
//!
//! # `gpulearn.view/1`
//!
//! `view -o FILE.json` and `run --view FILE.json`: the complete data that the page is generated from. `{schema,
//! tool, title, file, source, case (optional), gpu, wrong (optional), elements (optional), image (optional),
//! findings, steps (optional), lines, accesses, reductions (optional), launches, timeline (optional), memory
//! (optional)}`:
//!
//! - `case` the sizes of the run, as text; `gpu` the GPU that times are modelled on, `{name, memory_gbps,
//!   f32_gflops, multiprocessor: {warps, blocks, registers, shared_bytes, shared_bytes_per_block,
//!   shared_reserved_bytes, shared_unit_bytes}}`; `wrong` the result as for `check`, if it did not pass; `image` as
//!   for `check`; `findings` defects, then advice.
//! - `lines` of the file that did any work: `{line, instructions, wait_cycles, sectors, sectors_needed, passes,
//!   passes_needed}`, warp instructions, sectors of global memory and passes over shared memory, without atomics;
//!   `wait_cycles` are modelled: cycles that warps would wait for the line's results if each ran alone.
//! - `accesses` of lines: `{line, text, requests, units, least, picture: {kind: sectors|banks, width, lanes}}`:
//!   requests of warps, the sectors or passes that they need and the fewest possible for their bytes; for the most
//!   wasteful warp `lanes`, the byte offset of each lane (null: not active), and `width`, the bytes per lane;
//!   `on_buffer` (optional) where in a buffer of several rows that warp is, drawn as below.
//! - `reductions`: `{array (none: lanes of a warp), into, passes: [{line, moves: [[to, from]], takers}]}`: for the
//!   first block, which elements, or lanes, combine which others in each pass, limited to those that the result
//!   depends on, and how many combine any.
//! - `launches`: `{kernel, grid, block, registers (optional), shared_bytes, modelled_ns, flops, dram_bytes,
//!   bound_by}`, extents as `[x, y, z]`, registers per thread, shared memory per block.
//! - `elements` of a wrong output, `timeline` and `memory` are drawings: `{title, words, width, height, marks}` on a
//!   grid of character cells, each mark an object with `mark`: `cell`, `frame`, `text`, `line`, `arrow` or `bar`;
//!   `tone`: `plain`, `dim`, `strong`, `used`, `wasted`, `clash`, `read`, `write` or `copy`; and its place: `x`, `y`,
//!   `width`, `height`, or `from` and `to`, `[x, y]`. A text has `align`: whether `x` is its `start`, `middle` or
//!   `end`; a bar has `share`: how much of the cell is filled, from 0 to 1.
//! - `steps` through a block: `{block, threads, is_cut, data: {warps, variables, shared, stops}}`: the lanes that
//!   exist in each warp, as a mask; `[name, type]` of variables; `[name, type, elements here, elements]` of shared
//!   arrays. A stop lists what changed at it: `w` warp, `m` lanes that run the line, `l` line, `k` indices of the
//!   visible variables, `p` where lanes diverge, `[lanes, line]`, `v` values by variable, one text or one per lane,
//!   `s` `[array, element, value]`, `g` where the lanes of warps are, `[warp, [[lanes, state, line]]]`.
//!
//! # `gpulearn.grade/1`
//!
//! `report.json` of `grade`: `{schema, course, plan, lessons, program, version, seed, students, texts, waiting,
//! notes}`: digests of the plan, the lessons, the program and the seed, the program's version, the students' names,
//! the number of different texts, that of students whose marks are not final, and remarks. It is there once the
//! report is complete.
//!
//! # `gpulearn.submission/1`
//!
//! `submission.json` in the archive of `submit`: `{schema, tool, lessons, files: [{path, lesson, sha256, passed}]}`,
//! `lessons` a digest, `passed` what the student's own machine said.
//!
//! # Errors
//!
//! `gpulearn.error/1`: `{schema, tool, message, exit}` if a command can't answer.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use std::io::{self, Write};

/// This program's version, the `tool` field of every object.
pub const TOOL: &str = env!("CARGO_PKG_VERSION");

/// The JSON of `check`: `gpulearn.check/1`.
#[derive(Serialize)]
pub struct CheckReport<'a> {
    schema: &'static str,
    tool: &'static str,
    pub passed: bool,
    pub results: &'a [super::VerdictView],
}

impl<'a> CheckReport<'a> {
    pub fn new(results: &'a [super::VerdictView]) -> Self {
        let passed = results.iter().all(|r| r.passed);
        CheckReport { schema: "gpulearn.check/1", tool: TOOL, passed, results }
    }
}

/// The JSON of an error: `gpulearn.error/1`.
#[derive(Serialize)]
pub struct ErrorReport<'a> {
    schema: &'static str,
    tool: &'static str,
    pub message: &'a str,
    /// The process's exit code.
    pub exit: u8,
}

impl<'a> ErrorReport<'a> {
    pub fn new(message: &'a str, exit: u8) -> Self {
        ErrorReport { schema: "gpulearn.error/1", tool: TOOL, message, exit }
    }
}

/// A view preceded by its schema and version.
#[derive(Serialize)]
pub struct Tagged<'a, T> {
    schema: &'static str,
    tool: &'static str,
    #[serde(flatten)]
    view: &'a T,
}

impl<'a, T> Tagged<'a, T> {
    /// Creates the object; `schema` is a name such as `gpulearn.list/1`.
    pub fn new(schema: &'static str, view: &'a T) -> Self {
        Tagged { schema, tool: TOOL, view }
    }
}

/// Serialises a value to one line of JSON that is safe to print.
pub fn to_line(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut bytes, EscapingFormatter(CompactFormatter));
    // Views are plain values with string keys, so serialising them to memory can't fail.
    if value.serialize(&mut serializer).is_err() {
        bytes = b"{}".to_vec();
    }
    bytes.push(b'\n');
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Escapes hidden characters that JSON allows unescaped (C1 controls, bidirectional, zero-width), and the first
/// of two `#`, which start a command in some CI systems.
struct EscapingFormatter(CompactFormatter);

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut start = 0;
        let begins_command = |at: usize| fragment[at..].starts_with("##");
        let hidden = |&(at, c): &(usize, char)| super::escape::is_hidden(c) || begins_command(at);
        for (at, c) in fragment.char_indices().filter(hidden) {
            self.0.write_string_fragment(writer, &fragment[start..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            start = at + c.len_utf8();
        }
        self.0.write_string_fragment(writer, &fragment[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escapes_that_read_back() {
        let evil = "a\x1b[2J\u{202e}\u{9b}\u{e0041}\"\\\nπ##[error]";
        let line = to_line(&evil);
        assert_eq!(line, "\"a\\u001b[2J\\u202e\\u009b\\udb40\\udc41\\\"\\\\\\nπ\\u0023#[error]\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), evil);
    }

    #[test]
    fn the_schema_comes_first() {
        let line = to_line(&CheckReport::new(&[]));
        assert!(line.starts_with(r#"{"schema":"gpulearn.check/1","tool":""#), "{line}");
    }
}
