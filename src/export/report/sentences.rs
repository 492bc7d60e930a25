//! Messages as sentences in both languages, since a report has no catalogue with it.

use crate::text::{Language, Message};
use serde::Deserialize;
use serde_json::Value;

/// Adds `en` and `zh` to every message of a value, as the page's worker does to its replies.
pub fn with_sentences(mut value: Value) -> Value {
    // The walk keeps its own list: nothing here may depend on how deep a file's data goes.
    let mut pending = vec![&mut value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(map) => {
                let is_message = map.get("key").is_some_and(Value::is_string)
                    && map.get("params").is_some_and(Value::is_object);
                if !is_message {
                    pending.extend(map.values_mut());
                    continue;
                }
                let plain = Value::Object(map.clone());
                if let Ok(message) = Message::deserialize(plain) {
                    for language in Language::ALL {
                        map.insert(language.code().to_owned(), message.render(language).into());
                    }
                }
            }
            _ => {}
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bytes;

    #[test]
    fn messages_become_sentences_wherever_they_stand() {
        let message = Message::new("growth.long_lived").count("count", 3).bytes("bytes", Bytes(2048));
        let value = with_sentences(serde_json::json!({ "a": [{ "b": message }], "key": "no message" }));
        let found = &value["a"][0]["b"];
        assert_eq!(found["en"], message.render(Language::English));
        assert_eq!(found["zh"], message.render(Language::Chinese));
        assert_eq!(found["params"]["bytes"], 2048);
        assert_eq!(value["key"], "no message");
        assert!(value.get("en").is_none());
    }
}
