use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn images(most: usize) -> impl Strategy<Value = Image> {
    let levels =
        |(rows, cols): (usize, usize)| vec(any::<u8>(), rows * cols).prop_map(move |its| (rows, cols, its));
    (1..most, 1..most)
        .prop_flat_map(levels)
        .prop_map(|(rows, cols, levels)| Image::new(rows, cols, levels).expect("as many as pixels"))
}

/// Splits off the number at the beginning of a text.
fn number(text: &str) -> (usize, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().unwrap(), &text[end..])
}

/// Returns the colour registers of the pixels that a blank terminal then shows.
fn of_sixels(text: &str) -> Vec<Vec<Option<usize>>> {
    let text = text.strip_prefix("\x1bP0;1q\"1;1;").unwrap().strip_suffix("\x1b\\").unwrap();
    let (cols, rest) = number(text);
    let (rows, mut rest) = number(&rest[1..]);
    let mut pixels = vec![vec![None; cols]; rows];
    let (mut top, mut col, mut register) = (0, 0, 0);
    while let Some(first) = rest.chars().next() {
        rest = &rest[1..];
        let mut times = 1;
        let mut glyph = first;
        match first {
            '#' => {
                (register, rest) = number(rest);
                if let Some(defined) = rest.strip_prefix(";2;") {
                    let (red, after) = number(defined);
                    let (green, after) = number(&after[1..]);
                    let (blue, after) = number(&after[1..]);
                    let wanted = colour::colour(u8::try_from(register).unwrap());
                    for (part, wanted) in [red, green, blue].into_iter().zip(wanted) {
                        assert!((part as f64 - f64::from(wanted) / 2.55).abs() <= 0.5);
                    }
                    rest = after;
                }
                continue;
            }
            '$' => col = 0,
            '-' => (top, col) = (top + 6, 0),
            '!' => {
                (times, rest) = number(rest);
                glyph = rest.chars().next().unwrap();
                rest = &rest[1..];
            }
            _ => {}
        }
        if ('?'..='~').contains(&glyph) {
            for _ in 0..times {
                for bit in (0..6).filter(|bit| (glyph as u32 - '?' as u32) >> bit & 1 != 0) {
                    assert_eq!(pixels[top + bit][col].replace(register), None, "drawn once");
                }
                col += 1;
            }
        }
    }
    pixels
}

/// Returns width, height and pixel bytes of data sent to kitty.
fn of_kitty(text: &str) -> (usize, usize, Vec<u8>) {
    let mut data = String::new();
    let mut extents = (0, 0);
    let sequences: Vec<&str> = text.split_terminator("\x1b\\").collect();
    for (n, sequence) in sequences.iter().enumerate() {
        let (keys, chunk) = sequence.strip_prefix("\x1b_G").unwrap().split_once(';').unwrap();
        assert!(chunk.len() <= 4096 && chunk.len() % 4 == 0);
        for (key, value) in keys.split(',').filter_map(|pair| pair.split_once('=')) {
            match key {
                "s" => extents.0 = value.parse().unwrap(),
                "v" => extents.1 = value.parse().unwrap(),
                "f" => assert_eq!(value, "24"),
                "m" => assert_eq!(value == "0", n + 1 == sequences.len()),
                _ => {}
            }
        }
        data += chunk;
    }
    let digit = |c: char| match c {
        'A'..='Z' => c as u32 - 'A' as u32,
        'a'..='z' => c as u32 - 'a' as u32 + 26,
        '0'..='9' => c as u32 - '0' as u32 + 52,
        '+' => 62,
        '/' => 63,
        other => panic!("{other}"),
    };
    let digits: Vec<u32> = data.trim_end_matches('=').chars().map(digit).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let bits = (0..4).fold(0, |bits, n| bits << 6 | four.get(n).copied().unwrap_or(0));
        (1..four.len()).map(move |n| (bits >> (24 - 8 * n)) as u8)
    });
    (extents.0, extents.1, bytes.collect())
}

proptest! {
    #[test]
    fn sixels_are_the_pixels(image in images(40)) {
        let pixels = of_sixels(&sixel::sixel(&image));
        prop_assert_eq!(pixels.len(), image.rows);
        for (row, drawn) in pixels.iter().enumerate() {
            let wanted: Vec<_> = image.row(row).iter().map(|level| Some(usize::from(*level))).collect();
            prop_assert_eq!(drawn, &wanted);
        }
    }

    #[test]
    fn what_kitty_is_sent_is_the_pixels(image in images(60)) {
        let (cols, rows, bytes) = of_kitty(&kitty::kitty(&image, 10));
        let wanted: Vec<u8> = image.levels.iter().flat_map(|level| colour::colour(*level)).collect();
        prop_assert_eq!((cols, rows, bytes), (image.cols, image.rows, wanted));
    }

    #[test]
    fn text_keeps_to_its_room(image in images(90), columns in 1usize..50, lines in 1usize..20) {
        for form in [ImageForm::Ascii, ImageForm::Shades, ImageForm::Palette, ImageForm::TrueColour] {
            let text = image.in_terminal(form, columns, lines);
            prop_assert!(text.lines().count() <= lines, "{text}");
            let wide = |line: &str| line.split('\x1b').map(|piece| match piece.split_once('m') {
                Some((sequence, drawn)) if sequence.starts_with('[') => drawn.chars().count(),
                _ => piece.chars().count(),
            }).sum::<usize>();
            prop_assert!(text.lines().all(|line| wide(line) <= columns), "{text}");
        }
    }

    #[test]
    fn averages_are_between_what_they_are_of(image in images(50), rows in 1usize..30, cols in 1usize..30) {
        let few = image.averaged(rows.min(image.rows), cols.min(image.cols));
        let range = *image.levels.iter().min().unwrap()..=*image.levels.iter().max().unwrap();
        prop_assert!(few.levels.iter().all(|level| range.contains(level)));
        prop_assert_eq!(few.levels.len(), few.rows * few.cols);
    }
}

fn levels(rows: usize, cols: usize, levels: &[u8]) -> Image {
    Image::new(rows, cols, levels.to_vec()).unwrap()
}

#[test]
fn an_image_has_a_level_for_each_pixel() {
    assert_eq!(Image::new(2, 2, vec![0; 3]), None);
    assert_eq!(Image::new(0, 0, Vec::new()), None);
    assert_eq!(Image::new(usize::MAX, 2, vec![0; 3]), None);
}

#[test]
fn fewer_pixels_are_averages() {
    assert_eq!(levels(2, 2, &[0, 100, 200, 100]).averaged(1, 1).levels, [100]);
    assert_eq!(levels(1, 3, &[0, 90, 240]).averaged(1, 2).levels, [30, 190]);
}

#[test]
fn pixels_stay_square_where_they_become_fewer() {
    assert_eq!(levels(48, 96, &[0; 48 * 96]).shrunk_extents(60, 80), (40, 80));
    assert_eq!(levels(48, 96, &[0; 48 * 96]).shrunk_extents(24, 80), (24, 48));
    assert_eq!(levels(1, 96, &[0; 96]).shrunk_extents(60, 40), (1, 40));
}

#[test]
fn pixels_become_squares_where_there_is_room() {
    let enlarged = levels(2, 1, &[7, 9]).enlarged(1, 3);
    assert_eq!((enlarged.rows, enlarged.cols), (16, 8));
    assert_eq!(enlarged.levels, [[7; 64], [9; 64]].concat());
    let few = levels(1, 1000, &[7; 1000]).enlarged(80, 30);
    assert_eq!((few.rows, few.cols), (1, 512));
}

#[test]
fn two_levels_are_blocks_or_dots() {
    let image = levels(3, 4, &[255, 0, 255, 0, 255, 0, 0, 255, 0, 255, 0, 0]);
    assert_eq!(image.in_terminal(ImageForm::Shades, 4, 9), "█ ▀▄\n ▀\n");
    assert_eq!(image.in_terminal(ImageForm::Shades, 2, 1), "⠣⠑\n");
    assert_eq!(image.in_terminal(ImageForm::Palette, 2, 1), "⠣⠑\n");
}

#[test]
fn colours_are_the_upper_and_the_lower_pixel() {
    let image = levels(3, 2, &[0, 0, 255, 255, 255, 0]);
    assert_eq!(
        image.in_terminal(ImageForm::Palette, 9, 9),
        "\x1b[38;5;53;48;5;220m▀▀\x1b[0m\n\x1b[38;5;220;49m▀\x1b[38;5;53;49m▀\x1b[0m\n"
    );
    let true_colour = levels(1, 1, &[255]).in_terminal(ImageForm::TrueColour, 9, 9);
    assert_eq!(true_colour, "\x1b[38;2;253;231;37;49m▀\x1b[0m\n");
}

#[test]
fn a_page_has_runs_of_one_colour() {
    let svg = levels(2, 3, &[0, 255, 255, 0, 0, 0]).svg("i", "a<b");
    assert!(svg.contains("<title id=\"i-title\">a&lt;b</title>"), "{svg}");
    assert!(svg.contains(
        "<rect fill=\"#440154\" width=\"3\" height=\"2\"/>\n<path fill=\"#fde725\" d=\"M1 0h2v1h-2z\"/>"
    ));
}
