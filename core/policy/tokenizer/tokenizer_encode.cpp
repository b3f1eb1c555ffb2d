// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/byte_alphabet.h"
#include "policy/tokenizer/tokenizer_tables.h"
#include "policy/tokenizer/utf8.h"

#include <algorithm>

namespace sparserl {

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
        if (m_tables.wholePieces) {
            const auto whole =
                m_tables.idOf.find(m_tables.byteLevel ? toByteAlphabet(piece) : std::string(piece));
            if (whole != m_tables.idOf.end()) {
                out.push_back(whole->second);
                return;
            }
        }
        begin(piece);
        const auto count = static_cast<std::int32_t>(m_symbol.size());
        m_next.resize(m_symbol.size());
        m_previous.resize(m_symbol.size());
        m_heap.clear();
        for (std::int32_t i = 0; i < count; ++i) {
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
    /// The symbols that merges begin with: bytes, or characters and the bytes of those that have no token.
    void begin(std::string_view piece)
    {
        m_symbol.clear();
        const auto bytes = [&](std::string_view part) {
            for (const char c : part) {
                if (const std::int32_t id = m_tables.byteToken[static_cast<unsigned char>(c)]; id >= 0)
                    m_symbol.push_back(id);
            }
        };
        if (m_tables.byteLevel) {
            bytes(piece);
            return;
        }
        for (std::size_t at = 0; at < piece.size();) {
            const std::size_t size = std::max<std::size_t>(1, utf8CharacterAt(piece, at).size);
            const std::string_view character = piece.substr(at, size);
            if (const auto known = m_tables.idOf.find(std::string(character)); known != m_tables.idOf.end())
                m_symbol.push_back(known->second);
            else
                bytes(character);
            at += size;
        }
    }
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

/// Tokens of one text.
class TextEncoder
{
public:
    TextEncoder(const Tokenizer::Tables& tables, SpecialNames names, std::size_t textBytes)
        : m_tables(tables)
        , m_special(names == SpecialNames::Tokens)
        , m_merger(tables)
        , m_work(textBytes)
    {
    }

    std::vector<std::int32_t> encode(std::string_view text)
    {
        const bool ordinary = m_tables.inText.findsOrdinary() || m_tables.inNormalized.findsOrdinary();
        if (m_tables.preTokenizer != PreTokenizer::File && m_tables.normalizer.isNothing() && !ordinary &&
            !m_special && m_tables.allBytes) {
            pieces(preTokenize(text, m_tables.preTokenizer));
            return std::move(m_ids);
        }
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t run = utf8RunAt(text, at);
            if (run > 0)
                whole(text.substr(at, run), at == 0);
            at += run;
            if (at < text.size())
                broken(static_cast<unsigned char>(text[at++]));
        }
        return std::move(m_ids);
    }

private:
    /// A byte that is no part of a character.
    void broken(unsigned char byte)
    {
        if (const std::int32_t id = m_tables.byteToken[byte]; id >= 0)
            m_ids.push_back(id);
        else
            m_merger.append(replacementCharacter, m_ids);
    }

    void whole(std::string_view text, bool atStart)
    {
        for (const auto& [begin, end, id] : m_tables.inText.find(text, m_special)) {
            if (id >= 0)
                m_ids.push_back(id);
            else
                between(text.substr(begin, end - begin), atStart && begin == 0);
        }
    }

    void between(std::string_view text, bool atStart)
    {
        const std::string normal = m_tables.normalizer.apply(text, m_work);
        for (const auto& [begin, end, id] : m_tables.inNormalized.find(normal, m_special)) {
            if (id >= 0)
                m_ids.push_back(id);
            else
                plain(std::string_view(normal).substr(begin, end - begin), atStart && begin == 0);
        }
    }

    void plain(std::string_view text, bool atStart)
    {
        if (m_tables.preTokenizer != PreTokenizer::File) {
            pieces(preTokenize(text, m_tables.preTokenizer));
            return;
        }
        const CutText cut = m_tables.splitter.cut(std::string(text), atStart, m_work);
        std::vector<std::string_view> list;
        list.reserve(cut.ends.size());
        std::size_t at = 0;
        for (const std::size_t end : cut.ends) {
            list.push_back(std::string_view(cut.text).substr(at, end - at));
            at = end;
        }
        pieces(list);
    }

    void pieces(const std::vector<std::string_view>& list)
    {
        // Offset and count in `ids` of pieces seen before in this text: code repeats itself.
        std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> seen;
        for (const std::string_view piece : list) {
            const auto [entry, isNew] = seen.try_emplace(piece, m_ids.size(), 0);
            if (isNew) {
                m_merger.append(piece, m_ids);
                entry->second.second = m_ids.size() - entry->second.first;
            } else {
                const auto [from, count] = entry->second;
                for (std::size_t i = 0; i < count; ++i)
                    m_ids.push_back(m_ids[from + i]);
            }
        }
    }

    const Tokenizer::Tables& m_tables;
    bool m_special;
    PieceMerger m_merger;
    PatternWork m_work;
    std::vector<std::int32_t> m_ids;
};

} // namespace

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, SpecialNames names) const
{
    return TextEncoder(*m_tables, names, text.size()).encode(text);
}

} // namespace sparserl
