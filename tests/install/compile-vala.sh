#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiles and runs a Vala program by nothing but the package's name: compile-vala.sh SCRATCH
set -eu
valac -X -w --pkg strideweave-1 --directory "$1" --output program-vala "$(dirname "$0")/program.vala"
exec "$1/program-vala"
