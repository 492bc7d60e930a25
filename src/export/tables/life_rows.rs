//! Rows that the replay and the attribution make: lives, their categories, and each device's figures.

use super::snapshot_rows::Devices;
use super::{Sink, Value, row_id, signed};
use crate::analysis::attribution::{Attributed, Category};
use crate::replay::{LifeFlags, LifeTable};
use crate::text::{Language, label};
use std::io;

/// The categories in their fixed order.
pub(super) fn categories(sink: &mut Sink<'_>) -> io::Result<()> {
    for category in Category::ALL {
        let key = format!("category.{}", category.id());
        let [en, zh] = [Language::English, Language::Chinese].map(|language| label(language, &key));
        sink(&[Value::Text(category.id()), Value::Text(en), Value::Text(zh)])?;
    }
    Ok(())
}

/// One row a life, device by device in birth order.
pub(super) fn lives(memory: &[Attributed<'_>], sink: &mut Sink<'_>) -> io::Result<()> {
    for of in memory {
        let device = Devices::of(of.snapshot).id(of.replay.device);
        let lives = of.lives();
        for id in lives.ids() {
            let flags = lives.flags(id);
            let flag = |flag: LifeFlags| Value::Int(i64::from(flags.has(flag)));
            let asked = Some(lives.pending_from(id)).filter(|&state| state != LifeTable::NEVER);
            sink(&[
                device,
                Value::Int(signed(of.address(id).0)),
                Value::Int(signed(lives.size(id).0)),
                Value::Int(signed(lives.block_size(id).0)),
                lives.begin_event(id).map(i64::from).into(),
                lives.end_event(id).map(i64::from).into(),
                asked.and_then(|state| state.checked_sub(1)).map(i64::from).into(),
                lives.stream(of.snapshot, id).some().map(|id| of.snapshot.streams.get(id)).into(),
                row_id(of.alloc_stack(id).some().map(|stack| stack.index())),
                Value::Int(of.category(id) as i64 + 1),
                Value::Int(i64::from(of.attribution.is_inferred(id))),
                flag(LifeFlags::INITIAL),
                flag(LifeFlags::WORKSPACE),
            ])?;
        }
    }
    Ok(())
}

/// What a query wants to start from: where the peak is, and how much it is.
pub(super) fn figures(memory: &[Attributed<'_>], sink: &mut Sink<'_>) -> io::Result<()> {
    for of in memory {
        let device = Devices::of(of.snapshot).id(of.replay.device);
        let (peak, reserved) = (of.replay.peak(), of.replay.peak_reserved());
        let figures = [
            ("initial_requested", signed(of.replay.initial_requested().0)),
            ("peak_requested", signed(peak.bytes.0)),
            ("peak_event", peak.event),
            ("peak_reserved", signed(reserved.bytes.0)),
            ("peak_reserved_event", reserved.event),
            ("final_requested", signed(of.replay.final_requested().0)),
            ("lives", of.lives().len() as i64),
        ];
        for (name, value) in figures {
            sink(&[device, Value::Text(name), Value::Int(value)])?;
        }
    }
    Ok(())
}
