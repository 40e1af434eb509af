#!/bin/sh
# Sourced, not run, by the steps of tests/vm, in the machine that tests/lanes/vm boots.
# shellcheck shell=sh
[ "$(uname -n)" = llmd-vm ] || {
    echo "these steps kill and change what they find: they run only in the machine of tests/lanes/vm" >&2
    exit 2
}
settings=$HOME/.config/llmd/llmd.toml
long_s=120 # an emulated machine
ok=0
bad=0

# step NAME COMMAND...: a line. What the command says is shown when it fails, and what the user's journal ends with.
step() {
    name=$1
    shift
    if output=$("$@" 2>&1); then
        echo "ok    $name"
        ok=$((ok + 1))
    else
        echo "FAIL  $name"
        bad=$((bad + 1))
        echo "$output"
        ! command -v journalctl >/dev/null || journalctl --user --no-pager -n 20
    fi
}

# The last line, by which the lane knows that all steps were taken.
done_with_steps() {
    echo "steps: $ok passed, $bad failed"
}

# until_true COMMAND...: true as soon as it is, false after long_s.
until_true() {
    end=$(($(date +%s) + long_s))
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt $end ] || return 1
        sleep 0.2
    done
}

generates() { [ "$(llmctl generate --system "Be helpful." --max-tokens 8 "Tell me a tale" | wc -c)" -gt 8 ]; }
is_told() { llmctl status --json | grep -q "llmd.toml, line 1: "; }
is_not_told() { status=$(llmctl status --json) && ! echo "$status" | grep -q "llmd.toml, line 1: "; }
write_settings() {
    mkdir -p "$(dirname "$settings")"
    echo "$1" >"$settings"
}
