//! What people read, one snapshot for each kind of result, at 80 columns without colours.

mod advice;
mod claims;
mod course;
mod described;
mod drawn;
mod images;
mod judged;
mod mistakes;
mod predictions;
mod schema;
mod speed;
mod timeline;

use gpulearn::compiler::{Diagnostic, Severity};
use gpulearn::cpp::Source;
use gpulearn::judge::course::Case;
use gpulearn::judge::{
    Bar, Caller, Counter, Element, Failure, JudgedCase, Lack, LaterBlocks, LaunchFailure, Misfit, Mismatch,
    Missing, Passed, Pattern, TailStart, ThreadPosition, ToolLimit, Verdict, Wanted,
};
use gpulearn::report::{self, About, DoctorView, InspectView, JudgedRunView, Style, VerdictView};
use gpulearn::sim::{
    Access, AccessKind, Actor, BarrierPosition, Counts, CudaError, Dim3, Evidence, Finding, FindingKind,
    LaunchLimit, LaunchRefusal, SourceLocation, Target, WrittenWhen,
};
use std::collections::BTreeMap;

const BLOCK_SUM: &str = r#"extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    s[threadIdx.x] = in[i];

    if (threadIdx.x == 0) for (int k = 0; k < 8; k++) sum += s[k];
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
"#;

const STARTER: &str = r#"// map: add 10 to every element.
extern "C" __global__ void map(const float *in, float *out) {
    // Write here what one thread does.
}
"#;

fn run() -> JudgedRunView {
    JudgedRunView { seconds: 0.0612, ..JudgedRunView::simulated(7) }
}

fn about<'a>(file: &'a str, source: &'a Source<'a>) -> About<'a> {
    About {
        file,
        source,
        starter: STARTER,
        thread_dims: 1,
        program: false,
        block_dims: 1,
        every_block: false,
        atomics_barred: false,
        element_bytes: BTreeMap::from([("in".to_string(), 4), ("out".to_string(), 4)]),
        shapes: BTreeMap::new(),
        case: None,
    }
}

fn view(lesson: &str, result: Judged, source: &str) -> VerdictView {
    let file = format!("kernels/1-puzzles/{lesson}.cu");
    let verdict = Verdict::of(lesson, result.map_err(|f| *f));
    VerdictView::new(&verdict, &about(&file, &Source::new(source)), run())
}

/// As text for a page of 80 columns, and nothing on it may be wider or lead astray; what is stored
/// must read the same.
fn text(view: &VerdictView, style: &Style) -> String {
    colored::control::set_override(false);
    let text = report::verdict(view, style);
    for line in text.lines() {
        // A place is never broken: it is there to be followed.
        let place = line.contains(".cu") || style.width < 40;
        assert!(place || report::text_width(line) <= style.width, "wider than {}: {line}", style.width);
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert_eq!(line, line.trim_end(), "white space at the end");
    }
    let stored: VerdictView = serde_json::from_str(&report::json::to_line(view)).unwrap();
    assert_eq!(&stored, view);
    text
}

fn shown(lesson: &str, result: Judged, source: &str) -> String {
    let view = view(lesson, result, source);
    for width in [20, 40, 60] {
        text(&view, &Style { width, ..Style::default() });
    }
    let text = text(&view, &Style::default());
    assert!(text.lines().count() <= 24, "more than a screen:\n{text}");
    text
}

fn element(i: usize, want: &str, got: Option<&str>) -> Element {
    Element { index: vec![i], want: want.into(), got: got.map(String::from), right: got == Some(want) }
}

/// Returns a case that is shown as `text`.
fn case(text: &str) -> JudgedCase {
    let mut case = Case::new();
    case.data.name = Some(text.into());
    JudgedCase::new(0, &case)
}

fn wrong(pattern: Option<Pattern>) -> Mismatch {
    Mismatch {
        case: case("n = 4"),
        buffer: "out".into(),
        shape: vec![4],
        differing: 3,
        total: 4,
        window: vec![
            element(0, "14", Some("14")),
            element(1, "17", None),
            element(2, "11", None),
            element(3, "19", None),
        ],
        writer: Some(ThreadPosition { block: Dim3::new(0, 0, 0), thread: Some(Dim3::new(1, 0, 0)) }),
        pattern,
        worst: None,
        any_order: false,
        sources: None,
        right: Vec::new(),
        written: Vec::new(),
    }
}

fn access(kind: AccessKind, thread: u32, line: u32, column: u32, target: Target) -> Access {
    let location = SourceLocation { file: "block-sum.cu".into(), line, column };
    let by = Access::by(Actor::Thread, Some(location));
    Access { kind, thread: Dim3::new(thread, 0, 0), bytes: 4, target, ..by }
}

fn shared(element: i64) -> Target {
    Target::Shared { name: "s".into(), size_bytes: 32, offset_bytes: element * 4 }
}

fn finding(code: FindingKind, at: Access, other: Option<Access>) -> Finding {
    Finding { other, ..Finding::new(code, at) }
}

type Judged = Result<Passed, Box<Failure>>;

fn failed(findings: Vec<Finding>, values_right: bool) -> Judged {
    Err(Box::new(Failure::Defect { findings, values_right, case: case("n = 8"), excess: Default::default() }))
}

fn race() -> Finding {
    let mut race = finding(
        FindingKind::SharedRace,
        access(AccessKind::Read, 0, 7, 62, shared(5)),
        Some(access(AccessKind::Write, 5, 5, 5, shared(5))),
    );
    (race.hits, race.threads) = (7, Some(1));
    race
}

fn bar(counter: Counter, yours: u64, limit: u64) -> Bar {
    Bar { counter, yours, limit, at_most: true, why: "Which index should be the fast one?".into() }
}

#[test]
fn wrong_values() {
    let mut m = wrong(Some(Pattern::PartlyWritten { written: 1, gap: Some(1..4) }));
    insta::assert_snapshot!(
        "wrong_partly_written",
        shown("map", Err(Box::new(Failure::Wrong(m.clone()))), "")
    );
    m.pattern = None;
    insta::assert_snapshot!("wrong_unset", shown("map", Err(Box::new(Failure::Wrong(m))), ""));
    let patterns = [
        Pattern::Untouched,
        Pattern::Unchanged,
        Pattern::PartlyUnchanged { unchanged: 2, gap: Some(1..3) },
        Pattern::PartlyUnchanged { unchanged: 3, gap: None },
        Pattern::AllZero,
        Pattern::CopyOfInput { buffer: "in".into() },
        Pattern::Shifted { by: -1 },
        Pattern::Transposed,
        Pattern::ExchangedIndex { read: vec!["a".into(), "b".into()], written: true },
        Pattern::ExchangedIndex { read: vec!["in".into()], written: false },
        Pattern::ExchangedThreads,
        Pattern::Reversed,
        Pattern::FirstBlockOnly { right: 32, others: LaterBlocks::Unset },
        Pattern::FirstBlockOnly { right: 1, others: LaterBlocks::Repeated },
        Pattern::FirstBlockOnly { right: 32, others: LaterBlocks::Wrong },
        Pattern::Constant,
        Pattern::NotANumber,
        Pattern::TailWrong { from: 96, starts: TailStart::InLastBlock },
        Pattern::TailWrong { from: 64, starts: TailStart::WithBlock(Dim3::new(2, 0, 0)) },
        Pattern::TailWrong { from: 96, starts: TailStart::Elsewhere },
        Pattern::PartlyWritten { written: 3, gap: Some(3..4) },
        Pattern::PartlyWritten { written: 2, gap: None },
        Pattern::NearlyRight { relative: 3.2e-5 },
    ];
    let all: Vec<String> =
        patterns.map(|p| shown("map", Err(Box::new(Failure::Wrong(wrong(Some(p))))), "")).into();
    insta::assert_snapshot!("wrong_patterns", all.join("\n"));
}

#[test]
fn wrong_values_of_a_matrix() {
    let window = (8..24)
        .map(|i| Element {
            index: vec![i / 8, i % 8],
            want: format!("{i}"),
            got: Some(if i < 11 { format!("{i}") } else { "nan".into() }),
            right: i < 11,
        })
        .collect();
    let m = Mismatch {
        case: case("rows = 5, cols = 8"),
        buffer: "c".into(),
        shape: vec![5, 8],
        differing: 29,
        total: 40,
        window,
        writer: Some(ThreadPosition { block: Dim3::new(1, 2, 0), thread: None }),
        pattern: Some(Pattern::NotANumber),
        worst: None,
        any_order: false,
        sources: None,
        right: Vec::new(),
        written: Vec::new(),
    };
    insta::assert_snapshot!(shown("matmul", Err(Box::new(Failure::Wrong(m))), ""));
}

#[test]
fn a_race_shows_both_sides() {
    insta::assert_snapshot!("race", shown("block-sum", failed(vec![race()], true), BLOCK_SUM));
    let three = vec![race(), race(), race()];
    let view = view("block-sum", failed(three, false), BLOCK_SUM);
    let verbose = Style { verbose: true, ..Style::default() };
    insta::assert_snapshot!("race_of_three", text(&view, &Style::default()));
    insta::assert_snapshot!("race_verbose", text(&view, &verbose));
}

#[test]
fn both_sides_of_a_race_on_one_line() {
    let source = "__global__ void f(int *s) {\n    s[threadIdx.x] = s[threadIdx.x + 1];\n}\n";
    let race = finding(
        FindingKind::SharedRace,
        access(AccessKind::Write, 1, 2, 5, shared(1)),
        Some(access(AccessKind::Read, 0, 2, 22, shared(1))),
    );
    insta::assert_snapshot!(shown("block-sum", failed(vec![race], false), source));
}

#[test]
fn an_access_outside() {
    let source = "extern \"C\" __global__ void guards(const float *in, float *out, int n) {\n    int i = threadIdx.x;\n    out[i] = in[i] + 10;\n}\n";
    let outside = Target::Buffer { name: "in".into(), size_bytes: 16, offset_bytes: 16 };
    let mut at = access(AccessKind::Read, 4, 3, 14, outside);
    at.location = Some(SourceLocation { file: "guards.cu".into(), line: 3, column: 14 });
    let mut f = finding(FindingKind::OutOfBounds, at, None);
    (f.hits, f.threads) = (8, Some(4));
    let from_side = (0..32).map(|lane: i64| (lane < 8).then_some((lane - 4) * 4)).collect();
    f.evidence.push(Evidence::LanesAccess { lane: 4, block: Dim3::new(8, 1, 1), from_side });
    insta::assert_snapshot!(shown("guards", failed(vec![f], true), source));
}

#[test]
fn a_barrier_some_never_reach() {
    let source = "void f() {\n  if (threadIdx.x < 8) {\n    __syncthreads();\n  }\n}\n";
    let mut at = access(AccessKind::Read, 8, 5, 1, Target::None);
    at.block = Dim3::new(2, 0, 0);
    let mut f =
        finding(FindingKind::DivergentBarrier, at, Some(access(AccessKind::Read, 0, 3, 5, Target::None)));
    f.evidence.push(Evidence::EndedBeforeBarrier { waiting: 8, total: 32, ended: 24 });
    f.evidence
        .push(Evidence::Stands { place: BarrierPosition::Barrier { line: Some(3) }, warps: vec![0xff] });
    f.evidence.push(Evidence::Stands { place: BarrierPosition::Ended, warps: vec![!0xff] });
    insta::assert_snapshot!(shown("block-sum", failed(vec![f], true), source));
}

#[test]
fn a_read_of_what_was_not_written() {
    let source = "__global__ void sums(const float *rows, float *out) {\n    out[threadIdx.x] = rows[threadIdx.x * 8 + 7];\n}\n";
    let read = Target::Buffer { name: "rows".into(), size_bytes: 160, offset_bytes: 28 };
    let mut f = finding(FindingKind::Uninitialised, access(AccessKind::Read, 0, 2, 24, read), None);
    (f.hits, f.threads) = (5, Some(5));
    let written = (0..40).map(|element| element % 8 != 7).collect();
    f.evidence = vec![
        Evidence::NeverWritten,
        Evidence::WrittenAround { offset_bytes: 0, written, when: WrittenWhen::LaunchEnded },
    ];
    insta::assert_snapshot!(shown("uninitialised", failed(vec![f], false), source));
}

#[test]
fn a_place_that_is_not_known() {
    let mut at = access(AccessKind::Write, 3, 0, 0, Target::Nowhere { address: 0 });
    at.location = None;
    insta::assert_snapshot!(shown(
        "map",
        failed(vec![finding(FindingKind::NullPointer, at, None)], false),
        BLOCK_SUM
    ));
}

#[test]
fn too_much_work() {
    let bars = vec![bar(Counter::StoreSectors, 16_777_216, 2_097_152), bar(Counter::BankConflicts, 0, 0)];
    let result = Err(Box::new(Failure::Work { bars, case: case("n = 4096") }));
    insta::assert_snapshot!("work_traffic", shown("transpose", result, ""));
    let mut least = bar(Counter::Barriers, 0, 3);
    least.at_most = false;
    let bars = vec![bar(Counter::BankConflicts, 31, 0), least];
    let result = Err(Box::new(Failure::Work { bars, case: case("n = 8") }));
    insta::assert_snapshot!("work_other", shown("transpose", result, ""));
}

#[test]
fn passed() {
    let counts = Counts::default();
    let none = Passed { cases: 4, counts: counts.clone(), bars: vec![], ..Passed::default() };
    insta::assert_snapshot!("passed", shown("map", Ok(none), ""));
    let one = Passed {
        cases: 1,
        case: Some(case("n = 4096")),
        counts: counts.clone(),
        bars: vec![bar(Counter::StoreSectors, 2_097_152, 2_097_152)],
        ..Passed::default()
    };
    insta::assert_snapshot!("passed_bar", shown("transpose", Ok(one), ""));
    let two = Passed {
        cases: 9,
        case: Some(case("n = 100")),
        counts,
        bars: vec![bar(Counter::GlobalReadsPerThread, 1, 1), bar(Counter::GlobalWritesPerThread, 0, 1)],
        ..Passed::default()
    };
    let mut view = view("map", Ok(two), "");
    view.run.stored = true;
    insta::assert_snapshot!("passed_bars_stored", text(&view, &Style::default()));
}

#[test]
fn what_does_not_compile() {
    let source = "extern \"C\" __global__ void map(const float *in, float *out) {\n\tint i = threadIdx.x\n\tout[i] = in[j];\n}\n";
    let error =
        |line, column, message: &str| Diagnostic::error("kernels/1-puzzles/map.cu", (line, column), message);
    let two = vec![error(3, 2, "expected a \";\""), error(3, 14, "identifier \"j\" is undefined")];
    insta::assert_snapshot!("compile_error", shown("map", Err(Box::new(Failure::Compile(two))), source));
    let many = (0..40).map(|_| error(2, 6, "something is wrong with this declaration of i")).collect();
    insta::assert_snapshot!("compile_errors", shown("map", Err(Box::new(Failure::Compile(many))), source));
}

#[test]
fn everything_else() {
    let missing = Failure::MissingKernel(Box::new(Missing {
        name: "block_sum".into(),
        why: Misfit::Absent,
        wanted: Wanted { by: Caller::Launch, declaration: "block_sum(float *out)".into() },
        found: vec!["sum".into(), "helper".into()],
        hides_pointers: false,
    }));
    let refused = LaunchRefusal::Limit(LaunchLimit::Threads { threads: 2048 });
    let launch = Failure::Launch { why: LaunchFailure::Refused(refused), clean: false };
    let limit = Failure::Limit(ToolLimit::Compiler("compiling took more than 10 s and was stopped".into()));
    let unsupported =
        Failure::Unsupported { what: Lack::Of("barrier.cluster.arrive".into()), line: Some(20) };
    let bare = Failure::unsupported("a PTX construct".into(), None);
    let all =
        [missing, launch, limit, unsupported, bare].map(|f| shown("block-sum", Err(Box::new(f)), BLOCK_SUM));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn what_the_kernel_prints_is_shown_and_harmless() {
    let mut v = view(
        "map",
        Ok(Passed { cases: 1, counts: Counts::default(), bars: vec![], ..Passed::default() }),
        "",
    );
    v.output = format!("thread 0\n\x1b[2J\u{202e}evil\rx\n{}", "more\n".repeat(20));
    insta::assert_snapshot!(text(&v, &Style::default()));
}

/// Every piece of text that a learner's file can put into a verdict.
#[test]
fn no_text_of_a_file_reaches_the_terminal_raw() {
    let evil = "\x1b[31m\u{9b}2J\u{202e}\u{200b}\r\x07";
    let mut m = wrong(None);
    (m.case, m.buffer) = (case(evil), evil.into());
    m.window[1].want = evil.into();
    m.window[2].got = Some(evil.into());
    let mut f = race();
    f.evidence = vec![Evidence::Assertion(evil.into())];
    f.at.target = Target::Shared { name: evil.into(), size_bytes: 4, offset_bytes: 0 };
    f.other.as_mut().unwrap().location.as_mut().unwrap().file = evil.into();
    let source = format!("{evil}\n").repeat(9);
    let message = Diagnostic::error(evil, (2, 3), evil);
    for failure in [
        Failure::Wrong(m),
        Failure::Defect {
            findings: vec![f],
            values_right: false,
            case: case(evil),
            excess: Default::default(),
        },
        Failure::Compile(vec![message]),
        Failure::MissingKernel(Box::new(Missing {
            name: evil.into(),
            why: Misfit::Absent,
            wanted: Wanted { by: Caller::Launch, declaration: evil.into() },
            found: vec![evil.into()],
            hides_pointers: false,
        })),
        Failure::Launch {
            why: LaunchFailure::Lost { gpu: evil.into(), error: CudaError::Unknown, said: evil.into() },
            clean: true,
        },
        Failure::Limit(ToolLimit::Compiler(evil.into())),
        Failure::unsupported(evil.into(), None),
        Failure::Work { bars: vec![bar(Counter::Barriers, 2, 1)], case: case(evil) },
        predictions::all_wrong(evil),
    ] {
        let mut v = view(evil, Err(Box::new(failure)), &source);
        v.output = evil.into();
        for width in [20, 80] {
            let text = text(&v, &Style { width, ..Style::default() });
            assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{9b}']), "{text:?}");
        }
        let line = report::json::to_line(&v);
        assert!(!line.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{line:?}");
    }
}

#[test]
fn findings_are_explained() {
    colored::control::set_override(false);
    let style = Style::default();
    insta::assert_snapshot!("explain_race", report::explain(FindingKind::SharedRace, &style));
    insta::assert_snapshot!("explain_all", report::explain_all(&Default::default(), &style));
    for code in FindingKind::ALL {
        let text = report::explain(*code, &style);
        assert!(text.lines().all(|l| report::text_width(l) <= 80), "{text}");
        assert!(text.lines().count() > 6, "{} has no story", code.code());
    }
}

#[test]
fn lessons_fit_the_page() {
    colored::control::set_override(false);
    let course = gpulearn::lessons::course();
    let map = course.lesson("map").unwrap();
    let of = course.lessons().len();
    let page = report::LessonPage { lesson: map, of, passed: false, file: Some("kernels/1-puzzles/map.cu") };
    let style = Style::default();
    let text = report::lesson_page(&page, &style);
    assert!(text.starts_with(&format!("1/{of}  map ")), "{text}");
    assert!(text.ends_with("Then   gpulearn check map\n"), "{text}");
    for lesson in course.lessons() {
        let page = report::LessonPage { lesson, ..page };
        for text in [report::lesson_page(&page, &style), report::hints(lesson, 3, None, &style)] {
            for line in text.lines() {
                assert!(report::text_width(line) <= 80, "{}: {line}", lesson.slug);
                // In a figure a star is a star.
                assert!(!line.contains("**") || line.starts_with("    "), "{}: {line}", lesson.slug);
            }
        }
    }
}

#[test]
fn a_doctor_says_what_to_do() {
    use report::{Check, Health};
    colored::control::set_override(false);
    let check = |name, health, text: &str, action: Option<&str>| Check {
        name,
        health,
        text: text.into(),
        action: action.map(String::from),
    };
    let view = DoctorView::new(vec![
        check("compiler", Health::Good, "NVRTC 12.9.86", None),
        check("GPU", Health::Note, "none: kernels run on the simulator", None),
        check(
            "sandbox",
            Health::Bad,
            "the kernel has no Landlock, so the compiler could read your files if a lesson made by somebody else asked it to",
            Some("use Linux 5.13 or later"),
        ),
    ]);
    assert!(!view.ok);
    insta::assert_snapshot!(report::doctor(&view, &Style::default()));
}

#[test]
fn a_kernel_is_inspected() {
    use report::{ClassShare, KernelView, OccupancyView, PtxLine, UnsupportedView};
    colored::control::set_override(false);
    let share = |class: &str, count| ClassShare { class: class.into(), count };
    let occupancy = |block_threads, blocks, warps, percent, limits| OccupancyView {
        block_threads,
        blocks,
        warps,
        max_warps: 64,
        percent,
        limits,
    };
    let line = |line, source: Option<&str>, text: &str| PtxLine {
        line,
        source: source.map(String::from),
        text: text.into(),
    };
    let mut view = InspectView {
        file: "map.cu".into(),
        compute_capability: "8.0".into(),
        kernels: vec![KernelView {
            name: "map".into(),
            registers: 40,
            spill_bytes: 0,
            local_bytes: 0,
            shared_bytes: 1024,
            occupancy: vec![
                occupancy(256, 6, 48, 75.0, vec!["registers"]),
                occupancy(1024, 1, 32, 50.0, vec!["threads", "registers"]),
            ],
            instructions: 23,
            mix: vec![share("integer add", 12), share("global load", 1)],
            ptx: vec![
                line(2, Some("    int i = threadIdx.x;"), "mov.u32 %r1, %tid.x;"),
                line(2, None, "cvta.to.global.u64 %rd3, %rd1;"),
                line(3, Some("    out[i] = in[i] + 10;"), "ld.global.f32 %f1, [%rd5];"),
            ],
            advice: vec![],
        }],
        unsupported: vec![],
        diagnostics: vec![],
    };
    insta::assert_snapshot!("inspect", report::inspect(&view, &Style::default()));
    let mut spilled = view.kernels[0].clone();
    (spilled.spill_bytes, spilled.local_bytes, spilled.ptx) = (24, 88, vec![]);
    spilled.occupancy[0].percent = 37.5;
    spilled.advice = report::kernel_advice(&spilled);
    view.kernels = vec![spilled];
    insta::assert_snapshot!("inspect_advice", report::inspect(&view, &Style::default()));
    view.kernels.clear();
    view.unsupported.push(UnsupportedView { what: "wgmma.mma_async".into(), line: 12 });
    insta::assert_snapshot!("inspect_unsupported", report::inspect(&view, &Style::default()));
}

#[test]
fn a_file_that_is_still_the_starter() {
    let mut m = wrong(Some(Pattern::Untouched));
    insta::assert_snapshot!("starter", shown("map", Err(Box::new(Failure::Wrong(m.clone()))), STARTER));
    m.pattern = Some(Pattern::FirstBlockOnly { right: 1, others: LaterBlocks::Unset });
    let runs = shown("map", Err(Box::new(Failure::Wrong(m.clone()))), &format!("{STARTER}\n"));
    insta::assert_snapshot!("starter_that_runs", runs);
    let changed = shown("map", Err(Box::new(Failure::Wrong(m.clone()))), &format!("{STARTER}// mine"));
    assert!(!changed.contains("is unchanged"), "{changed}");

    let mut verdict = Verdict::of("map", Err(Failure::Wrong(m)));
    let error = Diagnostic::error("map.cu", (2, 1), "a variable is never used");
    verdict.warnings.push(Diagnostic { severity: Severity::Warning, ..error });
    let warned = |source: &str| {
        let view = VerdictView::new(&verdict, &about("map.cu", &Source::new(source)), run());
        !view.evidence.diagnostics.is_empty()
    };
    assert!(!warned(STARTER) && warned(&format!("{STARTER}// mine")));
}

/// The whole title stands in the first two lines for the longest name of a lesson; the time is left
/// out where it has no room.
#[test]
fn every_title_fits_its_line() {
    let course = gpulearn::lessons::course();
    let longest = course.lessons().iter().max_by_key(|l| l.slug.len()).unwrap();
    for code in FindingKind::ALL {
        let mut at = race().at;
        at.target = Target::None;
        let view = view(&longest.slug, failed(vec![finding(*code, at, None)], true), BLOCK_SUM);
        let text = text(&view, &Style::default());
        let lines: Vec<&str> = text.lines().take(2).collect();
        let head = lines.join(" ");
        let room = lines[0].chars().count() + "  0.06 s".len() <= 80;
        assert!(head.contains(code.title()) && (lines[0].ends_with("0.06 s") || !room), "{head}");
    }
}
