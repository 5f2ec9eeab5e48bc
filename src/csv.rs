//! Comma-separated values.

/// A text as a field: in quotation marks where it holds what would end the field or the row.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_field_or_a_row_is_in_quotation_marks() {
        for (text, field) in [("ada", "ada"), ("a,b", "\"a,b\""), ("a\rb", "\"a\rb\""), ("\"a\"\n", "\"\"\"a\"\"\n\"")]
        {
            assert_eq!(quoted(text), field);
        }
    }
}
