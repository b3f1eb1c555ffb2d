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

/// Holds a value for each program of an index, by the program's number (table program_number).
template <typename T>
class ByProgram
{
public:
    /// Allocates space for all programs that `db` has now. Grows if there are more later.
    explicit ByProgram(const sql::Database& db)
        : m_most(mostPrograms(db))
    {
        (*this)[db.integer("SELECT max(number) FROM program_number")];
    }

    /// Returns the value of a program, initially T(). Throws a Fault for a number that no program can have.
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
    /// Returns an upper bound of the number of programs. The row of a program takes more than eight bytes of
    /// the file.
    static std::int64_t mostPrograms(const sql::Database& db)
    {
        const std::int64_t bytes = db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size");
        return std::min<std::int64_t>(bytes / 8, std::numeric_limits<std::uint32_t>::max());
    }

    std::int64_t m_most = 0;
    std::vector<T> m_values;
};

} // namespace sparserl
