// SPDX-License-Identifier: Apache-2.0
#include "project/index/metric_rows.h"

#include <algorithm>

namespace sparserl {

void MetricRows::add(const JournalEntry& entry, const MetricEvent& event)
{
    for (const auto& [name, value] : event.values)
        m_series[{name, event.split}].push_back({entry.step, entry.t, value});
}

bool MetricRows::write(sql::Database& db, std::int64_t run)
{
    auto insert = db.prepare("INSERT OR IGNORE INTO metric VALUES (?,?,?,?,?,?)");
    auto update =
        db.prepare("UPDATE metric SET t=?5, value=?6 WHERE run=?1 AND name=?2 AND split=?3 AND step=?4");
    auto latest = db.prepare("INSERT INTO metric_latest VALUES (?1,?2,?3,?4,?5,?6) ON CONFLICT DO UPDATE SET "
                             "step=max(step,?4), value=iif(?4>=step,?5,value), points=points+?6");
    bool overwritten = false;
    for (auto& [series, points] : m_series) {
        const auto& [name, split] = series;
        std::ranges::stable_sort(points, {}, &Point::step);
        std::int64_t fresh = 0;
        for (const Point& point : points) {
            insert.bindAll(run, name, split, point.step, point.t, point.value).run();
            if (db.changes() > 0)
                ++fresh;
            else
                update.bindAll(run, name, split, point.step, point.t, point.value).run();
        }
        overwritten = overwritten || fresh < static_cast<std::int64_t>(points.size());
        latest.bindAll(run, name, split, points.back().step, points.back().value, fresh).run();
    }
    m_series.clear();
    return overwritten;
}

} // namespace sparserl
