//! `profiler_info[_RANK].json` and `profiler_metadata.json`: small, of many versions, so that only the
//! keys in use are looked at and none is required.

use crate::format::{Error, ErrorKind, Result};
use crate::model::Position;
use crate::model::profile::ProfilerInfo;
use serde_json::Value;

/// Reads either file (a folder's two may be merged with [`ProfilerInfo`]'s fields).
pub fn read_info(text: &[u8]) -> Result<ProfilerInfo> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        Error::new(ErrorKind::Malformed, format!("expected a JSON object: {error}"))
            .at(Position::Line(error.line() as u64))
    })?;
    let text_of = |v: &Value| match v {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let common = value.pointer("/config/common_config");
    let flag = |name: &str| common.and_then(|c| c.get(name)).and_then(Value::as_bool);
    Ok(ProfilerInfo {
        rank: value.get("rank_id").and_then(text_of).and_then(|t| t.trim().parse().ok()),
        role: value.get("role").and_then(text_of),
        torch_npu_version: value.get("torch_npu_version").and_then(text_of),
        cann_version: value.get("cann_version").and_then(text_of),
        with_stack: flag("with_stack"),
        profile_memory: flag("profile_memory"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_text_or_a_number_or_missing() {
        assert_eq!(read_info(br#"{"rank_id": "3", "role": "actor"}"#).unwrap().rank, Some(3));
        assert_eq!(read_info(br#"{"rank_id": 7}"#).unwrap().rank, Some(7));
        let info =
            read_info(br#"{"config": {"common_config": {"with_stack": false}}, "rank_id": -1}"#).unwrap();
        assert_eq!((info.rank, info.with_stack, info.role), (Some(-1), Some(false), None));
        assert!(read_info(b"[1,").is_err());
    }
}
