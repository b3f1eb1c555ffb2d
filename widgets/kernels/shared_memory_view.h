// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/noted_chart.h"

#include <optional>
#include <vector>

namespace sparserl {

/// Speed against shared memory for the correct programs in the list (SparseRL, Fig. 8): one point per
/// program, one colour per family.
class SharedMemoryView : public NotedChart
{
    Q_OBJECT

public:
    explicit SharedMemoryView(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// Sets the filter of the list. The data are loaded when this view becomes visible.
    void setFilter(const CandidateFilter& filter);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Point
    {
        double kib = 0, gflops = 0;
        std::string family;
    };
    struct Answer
    {
        std::vector<Point> points;
        std::size_t all = 0; ///< Correct programs; exceeds the number of points if there are too many.
    };
    static Result<Answer> read(ProjectReader& reader, const CandidateFilter& filter,
                               const CancelToken& cancel);
    void ask();
    void draw(const Answer& answer);

    ProjectSession* m_session = nullptr;
    CandidateFilter m_filter;
    bool m_stale = true;
    CancelToken m_cancel;
    JobTracker m_jobs{this};
};

} // namespace sparserl
