#!/usr/bin/env bash
# Unpacks packages of a newer Debian suite into a folder, without installing anything.
#   tools/newer_package.sh FOLDER PACKAGE…
# The archive is the one that this machine's apt already uses; nothing outside FOLDER is touched.
set -euo pipefail

folder=${1:?folder}
shift
suite=${ROCM_CI_DEBIAN_SUITE:-sid}

# shellcheck disable=SC2016 # apt expands these
uri=$(apt-get indextargets 'Created-By: Packages' --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' |
  awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
[ -n "$uri" ] || { echo "apt has no Debian archive here (run apt-get update first)" >&2; exit 3; }
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || keys=

mkdir -p "$folder/.apt/lists/partial" "$folder/.apt/cache/archives/partial"
folder=$(cd "$folder" && pwd)
state=$folder/.apt
printf 'deb %s%s %s main\n' "${keys:+[signed-by=$keys] }" "$uri" "$suite" >"$state/sources.list"
options=(
  -o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$state/lists" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=
)
apt-get "${options[@]}" -qq update
(cd "$state" && apt-get "${options[@]}" -qq download "$@")
for package in "$state"/*.deb; do
  dpkg-deb --extract "$package" "$folder"
done
rm -rf "$state"
