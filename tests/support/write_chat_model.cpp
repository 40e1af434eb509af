// write_chat_model FILE < TEMPLATE
// Writes a tiny model with this chat template, whose vocabulary has the control tokens of ChatML.
#include <iostream>
#include <iterator>
#include <string>

#include "support/gguf_writer.h"

int main(int argc, char** argv) {
    using namespace llmd;
    if (argc != 2) return 2;
    test::GgufWriter writer = test::tiny_model_writer({.control_tokens = {"<|im_start|>", "<|im_end|>"}});
    writer.add("tokenizer.chat_template", std::string(std::istreambuf_iterator<char>(std::cin), {}));
    return test::write_file(argv[1], writer.bytes()) ? 0 : 1;
}
