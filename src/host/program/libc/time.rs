//! Clocks and dates. The clock is the program's own and always starts at the same date.

use super::{Context, c_functions, process};
use crate::program::call::{long, word};
use sim::Stop;

/// Start of every program, in seconds since 1970: 1 January 2024, 00:00 UTC. It is fixed so that results
/// derived from it are reproducible.
pub const START_TIME_S: u64 = 1_704_067_200;

/// Seconds from the start of the machine to that of the program: a day. A clock that began with the program would
/// make differences of readings seem unnecessary, and a float seem precise enough for a reading.
const UP_S: u64 = 24 * 3600;

const NS: u64 = 1_000_000_000;

/// Returns what `clock()` returns in host code: the compiler turns it into a read of the processor's
/// `%clock`, and `CLOCKS_PER_SEC` is a million.
pub fn clock_ticks(now_ns: u64) -> u64 {
    now_ns / 1000
}

c_functions! {
    /// Returns the seconds since 1970.
    fn time(c, to: u64) -> u64 {
        let seconds = wall_ns(c) / NS;
        if to != 0 {
            c.write_u64(to, seconds)?;
        }
        Ok(seconds)
    }

    /// Returns the nanoseconds since the program's start, which the clocks of `<chrono>` read.
    fn __gpulearn_now_ns(c) -> u64 {
        Ok(c.world.now_ns())
    }

    /// Returns a clock in seconds and nanoseconds: since 1970, since the machine's start, or since the program's.
    fn clock_gettime(c, clock: i32, to: u64) -> i32 {
        const REALTIME: i32 = 0;
        const MONOTONIC: i32 = 1;
        const PROCESS_CPUTIME: i32 = 2;
        const THREAD_CPUTIME: i32 = 3;
        const MONOTONIC_RAW: i32 = 4;
        const REALTIME_COARSE: i32 = 5;
        const MONOTONIC_COARSE: i32 = 6;
        const BOOTTIME: i32 = 7;
        let ns = match clock {
            REALTIME | REALTIME_COARSE => wall_ns(c),
            MONOTONIC | MONOTONIC_RAW | MONOTONIC_COARSE | BOOTTIME => {
                (UP_S * NS).saturating_add(c.world.now_ns())
            }
            PROCESS_CPUTIME | THREAD_CPUTIME => c.world.now_ns(),
            _ => return c.failed(process::EINVAL, -1),
        };
        put_two(c, to, ns / NS, ns % NS).map(|()| 0)
    }

    /// Returns the resolution of a clock: a nanosecond.
    fn clock_getres(c, _clock: i32, to: u64) {
        if to == 0 { Ok(()) } else { put_two(c, to, 0, 1) }
    }

    /// Returns the seconds and nanoseconds since 1970.
    fn timespec_get(c, to: u64, base: i32) -> i32 {
        let ns = wall_ns(c);
        put_two(c, to, ns / NS, ns % NS)?;
        Ok(base)
    }

    /// Returns the seconds and microseconds since 1970.
    fn gettimeofday(c, to: u64) {
        let ns = wall_ns(c);
        put_two(c, to, ns / NS, ns % NS / 1000)
    }

    /// Sleeps for a time in seconds and nanoseconds.
    fn nanosleep(c, asked: u64) -> i32 {
        let mut bytes = [0; 16];
        c.read(asked, &mut bytes)?;
        let (seconds, ns) = (long(&bytes, 0), long(&bytes, 8));
        if ns >= NS || seconds > i64::MAX as u64 {
            return c.failed(process::EINVAL, -1);
        }
        c.world.sleep_ns(seconds.saturating_mul(NS).saturating_add(ns));
        Ok(0)
    }

    /// Sleeps for seconds.
    fn sleep(c, seconds: u32) {
        c.world.sleep_ns(u64::from(seconds) * NS);
        Ok(())
    }

    /// Sleeps for microseconds.
    fn usleep(c, microseconds: u32) {
        c.world.sleep_ns(u64::from(microseconds) * 1000);
        Ok(())
    }

    /// Converts a time to a date; the time zone is UTC.
    fn gmtime, localtime(c, seconds: u64) -> u64 {
        let to = c.block("date", DATE_BYTES)?;
        gmtime_r(c, seconds, to)
    }

    /// Converts a time to a date in the program's memory; the time zone is UTC.
    fn gmtime_r, localtime_r(c, seconds: u64, to: u64) -> u64 {
        let date = Date::of(c.read_u64(seconds)? as i64);
        date.store(c, to)?;
        Ok(to)
    }

    /// Converts a date to a time, and normalises the date.
    fn mktime(c, date: u64) -> i64 {
        let seconds = Date::load(c, date)?.seconds();
        Date::of(seconds).store(c, date)?;
        Ok(seconds)
    }

    /// Formats a date as text.
    fn asctime(c, date: u64) -> u64 {
        let date = Date::load(c, date)?;
        date_text(c, &date)
    }

    /// Formats a time as text.
    fn ctime(c, seconds: u64) -> u64 {
        let date = Date::of(c.read_u64(seconds)? as i64);
        date_text(c, &date)
    }

    /// Formats a date by a format.
    fn strftime(c, to: u64, room: u64, format: u64, date: u64) -> u64 {
        let format = c.text(format)?;
        let text = Date::load(c, date)?.format(&format);
        if text.len() as u64 >= room {
            return Ok(0);
        }
        c.write_text(to, &text)?;
        Ok(text.len() as u64)
    }
}

/// Returns the nanoseconds since 1970.
fn wall_ns(c: &mut Context<'_, '_, '_>) -> u64 {
    (START_TIME_S * NS).saturating_add(c.world.now_ns())
}

fn put_two(c: &mut Context<'_, '_, '_>, to: u64, first: u64, second: u64) -> Result<(), Stop> {
    c.write_u64(to, first)?;
    c.write_u64(to.wrapping_add(8), second)
}

/// Returns the address of a date as text.
fn date_text(c: &mut Context<'_, '_, '_>, date: &Date) -> Result<u64, Stop> {
    let mut text = date.format(b"%a %b %e %H:%M:%S %Y");
    text.push(b'\n');
    text.truncate(63);
    let address = c.block("asctime", 64)?;
    c.write_text(address, &text)?;
    Ok(address)
}

/// Size of `struct tm` in bytes.
const DATE_BYTES: u64 = 56;

/// The numbers of `struct tm`, in its order: second, minute, hour, day of the month from 1, month
/// from 0, year from 1900, day of the week from Sunday, day of the year from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date([i32; 8]);

impl Date {
    /// Returns the UTC date of a time in seconds since 1970, clamped to ±2⁵² seconds so that its year fits an
    /// `int`.
    fn of(seconds: i64) -> Date {
        let seconds = seconds.clamp(-(1 << 52), 1 << 52);
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Days since 1 March of the year 0, in eras of 400 years.
        let shifted = days + 719_468;
        let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
        let month = (month + 2) % 12;
        let year = 400 * era + year_of_era + i64::from(month < 2);
        let first = days_before(year, 0);
        Date([
            (second % 60) as i32,
            (second / 60 % 60) as i32,
            (second / 3600) as i32,
            day_of_month as i32,
            month as i32,
            (year - 1900) as i32,
            (days + 4).rem_euclid(7) as i32,
            (days - first) as i32,
        ])
    }

    fn seconds(&self) -> i64 {
        let [second, minute, hour, day, month, year, ..] = self.0.map(i64::from);
        let year = year + 1900 + month.div_euclid(12);
        let days = days_before(year, month.rem_euclid(12)) + day - 1;
        days * 86_400 + hour * 3600 + minute * 60 + second
    }

    fn load(c: &mut Context<'_, '_, '_>, address: u64) -> Result<Date, Stop> {
        let mut bytes = [0; 32];
        c.read(address, &mut bytes)?;
        Ok(Date(std::array::from_fn(|n| word(&bytes, 4 * n) as i32)))
    }

    fn store(&self, c: &mut Context<'_, '_, '_>, address: u64) -> Result<(), Stop> {
        let zone = c.block("zone", 4)?;
        c.write_text(zone, b"UTC")?;
        let mut bytes = vec![0; DATE_BYTES as usize];
        for (bytes, number) in bytes.chunks_exact_mut(4).zip(self.0) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes[48..].copy_from_slice(&zone.to_le_bytes());
        c.write(address, &bytes)
    }

    /// Formats as `strftime` does in the "C" locale; unknown conversions are copied unchanged.
    fn format(&self, format: &[u8]) -> Vec<u8> {
        const DAYS: [&str; 7] =
            ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let [second, minute, hour, day, month, year, weekday, yearday] = self.0;
        let name = |names: &[&'static str], at: i32| {
            usize::try_from(at).ok().and_then(|at| names.get(at).copied()).unwrap_or("???")
        };
        let year = i64::from(year) + 1900;
        let mut out = Vec::new();
        let mut letters = format.iter().copied();
        while let Some(letter) = letters.next() {
            if letter != b'%' {
                out.push(letter);
                continue;
            }
            let text = match letters.next() {
                Some(b'Y') => year.to_string(),
                Some(b'y') => format!("{:02}", year.rem_euclid(100)),
                Some(b'm') => format!("{:02}", i64::from(month) + 1),
                Some(b'd') => format!("{day:02}"),
                Some(b'e') => format!("{day:2}"),
                Some(b'H') => format!("{hour:02}"),
                Some(b'I') => format!("{:02}", (i64::from(hour) + 11).rem_euclid(12) + 1),
                Some(b'p') => if hour < 12 { "AM" } else { "PM" }.into(),
                Some(b'M') => format!("{minute:02}"),
                Some(b'S') => format!("{second:02}"),
                Some(b'j') => format!("{:03}", i64::from(yearday) + 1),
                Some(b'a') => name(&DAYS, weekday)[..3].into(),
                Some(b'A') => name(&DAYS, weekday).into(),
                Some(b'b' | b'h') => name(&MONTHS, month)[..3].into(),
                Some(b'B') => name(&MONTHS, month).into(),
                Some(b'Z') => "UTC".into(),
                Some(b'z') => "+0000".into(),
                Some(b's') => self.seconds().to_string(),
                Some(b'n') => "\n".into(),
                Some(b't') => "\t".into(),
                Some(b'%') => "%".into(),
                Some(b'F') => String::from_utf8_lossy(&self.format(b"%Y-%m-%d")).into_owned(),
                Some(b'T' | b'X') => String::from_utf8_lossy(&self.format(b"%H:%M:%S")).into_owned(),
                Some(b'R') => String::from_utf8_lossy(&self.format(b"%H:%M")).into_owned(),
                Some(b'D' | b'x') => String::from_utf8_lossy(&self.format(b"%m/%d/%y")).into_owned(),
                Some(b'c') => String::from_utf8_lossy(&self.format(b"%a %b %e %T %Y")).into_owned(),
                Some(other) => {
                    out.extend_from_slice(&[b'%', other]);
                    continue;
                }
                None => "%".into(),
            };
            out.extend_from_slice(text.as_bytes());
        }
        out
    }
}

/// Returns the days from 1 January 1970 to the first day of a month, counted from 0, of a year.
fn days_before(year: i64, month: i64) -> i64 {
    // Years are taken to begin in March, so that a leap day is the last day of one.
    let year = if month < 2 { year - 1 } else { year };
    let month = (month + 10) % 12;
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day = (153 * month + 2) / 5 + 365 * year_of_era + year_of_era / 4 - year_of_era / 100;
    era * 146_097 + day - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_agree() {
        assert_eq!(Date::of(0), Date([0, 0, 0, 1, 0, 70, 4, 0]));
        assert_eq!(Date::of(START_TIME_S as i64), Date([0, 0, 0, 1, 0, 124, 1, 0]));
        assert_eq!(Date::of(951_782_400), Date([0, 0, 0, 29, 1, 100, 2, 59]));
        for seconds in (-5_000_000_000..5_000_000_000).step_by(7_654_321) {
            assert_eq!(Date::of(seconds).seconds(), seconds);
        }
        for seconds in [i64::MIN, i64::MAX] {
            Date::of(seconds).format(b"%c");
        }
        // 31 January and a month: normalised as mktime does.
        assert_eq!(Date::of(Date([0, 0, 0, 31, 1, 124, 0, 0]).seconds()), Date([0, 0, 0, 2, 2, 124, 6, 61]));
    }

    #[test]
    fn formats_of_strftime() {
        let date = Date::of(START_TIME_S as i64 + 13 * 3600 + 62);
        let text = |format: &str| String::from_utf8(date.format(format.as_bytes())).unwrap();
        assert_eq!(text("%Y-%m-%d %H:%M:%S"), "2024-01-01 13:01:02");
        assert_eq!(text("%c|%I %p|%j|%q|%%|%"), "Mon Jan  1 13:01:02 2024|01 PM|001|%q|%|%");
        Date([i32::MIN; 8]).format(b"%c %A %B %I %y %j");
        Date([i32::MAX; 8]).format(b"%c %A %B %I %y %j %s");
    }
}
