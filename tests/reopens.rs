//! Attempts at a task that was reopened (protocol page, `status` and "Event ids").

use crate::support::{CLOSED, QUEUE, Served, TaskFrames, builder, scenario};
use std::time::Duration;
use tokio::time::sleep;

/// A capsule with a queue whose tasks play scenarios.
async fn served() -> Served {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play();
    served
}

#[tokio::test(start_paused = true)]
async fn a_reopened_task_counts_its_ids_and_turns_anew_and_its_submitter_sees_one_attempt() {
    let served = served().await;
    let mut watcher = served.watch().await;
    let mut submitter = served.submit("reopen").await;
    let names = TaskFrames::nth(0);
    let first = names.turn(0, 1, "Done.") + &names.completed(3, "Done.");
    let reply = "Done, with tests this time.";
    let second = names.turn(0, 1, reply) + &names.completed(7, reply);
    submitter.expect_all(&first).await;
    watcher.expect([&*first, &*second].concat()).await;
    served.close().await;
    watcher.expect_all(CLOSED).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_reopened_up_to_its_limit_after_completed_and_after_failed() {
    let served = served().await;
    let mut watcher = served.watch().await;
    let _submitter = served.submit("reopen-limit").await;
    let names = TaskFrames::nth(0);
    watcher.expect(names.turn(0, 1, "First.") + &names.completed(3, "First.")).await;
    // The driver did not return: its chunks count, but not for the task.
    watcher
        .expect([names.working(0, 1), names.text(1, "Second, "), names.text(2, "and")].concat())
        .await;
    watcher.expect(names.failed(1, "session ended")).await;
    let bash = r#"{"tool_name":"bash","content":"<untrusted-content source=tool:bash>\n$ true\n</untrusted-content>","fence_source":"tool:bash","tool_call_id":"toolu_01","is_error":false,"duration_ms":0,"exit_code":0,"truncated":false}"#;
    watcher
        .expect([names.working(0, 1), names.artifact(1, bash), names.working(2, 2)].concat())
        .await;
    watcher
        .expect(names.failed(3, "max_turns exceeded: the task used all 2 inference turns"))
        .await;
    let last = [names.working(0, 1), names.final_text(1, "Fourth."), names.completed(2, "Fourth.")];
    watcher.expect(last.concat()).await;
    sleep(Duration::from_secs(1)).await;
    served.close().await;
    watcher.expect_all(CLOSED).await;
}

#[tokio::test(start_paused = true)]
async fn a_submitter_that_comes_between_the_attempts_closes_on_the_final_of_the_next() {
    let served = served().await;
    let names = TaskFrames::nth(0);
    let first = names.turn(0, 1, "Done.") + &names.completed(3, "Done.");
    served.submit("reopen").await.expect_all(first).await;
    // The second attempt has begun, and takes 100 ms before its first chunk.
    sleep(Duration::from_millis(50)).await;
    let mut second = served.submit("whole-reply").await;
    let reply = "Done, with tests this time.";
    let turn = names.turn(0, 1, reply);
    let seen = turn.strip_prefix(&names.working(0, 1)).unwrap();
    second.expect_all([seen, &names.completed(7, reply)].concat()).await;
}

#[tokio::test(start_paused = true)]
async fn a_reopened_task_works_again_from_the_beginning_of_its_attempt() {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play_by_default(scenario(
        "[[step]]\nturn = {}\n[[step]]\nend = { completed = \"\" }\n[[step]]\nreopen = {}\n\
         [[step]]\npause = \"2s\"\n[[step]]\nturn = {}\n[[step]]\nend = { completed = \"\" }\n",
    ));
    let mut watcher = served.watch().await;
    let names = TaskFrames::nth(0);
    let first = [names.working(0, 1), names.completed(1, "")].concat();
    served.submit("hello").await.expect_all(&first).await;
    sleep(Duration::from_secs(1)).await;
    served.get(&names.task, &names.result("working")).await;
    // So it can be cancelled, which takes effect where its first turn would begin.
    served.cancel_over_http(&names.task, &names.result("canceled")).await;
    watcher.expect(first + &names.canceled(0)).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_is_not_reopened() {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play_by_default(scenario(
        "[[step]]\nturn = { after = \"1s\", cancel_after = \"500ms\" }\n\
         [[step]]\nend = { completed = \"\" }\n[[step]]\nreopen = {}\n\
         [[step]]\nturn = {}\n[[step]]\nend = { completed = \"\" }\n",
    ));
    let mut watcher = served.watch().await;
    let _submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    watcher.expect([names.working(0, 1), names.canceled(1)].concat()).await;
    sleep(Duration::from_secs(5)).await;
    served.close().await;
    watcher.expect_all(CLOSED).await;
}
