//! Text inside markup.

/// Text as it may stand between tags and in attributes of HTML and SVG. Characters that XML forbids become blanks.
///
/// ```
/// assert_eq!(emilia::render::escape("<a & \"b\">\u{1}"), "&lt;a &amp; &quot;b&quot;&gt; ");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Which program has made a page.
pub(crate) const GENERATOR: &str = "<meta name=\"generator\" content=\"Emilia\">";

/// The beginning of a page for a browser, up to what it shows, with a title that is escaped and what it has beyond the style of all pages.
pub(crate) fn page_head(title: &str, more_style: &str) -> String {
    let style = include_str!("page.css");
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">{GENERATOR}<title>{title}</title>\
         <style>{style}{more_style}</style></head>\n<body><main>\n"
    )
}

/// The beginning of a picture that needs nothing else. `label`, escaped, says what it shows.
pub(super) fn svg_head((width, height): (f64, f64), font_size: u32, label: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui,'Helvetica Neue',Arial,sans-serif\" font-size=\"{font_size}\" role=\"img\" aria-label=\"{label}\">\n"
    )
}
