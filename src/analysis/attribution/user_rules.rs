//! Rules of the user's own: a regular expression on file or function, and the category it means.
//!
//! One rule a line, `CATEGORY file|function REGEX`; empty lines and lines that begin with `#` are
//! skipped. They are tried before the built-in rules, in their order, on every frame that is not noise;
//! the first rule that fits any frame decides. The page keeps this text in its settings, the terminal
//! reads it from a file. Each brings its own engine for regular expressions: a browser has one.

use super::category::Category;
use super::frame_traits::with_slashes;
use core::fmt;
use std::rc::Rc;

/// Says whether a text fits a pattern.
pub type Matcher = Rc<dyn Fn(&str) -> bool>;

/// Which text of a frame a rule looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    File,
    Function,
}

/// One rule.
#[derive(Clone)]
pub struct UserRule {
    pub category: Category,
    pub field: Field,
    /// The regular expression as written.
    pub pattern: String,
    matcher: Matcher,
    /// Its line in the text, from 1.
    pub line: u32,
}

impl fmt::Debug for UserRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// The rules of one text, in order.
#[derive(Clone, Debug, Default)]
pub struct UserRules(Vec<UserRule>);

/// Why a text of rules could not be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserRuleError {
    #[error("line {line}: expected CATEGORY file|function REGEX, found {found:?}")]
    Shape { line: u32, found: String },
    #[error("line {line}: {found:?} is no category; use one of {}", Category::ALL.map(Category::id).join(", "))]
    Category { line: u32, found: String },
    #[error("line {line}: {found:?} is neither `file` nor `function`")]
    Field { line: u32, found: String },
    #[error("line {line}: the regular expression is not valid: {problem}")]
    Regex { line: u32, problem: String },
}

impl UserRuleError {
    /// The line of the text, from 1.
    pub fn line(&self) -> u32 {
        match *self {
            UserRuleError::Shape { line, .. }
            | UserRuleError::Category { line, .. }
            | UserRuleError::Field { line, .. }
            | UserRuleError::Regex { line, .. } => line,
        }
    }
}

impl UserRules {
    /// Reads the rules of a text.
    pub fn parse(text: &str) -> Result<UserRules, UserRuleError> {
        UserRules::parse_with(text, &|pattern| {
            let regex = regex_lite::Regex::new(pattern).map_err(|error| error.to_string())?;
            Ok(Rc::new(move |text: &str| regex.is_match(text)))
        })
    }

    /// Reads the rules of a text with an engine of the caller's; its errors are sentences.
    pub fn parse_with(
        text: &str,
        engine: &dyn Fn(&str) -> Result<Matcher, String>,
    ) -> Result<UserRules, UserRuleError> {
        let mut rules = Vec::new();
        for (number, raw) in (1_u32..).zip(text.lines()) {
            let content = raw.trim();
            if !content.is_empty() && !content.starts_with('#') {
                rules.push(UserRule::parse(number, content, engine)?);
            }
        }
        Ok(UserRules(rules))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, index: usize) -> Option<&UserRule> {
        self.0.get(index)
    }

    /// The first rule that fits a frame.
    pub(super) fn first_that_fits(&self, file: &str, function: &str) -> Option<usize> {
        let file = with_slashes(file);
        self.0.iter().position(|rule| match rule.field {
            Field::File => (rule.matcher)(&file),
            Field::Function => (rule.matcher)(function),
        })
    }
}

impl UserRule {
    fn parse(
        line: u32,
        content: &str,
        engine: &dyn Fn(&str) -> Result<Matcher, String>,
    ) -> Result<UserRule, UserRuleError> {
        let (category, rest) = split_word(content);
        let (field, pattern) = split_word(rest);
        if pattern.is_empty() {
            return Err(UserRuleError::Shape { line, found: content.to_owned() });
        }
        let category = Category::from_id(category)
            .ok_or_else(|| UserRuleError::Category { line, found: category.to_owned() })?;
        let field = match field {
            "file" => Field::File,
            "function" => Field::Function,
            _ => return Err(UserRuleError::Field { line, found: field.to_owned() }),
        };
        let matcher = engine(pattern).map_err(|problem| UserRuleError::Regex { line, problem })?;
        Ok(UserRule { category, field, pattern: pattern.to_owned(), matcher, line })
    }

    /// How the rule is named where a built-in one shows its name.
    pub fn name(&self) -> String {
        let field = match self.field {
            Field::File => "file",
            Field::Function => "function",
        };
        format!("{} {field} {}", self.category, self.pattern)
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_line_by_line() {
        let rules =
            UserRules::parse("# ours\n\nkv_cache  function ^reserve slots$\n other file net/.*\\.py\n");
        let rules = rules.unwrap_or_default();
        assert_eq!(rules.first_that_fits("C:\\net\\a.py", "f"), Some(1));
        assert_eq!(rules.first_that_fits("x.py", "reserve slots"), Some(0));
        assert_eq!(rules.first_that_fits("x.py", "f"), None);
        assert_eq!(rules.get(0).map(UserRule::name), Some("kv_cache function ^reserve slots$".to_owned()));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text| UserRules::parse(text).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error("\nnonsense file x").starts_with("line 2: \"nonsense\" is no category"));
        assert!(error("input frame x").contains("neither `file` nor `function`"));
        assert!(error("input file").contains("expected CATEGORY"));
        assert!(error("input file (").contains("not valid"));
    }
}
