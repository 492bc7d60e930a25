//! Trace entries and annotations become rows.

use super::handle::{Handle, tag};
use super::heap::Heap;
use super::keys;
use super::tables::{Tables, key_of};
use crate::model::{
    Action, Address, Annotation, Bytes, Device, Event, Nanos, Position, StackId, StreamId, StringId,
};

/// The optional columns of an entry, gathered while its keys are read.
struct Extras {
    pool: Handle,
    compile_context: StringId,
    user_metadata: StringId,
    internal_metadata: StringId,
    forward_frames: StringId,
    other_action: StringId,
    any: bool,
}

const NO_EXTRAS: Extras = Extras {
    pool: Handle::NONE,
    compile_context: StringId::NONE,
    user_metadata: StringId::NONE,
    internal_metadata: StringId::NONE,
    forward_frames: StringId::NONE,
    other_action: StringId::NONE,
    any: false,
};

const NO_EVENT: Event = Event {
    action: Action::Other,
    address: Address(0),
    size: Bytes(0),
    stream: StreamId::NONE,
    time: None,
    stack: StackId::NONE,
};

impl Tables {
    pub(super) fn event(&mut self, heap: &Heap, pairs: &[Handle]) -> Handle {
        let mut event = NO_EVENT;
        let mut extras = NO_EXTRAS;
        self.fill_event(heap, pairs, &mut event, &mut extras);
        match self.window.push(&mut self.snapshot.events, event) {
            Some(number) => {
                if extras.any {
                    self.set_extras(self.snapshot.events.len() - 1, &extras);
                }
                Handle::of(tag::EVENT, number)
            }
            None => Handle::LEFT_OUT,
        }
    }

    pub(super) fn amend_event(&mut self, heap: &Heap, row: Handle, pairs: &[Handle]) {
        let Some(row) = self.window.row_of(row.payload()).filter(|&row| row < self.snapshot.events.len())
        else {
            return;
        };
        let mut event = self.snapshot.events.get(row);
        let mut extras = NO_EXTRAS;
        self.fill_event(heap, pairs, &mut event, &mut extras);
        self.snapshot.events.set(row, event);
        self.set_extras(row, &extras);
    }

    #[inline]
    fn fill_event(&mut self, heap: &Heap, pairs: &[Handle], event: &mut Event, extras: &mut Extras) {
        for pair in pairs.chunks_exact(2) {
            let value = pair[1];
            match key_of(pair[0]) {
                keys::ACTION => match keys::action_of(StringId(value.id())) {
                    Some(action) if value.tag() == tag::TEXT => event.action = action,
                    _ => {
                        event.action = Action::Other;
                        extras.other_action = self.text(heap, value);
                        extras.any = true;
                        self.unknown_action(extras.other_action);
                    }
                },
                keys::ADDR | keys::DEVICE_FREE => match heap.as_u64(value) {
                    Some(address) => event.address = Address(address),
                    None => self.odd_value(pair[0]),
                },
                keys::SIZE => match heap.as_u64(value) {
                    Some(size) => event.size = Bytes(size),
                    None => self.odd_value(pair[0]),
                },
                keys::STREAM => event.stream = self.stream(heap, value),
                keys::TIME_US => event.time = time_of(heap, value),
                keys::FRAMES => event.stack = self.stack_value(heap, value),
                keys::POOL_ID => {
                    extras.pool = value;
                    extras.any = true;
                }
                keys::COMPILE_CONTEXT => {
                    extras.compile_context = self.text(heap, value);
                    extras.any = true;
                }
                keys::USER_METADATA => {
                    extras.user_metadata = self.text(heap, value);
                    extras.any = true;
                }
                keys::INTERNAL_METADATA => {
                    extras.internal_metadata = self.text(heap, value);
                    extras.any = true;
                }
                keys::FORWARD_FRAMES => {
                    extras.forward_frames = self.lines(heap, value);
                    extras.any = true;
                }
                _ => self.unknown_key(pair[0]),
            }
        }
    }

    fn set_extras(&mut self, row: usize, extras: &Extras) {
        let events = &mut self.snapshot.events;
        if extras.pool.tag() == tag::PAIR {
            events.pool.set(row, crate::model::PoolId(extras.pool.id()));
        }
        // Most entries that have these keys say "N/A" or "".
        if keys::says_something(extras.compile_context) {
            events.compile_context.set(row, extras.compile_context);
        }
        if keys::says_something(extras.user_metadata) {
            events.user_metadata.set(row, extras.user_metadata);
        }
        if keys::says_something(extras.internal_metadata) {
            events.internal_metadata.set(row, extras.internal_metadata);
        }
        if keys::says_something(extras.forward_frames) {
            events.forward_frames.set(row, extras.forward_frames);
        }
        if !extras.other_action.is_none() {
            events.other_action.set(row, extras.other_action);
        }
    }

    #[cold]
    fn unknown_action(&mut self, name: StringId) {
        let position = Some(Position::Byte(self.position));
        let Self { snapshot, .. } = self;
        let name = snapshot.strings.get(name);
        snapshot.warnings.add("unknown_action", position, || {
            format!(
                "events with the action {name:?}, which this program does not know, are kept but not replayed"
            )
        });
    }

    #[cold]
    pub(super) fn odd_value(&mut self, key: Handle) {
        let position = Some(Position::Byte(self.position));
        let Self { snapshot, .. } = self;
        let key = snapshot.strings.get(StringId(key.id()));
        snapshot
            .warnings
            .add("odd_value", position, || format!("{key:?} was not a number and is taken as missing"));
    }

    pub(super) fn annotation(&mut self, heap: &Heap, pairs: &[Handle]) -> Handle {
        let mut row =
            Annotation { name: StringId::NONE, stage: StringId::NONE, device: None::<Device>, time: None };
        for pair in pairs.chunks_exact(2) {
            let value = pair[1];
            match key_of(pair[0]) {
                keys::NAME => row.name = self.text(heap, value),
                keys::STAGE => row.stage = self.text(heap, value),
                keys::DEVICE => row.device = Tables::device(heap, value),
                keys::TIME_US => row.time = time_of(heap, value),
                _ => self.unknown_key(pair[0]),
            }
        }
        self.snapshot.annotations.push(row);
        Handle::of(tag::ANNOTATION, self.snapshot.annotations.len() as u64 - 1)
    }
}

/// Microseconds as the file has them. A float is taken to the nanosecond.
fn time_of(heap: &Heap, value: Handle) -> Option<Nanos> {
    if let Some(micros) = heap.as_float(value) {
        return micros.is_finite().then_some(Nanos((micros * 1000.0) as i64));
    }
    heap.as_int(value)
        .map(|micros| Nanos::from_micros(micros.clamp(i64::MIN.into(), i64::MAX.into()) as i64))
        .filter(|&time| time != crate::model::EventTable::NO_TIME)
}
