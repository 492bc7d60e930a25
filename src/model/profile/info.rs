//! What a profiler folder says about itself.

use serde::Serialize;

/// From `profiler_info[_RANK].json` and `profiler_metadata.json`; every key may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProfilerInfo {
    pub rank: Option<i64>,
    pub role: Option<String>,
    pub torch_npu_version: Option<String>,
    pub cann_version: Option<String>,
    pub with_stack: Option<bool>,
    pub profile_memory: Option<bool>,
}
