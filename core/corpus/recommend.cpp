// SPDX-License-Identifier: Apache-2.0
#include "corpus/estimate_device.h"
#include "corpus/parameter_grid.h"
#include "corpus/recommend_estimated.h"
#include "corpus/spmm_estimate.h"
#include "corpus/spmv_estimate.h"
#include "matrix/features.h"

namespace sparserl {

namespace {

/// The families of a task, estimated.
template <typename Rules, typename Estimate>
std::vector<EstimatedFamily> estimated(const Estimate& estimate, ElementType type)
{
    std::vector<EstimatedFamily> families;
    for (const KernelFamily& one : kernelFamilies()) {
        const Rules* rules = std::get_if<Rules>(&one.rules);
        if (!rules || !one.write)
            continue;
        EstimatedFamily family;
        family.family = &one.family;
        family.grids = &rules->grids;
        family.microseconds = [rules, &one, &estimate, type](const FamilyParameters& complete) {
            constexpr double never = 1e12;
            return fitsShared(one, complete, type) ? estimate.microseconds(*rules, complete) : never;
        };
        family.factor = [rules](const FamilyParameters& complete) {
            return factorOf(fitOf(rules->fits, complete), complete);
        };
        families.push_back(std::move(family));
    }
    return families;
}

} // namespace

std::vector<Candidate> recommend(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                 std::int64_t denseColumns, ElementType type)
{
    const SpmvDevice figures = spmvDevice(device);
    const double entryBytes = 4 + static_cast<double>(sizeOf(type));
    const bool large = entryBytes * static_cast<double>(features.nnz) * 3 > figures.l2Bytes * 2;
    if (task == Task::SpMV) {
        const SpmvEstimate estimate(features, figures, type);
        auto families = estimated<SpmvRules>(estimate, type);
        for (EstimatedFamily& one : families) {
            const auto& rules = std::get<SpmvRules>(findKernelFamily(one.family->id)->rules);
            one.reason = rules.reason(features);
            one.apart = rules.apart;
            one.wholeLines = rules.wholeLines;
        }
        return recommendEstimated(families, large);
    }
    const std::int64_t columns = denseColumns > 0 ? denseColumns : features.denseColumns;
    const SpmmEstimate estimate(features, columns, figures, type);
    auto families = estimated<SpmmRules>(estimate, type);
    for (EstimatedFamily& one : families)
        one.reason = std::get<SpmmRules>(findKernelFamily(one.family->id)->rules)
                         .reason(features, TargetVariant::of(task, columns, type));
    auto candidates = recommendEstimated(families, large);
    constexpr std::size_t most = 40;
    if (candidates.size() > most)
        candidates.resize(most);
    return candidates;
}

std::vector<Candidate> parameterGrid(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                     std::int64_t denseColumns, ElementType type)
{
    const SpmvDevice figures = spmvDevice(device);
    if (task == Task::SpMV) {
        const SpmvEstimate estimate(features, figures, type);
        return laidOutEstimated(estimated<SpmvRules>(estimate, type));
    }
    const SpmmEstimate estimate(features, denseColumns > 0 ? denseColumns : features.denseColumns, figures,
                                type);
    return laidOutEstimated(estimated<SpmmRules>(estimate, type));
}

ReferenceProgram referenceProgram(Task task, ElementType type)
{
    if (task == Task::SpMM) {
        const auto program = derive("M1", {{"block", 128}, {"merge", 1}, {"unroll", 1}}, Style{}, true, type);
        return {"reference CSR row-split (thread per element of C)", program ? program->text : std::string()};
    }
    const auto program = derive("S3", {{"block", 128}, {"accumulators", 1}}, Style{}, true, type);
    return {"reference CSR-vector (warp per row)", program ? program->text : std::string()};
}

} // namespace sparserl
