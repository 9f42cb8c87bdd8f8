//! Validates a lesson.toml beyond its syntax and types.

use super::data::VALUES;
use super::keys::{KeyErrors, is_identifier, is_slug};
use super::lesson::{default_devices, default_model};
use super::{
    Begins, Buffer, Case, Compare, KeyError, Kind, ReferenceSource, Role, Spec, Tolerance, bench, image,
    question,
};
use crate::Counter;
use host::device::model::Model;
use host::program::MemoryKind;
use sim::Dim3;
use std::collections::BTreeSet;

/// Returns everything that is wrong with the values of a lesson.toml.
pub fn validate(spec: &Spec) -> Vec<KeyError> {
    let mut found = KeyErrors::default();
    words(spec, &mut found);
    buffers(spec, &mut found);
    launches(spec, &mut found);
    calls(spec, &mut found);
    cases(spec, &mut found);
    bars(spec, &mut found);
    bench::problems(spec, &mut found);
    image::problems(spec, &mut found);
    question::problems(spec, &mut found);
    // A draft may lack hints and the starter's verdict, but its sizes are checked nevertheless.
    if found.0.iter().all(KeyError::may_be_missing_in_drafts) {
        found.0.extend(spec.cases.iter().filter_map(|case| spec.sized(case).err()).take(1));
        found.0.extend(spec.cases.iter().find_map(|case| too_many_threads(spec, case)));
        found.0.extend(spec.sized_bench().and_then(Result::err));
        found.0.extend(image::too_large(spec));
    }
    found.0
}

/// Largest number of threads of a launch; the limit for whole programs is the same.
const MAX_THREADS: u128 = 1 << 26;

/// Returns an error for the first launch of a case for which the simulator would need minutes.
fn too_many_threads(spec: &Spec, case: &Case) -> Option<KeyError> {
    let sized = spec.sized(case).ok()?;
    sized.launches.iter().enumerate().find_map(|(l, launch)| {
        let count = |extent: Dim3| u128::from(extent.x) * u128::from(extent.y) * u128::from(extent.z);
        let threads = count(launch.config.grid) * count(launch.config.block);
        (threads > MAX_THREADS).then(|| KeyError {
            key: format!("launches[{l}].grid"),
            message: format!(
                "{threads} threads in all, more than {MAX_THREADS} (case {}): sizes for a GPU go in `[bench]`",
                case
            ),
        })
    })
}

fn words(spec: &Spec, found: &mut KeyErrors) {
    let columns = spec.title.chars().count();
    found.unless((1..=60).contains(&columns), "title", "1 to 60 characters are allowed");
    found.unless(
        !spec.title.chars().any(char::is_control),
        "title",
        "one line of text is needed, without control characters",
    );
    found.unless((1..=600).contains(&spec.minutes), "minutes", "1 to 600 are allowed");
    found.unless(
        !spec.starter.trim().is_empty(),
        "starter",
        "the verdict that the starter must get is needed, such as \"wrong-result: untouched\"",
    );
    found.unless(
        spec.hints.len() == 3,
        "hints",
        format!(
            "exactly three are needed (a nudge, the concept, nearly the code), found {}",
            spec.hints.len()
        ),
    );
    for (h, hint) in spec.hints.iter().enumerate() {
        found.unless(!hint.trim().is_empty(), format!("hints[{h}]"), "empty");
    }
    found.unless(
        (1..=1_000_000_000_000).contains(&spec.step_budget),
        "step_budget",
        "1 to 1_000_000_000_000 are allowed",
    );
    for slug in &spec.no_advice {
        let known = sim::FindingKind::ALL.iter().any(|code| code.is_advice() && code.slug() == slug);
        found.unless(known, "no_advice", format!("no advice is called \"{}\"", slug.escape_debug()));
    }
    found.unless(
        match &spec.reference {
            ReferenceSource::File | ReferenceSource::Cases => true,
            ReferenceSource::Cpu(name) => is_slug(name),
            ReferenceSource::None => spec.kind == Kind::Predict,
        },
        "reference",
        "the name of a CPU reference, \"reference.cu\" or \"expected\" is needed",
    );
    let lines = spec.line_tolerances.iter().map(|(word, its)| (format!("line_tolerances.{word}"), *its));
    for (key, Tolerance { abs, rel }) in lines.chain([("tolerance".to_owned(), spec.tolerance)]) {
        found.unless(abs >= 0.0 && abs.is_finite(), format!("{key}.abs"), "zero or more is needed");
        found.unless((0.0..1.0).contains(&rel), format!("{key}.rel"), "from 0 to below 1 is allowed");
    }
}

fn buffers(spec: &Spec, found: &mut KeyErrors) {
    let mut names = BTreeSet::new();
    for (b, buffer) in spec.buffers.iter().enumerate() {
        let key = format!("buffers[{b}]");
        found.unless(is_identifier(&buffer.name), format!("{key}.name"), "a C identifier is needed");
        found.unless(
            names.insert(&buffer.name),
            format!("{key}.name"),
            format!("a second buffer \"{}\"", buffer.name.escape_debug()),
        );
        found.unless(
            (1..=4).contains(&buffer.shape.len()),
            format!("{key}.shape"),
            "one to four extents are needed",
        );
        let has_values =
            !spec.cases.is_empty() && spec.cases.iter().all(|case| case.data.input(&buffer.name).is_some());
        match &buffer.fill {
            None => found.unless(
                !buffer.role.is_input() || has_values,
                key.clone(),
                "an input needs `fill`: kind integers, halves or uniform (low, high), normal, iota, sorted (low, \
                 high), permutation or row-offsets (total), or values in each case",
            ),
            Some(_) if !buffer.role.is_input() => {
                found.unless(
                    false,
                    format!("{key}.fill"),
                    "only inputs are filled; outputs are poisoned, or have `begins`",
                );
            }
            Some(fill) => {
                if let Some(message) = fill.constant().and_then(|fill| fill.misfit(buffer.ty)) {
                    found.unless(false, format!("{key}.fill"), message);
                }
            }
        }
        found.unless(
            buffer.begins == Begins::Unset || !buffer.role.is_input(),
            format!("{key}.begins"),
            "only buffers that are not inputs begin as zero; inputs have `fill`",
        );
        let compare = &buffer.compare;
        found.unless(
            *compare == Compare::default() || buffer.role.is_output(),
            format!("{key}.compare"),
            "only outputs are compared",
        );
        found.unless(
            compare.first.is_none() || buffer.shape.len() == 1,
            format!("{key}.compare.first"),
            "only a buffer with one extent is compared in part",
        );
    }
    for name in spec.constants.keys() {
        let key = format!("constants.{name}");
        found.unless(spec.buffers.iter().all(|b| b.name != name), key, "a buffer has that name");
    }
    found.unless(
        spec.calls_main() || spec.outputs().next().is_some(),
        "buffers",
        "none has role \"out\" or \"in-out\", so nothing would be compared",
    );
}

fn launches(spec: &Spec, found: &mut KeyErrors) {
    found.unless(
        !spec.launches.is_empty() || spec.is_program(),
        "launches",
        "at least one is needed, or `calls` for a whole program",
    );
    for (l, launch) in spec.launches.iter().enumerate() {
        let key = format!("launches[{l}].kernel");
        found.unless(is_identifier(&launch.kernel), key, "a C identifier is needed");
        let key = format!("launches[{l}].name");
        let named = is_identifier(launch.called()) && launch.called() != crate::measure::ALL;
        found.unless(named, key, "a C identifier is needed, and not `all`, which means every launch");
    }
}

fn calls(spec: &Spec, found: &mut KeyErrors) {
    if !spec.is_program() {
        found.unless(spec.kind != Kind::Program, "calls", "a lesson of kind program needs at least one");
        let on_host = spec.buffers.iter().position(|buffer| buffer.memory != MemoryKind::default());
        if let Some(b) = on_host {
            found.unless(
                false,
                format!("buffers[{b}].memory"),
                "only with `calls`: launches use device memory",
            );
        }
        let (model, devices) = (default_model(), default_devices());
        found.unless(
            spec.model == model,
            "model",
            "only with `calls`: kernels alone are not run on a modelled GPU",
        );
        found.unless(spec.devices == devices, "devices", "only with `calls`: launches are run on one GPU");
        found.unless(spec.machines.is_empty(), "machines", "only with `calls`: launches are run on one GPU");
        return;
    }
    found.unless(spec.launches.is_empty(), "launches", "a lesson has `launches` or `calls`, not both");
    for (c, call) in spec.calls.iter().enumerate() {
        found.unless(
            is_identifier(&call.function),
            format!("calls[{c}].function"),
            "a C identifier is needed",
        );
    }
    if spec.calls_main() {
        found.unless(spec.calls.len() == 1, "calls", "main must be the only call");
        found.unless(spec.buffers.is_empty(), "buffers", "main takes none: what it prints is compared");
        found.unless(spec.reference == ReferenceSource::File, "reference", "main needs a \"reference.cu\"");
    }
    let known = Model::names().collect::<Vec<_>>();
    let unknown = || format!("no data on this GPU; there are: {}", known.join(", "));
    found.unless(known.contains(&spec.model.as_str()), "model", unknown());
    for (m, machine) in spec.machines.iter().enumerate() {
        let key = format!("machines[{m}]");
        found.unless((1..=16).contains(&machine.len()), key.clone(), "1 to 16 GPUs are allowed");
        found.unless(machine.iter().all(|model| known.contains(&model.as_str())), key, unknown());
    }
    let alone = spec.model == default_model() && spec.devices == default_devices();
    found.unless(
        spec.machines.is_empty() || alone,
        "machines",
        "in place of `model` and `devices`, not with them",
    );
    found.unless(
        spec.calls_main() || spec.line_tolerances.is_empty(),
        "line_tolerances",
        "only what main prints has lines",
    );
    found.unless((1..=16).contains(&spec.devices), "devices", "1 to 16 are allowed");
}

/// Returns the counters that a lesson's requirements may use.
fn counters(spec: &Spec) -> Vec<Counter> {
    let mut all: Vec<_> = Counter::of_kernels().collect();
    if spec.is_program() {
        all.extend(Counter::of_programs().chain([Counter::SpeedupOverStarterPercent]));
    }
    all
}

fn cases(spec: &Spec, found: &mut KeyErrors) {
    let Some(first) = spec.cases.first() else {
        found.unless(false, "cases", "at least one is needed, such as { n = 8 }");
        return;
    };
    for (c, case) in spec.cases.iter().enumerate() {
        let names: Vec<_> = first.keys().collect();
        let number_for = |buffer: &&Buffer| case.number(&buffer.name).is_some();
        if let Some(buffer) = spec.buffers.iter().find(number_for) {
            found.unless(false, format!("cases[{c}].{}", buffer.name.escape_debug()), VALUES);
            continue;
        }
        found.unless(
            case.keys().eq(first.keys()),
            format!("cases[{c}]"),
            format!("every case needs the names of the first, in this order: {}", names.join(", ")),
        );
        // The cases take turns on the machines.
        let machines = spec.machines.len().max(1);
        let text = case.to_string();
        found.unless(
            !(c % machines..c).step_by(machines).any(|before| spec.cases[before].to_string() == text),
            format!("cases[{c}]"),
            match case.data.is_empty() {
                true => "the same sizes again",
                false => "the same sizes again, and values that look the same: give it a `name`",
            },
        );
        values_of_case(spec, c, case, found);
    }
}

/// Checks that a case's own values are for existing buffers of the right role. Their number and range can only be
/// checked once sizes are known.
fn values_of_case(spec: &Spec, c: usize, case: &Case, found: &mut KeyErrors) {
    let named = |wanted: &dyn Fn(Role) -> bool| {
        let names =
            spec.buffers.iter().filter(|buffer| wanted(buffer.role)).map(|buffer| buffer.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let is = |name: &str, wanted: &dyn Fn(Role) -> bool| {
        spec.buffers.iter().any(|buffer| buffer.name == name && wanted(buffer.role))
    };
    for (name, _) in &case.data.inputs {
        let key = format!("cases[{c}].{}", name.escape_debug());
        let message = match is(name, &|role| role == Role::Out) {
            true => "an output: what it must contain goes in `expected`".to_owned(),
            false => format!("no input has this name; there are: {}", named(&Role::is_input)),
        };
        found.unless(is(name, &Role::is_input), key, message);
    }
    for (name, _) in &case.data.expected {
        let key = format!("cases[{c}].expected.{}", name.escape_debug());
        let message = format!("no output has this name; there are: {}", named(&Role::is_output));
        found.unless(is(name, &Role::is_output), key, message);
    }
    if spec.reference == ReferenceSource::Cases {
        for (_, buffer) in spec.outputs() {
            found.unless(
                case.data.expected(&buffer.name).is_some(),
                format!("cases[{c}]"),
                format!("`expected` needs the values of \"{}\", since there is no reference", buffer.name),
            );
        }
    }
}

fn bars(spec: &Spec, found: &mut KeyErrors) {
    let counters = counters(spec);
    for (r, requirement) in spec.requirements.iter().enumerate() {
        let key = format!("requirements[{r}]");
        let known = requirement.counter.is_some_and(|counter| counters.contains(&counter));
        let names = || counters.iter().map(Counter::to_string).collect::<Vec<_>>().join(", ");
        found.unless(
            known,
            format!("{key}.counter"),
            if known { String::new() } else { format!("no such counter; there are: {}", names()) },
        );
        found.unless(
            requirement.at_most.is_some() || requirement.at_least.is_some(),
            key.clone(),
            "`at_most` or `at_least` is needed",
        );
        found.unless(!requirement.why.trim().is_empty(), format!("{key}.why"), "empty");
    }
}
