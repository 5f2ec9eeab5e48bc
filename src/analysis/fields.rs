//! The fields of a JSON object, taken one by one with a check of each.

use crate::notation::shortened;
use serde_json::{Map, Value};
use std::fmt;
use std::ops::RangeInclusive;

/// A field that is not what it should be.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FieldError {
    /// Its name.
    pub field: &'static str,
    /// Which element of the list that it holds, from 0, if it is about one.
    pub index: Option<usize>,
    /// What is wrong, and what was expected.
    pub problem: String,
}

impl FieldError {
    pub fn new(field: &'static str, problem: impl fmt::Display) -> FieldError {
        FieldError { field, index: None, problem: problem.to_string() }
    }

    pub fn expected(field: &'static str, expected: impl fmt::Display, found: &Value) -> FieldError {
        FieldError::new(field, format_args!("expected {expected}, found {}", shown(found)))
    }

    pub fn at(field: &'static str, index: usize, problem: impl fmt::Display) -> FieldError {
        FieldError { index: Some(index), ..FieldError::new(field, problem) }
    }
}

/// What is wrong with a line that is no JSON, without the place: the line has only one.
pub(super) fn problem_of_json(error: &serde_json::Error) -> String {
    error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
}

/// The longest part of a value that a message repeats, in characters.
pub(super) const SHOWN: usize = 40;

/// A value as a message shows it.
fn shown(value: &Value) -> String {
    shortened(&value.to_string(), SHOWN).into_owned()
}

/// What is left of an object. `null` is the same as a field that is not there.
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub fn new(object: Map<String, Value>) -> Fields {
        Fields(object)
    }

    pub fn take(&mut self, field: &str) -> Option<Value> {
        self.0.remove(field).filter(|value| !value.is_null())
    }

    pub fn text(&mut self, field: &'static str) -> Result<Option<String>, FieldError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(FieldError::expected(field, "a text", &other)),
        }
    }

    pub fn flag(&mut self, field: &'static str) -> Result<bool, FieldError> {
        match self.take(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(FieldError::expected(field, "true or false", &other)),
        }
    }

    pub fn whole(&mut self, field: &'static str, range: RangeInclusive<i64>) -> Result<Option<i64>, FieldError> {
        self.take(field).map(|value| whole(field, &value, &range)).transpose()
    }

    /// A number that need not be whole.
    pub fn number(&mut self, field: &'static str, range: RangeInclusive<f64>) -> Result<Option<f64>, FieldError> {
        let Some(value) = self.take(field) else { return Ok(None) };
        let number = value.as_f64().filter(|number| range.contains(number));
        let expected = || format!("a number from {} to {}", range.start(), range.end());
        number.map(Some).ok_or_else(|| FieldError::expected(field, expected(), &value))
    }

    /// A list of texts, or one text.
    pub fn texts(&mut self, field: &'static str) -> Result<Option<Texts>, FieldError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(Texts::One(text))),
            Some(Value::Array(elements)) => {
                let text = |(index, element)| match element {
                    Value::String(text) => Ok(text),
                    other => Err(FieldError { index: Some(index), ..FieldError::expected(field, "a text", &other) }),
                };
                let texts = elements.into_iter().enumerate().map(text).collect::<Result<_, _>>()?;
                Ok(Some(Texts::Many(texts)))
            }
            Some(other) => Err(FieldError::expected(field, "a text or a list of texts", &other)),
        }
    }

    /// A list of whole numbers below `end`, or `"all"`, which is all of these.
    pub fn indices(&mut self, field: &'static str, end: usize) -> Result<Option<Vec<usize>>, FieldError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) if text == "all" => Ok(Some((0..end).collect())),
            Some(Value::Array(elements)) => {
                let mut indices = Vec::new();
                for (place, element) in elements.iter().enumerate() {
                    let index = whole(field, element, &(0..=end as i64 - 1));
                    let index = index.map_err(|error| FieldError { index: Some(place), ..error })? as usize;
                    // A turn asked for twice is answered once.
                    if !indices.contains(&index) {
                        indices.push(index);
                    }
                }
                Ok(Some(indices))
            }
            Some(other) => Err(FieldError::expected(field, "a list of whole numbers or \"all\"", &other)),
        }
    }

    /// The names of the fields that were not taken.
    pub fn rest(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(name, _)| name)
    }
}

/// One text or several.
pub(super) enum Texts {
    One(String),
    Many(Vec<String>),
}

/// A whole number, which may be written as `8.0`.
pub(super) fn whole_number(value: &Value, range: &RangeInclusive<i64>) -> Option<i64> {
    let from_float = || value.as_f64().filter(|x| x.fract() == 0.0 && x.abs() <= 9.0e15).map(|x| x as i64);
    value.as_i64().or_else(from_float).filter(|number| range.contains(number))
}

fn whole(field: &'static str, value: &Value, range: &RangeInclusive<i64>) -> Result<i64, FieldError> {
    whole_number(value, range).ok_or_else(|| {
        let expected = match *range.end() {
            i64::MAX => format!("a whole number from {} to 2^63 - 1", range.start()),
            end => format!("a whole number from {} to {end}", range.start()),
        };
        FieldError::expected(field, expected, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Fields {
        match value {
            Value::Object(map) => Fields::new(map),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn numbers_are_checked() {
        let read = |value: Value| fields(json!({ "depth": value })).whole("depth", 1..=60);
        assert_eq!(read(json!(8)), Ok(Some(8)));
        assert_eq!(read(json!(8.0)), Ok(Some(8)));
        assert_eq!(read(Value::Null), Ok(None));
        for bad in [json!(0), json!(61), json!(8.5), json!("8"), json!(1e300), json!(-1), json!([8]), json!(u64::MAX)] {
            let error = read(bad.clone()).unwrap_err();
            assert_eq!(error.problem, format!("expected a whole number from 1 to 60, found {bad}"));
        }
        let seconds = |value: Value| fields(json!({ "time": value })).number("time", 0.001..=1e6);
        assert_eq!(seconds(json!(1)), Ok(Some(1.0)));
        assert!(seconds(json!(0)).unwrap_err().problem.starts_with("expected a number from 0.001 to 1000000"));
    }

    #[test]
    fn a_message_repeats_no_more_than_a_line_can_bear() {
        let error = fields(json!({ "engine": ["\u{e4}".repeat(5000)] })).text("engine").unwrap_err();
        assert!(error.problem.chars().count() < 100 && error.problem.ends_with("..."), "{}", error.problem);
    }

    #[test]
    fn an_element_of_a_list_is_named() {
        let error = fields(json!({ "turns": [0, 3, 4] })).indices("turns", 4).unwrap_err();
        assert_eq!(error, FieldError::at("turns", 2, "expected a whole number from 0 to 3, found 4"));
        assert_eq!(fields(json!({ "turns": [2, 0, 2.0] })).indices("turns", 4), Ok(Some(vec![2, 0])));
        assert_eq!(fields(json!({ "turns": "all" })).indices("turns", 3), Ok(Some(vec![0, 1, 2])));
        let error = fields(json!({ "moves": ["f5", 6] })).texts("moves").err().unwrap();
        assert_eq!(error.index, Some(1));
    }
}
