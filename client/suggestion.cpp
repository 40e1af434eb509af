#include "client/suggestion.h"

#include <algorithm>

#include "base/json_writer.h"

namespace llmd::client {
namespace {

// The optimal string alignment distance of bytes; names are short.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1);
    std::vector<size_t> last(b.size() + 1);
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        before.swap(last);
        last.swap(row);
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
    constexpr size_t kShortest = 2;     // of a word that can be mistaken for another
    constexpr size_t kMostBytes = 256;  // longer ones are no names
    if (word.size() < kShortest || word.size() > kMostBytes) return "";
    std::string nearest;
    size_t best = std::max<size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        if (candidate.size() > kMostBytes) continue;
        if (const size_t wrong = distance(word, candidate); wrong < best) {
            best = wrong;
            nearest = candidate;
        }
    }
    if (!nearest.empty()) return nearest;
    const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
    const auto first = std::find_if(known.begin(), known.end(), begins);
    if (first == known.end() || std::find_if(first + 1, known.end(), begins) != known.end()) return "";
    return *first;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string_view dashes) {
    const std::string nearest = nearest_word(word, known);
    return nearest.empty() ? "" : "; did you mean " + base::in_quotes(std::string(dashes) + nearest) + '?';
}

}  // namespace llmd::client
