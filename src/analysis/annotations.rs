//! In which annotation an event falls: the innermost of those that are open.
//!
//! Annotations come as beginnings and ends that nest, and those of several threads may cross; so each end closes
//! the newest beginning of its name. What is left is a list of times with the name that holds from then on.

use crate::model::{Arrange, Device, Nanos, Snapshot, StringId};

/// The innermost open annotation of a device over time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    changes: Vec<(Nanos, Option<StringId>)>,
}

impl Annotations {
    pub fn new(snapshot: &Snapshot, device: Device) -> Annotations {
        let of_device = snapshot.annotations.iter().filter(|a| a.device.is_none_or(|d| d == device));
        let mut marks: Vec<(Nanos, StringId, StringId)> =
            of_device.filter_map(|a| Some((a.time?, a.stage, a.name))).collect();
        // Stable: at one time the order of the file stands.
        marks.arrange_by_key(|&(time, ..)| time);
        let mut open: Vec<StringId> = Vec::new();
        let mut changes = Vec::with_capacity(marks.len());
        for (time, stage, name) in marks {
            if snapshot.strings.get(stage).eq_ignore_ascii_case("start") {
                open.push(name);
            } else if let Some(at) = open.iter().rposition(|&other| other == name) {
                open.remove(at);
            }
            changes.push((time, open.last().copied()));
        }
        Annotations { changes }
    }

    /// The annotation at a time; one counts from its beginning, and no longer at its end.
    pub fn at(&self, time: Nanos) -> Option<StringId> {
        let after = self.changes.partition_point(|&(from, _)| from <= time);
        self.changes.get(after.checked_sub(1)?)?.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Annotation;

    #[test]
    fn the_innermost_counts_and_an_end_closes_its_own() {
        let mut snapshot = Snapshot::default();
        let mut add = |time: i64, name: &str, stage: &str, device: i32| {
            let (name, stage) = (snapshot.strings.intern(name), snapshot.strings.intern(stage));
            let device = Some(Device::Index(device));
            snapshot.annotations.push(Annotation { name, stage, device, time: Some(Nanos(time)) });
        };
        add(10, "step", "START", 0);
        add(20, "forward", "START", 0);
        add(25, "elsewhere", "START", 1);
        add(30, "loader", "START", 0);
        add(40, "forward", "END", 0);
        add(50, "loader", "END", 0);
        add(60, "step", "END", 0);
        add(70, "step", "END", 0);
        let found = Annotations::new(&snapshot, Device::Index(0));
        let name = |time| found.at(Nanos(time)).map(|id| snapshot.strings.get(id));
        let expected = [
            (9, None),
            (10, Some("step")),
            (29, Some("forward")),
            (39, Some("loader")),
            (40, Some("loader")),
            (50, Some("step")),
            (60, None),
            (99, None),
        ];
        for (time, wanted) in expected {
            assert_eq!(name(time), wanted, "{time}");
        }
    }
}
