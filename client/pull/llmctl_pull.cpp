// llmctl-pull: what `llmctl pull` runs, with the same arguments.
#include "client/program.h"
#include "client/pull/pull.h"

int main(int argc, char** argv) {
    return llmd::client::run_program({argv, argv + argc}, &llmd::client::pull);
}
