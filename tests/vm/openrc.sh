#!/bin/sh
# Sourced after steps.sh, as the ordinary user who is logged in at the console of Debian with OpenRC.
# shellcheck shell=sh
# Debian's login makes no runtime directory where logind does not run.
if [ ! -d "${XDG_RUNTIME_DIR-}" ]; then
    XDG_RUNTIME_DIR=/run/user/$(id -u)
    sudo install -d -m 755 /run/user
    sudo install -d -m 700 -o "$(id -un)" "$XDG_RUNTIME_DIR"
fi
DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus
PATH=$PATH:/usr/sbin:/sbin
export XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS PATH

is_started() { rc-service --user llmd status; }
pid() { pgrep -u "$(id -u)" -x llmd; }
is_gone() { ! pid; }
reload() { rc-service --user llmd reload; }

session() { rc-update --user add dbus default && openrc --user default && until_true [ -S "$XDG_RUNTIME_DIR/bus" ]; }
step "the session's services start" session

start() { rc-service --user llmd start && is_started && generates; }
step "the service starts, and generates" start

is_another() { now=$(pid) && [ "$now" != "$killed" ]; }
after_kill() {
    killed=$(pid)
    kill -9 "$killed"
    until_true is_another && until_true generates
}
step "it is there again after kill -9" after_kill

typo() {
    before=$(pid)
    write_settings 'bakend = ' && reload && until_true is_told && generates &&
        write_settings 'backend = "cpu"' && reload && until_true is_not_told && generates &&
        [ "$(pid)" = "$before" ]
}
step "a typo in the settings is told with its line, and changes nothing" typo

stop() { rc-service --user llmd stop && until_true is_gone; }
stop_twice() { stop && rc-service --user llmd start && generates && stop; }
step "it stops, starts again, and stops" stop_twice

by_bus() { generates && pid; }
step "whoever calls on the bus starts it" by_bus

# The bus has started this one, of which OpenRC knows nothing.
idle() {
    llmctl config set idle_unload_seconds 1 && llmctl config set idle_exit_seconds 1 && until_true is_gone && generates
}
step "it leaves when it is idle, and comes back for whoever asks" idle

at_login() { rc-update --user add llmd default && until_true is_gone && openrc --user default && is_started; }
step "added to the default run level it starts with the session" at_login
done_with_steps
