//! Advice as people read it.

use super::{about, access, text, view};
use gpulearn::cpp::Source;
use gpulearn::judge::Passed;
use gpulearn::report::{self, FindingView, Style, VerdictView};
use gpulearn::sim::{
    AccessKind, Advice, Advised, Cost, Counts, FindingKind, Picture, PictureKind, SourceLocation, Target,
};

const SUMS: &str = "extern \"C\" __global__ void sums(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[threadIdx.x * n + k];
    out[threadIdx.x] = sum + tile[threadIdx.x][0];
}
";

fn advised() -> Advised {
    let mut traffic = Advice {
        code: FindingKind::Uncoalesced,
        at: access(
            AccessKind::Read,
            0,
            4,
            33,
            Target::Buffer { name: "in".into(), size_bytes: 4096, offset_bytes: 0 },
        ),
        label: "32 threads of a warp, 32 sectors; 4 would do".into(),
        notes: vec!["Neighbouring threads are 128 bytes apart: 32 loads, each by a warp of 32 threads, move 1024 sectors of 32 bytes, where 128 would do.".into()],
        hits: 32,
        cost: Cost { what: "sectors", yours: 1024, least: 128 },
        help: FindingKind::Uncoalesced.help(),
        run: Some("n = 32".into()),
        values: vec![],
        picture: Some(Picture {
            kind: PictureKind::Sectors,
            width: 4,
            lanes: (0..32).map(|lane| Some(lane * 128)).collect(),
        }),
    };
    traffic.at.location = Some(SourceLocation { file: "sums.cu".into(), line: 4, column: 33 });
    let mut banks = traffic.clone();
    banks.code = FindingKind::BankConflict;
    banks.help = FindingKind::BankConflict.help();
    banks.at.location = Some(SourceLocation { file: "sums.cu".into(), line: 5, column: 5 });
    banks.at.target = Target::Shared { name: "tile".into(), size_bytes: 4096, offset_bytes: 0 };
    banks.label = "32 lanes want different words of bank 0".into();
    banks.cost = Cost { what: "wavefronts", yours: 32, least: 1 };
    banks.picture.as_mut().unwrap().kind = PictureKind::Banks;
    let mut born = traffic.clone();
    born.code = FindingKind::NotANumber;
    born.help = FindingKind::NotANumber.help();
    born.label = "0 / 0 = NaN".into();
    (born.values, born.picture) = (vec!["0".into(), "0".into(), "NaN".into()], None);
    born.cost = Cost { what: "", yours: 0, least: 0 };
    let mut advised = Advised::default();
    advised.join(Advised { list: vec![traffic, banks, born], ..Advised::default() });
    advised
}

/// Of several kinds.
pub fn views() -> Vec<FindingView> {
    let source = Source::new(SUMS);
    report::advice_views(&advised(), |_| about("kernels/1-puzzles/sums.cu", &source))
}

fn passed() -> VerdictView {
    let passed =
        Passed { cases: 4, counts: Counts::default(), bars: vec![], answers: vec![], ..Passed::default() };
    VerdictView { advice: views(), ..view("sums", Ok(passed), SUMS) }
}

#[test]
fn advice_comes_after_the_verdict() {
    let text_of = text(&passed(), &Style::default());
    assert!(text_of.lines().count() <= 24, "more than a screen:\n{text_of}");
    insta::assert_snapshot!("advice", text_of);
    insta::assert_snapshot!("advice_verbose", text(&passed(), &Style { verbose: true, ..Style::default() }));
}
