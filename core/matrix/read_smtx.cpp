// SPDX-License-Identifier: Apache-2.0
#include "matrix/assemble.h"
#include "matrix/number.h"
#include "matrix/readers.h"
#include "matrix/values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// DLMC text CSR: "rows, cols, entries", then rows + 1 row pointers, then the column indices, both from 0.
/// Line breaks count only as separators: some writers wrap.
class SmtxParser
{
public:
    SmtxParser(std::string name, std::int64_t memory, ReadWarnings& warnings)
        : m_name(std::move(name))
        , m_memory(memory)
        , m_warnings(warnings)
    {
    }

    Status feed(std::string_view block)
    {
        const char* at = block.data();
        const char* end = at + block.size();
        while (at != end) {
            if (*at == '\n') {
                ++m_line;
                ++at;
            } else if (isBlank(*at) || *at == ',') {
                m_commas += *at == ',' ? 1 : 0;
                ++at;
            } else {
                const char* start = at;
                std::int64_t number = 0;
                if (!parseUnsigned(at, number) || !(isBlank(*at) || *at == ',' || *at == '\n')) {
                    const char* stop = std::min(end, start + 40);
                    return refuse(fmt::format("\"{}\" is not an index",
                                              std::string_view(start, std::find(start, stop, '\n'))));
                }
                SPARSERL_CHECK(take(number));
            }
        }
        return {};
    }

    Result<MatrixFile> finish()
    {
        --m_line;
        if (m_seen < 3) {
            return refuse("the size line must be \"rows, cols, entries\"");
        }
        const std::int64_t wanted = 3 + m_size[0] + 1 + m_size[2];
        if (m_seen < wanted) {
            return refuse(fmt::format("the file ends early: {} numbers instead of {}", m_seen, wanted),
                          "The file may be truncated: download or copy it again");
        }
        Triplets entries;
        entries.row.resize(m_col.size());
        for (std::int64_t r = 0; r < m_size[0]; ++r) {
            std::fill(entries.row.begin() + m_rowPtr[r], entries.row.begin() + m_rowPtr[r + 1],
                      static_cast<std::int32_t>(r));
        }
        entries.col = std::move(m_col);
        MatrixFile out;
        out.source.format = "smtx";
        out.source.storage = "csr";
        out.source.field = "pattern";
        out.source.symmetry = "general";
        out.source.seededValues = true;
        out.source.storedEntries = m_size[2];
        out.matrix = assemble(static_cast<std::int32_t>(m_size[0]), static_cast<std::int32_t>(m_size[1]),
                              std::move(entries), &out.source.duplicates);
        fillSeededValues(out.matrix);
        return out;
    }

private:
    tl::unexpected<Error> refuse(std::string what, std::string remedy = {}) const
    {
        return failAt(m_name, m_line, std::move(what), std::move(remedy));
    }

    /// Sizes, row pointers and column indices stand on one line each.
    void beginPart(bool first)
    {
        if (!first && m_line == m_partLine) {
            m_warnings.note(ReadWarnings::Kind::SmtxLines, m_line);
        }
        m_partLine = m_line;
    }

    Status take(std::int64_t number)
    {
        const std::int64_t index = m_seen++;
        if (index == 0 || index == 3 || index == 4 + m_size[0]) {
            beginPart(index == 0);
        } else if (m_line != m_partLine) {
            m_warnings.note(ReadWarnings::Kind::SmtxLines, m_line);
            m_partLine = m_line;
        }
        if (index < 3) {
            m_size[index] = number;
            if (index == 2) {
                if (m_commas != 2) {
                    m_warnings.note(ReadWarnings::Kind::NoCommas, m_line);
                }
                SPARSERL_CHECK(checkSize(m_name, m_line, m_size[0], m_size[1], m_size[2], m_memory));
                // A file may promise anything: grow with it instead of reserving all of that.
                m_rowPtr.reserve(static_cast<std::size_t>(std::min<std::int64_t>(m_size[0] + 1, 1 << 20)));
                m_col.reserve(static_cast<std::size_t>(std::min<std::int64_t>(m_size[2], 1 << 20)));
            }
            return {};
        }
        const std::int64_t pointer = index - 3;
        if (pointer <= m_size[0]) {
            const std::int64_t least = pointer == 0 ? 0 : m_rowPtr.back();
            const std::int64_t most = pointer == 0 ? 0 : m_size[2];
            if (number < least || number > most) {
                return refuse(pointer == 0 ? fmt::format("the first row pointer is {} and must be 0", number)
                                           : fmt::format("row pointer {} is {}: it must be in {}..{}",
                                                         pointer, number, least, most),
                              "The file was taken for a pattern of DLMC (.smtx), because it begins with "
                              "three numbers: write other matrices as Matrix Market (.mtx)");
            }
            if (pointer == m_size[0] && number != m_size[2]) {
                return refuse(fmt::format("the last row pointer is {}, the size line promises {} entries",
                                          number, m_size[2]));
            }
            m_rowPtr.push_back(static_cast<std::int32_t>(number));
            return {};
        }
        if (pointer - m_size[0] > m_size[2]) {
            return refuse(fmt::format("there are more than the {} column indices that the size line promises",
                                      m_size[2]));
        }
        if (number >= m_size[1]) {
            return refuse(fmt::format("column index {} is outside of the matrix of {} x {}", number,
                                      m_size[0], m_size[1]),
                          "Column indices start at 0");
        }
        m_col.push_back(static_cast<std::int32_t>(number));
        return {};
    }

    std::string m_name;
    std::int64_t m_memory = 0;
    ReadWarnings& m_warnings;
    int m_line = 1;
    int m_partLine = 0;
    std::int64_t m_commas = 0;
    std::int64_t m_seen = 0;
    std::array<std::int64_t, 3> m_size{};
    std::vector<std::int32_t> m_rowPtr, m_col;
};

} // namespace

Result<MatrixFile> readSmtx(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                            ReadWarnings& warnings)
{
    SmtxParser parser(blocks.name(), memory, warnings);
    std::string_view block = first;
    while (!block.empty()) {
        SPARSERL_CHECK(parser.feed(block));
        SPARSERL_TRY(auto next, blocks.next(TextBlocks::Cut::Numbers));
        block = next;
    }
    return parser.finish();
}

} // namespace sparserl
