//! Plain data as a writer sees it: a tree in which frames and stacks are shared objects.
//!
//! Writers differ in what they share and how; so the tree says *that* a value is one object, and each
//! writer says it in its own way.

use std::rc::Rc;

/// A value of a file.
#[derive(Clone, Debug)]
pub enum Value {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    /// A key or a constant: one object wherever it appears.
    Word(&'static str),
    /// A text that is an object of its own.
    Text(Rc<str>),
    List(Vec<Value>),
    Tuple(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    /// An object of [`Tree::shared`].
    Shared(usize),
}

impl Value {
    pub fn text(text: &str) -> Value {
        Value::Text(Rc::from(text))
    }

    pub fn int(value: u64) -> Value {
        Value::Int(i128::from(value))
    }

    /// A dictionary with fixed keys.
    pub fn dict(entries: Vec<(&'static str, Value)>) -> Value {
        Value::Dict(entries.into_iter().map(|(k, v)| (Value::Word(k), v)).collect())
    }
}

/// A value with the objects that it refers to more than once.
#[derive(Clone, Debug)]
pub struct Tree {
    pub root: Value,
    /// An object refers to earlier ones only.
    pub shared: Vec<Value>,
}

impl Tree {
    /// As JSON. Tuples become lists, shared objects are written out.
    pub fn to_json(&self) -> serde_json::Value {
        self.json_of(&self.root)
    }

    fn json_of(&self, value: &Value) -> serde_json::Value {
        use serde_json::{Number, Value as Json};
        match value {
            Value::None => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Int(n) => match (u64::try_from(*n), i64::try_from(*n)) {
                (Ok(n), _) => Json::from(n),
                (_, Ok(n)) => Json::from(n),
                _ => Json::Null,
            },
            Value::Float(x) => Number::from_f64(*x).map_or(Json::Null, Json::Number),
            Value::Word(text) => Json::from(*text),
            Value::Text(text) => Json::from(&**text),
            Value::List(items) | Value::Tuple(items) => {
                Json::Array(items.iter().map(|item| self.json_of(item)).collect())
            }
            Value::Dict(entries) => {
                let pairs = entries.iter().map(|(key, item)| {
                    let key = match key {
                        Value::Word(text) => (*text).to_owned(),
                        Value::Text(text) => text.to_string(),
                        other => format!("{other:?}"),
                    };
                    (key, self.json_of(item))
                });
                Json::Object(pairs.collect())
            }
            Value::Shared(id) => self.json_of(&self.shared[*id]),
        }
    }

    /// As `serde-pickle` writes it: no shared objects, a second opinion on unshared data.
    pub fn to_serde_pickle(&self) -> Vec<u8> {
        let value = self.pickle_of(&self.root);
        serde_pickle::value_to_vec(&value, serde_pickle::SerOptions::new()).expect("plain data has a pickle")
    }

    fn pickle_of(&self, value: &Value) -> serde_pickle::Value {
        use serde_pickle::{HashableValue, Value as Pickle};
        match value {
            Value::None => Pickle::None,
            Value::Bool(b) => Pickle::Bool(*b),
            Value::Int(n) => i64::try_from(*n).map_or_else(|_| Pickle::Int((*n).into()), Pickle::I64),
            Value::Float(x) => Pickle::F64(*x),
            Value::Word(text) => Pickle::String((*text).to_owned()),
            Value::Text(text) => Pickle::String(text.to_string()),
            Value::List(items) => Pickle::List(items.iter().map(|item| self.pickle_of(item)).collect()),
            Value::Tuple(items) => Pickle::Tuple(items.iter().map(|item| self.pickle_of(item)).collect()),
            Value::Dict(entries) => {
                let pairs = entries.iter().map(|(key, item)| {
                    let key = match key {
                        Value::Word(text) => (*text).to_owned(),
                        Value::Text(text) => text.to_string(),
                        other => format!("{other:?}"),
                    };
                    (HashableValue::String(key), self.pickle_of(item))
                });
                Pickle::Dict(pairs.collect())
            }
            Value::Shared(id) => self.pickle_of(&self.shared[*id]),
        }
    }
}
