#!/usr/bin/env -S gjs -m
// Two ways to ask llmd for a text: wait for all of it, or read it as it comes.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import system from 'system';

const bus = Gio.bus_get_sync(Gio.BusType.SESSION, null);
// GLib's newer versions have the streams of descriptors in a library of their own.
const {default: GioUnix} = await import('gi://GioUnix').catch(
    () => ({default: {InputStream: Gio.UnixInputStream, OutputStream: Gio.UnixOutputStream}}));

function call(method, prompt, options, reply) {
    return bus.call_with_unix_fd_list_sync('org.llmd.Llmd1', '/org/llmd/Llmd1', 'org.llmd.Llmd1', method,
        new GLib.Variant('(sa{sv})', [prompt, options]), new GLib.VariantType(reply), Gio.DBusCallFlags.NONE,
        GLib.MAXINT32, null, null);
}

function generate(prompt, options) {
    const [reply] = call('Generate', prompt, options, '(sa{sv})');
    return reply.deepUnpack()[0];
}

// Each line of the pipe is a JSON object, the last one tells how it ended.
function* stream(prompt, options) {
    const [reply, fds] = call('Stream', prompt, options, '(oh)');
    const fd = fds.get(reply.deepUnpack()[1]);
    const lines = new Gio.DataInputStream({base_stream: new GioUnix.InputStream({fd, close_fd: true})});
    for (let line; ([line] = lines.read_line(null)) && line;) {
        const event = JSON.parse(new TextDecoder().decode(line));
        if (event.error) throw new Error(event.error.message);
        yield event.text ?? '';
    }
}

const prompt = system.programArgs[0] ?? 'Tell me a tale about a fox in a lighthouse and a golden key';
const options = {seed: new GLib.Variant('t', 7), max_tokens: new GLib.Variant('u', 300), system: new GLib.Variant('s', 'Be helpful.')};
const stdout = new GioUnix.OutputStream({fd: 1, close_fd: false});
for (const part of stream(prompt, options)) stdout.write_all(new TextEncoder().encode(part), null);
print(`\n---\n${generate(prompt, options)}`);
