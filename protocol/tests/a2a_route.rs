//! Where requests lead (details page, section 1).

use proptest::prelude::*;
use protocol::ContextId;
use protocol::a2a::{ListQuery, Route, StreamQuery, route};

fn id(agent_id: &str) -> String {
    agent_id.to_owned()
}

#[test]
fn every_route_of_the_page_is_served() {
    let table = [
        ("POST", "/a2a/a1", Route::Rpc { agent_id: id("a1") }),
        ("POST", "/a2a/a1?x=%zz", Route::Rpc { agent_id: id("a1") }),
        ("GET", "/a2a/a1", Route::MethodNotAllowed { allow: "POST" }),
        (
            "GET",
            "/a2a/a1/stream",
            Route::Stream { agent_id: id("a1"), query: Ok(StreamQuery::default()) },
        ),
        ("POST", "/agents/register", Route::Register),
        ("POST", "/agents/heartbeat", Route::Heartbeat),
        ("POST", "/agents/deregister", Route::Deregister),
        ("DELETE", "/agents/a1", Route::Delete { agent_id: id("a1") }),
        ("GET", "/agents", Route::List(Ok(ListQuery::default()))),
        ("GET", "/agents?", Route::List(Ok(ListQuery::default()))),
        ("GET", "/agents/a1", Route::Get { agent_id: id("a1") }),
        ("GET", "/agents/register", Route::Get { agent_id: id("register") }),
        ("GET", "/.well-known/agent-card.json", Route::GatewayCard),
        ("GET", "/a2a/a1/.well-known/agent-card.json", Route::AgentCard { agent_id: id("a1") }),
        ("GET", "/metrics", Route::Metrics),
    ];
    for (method, path, expected) in table {
        assert_eq!(route(method, path), expected, "{method} {path}");
    }
}

#[test]
fn other_methods_on_known_paths_are_not_allowed() {
    let table = [
        ("DELETE", "/a2a/a1", "POST"),
        ("POST", "/a2a/a1/stream", "GET"),
        ("POST", "/agents", "GET"),
        ("POST", "/agents/a1", "GET, DELETE"),
        ("PUT", "/agents/register", "GET, POST, DELETE"),
        ("POST", "/metrics", "GET"),
        ("HEAD", "/.well-known/agent-card.json", "GET"),
        ("POST", "/a2a/a1/.well-known/agent-card.json", "GET"),
        ("get", "/metrics", "GET"),
    ];
    for (method, path, allow) in table {
        assert_eq!(route(method, path), Route::MethodNotAllowed { allow }, "{method} {path}");
    }
}

#[test]
fn other_paths_are_not_found() {
    for path in
        ["", "/", "*", "a2a/a1", "/a2a", "/a2a/", "/a2a/a1/", "/a2a//stream", "/x", "/agents/"]
    {
        assert_eq!(route("POST", path), Route::NotFound, "{path}");
        assert_eq!(route("GET", path), Route::NotFound, "{path}");
    }
}

#[test]
fn ids_are_unescaped_and_unchecked() {
    assert_eq!(route("POST", "/a2a/%61+%2f"), Route::Rpc { agent_id: id("a+/") });
    assert_eq!(route("POST", "/a2a/%6"), Route::Rpc { agent_id: id("%6") });
}

fn stream(query: &str) -> Result<StreamQuery, String> {
    match route("GET", &format!("/a2a/a1/stream?{query}")) {
        Route::Stream { query, .. } => query.map_err(|error| error.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_stream_without_parameters_is_the_request_of_the_page() {
    let body = r#"{"jsonrpc":"2.0","id":"f3c1","method":"message/stream","params":{}}"#;
    assert_eq!(stream("").unwrap().body("f3c1"), body);
    assert_eq!(stream("&&other=1").unwrap().body("f3c1"), body);
}

#[test]
fn parameters_become_params() {
    let table = [
        ("text=a+b&text=%C3%A9%22", r#""message":{"parts":[{"text":"a b"},{"text":"é\""}]}"#),
        ("text", r#""message":{"parts":[{"text":""}]}"#),
        ("contextId=c%201", r#""message":{"contextId":"c 1"}"#),
        ("timeout=2.5", r#""configuration":{"timeout":2.5}"#),
        (
            "timeout=60&contextId=c&te%78t=x",
            r#""message":{"parts":[{"text":"x"}],"contextId":"c"},"configuration":{"timeout":60}"#,
        ),
    ];
    for (query, params) in table {
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":"s","method":"message/stream","params":{{{params}}}}}"#
        );
        assert_eq!(stream(query).unwrap().body("s"), expected, "{query}");
    }
    let parsed = stream("timeout=1.50&contextId=").unwrap();
    assert_eq!(parsed.timeout(), Some(1.5));
    assert_eq!(parsed.context_id, Some(ContextId::from(String::new())));
    assert!(parsed.body("s").contains(r#""timeout":1.50}"#));
}

#[test]
fn what_no_query_can_say_is_an_error() {
    let escape = "invalid query: a % is not followed by two hexadecimal digits";
    let timeout = "invalid query: timeout must be a number of seconds above 0";
    let table = [
        ("text=%", escape),
        ("text=%4", escape),
        ("text=%+4", escape),
        ("%gg=1", escape),
        ("text=%ff", "invalid query: it is not UTF-8"),
        ("contextId=a&contextId=a", "invalid query: contextId is given more than once"),
        ("timeout=1&timeout=1", "invalid query: timeout is given more than once"),
        ("timeout=", timeout),
        ("timeout=0", timeout),
        ("timeout=-1", timeout),
        ("timeout=+1", timeout),
        ("timeout=01", timeout),
        ("timeout=1e999", timeout),
        ("timeout=NaN", timeout),
        ("timeout=1}", timeout),
    ];
    for (query, message) in table {
        assert_eq!(stream(query), Err(message.to_owned()), "{query}");
    }
}

#[test]
fn agents_are_listed_by_tags_and_limit() {
    let list = |query: &str| match route("GET", &format!("/agents?{query}")) {
        Route::List(query) => query,
        other => panic!("{other:?}"),
    };
    let tags = |tags: &[&str], limit| {
        Ok(ListQuery { tags: tags.iter().map(|&tag| tag.to_owned()).collect(), limit })
    };
    assert_eq!(list("skill_tags=a,b&limit=2"), tags(&["a", "b"], Some(2)));
    assert_eq!(list("skill_tags=a%2Cb+c,,&skill_tags=d"), tags(&["a", "b c", "d"], None));
    assert_eq!(list("skill_tags="), tags(&[], None));
    for limit in ["", "0", "-1", "x", "1.5", "99999999999999999999999"] {
        let error = list(&format!("limit={limit}")).unwrap_err().to_string();
        assert_eq!(error, "invalid query: limit must be a whole number above 0", "{limit}");
    }
    assert!(list("limit=1&limit=2").is_err());
    assert!(list("skill_tags=%f").is_err());
}

proptest! {
    #[test]
    fn any_text_survives_its_escaping(text in any::<String>()) {
        let escaped: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let parsed = stream(&format!("text={escaped}&contextId={escaped}")).unwrap();
        prop_assert_eq!(parsed.texts.as_slice(), std::slice::from_ref(&text));
        let body: serde_json::Value = serde_json::from_str(&parsed.body("s")).unwrap();
        let text = text.as_str();
        prop_assert_eq!(body["params"]["message"]["parts"][0]["text"].as_str(), Some(text));
        prop_assert_eq!(body["params"]["message"]["contextId"].as_str(), Some(text));
    }

    #[test]
    fn no_request_panics(method in any::<String>(), path in any::<String>(), query in "[%+=&a-f0-9]*") {
        route(&method, &path);
        route("GET", &format!("/a2a/{path}/stream?{query}"));
        route("GET", &format!("/agents?skill_tags={query}&{path}"));
    }
}
