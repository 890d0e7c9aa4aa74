#!/usr/bin/env bash
# Sets up what `make demo` and `make test` need, and says what it could not.
#   tools/setup.sh demo|test
set -euo pipefail
cd "$(dirname "$0")/.."

goal=${1:?demo or test}
stamp=.venv/.rocm-ci-$goal

say() { printf '\033[1m▸ %s\033[0m\n' "$*" >&2; }
note() { printf '  %s\n' "$*" >&2; }

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

absent() { # the packages of the list that are not installed
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

fetched=
apt_install() { # WHY PACKAGE…: one failing package must not keep the others away
  local why=$1
  shift
  local wanted
  mapfile -t wanted < <(absent "$@")
  [ ${#wanted[@]} = 0 ] && return
  if ! can_install; then
    note "not here: ${wanted[*]} ($why)"
    note "to have it: sudo apt-get install ${wanted[*]}"
    return
  fi
  say "Installing ${wanted[*]} ($why)"
  export DEBIAN_FRONTEND=noninteractive
  [ -n "$fetched" ] || { apt-get update -qq || note "apt-get update failed; trying with the lists at hand"; }
  fetched=1
  apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null 2>&1 && return
  for package in "${wanted[@]}"; do
    apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 || note "apt has no usable $package ($why)"
  done
}

python() { # a Python that is new enough, the first on PATH
  for one in python3 python3.13 python3.12 python3.11 python3.10; do
    "$one" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && { echo "$one"; return; }
  done
  echo "no Python 3.10 or newer on PATH: sudo apt-get install python3 python3-venv" >&2
  exit 1
}

if can_install; then # without these nothing else runs; a foreign Python may do where apt's is not there
  command -v git >/dev/null || apt_install "the history" git
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install "Python" python3 python3-venv
fi

apt_install "the example's CPU side" cmake ninja-build g++ libgtest-dev
apt_install "the HIP compiler" hipcc libamdhip64-dev rocm-device-libs rocminfo rocm-smi
apt_install "faster rebuilds" ccache
lock=requirements.lock
if [ "$goal" = test ]; then
  lock=requirements-dev.lock
  apt_install "the Docker tests" docker.io debootstrap iproute2 iptables
  apt_install "the browser tests" chromium fonts-noto-color-emoji fonts-dejavu-core
  command -v npm >/dev/null || apt_install "GitHub's API description" npm
fi

if ! cmp -s "$lock" "$stamp"; then
  say "Setting up .venv from $lock"
  [ -x .venv/bin/python ] || "$(python)" -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r "$lock"
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
  cp "$lock" "$stamp"
fi
if [ "$goal" = test ]; then
  if [ ! -x .tools/hipify/usr/bin/hipify-perl ] && command -v apt-get >/dev/null; then
    say "Fetching hipify-perl of a newer Debian (the check of the API table)"
    tools/newer_package.sh .tools/hipify hipify-perl || note "hipify-perl could not be fetched: one test needs it"
  fi
  .venv/bin/python tools/fetch_mermaid.py || note "Mermaid could not be fetched: the tests of the charts need it"
  .venv/bin/python tools/fetch_contract.py || note "GitHub's API description could not be fetched: the contract tests need it"
fi
