// write_tiny_model FILE ARCHITECTURE [PARTS]: a tiny model of random weights, of an architecture that TinyModel knows;
// with PARTS as a split model, whose files are FILE-00001-of-0000N.gguf and so on. write_tiny_model FILE chat <
// TEMPLATE: a LLaMA with this chat template, whose vocabulary has ChatML's control tokens.
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/part_name.h"
#include "support/gguf_writer.h"

int main(int argc, char** argv) {
    using namespace llmd;
    if (argc != 3 && argc != 4) return 2;
    const std::string_view what = argv[2];
    test::TinyModel model = {.n_ctx = 512};
    if (what == "chat") {
        model.control_tokens = {"<|im_start|>", "<|im_end|>"};
    } else {
        model.architecture = what;
        if (what == "gpt2") model.n_kv_heads = model.n_heads;
        if (what == "gemma2" || what == "gemma3") model.window = 48;
    }
    test::GgufWriter writer = test::tiny_model_writer(model);
    if (what == "chat") {
        writer.add("tokenizer.chat_template", std::string(std::istreambuf_iterator<char>(std::cin), {}));
    }
    if (argc == 3) return test::write_file(argv[1], writer.bytes()) ? 0 : 1;
    const auto parts = writer.parts(static_cast<uint32_t>(std::stoul(argv[3])));
    const base::PartName name{argv[1], 1, static_cast<uint32_t>(parts.size())};
    for (uint32_t i = 0; i < parts.size(); ++i) {
        if (!test::write_file(name.of(i + 1), parts[i].bytes())) return 1;
    }
    return 0;
}
