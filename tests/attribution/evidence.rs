//! Every classified byte can be asked why.

use crate::common::{Owned, real, shared};
use hbmlens::analysis::attribution::{Basis, Category};
use hbmlens::text::{Language, label};

#[test]
fn every_life_has_a_reason_with_a_text_in_both_languages() {
    let Some(shared) = shared() else { return };
    for name in
        ["cuda_training.pickle", "cuda_many_segments.pickle", "cuda_forward.pickle", "npu_two_devices.pkl"]
    {
        let snapshot = real(&shared, name);
        for device in snapshot.devices() {
            let run = Owned::new(snapshot.clone(), device);
            let memory = run.memory();
            for life in run.replay.lives.ids() {
                let why = memory.why(life);
                let key = format!("rule.{}", why.name);
                for language in Language::ALL {
                    assert_ne!(label(language, &key), key);
                }
                assert_eq!(why.inferred, why.inference.is_some());
                match why.basis {
                    Basis::Stack(_) if why.category.explains() => {
                        let frame = why.frame.and_then(|frame| memory.frame_text(frame));
                        let stack = memory.stack_text(memory.alloc_stack(life));
                        assert!(frame.is_some_and(|frame| stack.contains(&frame)));
                    }
                    Basis::FreedAt(_) => assert_eq!(why.category, Category::Unknown),
                    _ => {}
                }
            }
            for (_, inference) in run.attribution.inferences() {
                assert_eq!(inference.evidence.problem(), None);
            }
        }
    }
}
