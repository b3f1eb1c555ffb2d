// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"
#include "verdict/event.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// The metric points of a batch of journal entries. They are written together and in the order of the table's
/// key, because indexing a large journal would otherwise spend most of its time looking for the place of each
/// point.
class MetricRows
{
public:
    void add(const JournalEntry& entry, const MetricEvent& event);
    /// Writes and forgets all points of the run. Of several points of one series and step, the last one
    /// remains. Returns whether a point replaced another one. Throws like `sql::Statement`.
    bool write(sql::Database& db, std::int64_t run);

private:
    struct Point
    {
        std::int64_t step;
        double t, value;
    };
    std::map<std::pair<std::string, std::string>, std::vector<Point>> m_series; ///< By name and split.
};

} // namespace sparserl
