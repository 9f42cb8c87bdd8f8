//! Scenes as SVG.

use super::scene::{Align, Mark, Scene};

/// Size of a cell in pixels.
const WIDE: f64 = 8.0;
const HIGH: f64 = 20.0;
/// Margin around everything, in pixels.
const MARGIN: f64 = 4.0;

/// The style sheet of pictures, for light and dark pages.
pub const STYLE: &str = include_str!("picture.css");

/// Escapes text for HTML and SVG, in elements and in double-quoted attributes. Control characters, and those that
/// XML can't represent (`Char` in XML 1.0, section 2.2), are dropped.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

impl Scene {
    /// Renders an `svg` element, in the colours of [`STYLE`]. `name` is its id on the page.
    pub fn svg(&self, name: &str) -> String {
        let (width, height) = (self.width * WIDE + 2.0 * MARGIN, self.height * HIGH + 2.0 * MARGIN);
        let mut out = format!(
            "<svg class=\"picture\" role=\"img\" aria-labelledby=\"{name}-title {name}-words\" \
             xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\">\
             <title id=\"{name}-title\">{}</title><desc id=\"{name}-words\">{}</desc>\n",
            escape(&self.title),
            escape(&self.words)
        );
        self.marks.iter().for_each(|mark| draw(&mut out, mark));
        out + "</svg>\n"
    }

    /// Renders a figure of a page: the picture, and its words below it.
    pub fn figure(&self, name: &str) -> String {
        format!("<figure>\n{}</figure>\n", self.svg_with_words(name))
    }

    /// Renders the picture, and its words below it.
    pub fn svg_with_words(&self, name: &str) -> String {
        format!("{}<p class=\"note\">{}</p>\n", self.svg(name), escape(&self.words))
    }

    /// Renders a self-contained SVG file.
    pub fn svg_file(&self) -> String {
        self.svg("picture").replacen("<title", &format!("<style>{STYLE}</style><title"), 1)
    }
}

/// Returns a position in pixels.
fn place((x, y): (f64, f64)) -> (f64, f64) {
    (x * WIDE + MARGIN, y * HIGH + MARGIN)
}

fn text_element(class: &str, anchor: &str, (x, y): (f64, f64), text: &str) -> String {
    let text = escape(text);
    format!("<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>")
}

fn line_element(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>")
}

/// Returns the head of an arrow between two positions in pixels.
fn arrow_head(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(0.1);
    // Unit vectors along the line and across it.
    let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
    let corner = |side: f64| {
        let at = |end: f64, along: f64, across: f64| end - 6.0 * along + side * 3.0 * across;
        format!("{:.1},{:.1}", at(to.0, along.0, across.0), at(to.1, along.1, across.1))
    };
    let (left, right) = (corner(1.0), corner(-1.0));
    format!("<polygon class=\"{class}\" points=\"{:.1},{:.1} {left} {right}\"/>", to.0, to.1)
}

fn draw(out: &mut String, mark: &Mark) {
    *out += &match mark {
        Mark::Cell { x, y, width, tone, text } => {
            let (class, (left, top)) = (tone.class(), place((*x, *y)));
            let (left, top, wide) = (left + 0.5, top + 1.5, (width * WIDE - 1.0).max(1.0));
            let label = match text.is_empty() {
                true => String::new(),
                false => {
                    text_element(&format!("on {class}"), "middle", (left + wide / 2.0, top + 13.0), text)
                }
            };
            format!(
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"17\"/>{label}\n"
            )
        }
        Mark::Frame { x, y, width, height, tone, text } => {
            let (left, top) = place((*x, *y));
            format!(
                "<rect class=\"frame {}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
                 <text class=\"head\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
                tone.class(),
                left + 0.5,
                top + 0.5,
                width * WIDE - 1.0,
                height * HIGH - 1.0,
                left + 6.0,
                top + 15.0,
                escape(text)
            )
        }
        Mark::Text { x, y, align, tone, text } => {
            let anchor = match align {
                Align::Start => "start",
                Align::Middle => "middle",
                Align::End => "end",
            };
            let (left, top) = place((*x, *y));
            text_element(tone.class(), anchor, (left, top + 14.5), text) + "\n"
        }
        Mark::Arrow { from, to, tone } => {
            let (class, from, to) = (tone.class(), place(*from), place(*to));
            line_element(class, from, to) + &arrow_head(class, from, to) + "\n"
        }
        Mark::Bar { x, y, width, share, tone } => {
            let (class, (left, top), share) = (tone.class(), place((*x, *y)), share.clamp(0.0, 1.0));
            let (top, wide, high) = (top + HIGH * (1.0 - share), width * WIDE, HIGH * share);
            format!(
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\"/>\n"
            )
        }
        Mark::Line { from, to, tone } => line_element(tone.class(), place(*from), place(*to)) + "\n",
    };
}

#[cfg(test)]
mod tests {
    use super::super::scene::Tone;
    use super::*;

    #[test]
    fn text_of_others_stays_text() {
        let mut scene = Scene::new("a<b");
        scene.cell((0.0, 0.0), 3.0, Tone::Used, "x&\u{1b}y");
        let svg = scene.svg("p");
        assert!(svg.contains(">a&lt;b</title>") && svg.contains(">x&amp;y</text>"), "{svg}");
        assert!(scene.svg_file().contains("<style>"));
    }

    #[test]
    fn text_keeps_what_xml_can_hold() {
        let text = "a<b>&\"c\"\n\u{0}\u{7}\u{fffe}é\u{1f600}";
        assert_eq!(escape(text), "a&lt;b&gt;&amp;&quot;c&quot;\né\u{1f600}");
    }
}
