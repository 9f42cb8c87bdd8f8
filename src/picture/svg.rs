//! Scenes as SVG.

use super::scene::{Align, Mark, Scene};
use std::fmt::Write;

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

    /// Renders a self-contained SVG file.
    pub fn svg_file(&self) -> String {
        self.svg("picture").replacen("<title", &format!("<style>{STYLE}</style><title"), 1)
    }
}

fn draw(out: &mut String, mark: &Mark) {
    let (px, py) = (|x: f64| x * WIDE + MARGIN, |y: f64| y * HIGH + MARGIN);
    let written = match mark {
        Mark::Cell { x, y, width, tone, text } => {
            let (left, top, wide) = (px(*x) + 0.5, py(*y) + 1.5, (width * WIDE - 1.0).max(1.0));
            let class = tone.class();
            let label = match text.is_empty() {
                true => String::new(),
                false => format!(
                    "<text class=\"on {class}\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    left + wide / 2.0,
                    top + 13.0,
                    escape(text)
                ),
            };
            writeln!(
                out,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"17\"/>{label}"
            )
        }
        Mark::Frame { x, y, width, height, tone, text } => writeln!(
            out,
            "<rect class=\"frame {class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
             <text class=\"head\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            px(*x) + 0.5,
            py(*y) + 0.5,
            width * WIDE - 1.0,
            height * HIGH - 1.0,
            px(*x) + 6.0,
            py(*y) + 15.0,
            escape(text),
            class = tone.class()
        ),
        Mark::Text { x, y, align, tone, text } => {
            let anchor = match align {
                Align::Start => "start",
                Align::Middle => "middle",
                Align::End => "end",
            };
            writeln!(
                out,
                "<text class=\"{}\" text-anchor=\"{anchor}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                tone.class(),
                px(*x),
                py(*y) + 14.5,
                escape(text)
            )
        }
        Mark::Arrow { from, to, tone } => {
            let (from, to) = ((px(from.0), py(from.1)), (px(to.0), py(to.1)));
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = dx.hypot(dy).max(0.1);
            // Unit vectors along the line and across it.
            let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
            let corner = |side: f64| {
                let at = |end: f64, along: f64, across: f64| end - 6.0 * along + side * 3.0 * across;
                format!("{:.1},{:.1}", at(to.0, along.0, across.0), at(to.1, along.1, across.1))
            };
            writeln!(
                out,
                "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\
                 <polygon class=\"{class}\" points=\"{:.1},{:.1} {} {}\"/>",
                from.0,
                from.1,
                to.0,
                to.1,
                to.0,
                to.1,
                corner(1.0),
                corner(-1.0),
                class = tone.class()
            )
        }
        Mark::Bar { x, y, width, share, tone } => writeln!(
            out,
            "<rect class=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            tone.class(),
            px(*x),
            py(*y) + HIGH * (1.0 - share.clamp(0.0, 1.0)),
            width * WIDE,
            HIGH * share.clamp(0.0, 1.0)
        ),
        Mark::Line { from, to, tone } => writeln!(
            out,
            "<line class=\"{}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            tone.class(),
            px(from.0),
            py(from.1),
            px(to.0),
            py(to.1)
        ),
    };
    written.expect("a String takes all");
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
