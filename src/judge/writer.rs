//! Determines which thread should have written an element.

use super::verdict::ThreadPosition;
use crate::course::Writer;
use sim::{Dim3, LaunchConfig};

/// Returns the thread that should write element `linear` (row-major) of an output of that shape; `None` if the
/// lesson leaves it open or the grid does not reach the element.
pub fn place_of(
    linear: usize,
    shape: &[usize],
    writer: Writer,
    config: &LaunchConfig,
) -> Option<ThreadPosition> {
    let linear = linear as u64;
    let (grid, block) = (config.grid, config.block);
    match writer {
        Writer::Any => None,
        Writer::Block => {
            (linear < grid.count()).then(|| ThreadPosition { block: grid.at(linear), thread: None })
        }
        Writer::Thread => {
            let extent = |blocks: u32, threads: u32| u64::from(blocks) * u64::from(threads);
            let all = [extent(grid.x, block.x), extent(grid.y, block.y), extent(grid.z, block.z)];
            let extents = shape.iter().rev().map(|extent| *extent as u64);
            let covers = shape.len() <= 3 && extents.clone().zip(all).all(|(needed, there)| needed <= there);
            let mut global = [0; 3];
            if covers {
                let mut rest = linear;
                for (global, extent) in global.iter_mut().zip(extents) {
                    *global = rest % extent.max(1);
                    rest /= extent.max(1);
                }
            } else if all[1] == 1 && all[2] == 1 {
                // A one-dimensional launch over several extents covers the elements in row-major order.
                global[0] = linear;
            }
            let inside =
                (covers || all[1] == 1 && all[2] == 1) && global.iter().zip(all).all(|(i, n)| *i < n);
            let divide = |i: u64, threads: u32| {
                let threads = u64::from(threads.max(1));
                ((i / threads) as u32, (i % threads) as u32)
            };
            let [x, y, z] = global;
            let [x, y, z] = [divide(x, block.x), divide(y, block.y), divide(z, block.z)];
            inside.then(|| ThreadPosition {
                block: Dim3::new(x.0, y.0, z.0),
                thread: Some(Dim3::new(x.1, y.1, z.1)),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(grid: [u32; 3], block: [u32; 3]) -> LaunchConfig {
        let dim = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
        LaunchConfig { grid: dim(grid), block: dim(block), dynamic_shared_bytes: 0 }
    }

    fn thread(block: [u32; 3], thread: [u32; 3]) -> Option<ThreadPosition> {
        let dim = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
        Some(ThreadPosition { block: dim(block), thread: Some(dim(thread)) })
    }

    #[test]
    fn columns_go_with_x_and_rows_with_y() {
        let flat = config([3, 1, 1], [4, 1, 1]);
        assert_eq!(place_of(9, &[10], Writer::Thread, &flat), thread([2, 0, 0], [1, 0, 0]));
        assert_eq!(place_of(7, &[2, 5], Writer::Thread, &flat), thread([1, 0, 0], [3, 0, 0]));
        let square = config([2, 2, 1], [3, 3, 1]);
        assert_eq!(place_of(23, &[5, 5], Writer::Thread, &square), thread([1, 1, 0], [0, 1, 0]));
    }

    #[test]
    fn an_element_beyond_the_grid_has_no_thread() {
        assert_eq!(place_of(12, &[13], Writer::Thread, &config([3, 1, 1], [4, 1, 1])), None);
        assert_eq!(place_of(1, &[2, 2], Writer::Thread, &config([1, 2, 1], [1, 1, 1])), None);
        assert_eq!(place_of(1, &[2, 2], Writer::Any, &config([9, 9, 1], [1, 1, 1])), None);
    }

    #[test]
    fn a_block_writes_its_own_element() {
        let grid = config([1, 4, 1], [8, 1, 1]);
        let block = Some(ThreadPosition { block: Dim3::new(0, 3, 0), thread: None });
        assert_eq!(place_of(3, &[4], Writer::Block, &grid), block);
        assert_eq!(place_of(4, &[4], Writer::Block, &grid), None);
    }
}
