// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/noted_chart.h"

#include <optional>
#include <vector>

namespace sparserl {

/// Speed against shared memory for the correct programs in the list that are for the target of the selected
/// program (SparseRL, Fig. 8): one point per program, one colour per family. The selected program is marked.
class SharedMemoryView : public NotedChart
{
    Q_OBJECT

public:
    explicit SharedMemoryView(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// Sets the filter of the list. The data are loaded when this view becomes visible.
    void setFilter(const CandidateFilter& filter);
    /// Sets the selected program; nullopt: none.
    void setProgram(const std::optional<CandidateRow>& program);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Point
    {
        double kib = 0, gflops = 0;
        std::string family;
        CandidateId id;
        std::string programHash;
    };
    struct Answer
    {
        std::vector<Point> points;
        std::size_t all = 0; ///< Correct programs; exceeds the number of points if there are too many.
    };
    static Result<Answer> read(ProjectReader& reader, const CandidateFilter& filter, const TargetId& target,
                               const CancelToken& cancel);
    void ask();
    void draw();
    QString noteText() const;

    ProjectSession* m_session = nullptr;
    CandidateFilter m_filter;
    std::optional<CandidateRow> m_program;
    Answer m_answer;
    bool m_stale = true;
    CancelToken m_cancel;
    JobTracker m_jobs{this};
};

} // namespace sparserl
