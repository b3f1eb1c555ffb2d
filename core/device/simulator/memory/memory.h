// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/kernel_code.h"
#include "kernel/bind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace sparserl::sim {

/// An array of bytes that are initially zero. It costs nothing until it is touched.
class LazyBytes
{
public:
    void reset(std::size_t bytes)
    {
        m_data.reset(static_cast<std::byte*>(std::calloc(bytes ? bytes : 1, 1)));
        if (!m_data)
            throw std::bad_alloc();
        m_size = bytes;
    }
    std::byte* data() const { return m_data.get(); }
    std::size_t size() const { return m_size; }

private:
    struct Free
    {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<std::byte, Free> m_data;
    std::size_t m_size = 0;
};

/// Keeps one bit per byte, which is set when the byte has been written.
class WrittenBytes
{
public:
    void reset(std::size_t bytes)
    {
        m_bits.reset(8 * ((bytes + 63) / 64 + 1));
        m_touched.clear();
    }
    /// Clears all bits. Takes time proportional to the data that were written.
    void clear()
    {
        for (const std::uint32_t word : m_touched)
            bits()[word] = 0;
        m_touched.clear();
    }
    bool active() const { return m_bits.data() != nullptr; }
    void set(std::uint32_t at, std::uint32_t count)
    {
        const std::uint64_t bits = (std::uint64_t(1) << count) - 1; // count <= 16
        add(at / 64, bits << (at % 64));
        if (at % 64 + count > 64)
            add(at / 64 + 1, bits >> (64 - at % 64));
    }
    /// Sets the bits of any number of bytes, unlike set().
    void setRun(std::uint32_t at, std::uint32_t count)
    {
        forRun(at, count, [this](std::uint32_t word, std::uint64_t wanted) {
            add(word, wanted);
            return true;
        });
    }
    bool testRun(std::uint32_t at, std::uint32_t count) const
    {
        return forRun(at, count, [this](std::uint32_t word, std::uint64_t wanted) {
            return (bits()[word] & wanted) == wanted;
        });
    }
    bool test(std::uint32_t at, std::uint32_t count) const
    {
        const std::uint64_t wanted = (std::uint64_t(1) << count) - 1;
        std::uint64_t have = bits()[at / 64] >> (at % 64);
        if (at % 64 + count > 64)
            have |= bits()[at / 64 + 1] << (64 - at % 64);
        return (have & wanted) == wanted;
    }

private:
    /// Calls `visit(word, bits)` for each word of bits of a run. Stops when `visit` returns false.
    template <class Visit>
    static bool forRun(std::uint32_t at, std::uint32_t count, Visit&& visit)
    {
        while (count > 0) {
            const std::uint32_t here = std::min(64 - at % 64, count);
            const std::uint64_t ones = here == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << here) - 1;
            if (!visit(at / 64, ones << (at % 64)))
                return false;
            at += here;
            count -= here;
        }
        return true;
    }
    std::uint64_t* bits() const { return reinterpret_cast<std::uint64_t*>(m_bits.data()); }
    void add(std::uint32_t word, std::uint64_t added)
    {
        if (!bits()[word])
            m_touched.push_back(word);
        bits()[word] |= added;
    }
    LazyBytes m_bits;
    std::vector<std::uint32_t> m_touched; ///< Indexes of the words of bits that are not zero.
};

/// The lanes of a warp that have read a word at the same value of the warp's counter.
struct Readers
{
    std::uint32_t warp = 0, epoch = 0, lanes = 0;
};

/// The last accesses to one 32-bit word; see races.h.
struct WordHistory
{
    std::uint32_t generation = 0; ///< The launch (global memory) or block (shared memory) of the accesses.
    std::uint32_t writeWarp = 0, writeEpoch = 0;
    std::array<Readers, 2> readers;          ///< The first two groups of readers; see `crowded`.
    std::uint32_t stamp = 0;                 ///< Stamp of the last write. Each store has a stamp of its own.
    std::uint16_t writeLine = 0;             ///< Index of the line of the last write.
    std::array<std::uint16_t, 2> readLine{}; ///< Index of the line of the last read, for each reader.
    std::uint8_t writeLane = 0, writeBytes = 0, readBytes = 0;
    bool writeStrong : 1 = false, readStrong : 1 = false;
    bool writeBlockScope : 1 = false,
                           readBlockScope : 1 = false; ///< The access is strong, but only with block scope.
    bool halvesRead : 1 =
        false; ///< Some lanes have read only one half of the word. RaceDetector has the details.
    bool crowded : 1 =
        false; ///< There are more than two unordered groups of readers. RaceDetector has the others.

    /// Returns false for most words: no access in this launch (or block) can conflict with a read or a write.
    bool mayConflict(std::uint32_t now, bool write) const
    {
        return generation == now && (writeBytes || (write && readBytes));
    }
};

/// The histories of the words of an array.
class WordHistories
{
public:
    /// Prepares for `words` words, none of which has a history.
    void reset(std::size_t words)
    {
        m_all.reset(words * sizeof(WordHistory));
        m_words = words;
    }
    /// Like reset(), but allocates memory for histories only when words are accessed, and only while `room`
    /// lasts. `room` is a number of bytes that several arrays share. Any other word has no history.
    void resetSparse(std::size_t words, std::size_t& room)
    {
        m_pages.reset((words / pageWords + 1) * sizeof(Page));
        m_words = words;
        m_room = &room;
    }
    bool empty() const { return m_words == 0; }
    WordHistory& operator[](std::size_t word)
    {
        return m_room ? sparse(word) : reinterpret_cast<WordHistory*>(m_all.data())[word];
    }
    /// Drops the history of a word. Only after resetSparse().
    void forget(std::size_t word)
    {
        if (WordHistory* const words = pages()[word / pageWords].words)
            words[word % pageWords] = {};
    }

private:
    static constexpr std::size_t pageWords = 16;

    struct Page
    {
        WordHistory* words = nullptr; ///< If nullptr, no word of the page has a history.
    };
    Page* pages() const { return reinterpret_cast<Page*>(m_pages.data()); }
    WordHistory& sparse(std::size_t word)
    {
        Page& page = pages()[word / pageWords];
        if (!page.words) {
            constexpr std::size_t bytes = pageWords * sizeof(WordHistory);
            if (*m_room < bytes)
                return m_nothing = {};
            *m_room -= bytes;
            page.words = m_held.emplace_back().data();
        }
        return page.words[word % pageWords];
    }
    LazyBytes m_all, m_pages;
    std::size_t m_words = 0;
    std::size_t* m_room = nullptr;
    std::deque<std::array<WordHistory, pageWords>> m_held;
    WordHistory m_nothing;
};

/// A buffer of the plan in simulated memory.
struct Region
{
    std::string name;
    BufferRole role = BufferRole::Matrix;
    std::byte* host = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t base = 0;
    std::uint32_t elementBytes = 4;
    std::uint32_t firstSector = 0; ///< Number of its first sector, for the caches.
    bool writable = false;         ///< Whether the current launch may write to it.
    WrittenBytes written;          ///< Active only if each byte must be written before it is read.
    WordHistories history;         ///< Used only for race detection.
};

} // namespace sparserl::sim
