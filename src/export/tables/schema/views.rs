//! Views: the sums that most questions about a snapshot begin with.

/// Views: their names and what they select.
pub const VIEWS: [(&str, &str); 5] = [
    (
        "device_overview",
        "SELECT d.device_index AS device, COALESCE(SUM(s.total_size), 0) AS reserved, \
         COALESCE(SUM(s.allocated_size), 0) AS allocated, COALESCE(SUM(s.active_size), 0) AS active, \
         COALESCE((SUM(s.total_size) - SUM(s.allocated_size)) * 1.0 / NULLIF(SUM(s.total_size), 0), 0.0) AS fragmentation, \
         COUNT(s.id) AS segments FROM devices d LEFT JOIN segments s ON s.device_id = d.id GROUP BY d.id",
    ),
    (
        "block_state_dist",
        "SELECT d.device_index AS device, b.state AS state, COUNT(*) AS count, SUM(b.size) AS bytes \
         FROM blocks b JOIN segments s ON s.id = b.segment_id JOIN devices d ON d.id = s.device_id GROUP BY d.id, b.state",
    ),
    (
        "segment_type_dist",
        "SELECT d.device_index AS device, s.segment_type AS segment_type, COUNT(*) AS count, SUM(s.total_size) AS bytes, \
         SUM(s.allocated_size) AS allocated FROM segments s JOIN devices d ON d.id = s.device_id GROUP BY d.id, s.segment_type",
    ),
    (
        "expansion_timeline",
        "SELECT d.device_index AS device, t.trace_index AS trace_index, t.action AS action, t.size AS size, \
         COALESCE(r.reserved, 0) - COALESCE(SUM(CASE WHEN t.action IN ('segment_alloc', 'segment_map') THEN t.size ELSE -t.size END) \
         OVER (PARTITION BY t.device_id ORDER BY t.trace_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0) AS running_reserved \
         FROM traces t JOIN devices d ON d.id = t.device_id \
         LEFT JOIN (SELECT device_id, SUM(total_size) AS reserved FROM segments GROUP BY device_id) r ON r.device_id = t.device_id \
         WHERE t.action IN ('segment_alloc', 'segment_map', 'segment_free', 'segment_unmap')",
    ),
    (
        "top_allocations",
        "SELECT b.stack_id AS stack, SUM(b.size) AS bytes, COUNT(*) AS count, c.frames_json AS frames_json \
         FROM blocks b LEFT JOIN call_stacks c ON c.id = b.stack_id WHERE b.state = 'active_allocated' \
         GROUP BY b.stack_id ORDER BY bytes DESC",
    ),
];
