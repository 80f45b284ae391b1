//! Tasks that wait for one another, and who sees what of them (protocol page, "Endpoints").

use crate::support::{CLOSED, QUEUE, Served, TaskFrames, builder, scenario};
use std::time::Duration;
use tokio::time::sleep;

const REPLY: &str = "one two three";

/// Every task streams three words, one a second.
async fn served() -> Served {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play_by_default(scenario(&format!(
        "pace = \"1s\"\n[[step]]\nturn = {{ emit = [{{ text = \"{REPLY}\" }}] }}\n\
         [[step]]\nend = {{ completed = \"{REPLY}\" }}\n"
    )));
    served
}

fn run(names: &TaskFrames) -> String {
    names.turn(0, 1, REPLY) + &names.completed(5, REPLY)
}

#[tokio::test(start_paused = true)]
async fn each_submitter_sees_the_task_that_runs_and_closes_on_its_final() {
    let served = served().await;
    let mut watcher = served.watch().await;
    let [a, b, c] = [0, 1, 2].map(TaskFrames::nth);
    let mut client_a = served.submit("a").await;
    let mut client_b = served.submit("b").await;
    // B's submitter sees A's frames, and closes on A's final: B has not even begun.
    let run_of_a = run(&a);
    client_a.expect_all(&run_of_a).await;
    client_b.expect_all(run_of_a.strip_prefix(&a.working(0, 1)).unwrap()).await;
    // C's submitter sees the rest of B, and closes on B's final.
    sleep(Duration::from_millis(1500)).await;
    let mut client_c = served.submit("c").await;
    let run_of_b = run(&b);
    let begun = [b.working(0, 1), b.text(1, "one ")].concat();
    client_c.expect_all(run_of_b.strip_prefix(&begun).unwrap()).await;
    // What became of C, a watcher sees.
    watcher.expect([run_of_a, run_of_b, run(&c)].concat()).await;
    served.close().await;
    watcher.expect_all(CLOSED).await;
}

#[tokio::test(start_paused = true)]
async fn the_states_of_the_queue_can_be_asked_for() {
    let served = served().await;
    let [a, b, c] = [0, 1, 2].map(TaskFrames::nth);
    for names in [&a, &b, &c] {
        served.say("hello", &names.result("submitted")).await;
    }
    // Each takes three seconds.
    sleep(Duration::from_millis(4500)).await;
    for (names, state) in [(&a, "completed"), (&b, "working"), (&c, "submitted")] {
        served.get(&names.task, &names.result(state)).await;
    }
    // Without an id it is the one that runs, and then the last.
    served.call("tasks/get", "{}", &b.result("working")).await;
    sleep(Duration::from_secs(60)).await;
    served.call("tasks/get", "{}", &c.result("completed")).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_of_message_send_is_seen_by_watchers_alone() {
    let served = served().await;
    let mut watcher = served.watch().await;
    let [a, b] = [0, 1].map(TaskFrames::nth);
    served.say("a", &a.result("submitted")).await;
    watcher.expect(run(&a)).await;
    // A submitter that comes later has nothing of it.
    served.submit("b").await.expect_all(run(&b)).await;
}
