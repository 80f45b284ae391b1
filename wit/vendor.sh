#!/usr/bin/env bash
# Copies the WASI packages into wit/deps, unchanged, from the crate that the component's bindings
# come from (`wasip2`, at the version in Cargo.lock), so that the two cannot drift apart.
#
#   wit/vendor.sh           copy
#   wit/vendor.sh --check   compare; exit 1 where a file differs
#
# deps/murmur-*.wit are Murmur's interfaces, which no registry carries: they are kept by hand.
set -euo pipefail
cd "$(dirname "$0")/.."

# The root package's own dependency: another version may be in the tree for somebody else.
manifest=$(cargo metadata --format-version 1 --locked --filter-platform wasm32-wasip2 |
    grep -o '"[^"]*/wasip2-1\.[^"]*/Cargo.toml"' | sort -u | tr -d '"')
if [ "$(wc -l <<<"$manifest")" != 1 ] || [ -z "$manifest" ]; then
    echo "wit/vendor.sh: expected one wasip2 1.x in the dependency tree, found: ${manifest:-none}" >&2
    exit 1
fi
source_dir=$(dirname "$manifest")/wit/deps

status=0
for file in "$source_dir"/*.wit; do
    target=wit/deps/wasi-$(basename "$file")
    if [ "${1:-}" != --check ]; then
        cp "$file" "$target"
    elif ! diff -u "$file" "$target"; then
        status=1
    fi
done
[ "$status" = 0 ] || echo "wit/deps differs from $source_dir: run wit/vendor.sh" >&2
exit "$status"
