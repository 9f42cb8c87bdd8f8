//! Splits the text of a PTX module into definitions, declarations and directives.

/// Directives that end at the end of their line.
const LINES: [&str; 5] = [".version", ".target", ".address_size", ".file", ".loc"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Kernel,
    Function,
    Variable,
    /// A directive of the module as a whole.
    Other,
}

/// A definition, a declaration or a directive of a module.
#[derive(Debug)]
pub struct Item<'a> {
    pub text: &'a str,
    pub kind: Kind,
    /// The name that it defines or declares.
    pub name: Option<&'a str>,
}

impl<'a> Item<'a> {
    /// Returns whether it has a body or a list of initial values.
    pub fn is_defined(&self) -> bool {
        self.text.contains('{')
    }

    fn new(text: &'a str) -> Item<'a> {
        let mut directives = text.split(|c: char| c.is_whitespace() || "({[;".contains(c));
        let kind = directives.find_map(|word| match word {
            ".entry" => Some(Kind::Kernel),
            ".func" => Some(Kind::Function),
            ".global" | ".const" | ".shared" => Some(Kind::Variable),
            ".alias" | ".section" | ".pragma" => Some(Kind::Other),
            _ if LINES.contains(&word) => Some(Kind::Other),
            _ => None,
        });
        let kind = kind.unwrap_or(Kind::Other);
        let name = if kind == Kind::Other { None } else { first_name(text) };
        Item { text, kind, name }
    }
}

/// Returns the first name outside parentheses; what precedes it begins with a dot or a digit.
fn first_name(text: &str) -> Option<&str> {
    let mut depth = 0u32;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let word = word_at(&text[at..]);
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' => at += word_at(&text[at + 1..]).len(),
            _ if depth == 0 && !word.is_empty() && !c.is_ascii_digit() => return Some(word),
            _ if !word.is_empty() => at += word.len() - c.len_utf8(),
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

pub fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')
}

fn word_at(text: &str) -> &str {
    &text[..text.find(|c| !is_of_word(c)).unwrap_or(text.len())]
}

/// Returns all words of a text that may be names; those of the language begin with a dot.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c| !is_of_word(c) && c != '.');
    words.filter(|word| !word.is_empty() && !word.starts_with('.'))
}

/// Returns the items of a module in order. Comments before an item belong to its text.
pub fn items(ptx: &str) -> Vec<Item<'_>> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0u32);
    let mut rest = ptx.char_indices().peekable();
    // Whether the current item is a directive that ends with its line.
    let mut line = false;
    let mut begun = false;
    while let Some((at, c)) = rest.next() {
        let mut ends = false;
        match c {
            '/' if ptx[at..].starts_with("//") => {
                while rest.next_if(|(_, c)| *c != '\n').is_some() {}
                continue;
            }
            '/' if ptx[at..].starts_with("/*") => {
                let end = ptx[at + 2..].find("*/").map_or(ptx.len(), |found| at + 2 + found + 2);
                while rest.next_if(|(at, _)| *at < end).is_some() {}
                continue;
            }
            '"' => {
                while let Some((_, c)) = rest.next_if(|(_, c)| *c != '"') {
                    if c == '\\' {
                        rest.next();
                    }
                }
                rest.next();
            }
            '\n' => ends = line,
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                // The initial value of a variable continues to a semicolon.
                ends = depth == 0 && !ptx[at + 1..].trim_start().starts_with(';');
            }
            ';' => ends = depth == 0,
            _ => {}
        }
        if !begun && !c.is_whitespace() {
            (begun, start) = (true, at);
            line = LINES.iter().any(|directive| {
                let after = ptx[at..].strip_prefix(directive);
                after.is_some_and(|after| after.starts_with(char::is_whitespace))
            });
        }
        if begun && ends {
            found.push(Item::new(ptx[start..=at].trim_end()));
            (begun, line) = (false, false);
        }
    }
    if begun {
        found.push(Item::new(ptx[start..].trim_end()));
    }
    found
}
