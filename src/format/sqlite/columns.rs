//! The columns of a table, from the statement that made it: the only place where a file names them.

/// Columns by their place in a row.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns {
    names: Vec<String>,
    /// The column that stands for the row's id.
    pub row_id: Option<usize>,
}

impl Columns {
    /// The place of a column, whatever the case of its letters.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own.eq_ignore_ascii_case(name))
    }
}

/// What may begin a part of the statement that is no column.
const CONSTRAINTS: [&str; 5] = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];

/// `None` for tables whose rows are not stored by their ids.
pub(super) fn columns_of(sql: &str) -> Option<Columns> {
    let (_, rest) = sql.split_once('(')?;
    let (inside, after) = rest.rsplit_once(')')?;
    if after.to_ascii_uppercase().contains("WITHOUT") {
        return None;
    }
    let mut columns = Columns::default();
    for part in parts(inside) {
        let part = part.trim();
        let (name, rest) = first_word(part);
        if name.is_empty() || CONSTRAINTS.iter().any(|word| name.eq_ignore_ascii_case(word)) {
            continue;
        }
        let words: Vec<String> = rest.split_whitespace().map(str::to_ascii_uppercase).collect();
        if words.starts_with(&["INTEGER", "PRIMARY", "KEY"].map(str::to_owned)) {
            columns.row_id = Some(columns.names.len());
        }
        columns.names.push(name.to_owned());
    }
    Some(columns)
}

/// Splits at commas that stand outside of brackets and quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_u32, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '[') => quote = Some(']'),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(text.get(start..at).unwrap_or(""));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or(""));
    parts
}

/// The name that a part begins with, without its quotes, and what follows.
fn first_word(part: &str) -> (&str, &str) {
    for (open, close) in [('"', '"'), ('`', '`'), ('[', ']'), ('\'', '\'')] {
        if let Some((name, rest)) = part.strip_prefix(open).and_then(|rest| rest.split_once(close)) {
            return (name, rest);
        }
    }
    part.split_once(char::is_whitespace).unwrap_or((part, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_without_types_quotes_and_constraints() {
        let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, \"a b\" TEXT DEFAULT ('x,y'), [c] DECIMAL(10, 2), \
                   d, UNIQUE (c, d), FOREIGN KEY(d) REFERENCES u(id))";
        let columns = columns_of(sql).unwrap();
        assert_eq!(columns.names, ["id", "a b", "c", "d"]);
        assert_eq!((columns.row_id, columns.find("C"), columns.find("x")), (Some(0), Some(2), None));
        assert_eq!(columns_of("CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID"), None);
        assert_eq!(columns_of("CREATE TABLE sqlite_sequence(name,seq)").unwrap().names, ["name", "seq"]);
    }
}
