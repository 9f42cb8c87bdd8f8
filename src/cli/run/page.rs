//! The page of a run, with a block of the program to step through.

use super::{RunArtifacts, RunJob};
use crate::cli::debug::{ModelledRun, OwnProgram, RecordChoice, RecordedBlock, record};
use crate::cli::page::MAX_STEPS;
use crate::cli::{Context, Result};
use host::device::simulated::Launched;
use report::ProgramView;
use std::path::Path;
use std::sync::Arc;

/// Maximum number of host and warp instructions for which a program is run again to record a block.
const MAX_RERUN: u64 = 50_000_000;

/// Records a block of the program to step through on its page; `None` if that would take long.
///
/// # Errors
///
/// The file can't be read again, or the environment is at fault.
pub fn record_block_for_page(
    job: &RunJob,
    view: &ProgramView,
    done: &RunArtifacts,
    context: &mut Context,
) -> Result<Option<RecordedBlock>> {
    let args = job.args;
    let work = view.run.host_instructions + done.gpus.ledger().totals.instructions.iter().sum::<u64>();
    let path = args.file.as_ref().filter(|_| work <= MAX_RERUN && args.modelled_devices() == 1);
    let Some(path) = path.filter(|_| !done.gpus.ledger().launches.is_empty()) else { return Ok(None) };
    let on = ModelledRun { model: Arc::clone(job.model), limit: args.limit() };
    let program = OwnProgram::open(Path::new(path), &args.own, &args.arguments, &on, context)?;
    let choice = RecordChoice { case: None, launch: None, block: None, most_steps: MAX_STEPS };
    // A block that can't be recorded is left out: the page has other contents.
    Ok(program.ok().map(|program| record(&program, &choice)).transpose()?.and_then(Result::ok))
}

/// Builds the page of a run.
pub fn build_page(
    job: &RunJob,
    view: &ProgramView,
    done: &RunArtifacts,
    recorded: Option<view::Recorded>,
) -> view::Document {
    let gpus = &done.gpus;
    let findings = [view.findings.as_slice(), &view.advice].concat();
    let launch = |its: &Launched| view::Launch {
        kernel: its.what.to_string(),
        config: its.config,
        work: its.work.clone(),
    };
    let launches: Vec<view::Launch> = gpus.ledger().launches.iter().map(launch).collect();
    view::Document::new(&view::Run {
        title: &view.file,
        file: &view.file,
        source: job.files.source.text(),
        case: "",
        wrong: None,
        elements: None,
        image: None,
        findings: &findings,
        recorded,
        profile: &gpus.advice().profile,
        buffers: &[],
        launches: &launches,
        spans: gpus.spans(),
        memory: (&done.memory, view.run.modelled_ns.unwrap_or(0)),
        model: job.model,
    })
}
