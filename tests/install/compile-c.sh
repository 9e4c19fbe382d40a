#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiles and runs a C program by nothing but pkg-config: compile-c.sh SCRATCH
set -eu
# shellcheck disable=SC2046
cc -Wall -Werror "$(dirname "$0")/../subproject/program.c" -o "$1/program-c" $(pkg-config --cflags --libs strideweave-1)
exec "$1/program-c"
