#!/bin/sh
# Asks llmd from the shell, with GLib's gdbus or systemd's busctl. Both leave the bus when they have their answer, and a
# request ends with its caller: they wait for the whole text. For one that is read as it comes there is llmctl generate.
set -eu
prompt=${1-Tell me a tale about a fox in a lighthouse and a golden key}
name=org.llmd.Llmd1
root=/org/llmd/Llmd1

# A number is an int32 in GVariant's text, and llmd takes every integer. The answer is one of GVariant's tuples.
gdbus call --session --timeout 86400 --dest $name --object-path $root --method $name.Generate \
    "$prompt" "{'seed': <7>, 'max_tokens': <300>, 'system': <'Be helpful.'>}"
echo ---
# The answer is JSON: .data[0] is the text, .data[1] what is told of it.
busctl --user --timeout 86400 --json=short call $name $root $name Generate 'sa{sv}' \
    "$prompt" 3 seed t 7 max_tokens u 300 system s "Be helpful."
echo ---
# dbus-send knows no dictionaries of variants, which every method takes; it reads properties.
dbus-send --session --print-reply=literal --dest=$name $root org.freedesktop.DBus.Properties.Get \
    string:$name string:State
