//! Texture fetches, and reads and writes of surfaces.
//!
//! The lanes' texels are accessed like any other memory, one texel of each lane at a time, so that all checks apply.
//! What the same kernel wrote must not be read: the texture cache is not kept coherent with it (CUDA C++ programming
//! guide, "Read/Write Coherency").

use super::fault::{self, kind_of};
use super::findings::{Side, SideAddress};
use super::issue::Issue;
use super::launch::LaunchContext;
use super::observer::Observer;
use crate::code::{ImagePlace, Inst, TextureFetch};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::image::{Boundary, Image, ImageMemory, ImageMisuse, Sampling, Taps, filtered, values};
use crate::lanes::{File, LANES, Lanes32, Lanes64, lanes_of};
use crate::memory::access::SINK;
use crate::memory::bytes::ByteSet;
use crate::memory::global::POISON_WORD;

/// Most texels that one fetch reads.
const MAX_TAPS: usize = 8;

/// An access to an image by some lanes of a warp.
struct ImageAccess<'c, 'i, 'w, O> {
    issue: &'c mut Issue<'i, 'w, O>,
    kind: AccessKind,
    place: &'w ImagePlace,
    image: Image,
}

impl<O: Observer> Issue<'_, '_, O> {
    /// Fetches texels for the lanes of `mask`.
    #[inline(never)]
    pub fn fetch_texture(&mut self, inst: &Inst, mask: u32) {
        let launch = self.launch();
        let fetch = &launch.code.details.textures[inst.detail as usize];
        for (handle, lanes) in by_object(self.warp.registers.r64(fetch.place.object), mask) {
            match texture(launch, handle, fetch) {
                Ok((image, sampling)) => {
                    let mut access =
                        ImageAccess { issue: self, kind: AccessKind::Read, place: &fetch.place, image };
                    access.fetch(fetch, &sampling, lanes);
                }
                Err(misuse) => {
                    self.misused(misuse, AccessKind::Read, lanes);
                    self.warp.registers.set_mask(lanes);
                    for register in fetch.channels.into_iter().filter(|register| *register != SINK) {
                        self.warp.registers.set32(register, &[POISON_WORD; LANES]);
                    }
                }
            }
        }
    }

    /// Reads or writes a surface for the lanes of `mask`.
    #[inline(never)]
    pub fn access_surface(&mut self, inst: &Inst, mask: u32) {
        let launch = self.launch();
        let surface = &launch.code.details.surfaces[inst.detail as usize];
        let op = &launch.code.details.memory[surface.access as usize];
        let kind = kind_of(&op.action);
        for (handle, lanes) in by_object(self.warp.registers.r64(surface.place.object), mask) {
            match surface_of(launch, handle, &surface.place) {
                Ok(image) => {
                    let mut access = ImageAccess { issue: self, kind, place: &surface.place, image };
                    access.surface((surface.boundary, surface.access), lanes);
                }
                Err(misuse) => {
                    self.misused(misuse, kind, lanes);
                    self.warp.registers.set_mask(lanes);
                    fault::poison(op, self.warp);
                }
            }
        }
    }

    fn misused(&mut self, misuse: ImageMisuse, kind: AccessKind, lanes: u32) {
        for lane in lanes_of(lanes) {
            let at = self.access_side(lane, kind, 0, SideAddress::Nowhere);
            self.worker.findings.add(FindingKind::TextureObject, at, None, || [Evidence::Image(misuse)]);
        }
    }
}

/// Returns the handles that the lanes of `mask` give, and for each its lanes.
fn by_object(handles: &Lanes64, mask: u32) -> Vec<(u64, u32)> {
    let mut found: Vec<(u64, u32)> = Vec::new();
    for lane in lanes_of(mask) {
        match found.iter_mut().find(|(handle, _)| *handle == handles[lane]) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => found.push((handles[lane], 1 << lane)),
        }
    }
    found
}

/// Returns the image of a handle, and how it is sampled; `None` for surfaces.
fn object(launch: &LaunchContext, handle: u64) -> Result<(Image, Option<Sampling>), ImageMisuse> {
    let object = launch.images.get(handle).ok_or(ImageMisuse::NoObject)?;
    if launch.destroyed_images.contains(&handle) {
        return Err(ImageMisuse::Destroyed);
    }
    Ok((object.image, object.sampling))
}

fn texture(
    launch: &LaunchContext,
    handle: u64,
    fetch: &TextureFetch,
) -> Result<(Image, Sampling), ImageMisuse> {
    let (image, sampling) = object(launch, handle)?;
    let sampling = sampling.ok_or(ImageMisuse::IsSurface)?;
    let is_linear = image.memory == ImageMemory::Linear;
    let (access, channels) = (fetch.place.shape, image.format.channels);
    let returns_floats = sampling.returns_floats(image.format);
    let last = fetch.channels.iter().rposition(|register| *register != SINK);
    match () {
        () if fetch.by_index && !is_linear => Err(ImageMisuse::NotLinear),
        () if !fetch.by_index && is_linear => Err(ImageMisuse::IsLinear),
        () if access != image.shape => Err(ImageMisuse::Shape { access, image: image.shape }),
        () if fetch.floats && !returns_floats => Err(ImageMisuse::ReadsFloats),
        () if !fetch.floats && returns_floats => Err(ImageMisuse::ReadsIntegers),
        () => match last.map(|read| read as u8).filter(|read| *read >= channels) {
            Some(read) => Err(ImageMisuse::Channel { read, channels }),
            None => Ok((image, sampling)),
        },
    }
}

fn surface_of(launch: &LaunchContext, handle: u64, place: &ImagePlace) -> Result<Image, ImageMisuse> {
    let (image, sampling) = object(launch, handle)?;
    match sampling {
        Some(_) => Err(ImageMisuse::IsTexture),
        None if image.shape != place.shape => {
            Err(ImageMisuse::Shape { access: place.shape, image: image.shape })
        }
        None => Ok(image),
    }
}

/// What a fetch has read so far.
struct Fetched {
    taps: [Taps; LANES],
    /// For each lane and tap, the bits of the channels.
    values: [[[u32; 4]; MAX_TAPS]; LANES],
    /// For each lane and channel, where a value was read that nobody gave.
    unset: Vec<(usize, usize, Side)>,
}

impl<O: Observer> ImageAccess<'_, '_, '_, O> {
    fn fetch(&mut self, fetch: &TextureFetch, sampling: &Sampling, lanes: u32) {
        let to_floats = fetch.floats;
        let (taps, inside) = self.taps(fetch, sampling, lanes);
        let mut fetched = Fetched { taps, values: [[[0; 4]; MAX_TAPS]; LANES], unset: Vec::new() };
        let bytes = self.image.format.bytes();
        let load = fetch.loads[bytes.trailing_zeros() as usize % fetch.loads.len()];
        for n in 0..MAX_TAPS {
            let (mut reading, mut addresses) = (0, [0; LANES]);
            for lane in lanes_of(inside) {
                match fetched.taps[lane].get(n) {
                    Some((Some(texel), _)) => {
                        reading |= 1 << lane;
                        addresses[lane] = self.image.address_of(texel);
                    }
                    Some((None, _)) => fetched.values[lane][n] = sampling.border.map(f32::to_bits),
                    None => {}
                }
            }
            if reading == 0 {
                continue;
            }
            self.check_coherent(&addresses, bytes, reading);
            let warp = &mut *self.issue.warp;
            warp.registers.set_mask(reading);
            warp.registers.set64(self.place.at, &addresses);
            for word in fetch.words..fetch.words + 4 {
                warp.define(File::R32, word, reading);
            }
            self.issue.access_lanes(load, reading);
            let registers = &self.issue.warp.registers;
            let words: [Lanes32; 4] = std::array::from_fn(|n| *registers.r32(fetch.words + n as u32));
            for lane in lanes_of(reading) {
                let texel = words.map(|word| word[lane]);
                fetched.values[lane][n] = values(self.image.format, to_floats, texel);
            }
            if self.issue.warp.undefined.any {
                self.note_unset(fetch, reading, &mut fetched.unset);
            }
        }
        self.deliver(fetch, &fetched, lanes);
    }

    /// Returns the texels that each lane reads, and the lanes that read any: not those outside of linear memory or of
    /// the layers, which are reported and get zeros.
    fn taps(&mut self, fetch: &TextureFetch, sampling: &Sampling, lanes: u32) -> ([Taps; LANES], u32) {
        let mut taps = [Taps::one([0; 3]); LANES];
        let mut inside = 0;
        let [width, _, layers] = self.image.extents;
        for lane in lanes_of(lanes) {
            let registers = &self.issue.warp.registers;
            let value = |register: u32| registers.r32(register)[lane];
            let layer = self.place.layer.map_or(0, |layer| i64::from(value(layer) as i32));
            let x = i64::from(if fetch.by_index { value(self.place.coordinates[0]) as i32 } else { 0 });
            if !(0..width as i64).contains(&x) || !(0..layers as i64).contains(&layer) {
                self.outside(lane, self.image.format.bytes() as u32, [x, 0, layer], false);
                continue;
            }
            inside |= 1 << lane;
            taps[lane] = if fetch.by_index {
                Taps::one([x as u64, 0, 0])
            } else {
                let mut coordinates = [0.0; 3];
                for (n, coordinate) in coordinates.iter_mut().take(self.image.shape.dimensions()).enumerate()
                {
                    *coordinate = f32::from_bits(value(self.place.coordinates[n]));
                }
                Taps::of(&self.image, sampling, coordinates, layer as u64)
            };
        }
        (taps, inside)
    }

    /// Notes the channels of the texels just loaded that have no value.
    fn note_unset(&self, fetch: &TextureFetch, lanes: u32, unset: &mut Vec<(usize, usize, Side)>) {
        let warp = &*self.issue.warp;
        let format = self.image.format;
        let bits = u32::from(format.channel_bytes) * 8;
        let mask = u64::from(u32::MAX >> (32 - bits));
        for channel in 0..usize::from(format.channels) {
            let at = channel as u32 * bits;
            let Some(its) = warp.undefined.of(&warp.registers, File::R32, fetch.words + at / 32) else {
                continue;
            };
            for lane in lanes_of(lanes).filter(|&lane| its.bits[lane] >> (at % 32) & mask != 0) {
                unset.extend(its.read[lane].map(|read| (lane, channel, read)));
            }
        }
    }

    /// Writes the results of a fetch.
    fn deliver(&mut self, fetch: &TextureFetch, fetched: &Fetched, lanes: u32) {
        let warp = &mut *self.issue.warp;
        warp.registers.set_mask(lanes);
        for (channel, register) in fetch.channels.into_iter().enumerate().filter(|(_, its)| *its != SINK) {
            let result = std::array::from_fn(|lane| {
                let taps = &fetched.taps[lane];
                let each = (0..).map_while(|n| taps.get(n)).enumerate();
                filtered(each.map(|(n, (_, weight))| (fetched.values[lane][n][channel], weight)))
            });
            warp.registers.set32(register, &result);
            let key = (File::R32, warp.registers.slot(File::R32, register));
            for &(lane, _, read) in fetched.unset.iter().filter(|(_, its, _)| *its == channel) {
                warp.undefined.mark_undefined(key, lane, u32::MAX.into(), read);
            }
        }
    }

    fn surface(&mut self, (boundary, access): (Boundary, u32), lanes: u32) {
        let op = &self.issue.launch().code.details.memory[access as usize];
        let bytes = u64::from(op.width());
        let [width, height, depth] = self.image.extents;
        let extents = [width * self.image.format.bytes(), height, depth];
        let (mut inside, mut zeros, mut refused) = (0, 0, 0);
        let mut addresses = [0; LANES];
        for lane in lanes_of(lanes) {
            let place = self.coordinates(lane);
            let most: [i64; 3] = std::array::from_fn(|n| {
                let needs = if n == 0 { bytes } else { 1 };
                extents[n] as i64 - needs as i64
            });
            let is_outside = place.iter().zip(most).any(|(at, most)| *at < 0 || *at > most);
            match boundary {
                Boundary::Trap if is_outside => {
                    refused |= 1 << lane;
                    self.outside(lane, op.width(), place, true);
                }
                Boundary::Zero if is_outside => zeros |= 1 << lane,
                _ => {
                    inside |= 1 << lane;
                    let [x, y, z] = std::array::from_fn(|n| place[n].clamp(0, most[n].max(0)) as u64);
                    addresses[lane] = self.image.address_of([0, y, z]) + x;
                }
            }
        }
        if self.kind == AccessKind::Read {
            self.check_coherent(&addresses, bytes, inside);
        }
        let warp = &mut *self.issue.warp;
        if self.kind == AccessKind::Read {
            warp.registers.set_mask(zeros);
            for &register in op.registers[..op.elements as usize].iter().filter(|its| **its != SINK) {
                match op.file {
                    File::R64 => warp.registers.set64(register, &[0; LANES]),
                    _ => warp.registers.set32(register, &[0; LANES]),
                }
            }
        }
        warp.registers.set_mask(refused);
        fault::poison(op, warp);
        if inside != 0 {
            warp.registers.set_mask(inside);
            warp.registers.set64(self.place.at, &addresses);
            self.issue.access_lanes(access, inside);
        }
    }

    /// Returns the place in the surface that a lane accesses: byte of the row, row, and slice or layer.
    fn coordinates(&self, lane: usize) -> [i64; 3] {
        let value = |register: u32| i64::from(self.issue.warp.registers.r32(register)[lane] as i32);
        let mut place = [0; 3];
        for (n, at) in place.iter_mut().take(self.image.shape.dimensions()).enumerate() {
            *at = value(self.place.coordinates[n]);
        }
        if let Some(layer) = self.place.layer {
            place[2] = value(layer);
        }
        place
    }

    /// Reports that a lane accesses a place outside of the image.
    fn outside(&mut self, lane: usize, bytes: u32, at: [i64; 3], in_bytes: bool) {
        let Image { mut extents, shape, format, .. } = self.image;
        if in_bytes {
            extents[0] *= format.bytes();
        }
        let outside = Evidence::OutsideImage { at, extents, in_bytes, shape };
        let side = self.issue.access_side(lane, self.kind, bytes, SideAddress::Nowhere);
        self.issue.worker.findings.add(FindingKind::OutOfBounds, side, None, || [outside]);
    }

    /// Reports the lanes that read, by way of the texture cache, what this launch wrote.
    fn check_coherent(&mut self, addresses: &Lanes64, bytes: u64, lanes: u32) {
        let worker = &*self.issue.worker;
        let Some(n) = worker.launch.memory.find(self.image.address) else { return };
        let (base, touched) = (worker.launch.memory.buffers[n].base, &worker.log.buffers[n]);
        let exact = touched.exact.iter().flat_map(|exact| [&exact.write, &exact.atomic]);
        let written: Vec<&ByteSet> =
            touched.written.iter().chain(exact).filter(|set| !set.is_empty()).collect();
        let stretches = &touched.written_stretches;
        if !worker.checks || written.is_empty() && stretches.is_empty() {
            return;
        }
        let is_written = |at: u64| {
            stretches.intersects_range(at..at + bytes)
                || written.iter().any(|set| set.first_in(at..at + bytes).is_some())
        };
        let is_stale = |lane: &usize| addresses[*lane].checked_sub(base).is_some_and(is_written);
        for lane in lanes_of(lanes).filter(is_stale).collect::<Vec<usize>>() {
            let place = SideAddress::Device(addresses[lane]);
            let side = self.issue.access_side(lane, self.kind, self.image.format.bytes() as u32, place);
            self.issue.worker.findings.add(FindingKind::StaleTexture, side, None, Vec::new);
        }
    }
}
