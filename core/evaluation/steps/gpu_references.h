// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/baseline_book.h"
#include "evaluation/steps/judge_services.h"
#include "evaluation/steps/quarantine.h"

#include <map>
#include <utility>

namespace sparserl {

/// Reference times on a GPU: the launch floor, library routines for each matrix, and the best program
/// verified so far. They are measured on demand; library routines are measured again after every 50
/// candidates.
class GpuReferences
{
public:
    GpuReferences(const JudgeServices& services, const GpuInfo& info, bool paper);

    /// Resumes when the floor is known and, for the task's matrix, the baseline or the reason for its
    /// absence.
    Flow<> ready(TargetTask task);
    const GpuFloor& floor() const { return m_floor; }
    const BaselineTiming& baseline(const TargetTask& task) const;
    /// Returns the baseline, with the two routines that rewards may use. It has a `problem` if no library
    /// routine works on this matrix although the GPU works; other targets are judged as usual.
    Baseline library(const TargetTask& task) const;
    int epoch(const TargetTask& task) const;
    /// Counts a candidate before its measurement. The baseline is measured again after every 50.
    void countCandidate(const TargetTask& task);
    /// Returns the fastest time on this matrix that a fresh process confirmed, or the baseline's if there is
    /// none yet.
    double bestVerified(const TargetTask& task) const;
    void verified(const TargetTask& task, double microseconds);
    /// Returns whether a time is shorter than the times of all programs that were simulated with every check
    /// on this matrix.
    bool wouldBeFastest(const TargetTask& task, double microseconds) const;
    void simulated(const TargetTask& task, double microseconds);
    /// Times an empty kernel in a fresh process to test whether the GPU works.
    Flow<Status> control();
    /// Cancels the current measurements. No flow may be waiting for them.
    void abandon();

private:
    struct Entry
    {
        BaselineBook book;
        std::string problem;                        ///< Why there is no baseline.
        double bestVerified = 0, bestSimulated = 0; ///< Shortest times so far, in microseconds; 0: none yet.
        Awaited<bool> measured;
        Flow<bool> again; ///< Repeats the measurement.
    };
    const std::shared_ptr<Entry>& entry(const TargetTask& task);
    const Entry* find(const TargetTask& task) const;
    Flow<bool> measureFloor();
    Flow<double> measureLaunches(int launches);
    Flow<Result<double>> timeEmpty(int launches, bool fresh);
    Flow<bool> measureBaseline(TargetTask task);
    Flow<Result<BaselineAnswer>> timeLibrary(const TargetTask& task);
    void drifted(Entry& known, const TargetTask& task, double before);
    /// Tests whether the GPU works. If so, the target has no baseline.
    Flow<> noBaseline(const TargetTask& task, std::string why);

    JudgeServices m_services;
    bool m_paper;
    GpuFloor m_floor;
    std::shared_ptr<Awaited<bool>> m_floorMeasured = std::make_shared<Awaited<bool>>();
    std::map<std::string, std::shared_ptr<Entry>> m_entries; ///< By TargetId::key().
};

} // namespace sparserl
