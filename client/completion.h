// The answer to a shell's completion, which calls `llmctl __complete WORD...` with the words of the command line behind
// "llmctl" up to the one that is being typed, the last, which may be empty. The shells' own files (client/completions)
// only show the answer, so that the tables of commands and options are the only list. Starts no daemon and contacts
// nobody.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace llmd::client {

struct Candidate {
    std::string word;
    std::string meaning;  // empty: none
};

struct Completion {
    std::vector<Candidate> candidates;  // those of the possible words that begin with the last word
    bool files = false;                 // names of files too
};

// These names are looked up where a command line wants one.
struct Names {
    std::function<std::vector<std::string>()> models;
    std::function<std::vector<std::string>()> remotes;
};

// Pure but for `names`.
Completion complete(const std::vector<std::string>& words, const Names& names);

// A line for each candidate, with a tab before its meaning, and a line ":" for files.
std::string completion_text(const Completion& completion);

// Returns this user's models, which are those of the model directories, and those of remotes as MODEL@REMOTE; the
// second returns the remotes of the settings. Settings that cannot be read name none.
std::vector<std::string> known_models();
std::vector<std::string> known_remotes();
// The model for whoever names none, by the settings and by the `models` of this user; empty: there is none.
std::string default_model(const std::vector<std::string>& models);

// For main(): the answer for `words`.
std::string completion_of(const std::vector<std::string>& words);

}  // namespace llmd::client
