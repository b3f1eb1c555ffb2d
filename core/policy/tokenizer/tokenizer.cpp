// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/tokenizer_tables.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

Result<Tokenizer> Tokenizer::build(std::vector<std::string> tokens, std::vector<bool> special,
                                   std::vector<std::pair<std::int32_t, std::int32_t>> merges,
                                   PreTokenizer preTokenizer, const std::string& name)
{
    auto tables = std::make_shared<Tables>();
    std::unordered_map<std::string, std::int32_t> idOf;
    tables->byteToken.fill(-1);
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        if (special[id])
            continue;
        if (!idOf.emplace(tokens[id], static_cast<std::int32_t>(id)).second)
            return failAt(name, 0, fmt::format("token {} repeats the bytes of another", id),
                          "Write the vocabulary again");
        if (tokens[id].size() == 1)
            tables->byteToken[static_cast<unsigned char>(tokens[id][0])] = static_cast<std::int32_t>(id);
    }
    for (int byte = 0; byte < 256; ++byte) {
        if (tables->byteToken[byte] < 0)
            return failAt(name, 0, fmt::format("the vocabulary has no token for byte {}", byte),
                          "Use a byte-level BPE, which covers all 256 bytes");
    }
    tables->merges.reserve(merges.size());
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const auto [left, right] = merges[rank];
        const auto merged = idOf.find(tokens[left] + tokens[right]);
        if (special[left] || special[right] || merged == idOf.end())
            return failAt(name, 0, fmt::format("merge {} makes a token that is not in the vocabulary", rank),
                          "Take merges and vocabulary from the same training");
        // The first of two equal merges counts, as it has the lower rank.
        tables->merges.emplace(pairKey(left, right),
                               Tables::Merge{static_cast<std::int32_t>(rank), merged->second});
    }
    tables->tokens = std::move(tokens);
    tables->special = std::move(special);
    tables->mergeList = std::move(merges);
    tables->preTokenizer = preTokenizer;
    return Tokenizer(std::shared_ptr<const Tables>(std::move(tables)));
}

Tokenizer::Tokenizer(std::shared_ptr<const Tables> tables)
    : m_tables(std::move(tables))
{
}

Tokenizer::Tokenizer()
{
    std::vector<bool> special;
    std::vector<std::string> tokens = initialTokens(special);
    *this = *build(std::move(tokens), std::move(special), {}, PreTokenizer::Code, {});
}

std::vector<std::string> initialTokens(std::vector<bool>& special)
{
    std::vector<std::string> tokens(std::begin(specialTokenNames), std::end(specialTokenNames));
    special.assign(tokens.size(), true);
    for (int byte = 0; byte < 256; ++byte) {
        tokens.emplace_back(1, static_cast<char>(byte));
        special.push_back(false);
    }
    return tokens;
}

int Tokenizer::vocabSize() const
{
    return static_cast<int>(m_tables->tokens.size());
}

PreTokenizer Tokenizer::preTokenizer() const
{
    return m_tables->preTokenizer;
}

std::string_view Tokenizer::bytes(std::int32_t id) const
{
    if (id < 0 || id >= vocabSize() || m_tables->special[id])
        return {};
    return m_tables->tokens[id];
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const
{
    std::string text;
    for (const std::int32_t id : ids)
        text += bytes(id);
    return text;
}

namespace {

/// A possible merge of the symbol at `at` with the one behind it. Lowest rank first, then leftmost.
struct Candidate
{
    std::int32_t rank;
    std::int32_t at;
    std::int32_t left, right; ///< What stood there when it was found: stale if that has changed.
    std::int32_t merged;
    bool operator<(const Candidate& other) const
    {
        return rank != other.rank ? rank > other.rank : at > other.at;
    }
};

/// Applies merges to the symbols of one piece in O(n log n).
class PieceMerger
{
public:
    explicit PieceMerger(const Tokenizer::Tables& tables)
        : m_tables(tables)
    {
    }

    void append(std::string_view piece, std::vector<std::int32_t>& out)
    {
        const auto count = static_cast<std::int32_t>(piece.size());
        m_symbol.resize(count);
        m_next.resize(count);
        m_previous.resize(count);
        m_heap.clear();
        for (std::int32_t i = 0; i < count; ++i) {
            m_symbol[i] = m_tables.byteToken[static_cast<unsigned char>(piece[i])];
            m_next[i] = i + 1 < count ? i + 1 : -1;
            m_previous[i] = i - 1;
        }
        for (std::int32_t i = 0; i + 1 < count; ++i)
            offer(i);
        while (!m_heap.empty()) {
            std::pop_heap(m_heap.begin(), m_heap.end());
            const Candidate best = m_heap.back();
            m_heap.pop_back();
            const std::int32_t behind = m_next[best.at];
            if (m_symbol[best.at] != best.left || behind < 0 || m_symbol[behind] != best.right)
                continue;
            m_symbol[best.at] = best.merged;
            m_symbol[behind] = -1;
            m_next[best.at] = m_next[behind];
            if (m_next[behind] >= 0)
                m_previous[m_next[behind]] = best.at;
            offer(best.at);
            if (m_previous[best.at] >= 0)
                offer(m_previous[best.at]);
        }
        for (std::int32_t i = 0; i >= 0 && i < count; i = m_next[i])
            out.push_back(m_symbol[i]);
    }

private:
    void offer(std::int32_t at)
    {
        const std::int32_t behind = m_next[at];
        if (behind < 0)
            return;
        const auto merge = m_tables.merges.find(pairKey(m_symbol[at], m_symbol[behind]));
        if (merge == m_tables.merges.end())
            return;
        m_heap.push_back({merge->second.rank, at, m_symbol[at], m_symbol[behind], merge->second.merged});
        std::push_heap(m_heap.begin(), m_heap.end());
    }

    const Tokenizer::Tables& m_tables;
    std::vector<std::int32_t> m_symbol, m_next, m_previous;
    std::vector<Candidate> m_heap;
};

} // namespace

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const
{
    std::vector<std::int32_t> ids;
    // Offset and count in `ids` of pieces seen before in this text: code repeats itself.
    std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> seen;
    PieceMerger merger(*m_tables);
    for (const std::string_view piece : preTokenize(text, m_tables->preTokenizer)) {
        const auto [entry, isNew] = seen.try_emplace(piece, ids.size(), 0);
        if (isNew) {
            merger.append(piece, ids);
            entry->second.second = ids.size() - entry->second.first;
        } else {
            const auto [from, count] = entry->second;
            for (std::size_t i = 0; i < count; ++i)
                ids.push_back(ids[from + i]);
        }
    }
    return ids;
}

} // namespace sparserl
