//! The seam between the replay and live frames (section 4 of the details page): a frame written
//! while a connection is being replayed reaches it exactly once, after the replay.

mod support;

use proptest::prelude::*;
use protocol::{Attempt, LastEventId};
use support::{ACK, LAUNCH, artifacts, lines, read, session, take, task};

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Ids run on by one in this session, so each frame is known by its id. Reads are cut anywhere;
    /// the frames written between them stay within the live window.
    #[test]
    fn every_frame_comes_exactly_once_and_in_order(
        before in 0_usize..300,
        from in 0_u64..320,
        is_watch in any::<bool>(),
        steps in prop::collection::vec((0_usize..3_000, 0_usize..8), 0..16),
    ) {
        let mut session = session();
        let mut attempt = Attempt::begin(&mut session, task("a"));
        artifacts(&mut session, &mut attempt, before);
        let last = LastEventId::Id(from);
        let mut connection = if is_watch {
            session.open_watch(LAUNCH, last)
        } else {
            session.open_stream(LAUNCH, last)
        };
        let mut got = String::new();
        let mut after = 0;
        for (permit, count) in steps {
            got.push_str(&take(&mut session, &mut connection, permit));
            artifacts(&mut session, &mut attempt, count);
            after += count;
        }
        got.push_str(&read(&mut session, &mut connection));
        if is_watch {
            got = got.strip_prefix(ACK).expect("first").to_owned();
        }
        // A replayed frame has a greater id than was asked for; a live one comes whatever its id.
        let replayed = (0..before).filter(|&id| id as u64 > from);
        let expected: Vec<_> =
            replayed.chain(before..before + after).map(|id| format!("{id} artifact \"\"")).collect();
        prop_assert_eq!(lines(&got), expected);
    }
}
