//! What tests look at in a page of HTML.

use std::collections::BTreeSet;

const VOID: [&str; 9] = ["!doctype", "br", "input", "line", "link", "meta", "path", "polygon", "rect"];
/// Elements whose text is no HTML.
const RAW: [&str; 2] = ["script", "style"];

/// Tags, each as it stands between its angle brackets.
fn tags(html: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some((_, behind)) = rest.split_once('<') {
        let (tag, behind) = behind.split_once('>').unwrap_or((behind, ""));
        tags.push(tag);
        rest = match RAW.iter().find(|raw| name(tag) == **raw) {
            Some(raw) => behind.find(&format!("</{raw}")).map_or("", |end| &behind[end..]),
            None => behind,
        };
    }
    tags
}

fn name(tag: &str) -> &str {
    tag.split([' ', '\n', '/']).next().unwrap_or_default()
}

/// Values of an attribute, in order.
pub fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let begin = format!(" {attribute}=\"");
    let value = |tag: &'a str| Some(tag.split_once(begin.as_str())?.1.split('"').next().unwrap_or_default());
    tags(html).into_iter().filter_map(value).collect()
}

pub fn without_tags(html: &str) -> String {
    html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect()
}

/// Every element is closed, no id stands twice, and what names an id has one.
pub fn assert_well_formed(path: &str, html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in tags(html) {
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{path}"),
            None if !VOID.contains(&name(tag)) => open.push(name(tag)),
            None => {}
        }
    }
    assert!(open.is_empty(), "{path}: {open:?}");
    let ids = values(html, "id");
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), known.len(), "{path}: an id stands twice");
    for id in values(html, "aria-labelledby").into_iter().flat_map(str::split_whitespace) {
        assert!(known.contains(id), "{path}: {id}");
    }
}
