//! What a file's name says: which rank of which role, and where it stands in a series over time.
//!
//! Nothing inside a snapshot tells its rank, so names must: `rank3` in the file's name or in a folder's.
//! Numbers without a word count as ranks when they run on without a gap, else as an order in time.

use crate::model::{FastMap, fast_map};
use serde::Serialize;

/// What a name tells.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Named {
    /// The part a process plays in its job, such as `actor`; empty where the names tell none.
    pub role: String,
    pub rank: Option<i64>,
    /// Step, iteration or time of the snapshot.
    pub order: Option<i64>,
}

/// How names are to be understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// As they seem.
    #[default]
    Auto,
    /// Every file is a rank.
    Ranks,
    /// Files of one rank are a series; files without a rank are one series.
    Series,
}

const RANK: [&str; 4] = ["rank", "globalrank", "worldrank", "rk"];
/// Say the rank only where no name says `rank`.
const CARD: [&str; 6] = ["gpu", "npu", "card", "device", "dev", "worker"];
const ORDER: [&str; 9] = ["step", "iter", "iteration", "epoch", "it", "t", "time", "ts", "batch"];
const ROLES: [&str; 22] = [
    "actor",
    "critic",
    "reference",
    "ref",
    "rollout",
    "reward",
    "teacher",
    "student",
    "generator",
    "trainer",
    "policy",
    "value",
    "train",
    "infer",
    "inference",
    "eval",
    "prefill",
    "decode",
    "encoder",
    "decoder",
    "vit",
    "llm",
];

/// A word of a path, in lower case, or a number.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Word(String),
    Number(i64),
    /// Between two folders.
    Slash,
}

/// Takes a set of names apart; what a bare number means follows from all of them.
pub fn read_names(paths: &[String], kind: Kind) -> Vec<Named> {
    let tokens: Vec<Vec<Token>> = paths.iter().map(|path| tokens(path)).collect();
    let after = |words: &'static [&'static str]| -> Vec<Option<i64>> {
        tokens.iter().map(|tokens| number_after(tokens, words)).collect()
    };
    let mut ranks = after(&RANK);
    if ranks.iter().all(Option::is_none) {
        ranks = after(&CARD);
    }
    let mut orders = after(&ORDER);
    let bare = bare_numbers(&tokens);
    if ranks.iter().all(Option::is_none) && orders.iter().all(Option::is_none) {
        let is_series = match kind {
            Kind::Auto => !is_run_of_numbers(&bare),
            Kind::Ranks => false,
            Kind::Series => true,
        };
        if is_series {
            orders = bare;
        } else {
            ranks = bare;
        }
    } else if orders.iter().all(Option::is_none) {
        // Ranks are named; what else differs in number is time.
        orders = bare;
    }
    if kind == Kind::Ranks {
        orders = vec![None; paths.len()];
    }
    let roles = tokens.iter().map(|tokens| role(tokens));
    roles.zip(ranks).zip(orders).map(|((role, rank), order)| Named { role, rank, order }).collect()
}

fn tokens(path: &str) -> Vec<Token> {
    let end = path.rfind('.').filter(|&dot| !path[dot..].contains(['/', '\\'])).unwrap_or(path.len());
    let mut tokens = Vec::new();
    let mut chars = path[..end].chars().peekable();
    while let Some(&c) = chars.peek() {
        let mut text = String::new();
        if c.is_ascii_digit() {
            while let Some(c) = chars.next_if(char::is_ascii_digit) {
                text.push(c);
            }
            tokens.push(text.parse().map_or_else(|_| Token::Word(text), Token::Number));
        } else if c.is_alphabetic() {
            while let Some(c) = chars.next_if(|c| c.is_alphabetic()) {
                text.extend(c.to_lowercase());
            }
            tokens.push(Token::Word(text));
        } else {
            chars.next();
            if matches!(c, '/' | '\\') {
                tokens.push(Token::Slash);
            }
        }
    }
    tokens
}

/// The number after one of the words, the last in the path first.
fn number_after(tokens: &[Token], words: &[&str]) -> Option<i64> {
    tokens.windows(2).rev().find_map(|pair| match pair {
        [Token::Word(word), Token::Number(number)] if words.contains(&word.as_str()) => Some(*number),
        _ => None,
    })
}

/// The last number in each name that no word claims and that differs among the names; none where the
/// names are not alike.
fn bare_numbers(tokens: &[Vec<Token>]) -> Vec<Option<i64>> {
    let bare = |tokens: &Vec<Token>| -> Vec<i64> {
        let name = tokens.rsplit(|token| *token == Token::Slash).next().unwrap_or(&[]);
        let claimed = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| name.get(before));
            matches!(before, Some(Token::Word(word)) if RANK.contains(&word.as_str()) || CARD.contains(&word.as_str()))
        };
        let numbers = name.iter().enumerate().filter_map(|(at, token)| match token {
            Token::Number(number) if !claimed(at) => Some(*number),
            _ => None,
        });
        numbers.collect()
    };
    let all: Vec<Vec<i64>> = tokens.iter().map(bare).collect();
    let least = all.iter().map(Vec::len).min().unwrap_or(0);
    let column = |from_end: usize| -> Vec<Option<i64>> {
        all.iter().map(|numbers| numbers.iter().rev().nth(from_end).copied()).collect()
    };
    (0..least)
        .map(column)
        .find(|numbers| numbers.iter().any(|number| *number != numbers[0]))
        .unwrap_or_else(|| vec![None; tokens.len()])
}

/// 0, 1, 2 … or 1, 2, 3 … in any order, each once.
fn is_run_of_numbers(numbers: &[Option<i64>]) -> bool {
    let mut numbers: Vec<i64> = numbers.iter().copied().flatten().collect();
    numbers.sort_unstable();
    let first = numbers.first().copied().unwrap_or(0);
    (0..=1).contains(&first) && numbers.iter().zip(first..).all(|(&number, wanted)| number == wanted)
}

fn role(tokens: &[Token]) -> String {
    let is_role = |token: &&Token| matches!(token, Token::Word(word) if ROLES.contains(&word.as_str()));
    match tokens.iter().rev().find(is_role) {
        Some(Token::Word(word)) => word.clone(),
        _ => String::new(),
    }
}

/// Which of the files belong to a series: several of one rank, in an order that the names (or the reader)
/// tell. Files that only their folder tells apart get it as role, so that two jobs never fall into one.
pub fn find_series(names: &mut [Named], paths: &[String], kind: Kind) -> Vec<bool> {
    let counts = |names: &[Named]| {
        let mut counts: FastMap<(String, Option<i64>), (usize, bool)> = fast_map();
        for named in names {
            let entry = counts.entry((named.role.clone(), named.rank)).or_insert((0, true));
            *entry = (entry.0 + 1, entry.1 && named.order.is_some());
        }
        counts
    };
    let in_order = |(count, ordered): (usize, bool)| count > 1 && (ordered || kind == Kind::Series);
    let before = counts(names);
    for (named, path) in names.iter_mut().zip(paths) {
        let own = before.get(&(named.role.clone(), named.rank)).copied().unwrap_or_default();
        if named.rank.is_some() && named.role.is_empty() && own.0 > 1 && !in_order(own) {
            path.rsplit(['/', '\\']).nth(1).unwrap_or("").clone_into(&mut named.role);
        }
    }
    let after = counts(names);
    let is_series =
        |named: &Named| after.get(&(named.role.clone(), named.rank)).copied().is_some_and(in_order);
    names.iter().map(|named| kind != Kind::Ranks && is_series(named)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(paths: &[&str]) -> Vec<(String, Option<i64>, Option<i64>)> {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        read_names(&paths, Kind::Auto).into_iter().map(|n| (n.role, n.rank, n.order)).collect()
    }

    fn one(role: &str, rank: Option<i64>, order: Option<i64>) -> (String, Option<i64>, Option<i64>) {
        (role.to_owned(), rank, order)
    }

    #[test]
    fn ranks_are_named_in_files_and_folders() {
        assert_eq!(
            read(&["mem_rank3.pickle", "mem_rank-10.pickle"]),
            [one("", Some(3), None), one("", Some(10), None)]
        );
        assert_eq!(
            read(&["job/actor/rank_0/a.pickle", r"job\critic\rank_0\a.pickle"]),
            [one("actor", Some(0), None), one("critic", Some(0), None)]
        );
        assert_eq!(
            read(&["snap_0.pickle", "snap_1.pickle"]),
            [one("", Some(0), None), one("", Some(1), None)]
        );
        assert_eq!(read(&["gpu0.pickle", "gpu1.pickle"]), [one("", Some(0), None), one("", Some(1), None)]);
    }

    #[test]
    fn steps_and_times_make_a_series() {
        assert_eq!(
            read(&["s_step100.pkl", "s_step20.pkl"]),
            [one("", None, Some(100)), one("", None, Some(20))]
        );
        assert_eq!(
            read(&["mem_100.pkl", "mem_200.pkl"]),
            [one("", None, Some(100)), one("", None, Some(200))]
        );
        assert_eq!(
            read(&["rank0_step1.pkl", "rank0_step2.pkl", "rank1_step2.pkl"]),
            [one("", Some(0), Some(1)), one("", Some(0), Some(2)), one("", Some(1), Some(2))]
        );
        assert_eq!(
            read(&["h_rank1_1700000000.pkl", "h_rank1_1700000060.pkl"]),
            [one("", Some(1), Some(1_700_000_000)), one("", Some(1), Some(1_700_000_060))]
        );
    }

    #[test]
    fn several_of_one_rank_are_a_series_and_two_jobs_are_none() {
        let series = |paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
            let mut names = read_names(&paths, Kind::Auto);
            let found = find_series(&mut names, &paths, Kind::Auto);
            (found, names.into_iter().map(|named| named.role).collect::<Vec<_>>())
        };
        assert_eq!(series(&["rank0_step1.pkl", "rank0_step2.pkl", "rank1_step1.pkl"]).0, [true, true, false]);
        assert_eq!(
            series(&["x/rank0.pkl", "y/rank0.pkl"]),
            (vec![false, false], vec!["x".to_owned(), "y".to_owned()])
        );
        assert_eq!(series(&["a.pkl", "b.pkl"]).0, [false, false]);
    }

    #[test]
    fn a_name_without_a_number_tells_nothing() {
        assert_eq!(read(&["a.pickle"]), [one("", None, None)]);
        assert_eq!(read(&["dump.v2/a.pickle", "b.pickle"]), [one("", None, None), one("", None, None)]);
        assert_eq!(read(&[""]), [one("", None, None)]);
    }
}
