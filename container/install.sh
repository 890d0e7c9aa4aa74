#!/bin/sh
# Part of the Dockerfile, the same for both images: the locked dependencies in an environment of their
# own, and the `rocm-ci` command. The environment stays off PATH: the project's python3 is not ours.
# Arguments: packages to leave out.
set -eu
here=$(dirname "$0")
home=/opt/rocm-ci

python3 -m venv "$home"
awk -v drop=" $* " '/^[a-z]/ { split($1, name, "=="); keep = !index(drop, " " name[1] " ") } keep' \
  "$here/requirements.lock" >"$here/wanted"
"$home/bin/python" -m pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes \
  --requirement "$here/wanted"
packages=$("$home/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$home/src" >"$packages/rocm_ci.pth"
cat >"$home/bin/rocm-ci" <<'END'
#!/opt/rocm-ci/bin/python -I
import sys

from rocm_ci.cli.main import main

sys.exit(main())
END
chmod 755 "$home/bin/rocm-ci"
ln -s "$home/bin/rocm-ci" /usr/local/bin/rocm-ci
rm -rf "$here"
