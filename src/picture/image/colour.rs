//! Maps levels to colours: viridis, whose brightness rises evenly, also for colour-blind readers and in print.

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Nine evenly spaced colours of matplotlib's viridis (Smith and van der Walt, 2015, CC0), between which colours
/// are interpolated.
const VIRIDIS: [Rgb; 9] = [
    [68, 1, 84],
    [71, 45, 123],
    [59, 82, 139],
    [44, 114, 142],
    [33, 145, 140],
    [40, 174, 128],
    [94, 201, 98],
    [173, 220, 48],
    [253, 231, 37],
];

/// Returns the colour of a level.
pub fn colour(level: u8) -> Rgb {
    let place = usize::from(level) * (VIRIDIS.len() - 1);
    let (before, behind) = (place / 255, place % 255);
    let (from, to) = (VIRIDIS[before], VIRIDIS[(before + 1).min(VIRIDIS.len() - 1)]);
    std::array::from_fn(|part| {
        let of = |colour: Rgb, share: usize| usize::from(colour[part]) * share;
        ((of(from, 255 - behind) + of(to, behind) + 127) / 255) as u8
    })
}

/// Returns the parameters that select the 24-bit colour in an ECMA-48 escape sequence, after 38 or 48.
pub fn direct(level: u8) -> String {
    let [red, green, blue] = colour(level);
    format!("2;{red};{green};{blue}")
}

/// Returns the parameters for the nearest colour in xterm's 256-colour palette: a cube of 6 × 6 × 6, and 24
/// greys.
pub fn indexed(level: u8) -> String {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let wanted = colour(level);
    let cube = |n: usize| [STEPS[n / 36], STEPS[n / 6 % 6], STEPS[n % 6]];
    let greys = (0..24).map(|n| [8 + 10 * n as u8; 3]);
    let all = (0..216).map(cube).chain(greys).zip(16..);
    let distance =
        |its: Rgb| its.iter().zip(wanted).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>();
    let nearest = all.min_by_key(|(its, _)| distance(*its)).map_or(16, |(_, n)| n);
    format!("5;{nearest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brightness_rises_with_the_level() {
        // Approximate relative luminance.
        let bright = |level| {
            let [red, green, blue] = colour(level).map(u32::from);
            2 * red + 7 * green + blue
        };
        assert!((1..=255).all(|level| bright(level - 1) <= bright(level)));
        assert_eq!((colour(0), colour(255)), (VIRIDIS[0], VIRIDIS[8]));
    }

    #[test]
    fn the_palette_has_the_nearest_colour() {
        assert_eq!([0, 128, 255].map(indexed), ["5;53", "5;30", "5;220"]);
    }
}
