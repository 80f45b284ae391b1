//! The agent card, and the way to it.

use protocol::door::{AgentCard, Route, route};

const PATH: &str = "/.well-known/agent-card.json";

fn card(accepts_tasks: bool) -> String {
    let card = AgentCard {
        name: "re\"viewer",
        version: "1.2.0",
        authority: "127.0.0.1:52222",
        accepts_tasks,
    };
    String::from_utf8(card.to_json()).expect("UTF-8")
}

#[test]
fn it_says_who_and_where_the_agent_is_and_which_methods_it_serves() {
    assert_eq!(
        card(true),
        concat!(
            r#"{"name":"re\"viewer","version":"1.2.0","url":"http://127.0.0.1:52222/","#,
            r#""capabilities":{"streaming":true},"#,
            r#""methods":["message/send","message/stream","stream/watch","tasks/cancel","#,
            r#""tasks/get"]}"#
        )
    );
}

#[test]
fn of_a_capsule_that_accepts_no_tasks_it_has_no_message_methods_and_no_streaming() {
    assert_eq!(
        card(false),
        concat!(
            r#"{"name":"re\"viewer","version":"1.2.0","url":"http://127.0.0.1:52222/","#,
            r#""capabilities":{"streaming":false},"#,
            r#""methods":["stream/watch","tasks/cancel","tasks/get"]}"#
        )
    );
}

#[test]
fn get_leads_to_it_whatever_the_query_and_the_content_type() {
    for path in [PATH.to_owned(), format!("{PATH}?"), format!("{PATH}?a=/b")] {
        assert_eq!(route::<&str>("GET", &path, &[]), Route::AgentCard, "{path}");
        assert_eq!(route("GET", &path, &["text/plain"]), Route::AgentCard, "{path}");
    }
}

#[test]
fn nothing_else_leads_to_it() {
    for method in ["POST", "HEAD", "PUT", "get", ""] {
        assert_eq!(route(method, PATH, &["application/json"]), Route::NotFound, "{method}");
    }
    for path in
        ["/.well-known/agent-card", "/.well-known/agent.json", "/.well-known/", "/agent-card.json"]
    {
        assert_eq!(route::<&str>("GET", path, &[]), Route::NotFound, "{path}");
    }
    assert_eq!(route::<&str>("GET", &format!("{PATH}/"), &[]), Route::NotFound);
}
