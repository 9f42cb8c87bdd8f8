//! Access to the lines of a text by number.

/// The start of each line. The last line may be empty.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub fn of(text: &[u8]) -> Lines {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Lines { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect() }
    }

    /// Returns the 1-based line of a byte.
    pub fn number(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }

    /// Returns the first byte of a line; 0 if there is no such line.
    pub fn start(&self, line: u32) -> usize {
        (line as usize).checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or_default()
    }

    /// Returns whether there is such a line.
    pub fn has(&self, line: u32) -> bool {
        (1..=self.starts.len()).contains(&(line as usize))
    }

    /// Returns a line of the text without its line ending; `None` if there is no such line, or only the empty
    /// one after the last line ending.
    pub fn get<'t>(&self, text: &'t str, line: u32) -> Option<&'t str> {
        let start = *self.starts.get((line as usize).checked_sub(1)?)?;
        text.get(start..)?.lines().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_text() {
        for text in ["", "\n", "a", "a\nb", "a\r\n\r\nb\n", "é\n\n\n"] {
            let lines = Lines::of(text.as_bytes());
            let all: Vec<&str> = (1..9).map_while(|line| lines.get(text, line)).collect();
            assert_eq!(all, text.lines().collect::<Vec<_>>(), "{text:?}");
            assert_eq!((lines.get(text, 0), lines.has(0), lines.has(99)), (None, false, false));
        }
        let lines = Lines::of(b"a\nbc\n");
        assert_eq!([0, 1, 2, 4, 5].map(|at| lines.number(at)), [1, 1, 2, 2, 3]);
        assert!(lines.has(3) && !lines.has(4));
    }
}
