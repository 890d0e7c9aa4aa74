#!/usr/bin/env bash
# Makes a root file system with hipcc in it, as a tar for `docker import`: it stands in for the ROCm
# image where that one cannot be pulled. Needs root, debootstrap and this machine's apt mirror.
#
#   tools/base_image.sh FILE.tar
#
# FILE.tar is left alone when it is there and newer than this script.
set -euo pipefail

if (($# != 1)); then
  echo "usage: tools/base_image.sh FILE.tar" >&2
  exit 2
fi
target=$(realpath -m "$1")
if [[ -e $target && $target -nt ${BASH_SOURCE[0]} ]]; then
  exit 0
fi
if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo "base_image.sh needs root and debootstrap: run 'apt-get install debootstrap' as root" >&2
  exit 3
fi

# The host's own release and mirror: both are known to be reachable from here.
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # apt expands these itself
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Identifier: Packages' |
  awk -v suite="$suite" '$1 == suite && $2 == "main" { print $3; exit }')
if [[ -z $mirror ]]; then
  echo "base_image.sh found no apt source for $suite: run 'apt-get update' first" >&2
  exit 3
fi

work=$(mktemp -d /var/tmp/rocm-ci-base.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root

debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >&2
# shellcheck source=/dev/null
if [[ $(. /etc/os-release && echo "$ID") == ubuntu ]]; then
  # Ubuntu keeps hipcc in universe.
  echo "deb $mirror $suite main universe" >"$root/etc/apt/sources.list"
fi
# A closed network's certificates have to be trusted inside as they are outside.
if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
  cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
  chroot "$root" update-ca-certificates >/dev/null
  printf '[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n' >"$root/etc/pip.conf"
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
in_root() {
  DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$root" "$@" >&2
}
in_root apt-get -q update
in_root apt-get -qy install --no-install-recommends \
  g++ hipcc libamdhip64-dev libgtest-dev make python3-venv rocm-device-libs rocminfo rocm-smi
in_root apt-get -q clean
rm -rf "$root"/var/lib/apt/lists/* "$root/etc/resolv.conf"

mkdir -p "$(dirname "$target")"
tar -C "$root" -cf "$target.part" .
mv "$target.part" "$target"
