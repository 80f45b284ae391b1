//! Addresses.

use crate::client::{Address, AddressError};

#[test]
fn an_address_is_a_host_and_a_port_or_a_url_of_them() {
    for (given, host, port, authority) in [
        ("127.0.0.1:8080", "127.0.0.1", 8080, "127.0.0.1:8080"),
        ("localhost", "localhost", 52222, "localhost:52222"),
        (" my_host.example:1\n", "my_host.example", 1, "my_host.example:1"),
        ("localhost/", "localhost", 52222, "localhost:52222"),
        ("http://localhost:52222", "localhost", 52222, "localhost:52222"),
        ("HTTP://localhost:65535/", "localhost", 65535, "localhost:65535"),
        ("http://localhost/", "localhost", 80, "localhost:80"),
        ("[::1]:52223", "::1", 52223, "[::1]:52223"),
        ("http://[fe80::1]/", "fe80::1", 80, "[fe80::1]:80"),
    ] {
        let address: Address = given.parse().unwrap();
        assert_eq!((address.host(), address.port()), (host, port), "{given}");
        assert_eq!(address.authority(), authority);
        assert_eq!(address.to_string(), given.trim());
    }
}

#[test]
fn what_is_no_address_is_told_from_what_is_not_served() {
    use AddressError::{Malformed, NotOnlyHostAndPort, Port, Scheme};
    for (given, error) in [
        ("", Malformed),
        (":52222", Malformed),
        ("http://", Malformed),
        ("::1", Malformed),
        ("[::1", Malformed),
        ("[::1]x", Malformed),
        ("a b", Malformed),
        ("a\r\nb", Malformed),
        ("a\x1bb:1", Malformed),
        ("https://localhost/", Scheme),
        ("unix://socket", Scheme),
        ("http://localhost/path", NotOnlyHostAndPort),
        ("http://localhost/?query", NotOnlyHostAndPort),
        ("http://user@localhost/", NotOnlyHostAndPort),
        ("localhost:", Port),
        ("localhost:0", Port),
        ("localhost:+1", Port),
        ("localhost:65536", Port),
        ("localhost:http", Port),
    ] {
        assert_eq!(given.parse::<Address>(), Err(error), "{given:?}");
    }
}
