//! Advice as people read it.

use super::{about, access, text, view};
use gpulearn::cpp::Source;
use gpulearn::judge::Passed;
use gpulearn::report::{self, FindingView, Style, VerdictView};
use gpulearn::sim::{
    AccessKind, Advice, AdviceReport, Computed, Cost, CostUnit, Counts, FindingKind, FloatOp, NanCause,
    Observation, Picture, PictureKind, SourceLocation, Target,
};

const SUMS: &str = "extern \"C\" __global__ void sums(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[threadIdx.x * n + k];
    out[threadIdx.x] = sum + tile[threadIdx.x][0];
}
";

fn advice_report() -> AdviceReport {
    let mut traffic = Advice {
        kind: FindingKind::Uncoalesced,
        at: access(
            AccessKind::Read,
            0,
            4,
            33,
            Target::Buffer { name: "in".into(), size_bytes: 4096, offset_bytes: 0 },
        ),
        observation: Observation::Sectors {
            lanes: 32,
            sectors: 32,
            least: 4,
            stride: Some(128),
            has_gaps: false,
            loads: 32,
            stores: 0,
        },
        hits: 32,
        cost: Some(Cost { unit: CostUnit::Sectors, yours: 1024, least: 128 }),
        run: Some("n = 32".into()),
        picture: Some(Picture {
            kind: PictureKind::Sectors,
            width: 4,
            lanes: (0..32).map(|lane| Some(lane * 128)).collect(),
        }),
    };
    traffic.at.location = Some(SourceLocation { file: "sums.cu".into(), line: 4, column: 33 });
    let mut banks = traffic.clone();
    banks.kind = FindingKind::BankConflict;
    banks.at.location = Some(SourceLocation { file: "sums.cu".into(), line: 5, column: 5 });
    banks.at.target = Target::Shared { name: "tile".into(), size_bytes: 4096, offset_bytes: 0 };
    banks.observation = Observation::Banks { bank: 0, lanes: (0..32).collect() };
    banks.cost = Some(Cost { unit: CostUnit::Wavefronts, yours: 32, least: 1 });
    banks.picture.as_mut().unwrap().kind = PictureKind::Banks;
    let mut born = traffic.clone();
    born.kind = FindingKind::NotANumber;
    let (operands, result) = ([0.0; 3], f64::NAN);
    let cause = Some(NanCause::ZeroByZero);
    born.observation =
        Observation::Value(Computed::Float { op: FloatOp::Div, bytes: 4, operands, result, cause });
    (born.cost, born.picture) = (None, None);
    let mut advice_report = AdviceReport::default();
    advice_report.join(AdviceReport { list: vec![traffic, banks, born], ..AdviceReport::default() });
    advice_report
}

/// Of several kinds.
pub fn views() -> Vec<FindingView> {
    let source = Source::new(SUMS);
    report::advice_views(&advice_report(), |_| about("kernels/1-puzzles/sums.cu", &source))
}

fn passed() -> VerdictView {
    let passed =
        Passed { cases: 4, counts: Counts::default(), bars: vec![], answers: vec![], ..Passed::default() };
    let mut passed = view("sums", Ok(passed), SUMS);
    passed.evidence.advice = views();
    passed
}

#[test]
fn advice_comes_after_the_verdict() {
    let text_of = text(&passed(), &Style::default());
    assert!(text_of.lines().count() <= 24, "more than a screen:\n{text_of}");
    insta::assert_snapshot!("advice", text_of);
    insta::assert_snapshot!("advice_verbose", text(&passed(), &Style { verbose: true, ..Style::default() }));
}
