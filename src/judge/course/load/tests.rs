use super::*;

const LESSON: &str = r#"order = 10
title = "Map"
kind = "kernel"
minutes = 10
starter = "wrong-result: untouched"
hints = ["a", "b", "c"]
reference = "map"
cases = [{ n = 4 }, { n = 33 }]

[[buffers]]
name = "out"
type = "i32"
shape = ["n"]
role = "out"

[[buffers]]
name = "in"
type = "i32"
shape = ["n"]
role = "in"
fill = { kind = "integers", low = -9, high = 9 }

[[launches]]
kernel = "map"
grid = ["ceil_div(n, 32)"]
block = [32]
args = ["out", "in", "n: i32"]

[[requirements]]
counter = "global_reads_per_thread"
at_most = 1
why = "once is enough"
"#;
const TEXT: &str = "Idea.\n\n## Task\n\nDo.\n\n## Checked\n\n- it\n\n## Afterwards\n\nSo.\n";

fn sample() -> Vec<(&'static str, String)> {
    vec![
        ("lessons/1-a/part.toml", "title = \"A\"\nabout = \"First.\"".into()),
        ("lessons/1-a/map/lesson.toml", LESSON.into()),
        ("lessons/1-a/map/lesson.md", TEXT.into()),
        ("kernels/1-a/map.cu", "starter".into()),
        ("solutions/1-a/map.cu", "solution".into()),
    ]
}

fn problems(files: Vec<(&'static str, String)>) -> Vec<String> {
    let files = files.into_iter().map(|(path, text)| (Cow::Borrowed(path), Cow::Owned(text)));
    from_files(files.collect()).1.iter().map(Problem::to_string).collect()
}

/// Loads the sample with one replacement in lesson.toml; returns the problems.
fn changed(old: &str, new: &str) -> Vec<String> {
    assert!(LESSON.contains(old), "{old}");
    let mut files = sample();
    files[1].1 = LESSON.replacen(old, new, 1);
    problems(files)
}

#[test]
fn a_lesson_is_loaded() {
    let files = sample().into_iter().map(|(path, text)| (Cow::Borrowed(path), Cow::Owned(text)));
    let course = strict(from_files(files.collect())).unwrap();
    let lesson = course.lesson("map").unwrap();
    assert_eq!((lesson.number, lesson.part.as_str(), lesson.starter.as_ref()), (1, "1-a", "starter"));
    assert_eq!(course.parts()[0].title, "A");
    let sized = lesson.spec.sized(&lesson.spec.cases[1]).unwrap();
    assert_eq!(sized.shapes, [[33], [33]]);
    assert_eq!(sized.launches[0].config.grid.x, 2);
    assert_eq!(sized.launches[0].args.iter().map(|arg| arg.bytes()).collect::<Vec<_>>(), [8, 8, 4]);
    assert_eq!(sized.bars, [crate::course::SizedBar { at_most: Some(1), at_least: None }]);
}

#[test]
fn what_is_timed_has_sizes_and_constants_of_its_own() {
    let bench = "\n[constants]\nmost = 2\n\n[bench]\nsizes = { n = 65536 }\nconstants = { most = 700 }\n\n\
         [[gpu_bars]]\nratio = \"share_of_copy_bandwidth\"\nat_least = 85\nwhy = \"it can\"\n";
    let grid = LESSON.replacen("ceil_div(n, 32)", "min(ceil_div(n, 32), most)", 1);
    let load = |toml: &str| {
        let mut files = sample();
        files[1].1 = toml.to_owned();
        let files = files.into_iter().map(|(path, text)| (Cow::Borrowed(path), Cow::Owned(text)));
        from_files(files.collect())
    };
    let course = strict(load(&(grid.clone() + bench))).unwrap();
    let lesson = course.lesson("map").unwrap();
    assert_eq!(lesson.spec.sized(&lesson.spec.cases[1]).unwrap().launches[0].config.grid.x, 2);
    let large = lesson.at_bench().unwrap();
    let sized = large.spec.sized(&large.spec.cases[0]).unwrap();
    assert_eq!((sized.shapes[0][0], sized.launches[0].config.grid.x), (65536, 700));
    for (old, new, message) in [
        (
            "{ n = 65536 }",
            "{ m = 65536 }",
            "bench.sizes: the names of the cases are needed, in this order: n",
        ),
        ("{ n = 65536 }", "{ n = 0 }", "buffers[0].shape[0]: \"n\" is 0, less than 1 (case n = 0)"),
        ("{ most = 700 }", "{ least = 7 }", "bench.constants: the lesson has no constant least"),
        (
            "at_least = 85",
            "at_least = 101",
            "gpu_bars[0].at_least: above 0 and up to 100 per cent is allowed",
        ),
        ("share_of_copy_bandwidth", "speedup_over_starter", "gpu_bars[0].ratio: the starter is not correct"),
        ("\"it can\"", "\" \"", "gpu_bars[0].why: empty"),
        ("most = 2", "n = 2", "constants.n: the cases have a size of the same name"),
        ("[bench]\nsizes = { n = 65536 }\nconstants = { most = 700 }", "", "gpu_bars: `bench` is needed"),
    ] {
        assert!(bench.contains(old), "{old}");
        let problems = load(&(grid.clone() + &bench.replacen(old, new, 1))).1;
        let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(problems.iter().any(|problem| problem.contains(message)), "{old}: {problems:?}");
    }
}

#[test]
fn an_image_is_of_an_output_with_rows_and_columns() {
    let flat = LESSON.replace("shape = [\"n\"]", "shape = [\"n\", 2]");
    let image =
        "\n[image]\nbuffer = \"out\"\npixels = \"bits\"\nscale = \"linear\"\nnext = \"in\"\nrounds = 80\n";
    let problems = |toml: String| {
        let mut files = sample();
        files[1].1 = toml;
        problems(files)
    };
    assert_eq!(problems(flat.clone() + image), [""; 0]);
    let input = |ty: &str, shape: &str| {
        flat.replacen(
            "name = \"in\"\ntype = \"i32\"\nshape = [\"n\", 2]",
            &format!("name = \"in\"\ntype = \"{ty}\"\nshape = {shape}"),
            1,
        )
    };
    let like = "image.next: an input with the type and the shape of the output is needed";
    for (toml, message) in [
        (flat.clone() + &image.replace("\"out\"", "\"in\""), "image.buffer: the name of an output is needed"),
        (flat.clone() + &image.replace("\"out\"", "\"no\""), "image.buffer: the name of an output is needed"),
        (LESSON.to_owned() + image, "image.buffer: an output with exactly two extents is needed"),
        (
            flat.replacen("type = \"i32\"", "type = \"f32\"", 1) + image,
            "image.pixels: only whole numbers are shown bit by bit",
        ),
        (flat.clone() + &image.replace("linear", "logarithmic"), "image.scale: bits have no scale"),
        (flat.clone() + &image.replace("next = \"in\"", "next = \"out\""), like),
        (input("u32", "[\"n\", 2]") + image, like),
        (input("i32", "[2, \"n\"]") + image, like),
        (
            flat.clone() + &image.replace("rounds = 80\n", ""),
            "image: `next` and `rounds` are needed together",
        ),
        (
            flat.clone() + &image.replace("next = \"in\"\n", ""),
            "image: `next` and `rounds` are needed together",
        ),
        (flat.clone() + &image.replace("80", "0"), "image.rounds: 1 to 1000 are allowed"),
        (flat.clone() + &image.replace("80", "1001"), "image.rounds: 1 to 1000 are allowed"),
        (flat.clone() + &image.replace("bits", "bytes"), "unknown variant `bytes`"),
        (flat.clone() + image + "colour = 1\n", "unknown field `colour`"),
        (
            flat.replacen("{ n = 4 }", "{ n = 1025 }", 1) + image,
            "image: 65600 pixels in the first case, more than 65536",
        ),
    ] {
        let problems = problems(toml);
        assert!(problems.iter().any(|problem| problem.contains(message)), "{message}: {problems:?}");
    }
}

#[test]
fn a_folder_gives_the_same_as_the_table() {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in sample() {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::write(root.path().join("kernels/1-a/map.cu~"), "left by an editor").unwrap();
    let course = Course::from_dir(root.path()).unwrap();
    assert_eq!(course.lessons()[0].solution, "solution");
    assert!(Course::from_dir(&root.path().join("lessons")).is_err());
}

#[test]
fn problems_name_file_line_key_and_what_is_allowed() {
    let toml = "lessons/1-a/map/lesson.toml";
    for (old, new, wanted) in [
        ("minutes = 10", "minutes = 0", "4: minutes: 1 to 600 are allowed"),
        (
            ", \"c\"]",
            "]",
            "6: hints: exactly three are needed (a nudge, the concept, nearly the code), found 2",
        ),
        (
            "{ n = 33 }",
            "{ m = 33 }",
            "8: cases[1]: every case needs the names of the first, in this order: n",
        ),
        ("{ n = 33 }", "{ n = 4 }", "8: cases[1]: the same sizes again"),
        ("\"out\"\ntype", "\"o-t\"\ntype", "11: buffers[0].name: a C identifier is needed"),
        (
            "[\"n\"]",
            "[\"m\"]",
            "13: buffers[0].shape[0]: formula \"m\": unknown name \"m\"; the case has: n (case n = 4)",
        ),
        ("[\"n\"]", "[\"n - 4\"]", "13: buffers[0].shape[0]: \"n - 4\" is 0, less than 1 (case n = 4)"),
        (
            "low = -9",
            "low = 9",
            "21: buffers[1].fill: `low` must be less than `high`: inputs are never constant",
        ),
        ("[32]", "[2048]", "26: launches[0].block: 2048 threads in a block; at most 1024 fit (case n = 4)"),
        (
            "\"in\",",
            "\"inn\",",
            "27: launches[0].args[1]: no buffer is called \"inn\"; there are: out, in. \
             A number needs its type, such as \"n: i32\"",
        ),
        (
            "low = -9",
            "low = \"8 + n\"",
            "21: buffers[1].fill: `low` must be less than `high`: inputs are never constant (case n = 4)",
        ),
        (
            "\"integers\", low = -9, high = 9",
            "\"sorted\", low = 1, high = 1",
            "21: buffers[1].fill: `low` must be less than `high`: inputs are never constant",
        ),
        (
            "\"integers\", low = -9, high = 9",
            "\"row-offsets\", total = \"0 - n\"",
            "21: buffers[1].fill: `total` must be zero or more (case n = 4)",
        ),
        (
            "{ n = 33 }",
            "{ n = 2, in = [1] }",
            "8: cases[1].in: a number for each of 2 elements is needed, found 1",
        ),
        (
            "{ n = 33 }",
            "{ n = 1, in = [1.5] }",
            "8: cases[1].in: a number with a decimal point does not fit int",
        ),
        ("{ n = 33 }", "{ n = 1, in = [3000000000] }", "8: cases[1].in: 3000000000 does not fit int"),
        ("{ n = 33 }", "{ n = 1, inn = [1] }", "8: cases[1].inn: no input has this name; there are: in"),
        (
            "{ n = 33 }",
            "{ n = 1, out = [1] }",
            "8: cases[1].out: an output: what it must contain goes in `expected`",
        ),
        (
            "{ n = 33 }",
            "{ n = 1, expected = { in = [1] } }",
            "8: cases[1].expected.in: no output has this name; there are: out",
        ),
        (
            "{ n = 33 }",
            "{ n = 1, in = \"../x.txt\" }",
            "8: in: \"../x.txt\" is not a file name: use lower-case words joined by \"-\", and .txt",
        ),
        (
            "{ n = 33 }",
            "{ n = 1, in = 1.5 }",
            "8: cases[1].in: values are a list of numbers, the name of a .txt file or a fill such as { kind = \
             \"sorted\", low = 0, high = 9 }",
        ),
        ("{ n = 33 }", "{ n = 1, in = { kind = \"sorted\", low = 0 } }", "8: in: missing field `high`"),
        (
            "{ n = 33 }",
            "{ n = 4, in = [1, 2, 3, 4] }, { n = 4, in = [1, 2, 3, 4] }",
            "8: cases[2]: the same sizes again, and values that look the same: give it a `name`",
        ),
        (
            "role = \"in\"\nfill",
            "role = \"in\"\nbegins = \"zero\"\nfill",
            "21: buffers[1].begins: only buffers that are not inputs begin as zero; inputs have `fill`",
        ),
        (
            "role = \"in\"\nfill",
            "role = \"in\"\ncompare = { order = \"any\" }\nfill",
            "21: buffers[1].compare: only outputs are compared",
        ),
        (
            "role = \"out\"",
            "role = \"out\"\ncompare = { first = \"n + 1\" }",
            "15: buffers[0].compare.first: \"n + 1\" is 5, more than 4 (case n = 4)",
        ),
        (
            "role = \"out\"",
            "role = \"out\"\ncompare = { first = \"out\" }",
            "15: buffers[0].compare.first: another output of whole numbers is needed, or a formula in the sizes \
             (case n = 4)",
        ),
        (
            "\"n: i32\"",
            "\"n: int\"",
            "27: \"int\" is not an argument type: use i8, u8, i32, u32, i64, u64, f32 or f64",
        ),
        ("at_most = 1\n", "", "29: requirements[0]: `at_most` or `at_least` is needed"),
        (
            "[\"ceil_div(n, 32)\"]",
            "[\"n +\"]",
            "25: formula \"n +\": ends where a number, a name or \"(\" should be",
        ),
    ] {
        assert_eq!(changed(old, new), [format!("{toml}:{wanted}")], "{new}");
    }
    let unknown = changed("kind = \"kernel\"", "kind = \"kernal\"");
    assert!(unknown[0].contains(":3: unknown variant `kernal`, expected one of `kernel`"), "{unknown:?}");
    let unknown = changed("minutes", "minuets");
    assert!(unknown[0].contains(":4: unknown field `minuets`, expected one of `order`"), "{unknown:?}");
    let unknown = changed("global_reads_per", "reads_per");
    assert!(
        unknown[0].contains(":30: requirements[0].counter: no such counter; there are: launches"),
        "{unknown:?}"
    );
}

#[test]
fn what_would_be_taken_without_a_word_is_refused() {
    for (old, new, line, wanted) in [
        ("\"Map\"", "\"Map\\nmore\"", 2, "title: one line of text is needed"),
        ("\"Map\"", "\"\\u001b[31mMap\"", 2, "title: one line of text is needed"),
        ("\"integers\", low = -9, high = 9", "\"iota\", low = 1", 21, "unknown field `low`"),
        (
            "\"i32\"\nshape = [\"n\"]\nrole = \"in\"\nfill = { kind = \"integers\", low = -9, high = 9",
            "\"f32\"\nshape = [\"n\"]\nrole = \"in\"\nfill = { kind = \"normal\", low = 1",
            21,
            "unknown field `low`",
        ),
        (
            "\"i32\"\nshape = [\"n\"]\nrole = \"in\"\nfill = { kind = \"integers\", low = -9, high = 9",
            "\"f32\"\nshape = [\"n\"]\nrole = \"in\"\nfill = { kind = \"uniform\", low = 0, high = 1e39",
            21,
            "holds at most 3.40",
        ),
        ("kind =", "model = \"zzz\"\nkind =", 3, "model: only with `calls`"),
        ("kind =", "devices = 2\nkind =", 3, "devices: only with `calls`"),
        ("kind =", "machines = [[\"t4\"]]\nkind =", 3, "machines: only with `calls`"),
        ("kind =", "compute_capability = \"99.9\"\nkind =", 3, "there are: 5.0, "),
        ("kind =", "compute_capability = \"8.05\"\nkind =", 3, "there are: 5.0, "),
        (
            "\n[[requirements]]",
            "\n[constants]\nin = 5\n\n[[requirements]]",
            30,
            "constants.in: a buffer has that name",
        ),
        ("\"ceil_div(n, 32)\"", "2147483647", 25, "launches[0].grid: 68719476704 threads in all"),
        ("{ n = 33 }", "{ n = 100000000 }", 25, "sizes for a GPU go in `[bench]`"),
    ] {
        let found = changed(old, new);
        let here = format!("lessons/1-a/map/lesson.toml:{line}: ");
        assert!(
            found.len() == 1 && found[0].starts_with(&here) && found[0].contains(wanted),
            "{new}: {found:?}"
        );
    }
    let mut files = sample();
    files[0].1 = "title = \"A\\tB\"\nabout = \"First.\"".into();
    let found = problems(files);
    assert!(
        found.len() == 1 && found[0].starts_with("lessons/1-a/part.toml:1: title: one line"),
        "{found:?}"
    );
}

#[test]
fn missing_stray_and_clashing_files_are_problems() {
    let mut files = sample();
    files[3].0 = "kernels/1-a/mop.cu";
    assert_eq!(
        problems(files),
        [
            "kernels/1-a/map.cu: this file is missing",
            "kernels/1-a/mop.cu: belongs to no lesson: there is no lessons/1-a/mop/lesson.toml",
        ]
    );
    let mut files = sample();
    let second = [
        ("lessons/1-a/zip/lesson.toml", LESSON.replace("\nkind =", "\nneeds = [\"gone\"]\nkind =")),
        ("lessons/1-a/zip/lesson.md", TEXT.into()),
        ("kernels/1-a/zip.cu", "".into()),
        ("solutions/1-a/zip.cu", "".into()),
    ];
    files.extend(second);
    assert_eq!(
        problems(files),
        [
            "lessons/1-a/zip/lesson.toml:1: order: 10 is also the order of \"map\"",
            "lessons/1-a/zip/lesson.toml:3: needs[0]: no lesson \"gone\" comes before this one",
        ]
    );
}

proptest::proptest! {
    /// Whatever lesson.toml contains, it is loaded or rejected with a message.
    #[test]
    fn no_text_panics(
        start in 0..LESSON.len(),
        len in 0..40usize,
        new in "(-?[0-9]{1,20}|[\\[\\]{}=\",.n]{0,8}|n \\* n|\"9999999 \\* n \\* n\"|1e999|nan)",
    ) {
        let end = (start + len).min(LESSON.len());
        let mut files = sample();
        files[1].1 = format!("{}{new}{}", &LESSON[..start], &LESSON[end..]);
        let _ = problems(files);
    }
}
