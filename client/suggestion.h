// "Did you mean …?" for a word that nothing is called. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace llmd::client {

// The one of `known` that `word` was most likely meant to be: the nearest by letters left out, added, changed or
// swapped with the next one, of which a third of the letters may be wrong; or the only one that begins with it. Empty
// when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

// "; did you mean "generate"?", or empty as above. With `dashes` ("--") before the name.
std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string_view dashes = "");

}  // namespace llmd::client
