//! CUDA arrays. The driver knows them by handles; for the rest of the program each stands at addresses at which no
//! memory is, one row of texels after the other, which are translated back here.

use super::DriverGpus;
use super::graphs::slice_rows;
use super::memory::{Block, Origin};
use super::work::{read_rows, write_rows};
use crate::device::{Copy, CudaError, DeviceId, Host, Result, Space};
use gpu::direct::{Array, BoxSide, Stream};
use sim::{Address, Image};
use std::collections::BTreeMap;

/// Where arrays stand: above all addresses of GPUs and of the host.
const FIRST_ADDRESS: u64 = 1 << 60;
/// Multiple at which each begins.
const ALIGN_BYTES: u64 = 512;

/// The live arrays by address.
#[derive(Debug)]
pub struct Arrays {
    live: BTreeMap<u64, (DeviceId, Image, Array)>,
    next: u64,
}

impl Default for Arrays {
    fn default() -> Arrays {
        Arrays { live: BTreeMap::new(), next: FIRST_ADDRESS }
    }
}

impl Arrays {
    /// Adds an array and returns its address.
    fn add(&mut self, device: DeviceId, image: &Image, array: Array) -> u64 {
        let address = self.next;
        self.next = (address + image.bytes()).next_multiple_of(ALIGN_BYTES);
        self.live.insert(address, (device, Image { address, ..*image }, array));
        address
    }

    /// Returns the array that begins at an address.
    pub fn at(&self, address: u64) -> Option<Array> {
        self.live.get(&address).map(|(_, _, array)| *array)
    }

    pub fn forget_device(&mut self, device: DeviceId) {
        self.live.retain(|_, (its, ..)| *its != device);
    }

    /// Returns the array that an address is in, and the byte of the row, the row and the slice that it stands for.
    fn place(&self, address: u64) -> Option<(Array, [u64; 3])> {
        let (_, (_, image, array)) = self.live.range(..=address).next_back()?;
        let offset = address.checked_sub(image.address).filter(|offset| *offset < image.bytes())?;
        let row = offset / image.pitch;
        Some((*array, [offset % image.pitch, row % image.extents[1], row / image.extents[1]]))
    }
}

impl DriverGpus {
    pub(super) fn make_array(&mut self, device: DeviceId, image: &Image, flags: u32) -> Result<Address> {
        let array = self.ask(|direct| direct.allocate_array(device, image, flags))?;
        let address = self.arrays.add(device, image, array);
        let (bytes, space) = (image.bytes(), Space::Device(device));
        self.blocks.insert(address, Block { bytes, space, origin: Origin::Array });
        Ok(Address(address))
    }

    /// Frees an array; its block is the caller's to remove.
    pub(super) fn free_array(&mut self, device: DeviceId, address: u64) -> Result<()> {
        let (_, _, array) = self.arrays.live.remove(&address).ok_or(CudaError::InvalidValue)?;
        self.release(|direct| direct.free_array(device, array))
    }

    /// Returns whether an address stands for an array.
    pub(super) fn is_array(&self, address: u64) -> bool {
        self.blocks.around(address).is_some_and(|block| block.origin == Origin::Array)
    }

    fn box_side(&self, address: u64, pitch: u64, slice: u64, copy: &Copy) -> Result<BoxSide> {
        if let Some((array, at)) = self.arrays.place(address) {
            return Ok(BoxSide::Array { array, at });
        }
        let rows =
            slice_rows(slice, pitch, copy.shape.height, copy.shape.depth).ok_or(CudaError::InvalidValue)?;
        Ok(BoxSide::Memory { address, pitch, rows })
    }

    /// Copies from or to an array.
    pub(super) fn copy_box(&mut self, copy: &Copy, stream: Stream, host: &mut dyn Host) -> Result<()> {
        let shape = copy.shape;
        let extents = [shape.width, shape.height, shape.depth];
        let dst = self.box_side(copy.dst.0, shape.dst_pitch, shape.dst_slice, copy)?;
        let src = self.box_side(copy.src.0, shape.src_pitch, shape.src_slice, copy)?;
        match (self.blocks.around(copy.dst.0), self.blocks.around(copy.src.0)) {
            (Some(to), Some(from)) => {
                self.ask(|direct| direct.copy_box(&dst, &src, extents, stream))?;
                let on_devices = [to, from].iter().all(|block| matches!(block.space, Space::Device(_)));
                if copy.blocking && !on_devices { self.reach(stream) } else { Ok(()) }
            }
            (Some(_), None) => {
                let bytes = read_rows(copy, host)?;
                self.reach(stream)?;
                self.ask(|direct| direct.copy_box_in(&dst, &bytes, extents, stream))
            }
            (None, Some(_)) => {
                self.reach(stream)?;
                let bytes = usize::try_from(shape.bytes()).map_err(|_| CudaError::InvalidValue)?;
                let mut bytes = vec![0; bytes];
                self.ask(|direct| direct.copy_box_out(&src, &mut bytes, extents, stream))?;
                write_rows(copy, &bytes, host)
            }
            (None, None) => Err(CudaError::InvalidValue.into()),
        }
    }
}
