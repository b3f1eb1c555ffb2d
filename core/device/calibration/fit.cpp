// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/fit.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "device/calibration/parallel.h"
#include "device/simulator/profile/cost_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace sparserl {

namespace {

constexpr double coldWeight = 0.25;
constexpr double orderWeight = 1.0;
constexpr double priorWeight = 2e-4;

/// Quadratic near 0, linear from 0.3 on: a few rows that no parameter explains must not rule.
double robust(double error)
{
    const double a = std::abs(error);
    return a < 0.3 ? a * a : 0.6 * a - 0.09;
}

/// Rows of one target.
using Groups = std::vector<std::vector<std::size_t>>;

Groups groupsOf(const std::vector<CalibrationRow>& rows, const std::vector<std::size_t>& use)
{
    std::map<std::string, std::vector<std::size_t>> byTarget;
    for (const std::size_t i : use)
        byTarget[rows[i].target.key()].push_back(i);
    Groups groups;
    for (auto& [key, members] : byTarget)
        groups.push_back(std::move(members));
    return groups;
}

double groupLoss(const DeviceModel& model, const std::vector<CalibrationRow>& rows,
                 const std::vector<std::size_t>& members)
{
    std::vector<double> modelled(members.size()), measured(members.size());
    double value = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
        const CalibrationRow& row = rows[members[k]];
        const sim::CallTime time = sim::callTime(model, *row.profile);
        modelled[k] = std::log(time.warmMicroseconds);
        measured[k] = std::log(row.warm->median);
        value += robust(modelled[k] - measured[k]);
        if (row.cold)
            value += coldWeight * robust(std::log(time.coldMicroseconds / row.cold->median));
    }
    value /= static_cast<double>(members.size());
    double order = 0, pairs = 0;
    for (std::size_t a = 0; a < members.size(); ++a) {
        for (std::size_t b = a + 1; b < members.size(); ++b) {
            const double real = measured[a] - measured[b];
            if (std::abs(real) < 0.0953) // 10 %
                continue;
            const double said = real > 0 ? modelled[a] - modelled[b] : modelled[b] - modelled[a];
            // A smooth step: 1 for the wrong order, 0 for the right one by a margin.
            order += 1 / (1 + std::exp(said / 0.04));
            pairs += 1;
        }
    }
    return value + (pairs > 0 ? orderWeight * order / pairs : 0);
}

double lossOf(const DeviceModel& model, const DeviceModel& start, const std::vector<CalibrationRow>& rows,
              const Groups& groups, int threads)
{
    std::vector<double> losses(groups.size());
    parallelFor(groups.size(), threads,
                [&](std::size_t g) { losses[g] = groupLoss(model, rows, groups[g]); });
    double sum = std::accumulate(losses.begin(), losses.end(), 0.0) /
                 std::max<double>(1, static_cast<double>(groups.size()));
    for (const CostParameter& parameter : costParameters()) {
        const double moved = std::log(model.*parameter.member / start.*parameter.member);
        sum += priorWeight * moved * moved;
    }
    return sum;
}

DeviceModel clamped(DeviceModel model)
{
    for (const CostParameter& parameter : costParameters())
        model.*parameter.member = std::clamp(model.*parameter.member, parameter.low, parameter.high);
    return model;
}

/// One fit without cross-validation.
DeviceModel search(const DeviceModel& start, const std::vector<CalibrationRow>& rows, const Groups& groups,
                   const FitOptions& options, int threads, const std::function<void(int)>& round)
{
    const auto& parameters = costParameters();
    DeviceModel best = clamped(start);
    double bestLoss = lossOf(best, start, rows, groups, threads);
    std::vector<double> step(parameters.size(), 0.35);
    Rng rng(options.seed);
    for (int r = 0; r < options.rounds && !options.cancel.cancelled(); ++r) {
        round(r);
        const DeviceModel before = best;
        std::vector<std::size_t> order(parameters.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        rng.shuffle(order);
        for (const std::size_t p : order) {
            if (std::find(options.keep.begin(), options.keep.end(), parameters[p].name) !=
                options.keep.end()) {
                step[p] = 0;
                continue;
            }
            bool moved = false;
            for (const double sign : {1.0, -1.0}) {
                DeviceModel trial = best;
                trial.*parameters[p].member *= std::exp(sign * step[p]);
                trial = clamped(trial);
                const double loss = lossOf(trial, start, rows, groups, threads);
                if (loss < bestLoss) {
                    best = trial;
                    bestLoss = loss;
                    moved = true;
                    break;
                }
            }
            step[p] = std::clamp(step[p] * (moved ? 1.4 : 0.6), 0.004, 0.8);
        }
        // Where the round as a whole went, once more.
        DeviceModel further = best;
        for (const CostParameter& parameter : parameters)
            further.*parameter.member *= best.*parameter.member / before.*parameter.member;
        further = clamped(further);
        if (const double loss = lossOf(further, start, rows, groups, threads); loss < bestLoss) {
            best = further;
            bestLoss = loss;
        }
        if (*std::max_element(step.begin(), step.end()) < 0.006)
            break;
    }
    return best;
}

} // namespace

Result<FitResult> fitModel(const DeviceModel& start, const std::vector<CalibrationRow>& rows,
                           const FitOptions& options)
{
    std::vector<std::size_t> use;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].usable())
            use.push_back(i);
    }
    if (use.size() < 10)
        return fail(
            fmt::format("only {} of {} rows have a right result, a time and a profile: too few to fit",
                        use.size(), rows.size()),
            "Collect more rows, or simulate them with --resimulate");
    FitResult result;
    const Groups groups = groupsOf(rows, use);
    result.lossBefore = lossOf(clamped(start), start, rows, groups, options.threads);
    const int fits = options.folds > 1 ? options.folds + 1 : 1;
    int fitsDone = 0;
    const auto round = [&](int r) {
        if (options.progress)
            options.progress((fitsDone + double(r) / options.rounds) / fits,
                             fitsDone ? fmt::format("fitting without fold {}", fitsDone) : "fitting");
    };
    result.model = search(start, rows, groups, options, options.threads, round);
    result.lossAfter = lossOf(result.model, start, rows, groups, options.threads);
    if (options.folds > 1) {
        result.heldOut.warm.assign(rows.size(), 0);
        result.heldOut.cold.assign(rows.size(), 0);
        // Matrices, not groups, are dealt to the folds: 8 and 32 columns of one matrix belong together.
        std::map<std::string, int> foldOf;
        std::vector<std::string> matrices;
        for (const std::size_t i : use) {
            if (foldOf.emplace(rows[i].target.contents, 0).second)
                matrices.push_back(rows[i].target.contents);
        }
        Rng(options.seed + 1).shuffle(matrices);
        for (std::size_t m = 0; m < matrices.size(); ++m)
            foldOf[matrices[m]] = static_cast<int>(m % static_cast<std::size_t>(options.folds));
        for (int fold = 0; fold < options.folds && !options.cancel.cancelled(); ++fold) {
            fitsDone = fold + 1;
            std::vector<std::size_t> train;
            for (const std::size_t i : use) {
                if (foldOf[rows[i].target.contents] != fold)
                    train.push_back(i);
            }
            const DeviceModel model =
                search(start, rows, groupsOf(rows, train), options, options.threads, round);
            for (const std::size_t i : use) {
                if (foldOf[rows[i].target.contents] != fold)
                    continue;
                const sim::CallTime time = sim::callTime(model, *rows[i].profile);
                result.heldOut.warm[i] = time.warmMicroseconds;
                result.heldOut.cold[i] = time.coldMicroseconds;
            }
        }
    }
    if (options.cancel.cancelled())
        return fail(interruption());
    return result;
}

} // namespace sparserl
