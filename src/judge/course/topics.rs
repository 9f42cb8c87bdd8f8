//! What the course must teach, by notebook: `lessons/topics.toml`.
//!
//! ```toml
//! [[notebooks]]
//! id = "N5"                        # as `gpulearn claims N5` takes it
//! title = "PyTorch basics: tensors and FLOPs"
//!
//! [[notebooks.topics]]
//! topic = "a tensor is a pointer plus strides"
//! lessons = ["strides"]            # slugs of lessons
//! planned = ["views"]              # optional: slugs of lessons that are not written yet
//! ```

use super::Problem;
use serde::Deserialize;

/// Path relative to the root of a course.
pub(super) const FILE: &str = "lessons/topics.toml";

/// All notebooks, in order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topics {
    pub notebooks: Vec<Notebook>,
}

/// A notebook or guide that the course follows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notebook {
    pub id: String,
    pub title: String,
    #[serde(default)]
    pub topics: Vec<Topic>,
}

/// One topic of a notebook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    pub topic: String,
    #[serde(default)]
    pub lessons: Vec<String>,
    #[serde(default)]
    pub planned: Vec<String>,
}

impl Topics {
    /// Lists topics that do not match the existing lessons.
    pub(super) fn problems(&self, is_lesson: &dyn Fn(&str) -> bool) -> Vec<Problem> {
        let problem = |message: String| Problem::new(FILE, None, message);
        let mut problems = Vec::new();
        for (notebook, topic) in self.notebooks.iter().flat_map(|n| n.topics.iter().map(move |t| (n, t))) {
            let name = format!("{}, \"{}\"", notebook.id.escape_debug(), topic.topic.escape_debug());
            if topic.lessons.is_empty() && topic.planned.is_empty() {
                problems.push(problem(format!("{name}: no lesson teaches it")));
            }
            for slug in topic.lessons.iter().filter(|slug| !is_lesson(slug)) {
                let message = format!("{name}: no lesson is called \"{}\"", slug.escape_debug());
                problems.push(problem(message).about(slug));
            }
            for slug in topic.planned.iter().filter(|slug| is_lesson(slug)) {
                let slug_text = slug.escape_debug();
                let message = format!("{name}: \"{slug_text}\" is written already: it belongs under lessons");
                problems.push(problem(message).about(slug));
            }
        }
        problems
    }

    /// Returns the notebook with this id, ignoring case.
    pub fn notebook(&self, id: &str) -> Option<&Notebook> {
        self.notebooks.iter().find(|notebook| notebook.id.eq_ignore_ascii_case(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_names_lessons_that_exist_and_plans_those_that_do_not() {
        let text = |topic: &str| {
            format!(
                "[[notebooks]]\nid = \"N1\"\ntitle = \"T\"\n[[notebooks.topics]]\ntopic = \"x\"\n{topic}\n"
            )
        };
        let problems = |topic: &str| {
            let topics: Topics = toml::from_str(&text(topic)).unwrap();
            let problems = topics.problems(&|slug| slug == "map");
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        assert_eq!(problems("lessons = [\"map\"]\nplanned = [\"zip\"]"), [""; 0]);
        assert!(problems("")[0].contains("no lesson teaches it"));
        assert!(problems("lessons = [\"zip\"]")[0].contains("no lesson is called"));
        assert!(problems("planned = [\"map\"]")[0].contains("is written"));
    }
}
