//! The image that the kernels computed.

use super::Document;
use picture::escape;

pub fn section(of: &Document) -> Option<String> {
    let image = of.image.as_ref()?;
    let words = image.words_of("your kernel");
    Some(format!(
        "<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n",
        escape(&words),
        image.image.svg("image-made", &words)
    ))
}
