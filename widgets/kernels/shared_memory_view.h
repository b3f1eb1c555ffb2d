// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/noted_chart.h"

#include <optional>
#include <vector>

namespace sparserl {

/// Speed against shared memory over the correct programs that the list has (SparseRL, Fig. 8): a point for
/// each, a colour for each family.
class SharedMemoryView : public NotedChart
{
    Q_OBJECT

public:
    explicit SharedMemoryView(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// What the list shows; read as soon as this is looked at.
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
        std::size_t all = 0; ///< Correct programs; more than points where they are too many.
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
