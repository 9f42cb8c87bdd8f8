//! Describes what a format requires of a JSON value, in the terms of JSON Schema: types, required keys, no
//! additional keys, enumerated values.

use serde_json::Value;

pub enum Shape {
    Text,
    /// A text with a property, and the property's name.
    TextThat(&'static str, fn(&str) -> bool),
    OneOf(&'static [&'static str]),
    Flag,
    /// An integer with a minimum.
    Whole(i64),
    /// A number within a range.
    Number(f64, f64),
    /// A text, a number or a flag.
    Scalar,
    List(&'static Shape),
    /// An object with arbitrary keys.
    Map(&'static Shape),
    /// An object with these keys and no others.
    Object(&'static [Key]),
}

pub enum Key {
    Must(&'static str, Shape),
    May(&'static str, Shape),
}

impl Key {
    fn parts(&self) -> (&'static str, bool, &Shape) {
        match self {
            Key::Must(name, shape) => (name, true, shape),
            Key::May(name, shape) => (name, false, shape),
        }
    }
}

impl Shape {
    /// Returns all violations, each with a JSON pointer.
    pub fn problems(&self, value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        self.check(value, "", &mut found);
        found
    }

    fn check(&self, value: &Value, at: &str, found: &mut Vec<String>) {
        let in_range = |least: f64, most: f64| value.as_f64().is_some_and(|n| least <= n && n <= most);
        let fits = match self {
            Shape::Text => value.is_string(),
            Shape::TextThat(_, holds) => value.as_str().is_some_and(holds),
            Shape::OneOf(all) => value.as_str().is_some_and(|text| all.contains(&text)),
            Shape::Flag => value.is_boolean(),
            Shape::Whole(least) => value.as_i64().is_some_and(|n| n >= *least),
            Shape::Number(least, most) => in_range(*least, *most),
            Shape::Scalar => value.is_string() || value.is_number() || value.is_boolean(),
            Shape::List(_) => value.is_array(),
            Shape::Map(_) | Shape::Object(_) => value.is_object(),
        };
        if !fits {
            found.push(format!("{at}: {} is wanted, and it is {value}", self.name()));
            return;
        }
        match (self, value) {
            (Shape::List(item), Value::Array(all)) => {
                for (n, its) in all.iter().enumerate() {
                    item.check(its, &format!("{at}/{n}"), found);
                }
            }
            (Shape::Map(item), Value::Object(all)) => {
                for (key, its) in all {
                    item.check(its, &format!("{at}/{key}"), found);
                }
            }
            (Shape::Object(keys), Value::Object(all)) => {
                for (name, required, shape) in keys.iter().map(Key::parts) {
                    match all.get(name) {
                        Some(its) => shape.check(its, &format!("{at}/{name}"), found),
                        None if required => found.push(format!("{at}: there is no {name}")),
                        None => {}
                    }
                }
                let known = |key: &String| keys.iter().any(|known| known.parts().0 == key);
                for key in all.keys().filter(|key| !known(key)) {
                    found.push(format!("{at}: {key} is unknown"));
                }
            }
            _ => {}
        }
    }

    fn name(&self) -> String {
        match self {
            Shape::Text => "a text".into(),
            Shape::TextThat(what, _) => format!("a text, {what},"),
            Shape::OneOf(all) => format!("one of {all:?}"),
            Shape::Flag => "true or false".into(),
            Shape::Whole(least) => format!("an integer from {least}"),
            Shape::Number(least, most) => format!("a number from {least} to {most}"),
            Shape::Scalar => "a text, a number or a flag".into(),
            Shape::List(_) => "a list".into(),
            Shape::Map(_) | Shape::Object(_) => "an object".into(),
        }
    }

    /// Returns variants of the value in which one key is misspelt, for each key that the format prescribes.
    fn misspelt(&self, value: &Value) -> Vec<Value> {
        let mut variants = Vec::new();
        match (self, value) {
            (Shape::List(item), Value::Array(all)) => {
                for (n, its) in all.iter().enumerate() {
                    for wrong in item.misspelt(its) {
                        let mut all = all.clone();
                        all[n] = wrong;
                        variants.push(all.into());
                    }
                }
            }
            (Shape::Object(keys), Value::Object(all)) => {
                for (name, _, shape) in keys.iter().map(Key::parts) {
                    let Some(its) = all.get(name) else { continue };
                    for wrong in shape.misspelt(its) {
                        let mut all = all.clone();
                        all.insert(name.into(), wrong);
                        variants.push(all.into());
                    }
                    let mut all = all.clone();
                    all.remove(name);
                    all.insert(format!("{name}s"), its.clone());
                    variants.push(all.into());
                }
            }
            _ => {}
        }
        variants
    }
}

/// Asserts that a value satisfies the format, and that it would not with any key misspelt.
pub fn assert_fits(shape: &Shape, value: &Value) {
    assert_eq!(shape.problems(value), [""; 0]);
    let wrong = shape.misspelt(value);
    assert!(
        !wrong.is_empty() || value.as_array().is_some_and(Vec::is_empty),
        "nothing was compared: {value}"
    );
    for wrong in wrong {
        assert!(!shape.problems(&wrong).is_empty(), "{wrong}");
    }
}
