//! The first chapter: the machine, drawn from the same constants that times are modelled with.

use crate::page::Page;
use crate::prose::{Writer, folded};
use crate::words::Words;
use anyhow::Result;
use host::device::model::Model;
use judge::course::Course;
use picture::{escape, machine};

const PATH: &str = "machine.html";

/// Returns the page of the machine.
///
/// # Errors
///
/// The data of a modelled GPU are invalid.
pub fn page(course: &Course, words: &Words) -> Result<Page> {
    let mut writer = Writer::new(PATH, course, words);
    let h100 = Model::named("h100")?;
    writer.html +=
        &format!("<figure class=\"wide\" tabindex=\"0\">\n{}</figure>\n", machine(&h100).svg("h100"));
    writer.html += "<p class=\"note\">The figures of the simulator's model, whose file says where each comes from: data sheets, \
                    papers, measurements on one card. A modelled latency is from a load to its result, in cycles of the \
                    SM's clock. The measured ones, further down, differ: they include the instructions that compute the \
                    address, and the L2 cache served a tenth of the loads from device memory. The modelled bandwidth of \
                    the bus is what copies from pinned memory reach, which is less than a data sheet says.</p>\n";
    for key in Model::names().filter(|key| *key != h100.key) {
        let model = Model::named(key)?;
        let figure = format!(
            "<figure class=\"wide\" tabindex=\"0\">\n{}</figure>\n",
            machine(&model).svg(&escape(key))
        );
        writer.html += &folded(&model.properties.name, &figure);
    }
    writer.text(course.welcome().unwrap_or_default(), 2);
    let keywords = course.welcome().unwrap_or_default().to_owned();
    Ok(Page { path: PATH.into(), title: "The machine".into(), part: None, body: writer.html, keywords })
}
