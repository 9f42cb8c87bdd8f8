//! Just enough around a host thread to run the programs here: printing, memory, a sort that calls
//! back, and a few bytes of managed memory.

use gpulearn::sim::{AccessKind, Call, Environment, HostThread, Module, Stop};

/// Where the surroundings keep managed variables.
const MANAGED: u64 = 0x7f00_0000_0000;

#[derive(Default)]
pub struct Surroundings {
    pub output: String,
    pub leaks: usize,
    managed: Vec<u8>,
    exits: Vec<u64>,
    /// Accesses outside the thread's own memory.
    pub outside: u64,
}

impl Surroundings {
    pub fn new(module: &Module, thread: &mut HostThread) -> Surroundings {
        let mut surroundings = Surroundings::default();
        for (number, variable) in module.variables().iter().enumerate().filter(|(_, v)| v.managed) {
            let at = surroundings.managed.len() as u64;
            thread.place_variable(number as u32, MANAGED + at);
            let bytes = variable.bytes.next_multiple_of(16) as usize;
            surroundings.managed.resize(at as usize + bytes, 0);
        }
        surroundings
    }

    fn managed(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let at = address.checked_sub(MANAGED)? as usize;
        self.outside += 1;
        self.managed.get_mut(at..at.checked_add(bytes)?)
    }

    fn nowhere<T>(&self, address: u64) -> Result<T, Stop> {
        Err(Stop::Unsupported { what: format!("address {address:#x}"), line: None })
    }

    /// `printf` as far as the programs here need it.
    fn print(&mut self, thread: &HostThread, format: u64, arguments: &[u8]) -> Result<(), Stop> {
        let text = |address| {
            let bytes = thread.memory().c_string(address, 1 << 16);
            bytes
                .map(|b| String::from_utf8_lossy(&b).into_owned())
                .map_err(|f| thread.fault(f, AccessKind::Read))
        };
        let format = text(format)?;
        let mut at = 0usize;
        let mut take = |bytes: usize| {
            at = at.next_multiple_of(bytes);
            let mut out = [0; 8];
            out[..bytes].copy_from_slice(&arguments[at..at + bytes]);
            at += bytes;
            u64::from_le_bytes(out)
        };
        let mut rest = format.as_str();
        while let Some((before, after)) = rest.split_once('%') {
            self.output.push_str(before);
            let spec =
                after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == 'l' || c == 'z');
            let flags = &after[..after.len() - spec.len()];
            let long = flags.contains(['l', 'z']);
            let places = flags.split_once('.').map(|(_, p)| p.trim_end_matches('l').parse().unwrap());
            match spec.chars().next().unwrap() {
                '%' => self.output.push('%'),
                'd' if long => self.output += &(take(8) as i64).to_string(),
                'u' if long => self.output += &take(8).to_string(),
                'd' => self.output += &(take(4) as i32).to_string(),
                'u' => self.output += &take(4).to_string(),
                'x' if long => self.output += &format!("{:x}", take(8)),
                'x' => self.output += &format!("{:x}", take(4)),
                'c' => self.output.push(take(4) as u8 as char),
                'f' => self.output += &format!("{:.*}", places.unwrap_or(6), f64::from_bits(take(8))),
                'g' => self.output += &f64::from_bits(take(8)).to_string(),
                's' => {
                    let found = text(take(8))?;
                    self.output += &found;
                }
                other => panic!("a test prints %{other}"),
            }
            rest = &spec[1..];
        }
        self.output.push_str(rest);
        Ok(())
    }

    /// Sorts by calling the program's comparison.
    fn sort(&mut self, thread: &mut HostThread, call: &Call) -> Result<(), Stop> {
        let (base, count, bytes, compare) = (call.u64(0), call.u64(1), call.u64(2) as usize, call.u64(3));
        let read = |thread: &HostThread, n: u64| {
            let mut out = vec![0; bytes];
            thread.memory().read(base + n * bytes as u64, &mut out).map(|()| out)
        };
        for end in (1..count).rev() {
            for n in 0..end {
                let here = base + n * bytes as u64;
                let order = thread.call(self, compare, &[here, here + bytes as u64])? as i32;
                if order > 0 {
                    let swap = (read(thread, n), read(thread, n + 1));
                    let (Ok(a), Ok(b)) = swap else { return self.nowhere(here) };
                    thread.memory_mut().write(here, &b).unwrap();
                    thread.memory_mut().write(here + bytes as u64, &a).unwrap();
                }
            }
        }
        Ok(())
    }
}

impl Environment for Surroundings {
    fn call(&mut self, thread: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop> {
        match call.name {
            "vprintf" => {
                let mut arguments = vec![0; 256];
                let held = thread.memory().block(call.u64(1)).map_or(0, |b| b.start + b.bytes - call.u64(1));
                let held = (held as usize).min(256);
                for n in 0..held {
                    // The buffer may end before the stack does.
                    if thread.memory().read(call.u64(1) + n as u64, &mut arguments[n..=n]).is_err() {
                        break;
                    }
                }
                self.print(thread, call.u64(0), &arguments)?;
                thread.set_result_i32(1);
            }
            "fprintf" => self.print(thread, call.u64(1), call.bytes(2))?,
            "malloc" => match thread.memory_mut().allocate(call.u64(0), 16) {
                Ok(address) => thread.set_result_u64(address),
                Err(fault) => return Err(thread.fault(fault, AccessKind::Write)),
            },
            "realloc" => match thread.memory_mut().reallocate(call.u64(0), call.u64(1)) {
                Ok(address) => thread.set_result_u64(address),
                Err(fault) => return Err(thread.fault(fault, AccessKind::Write)),
            },
            "free" => {
                let address = call.u64(0);
                thread.memory_mut().free(address).map_err(|f| thread.fault(f, AccessKind::Write))?;
            }
            "leaks" => {
                let leaks = thread.memory().allocations();
                let lines: Vec<String> = leaks
                    .iter()
                    .map(|a| format!("{} bytes of line {}", a.bytes, a.location.as_ref().unwrap().line))
                    .collect();
                self.output += &format!("{}\n", lines.join(", "));
            }
            "sort" => self.sort(thread, call)?,
            "sum_of" => {
                // Structs by value, of 12 bytes and of 24.
                let ints: i32 =
                    call.bytes(0).chunks_exact(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).sum();
                let doubles: f64 =
                    call.bytes(1).chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).sum();
                let sum = ints as f64 + doubles + call.f32(2) as f64 + call.i64(3) as f64;
                thread.set_result_bytes(&sum.to_le_bytes());
            }
            "three" => {
                let bytes: Vec<u8> = [7i32, 8, call.i32(0)].iter().flat_map(|v| v.to_le_bytes()).collect();
                thread.set_result_bytes(&bytes);
            }
            "exit" => {
                let code = call.i32(0);
                while let Some(function) = self.exits.pop() {
                    thread.call(self, function, &[])?;
                }
                return Err(Stop::Exit(code));
            }
            // A launch that nobody runs.
            "__cudaCDP2GetParameterBufferV2" => {
                let buffer = thread.memory_mut().allocate_named("buffer", 64);
                thread.set_result_u64(buffer.unwrap_or(0));
            }
            "__cudaCDP2LaunchDeviceV2" => {}
            "atexit" => self.exits.push(call.u64(0)),
            name => return Err(Stop::Unsupported { what: name.to_string(), line: thread.location() }),
        }
        Ok(())
    }

    fn load(&mut self, _: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        match self.managed(address, out.len()) {
            Some(bytes) => out.copy_from_slice(bytes),
            None => return self.nowhere(address),
        }
        Ok(())
    }

    fn store(&mut self, _: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        match self.managed(address, bytes.len()) {
            Some(to) => to.copy_from_slice(bytes),
            None => return self.nowhere(address),
        }
        Ok(())
    }
}
