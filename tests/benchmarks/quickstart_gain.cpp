// SPDX-License-Identifier: Apache-2.0
// What reinforcement learning gains over the policy it started from, paired over held-out matrices and seeds.
// Usage: quickstart_gain BEFORE AFTER [BEFORE AFTER ...]: run directories of the stage evaluate, one pair a
// seed.
#include "training/job_report.h"
#include "training/statistics.h"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

using namespace sparserl;

namespace {

struct Figures
{
    double reward = 0, compiled = 0, correct = 0, speedup = 0;
};

std::map<std::string, Figures> figuresOf(const char* run)
{
    const auto report = readEvaluation(run);
    if (!report) {
        fmt::print(stderr, "{}\n", report.error().sentence());
        std::exit(1);
    }
    std::map<std::string, Figures> all;
    for (const auto& row : report->rows) {
        const double n = static_cast<double>(row.samples);
        const double speedup = row.bestMicroseconds > 0 ? row.baselineMicroseconds / row.bestMicroseconds : 0;
        all[row.matrixName] = {row.meanReward, static_cast<double>(row.compiled) / n,
                               static_cast<double>(row.correct) / n, speedup};
    }
    return all;
}

void printGain(const char* name, const std::vector<double>& before, const std::vector<double>& after)
{
    std::vector<double> differences;
    for (std::size_t i = 0; i < before.size(); ++i)
        differences.push_back(after[i] - before[i]);
    const auto interval = pairedBootstrap(differences, 0.95, 10000, 1);
    fmt::print("| {} | {:.3f} | {:.3f} | {:+.3f} | [{:+.3f}, {:+.3f}] |\n", name, summarise(before).mean,
               summarise(after).mean, interval.mean, interval.low, interval.high);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3 || argc % 2 == 0) {
        fmt::print(stderr, "Usage: {} BEFORE AFTER [BEFORE AFTER ...]\n", argv[0]);
        return 2;
    }
    std::map<std::string, std::vector<double>> before, after;
    std::size_t pairs = 0;
    fmt::print(
        "| seed | matrix | reward before | after | correct before | after | best speed-up before | after |\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (int i = 1; i + 1 < argc; i += 2) {
        const auto old = figuresOf(argv[i]), now = figuresOf(argv[i + 1]);
        for (const auto& [matrix, figures] : old) {
            const auto found = now.find(matrix);
            if (found == now.end())
                continue;
            ++pairs;
            const auto& f = found->second;
            fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.0f} % | {:.0f} % | {:.2f} | {:.2f} |\n", (i + 1) / 2,
                       matrix, figures.reward, f.reward, 100 * figures.correct, 100 * f.correct,
                       figures.speedup, f.speedup);
            before["reward"].push_back(figures.reward);
            after["reward"].push_back(f.reward);
            before["correct"].push_back(figures.correct);
            after["correct"].push_back(f.correct);
            before["compiled"].push_back(figures.compiled);
            after["compiled"].push_back(f.compiled);
            before["best speed-up"].push_back(figures.speedup);
            after["best speed-up"].push_back(f.speedup);
        }
    }
    fmt::print(
        "\n{} pairs of matrix and seed; 95 % bootstrap intervals of the mean difference, 10,000 draws.\n\n"
        "| figure | before | after | gain | interval |\n|---|---|---|---|---|\n",
        pairs);
    for (const char* name : {"reward", "compiled", "correct", "best speed-up"})
        printGain(name, before[name], after[name]);
    return 0;
}
