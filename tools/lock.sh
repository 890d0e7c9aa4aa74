#!/usr/bin/env bash
# Renews the lock files. Hashes pin the content; the index is whatever pip is set up for, so no
# address stands in them.
set -euo pipefail
cd "$(dirname "$0")/.."

lock() {
  local out=$1
  shift
  UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/uv pip compile pyproject.toml tools/build-requirements.in --quiet --universal \
    --python-version 3.10 --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate "$@" --output-file "$out"
}

lock requirements.lock --extra perf --extra demo
lock requirements-dev.lock --extra dev
