//! The steps of a random session.

use proptest::prelude::*;
use protocol::LastEventId;
use protocol::door::Submitted;

/// What a client asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Request {
    Watch,
    /// A message that becomes a task, or what the loop says instead.
    Stream(Submitted),
    /// Params that are no message.
    Bad,
}

/// One step of a random session.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Begin,
    BeginTurn,
    InferenceReturned,
    Text(usize),
    Thinking(usize),
    Artifact(usize),
    /// So many artifacts, to push connections out of the window and frames out of the buffer.
    Burst(usize),
    InputWait {
        answered: bool,
    },
    Completed(usize),
    Failed,
    Canceled,
    Abandon,
    CancelQueued,
    Connect(Request, LastEventId),
    Read {
        client: usize,
        permit: usize,
    },
    Disconnect(usize),
    Advance(u64),
    Close,
}

fn last_event_id() -> impl Strategy<Value = LastEventId> {
    let exact = [
        0,
        u64::MAX,
        2_305_843_009_213_693_950,
        2_305_843_009_213_693_951,
        4_611_686_018_427_387_902,
        9_223_372_036_854_775_807,
    ];
    prop_oneof![
        2 => Just(LastEventId::Absent),
        1 => Just(LastEventId::NotANumber),
        4 => (0_u64..40).prop_map(LastEventId::Id),
        2 => (0_u64..700).prop_map(LastEventId::Id),
        1 => prop::sample::select(exact.to_vec()).prop_map(LastEventId::Id),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        5 => Just(Request::Watch),
        6 => Just(Request::Stream(Submitted::Accepted)),
        1 => Just(Request::Stream(Submitted::Busy)),
        1 => Just(Request::Stream(Submitted::QueueFailed)),
        1 => Just(Request::Bad),
    ]
}

fn permit() -> impl Strategy<Value = usize> {
    prop_oneof![
        1 => 0_usize..4,
        2 => 0_usize..200,
        2 => 0_usize..4_096,
        2 => 4_096_usize..65_536,
        2 => Just(usize::MAX),
    ]
}

/// Any step, those that matter more often.
pub(crate) fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => Just(Op::Begin),
        4 => Just(Op::BeginTurn),
        4 => Just(Op::InferenceReturned),
        6 => (0_usize..40).prop_map(Op::Text),
        3 => (0_usize..40).prop_map(Op::Thinking),
        4 => (0_usize..400).prop_map(Op::Artifact),
        1 => (1_usize..40).prop_map(Op::Burst),
        2 => (120_usize..140).prop_map(Op::Burst),
        1 => (140_usize..600).prop_map(Op::Burst),
        2 => any::<bool>().prop_map(|answered| Op::InputWait { answered }),
        2 => (0_usize..40).prop_map(Op::Completed),
        1 => Just(Op::Failed),
        1 => Just(Op::Canceled),
        1 => Just(Op::Abandon),
        2 => Just(Op::CancelQueued),
        8 => (request(), last_event_id()).prop_map(|(request, last)| Op::Connect(request, last)),
        20 => (any::<usize>(), permit()).prop_map(|(client, permit)| Op::Read { client, permit }),
        1 => any::<usize>().prop_map(Op::Disconnect),
        4 => (0_u64..40_000).prop_map(Op::Advance),
        1 => Just(Op::Close),
    ]
}
