// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <sqlite3.h>
#include <vector>

namespace sparserl {

/// A value per program of an index, by program number (table program_number).
template <typename T>
class ByProgram
{
public:
    /// Allocates space for the current programs of `db`; grows for later ones.
    explicit ByProgram(const sql::Database& db)
        : m_most(mostPrograms(db))
    {
        (*this)[db.integer("SELECT max(number) FROM program_number")];
    }

    /// Returns T() unless another value was stored. Throws a Fault for an impossible program number.
    T& operator[](std::int64_t number)
    {
        if (number < 0 || number > m_most)
            throw sql::Fault(SQLITE_CORRUPT, fmt::format("no program can have the number {}", number));
        const auto place = static_cast<std::size_t>(number);
        if (place >= m_values.size())
            m_values.resize(place + 1);
        return m_values[place];
    }

private:
    /// An upper bound: a program's row takes more than eight bytes of the file.
    static std::int64_t mostPrograms(const sql::Database& db)
    {
        const std::int64_t bytes = db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size");
        return std::min<std::int64_t>(bytes / 8, std::numeric_limits<std::uint32_t>::max());
    }

    std::int64_t m_most = 0;
    std::vector<T> m_values;
};

} // namespace sparserl
