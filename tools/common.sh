# SPDX-License-Identifier: LGPL-2.1-or-later
# What the commands of this folder share; they source it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
builds=$PWD/_build

# Debian's own Python, meson and compiler tools, whatever else is first in PATH.
export PATH="/usr/bin:$PATH"

# build NAME [MESON_OPTION]...: builds _build/NAME, configured with these options.
build() {
  local directory=$builds/$1 log=$builds/$1.log options
  shift
  mkdir -p "$builds"
  # A folder that is configured already does not follow when a default changes.
  options="$(meson --version) $(cksum <meson_options.txt) ${CC_LD:-} $*"
  if [ "$(cat "$directory/.options" 2>/dev/null)" != "$options" ]; then
    rm -rf "$directory"
    quietly "$log" meson setup "$directory" "$@" || return
    echo "$options" >"$directory/.options"
  fi
  quietly "$log" ninja -C "$directory"
}

# quietly LOG COMMAND...: shows what a command wrote only when it fails.
quietly() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "failed: $*" >&2
    return 1
  fi
}
