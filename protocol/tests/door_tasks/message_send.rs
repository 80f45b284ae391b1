//! `message/send`: a task, or the answer to one that waits.

use crate::{Loop, MESSAGE, call, error, snapshot, waiting};
use protocol::door::{Submitted, TaskState};

#[test]
fn a_task_that_is_accepted_is_submitted() {
    for params in [MESSAGE.to_owned(), format!(r#"{{"message":{MESSAGE}}}"#)] {
        let mut tasks = Loop::new([]);
        assert_eq!(
            call("message/send", &params, &mut tasks),
            concat!(
                r#"{"jsonrpc":"2.0","id":1,"result":{"#,
                r#""contextId":"ctx_0199c4e2f1b7712a9d3e000000000002","#,
                r#""id":"tsk_0199c4e2f1b7712a9d3e000000000001","#,
                r#""status":{"state":"submitted"}}}"#
            )
        );
        let [submission] = tasks.got.try_into().expect("one submission");
        assert_eq!(submission.task.id.as_str(), "tsk_0199c4e2f1b7712a9d3e000000000001");
        assert_eq!(submission.text, "Hello");
        assert_eq!((submission.message_id.as_str(), submission.role.as_str()), ("m", "user"));
    }
}

#[test]
fn the_context_that_the_message_names_is_used_verbatim() {
    for (context, echoed) in
        [(r#""ctx_mine""#, r#""ctx_mine""#), (r#""""#, r#""""#), (r#""\u00e9\n\"""#, r#""é\n\"""#)]
    {
        let params = MESSAGE.replacen('{', &format!(r#"{{"contextId":{context},"#), 1);
        assert_eq!(
            call("message/send", &params, &mut Loop::new([])),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"contextId":{echoed},"id":"tsk_0199c4e2f1b7712a9d3e000000000001","status":{{"state":"submitted"}}}}}}"#
            )
        );
    }
}

#[test]
fn rejected_is_a_result() {
    assert_eq!(
        call("message/send", MESSAGE, &mut Loop::that_says(Submitted::Busy)),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"#,
            r#""contextId":"ctx_0199c4e2f1b7712a9d3e000000000002","#,
            r#""id":"tsk_0199c4e2f1b7712a9d3e000000000001","#,
            r#""status":{"state":"rejected"}}}"#
        )
    );
}

#[test]
fn a_task_that_cannot_be_handed_over_is_an_internal_error() {
    assert_eq!(
        call("message/send", MESSAGE, &mut Loop::that_says(Submitted::QueueFailed)),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: queue send failed"}}"#
    );
}

#[test]
fn params_that_are_no_message_are_told_in_proper_json() {
    for (params, reason) in [
        ("{}", "missing field `messageId`"),
        ("", "invalid type: null, expected struct A2aMessage"),
        (r#"{"message":"x\n"}"#, r#"invalid type: string \"x\\n\", expected struct A2aMessage"#),
        (
            r#"{"messageId":"m","role":"user","parts":"a\"b"}"#,
            r#"invalid type: string \"a\\\"b\", expected a sequence"#,
        ),
    ] {
        let mut tasks = Loop::new([waiting("a", "?")]);
        assert_eq!(
            call("message/send", params, &mut tasks),
            error(-32602, &format!("Invalid params: {reason}")),
            "{params}"
        );
        // It is no answer to the task that waits either.
        assert_eq!((tasks.answered.len(), tasks.got.len()), (0, 0));
    }
}

#[test]
fn any_message_answers_the_task_that_waits_whatever_its_context() {
    for context in
        ["", r#""contextId":"ctx_a","#, r#""contextId":"ctx_of_another","#, r#""contextId":null,"#]
    {
        let params = MESSAGE.replacen('{', &format!("{{{context}"), 1);
        let mut tasks =
            Loop::new([waiting("a", "Which one?"), snapshot("b", TaskState::Submitted)]);
        assert_eq!(
            call("message/send", &params, &mut tasks),
            r#"{"jsonrpc":"2.0","id":1,"result":{"contextId":"ctx_a","id":"tsk_a","status":{"state":"working"}}}"#
        );
        assert_eq!(tasks.answered, ["Hello"]);
        assert_eq!(tasks.got, []);
    }
}
