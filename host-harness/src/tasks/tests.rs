//! The queue and the registry.

use super::{Input, Next, Submitted, TaskAcceptance, Tasks};
use protocol::{Submission, Task, TaskId, TaskState};

fn submission(id: &str) -> Submission {
    Submission {
        task: Task { id: id.to_owned().into(), context_id: "ctx".to_owned().into() },
        message_id: "m".into(),
        role: "user".into(),
        text: String::new(),
    }
}

fn submit(queue: &Tasks, id: &str) -> Submitted {
    queue.submit(submission(id))
}

fn cancel(queue: &Tasks, id: &str) -> Option<TaskState> {
    queue.cancel(&TaskId::from(id.to_owned())).map(|snapshot| snapshot.state)
}

async fn next(queue: &Tasks) -> Next {
    queue.next().await.unwrap()
}

#[test]
fn none_accepts_nothing() {
    assert_eq!(submit(&Tasks::new(TaskAcceptance::None), "a"), Submitted::Busy);
}

#[tokio::test]
async fn single_accepts_one_task_in_its_life() {
    let queue = Tasks::new(TaskAcceptance::Single);
    assert_eq!(submit(&queue, "a"), Submitted::Accepted);
    assert_eq!(submit(&queue, "b"), Submitted::Busy);
    assert_eq!(next(&queue).await, Next::Run(submission("a")));
    queue.ended();
    assert_eq!(submit(&queue, "c"), Submitted::Busy);
}

#[tokio::test]
async fn the_task_that_runs_does_not_count_among_those_that_wait() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 1 });
    assert_eq!(submit(&queue, "a"), Submitted::Accepted);
    assert_eq!(submit(&queue, "b"), Submitted::Accepted);
    assert_eq!(submit(&queue, "c"), Submitted::Busy);
    assert_eq!(next(&queue).await, Next::Run(submission("a")));
    assert_eq!(submit(&queue, "c"), Submitted::Busy);
    queue.ended();
    assert_eq!(next(&queue).await, Next::Run(submission("b")));
    assert_eq!(submit(&queue, "c"), Submitted::Accepted);
}

#[tokio::test]
async fn an_idle_queue_of_depth_0_accepts_a_task() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 0 });
    assert_eq!(submit(&queue, "a"), Submitted::Accepted);
    assert_eq!(submit(&queue, "b"), Submitted::Busy);
}

#[tokio::test]
async fn a_cancelled_task_frees_its_place_while_its_entry_stays() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 2 });
    for id in ["a", "b", "c"] {
        assert_eq!(submit(&queue, id), Submitted::Accepted);
    }
    assert_eq!(submit(&queue, "d"), Submitted::Busy);
    assert_eq!(cancel(&queue, "b"), Some(TaskState::Canceled));
    assert_eq!(cancel(&queue, "b"), Some(TaskState::Canceled));
    assert_eq!(cancel(&queue, "no such task"), None);
    assert_eq!(submit(&queue, "e"), Submitted::QueueFailed);
    assert_eq!(next(&queue).await, Next::Run(submission("a")));
    queue.ended();
    assert_eq!(next(&queue).await, Next::Canceled(submission("b")));
    assert_eq!(submit(&queue, "e"), Submitted::Accepted);
    assert_eq!(next(&queue).await, Next::Run(submission("c")));
}

#[tokio::test]
async fn a_closed_queue_fails_to_take_a_task_it_has_a_place_for() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 1 });
    queue.close();
    assert_eq!(submit(&queue, "a"), Submitted::QueueFailed);
    assert!(queue.next().await.is_none());
}

#[tokio::test]
async fn a_task_that_is_cancelled_before_the_loop_takes_it_never_starts() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 1 });
    submit(&queue, "a");
    cancel(&queue, "a");
    assert_eq!(next(&queue).await, Next::Canceled(submission("a")));
    assert_eq!(submit(&queue, "b"), Submitted::Accepted);
    assert_eq!(next(&queue).await, Next::Run(submission("b")));
}

fn state(queue: &Tasks, id: Option<&str>) -> Option<TaskState> {
    let id = id.map(|id| TaskId::from(id.to_owned()));
    queue.get(id.as_ref()).map(|snapshot| snapshot.state)
}

#[tokio::test]
async fn without_an_id_it_is_the_task_that_runs_or_else_the_last() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 2 });
    assert_eq!(state(&queue, None), None);
    submit(&queue, "a");
    submit(&queue, "b");
    next(&queue).await;
    let running = queue.get(None).unwrap();
    assert_eq!(running.task.id.as_str(), "a");
    queue.stands(&running.task.id, TaskState::Completed);
    queue.ended();
    assert_eq!(queue.get(None).unwrap().task.id.as_str(), "b");
    assert_eq!(state(&queue, Some("a")), Some(TaskState::Completed));
}

#[tokio::test]
async fn a_finished_task_cannot_be_cancelled() {
    let queue = Tasks::new(TaskAcceptance::Single);
    submit(&queue, "a");
    next(&queue).await;
    queue.stands(&TaskId::from("a".to_owned()), TaskState::Completed);
    assert_eq!(cancel(&queue, "a"), Some(TaskState::Completed));
}

#[tokio::test]
async fn a_task_without_a_final_status_has_failed() {
    let queue = Tasks::new(TaskAcceptance::Single);
    submit(&queue, "a");
    next(&queue).await;
    queue.stands(&TaskId::from("a".to_owned()), TaskState::Working);
    queue.ended();
    assert_eq!(state(&queue, Some("a")), Some(TaskState::Failed));
}

#[tokio::test]
async fn a_wait_takes_one_answer_and_shows_its_prompt_until_then() {
    let queue = Tasks::new(TaskAcceptance::Single);
    let a = TaskId::from("a".to_owned());
    assert!(queue.answer("nobody waits".into()).is_none());
    submit(&queue, "a");
    next(&queue).await;
    let answered = queue.wait_for_input(&a, "Which one?");
    let waiting = queue.get(None).unwrap();
    assert_eq!(waiting.state, TaskState::InputRequired);
    assert_eq!(waiting.prompt.as_deref(), Some("Which one?"));
    let working = queue.answer("This one".into()).unwrap();
    assert_eq!((working.state, working.prompt), (TaskState::Working, None));
    assert!(matches!(answered.await.unwrap(), Input::Answer(text) if text == "This one"));
    assert!(queue.answer("too late".into()).is_none());
}

#[tokio::test]
async fn a_cancel_ends_a_wait_and_later_waits_at_once() {
    let queue = Tasks::new(TaskAcceptance::Single);
    let a = TaskId::from("a".to_owned());
    submit(&queue, "a");
    next(&queue).await;
    let canceled = queue.canceled(&a).unwrap();
    let first = queue.wait_for_input(&a, "?");
    cancel(&queue, "a");
    assert!(matches!(first.await.unwrap(), Input::Canceled));
    assert!(*canceled.borrow());
    assert!(matches!(queue.wait_for_input(&a, "?").await.unwrap(), Input::Canceled));
}

#[tokio::test]
async fn ended_tasks_over_the_limit_in_bytes_are_forgotten_oldest_first() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 9 });
    for id in ["a", "b", "c", "d", "e"] {
        let mut long = submission(id);
        long.task.context_id = "x".repeat(super::REMEMBERED_BYTES / 2).into();
        assert_eq!(queue.submit(long), Submitted::Accepted);
    }
    // None of them has ended.
    let known = || ["a", "b", "c", "d", "e"].map(|id| state(&queue, Some(id)).is_some());
    assert_eq!(known(), [true; 5]);
    for _ in 0..3 {
        next(&queue).await;
        queue.ended();
    }
    submit(&queue, "f");
    assert_eq!(known(), [false, false, false, true, true]);
}

#[tokio::test]
async fn the_last_task_is_remembered_whatever_its_size() {
    let queue = Tasks::new(TaskAcceptance::Queue { depth: 9 });
    let mut long = submission("a");
    long.task.context_id = "x".repeat(2 * super::REMEMBERED_BYTES).into();
    queue.submit(long);
    next(&queue).await;
    queue.ended();
    assert_eq!(state(&queue, None), Some(TaskState::Failed));
}

#[tokio::test]
async fn a_close_lets_go_of_everybody_who_waits_for_a_task() {
    let queue = Tasks::new(TaskAcceptance::Single);
    let (first, second, _) = tokio::join!(queue.next(), queue.next(), async { queue.close() });
    assert_eq!((first, second), (None, None));
}

#[tokio::test]
async fn an_answer_that_nobody_waits_for_any_more_is_not_taken() {
    let queue = Tasks::new(TaskAcceptance::Single);
    let a = TaskId::from("a".to_owned());
    submit(&queue, "a");
    next(&queue).await;
    drop(queue.wait_for_input(&a, "?"));
    assert!(queue.answer("late".into()).is_none());
    assert_eq!(state(&queue, Some("a")), Some(TaskState::Working));
    drop(queue.wait_for_input(&a, "?"));
    queue.no_longer_waits(&a);
    assert_eq!(state(&queue, Some("a")), Some(TaskState::Working));
}

#[tokio::test]
async fn a_cancelled_task_stands_so_whatever_its_loop_says() {
    let queue = Tasks::new(TaskAcceptance::Single);
    let a = TaskId::from("a".to_owned());
    submit(&queue, "a");
    next(&queue).await;
    assert!(queue.stands(&a, TaskState::Working));
    cancel(&queue, "a");
    assert!(!queue.stands(&a, TaskState::Completed));
    assert!(queue.stands(&a, TaskState::Canceled));
    assert_eq!(state(&queue, Some("a")), Some(TaskState::Canceled));
}
