//! Converts the Markdown that `clmatch lab` writes to HTML: headings, paragraphs, captions, lists, tables, figures, code and
//! subscripts. Everything else is text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::pages::markup::Markup;

/// Escapes text for HTML, also within an attribute.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Blocks of Markdown as HTML. Figures are embedded as images, in which scripts cannot run. `name` distinguishes the tables of
/// one text from those of others.
pub(crate) fn html(name: &str, text: &str, figures: &[(String, String)]) -> Markup {
    let mut html = String::new();
    let mut tables = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        if line.is_empty() || is_comment(line) {
            continue;
        }
        if let Some(title) = line.strip_prefix('#') {
            // The page shows the title of the experiment above.
            html.push_str(&format!("<h3>{}</h3>\n", inline(title.trim_start_matches('#').trim())));
        } else if let Some(figure) = figure(line, figures) {
            html.push_str(&figure);
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|next| next.starts_with('|')) {
                rows.push(row);
            }
            tables += 1;
            html.push_str(&table(&format!("{name}, table {tables}"), &rows));
        } else if let Some(first) = item(line) {
            let mut items = vec![first];
            while let Some(next) = lines.next_if(|next| item(next).is_some()) {
                items.extend(item(next));
            }
            let items: String = items.iter().map(|item| format!("<li>{}</li>", inline(item))).collect();
            html.push_str(&format!("<ul>{items}</ul>\n"));
        } else {
            let mut words = line.to_owned();
            while let Some(next) = lines.next_if(|next| is_text(next)) {
                words.push(' ');
                words.push_str(next.trim());
            }
            html.push_str(&match caption(&words) {
                Some(caption) => format!("<p class=\"quiet\">{}</p>\n", inline(caption)),
                None => format!("<p>{}</p>\n", inline(&words)),
            });
        }
    }
    Markup::escaped(html)
}

/// Whether a line is a comment for programs.
fn is_comment(line: &str) -> bool {
    line.starts_with("<!--") && line.ends_with("-->")
}

/// A paragraph that is all italics: the caption of a figure.
fn caption(words: &str) -> Option<&str> {
    words.strip_prefix('*')?.strip_suffix('*').filter(|inside| !inside.contains('*'))
}

fn item(line: &str) -> Option<&str> {
    line.strip_prefix("* ").or(line.strip_prefix("- "))
}

fn is_text(line: &str) -> bool {
    !line.trim().is_empty()
        && !line.starts_with(['#', '|'])
        && !line.starts_with("![")
        && item(line).is_none()
        && !is_comment(line)
}

/// `![what](file)` alone on a line.
fn figure(line: &str, figures: &[(String, String)]) -> Option<String> {
    let (what, rest) = line.strip_prefix("![")?.split_once("](")?;
    let name = rest.strip_suffix(')')?;
    let Some((_, svg)) = figures.iter().find(|(known, _)| known == name) else {
        return Some(format!("<p class=\"quiet\">The figure {} is not there.</p>\n", escape(name)));
    };
    // The figure's own title says more than the few words beside it, if it has one: a title further down belongs to a part of the
    // figure.
    let head = svg.split_once("<style>").map_or(svg.as_str(), |(head, _)| head);
    let title =
        head.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).map(|(title, _)| title);
    let title = title.filter(|title| !title.contains(['<', '"'])).map_or_else(|| escape(what), str::to_owned);
    Some(format!(
        "<figure><img class=\"figure-image\" alt=\"{}\" src=\"data:image/svg+xml;base64,{}\"><figcaption>{}</figcaption></figure>\n",
        escape(what),
        STANDARD.encode(svg),
        escape(&unescape(&title))
    ))
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn cells(row: &str) -> Vec<String> {
    let inside = row.trim().trim_start_matches('|').trim_end_matches('|');
    // A bar within a cell is escaped with a backslash.
    let marked = inside.replace("\\|", "\u{0}");
    marked.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}

fn table(name: &str, rows: &[&str]) -> String {
    let head = cells(rows[0]);
    let is_rule = |row: &&str| row.chars().all(|c| "|-: ".contains(c));
    let aligned: Vec<bool> = rows
        .get(1)
        .filter(|row| is_rule(row))
        .map_or_else(Vec::new, |row| cells(row).iter().map(|cell| cell.ends_with(':')).collect());
    let class = |at: usize| if aligned.get(at).copied().unwrap_or(false) { " class=\"number\"" } else { "" };
    let heads: String = head
        .iter()
        .enumerate()
        .map(|(at, cell)| match cell.is_empty() {
            true => "<td></td>".to_owned(),
            false => format!("<th scope=\"col\"{}>{}</th>", class(at), inline(cell)),
        })
        .collect();
    let body = rows.iter().skip(if aligned.is_empty() { 1 } else { 2 });
    let body: String = body
        .map(|row| {
            let cells = cells(row);
            let cells: String = cells
                .iter()
                .enumerate()
                .map(|(at, cell)| format!("<td{}>{}</td>", class(at), inline(cell)))
                .collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>{heads}</tr></thead>\n\
         <tbody>{body}</tbody></table></div>\n",
        escape(name)
    )
}

/// Code, and links reduced to their text: the files that they lead to are not in the page.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            html.push_str(&format!("<code>{}</code>", escape(piece)));
        } else {
            let plain = escape(&without_links(piece)).replace("\\*", "*").replace("\\_", "_");
            html.push_str(&subscripted(&plain));
        }
    }
    html
}

/// Names of measures such as `CH<sub>A</sub>`: the only tags are those around a single capital letter.
fn subscripted(escaped: &str) -> String {
    let mut html = escaped.to_owned();
    for letter in 'A'..='Z' {
        html = html.replace(&format!("&lt;sub&gt;{letter}&lt;/sub&gt;"), &format!("<sub>{letter}</sub>"));
    }
    html
}

fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        match after.split_once("](").and_then(|(name, target)| Some((name, target.split_once(')')?.1))) {
            Some((name, behind)) if !name.contains('[') => {
                plain.push_str(name);
                rest = behind;
            }
            _ => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_html() {
        let text = "Some `code` and\nmore [text](x.md).\n\n## Part\n* a\n* b\n\n| x | y |\n| --- | ---: |\n| a\\|b | 1 |\n";
        assert_eq!(
            html("x", text, &[]).to_string(),
            "<p>Some <code>code</code> and more text.</p>\n<h3>Part</h3>\n<ul><li>a</li><li>b</li></ul>\n\
             <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"x, table 1\"><table><thead><tr><th scope=\"col\">x</th>\
             <th scope=\"col\" class=\"number\">y</th></tr></thead>\n<tbody><tr><td>a|b</td><td class=\"number\">1</td></tr>\n\
             </tbody></table></div>\n"
        );
    }

    #[test]
    fn captions_subscripts_and_remarks() {
        let text = "<!-- claims -->\n\n*What CH<sub>A</sub> shows.*\n\n5 * 3 is not a<sub>b</sub>.\n";
        assert_eq!(
            html("x", text, &[]).to_string(),
            "<p class=\"quiet\">What CH<sub>A</sub> shows.</p>\n<p>5 * 3 is not a&lt;sub&gt;b&lt;/sub&gt;.</p>\n"
        );
        let svg = "<svg><style></style><g><title>a point</title></g></svg>".to_owned();
        let page = html("x", "![what](f.svg)\n", &[("f.svg".to_owned(), svg)]).to_string();
        assert!(page.contains("<figcaption>what</figcaption>"), "{page}");
    }

    #[test]
    fn hostile_text_stays_text() {
        let hostile = "<script>alert(1)</script> \"'\n\n| <b> |\n| --- |\n| <i onclick=x> |\n\n* <img src=x>\n\n![<x>](f\"><b.svg)\n\n`<code>`\n";
        let figures = [("f.svg".to_owned(), "<svg><script>1</script></svg>".to_owned())];
        let page = html("\"><b>", &format!("{hostile}\n![a\"b](f.svg)\n"), &figures).to_string();
        for tag in ["<script", "<b>", "<i ", "<img src=x", "<x>", "a\"b"] {
            assert!(!page.contains(tag), "{tag} in {page}");
        }
        assert!(page.contains("src=\"data:image/svg+xml;base64,"), "{page}");
    }
}
