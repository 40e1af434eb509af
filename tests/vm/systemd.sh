#!/bin/sh
# Sourced after steps.sh, as the ordinary user who is logged in at the console of Debian with systemd.
# shellcheck shell=sh disable=SC2154  # steps.sh has the rest
socket=$XDG_RUNTIME_DIR/llmd/llmd.sock

is_active() { systemctl --user is-active --quiet llmd.service; }
is_inactive() { ! is_active; }
state_is() { llmctl status --json | grep -q "\"state\": *\"$1\""; }
is_refused() { llmctl generate --max-tokens 1 x 2>&1 | grep -q "llmd.toml, line 1: "; }
answers_at_the_socket() { curl --silent --fail --max-time "$long_s" --unix-socket "$socket" http://llmd/v1/models | grep -q phone; }
pid() { systemctl --user show --property MainPID --value llmd.service; }

at_login() { systemctl --user is-active llmd.socket && systemctl --user is-active llmd-bridge.socket && is_inactive; }
step "the socket is there from login on, and llmd is not" at_login

by_socket() { answers_at_the_socket && is_active; }
step "whoever connects to the socket starts it" by_socket

stop() { systemctl --user stop llmd.service && [ "$(systemctl --user show --property Result --value llmd.service)" = success ]; }
step "it stops" stop

by_bus() {
    systemctl --user stop llmd.socket && is_inactive && generates && is_active && systemctl --user stop llmd.service &&
        systemctl --user start llmd.socket && generates
}
step "whoever calls on the bus starts it, and it generates" by_bus

sandboxed() { llmctl status --json | grep -q "files (Landlock [0-9]*) and system calls (seccomp)"; }
step "its engine is sandboxed by Landlock and seccomp" sandboxed

is_another() { [ "$(pid)" != 0 ] && [ "$(pid)" != "$killed" ]; }
after_kill() {
    killed=$(pid)
    kill -9 "$killed"
    until_true is_another && generates
}
step "it is there again after kill -9" after_kill

typo() {
    before=$(pid)
    write_settings 'bakend = ' && systemctl --user reload llmd.service && until_true is_told && generates &&
        write_settings 'backend = "cpu"' && systemctl --user reload llmd.service && until_true is_not_told && generates &&
        [ "$(pid)" = "$before" ]
}
step "a typo in the settings is told with its line, and changes nothing" typo

begins_with_a_typo() {
    systemctl --user stop llmd.service && write_settings 'bakend = ' && until_true is_refused && is_active &&
        [ "$(systemctl --user show --property NRestarts --value llmd.service)" = 0 ] && write_settings 'backend = "cpu"' &&
        systemctl --user reload llmd.service && until_true generates
}
step "begun with a typo it serves, and is not restarted" begins_with_a_typo

suspend() {
    systemd-inhibit --list --no-pager | grep -q 'llmd.*sleep' && sudo systemctl suspend --no-block && until_true state_is suspended &&
        sudo touch /run/wake && until_true state_is ready && generates
}
step "it lets the machine sleep, and goes on afterwards" suspend

idle() {
    write_settings 'backend = "cpu"
idle_unload_seconds = 1
idle_exit_seconds = 1' && systemctl --user reload llmd.service && until_true is_inactive &&
        [ "$(systemctl --user show --property Result --value llmd.service)" = success ] && answers_at_the_socket && is_active
}
step "it leaves when it is idle, and comes back for whoever asks" idle

done_with_steps
