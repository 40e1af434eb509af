// Two ways to ask llmd for a text: read it as it comes, or wait for all of it. With sdbus-c++ 1.2 or 2:
//     c++ -std=c++20 client.cpp -o client $(pkg-config --cflags --libs sdbus-c++)
#include <sdbus-c++/sdbus-c++.h>
#include <unistd.h>
#include <iostream>
#include <map>

#if __has_include(<sdbus-c++/VTableItems.h>)
using BusName = sdbus::ServiceName;
#else
using BusName = std::string;  // before version 2
#endif

int main(int argc, char** argv) {
    const std::string prompt = argc > 1 ? argv[1] : "Tell me a tale about a fox in a lighthouse and a golden key",
                      name = "org.llmd.Llmd1";
    std::map<std::string, sdbus::Variant> info, options{{"seed", sdbus::Variant(uint64_t{7})},
                                                        {"max_tokens", sdbus::Variant(uint32_t{300})},
                                                        {"system", sdbus::Variant(std::string("Be helpful."))},
                                                        {"format", sdbus::Variant(std::string("text"))}};
    try {
        const auto bus = sdbus::createSessionBusConnection();
        const auto llmd = sdbus::createProxy(*bus, BusName(name), sdbus::ObjectPath("/org/llmd/Llmd1"));
        sdbus::ObjectPath request;
        sdbus::UnixFd pipe;
        llmd->callMethod("Stream").onInterface(name).withArguments(prompt, options).storeResultsTo(request, pipe);
        char part[4096];
        for (ssize_t n; (n = ::read(pipe.get(), part, sizeof part)) > 0;) std::cout.write(part, n).flush();
        std::string text;
        llmd->callMethod("Generate")  // its name lives as long as the expression
            .onInterface(name)
            .withTimeout(UINT64_MAX)
            .withArguments(prompt, options)
            .storeResultsTo(text, info);
        std::cout << "\n---\n" << text << "\n";
    } catch (const sdbus::Error& error) {
        std::cerr << error.getName() << ": " << error.getMessage() << "\n";
        return 1;
    }
}
