//! The bytes of a tensor map as a program stores it, in the simulator's own opaque format.

use super::{MAP_BYTES, MAX_RANK, TensorMap, TensorType};
use crate::matrix::Swizzle;

/// The first bytes of an encoded map, which no other data begins with by chance.
const MAGIC: u64 = 0x70a6_6d72_6f73_6e74;

impl TensorMap {
    /// Encodes the map.
    pub fn encode(&self) -> [u8; MAP_BYTES] {
        let mut bytes = [0; MAP_BYTES];
        let mut at = 0;
        let mut put = |value: u64, width: usize| {
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            at += width;
        };
        put(MAGIC, 8);
        put(self.address, 8);
        put(self.ty as u64, 1);
        put(self.rank as u64, 1);
        put(self.swizzle as u64, 1);
        put(self.nan.into(), 1);
        for n in 0..MAX_RANK {
            put(self.extents[n], 5);
            put(self.strides[n], 5);
            put(self.counts[n], 2);
            put(self.steps[n], 1);
        }
        let sum = check_sum(&bytes);
        bytes[MAP_BYTES - 8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Decodes a map; `None` for bytes that [`TensorMap::encode`] did not produce.
    pub fn decode(bytes: &[u8; MAP_BYTES]) -> Option<TensorMap> {
        let mut at = 0;
        let mut take = |width: usize| {
            let mut eight = [0; 8];
            eight[..width].copy_from_slice(&bytes[at..at + width]);
            at += width;
            u64::from_le_bytes(eight)
        };
        let magic = take(8);
        let mut map = TensorMap {
            address: take(8),
            ty: TensorType::numbered(take(1))?,
            rank: take(1) as usize,
            swizzle: *Swizzle::ALL.get(take(1) as usize)?,
            nan: take(1) != 0,
            extents: [0; MAX_RANK],
            strides: [0; MAX_RANK],
            counts: [0; MAX_RANK],
            steps: [0; MAX_RANK],
        };
        for n in 0..MAX_RANK {
            (map.extents[n], map.strides[n], map.counts[n], map.steps[n]) =
                (take(5), take(5), take(2), take(1));
        }
        let sum = check_sum(bytes).to_le_bytes();
        let whole = magic == MAGIC && bytes[MAP_BYTES - 8..] == sum && (1..=MAX_RANK).contains(&map.rank);
        whole.then_some(map)
    }
}

/// Returns the FNV-1a hash of all bytes but the checksum itself, by which changed maps are recognised.
fn check_sum(bytes: &[u8; MAP_BYTES]) -> u64 {
    let fold = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes[..MAP_BYTES - 8].iter().fold(0xcbf2_9ce4_8422_2325, fold)
}

#[cfg(test)]
mod tests {
    use super::super::TensorMapRequest;
    use super::super::tests::request;
    use super::*;

    #[test]
    fn an_encoded_map_comes_back_and_a_changed_one_does_not() {
        let map = TensorMap::new(&TensorMapRequest {
            rank: 5,
            extents: [1 << 32, 7, 8, 9, 10],
            strides: [(1 << 40) - 16, 32, 48, 64],
            box_extents: [32, 256, 1, 2, 3],
            steps: [1, 8, 1, 2, 3],
            swizzle: 3,
            fill: 1,
            ..request()
        })
        .unwrap();
        let bytes = map.encode();
        assert_eq!(TensorMap::decode(&bytes), Some(map));
        for n in 0..MAP_BYTES - 8 {
            let mut other = bytes;
            other[n] ^= 1;
            assert_eq!(TensorMap::decode(&other), None, "byte {n}");
        }
        assert_eq!(TensorMap::decode(&[0; MAP_BYTES]), None);
    }
}
