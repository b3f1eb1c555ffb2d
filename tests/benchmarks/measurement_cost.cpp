// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "machine/device_model.h"
#include "project/files/project.h"
#include "training/data/sft_data.h"
#include "training/work/measuring.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

// How well times of corpus programs are predicted that were never measured, iteration by iteration as rl does
// it, held against the mean speed-up of the program's family so far, as the peer. Every predicted program is
// then measured all the same, to know. measurement_cost PROJECT [SHARE [CLUSTERS [ITERATIONS]]]

using namespace sparserl;

namespace {

template <typename T>
T must(Result<T> result)
{
    if (result)
        return std::move(*result);
    std::fprintf(stderr, "measurement_cost: %s\n", result.error().sentence().c_str());
    std::exit(1);
}

double off(double predicted, double real)
{
    return std::abs(predicted / real - 1);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: measurement_cost PROJECT [SHARE [CLUSTERS [ITERATIONS]]]\n");
        return 2;
    }
    auto project = must(Project::open(argv[1]));
    const double share = argc > 2 ? std::atof(argv[2]) : 0.5;
    const auto clusters = argc > 3 ? std::atoll(argv[3]) : 0;
    const int iterations = argc > 4 ? std::atoi(argv[4]) : 24;
    std::vector<StageTarget> targets;
    for (const auto& entry : project.matrices()) {
        if (entry.split != "train")
            continue;
        auto loaded = must(project.load(entry));
        targets.push_back({{{.contents = loaded.digest, .name = loaded.name}, loaded.matrix}, false, {}});
    }
    std::vector<const StageTarget*> pointers;
    for (const auto& target : targets)
        pointers.push_back(&target);
    const auto judge = must(makeSimulatorJudge());
    CachedJudge cached(*judge, 1);
    MeasuringJudge measuring(cached, pointers, {share, clusters, 0.6, 1, defaultDeviceModel()});

    std::map<std::string, std::pair<double, double>> families; // sums of ln(time / baseline), how many
    std::printf("%zu matrices; a quarter: measured, error of predictions, of the family's mean, of ln(time) "
                "explained\n",
                targets.size());
    double correct = 0, predicted = 0, errors = 0, peers = 0, sum = 0, squares = 0, left = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        std::vector<CachedJudge::Request> requests;
        std::vector<std::string> family;
        Rng order = Rng(7).derive(static_cast<std::uint64_t>(iteration));
        auto drawn = pointers;
        order.shuffle(drawn);
        drawn.resize(std::min<std::size_t>(drawn.size(), 8));
        for (const auto* target : drawn) {
            SftDataOptions options;
            options.recommended = 0.5;
            options.inTurn = false;
            options.variety = 0.4;
            for (auto& program : must(drawPrograms(*target->target.matrix, 8, options,
                                                   order.derive(target->target.id.contents)))) {
                family.push_back(program.family);
                requests.push_back({std::move(program.text), target});
            }
        }
        const auto records = must(measuring.judge(requests, {}));
        const auto truth = must(cached.judge(requests, {}));
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!records[i].correct() || !truth[i].warm)
                continue;
            ++correct;
            const double real = truth[i].warm->median;
            if (records[i].predictedMicroseconds > 0) {
                const auto& [logs, count] = families[family[i]];
                const double peer = truth[i].baselineMicroseconds * std::exp(count > 0 ? logs / count : 0);
                errors += off(records[i].predictedMicroseconds, real);
                peers += off(peer, real);
                ++predicted;
                const double y = std::log(real / truth[i].baselineMicroseconds);
                sum += y;
                squares += y * y;
                const double wrong = std::log(records[i].predictedMicroseconds / real);
                left += wrong * wrong;
            }
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!records[i].warm)
                continue;
            families[family[i]].first -= std::log(records[i].speedup());
            families[family[i]].second += 1;
        }
        if ((iteration + 1) * 4 % iterations == 0) {
            const double spread = predicted > 0 ? squares - sum * sum / predicted : 0;
            std::printf("iterations to %2d: %3.0f %%  %.3f  %.3f  %.2f\n", iteration + 1,
                        100 * (1 - predicted / correct), errors / predicted, peers / predicted,
                        1 - left / spread);
            correct = predicted = errors = peers = sum = squares = left = 0;
        }
    }
    return 0;
}
