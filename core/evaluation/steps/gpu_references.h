// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/baseline_book.h"
#include "evaluation/steps/judge_services.h"
#include "evaluation/steps/quarantine.h"

#include <map>
#include <utility>

namespace sparserl {

/// What times on a GPU are held against, measured when first needed: the floor of launches, library routines
/// for each matrix (again after every 50 candidates), and the best program verified so far.
class GpuReferences
{
public:
    GpuReferences(const JudgeServices& services, const GpuInfo& info, bool paper);

    /// Comes back when floor and baseline of the task's matrix are known, or why it has none.
    Flow<> ready(TargetTask task);
    const GpuFloor& floor() const { return m_floor; }
    const BaselineTiming& baseline(const TargetTask& task) const;
    /// The baseline with the two routines that rewards may ask for. With a problem where no library routine
    /// works on this matrix although the GPU does: other targets are judged as if it were not there.
    Baseline library(const TargetTask& task) const;
    int epoch(const TargetTask& task) const;
    /// A candidate is going to be measured: every 50 the baseline is measured again.
    void countCandidate(const TargetTask& task);
    /// The fastest time that a fresh process found again on this matrix; before any, the baseline's.
    double bestVerified(const TargetTask& task) const;
    void verified(const TargetTask& task, double microseconds);
    /// Faster than every program that was simulated with every check on this matrix?
    bool wouldBeFastest(const TargetTask& task, double microseconds) const;
    void simulated(const TargetTask& task, double microseconds);
    /// Times an empty kernel in a fresh process: does the GPU work?
    Flow<Status> control();
    /// Gives up what is being measured. Nobody may be waiting for it.
    void abandon();

private:
    struct Entry
    {
        BaselineBook book;
        std::string problem;                        ///< Why there is no baseline.
        double bestVerified = 0, bestSimulated = 0; ///< 0: none yet.
        Awaited<bool> measured;
        Flow<bool> again; ///< Being measured again.
    };
    const std::shared_ptr<Entry>& entry(const TargetTask& task);
    const Entry* find(const TargetTask& task) const;
    Flow<bool> measureFloor();
    Flow<double> measureLaunches(int launches);
    Flow<Result<double>> timeEmpty(int launches, bool fresh);
    Flow<bool> measureBaseline(TargetTask task);
    Flow<Result<BaselineAnswer>> timeLibrary(const TargetTask& task);
    void drifted(Entry& known, const TargetTask& task, double before);
    /// Asks whether the GPU works: if so it is the target that has no baseline.
    Flow<> noBaseline(const TargetTask& task, std::string why);

    JudgeServices m_services;
    bool m_paper;
    GpuFloor m_floor;
    std::shared_ptr<Awaited<bool>> m_floorMeasured = std::make_shared<Awaited<bool>>();
    std::map<std::string, std::shared_ptr<Entry>> m_entries; ///< By TargetId::key().
};

} // namespace sparserl
