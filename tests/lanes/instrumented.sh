#!/bin/sh
# Sourced, not run, by the CI jobs `fuzz` and `sanitize`: build_instrumented, and the options of the sanitizers.
# shellcheck shell=sh disable=SC2154  # lane is the sourcing script's

# Errors of the address and undefined-behaviour sanitizers end a program. The jobs set detect_leaks.
export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1"
export UBSAN_OPTIONS="print_stacktrace=1"

# build_instrumented DIRECTORY SANITIZERS CPP_ARGUMENTS MESON_OPTIONS [TARGET...]: clang, several sources compiled as one.
build_instrumented() {
    directory=$1
    sanitizers=$2
    arguments=$3
    options=$4
    shift 4
    mkdir -p "$directory"
    {
        # shellcheck disable=SC2086  # words
        [ -e "$directory/build.ninja" ] || CC=clang CXX=clang++ meson setup "$directory" -Db_sanitize="$sanitizers" \
            -Db_lundef=false -Ddebug=false -Doptimization=1 -Dunity=on -Dunity_size=8 \
            -Dtest_data="${LLMD_TEST_DATA:-../shared/data}" $options \
            -Dcpp_args="-g1 -fno-omit-frame-pointer -fno-sanitize-recover=all $arguments"
        ninja -C "$directory" "$@"
    } >"$directory/compile.txt" 2>&1 || {
        grep -A 12 -E 'error:|FAILED|ERROR' "$directory/compile.txt" | head -n 60
        echo "lane $lane: the build failed; all of it is in $directory/compile.txt"
        exit 1
    }
}
