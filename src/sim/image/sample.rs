//! Which texels a texture fetch reads, and the value that it makes of them (CUDA C++ programming guide, "Texture
//! Fetching").
//!
//! Modelled, since the guide leaves it open: a weight of linear filtering is rounded to the nearest of its 8
//! fractional bits, the weighted sum is rounded once, and normalised coordinates are multiplied in single precision.

use super::{AddressMode, ChannelKind, Image, Sampling, TexelFormat};
use crate::arith::convert_half::half_to_f64;
use crate::arith::half::F16;

/// The fractional bits of a weight, as a factor.
const WEIGHT_ONE: f64 = 256.0;

/// A texel that a fetch reads, or its border if `None`, and the weight of its value.
type Tap = (Option<[u64; 3]>, f64);

/// The texels that a fetch reads, with their weights, which are more than 0 and add up to 1: 2 in each dimension, or
/// only the nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taps {
    taps: [Tap; 8],
    count: usize,
}

impl Taps {
    /// Creates the taps of one texel.
    pub fn one(texel: [u64; 3]) -> Taps {
        Taps { taps: [(Some(texel), 1.0); 8], count: 1 }
    }

    /// Creates the taps for coordinates, of which the image's dimensions count. `layer` counts from 0.
    pub fn of(image: &Image, sampling: &Sampling, coordinates: [f32; 3], layer: u64) -> Taps {
        let mut made = Taps { taps: [(Some([0, 0, layer]), 1.0); 8], count: 1 };
        for dimension in 0..image.shape.dimensions() {
            let ways = axis(coordinates[dimension], image.extents[dimension], dimension, sampling);
            let mut next = Taps { count: 0, ..made };
            for (at, weight) in ways.into_iter().filter(|(_, weight)| *weight > 0.0) {
                for (texel, its) in made.taps.iter().take(made.count) {
                    let texel = texel.zip(at).map(|(mut texel, at)| {
                        texel[dimension] = at;
                        texel
                    });
                    next.taps[next.count] = (texel, its * weight);
                    next.count += 1;
                }
            }
            made = next;
        }
        made
    }

    pub fn get(&self, n: usize) -> Option<Tap> {
        self.taps.get(..self.count)?.get(n).copied()
    }
}

/// Returns the texels of one dimension of `size` texels that a coordinate stands for, with their weights.
fn axis(x: f32, size: u64, dimension: usize, sampling: &Sampling) -> [(Option<u64>, f64); 2] {
    let mode = match sampling.address_modes[dimension] {
        AddressMode::Wrap | AddressMode::Mirror if !sampling.normalised_coordinates => AddressMode::Clamp,
        mode => mode,
    };
    let x = match mode {
        AddressMode::Wrap => x - x.floor(),
        AddressMode::Mirror if x.floor().rem_euclid(2.0) == 1.0 => 1.0 - (x - x.floor()),
        AddressMode::Mirror => x - x.floor(),
        AddressMode::Clamp | AddressMode::Border => x,
    };
    let x = f64::from(if sampling.normalised_coordinates { x * size as f32 } else { x });
    let last = size.saturating_sub(1) as i64;
    let place = |at: i64| match mode {
        AddressMode::Wrap => Some(at.rem_euclid(last + 1) as u64),
        AddressMode::Border if !(0..=last).contains(&at) => None,
        _ => Some(at.clamp(0, last) as u64),
    };
    if !sampling.linear {
        return [(place(x.floor() as i64), 1.0), (None, 0.0)];
    }
    let x = x - 0.5;
    let weight = ((x - x.floor()) * WEIGHT_ONE).round() / WEIGHT_ONE;
    let weight = if weight.is_nan() { 0.0 } else { weight };
    let first = x.floor() as i64;
    [(place(first), 1.0 - weight), (place(first.saturating_add(1)), weight)]
}

/// Returns the channels of a texel, given as the words of its memory: floats by their bits, or integers. Channels that
/// the texel does not have are zero.
pub fn values(format: TexelFormat, to_floats: bool, words: [u32; 4]) -> [u32; 4] {
    let bits = u32::from(format.channel_bytes) * 8;
    std::array::from_fn(|channel| {
        if channel >= usize::from(format.channels) {
            return 0;
        }
        let at = channel as u32 * bits;
        let raw = words[at as usize / 32] >> (at % 32) << (32 - bits);
        let (unsigned, signed) = (raw >> (32 - bits), raw as i32 >> (32 - bits));
        let most = (1u32 << (bits - 1)) - 1;
        match format.kind {
            ChannelKind::Float if bits == 16 => (half_to_f64(F16(unsigned as u16), false) as f32).to_bits(),
            ChannelKind::Float => unsigned,
            ChannelKind::Unsigned if to_floats => (unsigned as f32 / (2 * most + 1) as f32).to_bits(),
            ChannelKind::Signed if to_floats => (signed as f32 / most as f32).max(-1.0).to_bits(),
            ChannelKind::Unsigned => unsigned,
            ChannelKind::Signed => signed as u32,
        }
    })
}

/// Returns the value of a channel from those of the taps, by their bits, with their weights.
pub fn filtered(taps: impl Iterator<Item = (u32, f64)>) -> u32 {
    let mut sum = 0.0;
    for (bits, weight) in taps {
        // A single texel is returned as it is.
        if weight == 1.0 {
            return bits;
        }
        sum += weight * f64::from(f32::from_bits(bits));
    }
    (sum as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::super::ImageShape;
    use super::*;

    const FLOATS: TexelFormat = TexelFormat { kind: ChannelKind::Float, channel_bytes: 4, channels: 1 };

    fn sampling(mode: AddressMode, linear: bool, normalised_coordinates: bool) -> Sampling {
        let address_modes = [mode; 3];
        Sampling { address_modes, linear, normalised_coordinates, normalised_values: false, border: [0.0; 4] }
    }

    /// The texels and weights, in 256ths, of a row of 4 texels.
    fn row(mode: AddressMode, linear: bool, normalised: bool, x: f32) -> Vec<(Option<u64>, u32)> {
        let image = Image::of_array(ImageShape::OneD, FLOATS, 0, [4, 1, 1]);
        let taps = Taps::of(&image, &sampling(mode, linear, normalised), [x, 0.0, 0.0], 0);
        (0..)
            .map_while(|n| taps.get(n))
            .map(|(at, weight)| (at.map(|at| at[0]), (weight * 256.0) as u32))
            .collect()
    }

    #[test]
    fn the_nearest_texel_is_that_around_the_coordinate() {
        use AddressMode::*;
        let nearest = |mode, normalised, x| row(mode, false, normalised, x)[0].0;
        assert_eq!([0.0, 0.99, 1.0, 3.5].map(|x| nearest(Clamp, false, x)), [0, 0, 1, 3].map(Some));
        assert_eq!([-2.0, 4.0, 1e9].map(|x| nearest(Clamp, false, x)), [0, 3, 3].map(Some));
        assert_eq!([-0.1, 4.0, 3.9].map(|x| nearest(Border, false, x)), [None, None, Some(3)]);
        // Wrap and mirror need normalised coordinates.
        assert_eq!(nearest(Wrap, false, 5.0), Some(3));
        let at = [-0.2, 0.1, 1.1, 2.3];
        assert_eq!(at.map(|x| nearest(Wrap, true, x)), [3, 0, 0, 1].map(Some));
        assert_eq!(at.map(|x| nearest(Mirror, true, x)), [0, 0, 3, 1].map(Some));
        assert_eq!(nearest(Clamp, true, 1.0), Some(3));
    }

    #[test]
    fn linear_filtering_weighs_the_neighbours_by_256ths() {
        use AddressMode::*;
        assert_eq!(row(Clamp, true, false, 1.5), [(Some(1), 256)]);
        assert_eq!(row(Clamp, true, false, 1.75), [(Some(1), 192), (Some(2), 64)]);
        assert_eq!(row(Clamp, true, false, 1.5 + 1.0 / 1024.0), [(Some(1), 256)]);
        assert_eq!(row(Clamp, true, false, 0.0), [(Some(0), 128), (Some(0), 128)]);
        assert_eq!(row(Border, true, false, 4.0), [(Some(3), 128), (None, 128)]);
        assert_eq!(row(Wrap, true, true, 0.0), [(Some(3), 128), (Some(0), 128)]);
        assert_eq!(row(Mirror, true, true, 1.0), [(Some(3), 128), (Some(3), 128)]);
        assert_eq!(row(Clamp, true, false, f32::NAN).len(), 1);
    }

    #[test]
    fn a_box_has_eight_texels_and_a_layer_is_not_filtered() {
        let sampling = sampling(AddressMode::Clamp, true, false);
        let image = Image::of_array(ImageShape::ThreeD, FLOATS, 0, [4, 4, 4]);
        let taps = Taps::of(&image, &sampling, [1.0, 2.0, 3.0], 0);
        let all: Vec<_> = (0..).map_while(|n| taps.get(n)).collect();
        assert_eq!(all.len(), 8);
        assert!(all.iter().all(|(_, weight)| *weight == 0.125));
        assert_eq!((all[0].0, all[7].0), (Some([0, 1, 2]), Some([1, 2, 3])));
        let image = Image::of_array(ImageShape::LayeredOneD, FLOATS, 0, [4, 1, 8]);
        let taps = Taps::of(&image, &sampling, [1.0, 0.0, 0.0], 5);
        assert_eq!([0, 1].map(|n| taps.get(n).unwrap().0), [Some([0, 0, 5]), Some([1, 0, 5])]);
        assert_eq!(image.address_of([1, 0, 5]), 84);
    }

    #[test]
    fn channels_become_numbers() {
        let format = |kind, channel_bytes, channels| TexelFormat { kind, channel_bytes, channels };
        let floats =
            |format, words: [u32; 2]| values(format, true, [words[0], words[1], 0, 0]).map(f32::from_bits);
        let bytes = format(ChannelKind::Unsigned, 1, 4);
        assert_eq!(values(bytes, false, [0xff02_0180, 0, 0, 0]), [128, 1, 2, 255]);
        assert_eq!(floats(bytes, [0xff00_0033, 0]), [0.2, 0.0, 0.0, 1.0]);
        let bytes = format(ChannelKind::Signed, 1, 2);
        assert_eq!(values(bytes, false, [0x7f80, 0, 0, 0]), [-128i32 as u32, 127, 0, 0]);
        assert_eq!(floats(bytes, [0x7f80, 0]), [-1.0, 1.0, 0.0, 0.0]);
        let shorts = format(ChannelKind::Unsigned, 2, 4);
        assert_eq!(floats(shorts, [0xffff_0000, 0x0000_ffff]), [0.0, 1.0, 1.0, 0.0]);
        let halves = format(ChannelKind::Float, 2, 2);
        assert_eq!(floats(halves, [0xc000_3c00, 0]), [1.0, -2.0, 0.0, 0.0]);
        assert_eq!(values(FLOATS, true, [1, 2, 3, 4]), [1, 0, 0, 0]);
        let mean = [(2.0f32, 0.25), (6.0, 0.75)].map(|(value, weight)| (value.to_bits(), weight));
        assert_eq!(f32::from_bits(filtered(mean.into_iter())), 5.0);
        assert_eq!(filtered([(7, 1.0)].into_iter()), 7);
    }
}
