// Two ways to ask llmd for a text: wait for all of it, or read it as it comes. With sdbus-c++ 1.2 or 2:
//     c++ -std=c++20 client.cpp -o client $(pkg-config --cflags --libs sdbus-c++)
#include <sdbus-c++/sdbus-c++.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>

#if __has_include(<sdbus-c++/VTableItems.h>)
using BusName = sdbus::ServiceName;
#else
using BusName = std::string;  // before version 2
#endif
using Options = std::map<std::string, sdbus::Variant>;

constexpr const char* kInterface = "org.llmd.Llmd1";
constexpr uint64_t kForever = UINT64_MAX;  // microseconds

namespace {

std::string generate(sdbus::IProxy& llmd, const std::string& prompt, const Options& options) {
    std::string text;
    Options info;
    llmd.callMethod("Generate")
        .onInterface(kInterface)
        .withTimeout(kForever)
        .withArguments(prompt, options)
        .storeResultsTo(text, info);
    return text;
}

void stream(sdbus::IProxy& llmd, const std::string& prompt, Options options) {
    options.emplace("format", sdbus::Variant(std::string("text")));
    sdbus::ObjectPath request;
    sdbus::UnixFd pipe;
    llmd.callMethod("Stream").onInterface(kInterface).withArguments(prompt, options).storeResultsTo(request, pipe);
    char part[4096];
    for (ssize_t n; (n = ::read(pipe.get(), part, sizeof part)) > 0;) std::cout.write(part, n).flush();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string prompt = argc > 1 ? argv[1] : "Once upon a time";
    const Options options{{"seed", sdbus::Variant(uint64_t{7})}, {"max_tokens", sdbus::Variant(uint32_t{60})}};
    try {
        const auto bus = sdbus::createSessionBusConnection();
        const auto llmd = sdbus::createProxy(*bus, BusName(kInterface), sdbus::ObjectPath("/org/llmd/Llmd1"));
        stream(*llmd, prompt, options);
        std::cout << "\n---\n" << generate(*llmd, prompt, options) << "\n";
    } catch (const sdbus::Error& error) {
        std::cerr << error.getName() << ": " << error.getMessage() << "\n";
        return 1;
    }
}
