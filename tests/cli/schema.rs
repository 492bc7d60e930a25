//! Real output against the JSON Schemas of docs/schema.
//!
//! The validator knows the keywords those files use and refuses any other, so that a schema cannot say
//! more than is checked.

use crate::support::{run, shared, snapshots};
use serde_json::Value;
use std::path::Path;

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// Checks a value against the schema of that name.
pub fn assert_valid(name: &str, value: &Value) {
    let root = schema(name);
    if let Err(problem) = validate(&root, &root, value, name) {
        panic!("{problem}");
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn has_type(value: &Value, wanted: &Value) -> bool {
    let found = type_of(value);
    match wanted {
        Value::String(name) => name == found || (name == "number" && found == "integer"),
        Value::Array(names) => names.iter().any(|name| has_type(value, name)),
        _ => false,
    }
}

fn validate(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Err(format!("{at}: a schema is an object")) };
    let empty = serde_json::Map::new();
    let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let items = value.as_array().map(|a| a.len() as u64);
    let members = value.as_object().map(|o| o.len() as u64);
    for (keyword, wanted) in keywords {
        let bound = wanted.as_u64().unwrap_or(0);
        let fits = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "type" => has_type(value, wanted),
            "const" => value == wanted,
            "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => value.as_f64().zip(wanted.as_f64()).is_none_or(|(v, least)| v >= least),
            "maximum" => value.as_f64().zip(wanted.as_f64()).is_none_or(|(v, most)| v <= most),
            "minItems" => items.is_none_or(|n| n >= bound),
            "maxItems" => items.is_none_or(|n| n <= bound),
            "minProperties" => members.is_none_or(|n| n >= bound),
            "maxProperties" => members.is_none_or(|n| n <= bound),
            "required" => {
                let names = wanted.as_array().expect("a list").iter().map(|n| n.as_str().expect("a name"));
                let missing: Vec<&str> =
                    names.filter(|&n| value.as_object().is_some_and(|o| !o.contains_key(n))).collect();
                if !missing.is_empty() {
                    return Err(format!("{at}: {missing:?} missing"));
                }
                true
            }
            "properties" => {
                for (name, part) in properties {
                    if let Some(inner) = value.get(name) {
                        validate(root, part, inner, &format!("{at}.{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let others = value.as_object().unwrap_or(&empty);
                for (name, inner) in others.iter().filter(|(name, _)| !properties.contains_key(*name)) {
                    if *wanted == Value::Bool(false) {
                        return Err(format!("{at}: {name} is not described"));
                    }
                    validate(root, wanted, inner, &format!("{at}.{name}"))?;
                }
                true
            }
            "items" => {
                for (i, inner) in value.as_array().into_iter().flatten().enumerate() {
                    validate(root, wanted, inner, &format!("{at}[{i}]"))?;
                }
                true
            }
            "anyOf" => {
                let parts = wanted.as_array().expect("a list");
                let problems: Vec<String> =
                    parts.iter().filter_map(|part| validate(root, part, value, at).err()).collect();
                if problems.len() == parts.len() {
                    return Err(problems.join("; or "));
                }
                true
            }
            "$ref" => {
                let name =
                    wanted.as_str().and_then(|r| r.strip_prefix("#/$defs/")).expect("a local reference");
                return validate(root, &root["$defs"][name], value, at);
            }
            other => return Err(format!("{at}: this validator does not know {other}")),
        };
        if !fits {
            return Err(format!("{at}: {keyword} {wanted} does not hold for {value}"));
        }
    }
    Ok(())
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let check = |schema: &str, value: &str| {
        let (schema, value) = (serde_json::from_str(schema).unwrap(), serde_json::from_str(value).unwrap());
        validate(&schema, &schema, &value, "it").is_ok()
    };
    assert!(check(r#"{"type": "number", "minimum": 0}"#, "1"));
    assert!(!check(r#"{"type": "integer"}"#, "1.5"));
    assert!(!check(r#"{"required": ["a"]}"#, "{}"));
    assert!(!check(r#"{"properties": {"a": {"const": 1}}}"#, r#"{"a": 2}"#));
    assert!(!check(r#"{"items": {"enum": ["x"]}}"#, r#"["x", "y"]"#));
    assert!(!check(r#"{"additionalProperties": false}"#, r#"{"a": 2}"#));
    assert!(check(r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#, "null"));
    assert!(!check(r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#, "1"));
    assert!(!check(r#"{"pattern": "x"}"#, "1"));
}

/// Every command whose output a schema of the same name describes.
const COMMANDS: &[&str] = &["overview", "stats", "check", "peak", "fragment", "leak", "oom", "all"];

#[test]
fn output_on_real_files_is_as_the_schemas_say() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        for command in COMMANDS {
            let ran = run([command.as_ref(), path.as_os_str(), "--json".as_ref()]);
            let json = ran.json();
            assert_eq!(json.len(), 1, "{command} {}", path.display());
            for object in &json {
                assert_valid(command, object);
            }
        }
    }
}
