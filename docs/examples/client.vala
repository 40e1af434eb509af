// Two ways to ask llmd for a text: wait for all of it, or read it as it comes.
//     valac --pkg gio-unix-2.0 client.vala
[DBus (name = "org.llmd.Llmd1")]
interface Llmd : Object {
    public abstract void generate (string prompt, HashTable<string, Variant> options, out string text,
                                   out HashTable<string, Variant> info) throws Error;
    public abstract void stream (string prompt, HashTable<string, Variant> options, out ObjectPath request,
                                 out UnixInputStream fd) throws Error;
}

int main (string[] args) {
    var prompt = args.length > 1 ? args[1] : "Tell me a tale about a fox in a lighthouse and a golden key";
    var options = new HashTable<string, Variant> (str_hash, str_equal);
    options["seed"] = new Variant.uint64 (7);
    options["max_tokens"] = new Variant.uint32 (300);
    options["format"] = "text";
    options["system"] = "Be helpful.";  // it makes the prompt a question, which the model answers
    try {
        Llmd llmd = Bus.get_proxy_sync (BusType.SESSION, "org.llmd.Llmd1", "/org/llmd/Llmd1");
        ((DBusProxy) llmd).set_default_timeout (int.MAX);

        ObjectPath request;
        UnixInputStream pipe;
        llmd.stream (prompt, options, out request, out pipe);
        var part = new uint8[4096];
        for (ssize_t n; (n = pipe.read (part)) > 0;) {
            stdout.write (part[0:n]);
            stdout.flush ();
        }

        string text;
        HashTable<string, Variant> info;
        llmd.generate (prompt, options, out text, out info);
        stdout.printf ("\n---\n%s\n", text);
    } catch (Error error) {
        stderr.printf ("%s\n", error.message);
        return 1;
    }
    return 0;
}
