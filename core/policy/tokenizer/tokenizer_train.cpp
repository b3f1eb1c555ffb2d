// SPDX-License-Identifier: Apache-2.0
#include "base/interruption.h"
#include "policy/tokenizer/tokenizer_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <queue>

namespace sparserl {

namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

struct Word
{
    std::vector<std::int32_t> symbols;
    std::int64_t count = 0;
};

/// Counts of adjacent pairs over all words, kept up to date while pairs are merged.
class PairCounts
{
public:
    PairCounts(std::vector<Word>& words, const std::vector<std::string>& tokens,
               const TokenizerOptions& options)
        : m_words(words)
        , m_tokens(tokens)
        , m_options(options)
    {
        for (std::size_t w = 0; w < words.size(); ++w) {
            const auto& symbols = words[w].symbols;
            for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
                add(symbols[i], symbols[i + 1], words[w].count, w);
        }
        for (const auto& [key, entry] : m_entries)
            push(key, entry.count);
    }

    /// The most frequent pair, or nothing.
    std::optional<Pair> best()
    {
        while (!m_heap.empty()) {
            const Ranked top = m_heap.top();
            m_heap.pop();
            const auto entry = m_entries.find(pairKey(top.pair.first, top.pair.second));
            if (entry == m_entries.end() || entry->second.count < m_options.minFrequency)
                continue;
            if (entry->second.count == top.count)
                return top.pair;
            // Counts of listed pairs only fall, so a stale one goes back with what it has now.
            if (entry->second.count < top.count)
                m_heap.push({entry->second.count, top.pair});
        }
        return std::nullopt;
    }

    void merge(const Pair& pair, std::int32_t merged)
    {
        const auto found = m_entries.find(pairKey(pair.first, pair.second));
        std::vector<std::uint32_t> where = std::move(found->second.words);
        m_entries.erase(found);
        std::sort(where.begin(), where.end());
        where.erase(std::unique(where.begin(), where.end()), where.end());
        m_touched.clear();
        for (const std::uint32_t w : where)
            mergeIn(w, pair, merged);
        for (const std::uint64_t key : m_touched) {
            if (const auto entry = m_entries.find(key); entry != m_entries.end())
                push(key, entry->second.count);
        }
    }

private:
    struct Entry
    {
        std::int64_t count = 0;
        std::vector<std::uint32_t> words; ///< Where it may occur; may repeat.
    };
    struct Ranked
    {
        std::int64_t count;
        Pair pair;
        bool operator<(const Ranked& other) const
        {
            return count != other.count ? count < other.count : pair > other.pair;
        }
    };

    bool allowed(std::int32_t left, std::int32_t right) const
    {
        return m_tokens[left].size() + m_tokens[right].size() <=
               static_cast<std::size_t>(m_options.maxTokenBytes);
    }
    void add(std::int32_t left, std::int32_t right, std::int64_t count, std::size_t word)
    {
        if (!allowed(left, right))
            return;
        Entry& entry = m_entries[pairKey(left, right)];
        entry.count += count;
        if (entry.words.empty() || entry.words.back() != word)
            entry.words.push_back(static_cast<std::uint32_t>(word));
    }
    void remove(std::int32_t left, std::int32_t right, std::int64_t count)
    {
        if (const auto entry = m_entries.find(pairKey(left, right)); entry != m_entries.end())
            entry->second.count -= count;
    }
    void push(std::uint64_t key, std::int64_t count)
    {
        if (count >= m_options.minFrequency)
            m_heap.push({count, {static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key)}});
    }
    void mergeIn(std::uint32_t w, const Pair& pair, std::int32_t merged)
    {
        Word& word = m_words[w];
        const auto& old = word.symbols;
        m_scratch.clear();
        bool changed = false;
        for (std::size_t i = 0; i < old.size(); ++i) {
            if (i + 1 < old.size() && old[i] == pair.first && old[i + 1] == pair.second) {
                m_scratch.push_back(merged);
                ++i;
                changed = true;
            } else {
                m_scratch.push_back(old[i]);
            }
        }
        if (!changed)
            return;
        for (std::size_t i = 0; i + 1 < old.size(); ++i)
            remove(old[i], old[i + 1], word.count);
        word.symbols.swap(m_scratch);
        for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i) {
            const std::int32_t left = word.symbols[i], right = word.symbols[i + 1];
            add(left, right, word.count, w);
            if (left == merged || right == merged)
                m_touched.push_back(pairKey(left, right));
        }
    }

    std::vector<Word>& m_words;
    const std::vector<std::string>& m_tokens;
    const TokenizerOptions& m_options;
    std::unordered_map<std::uint64_t, Entry, Tokenizer::Tables::KeyHash> m_entries;
    std::priority_queue<Ranked> m_heap;
    std::vector<std::uint64_t> m_touched;
    std::vector<std::int32_t> m_scratch;
};

} // namespace

Result<Tokenizer> Tokenizer::train(std::span<const std::string> texts, const TokenizerOptions& options,
                                   const CancelToken& cancel, const Progress& progress)
{
    if (options.vocabSize < specialCount + 256)
        return fail(fmt::format("a vocabulary of {} is too small", options.vocabSize),
                    fmt::format("Ask for at least {}: the special tokens and all bytes", specialCount + 256));
    if (options.maxTokenBytes < 1 || options.minFrequency < 1)
        return fail("the longest token and the least frequency must be at least 1");

    std::map<std::string_view, std::int64_t> pieces;
    for (const std::string& text : texts) {
        if (cancel.cancelled())
            return fail(interruption());
        for (const std::string_view piece : preTokenize(text, options.preTokenizer))
            ++pieces[piece];
    }
    std::vector<bool> special;
    std::vector<std::string> tokens = initialTokens(special);
    std::vector<Word> words;
    words.reserve(pieces.size());
    for (const auto& [piece, count] : pieces) {
        Word word;
        word.count = count;
        for (const char c : piece)
            word.symbols.push_back(specialCount + static_cast<unsigned char>(c));
        words.push_back(std::move(word));
    }

    std::unordered_map<std::string, std::int32_t> idOf;
    for (std::size_t id = specialCount; id < tokens.size(); ++id)
        idOf.emplace(tokens[id], static_cast<std::int32_t>(id));
    std::vector<Pair> merges;
    const std::size_t start = tokens.size(), wanted = static_cast<std::size_t>(options.vocabSize);
    tokens.reserve(wanted);
    PairCounts counts(words, tokens, options);
    while (tokens.size() < wanted) {
        if (cancel.cancelled())
            return fail(interruption());
        const std::optional<Pair> pair = counts.best();
        if (!pair)
            break;
        // Two ways to the same bytes share one token, as in Hugging Face's trainer.
        std::string text = tokens[pair->first] + tokens[pair->second];
        const auto [known, isNew] = idOf.emplace(text, static_cast<std::int32_t>(tokens.size()));
        if (isNew) {
            tokens.push_back(std::move(text));
            special.push_back(false);
        }
        merges.push_back(*pair);
        counts.merge(*pair, known->second);
        if (progress && tokens.size() % 64 == 0)
            progress(double(tokens.size() - start) / double(wanted - start), "tokenizer");
    }
    return buildOwn(std::move(tokens), std::move(special), std::move(merges), options.preTokenizer);
}

} // namespace sparserl
