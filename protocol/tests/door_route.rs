//! Which requests get to the JSON-RPC methods at all ("Endpoints", section 1 of the details page).

use protocol::door::{Route, route};

#[test]
fn post_with_a_json_content_type_is_served_at_the_root_only() {
    let json = ["application/json"];
    assert_eq!(route("POST", "/", &json), Route::JsonRpc);
    for path in ["/?", "/?x=1", "/?a=/b?c"] {
        assert_eq!(route("POST", path, &json), Route::JsonRpc, "{path}");
    }
    for path in ["", "//", "/a", "/index.html", "/a?/", "?", "*", "/.well-known/agent-card.json"] {
        assert_eq!(route("POST", path, &json), Route::NotFound, "{path}");
    }
    for method in ["GET", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "post", "Post", ""] {
        assert_eq!(route(method, "/", &json), Route::NotFound, "{method}");
    }
}

#[test]
fn a_json_content_type_is_told_by_its_media_type() {
    for yes in [
        "application/json",
        "APPLICATION/JSON",
        "Application/Json",
        "application/json;charset=utf-8",
        "application/json; charset=utf-8",
        "application/json ; a=b; c=\"d;e\"",
        " application/json ",
        "application/json;",
        "application/json-rpc",
        "application/JSON-RPC; x=y",
        "application/a2a+json",
        "application/vnd.api+json",
        "application/A2A+JSON;v=1",
    ] {
        assert_eq!(route("POST", "/", &[yes]), Route::JsonRpc, "{yes:?}");
    }
    for no in [
        "",
        "application/jsonp",
        "application/json-rpc2",
        "application/jsonrequest",
        "text/x;application/json",
        "text/json",
        "application/+json",
        "application/json+x",
        "application/a+jsonx",
        "application/a/b+json",
        "application/a b+json",
        "application",
        "json",
        "text/plain",
        "application/x-www-form-urlencoded",
        "*/*",
        "application/json, text/plain",
        "xapplication/json",
    ] {
        assert_eq!(route("POST", "/", &[no]), Route::NotFound, "{no:?}");
    }
    assert_eq!(route::<&str>("POST", "/", &[]), Route::NotFound, "no content type");
    assert_eq!(route("POST", "/", &[b"application/\xff+json"]), Route::NotFound);
    assert_eq!(route("POST", "/", &["application/json", "text/plain"]), Route::NotFound);
    assert_eq!(route("POST", "/", &["text/plain", "application/json"]), Route::NotFound);
}
