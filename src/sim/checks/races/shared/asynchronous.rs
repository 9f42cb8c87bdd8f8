//! Accesses through the asynchronous proxy: warpgroup matrix multiplications, bulk copies, and copies that arrive.

use super::super::checked::CheckedAccess;
use super::super::order::Order;
use super::super::stamp::{
    LAST_TIME, MANY, MANY_BLOCKS, Stamp, THREAD, TIME_SHIFT, in_flight_stamp, representative, time,
    unknown_in_warp, warp_of, who,
};
use super::super::wgmma_reads::WgmmaReads;
use super::SharedShadow;
use crate::engine::findings::{FindingLog, Side, ThreadId};
use crate::finding::{AccessKind, FindingKind};
use crate::matrix::CHUNK_BYTES;

impl SharedShadow {
    /// Checks a warp's matrix multiplication, which reads these 16-byte chunks at some time from now on.
    pub fn product(
        &mut self,
        here: &CheckedAccess,
        reads: &[u64],
        products: &WgmmaReads,
        findings: &mut FindingLog,
    ) {
        let (warp, granule, block_begin) =
            (here.event.warp, self.granule_bytes as u64, self.block_begin << TIME_SHIFT);
        // One report of each kind is enough.
        let (mut fine, mut reported) = (None, [false; 4]);
        for n in reads.iter().flat_map(|&at| at / granule..(at + CHUNK_BYTES).div_ceil(granule)) {
            let n = n as usize;
            let Some(&write) = self.writes.get(n) else { continue };
            if fine == Some(write) {
                continue;
            }
            let own = warp_of(write & THREAD) == Some(warp);
            let what = match write {
                write if time(write) == LAST_TIME => 0,
                write if write < block_begin => 1,
                write if !own && !here.order.before(write, Some(here.order.block), warp, 0) => 2,
                write if !self.is_bulk(n, here) && !products.sees(warp, write) => 3,
                _ => {
                    fine = Some(write);
                    continue;
                }
            };
            if std::mem::replace(&mut reported[what], true) {
                continue;
            }
            match what {
                0 => self.in_flight(here, 0, n, findings),
                1 => {
                    let at = self.side(here, 0, n, findings);
                    findings.add(FindingKind::Uninitialised, at, None, Vec::new);
                }
                2 => {
                    let site = here.sites.get(self.write_sites[n]);
                    self.race(here, (0, true), n, (write, site), findings);
                }
                _ => self.lacks_proxy_fence(here, 0, n, findings),
            }
        }
    }

    /// Returns whether a granule was last written by a bulk copy, whose writes asynchronous accesses see without a
    /// fence.
    fn is_bulk(&self, n: usize, here: &CheckedAccess) -> bool {
        here.sites.get(self.write_sites[n]).role.bulk
    }

    /// Reports a bulk copy that reads or overwrites bytes written through the generic proxy without a proxy fence in
    /// between. Called before what it overwrites is forgotten.
    #[inline(never)]
    pub fn check_bulk_copy(&self, here: &CheckedAccess, products: &WgmmaReads, findings: &mut FindingLog) {
        let (event, granule, block_begin) =
            (here.event, self.granule_bytes as u64, self.block_begin << TIME_SHIFT);
        let lane = (event.mask.trailing_zeros() % 32) as u8;
        let own = who(event.warp, lane, false);
        // Without an order, it is a race already.
        let before = |write: Stamp| {
            write & THREAD == own || here.order.before(write, Some(here.order.block), event.warp, lane)
        };
        let fenced = |write: Stamp| match event.kind {
            AccessKind::Read => products.sees(event.warp, write),
            _ => !before(write) || products.may_overwrite(event.warp, write),
        };
        let range = event.first / granule..(event.first + u64::from(event.width)).div_ceil(granule);
        let hidden = range.map(|n| n as usize).find(|&n| {
            let write = self.writes.get(n).copied().unwrap_or(0);
            let usual = write >= block_begin && time(write) != LAST_TIME && write & THREAD != MANY_BLOCKS;
            usual && !self.is_bulk(n, here) && !fenced(write)
        });
        if let Some(n) = hidden {
            self.lacks_proxy_fence(here, lane, n, findings);
        }
    }

    fn lacks_proxy_fence(&self, here: &CheckedAccess, lane: u8, n: usize, findings: &mut FindingLog) {
        let at = self.side(here, lane, n, findings);
        let site = here.sites.get(self.write_sites[n]);
        let writer = representative(self.writes[n]).unwrap_or(ThreadId::UNKNOWN);
        let thread = ThreadId { thread: writer, ..at.thread };
        let other = Side { pc: site.pc, thread, kind: AccessKind::Write, bytes: site.bytes, ..at };
        findings.add(FindingKind::ProxyFence, at, Some(other), Vec::new);
    }

    /// Called when a warp has waited for a multiplication that read these 16 bytes.
    pub fn was_read(&mut self, address: u64, warp: u32, site: u16, order: &Order, now: u32) {
        let (granule, block_begin) = (self.granule_bytes as u64, self.block_begin << TIME_SHIFT);
        for n in address / granule..(address + CHUNK_BYTES).div_ceil(granule) {
            let n = n as usize;
            let Some(&read) = self.reads.get(n) else { continue };
            let over = read < block_begin || order.before(read, Some(order.block), warp, 0);
            let same = warp_of(read & THREAD) == Some(warp);
            let who = if over || same { unknown_in_warp(warp) } else { MANY };
            self.reads[n] = now << TIME_SHIFT | who;
            self.read_sites[n] = site;
        }
    }

    /// Called when a thread has waited for its copy by `site`: the copy's writes now count as the thread's own.
    pub fn land(&mut self, offset: u64, bytes: u64, thread: (u32, u8), (site, landed): (u16, u16), now: u32) {
        let granule = self.granule_bytes as u64;
        for n in offset / granule..(offset + bytes).div_ceil(granule) {
            let n = n as usize;
            if self.writes.get(n) == Some(&in_flight_stamp(thread.0)) && self.write_sites[n] == site {
                self.writes[n] = now << TIME_SHIFT | who(thread.0, thread.1, false);
                self.write_sites[n] = landed;
            }
        }
    }
}
