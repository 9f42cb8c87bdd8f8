//! What the kernels made.

use super::Run;
use picture::escape;

pub fn section(run: &Run) -> Option<String> {
    let image = run.image?;
    let words = image.words_of("your kernel");
    Some(format!(
        "<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n",
        escape(&words),
        image.image.svg("image-made", &words)
    ))
}
